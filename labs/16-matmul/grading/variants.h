// Lab 16's variants, for its cases, oracle and bindings. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace matmul {

// How A and B lie in memory: by columns, or else by rows. The first is the one that is timed.
struct Orders {
    const char* name;
    bool a_by_columns = false, b_by_columns = false;
};

inline constexpr Orders kOrders[] = {
    {"rows_rows"},
    {"rows_columns", false, true},
    {"columns_rows", true, false},
    {"columns_columns", true, true},
};
inline constexpr Orders kByRows{""};  // tasks 1 to 5, which have no variants

inline bool takes_halves(const lab::Instance& call) { return call.task == "mixed" || call.task == "tensor_cores"; }

inline const Orders& orders_of(const lab::Instance& call) {
    return takes_halves(call) ? lab::variant_in(kOrders, call) : kByRows;
}

// A matrix in memory: where its element in a row and a column lies.
struct Layout {
    std::int64_t row_step, column_step;
    std::int64_t at(std::int64_t row, std::int64_t column) const { return row * row_step + column * column_step; }
};

inline Layout layout_of(bool by_columns, std::int64_t rows, std::int64_t columns) {
    return by_columns ? Layout{1, rows} : Layout{columns, 1};
}

}  // namespace matmul
