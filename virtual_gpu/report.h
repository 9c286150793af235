// What the virtual GPU tells about a run: findings, counters, modelled time. Plain values, no
// pointers into the device, so that they can cross a process boundary.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vgpu {

using Index3 = std::array<std::uint32_t, 3>;

// Of the n-th block of a grid, or thread of a block, of this size.
inline Index3 index_in(const Index3& size, std::uint64_t n) {
    return {static_cast<std::uint32_t>(n % size[0]), static_cast<std::uint32_t>(n / size[0] % size[1]),
            static_cast<std::uint32_t>(n / size[0] / size[1])};
}

// "1 byte", "2 bytes".
inline std::string counted(std::uint64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// One thread of a block, or block of a grid, of this size: "32"; "(3, 1)" in two dimensions.
std::string index_text(const Index3& size, std::uint64_t n);

// "65,536".
std::string with_commas(std::uint64_t);
std::string signed_with_commas(std::int64_t);
// "256 blocks of 1 thread", "8 x 8 blocks of 16 x 16 threads, 512 bytes of dynamic shared memory".
std::string shape_text(const Index3& grid, const Index3& block, std::uint32_t shared_bytes);

struct SourcePlace {
    std::string file;  // as nvcc was given it
    int line = 0;
    std::string text;  // the source line as it was compiled; empty if the file cannot be read or was edited since
};

// The launch that a finding in a kernel belongs to.
struct LaunchSite {
    SourcePlace place;               // where the program asks for it; line 0: not known
    Index3 grid{}, block{};          // grid[0] 0: the finding belongs to no launch
    std::uint32_t shared_bytes = 0;  // dynamic
    bool by_kernel = false;          // `place` is in a kernel
    std::string token;               // for `place`, until it is looked up: see session/host_place.h. Not reported
    std::string what;                // "launched at reduce.cu:56: 256 blocks of 1 thread"
};

enum class Kind : std::uint8_t {
    out_of_bounds,
    misaligned,
    use_after_free,
    uninitialized,
    race,
    divergent_barrier,
    deadlock,
    endless,
    host_access,
    invalid_access,
    trap,
    device_assert,
    invalid_ptx,
    internal_error,
    unsupported,
    early_exit,
    leak,
    ignored_error,
    deep_launch,
    failed_call,
    block_order,
    plain_read,
    co_residency,
    shuffle_order,
    shuffle_place,
    overflow
};
const char* name_of(Kind);  // "out_of_bounds", ...

struct Finding {
    Kind kind{};
    bool is_note = false;            // a note is no defect: early_exit, failed_call, block_order to overflow
    std::string kernel;              // demangled
    std::string what;                // one sentence: "thread 32 of block 0 read s[31] while thread 31 wrote it"
    std::string help;                // what to do about it
    std::string access;              // "read", "write", "atomic"
    std::string space;               // "shared", "global", "local", "constant"
    SourcePlace place, other_place;  // other_place.line 0: none
    Index3 thread{}, block{}, other_thread{}, other_block{};
    std::string array;  // name of the variable, or "allocation of 4096 bytes made at ..."
    std::int64_t index =
        0;  // of the element, where the source tells its type; else in accesses, or in bytes of a class
    std::uint64_t array_bytes = 0;
    int access_bytes = 0;
    std::uint64_t count = 0;    // how often this pair of lines
    std::uint64_t threads = 0;  // how many threads did it; `thread` is the first of them. 0: not counted
    LaunchSite launch;
    bool of_race = false;  // an access at an address that was computed from what was read in a race
};

// Counted per warp instruction; sums over all warps.
struct Counters {
    std::uint64_t instructions = 0, lanes = 0;  // warp instructions; active lanes over them
    std::uint64_t branches = 0, divergent_branches = 0;
    std::uint64_t global_loads = 0, global_stores = 0;  // requests
    std::uint64_t load_sectors = 0, store_sectors = 0, ideal_load_sectors = 0, ideal_store_sectors = 0;
    std::uint64_t shared_loads = 0, shared_stores = 0;  // requests
    std::uint64_t shared_wavefronts = 0, ideal_wavefronts = 0, bank_conflicts = 0;
    std::uint64_t atomics = 0, atomic_lanes = 0, most_lanes_on_one_address = 0;  // the last is a maximum, not a sum
    std::uint64_t atomic_sectors = 0;                                            // of those on global memory
    std::uint64_t local_sectors = 0, barriers = 0;
    void add(const Counters&);
};

struct LineCounters {
    SourcePlace place;
    Counters counters;
};

struct KernelReport {        // of a launch by the host; or of all launches of one kernel by kernels in one such launch
    std::string name;        // demangled
    bool by_kernel = false;  // launched by a kernel
    SourcePlace place;       // where the host launched it; only if elements are watched
    std::uint64_t launches = 1;  // then, how many; grid, block and shared_bytes are those of the largest, the rest sums
    Index3 grid{}, block{};
    std::uint32_t shared_bytes = 0;
    int registers = 0;        // per thread, 0 if unknown
    bool order_free = false;  // without races, every schedule has the same results: exec/decode/order_free.h
    double seconds = 0;       // modelled
    std::string limited_by;   // "dram", "l2", "atomics", "issue", "shared", "lsu", "f64", "sfu", "latency", "launch"
    Counters total;
    std::vector<LineCounters> lines;
};

// What the lanes of one warp touched on one source line, access by access: only if it was asked for.
struct TraceStep {
    std::string space, access, array;   // as of a finding; the array that the first active lane is in
    int bytes = 0;                      // of a lane's access
    std::uint32_t lanes = 0;            // the active ones, a bit each
    std::uint64_t cost = 0, ideal = 0;  // sectors of global memory, wavefronts of shared memory
    // Bytes from the array's start, or from the start of the block's shared memory. 0 for lanes that are not active.
    std::array<std::int64_t, 32> at{};
};

struct Trace {
    SourcePlace place;
    std::string kernel;  // demangled
    Index3 block{};
    std::uint32_t warp = 0;        // of the block
    std::uint64_t count = 0;       // accesses that the warp made there
    std::vector<TraceStep> steps;  // the first of them
};

// Who wrote something last, in this call.
struct Writer {
    std::string by;  // "thread"; "host": a call of CUDA's API; "device": one that a kernel made; "unknown"; "": nobody
    std::string access;        // "write", "atomic"; "copy", "fill" of the API
    std::string name;          // of the kernel, demangled; or of the call, "cudaMemcpy"
    std::uint64_t launch = 0;  // by the host, from 1 on; that of the kernel, or that which launched it
    std::string who;           // "thread 3 of block 2"
    SourcePlace place;
};

// A value that a thread read, and who had written it.
struct ValueRead {
    std::string space, access;   // "global", "shared"; "read", "atomic"
    std::string array, element;  // "d_points", "d_points[2].x"
    std::int64_t index = 0;      // as Finding::index
    int bytes = 0;               // 1 to 8
    std::uint64_t value = 0;     // its bits
    SourcePlace place;
    Writer writer;
    std::uint64_t read_count = 0;  // and what the writer had read for that: not for the reads of a read
    std::vector<ValueRead> reads;
};

// An element of an array, by which its value came: only if it was asked for.
struct Watched {
    struct Write {
        Writer writer;
        std::uint64_t value = 0;  // the bits of the element, afterwards
    };
    std::string array;  // the harness's name
    std::uint64_t at = 0, bytes = 0;
    std::uint64_t count = 0;       // writes in this call
    std::vector<Write> writes;     // the first and the last of them
    std::uint64_t read_count = 0;  // by the thread that wrote last, since its store before that
    std::vector<ValueRead> reads;  // the first and the last of them; of a copy: the element that was copied
};

// What a call never reads, of an array that the harness gives or of what a line stores: only if it was asked for.
struct Unread {
    struct Range {
        std::uint64_t from = 0, bytes = 0;  // in the array
        std::string first, last;            // its elements, "d_sums[32]"; of the harness's array: ""
    };
    std::string array;  // the harness's name; of what is stored, as the kernel's source calls it
    bool is_stored = false;
    SourcePlace place;                    // that stores it; of a given array, a line that reads a part of it
    std::uint64_t bytes = 0, unread = 0;  // of the array; of what the line stores, and nothing overwrites
    std::uint64_t lost = 0;               // of the unread ones, those that are stored and are not 0
    std::uint64_t digest = 0;             // of these
    std::vector<Range> ranges;            // the first that are unread
};

struct Report {
    std::vector<Finding> findings;
    std::vector<KernelReport> kernels;
    double seconds = 0;                                    // modelled device time since the last report
    std::uint64_t bytes_to_host = 0, bytes_to_device = 0;  // by copies that the program asked for
    double least_seconds = 0;                              // that all work takes at least: `seconds` is never less
    std::string least_by;     // the part of the device that decides it; empty: there was no work
    double host_seconds = 0;  // of `seconds`: CPU time of host code, beyond what is not counted
    std::optional<Trace> trace;
    std::vector<Watched> watched;
    std::vector<Unread> unread;
};
std::string to_json(const Report&);  // schema: virtual_gpu/README.md, "version": 1

}  // namespace vgpu
