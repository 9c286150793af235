// A weak entry for every function of the CUDA runtime. What this library implements elsewhere is a strong symbol
// and wins; the rest refuses, so that nothing unimplemented passes unseen.
#include <vector>

#include "virtual_gpu/runtime/missing.h"

// Each weak entry has a second name here, by which it is known whether a strong one has won.
#define X(name)                                                                   \
    extern "C" int vgpu_missing_##name();                                         \
    extern "C" int vgpu_missing_##name() { return vgpu::runtime::refuse(#name); } \
    extern "C" __attribute__((weak, visibility("default"), alias("vgpu_missing_" #name))) int name();
#include "virtual_gpu/runtime/api_names.inc"
#undef X

namespace {

struct Entry {
    const char* name;
    int (*used)();
    int (*missing)();
};
const Entry kEntries[] = {
#define X(name) {#name, name, vgpu_missing_##name},
#include "virtual_gpu/runtime/api_names.inc"
#undef X
};

}  // namespace

std::vector<const char*> vgpu::runtime::unimplemented_calls() {
    std::vector<const char*> names;
    for (const Entry& entry : kEntries) {
        if (entry.used == entry.missing) {
            names.push_back(entry.name);
        }
    }
    return names;
}
