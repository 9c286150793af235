// Lab 7: which matrix a call gets. The scalars that it does not have yet come from n and the seed.
#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "cases.h"
#include "grading/format.h"

namespace spmv {
namespace {

using lab::Random;

std::int64_t one_of(std::initializer_list<std::int64_t> choices, Random& random) {
    return choices.begin()[random.below(choices.size())];
}

// How many rows share the n nonzeros.
std::int64_t some_rows(const Instance& call, Random& random) {
    const std::int64_t n = call.n, per_row = call.scalars.contains("per_row") ? call.scalar("per_row") : 16;
    if (n == 0) return is_usual(call) ? 5 : std::array{0, 1, 33, 700}[call.seed % 4];  // the grader tries four seeds
    if (n == kRepeatedN) return 3;
    if (n == kOneRowN) return 1;
    if (n == kWideN) return kind_of(call) == Kind::uniform ? n / 16 : 5 * n;  // more rows than 16 bits can number
    if (is_usual(call) || call.scalars.contains("per_row")) return (n + per_row - 1) / per_row;
    const std::int64_t some = std::max<std::int64_t>(n / random.between(1, 40), 1);
    if (kind_of(call) == Kind::gaps) return one_of({some, some, n, n + 1, 3 * n + 500}, random);
    return one_of({some, some, some, 1, std::min<std::int64_t>(n, 3), n, 256, 257}, random);
}

// How many columns, where the longest row has `longest` nonzeros.
std::int64_t some_cols(const Instance& call, std::int64_t rows, std::int64_t longest, Random& random) {
    const std::int64_t square = std::max(rows, longest);
    if (is_usual(call)) return square;
    if (call.n == kWideN) return std::max(square, std::int64_t{1} << 18) + 3;
    const std::int64_t least = std::max<std::int64_t>(longest, random.one_in(2) ? 1 : 0);
    return one_of({square, least, least + 1, 2 * square + 3, longest + random.between(0, square)}, random);
}

// Sets a scalar that the matrix decides. Refuses another value that the user asked for.
void need_scalar(Instance& call, const char* name, std::int64_t must_be) {
    if (call.fill_in(name, must_be) != must_be)
        throw std::invalid_argument(std::string("--") + name + " is " + lab::with_commas(must_be) + " for this matrix");
}

void choose_grid(Instance& call) {
    const auto whole = [](std::int64_t side) { return 5 * side * side - 4 * side; };
    // If there are no rows yet, the user asked for this grid, and it decides n. Else an earlier call of this function
    // has completed the call, and n stays.
    if (call.scalars.contains("grid") && !call.scalars.contains("rows")) call.n = whole(call.scalar("grid"));
    const auto side = call.fill_in("grid", grid_for(call.n));
    if (call.n > whole(side))
        throw std::invalid_argument("--grid " + std::to_string(side) + ": its Laplacian has " +
                                    lab::with_commas(whole(side)) + " nonzeros; leave out --n and --rows");
}

void choose_matrix(Instance& call) {
    if (call.scalars.contains("grid")) call.fill_in("matrix", static_cast<std::int64_t>(Kind::laplacian));
    lab::choose_by_variant(call, "matrix", kKindNames);
    Random random = structure_random(call, "sizes");
    const Kind kind = kind_of(call);
    const bool is_square = work_of(call) == Work::pagerank;
    if (kind == Kind::laplacian) choose_grid(call);
    if (kind == Kind::band) call.fill_in("per_row", is_usual(call) ? 7 : 1 + 2 * random.between(0, 20));
    if (kind == Kind::laplacian || kind == Kind::band) {
        const Pattern pattern = pattern_of(call);
        need_scalar(call, "rows", is_square ? pattern.cols : pattern.rows());
        need_scalar(call, "cols", pattern.cols);
        return;
    }
    std::int64_t& rows = call.fill_in("rows", some_rows(call, random));
    if (rows == 0 && call.n > 0)
        throw std::invalid_argument("--rows 0: " + lab::with_commas(call.n) + " nonzeros need a row");
    std::int64_t longest = pattern_of(call).longest();
    if (is_square) {  // add rows until the longest of them fits into as many columns
        for (; longest > rows; longest = pattern_of(call).longest()) rows = longest;
        return need_scalar(call, "cols", rows);
    }
    const auto cols = call.fill_in("cols", some_cols(call, rows, longest, random));
    if (cols < longest)
        throw std::invalid_argument("--cols " + std::to_string(cols) + ": the longest row of this matrix has " +
                                    lab::with_commas(longest) + " nonzeros");
}

// The shape of a dense matrix of n elements: usually as square as n allows, else any two factors of n.
void choose_dense(Instance& call) {
    Random random = structure_random(call, "shape");
    if (call.n == 0) {
        const auto rows = call.fill_in("rows", is_usual(call) ? 5 : std::array{0, 5, 300}[call.seed % 3]);
        call.fill_in("cols", rows > 0 ? 0 : one_of({0, 5}, random));
        return;
    }
    std::vector<std::int64_t> widths;
    for (std::int64_t d = 1; d * d <= call.n; ++d)
        if (call.n % d == 0) widths.insert(widths.end(), {d, call.n / d});
    const std::int64_t width = is_usual(call) ? widths.back() : widths[random.below(widths.size())];
    if (call.scalars.contains("rows") && !call.scalars.contains("cols"))
        call.scalars["cols"] = call.scalar("rows") > 0 ? call.n / call.scalar("rows") : 0;
    const auto cols = call.fill_in("cols", width);
    const auto rows = call.fill_in("rows", cols > 0 ? call.n / cols : 0);
    if (rows * cols != call.n)
        throw std::invalid_argument("--rows " + std::to_string(rows) + " --cols " + std::to_string(cols) +
                                    ": that is not n = " + lab::with_commas(call.n) + " elements");
}

// A cache. Several steps of a call need the row pointers of its matrix. Those of the last few usual ones are kept.
using MatrixKey = std::tuple<Kind, std::int64_t, std::int64_t, std::uint64_t>;
template <class Make>
std::vector<std::int32_t> cached_row_pointers(MatrixKey key, Make make) {
    struct Entry {
        MatrixKey matrix;
        std::vector<std::int32_t> row_ptr;
    };
    static std::mutex mutex;
    static std::deque<Entry> entries;
    const std::lock_guard lock(mutex);
    for (const Entry& entry : entries)
        if (entry.matrix == key) return entry.row_ptr;
    constexpr std::size_t kRoom = 8;
    if (entries.size() == kRoom) entries.pop_front();
    return entries.emplace_back(Entry{key, make()}).row_ptr;
}

// All usual matrices of a power law have the same row lengths, but nobody knows in which order: else a program could
// have the timed matrix's row pointers, and what follows from them, without reading them.
void in_secret_order(std::vector<double>& weights, const Instance& call) {
    Random random(call.seed, "order of rows");
    for (std::size_t i = weights.size(); i > 1; --i) std::swap(weights[i - 1], weights[random.below(i)]);
}

}  // namespace

Work work_of(const Instance& call) {
    if (call.task == "csr_from_dense") return Work::from_dense;
    if (call.task == "csr_from_coo") return Work::from_coo;
    return call.task == "pagerank" ? Work::pagerank : Work::multiply;
}

bool is_usual(const Instance& call) {
    constexpr std::int64_t kUsualN = 1 << 12;  // all timed sizes are multiples of it
    return call.seed == 0 || (call.n >= kUsualN && call.n % kUsualN == 0);
}

Random structure_random(const Instance& call, const char* stream) {
    return Random(is_usual(call) ? 0 : call.seed, stream);
}

Pattern pattern_of(const Instance& call) {
    const Kind kind = kind_of(call);
    if (kind == Kind::laplacian) return laplacian(call.n, call.scalar("grid"));
    if (kind == Kind::band) return band(call.n, call.scalar("per_row") / 2);
    Random lengths = structure_random(call, "lengths"), places(call.seed, "columns");
    Pattern pattern{.cols = call.scalars.contains("cols") ? call.scalar("cols") : 0};
    const auto row_ptr = [&] {
        std::vector<double> weights = weights_of(kind, call.n, call.scalar("rows"), is_usual(call), lengths);
        if (kind == Kind::power_law && is_usual(call) && call.seed != 0) in_secret_order(weights, call);
        return row_pointers(call.n, weights);
    };
    const MatrixKey key = {kind, call.n, call.scalar("rows"), call.seed};
    pattern.row_ptr = is_usual(call) ? cached_row_pointers(key, row_ptr) : row_ptr();
    if (pattern.cols >= pattern.longest()) place_in_columns(pattern, places);  // else choose() looks at lengths only
    return pattern;
}

void choose(Instance& call) {
    const Work work = work_of(call);
    if (work == Work::from_dense) return choose_dense(call);
    if (!call.scalars.contains("from_file")) choose_matrix(call);
    Random random = structure_random(call, "more");
    if (work == Work::multiply) call.fill_in("x", static_cast<std::int64_t>(Vector::random));
    if (work == Work::pagerank) call.fill_in("steps", is_usual(call) ? 20 : one_of({0, 1, 2, 3, 7, 12}, random));
}

}  // namespace spmv
