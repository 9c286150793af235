// The runtime API as an ordinary program uses it. Prints one line for each check that fails, then "done".
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(condition)                                       \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            ++failures;                                         \
        }                                                       \
    } while (0)

__device__ int g_value = 7;
__constant__ float c_table[4] = {1, 2, 3, 4};

struct Pair {
    char a;
    double b;
};

__global__ void arguments(int* out, char c, Pair p, float f, short s) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i + c + static_cast<int>(p.a) + static_cast<int>(p.b) + static_cast<int>(f) + s + g_value +
             static_cast<int>(c_table[i & 3]);
}

__global__ void dynamic_shared(int* out) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void static_shared(float* out) {
    __shared__ float s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// A box inside of pitched memory, and back.
static void boxes() {
    const int w = 5, h = 4, d = 3;
    const cudaExtent all = make_cudaExtent(w * sizeof(int), h, d);
    cudaPitchedPtr p{};
    EXPECT(cudaMalloc3D(&p, all) == cudaSuccess);
    EXPECT(p.pitch >= w * sizeof(int) && p.xsize == w * sizeof(int) && p.ysize == h);
    EXPECT(cudaMemset3D(p, 0, all) == cudaSuccess);
    std::vector<int> host(w * h * d), back(w * h * d, -1);
    for (int i = 0; i < w * h * d; ++i) host[i] = i;
    cudaMemcpy3DParms part{};
    part.srcPtr = make_cudaPitchedPtr(host.data(), w * sizeof(int), w, h);
    part.srcPos = make_cudaPos(sizeof(int), 1, 1);
    part.dstPtr = p;
    part.dstPos = make_cudaPos(2 * sizeof(int), 2, 0);
    part.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    part.kind = cudaMemcpyHostToDevice;
    EXPECT(cudaMemcpy3D(&part) == cudaSuccess);
    cudaMemcpy3DParms whole{};
    whole.srcPtr = p;
    whole.dstPtr = make_cudaPitchedPtr(back.data(), w * sizeof(int), w, h);
    whole.extent = all;
    whole.kind = cudaMemcpyDeviceToHost;
    EXPECT(cudaMemcpy3DAsync(&whole, nullptr) == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int z = 0; z < d; ++z)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                const bool is_copied = x >= 2 && y >= 2 && z < 2;
                EXPECT(back[(z * h + y) * w + x] == (is_copied ? host[((z + 1) * h + y - 1) * w + x - 1] : 0));
            }
    part.extent.width = p.pitch;  // beyond the row
    EXPECT(cudaMemcpy3D(&part) == cudaErrorInvalidPitchValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue);
    EXPECT(cudaFree(p.ptr) == cudaSuccess);
}

static void memory() {
    int* d = nullptr;
    EXPECT(cudaMalloc(&d, 1024) == cudaSuccess);
    std::vector<int> h(256);
    for (int i = 0; i < 256; ++i) h[i] = i * 3;
    EXPECT(cudaMemcpy(d, h.data(), 1024, cudaMemcpyHostToDevice) == cudaSuccess);
    int* d2 = nullptr;
    EXPECT(cudaMallocAsync(&d2, 1024, 0) == cudaSuccess);
    EXPECT(cudaMemcpyAsync(d2, d, 1024, cudaMemcpyDeviceToDevice) == cudaSuccess);
    std::vector<int> back(256, -1);
    EXPECT(cudaMemcpy(back.data(), d2, 1024, cudaMemcpyDefault) == cudaSuccess);
    EXPECT(back == h);
    EXPECT(cudaMemset(d2 + 1, 0xff, 8) == cudaSuccess);
    EXPECT(cudaMemcpy(back.data(), d2, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(back[0] == 0 && back[1] == -1 && back[2] == -1 && back[3] == 9);
    EXPECT(cudaMemcpy2D(back.data(), 8, d, 64, 8, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(back[2] == h[16] && back[3] == h[17] && back[6] == h[48]);

    cudaPointerAttributes attributes;
    EXPECT(cudaPointerGetAttributes(&attributes, d + 5) == cudaSuccess && attributes.type == cudaMemoryTypeDevice);
    EXPECT(cudaPointerGetAttributes(&attributes, h.data()) == cudaSuccess &&
           attributes.type == cudaMemoryTypeUnregistered);
    void* pinned = nullptr;
    EXPECT(cudaMallocHost(&pinned, 100) == cudaSuccess);
    EXPECT(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess && attributes.type == cudaMemoryTypeHost);
    EXPECT(cudaFreeHost(pinned) == cudaSuccess);
    std::size_t before = 0, total = 0, after = 0;
    EXPECT(cudaMemGetInfo(&before, &total) == cudaSuccess && before <= total && before > 0);
    EXPECT(cudaFree(d) == cudaSuccess);
    EXPECT(cudaMemGetInfo(&after, nullptr) == cudaSuccess && after >= before + 1024);
    EXPECT(cudaFree(d) == cudaErrorInvalidValue);
    EXPECT(cudaFree(nullptr) == cudaSuccess);
    EXPECT(cudaFreeAsync(d2, 0) == cudaSuccess);
    EXPECT(cudaMalloc(&d, 0) == cudaSuccess && d == nullptr);
    EXPECT(cudaMalloc(&d, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaSuccess);
}

static void symbols() {
    int value = 0;
    EXPECT(cudaMemcpyFromSymbol(&value, g_value, 4) == cudaSuccess && value == 7);
    value = 8;
    EXPECT(cudaMemcpyToSymbol(g_value, &value, 4) == cudaSuccess);
    void* address = nullptr;
    std::size_t bytes = 0;
    EXPECT(cudaGetSymbolAddress(&address, c_table) == cudaSuccess && address != nullptr);
    EXPECT(cudaGetSymbolSize(&bytes, c_table) == cudaSuccess && bytes == 16);
    value = 0;
    EXPECT(cudaMemcpy(&value, (cudaGetSymbolAddress(&address, g_value), address), 4, cudaMemcpyDeviceToHost) ==
               cudaSuccess &&
           value == 8);
    value = 7;
    EXPECT(cudaMemcpyToSymbol(g_value, &value, 4) == cudaSuccess);
}

static void launches() {
    int* d = nullptr;
    EXPECT(cudaMalloc(&d, 4096 * 4) == cudaSuccess);
    arguments<<<8, 128>>>(d, 'a', Pair{2, 1000.5}, 2.5f, short{-3});
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    std::vector<int> h(1024);
    EXPECT(cudaMemcpy(h.data(), d, 4096, cudaMemcpyDeviceToHost) == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 1024; ++i) wrong += h[i] != i + 97 + 2 + 1000 + 2 - 3 + 7 + (i & 3) + 1;
    EXPECT(wrong == 0);

    dynamic_shared<<<1, 200, 800>>>(d);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaMemcpy(h.data(), d, 800, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(h[0] == 199 && h[199] == 0);

    dynamic_shared<<<1, 1025>>>(d);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    dynamic_shared<<<0, 32>>>(d);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    dynamic_shared<<<1, 32, 50000>>>(d);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000) == cudaSuccess);
    dynamic_shared<<<1, 32, 50000>>>(d);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaFree(d) == cudaSuccess);
}

static void device() {
    int count = 0, current = -1, value = 0;
    EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count == 1);
    EXPECT(cudaSetDevice(0) == cudaSuccess && cudaGetDevice(&current) == cudaSuccess && current == 0);
    EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    int can = -1;
    EXPECT(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess && can == 0);
    EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
    EXPECT(cudaDeviceCanAccessPeer(&can, 1, 0) == cudaErrorInvalidDevice);
    char id[16];
    EXPECT(cudaDeviceGetPCIBusId(id, sizeof id, 0) == cudaSuccess);
    EXPECT(cudaDeviceGetByPCIBusId(&current, id) == cudaSuccess && current == 0);
    EXPECT(cudaDeviceGetByPCIBusId(&current, "0000:ff:00.0") == cudaErrorInvalidDevice);
    EXPECT(cudaDeviceGetPCIBusId(id, sizeof id, 1) == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
    cudaDeviceProp properties;
    EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0 && properties.major == 9 &&
           properties.minor == 0);
    EXPECT(std::strstr(properties.name, "Virtual GPU") != nullptr);
    EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess &&
           value == properties.multiProcessorCount);
    EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess && value == 9);
    EXPECT(cudaRuntimeGetVersion(&value) == cudaSuccess && value == CUDART_VERSION);
    cudaFuncAttributes attributes;
    EXPECT(cudaFuncGetAttributes(&attributes, static_shared) == cudaSuccess);
    EXPECT(attributes.sharedSizeBytes == 1024 && attributes.maxThreadsPerBlock == 1024);
    EXPECT(attributes.ptxVersion == 75 && attributes.binaryVersion == 90);
    int blocks = 0, grid = 0, block = 0;
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_shared, 256, 0) == cudaSuccess);
    EXPECT(blocks == properties.maxThreadsPerMultiProcessor / 256);
    EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, static_shared) == cudaSuccess && grid > 0 && block > 0);
    EXPECT(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared) == cudaSuccess);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
}

static void streams() {
    float* d = nullptr;
    EXPECT(cudaMalloc(&d, 4096) == cudaSuccess);
    cudaStream_t a, b;
    cudaEvent_t start, stop, between;
    EXPECT(cudaStreamCreate(&a) == cudaSuccess && cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) == cudaSuccess);
    EXPECT(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess);
    EXPECT(cudaEventCreateWithFlags(&between, cudaEventDisableTiming) == cudaSuccess);
    float ms = -1;
    EXPECT(cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(start, a) == cudaSuccess);
    static_shared<<<1, 256, 0, a>>>(d);
    EXPECT(cudaEventRecord(between, a) == cudaSuccess && cudaStreamWaitEvent(b, between) == cudaSuccess);
    static_shared<<<1, 256, 0, b>>>(d + 256);
    EXPECT(cudaEventRecord(stop, b) == cudaSuccess && cudaEventSynchronize(stop) == cudaSuccess);
    EXPECT(cudaEventElapsedTime(&ms, start, stop) == cudaSuccess && ms > 0 && ms < 1);
    EXPECT(cudaEventQuery(stop) == cudaSuccess && cudaStreamQuery(a) == cudaSuccess);
    int called = 0;
    EXPECT(cudaLaunchHostFunc(
               a, [](void* p) { ++*static_cast<int*>(p); }, &called) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(a) == cudaSuccess && called == 1);
    EXPECT(cudaStreamDestroy(a) == cudaSuccess && cudaStreamDestroy(b) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(a) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(stop) == cudaSuccess &&
           cudaEventDestroy(between) == cudaSuccess && cudaFree(d) == cudaSuccess);
}

int main() {
    memory();
    boxes();
    symbols();
    launches();
    device();
    streams();
    std::printf("%s\n", failures == 0 ? "done" : "failed");
    return failures == 0 ? 0 : 1;
}
