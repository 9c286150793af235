// A lab that has all that a lab may have: scalars, settings, files of its own, two inputs, a result of variable size.
#include "tiny_cases.h"

#include <algorithm>
#include <stdexcept>

#include "grading/format.h"
#include "grading/image.h"
#include "grading/random.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Expected;
using lab::Instance;

std::int64_t raised(const Instance& call, std::uint8_t value) {
    return std::clamp<std::int64_t>(value + call.scalar("by"), 0, 255);
}

// The values that "keep" and "sloppy" give, in their order.
std::vector<std::uint64_t> kept(const Instance& call, std::span<const std::uint8_t> in) {
    std::vector<std::uint64_t> values;
    for (const std::uint8_t value : in)
        if (value >= call.scalar("by")) values.push_back(value);
    return values;
}

void choose(Instance& call) {
    lab::Random random(call.seed, "scalars");
    call.fill_in("by", call.seed == 0 ? 10 : random.between(0, 255));
    call.fill_in("border", 0);
    call.fill_in("width", call.n);
    if (call.task == "join") call.fill_in("left", call.n / 2);
    if (call.scalar("border") == 1 && call.scalar("by") == 0)
        throw std::invalid_argument("--border wrap needs --by above 0");
}

lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n);
    lab::Shape shape;
    shape.inputs = {{"d_in", DType::u8, n}};
    shape.outputs = {{"d_out", DType::u8, n}};
    if (call.task == "join") {
        const auto left = static_cast<std::size_t>(call.scalar("left"));
        shape.inputs = {{"d_in", DType::u8, left}, {"d_more", DType::u8, n - left}};
    } else if (call.task != "raise") {
        shape.outputs[0].length_in = "d_count";
        shape.outputs.push_back({"d_count", DType::i32, 1});
    }
    shape.bytes = 2 * static_cast<double>(n);
    return shape;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    lab::Random random(call.seed);
    for (const Array& input : inputs)
        for (std::uint8_t& value : input.as<std::uint8_t>()) value = static_cast<std::uint8_t>(random.below(256));
}

lab::Problem read(const Instance& asked, const std::string& path) {
    const lab::Image image = lab::to_grey(lab::read_image(path));
    lab::Problem problem{asked, {lab::bytes_of(image.pixels)}};
    problem.instance.n = static_cast<std::int64_t>(image.pixels.size());
    problem.instance.scalars["width"] = static_cast<std::int64_t>(image.width);
    return problem;
}

void write(const Instance& call, std::span<const Array>, std::span<const Array> outputs, const std::string& path) {
    const std::span<const std::uint8_t> out = outputs[0].as<std::uint8_t>();
    const auto width = static_cast<std::size_t>(call.scalar("width"));
    lab::write_image(path, {width, width == 0 ? 0 : out.size() / width, 1, {out.begin(), out.end()}});
}

void from_arrays(Instance& call, std::span<const Array> given) {
    if (call.task == "join" && given.size() < 2)
        throw std::invalid_argument(given[0].spec.name + " cannot be joined alone");
    call.n = 0;
    for (const Array& array : given) call.n += static_cast<std::int64_t>(array.spec.count);
    if (call.task == "join") call.scalars["left"] = static_cast<std::int64_t>(given[0].spec.count);
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (call.task == "raise") return lab::count_of(outputs[0].spec.count, "pixel") + " raised";
    if (call.task == "join") return lab::count_of(outputs[0].spec.count, "pixel") + " joined";
    return lab::count_of(static_cast<std::uint64_t>(outputs[1].as<std::int32_t>()[0]), "value") + " kept";
}

}  // namespace

std::vector<Expected> tiny_expect(const Instance& call, std::span<const Array> inputs) {
    const std::span<const std::uint8_t> in = inputs[0].as<std::uint8_t>();
    if (call.task == "join") {
        Expected expected;
        for (const Array& input : inputs)
            for (const std::uint8_t value : input.as<std::uint8_t>()) expected.exact.push_back(value);
        return {expected};
    }
    if (call.task != "raise") {
        const std::vector<std::uint64_t> values = kept(call, in);
        return {{.exact = values, .rest = Expected::Rest::untouched}, {.exact = {values.size()}}};
    }
    Expected expected;
    for (const std::uint8_t value : in) expected.exact.push_back(static_cast<std::uint64_t>(raised(call, value)));
    return {expected};
}

void tiny_cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::vector<Expected> right = tiny_expect(call, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        lab::with_type(outputs[i].spec.dtype, [&](auto zero) {
            using T = decltype(zero);
            const std::span<T> out = outputs[i].as<T>();
            std::transform(right[i].exact.begin(), right[i].exact.end(), out.begin(),
                           [](std::uint64_t value) { return static_cast<T>(value); });
        });
}

lab::Lab tiny_lab() {
    lab::Lab lab;
    lab.number = 99;
    lab.name = "tiny";
    lab.title = "Tiny";
    for (const char* name : {"join", "raise", "keep", "sloppy", "leaves", "leaves_at_once", "crash", "host_access"})
        lab.tasks.push_back({name, "for tests", {}, 1 << 20, {0, 1, 1000}, 1000});
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = tiny_cpu;
    lab.from_arrays = from_arrays;
    lab.settings = {{"by", "how much; default 10", 0, 255},
                    {"border", "what is beyond the border; default clamp", 0, 0, {"clamp", "wrap"}}};
    lab.files = {"an image: PGM, PPM or PNG", read, write};
    lab.input_text = [](const Instance& call) {
        return lab::count_of(static_cast<std::uint64_t>(call.n), "pixel") + ", " +
               std::to_string(call.scalar("width")) + " a row";
    };
    lab.output_text = output_text;
    return lab;
}
