// What a call never reads of global memory: of the arrays that the harness gives, and of what kernels store where only
// they read. It changes nothing: the call goes as without it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/report.h"

namespace vgpu {
struct Request;
}  // namespace vgpu

namespace vgpu::what_if {

struct Moved;

class WatchOfUnread {
  public:
    static constexpr std::size_t kRanges = 4;  // of one line or array, that are told

    void labelled(const Allocation&);  // an array of the harness has its name
    void begin_call();
    void global(const Warp&, const Instr*, Mask, const std::uint64_t* address, const Request&, Allocation* one);
    void atomic(const Warp&, const Instr*, const Allocation&, std::uint64_t offset, const void* now, std::size_t bytes,
                bool writes);
    void moved(const Memory&, const Moved&);
    std::vector<Unread> take(const Memory&);

  private:
    struct Mark {                // of a piece of memory
        std::uint32_t line = 0;  // that stored it last, of lines_; 0: none in this call
        std::uint32_t bits = 0;  // that it stored
        bool is_read = false;    // since then
        bool is_moved = false;   // by a copy or a fill
    };
    struct Cells {
        unsigned step = 4;  // bytes for each mark
        std::vector<Mark> marks;
        std::uint64_t first = 0;   // where the array begins
        bool is_own = false;       // of kernels: nobody else reads it
        std::uint32_t reader = 0;  // the first line that reads there
        std::span<Mark> of(std::uint64_t at, std::uint64_t bytes, std::uint64_t all);
    };
    struct Line {
        Unread told;
        unsigned element_bytes = 0;
    };

    Cells* cells_of(const Allocation&);  // nullptr: it is too large
    std::uint32_t line_of(const Warp&, const Instr*, const Allocation&, int bytes);
    static void store(std::span<Mark>, unsigned step, std::uint32_t line, const std::uint8_t* values);
    static void read(Cells&, std::uint64_t at, std::uint64_t bytes, std::uint64_t all, std::uint32_t line);
    void count(const Cells&, std::uint64_t number);
    static void tell_range(Line&, std::uint64_t from, std::uint64_t bytes);
    Unread of_input(const Allocation&, const Cells&) const;

    std::vector<Line> lines_;
    std::map<std::tuple<const Module*, std::uint32_t, std::uint64_t>, std::uint32_t> numbers_;  // pc, array
    std::map<std::tuple<std::string, int, std::string>, std::uint32_t> by_text_;
    std::unordered_map<std::uint64_t, Cells> cells_;  // by number of the allocation
    std::map<DevicePtr, std::uint64_t> given_;        // arrays of the harness, and the numbers of their allocations
};

}  // namespace vgpu::what_if
