// What tiles publish for rung 5: how far they are, and a value.
#pragma once

#include <cstring>

#include "scan.h"

// aggregate: the sum of the tile's own elements. inclusive_prefix: of these and all elements before the tile.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

// Every 32 bits of a value travel in one 64-bit word with the status, so that no fence has to order the one after the
// other. A value of two words is whole when both carry the same status.
template <class T>
struct TileStates {
    static constexpr int kWords = sizeof(T) / 4;
    static_assert(sizeof(T) % 4 == 0);
    unsigned long long* d_words;  // kWords for each tile; 0 is "empty"

    static std::size_t words(int tiles) { return std::size_t{kWords} * tiles; }

    __device__ void publish(int tile, Status status, T value) const {
        unsigned part[kWords];
        std::memcpy(part, &value, sizeof value);
        for (int k = 0; k < kWords; ++k) {
            store_relaxed(d_words + tile * kWords + k, static_cast<unsigned long long>(status) << 32 | part[k]);
        }
    }

    // Waits until the tile has published something.
    __device__ Status wait_for(int tile, T& value) const {
        unsigned part[kWords];
        for (unsigned nanoseconds = 8;; nanoseconds = nanoseconds < 256 ? 2 * nanoseconds : 256) {
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
};
