// The modelled clock: where the host and each stream have got to, in seconds since the start.
#pragma once

#include <algorithm>

#include "virtual_gpu/timing/profile.h"
#include "virtual_gpu/timing/work.h"

namespace vgpu {

struct StreamClock {
    double ready = 0;            // when the last operation of the stream ends
    bool waits_for_all = false;  // the legacy default stream: joins with every blocking stream
    bool blocking = true;        // waits for the legacy default stream
};

class Clock {
  public:
    double host = 0;

    void call(double seconds) { host += seconds; }

    // An operation that takes `seconds` if it is alone, and keeps parts of the device busy. It starts `latency` after
    // the call when its stream is idle, and `gap` after the stream's last operation when it is not. Operations of
    // several streams overlap, but together they never use more of a part than there is. Returns the end.
    double run(StreamClock& stream, double seconds, const Demand& work, double latency, double gap);
    // When everything that has been put into the stream is done.
    double ready(const StreamClock& stream) const;
    void wait_for(double time) { host = std::max(host, time); }
    double all_ready() const { return std::max(host, last_end_); }

  private:
    double legacy_ = 0;    // end of the last operation of the legacy default stream
    double blocking_ = 0;  // of all blocking streams
    Usage usage_;
    double last_end_ = 0;
};

}  // namespace vgpu
