// Turns PTX instructions into decoded ones. Each family of instructions registers its decoders in a table.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/exec/decode/late_checks.h"

namespace vgpu {

namespace what_if {
class Hooks;
}

// Thrown by a decoder: the instruction becomes one that stops the kernel when it is reached. A type of its own: no
// exception of the library, which would be a bug of the decoder, passes for it.
struct Unsupported {};

class Decoder {
  public:
    Decoder(Module& module, Function& function);
    ~Decoder();
    void run();

    Module& module;
    Function& function;
    const ptx::Function& source;
    const ptx::Instruction* in = nullptr;  // the instruction at hand
    std::uint32_t number = 0;

    bool has(std::string_view modifier) const;
    // The n-th modifier that is a type; Unsupported if there is none.
    ptx::Type type(int n = 0) const;
    int types() const;
    const ptx::Operand& operand(std::size_t n) const;
    std::size_t operands() const { return in->operands.size(); }
    // The n-th part of a vector operand, or of a pair a|b; Unsupported if it has none.
    static const ptx::Operand& part(const ptx::Operand&, std::size_t n);

    // A source operand as a column of values of this type (immediates are converted, registers of another width
    // resized).
    Column value(const ptx::Operand&, ptx::Type);
    Column value(std::size_t n, ptx::Type t) { return value(operand(n), t); }
    Column predicate(const ptx::Operand&);          // negation is resolved
    Column result(const ptx::Operand&, ptx::Type);  // wider registers are extended after the instruction
    Column result(std::size_t n, ptx::Type t) { return result(operand(n), t); }
    Column result_predicate(const ptx::Operand&);
    Column register_column(int index) const {
        if (index < 0) throw Unsupported{};  // the operand is no register
        return columns_.at(static_cast<std::size_t>(index));
    }
    // A half of a 128-bit register, which has two columns: 0 the lower 64 bits, 1 the upper.
    Column half_column(int index, int half) const;
    int register_bytes(int index) const;  // 2, 4, 8; 0 for a predicate

    Column constant(std::uint64_t bits, int bytes);
    Column temporary(int bytes);  // bytes of a lane; 0: a predicate
    Column carry();               // the condition code
    std::uint64_t immediate_bits(const ptx::Operand&, ptx::Type) const;
    // The address of a symbol in its own space, or in generic space.
    bool symbol_address(const std::string& name, bool generic, std::uint64_t& out);
    bool local_offset(const std::string& name, std::uint64_t& out) const;
    bool param_place(const std::string& name, ParamPlace& out) const;  // of this function's .param variables
    bool kernel_param(const std::string& name, ParamPlace& out) const;

    Instr& emit(Handler, Column d, Column a, Column b, Column c, LatencyClass);
    Instr& emit(Handler h, Column d, Column a = kNone, Column b = kNone, Column c = kNone) {
        return emit(h, d, a, b, c, in ? row_of(in->opcode).latency : kAlu);
    }
    // Decodes an instruction that the text does not have, hidden; as the one at hand.
    void extra(const ptx::Instruction&);
    void instruction(const ptx::Instruction&);
    int add_register(int bytes);  // that the text does not have: its number
    Instr& emit_hidden(Handler, Column d, Column a = kNone, Column b = kNone, Column c = kNone);
    // Whether the race check of the load at hand comes later (late_checks.h). The offset is that to a generic address.
    bool check_late(int bytes, Column address, std::int64_t offset, std::uint8_t order);
    bool takes_volatile_data();     // volatile_data.h: of the load at hand
    bool counts_as_atomic() const;  // under a what-if rule
    // How the last instruction passes undefined bits on; without it, by Rule::any.
    Passing& passes(Rule);

  private:
    void mark_bypasses();
    void check_loads(bool after_load);  // late_checks.h
    void go_to(std::uint32_t instruction);
    void resize(Column to, int to_bytes, Column from, int from_bytes, bool is_signed);
    void layout();

    std::uint8_t bytes_of(Column) const;

    std::vector<Column> columns_;
    std::vector<std::uint8_t> widths_{0, 0};  // bytes of a lane, for each 64 bytes of registers
    std::unordered_map<std::string, std::uint64_t> local_offsets_;
    std::unordered_map<std::string, ParamPlace> params_;
    Column carry_ = kNone;
    struct After {
        Column to;
        int to_bytes;
        Column from;
        int from_bytes;
        bool is_signed;
    };
    std::vector<After> after_;
    std::unique_ptr<what_if::Hooks> hooks_;  // nullptr: no rule changes this function
    std::vector<bool> volatile_data_;
    std::vector<LateCheck> late_;  // by LateCheck::before
    struct LateLoad {
        int bytes = 0;  // of a lane; 0: the load is not implemented
        Column address = kNone;
        std::int64_t offset = 0;
        std::uint8_t order = 0;  // of Order
    };
    std::unordered_map<std::uint32_t, LateLoad> late_loads_;  // by LateCheck::load
};

constexpr std::uint8_t kIsBranch = 0xB0;  // Instr::small: imm is an instruction of PTX until all are decoded

// Whether it waits at a barrier of the block, or calls a function that may.
bool waits(const Module&, const ptx::Instruction&);

// By opcode; nullptr: not implemented.
class DecodeTable {
  public:
    using Decode = void (*)(Decoder&);
    Decode& operator[](Opcode opcode) { return decoders_[static_cast<std::size_t>(opcode)]; }
    Decode operator[](Opcode opcode) const { return decoders_[static_cast<std::size_t>(opcode)]; }

  private:
    std::array<Decode, ptx::kOpcodes.size()> decoders_{};
};
void add_integer(DecodeTable&);
void add_bits(DecodeTable&);
void add_float(DecodeTable&);
void add_float_approximate(DecodeTable&);
void add_compare(DecodeTable&);
void add_convert(DecodeTable&);
void add_move(DecodeTable&);
void add_matrix(DecodeTable&);
void add_memory(DecodeTable&);
void add_copies(DecodeTable&);
void add_mbarrier(DecodeTable&);
void decode_copies_arrive(Decoder&);  // cp.async.mbarrier.arrive
void decode_bulk_copy(Decoder&);
void add_atomic(DecodeTable&);
void add_control(DecodeTable&);
void add_tensor(DecodeTable&);
void add_texture(DecodeTable&);
void add_warp(DecodeTable&);

bool has_decoder(Opcode);

Handler unsupported_handler();
Handler return_handler();
Handler branch_handler();
// Branches whose lanes go past barriers: where the branch is taken, and a hidden instruction behind it where it is not.
Handler branch_past_barriers_handler();
Handler past_barriers_handler();
// Copies a column into one of another width, cutting or extending.
Handler resize_handler(int to_bytes, int from_bytes, bool is_signed);
Handler late_check_handler();  // of a load of aux bytes of a lane, at the generic address a + imm
Handler not_predicate_handler();
Handler local_address_handler();  // the frame's place on the stack + imm, 64 bits
// The address operand of a memory instruction as a 64-bit column and an offset.
Column decode_address(Decoder&, const ptx::Operand&, std::int64_t& offset);
std::uint8_t decode_order(const Decoder&);                          // acquire, release, scope: of Order in access.h
Handler special_handler(const std::string& name, ptx::Type& type);  // nullptr: no such register

inline bool is_signed_type(ptx::Type t) {
    return t == ptx::Type::s8 || t == ptx::Type::s16 || t == ptx::Type::s32 || t == ptx::Type::s64;
}
inline bool is_float_type(ptx::Type t) { return t == ptx::Type::f32 || t == ptx::Type::f64; }

}  // namespace vgpu
