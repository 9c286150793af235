#include "harness/arrays.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/control.h"
#include "toolbox/basics.h"

namespace lab {
namespace {

constexpr std::size_t kGuard = 256;  // bytes before and after a host array
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
    // At least one byte: cudaMalloc(0) gives a null pointer, and an access there would be reported as one.
    CUDA_CHECK(cudaMalloc(&base_, std::max<std::size_t>(shift + bytes(), 1)));
    data_ = static_cast<std::byte*>(base_) + shift;
    control::label(base_, spec.name);
}

PlacedArray::PlacedArray(PlacedArray&& other) noexcept
    : spec_(other.spec_),
      base_(std::exchange(other.base_, nullptr)),
      data_(other.data_),
      host_(std::move(other.host_)) {}

PlacedArray::~PlacedArray() {
    if (base_ != nullptr) cudaFree(base_);
}

void PlacedArray::upload(const void* from) {
    if (bytes() == 0) return;
    if (spec_.on_host)
        std::memcpy(data_, from, bytes());
    else
        CUDA_CHECK(cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice));
}

void PlacedArray::poison(const void* from) {
    upload(from);
    if (!spec_.on_host) control::forget(data_, bytes());
}

void PlacedArray::download(void* to) const {
    if (bytes() == 0) return;
    if (spec_.on_host)
        std::memcpy(to, data_, bytes());
    else
        CUDA_CHECK(cudaMemcpy(to, data_, bytes(), cudaMemcpyDeviceToHost));
}

bool PlacedArray::overrun() const {
    if (!spec_.on_host) return false;
    const auto* first = host_.get();
    const auto* begin = static_cast<const std::byte*>(data_);
    const auto intact = [](std::byte b) { return b == static_cast<std::byte>(kGuardByte); };
    return !std::all_of(first, begin, intact) || !std::all_of(begin + bytes(), begin + bytes() + kGuard, intact);
}

}  // namespace lab
