// Lab 7: a call's arrays from files, and results into files.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cases.h"
#include "grading/files.h"
#include "grading/format.h"
#include "matrix_market.h"
#include "plain_cpu.h"

namespace spmv {
namespace {

// ---- From entries to the arrays of a task ----

// All elements, row by row; entries of the same place are added up.
std::vector<float> dense_of(const Entries& entries) {
    std::vector<double> sums(static_cast<std::size_t>(entries.rows * entries.cols));
    for (std::size_t i = 0; i < entries.count(); ++i)
        sums[entries.row[i] * entries.cols + entries.col[i]] += static_cast<double>(entries.value[i]);
    return {sums.begin(), sums.end()};
}

struct Csr {
    std::vector<std::int32_t> row_ptr, col;
    std::vector<float> value;
};

Csr csr_of(const Entries& entries) {
    Csr m;
    m.row_ptr.resize(static_cast<std::size_t>(entries.rows) + 1);
    m.col.resize(entries.count()), m.value.resize(entries.count());
    csr_on_cpu(entries.row, entries.col, entries.value, m.row_ptr, m.col, m.value);
    m.col.resize(static_cast<std::size_t>(m.row_ptr.back())), m.value.resize(m.col.size());
    return m;
}

// In a file, an entry in row i and column j says that page i links to page j, whatever its value. The matrix of links
// is its transpose: column i has the links of page i.
Csr links_of(Entries graph) {
    std::swap(graph.row, graph.col);
    Csr m = csr_of(graph);
    std::vector<int> links(static_cast<std::size_t>(graph.cols));
    for (const std::int32_t page : m.col) ++links[page];
    for (std::size_t k = 0; k < m.col.size(); ++k) m.value[k] = 1.0f / static_cast<float>(links[m.col[k]]);
    return m;
}

// ---- Sizes ----

// Sets rows and columns to those of the file. Refuses settings that are for generated matrices, other sizes that the
// user asked for, and sizes beyond the contract.
void settle_sizes(Instance& call, const std::string& path, std::int64_t rows, std::int64_t cols) {
    if (std::max(rows, cols) > kMost)
        throw lab::FileError(path, "needs more rows or columns than this lab takes, " + lab::with_commas(kMost));
    for (const char* name : {"matrix", "grid", "per_row"})
        if (call.scalars.contains(name)) throw lab::FileError(path, std::string("is the matrix; leave out --") + name);
    if (call.fill_in("rows", rows) != rows)
        throw lab::FileError(path,
                             "has " + lab::count_of(static_cast<std::uint64_t>(rows), "row") + "; leave out --rows");
    if (call.fill_in("cols", cols) != cols)
        throw lab::FileError(path,
                             "has " + lab::count_of(static_cast<std::uint64_t>(cols), "column") + "; leave out --cols");
    call.scalars["from_file"] = 1;
    call.variant = "";
}

std::int64_t greatest(std::span<const std::int32_t> numbers) {
    return numbers.empty() ? -1 : *std::max_element(numbers.begin(), numbers.end());
}

void need_range(const Array& array, std::int64_t most, const char* what) {
    for (const std::int32_t i : array.as<std::int32_t>())
        if (i < 0 || i >= most)
            throw std::invalid_argument(array.spec.name + ": " + what + " " + std::to_string(i) + " is not from 0 to " +
                                        lab::with_commas(most - 1));
}

// ---- CSR from arrays, and as text ----

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
    const auto cols = work_of(call) == Work::pagerank ? rows : static_cast<std::int64_t>(given[3].spec.count);
    need_range(given[1], cols, "column");
    settle_sizes(call, given[0].spec.name, rows, cols);
    call.scalars["x_given"] = 1;
}

std::string matrix_text(const Instance& call, std::span<const Array> outputs, const std::string& path) {
    const auto row_ptr = outputs[0].as<std::int32_t>(), col = outputs[1].as<std::int32_t>();
    const auto value = outputs[2].as<float>();
    bool is_sound = row_ptr.front() == 0 && row_ptr.back() <= static_cast<std::int64_t>(col.size());
    for (std::size_t r = 1; r < row_ptr.size(); ++r) is_sound = is_sound && row_ptr[r - 1] <= row_ptr[r];
    if (!is_sound) throw lab::FileError(path, "not written: the row pointers do not ascend from 0");
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(call.scalar("rows")) + " " +
                       std::to_string(call.scalar("cols")) + " " + std::to_string(row_ptr.back()) + "\n";
    for (std::size_t r = 0; r + 1 < row_ptr.size(); ++r)
        for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
            text += std::to_string(r + 1) + " " + std::to_string(std::int64_t{col[k]} + 1) + " " +
                    number_text(value[k]) + "\n";
    return text;
}

}  // namespace

lab::Problem read_matrix(const Instance& asked, const std::string& path) {
    const Entries entries = read_matrix_market(path, lab::read_file(path), kMost);
    Instance call = asked;
    const Work work = work_of(call);
    settle_sizes(call, path, entries.rows, entries.cols);
    if (work != Work::pagerank) need_finite_sums(entries, path);  // pagerank ignores the values
    if (work == Work::from_dense) {
        if (entries.rows > 0 && entries.cols > kMost / entries.rows)
            throw lab::FileError(
                path, "has more than " + lab::with_commas(kMost) + " elements; task csr_from_dense needs them all");
        call.n = entries.rows * entries.cols;
        return {call, {lab::bytes_of(dense_of(entries))}};
    }
    if (work == Work::from_coo) {
        call.n = static_cast<std::int64_t>(entries.count());
        return {call, {lab::bytes_of(entries.row), lab::bytes_of(entries.col), lab::bytes_of(entries.value)}};
    }
    if (work == Work::pagerank && entries.rows != entries.cols)
        throw lab::FileError(path, "a graph has as many rows as columns, a page each; this has " +
                                       lab::with_commas(entries.rows) + " and " + lab::with_commas(entries.cols));
    const Csr m = work == Work::pagerank ? links_of(entries) : csr_of(entries);
    call.n = static_cast<std::int64_t>(m.col.size());
    std::vector<std::vector<std::byte>> inputs = {lab::bytes_of(m.row_ptr), lab::bytes_of(m.col),
                                                  lab::bytes_of(m.value)};
    if (work == Work::multiply) {
        call.fill_in("x", static_cast<std::int64_t>(Vector::ones));
        std::vector<float> x(static_cast<std::size_t>(entries.cols));
        generate_vector(call, x);
        inputs.push_back(lab::bytes_of(x));
    }
    return {call, inputs};
}

// Writes a vector as one number per line. A matrix is written in the Matrix Market format, and so is a vector if the
// path ends in .mtx.
void write_result(const Instance& call, std::span<const Array>, std::span<const Array> outputs,
                  const std::string& path) {
    const bool is_market = lab::ends_in(path, ".mtx");
    if (builds_matrix(call)) {
        if (!is_market) throw lab::FileError(path, "not written: a matrix goes into a file that ends in .mtx");
        return lab::write_file(path, matrix_text(call, outputs, path));
    }
    const auto y = outputs[0].as<float>();
    std::string text;
    if (is_market) text = "%%MatrixMarket matrix array real general\n" + std::to_string(y.size()) + " 1\n";
    for (const float value : y) text += number_text(value) + "\n";
    lab::write_file(path, text);
}

void from_arrays(Instance& call, std::span<const Array> given) {
    const Work work = work_of(call);
    const std::size_t wanted = work == Work::from_dense ? 1 : work == Work::multiply ? 4 : 3;
    if (given.size() != wanted)
        throw std::invalid_argument("task " + call.task + " takes " + lab::count_of(wanted, "array") +
                                    ", or one Matrix Market file");
    if (work == Work::from_dense) {
        call.n = static_cast<std::int64_t>(given[0].spec.count);
        return;
    }
    if (work != Work::from_coo) return csr_from_arrays(call, given);
    call.n = static_cast<std::int64_t>(given[0].spec.count);
    const auto size = [&](const char* name, std::size_t i) {
        return call.scalars.contains(name) ? call.scalar(name) : greatest(given[i].as<std::int32_t>()) + 1;
    };
    const std::int64_t rows = size("rows", 0), cols = size("cols", 1);
    need_range(given[0], rows, "row");
    need_range(given[1], cols, "column");
    settle_sizes(call, given[0].spec.name, rows, cols);
}

}  // namespace spmv
