#include "harness/arrays.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/control.h"
#include "toolbox/basics.h"

namespace lab {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;  // of device memory
constexpr std::size_t kGuard = 256;                  // bytes before and after a host array
constexpr int kGuardByte = 0xe7;

}  // namespace

PlacedArray::PlacedArray(const ArraySpec& spec) : spec_(spec) {
    const std::size_t shift = spec.shift * size_of(spec.dtype);
    if (spec.on_host) {
        host_ = std::make_unique_for_overwrite<std::byte[]>(2 * kGuard + shift + bytes());
        std::memset(host_.get(), kGuardByte, 2 * kGuard + shift + bytes());
        data_ = host_.get() + kGuard + shift;
        return;
    }
    // At least one byte: cudaMalloc(0) gives a null pointer, and an access there would be reported as one. On a GPU
    // nothing else shares the pages that another process may map.
    const std::size_t size = std::max<std::size_t>(shift + bytes(), 1);
    CUDA_CHECK(cudaMalloc(&base_, control::is_virtual() ? size : (size + kPage - 1) / kPage * kPage));
    data_ = static_cast<std::byte*>(base_) + shift;
    control::label(base_, spec.name);
}

PlacedArray::PlacedArray(PlacedArray&& other) noexcept
    : spec_(other.spec_),
      base_(std::exchange(other.base_, nullptr)),
      data_(other.data_),
      apart_(std::exchange(other.apart_, nullptr)),
      is_taken_(other.is_taken_),
      host_(std::move(other.host_)) {}

PlacedArray::~PlacedArray() {
    for (void* device : {base_, apart_})
        if (device != nullptr) cudaFree(device);
}

void PlacedArray::upload(const void* from) const {
    if (bytes() == 0) return;
    if (spec_.on_host)
        std::memcpy(data_, from, bytes());
    else
        CUDA_CHECK(cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice));
}

void PlacedArray::poison(const void* from) const {
    if (bytes() == 0) return;
    if (spec_.on_host || control::is_virtual())
        upload(from);
    else
        CUDA_CHECK(cudaMemset(data_, *static_cast<const unsigned char*>(from), bytes()));
    if (!spec_.on_host) control::forget(data_, bytes());
}

void PlacedArray::download(void* to) const {
    if (bytes() == 0) return;
    if (spec_.on_host)
        std::memcpy(to, data_, bytes());
    else
        CUDA_CHECK(cudaMemcpy(to, is_taken_ ? apart_ : data_, bytes(), cudaMemcpyDeviceToHost));
}

void PlacedArray::keep_apart(const void* from) {
    if (bytes() == 0 || spec_.on_host) return;
    CUDA_CHECK(cudaMalloc(&apart_, bytes()));
    if (from != nullptr) CUDA_CHECK(cudaMemcpy(apart_, from, bytes(), cudaMemcpyHostToDevice));
}

void PlacedArray::put_in_place() const {
    if (apart_ != nullptr) CUDA_CHECK(cudaMemcpyAsync(data_, apart_, bytes(), cudaMemcpyDeviceToDevice));
}

void PlacedArray::take_away() {
    if (apart_ == nullptr) return;
    CUDA_CHECK(cudaMemcpyAsync(apart_, data_, bytes(), cudaMemcpyDeviceToDevice));
    is_taken_ = true;
}

ArrayHandle PlacedArray::share() const {
    ArrayHandle out;
    out.address = reinterpret_cast<std::uintptr_t>(data_);
    if (control::is_virtual()) return out;
    cudaIpcMemHandle_t handle;
    CUDA_CHECK(cudaIpcGetMemHandle(&handle, base_));
    char digits[3];
    for (const char byte : handle.reserved) {
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
        out.handle += digits;
    }
    out.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(data_) - static_cast<std::byte*>(base_));
    return out;
}

SharedArray::SharedArray(const std::string& handle, std::size_t offset) {
    cudaIpcMemHandle_t bytes{};
    for (std::size_t i = 0; i < sizeof bytes.reserved && 2 * i + 1 < handle.size(); ++i)
        bytes.reserved[i] = static_cast<char>(std::stoi(handle.substr(2 * i, 2), nullptr, 16));
    CUDA_CHECK(cudaSetDevice(0));  // nothing else may have woken the device yet
    CUDA_CHECK(cudaIpcOpenMemHandle(&base_, bytes, cudaIpcMemLazyEnablePeerAccess));
    data_ = static_cast<std::byte*>(base_) + offset;
}

SharedArray::~SharedArray() { cudaIpcCloseMemHandle(base_); }

bool PlacedArray::overrun() const {
    if (!spec_.on_host) return false;
    const auto* first = host_.get();
    const auto* begin = static_cast<const std::byte*>(data_);
    const auto intact = [](std::byte b) { return b == static_cast<std::byte>(kGuardByte); };
    return !std::all_of(first, begin, intact) || !std::all_of(begin + bytes(), begin + bytes() + kGuard, intact);
}

}  // namespace lab
