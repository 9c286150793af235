// Style: inline PTX for loads, stores, arithmetic and special registers.
#include "square.h"

__device__ __forceinline__ unsigned global_thread() {
    unsigned thread, block, size;
    asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(size));
    unsigned id;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(id) : "r"(block), "r"(size), "r"(thread));
    return id;
}

__device__ __forceinline__ float load_streaming(const float* p) {
    float x;
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(p));
    return x;
}

__global__ void square(const float* in, float* out, int n) {
    int i = static_cast<int>(global_thread());
    if (i >= n) return;
    float x = load_streaming(in + i), y;
    asm("mul.rn.f32 %0, %1, %1;" : "=f"(y) : "f"(x));
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + i), "f"(y) : "memory");
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    square<<<ceil_div(n, 192), 192>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// A predicate and a branch in PTX; vectors of four.
__global__ void square_vectors(const float* in, float* out, int head, int body, int n) {
    int i = static_cast<int>(global_thread());
    if (i < body) {
        const float* from = in + head + 4 * static_cast<long long>(i);
        float* to = out + head + 4 * static_cast<long long>(i);
        asm volatile(
            "{\n\t"
            ".reg .f32 a, b, c, d;\n\t"
            "ld.global.v4.f32 {a, b, c, d}, [%0];\n\t"
            "mul.f32 a, a, a;\n\t"
            "mul.f32 b, b, b;\n\t"
            "mul.f32 c, c, c;\n\t"
            "mul.f32 d, d, d;\n\t"
            "st.global.v4.f32 [%1], {a, b, c, d};\n\t"
            "}" ::"l"(from),
            "l"(to)
            : "memory");
    }
    if (i < head) out[i] = in[i] * in[i];
    int tail = head + 4 * body + i;
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        ".reg .f32 x;\n\t"
        "setp.lt.s32 p, %0, %1;\n\t"
        "@!p bra DONE%=;\n\t"
        "ld.global.f32 x, [%2];\n\t"
        "mul.rn.f32 x, x, x;\n\t"
        "st.global.f32 [%3], x;\n\t"
        "DONE%=:\n\t"
        "}" ::"r"(tail),
        "r"(i < 3 ? n : 0), "l"(in + tail), "l"(out + tail)
        : "memory");
}

void vectorized(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    int past = static_cast<int>(reinterpret_cast<unsigned long long>(d_in) / 4 % 4);
    int head = past == 0 ? 0 : 4 - past;
    if (head > n) head = n;
    int body = (n - head) / 4;
    square_vectors<<<ceil_div(body, 256) + 1, 256>>>(d_in, d_out, head, body, n);
    CUDA_CHECK(cudaGetLastError());
}
