#include "virtual_gpu/check/vector_clock.h"

#include <algorithm>
#include <vector>

namespace vgpu {

// A leaf (level 0) holds 32 times, any other node 32 children. What is missing is 0.
struct VectorClock::Node {
    std::uint32_t references = 1;
    int level;
    union {
        Time time[kFan];
        Node* child[kFan];
    };
    explicit Node(int its_level) : level(its_level) {
        if (level == 0)
            std::fill_n(time, kFan, Time{0});
        else
            std::fill_n(child, kFan, nullptr);
    }
};

VectorClock::Node* VectorClock::keep(Node* node) {
    if (node) ++node->references;
    return node;
}

void VectorClock::drop(Node* node) {
    if (!node || --node->references != 0) return;
    if (node->level > 0)
        for (Node* child : node->child) drop(child);
    delete node;
}

VectorClock::Time VectorClock::operator[](std::uint64_t warp) const {
    const Node* node = root_;
    if (!node || warp >> (kBits * (node->level + 1)) != 0) return 0;
    while (node && node->level > 0) node = node->child[warp >> (kBits * node->level) & (kFan - 1)];
    return node ? node->time[warp & (kFan - 1)] : 0;
}

void VectorClock::grow(int level) {
    while (root_ && root_->level < level) {
        Node* above = new Node(root_->level + 1);
        above->child[0] = root_;
        root_ = above;
    }
}

// A copy of the path to the entries; what is beside it stays shared.
VectorClock::Node* VectorClock::with(Node* node, int level, std::uint64_t first, std::uint32_t members, Time time) {
    Node* copy = new Node(level);
    if (level == 0) {
        if (node) std::copy_n(node->time, kFan, copy->time);
        for (std::uint64_t at = first & (kFan - 1); members != 0; ++at, members >>= 1)
            if (members & 1) copy->time[at] = time;
        return copy;
    }
    const std::uint64_t at = first >> (kBits * level) & (kFan - 1);
    for (std::uint64_t i = 0; node && i < kFan; ++i)
        if (i != at) copy->child[i] = keep(node->child[i]);
    copy->child[at] = with(node ? node->child[at] : nullptr, level - 1, first, members, time);
    return copy;
}

void VectorClock::set(std::uint64_t first, std::uint32_t members, Time time) {
    int level = root_ ? root_->level : 0;
    while (first >> (kBits * (level + 1)) != 0) ++level;
    grow(level);
    Node* changed = with(root_, level, first, members, time);
    drop(root_);
    root_ = changed;
}

// The same, with a whole node put there.
VectorClock::Node* VectorClock::with_node(Node* node, int level, std::uint64_t first, Node* there) {
    if (level == there->level) return keep(there);
    Node* copy = new Node(level);
    const std::uint64_t at = first >> (kBits * level) & (kFan - 1);
    for (std::uint64_t i = 0; node && i < kFan; ++i)
        if (i != at) copy->child[i] = keep(node->child[i]);
    copy->child[at] = with_node(node ? node->child[at] : nullptr, level - 1, first, there);
    return copy;
}

void VectorClock::set_all(std::uint64_t first, std::uint64_t count, Time time) {
    std::vector<Node*> full;  // by level: all of its entries are `time`
    const auto full_at = [&](int level) {
        while (static_cast<int>(full.size()) <= level) {
            Node* node = new Node(static_cast<int>(full.size()));
            for (int i = 0; i < kFan; ++i) {
                if (node->level == 0)
                    node->time[i] = time;
                else
                    node->child[i] = keep(full.back());
            }
            full.push_back(node);
        }
        return full[static_cast<std::size_t>(level)];
    };
    while (count >= kFan) {
        int chunk = 0;  // level of the largest node that begins here and is not too large
        const auto entries = [](int level) { return std::uint64_t{1} << (kBits * (level + 1)); };
        while (entries(chunk + 1) <= count && first % entries(chunk + 1) == 0) ++chunk;
        int level = std::max(chunk, root_ ? root_->level : 0);
        while (first >> (kBits * (level + 1)) != 0) ++level;
        grow(level);
        Node* changed = with_node(root_, level, first, full_at(chunk));
        drop(root_);
        root_ = changed;
        first += entries(chunk);
        count -= entries(chunk);
    }
    for (Node* node : full) drop(node);
    if (count > 0) set(first, (1u << count) - 1, time);
}

// A reference to a node with the larger of both; to one of the two where it says as much.
VectorClock::Node* VectorClock::joined(Node* a, Node* b) {
    if (!b || a == b) return keep(a);
    if (!a) return keep(b);
    if (a->level == 0) {
        bool is_a = true, is_b = true;
        for (int i = 0; i < kFan; ++i) {
            is_a &= a->time[i] >= b->time[i];
            is_b &= b->time[i] >= a->time[i];
        }
        if (is_a || is_b) return keep(is_a ? a : b);
        Node* larger = new Node(0);
        for (int i = 0; i < kFan; ++i) larger->time[i] = std::max(a->time[i], b->time[i]);
        return larger;
    }
    Node larger(a->level);
    bool is_a = true, is_b = true;
    for (int i = 0; i < kFan; ++i) {
        larger.child[i] = joined(a->child[i], b->child[i]);
        is_a &= larger.child[i] == a->child[i];
        is_b &= larger.child[i] == b->child[i];
    }
    if (!is_a && !is_b) return new Node(larger);
    for (Node* child : larger.child) drop(child);
    return keep(is_a ? a : b);
}

void VectorClock::join(const VectorClock& other) {
    if (!other.root_ || root_ == other.root_) return;
    if (!root_) {
        root_ = keep(other.root_);
        return;
    }
    VectorClock grown = other;
    grow(other.root_->level);
    grown.grow(root_->level);
    Node* both = joined(root_, grown.root_);
    drop(root_);
    root_ = both;
}

}  // namespace vgpu
