// Lab 7's tasks as data. Trusted; host C++; also in the runner, for --n without --input.
#include "cases.h"

#include <algorithm>
#include <cstdio>

#include "grading/format.h"
#include "plain_cpu.h"

namespace {

using lab::Array;
using lab::Instance;
using spmv::builds_matrix;
using spmv::kKindNames;
using spmv::kMost;
using spmv::kVectorNames;
using spmv::Work;
using spmv::work_of;

constexpr std::int64_t kTimedN = 1 << 18, kTimedSortN = 1 << 16;
constexpr std::int64_t kMostSteps = 1000;

std::string input_text(const Instance& call) {
    const Work work = work_of(call);
    const auto counted = [&](const char* noun) { return lab::count_of(static_cast<std::uint64_t>(call.n), noun); };
    std::string text = lab::with_commas(call.scalar("rows")) + " x " + lab::with_commas(call.scalar("cols")) + ", ";
    switch (work) {
        case Work::multiply:
            text += counted("nonzero");
            if (!call.scalars.contains("x_given"))
                text += ", x " + kVectorNames.at(static_cast<std::size_t>(call.scalar("x")));
            break;
        case Work::pagerank:
            text += counted("link") + ", " + lab::count_of(static_cast<std::uint64_t>(call.scalar("steps")), "step");
            break;
        case Work::from_dense:
            text += counted("element");
            break;
        case Work::from_coo:
            text += call.n == 1 ? "1 entry" : lab::with_commas(call.n) + " entries";
            break;
    }
    return text;
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (builds_matrix(call)) {
        const auto row_ptr = outputs[0].as<std::int32_t>();
        return lab::count_of(static_cast<std::uint64_t>(std::max(row_ptr.back(), 0)), "nonzero");
    }
    const auto y = outputs[0].as<float>();
    char text[64];
    if (work_of(call) == Work::pagerank && !y.empty()) {
        const auto best = std::max_element(y.begin(), y.end());
        std::snprintf(text, sizeof text, " with %.4g", static_cast<double>(*best));
        return "first is page " + lab::with_commas(best - y.begin() + 1) + text;
    }
    double sum = 0;
    for (const float value : y) sum += static_cast<double>(value);
    std::snprintf(text, sizeof text, "sum of y %.9g", sum);
    return text;
}

}  // namespace

lab::Lab spmv_lab() {
    // The edges of warps and blocks; 1792 is a tile of 256 threads with 7 items each.
    const std::vector<std::int64_t> sizes = {
        0,    1,    2,    31,   32,   33,           255,    256,    257,    1023,
        1024, 1025, 1792, 1793, 5000, spmv::kWideN, 65'535, 65'536, 65'537, spmv::kOneRowN};
    // Enough tiles that adding up their carries takes more than one block.
    std::vector<std::int64_t> many_tiles = sizes;
    many_tiles.push_back(470'000);
    // The first variant is timed: rows of equal length where a thread takes a row, else the hard case, a few long rows.
    const std::vector<std::string> all = kKindNames, few = {"power_law", "uniform", "gaps"};
    const std::vector<std::string> even = {"uniform", "power_law", "laplacian", "band", "gaps"};
    lab::Lab lab;
    lab.number = 7;
    lab.name = "spmv";
    lab.title = "SpMV";
    lab.tasks = {
        {"gather_multiply_reduce", "three kernels: gather x, multiply, add up each row", even, kMost, sizes, kTimedN},
        {"row_per_thread", "one kernel, a thread for each row", even, kMost, sizes, kTimedN},
        {"warp_per_row", "a warp for each row; its lanes read neighbouring nonzeros", all, kMost, sizes, kTimedN},
        {"segmented_scan", "equally many nonzeros for each thread; a backward segmented scan adds up the rows", all,
         kMost, many_tiles, kTimedN},
        {"csr_from_dense", "count each row's nonzeros, scan the counts, fill the rows", {}, kMost, sizes, kTimedN},
        {"csr_from_coo", "sort by row and column, add up entries of the same place, find the rows", few, kMost, sizes,
         kTimedSortN},
        {"pagerank", "in each step: SpMV, a sum, and an even share for every page", few, kMost, sizes, kTimedSortN},
        {"merge_path", "equally many row ends and nonzeros for each thread, along the path that merges them", all,
         kMost, many_tiles, kTimedN},
    };
    lab.choose = spmv::choose;
    lab.shape = spmv::shape;
    lab.generate = spmv::generate;
    lab.cpu = spmv::cpu;
    lab.settings = {
        {"matrix", "the kind that is generated; default power_law", 0, 0, kKindNames},
        {"x", "the vector; default ones for files, else random", 0, 0, kVectorNames},
        {"rows", "rows that the n nonzeros are shared out among", 0, kMost},
        {"cols", "columns; default: square", 0, kMost},
        {"per_row", "nonzeros in a row, on average or of the band; default 16, and 7 for a band", 1, kMost},
        {"grid", "laplacian: the whole matrix of a grid of so many points a side, whatever n is", 1, 1 << 12},
        {"steps", "pagerank: how many; default 20", 0, kMostSteps},
    };
    lab.from_arrays = spmv::from_arrays;
    lab.files = {"a matrix: Matrix Market (.mtx)", spmv::read_matrix, spmv::write_result};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
