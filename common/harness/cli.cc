#include "harness/cli.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "grading/format.h"
#include "harness/check.h"
#include "harness/control.h"
#include "harness/json.h"
#include "harness/last_words.h"
#include "harness/npy.h"
#include "harness/summary.h"

namespace lab {
namespace {

constexpr std::uint8_t kPoison = 0xa5;  // fills the outputs before a call

// A finding's kind in words.
std::string words_of(std::string kind) {
    if (kind == "uninitialized") return "an undefined value was used";
    std::replace(kind.begin(), kind.end(), '_', ' ');
    return kind;
}

// Prints the defects that the virtual GPU found, one line each, and returns their number.
std::size_t print_findings(const std::string& report) {
    if (report.empty()) return 0;
    std::size_t defects = 0;
    try {
        const json::Value json = json::parse(report);
        for (const json::Value& finding : json["findings"].array()) {
            if (finding["is_note"].boolean()) continue;
            ++defects;
            const json::Value& place = finding["place"];
            std::cout << "  " << words_of(finding["kind"].string()) << ", "
                      << count_of(finding["count"].unsigned_integer(), "time") << ", "
                      << file_name(place["file"].string()) << ":" << place["line"].integer() << "\n    "
                      << finding["what"].string() << "\n    " << finding["help"].string() << "\n";
        }
    } catch (const json::Error& e) {
        std::cout << "  the virtual GPU's report cannot be read: " << e.what() << "\n";
    }
    return defects;
}

double seconds_of_cpu(const Lab& lab, const Prepared& call) {
    HostArrays outputs(call.shape.outputs);
    const auto begin = std::chrono::steady_clock::now();
    lab.cpu(call.instance, call.inputs.arrays, outputs.arrays);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_speed(const CallResult& result, const Shape& shape) {
    const double rate = result.seconds > 0 ? shape.bytes / result.seconds : 0;
    const double copy = Runner::copy_bandwidth();
    std::cout << " · " << format_seconds(result.seconds);
    if (shape.bytes > 0 && copy > 0) {
        char percent[16];
        std::snprintf(percent, sizeof percent, "%.*f %%", rate < 0.095 * copy ? 1 : 0, 100 * rate / copy);
        std::cout << " · " << format_rate(rate) << " (" << percent << " of copy)";
    }
    std::cout << " · transfers " << format_seconds(result.transfer_seconds);
    if (result.workspace > 0) std::cout << " · workspace " << format_bytes(result.workspace);
    std::cout << " · " << Runner::device_name() << (control::is_virtual() ? ", modelled" : "") << "\n";
}

// "1,000 int32 (seed 0)", "640 x 480 pixels (photo.png)".
std::string input_text(const Options& options, const Lab& lab, const Prepared& call) {
    const std::string type = call.shape.inputs.empty() ? "elements" : name_of(call.shape.inputs[0].dtype);
    const std::string text = lab.input_text ? lab.input_text(call.instance) : with_commas(call.instance.n) + " " + type;
    std::vector<std::string> names;
    for (const std::string& path : options.inputs) names.push_back(file_name(path));
    return text + " (" + (names.empty() ? "seed " + std::to_string(options.seed) : joined(names)) + ")";
}

// Array files get the outputs in order; a file in the lab's own format gets the whole result.
void write_outputs(const Options& options, const Lab& lab, const Prepared& call, const HostArrays& outputs) {
    std::size_t next = 0;
    for (const std::string& path : options.outputs) {
        if (lab.files.write && !is_array_file(path)) {
            lab.files.write(call.instance, call.inputs.arrays, outputs.arrays, path);
            continue;
        }
        const Array& output = outputs.arrays[next++];
        write_array(path, output.spec.dtype, length_of(output, outputs.arrays), output.data);
    }
}

void need_outputs(const Options& options, const Lab& lab, const Task& task, const Shape& shape) {
    std::size_t arrays = 0;
    for (const std::string& path : options.outputs) arrays += !lab.files.write || is_array_file(path) ? 1 : 0;
    if (arrays > shape.outputs.size())
        throw UsageError("task " + task.name + " gives " + count_of(shape.outputs.size(), "output") + ", " +
                         count_of(arrays, "file") + " named");
}

std::vector<Argument> arguments_of(const HostArrays& inputs, const HostArrays& outputs) {
    std::vector<Argument> arguments;
    for (const Array& a : inputs.arrays) arguments.push_back({a.spec, false, a.data, nullptr});
    for (const Array& a : outputs.arrays) arguments.push_back({a.spec, true, a.data, a.data});
    return arguments;
}

enum class Outcome { right, failed, not_started };

Outcome run_task(const Options& options, const Lab& lab, Runner& runner, const Task& task, Prepared prepared) {
    const auto& [instance, shape, inputs] = prepared;
    need_outputs(options, lab, task, shape);
    HostArrays outputs(shape.outputs, std::byte{kPoison});
    const std::vector<Argument> arguments = arguments_of(inputs, outputs);
    CallOptions call;
    call.timed = true;
    call.schedule = options.schedule;
    const CallResult result = [&] {
        const InTask guard("lab " + std::to_string(lab.number) + ": task " + task.name);
        const WantedCall one{instance, arguments};
        return runner.call({&one, 1}, call);
    }();

    std::cout << task.name << (instance.variant.empty() ? "" : " " + instance.variant) << " · "
              << input_text(options, lab, prepared);
    if (!result.ok()) {
        const bool is_skipped = result.status == CallResult::Status::skip;
        std::cout << " · " << (is_skipped ? "not started" : result.message)
                  << (result.where.empty() ? "" : ": " + result.where)
                  << (result.todo.empty() ? "" : " TODO " + result.todo) << "\n";
        print_findings(result.report);
        return is_skipped ? Outcome::not_started : Outcome::failed;
    }
    if (lab.output_text)
        std::cout << " · " << lab.output_text(instance, inputs.arrays, outputs.arrays);
    else if (!outputs.arrays.empty())
        std::cout << " · " << sum_text(outputs.arrays[0], length_of(outputs.arrays[0], outputs.arrays));
    print_speed(result, shape);
    bool ok = print_findings(result.report) == 0;
    if (options.cpu && lab.cpu) {
        const double cpu = seconds_of_cpu(lab, prepared);
        std::printf("  plain CPU version, one thread: %s · speed-up %.2fx, with transfers %.2fx%s\n",
                    format_seconds(cpu).c_str(), cpu / result.seconds, cpu / (result.seconds + result.transfer_seconds),
                    control::is_virtual() ? " (device time modelled, CPU time measured)" : "");
    }
    if (options.check) {
        const std::string wrong = check_outputs(lab, instance, inputs.arrays, outputs.arrays, kPoison);
        std::cout << "  check: " << (wrong.empty() ? "right" : wrong) << "\n";
        ok = ok && wrong.empty();
    }
    write_outputs(options, lab, prepared, outputs);
    std::cout.flush();
    return ok ? Outcome::right : Outcome::failed;
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

std::optional<Prepared> check_options(const Options& options, const Lab& lab) {
    if (options.dtype) {
        parse_dtype(*options.dtype);
        if (options.inputs.empty()) throw UsageError("--dtype is for --input");
    }
    if (options.task.empty()) {
        if (!options.variant.empty()) throw UsageError("--variant needs --task");
        return {};
    }
    const Task& task = lab.task(options.task);
    if (!options.inputs.empty()) return prepare(options, lab, task);
    instance_of(options, lab, task);
    return {};
}

int run_program(const Options& options, const Lab& lab, Runner& runner, std::optional<Prepared> prepared) {
    if (!options.task.empty()) {
        const Task& task = lab.task(options.task);
        const Outcome outcome =
            run_task(options, lab, runner, task, prepared ? std::move(*prepared) : prepare(options, lab, task));
        const bool may_be_another = outcome == Outcome::not_started && options.task_is_chosen;
        const Task* before = may_be_another ? task_before(lab, task) : nullptr;
        if (!before) return outcome == Outcome::right ? 0 : 1;
        Options other = options;
        other.task = before->name;
        return run_program(other, lab, runner, {});
    }
    bool ok = true;
    std::int64_t most = 0;
    for (const Task& task : lab.tasks) most = std::max(most, task.max_n);
    for (const Task& task : lab.tasks) {
        Options own = options;  // a task for smaller inputs runs at its largest n
        if (own.n && *own.n <= most) own.n = std::min(*own.n, task.max_n);
        ok = run_task(own, lab, runner, task, prepare(own, lab, task)) == Outcome::right && ok;
    }
    return ok ? 0 : 1;
}

int run_rounds(const Options& options, const Lab& lab, Runner& runner) {
    bool ok = true;
    for (const Task& task : lab.tasks) {
        if (!options.task.empty() && task.name != options.task) continue;
        Options own = options;
        if (own.n && options.task.empty()) own.n = std::min(*own.n, task.max_n);
        const Prepared prepared = prepare(own, lab, task);
        HostArrays outputs(prepared.shape.outputs, std::byte{kPoison});
        const std::vector<Argument> arguments = arguments_of(prepared.inputs, outputs);
        CallOptions call;
        call.checks = false;
        call.timed = *options.rounds > 0;
        const WantedCall wanted{prepared.instance, arguments};
        const std::string& variant = prepared.instance.variant;
        std::printf("%s %s %lld", task.name.c_str(), variant.empty() ? "-" : variant.c_str(),
                    static_cast<long long>(prepared.instance.n));
        std::string wrong;
        for (int round = 0; round < std::max(1, *options.rounds) && wrong.empty(); ++round) {
            for (auto& bytes : outputs.storage) std::fill(bytes.begin(), bytes.end(), std::byte{kPoison});
            const CallResult result = runner.call({&wanted, 1}, call);
            wrong = result.ok() ? "" : result.message.empty() ? "failed" : result.message;
            std::printf(" %.9g", result.seconds);
        }
        if (wrong.empty())
            wrong = check_outputs(lab, prepared.instance, prepared.inputs.arrays, outputs.arrays, kPoison);
        std::printf("\n");
        std::fflush(stdout);
        if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", task.name.c_str(), wrong.c_str());
        ok = ok && wrong.empty();
    }
    return ok ? 0 : 1;
}

}  // namespace lab
