#include "virtual_gpu/session/host_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "virtual_gpu/exec/report/names.h"

namespace vgpu {
namespace {

constexpr int kDepth = 16;
constexpr std::size_t kFrames = 8;
constexpr std::string_view kToken = "{at", kWithoutStub = " no-stub";  // no number: no frame

const void* own_base() {
    static const void* base = [] {
        Dl_info info{};
        return dladdr(reinterpret_cast<const void*>(&own_base), &info) != 0 ? info.dli_fbase : nullptr;
    }();
    return base;
}

// The program that places without a module belong to; a name that is not relative to a folder that may change.
std::string& program() {
    static auto* path = new std::string;
    return *path;
}

bool only_the_program = false;

std::string this_program() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "/proc/self/exe" : path.string();
}

struct Frame {
    std::string module;  // empty: the program itself
    std::uintptr_t offset = 0;
};

Frame frame_of(void* address, const Dl_info& info) {
    auto offset = reinterpret_cast<std::uintptr_t>(address);
    const auto* elf = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
    if (elf->e_type != ET_EXEC) {  // an executable at a fixed address is looked up by the address itself
        offset -= reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    }
    const std::string name = info.dli_fname;
    return {name.find(".so") == std::string::npos ? "" : name, offset};
}

std::string token_of(const std::vector<Frame>& stack) {
    std::string out = "{at";
    for (const Frame& frame : stack) {
        if (frame.module.find_first_of(" }") != std::string::npos) {
            continue;
        }
        char text[32];
        std::snprintf(text, sizeof text, " %" PRIxPTR, frame.offset);
        out += text;
        if (!frame.module.empty()) {
            out += '@' + frame.module;
        }
    }
    return out + "}";
}

std::vector<Frame> frames_of(const HostPlace& token) {
    std::vector<Frame> out;
    const std::string_view text = token;
    if (!text.starts_with("{at") || !text.ends_with("}")) {
        return out;
    }
    for (std::size_t at = 3; text[at] == ' ' && out.size() < kFrames;) {
        const std::size_t end = std::min(text.find_first_of(" }", at + 1), text.size() - 1);
        const std::string_view word = text.substr(at + 1, end - at - 1);
        at = end;
        Frame frame;
        const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), frame.offset, 16);
        const std::string_view module(rest, static_cast<std::size_t>(word.data() + word.size() - rest));
        if (error == std::errc() && (module.empty() || (module.starts_with('@') && !only_the_program))) {
            frame.module = module.empty() ? "" : module.substr(1);
            out.push_back(std::move(frame));
        }
    }
    return out;
}

// Runs `addr2line -i` and returns what it prints. fork and exec rather than popen: this also has to work after a fault.
std::string addr2line(const std::string& module, std::uintptr_t address) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    char offset[32];
    std::snprintf(offset, sizeof offset, "0x%" PRIxPTR, address - 1);  // a return address is one past the call
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        if (const int null = open("/dev/null", O_RDWR); null >= 0) {
            dup2(null, 0);
            dup2(null, 2);
        }
        unsetenv("LD_PRELOAD");
        execlp("addr2line", "addr2line", "-i", "-e", module.c_str(), offset, nullptr);
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
std::vector<SourcePlace> places_of(const Frame& frame) {
    static std::mutex mutex;
    static auto* cache = new std::map<std::pair<std::string, std::uintptr_t>, std::vector<SourcePlace>>;
    const std::lock_guard lock(mutex);
    if (const auto found = cache->find({frame.module, frame.offset}); found != cache->end()) {
        return found->second;
    }
    std::vector<SourcePlace> places;
    if (program().empty()) {
        program() = this_program();
    }
    const std::string text = addr2line(frame.module.empty() ? program() : frame.module, frame.offset);
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
    if (cache->size() > 10000) {
        cache->clear();
    }
    (*cache)[{frame.module, frame.offset}] = places;
    return places;
}

bool is_system(std::string_view file) {
    return file.starts_with("/usr/") || file.find("/include/cuda") != std::string_view::npos ||
           file.find("/include/crt/") != std::string_view::npos || file.find(".stub.c") != std::string_view::npos ||
           file.find("cuda_runtime") != std::string_view::npos || file.find("/bits/") != std::string_view::npos;
}

// For the host's function templates of scan.cu, the line tables name the file that nvcc hands to the host's compiler,
// /tmp/tmpxft_1a_0-6_scan.compute_90.cudafe1.cpp, with the lines of scan.cu. Returns scan.cu, or "".
std::string source_of_temporary(const std::string& file) {
    constexpr std::string_view kEnd = ".cudafe1.cpp";
    if (!file.ends_with(kEnd)) return {};
    std::string name = std::filesystem::path(file).filename().string();
    name.resize(name.size() - kEnd.size());
    if (const std::size_t arch = name.rfind(".compute_"); arch != std::string::npos) name.resize(arch);
    const std::size_t number = name.starts_with("tmpxft_") ? name.find('-') : std::string::npos;
    if (number != std::string::npos) name.erase(0, name.find('_', number) + 1);
    return name + ".cu";
}

// In the folder where the rest of the stack has it.
void undo_temporary(SourcePlace& place, const std::vector<Frame>& stack) {
    const std::string name = source_of_temporary(place.file);
    if (name.empty()) return;
    place.file = name;
    for (const Frame& frame : stack)
        for (const SourcePlace& other : places_of(frame))
            if (std::filesystem::path(other.file).filename() == name) {
                place.file = other.file;
                return;
            }
}

}  // namespace

HostPlace host_place(void* innermost) {
    void* addresses[kDepth + 1] = {innermost};
    const int first = innermost != nullptr ? 1 : 0;
    const int depth = first + backtrace(addresses + first, kDepth);
    // A loop launches from the same place again and again. A signal may have come while this thread has the lock.
    constexpr std::size_t kMostPlaces = 4096;
    static std::mutex mutex;
    static auto* known = new std::map<std::vector<void*>, HostPlace>;
    const std::unique_lock lock(mutex, std::try_to_lock);
    std::vector<void*> key(addresses, addresses + depth);
    if (lock) {
        if (const auto found = known->find(key); found != known->end()) {
            return found->second;
        }
    }
    std::vector<Frame> stack;
    for (int i = 0; i < depth && stack.size() < kFrames; ++i) {
        Dl_info info{};
        if (dladdr(addresses[i], &info) != 0 && info.dli_fname != nullptr && info.dli_fbase != own_base()) {
            stack.push_back(frame_of(addresses[i], info));
        }
    }
    HostPlace place = token_of(stack);
    if (lock && known->size() < kMostPlaces) {
        known->emplace(std::move(key), place);
    }
    return place;
}

void mark_without_stub(HostPlace& place) {
    if (place.starts_with(kToken)) {
        place.insert(kToken.size(), kWithoutStub);
    }
}

std::uint64_t offset_in_program(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return 0;
    }
    const Frame frame = frame_of(const_cast<void*>(address), info);
    return frame.module.empty() ? frame.offset : 0;
}

void places_are_of(const std::string& path) {
    program() = path;
    only_the_program = true;
    sources_are_of(path);
}

SourcePlace place_of(const HostPlace& token, bool is_launch) {
    is_launch = is_launch && token.find(kWithoutStub) == std::string::npos;
    const std::vector<Frame> stack = frames_of(token);
    SourcePlace best, stub;
    for (const Frame& frame : stack) {
        if (frame.module.starts_with("/lib") || frame.module.starts_with("/usr/lib")) {
            continue;  // the C library may have line numbers where the program has none
        }
        for (SourcePlace& place : places_of(frame)) {
            undo_temporary(place, stack);
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
        const Frame& frame = stack.front();
        char offset[32];
        std::snprintf(offset, sizeof offset, "+0x%" PRIxPTR, frame.offset);
        best.file = std::filesystem::path(frame.module.empty() ? program() : frame.module).filename().string() + offset;
    }
    return best;
}

std::string text_of(const SourcePlace& place) {
    const std::string name = std::filesystem::path(place.file).filename().string();
    return place.line != 0 ? name + ":" + std::to_string(place.line) : name;
}

namespace {

// The variable that a line sets by cudaMalloc(&variable, ...) or the like; empty: none, or it is not certain which.
std::string variable_set_in(std::string_view line) {
    constexpr std::string_view kCall = "cudaMalloc";
    const std::size_t call = line.find(kCall);
    if (call == std::string_view::npos || line.find(kCall, call + 1) != std::string_view::npos) return {};
    const std::size_t open = line.find('(', call), begin = line.find('&', call);
    const std::size_t end = begin == std::string_view::npos ? begin : line.find_first_of(",)", begin);
    if (open == std::string_view::npos || end == std::string_view::npos || open > begin) return {};
    std::string name(line.substr(begin + 1, end - begin - 1));
    std::erase(name, ' ');
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("_.->[]:").find(static_cast<char>(c)) != std::string_view::npos;
    });
    return is_name ? name : std::string();
}

// "d_x (400 bytes, allocated at a.cu:7)" for "allocation of 400 bytes made at a.cu:7", which ends `text`.
bool name_allocation(std::string& text, const SourcePlace& place) {
    constexpr std::string_view kBegin = "allocation of ", kEnd = " made at ";
    const std::size_t begin = text.rfind(kBegin);
    if (begin == std::string::npos || !text.ends_with(kEnd)) return false;
    const std::string name = variable_set_in(place.text);
    const std::string size = text.substr(begin + kBegin.size(), text.size() - begin - kBegin.size() - kEnd.size());
    if (name.empty() || size.find_first_not_of("0123456789 bytes") != std::string::npos) return false;
    text.resize(begin);
    text += name + " (" + size + ", allocated at ";
    return true;
}

// "; x is d_x, allocated at a.cu:7" for "; x was allocated at a.cu:7": the kernel's and the host's name of one array.
void name_for_host(std::string& text, const SourcePlace& place) {
    constexpr std::string_view kBegin = "; ", kEnd = " was allocated at ";
    const std::size_t begin = text.rfind(kBegin);
    if (begin == std::string::npos || !text.ends_with(kEnd)) return;
    const std::size_t from = begin + kBegin.size(), end = text.size() - kEnd.size();
    const std::string name = variable_set_in(place.text);
    if (name.empty() || end < from || text.substr(from, end - from) == name) return;
    text.replace(end, std::string::npos, " is " + name + ", allocated at ");
}

}  // namespace

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
        const SourcePlace place = place_of(text.substr(begin, end + 1 - begin));
        const bool is_named = name_allocation(out, place);
        name_for_host(out, place);
        out += text_of(place) + (is_named ? ")" : "");
        from = end + 1;
    }
}

std::string source_line(const std::string& file, int line) {
    const std::vector<std::string>& lines = source_lines(file);
    if (line < 1 || static_cast<std::size_t>(line) > lines.size()) {
        return {};
    }
    const std::string& text = lines[static_cast<std::size_t>(line) - 1];
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

}  // namespace vgpu
