// Kernels beside the host: they wait for what the host does after the launch, and tell it how far they are. Each case
// prints "done" if it went right. `beside_host NAME`.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda/atomic>
#include <string>
#include <thread>
#include <vector>

#include "host_cases.h"

using Flag = volatile int;

template <class T>
T* pinned(int n) {
    T* p = nullptr;
    CHECK(cudaMallocHost(&p, n * sizeof(T)));
    std::memset(static_cast<void*>(p), 0, n * sizeof(T));
    return p;
}
template <class T>
T* managed(int n) {
    T* p = nullptr;
    CHECK(cudaMallocManaged(&p, n * sizeof(T)));
    std::memset(static_cast<void*>(p), 0, n * sizeof(T));
    return p;
}

__global__ void wait_and_copy(Flag* flag, const int* in, int* out, int n) {
    if (threadIdx.x == 0)
        while (*flag == 0) {
        }
    __syncthreads();
    __threadfence_system();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] + 1;
}

// The host sets a flag, having written what the kernel reads then.
void flag_of(Flag* flag, int* in, int* out) {
    wait_and_copy<<<1, 64>>>(flag, in, out, 100);
    CHECK(cudaGetLastError());
    for (int i = 0; i < 100; ++i) in[i] = i;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    *flag = 1;
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) EXPECT(out[i] == i + 1);
}
void pinned_flag() { flag_of(pinned<int>(1), pinned<int>(100), pinned<int>(100)); }
void managed_flag() { flag_of(managed<int>(1), managed<int>(100), managed<int>(100)); }
void registered_flag() {
    std::vector<int> all(300);
    CHECK(cudaHostRegister(all.data(), all.size() * sizeof(int), cudaHostRegisterMapped));
    flag_of(&all[0], &all[10], &all[150]);
    CHECK(cudaHostUnregister(all.data()));
}
__managed__ int variable;
void variable_flag() { flag_of(&variable, managed<int>(100), pinned<int>(100)); }
void one_page() {
    int* all = pinned<int>(300);
    flag_of(&all[0], &all[10], &all[150]);
}
void other_thread() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<1, 32>>>(flag, in, out, 100);
    std::thread setter([=] {
        for (int i = 0; i < 100; ++i) in[i] = i;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1);
    });
    CHECK(cudaDeviceSynchronize());
    setter.join();
    EXPECT(out[99] == 100);
}
void host_function() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    wait_and_copy<<<1, 32, 0, first>>>(flag, in, out, 100);
    CHECK(cudaLaunchHostFunc(
        second, [](void* p) { *static_cast<Flag*>(p) = 1; }, flag));
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[99] == 1);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
}
// A copy in another stream sets a flag in memory of the device.
void flag_by_copy() {
    int *d_flag = nullptr, *in = managed<int>(100), *out = managed<int>(100), *one = pinned<int>(1);
    cudaStream_t first, second;
    CHECK(cudaMalloc(&d_flag, sizeof(int)));
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    wait_and_copy<<<1, 32, 0, first>>>(d_flag, in, out, 100);
    *one = 1;
    CHECK(cudaMemcpyAsync(d_flag, one, sizeof(int), cudaMemcpyHostToDevice, second));
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaStreamSynchronize(first));
    EXPECT(out[99] == 1);
}

// Requests and answers: the kernel serves until it is told to stop.
__global__ void serve(Flag* request, Flag* answer, int* data) {
    for (int served = 0;;) {
        const int now = *request;
        if (now < 0) return;
        if (now == served) continue;
        __threadfence_system();
        *data = *data * 2 + 1;
        __threadfence_system();
        *answer = served = now;
    }
}
void dialogue(Flag* request, Flag* answer, int* data) {
    serve<<<1, 1>>>(request, answer, data);
    CHECK(cudaGetLastError());
    int expected = 0;
    for (int i = 1; i <= 20; ++i) {
        *data = expected = i;
        *request = i;
        while (*answer != i) {
        }
        EXPECT(*data == 2 * expected + 1);
    }
    *request = -1;
    CHECK(cudaDeviceSynchronize());
}
void dialogue_pinned() { dialogue(pinned<int>(1), pinned<int>(1), pinned<int>(1)); }
void dialogue_managed() { dialogue(managed<int>(1), managed<int>(1), managed<int>(1)); }
void dialogue_one_page() {
    int* all = managed<int>(3);
    dialogue(&all[0], &all[1], &all[2]);
}

// The kernel counts while it waits; the host looks at the counter.
__global__ void count_until(Flag* stop, unsigned* counter) {
    while (*stop == 0) atomicAdd_system(counter, 1u);
}
void heartbeat() {
    int* stop = pinned<int>(1);
    unsigned* counter = pinned<unsigned>(1);
    count_until<<<1, 32>>>(stop, counter);
    unsigned before = 0;
    for (int i = 0; i < 3; ++i) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_system> now(*counter);
        while (now.load() == before) {
        }
        before = now.load();
    }
    *stop = 1;
    CHECK(cudaDeviceSynchronize());
    EXPECT(*counter >= before);
}
// Both sides add to one counter at the same time.
__global__ void add_many(Flag* go, unsigned long long* sum, int n) {
    while (*go == 0) {
    }
    for (int i = 0; i < n; ++i) atomicAdd_system(sum, 1ull);
}
void sum_of_both() {
    int* go = managed<int>(1);
    auto* sum = managed<unsigned long long>(1);
    add_many<<<4, 64>>>(go, sum, 200);
    *go = 1;
    for (int i = 0; i < 100000; ++i) __atomic_fetch_add(sum, 1, __ATOMIC_SEQ_CST);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*sum == 100000 + 4 * 64 * 200);
}

// What comes behind the kernel in its stream, and beside it.
__global__ void add_one(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}
void work_behind() {
    constexpr int kN = 100;
    int *flag = pinned<int>(1), *in = pinned<int>(kN), *out = pinned<int>(kN);
    int *d_in = nullptr, *d_out = nullptr;
    cudaStream_t stream, other;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaMalloc(&d_in, kN * sizeof(int)));
    CHECK(cudaMalloc(&d_out, kN * sizeof(int)));
    for (int i = 0; i < kN; ++i) in[i] = i;
    CHECK(cudaMemcpyAsync(d_in, in, kN * sizeof(int), cudaMemcpyHostToDevice, stream));
    wait_and_copy<<<1, 32, 0, stream>>>(flag, d_in, d_out, kN);
    add_one<<<1, 128, 0, stream>>>(d_out, kN);
    CHECK(cudaEventRecord(event, stream));
    EXPECT(cudaEventQuery(event) == cudaErrorNotReady);
    EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
    EXPECT(cudaStreamQuery(other) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(other, event, 0));
    CHECK(cudaMemcpyAsync(out, d_out, kN * sizeof(int), cudaMemcpyDeviceToHost, other));
    static std::atomic<int> called = 0;
    CHECK(cudaLaunchHostFunc(
        other, [](void*) { ++called; }, nullptr));
    EXPECT(called == 0);
    EXPECT((add_one<<<1, 4096, 0, stream>>>(d_out, kN), cudaGetLastError()) == cudaErrorInvalidConfiguration);
    *flag = 1;
    CHECK(cudaStreamSynchronize(other));
    EXPECT(called == 1 && cudaEventQuery(event) == cudaSuccess);
    for (int i = 0; i < kN; ++i) EXPECT(out[i] == i + 2);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
}
void query_until() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<8, 32>>>(flag, in, out, 0);
    int asked = 0;
    cudaError_t error;
    while ((error = cudaStreamQuery(nullptr)) == cudaErrorNotReady)
        if (++asked == 10) *flag = 1;
    CHECK(error);
    EXPECT(asked >= 10);
}
// All blocks wait, more than are resident at once.
void many_blocks() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<40, 32>>>(flag, in, out, 0);
    *flag = 1;
    CHECK(cudaDeviceSynchronize());
}
void memory_meanwhile() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<1, 32>>>(flag, in, out, 100);
    std::vector<int*> more;
    for (int i = 0; i < 50; ++i) more.push_back(i % 2 != 0 ? pinned<int>(1000) : managed<int>(1000));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, add_one));
    cudaPointerAttributes its;
    CHECK(cudaPointerGetAttributes(&its, more[3]));
    for (int i = 0; i < 50; ++i) more[i][999] = i;
    *flag = 1;
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 50; ++i) EXPECT(more[i][999] == i);
    for (int i = 0; i < 50; ++i) CHECK(i % 2 != 0 ? cudaFreeHost(more[i]) : cudaFree(more[i]));
}
// A graph whose kernel waits; another graph and a copy come behind it.
void graph_behind() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100), *copied = pinned<int>(100);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    wait_and_copy<<<1, 32, 0, stream>>>(flag, in, out, 100);
    add_one<<<1, 128, 0, stream>>>(out, 100);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(copied, out, 100 * sizeof(int), cudaMemcpyDefault, stream));
    EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
    *flag = 1;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(copied[99] == 2 && out[99] == 2);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}
void at_exit() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<1, 32>>>(flag, in, out, 100);
    *flag = 1;
}

// ---- Wrong ----
void never_set() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<1, 32>>>(flag, in, out, 100);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    *flag = 1;  // too late
}
void never_set_and_exit() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    wait_and_copy<<<1, 32>>>(flag, in, out, 100);
}
__global__ void set(Flag* flag) { *flag = 1; }
void set_by_kernel() {
    int *flag = nullptr, *in = managed<int>(100), *out = managed<int>(100);
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    wait_and_copy<<<1, 32, 0, first>>>(flag, in, out, 100);
    set<<<1, 1, 0, second>>>(flag);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
__global__ void write_all(int* data, Flag* flag) {
    data[threadIdx.x] = threadIdx.x;
    if (*flag == 2) data[0] = 7;
}
void read_without_wait() {
    int *data = managed<int>(64), *flag = managed<int>(1);
    write_all<<<1, 64>>>(data, flag);
    *flag = 1;
    std::printf("%d\n", data[5]);  // read_without_wait: race
    CHECK(cudaDeviceSynchronize());
}
// The kernel only polls the flag: that the host sets it says nothing of what the kernel has written.
__global__ void write_then_look(int* data, Flag* flag) { data[threadIdx.x] = *flag; }
void read_behind_flag() {
    int *data = managed<int>(64), *flag = managed<int>(1);
    write_then_look<<<1, 64>>>(data, flag);
    *flag = 1;
    std::printf("%d\n", data[0]);  // read_behind_flag: race
    CHECK(cudaDeviceSynchronize());
}
void written_while_read() {
    int *flag = pinned<int>(1), *in = managed<int>(100), *out = managed<int>(100);
    *flag = 1;
    wait_and_copy<<<1, 32>>>(flag, in, out, 100);
    in[5] = 3;  // written_while_read: race
    CHECK(cudaDeviceSynchronize());
}
__global__ void plain_add(int* sum) { *sum += 1; }
void plain_beside_atomic() {
    int* sum = managed<int>(1);
    plain_add<<<1, 1>>>(sum);
    __atomic_fetch_add(sum, 1, __ATOMIC_SEQ_CST);  // plain_beside_atomic: race
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
    const Case cases[] = {CASE(pinned_flag),        CASE(managed_flag),       CASE(registered_flag),
                          CASE(variable_flag),      CASE(one_page),           CASE(other_thread),
                          CASE(host_function),      CASE(flag_by_copy),       CASE(dialogue_pinned),
                          CASE(dialogue_managed),   CASE(dialogue_one_page),  CASE(heartbeat),
                          CASE(sum_of_both),        CASE(work_behind),        CASE(query_until),
                          CASE(many_blocks),        CASE(memory_meanwhile),   CASE(at_exit),
                          CASE(never_set),          CASE(graph_behind),       CASE(read_behind_flag),
                          CASE(never_set_and_exit), CASE(set_by_kernel),      CASE(read_without_wait),
                          CASE(written_while_read), CASE(plain_beside_atomic)};
    return run_case(cases, argc, argv);
}
