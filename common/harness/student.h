// The student's functions, called in this process.
#pragma once

#include "harness/call.h"
#include "harness/callee.h"
#include "harness/workspace.h"

namespace lab {

// Never throws what the student's code threw.
class Student final : public Callee {
  public:
    explicit Student(Bindings bindings);
    void prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult&) override;
    void call(CallResult&) override;
    void call_nothing(CallResult&) override;
    void recover(CallResult&) override;
    bool is_warm(const Instance&) const override;

    // One call and nothing around it: whoever has the device ends it, and asks for errors afterwards.
    void call_alone(const CallArrays&, Workspace&, CallResult&) const;
    static void look_for_errors(CallResult&);

  private:
    void call(const CallArrays&, CallResult&);

    Bindings bindings_;
    std::span<const CallArrays> calls_;
    std::size_t device_limit_ = 0;
    PooledWorkspace work_;
};

}  // namespace lab
