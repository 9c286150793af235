// Branches, calls, exits, barriers, fences, traps.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/decode/missing.h"
#include "virtual_gpu/exec/handlers/builtins.h"
#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

constexpr int kDeepestCall = 2000;
constexpr std::uint64_t kStackBytes = 512 << 10;  // of a thread, as on a GPU: local variables and parameters of calls
constexpr int kRoundsOfLoop = 1;                  // that waits for another warp, before that one may go on

const Instr* fail_here(Warp& w, const Instr* i) {
    w.resume = i;
    w.stop = Stop::failed;
    return nullptr;
}

const Instr* unsupported(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    const std::string what = w.function->texts[i->aux] + " not supported by the virtual GPU: used at " +
                             run.reporter.at(run.reporter.place(w, i));
    run.reporter.found(w, i, m, Kind::unsupported, what, "run it on a GPU, or write it without this");
    run.fail(Status::not_supported, what);
    return fail_here(w, i);
}

const Instr* take_branch(const Instr* i, Warp& w, Mask m, const Instr* target) {
    if (m == w.mask) {
        if (target <= i) {
            if (target == i) w.since_chosen.seems_to_wait = true;
            const bool yields = w.since_chosen.polls && ++w.since_chosen.polled >= kRoundsOfLoop;
            if (!w.since_chosen.alone || yields) {
                w.resume = target;
                w.stop = w.since_chosen.alone ? Stop::poll : Stop::loop;
                return nullptr;
            }
        }
        return target;
    }
    return split(w, i, m, target);
}

const Instr* branch(const Instr* i, Warp& w, Mask m) {
    if (m != w.mask && w.run->counting) ++w.run->tally.counters[w.function->count_base + i->source].divergent_branches;
    return take_branch(i, w, m, w.function->code.data() + i->imm);
}

const Instr* branch_past_barriers(const Instr* i, Warp& w, Mask m) {
    pass_barriers(w, m, i->aux);
    return branch(i, w, m);
}

const Instr* past_barriers(const Instr* i, Warp& w, Mask m) {
    pass_barriers(w, m, i->aux);
    return i + 1;
}

// brx.idx: lanes may go to several places.
const Instr* branch_indexed(const Instr* i, Warp& w, Mask m) {
    const u32* index = w.col<const u32>(i->a);
    const std::uint32_t* list = &w.function->lists[i->aux];  // number of targets, then PTX instruction numbers
    const auto target_of = [&](int lane) {
        const u32 n = index[lane] < list[0] ? index[lane] : list[0] - 1;
        return w.function->code.data() + w.function->start[list[1 + n]];
    };
    Mask left = m;
    const Instr* own = target_of(first_lane(m));
    Mask same = 0;
    for (int l : lanes(m)) same |= Mask{target_of(l) == own} << l;
    if (w.run->counting && same != w.mask)
        ++w.run->tally.counters[w.function->count_base + i->source].divergent_branches;
    if (same == w.mask) return take_branch(i, w, m, own);
    left &= ~same;
    const Mask stays = w.mask & ~m;
    const Instr* next = nullptr;
    while (left != 0) {
        const Instr* target = target_of(first_lane(left));
        Mask group = 0;
        for (int l : lanes(left)) group |= Mask{target_of(l) == target} << l;
        next = split(w, i, group, target);
        left &= ~group;
    }
    if (stays != 0) return split(w, i, same, own);
    w.resume = own;
    w.stop = Stop::diverged;
    return next;
}

const Instr* ret(const Instr* i, Warp& w, Mask m) {
    Frame* frame = w.frame;
    if (!frame->parent) return leave_kernel(i, w, m);
    if (m != w.mask) return split(w, i, m, i);
    Frame* parent = frame->parent;
    const Function& f = *frame->function;
    const std::size_t from = f.param_bytes, to = parent->function->param_bytes;
    const CallSite& site = *frame->site;
    const std::size_t count = std::min(site.return_places.size(), f.returns.size());
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t bytes = std::min(site.return_places[n].second, f.returns[n].bytes);
        for (int l : lanes(m))
            std::memcpy(parent->params + static_cast<std::size_t>(l) * to + site.return_places[n].first,
                        frame->params + static_cast<std::size_t>(l) * from + f.returns[n].offset, bytes);
        params_passed(*frame, f.returns[n].offset, *parent, site.return_places[n].first, bytes, m);
    }
    w.resume = frame->return_to;
    w.frame = parent;
    w.stop = Stop::boundary;
    frame->lanes &= ~m;
    if (frame->lanes == 0) w.drop_frame(frame);
    return nullptr;
}

// Whether the call gives what the function takes, byte by byte. Only then do the copies below stay inside both frames.
template <class Places, class Params>
bool fits(const Places& places, const Params& params) {
    return std::equal(places.begin(), places.end(), params.begin(), params.end(),
                      [](const auto& place, const ParamPlace& param) { return place.second == param.bytes; });
}

const Instr* enter(const Instr* i, Warp& w, Mask m, const Function& callee, const CallSite& site) {
    Run& run = *w.run;
    const std::uint64_t stack =
        w.frame->local_base + w.frame->params_below + w.function->local_bytes + w.function->param_bytes;
    if (w.frame->depth >= kDeepestCall || stack + callee.local_bytes + callee.param_bytes > kStackBytes) {
        const std::string what =
            (w.frame->depth >= kDeepestCall ? "calls nested more than " + std::to_string(kDeepestCall) + " deep at "
                                            : "calls that need more than " + std::to_string(kStackBytes >> 10) +
                                                  " KiB of stack in each thread at ") +
            run.reporter.at(run.reporter.place(w, i)) + ": the stack is full";
        run.reporter.found(w, i, m, Kind::invalid_access, what,
                           "a call of a function by itself takes more of the stack until it returns");
        run.fail(Status::launch_failure, what);
        return fail_here(w, i);
    }
    Frame* frame = w.new_frame(callee);
    frame->parent = w.frame;
    frame->depth = w.frame->depth + 1;
    frame->lanes = m;
    frame->return_to = i + 1;
    frame->site = &site;
    frame->local_base = w.frame->local_base + w.function->local_bytes;
    frame->params_below = w.frame->params_below + w.function->param_bytes;
    w.grow_local(frame->local_base + callee.local_bytes);
    w.forget_local(m, frame->local_base, callee.local_bytes);
    const std::size_t from = w.function->param_bytes, to = callee.param_bytes;
    const std::size_t count = std::min(site.argument_places.size(), callee.params.size());
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t bytes = std::min(site.argument_places[n].second, callee.params[n].bytes);
        for (int l : lanes(m))
            std::memcpy(frame->params + static_cast<std::size_t>(l) * to + callee.params[n].offset,
                        w.frame->params + static_cast<std::size_t>(l) * from + site.argument_places[n].first, bytes);
        params_passed(*w.frame, site.argument_places[n].first, *frame, callee.params[n].offset, bytes, m);
    }
    w.frame = frame;
    w.resume = callee.code.data();
    w.stop = Stop::boundary;
    return nullptr;
}

const Instr* call(const Instr* i, Warp& w, Mask m) {
    if (m != w.mask) return split(w, i, m, i);
    const CallSite& site = w.function->calls[i->aux];
    if (!fits(site.argument_places, site.callee->params) || !fits(site.return_places, site.callee->returns)) {
        Run& run = *w.run;
        const std::string what = "a call of " + short_name(site.callee->name) +
                                 ", whose parameters are not those of the call, at " +
                                 run.reporter.at(run.reporter.place(w, i));
        run.reporter.found(w, i, m, Kind::invalid_access, what,
                           "a function's declaration has to have the parameters of its definition");
        run.fail(Status::illegal_address, what);
        return fail_here(w, i);
    }
    return enter(i, w, m, *site.callee, site);
}

// The function at this address, if it may be called through a pointer: no kernel, and only what has been decoded.
const Function* callable(const Module& module, u64 address) {
    const u64 offset = address - kFunctionWindow, number = offset / 16;
    if (offset % 16 != 0 || number >= module.functions.size()) return nullptr;
    const Function& f = *module.functions[number];
    return f.has_address && f.is_defined && f.is_decoded && !f.source->is_entry ? &f : nullptr;
}

const Instr* call_indirect(const Instr* i, Warp& w, Mask m) {
    if (m != w.mask) return split(w, i, m, i);
    const CallSite& site = w.function->calls[i->aux];
    const u64* target = w.col<const u64>(site.target);
    const u64 first = target[first_lane(m)];
    Mask same = 0;
    for (int l : lanes(m)) same |= Mask{target[l] == first} << l;
    Run& run = *w.run;
    const Function* callee = callable(run.module, first);
    if (callee == nullptr || !fits(site.argument_places, callee->params) ||
        !fits(site.return_places, callee->returns)) {
        const std::string at = run.reporter.at(run.reporter.place(w, i));
        const std::string what = callee == nullptr ? "a call through a pointer to no function at " + at
                                                   : "a call through a pointer to " + short_name(callee->name) +
                                                         ", whose parameters are not those of the call, at " + at;
        run.reporter.found(
            w, i, m, Kind::invalid_access, what,
            callee == nullptr
                ? "a pointer that a kernel calls has to hold the address of a __device__ function, taken in device code"
                : "the pointer's type has to be the function's");
        run.fail(Status::illegal_address, what);
        return fail_here(w, i);
    }
    if (same != m) {
        // The others make the same call again, on their own.
        split(w, i, m & ~same, i);
    }
    return enter(i, w, same, *callee, site);
}

const Instr* bar(const Instr* i, Warp& w, Mask m) {
    const int lane = first_lane(m);
    const u32 number = w.col<const u32>(i->b)[lane];
    const u32 count = i->c == kNone ? 0 : w.col<const u32>(i->c)[lane];
    if (count % kLanes != 0) {
        Reporter& reporter = w.run->reporter;
        reporter.found(w, i, m, Kind::invalid_access,
                       "the barrier at " + reporter.at(reporter.place(w, i)) + " is one of " +
                           counted(count, "thread") + ", which is not a multiple of 32",
                       "a barrier counts whole warps: PTX wants a multiple of 32");
    }
    return arrive(w, i, m, static_cast<int>(number & 15), count, i->imm == 0);
}

const Instr* warp_bar(const Instr* i, Warp& w, Mask m) {
    if (m != w.mask) return split(w, i, m, i);
    const u32* members = w.col<const u32>(i->a);
    Mask wanted = 0;
    for (int l : lanes(m)) wanted |= members[l];
    wanted &= w.alive;
    if ((wanted & ~m) == 0 && have_one_mask(members, m, w.alive)) {
        sync_groups(w, m, members);
        return i + 1;
    }
    Fragment& f = w.fragments[w.current];
    f.state = State::at_warp_barrier;
    f.wants = wanted;
    w.resume = i + 1;
    w.stop = Stop::warp_barrier;
    return nullptr;
}

const Instr* trap(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    const std::string what = "the kernel stopped itself (trap) at " + run.reporter.at(run.reporter.place(w, i)) +
                             run.reporter.callers(run.reporter.place(w, i));
    const bool needs_grid =
        run.setup.grid_workspace == 0 && run.reporter.is_in(run.reporter.place(w, i), "cooperative_groups");
    run.reporter.found(
        w, i, m, Kind::trap, what,
        needs_grid ? "a group of the whole grid needs a cooperative launch: cudaLaunchCooperativeKernel" : "");
    run.fail(Status::launch_failure, what);
    return fail_here(w, i);
}

const Instr* fence(const Instr* i, Warp& w, Mask) {
    if (w.run->checking)
        w.run->global_races.order().fence(*w.block->order, w.number, i->imm != 0 ? Scope::device : Scope::block);
    if (w.run->counting) w.spend(static_cast<u32>(i->imm != 0 ? w.run->options.latencies.fence : 1));
    return i + 1;
}
const Instr* await_primary(const Instr* i, Warp& w, Mask) {
    if (w.run->checking) w.run->global_races.order().await_primary(*w.block->order, w.number);
    return i + 1;
}
const Instr* launch_dependents(const Instr* i, Warp& w, Mask) {
    if (w.run->checking) w.run->global_races.order().trigger(*w.block->order, w.number);
    return i + 1;
}
const Instr* nanosleep(const Instr* i, Warp& w, Mask) {
    w.since_chosen.seems_to_wait = true;  // a loop that sleeps waits
    return i + 1;
}
const Instr* nothing(const Instr* i, Warp&, Mask) { return i + 1; }

// ---- decoding ----
void bra(Decoder& d) {
    const Operand& to = d.operand(0);
    if (to.kind != Operand::Kind::label) throw Unsupported{};
    Instr& i = d.emit(branch, kNone);
    i.imm = to.index;
    i.small = kIsBranch;
    d.passes(Rule::branch);
}

void brx(Decoder& d) {
    const Column a = d.value(0, Type::u32);
    const Operand& list = d.operand(1);
    const auto place = static_cast<std::uint32_t>(d.function.lists.size());
    d.function.lists.push_back(static_cast<std::uint32_t>(list.targets.size()));
    for (int t : list.targets) d.function.lists.push_back(static_cast<std::uint32_t>(t));
    d.emit(branch_indexed, kNone, a).aux = place;
    d.passes(Rule::branch);
}

void decode_call(Decoder& d) {
    if (!d.in->call) throw Unsupported{};
    const ptx::Instruction::Call& c = *d.in->call;
    CallSite site;
    const auto places = [&](const std::vector<std::string>& names, auto& out) {
        for (const std::string& name : names) {
            ParamPlace p;
            if (!d.param_place(name, p)) throw Unsupported{};
            out.emplace_back(p.offset, p.bytes);
        }
    };
    places(c.arguments, site.argument_places);
    places(c.returns, site.return_places);
    site.name = c.callee;
    Handler h = call;
    if (c.callee_register >= 0) {
        h = call_indirect;
        site.target = d.register_column(c.callee_register);
        d.function.calls_indirectly = true;
    } else if (const auto f = d.module.function_numbers.find(c.callee);
               f != d.module.function_numbers.end() &&
               d.module.functions[static_cast<std::size_t>(f->second)]->is_defined) {
        site.callee = d.module.functions[static_cast<std::size_t>(f->second)].get();
        // A kernel's parameters are no part of a frame: there is nowhere to copy arguments to.
        if (site.callee->source->is_entry) throw Unsupported{};
        d.function.callees.push_back(f->second);
    } else {
        h = builtin_handler(c.callee);
    }
    if (!h) {
        d.emit(unsupported, kNone).aux = static_cast<std::uint32_t>(d.function.texts.size());
        d.passes(Rule::effect);
        d.function.texts.push_back(missing_call(c.callee));
        return;
    }
    d.emit(h, kNone).aux = static_cast<std::uint32_t>(d.function.calls.size());
    // Only what no function of the program gets decides something at once.
    d.passes(Rule::call).moved = h != call && h != call_indirect;
    d.function.calls.push_back(std::move(site));
}

void decode_bar(Decoder& d) {
    if (d.has("cluster")) throw Unsupported{};
    if (d.has("warp")) {
        const Column a = d.value(0, Type::u32);
        d.emit(warp_bar, kNone, a);
        d.passes(Rule::barrier);
        return;
    }
    const bool red = d.has("red");
    const std::size_t first = red ? 1 : 0, rest = d.operands() - first - (red ? 1 : 0);
    const Column number = d.value(first, Type::u32);
    const Column count = rest > 1 ? d.value(first + 1, Type::u32) : kNone;
    Column to = kNone, predicate = kNone;
    std::uint8_t how = 0;
    bool negated = false;
    if (red) {
        const Operand& p = d.operand(d.operands() - 1);
        how = d.has("popc") ? 1 : d.has("and") ? 2 : 3;
        negated = p.negated;
        Operand plain = p;
        plain.negated = false;
        predicate = d.predicate(plain);
        if (how == 1 && d.register_bytes(d.operand(0).index) != 4) throw Unsupported{};
        to = how == 1 ? d.result(0, Type::u32) : d.result_predicate(d.operand(0));
    }
    Instr& i = d.emit(bar, to, predicate, number, count);
    i.imm = d.has("arrive") ? 1 : 0;
    i.small = how;
    i.aux = negated ? 1 : 0;
    d.passes(Rule::barrier);
}

}  // namespace

Handler unsupported_handler() { return unsupported; }
Handler return_handler() { return ret; }
Handler branch_handler() { return branch; }
Handler branch_past_barriers_handler() { return branch_past_barriers; }
Handler past_barriers_handler() { return past_barriers; }

void add_control(DecodeTable& t) {
    t[Opcode::bra] = bra;
    t[Opcode::brx] = brx;
    t[Opcode::call] = decode_call;
    t[Opcode::ret] = [](Decoder& d) { d.emit(ret, kNone), d.passes(Rule::effect); };
    t[Opcode::exit] = [](Decoder& d) { d.emit(leave_kernel, kNone), d.passes(Rule::effect); };
    t[Opcode::bar] = decode_bar;
    t[Opcode::barrier] = decode_bar;
    t[Opcode::trap] = [](Decoder& d) { d.emit(trap, kNone), d.passes(Rule::effect); };
    t[Opcode::brkpt] = t[Opcode::trap];
    t[Opcode::membar] = [](Decoder& d) { d.emit(fence, kNone).imm = d.has("cta") ? 0 : 1; };
    t[Opcode::fence] = [](Decoder& d) {
        if (d.has("proxy") && (!d.has("async") || d.has("alias"))) throw Unsupported{};
        d.emit(fence, kNone).imm = d.has("cta") ? 0 : 1;
    };
    t[Opcode::nanosleep] = [](Decoder& d) { d.emit(nanosleep, kNone); };
    t[Opcode::griddepcontrol] = [](Decoder& d) { d.emit(d.has("wait") ? await_primary : launch_dependents, kNone); };
    for (const Opcode hint : {Opcode::pmevent, Opcode::setmaxnreg})
        t[hint] = [](Decoder& d) { d.emit(nothing, kNone); };
}

}  // namespace vgpu
