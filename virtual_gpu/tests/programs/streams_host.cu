// What the host does with pinned memory that an asynchronous copy writes or reads.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "streams.h"

struct Pinned {  // 16 pages, and a part of one
    static constexpr int kPage = 4096 / sizeof(int), kWords = 16 * kPage + 10;
    int *host, *device;
    Pinned() {
        cudaMallocHost(&host, sizeof(int) * kWords);
        cudaMalloc(&device, sizeof(int) * kWords);
        cudaMemset(device, 0, sizeof(int) * kWords);
        std::memset(host, 0, sizeof(int) * kWords);
        cudaDeviceSynchronize();
    }
    ~Pinned() {
        cudaFree(device);
        cudaFreeHost(host);
    }
    void fetch(cudaStream_t stream, int words = kWords) const {
        cudaMemcpyAsync(host, device, sizeof(int) * words, cudaMemcpyDeviceToHost, stream);
    }
    void send(cudaStream_t stream) const {
        cudaMemcpyAsync(device, host, sizeof(int) * kWords, cudaMemcpyHostToDevice, stream);
    }
    void use(int word = kWords - 1) const { *const_cast<volatile int*>(host + word) = 1; }
    int look(int word = kWords - 1) const { return *const_cast<volatile int*>(host + word); }
};

static void host_reads(bool good) {
    Two s;
    Pinned p;
    p.fetch(s.a);
    if (good) cudaStreamSynchronize(s.a);
    p.look();
}
static void host_writes(bool good) {
    Two s;
    Pinned p;
    p.send(s.a);
    p.look();  // both only read
    if (good) cudaStreamSynchronize(s.a);
    p.use();
}
static void host_reads_by_the_library(bool good) {
    Two s;
    Pinned p;
    int out[100];
    p.fetch(s.a);
    if (good) cudaDeviceSynchronize();
    volatile std::size_t bytes = sizeof(out);
    std::memcpy(out, p.host, bytes);
}
static void host_in_default_stream(bool good) {
    Pinned p;
    p.fetch(nullptr);
    if (good) cudaMemcpy(p.device, p.device + 10, 4, cudaMemcpyDefault), cudaStreamQuery(nullptr);
    p.look();
}
static void host_waits_for_event(bool good) {
    Two s;
    Pinned p;
    if (!good) cudaEventRecord(s.event, s.a);
    p.fetch(s.a);
    if (good) cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event);
    cudaStreamSynchronize(s.b);
    p.look();
}
static void host_waits_for_other_stream(bool good) {
    Two s(good ? cudaStreamDefault : cudaStreamNonBlocking);
    Pinned p;
    p.fetch(s.a);
    put<<<4, 256>>>(s.x, 1);
    cudaStreamSynchronize(nullptr);  // waits for blocking streams
    p.look();
}
static void host_told_by_function(bool good) {
    Two s;
    Pinned p;
    std::atomic<bool> is_done = false;
    p.fetch(s.a);
    cudaLaunchHostFunc(
        good ? s.a : s.b, [](void* done) { *static_cast<std::atomic<bool>*>(done) = true; }, &is_done);
    while (!is_done) {
    }
    p.look();
}
static void host_beside_a_copy(bool good) {  // words that the copy leaves alone, in its last page and behind it
    Two s;
    Pinned p;
    p.fetch(s.a, 2 * Pinned::kPage + 5);
    p.use(2 * Pinned::kPage + 5);
    p.use();
    p.use(good ? 3 * Pinned::kPage : Pinned::kPage);
}
static void host_copies_again(bool good) {  // the stream itself may go on with the memory
    Two s;
    Pinned p;
    p.fetch(s.a);
    p.send(s.a);
    p.fetch(s.a);
    if (good) cudaStreamSynchronize(s.a);
    p.look(5);
}

// A page, of which one half is still on its way: the other half can be used, byte by byte and by vectors.
static void host_in_one_page(bool good) {
    Two s;
    int* page = nullptr;
    cudaMallocHost(&page, 800);
    put<<<1, 200, 0, s.a>>>(s.x, 5);
    cudaStreamSynchronize(s.a);
    cudaMemcpyAsync(page, s.x, 400, cudaMemcpyDeviceToHost, s.a);
    cudaMemcpyAsync(page + 100, s.x + 100, 400, cudaMemcpyDeviceToHost, s.b);
    cudaStreamSynchronize(s.a);
    int copy[100], sum = 0;
    volatile std::size_t bytes = sizeof(copy);
    std::memcpy(copy, page, bytes);
    for (int i = 0; i < 100; ++i) sum += page[i] - copy[i] + i + 5 - copy[i];
    std::memset(page, 0, bytes);
    if (good) cudaStreamSynchronize(s.b);
    if (sum != 0 || page[0] != 0 || *const_cast<volatile int*>(page + 100) != 105) std::printf("wrong\n");
    cudaDeviceSynchronize();
    cudaFreeHost(page);
}

Programs programs_of_host() {
    return {
        {"host_reads", host_reads},
        {"host_writes", host_writes},
        {"host_reads_by_the_library", host_reads_by_the_library},
        {"host_in_default_stream", host_in_default_stream},
        {"host_waits_for_event", host_waits_for_event},
        {"host_waits_for_other_stream", host_waits_for_other_stream},
        {"host_told_by_function", host_told_by_function},
        {"host_beside_a_copy", host_beside_a_copy},
        {"host_copies_again", host_copies_again},
        {"host_in_one_page", host_in_one_page},
    };
}
