#include "plain_cpu.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "cases.h"

namespace spmv {
namespace {

void multiply(std::span<const Array> inputs, std::span<const float> x, std::span<float> y) {
    const auto row_ptr = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>();
    for (std::size_t r = 0; r < y.size(); ++r) {
        float sum = 0;
        for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) sum += value[k] * x[col[k]];
        y[r] = sum;
    }
}

void rank_on_cpu(std::span<const Array> inputs, std::int64_t steps, std::span<float> rank) {
    std::fill(rank.begin(), rank.end(), 1.0f / static_cast<float>(rank.size()));
    std::vector<float> y(rank.size());
    for (std::int64_t step = 0; step < steps; ++step) {
        multiply(inputs, rank, y);
        const double followed = 0.85 * std::accumulate(y.begin(), y.end(), 0.0);
        const auto rest = static_cast<float>((1 - followed) / static_cast<double>(rank.size()));
        for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = 0.85f * y[i] + rest;
    }
}

void dense_on_cpu(std::span<const float> dense, std::int64_t cols, std::span<const Array> outputs) {
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

}  // namespace

void csr_on_cpu(std::span<const std::int32_t> row, std::span<const std::int32_t> col, std::span<const float> value,
                std::span<std::int32_t> row_ptr, std::span<std::int32_t> out_col, std::span<float> out_value) {
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

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    switch (work_of(call)) {
        case Work::multiply:
            return multiply(inputs, inputs[3].as<float>(), outputs[0].as<float>());
        case Work::pagerank:
            return rank_on_cpu(inputs, call.scalar("steps"), outputs[0].as<float>());
        case Work::from_dense:
            return dense_on_cpu(inputs[0].as<float>(), call.scalar("cols"), outputs);
        case Work::from_coo:
            return csr_on_cpu(inputs[0].as<std::int32_t>(), inputs[1].as<std::int32_t>(), inputs[2].as<float>(),
                              outputs[0].as<std::int32_t>(), outputs[1].as<std::int32_t>(), outputs[2].as<float>());
    }
}

}  // namespace spmv
