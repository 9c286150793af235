// Races in global memory: random programs against plain vector clocks. The model keeps every access to every byte,
// and for each warp how many of each other's accesses it knows of.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "virtual_gpu/check/global_races.h"

namespace vgpu {
namespace {

using Clock = std::vector<std::uint32_t>;  // by warp of the grid
void join(Clock& to, const Clock& from) {
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

struct Event {
    std::size_t warp;
    std::size_t lane;
    std::uint32_t number;  // of the warp's accesses
    bool is_write, is_strong, is_atomic, is_of_block;
    int bytes;
    std::uint8_t value;
};

struct GridModel {
    struct Fence {
        bool is_done = false, is_stale = false;
        Clock before, pending;
    };
    struct Warp {
        std::uint32_t count = 0;
        Clock known, reads;
        std::array<Fence, 2> fences;
        std::array<std::array<std::uint32_t, 32>, 32> lanes{};
    };
    struct Release {
        std::array<Clock, 2> by;
        Clock reads;
        std::size_t block;
    };
    std::size_t warps_per_block;
    std::vector<Warp> warps;
    std::map<std::uint64_t, std::vector<Event>> bytes;
    std::map<std::uint64_t, Release> releases;

    GridModel(std::size_t blocks, std::size_t per_block) : warps_per_block(per_block), warps(blocks * per_block) {
        for (Warp& warp : warps) warp.known.resize(warps.size());
    }
    bool is_race(std::size_t w, std::size_t lane, const Event& e, const Event& now) const {
        if (!e.is_write && !now.is_write) return false;
        const bool reach = (!e.is_of_block && !now.is_of_block) || e.warp / warps_per_block == w / warps_per_block;
        if (e.is_strong && now.is_strong && e.bytes == now.bytes && reach) return false;
        if (e.is_write && now.is_write && !e.is_atomic && !now.is_atomic && e.value == now.value) return false;
        const Warp& warp = warps[w];
        if (e.warp != w)
            return e.number > warp.known[e.warp] &&
                   (e.is_write || e.warp >= warp.reads.size() || e.number > warp.reads[e.warp]);
        return e.lane != lane && e.number > warps[w].lanes[lane][e.lane];
    }
    void barrier(const std::vector<std::size_t>& group) {
        Warp all;
        for (const std::size_t w : group)
            for (std::size_t s = 0; s < 2; ++s) all.fences[s].is_done |= warps[w].fences[s].is_done;
        for (const std::size_t w : group) {
            join(all.known, warps[w].known);
            join(all.reads, warps[w].reads);
            for (std::size_t s = 0; s < 2; ++s) {
                const Fence& fence = warps[w].fences[s];
                join(all.fences[s].pending, fence.pending);
                all.fences[s].is_stale |= fence.is_stale;
                if (all.fences[s].is_done) join(all.fences[s].before, fence.is_stale ? fence.before : warps[w].known);
            }
        }
        for (const std::size_t w : group) all.known[w] = warps[w].count;
        for (const std::size_t w : group) {
            warps[w].known = all.known;
            warps[w].reads = all.reads;
            warps[w].fences = all.fences;
            for (auto& of_lane : warps[w].lanes) of_lane.fill(warps[w].count);
        }
    }
    void warp_sync(std::size_t w, std::uint32_t mask) {
        std::array<std::uint32_t, 32> all{};
        for (std::size_t lane = 0; lane < 32; ++lane)
            for (std::size_t i = 0; mask >> lane & 1 && i < 32; ++i) all[i] = std::max(all[i], warps[w].lanes[lane][i]);
        for (std::size_t lane = 0; lane < 32; ++lane)
            if (mask >> lane & 1) all[lane] = warps[w].count;
        for (std::size_t lane = 0; lane < 32; ++lane)
            if (mask >> lane & 1) warps[w].lanes[lane] = all;
    }
    void fence(std::size_t w, std::size_t scope) {
        Warp& warp = warps[w];
        for (std::size_t s = 0; s <= scope; ++s) learn(w, warp.fences[s].pending);
        warp.known[w] = warp.count;
        for (std::size_t s = 0; s <= scope; ++s) warp.fences[s] = {true, false, warp.known, {}};
    }
    void acquire(std::size_t w, std::uint64_t word, bool at_once, Scope scope) {
        const auto found = releases.find(word);
        if (found == releases.end()) return;
        join(warps[w].reads, found->second.reads);
        const bool is_own = found->second.block == w / warps_per_block;
        for (std::size_t s = is_own ? 0 : 1; s < 2; ++s) {
            if (at_once && (is_own || scope == Scope::device))
                learn(w, found->second.by[s]);
            else
                join(warps[w].fences[s].pending, found->second.by[s]);
        }
    }
    // What a lane of the warp itself has released comes back to all of its lanes.
    void learn(std::size_t w, const Clock& released) {
        join(warps[w].known, released);
        for (auto& of_lane : warps[w].lanes)
            for (std::uint32_t& count : of_lane) count = std::max(count, w < released.size() ? released[w] : 0);
    }
    // Releases to the addresses of the access's parts. Earlier releases to other addresses in its bytes are dropped.
    void release(std::size_t w, const std::set<std::uint64_t>& parts, const std::set<std::uint64_t>& all_bytes,
                 bool releases_all, Scope scope, bool adds, bool is_flag) {
        Warp& warp = warps[w];
        const bool hands_on = releases_all || warp.fences[0].is_done;
        Release release{{}, warp.reads, w / warps_per_block};
        join(release.reads, warp.known);
        if (hands_on) warp.known[w] = warp.count;
        for (std::size_t s = 0; hands_on && s < 2; ++s) {
            const Fence& fence = warp.fences[s];
            if ((releases_all && s <= static_cast<std::size_t>(scope)) || (fence.is_done && !fence.is_stale))
                release.by[s] = warp.known;
            else if (fence.is_done)
                release.by[s] = fence.before;
        }
        for (const std::uint64_t byte : all_bytes)
            if (!adds || !parts.contains(byte)) releases.erase(byte);
        if (!hands_on && !is_flag) return;
        for (const std::uint64_t part : parts) {
            Release& there = releases.try_emplace(part, release).first->second;
            if (there.block != release.block) there.by[0].clear();
            there.block = release.block;
            join(there.reads, release.reads);
            for (std::size_t s = 0; s < 2; ++s) join(there.by[s], release.by[s]);
        }
    }
};

// What one random program does, to the checker and to the model alike.
class Program : GlobalConflictSink {
  public:
    Program(std::mt19937& random, GlobalRaces& races, RaceShadow& shadow)
        : random_(random),
          races_(races),
          shadow_(shadow),
          warps_(1 + random() % 3),
          blocks_(1 + random() % 4),
          data_(shadow.bytes),
          model_(blocks_.size(), warps_) {
        races.begin(static_cast<std::uint32_t>(warps_), *this);
        std::uint64_t number = random() % 3 ? random() % 10 : random() % 100000;
        for (BlockOrder& block : blocks_) races.order().start(block, number += 1 + random() % 40);
    }
    void step() {
        const unsigned action = random_() % 16;
        const std::size_t b = random_() % blocks_.size(), w = random_() % warps_, all = b * warps_ + w;
        LaunchOrder& order = races_.order();
        if (action == 0) {
            std::vector<int> group;
            for (std::size_t i = 0; i < warps_; ++i)
                if (random_() % 3) group.push_back(static_cast<int>(i));
            if (group.empty()) return;
            std::vector<std::size_t> in_grid;
            for (const int i : group) in_grid.push_back(b * warps_ + static_cast<std::size_t>(i));
            model_.barrier(in_grid);
            order.barrier(blocks_[b], group);
        } else if (action == 1) {
            const std::uint32_t mask = random_() % 2 ? ~0u : static_cast<std::uint32_t>(random_());
            if ((mask & (mask - 1)) == 0) return;
            model_.warp_sync(all, mask);
            order.warp_sync(blocks_[b], static_cast<int>(w), mask);
        } else if (action < 5) {
            const Scope scope = random_() % 3 ? Scope::device : Scope::block;
            model_.fence(all, static_cast<std::size_t>(scope));
            order.fence(blocks_[b], static_cast<int>(w), scope);
        } else {
            access(b, w, all);
        }
    }
    std::size_t reported = 0, ordered_by_flags = 0;

  private:
    void conflict(const GlobalConflict& c) override { seen_.push_back(c); }

    void access(std::size_t b, std::size_t w, std::size_t all) {
        constexpr std::uint64_t kBase = 1 << 12;
        constexpr std::uint32_t kPc = 0x2aaaa;  // no two neighbouring bits: what spills into it changes it
        const std::uint32_t one = 1u << random_() % 32;
        const std::uint32_t mask = random_() % 2 ? ~0u : random_() % 2 ? one : static_cast<std::uint32_t>(random_());
        if (mask == 0) return;
        // Strong ones mostly to a few words.
        const bool is_strong = random_() % 2;
        const unsigned what = random_() % (is_strong ? 4 : 2);
        constexpr AccessKind kKinds[] = {AccessKind::read, AccessKind::write, AccessKind::atomic,
                                         AccessKind::reduction};
        constexpr int kSizes[] = {4, 4, 4, 4, 8, 2, 1, 16};
        const int bytes = what >= 2 ? 4 : kSizes[random_() % (is_strong ? 5 : 8)];
        const auto width = static_cast<std::uint64_t>(bytes);
        const std::uint64_t places = shadow_.bytes / width;
        const unsigned pattern = is_strong && random_() % 4 ? 3 : random_() % 4;
        const std::uint64_t shift = random_() % (pattern == 3 ? std::min<std::uint64_t>(3, places) : places);
        GlobalAccess access{.kind = kKinds[what], .bytes = bytes, .element_bytes = bytes};
        access.is_strong = is_strong;
        access.acquires = is_strong && random_() % 4 == 0;
        access.releases = is_strong && random_() % 4 == 0;
        access.scope = random_() % 4 ? Scope::device : Scope::block;
        access.is_contiguous = mask == ~0u && pattern == 0 && places >= 32;
        access.pc = kPc;
        access.base = kBase;
        access.data = data_.data();
        const std::uint64_t of_line = random_() % 2 ? std::max<std::uint64_t>(1, 128 / width) : 1;
        std::array<std::uint64_t, 32> addresses{};
        std::vector<std::uint8_t> values(32 * static_cast<std::size_t>(bytes));
        for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random_());
        for (std::uint64_t lane = 0; lane < 32; ++lane)
            addresses[lane] = kBase + width * (pattern == 3           ? shift
                                               : access.is_contiguous ? shift % (places - 31) / of_line * of_line + lane
                                               : pattern == 1         ? random_() % places
                                                                      : (shift + 3 * lane) % places);
        access.addresses = addresses.data();
        const bool is_write = access.kind != AccessKind::read, is_atomic = what >= 2;
        if (access.kind == AccessKind::write) access.values = values.data();

        seen_.clear();
        races_.access(blocks_[b], static_cast<int>(w), mask, shadow_, access);

        GridModel::Warp& warp = model_.warps[all];
        const auto event = [&](std::size_t lane, std::uint64_t byte) {
            return Event{all,
                         lane,
                         warp.count + 1,
                         is_write,
                         is_strong,
                         is_atomic,
                         is_strong && access.scope == Scope::block,
                         std::min(bytes, 8),
                         values[lane * static_cast<std::size_t>(bytes) + byte]};
        };
        std::set<std::size_t> lanes_reported;
        for (const GlobalConflict& c : seen_) {
            const std::size_t lane = c.thread % 32;
            lanes_reported.insert(lane);
            ASSERT_EQ(c.address, addresses[lane]);
            ASSERT_EQ(c.block, blocks_[b].number);
            ASSERT_EQ(c.pc, kPc);
            ASSERT_EQ(c.other_pc, kPc);
            if (c.same_instruction) {
                ASSERT_EQ(c.address, addresses[c.other_thread % 32]);
                continue;
            }
            bool is_true = false;
            for (std::uint64_t byte = 0; byte < width; ++byte)
                for (const Event& e : model_.bytes[c.address + byte])
                    is_true |= e.lane == c.other_thread % 32 && e.warp % warps_ == c.other_thread / 32 &&
                               blocks_[e.warp / warps_].number == c.other_block &&
                               e.is_write == (c.other_kind != AccessKind::read) &&
                               model_.is_race(all, lane, e, event(lane, byte));
            ASSERT_TRUE(is_true) << "thread " << c.thread << " of block " << c.block << " and " << c.other_thread
                                 << " of block " << c.other_block;
            ++reported;
        }
        // The last write and the last read must never be missed.
        for (std::size_t lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            bool is_missed = false;
            for (std::uint64_t byte = 0; byte < width; ++byte) {
                bool write_seen = false, read_seen = false;
                const auto& events = model_.bytes[addresses[lane] + byte];
                for (auto e = events.rbegin(); e != events.rend() && !(write_seen && read_seen); ++e) {
                    bool& is_seen = e->is_write ? write_seen : read_seen;
                    if (!is_seen) is_missed |= model_.is_race(all, lane, *e, event(lane, byte));
                    is_seen = true;
                    ordered_by_flags += e->warp / warps_ != b && e->number <= warp.known[e->warp];
                }
            }
            ASSERT_TRUE(!is_missed || lanes_reported.contains(lane)) << "lane " << lane << " of warp " << w;
        }
        std::set<std::uint64_t> parts, all_bytes;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            for (std::uint64_t byte = 0; byte < width; ++byte) {
                const std::uint64_t at = addresses[lane] + byte;
                model_.bytes[at].push_back(event(lane, byte));
                if (is_write) data_[at - kBase] = event(lane, byte).value;
                all_bytes.insert(at);
                if (byte % static_cast<std::uint64_t>(access.element_bytes) == 0) parts.insert(at);
            }
        }
        ++warp.count;
        if (!is_strong) {
            for (GridModel::Fence& fence : warp.fences) fence.is_stale |= is_write;
            for (const std::uint64_t byte : all_bytes)
                if (is_write) model_.releases.erase(byte);
            return;
        }
        if (access.kind == AccessKind::read || access.kind == AccessKind::atomic)
            for (const std::uint64_t part : parts)
                model_.acquire(all, part, access.acquires || access.kind == AccessKind::atomic, access.scope);
        if (is_write)
            model_.release(all, parts, all_bytes, access.releases, access.scope, is_atomic,
                           !is_atomic && (mask & (mask - 1)) == 0);
    }

    std::mt19937& random_;
    GlobalRaces& races_;
    RaceShadow& shadow_;
    std::size_t warps_;
    std::vector<BlockOrder> blocks_;
    std::vector<std::uint8_t> data_;
    GridModel model_;
    std::vector<GlobalConflict> seen_;
};

TEST(GlobalRaces, RandomProgramsAgreeWithVectorClocks) {
    std::mt19937 random(3);
    GlobalRaces races;
    std::size_t reported = 0, ordered_by_flags = 0;
    for (int array = 0; array < 60; ++array) {
        RaceShadow shadow(16 * (2 + random() % 60));
        for (int launch = 0; launch < 5; ++launch) {
            Program program(random, races, shadow);
            for (int step = 0; step < 150; ++step) {
                program.step();
                if (HasFatalFailure()) FAIL() << "array " << array << ", launch " << launch << ", step " << step;
            }
            reported += program.reported;
            ordered_by_flags += program.ordered_by_flags;
        }
    }
    EXPECT_GT(reported, 10000u);
    EXPECT_GT(ordered_by_flags, 10000u);
}

}  // namespace
}  // namespace vgpu
