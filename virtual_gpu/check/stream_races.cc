#include "virtual_gpu/check/stream_races.h"

#include <algorithm>
#include <cstring>

#include "virtual_gpu/check/global_access.h"

namespace vgpu {
namespace {

using namespace global_races;

constexpr std::size_t kMostKept = 1 << 20;                   // accesses, states: then all is forgotten
constexpr Record kInstruction = (Record{1} << kLaneAt) - 1;  // instruction, size and flags of a record

bool is_write(const StreamAccess& a) { return a.kind != AccessKind::read; }
bool is_plain(const StreamAccess& a) { return !a.is_strong; }
bool conflict_in_kind(const StreamAccess& a, const StreamAccess& b) {
    if ((a.is_beside && b.is_strong) || (b.is_beside && a.is_strong)) return false;
    return (is_write(a) || is_write(b)) && (is_plain(a) || is_plain(b));
}
bool both_store(const StreamAccess& a, const StreamAccess& b) {
    return a.kind == AccessKind::write && b.kind == AccessKind::write && a.pc != StreamAccess::kNoPc &&
           b.pc != StreamAccess::kNoPc;
}

// Whatever conflicts with the earlier access conflicts with the later one as well: only the later one has to be kept.
bool covers(const StreamAccess& later, const StreamAccess& earlier) {
    if (is_write(later) && is_plain(later)) return true;
    if (earlier.is_released && !later.is_released) return false;
    if (is_plain(earlier)) return !is_write(earlier) && !is_write(later) && is_plain(later);
    return is_write(later) || !is_write(earlier);
}

}  // namespace

void StreamRaces::forget() {
    shadows_.clear();
    accesses_.assign(1, {});
    states_.assign(1, {});
    numbers_.clear();
    releasing_.clear();
}

void StreamRaces::begin(const StreamOrder::Operation& operation, std::uint32_t era, int module) {
    if (era != era_ || accesses_.size() > kMostKept || states_.size() > kMostKept) forget();
    era_ = era;
    now_ = operation;
    module_ = module;
    ids_.clear();
    steps_.clear();
    conflicts_.clear();
}

StreamRaces::Shadow& StreamRaces::shadow_of(std::uint64_t array, std::uint64_t bytes) {
    Shadow& shadow = shadows_[array];
    if (shadow.states.empty()) {
        shadow.bytes = bytes;
        shadow.states.resize((bytes + 3) / 4);
    }
    return shadow;
}

void StreamRaces::refine(Shadow& shadow) {
    if (shadow.shift == 0) return;
    std::vector<State> narrow(shadow.states.size() * 4);
    for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = shadow.states[i / 4];
    shadow.states = std::move(narrow);
    shadow.shift = 0;
}

StreamRaces::AccessId StreamRaces::add(const StreamAccess& access) {
    accesses_.push_back(access);
    return static_cast<AccessId>(accesses_.size() - 1);
}

StreamRaces::AccessId StreamRaces::of_record(Record record, bool is_read, const LaunchOrder& order, bool is_early) {
    const bool is_shown = order.is_shown(time_of(record), thread_of(record));
    const unsigned how = (is_read ? 1u : 0u) | (is_early ? 2u : 0u) | (is_shown ? 4u : 0u);
    AccessId& id = ids_[(record & kInstruction) | Record{how} << kLaneAt];
    if (id != 0) return id;
    StreamAccess access;
    access.operation = now_.number;
    access.line = now_.line;
    access.kind = is_read ? AccessKind::read : record & kAtomic ? AccessKind::atomic : AccessKind::write;
    access.is_strong = record & kStrong;
    access.is_released = global_races::is_released(record);
    access.is_shown = is_shown;
    access.is_early = is_early;
    access.bytes = 1 << ((record & kSize) >> kSizeAt);
    access.module = module_;
    access.pc = static_cast<std::uint32_t>(record >> kPcAt) & GlobalRaces::kMaxPc;
    if (access.is_released) releasing_[now_.number] = now_;
    return id = add(access);
}

StreamRaces::State StreamRaces::state_of(std::vector<AccessId> accesses) {
    std::sort(accesses.begin(), accesses.end());
    accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
    const auto [found, is_new] = numbers_.try_emplace(accesses, static_cast<State>(states_.size()));
    if (is_new) states_.push_back(std::move(accesses));
    return found->second;
}

const StreamRaces::Step& StreamRaces::step(const From& from) {
    const auto [found, is_new] = steps_.try_emplace(from);
    Step& out = found->second;
    if (!is_new) return out;
    std::vector<AccessId> next;
    for (const AccessId other : states_[from.state]) {
        const StreamAccess& before = accesses_[other];
        const bool is_ordered = before.operation == now_.number || now_.comes_after(before.operation, before.line) ||
                                (before.is_shown && before.operation == now_.primary);
        bool is_covered = false;
        for (const AccessId id : {from.write, from.read}) {
            if (id == 0) continue;
            const StreamAccess& mine = accesses_[id];
            if (!is_ordered && conflict_in_kind(mine, before)) out.conflicts.emplace_back(id, other);
            is_covered |= is_ordered && covers(mine, before);
        }
        if (!is_covered) next.push_back(other);
    }
    for (const AccessId id : {from.write, from.read})
        if (id != 0) next.push_back(id);
    out.next = now_.number == 0 ? from.state : state_of(std::move(next));
    return out;
}

void StreamRaces::conflict(std::uint64_t array, std::uint64_t offset, AccessId mine, AccessId other) {
    StreamConflict& c = conflicts_[{array, mine, other}];
    if (c.cells++ == 0) {
        c.array = array;
        c.mine = accesses_[mine];
        c.other = accesses_[other];
        c.offset = offset;
    }
}

void StreamRaces::note_write(Shadow& shadow) const {
    if (shadow.writes.size() <= now_.line) shadow.writes.resize(now_.line + 1);
    shadow.writes[now_.line] = now_.number;
}

void StreamRaces::access(std::uint64_t array, std::uint64_t array_bytes, std::uint64_t first, std::uint64_t bytes,
                         bool writes) {
    if (bytes == 0 || (now_.number == 0 && !shadows_.contains(array))) return;
    Shadow& shadow = shadow_of(array, array_bytes);
    const bool is_whole = first % 4 == 0 && (bytes % 4 == 0 || first + bytes == array_bytes);
    if (!is_whole) refine(shadow);
    AccessId& id = ids_[writes ? 1 : 0];
    if (id == 0) {
        StreamAccess access;
        access.operation = now_.number;
        access.line = now_.line;
        access.kind = writes ? AccessKind::write : AccessKind::read;
        access.is_beside = is_beside_;
        id = add(access);
    }
    access_cells(array, shadow, first, bytes, writes ? From{0, id, 0} : From{0, 0, id});
    if (writes && now_.number != 0) note_write(shadow);
}

void StreamRaces::take_early(std::uint64_t array, std::uint64_t array_bytes, const EarlyAccess& early,
                             const LaunchOrder& order) {
    Shadow& shadow = shadow_of(array, array_bytes);
    if ((early.first | early.bytes) % 4 != 0) refine(shadow);
    const AccessId id = of_record(early.record, early.is_read, order, true);
    access_cells(array, shadow, early.first, early.bytes, early.is_read ? From{0, 0, id} : From{0, id, 0});
    if (!early.is_read && is_plain(accesses_[id])) note_write(shadow);
}

void StreamRaces::has_waited() {
    now_.before = now_.once_waited;
    steps_.clear();
}

void StreamRaces::access_cells(std::uint64_t array, Shadow& shadow, std::uint64_t first, std::uint64_t bytes,
                               From from) {
    const Step* step_there = nullptr;
    const std::uint64_t end = first + bytes;
    for (std::uint64_t cell = first >> shadow.shift; cell << shadow.shift < end; ++cell) {
        State& state = shadow.states[cell];
        if (!step_there || from.state != state) {
            from.state = state;
            step_there = &step(from);
        }
        state = step_there->next;
        for (const auto& [mine, other] : step_there->conflicts) conflict(array, cell << shadow.shift, mine, other);
    }
}

bool StreamRaces::wants_bytes_before(std::uint64_t array) const {
    const auto found = shadows_.find(array);
    if (found == shadows_.end()) return false;
    const StreamOrder::Before& writes = found->second.writes;
    for (std::uint32_t line = 0; line < writes.size(); ++line)
        if (writes[line] != 0 && !now_.comes_after(writes[line], line)) return true;
    return false;
}

namespace {

// f(cell of the states, write's record or 0, read's record or 0) for each cell that the kernel has used.
template <class F>
void for_each_used(const KernelRecords& kernel, std::size_t cells, int shift, F f) {
    const Record floor = Record{kernel.order.first()} << kTimeAt;
    const Record* writes = kernel.shadow.writes.records();
    const Record* reads = kernel.shadow.reads.records();
    const int to_used = kernel.shadow.cell_shift - shift;
    const auto visit = [&](std::size_t first, std::size_t end) {
        for (std::size_t cell = first; cell < end; ++cell) {
            const std::size_t at = cell >> to_used;
            const Record write = writes && writes[at] >= floor ? writes[at] : 0;
            const Record read = reads && reads[at] >= floor ? reads[at] : 0;
            if ((write | read) != 0) f(cell, write, read);
        }
    };
    const std::uint16_t* const touched = kernel.touched;
    const std::uint16_t launch = kernel.launch;
    if (!touched) return visit(0, cells);
    constexpr std::size_t kBlock = 128;  // sectors, looked at together: a kernel may use little of a large array
    const int to_sector = 5 - shift;
    const std::size_t sectors = ((cells - 1) >> to_sector) + 1;
    for (std::size_t block = 0; block < sectors; block += kBlock) {
        const std::size_t end = std::min(block + kBlock, sectors);
        unsigned any = 0;
        for (std::size_t s = block; s < end; ++s) any |= touched[s] == launch ? 1u : 0u;
        for (std::size_t s = block; any != 0 && s < end; ++s)
            if (touched[s] == launch) visit(s << to_sector, std::min((s + 1) << to_sector, cells));
    }
}

bool is_of_last_launch(const KernelRecords& kernel) {
    return kernel.shadow.generation == kernel.order.generation() && kernel.shadow.first_time == kernel.order.first();
}

}  // namespace

std::vector<StreamOrder::Operation> StreamRaces::learn(std::uint64_t array, const KernelRecords& kernel) {
    const auto found = shadows_.find(array);
    if (found == shadows_.end() || !found->second.has_releases || !is_of_last_launch(kernel)) return {};
    Shadow& shadow = found->second;
    if (kernel.shadow.cell_shift < shadow.shift) refine(shadow);
    std::map<StreamOrder::Number, StreamOrder::Operation> seen;
    for_each_used(kernel, shadow.states.size(), shadow.shift, [&](std::size_t cell, Record write, Record read) {
        if (((write & kAtomic) | (read & kStrong)) == 0) return;
        for (const AccessId id : states_[shadow.states[cell]]) {
            const StreamAccess& other = accesses_[id];
            if (other.is_released && !now_.comes_after(other.operation, other.line))
                seen[other.operation] = releasing_[other.operation];
        }
    });
    std::vector<StreamOrder::Operation> out;
    for (const auto& [number, operation] : seen) {
        StreamOrder::join(now_.before, operation);
        out.push_back(operation);
    }
    return out;
}

void StreamRaces::take(std::uint64_t array, const KernelRecords& kernel, const std::uint8_t* now,
                       const std::uint8_t* before) {
    if (!is_of_last_launch(kernel) || kernel.shadow.bytes == 0) return;
    Shadow& shadow = shadow_of(array, kernel.shadow.bytes);
    if (kernel.shadow.cell_shift < shadow.shift) refine(shadow);
    const std::size_t cell_bytes = std::size_t{1} << shadow.shift;
    const auto is_as_before = [&](std::size_t offset) {
        return before && std::memcmp(now + offset, before + offset, std::min(cell_bytes, shadow.bytes - offset)) == 0;
    };
    // Neighbouring cells mostly are in one state, and accessed by one instruction.
    const Record differs = kernel.order.shows() ? ~Record{0} : kInstruction;
    Record last_write = 0, last_read = 0;
    From from;
    const Step* step_there = nullptr;
    bool has_plain_write = false;
    for_each_used(kernel, shadow.states.size(), shadow.shift, [&](std::size_t cell, Record write, Record read) {
        State& state = shadow.states[cell];
        const bool is_same = ((write ^ last_write) & differs) == 0 && ((read ^ last_read) & differs) == 0 &&
                             (write != 0) == (last_write != 0) && (read != 0) == (last_read != 0);
        if (!step_there || !is_same || from.state != state) {
            last_write = write;
            last_read = read;
            from = {state, write != 0 ? of_record(write, false, kernel.order) : 0, 0};
            const bool is_covered = from.write != 0 && is_plain(accesses_[from.write]);
            if (read != 0 && !is_covered) from.read = of_record(read, true, kernel.order);
            has_plain_write |= is_covered;
            shadow.has_releases |= from.write != 0 && accesses_[from.write].is_released;
            step_there = &step(from);
        }
        state = step_there->next;
        const std::size_t offset = cell << shadow.shift;
        for (const auto& [mine, other] : step_there->conflicts) {
            const bool is_forgiven = read == 0 && both_store(accesses_[mine], accesses_[other]) && is_as_before(offset);
            if (!is_forgiven) conflict(array, offset, mine, other);
        }
    });
    if (has_plain_write) note_write(shadow);
}

std::vector<StreamConflict> StreamRaces::take_conflicts() {
    std::vector<StreamConflict> out;
    for (const auto& [whose, conflict] : conflicts_) out.push_back(conflict);
    conflicts_.clear();
    return out;
}

}  // namespace vgpu
