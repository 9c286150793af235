// Random expressions: a seed chooses the operators, the compiler the instructions. Built with -fmad=false, so that each
// operation rounds once. Nothing here is undefined in C++.
#include <array>
#include <utility>

using u64 = unsigned long long;
using s64 = long long;
using u32 = unsigned;

__host__ __device__ constexpr u32 pick(u32 seed, u32 n) {
    u32 z = seed * 0x9E3779B9u + n * 0x85EBCA6Bu + 0x1234567u;
    z = (z ^ (z >> 16)) * 0x7FEB352Du;
    z = (z ^ (z >> 15)) * 0x846CA68Bu;
    return z ^ (z >> 16);
}

struct Values {
    u32 a, b;
    int c;
    u64 d;
    s64 e;
    float f, g;
    double h, i;
};

template <u32 kSeed, int kDepth>
__device__ u64 wide(const Values& v);
template <u32 kSeed, int kDepth>
__device__ double real(const Values& v);
template <u32 kSeed, int kDepth>
__device__ float single(const Values& v);

// Without the conversions that C++ leaves undefined.
__device__ inline int whole(float x) { return x > -2e9f && x < 2e9f ? static_cast<int>(x) : -7; }
__device__ inline s64 whole(double x) { return x > -9e18 && x < 9e18 ? static_cast<s64>(x) : -9; }

template <u32 kSeed, int kDepth>
__device__ u32 word(const Values& v) {
    constexpr u32 kOp = pick(kSeed, 1) % (kDepth > 0 ? 26 : 5), kLeft = pick(kSeed, 2), kRight = pick(kSeed, 3);
    if constexpr (kOp == 0)
        return v.a;
    else if constexpr (kOp == 1)
        return v.b;
    else if constexpr (kOp == 2)
        return static_cast<u32>(v.c);
    else if constexpr (kOp == 3)
        return kLeft;
    else if constexpr (kOp == 4)
        return static_cast<u32>(v.d >> 20);
    else {
        const u32 x = word<kLeft, kDepth - 1>(v), y = word<kRight, kDepth - 1>(v);
        if constexpr (kOp == 5)
            return x + y;
        else if constexpr (kOp == 6)
            return x - y;
        else if constexpr (kOp == 7)
            return x * y;
        else if constexpr (kOp == 8)
            return x / (y | 1);
        else if constexpr (kOp == 9)
            return x % (y | 1);
        else if constexpr (kOp == 10)
            return x & ~y;
        else if constexpr (kOp == 11)
            return x ^ y;
        else if constexpr (kOp == 12)
            return x << (y & 31);
        else if constexpr (kOp == 13)
            return static_cast<u32>(static_cast<int>(x) >> (y & 31));
        else if constexpr (kOp == 14)
            return x < y ? x : y * 3;
        else if constexpr (kOp == 15)
            return static_cast<u32>(max(static_cast<int>(x), static_cast<int>(y)));
        else if constexpr (kOp == 16)
            return static_cast<u32>(static_cast<signed char>(x) * static_cast<short>(y));
        else if constexpr (kOp == 17)
            return __umulhi(x, y);
        else if constexpr (kOp == 18)
            return __popc(x) + __clz(static_cast<int>(y));
        else if constexpr (kOp == 19)
            return __byte_perm(x, y, kLeft & 0x7777);
        else if constexpr (kOp == 20)
            return __funnelshift_l(x, y, y);
        else if constexpr (kOp == 21)
            return __brev(x) + static_cast<u32>(__ffs(static_cast<int>(y)));
        else if constexpr (kOp == 22)
            return static_cast<u32>(__dp4a(static_cast<int>(x), static_cast<int>(y), 5));
        else if constexpr (kOp == 23)
            return static_cast<u32>(wide<kLeft, kDepth - 1>(v) >> 7);
        else if constexpr (kOp == 24)
            return static_cast<u32>(whole(single<kLeft, kDepth - 1>(v))) + y;
        else
            return __vadd4(x, y) + __vcmpgtu4(x, y);
    }
}

template <u32 kSeed, int kDepth>
__device__ u64 wide(const Values& v) {
    constexpr u32 kOp = pick(kSeed, 4) % (kDepth > 0 ? 19 : 3), kLeft = pick(kSeed, 5), kRight = pick(kSeed, 6);
    if constexpr (kOp == 0)
        return v.d;
    else if constexpr (kOp == 1)
        return static_cast<u64>(v.e);
    else if constexpr (kOp == 2)
        return static_cast<u64>(kLeft) << 32 | kRight;
    else {
        const u64 x = wide<kLeft, kDepth - 1>(v), y = wide<kRight, kDepth - 1>(v);
        if constexpr (kOp == 3)
            return x + y;
        else if constexpr (kOp == 4)
            return x - y;
        else if constexpr (kOp == 5)
            return x * y;
        else if constexpr (kOp == 6)
            return x / (y | 1);
        else if constexpr (kOp == 7)
            return x % (y >> 40 | 1);
        else if constexpr (kOp == 8)
            return static_cast<u64>(static_cast<s64>(x >> 1) / static_cast<s64>(y >> 1 | 1));
        else if constexpr (kOp == 9)
            return x ^ (y << 13);
        else if constexpr (kOp == 10)
            return x >> (y & 63);
        else if constexpr (kOp == 11)
            return static_cast<u64>(static_cast<s64>(x) >> (y & 63));
        else if constexpr (kOp == 12)
            return static_cast<s64>(x) < static_cast<s64>(y) ? x : ~y;
        else if constexpr (kOp == 13)
            return __umul64hi(x, y);
        else if constexpr (kOp == 14) {
            const unsigned __int128 z = static_cast<unsigned __int128>(x) * y + x;
            return static_cast<u64>(z >> 64) - static_cast<u64>(z);
        } else if constexpr (kOp == 15)
            return static_cast<u64>(__popcll(x) * __clzll(static_cast<s64>(y)));
        else if constexpr (kOp == 16)
            return static_cast<u64>(word<kLeft, kDepth - 1>(v)) * word<kRight, kDepth - 1>(v);
        else if constexpr (kOp == 17)
            return static_cast<u64>(whole(real<kLeft, kDepth - 1>(v))) + y;
        else
            return static_cast<u64>(__double_as_longlong(real<kRight, kDepth - 1>(v))) & ~(0xFFFull << 52);
    }
}

template <u32 kSeed, int kDepth>
__device__ float single(const Values& v) {
    constexpr u32 kOp = pick(kSeed, 7) % (kDepth > 0 ? 16 : 3), kLeft = pick(kSeed, 8), kRight = pick(kSeed, 9);
    if constexpr (kOp == 0)
        return v.f;
    else if constexpr (kOp == 1)
        return v.g;
    else if constexpr (kOp == 2)
        return static_cast<float>(kLeft) * 0x1p-33f;
    else {
        const float x = single<kLeft, kDepth - 1>(v), y = single<kRight, kDepth - 1>(v);
        if constexpr (kOp == 3)
            return x + y;
        else if constexpr (kOp == 4)
            return x - y;
        else if constexpr (kOp == 5)
            return x * y;
        else if constexpr (kOp == 6)
            return x / y;
        else if constexpr (kOp == 7)
            return sqrtf(fabsf(x)) - y;
        else if constexpr (kOp == 8)
            return fmaf(x, y, x);
        else if constexpr (kOp == 9)
            return x < y ? x : -y;
        else if constexpr (kOp == 10)
            return fminf(x, fmaxf(y, 0.5f));
        else if constexpr (kOp == 11)
            return floorf(x) + truncf(y) - rintf(x);
        else if constexpr (kOp == 12)
            return static_cast<float>(word<kLeft, kDepth - 1>(v)) + y;
        else if constexpr (kOp == 13)
            return static_cast<float>(real<kLeft, kDepth - 1>(v)) - y;
        else if constexpr (kOp == 14)
            return __fdiv_rd(x, y) + __frcp_ru(y);
        else
            return copysignf(x, y) * __saturatef(y);
    }
}

template <u32 kSeed, int kDepth>
__device__ double real(const Values& v) {
    constexpr u32 kOp = pick(kSeed, 10) % (kDepth > 0 ? 13 : 3), kLeft = pick(kSeed, 11), kRight = pick(kSeed, 12);
    if constexpr (kOp == 0)
        return v.h;
    else if constexpr (kOp == 1)
        return v.i;
    else if constexpr (kOp == 2)
        return kLeft * 0x1p-30;
    else {
        const double x = real<kLeft, kDepth - 1>(v), y = real<kRight, kDepth - 1>(v);
        if constexpr (kOp == 3)
            return x + y;
        else if constexpr (kOp == 4)
            return x - y;
        else if constexpr (kOp == 5)
            return x * y;
        else if constexpr (kOp == 6)
            return x / y;
        else if constexpr (kOp == 7)
            return sqrt(fabs(x)) + y;
        else if constexpr (kOp == 8)
            return fma(x, y, x);
        else if constexpr (kOp == 9)
            return x > y ? x : y * 0.5;
        else if constexpr (kOp == 10)
            return fmin(x, y) + fmax(y, 1.0);
        else if constexpr (kOp == 11)
            return floor(x) - ceil(y);
        else
            return static_cast<double>(static_cast<s64>(wide<kLeft, kDepth - 1>(v))) * single<kRight, kDepth - 1>(v);
    }
}

// A NaN's payload is not the language's business: it counts as one value.
__device__ inline u64 bits(float x) { return x != x ? 1 : __float_as_uint(x); }
__device__ inline u64 bits(double x) { return x != x ? 2 : static_cast<u64>(__double_as_longlong(x)); }

template <u32 kSeed>
__global__ void expression(const u64* in, u64* out, unsigned char*) {
    const u32 t = threadIdx.x;
    Values v;
    v.a = static_cast<u32>(in[t]), v.b = static_cast<u32>(in[64 + t]), v.c = static_cast<int>(in[128 + t]);
    v.d = in[192 + t], v.e = static_cast<s64>(in[256 + t]);
    v.f = __uint_as_float(static_cast<u32>(in[320 + t])), v.g = __uint_as_float(static_cast<u32>(in[384 + t]));
    v.h = __longlong_as_double(static_cast<s64>(in[448 + t])),
    v.i = __longlong_as_double(static_cast<s64>(in[512 + t]));
    out[t] = word<pick(kSeed, 20), 4>(v);
    out[64 + t] = wide<pick(kSeed, 21), 3>(v);
    out[128 + t] = bits(single<pick(kSeed, 22), 4>(v));
    out[192 + t] = bits(real<pick(kSeed, 23), 3>(v));
    out[256 + t] = word<pick(kSeed, 24), 3>(v);
    out[320 + t] = wide<pick(kSeed, 25), 3>(v);
    out[384 + t] = bits(single<pick(kSeed, 26), 3>(v));
    out[448 + t] = bits(real<pick(kSeed, 27), 2>(v));
}

template <u32... kSeeds>
auto all(std::integer_sequence<u32, kSeeds...>) {
    return std::array{&expression<kSeeds>...};
}
[[maybe_unused]] const auto kExpressions = all(std::make_integer_sequence<u32, 100>{});
