// Copies and fills that kernels put into streams.
#include <algorithm>
#include <bit>

#include "virtual_gpu/exec/launch/run_grids.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {
namespace {

// The accesses, as a warp would make them, for the race check.
void record(Run& run, BlockOrder& block, DevicePtr first, std::uint64_t bytes, AccessKind kind, int width) {
    Allocation* a = run.memory.find(first);
    if (a->read_only) return;
    if (!a->races) a->races = std::make_shared<RaceShadow>(a->bytes);
    alignas(64) std::uint64_t addresses[kLanes];
    GlobalAccess access;
    access.kind = kind;
    access.bytes = access.element_bytes = width;
    access.pc = run.grid.launched_in->count_base + run.grid.launched_at;
    access.base = a->base;
    access.addresses = addresses;
    access.data = a->data;
    for (std::uint64_t at = 0; at < bytes; at += static_cast<std::uint64_t>(width) * kLanes) {
        for (std::uint64_t lane = 0; lane < kLanes; ++lane)
            addresses[lane] = first + at + lane * static_cast<std::uint64_t>(width);
        const std::uint64_t active = std::min<std::uint64_t>(kLanes, (bytes - at) / static_cast<std::uint64_t>(width));
        access.is_contiguous = active == kLanes;
        run.global_races.access(block, 0, active == kLanes ? kAllLanes : (Mask{1} << active) - 1,
                                *static_cast<RaceShadow*>(a->races.get()), access);
    }
}

}  // namespace

void run_copy(Run& run, GlobalConflictSink& sink) {
    const Grid::Copy& copy = *run.grid.copy;
    BlockOrder block;
    if (run.checking) {
        run.global_races.begin_grid(run.grid.number, 1, 1, run.grid.known, sink);
        run.global_races.order().start(block, 0);
    }
    const Place place{run.grid.launched_in, run.grid.launched_at};
    const auto inside = [&](DevicePtr at) {
        const Allocation* a = run.memory.find(at);
        return a && !a->freed && at >= a->base && copy.bytes <= a->bytes && at - a->base <= a->bytes - copy.bytes;
    };
    for (const DevicePtr at : {copy.to, copy.from}) {
        if (at == 0 || copy.bytes == 0) continue;
        const Allocation* a = run.memory.find(at);
        if (inside(at) && !(at == copy.to && a->read_only)) continue;
        run.reporter.bad_copy(place, run.grid.launch.kernel, at, copy.bytes, at == copy.to, a);
        run.fail(Status::illegal_address, "");
        return;
    }
    if (copy.bytes == 0) return;
    const int width = (copy.to | copy.from | copy.bytes) % 4 == 0 ? 4 : 1;
    if (run.checking && copy.from != 0) record(run, block, copy.from, copy.bytes, AccessKind::read, width);
    if (run.checking) record(run, block, copy.to, copy.bytes, AccessKind::write, width);
    if (copy.from != 0)
        run.memory.copy(copy.to, copy.from, copy.bytes);
    else
        run.memory.fill(copy.to, copy.value, 1, copy.bytes);
    if (run.watch.writes)
        run.watch.writes->moved_by_kernel(run,
                                          {copy.to, copy.from, copy.bytes, run.grid.launch.kernel, "", copy.from == 0});
}

}  // namespace vgpu
