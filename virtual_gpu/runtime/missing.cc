#include "virtual_gpu/runtime/missing.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <utility>

#include "virtual_gpu/exec/decode/missing.h"
#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

struct Part {
    std::string_view of_name;  // what the names of its calls contain
    std::string_view feature, help;
};
constexpr std::string_view kGpuOnly = "it works on a GPU: run it there, or do without it";
// The first that fits decides.
constexpr std::array kParts = std::to_array<Part>({
    {"EGL", "interoperability with graphics", kGpuOnly},
    {"GL", "interoperability with graphics", kGpuOnly},
    {"VDPAU", "interoperability with graphics", kGpuOnly},
    {"Graphics", "interoperability with graphics", kGpuOnly},
    {"NvSci", "interoperability with other APIs", kGpuOnly},
    {"External", "interoperability with other APIs", kGpuOnly},
    {"RDMA", "interoperability with other APIs", kGpuOnly},
    {"Ipc", "sharing between processes", "copy the data through the host"},
    {"Shareable", "sharing between processes", "copy the data through the host"},
    {"MemPoolExport", "sharing between processes", "copy the data through the host"},
    {"MemPoolImport", "sharing between processes", "copy the data through the host"},
    {"Peer", "a second device", "use one device"},
    {"P2P", "a second device", "use one device"},
    {"Mipmapped", "a mipmapped array", "use an array with one level"},
    {"Sparse", "a sparse array", "use an ordinary array"},
    {"Plane", "an array with several planes", "use an array for each plane"},
    {"Texture", "textures", "read the array itself"},
    {"Surface", "surfaces", "use the array itself"},
    {"Array", "arrays for textures", "use cudaMalloc"},
    {"Cluster", "clusters of thread blocks", "use a grid without clusters"},
    {"Conditional", "conditional nodes of graphs", "decide on the host which graph to launch"},
    {"ChildGraph", "child graphs", "add the nodes to one graph"},
    {"UserObject", "objects that graphs own", "free them after the graph"},
    {"Graph", "this part of graphs", "launch the kernels into a stream instead of a graph"},
    {"Capture", "this part of graphs", "launch the kernels into a stream instead of a graph"},
    {"Library", "kernels loaded at run time", "compile them with the program"},
    {"KernelSetAttribute", "kernels loaded at run time", "compile them with the program"},
    {"DriverEntryPoint", "a function of CUDA's driver API", "use the runtime's own function"},
    {"GetProcAddress", "a function of CUDA's driver API", "use the runtime's own function"},
    {"ExportTable", "a function of CUDA's driver API", "use the runtime's own function"},
    {"Logs", "a log of errors", "ask each call for its error"},
    {"AsyncNotification", "notifications by the device", kGpuOnly},
    {"Batch", "a batch of copies in one call", "make a call for each copy"},
    {"MemPool", "this part of memory pools", "use cudaMallocAsync"},
    {"HostGetDevicePointer", "memory of the host that kernels reach", "copy it with cudaMemcpy"},
    {"HostVar", "a variable of the host in kernels", "use a __managed__ or __device__ variable"},
    {"Managed", "managed memory", "use cudaMalloc and cudaMemcpy"},
});

const Part& part_of(std::string_view call) {
    static constexpr Part kOther = {"", "this function", kGpuOnly};
    for (const Part& part : kParts) {
        if (call.find(part.of_name) != std::string_view::npos) {
            return part;
        }
    }
    return kOther;
}

thread_local std::string lacking;  // what lacks() was told

bool is_plural(std::string_view feature) {
    constexpr std::array<std::string_view, 9> kSingular = {
        "a ", "an ", "the ", "this ", "attribute ", "memory", "managed ", "interoperability", "sharing"};
    return std::none_of(kSingular.begin(), kSingular.end(),
                        [&](std::string_view begin) { return feature.starts_with(begin); });
}

// A thread that is inside of a function of stdio may hold its lock for ever.
void flush_output() {
    if (ftrylockfile(stdout) == 0) {
        std::cout.flush();
        std::fflush(stdout);
        funlockfile(stdout);
    }
}

// No destructor runs and no other thread goes on: each would make calls that mean nothing any more.
[[noreturn]] void end_process() {
    flush_output();
    write_report_now(false, true);
    _exit(3);
}

}  // namespace

std::string_view feature_of(std::string_view call) { return part_of(call).feature; }

bool is_query(std::string_view call) {
    // These get what must have been made before, which nothing here can.
    constexpr std::array<std::string_view, 5> kActions = {"Mapped", "Ipc", "Mipmapped", "cudaLibraryGet", "NvSci"};
    constexpr std::array<std::string_view, 5> kAsks = {"Get", "Occupancy", "Query", "CanAccess", "LogsCurrent"};
    const auto names = [&](std::string_view part) { return call.find(part) != std::string_view::npos; };
    return std::any_of(kAsks.begin(), kAsks.end(), names) && std::none_of(kActions.begin(), kActions.end(), names) &&
           call != "cudaHostGetDevicePointer";
}

int lacks(std::string feature) {
    lacking = std::move(feature);
    return cudaErrorNotSupported;
}

int refuse(const char* call) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    if (!runtime.ready()) {
        return set_last_error(call, cudaErrorInitializationError);
    }
    return set_last_error(call, cudaErrorNotSupported);
}

void not_supported(const char* call) {
    Runtime& runtime = Runtime::get();
    const std::string feature = lacking.empty() ? std::string(feature_of(call)) : std::exchange(lacking, {});
    std::string what = feature + (is_plural(feature) ? " are" : " is") + " not supported by the virtual GPU";
    // The compiler's own helpers tell nobody anything.
    if (std::string_view(call).starts_with("cuda")) {
        what += " (" + std::string(call) + ")";
    }
    const HostPlace place = host_place();
    // A kernel that has failed in this way has its own finding.
    const bool is_known = runtime.session->failed() == Status::not_supported;
    if (is_query(call) && !is_known) {
        static std::set<std::string> said;
        if (said.insert(what).second) {
            std::fprintf(stderr, "virtual GPU: %s: note: %s\n", text_of(place_of(place)).c_str(), what.c_str());
        }
        return;
    }
    if (!is_known) {
        runtime.session->add_finding(Kind::unsupported, what, std::string(part_of(call).help), place);
    }
    if (runtime.ends_unsupported) {
        end_process();
    }
    if (!is_known) {
        std::fprintf(stderr, "virtual GPU: %s\n", what.c_str());
    }
}

std::string missing_calls() {
    std::map<std::string_view, std::set<std::string>> by_feature;
    for (const char* call : unimplemented_calls()) {
        const std::string name = call;
        const bool is_twin = name.ends_with("_ptsz") || name.ends_with("_ptds");
        if (name.starts_with("cuda") && !is_twin) {
            by_feature[feature_of(name)].insert(is_query(name) ? name + "?" : name);
        }
    }
    std::string text;
    for (const auto& [feature, calls] : by_feature) {
        text += missing_line(feature, calls);
    }
    return text;
}

}  // namespace vgpu::runtime
