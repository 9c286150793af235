// Lab 5's tasks as data. Trusted; host C++; also in the runner, for --n without --input. Each of the three problems has
// its inputs and files in a header of its own.
#include "grading/problem.h"
#include "runs.h"
#include "text.h"
#include "triangles.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Instance;

enum class Problem { triangles, text, runs };

Problem problem_of(const Instance& call) {
    if (call.task == "words") return Problem::text;
    return call.task == "max_slots" || call.task == "count_scan_scatter" ? Problem::triangles : Problem::runs;
}

// Calls the function of the call's own problem.
template <class OfTriangles, class OfText, class OfRuns>
auto choice(const Instance& call, OfTriangles of_triangles, OfText of_text, OfRuns of_runs) {
    const Problem problem = problem_of(call);
    return problem == Problem::triangles ? of_triangles() : problem == Problem::text ? of_text() : of_runs();
}

void choose(Instance& call) {
    choice(
        call, [&] { triangles::choose(call); }, [] {}, [&] { runs::choose(call); });
}

lab::Shape shape(const Instance& call) {
    return choice(
        call, [&] { return triangles::shape(call); }, [&] { return text::shape(call); },
        [&] { return runs::shape(call); });
}

void generate(const Instance& call, std::span<const Array> in) {
    choice(
        call, [&] { triangles::generate(call, in); }, [&] { text::generate(call, in); },
        [&] { runs::generate(call, in); });
}

void cpu(const Instance& call, std::span<const Array> in, std::span<const Array> out) {
    choice(
        call, [&] { triangles::cpu(call, in, out); }, [&] { text::cpu(call, in, out); },
        [&] { runs::cpu(call, in, out); });
}

void from_arrays(Instance& call, std::span<const Array> given) {
    choice(
        call, [&] { triangles::from_arrays(call, given); },
        [&] { call.n = static_cast<std::int64_t>(given[0].spec.count); }, [&] { runs::from_arrays(call, given); });
}

lab::Problem read(const Instance& asked, const std::string& path) {
    return choice(
        asked, [&] { return triangles::read(asked, path); }, [&] { return text::read(asked, path); },
        [&] { return runs::read(asked, path); });
}

void write(const Instance& call, std::span<const Array> in, std::span<const Array> out, const std::string& path) {
    choice(
        call, [&] { triangles::write(call, in, out, path); }, [&] { text::write(in, out, path); },
        [&] { runs::write(out, path); });
}

std::string input_text(const Instance& call) {
    return choice(
        call, [&] { return triangles::input_text(call); }, [&] { return text::input_text(call); },
        [&] { return runs::input_text(call); });
}

std::string output_text(const Instance& call, std::span<const Array> in, std::span<const Array> out) {
    return choice(
        call, [&] { return triangles::output_text(call, out); }, [&] { return text::output_text(in, out); },
        [&] { return lab::count_of(out[0].spec.count, "output"); });
}

}  // namespace

lab::Lab allocate_lab() {
    // The edges of warps and blocks; more blocks than a block of 1024 can scan; of text, of chunks of 16 bytes as well.
    const std::vector<std::int64_t> sizes = {0,   1,    2,    31,   32,     33,    255,   256,  257,
                                             511, 1023, 1024, 1025, 20'001, 65535, 65536, 65537};
    std::vector<std::int64_t> bytes = sizes;
    bytes.insert(bytes.begin() + 3, {15, 16, 17});
    bytes.insert(bytes.end(), {1'000'003});
    std::vector<std::int64_t> elements = sizes;
    elements.insert(elements.end(), {200'003});
    const std::vector<std::string> makes = lab::names_of(allocate::kVariants);
    lab::Lab lab;
    lab.number = 5;
    lab.name = "allocate";
    lab.title = "Allocate";
    lab.tasks = {
        {"max_slots",
         "room for the most that an element can give; then compact",
         {},
         triangles::kMaxN,
         sizes,
         triangles::kTimedN},
        {"count_scan_scatter",
         "count first, scan, and write to the place that is known then",
         {},
         triangles::kMaxN,
         sizes,
         triangles::kTimedN},
        {"words",
         "the same for a text: 16 bytes are an element, and a word's two ends meet later",
         {},
         text::kMaxN,
         bytes,
         text::kTimedN},
        {"thread_per_output", "a thread for each output, which searches for its element", makes, runs::kMaxN, elements,
         runs::kTimedN},
        {"load_balanced", "blocks with equal shares of elements and outputs; few searches, then a walk", makes,
         runs::kMaxN, elements, runs::kTimedN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.from_arrays = from_arrays;
    const std::int64_t far = triangles::kFarthest;
    lab.settings = {
        {"left", "tasks 1 and 2: the window's left side; default 0", -far, far},
        {"right", "its right side; default 1000", -far, far},
        {"bottom", "its lower side; default 0", -far, far},
        {"top", "its upper side; default 1000", -far, far},
        {"outputs", "tasks 4 and 5: how many outputs all elements have together; default 4 n", 0, runs::kMaxOutputs}};
    lab.files = {"a text; triangles, a line of six numbers each (written, .csv or .svg); or lines of value,count", read,
                 write, [](const std::string& path) {
                     return std::string(lab::ends_in(path, ".csv") ? "count_scan_scatter" : "words");
                 }};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
