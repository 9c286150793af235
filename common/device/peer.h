// The runner: another process, which holds the student's code. What it says is checked for form, and decides nothing.
#pragma once

#include <stdexcept>
#include <string>

#include "harness/callee.h"
#include "harness/message.h"

namespace lab {

// The runner has gone, or what it sends makes no sense.
struct PeerGone : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Peer final : public Callee {
  public:
    // `calls`: to its server (harness/serve.h). `session`: on the virtual GPU, where its CUDA calls arrive; else -1.
    Peer(int calls, int session) : calls_(calls), session_(session), is_virtual_(session >= 0) {}

    // These throw PeerGone.
    void prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult&) override;
    void call(CallResult&) override;
    void call_nothing(CallResult&) override;
    void release() override;  // never throws
    void recover(CallResult&) override;
    bool is_warm(const Instance& instance) const override { return purpose_of(instance) == warm_; }
    bool is_remote() const override { return true; }
    bool shares_events() const override { return is_virtual_; }

  private:
    Message exchange(Message, std::size_t most_bytes);
    void take(const Message&, CallResult&) const;

    int calls_, session_;
    bool is_virtual_;
    std::span<const CallArrays> calls_made_;
    std::string warm_;
};

}  // namespace lab
