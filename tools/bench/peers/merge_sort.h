// A task that sorts int32 keys by comparing them, for labs 8, 9 and 12: against cub::DeviceMergeSort, which also does,
// and against cub::DeviceRadixSort, which a professional would call for such keys.
#pragma once

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "cub.h"

namespace peers {

struct Less {
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};

// sort(d_in, d_out, n, room) sorts n keys.
template <class Sort>
void compare_with_sorts(Clock& clock, Room& room, const char* name, Sort sort, int n, int rounds) {
    Array<int> in(n), out(n), expected(n);
    fill_words<<<1024, 256>>>(in.data, in.count, 1);
    CUDA_CHECK(cudaGetLastError());
    auto peer = with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceMergeSort::SortKeysCopy(d_temporary, bytes, in.data, expected.data, n, Less());
    });
    auto radix = with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(d_temporary, bytes, in.data, expected.data, n);
    });
    auto call = [&] {
        room.clear();
        sort(in.data, out.data, n, room);
    };
    for (const auto& [what, rival] : {std::pair{"int32", peer}, {"int32 by radix", radix}}) {
        Problem problem{what, in.count, 2.0 * n * sizeof(int), rival, equal(out, expected)};
        compare(clock, problem, {{name, call}}, rounds);
    }
}

}  // namespace peers
