// From the addresses of a warp's lanes to host memory, with every check and counter on the way.
#pragma once

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

enum class Use : std::uint8_t { read, write, atomic, reduction };

// What a strong access orders beyond itself. kOfBlock: only among the threads of its block.
enum Order : std::uint8_t { kAcquires = 4, kReleases = 8, kOfBlock = 16 };

// The addresses of one request, and the host memory that they stand for.
struct Lanes {
    alignas(64) std::uint64_t address[kLanes];
    alignas(64) std::uint8_t* host[kLanes];  // not set when contiguous
    std::uint8_t* first = nullptr;           // contiguous: lane 0's place, the others follow
    bool contiguous = false;
    std::uint32_t cycles = 0;  // until the result may be used
};

struct Request {
    int bytes = 0;  // of a lane
    Use use = Use::read;
    bool is_constant = false;        // through the constant cache
    bool strong = false;             // volatile, relaxed, acquire, release, atomic
    std::uint8_t order = 0;          // of Order
    int element_bytes = 0;           // of each part of a vector; 0: `bytes`
    std::uint32_t unused_bytes = 0;  // a bit for each byte of a lane that is padding
    const void* values = nullptr;    // a write's: 32 x bytes
};

// Each returns the lanes whose access is allowed. For loads, `host` is set for all lanes of the mask: those whose
// access is not allowed read poison.
Mask resolve_global(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_constant(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_shared(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_local(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_generic(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_param(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_launch(Warp&, const Instr*, Mask, Lanes&, const Request&);

// In global_checks.cc. Checks a request for uninitialised reads and races, and marks what it writes as written. All
// lanes of the mask are allowed to access. `one`: the allocation that all of them access, or nullptr.
void check_global(Warp&, const Instr*, Mask, const Lanes&, const Request&, Allocation* one);
// Of bytes that are 0 or 1, a multiple of 8.
bool all_ones(const std::uint8_t*, std::size_t bytes);

// One lane's access by a runtime function such as vprintf; nullptr (and a finding) if it may not.
const std::uint8_t* peek(Warp&, const Instr*, int lane, DevicePtr generic, int bytes);

}  // namespace vgpu
