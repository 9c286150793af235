#include "virtual_gpu/runtime/host_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string_view>

namespace vgpu::runtime {
namespace {

constexpr int kDepth = 16;

const void* own_base() {
    static const void* base = [] {
        Dl_info info{};
        return dladdr(reinterpret_cast<const void*>(&own_base), &info) != 0 ? info.dli_fbase : nullptr;
    }();
    return base;
}

struct ModuleOffset {
    std::string module;
    std::uintptr_t offset = 0;
};

ModuleOffset module_of(void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return {"", reinterpret_cast<std::uintptr_t>(address)};
    }
    auto offset = reinterpret_cast<std::uintptr_t>(address);
    const auto* elf = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
    if (elf->e_type != ET_EXEC) {  // an executable at a fixed address is looked up by the address itself
        offset -= reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    }
    std::string name = info.dli_fname;
    // The executable's own name may be relative to a folder that is no longer the current one.
    if (name.find(".so") == std::string::npos) {
        name = "/proc/self/exe";
        std::error_code error;
        if (auto path = std::filesystem::read_symlink(name, error); !error) {
            name = path.string();
        }
    }
    return {name, offset};
}

// Runs `addr2line -i` and returns what it prints. fork and exec rather than popen: this also has to work after a fault.
std::string addr2line(const ModuleOffset& at) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    char offset[32];
    std::snprintf(offset, sizeof offset, "0x%" PRIxPTR, at.offset - 1);  // a return address is one past the call
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        if (const int null = open("/dev/null", O_RDWR); null >= 0) {
            dup2(null, 0);
            dup2(null, 2);
        }
        unsetenv("LD_PRELOAD");
        execlp("addr2line", "addr2line", "-i", "-e", at.module.c_str(), offset, nullptr);
        _exit(127);
    }
    close(ends[1]);
    std::string out;
    if (child > 0) {
        char buffer[1024];
        ssize_t got = 0;
        while ((got = read(ends[0], buffer, sizeof buffer)) > 0) {
            out.append(buffer, static_cast<std::size_t>(got));
        }
        waitpid(child, nullptr, 0);
    }
    close(ends[0]);
    return out;
}

// The places that one return address stands for: the innermost inlined function first.
std::vector<SourcePlace> places_of(void* address) {
    static std::mutex mutex;
    static auto* cache = new std::map<void*, std::vector<SourcePlace>>;
    const std::lock_guard lock(mutex);
    if (const auto found = cache->find(address); found != cache->end()) {
        return found->second;
    }
    std::vector<SourcePlace> places;
    const ModuleOffset at = module_of(address);
    const std::string text = at.module.empty() ? std::string() : addr2line(at);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t colon = line.rfind(':');
        if (colon == std::string::npos || line.starts_with("??")) {
            continue;
        }
        const int number = std::atoi(line.c_str() + colon + 1);
        if (number > 0) {
            places.push_back({line.substr(0, colon), number, ""});
        }
    }
    (*cache)[address] = places;
    return places;
}

bool is_system(std::string_view file) {
    return file.starts_with("/usr/") || file.find("/include/cuda") != std::string_view::npos ||
           file.find("/include/crt/") != std::string_view::npos || file.find("cudafe1") != std::string_view::npos ||
           file.find("cuda_runtime") != std::string_view::npos || file.find("/bits/") != std::string_view::npos;
}

}  // namespace

std::vector<void*> host_stack() {
    void* frames[kDepth];
    const int depth = backtrace(frames, kDepth);
    std::vector<void*> out;
    for (int i = 0; i < depth && out.size() < 8; ++i) {
        Dl_info info{};
        if (dladdr(frames[i], &info) != 0 && info.dli_fbase == own_base()) {
            continue;
        }
        out.push_back(frames[i]);
    }
    return out;
}

SourcePlace place_of(const std::vector<void*>& stack, bool is_launch) {
    SourcePlace best, stub;
    for (void* frame : stack) {
        for (SourcePlace& place : places_of(frame)) {
            if (is_system(place.file)) {
                continue;
            }
            if (is_launch && (stub.line == 0 || (stub.line == place.line && stub.file == place.file))) {
                stub = place;
                continue;
            }
            if (place.file.ends_with(".cu")) {
                place.text = source_line(place.file, place.line);
                return place;
            }
            if (best.line == 0) {
                best = place;
            }
        }
    }
    if (best.line == 0) {
        best = stub;
    }
    if (best.line != 0) {
        best.text = source_line(best.file, best.line);
        return best;
    }
    if (!stack.empty()) {
        const ModuleOffset at = module_of(stack.front());
        char offset[32];
        std::snprintf(offset, sizeof offset, "+0x%" PRIxPTR, at.offset);
        best.file = std::filesystem::path(at.module).filename().string() + offset;
    }
    return best;
}

std::string text_of(const SourcePlace& place) {
    const std::string name = std::filesystem::path(place.file).filename().string();
    return place.line != 0 ? name + ":" + std::to_string(place.line) : name;
}

std::string token_of(const std::vector<void*>& stack) {
    std::string out = "{at";
    for (void* frame : stack) {
        char text[32];
        std::snprintf(text, sizeof text, " %" PRIxPTR, reinterpret_cast<std::uintptr_t>(frame));
        out += text;
    }
    return out + "}";
}

std::string resolve_tokens(const std::string& text) {
    std::string out;
    std::size_t from = 0;
    for (;;) {
        const std::size_t begin = text.find("{at", from);
        const std::size_t end = begin == std::string::npos ? begin : text.find('}', begin);
        if (end == std::string::npos) {
            return out + text.substr(from);
        }
        out += text.substr(from, begin - from);
        std::vector<void*> stack;
        const char* cursor = text.c_str() + begin + 3;
        while (*cursor == ' ') {
            char* next = nullptr;
            stack.push_back(reinterpret_cast<void*>(std::strtoull(cursor, &next, 16)));
            cursor = next;
        }
        out += text_of(place_of(stack));
        from = end + 1;
    }
}

std::string source_line(const std::string& file, int line) {
    std::ifstream in(file);
    std::string text;
    for (int i = 0; i < line; ++i) {
        if (!std::getline(in, text)) {
            return {};
        }
    }
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

}  // namespace vgpu::runtime
