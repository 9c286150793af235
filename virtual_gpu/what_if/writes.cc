#include "virtual_gpu/what_if/writes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/report/names.h"

namespace vgpu::what_if {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;  // of an array whose writers are kept
constexpr std::uint64_t kMostThreads = 1 << 18;               // whose reads are
constexpr std::size_t kMostMoves = 1000;                      // different calls that copy or fill
constexpr std::size_t kMostName = 100;
constexpr std::size_t kMostSources = 1 << 18;  // writes of which it is known what they were made from

std::uint64_t bits_of(const std::uint8_t* from, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, std::min<std::size_t>(bytes, sizeof value));
    return value;
}

}  // namespace

// ---- What is watched ----

void Writes::want(const Rules& rules) {
    std::string wanted;
    for (const Watch& watch : rules.watched) {
        wanted += watch.array;
        for (const auto& [at, bytes] : watch.elements) wanted += ' ' + std::to_string(at) + '+' + std::to_string(bytes);
        wanted += ';';
    }
    if (rules.watch_unread) wanted += "unread";
    if (wanted == wanted_) return;
    wanted_ = wanted;
    counts_unread_ = rules.watch_unread;
    targets_.clear();
    for (const Watch& watch : rules.watched)
        for (const auto& [at, bytes] : watch.elements) {
            Target& target = targets_.emplace_back();
            target.array = watch.array;
            target.at = at;
            target.bytes = bytes;
        }
    begin_call();
}

void Writes::labelled(const Allocation& a) {
    unread_.labelled(a);
    for (Target& target : targets_) {
        if (target.array != a.label) continue;
        const bool is_inside = target.at < a.array_bytes() && target.bytes <= a.array_bytes() - target.at;
        target.base = a.base;
        target.number = is_inside ? a.number : 0;
        target.offset = a.first - a.base + target.at;
    }
}

void Writes::begin_call() {
    for (Target& target : targets_) {
        target.count = 0;
        target.first.clear();
        target.last.clear();
        target.reads = {};
        target.is_told = true;
        target.told.clear();
    }
    places_.assign(1, {});
    numbers_.clear();
    moves_.clear();
    launches_.clear();
    launched_ = 0;
    shadows_.clear();
    blocks_.clear();
    sources_.clear();
    threads_ = 0;
    unread_.begin_call();
}

void Writes::enter(Run* run) {
    if (run == nullptr) tell_reads();
    run_ = run;
    blocks_.clear();
    threads_ = 0;
    if (run == nullptr) return;
    const Grid& grid = run->grid;
    if (grid.parent < 0) ++launched_;
    Launched& launched = launches_.emplace_back(Launched{demangled(grid.launch.kernel), launched_, {}});
    launched.launch.grid = grid.launch.grid;
    launched.launch.block = grid.launch.block;
}

// ---- Who wrote last ----

void Writes::Shadow::set(std::uint64_t at, std::uint64_t bytes, std::uint64_t of, const Mark& mark) {
    if (marks.empty()) marks.resize(of / step + 1);
    if (step != 1 && (at % step != 0 || bytes % step != 0)) {  // elements of one byte or two
        std::vector<Mark> finer(of + step);
        for (std::size_t n = 0; n < finer.size() && n / step < marks.size(); ++n) finer[n] = marks[n / step];
        marks = std::move(finer);
        step = 1;
    }
    const std::uint64_t end = std::min<std::uint64_t>((at + bytes) / step, marks.size());
    for (std::uint64_t n = at / step; n < end; ++n) marks[n] = mark;
}

Writes::Shadow* Writes::shadow_of(const Allocation& a) { return a.bytes <= kMostBytes ? &shadows_[a.number] : nullptr; }

// Memory that the host has, too, may be written without a call.
Writes::Mark Writes::mark_of(const Allocation& a, std::uint64_t offset) {
    Mark unknown;
    unknown.is_unknown = true;
    if (a.mapped != 0 || a.is_foreign || a.base >= kVariablesFirst || a.bytes > kMostBytes) return unknown;
    const auto found = shadows_.find(a.number);
    return found == shadows_.end() ? Mark{} : found->second.of(offset);
}

std::uint32_t Writes::number_of(const Warp& w, const Instr* i) {
    const std::uint32_t pc = w.function->count_base + i->source;
    const auto [found, is_new] = numbers_.try_emplace({&w.run->module, pc}, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.push_back({&w.run->module, pc, false, {}});
    return found->second;
}

Writes::Mark Writes::mark_of(const Warp& w, const Instr* i, bool is_atomic) {
    Mark mark;
    mark.place = number_of(w, i);
    mark.launch = static_cast<std::uint32_t>(launches_.size()) - 1;
    mark.block = static_cast<std::uint32_t>(w.block->linear);
    mark.is_atomic = is_atomic;
    return mark;
}

void Writes::set_thread(Mark& mark, int thread, const Reads* reads) {
    mark.thread = static_cast<std::uint16_t>(thread);
    mark.from = 0;
    if (reads == nullptr || reads->count == 0 || sources_.size() == kMostSources) return;
    Sources& from = sources_.emplace_back();
    from.count = reads->count;
    from.launch = mark.launch;
    const std::vector<Read> all = reads->in_order();
    const std::size_t kept = std::min(all.size(), kSources);  // the last ones
    std::copy(all.end() - static_cast<std::ptrdiff_t>(kept), all.end(), from.some.begin());
    mark.from = static_cast<std::uint32_t>(sources_.size());
}

void Writes::write(Allocation& a, std::uint64_t offset, std::uint64_t bytes, const Mark& mark, const void* values,
                   Reads* reads) {
    for (Target& target : targets_)
        if (target.number == a.number && target.offset < offset + bytes && offset < target.offset + target.bytes)
            note(target, mark, a, offset, bytes, values, reads);
    if (Shadow* shadow = shadow_of(a)) shadow->set(offset, bytes, a.bytes, mark);
}

// `values`: what will be there; nullptr: it is there already.
void Writes::note(Target& target, const Mark& mark, const Allocation& a, std::uint64_t offset, std::uint64_t bytes,
                  const void* values, Reads* reads) {
    std::uint8_t now[16] = {};
    const std::uint64_t size = std::min<std::uint64_t>(target.bytes, sizeof now);
    std::memcpy(now, a.data + target.offset, size);
    for (std::uint64_t b = 0; b < size && values != nullptr; ++b)
        if (const std::uint64_t at = target.offset + b; at >= offset && at < offset + bytes)
            now[b] = static_cast<const std::uint8_t*>(values)[at - offset];
    ++target.count;
    if (target.first.size() < kFirst) {
        target.first.push_back({mark, bits_of(now, size)});
    } else {
        if (target.last.size() == kLast) target.last.erase(target.last.begin());
        target.last.push_back({mark, bits_of(now, size)});
    }
    target.reads = reads != nullptr ? *reads : Reads{};
    target.is_told = false;
    target.told.clear();
}

// ---- Accesses of kernels ----

Writes::OfBlock& Writes::of(const Warp& w) {
    OfBlock& block = blocks_[w.block];
    if (block.linear != w.block->linear) {  // another block in its place
        for (const auto& thread : block.threads) threads_ -= thread ? 1 : 0;
        block = {};
        block.linear = w.block->linear;
        block.threads.resize(w.block->warps.size() * kLanes);
    }
    return block;
}

Writes::Reads* Writes::reads_of(OfBlock& block, std::size_t thread) {
    std::unique_ptr<Reads>& reads = block.threads[thread];
    if (!reads) {
        if (threads_ == kMostThreads) return nullptr;
        ++threads_;
        reads = std::make_unique<Reads>();
    }
    return reads.get();
}

void Writes::Reads::add(const Read& read) {
    const std::uint64_t at = count < kFirstReads ? count : kFirstReads + (count - kFirstReads) % kLastReads;
    some[at] = read;
    ++count;
}

std::vector<Writes::Read> Writes::Reads::in_order() const {
    const std::uint64_t kept = std::min<std::uint64_t>(count, some.size());
    std::vector<Read> out(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(kept));
    if (count > some.size())
        std::rotate(out.begin() + kFirstReads,
                    out.begin() + kFirstReads + static_cast<std::ptrdiff_t>((count - kFirstReads) % kLastReads),
                    out.end());
    return out;
}

// Each part of a vector by itself.
void Writes::read(Reads& reads, Read one, const std::uint8_t* value, const Request& r,
                  const std::function<Mark(std::uint64_t)>& writer_at) {
    const int part = r.element_bytes != 0 ? r.element_bytes : r.bytes;
    const std::uint64_t first = one.at;
    for (int b = 0; b < r.bytes; b += part) {
        one.at = first + static_cast<std::uint64_t>(b);
        one.value = bits_of(value + b, static_cast<std::size_t>(part));
        one.bytes = static_cast<std::uint8_t>(std::min(part, 8));
        one.writer = writer_at(one.at);
        reads.add(one);
    }
}

void Writes::global(const Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r, Allocation* one) {
    if (counts_unread_) unread_.global(w, i, mask, l.address, r, one);
    if (r.use >= Use::atomic || targets_.empty()) return;  // see atomic()
    const auto bytes = static_cast<std::size_t>(r.bytes);
    OfBlock& block = of(w);
    Mark mark = mark_of(w, i, false);
    for (int lane : lanes(mask)) {
        Allocation* a = one ? one : w.run->memory.find(l.address[lane]);
        const std::size_t skipped = static_cast<std::size_t>(lane) * bytes;
        const int thread = w.number * kLanes + lane;
        Reads* reads = reads_of(block, static_cast<std::size_t>(thread));
        if (r.use == Use::read) {
            if (reads == nullptr) continue;
            Read access;
            access.at = l.address[lane];
            access.place = mark.place;
            read(*reads, access, l.at(lane, bytes), r, [&](std::uint64_t at) { return mark_of(*a, at - a->base); });
            continue;
        }
        set_thread(mark, thread, reads);
        write(*a, l.address[lane] - a->base, bytes, mark,
              r.values ? static_cast<const std::uint8_t*>(r.values) + skipped : nullptr, reads);
        if (reads != nullptr) reads->count = 0;
    }
}

void Writes::shared(const Warp& w, const Instr* i, Mask mask, const std::uint32_t* offset, const Lanes& l,
                    const Request& r) {
    if (r.use >= Use::atomic || targets_.empty()) return;
    const auto bytes = static_cast<std::size_t>(r.bytes);
    OfBlock& block = of(w);
    Mark mark = mark_of(w, i, false);
    for (int lane : lanes(mask)) {
        const int thread = w.number * kLanes + lane;
        Reads* reads = reads_of(block, static_cast<std::size_t>(thread));
        if (r.use == Use::write) {
            set_thread(mark, thread, reads);
            block.shared.set(offset[lane], bytes, w.block->shared.size(), mark);
            if (reads != nullptr) reads->count = 0;
        } else if (reads != nullptr) {
            Read access;
            access.at = offset[lane];
            access.place = mark.place;
            access.is_shared = true;
            read(*reads, access, l.at(lane, bytes), r, [&](std::uint64_t at) { return block.shared.of(at); });
        }
    }
}

void Writes::atomic(const Warp& w, const Instr* i, int lane, DevicePtr address, const std::uint8_t* at, const void* old,
                    const void* now, std::size_t bytes, bool writes) {
    const std::vector<std::uint8_t>& memory = w.block->shared;
    const bool is_shared = at >= memory.data() && at < memory.data() + memory.size();
    Allocation* a = is_shared ? nullptr : w.run->memory.find(address);
    if (!is_shared && a == nullptr) return;
    const auto offset = static_cast<std::uint64_t>(at - (is_shared ? memory.data() : a->data));
    writes = writes || std::memcmp(old, now, bytes) != 0;
    if (counts_unread_ && a != nullptr) unread_.atomic(w, i, *a, offset, now, bytes, writes);
    if (targets_.empty()) return;
    OfBlock& block = of(w);
    Mark mark = mark_of(w, i, true);
    const int thread = w.number * kLanes + lane;
    Reads* reads = reads_of(block, static_cast<std::size_t>(thread));
    if (reads != nullptr) {
        Read one;
        one.at = is_shared ? offset : a->base + offset;
        one.value = bits_of(static_cast<const std::uint8_t*>(old), bytes);
        one.place = mark.place;
        one.bytes = static_cast<std::uint8_t>(std::min<std::size_t>(bytes, 8));
        one.is_shared = is_shared;
        one.is_atomic = true;
        one.writer = is_shared ? block.shared.of(offset) : mark_of(*a, offset);
        reads->add(one);
    }
    if (!writes) return;
    set_thread(mark, thread, reads);
    if (is_shared)
        block.shared.set(offset, bytes, memory.size(), mark);
    else
        write(*a, offset, bytes, mark, now, reads);
    if (reads != nullptr) reads->count = 0;
}

// ---- Copies and fills ----

Writes::Mark Writes::mark_of_move(Known&& known) {
    known.by_host.name.resize(std::min(known.by_host.name.size(), kMostName));
    const auto is_same = [&](const Known& other) {
        return other.module == known.module && other.pc == known.pc && other.by_host.name == known.by_host.name &&
               other.by_host.place == known.by_host.place;
    };
    Mark mark;
    auto found = std::ranges::find_if(moves_, [&](std::uint32_t n) { return is_same(places_[n]); });
    if (found == moves_.end() && moves_.size() == kMostMoves) {
        mark.is_unknown = true;
        return mark;
    }
    if (found == moves_.end()) {
        found = moves_.insert(moves_.end(), static_cast<std::uint32_t>(places_.size()));
        places_.push_back(std::move(known));
    }
    mark.place = *found;
    return mark;
}

void Writes::move(Memory& memory, const Moved& moved, const Mark& mark, const std::string& from_name) {
    Allocation* to = memory.find(moved.to);
    if (to == nullptr || moved.to < to->base || moved.bytes > to->bytes) return;
    const std::uint64_t offset = moved.to - to->base;
    const Allocation* from = moved.from != 0 ? memory.find(moved.from) : nullptr;
    std::vector<std::pair<Target*, ValueRead>> copied;
    for (Target& target : targets_) {
        if (from == nullptr || target.number != to->number || target.offset < offset ||
            target.offset - offset >= moved.bytes)
            continue;
        ValueRead read;
        const DevicePtr at = moved.from + (target.offset - offset);
        read.space = "global";
        read.access = "read";
        read.array = from_name;
        read.bytes = static_cast<int>(std::min<std::uint64_t>(target.bytes, 8));
        read.index = static_cast<std::int64_t>(at - from->first) / read.bytes;
        read.writer = writer_of(mark_of(*from, at - from->base));
        copied.emplace_back(&target, std::move(read));
    }
    write(*to, offset, moved.bytes, mark, nullptr, nullptr);
    for (auto& [target, read] : copied) {
        read.value = (target->last.empty() ? target->first : target->last).back().value;
        target->told = {std::move(read)};
        target->is_told = true;
    }
}

void Writes::moved(Memory& memory, const Moved& moved) {
    if (counts_unread_) unread_.moved(memory, moved);
    const Allocation* from = moved.from != 0 ? memory.find(moved.from) : nullptr;
    move(memory, moved, mark_of_move({nullptr, 0, true, moved}), from != nullptr ? from->label : "");
}

void Writes::moved_by_kernel(Run& run, const Moved& moved) {
    if (counts_unread_) unread_.moved(run.memory, moved);
    const Allocation* from = moved.from != 0 ? run.memory.find(moved.from) : nullptr;
    const std::uint32_t pc = run.grid.launched_in->count_base + run.grid.launched_at;
    move(run.memory, moved, mark_of_move({&run.module, pc, true, moved}), from != nullptr ? from->label : "");
}

// ---- What is told ----

// While the grid's arrays have their names. Of an earlier launch, those of shared memory are gone.
ValueRead Writes::told(const Read& read, std::uint32_t launch) const {
    Reporter& reporter = run_->reporter;
    ValueRead out;
    out.space = read.is_shared ? "shared" : "global";
    out.access = read.is_atomic ? "atomic" : "read";
    out.bytes = read.bytes;
    out.value = read.value;
    if (read.is_shared && launch + 1 == launches_.size()) {
        const Reporter::Element named = reporter.shared_element(static_cast<std::uint32_t>(read.at), read.bytes);
        out.array = named.array;
        out.element = named.text;
        out.index = named.index;
    } else if (const Allocation* a = read.is_shared ? nullptr : run_->memory.find(read.at)) {
        const Reporter::Element named = reporter.global_element(*a, read.at, read.bytes);
        out.array = named.array;
        out.element = named.text;
        out.index = named.index;
    }
    out.place = place_of(places_[read.place]);
    out.writer = writer_of(read.writer);
    return out;
}

void Writes::tell_reads() {
    for (Target& target : targets_) {
        if (std::exchange(target.is_told, true) || run_ == nullptr) continue;
        for (const Read& read : target.reads.in_order()) {
            ValueRead& one = target.told.emplace_back(told(read, static_cast<std::uint32_t>(launches_.size()) - 1));
            if (read.writer.from == 0) continue;
            const Sources& from = sources_[read.writer.from - 1];
            one.read_count = from.count;
            for (std::size_t n = 0; n < std::min<std::uint64_t>(from.count, kSources); ++n)
                if (ValueRead deeper = told(from.some[n], from.launch); !deeper.array.empty())
                    one.reads.push_back(std::move(deeper));
        }
    }
}

SourcePlace Writes::place_of(const Known& known) const {
    if (known.module == nullptr) return {known.by_host.place, 0, ""};  // the session knows what it stands for
    const Reporter reporter(*known.module);
    return reporter.source(reporter.place_of(known.pc));
}

Writer Writes::writer_of(const Mark& mark) const {
    Writer out;
    if (mark.is_unknown) out.by = "unknown";
    if (mark.place == 0) return out;
    const Known& known = places_[mark.place];
    out.place = place_of(known);
    if (known.is_copy) {
        out.by = known.module == nullptr ? "host" : "device";
        out.access = known.by_host.is_fill ? "fill" : "copy";
        out.name = known.by_host.name;
        return out;
    }
    const Launched& launched = launches_[mark.launch];
    out.by = "thread";
    out.access = mark.is_atomic ? "atomic" : "write";
    out.name = launched.kernel;
    out.launch = launched.number;
    out.who = Reporter::thread_name(launched.launch, mark.block, mark.thread);
    return out;
}

std::vector<Unread> Writes::take_unread(const Memory& memory) {
    return counts_unread_ ? unread_.take(memory) : std::vector<Unread>();
}

std::vector<Watched> Writes::take(const Memory& memory) {
    std::vector<Watched> out;
    for (const Target& target : targets_) {
        const Allocation* a = target.number != 0 ? memory.find(target.base) : nullptr;
        if (a == nullptr || a->number != target.number || a->freed) continue;
        Watched& watched = out.emplace_back();
        watched.array = target.array;
        watched.at = target.at;
        watched.bytes = target.bytes;
        watched.count = target.count;
        watched.read_count = std::max<std::uint64_t>(target.reads.count, target.told.size());
        watched.reads = target.told;
        for (const auto* some : {&target.first, &target.last})
            for (const Write& one : *some) watched.writes.push_back({writer_of(one.mark), one.value});
    }
    begin_call();
    return out;
}

}  // namespace vgpu::what_if
