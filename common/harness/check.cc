#include "harness/check.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "harness/device_choice.h"
#include "harness/json.h"
#include "harness/options.h"
#include "harness/oracles.h"

namespace lab {
namespace {

// One element as text, whatever its type.
std::string element(const ArraySpec& spec, const void* data, std::size_t i) {
    const auto text = [&](auto zero) {
        auto value = zero;
        std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof value, sizeof value);
        std::ostringstream out;
        out.precision(std::is_same_v<decltype(value), float> ? 9 : 17);
        out << +value;
        return out.str();
    };
    switch (spec.dtype) {
        case DType::u8:
            return text(std::uint8_t{});
        case DType::i32:
            return text(std::int32_t{});
        case DType::u32:
            return text(std::uint32_t{});
        case DType::i64:
            return text(std::int64_t{});
        case DType::u64:
            return text(std::uint64_t{});
        case DType::f32:
            return text(float{});
        case DType::f64:
            return text(double{});
    }
    return "";
}

}  // namespace

std::string check_outputs(const Lab& lab, const Instance& instance, std::span<const Array> inputs,
                          std::span<const Array> outputs) {
    const std::string path = find_beside("liboracles.so");
    void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw UsageError("--check needs liboracles.so, which is not built: run make");
    const auto check = reinterpret_cast<decltype(&oracles_check)>(dlsym(library, "oracles_check"));
    if (check == nullptr) throw UsageError(path + " is not this program's liboracles.so");

    std::vector<void*> in;
    for (const Array& array : inputs) in.push_back(array.data);
    std::vector<const void*> out;
    std::vector<std::vector<std::byte>> right_bytes;
    std::vector<void*> right;
    for (const Array& array : outputs) {
        out.push_back(array.data);
        right_bytes.emplace_back(std::max<std::size_t>(array.spec.count * size_of(array.spec.dtype), 1));
        right.push_back(right_bytes.back().data());
    }
    const json::Value verdict =
        json::parse(check(lab.number, instance.task.c_str(), instance.variant.c_str(), instance.n, instance.seed,
                          in.data(), out.data(), right.data(), nullptr));
    if (const json::Value* error = verdict.find("error")) throw UsageError(error->string());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const json::Value& report = verdict["outputs"].array()[i];
        const std::int64_t first = report["first"].integer();
        if (first < 0) continue;
        const ArraySpec& spec = outputs[i].spec;
        const auto at = static_cast<std::size_t>(first);
        return std::to_string(report["wrong"].integer()) + " of " + std::to_string(spec.count) + " values of " +
               spec.name + " wrong, the first at " + std::to_string(first) + ": " + element(spec, outputs[i].data, at) +
               ", expected " + element(spec, right[i], at);
    }
    return "";
}

}  // namespace lab
