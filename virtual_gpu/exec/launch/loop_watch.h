// What a grid does that does not come to an end: the loop that one of its threads goes round, and what its condition
// compares. The thread is run on, one instruction at a time, and is watched; so this is only for a grid that is to be
// stopped, or has taken very long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

// A loop, as a thread was seen in it.
struct WatchedLoop {
    Place place;           // of its condition, or else of its last branch
    Warp* warp = nullptr;  // the one with the thread
    std::uint32_t thread = 0;
    bool is_endless = false;  // proved: each further round is like the last
    std::string quoted;       // `while (i < n)`
    int above = 0;            // lines from the place up to the loop's header
    std::string said;         // what the condition compares, how it changes
};

// Watches the thread that has run longest of these blocks, for so many instructions. Nothing: it is in no loop, or
// soon comes out of it. `is_proved`: that all rounds are the same is known.
std::optional<WatchedLoop> watch_loop(Run&, const std::vector<Block*>&, std::size_t most = std::size_t{1} << 18,
                                      bool is_proved = false);

std::string at_loop(const Run&, const WatchedLoop&);  // "scan.cu:41"
// "thread 0 of block 3 never leaves the loop `while (i < n)` at scan.cu:41: it compares 0 with 256 ..."
std::string in_words(const Run&, const WatchedLoop&);

// A finding; the grid ends.
void report_endless(Run&, const WatchedLoop&);

// A grid that takes very long: does one of its threads go round an endless loop?
class LoopWatch {
  public:
    explicit LoopWatch(Run& run) : run_(run) {}
    // Between the turns of the blocks. True: that was found and said, and the grid ends.
    bool has_found(const std::vector<Block*>&);

  private:
    Run& run_;
    std::uint64_t next_ = 0;  // steps of the grid
};

// "338 of 3,907 blocks had ended", for a grid of several.
std::string progress_in_words(std::uint64_t ended, std::uint64_t blocks);

}  // namespace vgpu
