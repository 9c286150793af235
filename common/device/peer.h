// The runner: another process, which holds the student's code. What it says is checked for form, and decides nothing.
#pragma once

#include <stdexcept>
#include <string>

#include "harness/callee.h"
#include "harness/message.h"
#include "harness/workspace.h"

namespace lab {

// The runner has gone, or what it sends makes no sense.
struct PeerGone : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// It has used the device outside of a call, or sent what no runner sends. The call has failed; it gets no other.
struct PeerRefused : std::runtime_error {
    PeerRefused(const std::string& what, std::string where) : std::runtime_error(what), where(std::move(where)) {}
    std::string where;  // "scan.cu:24", or ""
};

// On the virtual GPU the states of a call are kept here, by control::enter(): whatever the runner sends, it can neither
// begin a call nor end one. It may use the device only while one runs.
class Peer final : public Callee {
  public:
    // `calls`: to its server (harness/serve.h). `session`: on the virtual GPU, where its CUDA calls arrive; else -1.
    Peer(int calls, int session) : calls_(calls), session_(session), is_virtual_(session >= 0) {}

    void choose_change(int number) override { change_ = number; }
    // These throw PeerGone and PeerRefused.
    void prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult&) override;
    void call(CallResult&) override;
    void call_nothing(CallResult&) override;
    void release() override;  // never throws
    void recover(CallResult&) override;
    bool is_warm(const Instance& instance) const override { return purpose_of(instance) == warm_; }
    bool is_remote() const override { return true; }
    bool shares_events() const override { return is_virtual_; }

  private:
    Message exchange(Message, std::size_t most_bytes, const char* state = "idle", std::size_t host_bytes = 0);
    void call_all(CallResult&);
    void call_one(std::size_t which, CallResult&);
    bool answer(const Message&);
    void answer_questions();
    void answer_question();
    void take(const Message&, CallResult&) const;

    int calls_, session_;
    bool is_virtual_, is_awake_ = false;
    PooledWorkspace work_;  // on the virtual GPU; on a GPU the runner has its own
    std::size_t limit_ = 0;
    int change_ = 0;
    std::span<const CallArrays> calls_made_;
    std::string warm_;
};

}  // namespace lab
