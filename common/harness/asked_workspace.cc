#include "harness/asked_workspace.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "grading/format.h"
#include "harness/message.h"
#include "harness/workspace.h"

namespace lab {

void AskedWorkspace::begin(const json::Value& arrays, std::size_t limit_bytes) {
    given_.clear();
    for (const json::Value& array : arrays.array())
        given_.push_back({array["address"].unsigned_integer(), array["bytes"].unsigned_integer()});
    limit_ = limit_bytes;
    next_ = total_ = 0;
}

void* AskedWorkspace::get_bytes(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    total_ += bytes;
    if (limit_ != 0 && total_ > limit_)
        throw MemoryLimit("the Workspace was asked for " + format_bytes(total_) + ", the limit is " +
                          format_bytes(limit_));
    if (next_ == given_.size()) given_.push_back({});
    Given& given = given_[next_];
    if (given.bytes != bytes) given = {asked(next_, bytes), bytes};
    ++next_;
    return reinterpret_cast<void*>(given.address);
}

std::uint64_t AskedWorkspace::asked(std::size_t index, std::size_t bytes) const {
    json::Writer question;
    question.add("op", "workspace").add("index", static_cast<std::uint64_t>(index));
    question.add("bytes", static_cast<std::uint64_t>(bytes));
    if (!send_message(socket_, {question.text(), {}})) throw std::runtime_error("the device process is gone");
    const std::optional<Message> message = receive_message(socket_, 0);
    if (!message) throw std::runtime_error("the device process is gone");
    const json::Value answer = json::parse(message->text);
    if (const std::int64_t code = answer["cuda_code"].integer(); code != 0)
        throw CudaError(static_cast<cudaError_t>(code), "cudaMalloc(&slot.device, bytes)", "workspace.cc", 51);
    if (const std::string& why = answer["message"].string(); !why.empty()) throw MemoryLimit(why);
    return answer["address"].unsigned_integer();
}

}  // namespace lab
