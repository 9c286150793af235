// A session's streams and events, what waits for what, and races between streams.
#include <algorithm>
#include <string_view>
#include <utility>

#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/session/host_place.h"
#include "virtual_gpu/session/local_session.h"

namespace vgpu {
namespace {

constexpr std::size_t kMostToldRaces = 1000, kMostOperations = 100'000;

std::string name_of_stream(StreamId id) { return id == 0 ? "the default stream" : "stream " + std::to_string(id); }

}  // namespace

StreamClock* LocalSession::stream(StreamId id) {
    const auto found = streams_.find(id);
    return found != streams_.end() ? &found->second : nullptr;
}

StreamId LocalSession::make_stream(bool blocking) {
    streams_[next_stream_].blocking = blocking;
    order_.make_stream(next_stream_, blocking);
    return next_stream_++;
}

void LocalSession::destroy_stream(StreamId id) {
    if (id != 0) {
        streams_.erase(id);
        order_.destroy_stream(id);
    }
}

void LocalSession::host_function(StreamId id) {
    if (StreamClock* order = stream(id)) {
        clock_.run(*order, 1e-6, {}, profile_.launch, profile_.launch_busy);
    }
}

EventId LocalSession::make_event() {
    events_[next_event_].by_guest = guest_;
    return next_event_++;
}

LocalSession::Event* LocalSession::event(EventId id) {
    const auto found = events_.find(id);
    return found != events_.end() && found->second.by_guest == guest_ ? &found->second : nullptr;
}

void LocalSession::destroy_event(EventId id) {
    if (event(id) != nullptr) {
        events_.erase(id);
    }
}

Status LocalSession::record(EventId id, StreamId stream_id) {
    const StreamClock* order = stream(stream_id);
    Event* its = event(id);
    if (order == nullptr || its == nullptr) {
        return Status::invalid_handle;
    }
    its->recorded = true;
    order_.record(its->mark, stream_id);
    its->time = std::max(clock_.host, clock_.ready(*order));
    return Status::ok;
}

Status LocalSession::wait_event(StreamId stream_id, EventId id) {
    StreamClock* order = stream(stream_id);
    const Event* its = event(id);
    if (order == nullptr || its == nullptr) {
        return Status::invalid_handle;
    }
    if (its->recorded) {
        order->ready = std::max(order->ready, its->time);
        order_.wait(stream_id, its->mark);
    }
    return Status::ok;
}

Status LocalSession::elapsed(EventId from, EventId to, double& seconds) {
    const Event *first = event(from), *last = event(to);
    if (first == nullptr || last == nullptr || !first->recorded || !last->recorded) {
        return Status::invalid_handle;
    }
    seconds = last->time - first->time;
    return Status::ok;
}

// Everything has been executed already; to ask, too, costs the time until it would have been.
Status LocalSession::wait(const Wait& wait) {
    double until = clock_.all_ready();
    if (wait.what == Wait::For::stream) {
        const StreamClock* order = stream(wait.id);
        if (order == nullptr) {
            return Status::invalid_handle;
        }
        until = clock_.ready(*order);
        order_.host_waits_for_stream(wait.id);
    } else if (wait.what == Wait::For::event) {
        const Event* its = event(wait.id);
        if (its == nullptr) {
            return Status::invalid_handle;
        }
        until = its->time;
        order_.host_waits_for(its->mark);
    } else {
        order_.host_waits_for_all();
        until = std::max(until, reported_until_ + least_time().seconds);
    }
    print_output();
    clock_.wait_for(until);
    if (!wait.only_ask) {
        clock_.call(profile_.synchronize);
    }
    return Status::ok;
}

// ---- Races between streams ----

void LocalSession::begin_operation(Operation&& operation, bool is_dependent) {
    if (operations_.size() >= kMostOperations && order_.era() == operations_era_) {
        order_.host_waits_for_all();  // a program that never waits: what came before is forgotten
    }
    order_of_operation_ = is_dependent ? order_.begin_dependent(operation.stream) : order_.begin(operation.stream);
    if (order_.era() != operations_era_) {
        operations_.clear();
        operations_era_ = order_.era();
    }
    operation_ = std::move(operation);
    operations_.push_back(operation_);
    device_->begin_operation(&order_of_operation_, order_.era());
}

bool LocalSession::begin_launch(const Launch& launch, const HostPlace& place) {
    Operation operation{launch.kernel, launch.stream, place, true, ""};
    if (!order_.is_on()) {
        LastLaunch primary = std::exchange(last_launch_, {operation, launch.module, order_.era()});
        if (!launch.dependent || primary.era != order_.era()) {
            return false;
        }
        order_.turn_on();
        begin_operation(std::move(primary.operation));
        device_->follow_last_launch(primary.module);
        end_operation();
    }
    begin_operation(std::move(operation), launch.dependent);
    return order_of_operation_.primary != 0;
}

void LocalSession::end_launch(const Launch& launch, const LaunchReport& report) {
    if (launch.dependent) {
        order_.end_dependent(launch.stream, order_of_operation_, report.has_awaited_primary, report.triggers_late);
        operation_.has_waited = operations_[order_of_operation_.number - 1].has_waited = report.has_awaited_primary;
    }
    end_operation();
}

void LocalSession::begin_awaited(Operation&& operation, const StreamOrder::Operation& its) {
    operation_ = std::move(operation);
    device_->begin_operation(&its, order_.era());
}

void LocalSession::end_operation() {
    if (!order_.is_on()) {
        return;
    }
    std::vector<StreamOrder::Operation> seen;
    std::vector<StreamRace> races = device_->take_stream_races(seen);
    std::stable_partition(races.begin(), races.end(),  // a write that is not waited for says more than a read
                          [](const StreamRace& race) { return std::string_view(race.other.access) != "read"; });
    for (const StreamRace& race : races) {
        if (race.other.operation == 0 || race.other.operation > operations_.size()) {
            continue;
        }
        const Operation& other = operations_[race.other.operation - 1];
        const std::string key = operation_.place + other.place + operation_.name + other.name + race.array +
                                race.here.access + race.other.access;
        if (told_races_.size() < kMostToldRaces && told_races_.insert(key).second) {
            add(operation_.name.empty() ? not_awaited(race, other) : finding_of(race, operation_, other));
        }
    }
    for (const StreamOrder::Operation& other : seen) {
        order_.learn(operation_.stream, other);
    }
    device_->begin_operation(nullptr, 0);
}

void LocalSession::follow_copy(const CopyCall& call) {
    // The host waits for a copy from the device to memory that is not pinned, asynchronous or not, and for cudaMemcpy.
    const bool is_awaited =
        call.way != Way::device_to_device && (!call.async || (call.way == Way::device_to_host && !call.pinned));
    if (!order_.is_on()) {
        if (is_awaited) {
            order_.host_waits_for_all();
        }
        return;
    }
    Operation operation{call.name, call.stream, call.place, false, ""};
    if (is_awaited) {
        begin_awaited(std::move(operation), order_.awaited_in(call.stream));
    } else {
        begin_operation(std::move(operation));
    }
    for (std::size_t row = 0; row < call.height; ++row) {
        if (call.from != 0) {
            device_->accesses(call.from + row * call.from_pitch, call.width, false);
        }
        if (call.to != 0) {
            device_->accesses(call.to + row * call.to_pitch, call.width, true);
        }
    }
    end_operation();
    if (is_awaited) {
        order_.host_waits_for_stream(call.stream);
    }
}

// As if the caller overwrote its arrays in the default stream.
void LocalSession::returned() {
    if (serves_) {  // whatever the program says of its streams, its time is that of all
        clock_.wait_for(std::max(clock_.all_ready(), reported_until_ + least_time().seconds));
    }
    if (!order_.is_on()) {
        return;
    }
    begin_awaited({}, order_.awaited_in(0));
    for (const auto& [base, made] : allocations_) {
        if (!made.name.empty()) {
            device_->accesses(base, made.bytes, true);
        }
    }
    end_operation();
    order_.host_waits_for_all();
}

LeastTime LocalSession::least_time() {
    LeastTime least = device_->least_time();
    const double to_device = static_cast<double>(report_.bytes_to_device) / profile_.copy_pinned;
    const double to_host = static_cast<double>(report_.bytes_to_host) / profile_.copy_pinned;
    if (to_device > least.seconds) least = {to_device, vgpu::name_of(Part::to_device)};
    if (to_host > least.seconds) least = {to_host, vgpu::name_of(Part::to_host)};
    return least;
}

namespace {

// Where the host asked for it; if that is unknown, where the kernel accessed the array.
SourcePlace place_of_call(const HostPlace& place, bool is_kernel, const SourcePlace& in_kernel) {
    const SourcePlace host = place_of(place, is_kernel);
    return host.line != 0 || in_kernel.line == 0 ? host : in_kernel;
}

Finding about(const StreamRace& race) {
    Finding f;
    f.kind = Kind::race;
    f.access = race.here.access;
    f.space = "global";
    f.array = race.array;
    f.index = race.offset / race.access_bytes;
    f.array_bytes = race.array_bytes;
    f.access_bytes = race.access_bytes;
    f.count = race.count;
    return f;
}

std::string element_of(const StreamRace& race) {
    const std::string array = race.array.empty() ? "an array" : race.array;
    return array + (race.access_bytes > 1 ? " at index " : " at byte ") +
           std::to_string(race.offset / race.access_bytes);
}

}  // namespace

Finding LocalSession::finding_of(const StreamRace& race, const Operation& here, const Operation& other) const {
    const auto told = [](const Operation& operation, const StreamRace::Side& side) {
        const std::string access = side.access;
        std::string text = operation.is_kernel ? "the kernel " + short_name(operation.name) : operation.name;
        text += " in " + name_of_stream(operation.stream);
        if (!operation.place.empty()) {
            text += (operation.is_kernel ? " (launched at " : " (called at ") +
                    text_of(place_of(operation.place, operation.is_kernel)) + ")";
        }
        text += !operation.deed.empty() ? " " + operation.deed
                : access == "read"      ? " read"
                : access == "write"     ? " wrote"
                                        : " did an atomic on";
        return text + " it" + (side.place.line != 0 ? " at " + text_of(side.place) : "");
    };
    Finding f = about(race);
    f.kernel = here.is_kernel ? demangled(here.name) : other.is_kernel ? demangled(other.name) : "";
    f.place = place_of_call(here.place, here.is_kernel, race.here.place);
    f.other_place = place_of_call(other.place, other.is_kernel, race.other.place);
    f.what = element_of(race) + ": " + told(other, race.other) + ", and " + told(here, race.here) +
             ": nothing orders the two";
    if (here.stream == other.stream) {
        const std::string name = short_name(here.name);
        f.what += ": programmatic dependent launch lets " + name + " begin before " + short_name(other.name) +
                  " has ended, and " +
                  (!race.here.is_early ? "a kernel between the two never calls"
                   : here.has_waited   ? name + " had not called"
                                       : name + " never calls") +
                  " cudaGridDependencySynchronize()";
        f.help =
            "call cudaGridDependencySynchronize() in each such kernel, before it accesses what earlier kernels use: it "
            "waits until the kernel before has ended and its writes are visible; "
            "cudaTriggerProgrammaticLaunchCompletion() promises neither";
        if (race.here.place.line != 0 && race.other.place.line != 0) {
            f.place = race.here.place;
            f.other_place = race.other.place;
        }
        return f;
    }
    const bool with_default = here.stream == 0 || other.stream == 0;
    f.help =
        std::string(with_default ? "a stream made with cudaStreamNonBlocking does not wait for the default stream: "
                                 : "streams do not wait for each other: ") +
        "record an event after the first (cudaEventRecord) and let the second one's stream wait for it "
        "(cudaStreamWaitEvent), or let the host wait between the two (cudaStreamSynchronize)";
    return f;
}

Finding LocalSession::not_awaited(const StreamRace& race, const Operation& other) const {
    Finding f = about(race);
    const bool writes = std::string(race.other.access) != "read";
    f.access = race.other.access;
    f.kernel = other.is_kernel ? demangled(other.name) : "";
    f.place = place_of_call(other.place, other.is_kernel, race.other.place);
    f.other_place = race.other.place;
    f.what = "the task returned while " + (other.is_kernel ? "the kernel " + short_name(other.name) : other.name) +
             " in " + name_of_stream(other.stream) + " could still " + (writes ? "write " : "read ") + race.array +
             (race.other.place.line != 0 ? " at " + text_of(race.other.place) : "") +
             ": the work put into this stream at " + text_of(place_of(other.place, other.is_kernel)) +
             " is not waited for";
    f.help =
        "cudaStreamSynchronize before the task returns; or cudaEventRecord in that stream and cudaStreamWaitEvent "
        "in the default stream, which the caller uses";
    return f;
}

}  // namespace vgpu
