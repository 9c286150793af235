// Patterns of life as text. Trusted; host C++.
#include "patterns.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include "grading/files.h"
#include "grading/format.h"
#include "variants.h"

namespace life {
namespace {

using lab::FileError;

// Live cells, collected while a pattern is read.
class Cells {
  public:
    explicit Cells(const std::string& path) : path_(path) {}

    // `count` cells from here to the right.
    void run(std::int64_t count, bool alive, std::int64_t line) {
        if (count > kMaxSide - column_) throw too_large(line);
        if (alive) runs_.push_back({row_, column_, count});
        column_ += count;
        columns_ = std::max(columns_, column_);
    }
    void end_rows(std::int64_t count, std::int64_t line) {
        if (count > kMaxSide - row_) throw too_large(line);
        row_ += count;
        column_ = 0;
    }
    std::int64_t rows() const { return row_ + (column_ > 0 ? 1 : 0); }

    Pattern pattern(std::int64_t least_rows, std::int64_t least_columns) const {
        Pattern pattern{std::max(least_rows, rows()), std::max(least_columns, columns_), {}};
        if (pattern.rows > kMaxSide || pattern.columns > kMaxSide || pattern.rows * pattern.columns > kMaxCells)
            throw FileError(path_, "a pattern of " + lab::with_commas(pattern.rows) + " x " +
                                       lab::with_commas(pattern.columns) + " cells is too large");
        pattern.cells.assign(static_cast<std::size_t>(pattern.rows * pattern.columns), 0);
        for (const Run& run : runs_)
            std::fill_n(pattern.cells.begin() + run.row * pattern.columns + run.column, run.count, 1);
        return pattern;
    }

  private:
    struct Run {
        std::int64_t row, column, count;
    };

    FileError too_large(std::int64_t line) const {
        return {path_, line, "a side of more than " + lab::with_commas(kMaxSide) + " cells"};
    }

    std::string path_;
    std::int64_t row_ = 0, column_ = 0, columns_ = 0;
    std::vector<Run> runs_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// ---- RLE ----

struct Header {
    std::int64_t columns = 0, rows = 0, board_columns = 0, board_rows = 0;
};

std::int64_t number_in(const std::string& path, std::int64_t line, std::string_view word) {
    std::int64_t number = 0;
    if (lab::parse_number(word, number) != std::errc() || number < 0 || number > kMaxSide)
        throw FileError(path, line, lab::quoted(word) + " is no size from 0 to " + lab::with_commas(kMaxSide));
    return number;
}

// "B3/S23", "b3s23" or "23/3", and for a torus ":T30,20" behind it: columns, rows.
void read_rule(const std::string& path, std::int64_t line, std::string_view rule, Header& header) {
    const std::size_t colon = rule.find(':');
    std::string name(rule.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name != "B3/S23" && name != "B3S23" && name != "23/3" && name != "S23/B3" && name != "LIFE")
        throw FileError(path, line, "the rule is " + lab::quoted(rule) + "; this lab plays B3/S23");
    if (colon == std::string_view::npos) return;
    const std::string_view torus = rule.substr(colon + 1);
    if (torus.empty() || torus[0] != 'T')
        throw FileError(path, line, "the board is " + lab::quoted(torus) + "; this lab plays on a torus, T30,20");
    const std::size_t comma = std::min(torus.find(','), torus.size());
    header.board_columns = number_in(path, line, torus.substr(1, comma - 1));
    header.board_rows = comma < torus.size() ? number_in(path, line, torus.substr(comma + 1)) : header.board_columns;
}

// "x = 3, y = 3, rule = B3/S23". The rule comes last and may hold a comma.
Header read_header(const std::string& path, std::int64_t line, std::string_view text) {
    std::string packed;
    std::ranges::copy_if(text, std::back_inserter(packed), [](unsigned char c) { return std::isspace(c) == 0; });
    std::string_view rest = packed;
    Header header;
    const auto take = [&](std::string_view key) {
        if (!rest.starts_with(key)) throw FileError(path, line, "this is no line like x = 3, y = 3, rule = B3/S23");
        rest.remove_prefix(key.size());
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return number_in(path, line, word);
    };
    header.columns = take("x=");
    header.rows = take("y=");
    if (rest.starts_with("rule=")) read_rule(path, line, rest.substr(5), header);
    return header;
}

// Runs of b, dead, o, alive, and $, the end of a row, up to a !.
Pattern read_rle(const std::string& path, const std::vector<std::string_view>& lines, std::size_t first) {
    const Header header = read_header(path, static_cast<std::int64_t>(first) + 1, lines[first]);
    Cells cells(path);
    std::int64_t count = 0;
    for (std::size_t at = first + 1; at < lines.size(); ++at) {
        const auto line = static_cast<std::int64_t>(at) + 1;
        if (lines[at].starts_with('#')) continue;
        for (const char c : lines[at]) {
            if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
                count = std::min<std::int64_t>(10 * count + (c - '0'), kMaxCells);
                continue;
            }
            if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
            const std::int64_t length = std::max<std::int64_t>(count, 1);
            count = 0;
            if (c == 'b' || c == '.' || c == 'o' || c == 'A')
                cells.run(length, c == 'o' || c == 'A', line);
            else if (c == '$')
                cells.end_rows(length, line);
            else if (c != '!')
                throw FileError(path, line, lab::quoted({&c, 1}) + " is none of b, o, $ and !");
            if (c != '!') continue;
            Pattern pattern = cells.pattern(header.rows, header.columns);
            pattern.board_rows = header.board_rows, pattern.board_columns = header.board_columns;
            return pattern;
        }
    }
    throw FileError(path, "ends before the ! that ends a pattern");
}

// ---- .cells ----

Pattern read_cells(const std::string& path, const std::vector<std::string_view>& lines) {
    Cells cells(path);
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const auto line = static_cast<std::int64_t>(at) + 1;
        if (lines[at].starts_with('!')) continue;
        for (const char c : lines[at]) {
            if (c != '.' && c != 'O' && c != '*')
                throw FileError(path, line,
                                lab::quoted({&c, 1}) + ": this is no pattern of life, whose cells are . and O");
            cells.run(1, c != '.', line);
        }
        cells.end_rows(1, line);
    }
    return cells.pattern(0, 0);
}

}  // namespace

Pattern read_pattern(const std::string& path, const std::string& text) {
    const std::vector<std::string_view> lines = lines_of(text);
    for (std::size_t at = 0; at < lines.size(); ++at) {
        if (lines[at].empty() || lines[at].starts_with('#')) continue;
        if (lines[at].starts_with('x')) return read_rle(path, lines, at);
        break;
    }
    return read_cells(path, lines);
}

std::string to_rle(const Pattern& pattern) {
    const std::string columns = std::to_string(pattern.columns), rows = std::to_string(pattern.rows);
    std::string text = "x = " + columns + ", y = " + rows + ", rule = B3/S23:T" + columns + "," + rows + "\n", line;
    const auto put = [&](std::int64_t count, char what) {
        const std::string item = (count > 1 ? std::to_string(count) : "") + what;
        if (line.size() + item.size() > 70) {
            text += line + "\n";
            line.clear();
        }
        line += item;
    };
    std::int64_t ended = 0;  // rows whose $ is not written yet
    for (std::int64_t y = 0; y < pattern.rows; ++y) {
        const auto row = pattern.cells.begin() + y * pattern.columns, end = row + pattern.columns;
        for (auto at = row; at != end;) {
            const auto next = std::find_if(at, end, [&](std::uint8_t cell) { return cell != *at; });
            if (*at == 0 && next == end) break;  // dead cells at the end of a row are left out
            if (ended > 0) put(ended, '$');
            ended = 0;
            put(next - at, *at == 1 ? 'o' : 'b');
            at = next;
        }
        ++ended;
    }
    put(1, '!');
    return text + line + "\n";
}

std::string to_cells(const Pattern& pattern) {
    std::string text;
    for (std::int64_t y = 0; y < pattern.rows; ++y) {
        for (std::int64_t x = 0; x < pattern.columns; ++x)
            text += pattern.cells[static_cast<std::size_t>(y * pattern.columns + x)] == 1 ? 'O' : '.';
        text += '\n';
    }
    return text;
}

}  // namespace life
