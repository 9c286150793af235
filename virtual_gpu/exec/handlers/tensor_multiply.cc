// wmma.mma and mma.sync, and what they have in common with wmma's loads and stores.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/handlers/tensor.h"
#include "virtual_gpu/exec/handlers/tensor_sums.h"
#include "virtual_gpu/exec/machine/meeting.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::MatrixFragment;
using ptx::Number;
using ptx::Operand;
using ptx::TensorForm;
using ptx::TensorWork;
using ptx::Type;

// What a fragment of `lines` and `along` holds, as a matrix of rows and columns. Line after line, or along after along.
void gather(const Warp& w, const HeldFragment& h, bool by_line, u64* out) {
    for (int e = 0; e < h.shape.elements(); ++e) {
        const u8* const from = w.col<const u8>(h.columns[static_cast<std::size_t>(h.register_of(e))]) + h.byte_of(e);
        for (int lane = 0; lane < kLanes; ++lane) {
            u64 bits = 0;
            std::memcpy(&bits, from + lane * h.register_bytes(), static_cast<std::size_t>(h.shape.bytes));
            const int place = h.place[static_cast<std::size_t>(e * kLanes + lane)];
            const int line = place / h.shape.along, along = place % h.shape.along;
            out[by_line ? place : along * h.shape.lines + line] = bits;
        }
    }
}

void scatter(const Warp& w, const HeldFragment& h, bool by_line, const u64* from, Mask m) {
    for (int e = 0; e < h.shape.elements(); ++e) {
        u8* const to = w.col<u8>(h.columns[static_cast<std::size_t>(h.register_of(e))]) + h.byte_of(e);
        for (int lane : lanes(m)) {
            const int place = h.place[static_cast<std::size_t>(e * kLanes + lane)];
            const int line = place / h.shape.along, along = place % h.shape.along;
            std::memcpy(to + lane * h.register_bytes(), &from[by_line ? place : along * h.shape.lines + line],
                        static_cast<std::size_t>(h.shape.bytes));
        }
    }
}

// A result is undefined if an element of its row of a, of its column of b or its own of c is.
void pass_undefined(Warp& w, const Instr* i, Mask m, const TensorPlan& p) {
    UndefinedElements a, b, c, d;
    undefined_elements(w, p.a, a);
    undefined_elements(w, p.b, b);
    undefined_elements(w, p.c, c);
    if (a.any || b.any || c.any) {
        const auto first_of = [](const HeldFragment& h, const UndefinedElements& u, int line) {
            for (int k = 0; k < h.shape.along; ++k)
                if (const OriginId origin = u.origin[static_cast<std::size_t>(line * h.shape.along + k)]; origin != 0)
                    return origin;
            return OriginId{0};
        };
        for (int place = 0; place < p.d.size(); ++place) {
            const int line = place / p.d.shape.along, along = place % p.d.shape.along;
            const int row = p.d.shape.is_by_column ? along : line, column = p.d.shape.is_by_column ? line : along;
            OriginId origin = c.origin[static_cast<std::size_t>(place)];
            if (origin == 0) origin = first_of(p.a, a, row);
            if (origin == 0) origin = first_of(p.b, b, column);
            if (origin == 0) continue;
            if ((origin & kOriginNumber) == 0) origin = w.run->reporter.variable_origin(w, i);
            d.any = true;
            d.origin[static_cast<std::size_t>(place)] = origin | kComputed;
        }
    }
    set_undefined(w, m, p.d, d);
}

// The issue slots that a product takes: an SM of the Turing generation, with 4 of them a cycle, makes 512 products of
// halves a cycle, twice as many of 8 bits and four times as many of 4. Doubles are those of an H100: 64 a cycle.
std::uint64_t slots_of(const TensorForm& f) {
    constexpr std::uint64_t kHalvesInSlot = 128;
    const auto products = static_cast<std::uint64_t>(f.m * f.n * f.k);
    const auto bits = static_cast<std::uint64_t>(f.a == Number::f64 ? 128 : std::max(4, bits_of(f.a)));
    return std::max<std::uint64_t>(1, products * bits / 16 / kHalvesInSlot);
}
constexpr std::uint64_t kLatency = 33;  // with kSlotsOfCycle, 37 cycles for 16 x 8 x 16 halves, as on an H100
constexpr std::uint64_t kSlotsOfCycle = 4;

const Instr* multiply_fragments(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!together(i, w, m, next)) return next;
    const TensorPlan& p = *w.function->tensor_plans[i->aux];
    u64 a[kMostElements], b[kMostElements], c[kMostElements], d[kMostElements];
    gather(w, p.a, true, a);
    gather(w, p.b, false, b);
    const bool by_line = !p.d.shape.is_by_column;
    gather(w, p.c, by_line, c);
    multiply_matrices(
        {.form = &p.form, .m = p.form.m, .n = p.form.n, .k = p.a.shape.along, .a = a, .b = b, .c = c, .d = d});
    if (w.shadow) [[unlikely]]
        pass_undefined(w, i, m, p);
    scatter(w, p.d, by_line, d, m);
    if (w.run->counting) {
        const std::uint64_t slots = slots_of(p.form);
        w.block->cost.instructions += slots - 1;
        const std::uint64_t start = std::max({w.now, ready_at(w, p.a), ready_at(w, p.b), ready_at(w, p.c)});
        w.latest = std::max(w.latest, start);
        make_ready(w, p.d, start + kLatency + slots / kSlotsOfCycle);
    }
    return i + 1;
}

}  // namespace

bool together(const Instr* i, Warp& w, Mask m, const Instr*& next) {
    if (!all_here(i, w, m, i->b, next)) return false;
    if (m == kAllLanes) return true;
    Reporter& reporter = w.run->reporter;
    const auto missing = static_cast<std::uint32_t>(w.number * kLanes + first_lane(~m));
    const std::string who = (w.exists >> first_lane(~m) & 1) != 0 ? reporter.thread_name(*w.block, missing) +
                                                                        ", a lane of the same warp, has left the kernel"
                                                                  : "the block has no thread for the others";
    reporter.found(w, i, m, Kind::invalid_access,
                   counted(static_cast<unsigned>(std::popcount(m)), "lane") + " of a warp " +
                       (std::popcount(m) == 1 ? "comes to " : "come to ") +
                       name_of_sync(w.function->source->body[i->source]) + "() at " +
                       reporter.at(reporter.place(w, i)) + ", and " + who,
                   "a warp holds a matrix together: all of its 32 lanes have to call the function; otherwise, CUDA "
                   "leaves undefined what happens");
    return true;
}

HeldFragment held_fragment(Decoder& d, const Operand& op, const TensorForm& form, char part) {
    HeldFragment h;
    h.shape = fragment_of(form, part);
    const bool is_result = part == 'd' || (form.work == TensorWork::load);
    const int width = h.register_bytes();
    for (int k = 0; k < h.shape.registers; ++k) {
        const Operand& one = Decoder::part(op, static_cast<std::size_t>(k));
        if (one.kind == Operand::Kind::reg && d.register_bytes(one.index) != width) throw Unsupported{};
        const Type type = width == 8 ? Type::b64 : Type::b32;
        h.columns.push_back(is_result ? d.result(one, type) : d.value(one, type));
    }
    h.place.resize(static_cast<std::size_t>(h.shape.elements()) * kLanes);
    for (std::size_t t = 0; t < h.shape.tiles.size(); ++t)
        for (int j = 0; j < h.shape.unit; ++j)
            for (int lane = 0; lane < kLanes; ++lane) {
                const int line = h.shape.tiles[t].line + lane / 4;
                const int along = h.shape.tiles[t].along + h.shape.unit * (lane % 4) + j;
                h.place[(t * static_cast<std::size_t>(h.shape.unit) + static_cast<std::size_t>(j)) * kLanes +
                        static_cast<std::size_t>(lane)] = static_cast<std::uint16_t>(line * h.shape.along + along);
            }
    return h;
}

std::uint64_t ready_at(const Warp& w, const HeldFragment& h) {
    std::uint64_t time = 0;
    for (const Column c : h.columns)
        if ((c & kConstantBit) == 0) time = std::max(time, w.ready[c >> 6]);
    return time;
}

void make_ready(Warp& w, const HeldFragment& h, std::uint64_t time) {
    if (!w.run->counting) return;
    for (const Column c : h.columns) w.ready[c >> 6] = time;
}

void undefined_elements(const Warp& w, const HeldFragment& h, UndefinedElements& out) {
    const Shadow& s = *w.shadow;
    for (int e = 0; e < h.shape.elements(); ++e) {
        const Column c = h.columns[static_cast<std::size_t>(h.register_of(e))];
        if (!s.any(c)) continue;
        std::uint64_t bits[kLanes];
        s.get(c, h.register_bytes(), bits);
        for (int lane = 0; lane < kLanes; ++lane) {
            u64 own = 0;
            std::memcpy(&own, reinterpret_cast<const u8*>(&bits[lane]) + h.byte_of(e),
                        static_cast<std::size_t>(h.shape.bytes));
            if (own == 0) continue;
            out.any = true;
            const OriginId origin = s.origins(c)[lane];
            out.origin[h.place[static_cast<std::size_t>(e * kLanes + lane)]] = origin != 0 ? origin : kComputed;
        }
    }
}

void set_undefined(Warp& w, Mask m, const HeldFragment& h, const UndefinedElements& u) {
    const int width = h.register_bytes();
    for (int k = 0; k < h.shape.registers; ++k) {
        const Column c = h.columns[static_cast<std::size_t>(k)];
        if (!u.any) {
            w.shadow->define(c, width, m);
            continue;
        }
        std::uint64_t bits[kLanes] = {};
        OriginId origin[kLanes] = {};
        for (int e = 0; e < h.shape.elements(); ++e) {
            if (h.register_of(e) != k) continue;
            for (int lane : lanes(m)) {
                const OriginId own = u.origin[h.place[static_cast<std::size_t>(e * kLanes + lane)]];
                if (own == 0) continue;
                std::memset(reinterpret_cast<u8*>(&bits[lane]) + h.byte_of(e), 0xFF,
                            static_cast<std::size_t>(h.shape.bytes));
                origin[lane] = own;
            }
        }
        w.shadow->put(c, width, m, bits, origin);
    }
}

void tensor_multiply(Decoder& d, const TensorForm& form) {
    auto plan = std::make_shared<TensorPlan>();
    plan->form = form;
    plan->a = held_fragment(d, d.operand(1), form, 'a');
    plan->b = held_fragment(d, d.operand(2), form, 'b');
    plan->c = held_fragment(d, d.operand(3), form, 'c');
    plan->d = held_fragment(d, d.operand(0), form, 'd');
    Instr& i = d.emit(multiply_fragments, kNone, kNone, d.constant(kAllLanes, 4));
    i.aux = static_cast<std::uint32_t>(d.function.tensor_plans.size());
    d.function.tensor_plans.push_back(std::move(plan));
    d.passes(Rule::fragments);
}

namespace {

void tensor(Decoder& d) {
    const auto form = ptx::tensor_form(*d.in);
    if (!form) throw Unsupported{};
    if (form->work == TensorWork::multiply)
        tensor_multiply(d, *form);
    else
        tensor_load_or_store(d, *form);
}

}  // namespace

void add_tensor(DecodeTable& t) {
    t[Opcode::wmma] = tensor;
    t[Opcode::mma] = tensor;
}

}  // namespace vgpu
