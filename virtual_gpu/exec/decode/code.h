// Decoded code: what the interpreter's inner loop walks over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/ptx/bypass.h"
#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/what_if/rules.h"

namespace vgpu {

using ptx::Opcode;
using Mask = std::uint32_t;
constexpr Mask kAllLanes = ~Mask{0};

struct Instr;
struct Warp;
// Executes an instruction for the lanes in `mask` (never empty) and returns the next one; nullptr: the fragment stops,
// for the reason in Warp::stop.
using Handler = const Instr* (*)(const Instr*, Warp&, Mask mask);

// A register is a column of 32 lanes; a predicate is one 32-bit mask; an immediate is a column of the module's
// constants. An operand is the column's byte offset: in the constants if its top bit is set, else in the frame.
using Column = std::uint32_t;
constexpr Column kNone = 0;  // no register has this column
constexpr Column kConstantBit = 0x8000'0000u;
constexpr Column kNoColumn = 0xFFFF'FFFFu;
constexpr std::uint32_t column_bytes(int bytes) { return bytes <= 2 ? 64 : static_cast<std::uint32_t>(bytes) * 32; }

struct Instr {
    Handler run = nullptr;
    Column d = 0, a = 0, b = 0, c = 0;
    Column guard = kNoColumn;
    std::uint32_t source = 0;  // number of the PTX instruction in its function
    std::int64_t imm = 0;      // offset of an address, branch target (decoded index), or as the handler likes
    std::uint32_t aux = 0;     // index into a side table, or as the handler likes
    bool guard_negated : 1 = false;
    bool hidden : 1 = false;        // a helper that the decoder put in: not counted
    Opcode opcode = Opcode::other;  // of the PTX instruction that it is, or helps; other: of none
    std::uint8_t small = 0;         // as the handler likes
    std::uint8_t space = 0;         // of memory, for ld and st
};

// For the latency chain: each operand's slot in Frame::ready, its column / 64. Slot 0 is always ready, slot 1 a sink.
struct Timing {
    std::uint32_t d = 1, a = 0, b = 0, c = 0, guard = 0;
    std::uint8_t latency = kAlu;
    bool stays = false;  // the assembler moves no other instruction across it
};

// Instructions that count, and those of them for units that are few.
struct Work {
    std::uint64_t instructions = 0, f64 = 0, sfu = 0;
};

// How undefined bits of the sources become undefined bits of the result.
enum class Rule : std::uint8_t {
    any,       // one undefined bit makes all of the result undefined
    upward,    // sums: the bits from the lowest undefined one on
    multiply,  // as `upward`, and 0 times anything is 0
    multiply_add,
    halves,  // `any`, for each 16 bits
    half_pair,
    bit_and,
    bit_or,
    bit_xor,
    lop3,
    moves,   // the instruction itself moves the bits of the operands in Passing::moved; the others say where to
    select,  // c is the predicate
    select_by_sign,
    compare,  // of integers, with c as a predicate
    compare_signed,
    compare_equal,
    compare_float,
    carry,
    pack,
    unpack,
    // From here on, undefined operands decide something; the handler does the rest.
    load,
    store,
    atomic,
    copy,
    barrier,
    branch,
    call,
    effect,  // other instructions that do more than write registers
    shuffle,
    across_lanes,
    fragments,  // wmma and mma.sync: the handler passes them on
    late_check,
    load_param,
    store_param
};
constexpr bool decides(Rule r) { return r >= Rule::load; }

// Where a plain load reads. `elsewhere`: parameters, constants or local memory; or the load is strong.
enum class LoadsFrom : std::uint8_t { elsewhere, global, shared, generic };

// How an instruction passes undefined bits on: its rule, and the bytes per lane of each column (0: a predicate).
struct Passing {
    Rule rule = Rule::any;
    std::uint8_t d = 0, a = 0, b = 0, c = 0;
    std::uint8_t moved = 1;  // of `moves`: 1 a, 2 b, 4 c; of a load: 2 if it extends the sign
    std::uint8_t more = 0;   // bytes of a fourth source, of a vector's parts, or of a value in memory
    std::uint8_t parts = 1;
    LoadsFrom in = LoadsFrom::elsewhere;
    std::uint8_t in_memory = 0;  // of a load: bytes of a part
};

struct Function;
struct TensorPlan;  // handlers/tensor.h

// A call's arguments: bytes to copy between a caller's .param temporaries and a callee's parameters.
struct CallSite {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> argument_places, return_places;  // offset, bytes
    const Function* callee = nullptr;
    std::string name;
    Column target = 0;  // of an indirect call
};

struct ParamPlace {
    std::string name;
    std::uint32_t offset = 0, bytes = 0;
};

struct Function {
    std::string name;
    const ptx::Function* source = nullptr;
    int number = 0;              // in its module; the address of function n is a multiple of 16 in a window of its own
    std::vector<Instr> code;     // ends with an implicit ret
    std::vector<Timing> timing;  // parallel to code
    std::vector<Work> work;      // before each instruction, and before the end
    std::vector<Passing> passing;                            // and to this
    std::vector<std::pair<Column, std::uint8_t>> unwritten;  // may be read before they are written: column, bytes
    std::vector<Column> columns;                             // of each PTX register
    Column carry = kNone;                                    // the condition code
    std::vector<std::uint32_t> start;                        // decoded index of each PTX instruction (and of the end)
    std::uint32_t register_bytes = 128;                      // the first two columns mean "none"
    std::uint32_t local_bytes = 0;                           // of one frame and lane
    std::uint32_t param_bytes = 0;  // parameters, results and temporaries of calls, of one frame and lane
    std::vector<ParamPlace> params, returns;
    std::vector<std::uint32_t> lists;  // side tables: columns of vectors, targets of brx
    std::vector<CallSite> calls;
    std::vector<std::shared_ptr<const TensorPlan>> tensor_plans;
    std::vector<ptx::Bypass> bypasses;
    std::vector<std::string> texts;  // what is missing, where an instruction is not implemented
    std::vector<int> shared_used;    // numbers of the module's shared variables that the body names
    std::vector<int> callees;        // functions that the body calls or takes the address of
    bool calls_indirectly = false, is_defined = false, is_decoded = false;
    bool has_address = false;       // code or a variable takes its address: it may be called through a pointer
    bool may_draw_tickets = false;  // see exec/decode/atomics.h
    bool is_order_free = false;     // see exec/decode/order_free.h
    bool waits_for_clock = false;   // this and the next: see exec/decode/clock_reads.h
    bool counts_to_a_limit = false;
    int live_registers = 0;        // rough estimate, 32-bit registers
    std::uint32_t count_base = 0;  // where this function's counters start in the module's

    const Passing& passing_of(const Instr* i) const { return passing[static_cast<std::size_t>(i - code.data())]; }
};

struct SharedVariable {
    std::string name;
    std::uint32_t bytes = 0, align = 1;
    bool dynamic = false, reserved = false;
};
// The shared memory of a block that CUDA reserves, named by the register that holds its address. It holds zeros.
// Cooperative groups keep tiles of several warps there, from compute capability 8.0 on.
inline constexpr const char* kReservedShared = "%reserved_smem_offset_1";
constexpr std::uint32_t kReservedSharedBytes = 512;

// Addresses in the shared space: each variable has a window of its own, so that overrunning one never hits the next.
constexpr int kSharedBits = 20;
constexpr std::uint32_t shared_address(int number) { return static_cast<std::uint32_t>(number + 1) << kSharedBits; }

constexpr DevicePtr kFunctionWindow = 0x0300'0000'0000;
constexpr DevicePtr kParamWindow = 0x0400'0000'0000;  // a kernel's parameters, for code that takes their address
constexpr DevicePtr kLaunchWindow = 0x0500'0000'0000, kLaunchSlot = 8192;  // arguments of launches by kernels

struct Module {
    ptx::Program program;
    std::vector<std::unique_ptr<Function>> functions;
    std::unordered_map<std::string, int> function_numbers;
    std::unordered_map<std::string, int> shared_numbers;
    std::unordered_set<std::string> waiting;  // functions with a barrier in them, or in one that they call
    std::vector<SharedVariable> shared;
    struct Symbol {
        DevicePtr address = 0;
        std::uint64_t bytes = 0;
    };
    std::unordered_map<std::string, Symbol> symbols;
    std::vector<std::uint8_t> constants;   // columns of immediates
    std::uint8_t* constants_at = nullptr;  // the same, 64-byte aligned, once something is decoded
    // The last has all of them, with room for more. A kernel that is running may use the ones before.
    std::vector<std::vector<std::uint8_t>> constants_storage;
    std::unordered_map<std::string, Column> constant_columns;
    std::vector<std::uint8_t> constant_bytes;  // of a lane, for each 64 bytes of constants
    std::uint32_t instructions = 0;            // PTX instructions of all functions
    what_if::Rules rules;                      // under which its functions are decoded
};

// Makes an entry for each function of module.program; none is decoded yet.
void declare_functions(Module&);
// Decodes a function and all that it may call or launch, where that has not been done. Not while the warps of a
// kernel run, but between their turns.
void decode(Module&, Function&);
// "12: @%p1 ld.global.u32 d=%r1 a=%rd4 imm=16 ...", of a function that has been decoded.
std::string to_string(const Module&, const Function&, const Instr&);
// From now on the module is decoded under these rules, anew if need be.
void use_rules(Module&, const what_if::Rules&);

}  // namespace vgpu
