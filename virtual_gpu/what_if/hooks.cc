#include "virtual_gpu/what_if/hooks.h"

#include <algorithm>
#include <set>
#include <string>

#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/report/reporter.h"
#include "virtual_gpu/ptx/blocks.h"
#include "virtual_gpu/ptx/bypass.h"
#include "virtual_gpu/what_if/experiment.h"
#include "virtual_gpu/what_if/wide.h"

namespace vgpu::what_if {

namespace {

enum Memories : unsigned { kGlobal = 1, kShared = 2 };

// Which memory an instruction accesses that threads have in common; a generic address may be in either.
unsigned memories(const ptx::Instruction& i) {
    if ((!i.is(ptx::kAccess) && i.opcode != Opcode::cp) || (i.opcode == Opcode::wmma && i.has("mma"))) return 0;
    for (const char* own : {"param", "param::entry", "param::func", "local", "const"})
        if (i.has(own)) return 0;
    if (i.opcode == Opcode::cp) return kShared;  // where a copy goes to
    if (i.has("global")) return kGlobal;
    if (i.has("shared") || i.has("shared::cta")) return kShared;
    return kGlobal | kShared;
}

bool is_load(const ptx::Instruction& i) {
    return i.opcode == Opcode::ld || i.opcode == Opcode::ldu || (i.opcode == Opcode::wmma && i.has("load"));
}

bool does(const ptx::Instruction& i, Access access) {
    return access == Access::any || (access == Access::read ? is_load(i) || i.opcode == Opcode::atom : !is_load(i));
}

}  // namespace

// Decides where in a function something is added.
class Planner {
  public:
    Planner(const Module& module, const Function& function, Hooks& hooks)
        : module_(module),
          source_(*function.source),
          reporter_(module),
          function_(function),
          blocks_(source_),
          marks_(hooks.marks_) {
        marks_.resize(source_.body.size() + 1);
    }

    void order(const Order& order, std::uint8_t rule) {
        unsigned earlier = 0;  // what the first place accesses; it may be in another function of the module
        for (const auto& f : module_.functions)
            for (std::uint32_t n = 0; f->is_defined && n < f->source->body.size(); ++n)
                if (is_at(*f, n, order.first)) earlier |= memories(f->source->body[n]);
        const auto is_second = [&](const Function& f, std::uint32_t n) {
            return (memories(f.source->body[n]) & earlier) != 0 && is_at(f, n, order.second);
        };
        // One wait is enough for accesses that follow each other in a basic block, with none of the first place
        // between.
        std::set<const ptx::Instruction*> waiting;
        for (const ptx::Block& block : blocks_.all) {
            bool has_waited = false;
            for (std::uint32_t n = block.begin; n < block.end; ++n) {
                if (is_second(function_, n) && !has_waited) {
                    marks_[n].waits.push_back(rule);
                    waiting.insert(&source_.body[n]);
                    has_waited = true;
                }
                if (is_at(function_, n, order.first)) has_waited = false;
            }
        }
        const std::set<std::string> callees = functions_with(is_second);
        const auto waits = [&](const ptx::Instruction& i) {
            return waiting.contains(&i) || (i.call && callees.contains(i.call->callee));
        };
        // Threads that go another way wait there, so that all are in the same round of a loop.
        for (const ptx::Bypass& bypass : ptx::bypasses(source_, waits)) {
            auto& there = bypass.taken ? marks_[bypass.branch].waits_taken : marks_[bypass.branch].waits_not_taken;
            there.push_back(rule);
        }
    }

    // Between a load of the first place and a store of the second, which follows it, a thread is alone.
    void one_at_a_time(const Order& pair) {
        const auto is_one = [&](const Spot& spot, std::uint32_t n, bool load) {
            const ptx::Instruction& i = source_.body[n];
            return (load ? is_load(i) : i.opcode == Opcode::st) && is_at(function_, n, spot);
        };
        unsigned loaded = 0, stored = 0;
        for (std::uint32_t n = 0; n < source_.body.size(); ++n) {
            if (is_one(pair.first, n, true)) loaded |= memories(source_.body[n]);
            if (is_one(pair.second, n, false)) stored |= memories(source_.body[n]);
        }
        const auto is_part = [&](std::uint32_t n, bool load) {
            return (memories(source_.body[n]) & loaded & stored) != 0 &&
                   is_one(load ? pair.first : pair.second, n, load);
        };
        // Whether a store is still to come, without going back in the text: behind each instruction, and at each
        // block's begin and end.
        const std::size_t count = blocks_.all.size();
        std::vector<bool> at_begin(count), at_end(count);
        for (std::size_t b = count; b-- > 0;) {
            const ptx::Block& block = blocks_.all[b];
            bool comes = false;
            for (const std::size_t next : block.next) comes |= next > b && at_begin[next];
            at_end[b] = comes;
            for (std::uint32_t n = block.end; n-- > block.begin;) {
                Hooks::Marks& marks = marks_[n];
                if (is_part(n, true)) {
                    marks.is_atomic = true;
                    marks.enters |= comes;
                }
                if (!is_part(n, false)) continue;
                marks.is_atomic = true;
                marks.leaves_after |= !comes;
                comes = true;
            }
            at_begin[b] = comes;
        }
        for (std::size_t b = 0; b < count; ++b)
            for (const std::size_t next : blocks_.all[b].next)
                if (at_end[b] && !at_begin[next]) marks_[blocks_.all[next].begin].leaves_before = true;
    }

    // A thread may draw several times before it waits for others, if there is more than one atomic, or a loop: then
    // lanes go one by one. Otherwise those of a warp draw at once, in order of their number.
    void by_index() {
        std::vector<std::uint32_t> atomics;
        for (std::uint32_t n = 0; n < source_.body.size(); ++n)
            if (source_.body[n].opcode == Opcode::atom) atomics.push_back(n);
        if (atomics.empty()) return;
        if (source_.is_entry && atomics.size() == 1 && !is_in_loop(blocks_.of[atomics[0]])) return;
        for (const std::uint32_t n : atomics) marks_[n].takes_turns = true;
    }

  private:
    bool is_in_loop(std::size_t block) const {
        std::vector<bool> seen(blocks_.all.size());
        std::vector<std::size_t> open = blocks_.all[block].next;
        while (!open.empty()) {
            const std::size_t b = open.back();
            open.pop_back();
            if (b == block) return true;
            if (seen[b]) continue;
            seen[b] = true;
            open.insert(open.end(), blocks_.all[b].next.begin(), blocks_.all[b].next.end());
        }
        return false;
    }

    bool is_at(const Function& f, std::uint32_t n, const Spot& spot) const {
        const ptx::Instruction& i = f.source->body[n];
        if (memories(i) == 0 || !does(i, spot.access)) return false;
        const ptx::Location at = reporter_.location({&f, n});
        const auto& files = module_.program.files;
        return at.line == spot.line && static_cast<std::size_t>(at.file) < files.size() &&
               spot.names(files[static_cast<std::size_t>(at.file)]);
    }

    // Functions with such an instruction in them, or in one that they call.
    std::set<std::string> functions_with(const std::function<bool(const Function&, std::uint32_t)>& is_one) const {
        std::set<std::string> found;
        for (bool grows = true; grows;) {
            grows = false;
            for (const auto& f : module_.functions) {
                if (!f->is_defined || found.contains(f->name)) continue;
                for (std::uint32_t n = 0; n < f->source->body.size(); ++n) {
                    const auto& call = f->source->body[n].call;
                    if (!is_one(*f, n) && !(call && found.contains(call->callee))) continue;
                    grows = found.insert(f->name).second;
                    break;
                }
            }
        }
        return found;
    }

    const Module& module_;
    const ptx::Function& source_;
    const Reporter reporter_;
    const Function& function_;
    const ptx::Blocks blocks_;
    std::vector<Hooks::Marks>& marks_;
};

Hooks::Hooks() = default;
Hooks::~Hooks() = default;

std::unique_ptr<Hooks> Hooks::make(Decoder& d) {
    const Rules& rules = d.module.rules;
    auto hooks = std::make_unique<Hooks>();
    Planner planner(d.module, d.function, *hooks);
    for (std::size_t n = 0; n < rules.orders.size(); ++n) planner.order(rules.orders[n], static_cast<std::uint8_t>(n));
    for (const Order& pair : rules.one_at_a_time) planner.one_at_a_time(pair);
    if (rules.by_index) planner.by_index();
    if (rules.wide || rules.watch_overflow) hooks->wide_ = std::make_unique<Wide>(d);
    return hooks;
}

namespace {

// With the guard of the instruction at hand, or for all lanes.
Instr& add(Decoder& d, Handler handler, bool guarded) {
    const ptx::Instruction* in = d.in;
    if (!guarded) d.in = nullptr;
    Instr& i = d.emit_hidden(handler, kNone);
    d.passes(Rule::late_check);  // undefined values do not matter here: the branch itself tells of its condition
    d.in = in;
    return i;
}

}  // namespace

void Hooks::before(Decoder& d) {
    const Marks& marks = marks_[d.number];
    if (marks.leaves_before) add(d, leave_handler(), false);
    for (const std::uint8_t rule : marks.waits) add(d, order_handler(), false).aux = rule;
    for (const std::uint8_t rule : marks.waits_taken) add(d, order_handler(), true).aux = rule | kGoesAnotherWay;
    if (marks.takes_turns) add(d, turn_handler(), true);
    if (marks.enters) add(d, enter_handler(), true);
}

bool Hooks::instead(Decoder& d) { return wide_ && wide_->instead(d); }

void Hooks::after(Decoder& d) {
    const Marks& marks = marks_[d.number];
    if (wide_) wide_->after(d);
    if (marks.leaves_after) add(d, leave_handler(), false);
    for (const std::uint8_t rule : marks.waits_not_taken) add(d, order_handler(), false).aux = rule | kGoesAnotherWay;
}

}  // namespace vgpu::what_if
