#include "virtual_gpu/command/inspect.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "virtual_gpu/command/elf.h"
#include "virtual_gpu/fatbin/fatbin.h"

namespace vgpu::command {
namespace {

constexpr std::string_view kRuntime = "libcudart.so.";
constexpr const char* kOurRuntime = "libcudart.so.13";
constexpr int kNewestPtx = 90;  // PTX 9.0, of CUDA 13.0

// Libraries that work with a GPU's driver only: the beginning of their file's name, a function of each, their name.
struct Library {
    const char *file, *function, *name;
};
constexpr Library kLibraries[] = {{"libcublas", "cublasCreate_v2", "cuBLAS"},
                                  {"libcufft", "cufftExecC2C", "cuFFT"},
                                  {"libcurand", "curandCreateGenerator", "cuRAND's host functions"},
                                  {"libcusparse", "cusparseCreate", "cuSPARSE"},
                                  {"libcusolver", "cusolverDnCreate", "cuSOLVER"},
                                  {"libcudnn", "cudnnCreate", "cuDNN"},
                                  {"libcutensor", "cutensorCreate", "cuTENSOR"},
                                  {"libnccl", "ncclCommInitRank", "NCCL"},
                                  {"libnvrtc", "nvrtcCompileProgram", "NVRTC, which compiles kernels at run time"},
                                  {"libnvJitLink", "nvJitLinkCreate", "nvJitLink"},
                                  {"libnpp", "nppGetLibVersion", "NPP"},
                                  {"libnvjpeg", "nvjpegCreateSimple", "nvJPEG"},
                                  {"libcupti", "cuptiSubscribe", "CUPTI"}};

// What the program and its own libraries say together.
struct Facts {
    std::set<std::string> needed;
    std::set<std::string> driver_functions;
    std::string library, library_file;  // of kLibraries
    bool has_static_runtime = false, is_older_runtime = false;
    std::string stripped;  // the file with a runtime whose functions cannot be found
    bool has_code = false;
    int ptx = 0, oldest_too_new = 0, machine_code = 0;
    int ptx_version = 0;
    std::string why_packed;
};

bool is_driver_function(std::string_view name) {
    return name.size() > 2 && name.starts_with("cu") && std::isupper(name[2]);
}

// ".version 9.0" is 90.
int version_of(std::string_view ptx) {
    constexpr std::string_view kWord = ".version ";
    const std::size_t at = ptx.substr(0, 4096).find(kWord);
    int major = 0, minor = 0;
    if (at == std::string_view::npos ||
        std::sscanf(std::string(ptx.substr(at + kWord.size(), 16)).c_str(), "%d.%d", &major, &minor) != 2) {
        return 0;
    }
    return major * 10 + minor;
}

// Whether there is any.
bool look_at_code(std::span<const std::byte> section, int capability, Facts& facts) {
    constexpr std::uint32_t kMagic = 0xba55ed50;
    constexpr std::size_t kStep = 8, kHead = 16;
    bool has_code = false;
    for (std::size_t at = 0; at + kHead <= section.size(); at += kStep) {
        std::uint32_t magic = 0;
        std::memcpy(&magic, section.data() + at, sizeof magic);
        std::vector<fatbin::Entry> entries;
        std::string error;
        if (magic != kMagic) {
            continue;
        }
        std::uint64_t size = 0;
        std::memcpy(&size, section.data() + at + 8, sizeof size);
        if (size > section.size() - at - kHead ||
            !fatbin::read_entries(section.subspan(at, kHead + size), entries, error)) {
            continue;
        }
        for (const fatbin::Entry& entry : entries) {
            has_code = true;
            if (entry.kind == fatbin::Entry::Kind::cubin) {
                facts.machine_code = std::max(facts.machine_code, entry.arch);
            } else if (std::string ptx; entry.arch > capability) {
                facts.oldest_too_new =
                    facts.oldest_too_new == 0 ? entry.arch : std::min(facts.oldest_too_new, entry.arch);
            } else if (!fatbin::read_ptx(entry, ptx, error)) {
                facts.why_packed = error;
            } else {
                ++facts.ptx;
                facts.ptx_version = std::max(facts.ptx_version, version_of(ptx));
            }
        }
        at += (kHead + size) / kStep * kStep - kStep;
    }
    return has_code;
}

void look_at(const Elf& file, const std::string& name, int capability, Facts& facts) {
    for (std::string& name : file.needed()) {
        facts.needed.insert(std::move(name));
    }
    bool registers = false, launches = false, has_older = false;
    file.for_each_function([&](std::string_view name, bool defined) {
        registers = registers || (defined && name == "__cudaRegisterFatBinary");
        launches = launches || (defined && name == "__cudaGetKernel");
        has_older = has_older || (defined && name == "cudaGetDeviceProperties_v2");
        if (!defined && is_driver_function(name)) {
            facts.driver_functions.emplace(name);
        }
        for (const Library& one : kLibraries) {
            if (defined && name == one.function && facts.library.empty()) {
                facts.library = one.name;
                facts.library_file = "linked statically";
            }
        }
    });
    bool has_code = false;
    for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
        has_code = look_at_code(file.section(section), capability, facts) || has_code;
    }
    facts.has_code = facts.has_code || has_code;
    const std::vector<std::string> needed = file.needed();
    const bool is_dynamic =
        std::ranges::any_of(needed, [](const std::string& name) { return name.starts_with(kRuntime); });
    facts.has_static_runtime = facts.has_static_runtime || registers;
    facts.is_older_runtime = facts.is_older_runtime || (registers && (has_older || !launches));
    // Code without a runtime that it could register with: the runtime is there, and its names are gone.
    if (has_code && !is_dynamic && !registers && !file.has_symbols()) {
        facts.stripped = name;
    }
}

std::vector<std::string> folders_in(const char* list) {
    std::vector<std::string> folders;
    for (std::string_view rest = list != nullptr ? list : ""; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return folders;
}

// The program's own libraries, in folders that it or the user names: the system's hold no device code.
void look_at_libraries(const Elf& file, const std::filesystem::path& path, int capability, std::set<std::string>& seen,
                       Facts& facts) {
    std::vector<std::string> folders = file.search(true);
    std::ranges::copy(folders_in(std::getenv("LD_LIBRARY_PATH")), std::back_inserter(folders));
    std::ranges::copy(file.search(false), std::back_inserter(folders));
    const std::string origin = std::filesystem::absolute(path).parent_path().string();
    for (const std::string& name : file.needed()) {
        const bool is_nvidias =
            name.starts_with(kRuntime) || name.starts_with("libcuda.so") ||
            std::ranges::any_of(kLibraries, [&](const Library& one) { return name.starts_with(one.file); });
        for (std::string folder : folders) {
            for (const std::string word : {"$ORIGIN", "${ORIGIN}"}) {
                if (const std::size_t at = folder.find(word); at != std::string::npos) {
                    folder.replace(at, word.size(), origin);
                }
            }
            const std::string found = folder + "/" + name;
            Elf library;
            std::string error;
            if (is_nvidias || seen.contains(found) || access(found.c_str(), R_OK) != 0) {
                continue;
            }
            seen.insert(found);
            if (library.open(found, error) && library.is_64()) {
                look_at(library, name, capability, facts);
                look_at_libraries(library, found, capability, seen, facts);
            }
            break;
        }
    }
}

std::string with_dot(int arch) { return std::to_string(arch / 10) + "." + std::to_string(arch % 10); }

std::string generate(int capability) {
    const std::string arch = "compute_" + std::to_string(capability);
    return "-gencode arch=" + arch + ",code=" + arch;
}

std::string some_of(const std::set<std::string>& names) {
    std::string text;
    int count = 0;
    for (const std::string& name : names) {
        if (++count > 3) {
            return text + ", ...";
        }
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

// What keeps a CUDA program from running, the most basic first.
void judge(const std::string& name, const Facts& facts, int capability, Inspection& out) {
    const auto refuse = [&](std::string problem, std::string help) {
        out.problem = std::move(problem);
        out.help = std::move(help);
    };
    for (const std::string& needed : facts.needed) {
        if (needed.starts_with(kRuntime) && needed != kOurRuntime) {
            return refuse(name + " was built with another version of CUDA: it needs " + needed +
                              ", and the virtual GPU is CUDA 13's runtime, " + kOurRuntime,
                          "build it with CUDA 13's nvcc");
        }
    }
    if (facts.is_older_runtime) {
        return refuse(name + " has the runtime of an older CUDA in it, and the virtual GPU is CUDA 13's runtime",
                      "build it with CUDA 13's nvcc");
    }
    const auto driver =
        std::ranges::find_if(facts.needed, [](const auto& one) { return one.starts_with("libcuda.so"); });
    if (driver != facts.needed.end() && facts.driver_functions.empty()) {
        return refuse(name + " is linked to " + *driver + ", the GPU's driver, and uses nothing of it",
                      "link it without -lcuda");
    }
    if (driver != facts.needed.end()) {
        return refuse(name + " calls the driver API (" + some_of(facts.driver_functions) + ", from " + *driver +
                          "), and the virtual GPU has the runtime API only",
                      "use the runtime API: kernel<<<...>>>, cudaMalloc, cudaMemcpy");
    }
    std::string library = facts.library, file = facts.library_file;
    for (const std::string& needed : facts.needed) {
        for (const Library& one : kLibraries) {
            if (library.empty() && needed.starts_with(one.file)) {
                library = one.name;
                file = needed;
            }
        }
    }
    if (!library.empty()) {
        return refuse(name + " uses " + library + " (" + file + "), which needs a GPU and its driver",
                      "put a kernel of your own in its place; with --anyway it runs until it uses " + library);
    }
    if (!facts.stripped.empty()) {
        return refuse(
            facts.stripped + " has CUDA's runtime in it (nvcc's default), and no symbols by which it could be replaced",
            "compile with nvcc -cudart shared, or do not strip it");
    }
    if (!facts.has_code || facts.ptx > 0) {
        return;
    }
    if (!facts.why_packed.empty()) {
        const std::size_t cause = facts.why_packed.find(": install");
        return refuse(facts.why_packed.substr(0, cause),
                      cause != std::string::npos ? facts.why_packed.substr(cause + 2) : "compile it again");
    }
    if (facts.oldest_too_new > 0) {
        return refuse("the PTX in " + name + " is for compute capability " + with_dot(facts.oldest_too_new) +
                          " and newer, and the modelled device has " + with_dot(capability),
                      "compile with nvcc " + generate(capability));
    }
    refuse(name + " has machine code for GPUs only (sm_" + std::to_string(facts.machine_code) +
               ") and no PTX, which the virtual GPU executes",
           "compile with nvcc " + generate(capability) + ", or build the project with: virtual-gpu build make");
}

void look_at_program(const std::string& name, const std::string& path, const Elf& file, int capability,
                     Inspection& out) {
    constexpr int kHere =
#if defined(__aarch64__)
        EM_AARCH64;
#else
        EM_X86_64;
#endif
    if (!file.is_64() || file.machine() != kHere) {
        out.problem = name + " is for another processor (" +
                      (!file.is_64()                       ? "not 64 bits"
                       : file.machine() == EM_AARCH64      ? "64-bit Arm"
                       : file.machine() == EM_X86_64       ? "x86-64"
                       : file.machine() == 190 /*EM_CUDA*/ ? "a cubin: code for a GPU alone"
                                                           : "number " + std::to_string(file.machine()) + " of ELF") +
                      ") than this machine's";
        out.help = "compile it here";
        return;
    }
    if (file.type() == ET_REL) {
        out.problem = name + " is an object file, and not linked yet";
        out.help = "link it: nvcc " + name + " -o program";
        return;
    }
    if (!file.has_interpreter()) {
        out.problem = name + " is linked with -static, or is a library: no other library can take the place of CUDA's";
        out.help = "link it without -static";
        return;
    }
    Facts facts;
    std::set<std::string> seen;
    look_at(file, name, capability, facts);
    look_at_libraries(file, path, capability, seen, facts);
    judge(name, facts, capability, out);
    out.has_static_runtime = facts.has_static_runtime;
    out.chooses_runtime = !file.search(true).empty();
    if (facts.ptx_version > kNewestPtx) {
        out.remarks.push_back("its PTX is of version " + with_dot(facts.ptx_version) + ", newer than " +
                              with_dot(kNewestPtx) + ", which the virtual GPU knows: what it does not know, it names");
    }
    const bool is_cuda = facts.has_code || facts.has_static_runtime || facts.needed.contains(kOurRuntime);
    if (!is_cuda && out.problem.empty()) {
        out.remarks.push_back(name + " is no CUDA program as far as can be seen; what it starts or loads may be one");
        out.has_static_runtime = true;  // of what it starts
    }
}

}  // namespace

std::string find_program(const std::string& word) {
    if (word.find('/') != std::string::npos) {
        return access(word.c_str(), F_OK) == 0 ? word : "";
    }
    for (const std::string& folder : folders_in(std::getenv("PATH"))) {
        const std::string path = (folder.empty() ? "." : folder) + "/" + word;
        if (access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path)) {
            return path;
        }
    }
    return "";
}

Inspection inspect(const std::string& word, const std::string& path, int capability) {
    Inspection out;
    const std::string name = std::filesystem::path(word).filename().string();
    const auto refuse = [&](std::string problem, std::string help) {
        out.problem = std::move(problem);
        out.help = std::move(help);
        return out;
    };
    if (path.empty()) {
        out.not_found = true;
        const bool is_here = word.find('/') == std::string::npos && access(word.c_str(), F_OK) == 0;
        return refuse(word + ": there is no such program", is_here ? "for the one in this folder: ./" + word : "");
    }
    if (std::filesystem::is_directory(path)) {
        return refuse(word + " is a folder", "name the program in it");
    }
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".cu" || ending == ".cc" || ending == ".cpp" || ending == ".c") {
        return refuse(name + " is a source file",
                      "compile it: nvcc -g -lineinfo " + name + " -o program; then: virtual-gpu ./program");
    }
    Elf file;
    std::string error;
    if (!file.open(path, error)) {
        return refuse(word + " cannot be read: " + error, "");
    }
    if (!file.is_elf() && !file.beginning().starts_with("#!")) {
        return refuse(name + " is no program of this system", "");
    }
    if (file.is_elf()) {
        look_at_program(name, path, file, capability, out);
    }
    if (out.problem.empty() && access(path.c_str(), X_OK) != 0) {
        return refuse(word + " may not be executed", "chmod +x " + word);
    }
    if (!file.is_elf()) {
        out.remarks.push_back(name +
                              " is a script: the programs that it starts run on the virtual GPU, and are not "
                              "looked at before");
        out.has_static_runtime = true;
    }
    return out;
}

}  // namespace vgpu::command
