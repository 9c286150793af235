// What orders operations of the host's streams, and which of their accesses race.
#include <gtest/gtest.h>

#include "virtual_gpu/check/stream_order.h"
#include "virtual_gpu/check/stream_races.h"

namespace vgpu {
namespace {

using Operation = StreamOrder::Operation;

bool is_after(const Operation& later, const Operation& earlier) {
    return later.comes_after(earlier.number, earlier.line);
}

struct Order : testing::Test {
    Order() {
        for (const int side : {1, 2}) order.make_stream(side, false);
        for (const int blocking : {3, 4}) order.make_stream(blocking, true);
    }
    StreamOrder order;
};

TEST(StreamOrderTest, IsOnWithTheFirstStream) {
    StreamOrder order;
    EXPECT_FALSE(order.is_on());
    order.make_stream(1, true);
    EXPECT_TRUE(order.is_on());
}

TEST_F(Order, OperationsOfOneStreamFollowEachOther) {
    const Operation first = order.begin(1), other = order.begin(2), second = order.begin(1);
    EXPECT_TRUE(is_after(second, first));
    EXPECT_FALSE(is_after(first, second));
    EXPECT_FALSE(is_after(other, first));
    EXPECT_FALSE(is_after(second, other));
}

TEST_F(Order, TheDefaultStreamAndBlockingStreams) {
    const Operation blocking = order.begin(3), other = order.begin(4), side = order.begin(1);
    EXPECT_FALSE(is_after(other, blocking));
    const Operation in_default = order.begin(0);
    EXPECT_TRUE(is_after(in_default, blocking));
    EXPECT_TRUE(is_after(in_default, other));
    EXPECT_FALSE(is_after(in_default, side));
    const Operation later = order.begin(4), side_later = order.begin(1);
    EXPECT_TRUE(is_after(later, in_default));
    EXPECT_TRUE(is_after(later, blocking)) << "through the default stream";
    EXPECT_FALSE(is_after(side_later, in_default));
}

TEST_F(Order, ADestroyedBlockingStreamIsStillWaitedFor) {
    const Operation blocking = order.begin(3);
    order.destroy_stream(3);
    EXPECT_TRUE(is_after(order.begin(0), blocking));
}

TEST_F(Order, AnEventMarksWhatCameBeforeIt) {
    const Operation before = order.begin(1);
    StreamOrder::Mark mark;
    order.record(mark, 1);
    const Operation after = order.begin(1);
    order.wait(2, mark);
    const Operation waiting = order.begin(2);
    EXPECT_TRUE(is_after(waiting, before));
    EXPECT_FALSE(is_after(waiting, after));
}

TEST_F(Order, AnEventThatWasNeverRecordedOrdersNothing) {
    const Operation first = order.begin(1);
    order.wait(2, {});
    EXPECT_FALSE(is_after(order.begin(2), first));
}

TEST_F(Order, AnEventInTheDefaultStreamWaitsForBlockingStreams) {
    const Operation blocking = order.begin(3);
    StreamOrder::Mark mark;
    order.record(mark, 0);
    order.wait(1, mark);
    EXPECT_TRUE(is_after(order.begin(1), blocking));
}

TEST_F(Order, TheHostOrdersWhatItHasWaitedFor) {
    const Operation first = order.begin(1), other = order.begin(2);
    order.host_waits_for_stream(1);
    const Operation next = order.begin(3);
    EXPECT_TRUE(is_after(next, first));
    EXPECT_FALSE(is_after(next, other));
    EXPECT_TRUE(is_after(order.by_host(), first));
    EXPECT_FALSE(is_after(order.awaited_in(0), other));
}

TEST_F(Order, AnEraEndsWhenTheHostIsAfterEverything) {
    const std::uint32_t era = order.era();
    order.begin(1);
    StreamOrder::Mark of_last_era;
    order.record(of_last_era, 1);
    order.begin(2);
    order.host_waits_for_stream(1);
    EXPECT_EQ(order.era(), era);
    order.host_waits_for_stream(2);
    EXPECT_EQ(order.era(), era + 1);
    const Operation first = order.begin(1);
    EXPECT_EQ(first.number, 1u);
    order.wait(2, of_last_era);
    EXPECT_FALSE(is_after(order.begin(2), first)) << "an old event says nothing of this era";
}

TEST_F(Order, WhatAnOperationHasSeenIsBeforeLaterOnes) {
    const Operation first = order.begin(1);
    order.begin(2);
    order.learn(2, first);
    EXPECT_TRUE(is_after(order.begin(2), first));
}

// ---- Races ----

struct Races : Order {
    // The conflicts of an operation that accesses bytes [first, first + bytes) of an array of 64.
    std::vector<StreamConflict> conflicts(const Operation& by, std::uint64_t first, std::uint64_t bytes, bool writes) {
        races.begin(by, order.era(), 0);
        races.access(7, 64, first, bytes, writes);
        return races.take_conflicts();
    }
    StreamRaces races;
};

TEST_F(Races, WritesAndReads) {
    EXPECT_TRUE(conflicts(order.begin(1), 0, 32, true).empty());
    const auto found = conflicts(order.begin(2), 16, 32, false);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].offset, 16u);
    EXPECT_EQ(found[0].cells, 4u);
    EXPECT_EQ(found[0].other.operation, 1u);
    EXPECT_TRUE(conflicts(order.begin(2), 32, 32, true).empty()) << "after its own read";
    EXPECT_TRUE(conflicts(order.begin(1), 0, 16, true).empty()) << "nobody else has been there";
}

TEST_F(Races, BytesOfOneWord) {
    EXPECT_TRUE(conflicts(order.begin(1), 0, 3, true).empty());
    EXPECT_TRUE(conflicts(order.begin(2), 3, 5, true).empty());
    EXPECT_EQ(conflicts(order.begin(3), 2, 1, false).size(), 1u);
    EXPECT_EQ(conflicts(order.begin(4), 2, 2, false).size(), 2u) << "one operation at each byte";
}

TEST_F(Races, AllConcurrentReadersAreKept) {
    for (const int stream : {1, 2, 3}) EXPECT_TRUE(conflicts(order.begin(stream), 0, 64, false).empty());
    EXPECT_EQ(conflicts(order.begin(4), 0, 4, true).size(), 3u);
}

TEST_F(Races, AnAwaitedOperationIsComparedButNotKept) {
    conflicts(order.begin(1), 0, 4, true);
    EXPECT_EQ(conflicts(order.awaited_in(0), 0, 4, false).size(), 1u);
    EXPECT_TRUE(conflicts(order.begin(1), 0, 4, true).empty());
}

TEST_F(Races, NothingIsKeptFromOneEraToTheNext) {
    conflicts(order.begin(1), 0, 64, true);
    order.host_waits_for_all();
    EXPECT_TRUE(conflicts(order.begin(2), 0, 64, true).empty());
    EXPECT_EQ(conflicts(order.begin(1), 0, 64, true).size(), 1u);
}

}  // namespace
}  // namespace vgpu
