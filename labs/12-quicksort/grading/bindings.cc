// Lab 12's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <string>

#include "harness/call.h"
#include "quicksort.h"

namespace {

using lab::Call;

int n_of(const Call& c) { return static_cast<int>(c.n()); }

// How many launches from the device may wait. Setting it takes a while, and need not be done for most calls.
void allow_pending(const Call& c) {
    const auto wanted = static_cast<std::size_t>(c.scalar("pending"));
    std::size_t now = 0;
    CUDA_CHECK(cudaDeviceGetLimit(&now, cudaLimitDevRuntimePendingLaunchCount));
    if (now != wanted) CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, wanted));
}

template <void (*sort)(const int*, int*, int, int, Workspace&)>
void run_with_launches(Call& c) {
    allow_pending(c);
    sort(c.in<int>(0), c.out<int>(0), n_of(c), static_cast<int>(c.scalar("depth")), c.workspace());
}

void run_segmented_scan(Call& c) { segmented_scan(c.in<int>(0), c.out<int>(0), n_of(c), c.workspace()); }

// Array is the type that the lab's arrays have; T has the same bytes.
template <class T, class Array>
void run_sample_partition(Call& c) {
    sample_partition(reinterpret_cast<const T*>(c.in<Array>(0)), reinterpret_cast<T*>(c.out<Array>(0)), n_of(c),
                     c.workspace());
}

}  // namespace

lab::Bindings quicksort_bindings() {
    return {{"one_thread", run_with_launches<one_thread>},
            {"block_partition", run_with_launches<block_partition>},
            {"segmented_scan", run_segmented_scan},
            {"sample_partition", lab::by_variant({{"int32", run_sample_partition<int, std::int32_t>},
                                                  {"int64", run_sample_partition<long long, std::int64_t>},
                                                  {"pairs_int32", run_sample_partition<Pair, std::int32_t>}})}};
}
