// Lab 17's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include "grading/problem.h"
#include "map_files.h"
#include "maps.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;

lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n);
    lab::Shape shape;
    shape.inputs = {{"d_points", DType::i32, 2 * n}};
    shape.bytes = 8.0 * static_cast<double>(n) + 4;
    if (pairs::is_list(call)) {
        shape.outputs = {{.name = "d_pairs",
                          .dtype = DType::i32,
                          .count = 2 * static_cast<std::size_t>(call.scalar("room")),
                          .length_in = "d_count",
                          .length_unit = 2},
                         {"d_count", DType::i32, 1}};
        // The usual map has more than 5 pairs for each point.
        shape.bytes += 5.0 * 8 * static_cast<double>(n);
    } else {
        shape.outputs = {{"d_counts", DType::i32, n}};
        shape.bytes += 4.0 * static_cast<double>(n);
    }
    return shape;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const auto numbers = inputs[0].as<std::int32_t>();
    std::size_t at = 0;
    for (const pairs::Place& place : pairs::places_of(call)) {
        numbers[at++] = static_cast<std::int32_t>(place.x);
        numbers[at++] = static_cast<std::int32_t>(place.y);
    }
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::vector<pairs::Place> places = pairs::places_in(inputs[0]);
    const auto out = outputs[0].as<std::int32_t>();
    if (!pairs::is_list(call)) {
        std::ranges::fill(out, 0);
        pairs::sweep(places, call.scalar("radius"), [&](std::size_t i, std::size_t j) {
            ++out[i], ++out[j];
            return true;
        });
        return;
    }
    std::vector<std::pair<std::size_t, std::size_t>> found;
    pairs::sweep(places, call.scalar("radius"), [&](std::size_t i, std::size_t j) {
        found.emplace_back(std::min(i, j), std::max(i, j));
        return true;
    });
    std::ranges::sort(found);
    std::size_t at = 0;
    for (const auto& [i, j] : found) {
        out[at++] = static_cast<std::int32_t>(i);
        out[at++] = static_cast<std::int32_t>(j);
    }
    outputs[1].as<std::int32_t>()[0] = static_cast<std::int32_t>(found.size());
}

void from_arrays(Instance& call, std::span<const Array> given) {
    if (given[0].spec.count % 2 != 0)
        throw std::invalid_argument(given[0].spec.name + " has " + lab::count_of(given[0].spec.count, "number") +
                                    ", which do not make points of two");
    call.n = static_cast<std::int64_t>(given[0].spec.count / 2);
    const std::vector<pairs::Place> places = pairs::places_in(given[0]);
    for (const pairs::Place& place : places)
        if (!pairs::is_on_map(place)) throw std::invalid_argument(given[0].spec.name + " has a point beyond 2^25 m");
    pairs::fill_in_for(call, places);
}

std::string input_text(const Instance& call) {
    std::string text = lab::count_of(static_cast<std::uint64_t>(call.n), "point") + ", radius " +
                       lab::with_commas(call.scalar("radius")) + " m";
    if (pairs::has_grid(call))
        text += ", " + lab::with_commas(call.scalar("columns")) + " x " + lab::with_commas(call.scalar("rows")) +
                " cells of " + lab::with_commas(call.scalar("side")) + " m";
    return text;
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (pairs::is_list(call)) return lab::count_of(pairs::count_in(outputs), "pair");
    const auto counts = outputs[0].as<std::int32_t>();
    if (counts.empty()) return "no points";
    const auto most = std::ranges::max_element(counts);
    return "most neighbours: point " + lab::with_commas(most - counts.begin()) + ", " + lab::with_commas(*most);
}

}  // namespace

lab::Lab pairs_lab() {
    const std::vector<std::int64_t> few = {0, 1, 2, 3, 31, 32, 33, 100, 255, 256, 257, 513, 1000, 1023, 1024, 1025};
    const std::vector<std::int64_t> many = {0,   1,   2,    3,    31,   32,   33,   100, 255,
                                            256, 257, 1000, 1023, 1024, 1025, 2049, 5000};
    const std::int64_t quadratic = 20'000, max_n = std::int64_t{1} << 22;
    lab::Lab lab;
    lab.number = 17;
    lab.name = "pairs";
    lab.title = "Pairs";
    lab.tasks = {
        {"all_pairs", "a thread for each point, which looks at all points", {}, quadratic, few, 2'048},
        {"tiled", "a block's threads look at the same tile of points in shared memory", {}, quadratic, few, 2'048},
        {"binned",
         "points in the cells of a grid by count, scan, scatter; 3 x 3 cells for each",
         {},
         max_n,
         many,
         8'192},
        {"sorted_cells",
         "points sorted by cell; warps for the points of a cell, none for empty cells",
         {},
         max_n,
         many,
         8'192},
        {"pairs_out", "the pairs in order: each hit is kept, then two stable sorts", {}, max_n, many, 8'192},
    };
    lab.choose = pairs::choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {{"radius", "in metres; default: 50,000 for a file, else so that a point has a few neighbours", 0,
                     2 * pairs::kFarthest}};
    lab.from_arrays = from_arrays;
    lab.files = {"cities, a line of x,y or name,x,y each, in metres (written: pairs or counts as .csv; .svg)",
                 pairs::read, pairs::write, [](const std::string&) { return std::string("pairs_out"); }};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
