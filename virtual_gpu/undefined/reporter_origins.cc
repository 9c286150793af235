// Undefined values in words: where they come from, and what they decide.
#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/undefined/origins.h"

namespace vgpu {

std::uint32_t Reporter::origin_place(const Warp& w, const Instr* i) {
    const Place here = place(w, i);
    const std::uint32_t pc = w.function->count_base + i->source;
    const auto [entry, is_new] = origin_places_.try_emplace(pc, 0);
    if (is_new) entry->second = run_->memory.origins().place(source(here), at(here));
    return entry->second;
}

OriginId Reporter::global_origin(const Warp& w, const Instr* i, const Allocation& a, DevicePtr address, int bytes) {
    Origins& origins = run_->memory.origins();
    const auto [entry, is_new] = origin_arrays_.try_emplace(a.number, 0);
    if (is_new) entry->second = origins.array({name_of(a), "global", a.array_bytes(), layout_of(a)});
    return origins.add({Origin::Kind::memory, origin_place(w, i), entry->second,
                        static_cast<std::int64_t>(address - a.first), static_cast<std::uint8_t>(bytes)});
}

OriginId Reporter::shared_origin(const Warp& w, const Instr* i, std::uint32_t offset, int bytes) {
    const std::uint64_t pc = w.function->count_base + i->source;
    const auto [entry, is_new] = shared_origins_.try_emplace(pc << 32 | offset, 0);
    if (!is_new) return entry->second;
    Origins& origins = run_->memory.origins();
    const auto variable = shared_variable(offset);
    const std::uint32_t start = variable ? run_->setup.shared.place[*variable] : 0;
    const std::uint32_t array =
        origins.array({shared_element(offset, bytes).array, "shared", variable ? run_->setup.shared.size[*variable] : 0,
                       variable ? layout_of_shared(*variable) : Layout{}});
    return entry->second = origins.add({Origin::Kind::memory, origin_place(w, i), array,
                                        static_cast<std::int64_t>(offset - start), static_cast<std::uint8_t>(bytes)});
}

OriginId Reporter::local_origin(const Warp& w, const Instr* i) {
    Origins& origins = run_->memory.origins();
    return origins.add(
        {Origin::Kind::memory, origin_place(w, i), origins.array({"a local array", "local", 0, {}}), -1});
}

OriginId Reporter::shuffle_origin(const Warp& w, const Instr* i) {
    return run_->memory.origins().add({Origin::Kind::shuffle, origin_place(w, i), 0, -1});
}

OriginId Reporter::variable_origin(const Warp& w, const Instr* i) {
    return run_->memory.origins().add({Origin::Kind::variable, origin_place(w, i), 0, -1});
}

void Reporter::undefined(const Warp& w, const Instr* i, int lane, OriginId origin, const char* what) {
    if ((origin & kOriginNumber) == 0) origin = variable_origin(w, i);
    const Origins& origins = run_->memory.origins();
    const SourcePlace& from = origins.place_of(origins[origin]).source;
    const Place here = place(w, i);
    const ptx::Location l = location(here);
    const int line = l.line > 0 ? l.line : -static_cast<int>(here.source) - 1;
    if (origins.is_explained(origin)) return;
    Finding* f = nullptr;
    // The other place may be in another module: its number among the origins' places is beyond that of any file.
    const int from_place = -2 - static_cast<int>(origins[origin].place);
    if (!add(Key{static_cast<int>(Kind::uninitialized), l.file, line, from_place, from.line}, Kind::uninitialized, here,
             f))
        return;
    origins_of_.emplace(static_cast<std::size_t>(f - findings_.data()), origin);
    const auto thread = static_cast<std::uint32_t>(w.number * kLanes + lane);
    f->thread = run_->thread_index(thread);
    f->block = w.block->index;
    fill_origin(*f, origins, origin);
    f->what = thread_name(*w.block, thread) + ": " + origin_text(origins, origin) + ", " + what + " at " + at(here);
    f->help = origin_help(origins, origin);
}

}  // namespace vgpu
