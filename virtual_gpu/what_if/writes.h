// Who wrote what: while elements are watched, the last writer of everything in global and shared memory, all writes of
// the elements, and what the thread that wrote one had read for it. It changes nothing: the call goes as without it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/report.h"
#include "virtual_gpu/what_if/unread.h"

namespace vgpu {
struct Block;
struct Lanes;
struct Request;
struct Run;
class Reporter;
}  // namespace vgpu

namespace vgpu::what_if {

// A copy or a fill by the host, or by the device for a kernel.
struct Moved {
    DevicePtr to = 0, from = 0;  // from 0: not from the device
    std::uint64_t bytes = 0;
    std::string name;   // "cudaMemcpy"
    std::string place;  // a token, see session/host_place.h
    bool is_fill = false;
};

class Writes {
  public:
    static constexpr std::size_t kSources = 4;                     // reads of a write that another thread reads
    static constexpr std::size_t kFirst = 4, kLast = 12;           // writes of an element that are told
    static constexpr std::size_t kFirstReads = 2, kLastReads = 6;  // and reads

    void want(const Rules&);
    bool is_on() const { return !wanted_.empty(); }
    void labelled(const Allocation&);  // an array of the harness has its name
    void begin_call();
    // A grid runs. Nullptr: it is over.
    void enter(Run*);
    void global(const Warp&, const Instr*, Mask, const Lanes&, const Request&, Allocation* one);
    void shared(const Warp&, const Instr*, Mask, const std::uint32_t* offset, const Lanes&, const Request&);
    // Of one lane, after it is done. `at`: where the word is in the host's memory. `writes`: whatever it wrote.
    void atomic(const Warp&, const Instr*, int lane, DevicePtr, const std::uint8_t* at, const void* old,
                const void* now, std::size_t bytes, bool writes);
    void moved(Memory&, const Moved&);         // by the host
    void moved_by_kernel(Run&, const Moved&);  // by the device
    std::vector<Watched> take(const Memory&);
    std::vector<Unread> take_unread(const Memory&);

  private:
    // Who wrote a piece of memory last.
    struct Mark {
        std::uint32_t place = 0;  // of places_; 0: nobody in this call
        std::uint32_t launch = 0;
        std::uint32_t block = 0;
        std::uint32_t from = 0;  // of sources_: what it was made from; 0: not known
        std::uint16_t thread = 0;
        bool is_atomic = false, is_unknown = false;
    };
    struct Shadow {
        unsigned step = 4;  // bytes for each mark
        std::vector<Mark> marks;
        Mark of(std::uint64_t at) const { return at / step < marks.size() ? marks[at / step] : Mark{}; }
        void set(std::uint64_t at, std::uint64_t bytes, std::uint64_t of, const Mark&);
    };
    struct Known {                       // a place that writes
        const Module* module = nullptr;  // nullptr: of the host
        std::uint32_t pc = 0;            // of module
        bool is_copy = false;
        Moved by_host;
    };
    struct Launched {
        std::string kernel;
        std::uint64_t number = 0;  // of the host's launches
        Launch launch;             // its grid and its block only
    };
    struct Read {
        std::uint64_t at = 0, value = 0;  // an address, or an offset in shared memory
        std::uint32_t place = 0;          // of places_
        std::uint8_t bytes = 0;
        bool is_shared = false, is_atomic = false;
        Mark writer;
    };
    struct Reads {  // of a thread since its last store
        std::uint64_t count = 0;
        std::array<Read, kFirstReads + kLastReads> some;
        void add(const Read&);
        std::vector<Read> in_order() const;
    };
    struct Sources {  // of a write by a thread: some of the reads
        std::uint64_t count = 0;
        std::uint32_t launch = 0;
        std::array<Read, kSources> some;
    };
    struct OfBlock {
        std::uint64_t linear = ~std::uint64_t{0};
        Shadow shared;
        std::vector<std::unique_ptr<Reads>> threads;
    };
    struct Write {
        Mark mark;
        std::uint64_t value = 0;
    };
    struct Target {
        std::string array;
        std::uint64_t at = 0, bytes = 0;
        DevicePtr base = 0;
        std::uint64_t number = 0;  // of its allocation; 0: there is none
        std::uint64_t offset = 0;  // of the element in it
        std::uint64_t count = 0;
        std::vector<Write> first, last;
        Reads reads;          // of the last write, while its grid runs
        bool is_told = true;  // and then:
        std::vector<ValueRead> told;
    };

    Shadow* shadow_of(const Allocation&);  // nullptr: it is too large
    Mark mark_of(const Allocation&, std::uint64_t offset);
    Mark mark_of(const Warp&, const Instr*, bool is_atomic);  // without the thread
    std::uint32_t number_of(const Warp&, const Instr*);       // of places_
    void set_thread(Mark&, int thread, const Reads*);
    OfBlock& of(const Warp&);
    Reads* reads_of(OfBlock&, std::size_t thread);  // nullptr: there are too many
    static void read(Reads&, Read, const std::uint8_t* value, const Request&,
                     const std::function<Mark(std::uint64_t)>&);
    void write(Allocation&, std::uint64_t offset, std::uint64_t bytes, const Mark&, const void* values, Reads*);
    void note(Target&, const Mark&, const Allocation&, std::uint64_t offset, std::uint64_t bytes, const void* values,
              Reads*);
    void tell_reads();
    ValueRead told(const Read&, std::uint32_t launch) const;
    Writer writer_of(const Mark&) const;
    SourcePlace place_of(const Known&) const;
    Mark mark_of_move(Known&&);
    void move(Memory&, const Moved&, const Mark&, const std::string& from);

    std::string wanted_;
    bool counts_unread_ = false;
    WatchOfUnread unread_;
    std::vector<Target> targets_;
    Run* run_ = nullptr;
    std::vector<Known> places_;
    std::map<std::pair<const Module*, std::uint32_t>, std::uint32_t> numbers_;  // of places_
    std::vector<std::uint32_t> moves_;                                          // of places_, those of copies and fills
    std::vector<Launched> launches_;
    std::uint64_t launched_ = 0;                         // by the host
    std::unordered_map<std::uint64_t, Shadow> shadows_;  // by number of the allocation
    std::unordered_map<const Block*, OfBlock> blocks_;
    std::vector<Sources> sources_;
    std::uint64_t threads_ = 0;  // whose reads are kept
};

}  // namespace vgpu::what_if
