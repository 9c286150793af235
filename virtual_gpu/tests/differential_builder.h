// Writes one generated kernel: registers, operands, results.
#pragma once

#include <map>
#include <set>
#include <sstream>

#include "differential.h"

namespace vgpu::differential {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(cases::mix(seed)) {}
    std::uint64_t next() { return cases::mix(state_ += 0x9E37'79B9'7F4A'7C15u); }
    int below(int n) { return static_cast<int>((next() >> 33) % static_cast<unsigned>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class List>
    const auto& pick(const List& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
    }

  private:
    std::uint64_t state_;
};

inline std::string text(int n) { return std::to_string(n); }
inline std::string hex(std::uint64_t n) {
    std::ostringstream out;
    out << "0x" << std::hex << n;
    return out.str();
}

// Instructions with one right answer: those of exec_instruction_cases.cc, and more.
const std::vector<cases::Case>& vocabulary();

class Builder {
  public:
    Builder(std::string name, std::uint64_t seed);
    Random random;

    std::string fresh(int bits);  // a register; 1 bit is a predicate
    std::string label() { return "$L_" + kernel_.name + "_" + text(labels_++); }
    void line(const std::string& s) { body_ << s << "\n"; }
    // In a list, random choices are made in order, whatever the compiler.
    void line(std::initializer_list<std::string> parts) {
        for (const std::string& s : parts) body_ << s;
        body_ << "\n";
    }
    void before(const std::string& s) { before_ << s << "\n"; }  // at the module's scope
    const std::string& name() const { return kernel_.name; }

    std::string input(const std::string& type);  // a register with another word of the input
    // Stores a value as the next result; `type` says how wide it is.
    void keep(const std::string& reg, const std::string& type);
    int slots() const { return kernel_.slots; }

    // Values that operands are taken from.
    void offer(const std::string& reg, const std::string& type) { pool_.emplace_back(reg, type); }
    std::string value(const std::string& type, int fresh_percent = 30);
    void seal() { sealed_ = true; }  // no more inputs, no more values: what follows may not run in all threads
    std::string immediate(const std::string& type);
    // The case's instructions for operands of the pool; gives the register with the result. `to`: where it goes,
    // a fresh register if empty. `guard`: "@%p " before its only instruction.
    std::string apply(const cases::Case&, const std::string& to = "", const std::string& guard = "");

    void shape(int blocks, int threads);
    void takes_struct() { kernel_.takes_struct = true; }
    Kernel finish();

  private:
    Kernel kernel_;
    std::ostringstream body_, before_;
    std::map<int, int> counts_;
    std::vector<std::pair<std::string, std::string>> pool_;
    int labels_ = 0;
    bool sealed_ = false;
};

inline bool is_single(const cases::Case& c) { return c.body.find(';') == c.body.size() - 1; }

}  // namespace vgpu::differential
