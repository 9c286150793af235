// What tiles publish, and how a tile looks back at it: for tasks 6 and 7.
#pragma once

#include <cstring>

#include "scan.h"
#include "warp_scan.cuh"

// aggregate: the sum of the tile's own elements. inclusive_prefix: of these and all elements before the tile.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

// Between two looks at a state, in nanoseconds. Any sleep is right.
constexpr unsigned kFirstSleep = 8, kLongestSleep = 256;

// Every 32 bits of a value travel in one 64-bit word with the status, so that no fence has to order the one after the
// other. A value of two words is whole when both carry the same status.
template <class T>
struct TileStates {
    static constexpr int kWords = sizeof(T) / 4;
    static_assert(sizeof(T) % 4 == 0);
    unsigned long long* d_words;  // kWords for each tile; 0 is "empty"

    static std::size_t words(int tiles) { return std::size_t{kWords} * tiles; }

    // Both are called by one full warp, whose lanes know the same value: the first of them writes.
    __device__ void publish_aggregate(int tile, T aggregate) const {
        // Before tile 0 there is nothing, so that its aggregate is its inclusive prefix.
        publish(tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, aggregate);
    }
    __device__ void publish_inclusive_prefix(int tile, T prefix) const {
        if (tile > 0) publish(tile, Status::inclusive_prefix, prefix);
    }

    // Waits until the tile has published something.
    __device__ Status wait_for(int tile, T& value) const {
        unsigned part[kWords];
        for (unsigned nanoseconds = kFirstSleep;; nanoseconds = min(2 * nanoseconds, kLongestSleep)) {
            unsigned status[kWords];
            bool whole = true;
            for (int k = 0; k < kWords; ++k) {
                unsigned long long word = load_relaxed(d_words + tile * kWords + k);
                part[k] = static_cast<unsigned>(word);
                status[k] = static_cast<unsigned>(word >> 32);
                whole = whole && status[k] != 0 && status[k] == status[0];
            }
            if (whole) {
                std::memcpy(&value, part, sizeof value);
                return static_cast<Status>(status[0]);
            }
            __nanosleep(nanoseconds);
        }
    }

  private:
    __device__ void publish(int tile, Status status, T value) const {
        unsigned part[kWords];
        std::memcpy(part, &value, sizeof value);
        if (threadIdx.x % 32 != 0) return;
        for (int k = 0; k < kWords; ++k) {
            store_relaxed(d_words + tile * kWords + k, static_cast<unsigned long long>(status) << 32 | part[k]);
        }
    }
};

// The sum of all elements of all tiles before `tile`, to every lane. Called by one full warp, which looks at 32 tiles
// at once: lane 0 has the tile next to us.
template <class Op, class T = typename Op::type>
__device__ T exclusive_prefix(TileStates<T> states, int tile) {
    int lane = threadIdx.x % 32;
    T sum = Op::identity();  // of the tiles looked at so far, in their order
    for (int nearest = tile - 1;; nearest -= 32) {
        T value = Op::identity();
        Status status = Status::inclusive_prefix;  // before tile 0 there is nothing more to add
        if (nearest >= lane) status = states.wait_for(nearest - lane, value);
        // The first lane that knows an inclusive prefix ends the search.
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        if (lane > last) value = Op::identity();
        sum = Op()(reduce_backwards<Op>(value, lane), sum);
        if (known != 0) return sum;
    }
}
