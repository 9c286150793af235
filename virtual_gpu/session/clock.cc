#include "virtual_gpu/session/clock.h"

namespace vgpu {

double Clock::ready(const StreamClock& stream) const {
    double time = stream.ready;
    if (stream.waits_for_all) {
        time = std::max({time, legacy_, blocking_});
    } else if (stream.blocking) {
        time = std::max(time, legacy_);
    }
    return time;
}

double Clock::run(StreamClock& stream, double seconds, double share, double latency, double gap) {
    const double before = ready(stream);
    const double start = std::max(before > 0 ? before + gap : 0.0, host + latency);
    double end = start + seconds;
    if (share > 0) {  // the device's own time is used up by share * seconds, never sooner than it is free
        device_free_ = std::max(device_free_, start) + share * seconds;
        end = std::max(end, device_free_);
    }
    stream.ready = end;
    if (stream.waits_for_all) {
        legacy_ = std::max(legacy_, end);
    } else if (stream.blocking) {
        blocking_ = std::max(blocking_, end);
    }
    last_end_ = std::max(last_end_, end);
    return end;
}

}  // namespace vgpu
