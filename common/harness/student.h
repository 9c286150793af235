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
    void prepare(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs,
                 std::span<const ArrayHandle> handles, std::size_t device_limit, CallResult&) override;
    void call(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs, CallResult&) override;
    void recover(CallResult&) override;
    bool is_warm(const Instance&) const override;

  private:
    Bindings bindings_;
    PooledWorkspace work_;
};

}  // namespace lab
