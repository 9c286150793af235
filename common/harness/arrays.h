// The arrays of one call, in the memory that the task reads: device memory, or host memory for ArraySpec::on_host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "grading/problem.h"
#include "harness/callee.h"

namespace lab {

// One array. Every call gets fresh ones. On the virtual GPU each is a separate allocation, so that an access past the
// end never hits another array; host arrays have guard bytes on both sides.
class PlacedArray {
  public:
    // Allocates; throws CudaError. The first element is spec.shift elements past a 256-byte boundary.
    explicit PlacedArray(const ArraySpec& spec);
    ~PlacedArray();
    PlacedArray(PlacedArray&& other) noexcept;
    PlacedArray& operator=(PlacedArray&&) = delete;

    ArrayHandle share() const;  // of a device array; throws CudaError

    const ArraySpec& spec() const { return spec_; }
    void* data() const { return data_; }
    std::size_t bytes() const { return spec_.count * size_of(spec_.dtype); }

    void upload(const void* from) const;
    // Fills an output with the caller's poison, all bytes of which are the same; the virtual GPU still treats it as
    // uninitialised.
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
    void* base_ = nullptr;  // device allocation
    void* data_ = nullptr;
    void* apart_ = nullptr;  // device allocation
    bool is_taken_ = false;
    std::unique_ptr<std::byte[]> host_;  // host array with its guards
};

// A device array of another process on a GPU: mapped while it lives. Throws CudaError.
class SharedArray {
  public:
    SharedArray(const std::string& handle, std::size_t offset);
    ~SharedArray();
    SharedArray(const SharedArray&) = delete;
    SharedArray& operator=(const SharedArray&) = delete;
    void* data() const { return data_; }

  private:
    void* base_ = nullptr;
    void* data_ = nullptr;
};

}  // namespace lab
