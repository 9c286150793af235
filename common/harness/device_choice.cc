#include "harness/device_choice.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/control.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

// "" if a GPU answers and its driver is new enough for this program's CUDA, else the reason. Calls cuInit rather than
// nvidia-smi, because cuInit decides whether a program can use the GPU (containers, sandboxes).
std::string why_no_gpu() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (driver == nullptr) return "there is no NVIDIA driver (libcuda.so.1)";
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
    const auto version = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
    if (init == nullptr || count == nullptr || version == nullptr) return "libcuda.so.1 is not a CUDA driver";
    if (const int code = init(0); code != 0) return "cuInit failed with error " + std::to_string(code);
    int devices = 0, number = 0;
    if (count(&devices) != 0 || devices == 0) return "the driver sees no GPU";
    if (version(&number) != 0 || number / 1000 < CUDART_VERSION / 1000)
        return "the driver is for CUDA " + std::to_string(number / 1000) + ", this program needs CUDA " +
               std::to_string(CUDART_VERSION / 1000);
    return "";
}

std::string execute_again(char** argv) {
    const std::string soname = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);
    const std::string library = find_beside("virtual_gpu/" + soname);
    if (library.empty())
        return "no virtual_gpu/" + soname + " beside this program or above it: run make, and the program in build/";
    std::string path = fs::path(library).parent_path().string();
    if (const char* old = std::getenv("LD_LIBRARY_PATH"); old != nullptr && *old != '\0')
        path += ":" + std::string(old);
    setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    setenv("CUDA_LABS_VIRTUAL", "1", 1);
    execv("/proc/self/exe", argv);
    return std::string("cannot execute itself again: ") + std::strerror(errno);
}

}  // namespace

std::string executable_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

std::string find_beside(const std::string& name) {
    fs::path folder = executable_folder();
    while (true) {
        std::error_code ignored;
        const fs::path path = folder / name;
        if (fs::exists(path, ignored)) return path.string();
        if (!folder.has_relative_path()) return "";
        folder = folder.parent_path();
    }
}

std::string choose_device(const std::string& wanted, char** argv) {
    if (control::is_virtual()) {
        if (wanted == "gpu")
            return "--device gpu: this process has the virtual GPU (LD_LIBRARY_PATH or LD_PRELOAD name it)";
        if (wanted.empty() || wanted == "virtual" || control::configure("profile", wanted)) return "";
        std::exit(2);  // the virtual GPU has listed the profiles on stderr
    }
    if (std::getenv("CUDA_LABS_VIRTUAL") != nullptr) return "the virtual GPU's libcudart.so was not loaded";
    if (wanted.empty() || wanted == "gpu") {
        const std::string reason = why_no_gpu();
        if (reason.empty()) return "";
        if (wanted == "gpu") return "--device gpu: no NVIDIA GPU answers: " + reason;
    }
    return execute_again(argv);
}

}  // namespace lab
