// Finds races between streams of the host: two operations that access the same bytes, at least one of them writing, and
// that nothing orders (stream_order.h says what does).
//
// What a kernel has accessed is read from the records that the race check of global memory leaves behind, after the
// kernel: so a kernel costs no more while it runs. Each cell of an array (4 bytes, or 1 once an operation has accessed
// a part of a word) has a state: which accesses a later operation still has to be compared with. There are few
// different states, so that a cell holds a number, and what an operation makes of a state is worked out once.
//
// Atomic and volatile accesses of kernels do not race with each other. Stores of kernels that leave the value as it was
// are forgiven, as within a kernel.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "virtual_gpu/check/global_races.h"
#include "virtual_gpu/check/stream_order.h"

namespace vgpu {

struct StreamAccess {
    static constexpr std::uint32_t kNoPc = ~std::uint32_t{0};  // of a copy, a fill, ...
    StreamOrder::Number operation = 0;
    std::uint32_t line = 0;
    AccessKind kind{};
    bool is_strong = false, is_released = false;
    bool is_shown = false;   // to a dependent of the kernel, by a fence before the trigger
    bool is_early = false;   // of a dependent, which had not waited
    bool is_beside = false;  // of a copy or fill, made while a kernel waits: it may set or read its flag
    int bytes = 1;           // of an element
    int module = 0;
    std::uint32_t pc = kNoPc;  // cut to GlobalRaces::kMaxPc
};

struct StreamConflict {
    std::uint64_t array = 0;  // as access() and take() were told
    StreamAccess mine, other;
    std::uint64_t offset = 0;  // of the first byte
    std::uint64_t cells = 0;   // how many cells of 4 bytes, or of 1
};

// What a kernel, the launch that ran last, has left behind of its accesses to one array.
struct KernelRecords {
    RaceShadow& shadow;
    const LaunchOrder& order;
    const std::uint16_t* touched = nullptr;  // per sector of 32 bytes: `launch` if it was accessed. nullptr: unknown
    std::uint16_t launch = 0;
};

class StreamRaces {
  public:
    // What follows is done by this operation; a kernel is one of `module`.
    void begin(const StreamOrder::Operation&, std::uint32_t era, int module);
    void set_beside(bool is_beside) { is_beside_ = is_beside; }  // what begins from now on
    // It accesses a part of an array: `array` is a number for it, which is not used again.
    void access(std::uint64_t array, std::uint64_t array_bytes, std::uint64_t first, std::uint64_t bytes,
                bool is_write);

    // Whether take() needs the bytes as they were before the kernel.
    bool wants_bytes_before(std::uint64_t array) const;
    // After the kernel, for each array that it has used, first all learn(), then all take(). learn() returns operations
    // that the kernel has seen done, by an atomic or flag that they released: it counts as ordered after them.
    std::vector<StreamOrder::Operation> learn(std::uint64_t array, const KernelRecords&);
    void take(std::uint64_t array, const KernelRecords&, const std::uint8_t* now, const std::uint8_t* before);
    // Of a dependent, between the two: its early accesses, each of an array. Then, if it has waited, has_waited().
    void take_early(std::uint64_t array, std::uint64_t array_bytes, const EarlyAccess&, const LaunchOrder&);
    void has_waited();

    std::vector<StreamConflict> take_conflicts();  // of this operation

  private:
    using State = std::uint32_t;     // 0: nothing to compare with
    using AccessId = std::uint32_t;  // 0: none
    struct From {  // a cell's state, and how this operation accesses the cell: two accesses at the most
        State state = 0;
        AccessId write = 0, read = 0;
        auto operator<=>(const From&) const = default;
    };
    struct Step {
        State next = 0;
        std::vector<std::pair<AccessId, AccessId>> conflicts;  // mine, other
    };
    struct Shadow {
        std::uint64_t bytes = 0;
        int shift = 2;  // cells of 2^shift bytes: 2 or 0
        bool has_releases = false;
        std::vector<State> states;   // of the cells
        StreamOrder::Before writes;  // the last of each line
    };
    Shadow& shadow_of(std::uint64_t array, std::uint64_t bytes);
    static void refine(Shadow&);
    AccessId add(const StreamAccess&);
    AccessId of_record(global_races::Record, bool is_read, const LaunchOrder&, bool is_early = false);
    void access_cells(std::uint64_t array, Shadow&, std::uint64_t first, std::uint64_t bytes, From from);
    State state_of(std::vector<AccessId> accesses);
    const Step& step(const From&);
    void conflict(std::uint64_t array, std::uint64_t offset, AccessId mine, AccessId other);
    void note_write(Shadow&) const;
    void forget();

    std::uint32_t era_ = 0;
    StreamOrder::Operation now_;
    int module_ = 0;
    bool is_beside_ = false;
    std::unordered_map<std::uint64_t, Shadow> shadows_;
    std::vector<StreamAccess> accesses_{{}};
    std::vector<std::vector<AccessId>> states_{{}};
    std::map<std::vector<AccessId>, State> numbers_;
    std::map<StreamOrder::Number, StreamOrder::Operation> releasing_;  // operations that released something
    // Of this operation only:
    std::unordered_map<std::uint64_t, AccessId> ids_;  // by what a record says of instruction and kind
    std::map<From, Step> steps_;
    std::map<std::tuple<std::uint64_t, AccessId, AccessId>, StreamConflict> conflicts_;
};

}  // namespace vgpu
