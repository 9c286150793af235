// PTX as data: what the parser makes and the linker joins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/opcode.h"

namespace vgpu::ptx {

// A place in the student's source; file indexes Program::files, 0 means unknown.
struct Location {
    int file = 0;
    int line = 0;
    int inlined_at = -1;  // index into Program::inline_sites: the call this was inlined into, -1 for none
    friend bool operator==(const Location&, const Location&) = default;
};

enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    f32,
    f64
};
int size_of(Type);                  // bytes; pred counts 1
Type type_named(std::string_view);  // "u32" or ".u32"; none if there is no such type
std::string_view name_of(Type);     // "u32"
enum class Space : std::uint8_t { generic, param, global, shared, local, constant };

struct Operand {
    enum class Kind : std::uint8_t {
        reg,      // index: register number in the function
        imm,      // bits: integer value sign-extended, or the bits of a double (is_float; 0f... is widened: see below)
        symbol,   // name + offset: address of a variable, a function, or a param
        special,  // name: "%tid.x", "%laneid", "%envreg1", "WARP_SZ" ...
        label,    // index: instruction number in the function
        label_list,  // for brx.idx: targets
        vector,      // elements: {%r1, %r2}
        address,     // [reg or symbol + offset]: `index` register or -1, `name` symbol or "", offset
        sink,        // _
    } kind = Kind::imm;
    int index = -1;
    bool negated = false;  // !%p1
    std::uint64_t bits = 0;
    bool is_float =
        false;  // immediate written as 0f........ (bits = float bits) or 0d (double bits) or decimal 1.5 (double bits)
    int float_width = 0;  // 32 or 64 when is_float
    std::string name;
    std::int64_t offset = 0;
    bool generic = false;           // symbol written as generic(name): its generic address
    std::vector<Operand> elements;  // of a vector; of an address: coordinates of a texture or tensor
    std::vector<int> targets;
    // setp's second predicate and shfl's predicate: "%p1|%p2" parses as a vector of two.
};

// A parameter or a result, as far as a call has to know it.
struct ParamShape {
    std::uint64_t bytes = 0;
    int align = 1;
    bool is_array = false;
    friend bool operator==(const ParamShape&, const ParamShape&) = default;
};
struct Prototype {
    std::vector<ParamShape> returns, params;
    friend bool operator==(const Prototype&, const Prototype&) = default;
};

struct Instruction {
    Opcode opcode = Opcode::other;
    std::string other;                   // its name, if the opcode is another one
    std::vector<std::string> modifiers;  // "global", "v4", "u32"
    int guard = -1;                      // predicate register, -1 for none
    bool guard_negated = false;
    std::vector<Operand> operands;  // as written; call: see Call
    Location where;
    std::uint32_t unused_bytes = 0;  // a load's bytes that are padding (.pragma "used_bytes_mask"), one bit each
    int ptx_line = 0;
    // call only:
    struct Call {
        std::vector<std::string> returns, arguments;  // names of .param variables of the calling function
        std::string callee;                           // function name; empty when indirect
        int callee_register = -1;
        Prototype prototype;               // of an indirect call: as the PTX declares it
        std::vector<std::string> targets;  // or the functions that it may call, by .calltargets
    };
    std::optional<Call> call;

    bool is(unsigned facts) const { return ptx::is(opcode, facts); }
    bool has(std::string_view modifier) const {
        return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
    }
    std::string_view name() const { return opcode == Opcode::other ? std::string_view(other) : row_of(opcode).name; }
};
std::string name_of(const Instruction&);  // "ld.global.u32"
bool has_result(const Instruction&);      // its first operand
// Whether its modifiers make an access strong: volatile, relaxed, acquire, release, or to memory of another device.
// Atomics are strong without any, and not asked for here.
bool is_strong(const Instruction&);

// Calls f with the number of each register that the operand names, in a vector or an address, too.
template <class F>
void each_register(const Operand& op, const F& f) {
    if ((op.kind == Operand::Kind::reg || op.kind == Operand::Kind::address) && op.index >= 0) f(op.index);
    for (const Operand& element : op.elements) each_register(element, f);
}
// Likewise those that an instruction reads. Those that it writes: each_register() of its result.
template <class F>
void each_source(const Instruction& i, const F& f) {
    for (std::size_t n = has_result(i) ? 1 : 0; n < i.operands.size(); ++n) each_register(i.operands[n], f);
    if (i.guard >= 0) f(i.guard);
    if (i.call && i.call->callee_register >= 0) f(i.call->callee_register);
}

struct Register {
    std::string name;
    Type type;
};

struct Variable {
    std::string name;  // unique in its function or program
    Space space = Space::global;
    Type type = Type::b8;     // element type
    std::uint64_t count = 1;  // elements; 0 for `extern .shared x[]`
    int align = 1;
    bool is_extern = false, is_visible = false, is_weak = false;
    std::vector<std::uint8_t> initial;  // bytes; empty: zero (global, const) or none
    struct Relocation {
        std::uint64_t at;
        std::string symbol;
        std::int64_t addend;
        bool generic;
    };
    std::vector<Relocation> relocations;
    Location where;
    int ptx_line = 0;
    bool is_array = false, is_vector = false;
    std::uint64_t bytes() const { return count * static_cast<std::uint64_t>(size_of(type)); }
};

struct Function {
    std::string name;
    bool is_entry = false, is_extern = false, is_visible = false, is_weak = false;
    std::vector<Variable> params, returns;  // in .param space, in order
    std::vector<Register> registers;
    std::vector<Variable> locals;   // .local variables and .param temporaries of calls (scoped names made unique)
    std::vector<Variable> shared;   // .shared variables declared inside
    std::vector<Instruction> body;  // empty for a declaration
    int max_threads = 0;            // .maxntid product, 0 if absent
    int min_blocks = 0;             // .minnctapersm
    int max_registers = 0;          // .maxnreg, 0 if absent
    Location where;
    int ptx_line = 0;
};

// A call that nvcc inlined: where it stands, and the (mangled) name of the function that was called.
struct InlineSite {
    Location at;
    std::string function;
};

// One PTX text parsed, or several linked.
struct Program {
    int version_major = 0, version_minor = 0;
    std::string target;
    std::vector<std::string> files;  // files[0] is ""
    std::vector<InlineSite> inline_sites;
    std::vector<Variable> variables;  // global, constant, shared at file scope
    std::vector<Function> functions;
};

struct ParseError {
    std::string message;
    int ptx_line = 0;
    bool is_missing = false;  // the PTX compiler takes it; it is not implemented here
};

}  // namespace vgpu::ptx
