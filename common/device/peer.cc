#include "device/peer.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/control.h"
#include "harness/json.h"
#include "harness/request.h"

namespace lab {
namespace {

using Status = CallResult::Status;

constexpr std::int64_t kMostCudaCode = 100'000;

std::string text_of(const Array& array, bool is_output, const ArrayHandle& handle) {
    json::Writer text;
    text.add("name", array.spec.name).add("dtype", name_of(array.spec.dtype));
    text.add("count", static_cast<std::uint64_t>(array.spec.count));
    text.add("shift", static_cast<std::uint64_t>(array.spec.shift));
    text.add("on_host", array.spec.on_host).add("out", is_output);
    if (array.spec.on_host) return text.text();
    if (handle.handle.empty()) return text.add("address", handle.address).text();
    return text.add("handle", handle.handle).add("offset", handle.offset).text();
}

std::size_t bytes_of(const Array& array) { return array.spec.count * size_of(array.spec.dtype); }

// Host arrays, call by call in the order inputs, outputs.
std::vector<Array> host_arrays(std::span<const CallArrays> calls) {
    std::vector<Array> out;
    for (const CallArrays& call : calls)
        for (const auto* arrays : {&call.inputs, &call.outputs})
            std::copy_if(arrays->begin(), arrays->end(), std::back_inserter(out),
                         [](const Array& a) { return a.spec.on_host; });
    return out;
}

Status status_named(const std::string& name) {
    for (const Status status :
         {Status::ok, Status::skip, Status::cuda_error, Status::exception, Status::memory, Status::bad_request})
        if (name == name_of(status)) return status;
    throw json::Error("unknown status");
}

}  // namespace

void Peer::prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult& result) {
    calls_made_ = calls;
    std::vector<std::string> texts;
    for (const CallArrays& call : calls) {
        std::vector<std::string> arrays;
        for (const Array& array : call.inputs) arrays.push_back(text_of(array, false, call.handles[arrays.size()]));
        for (const Array& array : call.outputs) arrays.push_back(text_of(array, true, call.handles[arrays.size()]));
        json::Writer text;
        texts.push_back(add_instance(text, call.instance).raw("arrays", json::list(arrays)).text());
    }
    json::Writer request;
    request.add("op", "prepare").add("device_limit", static_cast<std::uint64_t>(device_limit));
    take(exchange({request.raw("calls", json::list(texts)).text(), {}}, 0), result);
}

void Peer::call_nothing(CallResult& result) {
    take(exchange({json::Writer().add("op", "call_nothing").text(), {}}, 0), result);
}

void Peer::call(CallResult& result) {
    Message request{json::Writer().add("op", "call").text(), {}};
    const std::vector<Array> on_host = host_arrays(calls_made_);
    for (const Array& array : on_host) {
        const auto* data = static_cast<const std::byte*>(array.data);
        request.bytes.insert(request.bytes.end(), data, data + bytes_of(array));
    }
    const std::size_t expected = request.bytes.size();
    const Message reply = exchange(std::move(request), expected);
    take(reply, result);
    if (reply.bytes.size() == expected) {
        std::size_t at = 0;
        for (const Array& array : on_host) {
            std::memcpy(array.data, reply.bytes.data() + at, bytes_of(array));
            at += bytes_of(array);
        }
    } else if (result.ok()) {
        throw PeerGone("the runner's answer differs in size from its arrays");
    }
    warm_ = purpose_of(calls_made_.front().instance);
}

void Peer::release() {
    if (is_virtual_) return;  // an address there holds nothing
    try {
        exchange({json::Writer().add("op", "release").text(), {}}, 0);
    } catch (const PeerGone&) {  // then it holds nothing either
    }
}

void Peer::recover(CallResult& result) {
    CallResult now;
    take(exchange({json::Writer().add("op", "recover").text(), {}}, 0), now);
    result.is_lost = now.is_lost || !now.ok();
}

// Sends, and answers the runner's CUDA calls until it replies.
Message Peer::exchange(Message request, std::size_t most_bytes) {
    if (!send_message(calls_, request)) throw PeerGone("the runner is gone");
    if (!is_virtual_) await_message(calls_);
    for (;;) {
        pollfd ready[2] = {{calls_, POLLIN, 0}, {session_, POLLIN, 0}};  // a negative one is passed over
        if (poll(ready, 2, -1) < 0) {
            if (errno == EINTR) continue;
            throw PeerGone("the runner cannot be waited for");
        }
        if (ready[1].revents != 0 && !control::serve(session_)) session_ = -1;
        if (ready[1].revents == 0 && ready[0].revents != 0) {
            std::optional<Message> reply = receive_message(calls_, most_bytes);
            if (!reply) throw PeerGone("the runner is gone");
            return std::move(*reply);
        }
    }
}

void Peer::take(const Message& message, CallResult& result) const {
    try {
        const json::Value reply = json::parse(message.text);
        if (!result.ok()) return;
        result.status = status_named(reply["status"].string());
        result.message = reply["message"].string();
        result.where = reply["where"].string();
        result.todo = reply["todo"].string();
        const std::int64_t code = reply["cuda_code"].integer();
        if (code < 0 || code > kMostCudaCode) throw json::Error("unknown error code");
        result.cuda_code = static_cast<int>(code);
        result.workspace = reply["workspace"].unsigned_integer();
        result.is_lost = reply["lost"].boolean();
    } catch (const json::Error&) {
        throw PeerGone("the runner's answer cannot be read");
    }
}

}  // namespace lab
