#include "harness/cli.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "harness/check.h"
#include "harness/control.h"
#include "harness/format.h"
#include "harness/json.h"
#include "harness/npy.h"

namespace lab {
namespace {

// Arrays of one run in host memory.
struct HostArrays {
    std::vector<std::vector<std::byte>> storage;
    std::vector<Array> arrays;
    explicit HostArrays(const std::vector<ArraySpec>& specs) {
        for (const ArraySpec& spec : specs)
            storage.emplace_back(std::max<std::size_t>(spec.count * size_of(spec.dtype), 1));
        for (std::size_t i = 0; i < specs.size(); ++i) arrays.push_back({specs[i], storage[i].data()});
    }
};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string variant_of(const Options& options, const Task& task) {
    if (options.variant.empty()) return task.variants.empty() ? "" : task.variants.front();
    if (std::find(task.variants.begin(), task.variants.end(), options.variant) == task.variants.end())
        throw UsageError("task " + task.name + " has no variant '" + options.variant + "'; " +
                         (task.variants.empty() ? "it has none" : "it has " + joined(task.variants)));
    return options.variant;
}

// The files of --input, and the n that they make.
struct Files {
    std::vector<FileArray> arrays;
    std::int64_t n = 0;
};

Files read_files(const Options& options, const Lab& lab, const Task& task, Instance instance) {
    instance.n = 1 << 10;
    const Shape probe = lab.shape(instance);
    if (options.inputs.size() > probe.inputs.size())
        throw UsageError("task " + task.name + " takes " + std::to_string(probe.inputs.size()) + " inputs, " +
                         std::to_string(options.inputs.size()) + " files were given");
    Files files;
    for (std::size_t i = 0; i < options.inputs.size(); ++i) {
        const ArraySpec& spec = probe.inputs[i];
        files.arrays.push_back(read_array(options.inputs[i], options.dtype ? parse_dtype(*options.dtype) : spec.dtype));
        if (files.arrays[i].dtype != spec.dtype)
            throw UsageError(options.inputs[i] + ": holds " + name_of(files.arrays[i].dtype) + ", task " + task.name +
                             " takes " + name_of(spec.dtype) + " for " + spec.name);
    }
    // Shapes are linear in n: an element of the problem is so many numbers of the first input.
    const std::size_t per_element = std::max<std::size_t>(probe.inputs[0].count >> 10, 1);
    files.n = static_cast<std::int64_t>(files.arrays[0].count / per_element);
    if (options.n && *options.n != files.n)
        throw UsageError("--n " + std::to_string(*options.n) + ": " + options.inputs[0] + " holds " +
                         std::to_string(files.n) + " elements");
    instance.n = files.n;
    const Shape shape = lab.shape(instance);
    for (std::size_t i = 0; i < files.arrays.size(); ++i)
        if (files.arrays[i].count != shape.inputs[i].count)
            throw UsageError(options.inputs[i] + ": holds " + std::to_string(files.arrays[i].count) +
                             " values, expected " + std::to_string(shape.inputs[i].count) + " for " +
                             shape.inputs[i].name);
    return files;
}

void need_size(const Task& task, std::int64_t n) {
    if (n < 0 || n > task.max_n)
        throw UsageError("n = " + std::to_string(n) + ": task " + task.name + " takes n from 0 to " +
                         std::to_string(task.max_n));
}

// "sum 499,512,331", or the value itself where there is only one.
std::string summary_of(const Array& out) {
    const auto total = [&](auto zero) -> std::string {
        using T = decltype(zero);
        std::int64_t whole = 0;
        double real = 0;
        std::int64_t odd = 0;  // NaN and infinities would hide all others
        for (const T value : out.as<T>()) {
            if constexpr (std::is_integral_v<T>)
                whole =
                    static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(value));
            else if (std::isfinite(value))
                real += static_cast<double>(value);
            else
                ++odd;
        }
        if constexpr (std::is_integral_v<T>) return with_commas(whole);
        char text[40];
        std::snprintf(text, sizeof text, "%.9g", real);
        return text + (odd == 0 ? "" : ", " + with_commas(odd) + " NaN or infinite");
    };
    std::string text;
    switch (out.spec.dtype) {
        case DType::u8:
            text = total(std::uint8_t{});
            break;
        case DType::i32:
            text = total(std::int32_t{});
            break;
        case DType::u32:
            text = total(std::uint32_t{});
            break;
        case DType::i64:
            text = total(std::int64_t{});
            break;
        case DType::u64:
            text = total(std::uint64_t{});
            break;
        case DType::f32:
            text = total(float{});
            break;
        case DType::f64:
            text = total(double{});
            break;
    }
    return (out.spec.count == 1 ? "result " : "sum ") + text;
}

// Defects that the virtual GPU saw, one line each; how many.
std::size_t print_findings(const std::string& report) {
    if (report.empty()) return 0;
    std::size_t defects = 0;
    try {
        const json::Value json = json::parse(report);
        for (const json::Value& finding : json["findings"].array()) {
            if (finding["is_note"].boolean()) continue;
            ++defects;
            const json::Value& place = finding["place"];
            std::string kind = finding["kind"].string();
            std::replace(kind.begin(), kind.end(), '_', ' ');
            std::cout << "  " << kind << ", " << with_commas(finding["count"].integer()) << " times, "
                      << file_name(place["file"].string()) << ":" << place["line"].integer() << "\n    "
                      << finding["what"].string() << "\n    " << finding["help"].string() << "\n";
        }
    } catch (const json::Error& e) {
        std::cout << "  the virtual GPU's report cannot be read: " << e.what() << "\n";
    }
    return defects;
}

double seconds_of_cpu(const Lab& lab, const Instance& instance, const HostArrays& inputs, const Shape& shape) {
    HostArrays outputs(shape.outputs);
    const auto begin = std::chrono::steady_clock::now();
    lab.cpu(instance, inputs.arrays, outputs.arrays);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_speed(const Options& options, const CallResult& result, const Shape& shape) {
    const double rate = result.seconds > 0 ? shape.bytes / result.seconds : 0;
    const double copy = Runner::copy_bandwidth();
    std::cout << " · " << format_seconds(result.seconds);
    if (shape.bytes > 0 && copy > 0) {
        char percent[16];
        std::snprintf(percent, sizeof percent, "%.*f %%", rate < 0.095 * copy ? 1 : 0, 100 * rate / copy);
        std::cout << " · " << format_rate(rate) << " (" << percent << " of copy)";
    }
    std::cout << " · transfers " << format_seconds(result.transfer_seconds);
    std::cout << " · " << Runner::device_name() << (control::is_virtual() ? ", modelled" : "") << "\n";
    (void)options;
}

bool run_task(const Options& options, Runner& runner, const Task& task) {
    const Lab& lab = runner.lab();
    Instance instance{task.name, variant_of(options, task), options.n.value_or(std::min(task.timed_n, task.max_n)),
                      options.seed};
    Files files;
    if (!options.inputs.empty()) {
        files = read_files(options, lab, task, instance);
        instance.n = files.n;
    }
    need_size(task, instance.n);
    const Shape shape = lab.shape(instance);
    if (options.outputs.size() > shape.outputs.size())
        throw UsageError("task " + task.name + " gives " + std::to_string(shape.outputs.size()) + " outputs, " +
                         std::to_string(options.outputs.size()) + " files were named");
    HostArrays inputs(shape.inputs), outputs(shape.outputs);
    if (files.arrays.size() < shape.inputs.size()) lab.generate(instance, inputs.arrays);
    for (std::size_t i = 0; i < files.arrays.size(); ++i)
        std::copy(files.arrays[i].bytes.begin(), files.arrays[i].bytes.end(), inputs.storage[i].begin());

    std::vector<Argument> arguments;
    for (const Array& a : inputs.arrays) arguments.push_back({a.spec, false, a.data, nullptr});
    for (const Array& a : outputs.arrays) arguments.push_back({a.spec, true, a.data, a.data});
    CallOptions call;
    call.timed = true;
    call.schedule = options.schedule;
    const CallResult result = runner.call(instance, arguments, call);

    const std::string type = shape.inputs.empty() ? "elements" : name_of(shape.inputs[0].dtype);
    std::cout << task.name << (instance.variant.empty() ? "" : " " + instance.variant) << " · "
              << with_commas(instance.n) << " " << type;
    if (!result.ok()) {
        std::cout << " · " << (result.status == CallResult::Status::skip ? "not started" : result.message)
                  << (result.where.empty() ? "" : ": " + result.where)
                  << (result.todo.empty() ? "" : " TODO " + result.todo) << "\n";
        print_findings(result.report);
        return false;
    }
    if (!outputs.arrays.empty()) std::cout << " · " << summary_of(outputs.arrays[0]);
    print_speed(options, result, shape);
    bool ok = print_findings(result.report) == 0;
    if (options.cpu && lab.cpu) {
        const double cpu = seconds_of_cpu(lab, instance, inputs, shape);
        std::printf("  plain CPU version, one thread: %s · speed-up %.2f, with transfers %.2f%s\n",
                    format_seconds(cpu).c_str(), cpu / result.seconds, cpu / (result.seconds + result.transfer_seconds),
                    control::is_virtual() ? " (device time modelled, CPU time measured)" : "");
    }
    if (options.check) {
        const std::string wrong = check_outputs(lab, instance, inputs.arrays, outputs.arrays);
        std::cout << "  check: " << (wrong.empty() ? "right" : wrong) << "\n";
        ok = ok && wrong.empty();
    }
    for (std::size_t i = 0; i < options.outputs.size(); ++i)
        write_array(options.outputs[i], shape.outputs[i].dtype, shape.outputs[i].count, outputs.arrays[i].data);
    std::cout.flush();
    return ok;
}

}  // namespace

std::string list_text(const Lab& lab) {
    std::string text = "Lab " + std::to_string(lab.number) + " · " + lab.title + "\n\n";
    std::size_t width = 0;
    for (const Task& task : lab.tasks) width = std::max(width, task.name.size());
    for (const Task& task : lab.tasks) {
        std::string name = task.name;
        name.resize(width + 2, ' ');
        text += "  " + name + task.idea + "\n" + std::string(width + 4, ' ') + "n up to " + with_commas(task.max_n);
        if (!task.variants.empty()) text += "; variants " + joined(task.variants);
        text += "\n";
    }
    return text;
}

void check_options(const Options& options, const Lab& lab) {
    if (options.dtype) {
        parse_dtype(*options.dtype);
        if (options.inputs.empty()) throw UsageError("--dtype is for --input");
    }
    if (options.task.empty()) {
        for (const char* const needs : {"--input", "--output", "--variant"}) {
            const bool given = needs == std::string("--input")    ? !options.inputs.empty()
                               : needs == std::string("--output") ? !options.outputs.empty()
                                                                  : !options.variant.empty();
            if (given) throw UsageError(std::string(needs) + " needs --task");
        }
        return;
    }
    const Task& task = lab.task(options.task);
    const Instance instance{task.name, variant_of(options, task), options.n.value_or(0), options.seed};
    if (options.n) need_size(task, *options.n);
    if (!options.inputs.empty()) need_size(task, read_files(options, lab, task, instance).n);
}

int run_program(const Options& options, Runner& runner) {
    bool ok = true;
    for (const Task& task : runner.lab().tasks) {
        if (!options.task.empty() && task.name != options.task) continue;
        // Without --task, a rung that is for smaller inputs runs at the most that it takes.
        Options own = options;
        if (options.task.empty() && own.n) own.n = std::min(*own.n, task.max_n);
        ok = run_task(own, runner, task) && ok;
    }
    return ok ? 0 : 1;
}

}  // namespace lab
