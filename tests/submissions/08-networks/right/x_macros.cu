// Style: X macros: one list of comparators makes the host's table and the kernel's code; exchanges by XOR; bool tricks
// instead of branches; a phase has one barrier, since two shared arrays alternate.
#include "networks.h"

#define COMPARATORS(X) \
    X(0, 1)            \
    X(2, 3)            \
    X(0, 2)            \
    X(1, 3)            \
    X(1, 2)

std::vector<Comparator> network_of_four() {
#define AS_ENTRY(low, high) {low, high},
    return {COMPARATORS(AS_ENTRY)};
#undef AS_ENTRY
}

#define EXCHANGE_IF(condition, a, b)                 \
    do {                                             \
        int swap_ = ((a) ^ (b)) & -int((condition)); \
        (a) ^= swap_;                                \
        (b) ^= swap_;                                \
    } while (0)

__global__ void fours(const int* in, int* out, int n) {
    int x[4], first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (first >= n) return;
    switch (n - first) {
        default:
            x[3] = in[first + 3];
            [[fallthrough]];
        case 3:
            x[2] = in[first + 2];
            [[fallthrough]];
        case 2:
            x[1] = in[first + 1];
            [[fallthrough]];
        case 1:
            x[0] = in[first];
    }
    int count = min(4, n - first);
#define AS_CODE(low, high) \
    if (high < count) EXCHANGE_IF(x[high] < x[low], x[low], x[high]);
    COMPARATORS(AS_CODE)
#undef AS_CODE
    for (int k = 0; k < 4; ++k)
        if (k < count) out[first + k] = x[k];
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    fours<<<ceil_div(n, 1024), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// A thread keeps places 2 t and 2 t + 1 in registers; in odd phases it hears from both neighbours.
template <Phases phases>
__global__ void bricks(const int* in, int* out, int n) {
    __shared__ int firsts[2][kTile / 2], seconds[2][kTile / 2];
    int t = threadIdx.x, last = kTile / 2 - 1, i = blockIdx.x * kTile + 2 * t,
        count = min(kTile, n - blockIdx.x * kTile);
    int a = i < n ? in[i] : INT_MAX, b = i + 1 < n ? in[i + 1] : INT_MAX;
    for (int round = 0; 2 * round < count; ++round) {
        bool swapped = b < a;
        EXCHANGE_IF(swapped, a, b);
        int side = round & 1;
        firsts[side][t] = a;
        seconds[side][t] = b;
        __syncthreads();
        if (t < last && firsts[side][t + 1] < b) b = firsts[side][t + 1], swapped = true;
        if (t > 0 && a < seconds[side][t - 1]) a = seconds[side][t - 1], swapped = true;
        if (phases == Phases::until_sorted && __syncthreads_count(swapped) == 0) break;
    }
    if (i < n) out[i] = a;
    if (i + 1 < n) out[i + 1] = b;
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    bricks<phases><<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
