// What a shuffle of all lanes orders in shared memory: reads before it and writes after it, nothing else.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "virtual_gpu/check/shared_races.h"

namespace vgpu {
namespace {

struct Counter : SharedConflictSink {
    int seen = 0, met = 0;  // races; and those that the shuffle makes harmless
    void conflict(const SharedConflict& c) override { ++(c.has_met ? met : seen); }
};

struct MetLanes : testing::Test {
    Counter counter;
    SharedRaces races{4096, 4, counter};

    void access(int warp, std::uint32_t offset, std::uint32_t mask, AccessKind kind) {
        std::array<std::uint32_t, 32> offsets;
        offsets.fill(offset);
        races.access(warp, mask, offsets.data(), 4, kind, false, 10);
    }
};

TEST_F(MetLanes, OverwriteWhatAllHaveRead) {
    access(0, 0, ~0u, AccessKind::read);
    races.lanes_met(0, ~0u);
    access(0, 0, 1, AccessKind::write);
    EXPECT_EQ(counter.seen, 0) << "all lanes have what they read";
    EXPECT_GT(counter.met, 0);
}

TEST_F(MetLanes, DoNotSeeWhatOneHasWritten) {
    access(0, 0, 1, AccessKind::write);
    races.lanes_met(0, ~0u);
    access(0, 0, 2, AccessKind::read);
    EXPECT_EQ(counter.seen, 1);
}

// A barrier that counts arrivals: the last to arrive is another warp, and the first two lanes of this one see it.
TEST_F(MetLanes, LearnWhatTheirOwnWarpHasReleased) {
    std::array<std::uint32_t, 32> counter_at{};
    counter_at.fill(128);
    access(1, 0, 1, AccessKind::write);
    for (const int warp : {1, 0}) races.access(warp, ~0u, counter_at.data(), 4, AccessKind::reduction, true, 11);
    access(1, 0, 4, AccessKind::read);
    EXPECT_EQ(counter.seen, 1) << "nobody has looked at the counter yet";
    races.access(1, 2, counter_at.data(), 4, AccessKind::read, true, 12);
    access(1, 0, 2, AccessKind::read);
    EXPECT_EQ(counter.seen, 1);
}

TEST_F(MetLanes, ReadAgainAfterwards) {
    races.lanes_met(0, ~0u);
    access(0, 0, ~0u, AccessKind::read);
    access(0, 0, 1, AccessKind::write);
    EXPECT_EQ(counter.seen, 1);
}

TEST_F(MetLanes, AreThoseOfTheMask) {
    access(0, 0, 1u << 20, AccessKind::read);
    races.lanes_met(0, 0xffff);
    access(0, 0, 1, AccessKind::write);
    EXPECT_EQ(counter.seen, 1);
}

TEST_F(MetLanes, AreOfOneWarp) {
    access(1, 0, ~0u, AccessKind::read);
    races.lanes_met(1, ~0u);
    races.lanes_met(0, ~0u);
    access(0, 0, 1, AccessKind::write);
    EXPECT_EQ(counter.seen, 1);
}

}  // namespace
}  // namespace vgpu
