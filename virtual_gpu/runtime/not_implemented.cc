// A weak entry for every function of the CUDA runtime. What this library implements elsewhere is a strong symbol
// and wins; the rest says its name once and fails, so that nothing unimplemented passes unseen.
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "virtual_gpu/runtime/last_error.h"

namespace {

constexpr int kNotSupported = 801;  // cudaErrorNotSupported; the CUDA header cannot be included beside these entries

int not_implemented(const char* name) {
    static std::mutex mutex;
    static std::set<std::string> said;
    {
        const std::lock_guard lock(mutex);
        if (said.insert(name).second) {
            std::fprintf(stderr, "virtual GPU: %s is not implemented\n", name);
        }
    }
    vgpu::runtime::set_last_error(name, kNotSupported);
    return kNotSupported;
}

}  // namespace

#define X(name)                                                         \
    extern "C" __attribute__((weak, visibility("default"))) int name(); \
    extern "C" __attribute__((weak, visibility("default"))) int name() { return not_implemented(#name); }
#include "virtual_gpu/runtime/api_names.inc"
#undef X
