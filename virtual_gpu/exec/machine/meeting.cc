#include "virtual_gpu/exec/machine/meeting.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

struct LaneOperand {
    Column column = kNone;
    int bytes = 0;  // of a lane; 0: a predicate
};

// a, b, c, the member masks of a shuffle; then what is written: d and the second result.
constexpr int kSources = 4, kOperands = 6;
std::array<LaneOperand, kOperands> operands_of(const Function& f, const Instr* i) {
    const Passing& p = f.passing_of(i);
    const bool is_shuffle = p.rule == Rule::shuffle;
    return {LaneOperand{i->a, p.a},
            {i->b, p.b},
            {i->c, p.c},
            {is_shuffle ? static_cast<Column>(i->imm) : kNone, 4},
            {i->d, p.d},
            {i->aux, 0}};
}

void copy_lanes(std::uint8_t* to, const std::uint8_t* from, int bytes, Mask mask) {
    if (bytes == 0) {
        Mask a, b;
        std::memcpy(&a, to, sizeof a);
        std::memcpy(&b, from, sizeof b);
        a = (a & ~mask) | (b & mask);
        std::memcpy(to, &a, sizeof a);
        return;
    }
    const auto size = static_cast<std::size_t>(bytes);
    for (int l : lanes(mask)) {
        const std::size_t at = static_cast<std::size_t>(l) * size;
        std::memcpy(to + at, from + at, size);
    }
}

// The undefined bits of a register, from one frame to another.
void copy_undefined(Frame& to, Column to_column, const Frame& from, Column column, int bytes, Mask mask) {
    if (!from.shadow || !from.shadow->any(column)) {
        if (to.shadow) to.shadow->define(to_column, bytes, mask);
        return;
    }
    if (!to.shadow) to.shadow = std::make_unique<Shadow>(*to.function);
    std::uint64_t bits[32];
    OriginId origin[32];
    from.shadow->get(column, bytes, bits);
    std::copy_n(from.shadow->origins(column), kLanes, origin);
    to.shadow->put(to_column, bytes, mask, bits, origin);
}

// A frame of its own for one operation: its registers are the operands of several fragments.
class Meeting {
  public:
    Meeting(Warp& w, const Instr* i) : w_(w), home_(*w.function) {
        const auto operands = operands_of(home_, i);
        Instr joint = *i;
        Column* const fields[] = {&joint.a, &joint.b, &joint.c, nullptr, &joint.d, &joint.aux};
        for (std::size_t k = 0; k < kOperands; ++k) {
            if (operands[k].column == kNone) continue;
            at_[k] = static_cast<Column>(128 + k * 256);
            if (fields[k] != nullptr)
                *fields[k] = at_[k];
            else
                joint.imm = at_[k];
        }
        joint.guard = kNoColumn;
        function_.name = home_.name;
        function_.source = home_.source;
        function_.count_base = home_.count_base;
        function_.register_bytes = 128 + kOperands * 256;
        function_.code = {joint, joint};
        function_.passing = {home_.passing_of(i), home_.passing_of(i)};
        frame_.prepare(function_);
    }

    void bring(const Frame& from, const Instr* i, Mask mask) {
        const auto operands = operands_of(*from.function, i);
        for (std::size_t k = 0; k < kSources; ++k) {
            const auto& [column, bytes] = operands[k];
            if (column == kNone) continue;
            const std::uint8_t* base = (column & kConstantBit) != 0 ? w_.base[1] : from.registers;
            copy_lanes(frame_.registers + at_[k], base + (column & ~kConstantBit), bytes, mask);
            copy_undefined(frame_, at_[k], from, column, bytes, mask);
        }
    }

    // Of each lane in `mask`, the lane whose value it gets by a shuffle.
    std::array<std::uint32_t, kLanes> sources(Mask mask) {
        std::uint8_t kept[kLanes * 4];
        std::uint8_t* const values = frame_.registers + at_[0];
        std::memcpy(kept, values, sizeof kept);
        std::array<std::uint32_t, kLanes> out;
        std::iota(out.begin(), out.end(), 0);
        std::memcpy(values, out.data(), sizeof kept);
        execute(mask);
        std::memcpy(out.data(), frame_.registers + at_[kSources], sizeof kept);
        std::memcpy(values, kept, sizeof kept);
        return out;
    }

    void execute(Mask mask) {
        const auto frame = w_.frame;
        const auto function = w_.function;
        const auto shadow = w_.shadow;
        const auto ready = w_.ready;
        const auto limit = w_.limit;
        std::uint8_t* const base = w_.base[0];
        w_.frame = &frame_;
        w_.function = &function_;
        w_.base[0] = frame_.registers;
        w_.ready = frame_.ready;
        w_.shadow = frame_.shadow.get();
        const Instr* i = function_.code.data();
        i->run(i, w_, mask);
        w_.frame = frame;
        w_.function = function;
        w_.base[0] = base;
        w_.ready = ready;
        w_.shadow = shadow;
        w_.limit = limit;
    }

    void take(Frame& to, const Instr* i, Mask mask) {
        const auto operands = operands_of(*to.function, i);
        for (std::size_t k = kSources; k < kOperands; ++k) {
            const auto& [column, bytes] = operands[k];
            if (column == kNone) continue;
            copy_lanes(to.registers + column, frame_.registers + at_[k], bytes, mask);
            copy_undefined(to, column, frame_, at_[k], bytes, mask);
            if (w_.run->counting) to.ready[column >> 6] = w_.now + w_.run->setup.latency[kShuffle];
        }
    }

  private:
    Warp& w_;
    const Function& home_;
    Function function_;
    Frame frame_;
    std::array<Column, kOperands> at_{};
};

// wmma and mma.sync are done together only where all lanes stand at one instruction.
bool same_operation(const Fragment& f, const Instr* i) {
    return f.ip->run == i->run && f.ip->small == i->small && !ptx::is_one_of(i->opcode, {Opcode::wmma, Opcode::mma});
}

std::string name_of(Place at) { return name_of_sync(at.function->source->body[at.source]); }

std::string threads_of(const Warp& w, Mask m) {
    const int low = w.number * kLanes + first_lane(m), high = w.number * kLanes + 31 - std::countl_zero(m);
    const Reporter& r = w.run->reporter;
    const auto name = [&](int t) { return r.thread_number(static_cast<std::uint64_t>(t)); };
    if (low == high) return "thread " + name(low);
    const bool all_between = std::popcount(m) == high - low + 1;
    return counted(static_cast<unsigned>(std::popcount(m)), "thread") + (all_between ? " (" : " (among ") + name(low) +
           ".." + name(high) + ")";
}

// Not where the compiler has copied one call: both parts of an unrolled loop have the same line.
bool is_same_call(const Reporter& r, const Frame* a, Place here, const Frame* b, Place there) {
    for (;; a = a->parent, b = b->parent) {
        if (r.location(here) != r.location(there)) return false;
        if (a == b || a->parent == nullptr || b->parent == nullptr) return a->parent == b->parent;
        here = {a->parent->function, (a->return_to - 1)->source};
        there = {b->parent->function, (b->return_to - 1)->source};
    }
}

struct Call {
    const Frame* frame = nullptr;
    const Instr* ip = nullptr;
    Mask mask = 0;
    Place place() const { return {frame->function, ip->source}; }
};

// If a lane of `to` gets a value from `from`, which is a call at another line.
void note_place(Warp& w, const Call& to, const Call& from) {
    Run& run = *w.run;
    const Place here = to.place(), there = from.place();
    Finding* f = nullptr;
    if (!run.reporter.add(Kind::shuffle_place, here, there, f)) return;
    f->is_note = true;
    f->thread = run.thread_index(static_cast<std::uint32_t>(w.number * kLanes + first_lane(to.mask)));
    f->other_thread = run.thread_index(static_cast<std::uint32_t>(w.number * kLanes + first_lane(from.mask)));
    f->block = f->other_block = w.block->index;
    const bool alone = std::has_single_bit(to.mask);
    f->what = threads_of(w, to.mask) + " of " + run.reporter.block_name(w.block->linear) +
              (alone ? " calls " : " call ") + name_of(here) + "() at " + run.reporter.at(here) +
              run.reporter.callers(here) + ", and " + (alone ? "gets" : "get") + " values of " +
              threads_of(w, from.mask) + " of the same warp, which call it at " + run.reporter.at(there) +
              run.reporter.callers(there);
    f->help =
        "the hardware joins calls of one function with one mask, even where lanes have left a loop before others or "
        "taken another branch";
}

void note_places(Warp& w, const std::vector<Call>& calls, Meeting& meeting, Mask all) {
    const Reporter& r = w.run->reporter;
    if (r.location(calls.front().place()).line <= 0) return;
    const bool is_shuffle = calls.front().frame->function->passing_of(calls.front().ip).rule == Rule::shuffle;
    const auto sources = is_shuffle ? meeting.sources(all) : std::array<std::uint32_t, kLanes>{};
    for (const Call& to : calls)
        for (const Call& from : calls) {
            bool gets = !is_shuffle;
            for (int l : lanes(to.mask)) gets |= (from.mask >> (sources[l] & 31) & 1) != 0;
            if (&to != &from && gets && !is_same_call(r, to.frame, to.place(), from.frame, from.place()))
                return note_place(w, to, from);
        }
}

// Executes the instruction together with the fragments that wait for it at others.
void execute_together(const Instr* i, Warp& w, Mask m, const std::vector<Fragment*>& others) {
    const bool counting = w.run->counting;
    Meeting meeting(w, i);
    meeting.bring(*w.frame, i, m);
    std::vector<Call> calls{{w.frame, i, m}};
    Mask all = m;
    for (const Fragment* f : others) {
        meeting.bring(*f->frame, f->ip, f->mask);
        calls.push_back({f->frame, f->ip, f->mask});
        all |= f->mask;
        w.now = std::max(w.now, f->now);
    }
    if (w.run->checking) note_places(w, calls, meeting, all);
    meeting.execute(all);
    meet_lanes(w, all);
    for (Fragment* f : others) {
        meeting.take(*f->frame, f->ip, f->mask);
        if (counting) {
            Hot& hot = w.run->tally.hot[f->frame->function->count_base + f->ip->source];
            ++hot.instructions;
            hot.lanes += static_cast<unsigned>(std::popcount(f->mask));
            ++w.spent.instructions;
        }
        f->now = w.now;
        f->state = State::ready;
        ++f->ip;
    }
    meeting.take(*w.frame, i, m);
    if (w.frame->shadow && w.frame->shadow->any()) w.begin_shadow();
}

// The masks with which a fragment's lanes call an operation.
void masks_of(const Warp& w, const Frame& frame, const Instr* i, Mask m, std::uint32_t (&out)[kLanes]) {
    const LaneOperand at = operands_of(*frame.function, i)[frame.function->passing_of(i).rule == Rule::shuffle ? 3 : 1];
    const std::uint8_t* base = (at.column & kConstantBit) != 0 ? w.base[1] : frame.registers;
    copy_lanes(reinterpret_cast<std::uint8_t*>(out), base + (at.column & ~kConstantBit), 4, m);
}

// The fragments that the lanes in `m` wait for, provided that all of them are at this operation and that each lane
// calls it with the same mask as the lanes named in its mask.
bool find_others(const Instr* i, Warp& w, Mask named, Mask m, std::vector<Fragment*>& out) {
    std::uint32_t masks[kLanes] = {};
    masks_of(w, *w.frame, i, m, masks);
    for (Mask missing = named & w.alive & ~m; missing != 0; missing = named & w.alive & ~m) {
        const auto f =
            std::ranges::find_if(w.fragments, [&](const Fragment& one) { return (one.mask & missing) != 0; });
        if (f == w.fragments.end() || f->state != State::at_sync || !same_operation(*f, i)) return false;
        masks_of(w, *f->frame, f->ip, f->mask, masks);
        m |= f->mask;
        named |= f->wants;
        out.push_back(&*f);
    }
    for (int l : lanes(m))
        for (int other : lanes(masks[l] & w.alive))
            if (masks[other] != masks[l]) return false;
    return true;
}

void check_members(const Instr* i, Warp& w, Mask m, const std::uint32_t* members) {
    Mask stranger = 0;
    for (int l : lanes(m)) stranger |= Mask{(members[l] >> l & 1) == 0} << l;
    if (stranger == 0) return;
    Run& run = *w.run;
    const auto thread = static_cast<std::uint32_t>(w.number * kLanes + first_lane(stranger));
    run.reporter.found(
        w, i, stranger, Kind::invalid_access,
        run.reporter.thread_name(*w.block, thread) + " calls a warp operation at " +
            run.reporter.at(run.reporter.place(w, i)) + " whose mask does not name it",
        "the mask of a *_sync function has to name every lane that calls it; an H200 stops such a kernel with "
        "cudaErrorIllegalInstruction");
}

bool waits_for_lanes(const Fragment& f) { return f.state == State::at_sync || f.state == State::at_warp_barrier; }

std::string hex(Mask m) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", m);
    return text;
}

}  // namespace

std::string name_of_sync(const ptx::Instruction& i) {
    switch (i.opcode) {
        case Opcode::elect:
            return "elect.sync";
        case Opcode::wmma:
            return i.has("load") ? "load_matrix_sync" : i.has("store") ? "store_matrix_sync" : "mma_sync";
        case Opcode::mma:
        case Opcode::ldmatrix:
        case Opcode::stmatrix:
        case Opcode::movmatrix:
            return std::string(i.name()) + ".sync";
        case Opcode::shfl:
        case Opcode::vote:
        case Opcode::match:
        case Opcode::redux:
            break;
        default:
            return "__syncwarp";
    }
    std::string mode;
    for (const std::string& m : i.modifiers)
        if (m != "sync" && m != "idx" && ptx::type_named(m) == ptx::Type::none) mode += "_" + (m == "bfly" ? "xor" : m);
    if (i.opcode == Opcode::vote) return "_" + mode + "_sync";
    return (i.opcode == Opcode::redux ? "__reduce" : "__" + std::string(i.name())) + mode + "_sync";
}

Place place_of_sync(const Fragment& f) {
    const Instr* i = f.state == State::at_warp_barrier ? f.ip - 1 : f.ip;
    return {f.frame->function, i->source};
}

std::string name_of_sync(const Fragment& f) { return name_of(place_of_sync(f)); }

bool report_mismatch(Run& run, Block& block) {
    for (Warp& w : block.warps)
        for (const Fragment& f : w.fragments)
            for (const Fragment& g : w.fragments) {
                if (&f == &g || !waits_for_lanes(f) || !waits_for_lanes(g) || (f.wants & g.mask) == 0) continue;
                const Place here = place_of_sync(f), there = place_of_sync(g);
                Finding* found = nullptr;
                if (!run.reporter.add(Kind::deadlock, here, there, found)) {
                    run.fail(Status::launch_failure, "lanes of a warp wait for each other");
                    return true;
                }
                found->thread = run.thread_index(static_cast<std::uint32_t>(w.number * kLanes + first_lane(f.mask)));
                found->other_thread =
                    run.thread_index(static_cast<std::uint32_t>(w.number * kLanes + first_lane(g.mask)));
                found->block = found->other_block = block.index;
                const std::string one = name_of_sync(f), other = name_of_sync(g);
                const bool masks = f.wants != g.wants;
                found->what = threads_of(w, f.mask) + " of " + run.reporter.block_name(block.linear) +
                              (std::has_single_bit(f.mask) ? " calls " : " call ") + one + "() at " +
                              run.reporter.at(here) + (masks ? " with the mask " + hex(f.wants) : "") + ", and " +
                              threads_of(w, g.mask) + " of the same warp, which the mask names, " +
                              (one == other ? "call it" : "call " + other + "()") + " at " + run.reporter.at(there) +
                              (masks ? " with the mask " + hex(g.wants) : "") + ": they wait for each other forever";
                found->help = "all lanes that the mask names have to call the same *_sync function with the same mask";
                run.fail(Status::launch_failure, found->what);
                return true;
            }
    return false;
}

bool all_here(const Instr* i, Warp& w, Mask m, Column member_column, const Instr*& next) {
    const auto* members = w.col<const std::uint32_t>(member_column);
    Mask named = 0, by_all = kAllLanes;
    for (int l = 0; l < kLanes; ++l) {
        const Mask active = 0 - (m >> l & 1);
        named |= members[l] & active;
        by_all &= members[l] | ~active;
    }
    if (named != kAllLanes) check_members(i, w, m, members);
    const Mask missing = named & w.alive & ~m;
    if (missing == 0) {
        if (named == by_all) meet_lanes(w, m);
        return true;
    }
    std::vector<Fragment*> others;
    if (find_others(i, w, named, m, others)) {
        execute_together(i, w, m, others);
        next = i + 1;
        return false;
    }
    if (w.run->counting) {  // it will be counted when it really runs
        Hot& hot = w.run->tally.hot[w.function->count_base + i->source];
        --hot.instructions;
        hot.lanes -= static_cast<unsigned>(std::popcount(m));
        --w.spent.instructions;
    }
    next = nullptr;
    if (m != w.mask) {
        split(w, i, m, i);
        Fragment& f = w.fragments.back();
        f.state = State::at_sync;
        f.wants = named;
        return false;
    }
    Fragment& f = w.fragments[w.current];
    f.state = State::at_sync;
    f.wants = named;
    w.resume = i;
    w.stop = Stop::sync;
    return false;
}

}  // namespace vgpu
