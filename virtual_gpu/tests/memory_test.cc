#include "virtual_gpu/memory/memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace vgpu {
namespace {

TEST(Memory, EachSectorCountsOnceInACall) {
    Memory m;
    DevicePtr p = 0, q = 0;
    ASSERT_EQ(m.allocate(1 << 16, "p", p), Status::ok);
    m.begin_call();
    ASSERT_EQ(m.fill(p, 0, 1, 1 << 16), Status::ok);
    EXPECT_EQ(m.call_sectors(), 2048u);
    ASSERT_EQ(m.fill(p, 0, 1, 1 << 16), Status::ok);
    for (std::uint64_t s = 0; s < 2048; ++s) m.touch_in_call(*m.find(p), s);
    EXPECT_EQ(m.call_sectors(), 2048u);
    ASSERT_EQ(m.allocate(1 << 10, "q", q), Status::ok);
    ASSERT_EQ(m.copy(q + 31, p, 2), Status::ok);  // two sectors of q
    EXPECT_EQ(m.call_sectors(), 2050u);
    m.begin_call();
    EXPECT_EQ(m.call_sectors(), 0u);
    std::array<std::byte, 64> bytes{};
    m.touch_in_call(p + 16, 64);
    EXPECT_EQ(m.call_sectors(), 3u);
    ASSERT_EQ(m.write(p + 32, bytes), Status::ok);
    EXPECT_EQ(m.call_sectors(), 3u);
    for (std::uint64_t s = 60; s < 70; ++s) m.touch_in_call(*m.find(p), s);
    ASSERT_EQ(m.fill(p, 0, 1, 32 * 200), Status::ok);
    EXPECT_EQ(m.call_sectors(), 200u);
}

TEST(Memory, WhatIsAllocatedWhereAnArrayWasIsTheSameMemory) {
    Memory m;
    DevicePtr old = 0;
    ASSERT_EQ(m.allocate(3200, "old", old), Status::ok);
    m.begin_call();
    for (int round = 0; round < 5; ++round) {
        DevicePtr p = 0;
        ASSERT_EQ(m.allocate(3200, "p", p), Status::ok);
        ASSERT_EQ(m.fill(p, 0, 1, 3200), Status::ok);
        ASSERT_EQ(m.release(p), Status::ok);
    }
    EXPECT_EQ(m.call_sectors(), 100u);
    ASSERT_EQ(m.fill(old, 0, 1, 3200), Status::ok);  // was there before: other memory
    EXPECT_EQ(m.call_sectors(), 200u);
}

TEST(Memory, FreshIsPoisonedAndKnownAsNeverWritten) {
    Memory m;
    DevicePtr p = 0;
    ASSERT_EQ(m.allocate(64, "x", p), Status::ok);
    EXPECT_EQ(p % 256, 0u);
    std::array<std::uint32_t, 16> v{};
    ASSERT_EQ(m.read(p, std::as_writable_bytes(std::span(v))), Status::ok);
    EXPECT_EQ(v[0], kPoisonWord);
    EXPECT_EQ(m.find(p)->written[3], 0);
    ASSERT_EQ(m.fill(p + 4, 7, 4, 2), Status::ok);
    EXPECT_EQ(m.find(p)->written[3], 0);
    EXPECT_EQ(m.find(p)->written[4], 1);
    EXPECT_EQ(m.find(p)->written[12], 0);
    DevicePtr q = 0;
    ASSERT_EQ(m.allocate(64, "y", q), Status::ok);
    ASSERT_EQ(m.copy(q, p, 64), Status::ok);  // what was never written stays so
    EXPECT_EQ(m.find(q)->written[0], 0);
    EXPECT_EQ(m.find(q)->written[5], 1);
}

TEST(Memory, NeighboursAreFarApart) {
    Memory m;
    DevicePtr a = 0, b = 0;
    m.allocate(100, "a", a);
    m.allocate(100, "b", b);
    EXPECT_EQ(m.find(a + (1ull << 32))->label, "a");
    EXPECT_EQ(m.find(a - (1ull << 32))->label, "a");
    EXPECT_EQ(m.find(b)->label, "b");
    EXPECT_EQ(m.find(0), nullptr);
    EXPECT_EQ(m.find(~0ull), nullptr);
    EXPECT_EQ(m.find(0x7fff'ffff'0000), nullptr);
}

TEST(Memory, RangesAreChecked) {
    Memory m;
    DevicePtr p = 0;
    m.allocate(16, "p", p);
    std::array<std::byte, 17> bytes{};
    EXPECT_EQ(m.write(p, bytes), Status::invalid_value);
    EXPECT_EQ(m.write(p + 1, std::span(bytes).first(16)), Status::invalid_value);
    EXPECT_EQ(m.write(p, std::span(bytes).first(16)), Status::ok);
    EXPECT_EQ(m.read(p + 16, std::span(bytes).first(1)), Status::invalid_value);
    EXPECT_EQ(m.fill(p, 0, 2, 9), Status::invalid_value);
    EXPECT_EQ(m.fill(p + 1, 0, 2, 1), Status::invalid_value);
    EXPECT_EQ(m.copy(p, 0x1234, 4), Status::invalid_value);
}

TEST(Memory, ReleaseAndLimit) {
    Memory m(1000);
    DevicePtr p = 0, q = 0;
    EXPECT_EQ(m.allocate(1001, "big", p), Status::out_of_memory);
    EXPECT_EQ(p, 0u);
    ASSERT_EQ(m.allocate(600, "p", p), Status::ok);
    EXPECT_EQ(m.bytes_free(), 400u);
    EXPECT_EQ(m.release(p + 4), Status::invalid_value);
    EXPECT_EQ(m.release(p), Status::ok);
    EXPECT_EQ(m.release(p), Status::invalid_value);  // twice
    EXPECT_EQ(m.release(0), Status::ok);
    EXPECT_EQ(m.bytes_free(), 1000u);
    ASSERT_NE(m.find(p), nullptr);
    EXPECT_TRUE(m.find(p)->freed);
    ASSERT_EQ(m.allocate(300, "by malloc() in a kernel", q), Status::ok);
    m.set_aside(q);
    EXPECT_EQ(m.bytes_free(), 1000u);
    EXPECT_EQ(m.release(q), Status::ok);
    EXPECT_EQ(m.bytes_free(), 1000u);
    ASSERT_EQ(m.allocate(0, "nothing", q), Status::ok);
    EXPECT_NE(q, 0u);
    EXPECT_NE(q, p);
    EXPECT_EQ(m.living().size(), 1u);
}

TEST(Memory, AFreedPlaceIsUsedAgainOnDemand) {
    Memory m;
    DevicePtr p = 0, q = 0;
    ASSERT_EQ(m.allocate(600, "p", p), Status::ok);
    EXPECT_EQ(m.reuse(p), Status::invalid_value);  // not freed
    ASSERT_EQ(m.allocate(600, "q", q), Status::ok);
    EXPECT_EQ(m.release(p), Status::ok);
    EXPECT_EQ(m.reuse(p), Status::ok);
    DevicePtr larger = 0, next = 0;
    ASSERT_EQ(m.allocate(100'000, "larger", larger), Status::ok);
    EXPECT_EQ(larger, p);
    EXPECT_FALSE(m.find(p)->freed);
    EXPECT_EQ(m.reuse(0), Status::invalid_value);
    EXPECT_EQ(m.release(q), Status::ok);
    ASSERT_EQ(m.allocate(600, "next", next), Status::ok);
    EXPECT_NE(next, q);
}

TEST(Memory, ManyAllocations) {
    Memory m;
    std::vector<DevicePtr> all;
    for (int i = 0; i < 6000; ++i) {  // more than there are wide slots
        DevicePtr p = 0;
        ASSERT_EQ(m.allocate(8, "n", p), Status::ok) << i;
        all.push_back(p);
    }
    for (DevicePtr p : all) ASSERT_EQ(m.find(p)->base, p);
    for (DevicePtr p : all) ASSERT_EQ(m.release(p), Status::ok);
    EXPECT_EQ(m.living().size(), 0u);
}

TEST(Memory, LargeAllocationsTakeSeveralSlots) {
    Memory m;
    DevicePtr p = 0;
    constexpr std::uint64_t kBytes = 150u << 20;  // more than half of a narrow slot
    ASSERT_EQ(m.allocate(kBytes, "large", p, true), Status::ok);
    EXPECT_EQ(m.find(p)->slots, 2u);
    EXPECT_EQ(m.find(p)->base, p);
    EXPECT_EQ(m.find(p + kBytes - 1)->base, p);
    EXPECT_EQ(m.find(p + kBytes + (64u << 20))->base, p);
}

}  // namespace
}  // namespace vgpu
