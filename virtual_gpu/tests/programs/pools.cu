// Memory pools of one's own. Ends with the line of the first check that fails, or with 0.
#include <cstdint>
#include <cstdio>

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::printf("line %d (%s)\n", __LINE__, cudaGetErrorName(cudaGetLastError())); \
            return 1;                                                                      \
        }                                                                                  \
    } while (false)
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void put(int* d) { d[threadIdx.x] = threadIdx.x; }

std::uint64_t number(cudaMemPool_t pool, cudaMemPoolAttr which) {
    std::uint64_t value = ~std::uint64_t{0};
    return cudaMemPoolGetAttribute(pool, which, &value) == cudaSuccess ? value : ~std::uint64_t{0};
}

int main() {
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 0};
    props.maxSize = 1 << 20;
    cudaMemPool_t pool{}, standard{}, current{};
    cudaStream_t stream{};
    OK(cudaStreamCreate(&stream));
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK(standard != pool);

    std::uint64_t keep = 4096, got = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    CHECK(got == keep);
    int reuse = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    CHECK(reuse == 1);

    int *a{}, *b{}, host[32];
    OK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&a), 4000, pool, stream));
    CHECK(number(pool, cudaMemPoolAttrUsedMemCurrent) == 4000);
    CHECK(number(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
    CHECK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&b), 1 << 20, pool, stream) == cudaErrorMemoryAllocation);
    OK(cudaMallocAsync(reinterpret_cast<void**>(&b), 128, stream));
    CHECK(number(standard, cudaMemPoolAttrUsedMemCurrent) == 128);
    put<<<1, 32, 0, stream>>>(a);
    OK(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(a, stream));
    OK(cudaFreeAsync(b, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(host[31] == 31);
    CHECK(number(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
    CHECK(number(pool, cudaMemPoolAttrUsedMemHigh) == 4000);
    std::uint64_t zero = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CHECK(number(pool, cudaMemPoolAttrUsedMemHigh) == 0);
    OK(cudaMemPoolTrimTo(pool, 0));

    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == pool);
    OK(cudaMallocAsync(reinterpret_cast<void**>(&a), 256, stream));
    CHECK(number(pool, cudaMemPoolAttrUsedMemCurrent) == 256);
    const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    cudaMemAccessFlags flags{};
    cudaMemLocation here{cudaMemLocationTypeDevice, 0};
    OK(cudaMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);

    // What it gave stays usable until it is freed.
    OK(cudaMemPoolDestroy(pool));
    put<<<1, 32, 0, stream>>>(a);
    OK(cudaStreamSynchronize(stream));
    OK(cudaFreeAsync(a, stream));
    CHECK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&a), 4, pool, stream) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolDestroy(standard) == cudaErrorInvalidValue);
    OK(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == standard);
    (void)cudaGetLastError();
    OK(cudaStreamDestroy(stream));
    std::printf("0\n");
    return 0;
}
