// Which addresses the lanes of one warp touch on one source line: for a report that asks for it, never while grading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "virtual_gpu/report.h"

namespace vgpu {

struct Instr;
struct Lanes;
struct Request;
struct Run;
struct Warp;

class Tracer {
  public:
    static constexpr std::size_t kMostSteps = 64;

    // "41 /path/of/scan.cu"; "": nothing is traced. Another line than before drops what was seen.
    void want(const std::string& line_and_file);
    bool is_wanted() const { return line_ != 0; }
    // A grid begins; false: its module has no memory access on that line.
    bool enter(const Run&);
    void global(const Warp&, const Instr*, std::uint32_t mask, const std::uint64_t address[32], const Request&);
    // `offset`: bytes from the start of the block's shared memory.
    void shared(const Warp&, const Instr*, std::uint32_t mask, const std::uint32_t offset[32], const Request&);
    std::optional<Trace> take();

  private:
    // nullptr: it is no access that is wanted, or there are enough of them.
    TraceStep* next(const Warp&, const Instr*, std::uint32_t mask, const Request&);
    bool is_followed(const Warp&);

    std::string wanted_, file_;
    int line_ = 0;
    std::vector<bool> marked_;  // by count_base + source, of the module of the last grid
    const void* module_ = nullptr;
    std::optional<Trace> trace_;
    std::uint64_t launch_ = 0, block_ = 0;  // of the warp that is followed: of the first block that came to the line
};

}  // namespace vgpu
