#include "virtual_gpu/ptx/linker.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "virtual_gpu/ptx/parser.h"

namespace vgpu::ptx {
namespace {

using Renames = std::unordered_map<std::string, std::string>;

struct LinkError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// How strongly a symbol stands for its name.
enum class Strength { declared, local, weak, strong };

Strength strength_of(const Variable& variable) {
    if (variable.is_extern) return Strength::declared;
    return variable.is_weak ? Strength::weak : variable.is_visible ? Strength::strong : Strength::local;
}
Strength strength_of(const Function& function) {
    if (function.body.empty()) return Strength::declared;
    if (function.is_weak) return Strength::weak;
    // An entry is called from the host by its name, whether it says .visible or not.
    return function.is_visible || function.is_entry ? Strength::strong : Strength::local;
}

class Renamer {
  public:
    explicit Renamer(const Renames& renames) : renames_(renames) {}

    void rename(Function& function) const {
        std::unordered_set<std::string_view> own;
        for (const auto* list : {&function.params, &function.returns, &function.locals, &function.shared})
            for (const Variable& variable : *list) own.insert(variable.name);
        for (Instruction& instruction : function.body) {
            for (Operand& operand : instruction.operands) rename(operand, own);
            if (instruction.call) rename(instruction.call->callee);
        }
        for (Variable& variable : function.shared) rename(variable);
    }
    void rename(Variable& variable) const {
        for (auto& relocation : variable.relocations) rename(relocation.symbol);
    }
    void rename(std::string& name) const {
        if (const auto found = renames_.find(name); found != renames_.end()) name = found->second;
    }

  private:
    void rename(Operand& operand, const std::unordered_set<std::string_view>& own) const {
        const bool names_symbol = operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::address;
        if (names_symbol && !operand.name.empty() && !own.contains(operand.name)) rename(operand.name);
        for (Operand& element : operand.elements) rename(element, own);
    }

    const Renames& renames_;
};

class Linker {
  public:
    explicit Linker(Program& linked) : linked_(linked) {
        linked_ = {};
        linked_.files.emplace_back();
    }

    void add(Program program, int number) {
        if (number == 0) {
            linked_.version_major = program.version_major;
            linked_.version_minor = program.version_minor;
            linked_.target = program.target;
        }
        move_locations(program);
        rename_locals(program, number);
        for (Variable& variable : program.variables) place(std::move(variable), linked_.variables, variables_);
        for (Function& function : program.functions) place(std::move(function), linked_.functions, functions_);
    }

    void finish() const {
        std::unordered_set<std::string_view> known;
        for (const Variable& variable : linked_.variables) {
            if (variable.is_extern && variable.space != Space::shared)
                throw LinkError("variable '" + variable.name + "' is declared extern, but nobody defines it");
            known.insert(variable.name);
        }
        for (const Function& function : linked_.functions) known.insert(function.name);
        for (const Variable& variable : linked_.variables)
            for (const auto& relocation : variable.relocations)
                require(relocation.symbol, known, "the initial value of '" + variable.name + "'");
        for (const Function& function : linked_.functions) {
            std::unordered_set<std::string_view> own;
            for (const auto* list : {&function.params, &function.returns, &function.locals, &function.shared})
                for (const Variable& variable : *list) own.insert(variable.name);
            for (const Instruction& instruction : function.body) {
                if (instruction.call && instruction.call->callee_register < 0)
                    require(instruction.call->callee, known, "'" + function.name + "'");
                for (const Operand& operand : instruction.operands) {
                    if (operand.kind != Operand::Kind::symbol && operand.kind != Operand::Kind::address) continue;
                    if (!operand.name.empty() && !own.contains(operand.name))
                        require(operand.name, known, "'" + function.name + "'");
                }
            }
        }
    }

  private:
    static void require(const std::string& name, const std::unordered_set<std::string_view>& known,
                        const std::string& user) {
        if (!known.contains(name)) throw LinkError("'" + name + "', used in " + user + ", is not declared");
    }

    // Files that several programs name become one; indices are shifted to the joined tables.
    void move_locations(Program& program) {
        std::vector<int> files(program.files.size(), 0);
        for (std::size_t i = 1; i < program.files.size(); ++i) {
            const auto [entry, is_new] = files_.try_emplace(program.files[i], static_cast<int>(linked_.files.size()));
            if (is_new) linked_.files.push_back(program.files[i]);
            files[i] = entry->second;
        }
        const int first_site = static_cast<int>(linked_.inline_sites.size());
        const auto move = [&](Location& where) {
            where.file = files[static_cast<std::size_t>(where.file)];
            if (where.inlined_at >= 0) where.inlined_at += first_site;
        };
        for (InlineSite& site : program.inline_sites) {
            move(site.at);
            linked_.inline_sites.push_back(std::move(site));
        }
        for (Variable& variable : program.variables) move(variable.where);
        for (Function& function : program.functions) {
            move(function.where);
            for (auto* list : {&function.params, &function.returns, &function.locals, &function.shared})
                for (Variable& variable : *list) move(variable.where);
            for (Instruction& instruction : function.body) move(instruction.where);
        }
    }

    // A static symbol keeps its name if that is free. If a later program has a global symbol of the same name, the
    // global symbol gets the name, and the static one, which is linked already, is renamed.
    void rename_locals(Program& program, int number) {
        Renames renames;
        const auto consider = [&](std::string& name, Strength strength) {
            if (strength != Strength::local) return;
            if (global_names_.contains(name) || local_names_.contains(name)) {
                const std::string fresh = name + "@" + std::to_string(number);
                renames[name] = fresh;
                name = fresh;
            }
            local_names_.insert(name);
        };
        for (Variable& variable : program.variables) consider(variable.name, strength_of(variable));
        for (Function& function : program.functions) consider(function.name, strength_of(function));
        if (renames.empty()) return;
        const Renamer renamer(renames);
        for (Variable& variable : program.variables) renamer.rename(variable);
        for (Function& function : program.functions) renamer.rename(function);
    }

    template <class Symbol>
    void place(Symbol symbol, std::vector<Symbol>& table, std::unordered_map<std::string, std::size_t>& index) {
        const auto [entry, is_new] = index.try_emplace(symbol.name, table.size());
        if (is_new) {
            table.push_back(std::move(symbol));
            return;
        }
        Symbol& earlier = table[entry->second];
        const Strength old_strength = strength_of(earlier), new_strength = strength_of(symbol);
        if (old_strength == Strength::strong && new_strength == Strength::strong)
            throw LinkError("'" + symbol.name + "' is defined in two files");
        if (new_strength > old_strength) earlier = std::move(symbol);
    }

  public:
    // Names that some program exports: static symbols of such a name are renamed in all programs.
    void reserve(const Program& program) {
        for (const Variable& variable : program.variables)
            if (strength_of(variable) != Strength::local) global_names_.insert(variable.name);
        for (const Function& function : program.functions)
            if (strength_of(function) != Strength::local) global_names_.insert(function.name);
    }

  private:
    Program& linked_;
    std::unordered_map<std::string, int> files_;
    std::unordered_set<std::string> global_names_, local_names_;
    std::unordered_map<std::string, std::size_t> variables_, functions_;
};

}  // namespace

bool link(std::vector<Program> programs, Program& linked, ParseError& error) {
    try {
        Linker linker(linked);
        for (const Program& program : programs) linker.reserve(program);
        for (std::size_t i = 0; i < programs.size(); ++i) linker.add(std::move(programs[i]), static_cast<int>(i));
        linker.finish();
        return true;
    } catch (const LinkError& failure) {
        error = {failure.what(), 0, false};
        return false;
    }
}

bool load(std::span<const std::string> texts, Program& linked, ParseError& error, const VerifyOptions& options) {
    std::vector<Program> programs(texts.size());
    std::size_t i = 0;
    const auto fail = [&] {
        if (texts.size() > 1 && i < texts.size())
            error.message += " (PTX text " + std::to_string(i + 1) + " of " + std::to_string(texts.size()) + ")";
        return false;
    };
    try {
        for (; i < texts.size(); ++i) {
            if (!parse(texts[i], programs[i], error)) return fail();
            verify(programs[i], options);
        }
        if (!link(std::move(programs), linked, error)) return false;
        verify_linked(linked, options);
        return true;
    } catch (const Refused& refused) {
        error = {refused.what(), refused.line, false};
        return fail();
    }
}

}  // namespace vgpu::ptx
