#include "harness/oracle.h"

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "grading/compare.h"
#include "harness/json.h"
#include "harness/lab_and_oracle.h"
#include "harness/scalars.h"

namespace lab {
namespace {

template <class T, class F>
std::string list_of(const std::vector<T>& items, F to_json) {
    std::vector<std::string> texts;
    for (const T& item : items) texts.push_back(to_json(item));
    return json::list(texts);
}

std::string json_of(const Task& task) {
    return json::Writer()
        .add("name", task.name)
        .add("idea", task.idea)
        .raw("variants", list_of(task.variants, [](const std::string& v) { return json::quote(v); }))
        .add("max_n", task.max_n)
        .raw("sizes", list_of(task.sizes, [](std::int64_t n) { return std::to_string(n); }))
        .add("timed_n", task.timed_n)
        .text();
}

std::string json_of(const Lab& lab) {
    return json::Writer()
        .add("number", lab.number)
        .add("name", lab.name)
        .add("title", lab.title)
        .raw("tasks", list_of(lab.tasks, [](const Task& t) { return json_of(t); }))
        .text();
}

std::string json_of(const ArraySpec& spec) {
    return json::Writer()
        .add("name", spec.name)
        .add("dtype", name_of(spec.dtype))
        .add("count", std::uint64_t{spec.count})
        .add("shift", std::uint64_t{spec.shift})
        .add("on_host", spec.on_host)
        .add("columns", std::uint64_t{spec.columns})
        .text();
}

std::vector<Array> arrays_of(const std::vector<ArraySpec>& specs, void* const* data) {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < specs.size(); ++i) arrays.push_back({specs[i], data[i]});
    return arrays;
}

// A call's answer, or its error; valid until this thread's next call.
template <class F>
const char* answer(F f) {
    thread_local std::string text;
    try {
        text = f();
    } catch (const std::exception& e) {
        text = json::Writer().add("error", e.what()).text();
    }
    return text.c_str();
}

struct Asked {
    const Lab& lab;
    Instance instance;
    Shape shape;
    Asked(const char* task, const char* variant, std::int64_t n, std::uint64_t seed, const char* scalars)
        : lab(lab_and_oracle()), instance{task, variant, n, seed} {
        const Task& known = lab.task(task);
        if (n < 0 || n > known.max_n)
            throw std::invalid_argument("task " + known.name + " takes n from 0 to " + std::to_string(known.max_n));
        if (scalars != nullptr) instance.scalars = scalars_of(json::parse(scalars));
        instance = lab.complete(std::move(instance));
        shape = lab.shape(instance);
    }
};

std::string check(const Asked& asked, void* const* inputs, const void* const* outputs, int poison,
                  void* const* expected, std::uint8_t* const* wrong) {
    const std::optional<std::uint8_t> filled =
        poison < 0 ? std::nullopt : std::optional(static_cast<std::uint8_t>(poison));
    const std::vector<Expected> right = asked.lab.expect(asked.instance, arrays_of(asked.shape.inputs, inputs));
    if (right.size() != asked.shape.outputs.size())
        throw std::logic_error("the oracle gave a different number of outputs");
    bool ok = true;
    double worst = 0, tolerance = 0;
    std::vector<std::string> reports;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const ArraySpec& spec = asked.shape.outputs[i];
        const Comparison c = compare(right[i], spec, outputs[i], wrong == nullptr ? nullptr : wrong[i], filled);
        ok = ok && c.ok();
        if (c.worst_error > worst) worst = c.worst_error, tolerance = c.tolerance_there;
        const std::uint64_t count = meaningful(right[i], spec);
        reports.push_back(json::Writer().add("wrong", c.wrong).add("first", c.first).add("count", count).text());
    }
    if (!ok && expected != nullptr)
        for (std::size_t i = 0; i < right.size(); ++i)
            if (expected[i] != nullptr) write_expected(right[i], asked.shape.outputs[i], expected[i]);
    return json::Writer()
        .add("ok", ok)
        .raw("outputs", json::list(reports))
        .add("worst_error", worst)
        .add("tolerance_there", tolerance)
        .text();
}

}  // namespace
}  // namespace lab

const char* oracle_lab() {
    return lab::answer([] { return lab::json_of(lab::lab_and_oracle()); });
}

const char* oracle_shape(const char* task, const char* variant, std::int64_t n, std::uint64_t seed,
                         const char* scalars) {
    return lab::answer([&] {
        const lab::Asked asked(task, variant, n, seed, scalars);
        const auto spec = [](const lab::ArraySpec& s) { return lab::json_of(s); };
        return lab::json::Writer()
            .raw("inputs", lab::list_of(asked.shape.inputs, spec))
            .raw("outputs", lab::list_of(asked.shape.outputs, spec))
            .add("bytes", asked.shape.bytes)
            .raw("scalars", lab::scalars_json(asked.instance.scalars))
            .add("text", asked.lab.input_text ? asked.lab.input_text(asked.instance) : "")
            .text();
    });
}

const char* oracle_generate(const char* task, const char* variant, std::int64_t n, std::uint64_t seed,
                            const char* scalars, void* const* inputs) {
    return lab::answer([&] {
        const lab::Asked asked(task, variant, n, seed, scalars);
        asked.lab.generate(asked.instance, lab::arrays_of(asked.shape.inputs, inputs));
        return std::string("{}");
    });
}

const char* oracle_check(const char* task, const char* variant, std::int64_t n, std::uint64_t seed, const char* scalars,
                         void* const* inputs, const void* const* outputs, int poison, void* const* expected,
                         std::uint8_t* const* wrong) {
    return lab::answer([&] {
        return lab::check(lab::Asked(task, variant, n, seed, scalars), inputs, outputs, poison, expected, wrong);
    });
}
