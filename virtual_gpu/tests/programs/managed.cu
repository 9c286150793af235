// Host and kernels use the same memory: a variable, an array with pointers into itself, pinned memory. Prints what is
// wrong, then "done".
#include <cstdio>
#include <cstring>

__managed__ int counter = 3;
__managed__ float table[4] = {1, 2};
static __managed__ char large[130 << 20];  // more than one variable has room for elsewhere
__managed__ int behind = 9;
__global__ void touch_large(char* last) {
    large[1] = 4;
    *last = 5;
    ++behind;
}

struct Node {
    int value;
    Node* next;
};

__global__ void walk(Node* first, int* sum) {
    for (Node* n = first; n; n = n->next) {
        *sum += n->value;
        n->value = counter;
        atomicAdd(&counter, 1);
    }
    table[3] = table[0] + table[2];
}

// Tells the host by a flag that its results are there.
__global__ void tell(volatile int* flag, int* result) {
    result[1] = 41;
    __threadfence_system();
    *flag = 1;
}

static int failures = 0;
static void expect(bool is_so, int line) {
    if (is_so) return;
    std::printf("line %d\n", line);
    ++failures;
}
#define EXPECT(...) expect(__VA_ARGS__, __LINE__)

struct Both {
    int *on_host, *on_device;
};
__global__ void put_seven(Both both) { *both.on_device = 7; }

int main() {
    touch_large<<<1, 1>>>(&large[sizeof large - 1]);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(large[0] == 0 && large[1] == 4 && large[sizeof large - 1] == 5 && behind == 10);
    Node* nodes = nullptr;
    EXPECT(cudaMallocManaged(&nodes, 3 * sizeof(Node)) == cudaSuccess);
    EXPECT(nodes[2].value == 0);
    for (int i = 0; i < 3; ++i) nodes[i] = {i + 1, i < 2 ? &nodes[i + 1] : nullptr};
    cudaPointerAttributes attributes{};
    EXPECT(cudaPointerGetAttributes(&attributes, nodes) == cudaSuccess && attributes.type == cudaMemoryTypeManaged);
    EXPECT(cudaMemPrefetchAsync(nodes, 3 * sizeof(Node), {cudaMemLocationTypeDevice, 0}, 0, nullptr) == cudaSuccess);
    int *sum = nullptr, *d_sum = nullptr;
    EXPECT(cudaHostAlloc(&sum, 2 * sizeof(int), cudaHostAllocMapped) == cudaSuccess);
    EXPECT(cudaHostGetDevicePointer(&d_sum, sum, 0) == cudaSuccess);
    sum[0] = 40;
    EXPECT(counter == 3);
    table[2] = 9;
    for (int round = 0; round < 2; ++round) {
        walk<<<1, 1>>>(nodes, d_sum);
        EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    }
    EXPECT(sum[0] == 40 + 1 + 2 + 3 + 3 + 4 + 5);
    EXPECT(counter == 9 && table[3] == 10 && table[1] == 2);
    EXPECT(nodes[0].value == 6 && nodes[2].value == 8 && nodes[1].next == &nodes[2]);
    int value = 0;
    EXPECT(cudaMemcpy(&value, &nodes[1].value, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value == 7);
    EXPECT(cudaMemcpyFromSymbol(&value, counter, sizeof value) == cudaSuccess && value == 9);
    EXPECT(cudaMemset(nodes, 0, sizeof(Node)) == cudaSuccess && nodes[0].next == nullptr && nodes[1].value == 7);
    int* flag = nullptr;
    EXPECT(cudaMallocManaged(&flag, sizeof(int)) == cudaSuccess);
    *flag = 0;
    tell<<<1, 1>>>(flag, d_sum);
    while (*static_cast<volatile int*>(flag) == 0) {
    }
    EXPECT(sum[1] == 41);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    int* own = nullptr;  // a kernel may be given the host's pointer, too
    EXPECT(cudaMallocHost(&own, 2 * sizeof(int)) == cudaSuccess);
    for (int round = 0; round < 2; ++round) {
        own[1] = 0;
        tell<<<1, 1>>>(flag, own);
        EXPECT(cudaDeviceSynchronize() == cudaSuccess && own[1] == 41);
    }
    // In a struct, beside the device's, it is none of the kernel's business: copies and kernels are in order.
    int* on_device = nullptr;
    EXPECT(cudaMalloc(&on_device, sizeof(int)) == cudaSuccess);
    EXPECT(cudaFreeHost(own) == cudaSuccess && cudaMallocHost(&own, sizeof(int)) == cudaSuccess);
    put_seven<<<1, 1>>>({own, on_device});
    EXPECT(cudaMemcpy(own, on_device, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess && *own == 7);
    EXPECT(cudaFree(on_device) == cudaSuccess);
    EXPECT(cudaFreeHost(own) == cudaSuccess);
    EXPECT(cudaFree(flag) == cudaSuccess);
    EXPECT(cudaFree(nodes) == cudaSuccess);
    EXPECT(cudaFreeHost(sum) == cudaSuccess);
    if (failures == 0) std::puts("done");
    return failures;
}
