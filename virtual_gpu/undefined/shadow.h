// Undefined values in registers: a shadow with one bit for each bit of a register, set if nothing has defined it.
//
// Only frames that hold such a bit have a shadow. A warp runs at full speed until it gets an undefined value, from a
// load, a shuffle, or a register that may be read before it is written. It then checks each instruction's registers
// until all are defined again.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/undefined/bytes.h"

namespace vgpu {

struct Frame;
struct Run;

constexpr int kMostRequestBytes = 16;  // of a lane

// The undefined bits of what a request reads or writes, lane by lane.
struct RequestBits {
    std::uint8_t bits[32][kMostRequestBytes];
    OriginId origin[32][kMostRequestBytes / 4];
};

// Of a frame's registers and parameters.
class Shadow {
  public:
    explicit Shadow(const Function& f) { reset(f); }
    void reset(const Function&);

    bool any() const { return count_ != 0; }
    void watch(bool on) { count_ += on ? 1 : -1; }  // the frame is looked at even if all is defined
    bool any(Column c) const { return (c & kConstantBit) == 0 && any_[c >> 6] != 0; }
    // Lanes in which bits of the column are undefined. `bytes` of a lane; 0: a predicate, here and below.
    Mask undefined(Column, int bytes) const;
    // The bits as 64-bit values, lane by lane; all 0 for a constant.
    void get(Column, int bytes, std::uint64_t (&out)[32]) const;
    // Sets the bits of the lanes in `mask`.
    void put(Column, int bytes, Mask mask, const std::uint64_t (&bits)[32], const OriginId (&origin)[32]);
    void define(Column c, int bytes, Mask mask) {
        if (any_[c >> 6] != 0) clear(c, bytes, mask);
    }
    OriginId* origins(Column c) { return &origins_[(c >> 6) * 32]; }
    const OriginId* origins(Column c) const { return &origins_[(c >> 6) * 32]; }
    // A register that nothing was written to.
    void leave_unwritten(Column, int bytes, Mask);

    // Parameters and results of calls: bytes of the frame's parameters.
    bool any_params() const { return any_params_; }
    std::uint8_t* param_bits(std::size_t at) { return &param_bits_[at]; }
    OriginId& param_origin(std::size_t at) { return param_origins_[at / 4]; }
    void need_params(const Function&);

  private:
    void clear(Column, int bytes, Mask);
    void note(Column, int bytes);

    std::vector<std::uint8_t> bits_;
    std::vector<OriginId> origins_;  // 32 for each 64 bytes of registers
    std::vector<std::uint8_t> any_;  // a flag for each 64 bytes of registers
    int count_ = 0;                  // of flags that are set, of any_params_, and of watch()
    bool any_params_ = false;
    std::vector<std::uint8_t> param_bits_;
    std::vector<OriginId> param_origins_;
};

// The values of a column, as 64-bit numbers.
void get_values(const Warp&, Column, int bytes, std::uint64_t (&out)[32]);

enum VoteMode : std::uint8_t { kAll, kAny, kUni, kBallot };

// ---- in shadow.cc ----
// Passes undefined bits from sources to results, before the instruction runs, for the lanes in `mask`.
// `guarded`: the mask before the instruction's guard.
void pass_on(Warp&, const Instr*, Mask mask, Mask guarded);
// Undefined bits of a column decide something: a finding for each lane, after which they count as defined.
void decide(Warp&, const Instr*, Mask, Column, int bytes, const char* what);
// The registers of a load that has got undefined values; each has `bytes` of the lane's, then as wide as `wide`.
void loaded_undefined(Warp&, Mask, const RequestBits&, const Column* columns, int parts, int bytes, int wide,
                      bool is_signed);
// The undefined bits of the registers that a store writes; nullptr: there are none.
const RequestBits* stored_undefined(Warp&, const Instr*, Mask, const Column* columns, int parts, int bytes, int wide);
// An atomic has read undefined bits of memory.
void changed_undefined(Warp&, const Instr*, Mask, const RequestBits&, int bytes);
// Lanes of a shuffle that read from a lane that was not there. `from`: of the lanes that read.
void shuffled_undefined(Warp&, const Instr*, Mask, const std::uint32_t (&from)[32], Mask absent);
// Of operations on the lanes of a warp, after they have met: bits of the result that depend on undefined ones.
void voted_undefined(Warp&, const Instr*, Mask, Mask values, VoteMode);
void matched_undefined(Warp&, const Instr*, Mask);
void reduced_undefined(Warp&, const Instr*, Mask);
void param_stored(Warp&, const Instr*, Mask);
void param_loaded(Warp&, const Instr*, Mask);
// The bytes of a range of parameters, from one frame to another.
void params_passed(const Frame& from, std::size_t from_at, Frame& to, std::size_t to_at, std::size_t bytes, Mask);
void params_defined(Frame&, int lane, std::size_t at, std::size_t bytes);
// Whether a lane's bytes at a generic address hold undefined bits; then, of which origin.
bool is_undefined(Warp&, const Instr*, int lane, std::uint64_t generic, int bytes, OriginId&);
// The runtime has written there for the lane.
void now_written(Warp&, int lane, std::uint64_t generic, int bytes);
void use_undefined(Warp&, const Instr*, int lane, OriginId, const char* what);

// ---- in either_way.cc ----
// Lanes for which both ways of the branch come to the same, as far as is known. At the end of both ways, the registers
// that differ become undefined.
Mask choose_either_way(Warp&, const Instr* branch, Mask unsure);
void end_either_ways(Warp&, const Instr*, Mask);

// ---- in arithmetic.cc ----
// For instructions that only compute: sets the result's undefined bits.
void pass_arithmetic(Warp&, const Instr*, Mask, const Passing&);

}  // namespace vgpu
