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

double Clock::run(StreamClock& stream, double seconds, const Demand& work, double latency, double gap) {
    const double before = ready(stream);
    const double start = std::max(before > 0 ? before + gap : 0.0, host + latency);
    usage_.forget_before(host);
    const double end = std::max(start + seconds, usage_.take(start, work));
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
