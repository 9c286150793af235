// The other half of textures.cu: layers, gathered texels, surfaces, and mistakes.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "textures.h"

static __global__ void layers(cudaTextureObject_t t, float* out) {
    const int i = threadIdx.x;
    out[i] = tex2DLayered<float>(t, 0.5f + i % 4, 1.5f, i / 4 - 1);
}
static __global__ void gather(cudaTextureObject_t t, float4* out) {
    out[threadIdx.x] = tex2Dgather<float4>(t, threadIdx.x + 0.9f, 2.2f, 0);
}
static __global__ void move_2d(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    const int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(surf2Dread<float>(from, x * 4, y) + 1, to, (kWidth - 1 - x) * 4, y);
}
static __global__ void edges(cudaSurfaceObject_t s, float* out) {
    const int x = static_cast<int>(threadIdx.x) - 2;
    out[threadIdx.x] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeClamp);
    out[threadIdx.x + 32] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeZero);
    surf2Dwrite(-1.0f, s, x * 4, kHeight, cudaBoundaryModeZero);
}
static __global__ void write_3d(cudaSurfaceObject_t s) {
    surf3Dwrite(make_ushort4(threadIdx.x, threadIdx.y, threadIdx.z, 9), s, threadIdx.x * 8, threadIdx.y, threadIdx.z);
}
static __global__ void trapped(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, threadIdx.x, 0); }

bool layered_and_gathered() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array{};
    OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 3, 2), cudaArrayLayered));
    std::vector<float> data(24);
    for (int i = 0; i < 24; ++i) data[i] = static_cast<float>(i);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), 16, 4, 3);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(4, 3, 2);
    copy.kind = cudaMemcpyDefault;
    OK(cudaMemcpy3D(&copy));
    cudaTextureObject_t t{};
    CHECK(create(t, array, {cudaAddressModeClamp, false, false}, [](cudaTextureDesc&) {}));
    float* d_out{};
    OK(cudaMalloc(&d_out, 64 * sizeof(float)));
    layers<<<1, 16>>>(t, d_out);
    std::vector<float> out(64);
    OK(cudaMemcpy(out.data(), d_out, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; ++i) CHECK(out[i] == 12 * std::min(std::max(i / 4 - 1, 0), 1) + 4 + i % 4);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    OK(cudaMallocArray(&array, &format, 4, 6, cudaArrayTextureGather));
    OK(cudaMemcpy2DToArray(array, 0, 0, data.data(), 16, 16, 6, cudaMemcpyHostToDevice));
    CHECK(create(t, array, {cudaAddressModeClamp, false, false}, [](cudaTextureDesc&) {}));
    gather<<<1, 4>>>(t, reinterpret_cast<float4*>(d_out));
    OK(cudaMemcpy(out.data(), d_out, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) {  // the texels around (i + 0.9, 2.2): columns i and i + 1, rows 1 and 2
        const float left = static_cast<float>(i), right = static_cast<float>(std::min(i + 1, 3));
        CHECK(out[4 * i] == 8 + left && out[4 * i + 1] == 8 + right && out[4 * i + 2] == 4 + right &&
              out[4 * i + 3] == 4 + left);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    OK(cudaFree(d_out));
    return true;
}

bool surfaces() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t from{}, to{};
    OK(cudaMallocArray(&from, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&to, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    std::vector<float> data(kWidth * kHeight), out(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    OK(cudaMemcpy2DToArray(from, 0, 0, data.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = from;
    cudaSurfaceObject_t source{}, target{};
    OK(cudaCreateSurfaceObject(&source, &resource));
    resource.res.array.array = to;
    OK(cudaCreateSurfaceObject(&target, &resource));
    move_2d<<<kHeight, kWidth>>>(source, target);
    OK(cudaMemcpy2DFromArray(out.data(), kWidth * 4, to, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) CHECK(out[y * kWidth + x] == data[y * kWidth + kWidth - 1 - x] + 1);
    float* d_out{};
    OK(cudaMalloc(&d_out, 256));
    edges<<<1, 32>>>(source, d_out);
    OK(cudaMemcpy(out.data(), d_out, 256, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) {
        const int x = i - 2;
        CHECK(out[i] == kWidth + std::min(std::max(x, 0), kWidth - 1));
        CHECK(out[i + 32] == (x >= 0 && x < kWidth ? kWidth + x : 0));
    }
    OK(cudaDestroySurfaceObject(source));
    OK(cudaDestroySurfaceObject(target));
    OK(cudaFreeArray(from));
    OK(cudaFreeArray(to));
    OK(cudaFree(d_out));

    const cudaChannelFormatDesc four = cudaCreateChannelDesc<ushort4>();
    OK(cudaMalloc3DArray(&to, &four, make_cudaExtent(4, 3, 2), cudaArraySurfaceLoadStore));
    resource.res.array.array = to;
    OK(cudaCreateSurfaceObject(&target, &resource));
    write_3d<<<1, dim3(4, 3, 2)>>>(target);
    std::vector<ushort4> box(24);
    cudaMemcpy3DParms copy{};
    copy.srcArray = to;
    copy.dstPtr = make_cudaPitchedPtr(box.data(), 32, 4, 3);
    copy.extent = make_cudaExtent(4, 3, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    for (int i = 0; i < 24; ++i)
        CHECK(box[i].x == i % 4 && box[i].y == i / 4 % 3 && box[i].z == i / 12 && box[i].w == 9);
    OK(cudaDestroySurfaceObject(target));
    OK(cudaFreeArray(to));
    return true;
}

bool mistake(const char* what) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array{};
    OK(cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    cudaTextureObject_t t{};
    CHECK(create(t, array, {cudaAddressModeClamp, false, false}, [](cudaTextureDesc&) {}));
    float* d_out{};
    Look* d_looks{};
    const std::vector<Look> at = looks(false);
    OK(cudaMalloc(&d_out, kLooks * sizeof(float)));
    OK(cudaMalloc(&d_looks, kLooks * sizeof(Look)));
    OK(cudaMemcpy(d_looks, at.data(), kLooks * sizeof(Look), cudaMemcpyHostToDevice));
    if (std::strcmp(what, "trap") == 0) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaSurfaceObject_t s{};
        OK(cudaCreateSurfaceObject(&s, &resource));
        trapped<<<1, 1>>>(s + 8);
        std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return true;
    }
    if (std::strcmp(what, "bytes") == 0) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaSurfaceObject_t s{};
        OK(cudaCreateSurfaceObject(&s, &resource));
        trapped<<<1, kWidth>>>(s);  // x is in bytes
    }
    if (std::strcmp(what, "destroyed") == 0) OK(cudaDestroyTextureObject(t));
    if (std::strcmp(what, "freed") == 0) OK(cudaFreeArray(array));
    if (std::strcmp(what, "shape") == 0) look_3d<float><<<1, 64>>>(t, d_looks, d_out, 64);
    if (std::strcmp(what, "bytes") != 0 && std::strcmp(what, "shape") != 0)
        look_2d<float><<<1, 64>>>(t, d_looks, d_out, 64);  // also "undefined": nobody has written the array
    std::vector<float> out(64);
    std::printf("%s\n", cudaGetErrorName(cudaMemcpy(out.data(), d_out, 256, cudaMemcpyDeviceToHost)));
    return true;
}
