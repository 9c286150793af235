// Memory of the host that kernels use at the host's address, threads of the host that use it, and what the device says
// of itself. Each case prints "done" if it went right. `host_memory NAME`.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "host_cases.h"

template <class T>
T* pinned(int n, unsigned flags = cudaHostAllocDefault) {
    T* p = nullptr;
    CHECK(cudaHostAlloc(&p, n * sizeof(T), flags));
    std::memset(static_cast<void*>(p), 0, n * sizeof(T));
    return p;
}
template <class T>
T* managed(int n) {
    T* p = nullptr;
    CHECK(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
}

__global__ void add(long* p, long value) { p[threadIdx.x] += value; }

// ---- Threads ----
void threads_on(long* p) {
    for (int round = 0; round < 300; ++round) {
        add<<<1, 1>>>(p, 1);
        CHECK(cudaDeviceSynchronize());
        std::vector<std::thread> all;
        for (int i = 0; i < 4; ++i) all.emplace_back([=] { __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); });
        for (std::thread& t : all) t.join();
    }
    EXPECT(*p == 300 * 5);
}
void threads_pinned() { threads_on(pinned<long>(1)); }
void threads_managed() { threads_on(managed<long>(1)); }
__managed__ long counter;
void threads_variable() {
    std::vector<std::thread> all;  // none of them has used CUDA before
    for (int i = 0; i < 4; ++i) all.emplace_back([=] { __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST); });
    for (std::thread& t : all) t.join();
    counter -= 4;
    threads_on(&counter);
}
// Each has memory and a stream of its own, and launches while others use theirs.
void threads_launch() {
    std::vector<std::thread> all;
    std::atomic<int> right = 0;
    for (int i = 0; i < 4; ++i)
        all.emplace_back([&, i] {
            long* p = i % 2 == 0 ? managed<long>(1000) : pinned<long>(1000);
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (int round = 0; round < 30; ++round) {
                add<<<1, 100, 0, stream>>>(p, 1);
                CHECK(cudaStreamSynchronize(stream));
                for (int k = 0; k < 1000; ++k) p[k] += 1;
            }
            right += p[0] == 60 && p[999] == 30;
            CHECK(cudaStreamDestroy(stream));
        });
    for (std::thread& t : all) t.join();
    EXPECT(right == 4);
}
// Copies into pinned memory that the host has not waited for, of which two threads use other parts.
void threads_and_copies() {
    int *d = nullptr, *h = pinned<int>(4096);
    CHECK(cudaMalloc(&d, 4096 * sizeof(int)));
    CHECK(cudaMemset(d, 0, 4096 * sizeof(int)));
    for (int round = 0; round < 50; ++round) {
        CHECK(cudaMemcpyAsync(h, d, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
        std::thread first([=] { h[2048] += 1; }), second([=] { h[3000] += 1; });
        first.join();
        second.join();
        CHECK(cudaDeviceSynchronize());
    }
    EXPECT(h[2048] == 50 && h[3000] == 50 && h[0] == 0);
}

// ---- Addresses of variables ----
__managed__ int one = 2;
__managed__ int many[4] = {0, 2, 0, 0};
struct Record {
    double weight;
    int count[3];
};
__managed__ Record record = {1.5, {1, 2, 3}};
__managed__ int behind = 9;
__managed__ int* pointer;
__global__ void bump(int* p) { ++*p; }
__global__ void bump_by_name() {
    ++one;
    ++*pointer;
}
__global__ void address_of(int** out) { *out = &many[2]; }
__global__ void change(Record* r) { r->weight *= 2; }
void address_as_argument() {
    bump<<<1, 1>>>(&one);
    bump<<<1, 1>>>(&many[1]);
    bump<<<1, 1>>>(&record.count[2]);
    change<<<1, 1>>>(&record);
    bump<<<1, 1>>>(&behind);
    CHECK(cudaDeviceSynchronize());
    EXPECT(one == 3 && many[1] == 3 && record.count[2] == 4 && record.weight == 3 && behind == 10);
}
void address_by_kernel() {
    pointer = &many[3];
    int** out = managed<int*>(1);
    bump_by_name<<<1, 1>>>();
    address_of<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(one == 3 && many[3] == 1 && *out == &many[2]);
}
void address_to_calls() {
    int value = 7;
    void* address = nullptr;
    std::size_t bytes = 0;
    CHECK(cudaMemcpy(&many[2], &value, sizeof value, cudaMemcpyHostToDevice));
    EXPECT(many[2] == 7);
    CHECK(cudaMemcpy(&value, &many[1], sizeof value, cudaMemcpyDefault));
    EXPECT(value == 2);
    CHECK(cudaMemset(&one, 0, sizeof one));
    EXPECT(one == 0);
    CHECK(cudaGetSymbolAddress(&address, many));
    CHECK(cudaGetSymbolSize(&bytes, many));
    EXPECT(address == many && bytes == sizeof many);
    CHECK(cudaMemcpyToSymbol(many, &value, sizeof value, sizeof value));
    EXPECT(many[1] == 2);
    cudaPointerAttributes its{};
    CHECK(cudaPointerGetAttributes(&its, &record.count[1]));
    EXPECT(its.type == cudaMemoryTypeManaged && its.devicePointer == &record.count[1] &&
           its.hostPointer == its.devicePointer);
}
void address_in_struct() {
    int*** table = managed<int**>(2);
    table[0] = &pointer;
    pointer = &one;
    bump<<<1, 1>>>(*table[0]);
    CHECK(cudaDeviceSynchronize());
    EXPECT(one == 3);
}

// ---- Pointers to pinned memory ----
__global__ void write_through(int** table, int n) {
    if (threadIdx.x < n) *table[threadIdx.x] = 5 + threadIdx.x;
}
void pointer_in_array() {
    int *p = pinned<int>(4), *q = nullptr, **t = nullptr;
    CHECK(cudaMallocHost(&q, sizeof(int)));
    int* const both[2] = {p + 3, q};
    CHECK(cudaMalloc(&t, sizeof both));
    CHECK(cudaMemcpy(t, both, sizeof both, cudaMemcpyHostToDevice));
    write_through<<<1, 32>>>(t, 2);
    CHECK(cudaDeviceSynchronize());
    EXPECT(p[3] == 5 && *q == 6);
}
struct Large {
    int padding[40];
    int* first;
    int* second;
};
__global__ void take_large(Large all) { *all.second = *all.first + all.padding[39]; }
void pointer_in_struct() {
    Large all{};
    all.padding[39] = 2;
    all.first = pinned<int>(1, cudaHostAllocMapped);
    all.second = pinned<int>(1, cudaHostAllocMapped | cudaHostAllocWriteCombined);
    *all.first = 40;
    take_large<<<1, 1>>>(all);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*all.second == 42);
}
template <class F>
__global__ void call(F f) {
    f();
}
void pointer_in_lambda() {
    int *a = pinned<int>(1), *b = pinned<int>(1), *c = managed<int>(1);
    double more[20] = {1, 2, 3};
    call<<<1, 1>>>([=] __device__ {
        *a = static_cast<int>(more[2]);
        *b = *a + 1;
        *c = *b + 1;
    });
    CHECK(cudaDeviceSynchronize());
    EXPECT(*a == 3 && *b == 4 && *c == 5);
}
struct Node {
    int value;
    Node* next;
};
__global__ void append(Node* first, Node* second) {
    first->next = second;
    second->value = 8;
}
void pointer_by_kernel() {
    Node *first = pinned<Node>(1), *second = pinned<Node>(1), *d_second = nullptr;
    CHECK(cudaHostGetDevicePointer(&d_second, second, 0));
    EXPECT(d_second == second);
    append<<<1, 1>>>(first, d_second);
    CHECK(cudaDeviceSynchronize());
    EXPECT(first->next == second && first->next->value == 8);
}
void registered() {
    std::vector<int> own(5000, 1);
    int **table = managed<int*>(1), *d = nullptr;
    CHECK(cudaHostRegister(own.data() + 1, 4000 * sizeof(int), cudaHostRegisterMapped));
    EXPECT(cudaHostRegister(own.data() + 10, sizeof(int), 0) == cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(cudaHostRegister(own.data(), 4 * sizeof(int), 0) == cudaErrorHostMemoryAlreadyRegistered);
    cudaGetLastError();
    CHECK(cudaHostGetDevicePointer(&d, own.data() + 2, 0));
    EXPECT(d == own.data() + 2);
    *table = d;
    write_through<<<1, 32>>>(table, 1);
    bump<<<1, 1>>>(own.data() + 4000);
    CHECK(cudaDeviceSynchronize());
    EXPECT(own[2] == 5 && own[4000] == 2 && own[3] == 1);
    own[2] = 8;
    bump<<<1, 1>>>(&own[2]);
    CHECK(cudaMemset(&own[3], 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    EXPECT(own[2] == 9 && own[3] == 0);
    cudaPointerAttributes its{};
    CHECK(cudaPointerGetAttributes(&its, &own[7]));
    EXPECT(its.type == cudaMemoryTypeHost && its.devicePointer == &own[7]);
    CHECK(cudaHostUnregister(own.data() + 1));
    CHECK(cudaPointerGetAttributes(&its, &own[7]));
    EXPECT(its.type == cudaMemoryTypeUnregistered && its.devicePointer == nullptr);
}
int global_array[100];
void registered_global() {
    int local_array[50] = {};
    CHECK(cudaHostRegister(global_array, sizeof global_array, cudaHostRegisterPortable));
    CHECK(cudaHostRegister(local_array, sizeof local_array, cudaHostRegisterDefault));
    bump<<<1, 1>>>(global_array + 99);
    bump<<<1, 1>>>(local_array);
    CHECK(cudaDeviceSynchronize());
    EXPECT(global_array[99] == 1 && local_array[0] == 1);
    CHECK(cudaHostUnregister(local_array));
    CHECK(cudaHostUnregister(global_array));
}
void copies() {
    constexpr int kN = 1000;
    int *h = pinned<int>(kN), *m = managed<int>(kN), *d = nullptr, *own = new int[kN]();
    CHECK(cudaMalloc(&d, kN * sizeof(int)));
    for (int i = 0; i < kN; ++i) h[i] = i;
    const std::size_t bytes = kN * sizeof(int);
    CHECK(cudaMemcpy(d, h, bytes, cudaMemcpyDefault));
    CHECK(cudaMemcpy(m, d, bytes, cudaMemcpyDefault));
    EXPECT(m[999] == 999);
    CHECK(cudaMemcpy(own, m, bytes, cudaMemcpyDefault));
    EXPECT(own[998] == 998);
    CHECK(cudaMemset(h, 0, bytes));
    EXPECT((cudaDeviceSynchronize(), h[5] == 0));
    CHECK(cudaMemcpy(h, own, bytes, cudaMemcpyDefault));
    EXPECT(h[5] == 5);
    CHECK(cudaMemcpy(d, h, bytes, cudaMemcpyDeviceToDevice));  // a pointer of the device as well
    cudaPointerAttributes its{};
    CHECK(cudaPointerGetAttributes(&its, h + 3));
    EXPECT(its.type == cudaMemoryTypeHost && its.hostPointer == h + 3 && its.devicePointer == h + 3);
    CHECK(cudaPointerGetAttributes(&its, own));
    EXPECT(its.type == cudaMemoryTypeUnregistered);
    // A system call is given what a kernel has used.
    int ends[2];
    EXPECT(pipe(ends) == 0);
    add<<<1, 1>>>(reinterpret_cast<long*>(m), 0);
    CHECK(cudaDeviceSynchronize());
    EXPECT(write(ends[1], m, 64) == 64 && read(ends[0], m, 64) == 64);
    CHECK(cudaFreeHost(h));
    CHECK(cudaFree(m));
    CHECK(cudaFree(d));
    delete[] own;
}

// ---- What the device says of itself: what says 1 is done here ----
int attribute(cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}
void attributes() {
    cudaDeviceProp p{};
    CHECK(cudaGetDeviceProperties(&p, 0));
    EXPECT(p.managedMemory == 1 && attribute(cudaDevAttrManagedMemory) == 1);
    EXPECT(p.concurrentManagedAccess == 1 && attribute(cudaDevAttrConcurrentManagedAccess) == 1);
    EXPECT(p.canMapHostMemory == 1 && attribute(cudaDevAttrCanMapHostMemory) == 1);
    EXPECT(p.unifiedAddressing == 1 && attribute(cudaDevAttrUnifiedAddressing) == 1);
    EXPECT(p.hostRegisterSupported == 1 && attribute(cudaDevAttrHostRegisterSupported) == 1);
    EXPECT(p.canUseHostPointerForRegisteredMem == 1 && attribute(cudaDevAttrCanUseHostPointerForRegisteredMem) == 1);
    EXPECT(p.pageableMemoryAccess == 0 && attribute(cudaDevAttrPageableMemoryAccess) == 0);
    EXPECT(p.pageableMemoryAccessUsesHostPageTables == 0);
    EXPECT(p.directManagedMemAccessFromHost == 0 && attribute(cudaDevAttrDirectManagedMemAccessFromHost) == 0);
    EXPECT(p.hostNativeAtomicSupported == 0 && attribute(cudaDevAttrHostNativeAtomicSupported) == 0);
    EXPECT(p.hostRegisterReadOnlySupported == 0 && attribute(cudaDevAttrHostRegisterReadOnlySupported) == 0);
    EXPECT(p.clusterLaunch == 0 && p.ipcEventSupported == 0);
}
void memory_info() {
    cudaDeviceProp p{};
    std::size_t free_bytes = 0, total = 0, now = 0;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    EXPECT(p.totalGlobalMem == total && free_bytes <= total && free_bytes > 0);
    char *d = nullptr, *m = managed<char>(1 << 20), *h = pinned<char>(1 << 20);
    CHECK(cudaMalloc(&d, 1 << 20));
    CHECK(cudaMemGetInfo(&now, &total));
    EXPECT(now == free_bytes - (2 << 20));  // pinned memory takes none of the device's
    CHECK(cudaFree(d));
    CHECK(cudaFree(m));
    CHECK(cudaFreeHost(h));
    CHECK(cudaMemGetInfo(&now, &total));
    EXPECT(now == free_bytes);
    EXPECT(cudaMalloc(&d, total + 1) == cudaErrorMemoryAllocation);
    cudaGetLastError();
}

// ---- Wrong ----
void behind_pinned() {
    int* p = pinned<int>(10);
    bump<<<1, 1>>>(p + 10);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void behind_nothing() {  // an array without elements, for which a byte was asked for
    bump<<<1, 1>>>(reinterpret_cast<int*>(pinned<char>(1)));
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void behind_registered() {
    std::vector<int> own(100);
    CHECK(cudaHostRegister(own.data(), 50 * sizeof(int), 0));
    bump<<<1, 1>>>(own.data() + 50);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void behind_variable() {
    bump<<<1, 1>>>(many + 4);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void read_only() {  // hostRegisterReadOnlySupported is 0
    EXPECT(cudaHostRegister(global_array, sizeof global_array, cudaHostRegisterReadOnly) == cudaErrorNotSupported);
}
void not_registered() {
    std::vector<int> own(100);
    CHECK(cudaHostRegister(own.data(), 100 * sizeof(int), 0));
    CHECK(cudaHostUnregister(own.data()));
    bump<<<1, 1>>>(own.data());
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void freed_pinned() {
    int *p = pinned<int>(10), **table = managed<int*>(1);
    *table = p;
    CHECK(cudaFreeHost(p));
    write_through<<<1, 32>>>(table, 1);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void host_uses_freed() {
    int* p = pinned<int>(10);
    CHECK(cudaFreeHost(p));
    *static_cast<volatile int*>(p) = 1;
}

int main(int argc, char** argv) {
    const Case cases[] = {
        CASE(threads_pinned),     CASE(threads_managed),     CASE(threads_variable),  CASE(threads_launch),
        CASE(threads_and_copies), CASE(address_as_argument), CASE(address_by_kernel), CASE(address_to_calls),
        CASE(address_in_struct),  CASE(pointer_in_array),    CASE(pointer_in_struct), CASE(pointer_in_lambda),
        CASE(pointer_by_kernel),  CASE(registered),          CASE(registered_global), CASE(copies),
        CASE(attributes),         CASE(memory_info),         CASE(behind_pinned),     CASE(behind_registered),
        CASE(behind_variable),    CASE(not_registered),      CASE(read_only),         CASE(freed_pinned),
        CASE(host_uses_freed),    CASE(behind_nothing)};
    return run_case(cases, argc, argv);
}
