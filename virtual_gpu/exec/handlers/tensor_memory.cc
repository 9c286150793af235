// wmma.load and wmma.store: matrices between memory and the registers of a warp.
//
// A lane accesses what an H100's lane accesses, in as many requests; for 16-bit factors in shared memory as ldmatrix
// does, eight lanes a tile, each 16 bytes. Where memory runs across the lines of a tile of 16-bit elements, a lane
// accesses a part of the transposed tile, and the warp exchanges.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/handlers/tensor.h"
#include "virtual_gpu/exec/machine/access.h"
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

constexpr int kTileLines = 8, kRowBytes = 16, kTilesAtOnce = 4;
// As the CUDA C++ Programming Guide demands: of the matrix, and of each of its lines, unless all of one is shorter.
constexpr std::uint64_t kMatrixAlignment = 32, kLineAlignment = 16;

enum : std::uint8_t { kGlobal, kShared, kGeneric };  // Instr::space

// The matrix, its lines in memory one behind the other.
struct Buffer {
    u8 bytes[kMostMatrixBytes];
    u8 undefined[kMostMatrixBytes];  // bits
    OriginId origin[kMostMatrixBytes];
    bool any_undefined = false;
};

Mask resolve(Warp& w, const Instr* i, Mask m, Lanes& l, const Request& r) {
    constexpr decltype(&resolve_global) kBySpace[] = {resolve_global, resolve_shared, resolve_generic};
    return kBySpace[i->space](w, i, m, l, r);
}

// ---- Which lane accesses what ----

// `line` and `along` are the fragment's: of a lane's access, its first element.
void add_place(const TensorPlan& p, TensorStep& s, int lane, int line, int along, int bytes) {
    s.lanes |= Mask{1} << lane;
    s.line[static_cast<std::size_t>(lane)] = static_cast<u16>(p.is_as_held ? line : along);
    s.at[static_cast<std::size_t>(lane)] = static_cast<u16>((p.is_as_held ? along : line) * p.d.shape.bytes);
    s.bytes = bytes;
}

// As ldmatrix: lane 8j + r has row r of tile j, of up to four.
void add_rows(TensorPlan& p, bool is_as_held) {
    const MatrixFragment& f = p.d.shape;
    for (std::size_t first = 0; first < f.tiles.size(); first += kTilesAtOnce)
        for (std::size_t j = first; j < std::min(first + kTilesAtOnce, f.tiles.size()); ++j) {
            TensorStep s;
            for (int r = 0; r < kTileLines; ++r) {
                const int lane = static_cast<int>(j - first) * kTileLines + r;
                add_place(p, s, lane, f.tiles[j].line + (is_as_held ? r : 0), f.tiles[j].along + (is_as_held ? 0 : r),
                          kRowBytes);
            }
            s.continues = j != first;
            p.steps.push_back(s);
        }
}

void add_steps(TensorPlan& p, bool is_shared) {
    const MatrixFragment& f = p.d.shape;
    const bool is_factor = p.form.part != 'c', has_pairs = f.bytes == 2;
    if (is_shared && is_factor && (has_pairs || (p.is_as_held && f.bytes == 1))) return add_rows(p, p.is_as_held);
    for (const MatrixFragment::Tile& tile : f.tiles) {
        const int count = p.is_as_held || has_pairs ? 1 : f.unit;  // of accesses
        for (int one = 0; one < count; ++one) {
            TensorStep s;
            for (int lane = 0; lane < kLanes; ++lane) {
                const int across = lane / 4, along = f.unit * (lane % 4);
                if (p.is_as_held)
                    add_place(p, s, lane, tile.line + across, tile.along + along, f.unit * f.bytes);
                else if (has_pairs)
                    add_place(p, s, lane, tile.line + along, tile.along + across, f.unit * f.bytes);
                else
                    add_place(p, s, lane, tile.line + across, tile.along + along + one, f.bytes);
            }
            p.steps.push_back(s);
        }
    }
}

// ---- Running ----

// Strides count numbers, which may be smaller than elements.
u64 bits_of_number(const TensorPlan& p) { return static_cast<u64>(bits_of(p.form.a)); }

// One matrix, at one place: the lanes agree, and it is aligned.
bool has_good_place(Warp& w, const Instr* i, Mask m, const TensorPlan& p, std::uint64_t at, std::uint64_t stride) {
    const u64* addresses = w.col<const u64>(i->a);
    const u32* strides = w.col<const u32>(i->c);
    Reporter& reporter = w.run->reporter;
    const std::string what =
        name_of_sync(w.function->source->body[i->source]) + "() at " + reporter.at(reporter.place(w, i));
    for (int lane : lanes(m))
        if (addresses[lane] + static_cast<u64>(i->imm) != at || strides[lane] != strides[first_lane(m)]) {
            reporter.found(w, i, Mask{1} << lane, Kind::invalid_access,
                           "lanes of a warp give different addresses or leading dimensions to " + what,
                           "all 32 lanes load or store one matrix together: give them one pointer and one stride");
            w.run->note_bad(Status::launch_failure);
            return false;
        }
    const char* const why =
        at % kMatrixAlignment != 0 ? "its address is no multiple of 32 bytes"
        : stride * bits_of_number(p) / 8 % std::min(kLineAlignment, static_cast<u64>(p.line_bytes)) != 0
            ? "its leading dimension is no multiple of 16 bytes"
            : nullptr;
    if (why == nullptr) return true;
    Finding* f = reporter.found(w, i, m, Kind::misaligned, "the matrix of " + what + " is not aligned: " + why,
                                "the address has to be a multiple of 32 bytes, and the leading dimension (in elements) "
                                "one of 16 bytes: 8 halves, 4 floats; otherwise a GPU stops the kernel or gets other "
                                "values");
    if (f != nullptr) f->access = p.form.work == TensorWork::load ? "read" : "write";
    w.run->note_bad(Status::misaligned_address);
    return false;
}

// Makes the accesses of all steps. Calls `before(step, lane, byte of the buffer)` for each lane of a write, and
// `after(...)` for each that may access.
template <class Before, class After>
std::uint32_t access_all(Warp& w, const Instr* i, Mask m, const TensorPlan& p, Request r, Before before, After after) {
    const u64 base = w.col<const u64>(i->a)[first_lane(m)] + static_cast<u64>(i->imm);
    const u64 line_bytes = w.col<const u32>(i->c)[first_lane(m)] * bits_of_number(p) / 8;
    Counters* counters = w.run->counting ? &w.run->tally.counters[w.function->count_base + i->source] : nullptr;
    std::uint32_t cycles = 0;
    for (const TensorStep& s : p.steps) {
        const Mask who = s.lanes & m;
        if (who == 0) continue;
        Lanes l;
        for (int lane = 0; lane < kLanes; ++lane)
            l.address[lane] =
                base + s.line[static_cast<std::size_t>(lane)] * line_bytes + s.at[static_cast<std::size_t>(lane)];
        const auto in_buffer = [&](int lane) {
            return static_cast<std::size_t>(s.line[static_cast<std::size_t>(lane)] * p.line_bytes +
                                            s.at[static_cast<std::size_t>(lane)]);
        };
        for (int lane : lanes(who)) before(s, lane, in_buffer(lane));
        r.bytes = s.bytes;
        r.element_bytes = p.d.shape.bytes;
        const std::uint64_t loads = counters ? counters->shared_loads : 0;
        const Mask good = resolve(w, i, who, l, r);
        if (counters && s.continues) counters->shared_loads = loads;
        for (int lane : lanes(r.use == Use::read ? who : good))
            after(s, l, lane, in_buffer(lane), (good >> lane & 1) != 0);
        cycles = std::max(cycles, l.cycles);
    }
    return cycles;
}

// Where element e of a lane is in the buffer.
std::size_t buffer_place(const TensorPlan& p, int e, int lane) {
    const int place = p.d.place[static_cast<std::size_t>(e * kLanes + lane)];
    const int line = place / p.d.shape.along, along = place % p.d.shape.along;
    return static_cast<std::size_t>(p.is_as_held ? line * p.line_bytes + along * p.d.shape.bytes
                                                 : along * p.line_bytes + line * p.d.shape.bytes);
}

void fill_registers(Warp& w, Mask m, const TensorPlan& p, const Buffer& from) {
    const auto bytes = static_cast<std::size_t>(p.d.shape.bytes);
    const int distinct = p.d.shape.distinct_registers(), width = p.d.register_bytes();
    for (int e = 0; e < p.d.shape.elements(); ++e) {
        u8* const to = w.col<u8>(p.d.columns[static_cast<std::size_t>(p.d.register_of(e))]);
        for (int lane : lanes(m))
            std::memcpy(to + lane * width + p.d.byte_of(e), &from.bytes[buffer_place(p, e, lane)], bytes);
    }
    for (int k = distinct; k < p.d.shape.registers; ++k)
        for (int lane : lanes(m))
            std::memcpy(w.col<u8>(p.d.columns[static_cast<std::size_t>(k)]) + lane * width,
                        w.col<u8>(p.d.columns[static_cast<std::size_t>(k % distinct)]) + lane * width,
                        static_cast<std::size_t>(width));
    if (from.any_undefined) w.begin_shadow();
    if (!w.shadow) return;
    for (int k = 0; k < p.d.shape.registers; ++k) {
        std::uint64_t bits[kLanes] = {};
        OriginId origin[kLanes] = {};
        for (int e = 0; e < p.d.shape.elements() && from.any_undefined; ++e)
            for (int lane : lanes(m)) {
                const std::size_t at = buffer_place(p, e, lane);
                if (p.d.register_of(e) != k % distinct) continue;
                std::memcpy(reinterpret_cast<u8*>(&bits[lane]) + p.d.byte_of(e), &from.undefined[at], bytes);
                for (std::size_t b = 0; b < bytes; ++b)
                    if (from.undefined[at + b] != 0) origin[lane] = from.origin[at + b];
            }
        w.shadow->put(p.d.columns[static_cast<std::size_t>(k)], width, m, bits, origin);
    }
}

const TensorPlan& plan_of(const Warp& w, const Instr* i) { return *w.function->tensor_plans[i->aux]; }

void decide_place(Warp& w, const Instr* i, Mask m, const char* what) {
    if (!w.shadow) return;
    decide(w, i, m, i->a, 8, what);
    decide(w, i, m, i->c, 4, what);
}

const Instr* load_fragment(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!together(i, w, m, next)) return next;
    const TensorPlan& p = plan_of(w, i);
    decide_place(w, i, m, "is in the address that is read");
    Buffer buffer;
    std::memset(buffer.bytes, 0xCD, sizeof buffer.bytes);
    const u64 at = w.col<const u64>(i->a)[first_lane(m)] + static_cast<u64>(i->imm);
    std::uint32_t cycles = 0;
    if (has_good_place(w, i, m, p, at, w.col<const u32>(i->c)[first_lane(m)])) {
        const auto before = [](const TensorStep&, int, std::size_t) {};
        const auto after = [&](const TensorStep& s, const Lanes& l, int lane, std::size_t to, bool is_good) {
            if (!is_good) return;
            const auto bytes = static_cast<std::size_t>(s.bytes);
            std::memcpy(&buffer.bytes[to], l.at(lane, bytes), bytes);
            if (l.undefined == nullptr) return;
            if (!buffer.any_undefined) std::memset(buffer.undefined, 0, sizeof buffer.undefined);
            buffer.any_undefined = true;
            std::memcpy(&buffer.undefined[to], l.undefined->bits[lane], bytes);
            for (std::size_t b = 0; b < bytes; ++b) buffer.origin[to + b] = l.undefined->origin[lane][b / 4];
        };
        cycles = access_all(w, i, m, p, {.use = Use::read}, before, after);
    }
    fill_registers(w, m, p, buffer);
    make_ready(w, p.d, w.now + cycles);
    return i + 1;
}

const Instr* store_fragment(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!together(i, w, m, next)) return next;
    const TensorPlan& p = plan_of(w, i);
    decide_place(w, i, m, "is in the address that is written");
    if (w.run->counting) w.latest = std::max(w.latest, ready_at(w, p.d));
    const u64 at = w.col<const u64>(i->a)[first_lane(m)] + static_cast<u64>(i->imm);
    if (!has_good_place(w, i, m, p, at, w.col<const u32>(i->c)[first_lane(m)])) return i + 1;
    Buffer buffer;
    const auto bytes = static_cast<std::size_t>(p.d.shape.bytes);
    UndefinedElements undefined;
    if (w.shadow) undefined_elements(w, p.d, undefined);
    for (int e = 0; e < p.d.shape.elements(); ++e) {
        const u8* from = w.col<const u8>(p.d.columns[static_cast<std::size_t>(p.d.register_of(e))]);
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::size_t to = buffer_place(p, e, lane);
            std::memcpy(&buffer.bytes[to], from + lane * p.d.register_bytes() + p.d.byte_of(e), bytes);
            if (!undefined.any) continue;
            const OriginId origin = undefined.origin[p.d.place[static_cast<std::size_t>(e * kLanes + lane)]];
            std::memset(&buffer.undefined[to], origin != 0 ? 0xFF : 0, bytes);
            for (std::size_t b = 0; b < bytes; ++b)
                buffer.origin[to + b] =
                    (origin & kOriginNumber) != 0 || origin == 0 ? origin : w.run->reporter.variable_origin(w, i);
        }
    }
    // A lane writes what the step says, whoever holds it.
    alignas(16) u8 values[kLanes * kRowBytes];
    RequestBits bits{};
    const auto before = [&](const TensorStep& s, int lane, std::size_t from) {
        const auto count = static_cast<std::size_t>(s.bytes);
        std::memcpy(values + static_cast<std::size_t>(lane) * count, &buffer.bytes[from], count);
        if (!undefined.any) return;
        std::memcpy(bits.bits[lane], &buffer.undefined[from], count);
        for (std::size_t b = 0; b < count; b += 4)
            for (std::size_t one = b; one < std::min(b + 4, count); ++one)
                if (buffer.undefined[from + one] != 0) bits.origin[lane][b / 4] = buffer.origin[from + one];
    };
    const auto after = [&](const TensorStep& s, const Lanes& l, int lane, std::size_t, bool) {
        const auto count = static_cast<std::size_t>(s.bytes);
        std::memcpy(l.at(lane, count), values + static_cast<std::size_t>(lane) * count, count);
    };
    access_all(w, i, m, p, {.use = Use::write, .values = values, .undefined = undefined.any ? &bits : nullptr}, before,
               after);
    return i + 1;
}

}  // namespace

void tensor_load_or_store(Decoder& d, const TensorForm& form) {
    const bool is_load = form.work == TensorWork::load;
    auto plan = std::make_shared<TensorPlan>();
    plan->form = form;
    plan->d = held_fragment(d, d.operand(is_load ? 0 : 1), form, form.part);
    const MatrixFragment& f = plan->d.shape;
    plan->is_as_held = form.columns_first == f.is_by_column;
    plan->lines = plan->is_as_held ? f.lines : f.along;
    const int width = plan->is_as_held ? f.along : f.lines;
    plan->line_bytes = width * f.bytes;
    const bool is_shared = d.has("shared") || d.has("shared::cta");
    add_steps(*plan, is_shared);
    std::int64_t offset = 0;
    const Column a = decode_address(d, d.operand(is_load ? 1 : 0), offset);
    const auto natural = static_cast<std::uint64_t>(plan->line_bytes * 8 / bits_of(form.a));
    const Column stride = d.operands() > 2 ? d.value(2, Type::u32) : d.constant(natural, 4);
    Instr& i = d.emit(is_load ? load_fragment : store_fragment, kNone, a, d.constant(kAllLanes, 4), stride);
    i.imm = offset;
    i.space = d.has("global") ? kGlobal : is_shared ? kShared : kGeneric;
    i.aux = static_cast<std::uint32_t>(d.function.tensor_plans.size());
    d.function.tensor_plans.push_back(std::move(plan));
    d.passes(Rule::fragments);
}

}  // namespace vgpu
