// Pairs of kernels for the check of undefined values: NAME_bad uses one, NAME_good does almost the same and uses none.
// `in` has 64 elements, of which the first 32 were written; `out` has 64 zeros and goes to the host. A block has 32
// threads. Marks: "NAME read" where the value comes from, "NAME used" where it decides.
#include <cuda_fp16.h>

#define PAIR extern "C" __global__ void

// ---- Memory that nobody has written ----
PAIR branch_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];      // branch read
    if (x > 3) out[threadIdx.x] = 1;  // branch used
}
PAIR branch_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];
    if (threadIdx.x + n < 32 && x > 3) out[threadIdx.x] = 1;
}
PAIR address_bad(const int* in, int* out, int n) {
    int i = in[threadIdx.x + n];  // address read
    out[i & 63] = 1;              // address used
}
PAIR address_good(const int* in, int* out, int n) {
    int i = in[threadIdx.x + n];
    out[i & 0] = 1;
}
PAIR host_bad(const int* in, int* out, int n) {
    out[threadIdx.x] = in[threadIdx.x + n];  // host read
}
PAIR host_good(const int* in, int* out, int n) {
    volatile int* p = out;
    p[threadIdx.x] = in[threadIdx.x + n];
    p[threadIdx.x] = 1;  // written over before anybody looks
}
PAIR tile_bad(const int* in, int* out, int n) {
    __shared__ int s[33];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int next = s[threadIdx.x + 1];                    // tile read
    if (next > s[threadIdx.x]) out[threadIdx.x] = 1;  // tile used
}
PAIR tile_good(const int* in, int* out, int n) {
    __shared__ int s[33];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int next = s[threadIdx.x + 1];
    if (threadIdx.x < 31 && next > s[threadIdx.x]) out[threadIdx.x] = 1;
}
PAIR tile_to_host_bad(const int* in, int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + n] + 1;  // tile_to_host read
}
PAIR tile_to_host_good(const int* in, int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int x = s[threadIdx.x + n] + 1;
    if (n == 0) out[threadIdx.x] = x;
}
PAIR through_memory_bad(const int* in, int* out, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x + n];  // through_memory read
    __syncthreads();
    if (s[31 - threadIdx.x] == 7) out[threadIdx.x] = 1;  // through_memory used
}
PAIR through_memory_good(const int* in, int* out, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x + n];
    __syncthreads();
    s[threadIdx.x] = 1;
    __syncthreads();
    if (s[31 - threadIdx.x] == 7) out[threadIdx.x] = 1;
}
PAIR loop_bad(const int* in, int* out, int n) {
    int last = in[n + 1], sum = 0;  // loop read
#pragma unroll 1
    for (int i = 0; i < last; ++i) sum += out[i & 63];  // loop used
    out[threadIdx.x] = sum;
}
PAIR loop_good(const int* in, int* out, int n) {
    int last = in[n + 1], sum = 0;
#pragma unroll 1
    for (int i = 0; i < min(n, last & 0); ++i) sum += out[i & 63];
    out[threadIdx.x] = sum;
}

// A merge that has come to the end of its keys goes on comparing: which key is next depends on one that nobody wrote.
// In PTX, as nvcc makes a branch of it or a selection.
__device__ void next_if_less(const int* keys, int& at, int& key) {
    asm volatile(
        "{ .reg .pred p; .reg .b64 place; setp.ge.s32 p, %0, 5; @p bra past; add.s32 %1, %1, 1;"
        " mad.wide.s32 place, %1, 4, %2; ld.u32 %0, [place]; past: }"
        : "+r"(key), "+r"(at)
        : "l"(keys));  // either_way read
}
template <bool kGood>
__device__ void merge_past_end(const int* in, int* out, int n) {
    const int end = in[n - 1];
    int at = n - 1, key = in[n];
    for (int k = 0; k < 3; ++k) next_if_less(in, at, key);
    out[threadIdx.x] = (at < end) == kGood ? key : 7;
}
PAIR either_way_bad(const int* in, int* out, int n) { merge_past_end<false>(in, out, n); }
PAIR either_way_good(const int* in, int* out, int n) { merge_past_end<true>(in, out, n); }

// ---- Structs, packing, bits ----
struct Padded {
    char tag;
    int value;
};
PAIR padding_bad(const int* in, int* out, int n) {
    __shared__ Padded s[64];
    s[threadIdx.x].tag = 'a';
    __syncthreads();
    Padded copy = s[threadIdx.x];  // padding read
    reinterpret_cast<Padded*>(out)[threadIdx.x].value = copy.value * 2;
}
PAIR padding_good(const int* in, int* out, int n) {
    __shared__ Padded s[64];
    s[threadIdx.x].tag = 'a';
    s[threadIdx.x].value = in[threadIdx.x];
    __syncthreads();
    // As a copy of the whole struct: words with padding in them.
    const int* from = reinterpret_cast<const int*>(s);
    out[2 * threadIdx.x] = from[2 * threadIdx.x];
    out[2 * threadIdx.x + 1] = from[2 * threadIdx.x + 1];
}
PAIR halves_bad(const int* in, int* out, int n) {
    __shared__ half s[64];
    s[2 * threadIdx.x] = __float2half(1);
    __syncthreads();
    half2 both = reinterpret_cast<const half2*>(s)[threadIdx.x];  // halves read
    both = __hadd2(both, both);
    if (__high2float(both) > 1) out[threadIdx.x] = 1;  // halves used
}
PAIR halves_good(const int* in, int* out, int n) {
    __shared__ half s[64];
    s[2 * threadIdx.x] = __float2half(1);
    __syncthreads();
    half2 both = reinterpret_cast<const half2*>(s)[threadIdx.x];
    both = __hadd2(both, both);
    if (__low2float(both) > 1) out[threadIdx.x] = 1;
}
PAIR pair_bad(const int* in, int* out, int n) {
    unsigned long long both = (unsigned long long)(unsigned)in[threadIdx.x + n] << 32 | threadIdx.x;  // pair read
    asm volatile("" : "+l"(both));
    if ((unsigned)(both >> 32) > 5) out[threadIdx.x] = 1;  // pair used
}
PAIR pair_good(const int* in, int* out, int n) {
    unsigned long long both = (unsigned long long)(unsigned)in[threadIdx.x + n] << 32 | threadIdx.x;
    asm volatile("" : "+l"(both));
    if ((unsigned)both > 5) out[threadIdx.x] = 1;
}
PAIR bits_bad(const int* in, int* out, int n) {
    unsigned x = in[threadIdx.x + n], r;  // bits read
    asm volatile("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(r) : "r"(threadIdx.x), "r"(x));
    if ((r >> 16 & 0xFF) == 3) out[threadIdx.x] = 1;  // bits used
}
PAIR bits_good(const int* in, int* out, int n) {
    unsigned x = in[threadIdx.x + n], r;
    asm volatile("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(r) : "r"(threadIdx.x), "r"(x));
    if ((r >> 8 & 0xFF) == 3) out[threadIdx.x] = 1;
}
PAIR bytes_bad(const int* in, int* out, int n) {
    unsigned x = in[threadIdx.x + n];                                    // bytes read
    if (__byte_perm(x, threadIdx.x, 0x5410) == 3) out[threadIdx.x] = 1;  // bytes used
}
PAIR bytes_good(const int* in, int* out, int n) {
    unsigned x = in[threadIdx.x + n];
    if (__byte_perm(x, threadIdx.x, 0x7654) == 3) out[threadIdx.x] = 1;
}
PAIR select_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n], r;  // select read
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 16; selp.b32 %0, %2, 5, p; }"
                 : "=r"(r)
                 : "r"(threadIdx.x), "r"(x));
    if (threadIdx.x < 16) out[r & 63] = 1;  // select used
}
PAIR select_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n], r;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 16; selp.b32 %0, %2, 5, p; }"
                 : "=r"(r)
                 : "r"(threadIdx.x), "r"(x));
    if (threadIdx.x >= 16) out[r & 63] = 1;
}
PAIR times_zero_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];  // times_zero read
    int zero = n - 31;
    asm volatile("" : "+r"(zero));
    out[x * zero & 63] = 1;  // times_zero used
}
PAIR times_zero_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];
    int zero = n - 32;
    asm volatile("" : "+r"(zero));
    out[x * zero & 63] = 1;
}
PAIR low_bits_bad(const int* in, int* out, int n) {
    int x = (in[threadIdx.x + n] << 4) + 3;  // low_bits read
    asm volatile("" : "+r"(x));
    out[x & 31] = 1;  // low_bits used
}
PAIR low_bits_good(const int* in, int* out, int n) {
    int x = (in[threadIdx.x + n] << 4) + 3;
    asm volatile("" : "+r"(x));
    out[x & 15] = 1;
}
PAIR predicate_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];  // predicate read
    // clang-format off
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 3; @p st.global.s32 [%1], 1; }" ::"r"(x), "l"(out) : "memory");  // predicate used
    // clang-format on
}
PAIR predicate_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];
    asm volatile(
        "{ .reg .pred p, q; setp.gt.s32 p, %0, 3; setp.gt.u32 q, %2, 99; and.pred p, p, q; @p st.global.s32 [%1], 1; "
        "}" ::"r"(x),
        "l"(out), "r"(threadIdx.x)
        : "memory");
}
