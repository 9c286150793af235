// The arrays of one call, in the memory that the task reads: device memory, or host memory for ArraySpec::on_host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grading/problem.h"
#include "harness/callee.h"

namespace lab {

// Device memory that the device process of a GPU keeps from one call to the next: to allocate and to share it takes as
// long as to fill it. What another process could ever reach is never used for what it must not see.
class KeptMemory {
  public:
    struct Block {
        void* base = nullptr;
        std::size_t bytes = 0;
        bool is_shared = false;
        std::string handle;  // of a shared one
    };
    KeptMemory();
    ~KeptMemory() { free_all(); }
    KeptMemory(const KeptMemory&) = delete;
    KeptMemory& operator=(const KeptMemory&) = delete;

    // One of at least so many bytes; throws CudaError.
    Block take(std::size_t bytes, bool is_shared);
    void give_back(Block block) { blocks_.push_back(std::move(block)); }
    // Whether it is more than may be kept, or than a call needs that takes so many bytes.
    bool is_too_much() const { return bytes() > most_; }
    bool is_too_much_for(std::size_t wanted) const { return bytes() > 2 * wanted + kSmall; }
    // Another process must have given up its share before.
    void free_all();

  private:
    static constexpr std::size_t kSmall = std::size_t{64} << 20;
    std::size_t bytes() const;
    std::size_t most_;
    std::vector<Block> blocks_;  // that nobody has taken
};

// One array. Every call gets fresh ones, but for KeptMemory. On the virtual GPU each is a separate allocation, so that
// an access past the end never hits another array; host arrays have guard bytes on both sides.
class PlacedArray {
  public:
    // Allocates; throws CudaError. The first element is spec.shift elements past a 256-byte boundary.
    // On the virtual GPU, where a freed array began: so that the new one may begin there, too.
    explicit PlacedArray(const ArraySpec& spec, KeptMemory* kept = nullptr, void* freed = nullptr);
    ~PlacedArray();
    PlacedArray(PlacedArray&& other) noexcept;
    PlacedArray& operator=(PlacedArray&&) = delete;

    ArrayHandle handle() const;  // of a device array

    const ArraySpec& spec() const { return spec_; }
    void* data() const { return data_; }
    void* base() const { return base_; }
    std::size_t bytes() const { return spec_.count * size_of(spec_.dtype); }

    void upload(const void* from) const;
    // Fills an output with the byte that `from` begins with; the virtual GPU still treats it as uninitialised.
    void poison(const void* from) const;
    void download(void* to) const;

    // On a GPU, beside a device array that others can reach, memory that nobody else sees.
    void keep_apart(const void* from);  // values for put_in_place()
    void put_in_place() const;          // by the device, without waiting
    void take_away();                   // the array as it is now, by the device; what download() gives from then on
    // Host arrays: have the guard bytes changed?
    bool overrun() const;

  private:
    ArraySpec spec_;
    KeptMemory* kept_ = nullptr;
    KeptMemory::Block block_, apart_;  // of kept memory
    void* base_ = nullptr;             // other device memory
    void* data_ = nullptr;
    bool is_taken_ = false;
    std::unique_ptr<std::byte[]> host_;  // host array with its guards
};

// A device array of another process on a GPU: mapped while it lives. Throws CudaError.
class SharedArray {
  public:
    explicit SharedArray(const std::string& handle);
    ~SharedArray();
    SharedArray(const SharedArray&) = delete;
    SharedArray& operator=(const SharedArray&) = delete;
    void* at(std::size_t offset) const { return static_cast<std::byte*>(base_) + offset; }

  private:
    void* base_ = nullptr;
};

}  // namespace lab
