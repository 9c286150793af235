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
        s.dependents_lines.clear();
        s.before.clear();
        s.last = {};
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
    if (s.line < 0) s.line = new_line();
    Operation operation{++last_, static_cast<std::uint32_t>(s.line), s.before};
    put_last(s, operation);
    changed(stream, s);
    return operation;
}

StreamOrder::Operation StreamOrder::begin_dependent(int stream) {
    Stream& s = view(stream);
    Before at_start = s.last.at_trigger;
    join_all(at_start, host_);
    if (stream == 0)
        join_all(at_start, blocking_);
    else if (s.blocking)
        join_all(at_start, fresh(0).before);
    const auto is_known = [&](std::uint32_t line, Number number) {
        return number <= (line < at_start.size() ? at_start[line] : 0);
    };
    if (is_known(s.last.line, s.last.number)) return begin(stream);
    auto line = std::find_if(s.dependents_lines.begin(), s.dependents_lines.end(),
                             [&](std::uint32_t l) { return is_known(l, last_of_line_[l]); });
    if (line == s.dependents_lines.end()) line = s.dependents_lines.insert(line, new_line());
    Operation operation{++last_, *line, at_start, s.last.number, std::move(at_start)};
    join_all(operation.once_waited, s.last.at_end);
    join_all(s.before, operation.once_waited);
    put_last(s, operation);
    changed(stream, s);
    return operation;
}

void StreamOrder::end_dependent(int stream, const Operation& operation, bool has_waited, bool triggers_late) {
    Stream& s = fresh(stream);
    if (s.last.number != operation.number) return;
    if (triggers_late) join_all(s.last.at_trigger, operation.once_waited);
    if (has_waited) join_all(s.last.at_end, operation.once_waited);
}

std::uint32_t StreamOrder::new_line() {
    last_of_line_.push_back(0);
    return static_cast<std::uint32_t>(last_of_line_.size() - 1);
}

void StreamOrder::put_last(Stream& s, const Operation& operation) {
    last_of_line_[operation.line] = operation.number;
    put(s.before, operation.line, operation.number);
    s.last = {operation.number, operation.line, operation.before, operation.before};
    put(s.last.at_end, operation.line, operation.number);
}

void StreamOrder::record(Mark& mark, int stream) {
    const Stream& s = view(stream);
    changed(stream, s);
    mark = {era_, s.before};
}

void StreamOrder::wait(int stream, const Mark& mark) {
    Stream& s = view(stream);
    if (mark.era == era_)
        for (Before* before : {&s.before, &s.last.at_trigger, &s.last.at_end}) join_all(*before, mark.before);
    changed(stream, s);
}

void StreamOrder::learn(int stream, const Operation& other) {
    Stream& s = fresh(stream);
    join(s.before, other);
    join(s.last.at_end, other);
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
