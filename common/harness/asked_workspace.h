// The Workspace of a runner whose device another process has: that one allocates the arrays, names and poisons them,
// and frees them when another kind of call comes. The runner gets addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/json.h"
#include "toolbox/basics.h"

namespace lab {

class AskedWorkspace final : public Workspace {
  public:
    explicit AskedWorkspace(int socket) : socket_(socket) {}

    // Before each call: the arrays that earlier ones of its kind had, as in the message "call_one" (serve.h).
    void begin(const json::Value& arrays, std::size_t limit_bytes);
    std::size_t bytes() const { return total_; }  // that the call asked for

  private:
    void* get_bytes(std::size_t bytes) override;
    std::uint64_t asked(std::size_t index, std::size_t bytes) const;

    struct Given {
        std::uint64_t address = 0, bytes = 0;
    };
    int socket_;
    std::vector<Given> given_;
    std::size_t next_ = 0, total_ = 0, limit_ = 0;
};

}  // namespace lab
