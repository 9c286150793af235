#include "harness/arrays.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/control.h"
#include "toolbox/basics.h"

namespace lab {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;  // of device memory: nothing else is in what others may map
constexpr std::size_t kKeptPart = 16;                // one in so many bytes of the device's memory may be kept
constexpr std::size_t kGuard = 256;                  // bytes before and after a host array
constexpr int kGuardByte = 0xe7;

std::size_t in_pages(std::size_t bytes) { return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage; }

}  // namespace

KeptMemory::KeptMemory() {
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    most_ = total / kKeptPart;
}

KeptMemory::Block KeptMemory::take(std::size_t bytes, bool is_shared) {
    bytes = in_pages(bytes);
    for (Block& block : blocks_) {
        if (block.bytes != bytes || block.is_shared != is_shared) continue;
        std::swap(block, blocks_.back());
        Block found = std::move(blocks_.back());
        blocks_.pop_back();
        return found;
    }
    Block block{nullptr, bytes, is_shared, {}};
    CUDA_CHECK(cudaMalloc(&block.base, bytes));
    if (!is_shared) return block;
    cudaIpcMemHandle_t handle;
    CUDA_CHECK(cudaIpcGetMemHandle(&handle, block.base));
    char digits[3];
    for (const char byte : handle.reserved) {
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
        block.handle += digits;
    }
    return block;
}

std::size_t KeptMemory::bytes() const {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.bytes;
    return sum;
}

void KeptMemory::free_all() {
    for (const Block& block : blocks_) cudaFree(block.base);
    blocks_.clear();
}

PlacedArray::PlacedArray(const ArraySpec& spec, KeptMemory* kept, void* freed) : spec_(spec), kept_(kept) {
    const std::size_t shift = spec.shift * size_of(spec.dtype);
    if (spec.on_host) {
        host_ = std::make_unique_for_overwrite<std::byte[]>(2 * kGuard + shift + bytes());
        std::memset(host_.get(), kGuardByte, 2 * kGuard + shift + bytes());
        data_ = host_.get() + kGuard + shift;
        return;
    }
    if (kept != nullptr) {
        block_ = kept->take(shift + bytes(), true);
        data_ = static_cast<std::byte*>(block_.base) + shift;
        return;
    }
    if (freed != nullptr) control::reuse(freed);
    // At least one byte: cudaMalloc(0) gives a null pointer, and an access there would be reported as one.
    CUDA_CHECK(cudaMalloc(&base_, std::max<std::size_t>(shift + bytes(), 1)));
    data_ = static_cast<std::byte*>(base_) + shift;
    control::label(data_, spec.name);
}

PlacedArray::PlacedArray(PlacedArray&& other) noexcept
    : spec_(other.spec_),
      kept_(other.kept_),
      block_(std::exchange(other.block_, {})),
      apart_(std::exchange(other.apart_, {})),
      base_(std::exchange(other.base_, nullptr)),
      data_(other.data_),
      is_taken_(other.is_taken_),
      host_(std::move(other.host_)) {}

PlacedArray::~PlacedArray() {
    if (base_ != nullptr) cudaFree(base_);
    for (KeptMemory::Block* block : {&block_, &apart_})
        if (block->base != nullptr) kept_->give_back(std::move(*block));
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
    const unsigned char byte = *static_cast<const unsigned char*>(from);
    if (spec_.on_host)
        std::memset(data_, byte, bytes());
    else
        CUDA_CHECK(cudaMemset(data_, byte, bytes()));
    if (!spec_.on_host) control::forget(data_, bytes());
}

void PlacedArray::download(void* to) const {
    if (bytes() == 0) return;
    if (spec_.on_host)
        std::memcpy(to, data_, bytes());
    else
        CUDA_CHECK(cudaMemcpy(to, is_taken_ ? apart_.base : data_, bytes(), cudaMemcpyDeviceToHost));
}

void PlacedArray::keep_apart(const void* from) {
    if (bytes() == 0 || spec_.on_host) return;
    apart_ = kept_->take(bytes(), false);
    if (from != nullptr) CUDA_CHECK(cudaMemcpy(apart_.base, from, bytes(), cudaMemcpyHostToDevice));
}

void PlacedArray::put_in_place() const {
    if (apart_.base != nullptr) CUDA_CHECK(cudaMemcpyAsync(data_, apart_.base, bytes(), cudaMemcpyDeviceToDevice));
}

void PlacedArray::take_away() {
    if (apart_.base == nullptr) return;
    CUDA_CHECK(cudaMemcpyAsync(apart_.base, data_, bytes(), cudaMemcpyDeviceToDevice));
    is_taken_ = true;
}

ArrayHandle PlacedArray::handle() const {
    ArrayHandle out;
    out.address = reinterpret_cast<std::uintptr_t>(data_);
    if (block_.base == nullptr) return out;
    out.handle = block_.handle;
    out.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(data_) - static_cast<std::byte*>(block_.base));
    return out;
}

SharedArray::SharedArray(const std::string& handle) {
    cudaIpcMemHandle_t bytes{};
    for (std::size_t i = 0; i < sizeof bytes.reserved && 2 * i + 1 < handle.size(); ++i)
        bytes.reserved[i] = static_cast<char>(std::stoi(handle.substr(2 * i, 2), nullptr, 16));
    CUDA_CHECK(cudaSetDevice(0));  // nothing else may have woken the device yet
    CUDA_CHECK(cudaIpcOpenMemHandle(&base_, bytes, cudaIpcMemLazyEnablePeerAccess));
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
