// What-if rules: how a call would go if one thing about it were different. The program stays as it is; the device
// behaves differently. Whoever runs a failing call again under a rule learns whether that thing is the cause.
// virtual_gpu/README.md, "What-if rules", describes them for those who write them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vgpu::what_if {

enum class Access : std::uint8_t { any, read, write };

// "scan.cu:41" or "scan.cu:41:read": accesses on one line. A file without folders is any file of that name.
struct Spot {
    std::string file;
    int line = 0;
    Access access = Access::any;
    bool names(std::string_view path) const;
};

struct Order {  // each access of the block at `first` comes before those at `second`
    Spot first, second;
};

// A launch with other numbers: `by` is a factor where `is_factor`, else the number itself. 0: as it is.
struct LaunchChange {
    struct Number {
        std::uint32_t by = 0;
        bool is_factor = false;
        std::uint32_t of(std::uint32_t now) const;
    };
    std::string kernel;
    std::array<Number, 3> grid{}, block{};
    Number shared{};
    bool is_swapped = false;  // grid and block
};

// Elements of an array of the harness, whose writes are told. Nothing else is different.
struct Watch {
    std::string array;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> elements;  // first byte, bytes
};

struct Rules {
    std::string text;  // as they were written
    bool rewind = false;
    bool zero_shared = false, zero_memory = false, zero_outputs = false, zero_variables = false, zero_local = false;
    std::vector<Order> orders;
    std::vector<Order> one_at_a_time;  // from the loads at `first` to the stores at `second`
    bool by_index = false, in_place = false, wide = false, watch_overflow = false, watch_unread = false;
    std::vector<LaunchChange> launches;
    std::vector<Watch> watched;

    // Whether kernels are decoded differently.
    bool change_code() const { return !orders.empty() || !one_at_a_time.empty() || by_index || wide || watch_overflow; }
};

// Rules separated by ';'. False: `why` is a sentence about the first one that there is not.
bool parse(std::string_view text, Rules& out, std::string& why);

}  // namespace vgpu::what_if
