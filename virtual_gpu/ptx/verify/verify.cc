#include "virtual_gpu/ptx/verify/verify.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "virtual_gpu/ptx/parse_state.h"

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kMostKernelParams = 32764, kMostConstant = 65536;
constexpr int kMostParamAlign = 128;

// Functions that the GPU's system supplies; the others of another file are linked, or missing.
bool is_supplied(std::string_view name) {
    constexpr std::array<std::string_view, 4> kNames = {"vprintf", "__assertfail", "malloc", "free"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The device runtime, which a program has only if it was linked with it.
bool is_device_runtime(std::string_view name) { return name.starts_with("__cudaCDP2") || name.starts_with("cuda"); }

std::uint64_t bytes_of(const std::vector<Variable>& list) {
    std::uint64_t at = 0;
    for (const Variable& v : list) {
        const auto align = static_cast<std::uint64_t>(std::max({v.align, size_of(v.type), 1}));
        at = (at + align - 1) / align * align + v.bytes();
    }
    return at;
}

class Verifier {
  public:
    Verifier(const Program& program, const VerifyOptions& options) : program_(program), options_(options) {
        for (const Function& f : program.functions) functions_.emplace(f.name, &f);
        for (const Variable& v : program.variables) variables_.emplace(v.name, &v);
    }

    void text() const {
        version();
        for (const Variable& v : program_.variables) variable(v);
        for (const Function& f : program_.functions) function(f);
    }

    void linked() const {
        std::uint64_t constant = 0;
        for (const Variable& v : program_.variables) {
            if (v.space != Space::constant) continue;
            const auto align = static_cast<std::uint64_t>(std::max(v.align, 1));
            constant = (constant + align - 1) / align * align + v.bytes();
            if (constant > kMostConstant)
                throw Refused("constant memory: " + v.name + " is beyond the 65,536 bytes that exist", v.ptx_line);
        }
        for (const Function& f : program_.functions)
            for (const Instruction& i : f.body) {
                if (i.call) call(f, i);
                for (const Operand& op : i.operands) address(f, i, op);
            }
    }

  private:
    void version() const {
        struct Target {
            int capability, major, minor;
        };
        constexpr std::array<Target, 12> kFirst = {{{75, 6, 3},
                                                    {80, 7, 0},
                                                    {86, 7, 1},
                                                    {87, 7, 4},
                                                    {88, 9, 0},
                                                    {89, 7, 8},
                                                    {90, 7, 8},
                                                    {100, 8, 6},
                                                    {103, 8, 8},
                                                    {110, 9, 0},
                                                    {120, 8, 7},
                                                    {121, 8, 8}}};
        const int capability = capability_of(program_.target);
        const auto* const found =
            std::find_if(kFirst.begin(), kFirst.end(), [&](const Target& t) { return t.capability == capability; });
        if (found == kFirst.end()) throw Refused(".target: '" + program_.target + "' is not supported", 1);
        if (std::pair(program_.version_major, program_.version_minor) < std::pair(found->major, found->minor))
            throw Refused(".version: " + std::to_string(program_.version_major) + "." +
                              std::to_string(program_.version_minor) + " does not have the target " + program_.target,
                          1);
        if (options_.capability != 0 && capability > options_.capability)
            throw Refused(".target: the code is for " + program_.target + ", and the device is an sm_" +
                              std::to_string(options_.capability),
                          1);
    }

    void variable(const Variable& v) const {
        if (v.space == Space::local)
            throw Refused("spaces: .local variable '" + v.name + "' at file scope", v.ptx_line);
        if (v.type == Type::pred) throw Refused("variables: '" + v.name + "' is a predicate", v.ptx_line);
        const bool has_value = !v.initial.empty() || !v.relocations.empty();
        if (has_value && v.space != Space::global && v.space != Space::constant)
            throw Refused("variables: '" + v.name + "' has an initial value in a space without one", v.ptx_line);
        for (const auto& reloc : v.relocations)
            if (const auto to = variables_.find(reloc.symbol);
                to != variables_.end() && to->second->space != Space::global && to->second->space != Space::constant)
                throw Refused("variables: '" + v.name + "' begins as the address of '" + reloc.symbol +
                                  "', which is in no memory that is there before a kernel runs",
                              v.ptx_line);
        if (functions_.contains(v.name))
            throw Refused("names: '" + v.name + "' is a variable and a function", v.ptx_line);
    }

    void function(const Function& f) const {
        if (f.is_entry && !f.returns.empty())
            throw Refused("calls: kernel '" + f.name + "' returns values", f.ptx_line);
        if (f.is_entry && bytes_of(f.params) > kMostKernelParams)
            throw Refused("sizes: kernel '" + f.name + "' has more than 32,764 bytes of parameters", f.ptx_line);
        for (const auto* list : {&f.params, &f.returns})
            for (const Variable& v : *list)
                if (!f.is_entry && v.align > kMostParamAlign)
                    throw Refused("alignment: parameter '" + v.name + "' asks for more than 128 bytes", v.ptx_line);
        for (const auto* list : {&f.params, &f.returns, &f.locals, &f.shared})
            for (const Variable& v : *list) {
                if (v.type == Type::pred) throw Refused("variables: '" + v.name + "' is a predicate", v.ptx_line);
                if (!v.initial.empty() || !v.relocations.empty())
                    throw Refused("variables: '" + v.name + "' has an initial value", v.ptx_line);
            }
        for (const Instruction& i : f.body) {
            verify_features(program_, i);
            if (!i.call) verify_operands(f, i);
        }
    }

    const Variable* own(const Function& f, const std::string& name) const {
        for (const auto* list : {&f.params, &f.returns, &f.locals, &f.shared})
            for (const Variable& v : *list)
                if (v.name == name) return &v;
        return nullptr;
    }

    // ---- Calls ----

    static void fits(const Function& f, const Instruction& i, const std::vector<std::string>& given,
                     const std::vector<ParamShape>& wanted, const char* what, const std::string& callee) {
        if (given.size() != wanted.size())
            throw Refused("calls: " + callee + " has " + counted(wanted.size(), what) + ", and the call has " +
                              std::to_string(given.size()),
                          i.ptx_line);
        for (std::size_t n = 0; n < given.size(); ++n) {
            const Variable* v = nullptr;
            for (const auto* list : {&f.locals, &f.params, &f.returns})
                for (const Variable& one : *list)
                    if (one.name == given[n] && one.space == Space::param) v = &one;
            if (v == nullptr) throw Refused("calls: '" + given[n] + "' is no parameter", i.ptx_line);
            compare(*v, i, wanted[n], what, callee);
        }
    }

    static void compare(const Variable& given, const Instruction& i, const ParamShape& wanted, const char* what,
                        const std::string& callee) {
        if (given.bytes() != wanted.bytes || given.is_array != wanted.is_array)
            throw Refused("calls: '" + given.name + "' of " + counted(given.bytes(), "byte") + " is given for a " +
                              what + " of " + callee + ", which has " + std::to_string(wanted.bytes),
                          i.ptx_line);
        if (given.align != wanted.align)
            throw Refused("alignment: '" + given.name + "' differs from the " + std::string(what) + " of " + callee,
                          i.ptx_line);
    }

    static std::string counted(std::uint64_t n, const std::string& noun) {
        return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
    }

    void call(const Function& f, const Instruction& i) const {
        const Instruction::Call& c = *i.call;
        if (c.callee_register < 0) return call_of(f, i, c.callee);
        const Register& pointer = f.registers.at(static_cast<std::size_t>(c.callee_register));
        if (pointer.type == Type::pred || pointer.type >= Type::f16 || size_of(pointer.type) < 4)
            throw Refused("calls: " + pointer.name + " holds no pointer", i.ptx_line);
        for (const std::string& target : c.targets) call_of(f, i, target);
        if (!c.targets.empty()) return;
        fits(f, i, c.arguments, c.prototype.params, "parameter", "the prototype");
        fits(f, i, c.returns, c.prototype.returns, "result", "the prototype");
    }

    void call_of(const Function& f, const Instruction& i, const std::string& name) const {
        const auto found = functions_.find(name);
        if (found == functions_.end()) throw Refused("calls: there is no function '" + name + "'", i.ptx_line);
        const Function& callee = *found->second;
        if (callee.is_entry) throw Refused("calls: '" + name + "' is a kernel (.entry), no function", i.ptx_line);
        const bool is_missing = callee.body.empty();
        if (is_missing && is_device_runtime(name) && !options_.device_launches)
            throw Refused(
                "calls: '" + name + "' belongs to CUDA's device runtime, which this program is not linked with",
                i.ptx_line);
        if (is_missing && !is_supplied(name) && !is_device_runtime(name))
            throw Refused("calls: function '" + name + "' is declared, but nobody defines it", i.ptx_line);
        const Prototype shape = prototype_of(callee.returns, callee.params);
        fits(f, i, i.call->arguments, shape.params, "parameter", "'" + name + "'");
        fits(f, i, i.call->returns, shape.returns, "result", "'" + name + "'");
    }

    // ---- Spaces ----

    static const char* space_name(Space s) {
        constexpr const char* kNames[] = {"generic", ".param", ".global", ".shared", ".local", ".const"};
        return kNames[static_cast<int>(s)];
    }

    // The space that an instruction accesses, by its modifiers.
    static Space space_of(const Instruction& i) {
        for (const std::string& m : i.modifiers) {
            if (m == "global") return Space::global;
            if (m == "const") return Space::constant;
            if (m.starts_with("shared")) return Space::shared;
            if (m == "local") return Space::local;
            if (m.starts_with("param")) return Space::param;
        }
        return Space::generic;
    }

    void address(const Function& f, const Instruction& i, const Operand& op) const {
        if (op.kind == Operand::Kind::symbol) return symbol(f, i, op);
        if (op.kind != Operand::Kind::address || op.name.empty()) return;
        const Variable* v = own(f, op.name);
        if (v == nullptr)
            if (const auto found = variables_.find(op.name); found != variables_.end()) v = found->second;
        if (v == nullptr) {
            if (functions_.contains(op.name))
                throw Refused("spaces: function '" + op.name + "' is accessed as memory", i.ptx_line);
            throw Refused("names: '" + op.name + "' is not declared", i.ptx_line);
        }
        if (!i.is(kAccess)) return;
        const Space space = space_of(i);
        const bool is_generic = space == Space::generic && v->space != Space::param && v->space != Space::constant;
        if (!is_generic && space != v->space)
            throw Refused("spaces: " + std::string(i.name()) + " of " + space_name(space) + " memory is given '" +
                              v->name + "', which is in " + space_name(v->space),
                          i.ptx_line);
        if (v->is_vector && std::none_of(i.modifiers.begin(), i.modifiers.end(),
                                         [](const auto& m) { return m == "v2" || m == "v4" || m == "v8"; }))
            throw Refused("sizes: '" + v->name + "' is a vector, and one value of it is accessed", i.ptx_line);
        const auto is_it = [&](const Variable& p) { return &p == v; };
        if (i.opcode == Opcode::st && std::any_of(f.params.begin(), f.params.end(), is_it))
            throw Refused("spaces: the parameter '" + v->name + "' is written", i.ptx_line);
    }

    void symbol(const Function& f, const Instruction& i, const Operand& op) const {
        const Variable* v = own(f, op.name);
        if (v == nullptr)
            if (const auto found = variables_.find(op.name); found != variables_.end()) v = found->second;
        if (v != nullptr) {
            if (i.opcode == Opcode::cvta && space_of(i) != v->space)
                throw Refused("spaces: cvta of " + std::string(space_name(space_of(i))) + " is given '" + v->name +
                                  "', which is in " + space_name(v->space),
                              i.ptx_line);
            return;
        }
        const auto found = functions_.find(op.name);
        if (found == functions_.end()) throw Refused("names: '" + op.name + "' is not declared", i.ptx_line);
        if (i.opcode == Opcode::cvta) throw Refused("spaces: cvta of the function '" + op.name + "'", i.ptx_line);
        if (found->second->body.empty())
            throw Refused("calls: the address of '" + op.name + "' is taken, which nobody defines", i.ptx_line);
    }

    const Program& program_;
    const VerifyOptions& options_;
    std::unordered_map<std::string_view, const Function*> functions_;
    std::unordered_map<std::string_view, const Variable*> variables_;
};

}  // namespace

void verify(const Program& program, const VerifyOptions& options) { Verifier(program, options).text(); }

void verify_linked(const Program& program, const VerifyOptions& options) { Verifier(program, options).linked(); }

}  // namespace vgpu::ptx
