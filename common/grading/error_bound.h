// Rounding-error bounds, from which tolerances are derived: Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, chapters 3 and 4.
#pragma once

#include <limits>

namespace lab {

// u: the largest relative error of one rounded operation, 2^-24 for float and 2^-53 for double.
template <class T>
constexpr double unit_roundoff() {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

// gamma_k = k u / (1 - k u): the relative error that k rounded operations in a row can build up; k u < 1.
template <class T>
constexpr double gamma(double k) {
    const double ku = k * unit_roundoff<T>();
    return ku / (1 - ku);
}

// |computed - exact| of a sum of terms added so that each goes through at most `additions` additions:
// n - 1 one after the other, ceil(log2 n) in a balanced tree. `sum_of_magnitudes` is the sum of |x_i|.
template <class T>
constexpr double sum_error_bound(double additions, double sum_of_magnitudes) {
    return gamma<T>(additions) * sum_of_magnitudes;
}

}  // namespace lab
