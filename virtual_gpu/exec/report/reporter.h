// Collects findings: one per kind and pair of source lines, with how often.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/check/global_races.h"
#include "virtual_gpu/check/shared_races.h"
#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/exec/report/source_types.h"
#include "virtual_gpu/report.h"
#include "virtual_gpu/undefined/bytes.h"

namespace vgpu {

struct Run;
struct Warp;
struct Block;

struct Place {
    const Function* function = nullptr;
    std::uint32_t source = 0;
};

class Reporter {
  public:
    explicit Reporter(const Module& module) : module_(module) {}
    void enter(Run& run) {  // the grid that runs now
        run_ = &run;
        shared_origins_.clear();
    }

    // The line of `place` in the student's source; for code in a header of CUDA or of common/toolbox, the line that
    // calls it.
    SourcePlace source(Place) const;
    const std::vector<std::string>& lines(Place) const;  // of the place's file
    // Of an instruction without a line, which nvcc has moved, the nearest line in its function.
    ptx::Location location(Place) const;
    std::string at(Place) const;                // "scan.cu:41", or the function's name when lines are unknown
    std::string callers(Place) const;           // ", called at scan.cu:50", if it is code of an inlined function
    bool is_in(Place, const char* part) const;  // of a file's name: where the innermost inlined function is
    Place place_of(std::uint32_t pc) const;     // from count_base + source

    // True the first time: the caller then fills in `out`. Otherwise `out` was only counted, or is null if there are
    // too many findings.
    bool add(Kind, Place, Place other, Finding*& out);
    void take(std::vector<Finding>& out, const Origins&);

    void bad_free(const Warp&, const Instr*, int lane, DevicePtr address, const Allocation*);
    void not_constant(const Warp&, const Instr*, int lane, DevicePtr address, int bytes, const Allocation*);
    void bad_access(const Warp&, const Instr*, int lane, DevicePtr address, int bytes, const char* access, Kind,
                    const Allocation*);
    void bad_shared(const Warp&, const Instr*, int lane, std::uint32_t address, int bytes, const char* access, Kind);
    void bad_local(const Warp&, const Instr*, int lane, std::uint64_t address, int bytes, const char* access, Kind);
    // An undefined value decides something: `what` is "decides the branch".
    void undefined(const Warp&, const Instr*, int lane, OriginId, const char* what);
    // Origins of values that are read here.
    OriginId global_origin(const Warp&, const Instr*, const Allocation&, DevicePtr address, int bytes);
    OriginId shared_origin(const Warp&, const Instr*, std::uint32_t offset, int bytes);
    OriginId local_origin(const Warp&, const Instr*);
    OriginId shuffle_origin(const Warp&, const Instr*);
    OriginId variable_origin(const Warp&, const Instr*);
    void race(const Block&, const SharedConflict&);
    void race(const GlobalConflict&);
    // nullptr: it was there already, or there are too many.
    Finding* found(const Warp&, const Instr*, Mask, Kind, const std::string& what, const std::string& help);
    void bad_copy(Place, const std::string& name, DevicePtr, std::uint64_t bytes, bool is_write, const Allocation*);
    void ignored_launch(Place, std::uint64_t block, std::uint32_t thread, const std::string& error,
                        const std::string& text);

    std::string thread_name(const Block&, std::uint32_t thread) const;  // "thread 3 of block 0"
    std::string thread_name(std::uint64_t block, std::uint32_t thread) const;
    static std::string thread_name(const Launch&, std::uint64_t block, std::uint32_t thread);
    std::string thread_number(std::uint64_t thread) const;  // "3", or "(3, 1)"
    std::string block_name(std::uint64_t block) const;      // "block 0", or "block (0, 2)"
    std::string kernel_name() const;
    Place place(const Warp&, const Instr*) const;
    // The array that a byte is in, as the source calls it.
    std::string global_name(const Allocation& a) const { return name_of(a); }
    std::string shared_name(std::uint32_t offset);
    struct Element {
        std::string array, text;  // "d_points", "d_points[2].x"
        std::int64_t index = 0;   // in elements, or bytes: see element_index()
    };
    Element shared_element(std::uint32_t offset, int bytes) const;
    Element global_element(const Allocation&, DevicePtr address, int bytes) const;

  private:
    void fill(Finding&, const Warp&, const Instr*, int lane, int bytes, const char* access, const char* space);
    bool note_plain_read(Place, AccessKind, bool is_strong, Place other, AccessKind other_kind, bool other_is_strong,
                         Finding*& out);
    bool add_race(Place, Place other, const char* space, bool both_write, int how_far, Finding*& out);
    std::string help_for(const GlobalConflict&, bool same_line) const;
    // An array as the kernel's source calls it: the parameter that points into it, or else its label.
    std::string name_of(const Allocation&) const;
    std::string made_at(const Allocation&) const;  // "; in was allocated at a.cu:7", unless the name tells
    std::string argument_for(const Allocation&) const;
    const std::vector<std::string>& lines_of(int file) const;
    // The variable of shared memory that a byte is in; none: in what has no name.
    std::optional<std::size_t> shared_variable(std::uint32_t offset) const;
    std::string name_shared(Finding&, std::uint32_t offset, int bytes) const;  // "s_tile[3]"
    // How the bytes of an array are its elements, as the kernel's source says it.
    const Layout& layout_of(const Allocation&) const;
    const Layout& layout_of_shared(std::size_t variable) const;
    bool points_into(const ParamPlace&, const Allocation&) const;
    const std::vector<std::string>& texts_of_kernel() const;
    bool is_moved(Place) const;  // its line is not its own: it has none, or that of a statement without accesses
    std::size_t instruction_with_line(Place) const;
    ptx::Location find_location(Place) const;
    bool is_library(int file) const;
    using Key = std::tuple<int, int, int, int, int>;
    // A race as the checks see it: all that decides what is said of it, but for who took part.
    struct RaceKey {
        std::uint64_t places = 0;  // both pcs
        std::uint32_t traits = 0;
        friend bool operator==(const RaceKey&, const RaceKey&) = default;
    };
    struct HashOfRace {
        std::size_t operator()(const RaceKey& k) const {
            return std::hash<std::uint64_t>{}(k.places * 0x9E37'79B9'7F4A'7C15u + k.traits);
        }
    };
    // Who makes an access that is not allowed.
    struct Doers {
        int grid = 0;
        Place at;
        std::uint64_t block = 0;  // the first
        std::uint32_t thread = 0;
        std::vector<bool> seen;  // by block and thread; empty: too many to count
        std::uint64_t count = 0;
        bool goes_on = true;  // false: the kernel was stopped, and others might have done it, too
    };
    struct KnownRace {
        std::size_t finding = 0;
        int distance = 0;  // the largest of which it was told
    };
    // Counts a race that is known, from no farther away: what it costs to tell of it is paid once.
    bool count_known(const RaceKey&, int how_far);
    void remember(const RaceKey&, const Finding*, int how_far);
    // Undefined values that one side of a race has read are the race's effect: no finding of their own.
    void explain(Place, AccessKind, const Finding& race);
    bool add(const Key&, Kind, Place, Finding*& out);
    // The same for an access that is not allowed. It is told of the first thread that makes it, whatever the schedule:
    // that of the lowest block, in it the lowest. nullptr: what is said of it stays as it is.
    Finding* add_access(const Warp&, const Instr*, int lane, Kind);
    LaunchSite launch_site() const;
    std::vector<std::size_t> in_order();  // the findings, a cause before what comes of it
    std::uint32_t origin_place(const Warp&, const Instr*);
    const Module& module_;
    Run* run_ = nullptr;
    std::map<Key, std::size_t> known_;
    std::unordered_map<RaceKey, KnownRace, HashOfRace> known_races_;
    std::unordered_map<std::size_t, OriginId> origins_of_;  // of findings of undefined values, by their number
    std::unordered_map<std::size_t, Doers> doers_;          // by finding, the same
    std::unordered_map<std::uint32_t, std::uint32_t> origin_places_;  // by pc
    std::unordered_map<std::uint64_t, std::uint32_t> origin_arrays_;  // by the allocation's number
    std::unordered_map<std::uint64_t, OriginId> shared_origins_;      // of this grid, by pc and offset
    std::map<const Function*, std::vector<bool>> reads_for_cas_;      // by source
    std::unordered_map<std::size_t, std::string> callers_;            // by finding: ", called at scan.cu:50"
    std::vector<Finding> findings_;
    mutable std::map<const Function*, std::vector<std::string>> parameters_;
    mutable std::map<std::pair<const Function*, std::size_t>, Layout> layouts_, shared_layouts_;  // by number
    mutable std::map<int, std::vector<std::string>> texts_;  // of a file, and of those that it includes
    mutable std::map<const Function*, bool> has_lines_;
    mutable std::unordered_map<std::uint32_t, ptx::Location> locations_;  // by pc
    mutable std::vector<signed char> library_;                            // by file; -1: not known yet
};

}  // namespace vgpu
