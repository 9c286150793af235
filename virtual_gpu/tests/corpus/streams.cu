// Work in several streams that the host does not order.
#include "corpus.h"

constexpr int kN = 1 << 12, kBytes = kN * sizeof(int);

__global__ void triple(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3 * in[i];
}
__global__ void add(const int* in, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += in[i];
}

// Two streams, an event, and a pinned array.
struct Tools {
    cudaStream_t a, b;
    cudaEvent_t event;
    int* pinned;
    explicit Tools(unsigned flags = cudaStreamNonBlocking) {
        CHECK(cudaStreamCreateWithFlags(&a, flags));
        CHECK(cudaStreamCreateWithFlags(&b, flags));
        CHECK(cudaEventCreate(&event));
        CHECK(cudaMallocHost(&pinned, kBytes));
        for (int i = 0; i < kN; ++i) pinned[i] = i % 100;
    }
    ~Tools() {
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
        cudaEventDestroy(event);
        cudaFreeHost(pinned);
    }
    void b_after_a() const {
        CHECK(cudaEventRecord(event, a));
        CHECK(cudaStreamWaitEvent(b, event));
    }
};

template <bool kGood>
void input_in_other_stream() {
    Tools t;
    Array<int> in(kN), out(kN, 0);
    CHECK(cudaMemcpyAsync(in, t.pinned, kBytes, cudaMemcpyHostToDevice, t.a));
    if (kGood) t.b_after_a();
    triple<<<kN / 256, 256, 0, t.b>>>(in, out, kN);  // input_in_other_stream: race
    CHECK(cudaDeviceSynchronize());
    out.print();
}

template <bool kGood>
void result_in_other_stream() {
    Tools t;
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    triple<<<kN / 256, 256, 0, t.a>>>(in, out, kN);
    if (kGood) t.b_after_a();
    CHECK(cudaMemcpyAsync(t.pinned, out, kBytes, cudaMemcpyDeviceToHost, t.b));  // result_in_other_stream: race
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", t.pinned[7]);
}

// The host reads what an asynchronous copy may not have brought yet.
template <bool kGood>
void host_reads_early() {
    Tools t;
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    triple<<<kN / 256, 256, 0, t.a>>>(in, out, kN);
    CHECK(cudaMemcpyAsync(t.pinned, out, kBytes, cudaMemcpyDeviceToHost, t.a));
    if (kGood) CHECK(cudaStreamSynchronize(t.a));
    std::printf("%d\n", t.pinned[7]);  // host_reads_early: race
    CHECK(cudaDeviceSynchronize());
}

// A plain cudaMemcpy waits for the streams that wait for it, and not for others.
template <bool kGood>
void copy_does_not_wait() {
    Tools t(kGood ? cudaStreamDefault : cudaStreamNonBlocking);
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    triple<<<kN / 256, 256, 0, t.a>>>(in, out, kN);
    out.print();  // copy_does_not_wait: race
    CHECK(cudaDeviceSynchronize());
}

template <bool kGood>
void event_too_early() {
    Tools t;
    Array<int> in(numbers(kN)), middle(kN, 0), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    if (!kGood) CHECK(cudaEventRecord(t.event, t.a));
    triple<<<kN / 256, 256, 0, t.a>>>(in, middle, kN);
    if (kGood) CHECK(cudaEventRecord(t.event, t.a));
    CHECK(cudaStreamWaitEvent(t.b, t.event));
    triple<<<kN / 256, 256, 0, t.b>>>(middle, out, kN);  // event_too_early: race
    CHECK(cudaDeviceSynchronize());
    out.print();
}

template <bool kGood>
void wrong_stream_waits() {
    Tools t;
    Array<int> in(numbers(kN)), middle(kN, 0), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    triple<<<kN / 256, 256, 0, t.a>>>(in, middle, kN);
    CHECK(cudaEventRecord(t.event, t.a));
    CHECK(cudaStreamWaitEvent(kGood ? t.b : t.a, t.event));
    triple<<<kN / 256, 256, 0, t.b>>>(middle, out, kN);  // wrong_stream_waits: race
    CHECK(cudaDeviceSynchronize());
    out.print();
}

// Two halves side by side, of which the second begins one too early.
template <bool kGood>
void halves_overlap() {
    Tools t;
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    const int half = kN / 2, begin = kGood ? half : half - 1;
    add<<<half / 256, 256, 0, t.a>>>(in, out, half);
    add<<<half / 256 + 1, 256, 0, t.b>>>(in + begin, out + begin, kN - begin);  // halves_overlap: race
    CHECK(cudaDeviceSynchronize());
    out.print();
}

// Pieces go through two buffers in turn: the third piece must wait for the first.
template <bool kGood>
void buffer_used_again() {
    Tools t;
    const int piece = kN / 4, bytes = kBytes / 4;
    Array<int> buffer(2 * piece), out(kN, 0);
    cudaEvent_t done[2];
    for (cudaEvent_t& one : done) CHECK(cudaEventCreate(&one));
    for (int i = 0; i < 4; ++i) {
        int *mine = buffer + i % 2 * piece, *from = t.pinned + i * piece;
        if (kGood && i >= 2) CHECK(cudaStreamWaitEvent(t.a, done[i % 2]));
        CHECK(cudaMemcpyAsync(mine, from, bytes, cudaMemcpyDefault, t.a));  // buffer_used_again: race
        t.b_after_a();
        triple<<<piece / 256, 256, 0, t.b>>>(mine, out + i * piece, piece);
        CHECK(cudaEventRecord(done[i % 2], t.b));
    }
    CHECK(cudaDeviceSynchronize());
    for (cudaEvent_t& one : done) CHECK(cudaEventDestroy(one));
    out.print();
}

template <bool kGood>
void zeroed_in_other_stream() {
    Tools t;
    Array<int> in(numbers(kN)), sum(kN, 5);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemsetAsync(sum, 0, kBytes, t.a));
    add<<<kN / 256, 256, 0, kGood ? t.a : t.b>>>(in, sum, kN);  // zeroed_in_other_stream: race
    CHECK(cudaDeviceSynchronize());
    sum.print();
}

template <bool kGood>
void freed_in_other_stream() {
    Tools t;
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    int* middle = nullptr;
    CHECK(cudaMallocAsync(&middle, kBytes, t.a));
    triple<<<kN / 256, 256, 0, t.a>>>(in, middle, kN);
    triple<<<kN / 256, 256, 0, t.a>>>(middle, out, kN);
    if (kGood) t.b_after_a();
    CHECK(cudaFreeAsync(middle, t.b));  // freed_in_other_stream: race
    CHECK(cudaDeviceSynchronize());
    out.print();
}

template <bool kGood>
void allocated_in_other_stream() {
    Tools t;
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    int* middle = nullptr;
    CHECK(cudaMallocAsync(&middle, kBytes, t.a));
    if (kGood) t.b_after_a();
    triple<<<kN / 256, 256, 0, t.b>>>(in, middle, kN);  // allocated_in_other_stream: race
    triple<<<kN / 256, 256, 0, t.b>>>(middle, out, kN);
    CHECK(cudaFreeAsync(middle, t.b));
    CHECK(cudaDeviceSynchronize());
    out.print();
}

// The host fills the array for the next copy while the last copy may still read it.
template <bool kGood>
void host_writes_early() {
    Tools t;
    Array<int> first(kN), second(kN);
    CHECK(cudaMemcpyAsync(first, t.pinned, kBytes, cudaMemcpyHostToDevice, t.a));
    if (kGood) CHECK(cudaStreamSynchronize(t.a));
    for (int i = 0; i < kN; ++i) t.pinned[i] = -i;  // host_writes_early: race
    CHECK(cudaMemcpyAsync(second, t.pinned, kBytes, cudaMemcpyHostToDevice, t.a));
    CHECK(cudaStreamSynchronize(t.a));
    first.print();
}

// The next step's factors replace those that the kernel of this step still reads.
__constant__ int factors[2][4];
__global__ void times_factors(const int* in, int* out, int n, int set) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factors[set][i % 4];
}
template <bool kGood>
void constants_replaced() {
    Tools t;
    Array<int> in(numbers(kN)), out(kN, 0);
    CHECK(cudaDeviceSynchronize());
    for (int step = 0; step < 2; ++step) {
        const std::size_t set = kGood ? step : 0;
        CHECK(cudaMemcpyToSymbolAsync(  // constants_replaced: race
            factors, t.pinned + step, sizeof(factors[0]), set * sizeof(factors[0]), cudaMemcpyHostToDevice, t.b));
        CHECK(cudaEventRecord(t.event, t.b));
        CHECK(cudaStreamWaitEvent(t.a, t.event));
        times_factors<<<kN / 256, 256, 0, t.a>>>(in, out, kN, set);
    }
    CHECK(cudaDeviceSynchronize());
    out.print();
}

// Two kernels add to the same sums.
template <bool kGood>
void sums_of_two_streams() {
    Tools t;
    Array<int> in(numbers(kN)), sum(kN, 0);
    CHECK(cudaDeviceSynchronize());
    add<<<kN / 256, 256, 0, t.a>>>(in, sum, kN);
    if (kGood) CHECK(cudaStreamSynchronize(t.a));
    add<<<kN / 256, 256, 0, t.b>>>(in, sum, kN);  // sums_of_two_streams: race
    CHECK(cudaDeviceSynchronize());
    sum.print();
}

// Both halves of a small pinned array are on their way; the host has waited for one of them.
template <bool kGood>
void half_awaited() {
    Tools t;
    Array<int> data(numbers(128));
    int* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, 512));
    CHECK(cudaMemcpyAsync(pinned, data, 256, cudaMemcpyDeviceToHost, t.a));
    CHECK(cudaMemcpyAsync(pinned + 64, data + 64, 256, cudaMemcpyDeviceToHost, t.b));
    CHECK(cudaStreamSynchronize(t.a));
    if (kGood) CHECK(cudaStreamSynchronize(t.b));
    std::printf("%d\n", pinned[3] + pinned[70]);  // half_awaited: race
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(pinned));
}

template <bool kGood>
void freed_before_copied() {
    Tools t;
    Array<int> data(64, 0);
    int* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, 256));
    std::memset(pinned, 0, 256);
    CHECK(cudaMemcpyAsync(data, pinned, 256, cudaMemcpyHostToDevice, t.a));
    if (kGood) CHECK(cudaStreamSynchronize(t.a));
    CHECK(cudaFreeHost(pinned));  // freed_before_copied: race
    CHECK(cudaDeviceSynchronize());
}

// The time of a kernel that may not have begun.
template <bool kGood>
void time_not_there() {
    Array<int> in(numbers(kN)), sum(kN, 0);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    add<<<kN / 256, 256>>>(in, sum, kN);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(kGood ? end : begin));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));  // time_not_there: race
    std::printf("%d\n", ms > 1e6f);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

int main(int argc, char** argv) {
    return run({PAIR(input_in_other_stream), PAIR(result_in_other_stream), PAIR(host_reads_early),
                PAIR(copy_does_not_wait), PAIR(event_too_early), PAIR(wrong_stream_waits), PAIR(halves_overlap),
                PAIR(buffer_used_again), PAIR(zeroed_in_other_stream), PAIR(freed_in_other_stream),
                PAIR(allocated_in_other_stream), PAIR(host_writes_early), PAIR(constants_replaced),
                PAIR(sums_of_two_streams), PAIR(half_awaited), PAIR(freed_before_copied), PAIR(time_not_there)},
               argc, argv);
}
