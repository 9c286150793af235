// A vector clock over the warps of a launch: for each, the first of its times that is not known to be over.
//
// A value, cheap to copy: clocks share what is equal, as a tree of nodes that never change. A launch has thousands of
// warps, and decoupled look-back hands as many clocks on, each little different from the one before.
#pragma once

#include <cstdint>
#include <utility>

namespace vgpu {

class VectorClock {
  public:
    using Time = std::uint32_t;

    VectorClock() = default;  // all 0: nothing is known of any warp
    VectorClock(const VectorClock& other) : root_(keep(other.root_)) {}
    VectorClock(VectorClock&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
    VectorClock& operator=(VectorClock other) noexcept {
        std::swap(root_, other.root_);
        return *this;
    }
    ~VectorClock() { drop(root_); }

    Time operator[](std::uint64_t warp) const;
    // The entries first + n become `time`, for each n in `members`. `first` is a multiple of `count`, which is a power
    // of two, 32 at the most.
    void set(std::uint64_t first, std::uint32_t members, Time time);
    // The entries first + n become `time`, for n below `count`; `first` is a multiple of 32. Costs as much as the tree
    // is deep.
    void set_all(std::uint64_t first, std::uint64_t count, Time time);
    // The larger of both, entry by entry.
    void join(const VectorClock&);

    bool is_empty() const { return root_ == nullptr; }
    // True: equal. False: perhaps.
    bool is_same(const VectorClock& other) const { return root_ == other.root_; }

  private:
    static constexpr int kBits = 5, kFan = 1 << kBits;
    struct Node;
    static Node* keep(Node*);
    static void drop(Node*);
    static Node* joined(Node*, Node*);
    static Node* with(Node*, int level, std::uint64_t first, std::uint32_t members, Time);
    static Node* with_node(Node*, int level, std::uint64_t first, Node* there);
    void grow(int level);

    Node* root_ = nullptr;
};

}  // namespace vgpu
