#include "grading/format.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace lab {
namespace {

// Three significant digits, never an exponent.
std::string three_digits(double value, const char* unit) {
    const int decimals = value >= 100 || value == 0 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
    return text;
}

}  // namespace

std::string with_commas(std::int64_t value) {
    std::string text = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
    return text;
}

std::string count_of(std::uint64_t count, const std::string& noun) {
    return with_commas(static_cast<std::int64_t>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string format_bytes(std::size_t bytes) {
    static constexpr std::array<const char*, 5> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
    return unit == 0 ? count_of(bytes, "byte") : three_digits(value, kUnits[unit]);
}

std::string format_seconds(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return "no time";
    if (seconds >= 1) return three_digits(seconds, "s");
    if (seconds >= 1e-5 || seconds == 0) return three_digits(seconds * 1e3, "ms");
    return three_digits(seconds * 1e6, "us");
}

std::string format_rate(double bytes_per_second) { return three_digits(bytes_per_second * 1e-9, "GB/s"); }

std::string file_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace lab
