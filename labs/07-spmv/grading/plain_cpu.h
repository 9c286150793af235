// Lab 7's plain CPU versions: one thread, no tricks. For --cpu, and to make matrices of files. Trusted; host C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "grading/problem.h"
#include "matrix_market.h"

inline void multiply(std::span<const lab::Array> inputs, std::span<const float> x, std::span<float> y) {
    const auto row_ptr = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>();
    for (std::size_t r = 0; r < y.size(); ++r) {
        float sum = 0;
        for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) sum += value[k] * x[col[k]];
        y[r] = sum;
    }
}

inline void rank_on_cpu(std::span<const lab::Array> inputs, std::int64_t steps, std::span<float> rank) {
    std::fill(rank.begin(), rank.end(), 1.0f / static_cast<float>(rank.size()));
    std::vector<float> y(rank.size());
    for (std::int64_t step = 0; step < steps; ++step) {
        multiply(inputs, rank, y);
        const double followed = 0.85 * std::accumulate(y.begin(), y.end(), 0.0);
        const auto rest = static_cast<float>((1 - followed) / static_cast<double>(rank.size()));
        for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = 0.85f * y[i] + rest;
    }
}

inline void dense_on_cpu(std::span<const float> dense, std::int64_t cols, std::span<const lab::Array> outputs) {
    const auto row_ptr = outputs[0].as<std::int32_t>(), col = outputs[1].as<std::int32_t>();
    const std::int64_t rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
    std::int32_t count = row_ptr[0] = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) {
            if (dense[r * cols + c] == 0) continue;
            col[count] = static_cast<std::int32_t>(c);
            outputs[2].as<float>()[count++] = dense[r * cols + c];
        }
        row_ptr[r + 1] = count;
    }
}

// Sorted by row and column, equal places added up.
inline void coo_on_cpu(std::span<const std::int32_t> row, std::span<const std::int32_t> col,
                       std::span<const float> value, std::span<std::int32_t> row_ptr, std::span<std::int32_t> out_col,
                       std::span<float> out_value) {
    std::vector<std::int32_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
        return row[i] != row[j] ? row[i] < row[j] : col[i] < col[j];
    });
    std::fill(row_ptr.begin(), row_ptr.end(), 0);
    std::int32_t count = 0, last = -1;
    for (const std::int32_t i : order) {
        if (last < 0 || row[i] != row[last] || col[i] != col[last]) {
            ++row_ptr[row[i] + 1];
            out_col[count] = col[i];
            out_value[count++] = value[i];
        } else {
            out_value[count - 1] += value[i];
        }
        last = i;
    }
    std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
}

// All elements of a matrix of entries; equal places added up.
inline std::vector<float> dense_of(const Entries& entries) {
    std::vector<double> sums(static_cast<std::size_t>(entries.rows * entries.cols));
    for (std::size_t i = 0; i < entries.count(); ++i)
        sums[entries.row[i] * entries.cols + entries.col[i]] += static_cast<double>(entries.value[i]);
    return {sums.begin(), sums.end()};
}

struct Matrix {
    std::vector<std::int32_t> row_ptr, col;
    std::vector<float> value;
};

inline Matrix csr_of(const Entries& entries) {
    Matrix m;
    m.row_ptr.resize(static_cast<std::size_t>(entries.rows) + 1);
    m.col.resize(entries.count()), m.value.resize(entries.count());
    coo_on_cpu(entries.row, entries.col, entries.value, m.row_ptr, m.col, m.value);
    m.col.resize(static_cast<std::size_t>(m.row_ptr.back())), m.value.resize(m.col.size());
    return m;
}

// A graph: an entry in row i and column j says that page i links to page j, whatever its value. The matrix of links has
// it the other way round.
inline Matrix links_of(Entries graph) {
    std::swap(graph.row, graph.col);
    Matrix m = csr_of(graph);
    std::vector<int> links(static_cast<std::size_t>(graph.cols));
    for (const std::int32_t page : m.col) ++links[page];
    for (std::size_t k = 0; k < m.col.size(); ++k) m.value[k] = 1.0f / static_cast<float>(links[m.col[k]]);
    return m;
}
