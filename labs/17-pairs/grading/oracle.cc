// Lab 17's answers. Trusted; host C++; never in the student's process. All are exact: positions are integers below 2^26
// in size, so the square of a distance is below 2^54.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "grading/problem.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// The points, sorted by cells of its own, which know nothing of the call's grid.
class Cells {
  public:
    Cells(std::span<const std::int32_t> numbers, std::int64_t radius)
        : numbers_(numbers), radius_(radius), order_(numbers.size() / 2) {
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::sort(order_, [&](int i, int j) { return std::pair(cell(i), i) < std::pair(cell(j), j); });
        for (const int i : order_) {
            if (cells_.empty() || cells_.back() != cell(i)) {
                cells_.push_back(cell(i));
                begins_.push_back(ends_.empty() ? 0 : ends_.back());
                ends_.push_back(begins_.back());
            }
            ++ends_.back();
        }
    }

    // Calls each(i, j) for all i and j != i with i near j; those of one i follow each other, in no order.
    template <class Each>
    void for_each(Each each) const {
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            for (std::int64_t row = -1; row <= 1; ++row) {
                const auto [y, x] = cells_[c];
                auto other = std::ranges::lower_bound(cells_, Cell{y + row, x - 1});
                for (; other != cells_.end() && *other <= Cell{y + row, x + 1}; ++other)
                    compare(c, static_cast<std::size_t>(other - cells_.begin()), each);
            }
        }
    }

  private:
    using Cell = std::pair<std::int64_t, std::int64_t>;  // row, column

    Cell cell(int i) const {
        constexpr std::int64_t far = std::int64_t{1} << 40;  // makes everything positive
        const std::int64_t side = std::max<std::int64_t>(radius_, 1);
        return {(far + numbers_[2 * i + 1]) / side, (far + numbers_[2 * i]) / side};
    }

    template <class Each>
    void compare(std::size_t one, std::size_t other, Each each) const {
        for (std::size_t a = begins_[one]; a < ends_[one]; ++a) {
            for (std::size_t b = begins_[other]; b < ends_[other]; ++b) {
                const int i = order_[a], j = order_[b];
                const std::int64_t dx = std::int64_t{numbers_[2 * i]} - numbers_[2 * j];
                const std::int64_t dy = std::int64_t{numbers_[2 * i + 1]} - numbers_[2 * j + 1];
                if (i != j && dx * dx + dy * dy <= radius_ * radius_) each(i, j);
            }
        }
    }

    std::span<const std::int32_t> numbers_;
    std::int64_t radius_;
    std::vector<int> order_;
    std::vector<Cell> cells_;
    std::vector<std::size_t> begins_, ends_;
};

}  // namespace

std::vector<Expected> pairs_expect(const Instance& call, std::span<const Array> inputs) {
    const Cells cells(inputs[0].as<std::int32_t>(), call.scalar("radius"));
    if (call.task != "pairs_out") {
        Expected counts;
        counts.exact.assign(static_cast<std::size_t>(call.n), 0);
        cells.for_each([&](int i, int) { ++counts.exact[static_cast<std::size_t>(i)]; });
        return lab::outputs(std::move(counts));
    }
    std::vector<std::uint64_t> found;
    cells.for_each([&](int i, int j) {
        if (i < j) found.push_back(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j));
    });
    std::ranges::sort(found);
    Expected list, count;
    list.rest = Expected::Rest::untouched;
    list.exact.reserve(2 * found.size());
    for (const std::uint64_t pair : found) {
        list.exact.push_back(pair >> 32);
        list.exact.push_back(pair & 0xffffffff);
    }
    count.exact = {found.size()};
    return lab::outputs(std::move(list), std::move(count));
}
