// 32-bit arithmetic on its way to an address or a bound, in 64 bits: beside each register that takes part, one with
// the value that it would have if it were wide enough.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/exec/decode/decoder.h"

namespace vgpu::what_if {

class Wide {
  public:
    explicit Wide(Decoder&);
    // An address or a comparison: from the wide values, if the rules say so.
    bool instead(Decoder&);
    // Arithmetic, or whatever else a narrow register gets its value from: the wide one gets its own.
    void after(Decoder&);

  private:
    enum Needs : std::uint8_t { kSigned = 1, kUnsigned = 2 };  // as what an address or a comparison reads it
    struct Value {
        std::uint8_t needs = 0;
        bool is_uniform = true;  // the same for all threads: a bound rather than an index
        int bytes = 0;
        bool is_float = false;     // or bits of one
        bool is_computed = false;  // by an addition or a subtraction
        bool is_compared = false;  // itself, not only what is computed from it
        int wide = -1;             // the register beside it
        bool is_bound() const { return is_uniform && is_computed; }
        bool is_signed() const { return (needs & kSigned) != 0; }
    };
    bool has(const ptx::Operand&) const;
    // Arithmetic that is done in 64 bits as well: how many of its sources are numbers; 0: it is not.
    int followed(const ptx::Instruction&) const;
    bool is_number(const ptx::Operand&) const;
    bool is_of_sign(const ptx::Instruction&) const;
    void find_needs(const ptx::Function&);
    void find_uniform(const ptx::Function&);
    void find_bits_of_floats(const ptx::Function&);
    ptx::Operand wide(const ptx::Operand&, bool of_unsigned) const;
    ptx::Operand as_read(Decoder&, const ptx::Operand&, bool may_be_negative) const;
    void watch(Decoder&) const;

    std::vector<Value> values_;        // by register of the text
    std::vector<std::uint8_t> signs_;  // 1: all its bits are the sign of another register
    bool replaces_ = false, watches_ = false;
};

}  // namespace vgpu::what_if
