#include "harness/check.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "grading/format.h"
#include "harness/device_choice.h"
#include "harness/json.h"
#include "harness/options.h"
#include "harness/oracle.h"
#include "harness/scalars.h"

namespace lab {
namespace {

// One element as text, whatever its type.
std::string element(const ArraySpec& spec, const void* data, std::size_t i) {
    return with_type(spec.dtype, [&](auto value) {
        std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof value, sizeof value);
        std::ostringstream out;
        out.precision(std::is_same_v<decltype(value), float> ? 9 : 17);
        out << +value;
        return out.str();
    });
}

}  // namespace

std::string check_outputs(const Lab& lab, const Instance& instance, std::span<const Array> inputs,
                          std::span<const Array> outputs, std::uint8_t poison) {
    const std::string path = find_beside("liboracle" + std::to_string(lab.number) + ".so");
    void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw UsageError("--check needs the lab's oracle, which is in build/: run make, and the program there");
    const auto check = reinterpret_cast<decltype(&oracle_check)>(dlsym(library, "oracle_check"));
    if (check == nullptr) throw UsageError(path + " is not this program's oracle");

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
    const json::Value verdict = json::parse(check(instance.task.c_str(), instance.variant.c_str(), instance.n,
                                                  instance.seed, scalars_json(instance.scalars).c_str(), in.data(),
                                                  out.data(), poison, right.data(), nullptr));
    if (const json::Value* error = verdict.find("error")) throw UsageError(error->string());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const json::Value& report = verdict["outputs"].array()[i];
        const std::int64_t first = report["first"].integer();
        if (first < 0) continue;
        const ArraySpec& spec = outputs[i].spec;
        const auto at = static_cast<std::size_t>(first);
        const bool beyond = first >= report["count"].integer();
        return std::to_string(report["wrong"].integer()) + " of " + count_of(spec.count, "value") + " of " + spec.name +
               " wrong, the first at " + std::to_string(first) + ": " + element(spec, outputs[i].data, at) +
               ", expected " + (beyond ? "untouched: the result ends before it" : element(spec, right[i], at));
    }
    return "";
}

}  // namespace lab
