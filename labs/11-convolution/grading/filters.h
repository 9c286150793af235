// Filters by name, for pictures; and for a separable filter, the row and the column whose product it is. Host C++; not
// needed to solve the tasks.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

enum class Filter : std::int64_t { random, box, gaussian, sobel_x, sobel_y, sharpen };

inline const std::vector<std::string> kFilterNames = {"random", "box", "gaussian", "sobel_x", "sobel_y", "sharpen"};

inline bool is_sobel(Filter filter) { return filter == Filter::sobel_x || filter == Filter::sobel_y; }

// The (2 radius + 1) x (2 radius + 1) weights of any filter but `random`, row by row. radius is 1 for Sobel's.
//   box       the mean of the neighbourhood
//   gaussian  a normal distribution, cut off at three standard deviations
//   sobel_x   the slope from left to right (sobel_y: from top to bottom), smoothed a little in the other direction
//             (Irwin Sobel and Gary Feldman, 1968)
//   sharpen   the pixel plus its difference from the Gaussian mean of its neighbourhood (unsharp masking)
inline std::vector<double> named_filter(Filter filter, std::int64_t radius) {
    const std::int64_t size = 2 * radius + 1;
    if (filter == Filter::sobel_x) return {1, 0, -1, 2, 0, -2, 1, 0, -1};  // a convolution turns it
    if (filter == Filter::sobel_y) return {1, 2, 1, 0, 0, 0, -1, -2, -1};
    if (filter == Filter::box) return std::vector<double>(size * size, 1.0 / static_cast<double>(size * size));

    const double deviation = radius == 0 ? 1 : static_cast<double>(radius) / 3;
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t j = -radius; j <= radius; ++j) {
        for (std::int64_t i = -radius; i <= radius; ++i) {
            weights.push_back(std::exp(-static_cast<double>(i * i + j * j) / (2 * deviation * deviation)));
            sum += weights.back();
        }
    }
    for (double& weight : weights) weight /= filter == Filter::sharpen ? -sum : sum;
    if (filter == Filter::sharpen) weights[radius * size + radius] += 2;
    return weights;
}

struct Factors {
    std::vector<double> row, column;
};

// The row and column of a square filter with weight(i, j) = column[j] * row[i]; none if its matrix has a rank above 1.
// In a matrix of rank 1, all rows are multiples of each other. So the factors are the row and the column through the
// largest weight, with the column divided by that weight.
inline std::optional<Factors> factors_of(const std::vector<double>& weights) {
    const auto size = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(weights.size()))));
    std::size_t largest = 0;
    for (std::size_t at = 0; at < weights.size(); ++at)
        if (std::abs(weights[at]) > std::abs(weights[largest])) largest = at;
    Factors factors{std::vector<double>(size), std::vector<double>(size)};
    if (weights.empty() || weights[largest] == 0) return factors;
    for (std::size_t k = 0; k < size; ++k) {
        factors.row[k] = weights[largest / size * size + k];
        factors.column[k] = weights[k * size + largest % size] / weights[largest];
    }
    const double rounding = 1e-12 * std::abs(weights[largest]);
    for (std::size_t at = 0; at < weights.size(); ++at)
        if (!(std::abs(factors.column[at / size] * factors.row[at % size] - weights[at]) <= rounding)) return {};
    return factors;
}
