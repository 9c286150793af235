// What operations take of the device's parts, and how operations of several streams share them.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace vgpu {

// Parts of the whole device. `slots` are the places of blocks: a grid that fills them leaves room for no other.
enum class Part { slots, dram, l2, atomics, issue, shared, lsu, f64, sfu, to_device, to_host };
constexpr std::size_t kWorkParts = 11;
const char* name_of(Part);

// Seconds for which an operation would keep each part busy if it had all of it.
struct Demand {
    std::array<double, kWorkParts> seconds{};
    double& operator[](Part part) { return seconds[static_cast<std::size_t>(part)]; }
    double operator[](Part part) const { return seconds[static_cast<std::size_t>(part)]; }
    void add(const Demand& other) {
        for (std::size_t n = 0; n < kWorkParts; ++n) seconds[n] += other.seconds[n];
    }
};

// When each part of the device is busy. What is put in later may use what earlier operations have left free, so the
// order of the calls does not decide, but no part is ever used twice at one time.
class Usage {
  public:
    // No operation starts before `time` from now on.
    void forget_before(double time) { past_ = time; }
    // An operation starts. Returns when the last part has done its share.
    double take(double start, const Demand&);

  private:
    struct Ledger {
        std::vector<std::pair<double, double>> gaps;  // free times before `free`, in order
        double free = 0;                              // nothing is taken from here on
    };
    double take(Ledger&, double start, double amount) const;

    std::array<Ledger, kWorkParts> parts_;
    double past_ = 0;
};

}  // namespace vgpu
