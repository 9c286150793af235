// Races in shared memory: known programs, and random ones against plain vector clocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "virtual_gpu/check/shared_races.h"

namespace vgpu {
namespace {

class Recorder : public SharedConflictSink {
  public:
    void conflict(const SharedConflict& c) override { seen.push_back(c); }
    std::vector<SharedConflict> seen;
};

using Offsets = std::array<std::uint32_t, 32>;

class Block {
  public:
    explicit Block(std::uint32_t bytes = 4096, int warps = 4) : races(bytes, warps, recorder) {}

    Offsets at(const std::function<std::uint32_t(std::uint32_t)>& of) {
        Offsets offsets{};
        for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = of(lane);
        return offsets;
    }
    void read(int warp, const Offsets& offsets, std::uint32_t mask = ~0u, int bytes = 4, bool strong = false) {
        races.access(warp, mask, offsets.data(), bytes, AccessKind::read, strong, 10);
    }
    // Every value is written once only, unless one is given.
    void write(int warp, const Offsets& offsets, std::uint32_t mask = ~0u, int bytes = 4, bool strong = false,
               int value = -1) {
        std::vector<std::uint8_t> values(32 * static_cast<std::size_t>(bytes), static_cast<std::uint8_t>(value));
        if (value < 0)
            for (auto& byte : values) byte = static_cast<std::uint8_t>(next_value++ * 7);
        races.access(warp, mask, offsets.data(), bytes, AccessKind::write, strong, 20, values.data());
    }
    void atomic(int warp, const Offsets& offsets, AccessKind kind = AccessKind::atomic) {
        races.access(warp, ~0u, offsets.data(), 4, kind, true, 30);
    }
    std::size_t count() const { return recorder.seen.size(); }

    Recorder recorder;
    SharedRaces races;
    unsigned next_value = 1;
};

Offsets own(int warp, int shift = 0) {
    Offsets offsets{};
    for (int lane = 0; lane < 32; ++lane)
        offsets[static_cast<std::size_t>(lane)] =
            static_cast<std::uint32_t>(std::max(0, 4 * (32 * warp + lane + shift)));
    return offsets;
}
Offsets lanes_at(std::uint32_t offset) {
    Offsets offsets{};
    offsets.fill(offset);
    return offsets;
}

TEST(SharedRaces, OwnElementsNeedNoBarrier) {
    Block block;
    for (int round = 0; round < 3; ++round)
        for (int warp = 0; warp < 4; ++warp) {
            block.write(warp, own(warp));
            block.read(warp, own(warp));
        }
    EXPECT_EQ(block.count(), 0u);
}

TEST(SharedRaces, NeighbourWithoutABarrier) {
    Block block;
    for (int warp = 0; warp < 4; ++warp) block.write(warp, own(warp));
    block.races.barrier_all();
    block.read(1, own(1, -1));  // Hillis-Steele in one buffer
    EXPECT_EQ(block.count(), 0u);
    block.write(0, own(0));
    ASSERT_EQ(block.count(), 1u) << "warp 0 overwrites the word that lane 0 of warp 1 has read";
    const SharedConflict& c = block.recorder.seen[0];
    EXPECT_EQ(c.kind, AccessKind::write);
    EXPECT_EQ(c.other_kind, AccessKind::read);
    EXPECT_EQ(c.thread, 31u);
    EXPECT_EQ(c.other_thread, 32u);
    EXPECT_EQ(c.offset, 31u * 4);
    EXPECT_EQ(c.bytes, 4);
    EXPECT_EQ(c.pc, 20u);
    EXPECT_EQ(c.other_pc, 10u);
    EXPECT_FALSE(c.same_instruction);
}

TEST(SharedRaces, ReadAfterWriteOfAnotherWarp) {
    Block block;
    block.write(0, own(0));
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 32u);
    EXPECT_EQ(block.recorder.seen[0].kind, AccessKind::read);
    EXPECT_EQ(block.recorder.seen[0].other_kind, AccessKind::write);
}

TEST(SharedRaces, BroadcastRead) {
    Block block;
    block.write(0, lanes_at(64), 1);
    block.races.barrier_all();
    for (int warp = 0; warp < 4; ++warp) block.read(warp, lanes_at(64));
    EXPECT_EQ(block.count(), 0u);
    block.write(0, lanes_at(64), 1);
    EXPECT_EQ(block.count(), 1u) << "written again before all have read";
    block.read(2, lanes_at(64));
    EXPECT_EQ(block.count(), 33u);
}

TEST(SharedRaces, LanesOfOneWarpNeedWarpSync) {
    Block block;
    block.write(0, own(0));
    block.read(0, own(0, 1), 0x7fffffff);
    EXPECT_EQ(block.count(), 31u);
    block.races.warp_sync(0, ~0u);
    block.write(0, own(0));
    block.races.warp_sync(0, ~0u);
    block.read(0, own(0, 1), 0x7fffffff);
    EXPECT_EQ(block.count(), 31u);
}

TEST(SharedRaces, WarpSyncOfSomeLanes) {
    Block block;
    block.write(0, own(0));
    block.races.warp_sync(0, 0xffff);
    block.read(0, own(0, 1), 0x7fff);
    EXPECT_EQ(block.count(), 0u);
    block.read(0, own(0, 1), 0x8000);
    EXPECT_EQ(block.count(), 1u) << "lane 16 took no part";
    // 0 with 1, then 1 with 2: 2 knows what 0 did
    Block chain;
    chain.write(0, lanes_at(0), 1);
    chain.races.warp_sync(0, 3);
    chain.races.warp_sync(0, 6);
    chain.read(0, lanes_at(0), 4);
    EXPECT_EQ(chain.count(), 0u);
    chain.read(0, lanes_at(0), 8);
    EXPECT_EQ(chain.count(), 1u);
}

TEST(SharedRaces, WarpSyncOrdersNoOtherWarp) {
    Block block;
    block.write(0, own(0));
    block.races.warp_sync(0, ~0u);
    block.races.warp_sync(1, ~0u);
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 32u);
}

TEST(SharedRaces, BarrierOfSomeWarps) {
    Block block;
    block.write(0, own(0));
    block.races.barrier(std::array{0, 1});
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 0u);
    block.read(2, own(0));
    EXPECT_EQ(block.count(), 32u);
    // transitively: 1 with 2 hands on what 0 did
    Block chain;
    chain.write(0, own(0));
    chain.races.barrier(std::array{0, 1});
    chain.races.barrier(std::array{1, 2});
    chain.read(2, own(0));
    EXPECT_EQ(chain.count(), 0u);
    chain.read(3, own(0));
    EXPECT_EQ(chain.count(), 32u);
}

TEST(SharedRaces, EqualValuesAreForgiven) {
    Block block;
    for (int warp = 0; warp < 4; ++warp) block.write(warp, lanes_at(0), ~0u, 4, false, 1);
    EXPECT_EQ(block.count(), 0u) << "everybody sets the flag";
    block.write(3, lanes_at(0), 1, 4, false, 2);
    EXPECT_EQ(block.count(), 1u);
}

TEST(SharedRaces, LanesOfOneStore) {
    Block block;
    block.write(0, lanes_at(0), 0xf);
    ASSERT_EQ(block.count(), 3u);
    EXPECT_TRUE(block.recorder.seen[0].same_instruction);
    EXPECT_EQ(block.recorder.seen[0].other_thread, 3u);
}

TEST(SharedRaces, AtomicsAmongThemselves) {
    Block block;
    for (int warp = 0; warp < 4; ++warp) block.atomic(warp, lanes_at(0));
    for (int warp = 0; warp < 4; ++warp) block.atomic(warp, own(0), AccessKind::reduction);
    EXPECT_EQ(block.count(), 0u);
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 32u) << "no barrier between the histogram and its reader";
    EXPECT_EQ(block.recorder.seen[0].other_kind, AccessKind::atomic);
}

TEST(SharedRaces, ClearingWithoutABarrierBeforeAtomics) {
    Block block;
    block.write(0, own(0), ~0u, 4, false, 0);
    block.atomic(1, own(0));
    EXPECT_EQ(block.count(), 32u);
}

TEST(SharedRaces, VolatileFlagHandsOver) {
    Block block;
    block.write(0, own(0));
    block.write(0, lanes_at(1024), 1, 4, true);
    block.read(1, lanes_at(1024), ~0u, 4, true);
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 0u);
    block.read(2, own(0));
    EXPECT_EQ(block.count(), 32u) << "warp 2 has not seen the flag";
    block.write(0, own(0));
    block.read(1, own(0), 1);
    EXPECT_EQ(block.count(), 65u - 32u + 32u)
        << "what came after the flag is not handed over; 32 reads of warp 1 before";
}

TEST(SharedRaces, TicketHandsOverToTheLastWarp) {
    Block block;
    for (int warp = 0; warp < 4; ++warp) {
        block.write(warp, own(warp));
        block.races.warp_sync(warp, ~0u);
        block.races.access(warp, 1, lanes_at(1024).data(), 4, AccessKind::atomic, true, 1);
    }
    for (int warp = 0; warp < 4; ++warp) block.read(3, own(warp));
    EXPECT_EQ(block.count(), 0u);
}

// A lane hands on to another lane of its warp, by way of another warp.
TEST(SharedRaces, LanesHandOnByWayOfAnotherWarp) {
    for (const bool is_handed_on : {true, false}) {
        Block block;
        block.write(0, lanes_at(0), 1);
        if (is_handed_on) block.races.access(0, 1, lanes_at(1024).data(), 4, AccessKind::atomic, true, 1);
        block.races.access(1, 1, lanes_at(1024).data(), 4, AccessKind::atomic, true, 1);
        block.write(1, lanes_at(2048), 1, 4, true);
        block.read(0, lanes_at(2048), 2, 4, true);
        block.read(0, lanes_at(0), 2);
        EXPECT_EQ(block.count(), is_handed_on ? 0u : 1u);
    }
}

// Reductions take no old value, but they carry on what was released before them.
TEST(SharedRaces, ReductionsContinueAReleaseSequence) {
    for (const AccessKind last : {AccessKind::reduction, AccessKind::atomic}) {
        Block block;
        const auto add = [&](int warp, AccessKind kind) {
            block.races.access(warp, 1, lanes_at(1024).data(), 4, kind, true, 1);
        };
        for (int warp = 0; warp < 3; ++warp) {
            block.write(warp, own(warp));
            add(warp, warp == 2 ? last : AccessKind::reduction);
        }
        block.write(3, own(3));
        block.read(0, lanes_at(1024), 1, 4, true);
        for (int warp = 0; warp < 3; ++warp) block.read(0, own(warp));
        EXPECT_EQ(block.count(), 0u);
        block.read(0, own(3));
        EXPECT_EQ(block.count(), 32u) << "warp 3 has not taken part";
        block.read(2, own(1));
        EXPECT_EQ(block.count(), last == AccessKind::atomic ? 32u : 64u) << "a reduction learns nothing itself";
    }
}

TEST(SharedRaces, AStoreEndsAReleaseSequence) {
    Block block;
    block.write(0, own(0));
    block.races.access(0, 1, lanes_at(1024).data(), 4, AccessKind::reduction, true, 1);
    block.races.access(1, 1, lanes_at(1024).data(), 4, AccessKind::reduction, true, 1);
    block.write(2, lanes_at(1024), 1, 4, true);
    block.races.access(1, 1, lanes_at(1024).data(), 4, AccessKind::reduction, true, 1);
    block.read(3, lanes_at(1024), 1, 4, true);
    block.read(3, own(0));
    EXPECT_EQ(block.count(), 32u);
}

TEST(SharedRaces, ArrivalOrdersOneWay) {
    Block block;
    block.write(0, own(0));
    block.write(1, own(1));
    block.races.arrive(0, 3);
    block.write(0, own(2));
    const int waits = 1;
    block.races.barrier({&waits, 1}, 3);
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 0u);
    block.read(1, own(2));
    EXPECT_EQ(block.count(), 32u) << "after the arrival";
    block.read(0, own(1));
    EXPECT_EQ(block.count(), 64u) << "it did not wait";
    block.write(2, own(3));
    block.races.barrier({&waits, 1}, 3);
    block.read(1, own(3));
    EXPECT_EQ(block.count(), 96u) << "the arrival counts once";
}

TEST(SharedRaces, NarrowAccesses) {
    Block block;
    Offsets bytes = block.at([](std::uint32_t lane) { return lane; });
    block.write(0, own(0));
    block.races.barrier_all();
    block.write(0, bytes, ~0u, 1);
    block.read(0, bytes, ~0u, 1);
    EXPECT_EQ(block.count(), 0u) << "neighbours in one word do not race";
    block.read(1, block.at([](std::uint32_t) { return 4u; }), 1, 4);
    ASSERT_EQ(block.count(), 1u);
    EXPECT_EQ(block.recorder.seen[0].other_thread, 4u);
    block.read(1, block.at([](std::uint32_t) { return 32u; }), 1, 2);
    EXPECT_EQ(block.count(), 1u);
}

TEST(SharedRaces, RefiningKeepsWhatWasKnown) {
    Block block;
    block.write(0, own(0), ~0u, 4, false, 5);
    block.read(1, lanes_at(6), 1, 2);
    ASSERT_EQ(block.count(), 1u);
    EXPECT_EQ(block.recorder.seen[0].other_thread, 1u);
    block.write(1, lanes_at(9), 1, 1, false, 5);
    EXPECT_EQ(block.count(), 1u) << "the same byte again";
    block.write(1, lanes_at(9), 1, 1, false, 6);
    EXPECT_EQ(block.count(), 1u) << "its own";
    block.write(2, lanes_at(10), 1, 1, false, 6);
    EXPECT_EQ(block.count(), 2u);
}

TEST(SharedRaces, WideAccesses) {
    for (const std::uint32_t bytes : {8, 16}) {
        Block block;
        const auto wide = block.at([&](std::uint32_t lane) { return lane * bytes; });
        block.write(0, wide, ~0u, bytes);
        block.read(0, wide, ~0u, bytes);
        EXPECT_EQ(block.count(), 0u);
        block.read(1, wide, 0x80000001, bytes);
        EXPECT_EQ(block.count(), 2u) << "one report a lane";
    }
}

TEST(SharedRaces, EdgesAndOutOfRange) {
    Block block(100, 1);
    block.write(0, block.at([](unsigned lane) { return lane * 4; }));
    block.read(0, block.at([](std::uint32_t lane) { return 0u - 4 * lane; }));
    block.write(0, lanes_at(0xfffffffc));
    block.write(0, block.at([](std::uint32_t lane) { return 96u - 4 * (31 - lane); }), 0x80000000);
    block.read(0, block.at([](std::uint32_t lane) { return 4u * lane - 124; }), 0x80000000, 4);
    Block empty(0, 1);
    empty.write(0, lanes_at(0));
    empty.read(0, lanes_at(0), ~0u, 1);
    SUCCEED();
}

TEST(SharedRaces, ResetStartsANewBlock) {
    Block block;
    block.write(0, own(0));
    block.races.reset();
    block.read(1, own(0));
    EXPECT_EQ(block.count(), 0u);
}

// ---- Random programs. The model keeps every access and a vector clock for each thread. ----

struct Model {
    struct Event {
        unsigned thread;
        std::uint32_t clock;
        bool is_write;
        int value;
    };
    unsigned threads;
    std::vector<std::vector<std::uint32_t>> clocks;  // [thread][of thread]
    std::vector<std::vector<Event>> words;

    Model(unsigned warps, std::size_t count)
        : threads(32 * warps), clocks(threads, std::vector<std::uint32_t>(threads, 0)), words(count) {
        for (unsigned t = 0; t < threads; ++t) clocks[t][t] = 1;
    }
    void join(const std::vector<unsigned>& group) {
        std::vector<std::uint32_t> all(threads, 0);
        for (const unsigned t : group)
            for (unsigned i = 0; i < threads; ++i) all[i] = std::max(all[i], clocks[t][i]);
        for (const unsigned t : group) {
            clocks[t] = all;
            ++clocks[t][t];
        }
    }
    bool is_race(unsigned thread, const Event& event, bool is_write, int value) const {
        if (event.thread == thread || (!event.is_write && !is_write)) return false;
        if (event.is_write && is_write && event.value == value) return false;
        return event.clock > clocks[thread][event.thread];
    }
};

TEST(SharedRaces, RandomProgramsAgreeWithVectorClocks) {
    std::mt19937 random(3);
    std::size_t reported = 0;
    for (int program = 0; program < 300; ++program) {
        const unsigned warps = 1 + random() % 3, words = 64 + random() % 64;
        const unsigned bytes = 4u << program % 3;  // of a "word"
        Recorder recorder;
        SharedRaces races(bytes * words, static_cast<int>(warps), recorder);
        Model model(warps, words);
        for (int step = 0; step < 60; ++step) {
            const unsigned action = random() % 12, warp = random() % warps;
            if (action == 0) {
                std::vector<unsigned> group(32 * warps);
                std::iota(group.begin(), group.end(), 0u);
                model.join(group);
                races.barrier_all();
                continue;
            }
            if (action == 1) {
                std::vector<int> chosen;
                std::vector<unsigned> group;
                for (unsigned w = 0; w < warps; ++w)
                    if (random() % 2) {
                        chosen.push_back(static_cast<int>(w));
                        for (unsigned lane = 0; lane < 32; ++lane) group.push_back(32 * w + lane);
                    }
                if (chosen.empty()) continue;
                model.join(group);
                races.barrier(chosen);
                continue;
            }
            if (action < 5) {
                const std::uint32_t mask = random() % 2 ? ~0u : static_cast<std::uint32_t>(random());
                std::vector<unsigned> group;
                for (unsigned lane = 0; lane < 32; ++lane)
                    if (mask >> lane & 1) group.push_back(32 * warp + lane);
                if (group.size() < 2) continue;
                model.join(group);
                races.warp_sync(static_cast<int>(warp), mask);
                continue;
            }
            const bool is_write = random() % 2;
            const std::uint32_t masks[] = {~0u, static_cast<std::uint32_t>(random()), 1u << random() % 32};
            const std::uint32_t mask = masks[random() % 3];
            const unsigned pattern = random() % 4, shift = random() % words;
            Offsets offsets{};
            std::array<int, 32> values{};
            std::array<int, 128> written{};
            for (unsigned lane = 0; lane < 32; ++lane) {
                const unsigned word = pattern == 0   ? shift
                                      : pattern == 1 ? static_cast<unsigned>(random() % words)
                                      : pattern == 2 ? (lane * 2 + shift) % words
                                                     : lane + shift % (words - 31);
                offsets[lane] = bytes * word;
                values[lane] = static_cast<int>(random() % 1000000);
                std::fill_n(&written[bytes / 4 * lane], bytes / 4, values[lane]);
            }
            const std::size_t before = recorder.seen.size();
            races.access(static_cast<int>(warp), mask, offsets.data(), static_cast<int>(bytes),
                         is_write ? AccessKind::write : AccessKind::read, false, static_cast<std::uint32_t>(step),
                         written.data());
            std::set<unsigned> lanes_reported;
            for (std::size_t i = before; i < recorder.seen.size(); ++i) {
                const SharedConflict& c = recorder.seen[i];
                lanes_reported.insert(c.thread % 32);
                ++reported;
                if (c.same_instruction) {
                    ASSERT_EQ(c.offset, offsets[c.other_thread % 32]);
                    ASSERT_NE(values[c.thread % 32], values[c.other_thread % 32]);
                    continue;
                }
                bool is_true = false;
                for (const auto& event : model.words[c.offset / bytes])
                    is_true |= event.thread == c.other_thread &&
                               event.is_write == (c.other_kind == AccessKind::write) &&
                               model.is_race(c.thread, event, is_write, values[c.thread % 32]);
                ASSERT_TRUE(is_true) << "step " << program << "." << step << ": " << c.thread << ", " << c.other_thread;
            }
            for (unsigned lane = 0; lane < 32; ++lane) {
                if (!(mask >> lane & 1)) continue;
                const auto& events = model.words[offsets[lane] / bytes];
                // The last write and the last read must never be missed.
                bool missed = false, write_seen = false, read_seen = false;
                for (auto event = events.rbegin(); event != events.rend(); ++event) {
                    bool& seen = event->is_write ? write_seen : read_seen;
                    if (!seen) missed |= model.is_race(32 * warp + lane, *event, is_write, values[lane]);
                    seen = true;
                }
                ASSERT_TRUE(!missed || lanes_reported.contains(lane)) << "program " << program << " step " << step;
            }
            for (unsigned lane = 0; lane < 32; ++lane)
                if (const unsigned thread = 32 * warp + lane; mask >> lane & 1)
                    model.words[offsets[lane] / bytes].push_back(
                        {thread, model.clocks[thread][thread], is_write, values[lane]});
        }
    }
    EXPECT_GT(reported, 1000u);
}

}  // namespace
}  // namespace vgpu
