// Style: a doubting program: each thread checks intrinsics, PTX and 128-bit arithmetic against plain C on its own
// element, and traps if one of them is wrong.
#include "square.h"

using u32 = unsigned;
using u64 = unsigned long long;
using u128 = unsigned __int128;

#define EXPECT(...) \
    if (!(__VA_ARGS__)) __trap()

__device__ int slow_popc(u64 x) {
    int count = 0;
    for (; x; x &= x - 1) ++count;
    return count;
}

__device__ void check_integers(u32 x, u32 y) {
    u64 z = u64{x} << 32 | y;
    EXPECT(__popcll(z) == slow_popc(z) && __popc(x) == slow_popc(x));
    EXPECT((x == 0 || x >> (31 - __clz(x)) == 1) && __ffsll(z) == (z ? slow_popc((z & -z) - 1) + 1 : 0));
    EXPECT(__brev(__brev(x)) == x && __brevll(z) == (u64{__brev(y)} << 32 | __brev(x)));
    EXPECT(__funnelshift_l(y, x, 7) == static_cast<u32>((z << 7) >> 32) && __funnelshift_rc(y, x, 40) == x);
    EXPECT(__umulhi(x, y) == static_cast<u32>(u64{x} * y >> 32) && __umul24(x, y) == (x & 0xffffff) * (y & 0xffffff));
    EXPECT(__usad(x, y, 5) == (x > y ? x - y : y - x) + 5);
    EXPECT(__byte_perm(x, y, 0x5140) == ((x & 0xff) | (y & 0xff) << 8 | (x >> 8 & 0xff) << 16 | (y >> 8 & 0xff) << 24));
    EXPECT(__vadd4(x, 0) == x && __vmaxu2(x, x) == x && __vcmpeq4(x, x) == ~0u);
    EXPECT(__dp4a(static_cast<int>(x), 0x01010101, 3) ==
           static_cast<signed char>(x) + static_cast<signed char>(x >> 8) + static_cast<signed char>(x >> 16) +
               static_cast<signed char>(x >> 24) + 3);
    EXPECT(__uhadd(x, y) == static_cast<u32>((u64{x} + y) / 2) &&
           __urhadd(x, y) == static_cast<u32>((u64{x} + y + 1) / 2));
    EXPECT(x == 0 || __fns(x, 0, 1) == __ffs(x) - 1);
    EXPECT(__mul64hi(static_cast<long long>(z), 2) == static_cast<long long>(z) >> 63);
}

__device__ void check_wide(u64 x, u64 y) {
    u128 product = u128{x} * y + 12345;
    EXPECT(static_cast<u64>(product >> 64) == __umul64hi(x, y) + (x * y + 12345 < 12345));
    __int128 negative = -static_cast<__int128>(product >> 1);
    EXPECT(negative <= 0 && (negative >> 127 == -1 || negative == 0));
}

__device__ void check_ptx(u32 x, u32 y) {
    u32 r, s;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(r) : "r"(x), "r"(y), "r"(~y));
    EXPECT(r == ((x & y) | (~x & ~y)));
    asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(r) : "r"(x), "r"(y));
    EXPECT(r == ((y & ~0xff0u) | (x & 0xff) << 4));
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x));
    EXPECT(r == (x ? 31u - __clz(x) : ~0u));
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;" : "=r"(r), "=r"(s) : "r"(x), "r"(y));
    EXPECT((u64{s} << 32 | r) == u64{x} + y);
    asm("{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %1, %2;\n\tselp.b32 %0, %1, %2, p;\n\t}" : "=r"(r) : "r"(x), "r"(y));
    EXPECT(r == (x < y ? x : y));
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(-1));
    EXPECT(r == y);
    asm("{\n\t.reg .pred p;\n\tmov.u32 %0, 0;\n"
        "LOOP_%=:\n\tadd.u32 %0, %0, 3;\n\tsetp.lt.u32 p, %0, 30;\n\t@p bra LOOP_%=;\n\t}"
        : "=&r"(r));
    EXPECT(r == 30);
    asm("mad.hi.u32 %0, %1, %2, 9;" : "=r"(r) : "r"(x), "r"(y));
    EXPECT(r == __umulhi(x, y) + 9);
    asm("szext.wrap.u32 %0, %1, 8;" : "=r"(r) : "r"(x));
    EXPECT(r == (x & 0xff));
    asm("shf.l.wrap.b32 %0, %1, %2, 3;" : "=r"(r) : "r"(y), "r"(x));
    EXPECT(r == (x << 3 | y >> 29));
}

__device__ void check_floats(float x) {
    int exponent;
    float fraction = frexpf(x, &exponent), whole, rest = modff(x, &whole), sine, cosine;
    EXPECT(isnan(x) || isinf(x) || (ldexpf(fraction, exponent) == x && whole + rest == x));
    sincosf(0.0f, &sine, &cosine);
    EXPECT(sine == 0 && cosine == 1 && __float_as_uint(__uint_as_float(0x3f800000)) == 0x3f800000);
    EXPECT(__fadd_rd(1.0f, 1e-9f) == 1.0f && __fadd_ru(1.0f, 1e-9f) > 1.0f && __frcp_rn(4.0f) == 0.25f);
    EXPECT(__hiloint2double(__double2hiint(1.5), __double2loint(1.5)) == 1.5 && __float2int_rd(-1.5f) == -2);
    EXPECT(copysignf(1.0f, -0.0f) == -1.0f && fmaxf(nanf(""), 2.0f) == 2.0f && rintf(2.5f) == 2.0f &&
           roundf(2.5f) == 3.0f);
    EXPECT(__saturatef(7.0f) == 1.0f && fdimf(3.0f, 1.0f) == 2.0f && exp2f(5.0f) == 32.0f &&
           hypotf(3.0f, 4.0f) == 5.0f);
    int quotient;
    EXPECT(remquof(7.0f, 2.0f, &quotient) == -1.0f && (quotient & 7) == 4 && nextafterf(1.0f, 2.0f) > 1.0f);
}

__global__ void doubt(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 x = __float_as_uint(in[i]), y = x * 2654435761u + static_cast<u32>(i);
    check_integers(x, y);
    check_wide(u64{x} << 31 ^ y, u64{y} * y);
    check_ptx(x, y);
    check_floats(in[i]);
    out[i] = in[i] * in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    doubt<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
