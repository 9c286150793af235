#include "virtual_gpu/timing/registers.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/blocks.h"

namespace vgpu {
namespace {

using ptx::Function;
using ptx::Instruction;

constexpr int kAlways = 4;  // the stack pointer, addresses being formed, loads that are moved upward
constexpr int kLeast = 16, kMost = 255, kFile = 65536;

int words_of(ptx::Type type) {
    if (type == ptx::Type::pred) {
        return 0;  // predicates have registers of their own
    }
    return std::max(1, ptx::size_of(type) / 4);
}

// Registers, and how many 32-bit words they take together.
class Live {
  public:
    explicit Live(const std::vector<int>& words_of_each)
        : each_(&words_of_each), bits_(words_of_each.size() / 64 + 1) {}

    void add(int r) {
        if ((bits_[word(r)] & bit(r)) == 0) {
            words += (*each_)[static_cast<std::size_t>(r)];
        }
        bits_[word(r)] |= bit(r);
    }
    void remove(int r) {
        if ((bits_[word(r)] & bit(r)) != 0) {
            words -= (*each_)[static_cast<std::size_t>(r)];
        }
        bits_[word(r)] &= ~bit(r);
    }
    void add(const Live& other) {
        for (std::size_t n = 0; n < bits_.size(); ++n) {
            for (std::uint64_t fresh = other.bits_[n] & ~bits_[n]; fresh != 0; fresh &= fresh - 1) {
                words += (*each_)[n * 64 + static_cast<std::size_t>(std::countr_zero(fresh))];
            }
            bits_[n] |= other.bits_[n];
        }
    }
    friend bool operator==(const Live& a, const Live& b) { return a.bits_ == b.bits_; }

    int words = 0;

  private:
    static std::size_t word(int r) { return static_cast<std::size_t>(r) / 64; }
    static std::uint64_t bit(int r) { return std::uint64_t{1} << (r % 64); }
    const std::vector<int>* each_;
    std::vector<std::uint64_t> bits_;
};

// What is alive before `i` if `live` is alive after it.
void step_back(const Instruction& i, Live& live) {
    if (has_result(i) && i.guard < 0) each_register(i.operands[0], [&](int r) { live.remove(r); });
    each_source(i, [&](int r) { live.add(r); });
}

// The most 32-bit registers that are alive at once.
int most_alive(const Function& f) {
    if (f.body.empty()) {
        return 0;
    }
    const std::vector<ptx::Block> blocks = ptx::Blocks(f).all;
    std::vector<int> words;
    for (const ptx::Register& r : f.registers) {
        words.push_back(words_of(r.type));
    }
    std::vector<Live> alive_at_begin(blocks.size(), Live(words));
    const auto alive_at_end = [&](std::size_t b) {
        Live live(words);
        for (const std::size_t next : blocks[b].next) {
            live.add(alive_at_begin[next]);
        }
        return live;
    };
    std::vector<std::vector<std::size_t>> before(blocks.size());
    std::vector<std::size_t> open;  // blocks behind which something has changed, the last of the text first
    std::vector<bool> is_open(blocks.size(), true);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        open.push_back(b);
        for (const std::size_t next : blocks[b].next) {
            before[next].push_back(b);
        }
    }
    while (!open.empty()) {
        const std::size_t b = open.back();
        open.pop_back();
        is_open[b] = false;
        Live live = alive_at_end(b);
        for (std::size_t n = blocks[b].end; n-- > blocks[b].begin;) {
            step_back(f.body[n], live);
        }
        if (live == alive_at_begin[b]) {
            continue;
        }
        alive_at_begin[b] = std::move(live);
        for (const std::size_t other : before[b]) {
            if (!is_open[other]) {
                is_open[other] = true;
                open.push_back(other);
            }
        }
    }
    int most = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        Live live = alive_at_end(b);
        for (std::size_t n = blocks[b].end; n-- > blocks[b].begin;) {
            step_back(f.body[n], live);
            most = std::max(most, live.words);
        }
    }
    return most;
}

// The functions that a kernel may call, directly or through others; all of them if it calls through a pointer.
std::set<const Function*> called_by(const ptx::Program& program, const Function& kernel) {
    std::set<const Function*> found;
    std::vector<const Function*> open = {&kernel};
    while (!open.empty()) {
        const Function& from = *open.back();
        open.pop_back();
        for (const Instruction& i : from.body) {
            if (!i.call) {
                continue;
            }
            for (const Function& other : program.functions) {
                const bool is_called = i.call->callee_register >= 0 || other.name == i.call->callee;
                if (is_called && !other.is_entry && found.insert(&other).second) {
                    open.push_back(&other);
                }
            }
        }
    }
    return found;
}

}  // namespace

int estimate_registers(const ptx::Program& program, std::string_view kernel) {
    const auto is_it = [&](const Function& f) { return f.is_entry && f.name == kernel; };
    const auto found = std::find_if(program.functions.begin(), program.functions.end(), is_it);
    if (found == program.functions.end()) {
        return 0;
    }
    const Function& f = *found;
    int called = 0;  // a function that is called keeps its registers on top of the caller's
    for (const Function* other : called_by(program, f)) {
        called = std::max(called, most_alive(*other));
    }
    int allowed = kMost;
    if (f.max_threads > 0) {
        allowed = std::min(allowed, kFile / (f.max_threads * std::max(1, f.min_blocks)) / 8 * 8);
    }
    if (f.max_registers > 0) {
        allowed = std::min(allowed, f.max_registers);
    }
    return std::min(std::max(kLeast, most_alive(f) + kAlways + called), std::max(kLeast, allowed));
}

}  // namespace vgpu
