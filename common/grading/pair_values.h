// The values of pairs of key and value, for the inputs of sorts and merges.
#pragma once

#include <cstdint>

#include "grading/random.h"

namespace lab {

// With seed 0 a value is the place of its key, so that a person sees what went where. Those of any other seed cannot be
// guessed: a program has to read them and to move them.
class PairValues {
  public:
    explicit PairValues(std::uint64_t seed) : are_places_(seed == 0), random_(seed, "pair values") {}

    // Call it for one pair after the other: each call takes a random number.
    std::uint32_t next(std::int64_t place) {
        return are_places_ ? static_cast<std::uint32_t>(place) : static_cast<std::uint32_t>(random_.bits());
    }

  private:
    bool are_places_;
    Random random_;
};

}  // namespace lab
