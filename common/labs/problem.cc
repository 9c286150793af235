#include "labs/problem.h"

#include <stdexcept>

namespace lab {

std::size_t size_of(DType dtype) {
    switch (dtype) {
        case DType::u8:
            return 1;
        case DType::i32:
        case DType::u32:
        case DType::f32:
            return 4;
        case DType::i64:
        case DType::u64:
        case DType::f64:
            return 8;
    }
    throw std::logic_error("unknown dtype");
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
        case DType::f32:
            return "float32";
        case DType::f64:
            return "float64";
    }
    throw std::logic_error("unknown dtype");
}

void throw_wrong_type(const ArraySpec& spec, DType asked) {
    throw std::logic_error(spec.name + " is " + name_of(spec.dtype) + ", asked for as " + name_of(asked));
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
