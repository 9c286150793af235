// Numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lab {

std::string with_commas(std::int64_t value);                         // 1,000,003
std::string count_of(std::uint64_t count, const std::string& noun);  // 1 value, 1,000 values
std::string format_bytes(std::size_t bytes);                         // 1.5 GiB
std::string format_seconds(double seconds);                          // 0.041 ms
std::string format_rate(double bytes_per_second);                    // 195 GB/s
std::string file_name(const std::string& path);                      // scan.cu of /a/b/scan.cu

}  // namespace lab
