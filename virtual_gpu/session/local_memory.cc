// A session's memory and copies. Every range is checked against its allocation first; what reaches past an end is a
// finding.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "virtual_gpu/session/host_place.h"
#include "virtual_gpu/session/local_session.h"

namespace vgpu {
namespace {

constexpr std::size_t kMostFreed = 10000;
constexpr DevicePtr kNearby = 1 << 28;  // nearer than any two allocations

}  // namespace

Status LocalSession::allocate(std::size_t bytes, bool async, StreamId stream_id, const HostPlace& place,
                              DevicePtr& out) {
    if (async && stream(stream_id) == nullptr) {
        return Status::invalid_handle;
    }
    clock_.call(async ? profile_.allocate_async : profile_.allocate);
    const std::string label = "allocation of " + counted(bytes, "byte") + " made at " + place;
    const Status status = device_->allocate(bytes, label, out);
    if (status == Status::ok) {
        freed_.erase(out);
        allocations_[out] = {bytes, place, "", false, guest_, async};
        if (async && order_.is_on()) {
            begin_operation({"cudaMallocAsync", stream_id, place, false, "allocated"});
            device_->accesses(out, bytes, true);
            end_operation();
        }
    }
    return status;
}

Status LocalSession::release(DevicePtr base, const char* name, bool async, StreamId stream_id, const HostPlace& place) {
    if (async && stream(stream_id) == nullptr) {
        return Status::invalid_handle;
    }
    clock_.call(async ? profile_.allocate_async : profile_.release);
    if (!async) {
        clock_.wait_for(clock_.all_ready());
    }
    const auto made = allocations_.find(base);
    if (made == allocations_.end() || !is_own(base)) {
        return wrong_release(base, name, place);
    }
    if (freed_.size() > kMostFreed) {
        freed_.clear();
    }
    freed_[base] = place;
    follow_release(base, made->second, {name, async ? stream_id : 0, place, false, "freed"}, async);
    allocations_.erase(made);
    return device_->release(base);
}

// cudaFree waits for the device, but not for an array of cudaMallocAsync.
void LocalSession::follow_release(DevicePtr base, const Made& made, Operation&& operation, bool async) {
    if (!async && !made.in_stream) {
        order_.host_waits_for_all();
        return;
    }
    if (!order_.is_on()) {
        return;
    }
    if (async) {
        begin_operation(std::move(operation));
    } else {
        begin_awaited(std::move(operation), order_.by_host());
    }
    device_->accesses(base, made.bytes, true);
    end_operation();
}

Status LocalSession::wrong_release(DevicePtr pointer, const char* name, const HostPlace& place) {
    Finding f;
    f.kind = Kind::invalid_access;
    f.count = 1;
    f.place = place_of(place);
    f.what = std::string(name) + " was given a pointer that ";
    DevicePtr base = 0;
    std::size_t bytes = 0;
    const auto freed = freed_.find(pointer);
    if (freed != freed_.end()) {
        f.what += "was already freed, at " + text_of(place_of(freed->second));
        f.help = "free each array once: set the pointer to nullptr after it, or let one object own the array";
    } else if (allocations_.contains(pointer)) {
        f.what += "belongs to the caller: " + name_of(pointer, 0);
        f.help = "free only what you have allocated";
    } else if (device_->find(pointer, base, bytes) && pointer != base) {
        f.what += "is not the start of its allocation but byte " + std::to_string(pointer - base) + " of it";
        f.help = "keep the pointer that cudaMalloc gave, and free that one";
    } else {
        f.what += "cudaMalloc did not give";
        f.help = "a pointer to free is one that cudaMalloc has set";
    }
    add(std::move(f));
    return Status::invalid_value;
}

void LocalSession::release_all() {
    print_output();
    order_.host_waits_for_all();
    clock_.wait_for(clock_.all_ready());
    std::erase_if(allocations_,
                  [&](const auto& entry) { return is_own(entry.first) && (device_->release(entry.first), true); });
}

bool LocalSession::is_own(DevicePtr base) const {
    const auto made = allocations_.find(base);
    return made != allocations_.end() && (!guest_ || made->second.by_guest);
}

bool LocalSession::find(DevicePtr at, DevicePtr& base, std::size_t& bytes) { return device_->find(at, base, bytes); }

Status LocalSession::allocate_on_host(std::size_t bytes, const HostPlace& place, DevicePtr& out, int& file) {
    clock_.call(profile_.allocate);
    const std::string label = "allocation of " + counted(bytes, "byte") + " of pinned memory made at " + place;
    const Status status = device_->allocate_on_host(bytes, label, out, file);
    if (status == Status::ok) {
        freed_.erase(out);
    }
    return status;
}

Status LocalSession::release_on_host(DevicePtr base, const HostPlace& place) {
    freed_[base] = place;
    return device_->release(base);
}

Status LocalSession::adopt(std::uintptr_t host, std::size_t bytes, const HostPlace& place) {
    return device_->adopt(host, bytes,
                          "allocation of " + counted(bytes, "byte") + " of registered memory made at " + place);
}

Status LocalSession::poison(DevicePtr at, std::size_t bytes) { return device_->poison(at, bytes); }
Status LocalSession::forget(DevicePtr at, std::size_t bytes) { return device_->forget(at, bytes); }
Status LocalSession::reuse(DevicePtr freed) { return device_->reuse(freed); }

Status LocalSession::label(DevicePtr first, std::string_view name) {
    DevicePtr base = 0;
    std::size_t bytes = 0;
    if (!device_->find(first, base, bytes) || !is_own(base)) {
        return Status::invalid_value;
    }
    allocations_[base].name = name;
    allocations_[base].before_array = first - base;
    return device_->label(first, name);
}

// ---- Copies ----

std::string LocalSession::name_of(DevicePtr base, std::size_t bytes) {
    const auto made = allocations_.find(base);
    if (made == allocations_.end()) {
        return "allocation of " + counted(bytes, "byte");
    }
    if (!made->second.name.empty()) {
        return made->second.name;
    }
    return resolve_tokens("allocation of " + counted(made->second.bytes, "byte") + " made at " + made->second.place);
}

DevicePtr LocalSession::array_in(DevicePtr base) const {
    const auto made = allocations_.find(base);
    return base + (made != allocations_.end() ? made->second.before_array : 0);
}

const HostPlace* LocalSession::freed_near(DevicePtr at) const {
    const auto next = freed_.upper_bound(at);
    return next != freed_.begin() && at - std::prev(next)->first < kNearby ? &std::prev(next)->second : nullptr;
}

// True if [at, at + bytes) lies inside one living allocation; else a finding says what is wrong.
bool LocalSession::inside(const std::string& name, const HostPlace& place, DevicePtr at, std::size_t bytes,
                          const char* access) {
    DevicePtr base = 0;
    std::size_t size = 0;
    const bool found = device_->find(at, base, size);
    if (found && at >= base && at - base <= size && bytes <= size - (at - base)) {
        return true;
    }
    Finding f;
    f.kind = Kind::out_of_bounds;
    f.count = 1;
    f.access = access;
    f.space = "global";
    f.place = place_of(place);
    if (!found) {
        f.what = name + " was given the pointer " + hex_of(at) + ", which belongs to no allocation";
        f.help = "cudaMalloc(&pointer, bytes) sets a pointer to device memory";
        f.kind = Kind::invalid_access;
        if (const HostPlace* freed = freed_near(at)) {
            f.kind = Kind::use_after_free;
            f.what = name + " was given a pointer to memory that was freed at " + text_of(place_of(*freed));
            f.help = "free an array only after its last use, copies included";
        }
    } else {
        const auto made = allocations_.find(base);
        f.array = name_of(base, size);
        size -= array_in(base) - base;
        f.array_bytes = size;
        f.index = static_cast<std::int64_t>(at - array_in(base));
        f.access_bytes = 1;
        f.what = name + " of " + counted(bytes, "byte") + ", from byte " + std::to_string(f.index) +
                 " on, reaches past the end of " + f.array +
                 (made != allocations_.end() && !made->second.name.empty() ? " (" + counted(size, "byte") + ")" : "");
        f.help = "the count is in bytes: n * sizeof(element)";
    }
    add(std::move(f));
    return false;
}

Status LocalSession::check(const CopyCall& call) {
    if (!stream(call.stream)) {
        return Status::invalid_handle;
    }
    for (std::size_t row = 0; row < call.height; ++row) {
        if (call.from != 0 && !inside(call.name, call.place, call.from + row * call.from_pitch, call.width, "read")) {
            return Status::invalid_value;
        }
        if (call.to != 0 && !inside(call.name, call.place, call.to + row * call.to_pitch, call.width, "write")) {
            return Status::invalid_value;
        }
    }
    return Status::ok;
}

Status LocalSession::copy(const CopyCall& call, void* host_to, const void* host_from) {
    Status status = check(call);
    for (std::size_t row = 0; row < call.height && status == Status::ok; ++row) {
        if (call.way == Way::device_to_device) {
            status = device_->copy(call.to + row * call.to_pitch, call.from + row * call.from_pitch, call.width);
            if (status == Status::ok) {
                device_->moved(call.to + row * call.to_pitch, call.from + row * call.from_pitch, call.width, call.name,
                               call.place, false);
            }
            continue;
        }
        auto* host = call.way == Way::host_to_device
                         ? const_cast<std::byte*>(static_cast<const std::byte*>(host_from)) + row * call.from_pitch
                         : static_cast<std::byte*>(host_to) + row * call.to_pitch;
        status = move(call, row, 0, {host, call.width}) ? Status::ok : Status::invalid_value;
    }
    if (status == Status::ok) {
        charge(call);
    }
    return status;
}

bool LocalSession::move(const CopyCall& call, std::size_t row, std::size_t offset, std::span<std::byte> part) {
    const Status status = call.way == Way::host_to_device
                              ? device_->write(call.to + row * call.to_pitch + offset, part)
                              : device_->read(call.from + row * call.from_pitch + offset, part);
    if (status == Status::ok && call.way == Way::device_to_host)
        find_undefined(call.from + row * call.from_pitch + offset, part.size(), call.place);
    if (status == Status::ok && call.way == Way::host_to_device) {
        device_->moved(call.to + row * call.to_pitch + offset, 0, part.size(), call.name, call.place, false);
    }
    return status == Status::ok;
}

void LocalSession::find_undefined(DevicePtr at, std::size_t bytes, const HostPlace& place) {
    Finding f;
    if (!options_.check_memory || !device_->take_undefined(at, bytes, f)) {
        return;
    }
    DevicePtr base = 0;
    std::size_t whole = 0;
    const auto known = device_->find(at, base, whole) ? launched_with_.find(base) : launched_with_.end();
    if (known != launched_with_.end()) {
        if (const SourcePlace launched = place_of(known->second, true); launched.line != 0) {
            f.what += "; the last kernel with this array was launched at " + text_of(launched);
        }
    }
    f.place = place_of(place);
    if (f.place.line == 0) {
        f.place = f.other_place;
    }
    add(std::move(f));
}

Status LocalSession::expect_defined(DevicePtr at, std::size_t bytes) {
    find_undefined(at, bytes, "");
    return Status::ok;
}

// What a copy costs: only one from or to pinned memory leaves the host free to go on.
void LocalSession::charge(const CopyCall& call) {
    follow_copy(call);
    StreamClock& order = *stream(call.stream);
    const std::size_t bytes = call.width * call.height;
    const auto amount = static_cast<double>(bytes);
    if (call.way == Way::device_to_device) {
        run_on_device(order, 2 * amount);
        return;
    }
    (call.way == Way::device_to_host ? report_.bytes_to_host : report_.bytes_to_device) += bytes;
    const double seconds = amount / (call.pinned ? profile_.copy_pinned : profile_.copy_pageable);
    Demand work;  // a copy from or to memory that is not pinned is many small ones, at the rate of pinned memory
    work[call.way == Way::device_to_host ? Part::to_host : Part::to_device] = amount / profile_.copy_pinned;
    work[Part::dram] = amount / profile_.dram_bandwidth;
    const double end =
        clock_.run(order, std::max(seconds, work[Part::dram]), work, profile_.copy, profile_.launch_busy);
    if (call.async && call.pinned) {
        clock_.call(profile_.launch_host);
    } else {
        clock_.wait_for(end);
        print_output();
    }
}

// A copy or fill by the device, which moves so many bytes from and to DRAM.
void LocalSession::run_on_device(StreamClock& order, double bytes) {
    Demand work;
    work[Part::dram] = bytes / profile_.dram_bandwidth;
    const double seconds = work[Part::slots] = work[Part::dram] + 1e-6;
    clock_.run(order, seconds, work, profile_.launch, profile_.launch_busy);
    clock_.call(profile_.launch_host);
}

Status LocalSession::fill(const FillCall& call) {
    StreamClock* order = stream(call.stream);
    if (order == nullptr) {
        return Status::invalid_handle;
    }
    if (order_.is_on()) {
        begin_operation({call.name, call.stream, call.place, false, ""});
    }
    for (std::size_t row = 0; row < call.height; ++row) {
        const DevicePtr at = call.to + row * call.pitch;
        if (!inside(call.name, call.place, at, call.width, "write")) {
            return Status::invalid_value;
        }
        device_->accesses(at, call.width, true);
        if (const Status status = device_->fill(at, call.value, 1, call.width); status != Status::ok) {
            return status;
        }
        device_->moved(at, 0, call.width, call.name, call.place, true);
    }
    end_operation();
    run_on_device(*order, static_cast<double>(call.width * call.height));
    return Status::ok;
}

}  // namespace vgpu
