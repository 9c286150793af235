// The format: numpy.lib.format in NumPy's reference: "\x93NUMPY", version, header length, then a Python
// dictionary literal with the keys descr, fortran_order and shape, padded with blanks to a multiple of 64.
#include "harness/npy.h"

#include <cctype>
#include <limits>
#include <optional>
#include <string_view>

#include "grading/format.h"

namespace lab {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1 << 16;

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

struct NumpyType {
    DType dtype;
    std::string_view code;
};
constexpr NumpyType kTypes[] = {{DType::u8, "u1"},  {DType::i32, "i4"}, {DType::u32, "u4"}, {DType::i64, "i8"},
                                {DType::u64, "u8"}, {DType::f16, "f2"}, {DType::f32, "f4"}, {DType::f64, "f8"}};

[[noreturn]] void fail(const std::string& path, const std::string& what) { throw FileError(path, what); }

// Reads the dictionary literal of a header.
class Header {
  public:
    Header(const std::string& path, std::string_view text) : path_(path), text_(text) {
        expect('{');
        while (!take('}')) {
            const std::string key = string();
            expect(':');
            if (key == "descr") {
                if (peek() == '[') fail(path_, "holds records, expected plain numbers");
                descr = string();
            } else if (key == "fortran_order") {
                word();
            } else if (key == "shape") {
                read_shape();
            } else {
                fail(path_, "is not a valid .npy file: unknown key '" + key + "' in its header");
            }
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        if (!descr || !shape)
            fail(path_, "is not a valid .npy file: its header lacks " + std::string(descr ? "shape" : "descr"));
    }

    std::optional<std::string> descr;
    std::optional<std::vector<std::uint64_t>> shape;

  private:
    [[noreturn]] void broken() const { fail(path_, "is not a valid .npy file: its header cannot be read"); }
    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        if (at_ == text_.size()) broken();
        return text_[at_];
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) broken();
    }
    std::string string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') broken();
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) broken();
        std::string value(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return value;
    }
    void word() {
        peek();
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("True"))
            at_ += 4;
        else if (rest.starts_with("False"))
            at_ += 5;
        else
            broken();
    }
    void read_shape() {
        expect('(');
        shape.emplace();
        while (!take(')')) {
            std::uint64_t size = 0;
            if (std::isdigit(static_cast<unsigned char>(peek())) == 0) broken();
            for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
                if (size > std::numeric_limits<std::uint64_t>::max() / 16) broken();
                size = size * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
            }
            shape->push_back(size);
            if (!take(',')) {
                expect(')');
                break;
            }
        }
    }

    const std::string& path_;
    std::string_view text_;
    std::size_t at_ = 0;
};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    std::string text = "(";
    for (const std::uint64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + (shape.size() == 1 ? ",)" : ")");
}

DType dtype_of_descr(const std::string& path, const std::string& descr) {
    if (descr.size() >= 2) {
        const std::string_view code = std::string_view(descr).substr(1);
        for (const NumpyType& type : kTypes) {
            if (type.code != code) continue;
            if (descr[0] == '>' && code != "u1") fail(path, "is big-endian ('" + descr + "'), expected little-endian");
            if (std::string_view("<|=>").find(descr[0]) != std::string_view::npos) return type.dtype;
        }
    }
    fail(path, "has elements of type '" + descr + "', which no lab takes");
}

FileArray read_npy(const std::string& path, const std::string& text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
    if (!text.starts_with(kMagic)) fail(path, "is not a .npy file: it does not begin with \\x93NUMPY");
    if (text.size() < 12) fail(path, "is cut off: its header is incomplete");
    const std::size_t major = byte(6);
    if (major < 1 || major > 3) fail(path, "has .npy format " + std::to_string(major) + ", this program reads 1 to 3");
    const std::size_t start = major == 1 ? 10 : 12;
    std::size_t length = byte(8) | byte(9) << 8;
    if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
    if (length > kMaxHeader)
        fail(path, "is not a valid .npy file: its header would be " + count_of(length, "byte") + " long");
    if (text.size() < start + length) fail(path, "is cut off: its header is incomplete");

    const Header header(path, std::string_view(text).substr(start, length));
    const DType dtype = dtype_of_descr(path, *header.descr);
    if (header.shape->size() != 1) fail(path, "has shape " + shape_text(*header.shape) + ", expected one dimension");
    const std::uint64_t count = header.shape->front();
    const std::size_t there = text.size() - start - length;
    if (count > std::numeric_limits<std::size_t>::max() / 16 || there != count * size_of(dtype))
        fail(path, "holds " + count_of(there, "byte") + " of data, its header says " + count_of(count, "value") +
                       " of " + count_of(size_of(dtype), "byte"));
    return {dtype, count, text.substr(text.size() - there)};
}

}  // namespace

DType parse_dtype(const std::string& name) {
    std::string known;
    for (const NumpyType& type : kTypes) {
        if (name == name_of(type.dtype)) return type.dtype;
        known += std::string(known.empty() ? "" : ", ") + name_of(type.dtype);
    }
    throw std::invalid_argument("unknown type '" + name + "'; there are " + known);
}

FileArray read_array(const std::string& path, DType raw_type) {
    std::string file = read_file(path);
    if (is_npy(path)) return read_npy(path, file);
    if (file.size() % size_of(raw_type) != 0)
        fail(path, "is " + count_of(file.size(), "byte") + " long, no multiple of the " +
                       std::to_string(size_of(raw_type)) + " bytes of a value of type " + name_of(raw_type));
    const std::size_t count = file.size() / size_of(raw_type);
    return {raw_type, count, std::move(file)};
}

void write_array(const std::string& path, DType dtype, std::size_t count, const void* data) {
    std::string file;
    if (is_npy(path)) {
        std::string_view code;
        for (const NumpyType& type : kTypes)
            if (type.dtype == dtype) code = type.code;
        std::string header = std::string("{'descr': '") + (size_of(dtype) == 1 ? "|" : "<") + std::string(code) +
                             "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
        const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
        header.append((64 - unpadded % 64) % 64, ' ');
        header += '\n';
        file.append(kMagic).append({'\x01', '\x00', static_cast<char>(header.size() & 0xff)});
        file += static_cast<char>(header.size() >> 8);
        file += header;
    }
    if (count != 0) file.append(static_cast<const char*>(data), count * size_of(dtype));
    write_file(path, file);
}

}  // namespace lab
