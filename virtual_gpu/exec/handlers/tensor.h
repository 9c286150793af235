// What wmma and mma.sync have in common: their fragments as the decoder prepares them, and how lanes come together.
#pragma once

#include <array>
#include <vector>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/ptx/tensor_form.h"

namespace vgpu {

// A fragment in this function's registers.
struct HeldFragment {
    ptx::MatrixFragment shape;
    std::vector<Column> columns;  // of its registers, copies included
    // Where the elements of each lane are in the matrix, line after line: element e of lane t at e * 32 + t.
    std::vector<std::uint16_t> place;

    int register_bytes() const { return size_of(shape.register_type); }
    int register_of(int element) const { return element * shape.bytes / register_bytes(); }
    int byte_of(int element) const { return element * shape.bytes % register_bytes(); }
    int size() const { return shape.lines * shape.along; }
};

// One access of a load or store: what each lane reads or writes.
struct TensorStep {
    int bytes = 0;
    Mask lanes = 0;
    std::array<std::uint16_t, kLanes> line{}, at{};  // in memory: which row or column, and the byte in it
    bool continues = false;                          // it is one request with the step before
};

struct TensorPlan {
    ptx::TensorForm form;
    HeldFragment d, a, b, c;  // of a load or store: d
    std::vector<TensorStep> steps;
    int line_bytes = 0, lines = 0;  // of the matrix in memory
    bool is_as_held = false;        // its lines in memory are the fragment's
};

// The most elements, and the most bytes, of a matrix.
constexpr int kMostElements = 512, kMostMatrixBytes = 1024;

// Undefined elements of a matrix: where each comes from, or 0. Of registers that nothing was written to: kComputed.
struct UndefinedElements {
    bool any = false;
    std::array<OriginId, kMostElements> origin{};
};

// True: all lanes of the warp that still run are here. False: the handler returns `next`.
bool together(const Instr*, Warp&, Mask, const Instr*& next);
HeldFragment held_fragment(Decoder&, const ptx::Operand&, const ptx::TensorForm&, char part);
// Of the registers that a fragment reads: when they are ready. For results: they will be so at `time`.
std::uint64_t ready_at(const Warp&, const HeldFragment&);
void make_ready(Warp&, const HeldFragment&, std::uint64_t time);
// The undefined elements among those that lanes hold.
void undefined_elements(const Warp&, const HeldFragment&, UndefinedElements&);
// Sets which bits of its registers are undefined.
void set_undefined(Warp&, Mask, const HeldFragment&, const UndefinedElements&);

void tensor_load_or_store(Decoder&, const ptx::TensorForm&);
void tensor_multiply(Decoder&, const ptx::TensorForm&);

}  // namespace vgpu
