// The grids of one launch from the host: the kernel itself, and what kernels launch in turn (CUDA dynamic parallelism).
//
// One grid runs at a time, to its end, and the grids that it launches run afterwards. A GPU may choose this order, too:
// a kernel cannot wait for what it has launched. The seed picks the next grid among those that may run. A grid is
// complete when it has run and all that it launched is complete, tail launches last.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/check/vector_clock.h"
#include "virtual_gpu/device.h"
#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/exec/launch/device_errors.h"

namespace vgpu {

struct Random;

// A kernel's launch, or a copy or fill by the device runtime, which waits its turn in a stream like a launch.
struct Grid {
    struct Copy {
        DevicePtr to = 0, from = 0;  // from 0: `value` into each byte
        std::uint64_t bytes = 0;
        std::uint8_t value = 0;
    };
    int number = 0;  // in order of launch; 0: the host's
    int parent = -1;
    int depth = 0;
    const Function* kernel = nullptr;  // of a copy: the one that asks for it
    Launch launch;
    std::optional<Copy> copy;
    const Function* launched_in = nullptr;  // by this instruction
    std::uint32_t launched_at = 0;
    std::uint64_t cycles = 0;  // of the launching block, when it launched
    bool is_tail = false;
    std::vector<int> after;      // grids that have to be complete first
    std::vector<int> followers;  // grids that wait for this one
    std::vector<int> tails;      // its own tail launches, in order
    int waits_for = 0;           // of `after`, how many are not complete
    int open = 0;                // children that are not complete, without tail launches
    std::size_t next_tail = 0;
    bool has_run = false, is_complete = false;
    VectorClock known, over;  // ordered before its start; ordered before what waits for it
};

class Grids {
  public:
    using Copy = Grid::Copy;

    Grids(std::uint64_t seed, std::uint32_t pending_limit) : seed_(seed), pending_limit_(pending_limit) {}

    Grid& add_root(const Function& kernel, const Launch&);
    Grid& grid(int number) { return grids_[static_cast<std::size_t>(number)]; }
    const Grid& grid(int number) const { return grids_[static_cast<std::size_t>(number)]; }
    std::size_t count() const { return grids_.size(); }
    std::uint32_t pending_limit() const { return pending_limit_; }

    bool is_below(int number, int other) const;         // launched by the other, or by one below it
    std::string relation(int number, int other) const;  // of two grids, in words

    // The grid that goes next, which begins to run; nullptr: all are complete.
    Grid* next(Random&);
    void ran(Grid&, VectorClock over);  // see Grid::over

    // ---- Called while `running` runs ----
    // The number of a launch slot, or the error that says why there is none.
    DeviceError reserve(const Grid& running, const Function& kernel, const Launch&, std::uint64_t& slot);
    std::uint8_t* slot_params(std::uint64_t slot, std::uint64_t at, std::uint64_t bytes);  // nullptr: outside
    struct Origin {
        std::uint64_t block = 0;
        const Function* function = nullptr;
        std::uint32_t at = 0;
        std::uint64_t cycles = 0;
        VectorClock known;
    };
    // Starts what the slot holds. `stream`: a handle as the device's code has it.
    DeviceError launch(const Grid& running, std::uint64_t slot, std::uint64_t stream, const Origin&, Grid*& out);

    DeviceError put(const Grid& running, const Copy&, std::uint64_t stream, const Origin&);

    std::uint64_t make_stream(const Grid& running);
    DeviceError destroy_stream(const Grid& running, std::uint64_t stream);
    std::uint64_t make_event(const Grid& running);
    DeviceError destroy_event(const Grid& running, std::uint64_t event);
    DeviceError record(const Grid& running, std::uint64_t event, std::uint64_t stream, std::uint64_t block);
    DeviceError wait(const Grid& running, std::uint64_t stream, std::uint64_t event, std::uint64_t block);

    // A text in device memory, which stays until the launch is over.
    DevicePtr text(Memory&, const std::string&);
    void forget_texts(Memory&);

  private:
    struct Slot {
        const Function* kernel = nullptr;
        Launch launch;
    };
    // What comes next in a stream has to wait for these; an event is such a list, too.
    struct Line {
        int grid = 0;  // that made it
        bool is_open = true;
        std::vector<int> after;
    };
    Line* stream_of(const Grid& running, std::uint64_t stream, std::uint64_t block);
    Line* event_of(const Grid& running, std::uint64_t event);
    DeviceError may_begin_another(const Grid& running) const;
    // Appends a grid to the stream; nullptr: there is no such stream.
    Grid* append(const Grid& running, std::uint64_t stream, const Origin&);
    void complete(Grid&);
    void look_for_completion(Grid&);

    std::uint64_t seed_;
    std::uint32_t pending_limit_;
    std::deque<Grid> grids_;
    std::deque<int> ready_;
    std::uint64_t pending_ = 0;  // launched, or about to be, and not begun
    std::vector<Slot> slots_;
    std::vector<std::uint64_t> free_slots_;
    std::vector<Line> streams_, events_;
    std::unordered_map<std::uint64_t, Line> null_streams_;  // of the running grid, by block
    std::map<std::string, DevicePtr> texts_;
};

}  // namespace vgpu
