#include "virtual_gpu/memory/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

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

TEST(Memory, LinesThatAreWrittenAsAWhole) {
    Memory m;
    DevicePtr p = 0, q = 0;
    ASSERT_EQ(m.allocate(520, "x", p), Status::ok);
    ASSERT_EQ(m.allocate(520, "y", q), Status::ok);
    const Allocation& a = *m.find(p);
    ASSERT_EQ(m.fill(p + 4, 7, 4, 129), Status::ok);
    EXPECT_FALSE(a.is_whole(0, 8));
    EXPECT_TRUE(a.is_whole(128, 392));  // the last line ends with the array
    ASSERT_EQ(m.fill(p, 7, 4, 64), Status::ok);
    EXPECT_TRUE(a.is_whole(0, 520));
    ASSERT_EQ(m.copy(p + 256, q, 4), Status::ok);
    EXPECT_FALSE(a.is_whole(256, 4));
    EXPECT_TRUE(a.is_whole(0, 256));
    ASSERT_EQ(m.forget(p + 120, 16), Status::ok);
    EXPECT_FALSE(a.is_whole(0, 4));
    EXPECT_FALSE(a.is_whole(128, 4));
    ASSERT_EQ(m.fill(p, 7, 4, 130), Status::ok);
    ASSERT_EQ(m.poison(p + 516, 4), Status::ok);
    EXPECT_FALSE(a.is_whole(512, 4));
    EXPECT_TRUE(a.is_whole(0, 512));
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

TEST(Memory, PagesThatTheHostHasToo) {
    Memory memory(1 << 20);
    DevicePtr pinned = 0, array = 0;
    int file = -1;
    ASSERT_EQ(memory.allocate_on_host(100, "pinned", pinned, file), Status::ok);
    EXPECT_EQ(memory.bytes_free(), 1u << 20);
    void* view = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    ASSERT_NE(view, MAP_FAILED);
    static_cast<char*>(view)[99] = 7;
    std::byte last{};
    ASSERT_EQ(memory.read(pinned + 99, {&last, 1}), Status::ok);
    EXPECT_EQ(last, std::byte{7});
    ASSERT_EQ(memory.fill(pinned, 3, 1, 100), Status::ok);
    EXPECT_EQ(static_cast<char*>(view)[99], 3);
    EXPECT_EQ(memory.fill(pinned, 3, 1, 101), Status::invalid_value);
    EXPECT_EQ(memory.release(pinned), Status::ok);
    EXPECT_EQ(memory.bytes_free(), 1u << 20);
    munmap(view, 4096);

    ASSERT_EQ(memory.allocate(100, "array", array), Status::ok);
    ASSERT_EQ(memory.fill(array, 9, 1, 100), Status::ok);
    ASSERT_EQ(memory.share(array, true, file), Status::ok);
    close(file);
    ASSERT_EQ(memory.read(array + 5, {&last, 1}), Status::ok);
    EXPECT_EQ(last, std::byte{9});
    EXPECT_EQ(memory.share(array, true, file), Status::invalid_value);  // once
}

TEST(Memory, VariablesAreWhereTheProgramWantsThem) {
    Memory memory;
    const DevicePtr at = kVariablesFirst + kVariableRoom;
    ASSERT_EQ(memory.allocate_at(at, std::uint64_t{130} << 20, "large"), Status::ok);
    EXPECT_EQ(memory.find(at)->base, at);
    EXPECT_EQ(memory.find(at + (std::uint64_t{130} << 20))->base, at);  // just behind it
    EXPECT_NE(memory.allocate_at(at + (std::uint64_t{1} << Memory::kNarrowBits), 4, "in it"), Status::ok);
    EXPECT_NE(memory.allocate_at(kVariablesEnd - 8, 4, "at the end"), Status::ok);
}

TEST(Memory, MemoryOfTheProgram) {
    Memory memory;
    std::vector<std::uint8_t> own(1000, 1);
    const auto at = reinterpret_cast<std::uintptr_t>(own.data() + 3);
    ASSERT_EQ(memory.adopt(at, 100, "own"), Status::ok);
    EXPECT_EQ(memory.find(at)->first, at);
    EXPECT_EQ(memory.find(at + 99)->label, "own");
    EXPECT_EQ(memory.find(at + 500)->label, "own");  // near it, out of its bounds
    EXPECT_EQ(memory.fill(at + 98, 5, 1, 3), Status::invalid_value);
    ASSERT_EQ(memory.fill(at + 98, 5, 1, 2), Status::ok);
    EXPECT_EQ(own[102], 5);
    memory.abandon(at);
    EXPECT_EQ(memory.find(at), nullptr);
    EXPECT_EQ(memory.adopt(kNarrowFirst + 64, 100, "an address of the device"), Status::invalid_value);
}

}  // namespace
}  // namespace vgpu
