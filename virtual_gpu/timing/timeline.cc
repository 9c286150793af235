#include "virtual_gpu/timing/timeline.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace vgpu {
namespace {

struct State {
    std::vector<int> children, followers, tails;  // launched by it; behind it in a stream; to run when all is done
    double ready_at = 0;                          // the latest of what it waits for
    int waits_for = 1;                            // grids ahead of it, and the launch itself
    double done = 0;                              // the latest end of itself and what it launched
    int open = 1;                                 // of these, how many are not complete
    std::size_t next_tail = 0;
};

// Grids start in the order in which they may. The parts of the device are shared as
// Usage says.
class Simulation {
  public:
    Simulation(const DeviceProperties& profile, const std::vector<TimedGrid>& grids)
        : profile_(profile), grids_(grids), states_(grids.size()) {
        for (const TimedGrid& grid : grids_) {
            if (grid.parent < 0) continue;
            State& parent = state(grid.parent);
            (grid.is_tail ? parent.tails : parent.children).push_back(grid.number);
            if (grid.is_tail) continue;
            ++parent.open;
            state(grid.number).waits_for += static_cast<int>(grid.after.size());
            for (const int one : grid.after) state(one).followers.push_back(grid.number);
        }
        for (State& one : states_)
            std::stable_sort(one.children.begin(), one.children.end(),
                             [&](int a, int b) { return grid(a).issued < grid(b).issued; });
    }

    double run() {
        arrive(0, 0);
        while (!queue_.empty()) {
            const auto [time, number] = queue_.top();
            queue_.pop();
            start(number, time);
        }
        return end_;
    }

  private:
    const TimedGrid& grid(int number) const { return grids_[static_cast<std::size_t>(number)]; }
    State& state(int number) { return states_[static_cast<std::size_t>(number)]; }

    void arrive(int number, double time) {
        State& its = state(number);
        its.ready_at = std::max(its.ready_at, time);
        if (--its.waits_for == 0) queue_.emplace(its.ready_at, number);
    }

    void start(int number, double time) {
        const TimedGrid& its = grid(number);
        usage_.forget_before(time);  // grids start in order
        const double end = std::max(time + its.seconds, usage_.take(time, its.work));
        end_ = std::max(end_, end);
        for (const int child : state(number).children) {
            // The device hands launches out one after the other.
            launches_free_ =
                std::max(launches_free_, std::min(time + grid(child).issued, end)) + profile_.device_launch_each;
            arrive(child, launches_free_ + profile_.device_launch);
        }
        part_done(number, end);
    }

    void part_done(int number, double time) {
        State& its = state(number);
        its.done = std::max(its.done, time);
        if (--its.open != 0) return;
        if (its.next_tail < its.tails.size()) {
            its.open = 1;
            return arrive(its.tails[its.next_tail++], its.done + profile_.launch_busy);
        }
        for (const int next : its.followers) arrive(next, its.done + profile_.launch_busy);
        if (grid(number).parent >= 0) part_done(grid(number).parent, its.done);
    }

    const DeviceProperties& profile_;
    const std::vector<TimedGrid>& grids_;
    std::vector<State> states_;
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
    Usage usage_;
    double launches_free_ = 0, end_ = 0;
};

}  // namespace

void Timeline::add(TimedGrid grid) {
    const auto number = static_cast<std::size_t>(grid.number);
    if (grids_.size() <= number) {
        for (std::size_t n = grids_.size(); n <= number; ++n) {
            grids_.emplace_back();
            grids_.back().number = static_cast<int>(n);
        }
    }
    grids_[number] = std::move(grid);
}

Demand Timeline::work() const {
    Demand sum;
    for (const TimedGrid& one : grids_) sum.add(one.work);
    return sum;
}

double Timeline::end() const { return grids_.empty() ? 0 : Simulation(profile_, grids_).run(); }

}  // namespace vgpu
