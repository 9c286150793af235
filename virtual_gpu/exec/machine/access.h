// From the addresses of a warp's lanes to host memory, with every check and counter on the way.
#pragma once

#include <functional>

#include "virtual_gpu/access_shape.h"
#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

enum class Use : std::uint8_t { read, write, atomic, reduction };

// What a strong access orders beyond itself. kOfBlock: only among the threads of its block.
// kCheckedLate: the race check comes later, by late_check_handler(). kTakesData: see volatile_data(). kReadOnly: of
// memory that nothing in the launch writes, as __ldg() promises. Instr::small has these bits; bits 1 and 2 of it are
// the own of handlers/memory.cc and handlers/atomic.cc.
enum Order : std::uint8_t {
    kAcquires = 4,
    kReleases = 8,
    kOfBlock = 16,
    kCheckedLate = 32,
    kTakesData = 64,
    kReadOnly = 128
};

// The addresses of one request, and the host memory that they stand for.
struct Lanes {
    alignas(64) std::uint64_t address[kLanes];
    alignas(64) std::uint8_t* host[kLanes];  // not set when contiguous
    std::uint8_t* first = nullptr;           // contiguous: lane 0's place, the others follow
    bool contiguous = false;                 // a row of all 32 lanes
    bool has_all_hosts = false;              // inactive lanes have a place, too: that of an active one
    AccessShape shape = AccessShape::other;  // of the lanes whose access is allowed; other: or not known
    std::uint32_t cycles = 0;                // until the result may be used
    const RequestBits* undefined = nullptr;  // of a load: it got undefined values, if it is set

    // Where a lane's access of so many bytes is.
    std::uint8_t* at(int lane, std::size_t bytes) const {
        return contiguous ? first + static_cast<std::size_t>(lane) * bytes : host[lane];
    }
};

struct Request {
    int bytes = 0;  // of a lane
    Use use = Use::read;
    bool is_constant = false;                // through the constant cache
    bool strong = false;                     // volatile, relaxed, acquire, release, atomic
    std::uint8_t order = 0;                  // of Order
    int element_bytes = 0;                   // of each part of a vector; 0: `bytes`
    std::uint32_t unused_bytes = 0;          // a bit for each byte of a lane that is padding
    int atomic_passes = 0;                   // in shared memory: see exec/decode/atomics.h
    bool replaces = false;                   // an atomic whose result does not depend on the old value
    const void* values = nullptr;            // a write's: 32 x bytes
    const RequestBits* undefined = nullptr;  // a write's, if some are
};

inline AccessKind kind_of(Use use) {
    constexpr AccessKind kKinds[] = {AccessKind::read, AccessKind::write, AccessKind::atomic, AccessKind::reduction};
    return kKinds[static_cast<int>(use)];
}

// Each returns the lanes whose access is allowed. For loads, all lanes of the mask have a place, Lanes::at(): those
// whose access is not allowed read poison.
Mask resolve_global(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_constant(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_shared(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_local(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_generic(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_param(Warp&, const Instr*, Mask, Lanes&, const Request&);
Mask resolve_launch(Warp&, const Instr*, Mask, Lanes&, const Request&);

// In global_checks.cc and shared_checks.cc. Checks a request for undefined values and races, and marks what it writes
// as written. The accesses of all lanes are in bounds. `one`: the allocation that all of them access, or nullptr.
// `offset`: of each lane in the block's shared memory.
void check_global(Warp&, const Instr*, Mask, Lanes&, const Request&, Allocation* one);
void check_shared(Warp&, const Instr*, Mask, Lanes&, const Request&, const std::uint32_t (&offset)[kLanes]);
// The lanes whose address is in constant memory, which ld.const reads as a space of its own: for the others, it is a
// fault, as on a GPU.
Mask constant_lanes(Warp&, const Instr*, Mask, const Lanes&, const Request&);
// Whether bytes, a multiple of 8, are all kWritten.
bool all_written(const std::uint8_t*, std::size_t bytes);

// In access_counts.cc, while counting: what a request to global or constant memory, to shared, or to local memory
// costs.
void count_global(Warp&, const Instr*, Mask, Lanes&, const Request&, Allocation* one);
void count_shared(Warp&, const Instr*, Mask, Lanes&, const Request&, const std::uint32_t (&offset)[kLanes]);
void count_local(Warp&, const Instr*, Mask, Lanes&, std::uint64_t bytes);

// In known_bytes.cc. What is known of an array's bytes.
struct KnownBytes {
    std::uint8_t* flags = nullptr;
    std::unique_ptr<UndefinedBytes>* undefined = nullptr;
    std::size_t bytes = 0;
};
// A lane's read at byte `at` of an array: notes in the lanes which bits are undefined. `fresh` gives the origin of
// bytes that were never written.
void read_known(Run&, Lanes&, const Request&, int lane, const KnownBytes&, std::size_t at,
                const std::function<OriginId()>& fresh);
// A lane's write: marks the bytes as written, and notes which bits are undefined.
void write_known(const Request&, int lane, const KnownBytes&, std::size_t at);
// Before the first read_known() of a request.
void no_undefined(Run&, Lanes&);

// One lane's access by a runtime function such as vprintf; nullptr (and a finding) if it may not.
const std::uint8_t* peek(Warp&, const Instr*, int lane, DevicePtr generic, int bytes);

}  // namespace vgpu
