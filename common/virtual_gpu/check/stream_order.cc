#include "virtual_gpu/check/stream_order.h"

#include <algorithm>

namespace vgpu {
namespace {

void join_all(StreamOrder::Before& to, const StreamOrder::Before& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void put(StreamOrder::Before& to, std::size_t line, StreamOrder::Number number) {
    if (to.size() <= line) to.resize(line + 1);
    to[line] = number;
}

}  // namespace

void StreamOrder::make_stream(int stream, bool blocking) {
    is_on_ = true;
    streams_[stream] = Stream{};
    streams_[stream].blocking = blocking;
}

void StreamOrder::destroy_stream(int stream) {
    if (stream != 0) streams_.erase(stream);
}

StreamOrder::Stream& StreamOrder::fresh(int stream) {
    Stream& s = streams_[stream];
    if (s.era != era_) {
        s.era = era_;
        s.line = -1;
        s.before.clear();
    }
    return s;
}

StreamOrder::Stream& StreamOrder::view(int stream) {
    Stream& s = fresh(stream);
    join_all(s.before, host_);
    if (stream == 0)
        join_all(s.before, blocking_);
    else if (s.blocking)
        join_all(s.before, fresh(0).before);
    return s;
}

void StreamOrder::changed(int stream, const Stream& s) {
    if (stream != 0 && s.blocking) join_all(blocking_, s.before);
}

StreamOrder::Operation StreamOrder::begin(int stream) {
    Stream& s = view(stream);
    if (s.line < 0) {
        s.line = static_cast<std::int64_t>(last_of_line_.size());
        last_of_line_.push_back(0);
    }
    const auto line = static_cast<std::uint32_t>(s.line);
    Operation operation{++last_, line, s.before};
    put(s.before, line, last_);
    last_of_line_[line] = last_;
    changed(stream, s);
    return operation;
}

void StreamOrder::record(Mark& mark, int stream) {
    const Stream& s = view(stream);
    changed(stream, s);
    mark = {era_, s.before};
}

void StreamOrder::wait(int stream, const Mark& mark) {
    Stream& s = view(stream);
    if (mark.era == era_) join_all(s.before, mark.before);
    changed(stream, s);
}

void StreamOrder::learn(int stream, const Operation& other) {
    Stream& s = fresh(stream);
    join(s.before, other);
    changed(stream, s);
}

void StreamOrder::join(Before& to, const Operation& other) {
    join_all(to, other.before);
    if (to.size() <= other.line || to[other.line] < other.number) put(to, other.line, other.number);
}

void StreamOrder::host_waits_for(const Operation& operation) {
    Before all = operation.before;
    put(all, operation.line, operation.number);
    host_learns(all);
}

void StreamOrder::host_waits_for(const Mark& mark) {
    if (mark.era == era_) host_learns(mark.before);
}

void StreamOrder::host_waits_for_stream(int stream) { host_learns(view(stream).before); }

void StreamOrder::host_learns(const Before& before) {
    join_all(host_, before);
    for (std::size_t line = 0; line < last_of_line_.size(); ++line)
        if (line >= host_.size() || host_[line] < last_of_line_[line]) return;
    next_era();
}

void StreamOrder::next_era() {
    ++era_;
    last_ = 0;
    host_.clear();
    blocking_.clear();
    last_of_line_.clear();
}

}  // namespace vgpu
