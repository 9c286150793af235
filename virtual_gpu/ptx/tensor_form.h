// wmma and mma.sync as data: shapes, types, and which elements of a matrix each lane holds.
//
// All fragments are made of tiles. A tile has eight lines; lane t has a part of line t/4: `unit` elements from
// `unit * (t % 4)` on. A line is a row of a, and a column of b. The tiles of wmma's fragments, which NVIDIA leaves
// unspecified, are those of an H100 and an H200; those of mma.sync are PTX's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

enum class Number : std::uint8_t { f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32 };
int bits_of(Number);

enum class TensorWork : std::uint8_t { load, store, multiply };
enum class Rounding : std::uint8_t { nearest, zero, down, up };

struct TensorForm {
    TensorWork work{};
    bool is_wmma = false;
    char part = 0;  // of a load or store: 'a', 'b', 'c'
    int m = 0, n = 0, k = 0;
    Number a{}, b{}, c{}, d{};
    bool columns_first = false;  // of a load or store: the matrix lies in memory column by column
    bool saturates = false;      // integers
    bool has_and = false;        // single bits: and instead of exclusive or
    Rounding rounding{};         // f64
};

// Of a lane: `elements` of `bytes` each, in registers; some fragments hold everything several times. Numbers of less
// than 8 bits count by 32 bits: an element is a word of them.
struct MatrixFragment {
    struct Tile {
        int line, along;  // its first
    };
    int lines = 0, along = 0;   // of the matrix
    bool is_by_column = false;  // a line is a column
    int bytes = 0;
    int unit = 0;
    std::vector<Tile> tiles;
    int registers = 0;
    Type register_type{};

    int elements() const { return static_cast<int>(tiles.size()) * unit; }
    int distinct_registers() const { return elements() * bytes / size_of(register_type); }
};

// The form of an instruction; empty: there is none, or it is not implemented.
std::optional<TensorForm> tensor_form(const Instruction&);
// Whether it is a form of PTX that is not implemented here.
bool is_missing_tensor_form(const Instruction&);
int capability_of(const TensorForm&);        // the first target that has it
std::size_t operands_of(const TensorForm&);  // without the stride, which may be absent
// 'a', 'b', 'c', 'd'.
MatrixFragment fragment_of(const TensorForm&, char part);

}  // namespace vgpu::ptx
