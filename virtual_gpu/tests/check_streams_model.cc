// Random programs with streams, events and waits: what StreamOrder and StreamRaces say, against sets of operations and
// a comparison of each byte of each pair.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "virtual_gpu/check/stream_order.h"
#include "virtual_gpu/check/stream_races.h"

namespace vgpu {
namespace {

constexpr int kStreams = 5;  // 0: the default stream; 1 and 2 block, 3 and 4 do not
constexpr int kEvents = 3;
constexpr std::uint64_t kBytes = 24;

bool blocks(int stream) { return stream == 1 || stream == 2; }

using Set = std::set<int>;
void join(Set& to, const Set& from) { to.insert(from.begin(), from.end()); }

struct StreamModel {
    struct Access {
        std::uint64_t first, bytes;
        bool writes;
    };
    std::vector<Access> accesses;  // by operation
    Set host, in[kStreams], event[kEvents];

    Set view(int stream) const {
        Set all = in[stream];
        join(all, host);
        for (int other = 0; other < kStreams; ++other)
            if ((stream == 0 && blocks(other)) || (other == 0 && blocks(stream))) join(all, in[other]);
        return all;
    }
    static bool overlap(const Access& a, const Access& b) {
        return (a.writes || b.writes) && a.first < b.first + b.bytes && b.first < a.first + a.bytes;
    }
    // Earlier operations that race with an access that comes after `before`.
    Set races(const Access& access, const Set& before) const {
        Set out;
        for (int i = 0; i < static_cast<int>(accesses.size()); ++i)
            if (!before.contains(i) && overlap(access, accesses[static_cast<std::size_t>(i)])) out.insert(i);
        return out;
    }
};

class RandomProgram {
  public:
    explicit RandomProgram(unsigned seed) : random_(seed) {
        for (int stream = 1; stream < kStreams; ++stream) order_.make_stream(stream, blocks(stream));
    }
    void step();
    int racing() const { return racing_; }

  private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    void operate(int stream, bool is_awaited) {
        const StreamModel::Access access = [&] {
            const bool whole_words = below(3) > 0;
            const int first = whole_words ? 4 * below(5) : below(20);
            return StreamModel::Access{static_cast<std::uint64_t>(first),
                                       static_cast<std::uint64_t>(whole_words ? 4 : 1 + below(4)), below(2) == 0};
        }();
        const Set before = model_.view(stream), expected = model_.races(access, before);
        const StreamOrder::Operation its = is_awaited ? order_.awaited_in(stream) : order_.begin(stream);
        races_.begin(its, order_.era(), 0);
        if (order_.era() != era_) names_.clear();
        era_ = order_.era();
        races_.access(1, kBytes, access.first, access.bytes, access.writes);
        Set found;
        for (const StreamConflict& conflict : races_.take_conflicts()) found.insert(names_[conflict.other.operation]);
        for (const int one : found) EXPECT_TRUE(expected.contains(one)) << "a false alarm";
        EXPECT_EQ(found.empty(), expected.empty()) << "a race was missed";
        racing_ += !expected.empty();
        if (is_awaited) {
            order_.host_waits_for_stream(stream);
            model_.host = model_.view(stream);
            return;
        }
        const int name = static_cast<int>(model_.accesses.size());
        names_[its.number] = name;
        model_.accesses.push_back(access);
        model_.in[stream] = before;
        model_.in[stream].insert(name);
    }

    std::mt19937 random_;
    StreamOrder order_;
    StreamRaces races_;
    StreamOrder::Mark marks_[kEvents];
    StreamModel model_;
    std::map<StreamOrder::Number, int> names_;  // of this era's operations in the model
    std::uint32_t era_ = 0;
    int racing_ = 0;
};

void RandomProgram::step() {
    const int stream = below(kStreams), event = below(kEvents);
    const auto which = static_cast<std::size_t>(event);
    switch (below(14)) {
        case 0:
            order_.record(marks_[which], stream);
            model_.event[event] = model_.in[stream] = model_.view(stream);
            return;
        case 1:
        case 2:
            order_.wait(stream, marks_[which]);
            model_.in[stream] = model_.view(stream);
            join(model_.in[stream], model_.event[event]);
            return;
        case 3:
            order_.host_waits_for(marks_[which]);
            join(model_.host, model_.event[event]);
            return;
        case 4:
            order_.host_waits_for_stream(stream);
            join(model_.host, model_.view(stream));
            return;
        case 5:
            if (below(4) != 0) return;
            order_.host_waits_for_all();
            for (int i = 0; i < static_cast<int>(model_.accesses.size()); ++i) model_.host.insert(i);
            return;
        default:
            operate(stream, below(5) == 0);
    }
}

TEST(StreamsModel, FindsARaceWhereverThereIsOne) {
    for (unsigned seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        RandomProgram program(seed);
        for (int i = 0; i < 120 && !testing::Test::HasFailure(); ++i) program.step();
        EXPECT_GT(program.racing(), 0) << "the programs are too tame";
    }
}

}  // namespace
}  // namespace vgpu
