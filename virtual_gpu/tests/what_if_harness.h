// A device under what-if rules, with the kernels of what_if.cu.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "exec_harness.h"
#include "virtual_gpu/what_if/rules.h"

namespace vgpu {

inline constexpr std::uint64_t kThreeSeeds[] = {0, 3, 5};

class WhatIf : public Gpu {
  public:
    explicit WhatIf(std::uint64_t seed, const std::string& rules = "") : Gpu(seed) {
        load("what_if");
        use(rules);
    }
    void use(const std::string& rules) {
        std::string why;
        if (!what_if::parse(rules, options.what_if, why)) throw std::runtime_error(why);
        executor.configure(options);
    }
    void begin_call() { executor.begin_call(); }
};

inline std::string place(const std::string& mark, const std::string& access = "") {
    return "what_if.cu:" + std::to_string(line_of("what_if", mark)) + access;
}

struct WhatIfAnswer {
    std::vector<int> values;
    std::string findings;
};

}  // namespace vgpu
