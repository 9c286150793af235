// A rung that sorts int32 keys against cub::DeviceMergeSort, for labs 8, 9 and 12.
#pragma once

#include <cub/device/device_merge_sort.cuh>

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
void compare_with_merge_sort(Clock& clock, Room& room, const char* name, Sort sort, int n, int rounds) {
    Array<int> in(n), out(n), expected(n);
    fill_words<<<1024, 256>>>(in.data, in.count, 1);
    CUDA_CHECK(cudaGetLastError());
    auto peer = with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceMergeSort::SortKeysCopy(d_temporary, bytes, in.data, expected.data, n, Less());
    });
    auto call = [&] {
        room.clear();
        sort(in.data, out.data, n, room);
    };
    Problem problem{"int32", in.count, 2.0 * n * sizeof(int), peer, equal(out, expected)};
    compare(clock, problem, {{name, call}}, rounds);
}

}  // namespace peers
