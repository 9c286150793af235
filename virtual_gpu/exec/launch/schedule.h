// What a seed decides about a grid: how many blocks are resident, in which order they start and continue, and how long
// a warp runs before the next.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

struct Schedule {
    std::uint64_t resident = 8;   // blocks, at most
    std::int64_t quantum = 4096;  // instructions of a warp; with a seed other than 0, up to twice as many
    bool in_order = true;         // blocks start in ascending order, as on every GPU so far
    bool newest_first = false;    // of the resident blocks, those that started last go on first
    bool holds = false;           // some warps are held back: see Hold
};

// The kind of schedule is the seed's remainder by 8, so that whoever chooses seeds can choose among them.
constexpr std::uint64_t kScheduleKinds = 8, kAnyOrder = 5, kManyResident = 7;
Schedule schedule_of(std::uint64_t seed, Random&);

// Holds back a warp of a block that has started, while all others go on until they wait. A GPU may delay any block
// between any two of its accesses, but blocks that take turns are never far apart.
class Hold {
  public:
    // `block`: in the order in which they start.
    Hold(std::uint64_t block, Random);
    void started(Block&);
    bool chose(const Warp& w) const { return &w == warp_; }
    bool run(Warp&, std::int64_t budget);  // the turn of the warp that it chose; false: it could not run
    void ended(const Block&);
    // After a turn of all blocks: lets the warp go if nothing else goes on without it.
    void round_over(Progress&);

  private:
    Random random_;
    std::uint64_t before_;  // blocks that start before the one that is chosen
    Warp* warp_ = nullptr;
    std::uint64_t accesses_;  // to flags, tickets and the like: those that the warp makes before it is held
    bool is_held_ = false;
    std::uint64_t since_ = 0, last_round_ = 0;  // steps
};

// Those of a grid: in any of the first resident blocks, and in one of the last.
std::vector<Hold> holds_of(const Schedule&, std::uint64_t resident, std::uint64_t blocks, Random);

// In which order the blocks of a grid start.
class StartOrder {
  public:
    StartOrder(std::uint64_t blocks, const Schedule&, Random&);
    bool is_over() const { return started_ == blocks_; }
    std::uint64_t next();
    void sort();  // the rest in ascending order
    std::uint64_t left() const { return blocks_ - started_; }
    std::uint64_t lowest_left() const;
    std::string left_in_words() const;  // "392 blocks had not started (8..399)"; empty: all have

  private:
    static constexpr std::uint64_t kLargest = 1 << 24;
    std::uint64_t blocks_, started_ = 0, first_ = 0;
    bool backwards_ = false;
    std::vector<std::uint32_t> shuffled_;
};

}  // namespace vgpu
