#include "grading/problem.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lab {

void throw_unknown_dtype() { throw std::logic_error("unknown dtype"); }

std::size_t size_of(DType dtype) {
    return dtype == DType::f16 ? sizeof(Half) : with_type(dtype, [](auto zero) { return sizeof zero; });
}

const char* name_of(DType dtype) {
    switch (dtype) {
        case DType::u8:
            return "uint8";
        case DType::i32:
            return "int32";
        case DType::u32:
            return "uint32";
        case DType::i64:
            return "int64";
        case DType::u64:
            return "uint64";
        case DType::f16:
            return "float16";
        case DType::f32:
            return "float32";
        case DType::f64:
            return "float64";
    }
    throw_unknown_dtype();
}

void throw_wrong_type(const ArraySpec& spec, DType asked) {
    throw std::logic_error(spec.name + " is " + name_of(spec.dtype) + ", asked for as " + name_of(asked));
}

std::int64_t root_of(std::int64_t n) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
    while (root * root > n) --root;
    while ((root + 1) * (root + 1) <= n) ++root;
    return root;
}

std::int64_t Instance::scalar(const std::string& wanted) const {
    const auto found = scalars.find(wanted);
    if (found == scalars.end()) throw std::logic_error("task " + task + " was called without its " + wanted);
    return found->second;
}

void throw_unknown_variant(const std::string& name) { throw std::invalid_argument("unknown variant " + name); }

void choose_by_variant(Instance& call, const std::string& setting, const std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), call.variant);
    const std::int64_t place = found == words.end() ? 0 : found - words.begin();
    call.variant = words.at(static_cast<std::size_t>(call.fill_in(setting, place)));
}

Instance Lab::complete(Instance instance) const {
    if (choose) choose(instance);
    return instance;
}

const Task& Lab::task(const std::string& wanted) const {
    std::string known;
    for (const Task& task : tasks) {
        if (task.name == wanted) return task;
        known += (known.empty() ? "" : ", ") + task.name;
    }
    throw std::invalid_argument("lab " + std::to_string(number) + " (" + name + ") has no task '" + wanted +
                                "'; it has " + known);
}

}  // namespace lab
