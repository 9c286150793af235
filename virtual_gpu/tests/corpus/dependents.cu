// Kernels that begin before the kernel in front of them in the stream has ended (programmatic dependent launch).
#include "corpus.h"

constexpr int kN = 1 << 12, kThreads = 128;

__device__ int index_of_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void square(const int* in, int* out, int n) {
    cudaTriggerProgrammaticLaunchCompletion();
    const int i = index_of_thread();
    if (i < n) out[i] = in[i] * in[i];
}

template <class... P, class... A>
void launch_dependent(void (*kernel)(P...), const A&... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = kN / kThreads;
    config.blockDim = kThreads;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...));
}

// Loads its input along with the table, before it waits.
template <bool kGood>
__global__ void scale_squares(const int* squares, const int* table, int* out, int n) {
    const int i = index_of_thread(), factor = table[i % 4];
    int x = 0;
    if (!kGood && i < n) x = squares[i];  // input_before_wait: race
    cudaGridDependencySynchronize();
    if (kGood && i < n) x = squares[i];
    if (i < n) out[i] = x * factor;
}
template <bool kGood>
void input_before_wait() {
    Array<int> in(numbers(kN)), squares(kN, 0), table(std::vector<int>{1, 2, 3, 4}), out(kN, 0);
    square<<<kN / kThreads, kThreads>>>(in, squares, kN);
    launch_dependent(scale_squares<kGood>, squares, table, out, kN);
    out.print();
}

// One thread waits for its block, and a barrier tells the others.
template <bool kGood>
__global__ void add_neighbours(const int* squares, int* out, int n) {
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    if (kGood) __syncthreads();
    const int i = index_of_thread();
    if (i < n) out[i] = squares[i] + (i + 1 < n ? squares[i + 1] : 0);  // one_thread_waits: race
}
template <bool kGood>
void one_thread_waits() {
    Array<int> in(numbers(kN)), squares(kN, 0), out(kN, 0);
    square<<<kN / kThreads, kThreads>>>(in, squares, kN);
    launch_dependent(add_neighbours<kGood>, squares, out, kN);
    out.print();
}

// Clears its counters while the kernel before still reads them.
__global__ void spread(const int* counters, int* out, int n) {
    const int i = index_of_thread();
    if (i < n) out[i] = counters[i % 8] + i;
}
template <bool kGood>
__global__ void count_again(const int* in, int* counters, int n) {
    if (kGood) cudaGridDependencySynchronize();
    const int i = index_of_thread();
    if (i < 8) counters[i] = 0;  // cleared_before_wait: race
    if (!kGood) cudaGridDependencySynchronize();
    if (i < n && in[i] < 0) printf("negative\n");
}
template <bool kGood>
void cleared_before_wait() {
    Array<int> in(numbers(kN)), counters(8, 3), out(kN, 0);
    spread<<<kN / kThreads, kThreads>>>(counters, out, kN);
    launch_dependent(count_again<kGood>, in, counters, kN);
    out.print();
}

// Waits for the second kernel, which itself has waited for nothing.
template <bool kGood>
__global__ void fill(int* out, int n) {
    const int i = index_of_thread();
    if (i < n) out[i] = i;
    if (kGood) cudaGridDependencySynchronize();
}
__global__ void add_both(const int* squares, const int* filled, int* out, int n) {
    cudaGridDependencySynchronize();
    const int i = index_of_thread();
    if (i < n) out[i] = squares[i] + filled[i];  // wait_of_second: race
}
template <bool kGood>
void wait_of_second() {
    Array<int> in(numbers(kN)), squares(kN, 0), filled(kN, 0), out(kN, 0);
    square<<<kN / kThreads, kThreads>>>(in, squares, kN);
    launch_dependent(fill<kGood>, filled, kN);
    launch_dependent(add_both, squares, filled, out, kN);
    out.print();
}

int main(int argc, char** argv) {
    return run({PAIR(input_before_wait), PAIR(one_thread_waits), PAIR(cleared_before_wait), PAIR(wait_of_second)}, argc,
               argv);
}
