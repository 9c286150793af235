// Races in global memory: known programs, and random ones against plain vector clocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "virtual_gpu/check/global_races.h"

namespace vgpu {
namespace {

constexpr std::uint64_t kBase = 1 << 20;

struct Kind {
    AccessKind kind = AccessKind::read;
    bool is_strong = false, acquires = false, releases = false;
    Scope scope = Scope::device;
};
constexpr Kind kRead{}, kWrite{AccessKind::write}, kAtomic{AccessKind::atomic, true},
    kReduction{AccessKind::reduction, true}, kStrongRead{AccessKind::read, true}, kStrongWrite{AccessKind::write, true},
    kAcquire{AccessKind::read, true, true}, kRelease{AccessKind::write, true, false, true};

using Places = std::array<std::uint64_t, 32>;
Places places(const std::function<std::uint64_t(std::uint64_t)>& byte_of_lane) {
    Places all{};
    for (std::uint64_t lane = 0; lane < 32; ++lane) all[lane] = byte_of_lane(lane);
    return all;
}
Places row(std::uint64_t number, std::uint64_t bytes = 4) {
    return places([=](std::uint64_t lane) { return (32 * number + lane) * bytes; });
}
Places all_at(std::uint64_t byte) {
    return places([=](std::uint64_t) { return byte; });
}

// Blocks of one launch, all at work at once, on one array.
struct Grid : GlobalConflictSink {
    explicit Grid(int block_count, int warp_count = 2, std::uint64_t bytes = 4096,
                  LaunchOrder::Time sheets = LaunchOrder::kSheets)
        : warps(warp_count), races(sheets), shadow(bytes), data(bytes) {
        blocks.resize(static_cast<std::size_t>(block_count));
        launch();
    }
    void launch(std::uint64_t first_number = 0) {
        races.begin(static_cast<std::uint32_t>(warps), *this);
        for (BlockOrder& block : blocks) races.order().start(block, first_number++);
    }
    void conflict(const GlobalConflict& c) override { seen.push_back(c); }

    BlockOrder& block(int b) { return blocks[static_cast<std::size_t>(b)]; }
    // Writes other values each time, unless one is given.
    void access(int b, int warp, Kind how, const Places& at, std::uint32_t mask = ~0u, int bytes = 4, int value = -1) {
        std::vector<std::uint8_t> values(32 * static_cast<std::size_t>(bytes), static_cast<std::uint8_t>(value));
        if (value < 0)
            for (std::uint8_t& byte : values) byte = static_cast<std::uint8_t>(next_value++ % 251);
        access(b, warp, how, at, mask, bytes, values);
    }
    void access(int b, int warp, Kind how, const Places& at, std::uint32_t mask, int bytes,
                const std::vector<std::uint8_t>& values) {
        Places addresses{};
        bool is_contiguous = mask == ~0u;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            addresses[lane] = kBase + at[lane];
            is_contiguous &= at[lane] == at[0] + lane * static_cast<std::uint64_t>(bytes);
        }
        GlobalAccess access{.kind = how.kind,
                            .bytes = bytes,
                            .element_bytes = bytes,
                            .is_strong = how.is_strong,
                            .acquires = how.acquires,
                            .releases = how.releases,
                            .scope = how.scope,
                            .is_contiguous = is_contiguous,
                            .pc = how.kind == AccessKind::read ? 10u : 20u,
                            .base = kBase,
                            .addresses = addresses.data(),
                            .data = data.data(),
                            .values = how.kind == AccessKind::write ? values.data() : nullptr};
        races.access(block(b), warp, mask, shadow, access);
        if (how.kind == AccessKind::read) return;
        for (std::size_t lane = 0; lane < 32; ++lane)
            if (mask >> lane & 1) std::copy_n(&values[lane * static_cast<std::size_t>(bytes)], bytes, &data[at[lane]]);
    }
    void fence(int b, int warp, Scope scope = Scope::device) { races.order().fence(block(b), warp, scope); }
    void barrier(int b) {
        std::vector<int> all(static_cast<std::size_t>(warps));
        std::iota(all.begin(), all.end(), 0);
        races.order().barrier(block(b), all);
    }
    std::size_t count() const { return seen.size(); }

    int warps;
    GlobalRaces races;
    RaceShadow shadow;
    std::vector<std::uint8_t> data;
    std::vector<BlockOrder> blocks;
    std::vector<GlobalConflict> seen;
    unsigned next_value = 1;
};

constexpr std::uint64_t kFlag = 2048;  // byte of a flag or counter, far from the data

TEST(GlobalRaces, OwnElementsAreInOrder) {
    Grid grid(3);
    for (int round = 0; round < 40; ++round)
        for (int b = 0; b < 3; ++b) {
            grid.access(b, 1, kWrite, row(static_cast<std::uint64_t>(b)));
            grid.access(b, 1, kRead, row(static_cast<std::uint64_t>(b)));
            if (round % 3 == 0) grid.barrier(b);
        }
    EXPECT_EQ(grid.count(), 0u);
}

TEST(GlobalRaces, TheSameThreadOfAnotherBlockIsAnotherThread) {
    Grid grid(2);
    grid.access(0, 1, kWrite, row(3));
    grid.access(1, 1, kRead, row(3));
    ASSERT_EQ(grid.count(), 32u);
    const GlobalConflict& c = grid.seen[1];
    EXPECT_EQ(c.kind, AccessKind::read);
    EXPECT_EQ(c.other_kind, AccessKind::write);
    EXPECT_EQ(c.address, kBase + (3 * 32 + 1) * 4);
    EXPECT_EQ(c.bytes, 4);
    EXPECT_EQ(c.block, 1u);
    EXPECT_EQ(c.other_block, 0u);
    EXPECT_EQ(c.thread, 33u);
    EXPECT_EQ(c.other_thread, 33u);
    EXPECT_EQ(c.pc, 10u);
    EXPECT_EQ(c.other_pc, 20u);
    EXPECT_FALSE(c.same_instruction);
    EXPECT_FALSE(c.other_is_strong);
    EXPECT_FALSE(c.has_observed);
}

// A whole warp's row is one record, until another access differs.
TEST(GlobalRaces, EachPlaceOfAWholeRowHasItsThread) {
    for (const int bytes : {4, 8, 16}) {
        const auto width = static_cast<std::uint64_t>(bytes);
        Grid grid(2);
        grid.access(0, 1, kWrite, row(0, width), ~0u, bytes);
        grid.access(1, 0, kRead, places([](std::uint64_t lane) { return (31 - lane) * 4; }));
        ASSERT_EQ(grid.count(), 32u);
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            EXPECT_EQ(grid.seen[lane].other_thread, 32 + (31 - lane) * 4 / static_cast<std::uint32_t>(bytes));
        grid.access(0, 1, kRead, row(1, width), ~0u, bytes);
        grid.access(1, 1, kWrite, all_at(32 * width + 20 * width), 1, bytes);
        ASSERT_EQ(grid.count(), 33u);
        EXPECT_EQ(grid.seen[32].other_thread, 32u + 20);
    }
}

TEST(GlobalRaces, AnArrayOfBytesHasNoWholeRows) {
    Grid grid(2);
    for (std::uint64_t launch = 0; launch < 3; ++launch) {
        grid.launch(1000 * launch);
        grid.access(0, 0, kWrite, row(launch));
        grid.access(0, 0, kWrite, row(64, 1), ~0u, 1);
        grid.access(1, 0, kRead, all_at(128 * launch + 4), 1, 1);
        grid.access(1, 0, kRead, all_at(64 * 32 + 20), 1, 1);
    }
    EXPECT_EQ(grid.count(), 6u);
}

TEST(GlobalRaces, WriteAfterReadOfAnotherBlock) {
    Grid grid(2);
    grid.access(0, 0, kRead, row(0));
    grid.access(1, 0, kRead, row(0));  // the last reader is the one that writes
    grid.access(1, 0, kWrite, row(0));
    ASSERT_EQ(grid.count(), 32u);
    EXPECT_EQ(grid.seen[0].other_kind, AccessKind::read);
    EXPECT_EQ(grid.seen[0].other_block, 0u);
}

TEST(GlobalRaces, LaunchesAreInOrder) {
    Grid grid(2);
    for (std::uint64_t launch = 0; launch < 3; ++launch) {
        grid.launch(1000 * launch);
        grid.access(0, 0, kRead, row(launch));
        grid.access(1, 0, kWrite, row(launch + 1));
    }
    EXPECT_EQ(grid.count(), 0u);
}

TEST(GlobalRaces, BarriersAndWarpSyncs) {
    Grid grid(1, 3);
    grid.access(0, 0, kWrite, row(0));
    grid.access(0, 0, kRead, row(0, 8), 1);
    grid.access(0, 0, kRead, places([](std::uint64_t lane) { return 4 * (lane ^ 1); }));
    EXPECT_EQ(grid.count(), 32u) << "running in step is not an order";
    grid.races.order().warp_sync(grid.block(0), 0, ~0u);
    grid.access(0, 0, kRead, places([](std::uint64_t lane) { return 4 * (lane ^ 1); }));
    EXPECT_EQ(grid.count(), 32u);
    grid.access(0, 1, kRead, row(0));
    EXPECT_EQ(grid.count(), 64u) << "no other warp was there";
    grid.races.order().barrier(grid.block(0), std::array{0, 1});
    grid.access(0, 1, kRead, row(0));
    EXPECT_EQ(grid.count(), 64u);
    grid.barrier(0);
    grid.access(0, 2, kWrite, row(0));
    EXPECT_EQ(grid.count(), 64u);
}

TEST(GlobalRaces, WarpSyncOfSomeLanes) {
    Grid grid(1);
    grid.access(0, 0, kWrite, row(0));
    grid.races.order().warp_sync(grid.block(0), 0, 0xffff);
    grid.access(0, 0, kRead, row(0), 0xffff);
    grid.access(0, 0, kRead, places([](std::uint64_t lane) { return 4 * (lane ^ 1); }), 0xffff);
    EXPECT_EQ(grid.count(), 0u);
    grid.access(0, 0, kRead, places([](std::uint64_t lane) { return 4 * (lane ^ 16); }), 1);
    EXPECT_EQ(grid.count(), 1u) << "lane 16 took no part";
}

TEST(GlobalRaces, EqualValuesAreForgiven) {
    Grid grid(3);
    for (int b = 0; b < 3; ++b) grid.access(b, 0, kWrite, all_at(0), ~0u, 4, 1);
    EXPECT_EQ(grid.count(), 0u) << "everybody sets the flag";
    grid.access(0, 1, kWrite, all_at(0), 1, 4, 2);
    EXPECT_EQ(grid.count(), 1u);
    grid.access(0, 1, kWrite, all_at(512), 0xf);
    ASSERT_EQ(grid.count(), 4u);
    EXPECT_TRUE(grid.seen[3].same_instruction);
    EXPECT_EQ(grid.seen[3].other_thread, 35u);
}

TEST(GlobalRaces, StrongAccessesOfOneSize) {
    Grid grid(2);
    for (const Kind& how : {kAtomic, kReduction, kStrongWrite, kStrongRead}) {
        grid.access(0, 0, how, row(0, 8), ~0u, 8);
        grid.access(1, 0, how, row(0, 8), ~0u, 8);
    }
    EXPECT_EQ(grid.count(), 0u);
    grid.access(1, 1, kStrongRead, row(0, 8), 1, 4);
    EXPECT_EQ(grid.count(), 1u) << "half of a word that is written whole";
    EXPECT_TRUE(grid.seen[0].other_is_strong);
    grid.access(1, 1, kRead, row(0, 8), 2, 8);
    EXPECT_EQ(grid.count(), 2u);
    EXPECT_TRUE(grid.seen[1].has_observed);
    grid.access(1, 1, kReduction, row(8));
    grid.access(0, 1, kRead, row(8), 1);
    ASSERT_EQ(grid.count(), 3u);
    EXPECT_EQ(grid.seen[2].other_kind, AccessKind::atomic);
}

TEST(GlobalRaces, NarrowAndWideAccesses) {
    Grid grid(4);
    grid.access(0, 0, kRead, row(0));
    const auto byte = [](std::uint64_t number) { return all_at(number); };
    for (std::uint64_t b = 0; b < 4; ++b) grid.access(static_cast<int>(b), 1, kWrite, byte(256 + b), 1, 1);
    EXPECT_EQ(grid.count(), 0u) << "neighbours in one word do not race";
    grid.access(0, 0, kRead, byte(256), 1, 4);
    ASSERT_EQ(grid.count(), 1u);
    grid.access(1, 0, kWrite, byte(6), 1, 2);
    ASSERT_EQ(grid.count(), 2u) << "what was known of the word is known of its bytes";
    EXPECT_EQ(grid.seen[1].other_thread, 1u);
    grid.access(2, 0, kWrite, row(4, 16), ~0u, 16);
    grid.access(3, 0, kRead, row(4, 16), 0x80000001, 16);
    EXPECT_EQ(grid.count(), 4u) << "one report a lane";
    grid.launch();
    grid.access(2, 0, kRead, row(0));
    EXPECT_EQ(grid.count(), 4u);
}

// ---- What orders blocks ----

// Block 0 writes and hands over, block 1 takes over and reads. Gives the number of reports.
std::size_t hand_over(const std::function<void(Grid&)>& give, const std::function<void(Grid&)>& take) {
    Grid grid(3);
    grid.access(0, 0, kWrite, row(0));
    give(grid);
    take(grid);
    grid.access(1, 0, kRead, row(0), 1);
    const std::size_t count = grid.count();
    grid.access(2, 0, kRead, row(0), 1);
    EXPECT_EQ(grid.count(), count + 1) << "block 2 has not taken over";
    return count;
}
void strongly(Grid& grid, int b, Kind how) { grid.access(b, 0, how, all_at(kFlag), 1); }

TEST(GlobalRaces, ReleaseAndAcquire) {
    const auto release = [](Grid& grid) { strongly(grid, 0, kRelease); };
    const auto acquire = [](Grid& grid) { strongly(grid, 1, kAcquire); };
    EXPECT_EQ(hand_over(release, acquire), 0u);
    const auto fenced = [](Grid& grid) { grid.fence(0, 0), strongly(grid, 0, kStrongWrite); };
    const auto added = [](Grid& grid) { grid.fence(0, 0), strongly(grid, 0, kReduction); };
    const auto read_fence = [](Grid& grid) { strongly(grid, 1, kStrongRead), grid.fence(1, 0); };
    const auto taken = [](Grid& grid) { strongly(grid, 1, kAtomic); };
    for (const auto& give : {std::function<void(Grid&)>(release), {fenced}, {added}})
        for (const auto& take : {std::function<void(Grid&)>(acquire), {read_fence}, {taken}})
            EXPECT_EQ(hand_over(give, take), 0u);
    const auto nothing = [](Grid&) {};
    const auto relaxed = [](Grid& grid) { strongly(grid, 0, kStrongWrite); };
    const auto too_early = [](Grid& grid) {
        grid.fence(0, 0), grid.access(0, 0, kWrite, row(0)), strongly(grid, 0, kAtomic);
    };
    const auto of_block = [](Grid& grid) { grid.fence(0, 0, Scope::block), strongly(grid, 0, kStrongWrite); };
    for (const auto& give : {std::function<void(Grid&)>(nothing), {relaxed}, {too_early}, {of_block}})
        EXPECT_EQ(hand_over(give, acquire), 1u);
    const auto unfenced = [](Grid& grid) { strongly(grid, 1, kStrongRead); };
    const auto plain = [](Grid& grid) { grid.fence(1, 0); };
    const auto fence_of_block = [](Grid& grid) { strongly(grid, 1, kStrongRead), grid.fence(1, 0, Scope::block); };
    for (const auto& take : {std::function<void(Grid&)>(nothing), {unfenced}, {plain}, {fence_of_block}})
        EXPECT_EQ(hand_over(release, take), 1u);
}

TEST(GlobalRaces, AtomicsAndTheReleasingThreadContinueAReleaseSequence) {
    for (const bool relaxed_reduction : {false, true}) {
        Grid grid(3);
        grid.access(0, 0, kWrite, row(0));
        grid.races.order().warp_sync(grid.block(0), 0, ~0u);
        strongly(grid, 0, kRelease);
        strongly(grid, relaxed_reduction ? 1 : 0, relaxed_reduction ? kReduction : kStrongWrite);
        strongly(grid, 2, kAcquire);
        grid.access(2, 0, kRead, row(0));
        EXPECT_EQ(grid.count(), 0u);
    }
    Grid grid(3);
    grid.access(0, 0, kWrite, row(0));
    strongly(grid, 0, kRelease);
    strongly(grid, 1, kStrongWrite);
    strongly(grid, 2, kAcquire);
    grid.access(2, 0, kRead, row(0));
    EXPECT_EQ(grid.count(), 32u) << "a store of another thread ends it";
}

TEST(GlobalRaces, ArrivalOrdersOneWay) {
    Grid grid(1, 3);
    const int waits = 1;
    grid.access(0, 0, kWrite, row(0));
    grid.access(0, 1, kWrite, row(1));
    grid.races.order().arrive(grid.block(0), 0, 5);
    grid.access(0, 0, kWrite, row(2));
    grid.races.order().barrier(grid.block(0), {&waits, 1}, 5);
    grid.access(0, 1, kRead, row(0));
    EXPECT_EQ(grid.count(), 0u);
    grid.access(0, 1, kRead, row(2));
    EXPECT_EQ(grid.count(), 32u) << "after the arrival";
    grid.access(0, 0, kRead, row(1));
    EXPECT_EQ(grid.count(), 64u) << "it did not wait";
}

TEST(GlobalRaces, WhatComesAfterTheFlagIsNotHandedOver) {
    Grid grid(2);
    strongly(grid, 0, kRelease);
    grid.access(0, 0, kWrite, row(0), 1);
    strongly(grid, 1, kAcquire);
    grid.access(1, 0, kRead, row(0), 1);
    EXPECT_EQ(grid.count(), 1u);
}

TEST(GlobalRaces, TheFlagItselfIsHandedOver) {
    Grid grid(2);
    grid.access(0, 0, kWrite, row(0));
    grid.fence(0, 0);
    grid.barrier(0);
    strongly(grid, 0, kReduction);
    strongly(grid, 1, kStrongRead);
    grid.fence(1, 0);
    grid.access(1, 0, kWrite, all_at(kFlag), 1);  // set back
    EXPECT_EQ(grid.count(), 0u);
}

TEST(GlobalRaces, FencesOfBlockScopeOrderTheBlock) {
    Grid grid(2);
    grid.access(0, 0, kWrite, row(0));
    grid.fence(0, 0, Scope::block);
    strongly(grid, 0, kStrongWrite);
    grid.access(0, 1, kStrongRead, all_at(kFlag), 1);
    grid.fence(0, 1, Scope::block);
    grid.access(0, 1, kRead, row(0));
    EXPECT_EQ(grid.count(), 0u);
}

// Each thread takes a lock: lanes of one warp hand it on among themselves, or by way of another block.
TEST(GlobalRaces, LanesHandOnToEachOther) {
    for (const bool detour : {false, true})
        for (const Kind how : {kAtomic, kStrongRead}) {
            Grid grid(2);
            grid.access(0, 0, kWrite, all_at(0), 1);
            grid.fence(0, 0);
            grid.access(0, 0, kReduction, all_at(kFlag), 1);
            if (detour) strongly(grid, 1, kAtomic), grid.fence(1, 0), strongly(grid, 1, kAtomic);
            grid.access(0, 0, how, all_at(kFlag), 2);
            if (how.kind == AccessKind::read) grid.fence(0, 0);
            grid.access(0, 0, kWrite, all_at(0), 2);
            EXPECT_EQ(grid.count(), 0u);
            grid.access(0, 0, kWrite, all_at(0), 4);
            EXPECT_EQ(grid.count(), 1u) << "after the lock";
        }
    Grid grid(1);
    grid.access(0, 0, kWrite, all_at(0), 1);
    grid.access(0, 0, kReduction, all_at(kFlag), 1);
    grid.access(0, 0, kAtomic, all_at(kFlag), 2);
    grid.access(0, 0, kWrite, all_at(0), 2);
    EXPECT_EQ(grid.count(), 1u) << "without a fence";
}

// A flag without a fence tells that reads before a barrier are over, and no more.
TEST(GlobalRaces, AFlagAfterABarrierTellsThatReadsAreOver) {
    for (const bool has_barrier : {true, false}) {
        Grid grid(3);
        grid.access(0, 1, kRead, row(1));
        grid.access(0, 1, kWrite, row(2));
        if (has_barrier) grid.barrier(0);
        strongly(grid, 0, kStrongWrite);
        grid.access(1, 0, kStrongRead, all_at(kFlag), 1);
        strongly(grid, 1, kStrongWrite);
        grid.access(2, 0, kStrongRead, all_at(kFlag), 1);
        grid.access(2, 0, kWrite, row(1));
        EXPECT_EQ(grid.count(), has_barrier ? 0u : 32u);
        grid.access(2, 0, kWrite, row(2));
        EXPECT_EQ(grid.count(), has_barrier ? 32u : 64u) << "what it wrote needs a fence";
    }
}

// All write, all fence, one counts; the last block's threads read after its barrier.
TEST(GlobalRaces, LastBlockAddsUp) {
    for (const bool has_fence : {true, false}) {
        Grid grid(4);
        for (int b = 0; b < 4; ++b) {
            for (int warp = 0; warp < 2; ++warp) {
                grid.access(b, warp, kWrite, row(static_cast<std::uint64_t>(2 * b + warp)));
                if (has_fence) grid.fence(b, warp);
            }
            grid.barrier(b);
            strongly(grid, b, kAtomic);
            grid.barrier(b);
        }
        for (std::uint64_t r = 0; r < 8; ++r) grid.access(3, r % 2, kRead, row(r));
        EXPECT_EQ(grid.count(), has_fence ? 0u : 6 * 32u);
        grid.seen.clear();
        grid.access(3, 1, kWrite, all_at(kFlag), 1);
        EXPECT_EQ(grid.count(), 0u) << "the last block sets the counter back";
    }
}

TEST(GlobalRaces, KnowledgeIsHandedOn) {
    constexpr int kBlocks = 100;
    Grid grid(kBlocks, 1, 1 << 16);
    for (int b = 0; b < kBlocks; ++b) {
        const auto flag = [](int of) { return all_at(32768 + 4 * static_cast<std::uint64_t>(of)); };
        if (b > 0) grid.access(b, 0, kAcquire, flag(b - 1), 1);
        for (int before = 0; before < b; ++before) grid.access(b, 0, kRead, row(static_cast<std::uint64_t>(before)), 1);
        grid.access(b, 0, kWrite, row(static_cast<std::uint64_t>(b)));
        grid.access(b, 0, kRelease, flag(b), 1);
    }
    EXPECT_EQ(grid.count(), 0u);
}

TEST(GlobalRaces, TimesThatRunOutBeginAgain) {
    Grid grid(1, 1, 4096, 100);
    for (int round = 0; round < 16 * 100 + 1 && !grid.races.order().is_exhausted(); ++round) {
        grid.access(0, 0, kWrite, all_at(0), 1);
        grid.barrier(0);
    }
    ASSERT_TRUE(grid.races.order().is_exhausted());
    grid.access(0, 0, kRead, all_at(0), 2);
    EXPECT_EQ(grid.count(), 0u) << "no verdict any more in this launch";
    grid.launch();
    EXPECT_FALSE(grid.races.order().is_exhausted());
    grid.access(0, 0, kRead, all_at(0), 2);
    EXPECT_EQ(grid.count(), 0u) << "what an old launch left has a larger time";
    grid.access(0, 0, kWrite, all_at(0), 1);
    EXPECT_EQ(grid.count(), 1u);
}

}  // namespace
}  // namespace vgpu
