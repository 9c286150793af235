// Internal to the parser: what its two halves, module level and function bodies, share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/scanner.h"

namespace vgpu::ptx {

struct Linkage {
    bool is_extern = false, is_visible = false, is_weak = false;
};

// .loc and .file, and the names of inlined functions, which stand in .debug_str at the end of the text.
class Locations {
  public:
    explicit Locations(Program& program) : program_(program) {}
    void parse_file(Scanner&);  // after ".file"
    Location parse_loc(Scanner&);
    void parse_debug_strings(Scanner&);  // after ".section .debug_str {"
    void finish();                       // gives files and inline sites their names

  private:
    struct NameReference {
        std::string_view label;  // in .debug_str
        std::int64_t offset;
    };
    int file_index(std::int64_t number);

    Program& program_;
    std::unordered_map<std::int64_t, int> files_;
    std::unordered_map<std::string_view, std::size_t> labels_;
    std::string strings_;
    std::vector<NameReference> names_;  // parallel to program_.inline_sites
    // The last .loc of a place, with column, says where that place itself was inlined.
    std::map<std::tuple<int, std::int64_t, std::int64_t>, Location> last_at_;
    std::map<std::tuple<int, int, int, std::string_view, std::int64_t>, int> sites_;
};

// A variable declaration from after its state space to before its ';', or a parameter.
Variable parse_variable(Scanner&, Space);
// A list of parameters, from after its '(' to after its ')'.
std::vector<Variable> parse_params(Scanner&);
Prototype prototype_of(const std::vector<Variable>& returns, const std::vector<Variable>& params);

class BodyParser {
  public:
    BodyParser(Scanner& scanner, Program& program, Locations& locations, Function& function)
        : in_(scanner), program_(program), locations_(locations), function_(function) {}
    void parse();  // from after '{' to after its '}'

  private:
    struct Name {
        enum class Kind { reg, variable } kind;
        int index;         // reg
        std::string name;  // variable: unique in the function
    };
    struct LabelUse {
        std::string_view label;
        int instruction, operand;
        int target;  // of a label list, else -1
        int line;
    };
    struct RegisterRange {
        std::string_view prefix;
        int first, count;
    };
    struct Scope {
        std::unordered_map<std::string_view, Name> names;
        std::vector<RegisterRange> ranges;
        std::unordered_map<std::string_view, int> labels;
        std::unordered_map<std::string_view, std::vector<std::string_view>> target_lists;
        std::unordered_map<std::string_view, Prototype> prototypes;
        std::vector<LabelUse> uses, list_uses;
    };

    void parse_statement();
    void parse_directive(std::string_view);
    void parse_registers();
    void parse_block_end();
    bool parse_label(std::string_view name);
    void parse_prototype(std::string_view name);
    void find_prototype(std::string_view name, Instruction::Call&) const;
    void parse_instruction(std::string_view name);
    void parse_call(Instruction&);
    std::vector<std::string> parse_call_list();
    Operand parse_operand();
    Operand parse_simple_operand();
    Operand parse_immediate(bool negated);
    Operand parse_address();
    Operand parse_vector();
    Operand parse_named(std::string_view);
    int find_register(std::string_view) const;  // -1: not a register
    static int find_in(const Scope&, std::string_view);
    const std::string* find_variable(std::string_view) const;
    int predicate(std::string_view) const;
    std::string unique(std::string_view);
    void declare(std::string_view, Name);
    void check_fresh(std::string_view name, int count);  // count: of a range of registers, -1 for one
    void resolve(Scope&, Scope* outer);

    Scanner& in_;
    Program& program_;
    Locations& locations_;
    Function& function_;
    std::vector<Scope> scopes_;
    std::unordered_map<std::string, int> taken_;  // names of variables, with how often
    std::unordered_set<std::string> names_;       // owns what the views in scopes point to, where the text does not
    Location where_;
    std::uint32_t unused_bytes_ = 0;  // of the next instruction, by a pragma
};

}  // namespace vgpu::ptx
