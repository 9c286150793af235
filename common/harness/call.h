// One call of a student's function, as bindings.cc sees it: typed pointers by position, n, and scalars. bindings.cc
// binds the names of the tasks to calls:
//
//     lab::Bindings scan_bindings() {
//         return {{"naive", [](lab::Call& c) { naive(c.in<int>(0), c.out<int>(0), int(c.n()), c.workspace()); }}};
//     }
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grading/problem.h"
#include "toolbox/basics.h"

namespace lab {

class Call {
  public:
    // Arrays as the task gets them: `data` is a device pointer, or a host pointer where spec.on_host.
    Call(const Instance& instance, std::span<const Array> inputs, std::span<const Array> outputs, Workspace& work)
        : instance_(instance), inputs_(inputs), outputs_(outputs), work_(work) {}

    // The i-th input or output of the task's Shape; throws std::logic_error if it has another type.
    template <class T>
    const T* in(std::size_t i) const {
        return pointer<T>(inputs_, i);
    }
    template <class T>
    T* out(std::size_t i) const {
        return pointer<T>(outputs_, i);
    }
    std::int64_t n() const { return instance_.n; }
    std::int64_t scalar(const std::string& name) const { return instance_.scalar(name); }
    const std::string& variant() const { return instance_.variant; }
    Workspace& workspace() { return work_; }

  private:
    template <class T>
    static T* pointer(std::span<const Array> arrays, std::size_t i) {
        const Array& array = arrays[i];
        if (array.spec.dtype != dtype_of<T>()) throw_wrong_type(array.spec, dtype_of<T>());
        return static_cast<T*>(array.data);
    }

    const Instance& instance_;
    std::span<const Array> inputs_, outputs_;
    Workspace& work_;
};

using Bindings = std::vector<std::pair<std::string, std::function<void(Call&)>>>;

// One task whose variants are bound to calls of their own:
//
//     {"block_sums", lab::by_variant({{"sum_int32", bind(block_sums<Sum<int>>)}, ...})}
inline std::function<void(Call&)> by_variant(Bindings variants) {
    return [variants = std::move(variants)](Call& c) {
        for (const auto& [name, call] : variants)
            if (name == c.variant()) return call(c);
        throw_unknown_variant(c.variant());
    };
}

}  // namespace lab
