#include "harness/inputs.h"

#include <algorithm>

#include "grading/format.h"
#include "harness/npy.h"

namespace lab {
namespace {

// "; with --variant diamonds_uint8 it takes uint8": the variants that take this type for input i, or "".
std::string who_takes(const Lab& lab, const Task& task, const Instance& probe, std::size_t i, DType dtype) {
    std::string names;
    for (const std::string& variant : task.variants) {
        Instance other = probe;
        other.variant = variant;
        const Shape shape = lab.shape(lab.complete(other));
        if (i < shape.inputs.size() && shape.inputs[i].dtype == dtype) names += (names.empty() ? "" : " or ") + variant;
    }
    return names.empty() ? "" : "; with --variant " + names + " it takes " + name_of(dtype);
}

// Arrays, one file for each of the first inputs; the others are generated.
Prepared from_arrays(const Options& options, const Lab& lab, const Task& task, Instance instance) {
    Instance probe = instance;
    probe.n = std::min<std::int64_t>(1 << 10, task.max_n);
    if (lab.from_arrays) probe.scalars.clear();  // the arrays determine them, and array types do not depend on them
    const Shape sample = lab.shape(lab.complete(probe));
    if (options.inputs.size() > sample.inputs.size())
        throw UsageError("task " + task.name + " takes " + count_of(sample.inputs.size(), "input") + ", " +
                         count_of(options.inputs.size(), "file") + " given");
    std::vector<FileArray> files;
    for (std::size_t i = 0; i < options.inputs.size(); ++i) {
        const ArraySpec& spec = sample.inputs[i];
        files.push_back(read_array(options.inputs[i], options.dtype ? parse_dtype(*options.dtype) : spec.dtype));
        if (files[i].dtype != spec.dtype)
            throw UsageError(options.inputs[i] + ": holds " + name_of(files[i].dtype) + ", task " + task.name +
                             " takes " + name_of(spec.dtype) + " for " + spec.name +
                             who_takes(lab, task, probe, i, files[i].dtype));
    }
    if (lab.from_arrays) {
        std::vector<Array> given;
        for (std::size_t i = 0; i < files.size(); ++i)
            given.push_back({{options.inputs[i], files[i].dtype, files[i].count}, files[i].bytes.data()});
        lab.from_arrays(instance, given);
    } else {
        // An element of the problem may be several numbers of the first input.
        const auto sample_n = static_cast<std::size_t>(std::max<std::int64_t>(probe.n, 1));
        const std::size_t per_element = std::max<std::size_t>(sample.inputs[0].count / sample_n, 1);
        instance.n = static_cast<std::int64_t>(files[0].count / per_element);
    }
    if (options.n && *options.n != instance.n)
        throw UsageError("--n " + std::to_string(*options.n) + ": " + joined(options.inputs) +
                         (files.size() == 1 ? " holds " : " hold ") +
                         count_of(static_cast<std::uint64_t>(instance.n), "element"));
    need_size(task, instance.n);
    instance = lab.complete(std::move(instance));
    const Shape shape = lab.shape(instance);
    HostArrays inputs(shape.inputs);
    if (files.size() < shape.inputs.size()) lab.generate(instance, inputs.arrays);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].count != shape.inputs[i].count)
            throw UsageError(options.inputs[i] + ": holds " + count_of(files[i].count, "value") + ", expected " +
                             with_commas(static_cast<std::int64_t>(shape.inputs[i].count)) + " for " +
                             shape.inputs[i].name);
        std::memcpy(inputs.arrays[i].data, files[i].bytes.data(), files[i].bytes.size());
    }
    return {std::move(instance), shape, std::move(inputs)};
}

// Is the first input a file in the lab's own format?
bool is_own_file(const Options& options, const Lab& lab) {
    return lab.files.read && !options.dtype && !is_array_file(options.inputs[0]);
}

// One file in the lab's own format, which holds all inputs.
Prepared from_own_file(const Options& options, const Lab& lab, const Task& task, const Instance& asked) {
    const std::string& path = options.inputs[0];
    if (options.inputs.size() > 1)
        throw UsageError("--input " + path + ": holds all that the task takes, but there is a second --input");
    Problem problem = lab.files.read(asked, path);
    if (options.n && *options.n != problem.instance.n)
        throw UsageError("--n " + std::to_string(*options.n) + ": for " + path + " n is " +
                         std::to_string(problem.instance.n));
    need_size(task, problem.instance.n);
    problem.instance = lab.complete(std::move(problem.instance));
    Prepared prepared{problem.instance, lab.shape(problem.instance), HostArrays({})};
    prepared.inputs = HostArrays(prepared.shape.inputs);
    for (std::size_t i = 0; i < prepared.shape.inputs.size(); ++i) {
        const ArraySpec& spec = prepared.shape.inputs[i];
        if (problem.inputs.size() != prepared.shape.inputs.size() ||
            problem.inputs[i].size() != spec.count * size_of(spec.dtype))
            throw std::logic_error(path + ": what the lab read does not fit its shape (" + spec.name + ")");
        std::copy(problem.inputs[i].begin(), problem.inputs[i].end(), prepared.inputs.storage[i].begin());
    }
    return prepared;
}

// The arrays that a task takes, whatever their sizes.
std::vector<ArraySpec> inputs_of(const Lab& lab, const Task& task) {
    return lab.shape(lab.complete({task.name, task.variants.empty() ? "" : task.variants.front(), 0, 0})).inputs;
}

}  // namespace

HostArrays::HostArrays(const std::vector<ArraySpec>& specs, std::byte fill) {
    for (const ArraySpec& spec : specs)
        storage.emplace_back(std::max<std::size_t>(spec.count * size_of(spec.dtype), 1), fill);
    for (std::size_t i = 0; i < specs.size(); ++i) arrays.push_back({specs[i], storage[i].data()});
}

bool is_array_file(const std::string& path) {
    return ends_in(path, ".npy") || ends_in(path, ".bin") || ends_in(path, ".raw");
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string task_for_files(const Options& options, const Lab& lab) {
    const auto takes_them = [&](const Task& task) { return inputs_of(lab, task).size() == options.inputs.size(); };
    const auto found = std::find_if(lab.tasks.rbegin(), lab.tasks.rend(), takes_them);
    const bool is_own = !options.inputs.empty() && is_own_file(options, lab);
    if (is_own && lab.files.task) return lab.files.task(options.inputs[0]);
    const bool tells = !options.inputs.empty() && !is_own && found != lab.tasks.rend();
    return tells ? found->name : lab.tasks.back().name;
}

const Task* task_before(const Lab& lab, const Task& task) {
    const auto same = [](const ArraySpec& a, const ArraySpec& b) { return a.name == b.name && a.dtype == b.dtype; };
    const std::vector<ArraySpec> wanted = inputs_of(lab, task);
    const Task* found = nullptr;
    for (const Task& one : lab.tasks) {
        if (one.name == task.name) break;
        const std::vector<ArraySpec> inputs = inputs_of(lab, one);
        if (std::equal(inputs.begin(), inputs.end(), wanted.begin(), wanted.end(), same)) found = &one;
    }
    return found;
}

std::string variant_of(const Options& options, const Task& task) {
    if (options.variant.empty()) return task.variants.empty() ? "" : task.variants.front();
    if (std::find(task.variants.begin(), task.variants.end(), options.variant) == task.variants.end())
        throw UsageError("task " + task.name + " has no variant '" + options.variant + "'; " +
                         (task.variants.empty() ? "it has none" : "it has " + joined(task.variants)));
    return options.variant;
}

void need_size(const Task& task, std::int64_t n) {
    if (n < 0 || n > task.max_n)
        throw UsageError("n = " + with_commas(n) + ": task " + task.name + " takes n from 0 to " +
                         with_commas(task.max_n));
}

Instance instance_of(const Options& options, const Lab& lab, const Task& task) {
    Instance instance{task.name, variant_of(options, task), options.n.value_or(std::min(task.timed_n, task.max_n)),
                      options.seed, options.scalars};
    need_size(task, instance.n);
    return lab.complete(std::move(instance));
}

Prepared prepare(const Options& options, const Lab& lab, const Task& task) {
    if (!options.inputs.empty()) {
        const Instance asked{task.name, variant_of(options, task), 0, options.seed, options.scalars};
        return is_own_file(options, lab) ? from_own_file(options, lab, task, asked)
                                         : from_arrays(options, lab, task, asked);
    }
    Instance instance = instance_of(options, lab, task);
    Shape shape = lab.shape(instance);
    HostArrays inputs(shape.inputs);
    lab.generate(instance, inputs.arrays);
    return {std::move(instance), std::move(shape), std::move(inputs)};
}

}  // namespace lab
