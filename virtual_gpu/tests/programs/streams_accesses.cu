// Which accesses of unordered work race: copies, fills, frees, atomics, parts of arrays.
#include <dlfcn.h>

#include <cstring>

#include "streams.h"

static void fill_beside_a_kernel(bool good) {
    Two s;
    cudaMemsetAsync(s.x, 0, kBytes, s.a);
    if (good) s.order();
    count<<<4, 256, 0, s.b>>>(s.x);
}
static void plain_fill_beside_a_kernel(bool good) {  // cudaMemset does not wait for its end
    Two s;
    cudaMemset(s.x, 0, kBytes);
    if (good) cudaStreamSynchronize(nullptr);
    count<<<4, 256, 0, s.b>>>(s.x);
}
static void copy_beside_a_kernel(bool good) {
    Two s;
    cudaMemcpyAsync(s.y, s.x, kBytes, cudaMemcpyDeviceToDevice, s.a);
    if (good) s.order();
    put<<<4, 256, 0, s.b>>>(s.x, 1);
}
static void copy_to_the_device(bool good) {  // of pinned memory: nobody waits
    Two s;
    int* h;
    cudaMallocHost(&h, kBytes);
    std::memset(h, 0, kBytes);
    cudaMemcpyAsync(s.x, h, kBytes, cudaMemcpyHostToDevice, s.a);
    if (good) s.order();
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
}
static void copy_to_the_host(bool good) {
    Two s;
    static int h[kCount];
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    if (good) cudaStreamSynchronize(s.a);
    cudaMemcpy(h, s.x, kBytes, cudaMemcpyDeviceToHost);
}
static void copy_of_rows(bool good) {  // the first 8 bytes of each 16, beside a kernel that writes bytes
    Two s;
    static int h[kCount];
    put_bytes<<<1, 4, 0, s.a>>>(reinterpret_cast<unsigned char*>(s.x), good ? 8 : 6);
    cudaMemcpy2D(h, 8, s.x, 16, 8, 4, cudaMemcpyDeviceToHost);
}
static void free_in_another_stream(bool good) {
    Two s;
    int* d;
    cudaMallocAsync(&d, kBytes, s.a);
    put<<<4, 256, 0, s.a>>>(d, 1);
    if (good) s.order();
    cudaFreeAsync(d, s.b);
}
static void allocation_of_another_stream(bool good) {
    Two s;
    int* d;
    cudaMallocAsync(&d, kBytes, s.a);
    if (good) s.order();
    put<<<4, 256, 0, s.b>>>(d, 1);
    cudaFreeAsync(d, s.b);
}
static void plain_free(bool good) {  // cudaFree waits for the device, unless the array is one of cudaMallocAsync
    Two s;
    int* d;
    good ? cudaMalloc(&d, kBytes) : cudaMallocAsync(&d, kBytes, s.a);
    put<<<4, 256, 0, s.a>>>(d, 1);
    cudaFree(d);
}
static void atomics(bool good) {
    Two s;
    count<<<4, 256, 0, s.a>>>(s.x);
    if (good) {
        count<<<4, 256, 0, s.b>>>(s.x);
    } else {
        read<<<1, 1, 0, s.b>>>(s.x, s.y);
    }
}
static void halves(bool good) {
    Two s;
    put<<<2, 256, 0, s.a>>>(s.x, 1);
    put<<<2, 256, 0, s.b>>>(s.x + kCount / 2 - !good, 2);
}
static void bytes_of_a_word(bool good) {
    Two s;
    auto* bytes = reinterpret_cast<unsigned char*>(s.x);
    put_bytes<<<1, 256, 0, s.a>>>(bytes, 0);
    put_bytes<<<1, 256, 0, s.b>>>(bytes, good ? 1 : 2);
}
static void word_and_byte(bool good) {
    Two s;
    cudaMemsetAsync(reinterpret_cast<char*>(s.x) + 3, 7, 2, s.a);
    put<<<1, 1, 0, s.b>>>(s.x + (good ? 2 : 1), 1);
}
static void same_value(bool good) {  // is no race between stores of kernels, as within a kernel
    Two s;
    set_flag<<<1, 32, 0, s.a>>>(s.x);
    good ? set_flag<<<1, 32, 0, s.b>>>(s.x) : put<<<1, 1, 0, s.b>>>(s.x, 5);
}
static void tickets(bool good) {  // what the last block sees by its atomic, with fences, is before what it does
    Two s;
    auto* ticket = reinterpret_cast<unsigned*>(s.y + 100);
    last_adds_up<<<1, 32, 0, s.a>>>(s.x, 0, ticket, good, s.y);
    last_adds_up<<<1, 32, 0, s.b>>>(s.x, 1, ticket, good, s.y);
}
static void not_awaited(bool good) {  // when the task returns, as a lab's harness says it
    Two s;
    reinterpret_cast<int (*)(void*, const char*)>(dlsym(RTLD_DEFAULT, "vgpuLabel"))(s.x, "d_x");
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    put<<<4, 256, 0, s.b>>>(s.y, 1);  // an array of its own: that nobody waits for it does no harm
    if (good) {
        cudaEventRecord(s.event, s.a);
        cudaStreamWaitEvent(nullptr, s.event);
    }
    reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "vgpuReturned"))();
}

Programs programs_of_accesses() {
    return {
        {"fill_beside_a_kernel", fill_beside_a_kernel},
        {"plain_fill_beside_a_kernel", plain_fill_beside_a_kernel},
        {"copy_beside_a_kernel", copy_beside_a_kernel},
        {"copy_to_the_device", copy_to_the_device},
        {"copy_to_the_host", copy_to_the_host},
        {"copy_of_rows", copy_of_rows},
        {"free_in_another_stream", free_in_another_stream},
        {"allocation_of_another_stream", allocation_of_another_stream},
        {"plain_free", plain_free},
        {"atomics", atomics},
        {"halves", halves},
        {"bytes_of_a_word", bytes_of_a_word},
        {"word_and_byte", word_and_byte},
        {"same_value", same_value},
        {"tickets", tickets},
        {"not_awaited", not_awaited},
    };
}
