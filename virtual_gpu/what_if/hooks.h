// What rules change in a function's code: instructions that the decoder adds (exec/decode/decoder.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/what_if/rules.h"

namespace vgpu {
class Decoder;
struct Function;
struct Module;
}  // namespace vgpu

namespace vgpu::what_if {

class Wide;

class Hooks {
  public:
    // What the module's rules change in the function at hand.
    static std::unique_ptr<Hooks> make(Decoder&);
    Hooks();
    ~Hooks();

    // Around the instruction at hand.
    void before(Decoder&);
    bool instead(Decoder&);  // true: it is done, in another way
    void after(Decoder&);
    // Whether the access at hand counts as an atomic one for the race checks.
    bool is_atomic(std::uint32_t number) const { return number < marks_.size() && marks_[number].is_atomic; }

  private:
    friend class Planner;
    // What is added at an instruction.
    struct Marks {
        bool is_atomic = false;
        bool enters = false, leaves_before = false, leaves_after = false;  // one at a time
        bool takes_turns = false;                                          // by index
        std::vector<std::uint8_t> waits, waits_taken, waits_not_taken;     // of Rules::orders; where it branches
    };
    std::vector<Marks> marks_;  // by instruction; one more for the end
    std::unique_ptr<Wide> wide_;
};

}  // namespace vgpu::what_if
