// Messages between a program and the process that has its device: values one after the other, as they lie in memory on
// one machine, and a length before each text and list. A reader never looks beyond its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "virtual_gpu/session/session.h"

namespace vgpu::wire {

enum class Op : std::uint8_t {
    hello,
    failed,
    load,
    function,
    symbol,
    allocate,
    release,
    release_all,
    find,
    bytes_free,
    bytes_total,
    copy,
    fill,
    launch,
    make_stream,
    destroy_stream,
    host_function,
    make_event,
    destroy_event,
    record,
    wait_event,
    elapsed,
    wait,
    spend,
    call_failed,
    errors_seen,
    add_finding,
    host_access,
    stopped
};

constexpr std::size_t kMostBytes = 1 << 20;  // of a message, without the data of a copy
constexpr std::size_t kDataBytes = 1 << 20;  // of the data of a copy, sent at once

// What stands before each question and each answer; the message of `bytes` follows.
struct Question {
    std::uint32_t bytes = 0;
    Op op{};
    std::uint8_t does_work = 0;  // since the last question: Session::begin
    std::uint16_t unused = 0;
};
// An answer `lost` with a message is a refusal, which the text names; nothing more will be answered.
struct Answer {
    std::uint32_t bytes = 0;
    Status status{};
};

// The last value of the enums that are asked with; what is beyond it is no question.
constexpr Way last(Way) { return Way::device_to_device; }
constexpr Wait::For last(Wait::For) { return Wait::For::event; }

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
  public:
    template <Plain T>
    void put(const T& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put(std::string_view text) {
        put(static_cast<std::uint32_t>(text.size()));
        bytes += text;
    }
    void put(const std::string& text) { put(std::string_view(text)); }
    template <class T, std::size_t N>
    void put(const std::array<T, N>& values) {
        for (const T& value : values) put(value);
    }
    template <class A, class B>
    void put(const std::pair<A, B>& value) {
        put(value.first), put(value.second);
    }
    template <class T>
    void put(const std::vector<T>& values) {
        put(static_cast<std::uint32_t>(values.size()));
        for (const T& value : values) put(value);
    }
    template <class T>
    requires requires(T& value) {
        members(value, [](auto&...) {});
    }
    void put(const T& value) {
        members(const_cast<T&>(value), [this](auto&... each) { (put(each), ...); });
    }

    std::string bytes;
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    template <Plain T>
    bool get(T& value) {
        if (rest_.size() < sizeof value) return false;
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
        if constexpr (requires { last(value); }) return value <= last(value);
        return true;
    }
    bool get(bool& value) {
        std::uint8_t byte = 0;
        if (!get(byte)) return false;
        value = byte != 0;
        return true;
    }
    bool get(std::string& text) {
        std::uint32_t size = 0;
        if (!get(size) || size > rest_.size()) return false;
        text = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
    }
    template <class T, std::size_t N>
    bool get(std::array<T, N>& values) {
        for (T& value : values)
            if (!get(value)) return false;
        return true;
    }
    template <class A, class B>
    bool get(std::pair<A, B>& value) {
        return get(value.first) && get(value.second);
    }
    template <class T>
    bool get(std::vector<T>& values) {
        std::uint32_t size = 0;
        if (!get(size) || size > rest_.size()) return false;  // each takes a byte at least
        values.clear();
        for (std::uint32_t i = 0; i < size; ++i)
            if (!get(values.emplace_back())) return false;
        return true;
    }
    template <class T>
    requires requires(T& value) {
        members(value, [](auto&...) {});
    }
    bool get(T& value) {
        return members(value, [this](auto&... each) { return (get(each) && ...); });
    }
    bool is_empty() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

template <class... T>
std::string pack(const T&... values) {
    Writer writer;
    (writer.put(values), ...);
    return std::move(writer.bytes);
}

// False unless the bytes are these values and nothing else.
template <class... T>
bool unpack(std::string_view bytes, T&... values) {
    Reader reader(bytes);
    return (reader.get(values) && ...) && reader.is_empty();
}

// All of it, whatever the system takes at once. False: the other end is gone.
bool send_all(int socket, const void* data, std::size_t bytes);
bool receive_all(int socket, void* data, std::size_t bytes);

}  // namespace vgpu::wire

namespace vgpu {

// Which members of the structs travel.
template <class F>
auto members(CopyCall& c, F f) {
    return f(c.name, c.way, c.to, c.from, c.to_pitch, c.from_pitch, c.width, c.height, c.stream, c.async, c.pinned,
             c.place);
}
template <class F>
auto members(FillCall& c, F f) {
    return f(c.name, c.to, c.pitch, c.width, c.height, c.value, c.stream, c.place);
}
template <class F>
auto members(Wait& w, F f) {
    return f(w.what, w.id, w.only_ask);
}
template <class F>
auto members(Launch& l, F f) {
    return f(l.kernel, l.module, l.grid, l.block, l.shared_bytes, l.stream, l.cooperative, l.dependent, l.dynamic_limit,
             l.pending_limit, l.shared_limits, l.params);
}
template <class F>
auto members(FunctionInfo& i, F f) {
    return f(i.param_offsets, i.param_sizes, i.param_bytes, i.static_shared, i.local_bytes, i.const_bytes, i.registers,
             i.max_threads, i.machine_registers, i.ptx_version);
}

}  // namespace vgpu
