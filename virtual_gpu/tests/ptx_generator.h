// PTX by chance, for tests: a valid module from a seed, and changes of it that the PTX compiler may or may not accept.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu {

struct GeneratedPtx {
    std::string text;
    std::string kernel;  // takes two pointers to 4096 bytes
    int changes = 0;     // 0: it is valid
};

// The names in the text end with the seed, so that one call of ptxas can take many texts.
GeneratedPtx generate_ptx(std::uint64_t seed, int most_changes);

}  // namespace vgpu
