// Kernels that launch kernels. Names that begin with right_ may not be reported, in any order.
#include <cstdio>

__device__ int calls;

__global__ void add_one(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;  // add_one
}

__global__ void put(int* to, int value) { *to = value; }  // put

__global__ void sum_up(const int* data, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += data[i];  // sum_up
    *out = sum;
}

// ---- Right ----

// What a thread wrote before the launch, and what its block wrote before a barrier, is there.
extern "C" __global__ void right_sees_what_was_before(int* data, int n) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) add_one<<<2, 32>>>(data, n);
}

extern "C" __global__ void right_one_stream(int* data, int n) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int k = 0; k < 3; ++k) add_one<<<2, 32, 0, stream>>>(data, n);
    cudaStreamDestroy(stream);
}

extern "C" __global__ void right_null_stream(int* data, int n) {
    for (int k = 0; k < 3; ++k) add_one<<<2, 32>>>(data, n);
}

extern "C" __global__ void right_streams_apart(int* data, int n) {
    for (int k = 0; k < 2; ++k) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        add_one<<<1, 32, 0, stream>>>(data + k * n / 2, n / 2);
        cudaStreamDestroy(stream);
    }
    add_one<<<1, 32, 0, cudaStreamFireAndForget>>>(data + n, n / 2);
}

extern "C" __global__ void right_tail(int* data, int n) {
    sum_up<<<1, 1, 0, cudaStreamTailLaunch>>>(data, n, data + n);
    put<<<1, 1, 0, cudaStreamTailLaunch>>>(data, 1000);
    add_one<<<2, 32>>>(data, n);
    add_one<<<1, 32, 0, cudaStreamFireAndForget>>>(data + 100, 20);
    data[n + 1] = 5;
}

// A tail launch waits for grandchildren and for their tail launches.
__global__ void nested(int* data, int n) {
    add_one<<<2, 32>>>(data, n);
    add_one<<<2, 32, 0, cudaStreamTailLaunch>>>(data, n);
}
extern "C" __global__ void right_tail_of_nested(int* data, int n) {
    nested<<<1, 1, 0, cudaStreamFireAndForget>>>(data, n);
    sum_up<<<1, 1, 0, cudaStreamTailLaunch>>>(data, n, data + n);
}

extern "C" __global__ void right_stream_behind_nested(int* data, int n) {
    nested<<<1, 1>>>(data, n);
    sum_up<<<1, 1>>>(data, n, data + n);
}

extern "C" __global__ void right_event(int* data, int n) {
    cudaStream_t a, b;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    add_one<<<2, 32, 0, a>>>(data, n);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    sum_up<<<1, 1, 0, b>>>(data, n, data + n);
    cudaEventDestroy(done);
}

extern "C" __global__ void right_atomics(int* data, int n) {
    add_one<<<1, 1>>>(data + threadIdx.x + 1, 1);
    atomicAdd(data, 1);
    atomicAdd(&calls, n);
}

// ---- Races ----

extern "C" __global__ void writes_after_launch(int* data, int n) {
    add_one<<<2, 32>>>(data, n);
    data[3] = 7;  // writes_after_launch
}

extern "C" __global__ void reads_result(int* data, int n) {
    put<<<1, 1>>>(data, 1);
    data[n] = data[0];  // reads_result
}

extern "C" __global__ void no_barrier_before_launch(int* data, int n) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);  // no_barrier_before_launch
    if (threadIdx.x == 0) add_one<<<2, 32>>>(data, n);
}

extern "C" __global__ void two_streams(int* data, int n) {
    for (int k = 0; k < 2; ++k) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        add_one<<<2, 32, 0, stream>>>(data, n);
        cudaStreamDestroy(stream);
    }
}

extern "C" __global__ void fire_and_forget_twice(int* data, int n) {
    add_one<<<2, 32, 0, cudaStreamFireAndForget>>>(data, n);
    add_one<<<2, 32, 0, cudaStreamFireAndForget>>>(data, n);
}

// Each block has a null stream of its own. The null streams of two blocks do not wait for each other.
extern "C" __global__ void null_streams_of_two_blocks(int* data, int n) { add_one<<<2, 32>>>(data, n); }

// The children of a kernel that was launched into one stream are not ordered with work in another stream.
extern "C" __global__ void nephew(int* data, int n) {
    nested<<<1, 1, 0, cudaStreamFireAndForget>>>(data, n);
    sum_up<<<1, 1>>>(data, n, data + n);
}

// ---- Limits and errors ----

extern "C" __global__ void many(int* data, int n) {
    int failed = 0;
    for (int k = 0; k < n; ++k) {
        add_one<<<1, 1, 0, cudaStreamFireAndForget>>>(data + 2 + k, 1);
        if (cudaGetLastError() != cudaSuccess) ++failed;
    }
    data[0] = failed;
}

extern "C" __global__ void deeper(int* data, int depth) {
    data[depth] = 1;
    deeper<<<1, 1>>>(data, depth + 1);  // deeper
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        data[100] = error;
        data[101] = depth;
    }
}

extern "C" __global__ void ignores(int* data, int threads) {
    add_one<<<1, threads>>>(data, 1);  // ignores
    cudaStreamDestroy(nullptr);        // fails, too, and leaves the first error as it is
}

__global__ void __launch_bounds__(64) bounded(int* data) { *data = 1; }
__global__ void shared(int* data) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    *data = s[threadIdx.x];
}

extern "C" __global__ void errors(int* data) {
    int n = 0;
    const auto next = [&](cudaError_t error) { data[n++] = error; };
    add_one<<<1, 1025>>>(data, 0);
    next(cudaPeekAtLastError());
    next(cudaGetLastError());
    next(cudaGetLastError());
    add_one<<<0, 32>>>(data, 0);
    next(cudaGetLastError());
    bounded<<<1, 65>>>(data);
    next(cudaGetLastError());
    shared<<<1, 1, 48 * 1024 + 1>>>(data);
    next(cudaGetLastError());
    cudaStream_t stream;
    next(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
    next(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    next(cudaStreamDestroy(stream));
    next(cudaStreamDestroy(stream));
    cudaGetLastError();
    add_one<<<1, 1, 0, stream>>>(data, 0);
    next(cudaGetLastError());
    size_t limit = 0;
    next(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    data[n++] = static_cast<int>(limit);
    printf("%s: %s\n", cudaGetErrorName(cudaErrorLaunchMaxDepthExceeded),
           cudaGetErrorString(cudaErrorLaunchMaxDepthExceeded));
}

__global__ void takes(const int* from, int* to) { *to = *from; }

extern "C" __global__ void gives_shared(int* data) {
    __shared__ int s[4];
    s[threadIdx.x] = 1;
    takes<<<1, 1>>>(s + 1, data);  // gives_shared
}

extern "C" __global__ void gives_local(int* data, int n) {
    int values[4] = {1, 2, 3, 4};
    values[n] = 5;
    int* volatile where = values + n;  // so that the compiler does not see it
    takes<<<1, 1>>>(where, data);      // gives_local
}

extern "C" __global__ void not_implemented(int* data) {
    void* more = nullptr;
    cudaMalloc(&more, 100);  // not_implemented
    *data = more != nullptr;
}

// ---- Copies ----

extern "C" __global__ void right_copies(int* data, int n) {
    add_one<<<2, 32>>>(data, n);
    cudaMemcpyAsync(data + n, data, n * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    cudaMemsetAsync(data + 2 * n, 1, 10, 0);
    sum_up<<<1, 1>>>(data + n, n, data + 3 * n);
}

extern "C" __global__ void copies_in_two_streams(int* data, int n) {
    add_one<<<2, 32>>>(data, n);
    cudaMemcpyAsync(data + n, data, 4 * n, cudaMemcpyDeviceToDevice, cudaStreamFireAndForget);  // copy
}

extern "C" __global__ void copies_past_the_end(int* data, int n) {
    cudaMemcpyAsync(data, data + n, 4 * n, cudaMemcpyDeviceToDevice, 0);  // copies_past_the_end
}

// ---- Faults in what was launched ----

__global__ void past_the_end(int* data, int n) { data[n + threadIdx.x] = 1; }  // past_the_end
extern "C" __global__ void launches_fault(int* data, int n) { past_the_end<<<1, 2>>>(data, n); }

__global__ void waits(volatile int* flag) {
    while (*flag == 0) {  // waits
    }
}
extern "C" __global__ void launches_waiting(int* data) { waits<<<1, 1>>>(data); }
extern "C" __global__ void waits_for_child(int* data) {
    put<<<1, 1>>>(data, 1);
    while (*static_cast<volatile int*>(data) == 0) {  // waits_for_child
    }
}

// ---- Undefined values ----

extern "C" __global__ void undefined_argument(int* data, int n) {
    __shared__ int s[2];
    s[0] = n;
    __syncthreads();
    put<<<1, 1>>>(data, s[n & 1]);        // defined_argument
    put<<<1, 1>>>(data, s[1 - (n & 1)]);  // undefined_argument
}
