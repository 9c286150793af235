// One lane's reads for runtime functions such as vprintf.
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/machine/run.h"
#include "virtual_gpu/exec/report/reporter.h"

namespace vgpu {

const std::uint8_t* peek(Warp& w, const Instr* i, int lane, DevicePtr generic, int bytes) {
    // Byte by byte, so that an object of any alignment can be read.
    if (is_local(generic)) {
        const std::uint64_t at = local_offset(generic), top = w.local.capacity;
        if (at + static_cast<std::uint64_t>(bytes) > top) return nullptr;
        return w.local.bytes.data() + static_cast<std::uint64_t>(lane) * w.local.capacity + at;
    }
    if (generic - kSharedWindow < kWindowBytes) {
        const std::uint64_t at = generic - kSharedWindow, n = (at >> kSharedBits) - 1;
        const std::uint64_t in = at & ((1u << kSharedBits) - 1);
        if (n >= w.run->setup.shared.size.size() ||
            in + static_cast<std::uint64_t>(bytes) > w.run->setup.shared.size[n])
            return nullptr;
        return w.block->shared.data() + w.run->setup.shared.place[n] + in;
    }
    const Allocation* a = w.run->memory.find(generic);
    if (!a || a->freed || generic < a->first || generic - a->base + static_cast<std::uint64_t>(bytes) > a->bytes) {
        w.run->reporter.bad_access(w, i, lane, generic, bytes, "read", Kind::out_of_bounds, a);
        return nullptr;
    }
    return a->data + (generic - a->base);
}

}  // namespace vgpu
