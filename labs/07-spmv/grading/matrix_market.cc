#include "matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "grading/files.h"
#include "grading/format.h"

namespace spmv {
namespace {

class MatrixMarketReader {
  public:
    MatrixMarketReader(const std::string& path, std::string_view text, std::int64_t most)
        : path_(path), text_(text), most_(most) {}

    Entries read() {
        read_banner();
        read_size();
        if (is_coordinate_)
            read_coordinates();
        else
            read_array();
        if (next_line())
            fail("another entry, where " + many(count_) + " announced in line " + std::to_string(size_line_) +
                 "; delete it, or correct the number there");
        return std::move(entries_);
    }

  private:
    enum class Symmetry : std::uint8_t { general, symmetric, skew };

    [[noreturn]] void fail(const std::string& what) const { throw lab::FileError(path_, line_, what); }
    static std::string many(std::int64_t count) {
        return count == 1 ? "1 entry is" : lab::with_commas(count) + " entries are";
    }
    static std::string lower(std::string_view word) {
        std::string result(word);
        for (char& c : result)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return result;
    }

    // Splits a line into words, at blanks and tabs; a carriage return counts as a blank.
    void split(std::string_view line) {
        words_.clear();
        constexpr std::string_view kBlank = " \t\r\v\f";
        for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
            const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
            words_.push_back(line.substr(at, end - at));
            at = line.find_first_not_of(kBlank, end);
        }
    }
    bool any_line() {
        if (at_ >= text_.size()) return false;
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        split(text_.substr(at_, end - at_));
        at_ = end + 1;
        ++line_;
        return true;
    }
    // The next line that is neither blank nor a comment.
    bool next_line() {
        while (any_line())
            if (!words_.empty() && words_[0][0] != '%') return true;
        return false;
    }

    void read_banner() {
        if (!any_line()) {
            line_ = 1;
            fail("the file is empty; it has to begin with %%MatrixMarket matrix coordinate real general");
        }
        if (words_.empty() || lower(words_[0]) != "%%matrixmarket")
            fail(
                "this is not a Matrix Market file: it has to begin with %%MatrixMarket matrix coordinate real general");
        if (words_.size() != 5)
            fail("the header has " + std::to_string(words_.size()) +
                 " words, not 5: write %%MatrixMarket matrix coordinate real general");
        std::vector<std::string> word;
        for (const std::string_view w : words_) word.push_back(lower(w));
        if (word[1] != "matrix") fail(lab::quoted(words_[1]) + " is not read, only matrix");
        is_coordinate_ = word[2] == "coordinate";
        if (!is_coordinate_ && word[2] != "array") fail(lab::quoted(words_[2]) + " is neither coordinate nor array");
        is_pattern_ = word[3] == "pattern";
        is_integer_ = word[3] == "integer";
        if (!is_pattern_ && !is_integer_ && word[3] != "real" && word[3] != "double")
            fail(lab::quoted(words_[3]) + " is not read; values have to be real, integer or pattern");
        if (word[4] == "symmetric")
            symmetry_ = Symmetry::symmetric;
        else if (word[4] == "skew-symmetric")
            symmetry_ = Symmetry::skew;
        else if (word[4] != "general")
            fail(lab::quoted(words_[4]) + " is not read; the matrix has to be general, symmetric or skew-symmetric");
        if (is_pattern_ && (!is_coordinate_ || symmetry_ == Symmetry::skew))
            fail("a pattern has no values: it has to be coordinate, and general or symmetric");
    }

    template <class T>
    T number(std::string_view word, const char* what) const {
        T value{};
        const std::errc error = lab::parse_number(word, value);
        if (error != std::errc()) fail(std::string(what) + " " + lab::why_no_number(word, error, lab::dtype_of<T>()));
        return value;
    }

    void read_size() {
        if (!next_line()) fail("the file ends before the line with the numbers of rows and columns; is it cut off?");
        size_line_ = line_;
        const std::size_t wanted = is_coordinate_ ? 3 : 2;
        if (words_.size() != wanted)
            fail(std::string("this line must have the numbers of rows") +
                 (is_coordinate_ ? ", columns and entries" : " and columns") + ", " + std::to_string(wanted) +
                 " in all; there " + (words_.size() == 1 ? "is 1" : "are " + std::to_string(words_.size())));
        entries_.rows = size("number of rows", words_[0]);
        entries_.cols = size("number of columns", words_[1]);
        if (symmetry_ != Symmetry::general && entries_.rows != entries_.cols)
            fail("a symmetric matrix has as many rows as columns, not " + std::string(words_[0]) + " and " +
                 std::string(words_[1]) + "; correct the sizes, or write general in line 1");
        if (is_coordinate_) {
            count_ = size("number of entries", words_[2]);
        } else {
            if (entries_.rows > 0 && entries_.cols > most_ / entries_.rows) too_many();
            const std::int64_t triangle = entries_.rows * (entries_.rows + 1) / 2;
            count_ = symmetry_ == Symmetry::general     ? entries_.rows * entries_.cols
                     : symmetry_ == Symmetry::symmetric ? triangle
                                                        : triangle - entries_.rows;
        }
        // The file may announce more than it holds, so its length bounds the reserve. An element of an array takes at
        // least 2 bytes, a digit and the end of the line. An entry takes 4, but may make 2 elements by symmetry.
        const std::size_t room = std::min(static_cast<std::size_t>(count_), text_.size() / 2);
        entries_.row.reserve(room), entries_.col.reserve(room), entries_.value.reserve(room);
    }
    std::int64_t size(const char* what, std::string_view word) const {
        const auto value = number<std::int64_t>(word, what);
        if (value < 0) fail(std::string(what) + " " + lab::quoted(word) + " is less than 0");
        if (value > most_)
            fail(std::string(what) + " " + lab::quoted(word) + " is more than this lab takes, " +
                 lab::with_commas(most_));
        return value;
    }
    [[noreturn]] void too_many() const {
        fail("the matrix has more elements than this lab takes, " + lab::with_commas(most_));
    }

    void need_entry(std::int64_t have) {
        if (next_line()) return;
        fail("the file ends after " + lab::with_commas(have) + " of the entries, but " + many(count_) +
             " announced in line " + std::to_string(size_line_) + "; is it cut off? Else correct the number there");
    }

    float value(std::string_view word) const {
        if (is_integer_) return static_cast<float>(number<std::int64_t>(word, "value"));
        const auto value = number<float>(word, "value");
        if (!std::isfinite(value))
            fail("value " + lab::quoted(word) + " is not finite; products with it have no meaning");
        return value;
    }

    // An entry, and its mirror image where the matrix has one.
    void add(std::int64_t r, std::int64_t c, float v) {
        entries_.add(r, c, v);
        if (symmetry_ != Symmetry::general && r != c) entries_.add(c, r, symmetry_ == Symmetry::skew ? -v : v);
        if (static_cast<std::int64_t>(entries_.count()) > most_) too_many();
    }

    std::int64_t index(std::string_view word, const char* what, std::int64_t most) const {
        const auto i = number<std::int64_t>(word, what);
        if (i < 1 || i > most)
            fail(std::string(what) + " " + std::string(word) + " is not from 1 to " + lab::with_commas(most) +
                 (i == 0 ? "; rows and columns are counted from 1"
                         : ", as line " + std::to_string(size_line_) + " says; correct one of them"));
        return i - 1;
    }

    void read_coordinates() {
        const std::size_t wanted = is_pattern_ ? 2 : 3;
        for (std::int64_t k = 0; k < count_; ++k) {
            need_entry(k);
            if (words_.size() != wanted)
                fail(std::string("an entry is row, column") +
                     (is_pattern_ ? ", and nothing else, in a pattern" : ", value") + "; there " +
                     (words_.size() == 1 ? "is 1 word" : "are " + std::to_string(words_.size()) + " words"));
            const std::int64_t r = index(words_[0], "row", entries_.rows),
                               c = index(words_[1], "column", entries_.cols);
            if (symmetry_ != Symmetry::general && r < c)
                fail("entry (" + std::string(words_[0]) + ", " + std::string(words_[1]) +
                     ") is above the diagonal of a symmetric matrix; write it as (" + std::string(words_[1]) + ", " +
                     std::string(words_[0]) + "), or general in line 1 and both");
            if (symmetry_ == Symmetry::skew && r == c)
                fail("the diagonal of a skew-symmetric matrix is 0; leave this entry out");
            add(r, c, is_pattern_ ? 1.0f : value(words_[2]));
        }
    }

    // Column by column; zeros are left out.
    void read_array() {
        std::int64_t have = 0;
        for (std::int64_t c = 0; c < entries_.cols; ++c) {
            const std::int64_t first = symmetry_ == Symmetry::general     ? 0
                                       : symmetry_ == Symmetry::symmetric ? c
                                                                          : c + 1;
            for (std::int64_t r = first; r < entries_.rows; ++r) {
                need_entry(have++);
                if (words_.size() != 1)
                    fail("a line has one value; there are " + std::to_string(words_.size()) + " words");
                const float v = value(words_[0]);
                if (v != 0) add(r, c, v);
            }
        }
    }

    const std::string& path_;
    std::string_view text_;
    std::int64_t most_, count_ = 0;
    std::size_t at_ = 0;
    std::int64_t line_ = 0, size_line_ = 0;
    std::vector<std::string_view> words_;
    bool is_coordinate_ = true, is_pattern_ = false, is_integer_ = false;
    Symmetry symmetry_ = Symmetry::general;
    Entries entries_;
};

}  // namespace

Entries read_matrix_market(const std::string& path, const std::string& text, std::int64_t most) {
    return MatrixMarketReader(path, text, most).read();
}

void need_finite_sums(const Entries& entries, const std::string& path) {
    constexpr double kMostFloat = std::numeric_limits<float>::max();
    double all = 0;
    for (const float value : entries.value) all += std::fabs(static_cast<double>(value));
    if (all <= kMostFloat) return;  // so no single place can exceed it
    std::map<std::pair<std::int32_t, std::int32_t>, double> sums;
    for (std::size_t i = 0; i < entries.count(); ++i) {
        double& sum = sums[{entries.row[i], entries.col[i]}];
        sum += std::fabs(static_cast<double>(entries.value[i]));
        if (sum > kMostFloat)
            throw lab::FileError(path, "the entries in row " + std::to_string(entries.row[i] + 1) + ", column " +
                                           std::to_string(entries.col[i] + 1) +
                                           " add up to more than a float holds; make them smaller");
    }
}

std::string number_text(float value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace spmv
