#include "virtual_gpu/ptx/parser.h"

#include <algorithm>

#include "virtual_gpu/ptx/parse_state.h"
#include "virtual_gpu/ptx/products.h"

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kMostParamBytes = 1 << 20, kMostLocalBytes = 512 << 10, kTooMuch = std::uint64_t{1} << 50;

class ModuleParser {
  public:
    ModuleParser(std::string_view text, Program& program) : in_(text), program_(program), locations_(program) {}

    void parse() {
        program_ = {};
        program_.files.emplace_back();
        while (!in_.at_end()) {
            if (in_.accept(';')) continue;
            const std::string_view word = in_.directive();
            if (word.empty()) in_.fail("expected a directive, found " + in_.here());
            parse_directive(word);
        }
        locations_.finish();
        for (const auto& [alias, target] : aliases_) define_alias(alias, target);
    }
    int line() const { return in_.line(); }

  private:
    void parse_directive(std::string_view word) {
        if (word == ".version") {
            // not as a number: 9.10 is not 9.1
            program_.version_major = in_.small_number("a version");
            in_.expect('.', "in .version");
            program_.version_minor = in_.small_number("a version");
        } else if (word == ".target") {
            program_.target = in_.name("a target");
            while (in_.accept(',')) fuses_ &= in_.name("a target") != "debug";
        } else if (word == ".address_size") {
            if (in_.integer("an address size") != 64) in_.fail("only .address_size 64 is supported");
        } else if (word == ".file") {
            locations_.parse_file(in_);
        } else if (word == ".section") {
            parse_section();
        } else if (word == ".pragma") {
            in_.quoted();
            in_.expect(';', "after .pragma");
        } else if (word == ".alias") {
            const std::string_view alias = in_.name("an alias");
            in_.expect(',', "in .alias");
            aliases_.emplace_back(alias, in_.name("a function"));
        } else if (word == ".loc") {
            locations_.parse_loc(in_);
        } else {
            parse_declaration(word);
        }
    }

    void parse_section() {
        const std::string_view dotted = in_.directive();
        const std::string_view name = dotted.empty() ? in_.name("a section") : dotted;
        in_.expect('{', "after .section");
        if (name == ".debug_str")
            locations_.parse_debug_strings(in_);
        else
            in_.skip_braces();
    }

    void parse_declaration(std::string_view word) {
        Linkage linkage;
        for (;; word = in_.directive()) {
            if (word == ".extern")
                linkage.is_extern = true;
            else if (word == ".visible")
                linkage.is_visible = true;
            else if (word == ".weak" || word == ".common")
                linkage.is_weak = true;
            else
                break;
        }
        if (word == ".func" || word == ".entry") return parse_function(linkage, word == ".entry");
        if (word == ".global") return parse_variables(linkage, Space::global);
        if (word == ".const") return parse_variables(linkage, Space::constant);
        if (word == ".shared") return parse_variables(linkage, Space::shared);
        if (word == ".local") return parse_variables(linkage, Space::local);
        if (word == ".tex") in_.lacks("textures without a texture object");
        in_.fail("'" + std::string(word) + "' is no directive that this knows");
    }

    void parse_variables(const Linkage& linkage, Space space) {
        Variable variable = parse_variable(in_, space);
        variable.is_extern = linkage.is_extern;
        variable.is_visible = linkage.is_visible;
        variable.is_weak = linkage.is_weak;
        if (in_.peek() == ',') in_.fail("several variables in one declaration are not supported");
        in_.expect(';', "after a variable");
        const auto [entry, is_new] = variables_.try_emplace(variable.name, program_.variables.size());
        if (is_new) {
            program_.variables.push_back(std::move(variable));
        } else if (Variable& earlier = program_.variables[entry->second]; earlier.is_extern) {
            earlier = std::move(variable);
        } else if (!variable.is_extern) {
            in_.fail("variable '" + variable.name + "' is defined twice");
        }
    }

    // What the memory of every thread is sized by.
    void check_sizes(const Function& function) {
        std::uint64_t params = 0, locals = 0;
        for (const auto* list : {&function.params, &function.returns, &function.locals})
            for (const Variable& variable : *list) {
                std::uint64_t& sum = variable.space == Space::param ? params : locals;
                sum = std::min(sum + variable.bytes() + static_cast<std::uint64_t>(variable.align), kTooMuch);
            }
        if (params > kMostParamBytes) in_.fail("function '" + function.name + "' has more than 1 MiB of parameters");
        if (locals > kMostLocalBytes)
            in_.fail("function '" + function.name + "' has more than 512 KiB of local memory for each thread");
    }

    void parse_function(const Linkage& linkage, bool is_entry) {
        Function function;
        function.is_entry = is_entry;
        function.is_extern = linkage.is_extern;
        function.is_visible = linkage.is_visible;
        function.is_weak = linkage.is_weak;
        if (in_.accept_directive(".attribute")) skip_parentheses();
        if (in_.accept('(')) function.returns = parse_params(in_);
        function.name = in_.name("the name of a function");
        function.ptx_line = in_.line();
        if (in_.accept('(')) function.params = parse_params(in_);
        parse_function_attributes(function);
        if (in_.accept('{')) {
            BodyParser(in_, program_, locations_, function).parse();
            if (fuses_) fuse_products(function);
        } else {
            in_.expect(';', "after the declaration of a function");
        }
        check_sizes(function);
        add(std::move(function));
    }

    void skip_parentheses() {
        in_.expect('(', "after an attribute");
        for (int depth = 1; depth > 0;) {
            if (in_.accept('('))
                ++depth;
            else if (in_.accept(')'))
                --depth;
            else if (in_.accept(',') || !in_.directive().empty())
                continue;
            else if (in_.at_name())
                in_.name("");
            else
                in_.integer("a value");
        }
    }

    void parse_function_attributes(Function& function) {
        for (std::string_view word = in_.directive(); !word.empty(); word = in_.directive()) {
            if (word == ".maxntid" || word == ".reqntid") {
                std::int64_t product = 1;
                do {
                    const std::int64_t extent = in_.integer("a number of threads");
                    if (extent < 0 || extent > (1 << 20)) in_.fail("not a number of threads");
                    product = std::min<std::int64_t>(product * extent, 1 << 20);
                } while (in_.accept(','));
                function.max_threads = static_cast<int>(product);
            } else if (word == ".minnctapersm") {
                function.min_blocks = static_cast<int>(in_.integer("a number of blocks"));
            } else if (word == ".maxnreg") {
                function.max_registers =
                    static_cast<int>(std::clamp<std::int64_t>(in_.integer("a number"), 0, 1 << 20));
            } else if (word == ".maxnctapersm" || word == ".maxclusterrank" || word == ".reqnctapercluster" ||
                       word == ".abi_preserve" || word == ".abi_preserve_control") {
                do in_.integer("a number");
                while (in_.accept(','));
            } else if (word == ".pragma") {
                do in_.quoted();
                while (in_.accept(','));
                in_.accept(';');
            } else if (word == ".attribute") {
                skip_parentheses();
            } else if (word != ".noreturn" && word != ".explicitcluster" && word != ".blocksareclusters") {
                in_.fail("'" + std::string(word) + "' is not supported on a function");
            }
        }
    }

    void add(Function function) {
        const auto [entry, is_new] = functions_.try_emplace(function.name, program_.functions.size());
        if (is_new) {
            program_.functions.push_back(std::move(function));
            return;
        }
        Function& earlier = program_.functions[entry->second];
        if (earlier.is_entry != function.is_entry)
            in_.fail("'" + function.name + "' is declared as a kernel and as a function");
        if (prototype_of(earlier.returns, earlier.params) != prototype_of(function.returns, function.params))
            in_.fail("function '" + function.name + "' is declared with other parameters before");
        if (function.body.empty()) return;  // declared again
        if (!earlier.body.empty()) in_.fail("function '" + function.name + "' is defined twice");
        function.is_visible |= earlier.is_visible;
        function.is_weak |= earlier.is_weak;
        earlier = std::move(function);
    }

    void define_alias(std::string_view alias, std::string_view target) {
        const auto found = functions_.find(std::string(target));
        if (found == functions_.end() || program_.functions[found->second].body.empty())
            in_.fail(".alias of '" + std::string(target) + "', which is not defined");
        Function copy = program_.functions[found->second];
        copy.name = alias;
        if (copy.is_entry) in_.fail(".alias of the kernel '" + std::string(target) + "'");
        if (const auto declared = functions_.find(copy.name); declared != functions_.end()) {
            copy.is_visible = program_.functions[declared->second].is_visible;
            copy.is_weak = program_.functions[declared->second].is_weak;
        }
        add(std::move(copy));
    }

    Scanner in_;
    Program& program_;
    Locations locations_;
    std::unordered_map<std::string, std::size_t> functions_, variables_;
    std::vector<std::pair<std::string_view, std::string_view>> aliases_;
    bool fuses_ = true;  // products with sums
};

}  // namespace

bool parse(std::string_view text, Program& program, ParseError& error) {
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);  // a fat binary pads with zeros
    try {
        ModuleParser(text, program).parse();
        return true;
    } catch (const ScanError& failure) {
        error.message = failure.what();
        error.ptx_line = failure.line;
        error.is_missing = failure.is_missing;
        return false;
    }
}

}  // namespace vgpu::ptx
