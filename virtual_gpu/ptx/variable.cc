// Variables and their initialisers.
#include <bit>
#include <cstring>

#include "virtual_gpu/ptx/parse_state.h"

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 28;

class Initialiser {
  public:
    Initialiser(Scanner& in, Variable& variable) : in_(in), variable_(variable) {}

    void parse() {
        if (in_.accept('{'))
            list(0);
        else
            element();
        if (mask_at_ != 0) in_.fail("an address cut into bytes that ends in the middle");
        if (at_ > variable_.bytes()) in_.fail("initialiser of '" + variable_.name + "' is longer than the variable");
        if (!variable_.initial.empty() || !variable_.relocations.empty()) variable_.initial.resize(variable_.bytes());
    }

  private:
    void list(int depth) {
        if (depth > 16) in_.fail("initialiser nested too deeply");
        if (in_.accept('}')) return;
        do {
            if (in_.accept('{'))
                list(depth + 1);
            else
                element();
        } while (in_.accept(','));
        in_.expect('}', "after an initialiser");
    }

    void element() {
        if (in_.at_name()) {
            auto relocation = address();
            if (size_of(variable_.type) != 8 && size_of(variable_.type) != 4)
                in_.fail("an address in a variable of type " + std::string(name_of(variable_.type)));
            append(0);
            relocation.at = at_ - static_cast<std::uint64_t>(size_of(variable_.type));
            variable_.relocations.push_back(relocation);
            return;
        }
        const Constant value = in_.constant();
        if (!value.is_float && in_.accept('(')) {  // 0xFF00(generic(x)): one byte of an address
            byte_of_address(value.bits);
            return;
        }
        append(converted(value));
    }

    Variable::Relocation address() {
        Variable::Relocation relocation{};
        std::string_view symbol = in_.name("a symbol");
        if (symbol == "generic" && in_.accept('(')) {
            relocation.generic = true;
            symbol = in_.name("a symbol");
            if (in_.peek() != ')') relocation.addend += in_.integer("an offset");
            in_.expect(')', "after generic(");
        }
        relocation.symbol = symbol;
        if (const char c = in_.peek(); c == '+' || c == '-') relocation.addend += in_.integer("an offset");
        return relocation;
    }

    // nvcc writes the 8 bytes of an address inside a packed structure one by one, lowest first.
    void byte_of_address(std::uint64_t mask) {
        const auto relocation = address();
        in_.expect(')', "after the masked address");
        if (size_of(variable_.type) != 1 || mask != std::uint64_t{0xff} << (8 * mask_at_))
            in_.lacks("addresses cut into anything but their bytes in order");
        if (mask_at_ == 0) {
            variable_.relocations.push_back(relocation);
            variable_.relocations.back().at = at_;
        } else if (const auto& first = variable_.relocations.back();
                   first.symbol != relocation.symbol || first.addend != relocation.addend) {
            in_.fail("bytes of two addresses mixed");
        }
        append(0);
        mask_at_ = (mask_at_ + 1) % 8;
    }

    std::uint64_t converted(const Constant& value) const {
        const bool wants_float = variable_.type == Type::f32 || variable_.type == Type::f64;
        if (!value.is_float) {
            if (!wants_float) return value.bits;
            const auto number = static_cast<double>(static_cast<std::int64_t>(value.bits));
            return variable_.type == Type::f64 ? std::bit_cast<std::uint64_t>(number)
                                               : std::bit_cast<std::uint32_t>(static_cast<float>(number));
        }
        if (!wants_float || value.float_width == 8 * size_of(variable_.type)) return value.bits;
        if (value.float_width == 64)
            return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
        return std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
    }

    void append(std::uint64_t bits) {
        const auto size = static_cast<std::size_t>(size_of(variable_.type));
        if (at_ + size > variable_.bytes())
            in_.fail("initialiser of '" + variable_.name + "' is longer than the variable");
        if (variable_.bytes() > kMostInitialBytes)
            in_.fail("initialised variable '" + variable_.name + "' is larger than 256 MiB");
        std::uint8_t bytes[16] = {};
        std::memcpy(bytes, &bits, sizeof bits);
        variable_.initial.insert(variable_.initial.end(), bytes, bytes + size);
        at_ += size;
    }

    Scanner& in_;
    Variable& variable_;
    std::uint64_t at_ = 0;
    int mask_at_ = 0;
};

}  // namespace

Variable parse_variable(Scanner& in, Space space) {
    Variable variable;
    variable.space = space;
    bool is_aligned = false;
    for (;;) {
        const std::string_view word = in.directive();
        if (word.empty()) break;
        if (word == ".align") {
            const std::int64_t align = in.integer("an alignment");
            if (align <= 0 || align > (1 << 20) || (align & (align - 1))) in.fail("not an alignment");
            variable.align = static_cast<int>(align);
            is_aligned = true;
        } else if (word == ".attribute") {  // .managed, .unified(...)
            in.expect('(', "after .attribute");
            for (int depth = 1; depth > 0;) {
                if (in.accept('('))
                    ++depth;
                else if (in.accept(')'))
                    --depth;
                else if (in.at_name())
                    in.name("");
                else if (!in.directive().empty() || in.accept(','))
                    continue;
                else
                    in.integer("an attribute");
            }
        } else if (word == ".ptr" || word == ".global" || word == ".shared" || word == ".const" || word == ".local") {
            // of a pointer parameter: tells what it points to, which nobody here needs; its own .align follows
            if (word == ".ptr") {
                const Type pointer = variable.type;
                Variable pointee = variable;
                while (in.accept_directive(".global") || in.accept_directive(".shared") ||
                       in.accept_directive(".const") || in.accept_directive(".local")) {
                }
                if (in.accept_directive(".align")) in.integer("an alignment");
                variable.type = pointer;
                continue;
            }
            in.fail("unexpected '" + std::string(word) + "' in a declaration");
        } else if (word == ".v2" || word == ".v4" || word == ".v8") {
            variable.count = static_cast<std::uint64_t>(word[2] - '0');
            variable.is_vector = true;
        } else if (const Type type = type_named(word); type != Type::none) {
            variable.type = type;
        } else {
            if (word == ".texref" || word == ".samplerref" || word == ".surfref")
                in.lacks("textures and surfaces without an object");
            in.fail("'" + std::string(word) + "' is not known in a declaration");
        }
    }
    variable.name = in.name("the name of a variable");
    variable.ptx_line = in.line();
    if (!is_aligned) variable.align = size_of(variable.type) * static_cast<int>(variable.count);
    while (in.accept('[')) {
        const std::int64_t extent = in.peek() == ']' ? 0 : in.integer("an array's extent");
        in.expect(']', "after an array's extent");
        if (extent < 0 ||
            static_cast<std::uint64_t>(extent) > kMostElements / std::max<std::uint64_t>(variable.count, 1))
            in.fail("array '" + variable.name + "' is too large");
        variable.count *= static_cast<std::uint64_t>(extent);
        variable.is_array = true;
    }
    if (in.accept('=')) Initialiser(in, variable).parse();
    return variable;
}

std::vector<Variable> parse_params(Scanner& in) {
    std::vector<Variable> params;
    if (in.accept(')')) return params;
    do {
        if (!in.accept_directive(".param")) in.fail("expected .param, found " + in.here());
        params.push_back(parse_variable(in, Space::param));
    } while (in.accept(','));
    in.expect(')', "after parameters");
    return params;
}

Prototype prototype_of(const std::vector<Variable>& returns, const std::vector<Variable>& params) {
    const auto shapes = [](const std::vector<Variable>& list) {
        std::vector<ParamShape> out;
        for (const Variable& v : list) out.push_back({v.bytes(), v.align, v.is_array});
        return out;
    };
    return {shapes(returns), shapes(params)};
}

}  // namespace vgpu::ptx
