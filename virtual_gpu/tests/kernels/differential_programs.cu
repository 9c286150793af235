// Small programs, each for several types or sizes: what compilers make of loops, switches, calls, virtual functions,
// structs, local arrays, shared memory, warp intrinsics, atomics, half precision. Built with -fmad=false.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <array>
#include <utility>

using u64 = unsigned long long;
using s64 = long long;
using u32 = unsigned;
using u8 = unsigned char;
using Kernel = void (*)(const u64*, u64*, u8*);

template <class T>
__device__ T input(const u64* in, int n) {
    return static_cast<T>(in[n * 64 + threadIdx.x]);
}
__device__ void put(u64* out, int slot, u64 value) { out[slot * 64 + threadIdx.x] = value; }

// Sums and products that wrap around, in signed types, too.
template <class T>
__device__ T plus(T x, T y) {
    return static_cast<T>(static_cast<u64>(x) + static_cast<u64>(y));
}
template <class T>
__device__ T times(T x, T y) {
    return static_cast<T>(static_cast<u64>(x) * static_cast<u64>(y));
}

// Insertion sort of a local array, indexed by data.
template <class T>
__global__ void sorts(const u64* in, u64* out, u8*) {
    T a[9];
    for (int k = 0; k < 9; ++k) a[k] = static_cast<T>(in[(k % 5) * 64 + (threadIdx.x * 7 + k) % 64] >> (k & 3));
    for (int k = 1; k < 9; ++k) {
        const T x = a[k];
        int at = k;
        for (; at > 0 && x < a[at - 1]; --at) a[at] = a[at - 1];
        a[at] = x;
    }
    for (int k = 0; k < 7; ++k) put(out, k, static_cast<u64>(a[k + (a[8] & 1)]));
}

// An interpreter of a small machine: a switch in a loop, whose way is data.
template <class T>
__global__ void machine(const u64* in, u64* out, u8*) {
    T stack[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    u64 program = input<u64>(in, 3) ^ input<u64>(in, 0) << 17;
    T x = input<T>(in, 1), y = input<T>(in, 2);
    int at = 0, steps = 0;
    while (program != 0 && ++steps < 40) {
        const int op = program & 15;
        program >>= 3;
        switch (op) {
            case 0:
                x = plus(x, y);
                break;
            case 1:
                x = plus(x, times<T>(y, static_cast<T>(-1)));
                break;
            case 2:
                y = static_cast<T>(x ^ y);
                break;
            case 3:
                stack[at++ & 7] = x;
                break;
            case 4:
                x = stack[--at & 7];
                break;
            case 5:
                if (x & 1) break;
                [[fallthrough]];
            case 6:
                y = plus<T>(times<T>(y, 5), 1);
                break;
            case 7:
                x = static_cast<T>(x / (static_cast<T>(y | 1) == static_cast<T>(-1) ? 3 : static_cast<T>(y | 1)));
                break;
            case 8:
                at += 3;
                continue;
            case 9:
                if (x > y) program >>= 2;
                break;
            case 10:
                x = static_cast<T>(x << (y & 7));
                break;
            case 11:
                x = static_cast<T>(x >> (y & 7));
                break;
            case 12:
                stack[x & 7] = y;
                break;
            case 13:
                y = stack[y & 7];
                break;
            case 14:
                for (int k = 0; k < (x & 3); ++k) y = plus(y, stack[k]);
                break;
            default:
                steps += 2;
        }
    }
    put(out, 0, static_cast<u64>(x)), put(out, 1, static_cast<u64>(y)), put(out, 2, static_cast<u64>(steps));
    for (int k = 0; k < 5; ++k) put(out, 3 + k, static_cast<u64>(stack[k]));
}

struct Point {
    short x;
    signed char y;
    int z[3];
    double w;
};
__device__ __noinline__ Point turned(Point p, int by) {
    Point q = p;
    q.x = static_cast<short>(p.x + by);
    q.y = static_cast<signed char>(p.y * by);
    for (int k = 0; k < 3; ++k) q.z[k] = p.z[(k + by) & 1] + k;
    q.w = p.w * 0.5 + by;
    return q;
}
__device__ __noinline__ int ways(int n, int m) {
    return n <= 0 || m <= 0 ? n - m : ways(n - 1, m) + 3 * ways(n - 2, m - 1);
}
__device__ __noinline__ bool odd(u32 n);
__device__ __noinline__ bool even(u32 n) { return n == 0 || odd(n - 1); }
__device__ __noinline__ bool odd(u32 n) { return n != 0 && even(n - 1); }

template <int kTimes>
__global__ void calls(const u64* in, u64* out, u8*) {
    Point p{static_cast<short>(in[threadIdx.x]),
            static_cast<signed char>(in[64 + threadIdx.x]),
            {1, 2, 3},
            static_cast<double>(input<int>(in, 2))};
    for (int k = 0; k < kTimes; ++k) p = turned(p, (p.z[k % 3] & 3) + k);
    put(out, 0, static_cast<u64>(p.x)), put(out, 1, static_cast<u64>(p.y)),
        put(out, 2, static_cast<u64>(p.z[0] + p.z[2]));
    put(out, 3, static_cast<u64>(__double_as_longlong(p.w)));
    put(out, 4, static_cast<u64>(ways(input<int>(in, 0) & 7, input<int>(in, 1) & 3)));
    put(out, 5, even(input<u32>(in, 1) & 15));
}

struct Shape {
    __device__ virtual u64 area(u64 x) const = 0;
};
struct Square : Shape {
    u64 side;
    __device__ u64 area(u64 x) const override { return side * side + x; }
};
struct Line : Shape {
    __device__ u64 area(u64 x) const override { return x >> 3; }
};
template <int kTimes>
__global__ void virtuals(const u64* in, u64* out, u8*) {
    Square square;
    square.side = input<u64>(in, 3);
    Line line;
    u64 x = input<u64>(in, 4);
    for (int k = 0; k < kTimes; ++k) {
        const Shape* shape = (x >> k & 1) != 0 ? static_cast<const Shape*>(&square) : &line;
        x = shape->area(x);
        put(out, k & 7, x);
    }
}

// A block's sum, scan, minimum and histogram, by shared memory, shuffles and atomics.
template <class T>
__global__ void together(const u64* in, u64* out, u8* scratch) {
    __shared__ T tile[64];
    __shared__ u32 bins[16];
    const int t = threadIdx.x;
    const T x = static_cast<T>(in[64 * (t % 5) + t]);
    tile[t] = x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[static_cast<u32>(x >> 2) & 15], 1);
    for (int half = 32; half > 0; half /= 2) {
        T mine{};
        if (t < half) mine = plus(tile[t], tile[t + half]);
        __syncthreads();
        if (t < half) tile[t] = mine;
        __syncthreads();
    }
    int scan = static_cast<int>(x);
    for (int by = 1; by < 32; by *= 2) {
        const int other = __shfl_up_sync(~0u, scan, by);
        if (t % 32 >= by) scan = static_cast<int>(static_cast<u32>(scan) + static_cast<u32>(other));
    }
    auto* cell = reinterpret_cast<u32*>(scratch);
    if (t == 0) *cell = 0;
    __syncthreads();
    if (x & 1) atomicMax(cell, static_cast<u32>(x) & 0xFFFF);
    __syncthreads();
    put(out, 0, static_cast<u64>(tile[0])), put(out, 1, static_cast<u32>(scan)), put(out, 2, bins[t & 15]);
    put(out, 3, *cell), put(out, 4, __ballot_sync(~0u, x > 5)),
        put(out, 5, __reduce_add_sync(~0u, static_cast<u32>(x)));
    put(out, 6, __match_any_sync(~0u, static_cast<u32>(x) & 3)),
        put(out, 7, static_cast<u64>(__syncthreads_count(x & 1)));
}

template <class T>
__global__ void numbers(const u64* in, u64* out, u8*) {
    T a = static_cast<T>(in[threadIdx.x] | 1), b = static_cast<T>(in[64 + threadIdx.x] | 1);
    T x = a, y = b;
    for (int k = 0; k < 50 && y != 0; ++k) {
        const T r = static_cast<T>(x % y);
        x = y, y = r;
    }
    put(out, 0, static_cast<u64>(x));
    T power = 1;
    for (T n = static_cast<T>(b & 63), base = a; n != 0; n = static_cast<T>(n >> 1), base = times(base, base))
        if (n & 1) power = times(power, base);
    put(out, 1, static_cast<u64>(power));
    int steps = 0;
    for (T n = static_cast<T>(a & 127); n > 1 && steps < 60; ++steps) n = static_cast<T>(n & 1 ? 3 * n + 1 : n / 2);
    put(out, 2, static_cast<u64>(steps));
    u32 crc = ~0u;
    for (unsigned k = 0; k < sizeof(T); ++k) {
        crc ^= static_cast<u8>(a >> (8 * k));
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    put(out, 3, crc);
    double root = static_cast<double>(b);
    for (int k = 0; k < 6; ++k) root = 0.5 * (root + static_cast<double>(a) / root);
    put(out, 4, root != root ? 1 : static_cast<u64>(__double_as_longlong(root)));
    float sum = 0;
    for (int k = 1; k < 20; ++k) sum += static_cast<float>(plus(a, b)) / static_cast<float>(k * k);
    put(out, 5, sum != sum ? 1 : __float_as_uint(sum));
}

template <class T, class T2>
__global__ void halves(const u64* in, u64* out, u8*) {
    const auto finite = [&](int n) {
        const unsigned short bits = static_cast<unsigned short>(in[64 * n + threadIdx.x]);
        return static_cast<float>(static_cast<short>(bits)) * 0.01f;
    };
    const T a = T(finite(9)), b = T(finite(0)), c = T(0.75f);
    const T2 p{a, b}, q{b, c};
    const auto bits = [](T x) { return static_cast<u64>(__float_as_uint(static_cast<float>(x))); };
    put(out, 0, bits(__hadd_rn(a, b))), put(out, 1, bits(__hmul_rn(a, c))), put(out, 2, bits(__hfma(a, b, c)));
    put(out, 3, bits(a / T(3.0f))), put(out, 4, a < b), put(out, 5, bits(__hmax(a, b)));
    const T2 r = __hfma2(p, q, p), s = __hmin2(p, q);
    put(out, 6, bits(r.x) << 32 | bits(r.y)), put(out, 7, bits(s.x) + static_cast<u64>(__half2int_rn(__half(0.5f))));
}

template <int... k>
auto of_times(std::integer_sequence<int, k...>) {
    return std::array<Kernel, 2 * sizeof...(k)>{calls<2 * k + 1>..., virtuals<3 * k + 2>...};
}
template <class... T>
auto of_types() {
    return std::array<Kernel, 4 * sizeof...(T)>{sorts<T>..., machine<T>..., together<T>..., numbers<T>...};
}
[[maybe_unused]] const auto kTimes = of_times(std::make_integer_sequence<int, 6>{});
[[maybe_unused]] const auto kTypes = of_types<u32, int, u64, s64, unsigned short, short, u8, signed char>();
[[maybe_unused]] const std::array<Kernel, 2> kHalves{halves<__half, __half2>, halves<__nv_bfloat16, __nv_bfloat162>};
