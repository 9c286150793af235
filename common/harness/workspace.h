// The Workspace that tasks get: memory that was allocated before the clock started.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "toolbox/basics.h"

namespace lab {

// A task asked for more device memory than the lab allows.
struct MemoryLimit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The first call of a task at some n allocates at each get(), which takes no modelled time. Later calls get the same
// memory in the same order, poisoned again. An array whose size has changed is allocated again, which takes its time.
class PooledWorkspace final : public Workspace {
  public:
    ~PooledWorkspace() { release(); }

    // Before each call. Another `purpose` (task, variant, n, scalars) starts from nothing.
    void begin(const std::string& purpose, std::size_t limit_bytes);
    void poison() const;  // what there is
    // True if a call with this purpose has been made, so that get() need not allocate.
    bool is_ready_for(const std::string& purpose) const { return purpose == purpose_ && used_before_; }
    void end() { used_before_ = true; }
    std::size_t bytes() const { return total_; }  // that the call asked for
    // The array of this index, of a call in another process; it has been asked for those before. Throws as get() does,
    // and std::out_of_range.
    void* at(std::size_t index, std::size_t bytes);
    void release();
    // Drops the memory without freeing it: after a sticky error, cudaFree fails.
    void forget() { slots_.clear(), purpose_.clear(), used_before_ = false; }

    struct Slot {
        void* device;
        std::size_t bytes;
    };
    const std::vector<Slot>& arrays() const { return slots_; }

  private:
    void* get_bytes(std::size_t bytes) override;
    void* placed(std::size_t index, std::size_t bytes);
    static void poison(const Slot&);

    std::string purpose_;
    bool used_before_ = false;
    std::size_t limit_ = 0, total_ = 0, next_ = 0;
    std::vector<Slot> slots_;
};

}  // namespace lab
