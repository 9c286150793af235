// The modelled clock: where the host and each stream have got to, in seconds since the start.
#pragma once

#include <algorithm>

#include "virtual_gpu/timing/profile.h"

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

    // An operation that needs `share` of the device (1: all of it) for `seconds`, started `latency` after the call
    // when its stream is idle and `gap` after the stream's last operation when it is not. Operations of several
    // streams overlap as far as their shares allow. Returns the end.
    double run(StreamClock& stream, double seconds, double share, double latency, double gap);
    // When everything that has been put into the stream is done.
    double ready(const StreamClock& stream) const;
    void wait_for(double time) { host = std::max(host, time); }
    double all_ready() const { return std::max(host, last_end_); }

  private:
    double legacy_ = 0;    // end of the last operation of the legacy default stream
    double blocking_ = 0;  // of all blocking streams
    double device_free_ = 0;
    double last_end_ = 0;
};

}  // namespace vgpu
