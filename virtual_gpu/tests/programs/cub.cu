// CUB's and Thrust's scans, selections and sorts against the CPU. Arguments: how many items, then algorithms.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct IsOdd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

using Numbers = std::vector<int>;

Numbers host(const thrust::device_vector<int>& v) { return Numbers(v.begin(), v.end()); }

template <class F>
void with_storage(F call) {
    std::size_t bytes = 0;
    call(nullptr, bytes);
    thrust::device_vector<char> storage(bytes);
    call(thrust::raw_pointer_cast(storage.data()), bytes);
}

bool device_scan(const Numbers& in, const thrust::device_vector<int>& d_in) {
    thrust::device_vector<int> d_out(in.size());
    with_storage([&](void* storage, std::size_t& bytes) {
        cub::DeviceScan::InclusiveSum(storage, bytes, d_in.begin(), d_out.begin(), static_cast<int>(in.size()));
    });
    Numbers want(in.size());
    std::inclusive_scan(in.begin(), in.end(), want.begin());
    return host(d_out) == want;
}

bool device_select(const Numbers& in, const thrust::device_vector<int>& d_in) {
    thrust::device_vector<int> d_out(in.size()), d_count(1);
    with_storage([&](void* storage, std::size_t& bytes) {
        cub::DeviceSelect::If(storage, bytes, d_in.begin(), d_out.begin(), d_count.begin(), static_cast<int>(in.size()),
                              IsOdd());
    });
    Numbers want, got = host(d_out);
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), IsOdd());
    got.resize(static_cast<std::size_t>(d_count[0]));
    return got == want;
}

bool inclusive_scan(const Numbers& in, const thrust::device_vector<int>& d_in) {
    thrust::device_vector<int> d_out(in.size());
    thrust::inclusive_scan(d_in.begin(), d_in.end(), d_out.begin());
    Numbers want(in.size());
    std::inclusive_scan(in.begin(), in.end(), want.begin());
    return host(d_out) == want;
}

bool copy_if(const Numbers& in, const thrust::device_vector<int>& d_in) {
    thrust::device_vector<int> d_out(in.size());
    d_out.erase(thrust::copy_if(d_in.begin(), d_in.end(), d_out.begin(), IsOdd()), d_out.end());
    Numbers want;
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), IsOdd());
    return host(d_out) == want;
}

bool sort(const Numbers& in, const thrust::device_vector<int>& d_in) {
    thrust::device_vector<int> d_out = d_in;
    thrust::sort(d_out.begin(), d_out.end());
    Numbers want = in;
    std::sort(want.begin(), want.end());
    return host(d_out) == want;
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, bool (*)(const Numbers&, const thrust::device_vector<int>&)> all = {
        {"device_scan", device_scan},
        {"device_select", device_select},
        {"inclusive_scan", inclusive_scan},
        {"copy_if", copy_if},
        {"sort", sort}};
    Numbers in(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000);
    unsigned x = 1;
    for (int& number : in) number = static_cast<int>((x = x * 1664525u + 1013904223u) >> 8) % 100'000;
    const thrust::device_vector<int> d_in = in;
    for (const auto& [name, run] : all)
        if (argc < 3 || std::find(argv + 2, argv + argc, name) != argv + argc)
            std::printf("%s %s\n", name.c_str(), run(in, d_in) ? "right" : "wrong");
}
