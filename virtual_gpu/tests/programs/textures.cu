// Textures, surfaces and arrays. What is read is worked out on the host. Ends with the line of the first check that
// fails, or with 0. With an argument: one mistake, which the virtual GPU has to find.
#include "textures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

template <class T>
static __global__ void look_1d(cudaTextureObject_t t, const Look* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(t, at[i].x);
}
static __global__ void fetch(cudaTextureObject_t t, short2* out, int first, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<short2>(t, first + i);
}
// ---- What a GPU reads ----

static int addressed(int i, int n, cudaTextureAddressMode mode) {
    if (mode == cudaAddressModeWrap) return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        const int m = ((i % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    return std::min(std::max(i, 0), n - 1);
}

// `value(x, y, z)` is a texel, `border` what lies outside.
template <class Value>
static double expected(const Setting& s, int dimensions, Look at, Value&& value, double border) {
    const int size[] = {kWidth, kHeight, kDepth};
    double x[] = {at.x, at.y, at.z}, part[3] = {};
    int low[3] = {};
    for (int d = 0; d < dimensions; ++d) {
        if (s.normalized) x[d] = static_cast<float>(x[d]) * size[d];
        const double left = s.linear ? x[d] - 0.5 : x[d];
        low[d] = static_cast<int>(std::floor(left));
        part[d] = s.linear ? left - std::floor(left) : 0;
    }
    double sum = 0;
    for (int corner = 0; corner < (s.linear ? 1 << dimensions : 1); ++corner) {
        int i[3] = {};
        double weight = 1;
        bool outside = false;
        for (int d = 0; d < dimensions; ++d) {
            const int second = corner >> d & 1;
            i[d] = addressed(low[d] + second, size[d], s.mode);
            outside |= i[d] < 0;
            weight *= second ? part[d] : 1 - part[d];
        }
        sum += weight * (outside ? border : value(i[0], i[1], i[2]));
    }
    return sum;
}

static bool reads(int dimensions) {
    std::vector<float> data(kWidth * kHeight * kDepth);
    for (int z = 0; z < kDepth; ++z)
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) data[(z * kHeight + y) * kWidth + x] = texel(x, y, z);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array{};
    const cudaExtent extent = make_cudaExtent(kWidth, dimensions > 1 ? kHeight : 0, dimensions > 2 ? kDepth : 0);
    OK(cudaMalloc3DArray(&array, &format, extent));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), kWidth * 4, kWidth, kHeight);
    copy.dstArray = array;
    copy.extent =
        make_cudaExtent(kWidth, std::max<std::size_t>(extent.height, 1), std::max<std::size_t>(extent.depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    Look* d_looks{};
    float* d_out{};
    OK(cudaMalloc(&d_looks, kLooks * sizeof(Look)));
    OK(cudaMalloc(&d_out, kLooks * sizeof(float)));
    for (const bool normalized : {false, true})
        for (const bool linear : {false, true})
            for (const auto mode :
                 {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
                const Setting s{mode, linear, normalized};
                if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
                const std::vector<Look> at = looks(normalized);
                OK(cudaMemcpy(d_looks, at.data(), kLooks * sizeof(Look), cudaMemcpyHostToDevice));
                cudaTextureObject_t t{};
                CHECK(create(t, array, s, [](cudaTextureDesc&) {}));
                if (dimensions == 1) look_1d<float><<<(kLooks + 63) / 64, 64>>>(t, d_looks, d_out, kLooks);
                if (dimensions == 2) look_2d<float><<<(kLooks + 63) / 64, 64>>>(t, d_looks, d_out, kLooks);
                if (dimensions == 3) look_3d<float><<<(kLooks + 63) / 64, 64>>>(t, d_looks, d_out, kLooks);
                std::vector<float> out(kLooks);
                OK(cudaMemcpy(out.data(), d_out, kLooks * sizeof(float), cudaMemcpyDeviceToHost));
                for (int i = 0; i < kLooks; ++i) {
                    const double want = expected(s, dimensions, at[i], texel, 3.5);
                    // Weights have 8 bits behind the point: an error of 1/512 of the largest difference for each axis.
                    const double most = linear ? 64.0 / 512 * dimensions + 1e-4 : 0;
                    if (!(std::fabs(out[i] - want) <= most)) {
                        std::printf("%dD mode %d linear %d normalized %d at %g %g %g: %g, not %g\n", dimensions, mode,
                                    linear, normalized, at[i].x, at[i].y, at[i].z, out[i], want);
                        return false;
                    }
                }
                OK(cudaDestroyTextureObject(t));
            }
    OK(cudaFree(d_looks));
    OK(cudaFree(d_out));
    OK(cudaFreeArray(array));
    return true;
}

// Integers as fractions; four channels; a filter of theirs.
static bool fractions() {
    std::vector<uchar4> data(kWidth * kHeight);
    for (int i = 0; i < kWidth * kHeight; ++i)
        data[i] = make_uchar4(i * 7 % 256, i * 3 % 256, 255 - i, i % 2 ? 255 : 0);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array{};
    OK(cudaMallocArray(&array, &format, kWidth, kHeight));
    OK(cudaMemcpy2DToArray(array, 0, 0, data.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
    std::vector<uchar4> back(data.size());
    OK(cudaMemcpy2DFromArray(back.data(), kWidth * 4, array, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(back.data(), data.data(), data.size() * 4) == 0);
    Look* d_looks{};
    float4* d_out{};
    const std::vector<Look> at = looks(false);
    OK(cudaMalloc(&d_looks, kLooks * sizeof(Look)));
    OK(cudaMalloc(&d_out, kLooks * sizeof(float4)));
    OK(cudaMemcpy(d_looks, at.data(), kLooks * sizeof(Look), cudaMemcpyHostToDevice));
    for (const bool linear : {false, true}) {
        const Setting s{cudaAddressModeClamp, linear, false};
        cudaTextureObject_t t{};
        CHECK(create(t, array, s, [](cudaTextureDesc& d) { d.readMode = cudaReadModeNormalizedFloat; }));
        look_2d<float4><<<(kLooks + 63) / 64, 64>>>(t, d_looks, d_out, kLooks);
        std::vector<float4> out(kLooks);
        OK(cudaMemcpy(out.data(), d_out, kLooks * sizeof(float4), cudaMemcpyDeviceToHost));
        for (int i = 0; i < kLooks; ++i) {
            const auto channel = [&](auto member) {
                return expected(
                    s, 2, at[i], [&](int x, int y, int) { return data[y * kWidth + x].*member / 255.0f; }, 0);
            };
            const double most = linear ? 1.0 / 256 : 0;
            CHECK(std::fabs(out[i].x - channel(&uchar4::x)) <= most);
            CHECK(std::fabs(out[i].y - channel(&uchar4::y)) <= most);
            CHECK(std::fabs(out[i].z - channel(&uchar4::z)) <= most);
            CHECK(std::fabs(out[i].w - channel(&uchar4::w)) <= most);
        }
        OK(cudaDestroyTextureObject(t));
    }
    cudaTextureObject_t t{};
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture{};
    texture.filterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&t, &resource, &texture, nullptr) == cudaErrorInvalidFilterSetting);
    (void)cudaGetLastError();
    OK(cudaFree(d_looks));
    OK(cudaFree(d_out));
    OK(cudaFreeArray(array));
    return true;
}

// Linear memory, which gives 0 outside, and rows with a pitch.
static bool memory() {
    std::vector<short2> data(100);
    for (int i = 0; i < 100; ++i) data[i] = make_short2(-i, 300 * i);
    short2 *d_data{}, *d_out{};
    OK(cudaMalloc(&d_data, 400));
    OK(cudaMalloc(&d_out, 480));
    OK(cudaMemcpy(d_data, data.data(), 400, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_data;
    resource.res.linear.sizeInBytes = 400;
    resource.res.linear.desc = cudaCreateChannelDesc<short2>();
    cudaTextureDesc texture{};
    cudaTextureObject_t t{};
    OK(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
    fetch<<<4, 32>>>(t, d_out, -10, 120);
    std::vector<short2> out(120);
    OK(cudaMemcpy(out.data(), d_out, 480, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 120; ++i) {
        const bool inside = i >= 10 && i < 110;
        CHECK(out[i].x == (inside ? 10 - i : 0) && out[i].y == static_cast<short>(inside ? 300 * (i - 10) : 0));
    }
    OK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);
    (void)cudaGetLastError();

    float* d_rows{};
    std::size_t pitch = 0;
    OK(cudaMallocPitch(reinterpret_cast<void**>(&d_rows), &pitch, kWidth * 4, kHeight));
    std::vector<float> rows(kWidth * kHeight);
    for (int i = 0; i < kWidth * kHeight; ++i) rows[i] = texel(i % kWidth, i / kWidth, 0);
    OK(cudaMemcpy2D(d_rows, pitch, rows.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = d_rows;
    resource.res.pitch2D.width = kWidth;
    resource.res.pitch2D.height = kHeight;
    resource.res.pitch2D.pitchInBytes = pitch;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    for (auto& mode : texture.addressMode) mode = cudaAddressModeClamp;
    OK(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
    cudaResourceDesc got{};
    OK(cudaGetTextureObjectResourceDesc(&got, t));
    CHECK(got.res.pitch2D.devPtr == d_rows);
    const std::vector<Look> at = looks(false);
    Look* d_looks{};
    float* d_looked{};
    OK(cudaMalloc(&d_looks, kLooks * sizeof(Look)));
    OK(cudaMalloc(&d_looked, kLooks * sizeof(float)));
    OK(cudaMemcpy(d_looks, at.data(), kLooks * sizeof(Look), cudaMemcpyHostToDevice));
    look_2d<float><<<(kLooks + 63) / 64, 64>>>(t, d_looks, d_looked, kLooks);
    std::vector<float> looked(kLooks);
    OK(cudaMemcpy(looked.data(), d_looked, kLooks * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kLooks; ++i)
        CHECK(looked[i] == expected({cudaAddressModeClamp, false, false}, 2, at[i], texel, 0));
    OK(cudaDestroyTextureObject(t));
    for (void* p : {static_cast<void*>(d_data), static_cast<void*>(d_out), static_cast<void*>(d_rows),
                    static_cast<void*>(d_looks), static_cast<void*>(d_looked)})
        OK(cudaFree(p));
    return true;
}

int main(int argc, char** argv) {
    if (argc > 1) return mistake(argv[1]) ? 0 : 1;
    if (reads(1) && reads(2) && reads(3) && fractions() && memory() && layered_and_gathered() && surfaces())
        std::printf("0\n");
    return 0;
}
