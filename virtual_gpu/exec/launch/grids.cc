#include "virtual_gpu/exec/launch/grids.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {
namespace {

// Handles are addresses of nothing. The device runtime's own streams are small numbers, as in CUDA's headers.
constexpr std::uint64_t kStreams = 0x0600'0000'0000, kEvents = 0x0700'0000'0000, kHandleStep = 16;
constexpr std::uint64_t kTailLaunch = 3, kFireAndForget = 4;

std::uint64_t number_of(std::uint64_t handle, std::uint64_t window) {
    return handle >= window && handle % kHandleStep == 0 ? (handle - window) / kHandleStep : ~std::uint64_t{0};
}

void add_all(std::vector<int>& to, const std::vector<int>& from) {
    for (const int one : from)
        if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

}  // namespace

Grid& Grids::add_root(const Function& kernel, const Launch& launch) {
    Grid& root = grids_.emplace_back();
    root.kernel = &kernel;
    root.launch = launch;
    ready_.push_back(0);
    ++pending_;
    return root;
}

Grid* Grids::next(Random& random) {
    if (ready_.empty()) return nullptr;
    if (seed_ != 0) {  // the newest, or any
        const std::size_t chosen = seed_ % 4 == 1 ? ready_.size() - 1 : random.below(ready_.size());
        std::swap(ready_.front(), ready_[chosen]);
    }
    Grid& next = grid(ready_.front());
    ready_.pop_front();
    --pending_;
    return &next;
}

bool Grids::is_below(int number, int other) const {
    while (number > other) number = grid(number).parent;
    return number == other;
}

std::string Grids::relation(int number, int other) const {
    if (is_below(number, other) || is_below(other, number)) return "a kernel and one that it launched";
    return grid(number).parent == grid(other).parent ? "two kernels launched by one" : "two kernels";
}

void Grids::ran(Grid& grid, VectorClock over) {
    grid.has_run = true;
    grid.over.join(over);
    grid.known = {};
    grid.launch.params = {};
    null_streams_.clear();
    look_for_completion(grid);
}

void Grids::look_for_completion(Grid& grid) {
    if (!grid.has_run || grid.open != 0) return;
    if (grid.next_tail == grid.tails.size()) return complete(grid);
    const int tail = grid.tails[grid.next_tail++];
    this->grid(tail).known.join(grid.over);
    ready_.push_back(tail);
}

void Grids::complete(Grid& grid) {
    grid.is_complete = true;
    for (const int one : grid.followers) {
        this->grid(one).known.join(grid.over);
        if (--this->grid(one).waits_for == 0) ready_.push_back(one);
    }
    if (grid.parent < 0) return;
    Grid& parent = this->grid(grid.parent);
    parent.over.join(grid.over);
    grid.over = {};
    if (!grid.is_tail) --parent.open;
    look_for_completion(parent);
}

DeviceError Grids::may_begin_another(const Grid& running) const {
    if (running.depth >= kDeepestLaunch) return DeviceError::launch_max_depth_exceeded;
    return pending_ >= pending_limit_ ? DeviceError::launch_pending_count_exceeded : DeviceError::none;
}

DeviceError Grids::reserve(const Grid& running, const Function& kernel, const Launch& launch, std::uint64_t& slot) {
    if (const DeviceError error = may_begin_another(running); error != DeviceError::none) return error;
    ++pending_;
    slot = slots_.size();
    if (free_slots_.empty()) {
        slots_.emplace_back();
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    slots_[slot] = {&kernel, launch};
    const std::size_t bytes = kernel.params.empty() ? 0 : kernel.params.back().offset + kernel.params.back().bytes;
    slots_[slot].launch.params.assign(bytes, 0);
    return DeviceError::none;
}

std::uint8_t* Grids::slot_params(std::uint64_t slot, std::uint64_t at, std::uint64_t bytes) {
    if (slot >= slots_.size() || !slots_[slot].kernel) return nullptr;
    auto& params = slots_[slot].launch.params;
    return at <= params.size() && bytes <= params.size() - at ? params.data() + at : nullptr;
}

DeviceError Grids::launch(const Grid& running, std::uint64_t slot, std::uint64_t stream, const Origin& origin,
                          Grid*& out) {
    if (slot >= slots_.size() || !slots_[slot].kernel) return DeviceError::invalid_value;
    const Function* kernel = std::exchange(slots_[slot].kernel, nullptr);
    free_slots_.push_back(slot);
    out = append(running, stream, origin);
    if (!out) {
        --pending_;
        return DeviceError::invalid_resource_handle;
    }
    out->kernel = kernel;
    out->launch = std::move(slots_[slot].launch);
    return DeviceError::none;
}

DeviceError Grids::put(const Grid& running, const Copy& copy, std::uint64_t stream, const Origin& origin) {
    if (const DeviceError error = may_begin_another(running); error != DeviceError::none) return error;
    Grid* made = append(running, stream, origin);
    if (!made) return DeviceError::invalid_resource_handle;
    ++pending_;
    made->kernel = running.kernel;
    made->copy = copy;
    made->launch.kernel = copy.from != 0 ? "cudaMemcpyAsync" : "cudaMemsetAsync";
    made->launch.grid = {1, 1, 1};
    made->launch.block = {kLanes, 1, 1};
    return DeviceError::none;
}

Grid* Grids::append(const Grid& running, std::uint64_t stream, const Origin& origin) {
    Line* line = nullptr;
    if (stream != kTailLaunch && stream != kFireAndForget) {
        line = stream_of(running, stream, origin.block);
        if (!line) return nullptr;
    }
    Grid& made = grids_.emplace_back();
    made.number = static_cast<int>(grids_.size()) - 1;
    made.parent = running.number;
    made.depth = running.depth + 1;
    made.launched_in = origin.function;
    made.launched_at = origin.at;
    made.cycles = origin.cycles;
    made.known = origin.known;
    Grid& parent = grid(running.number);
    if (stream == kTailLaunch) {
        made.is_tail = true;
        parent.tails.push_back(made.number);
        return &made;
    }
    ++parent.open;
    if (line) {
        made.after = std::move(line->after);
        line->after = {made.number};
    }
    for (const int one : made.after) {
        assert(!grid(one).is_complete);  // it was launched by the same grid, which still runs
        grid(one).followers.push_back(made.number);
        ++made.waits_for;
    }
    if (made.waits_for == 0) ready_.push_back(made.number);
    return &made;
}

Grids::Line* Grids::stream_of(const Grid& running, std::uint64_t stream, std::uint64_t block) {
    if (stream == 0) return &null_streams_[block];
    const std::uint64_t number = number_of(stream, kStreams);
    if (number >= streams_.size() || !streams_[number].is_open || streams_[number].grid != running.number)
        return nullptr;
    return &streams_[number];
}

Grids::Line* Grids::event_of(const Grid& running, std::uint64_t event) {
    const std::uint64_t number = number_of(event, kEvents);
    if (number >= events_.size() || !events_[number].is_open || events_[number].grid != running.number) return nullptr;
    return &events_[number];
}

std::uint64_t Grids::make_stream(const Grid& running) {
    streams_.push_back({running.number, true, {}});
    return kStreams + (streams_.size() - 1) * kHandleStep;
}

DeviceError Grids::destroy_stream(const Grid& running, std::uint64_t stream) {
    Line* line = stream != 0 ? stream_of(running, stream, 0) : nullptr;
    if (!line) return DeviceError::invalid_resource_handle;
    *line = {running.number, false, {}};  // what is in it goes on
    return DeviceError::none;
}

std::uint64_t Grids::make_event(const Grid& running) {
    events_.push_back({running.number, true, {}});
    return kEvents + (events_.size() - 1) * kHandleStep;
}

DeviceError Grids::destroy_event(const Grid& running, std::uint64_t event) {
    Line* line = event_of(running, event);
    if (!line) return DeviceError::invalid_resource_handle;
    *line = {running.number, false, {}};
    return DeviceError::none;
}

DeviceError Grids::record(const Grid& running, std::uint64_t event, std::uint64_t stream, std::uint64_t block) {
    Line *to = event_of(running, event), *from = stream_of(running, stream, block);
    if (!to || !from) return DeviceError::invalid_resource_handle;
    to->after = from->after;
    return DeviceError::none;
}

DeviceError Grids::wait(const Grid& running, std::uint64_t stream, std::uint64_t event, std::uint64_t block) {
    Line *to = stream_of(running, stream, block), *from = event_of(running, event);
    if (!to || !from) return DeviceError::invalid_resource_handle;
    add_all(to->after, from->after);
    return DeviceError::none;
}

DevicePtr Grids::text(Memory& memory, const std::string& text) {
    const auto [entry, is_new] = texts_.try_emplace(text, 0);
    if (is_new && memory.allocate(text.size() + 1, "text of an error", entry->second, true) == Status::ok) {
        memory.fill(entry->second, 0, 1, text.size() + 1);
        memory.write(entry->second, std::as_bytes(std::span(text)));
    }
    return entry->second;
}

void Grids::forget_texts(Memory& memory) {
    for (const auto& [text, at] : texts_) memory.release(at);
    texts_.clear();
}

}  // namespace vgpu
