// A small device for tests of the interpreter: loads PTX, holds arrays, launches kernels.
#pragma once

#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/ptx/linker.h"
#include "virtual_gpu/ptx/parser.h"

namespace vgpu {

inline constexpr const char* kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";  // of a PTX text

struct Shape {
    Index3 grid{1, 1, 1}, block{32, 1, 1};
    std::uint32_t shared = 0;
    bool cooperative = false;
    std::uint32_t pending_limit = 2048;
    std::uint64_t room = 0;  // blocks that the device holds at once; 0: unknown
};

class Gpu {
  public:
    explicit Gpu(std::uint64_t seed = 0, bool checks = true) : executor(memory, {}) {
        options.seed = seed;
        options.check_memory = checks;
        executor.configure(options);
    }

    // `verified`: refuses what the PTX compiler refuses, as the device does. Without it, the interpreter is on its own.
    void load_text(const std::string& text, bool verified = false) {
        ptx::Program program;
        ptx::ParseError error;
        if (!(verified ? ptx::load({&text, 1}, program, error) : ptx::parse(text, program, error)))
            throw std::runtime_error("line " + std::to_string(error.ptx_line) + " of the PTX: " + error.message);
        std::string message;
        if (executor.load(program, module, message) != Status::ok) throw std::runtime_error(message);
    }
    // kernels/NAME.cu, compiled by nvcc when the tests were built.
    void load(const std::string& name) {
        std::ifstream in(std::string(VGPU_TEST_PTX) + "/" + name + ".ptx");
        if (!in) throw std::runtime_error("no PTX of " + name);
        std::stringstream text;
        text << in.rdbuf();
        load_text(text.str(), true);
    }

    template <class T>
    DevicePtr array(const std::vector<T>& values, const std::string& label = "array") {
        DevicePtr p = 0;
        memory.allocate(values.size() * sizeof(T), label, p);
        memory.write(p, std::as_bytes(std::span(values)));
        return p;
    }
    template <class T>
    DevicePtr fresh(std::size_t count, const std::string& label = "array") {
        DevicePtr p = 0;
        memory.allocate(count * sizeof(T), label, p);
        return p;
    }
    template <class T>
    std::vector<T> values(DevicePtr p, std::size_t count) const {
        std::vector<T> v(count);
        memory.read(p, std::as_writable_bytes(std::span(v)));
        return v;
    }

    template <class... A>
    LaunchResult run(const std::string& kernel, const Shape& shape, A... arguments) {
        Launch launch;
        launch.kernel = kernel;
        launch.module = module;
        launch.grid = shape.grid;
        launch.block = shape.block;
        launch.shared_bytes = shape.shared;
        launch.cooperative = shape.cooperative;
        launch.pending_limit = shape.pending_limit;
        launch.room = shape.room;
        const auto put = [&](auto value) {
            while (launch.params.size() % alignof(decltype(value)) != 0) launch.params.push_back(0);
            const std::size_t at = launch.params.size();
            launch.params.resize(at + sizeof value);
            std::memcpy(&launch.params[at], &value, sizeof value);
        };
        (put(arguments), ...);
        LaunchResult result;
        executor.launch(launch, result);
        return result;
    }

    Memory memory;
    ExecOptions options;
    Executor executor;
    ModuleId module = 0;
};

// All findings but notes, one a line, for messages of failed tests.
inline std::string findings(const LaunchResult& r) {
    std::string out;
    for (const Finding& f : r.findings)
        if (!f.is_note) out += std::string(name_of(f.kind)) + ": " + f.what + "\n";
    return out;
}

// Number of the line in kernels/NAME.cu that holds this mark.
inline int line_of(const std::string& name, const std::string& mark) {
    std::ifstream in(std::string(VGPU_TEST_KERNELS) + "/" + name + ".cu");
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.find("// " + mark) != std::string::npos) return number;
    }
    return -1;
}

inline constexpr std::uint64_t kSeeds[] = {0, 1, 2, 3, 5, 77, 123456};

inline const Finding* find(const LaunchResult& r, Kind kind) {
    for (const Finding& f : r.findings)
        if (f.kind == kind) return &f;
    return nullptr;
}

}  // namespace vgpu
