// What is before what among the operations that the host puts into its streams: kernels, copies, fills, and the
// allocations and frees of cudaMallocAsync and cudaFreeAsync. A vector clock for each stream, each event and the host.
//
// The operations of one stream follow each other. The legacy default stream (number 0) and a blocking stream wait for
// what the other was given before. A stream waits for an event by cudaStreamWaitEvent. All that the host has waited for
// is before what it does next.
//
// A kernel with programmatic dependent launch (a dependent) begins when the kernel before it in the stream (its
// primary) triggers: after what was before the primary then, but not after the primary. It is after the primary, and
// all that the primary is after, once it has waited. If it never waits, its own end says nothing about the primary's.
// Any other operation in the stream comes after all of them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vgpu {

class StreamOrder {
  public:
    using Number = std::uint32_t;  // of an operation: from 1, in the order of the calls
    // For each line (a stream that was used in this era): its operations up to this number are before.
    using Before = std::vector<Number>;

    struct Operation {
        Number number = 0;  // 0: it is over before the host goes on
        std::uint32_t line = 0;
        Before before;       // of a dependent: until it waits
        Number primary = 0;  // of a dependent: the kernel in front of it
        Before once_waited{};
        bool comes_after(Number other, std::uint32_t its_line) const {
            return its_line < before.size() && other <= before[its_line];
        }
    };
    // What an event stands for; by default it was never recorded.
    struct Mark {
        std::uint32_t era = 0;
        Before before;
    };

    // Puts the other operation, and all before it, into `to`.
    static void join(Before& to, const Operation& other);

    // False, and nothing has to be told but new streams, as long as there is only the default stream.
    bool is_on() const { return is_on_; }
    void turn_on() { is_on_ = true; }
    void make_stream(int stream, bool blocking);
    void destroy_stream(int stream);

    Operation begin(int stream);  // puts an operation into the stream
    // A kernel behind another kernel. No dependent, if it is ordered after that one anyway.
    Operation begin_dependent(int stream);
    // Whether it has waited, and whether it always had when it triggered.
    void end_dependent(int stream, const Operation&, bool has_waited, bool triggers_late);
    // Not in a stream, and never compared with a later one: what the host waits for at once, and what the host does.
    Operation awaited_in(int stream) { return {0, 0, view(stream).before}; }
    Operation by_host() const { return {0, 0, host_}; }
    void record(Mark&, int stream);
    void wait(int stream, const Mark&);
    // The stream learns what an operation in it has found done by another.
    void learn(int stream, const Operation& other);

    void host_waits_for(const Operation&);
    void host_waits_for(const Mark&);
    void host_waits_for_stream(int stream);
    void host_waits_for_all() { next_era(); }

    // Goes up whenever every operation so far is before the host: none of them can race with a later one, and numbers
    // begin again. From 1.
    std::uint32_t era() const { return era_; }

  private:
    struct Primary {  // a stream's last operation, for a dependent of it
        Number number = 0;
        std::uint32_t line = 0;
        Before at_trigger, at_end;  // what is before its dependent from the start, and once that has waited
    };
    struct Stream {
        bool blocking = true;
        std::uint32_t era = 0;
        std::int64_t line = -1;
        std::vector<std::uint32_t> dependents_lines;
        Before before;  // its next operation
        Primary last;
    };
    Stream& fresh(int stream);
    Stream& view(int stream);  // with all that an operation in it waits for
    std::uint32_t new_line();
    void put_last(Stream&, const Operation&);
    void changed(int stream, const Stream&);
    void host_learns(const Before&);
    void next_era();

    bool is_on_ = false;
    std::uint32_t era_ = 1;
    Number last_ = 0;
    std::map<int, Stream> streams_{{0, {}}};
    Before host_, blocking_, last_of_line_;  // blocking_: of all blocking streams, also those destroyed
};

}  // namespace vgpu
