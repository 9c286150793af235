// Memory of the device and of the host: freed too early, twice or never, mixed up, copied wrongly.
#include "corpus.h"

__global__ void triple(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3 * in[i];  // freed_before_use: use_after_free
}

template <bool kGood>
void freed_before_use() {
    int* in = nullptr;
    CHECK(cudaMalloc(&in, 64 * sizeof(int)));
    CHECK(cudaMemset(in, 0, 64 * sizeof(int)));
    Array<int> out(64, 0);
    if (!kGood) CHECK(cudaFree(in));
    triple<<<1, 64>>>(in, out, 64);
    out.print();
    if (kGood) CHECK(cudaFree(in));
}

struct Image {
    int* pixels = nullptr;
    int n = 0;
    void release() {
        cudaFree(pixels);  // freed_twice: invalid_access
    }
};
template <bool kGood>
void freed_twice() {
    Image image;
    image.n = 64;
    CHECK(cudaMalloc(&image.pixels, 64 * sizeof(int)));
    CHECK(cudaMemset(image.pixels, 0, 64 * sizeof(int)));
    Image copy = image;
    copy.release();
    if (!kGood) image.release();
    CHECK(cudaDeviceSynchronize());
}

template <bool kGood>
int sum_of(const std::vector<int>& host) {
    int *in = nullptr, *out = nullptr;
    const int bytes = static_cast<int>(host.size() * sizeof(int));
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));  // leak_on_way_out: leak
    CHECK(cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice));
    triple<<<1, 64>>>(in, out, 64);
    int first = 0;
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    if (!kGood && first < 100) return first;
    CHECK(cudaFree(out));
    return first;
}
template <bool kGood>
void leak_on_way_out() {
    std::printf("%d\n", sum_of<kGood>(numbers(64)));
}

// The buffer grows with each piece; the smaller one is forgotten.
template <bool kGood>
void leak_in_loop() {
    int* buffer = nullptr;
    for (int n = 64; n <= 256; n *= 2) {
        if (kGood && buffer) CHECK(cudaFree(buffer));
        CHECK(cudaMalloc(&buffer, n * sizeof(int)));  // leak_in_loop: leak
        CHECK(cudaMemset(buffer, 0, n * sizeof(int)));
        triple<<<1, n>>>(buffer, buffer, n);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFree(buffer));
}

template <bool kGood>
void copy_too_long() {
    std::vector<double> host(64);
    double* data = nullptr;
    CHECK(cudaMalloc(&data, 64 * (kGood ? sizeof(double) : sizeof(float))));
    cudaMemcpy(data, host.data(), 64 * sizeof(double), cudaMemcpyHostToDevice);  // copy_too_long: out_of_bounds
    CHECK(cudaFree(data));
}

template <bool kGood>
void wrong_direction() {
    const std::vector<int> host = numbers(64);
    Array<int> data(64, 0), out(64, 0);
    const cudaMemcpyKind kind = kGood ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cudaMemcpy(data, host.data(), 64 * sizeof(int), kind);  // wrong_direction: invalid_access
    triple<<<1, 64>>>(data, out, 64);
    out.print();
}

template <bool kGood>
__global__ void negate(const int* in, int* out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = -in[i];  // pointer_of_host: out_of_bounds
}
template <bool kGood>
void pointer_of_host() {
    const std::vector<int> host = numbers(64);
    Array<int> in(host), out(64, 0);
    negate<kGood><<<1, 64>>>(kGood ? +in : host.data(), out, 64);
    out.print();
}

template <bool kGood>
void host_reads_device() {
    Array<int> in(numbers(64)), out(64, 0);
    triple<<<1, 64>>>(in, out, 64);
    CHECK(cudaDeviceSynchronize());
    int first = 0;
    if (kGood)
        CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    else
        first = out[0];  // host_reads_device: host_access
    std::printf("%d\n", first);
}

// The pointer was moved along while the host copied pieces.
template <bool kGood>
void freed_in_middle() {
    const std::vector<int> host = numbers(64);
    int* data = nullptr;
    CHECK(cudaMalloc(&data, 256 * sizeof(int)));
    int* at = data;
    for (int piece = 0; piece < 4; ++piece, at += 64)
        CHECK(cudaMemcpy(at, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
    cudaFree(kGood ? data : at - 64);  // freed_in_middle: invalid_access
    if (!kGood) cudaFree(data);
}

// A struct in device memory whose pointer leads to the host.
struct Vector {
    int n;
    int* data;
};
__global__ void total(const Vector* v, int* out) {
    int sum = 0;
    for (int i = 0; i < v->n; ++i) sum += v->data[i];  // shallow_copy: out_of_bounds
    *out = sum;
}
template <bool kGood>
void shallow_copy() {
    std::vector<int> host = numbers(16);
    Array<int> data(host), out(1, 0);
    const Vector vector = {16, kGood ? +data : host.data()};
    Vector* d_vector = nullptr;
    CHECK(cudaMalloc(&d_vector, sizeof vector));
    CHECK(cudaMemcpy(d_vector, &vector, sizeof vector, cudaMemcpyHostToDevice));
    total<<<1, 1>>>(d_vector, out);
    out.print();
    CHECK(cudaFree(d_vector));
}

// Thread 0 gives the others a pointer to its own local array.
template <bool kGood>
__global__ void share_table(const int* in, int* out) {
    __shared__ int* table;
    __shared__ int room[8];
    int mine[8];
    if (threadIdx.x == 0) {
        int* to = kGood ? room : mine;
        for (int k = 0; k < 8; ++k) to[k] = in[k];
        table = to;
    }
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x % 8];  // table_of_one_thread: uninitialized
}
template <bool kGood>
void table_of_one_thread() {
    Array<int> in(numbers(8)), out(32, 0);
    share_table<kGood><<<1, 32>>>(in, out);
    out.print();
}

// The name of a variable of the device is an address on the host only.
__device__ int counters[64];
__global__ void count_up(int* to) { atomicAdd(&to[threadIdx.x], 1); }  // address_of_symbol: out_of_bounds
template <bool kGood>
void address_of_symbol() {
    void* address = counters;
    if (kGood) CHECK(cudaGetSymbolAddress(&address, counters));
    count_up<<<1, 64>>>(static_cast<int*>(address));
    CHECK(cudaDeviceSynchronize());
}

// Two buffers change places after each step; in the end one of them is freed twice and the other never.
template <bool kGood>
void freed_after_swap() {
    int *from = nullptr, *to = nullptr;
    CHECK(cudaMalloc(&from, 256));
    CHECK(cudaMalloc(&to, 256));  // freed_after_swap: leak
    int* const first = from;
    CHECK(cudaMemset(from, 0, 256));
    for (int t = 0; t < 3; ++t) {
        triple<<<1, 64>>>(from, to, 64);
        std::swap(from, to);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(first));
    if (kGood) CHECK(cudaFree(from));
}

// A list in memory that the kernel allocates, freed node by node.
struct Node {
    int value;
    Node* next;
};
template <bool kGood>
__global__ void build_and_free(int* out, int n) {
    Node* head = nullptr;
    for (int i = 0; i < n; ++i) head = new Node{i, head};
    int sum = 0;
    for (Node* at = head; at != nullptr;) {
        Node* const next = at->next;
        sum += at->value;
        delete at;
        at = kGood ? next : at->next;  // next_of_freed: use_after_free
    }
    *out = sum;
}
template <bool kGood>
void next_of_freed() {
    Array<int> out(1, 0);
    build_and_free<kGood><<<1, 1>>>(out, 8);
    out.print();
}

template <bool kGood>
void pinned_leak() {
    int* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, 64 * sizeof(int)));  // pinned_leak: leak
    Array<int> data(numbers(64));
    CHECK(cudaMemcpy(pinned, data, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d\n", pinned[1]);
    if (kGood) CHECK(cudaFreeHost(pinned));
}

template <bool kGood>
void copied_after_free() {
    int *data = nullptr, first = 0;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 64 * sizeof(int)));
    if (!kGood) CHECK(cudaFree(data));
    cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);  // copied_after_free: use_after_free
    std::printf("%d\n", first);
    if (kGood) CHECK(cudaFree(data));
}

int main(int argc, char** argv) {
    return run({PAIR(freed_before_use), PAIR(freed_twice), PAIR(leak_on_way_out), PAIR(leak_in_loop),
                PAIR(copy_too_long), PAIR(wrong_direction), PAIR(pointer_of_host), PAIR(host_reads_device),
                PAIR(freed_in_middle), PAIR(shallow_copy), PAIR(table_of_one_thread), PAIR(address_of_symbol),
                PAIR(freed_after_swap), PAIR(next_of_freed), PAIR(pinned_leak), PAIR(copied_after_free)},
               argc, argv);
}
