// Lab 7's tasks as data, their inputs, and matrices in files. Trusted; host C++; also in the runner, for --n without
// --input.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "grading/files.h"
#include "grading/format.h"
#include "grading/problem.h"
#include "matrices.h"
#include "matrix_market.h"
#include "plain_cpu.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kTimedN = 1 << 18, kTimedSortN = 1 << 16, kUsualN = 1 << 12;
constexpr std::int64_t kOrderTells = 65'537;           // the grader repeats it: long rows, and values with all digits
constexpr std::int64_t kMost = std::int64_t{1} << 28;  // as in spmv.h
constexpr std::int64_t kMostSteps = 1000;

enum class Vector : std::int64_t { random, ones, index };
const std::vector<std::string> kVectorNames = {"random", "ones", "index"};

// What a person gets who names no seed, and what is timed: times of different seeds have to be comparable.
bool is_usual(const Instance& call) { return call.seed == 0 || (call.n >= kUsualN && call.n % kUsualN == 0); }

bool is_dense(const Instance& call) { return call.task == "csr_from_dense"; }
bool is_coo(const Instance& call) { return call.task == "csr_from_coo"; }
bool is_pagerank(const Instance& call) { return call.task == "pagerank"; }
bool is_product(const Instance& call) { return !is_dense(call) && !is_coo(call) && !is_pagerank(call); }
Kind kind_of(const Instance& call) { return static_cast<Kind>(call.scalar("matrix")); }

// The structure of what is timed is the same for every seed.
Random structure(const Instance& call, const char* stream) { return Random(is_usual(call) ? 0 : call.seed, stream); }

std::int64_t at_random(Random& random, std::initializer_list<std::int64_t> choices) {
    return choices.begin()[random.below(choices.size())];
}

// ---- Which matrix ----

// Rows that n nonzeros are shared out among.
std::int64_t some_rows(const Instance& call, Random& random) {
    const std::int64_t n = call.n, per_row = call.scalars.contains("per_row") ? call.scalar("per_row") : 16;
    if (n == 0) return is_usual(call) ? 5 : std::array{0, 1, 33, 700}[call.seed % 4];  // the grader asks for four
    if (n == kOrderTells) return 3;
    if (is_usual(call) || call.scalars.contains("per_row")) return (n + per_row - 1) / per_row;
    const std::int64_t some = std::max<std::int64_t>(n / random.between(1, 40), 1);
    if (kind_of(call) == Kind::gaps) return at_random(random, {some, some, n, n + 1, 3 * n + 500});
    return at_random(random, {some, some, some, 1, std::min<std::int64_t>(n, 3), n, 256, 257});
}

// Columns for rows of at most `longest` nonzeros.
std::int64_t some_cols(const Instance& call, std::int64_t rows, std::int64_t longest, Random& random) {
    const std::int64_t square = std::max(rows, longest);
    if (is_usual(call)) return square;
    const std::int64_t least = std::max<std::int64_t>(longest, random.one_in(2) ? 1 : 0);
    return at_random(random, {square, least, least + 1, 2 * square + 3, longest + random.between(0, square)});
}

// The matrix that a call's scalars ask for, and where it has its nonzeros.
Pattern pattern_of(const Instance& call) {
    const Kind kind = kind_of(call);
    if (kind == Kind::laplacian) return laplacian(call.n, call.scalar("grid"));
    if (kind == Kind::band) return band(call.n, call.scalar("per_row") / 2);
    Random lengths = structure(call, "lengths"), places(call.seed, "columns");
    Pattern pattern{.cols = call.scalars.contains("cols") ? call.scalar("cols") : 0};
    pattern.row_ptr = row_pointers(call.n, weights_of(kind, call.scalar("rows"), is_usual(call), lengths));
    if (pattern.cols >= pattern.longest()) place_in_columns(pattern, places);
    return pattern;
}

void choose_size(Instance& call, const char* name, std::int64_t must_be) {
    if (call.scalars.emplace(name, must_be).first->second != must_be)
        throw std::invalid_argument(std::string("--") + name + " is " + lab::with_commas(must_be) + " for this matrix");
}

// The variant is the kind; a person may name either, and who names both gets --matrix. --grid asks for a Laplacian.
void choose_kind(Instance& call) {
    const auto variant = std::find(kKindNames.begin(), kKindNames.end(), call.variant);
    const bool has_grid = call.scalars.contains("grid");
    const auto named = has_grid                      ? static_cast<std::int64_t>(Kind::laplacian)
                       : variant == kKindNames.end() ? 0
                                                     : variant - kKindNames.begin();
    call.variant = kKindNames.at(static_cast<std::size_t>(call.scalars.emplace("matrix", named).first->second));
}

void choose_grid(Instance& call) {
    const auto whole = [](std::int64_t side) { return 5 * side * side - 4 * side; };
    // Asked for by a person, and not filled in here before.
    if (call.scalars.contains("grid") && !call.scalars.contains("rows")) call.n = whole(call.scalar("grid"));
    const auto side = call.scalars.emplace("grid", grid_for(call.n)).first->second;
    if (call.n > whole(side))
        throw std::invalid_argument("--grid " + std::to_string(side) + ": its Laplacian has " +
                                    lab::with_commas(whole(side)) + " nonzeros; leave out --n and --rows");
}

void choose_matrix(Instance& call) {
    choose_kind(call);
    Random random = structure(call, "sizes");
    const Kind kind = kind_of(call);
    if (kind == Kind::laplacian) choose_grid(call);
    if (kind == Kind::band) call.scalars.emplace("per_row", is_usual(call) ? 7 : 1 + 2 * random.between(0, 20));
    if (kind == Kind::laplacian || kind == Kind::band) {
        const Pattern pattern = pattern_of(call);
        choose_size(call, "rows", is_pagerank(call) ? pattern.cols : pattern.rows());
        choose_size(call, "cols", pattern.cols);
        return;
    }
    auto& rows = call.scalars.emplace("rows", some_rows(call, random)).first->second;
    if (rows == 0 && call.n > 0)
        throw std::invalid_argument("--rows 0: " + lab::with_commas(call.n) + " nonzeros need a row");
    std::int64_t longest = pattern_of(call).longest();
    if (is_pagerank(call)) {  // as many columns as rows
        for (; longest > rows; longest = pattern_of(call).longest()) rows = longest;
        return choose_size(call, "cols", rows);
    }
    const auto cols = call.scalars.emplace("cols", some_cols(call, rows, longest, random)).first->second;
    if (cols < longest)
        throw std::invalid_argument("--cols " + std::to_string(cols) + ": the longest row of this matrix has " +
                                    lab::with_commas(longest) + " nonzeros");
}

// A dense matrix of n elements: as square as n allows; or now and then long and thin, or a single row or column.
void choose_dense(Instance& call) {
    Random random = structure(call, "shape");
    if (call.n == 0) {
        const auto rows =
            call.scalars.emplace("rows", is_usual(call) ? 5 : std::array{0, 5, 300}[call.seed % 3]).first->second;
        call.scalars.emplace("cols", rows > 0 ? 0 : at_random(random, {0, 5}));
        return;
    }
    std::vector<std::int64_t> widths;
    for (std::int64_t d = 1; d * d <= call.n; ++d)
        if (call.n % d == 0) widths.insert(widths.end(), {d, call.n / d});
    const std::int64_t width = is_usual(call) ? widths.back() : widths[random.below(widths.size())];
    if (call.scalars.contains("rows") && !call.scalars.contains("cols"))
        call.scalars["cols"] = call.scalar("rows") > 0 ? call.n / call.scalar("rows") : 0;
    const auto cols = call.scalars.emplace("cols", width).first->second;
    const auto rows = call.scalars.emplace("rows", cols > 0 ? call.n / cols : 0).first->second;
    if (rows * cols != call.n)
        throw std::invalid_argument("--rows " + std::to_string(rows) + " --cols " + std::to_string(cols) +
                                    ": that is not n = " + lab::with_commas(call.n) + " elements");
}

void choose(Instance& call) {
    if (is_dense(call)) return choose_dense(call);
    if (!call.scalars.contains("from_file")) choose_matrix(call);
    Random random = structure(call, "more");
    if (is_product(call)) call.scalars.emplace("x", static_cast<std::int64_t>(Vector::random));
    if (is_pagerank(call)) call.scalars.emplace("steps", is_usual(call) ? 20 : at_random(random, {0, 1, 2, 3, 7, 12}));
}

// The bytes that must move: every array once. Of x, those elements that can be wanted, once each, as if a cache kept
// whatever more than one row wants: a matrix with fewer nonzeros than columns cannot want all.
lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n);
    const auto rows = static_cast<std::size_t>(call.scalar("rows")),
               cols = static_cast<std::size_t>(call.scalar("cols"));
    lab::Shape shape;
    if (is_dense(call)) {
        shape.inputs = {{"d_dense", DType::f32, n}};
    } else if (is_coo(call)) {
        shape.inputs = {
            {"d_entry_rows", DType::i32, n}, {"d_entry_cols", DType::i32, n}, {"d_entry_values", DType::f32, n}};
    } else {
        shape.inputs = {{"d_row_ptr", DType::i32, rows + 1}, {"d_cols", DType::i32, n}, {"d_values", DType::f32, n}};
        if (is_product(call)) shape.inputs.push_back({"d_x", DType::f32, cols});
        shape.outputs = {{is_product(call) ? "d_y" : "d_rank", DType::f32, rows}};
        const double once = 4.0 * static_cast<double>(rows + 1 + 2 * n);
        const double vectors = 4.0 * static_cast<double>(std::min(cols, n) + rows);
        shape.bytes = is_product(call) ? once + vectors : static_cast<double>(call.scalar("steps")) * (once + vectors);
        return shape;
    }
    shape.outputs = {{"d_row_ptr", DType::i32, rows + 1},
                     {.name = "d_cols", .dtype = DType::i32, .count = n},
                     {.name = "d_values", .dtype = DType::f32, .count = n}};
    // Of a dense matrix an eighth is kept, of entries all but a few.
    const double kept = is_dense(call) ? static_cast<double>(n) / 8 : static_cast<double>(n);
    shape.bytes = static_cast<double>(shape.inputs.size() * 4 * n) + 8 * kept + 4 * static_cast<double>(rows + 1);
    return shape;
}

// ---- Inputs ----

// Numbers that tell. digits: 0.5 <= |v| < 1, with all the digits of a float. whole: so small that sums are exact, and
// every product counts.
enum class Values { digits, whole };

Values values_of(const Instance& call) {
    const bool round = is_usual(call) || call.n == kOrderTells || call.seed % 3 == 0;
    return round ? Values::digits : Values::whole;
}

float some_value(Values kind, Random& random) {
    const std::uint64_t bits = random.bits();
    const float sign = bits % 2 == 0 ? 1 : -1;
    if (kind == Values::whole) return sign * static_cast<float>(1 + bits / 2 % 3);
    return sign * static_cast<float>(0.5 + static_cast<double>(bits >> 41) * 0x1p-24);
}

void fill(std::span<float> values, const Instance& call, const char* stream) {
    Random random(call.seed, stream);
    for (float& value : values) value = some_value(values_of(call), random);
}

void generate_vector(const Instance& call, std::span<float> x) {
    const auto kind = static_cast<Vector>(call.scalar("x"));
    if (kind == Vector::random) return fill(x, call, "x");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = kind == Vector::ones ? 1 : static_cast<float>(i + 1);
}

void generate_values(const Instance& call, const Pattern& pattern, std::span<float> values) {
    if (is_pagerank(call)) {
        std::vector<int> links(static_cast<std::size_t>(call.scalar("cols")));
        for (const std::int32_t page : pattern.col) ++links[page];
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0f / static_cast<float>(links[pattern.col[k]]);
    } else if (kind_of(call) == Kind::laplacian && is_usual(call)) {
        for (std::int64_t r = 0; r < pattern.rows(); ++r)
            for (std::int64_t k = pattern.row_ptr[r]; k < pattern.row_ptr[r + 1]; ++k)
                values[k] = pattern.col[k] == r ? 4 : -1;
    } else {
        fill(values, call, "values");
    }
}

// Is more than every second element 0, or how many are not? By the seed.
void generate_dense(const Instance& call, std::span<float> elements) {
    Random random(call.seed, "places"), values(call.seed, "values");
    const std::int64_t cols = std::max<std::int64_t>(call.scalar("cols"), 1);
    const std::uint64_t every = is_usual(call) ? 8 : std::array<std::uint64_t, 5>{1, 2, 8, 8, 100}[random.below(5)];
    const bool is_empty = !is_usual(call) && random.one_in(10);
    const std::uint64_t empty_rows = is_usual(call) ? 1000 : 1 + random.below(6);  // one in so many
    bool is_empty_row = false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i % static_cast<std::size_t>(cols) == 0) is_empty_row = random.one_in(empty_rows + 1);
        const bool is_kept = !is_empty && !is_empty_row && random.one_in(every);
        const float value = some_value(values_of(call), values);
        elements[i] = is_kept ? value : std::copysign(0.0f, value);  // -0 is 0 as well
    }
}

// The pattern's nonzeros as entries in any order, some of them at a place that has one already.
void generate_entries(const Instance& call, std::span<const Array> inputs) {
    const Pattern pattern = pattern_of(call);
    const auto row = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    for (std::int64_t r = 0; r < pattern.rows(); ++r)
        for (std::int64_t k = pattern.row_ptr[r]; k < pattern.row_ptr[r + 1]; ++k)
            row[k] = static_cast<std::int32_t>(r), col[k] = pattern.col[k];
    Random random(call.seed, "order");
    const std::uint64_t again =
        is_usual(call) ? 16 : std::array<std::uint64_t, 4>{1, 2, 16, 1'000'000}[random.below(4)];
    const bool all_equal = !is_usual(call) && random.one_in(12);
    for (std::size_t i = 1; i < row.size(); ++i) {  // Fisher and Yates
        if (all_equal || random.one_in(again)) {
            const std::size_t other = all_equal ? 0 : random.below(i);
            row[i] = row[other], col[i] = col[other];
        } else {
            const std::size_t other = random.below(i + 1);
            std::swap(row[i], row[other]), std::swap(col[i], col[other]);
        }
    }
    fill(inputs[2].as<float>(), call, "values");
}

void generate(const Instance& call, std::span<const Array> inputs) {
    if (is_dense(call)) return generate_dense(call, inputs[0].as<float>());
    if (is_coo(call)) return generate_entries(call, inputs);
    if (is_product(call)) generate_vector(call, inputs[3].as<float>());
    if (call.scalars.contains("from_file")) return;
    const Pattern pattern = pattern_of(call);
    const auto row_ptr = inputs[0].as<std::int32_t>();
    std::copy(pattern.row_ptr.begin(), pattern.row_ptr.end(), row_ptr.begin());
    std::fill(row_ptr.begin() + pattern.rows() + 1, row_ptr.end(), pattern.row_ptr.back());  // pages without links
    std::copy(pattern.col.begin(), pattern.col.end(), inputs[1].as<std::int32_t>().begin());
    generate_values(call, pattern, inputs[2].as<float>());
}

// ---- A plain CPU version, for --cpu ----

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    if (is_dense(call)) return dense_on_cpu(inputs[0].as<float>(), call.scalar("cols"), outputs);
    if (is_pagerank(call)) return rank_on_cpu(inputs, call.scalar("steps"), outputs[0].as<float>());
    if (is_product(call)) return multiply(inputs, inputs[3].as<float>(), outputs[0].as<float>());
    coo_on_cpu(inputs[0].as<std::int32_t>(), inputs[1].as<std::int32_t>(), inputs[2].as<float>(),
               outputs[0].as<std::int32_t>(), outputs[1].as<std::int32_t>(), outputs[2].as<float>());
}

// ---- Matrices in files ----

// Refuses settings that are for generated matrices, sizes that the file has otherwise, and sizes beyond the contract.
void settle_sizes(Instance& call, const std::string& path, std::int64_t rows, std::int64_t cols) {
    if (std::max(rows, cols) > kMost)
        throw lab::FileError(path, "needs more rows or columns than this lab takes, " + lab::with_commas(kMost));
    for (const char* name : {"matrix", "grid", "per_row"})
        if (call.scalars.contains(name)) throw lab::FileError(path, std::string("is the matrix; leave out --") + name);
    if (call.scalars.emplace("rows", rows).first->second != rows)
        throw lab::FileError(path,
                             "has " + lab::count_of(static_cast<std::uint64_t>(rows), "row") + "; leave out --rows");
    if (call.scalars.emplace("cols", cols).first->second != cols)
        throw lab::FileError(path,
                             "has " + lab::count_of(static_cast<std::uint64_t>(cols), "column") + "; leave out --cols");
    call.scalars["from_file"] = 1;
    call.variant = "";
}

lab::Problem read_matrix(const Instance& asked, const std::string& path) {
    const Entries entries = MatrixMarketReader(path, lab::read_file(path), kMost).read();
    Instance call = asked;
    settle_sizes(call, path, entries.rows, entries.cols);
    if (!is_pagerank(call)) need_finite_sums(entries, path);  // where an entry's value does not count
    if (is_dense(call)) {
        if (entries.rows > 0 && entries.cols > kMost / entries.rows)
            throw lab::FileError(
                path, "has more than " + lab::with_commas(kMost) + " elements; task csr_from_dense needs them all");
        call.n = entries.rows * entries.cols;
        return {call, {lab::bytes_of(dense_of(entries))}};
    }
    if (is_coo(call)) {
        call.n = static_cast<std::int64_t>(entries.count());
        return {call, {lab::bytes_of(entries.row), lab::bytes_of(entries.col), lab::bytes_of(entries.value)}};
    }
    if (is_pagerank(call) && entries.rows != entries.cols)
        throw lab::FileError(path, "a graph has as many rows as columns, a page each; this has " +
                                       lab::with_commas(entries.rows) + " and " + lab::with_commas(entries.cols));
    const Matrix m = is_pagerank(call) ? links_of(entries) : csr_of(entries);
    call.n = static_cast<std::int64_t>(m.col.size());
    lab::Problem problem{call, {lab::bytes_of(m.row_ptr), lab::bytes_of(m.col), lab::bytes_of(m.value)}};
    if (is_product(call)) {
        call.scalars.emplace("x", static_cast<std::int64_t>(Vector::ones));
        std::vector<float> x(static_cast<std::size_t>(entries.cols));
        generate_vector(call, x);
        problem.instance = call;
        problem.inputs.push_back(lab::bytes_of(x));
    }
    return problem;
}

// A vector as one number a line; a matrix, or a vector in a file that ends in .mtx, as Matrix Market writes it.
void write_result(const Instance& call, std::span<const Array>, std::span<const Array> outputs,
                  const std::string& path) {
    const bool is_market = lab::ends_in(path, ".mtx");
    std::string text;
    if (is_dense(call) || is_coo(call)) {
        const auto row_ptr = outputs[0].as<std::int32_t>(), col = outputs[1].as<std::int32_t>();
        const auto value = outputs[2].as<float>();
        if (!is_market) throw lab::FileError(path, "not written: a matrix goes into a file that ends in .mtx");
        bool is_sound = row_ptr.front() == 0 && row_ptr.back() <= static_cast<std::int64_t>(col.size());
        for (std::size_t r = 1; r < row_ptr.size(); ++r) is_sound = is_sound && row_ptr[r - 1] <= row_ptr[r];
        if (!is_sound) throw lab::FileError(path, "not written: the row pointers do not ascend from 0");
        text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(call.scalar("rows")) + " " +
               std::to_string(call.scalar("cols")) + " " + std::to_string(row_ptr.back()) + "\n";
        for (std::size_t r = 0; r + 1 < row_ptr.size(); ++r)
            for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
                text += std::to_string(r + 1) + " " + std::to_string(std::int64_t{col[k]} + 1) + " " +
                        number_text(value[k]) + "\n";
    } else {
        const auto y = outputs[0].as<float>();
        if (is_market) text = "%%MatrixMarket matrix array real general\n" + std::to_string(y.size()) + " 1\n";
        for (const float value : y) text += number_text(value) + "\n";
    }
    lab::write_file(path, text);
}

// ---- Arrays from files ----

std::int64_t greatest(std::span<const std::int32_t> numbers) {
    return numbers.empty() ? -1 : *std::max_element(numbers.begin(), numbers.end());
}

void need_range(const Array& array, std::int64_t most, const char* what) {
    for (const std::int32_t i : array.as<std::int32_t>())
        if (i < 0 || i >= most)
            throw std::invalid_argument(array.spec.name + ": " + what + " " + std::to_string(i) + " is not from 0 to " +
                                        lab::with_commas(most - 1));
}

void csr_from_arrays(Instance& call, std::span<const Array> given) {
    const auto row_ptr = given[0].as<std::int32_t>();
    if (row_ptr.empty() || row_ptr.front() != 0 || !std::is_sorted(row_ptr.begin(), row_ptr.end()))
        throw std::invalid_argument(given[0].spec.name + ": row pointers begin with 0 and ascend");
    call.n = row_ptr.back();
    for (const Array& array : given.subspan(1, 2))
        if (static_cast<std::int64_t>(array.spec.count) != call.n)
            throw std::invalid_argument(array.spec.name + " has " + lab::count_of(array.spec.count, "element") +
                                        ", but " + given[0].spec.name + " ends with " + lab::with_commas(call.n));
    const auto rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
    const auto cols = is_pagerank(call) ? rows : static_cast<std::int64_t>(given[3].spec.count);
    need_range(given[1], cols, "column");
    settle_sizes(call, given[0].spec.name, rows, cols);
    call.scalars["x_given"] = 1;
}

void from_arrays(Instance& call, std::span<const Array> given) {
    const std::size_t wanted = is_dense(call) ? 1 : is_product(call) ? 4 : 3;
    if (given.size() != wanted)
        throw std::invalid_argument("task " + call.task + " takes " + lab::count_of(wanted, "array") +
                                    ", or one Matrix Market file");
    if (is_dense(call)) {
        call.n = static_cast<std::int64_t>(given[0].spec.count);
        return;
    }
    if (!is_coo(call)) return csr_from_arrays(call, given);
    call.n = static_cast<std::int64_t>(given[0].spec.count);
    const auto size = [&](const char* name, std::size_t i) {
        return call.scalars.contains(name) ? call.scalar(name) : greatest(given[i].as<std::int32_t>()) + 1;
    };
    const std::int64_t rows = size("rows", 0), cols = size("cols", 1);
    need_range(given[0], rows, "row");
    need_range(given[1], cols, "column");
    settle_sizes(call, given[0].spec.name, rows, cols);
}

std::string input_text(const Instance& call) {
    const char* noun = is_dense(call) ? "element" : is_coo(call) ? "entry" : is_pagerank(call) ? "link" : "nonzero";
    std::string count = lab::count_of(static_cast<std::uint64_t>(call.n), noun);
    if (is_coo(call) && call.n != 1) count = lab::with_commas(call.n) + " entries";
    std::string text =
        lab::with_commas(call.scalar("rows")) + " x " + lab::with_commas(call.scalar("cols")) + ", " + count;
    if (is_product(call) && !call.scalars.contains("x_given"))
        text += ", x " + kVectorNames.at(static_cast<std::size_t>(call.scalar("x")));
    if (is_pagerank(call)) text += ", " + lab::count_of(static_cast<std::uint64_t>(call.scalar("steps")), "step");
    return text;
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (is_dense(call) || is_coo(call)) {
        const auto row_ptr = outputs[0].as<std::int32_t>();
        return lab::count_of(static_cast<std::uint64_t>(std::max(row_ptr.back(), 0)), "nonzero");
    }
    const auto y = outputs[0].as<float>();
    char text[64];
    if (is_pagerank(call) && !y.empty()) {
        const auto best = std::max_element(y.begin(), y.end());
        std::snprintf(text, sizeof text, " with %.4g", static_cast<double>(*best));
        return "first is page " + lab::with_commas(best - y.begin() + 1) + text;
    }
    double sum = 0;
    for (const float value : y) sum += static_cast<double>(value);
    std::snprintf(text, sizeof text, "sum of y %.9g", sum);
    return text;
}

}  // namespace

lab::Lab spmv_lab() {
    // The edges of warps and blocks; a tile of 256 threads with 7 items each, and one item more.
    const std::vector<std::int64_t> sizes = {0,    1,    2,    31,   32,   33,     255,    256,    257,   1023,
                                             1024, 1025, 1792, 1793, 5000, 20'000, 65'535, 65'536, 65'537};
    // Where tiles leave something to be added up later, so many of them that this takes more than a block.
    std::vector<std::int64_t> many_tiles = sizes;
    many_tiles.push_back(470'000);
    // The first is timed: rows of one length where a thread has a row, else what makes the difference, long ones.
    const std::vector<std::string> all = kKindNames, few = {"power_law", "uniform", "gaps"};
    const std::vector<std::string> even = {"uniform", "power_law", "laplacian", "band", "gaps"};
    lab::Lab lab;
    lab.number = 7;
    lab.name = "spmv";
    lab.title = "SpMV";
    lab.tasks = {
        {"gather_multiply_reduce", "three kernels: gather x, multiply, add up each row", even, kMost, sizes, kTimedN},
        {"row_per_thread", "one kernel, a thread for each row", even, kMost, sizes, kTimedN},
        {"warp_per_row", "a warp for each row; its lanes read neighbouring nonzeros", all, kMost, sizes, kTimedN},
        {"segmented_scan", "equally many nonzeros for each thread; rows added up by a backward segmented scan", all,
         kMost, many_tiles, kTimedN},
        {"csr_from_dense", "count each row's nonzeros, scan, and put them where they go", {}, kMost, sizes, kTimedN},
        {"csr_from_coo", "sort by row and column, add up equal places, count", few, kMost, sizes, kTimedSortN},
        {"pagerank", "steps of SpMV, a sum, and an even share for everybody", few, kMost, sizes, kTimedSortN},
        {"merge_path", "rows and nonzeros shared out equally along the merge of row ends and nonzeros", all, kMost,
         many_tiles, kTimedN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {
        {"matrix", "the kind that is generated; default power_law", 0, 0, kKindNames},
        {"x", "the vector; default ones for files, else random", 0, 0, kVectorNames},
        {"rows", "rows that the n nonzeros are shared out among", 0, kMost},
        {"cols", "columns; default: square", 0, kMost},
        {"per_row", "nonzeros in a row, on average or of the band; default 16, and 7 for a band", 1, kMost},
        {"grid", "laplacian: the whole matrix of a grid of so many points a side, whatever n is", 1, 1 << 12},
        {"steps", "pagerank: how many; default 20", 0, kMostSteps},
    };
    lab.from_arrays = from_arrays;
    lab.files = {"a matrix: Matrix Market (.mtx)", read_matrix, write_result};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
