// Lab 11's tasks as data, their inputs, and pictures in files. Trusted; host C++; also in the runner, for --n without
// --input.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "filters.h"
#include "grading/files.h"
#include "grading/format.h"
#include "grading/image.h"
#include "grading/problem.h"
#include "grading/random.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kTimedN = 1 << 18;
constexpr std::int64_t kMaxRadius = 15, kMaxSide = 1 << 18;  // as in convolution.h

enum Border : std::int64_t { zero, clamp, wrap };  // as in convolution.h

const std::vector<std::string> kBorderNames = {"zero", "clamp", "wrap"};

// An image of one column. In blocks of 4 rows, it needs one block in y more than a launch may have.
constexpr std::int64_t kTallN = kMaxSide - 1;

// Is the input an ordinary one? It is if the user names no seed, and for timed sizes, so that times of different seeds
// can be compared.
bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= kTimedN; }

bool is_separable(const Instance& call) { return call.task == "separable"; }

Filter filter_of(const Instance& call) { return static_cast<Filter>(call.scalar("filter")); }

// ---- Which image, filter and border ----

// The width of an image of n > 0 pixels: a divisor of n. The usual image is as square as n allows. The longer side of
// the others is at most 64 times the shorter one, if n has such divisors; and some small images are a single row or
// column.
std::int64_t some_width(const Instance& call, Random& random) {
    std::vector<std::int64_t> any, moderate;
    for (std::int64_t d = 1; d * d <= call.n; ++d) {
        if (call.n % d != 0 || call.n / d > kMaxSide) continue;
        for (const std::int64_t width : {d, call.n / d}) {
            any.push_back(width);  // the last one will be the most square
            if (call.n <= 64 * d * d) moderate.push_back(width);
        }
    }
    if (any.empty())
        throw std::invalid_argument(lab::with_commas(call.n) + " pixels do not make a rectangle with sides up to " +
                                    lab::with_commas(kMaxSide) + "; choose another --n");
    if (is_usual(call)) return any.back();
    if (call.n == kTallN) return 1;
    if (call.n < 1 << 15 && random.one_in(8)) return random.one_in(2) ? 1 : call.n;
    const auto& widths = moderate.empty() ? any : moderate;
    return widths[random.below(widths.size())];
}

// A radius that keeps the work of a call within 2^21 products, for the sake of the virtual GPU.
std::int64_t some_radius(const Instance& call, Random& random) {
    if (is_usual(call)) return 3;
    if (call.n == kTallN) return 0;  // a single column takes long enough: most lanes of each warp have no pixel
    std::int64_t most = kMaxRadius;
    while (most > 1 && call.n * (2 * most + 1) * (2 * most + 1) > 1 << 21) --most;
    return random.one_in(4) ? most : random.between(0, most);
}

void choose_filter(Instance& call) {
    Random random(call.seed, "filter");
    lab::choose_by_variant(call, "border", kBorderNames);
    call.fill_in("filter", static_cast<std::int64_t>(Filter::random));
    const Filter filter = filter_of(call);
    const std::string& name = kFilterNames[static_cast<std::size_t>(filter)];
    const auto radius = call.fill_in("radius", is_sobel(filter) ? 1 : some_radius(call, random));
    if (is_sobel(filter) && radius != 1) throw std::invalid_argument(name + " is 3 x 3; leave out --radius");
    if (is_separable(call) && filter != Filter::random && !factors_of(named_filter(filter, radius)))
        throw std::invalid_argument(name + " is not a product of a row and a column, which task separable needs; " +
                                    "name another --task");
}

void choose(Instance& call) {
    choose_filter(call);
    Random random(call.seed, "shape");
    if (call.n == 0) {  // one side at least is 0
        const auto width = call.fill_in("width", random.one_in(2) ? 0 : 5);
        call.fill_in("height", width > 0 || random.one_in(2) ? 0 : 5);
        return;
    }
    const std::int64_t width = call.scalars.contains("width") ? call.scalar("width") : some_width(call, random);
    if (width < 1 || call.n % width != 0 || call.n / width > kMaxSide)
        throw std::invalid_argument("--width " + std::to_string(width) + ": " + lab::with_commas(call.n) +
                                    " pixels do not fill such rows exactly, or they are more than " +
                                    lab::with_commas(kMaxSide) + " rows");
    call.scalars["width"] = width;
    call.scalars["height"] = call.n / width;
}

lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n), size = 2 * static_cast<std::size_t>(call.scalar("radius")) + 1;
    lab::Shape shape;
    shape.inputs = {{"d_in", DType::f32, n}};
    if (is_separable(call)) {
        shape.inputs.push_back({"d_row", DType::f32, size});
        shape.inputs.push_back({"d_column", DType::f32, size});
    } else {
        shape.inputs.push_back({"d_filter", DType::f32, size * size});
    }
    shape.outputs = {{"d_out", DType::f32, n}};
    shape.inputs[0].columns = shape.outputs[0].columns = static_cast<std::size_t>(call.scalar("width"));
    shape.move_each_array_once();
    return shape;
}

// ---- Inputs ----

// What the pixels and the weights look like, chosen by the seed. If both are `digits`, every product is so large that a
// missing one shows (oracle.cc).
enum class Values { digits, levels, equal, one };

Values values_of(const Instance& call, const char* of) {
    Random random(call.seed, of);
    return is_usual(call) || random.one_in(2) ? Values::digits : static_cast<Values>(random.between(1, 3));
}

void generate_values(const Instance& call, const char* of, std::span<float> values) {
    Random random(call.seed, std::string(of) + " values");
    if (values.empty()) return;
    const std::size_t place = random.below(values.size());
    const auto set_each = [&](auto value) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    };
    switch (values_of(call, of)) {
        case Values::digits:  // 0.5 <= |x| < 1, with all the digits of a float
            set_each([&](std::size_t) {
                const std::uint64_t bits = random.bits();
                const float value = 0.5f + static_cast<float>(bits >> 41) * 0x1p-24f;
                return (bits & 1) == 0 ? -value : value;
            });
            break;
        case Values::levels:
            set_each([&](std::size_t) { return static_cast<float>(random.bits() >> 56); });
            break;
        case Values::equal:
            set_each([](std::size_t) { return 3.0f; });
            break;
        case Values::one:  // one bright pixel shows the filter; one weight alone moves the image
            set_each([&](std::size_t i) { return i == place ? 7.0f : 0.0f; });
            break;
    }
}

void set(std::span<float> to, const std::vector<double>& from) {
    std::transform(from.begin(), from.end(), to.begin(), [](double value) { return static_cast<float>(value); });
}

void generate_filter(const Instance& call, std::span<const Array> inputs) {
    const bool is_random = filter_of(call) == Filter::random;
    const auto weights = is_random ? std::vector<double>() : named_filter(filter_of(call), call.scalar("radius"));
    if (is_separable(call)) {
        if (is_random) {
            generate_values(call, "row", inputs[1].as<float>());
            generate_values(call, "column", inputs[2].as<float>());
            return;
        }
        const Factors factors = factors_of(weights).value();  // choose() has seen that there are some
        set(inputs[1].as<float>(), factors.row);
        set(inputs[2].as<float>(), factors.column);
    } else if (is_random) {
        generate_values(call, "weights", inputs[1].as<float>());
    } else {
        set(inputs[1].as<float>(), weights);
    }
}

void generate(const Instance& call, std::span<const Array> inputs) {
    generate_values(call, "pixels", inputs[0].as<float>());
    generate_filter(call, inputs);
}

// ---- A plain CPU version, for --cpu ----

// Place i of a row or column, or -1.
std::int64_t place_of(std::int64_t i, std::int64_t length, std::int64_t border) {
    if (border == clamp) return std::clamp<std::int64_t>(i, 0, length - 1);
    if (border == wrap) return (i % length + length) % length;
    return i < 0 || i >= length ? -1 : i;
}

// out(x, y) = the weighted sum of in(x - i step_x, y - i step_y): one pass over rows, or over columns.
template <class In>
void pass_on_cpu(const Instance& call, std::span<const float> weights, bool is_along_x, In in, std::span<float> out) {
    const std::int64_t width = call.scalar("width"), height = call.scalar("height"), radius = call.scalar("radius");
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            float sum = 0;
            for (std::int64_t i = -radius; i <= radius; ++i)
                sum += weights[i + radius] * in(is_along_x ? x - i : x, is_along_x ? y : y - i);
            out[y * width + x] = sum;
        }
    }
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::int64_t width = call.scalar("width"), height = call.scalar("height"), radius = call.scalar("radius");
    const std::int64_t border = call.scalar("border");
    const auto reader = [=](std::span<const float> pixels) {
        return [=](std::int64_t x, std::int64_t y) {
            const std::int64_t column = place_of(x, width, border), row = place_of(y, height, border);
            return column < 0 || row < 0 ? 0.0f : pixels[row * width + column];
        };
    };
    const auto in = inputs[0].as<float>(), out = outputs[0].as<float>(), filter = inputs[1].as<float>();
    if (is_separable(call)) {
        std::vector<float> rows(in.size());
        pass_on_cpu(call, inputs[1].as<float>(), true, reader(in), rows);
        pass_on_cpu(call, inputs[2].as<float>(), false, reader(rows), out);
        return;
    }
    const auto pixel = reader(in);
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            float sum = 0;
            std::size_t next = 0;
            for (std::int64_t j = -radius; j <= radius; ++j)
                for (std::int64_t i = -radius; i <= radius; ++i) sum += filter[next++] * pixel(x - i, y - j);
            out[y * width + x] = sum;
        }
    }
}

// ---- Pictures ----

// A call convolves all colours of a picture. Their planes lie one below the other in one image. Each has `radius` more
// rows above and below, which hold what the border asks for, so that no colour reaches into the next.
std::int64_t rows_around(std::int64_t channels, std::int64_t radius) { return channels > 1 ? radius : 0; }

lab::Problem read_picture(const Instance& asked, const std::string& path) {
    const lab::Image image = lab::read_image(path);
    const auto width = static_cast<std::int64_t>(image.width), height = static_cast<std::int64_t>(image.height);
    const auto channels = static_cast<std::int64_t>(image.channels);
    Instance call = asked;
    if (call.fill_in("width", width) != width)
        throw lab::FileError(path, "is " + std::to_string(width) + " pixels wide; leave out --width");
    call.fill_in("filter", static_cast<std::int64_t>(Filter::gaussian));
    call.fill_in("radius", is_sobel(filter_of(call)) ? 1 : 3);
    choose_filter(call);

    const std::int64_t around = rows_around(channels, call.scalar("radius"));
    std::vector<float> planes;
    for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t y = -around; y < height + around; ++y) {
            const std::int64_t row = place_of(y, height, call.scalar("border"));
            for (std::int64_t x = 0; x < width; ++x)
                planes.push_back(row < 0 ? 0.0f : static_cast<float>(image.pixels[(row * width + x) * channels + c]));
        }
    }
    call.n = static_cast<std::int64_t>(planes.size());
    call.scalars["channels"] = channels;
    lab::Problem problem{call, {lab::bytes_of(planes)}};
    const lab::Shape shape_of_call = shape(call);
    for (std::size_t i = 1; i < shape_of_call.inputs.size(); ++i)
        problem.inputs.emplace_back(shape_of_call.inputs[i].count * sizeof(float));
    std::vector<Array> inputs;
    for (std::size_t i = 0; i < problem.inputs.size(); ++i)
        inputs.push_back({shape_of_call.inputs[i], problem.inputs[i].data()});
    generate_filter(call, inputs);
    return problem;
}

std::int64_t channels_of(const Instance& call) {
    return call.scalars.contains("channels") ? call.scalar("channels") : 1;
}

// The height of one colour's plane, without the rows around it.
std::int64_t picture_height(const Instance& call) {
    return call.scalar("height") / channels_of(call) - 2 * rows_around(channels_of(call), call.scalar("radius"));
}

// Levels are cut off at 0 and 255. Sobel's filters give slopes, which have a sign: the picture shows their magnitudes.
std::uint8_t level_of(float value, bool is_slope) {
    const float level = is_slope ? std::abs(value) : value;
    return level > 0 ? static_cast<std::uint8_t>(std::lround(std::min(level, 255.0f))) : 0;  // a NaN is black
}

void write_picture(const Instance& call, std::span<const Array>, std::span<const Array> outputs,
                   const std::string& path) {
    if (call.n == 0) throw lab::FileError(path, "not written: an image without pixels");
    const std::int64_t width = call.scalar("width"), height = picture_height(call), channels = channels_of(call);
    const std::int64_t around = rows_around(channels, call.scalar("radius"));
    const auto values = outputs[0].as<float>();
    lab::Image image{
        static_cast<std::size_t>(width), static_cast<std::size_t>(height), static_cast<std::size_t>(channels), {}};
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            for (std::int64_t c = 0; c < channels; ++c)
                image.pixels.push_back(
                    level_of(values[(c * (height + 2 * around) + around + y) * width + x], is_sobel(filter_of(call))));
    lab::write_image(path, image);
}

// "640 x 480 pixels, 3 colours, gaussian 11 x 11 (a row times a column), border clamp".
std::string input_text(const Instance& call) {
    const std::int64_t radius = call.scalar("radius");
    const auto by = [](std::int64_t a, std::int64_t b) { return lab::with_commas(a) + " x " + lab::with_commas(b); };
    std::string text = by(call.scalar("width"), picture_height(call)) + " pixels";
    if (channels_of(call) > 1) text += ", " + std::to_string(channels_of(call)) + " colours";
    text += ", " + kFilterNames[static_cast<std::size_t>(call.scalar("filter"))] + " filter " +
            by(2 * radius + 1, 2 * radius + 1);
    const bool is_random = filter_of(call) == Filter::random;
    if (is_separable(call) || (!is_random && factors_of(named_filter(filter_of(call), radius))))
        text += " (a row times a column)";
    return text + ", border " + kBorderNames[static_cast<std::size_t>(call.scalar("border"))];
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (call.n == 0) return "nothing";
    const auto values = outputs[0].as<float>();
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    char text[80];
    std::snprintf(text, sizeof text, "values from %.6g to %.6g", static_cast<double>(*least),
                  static_cast<double>(*most));
    return text;
}

}  // namespace

lab::Lab convolution_lab() {
    // Most have many divisors, and so make images of many shapes; 961 is 31 x 31, 1056 is 32 x 33.
    const std::vector<std::int64_t> sizes = {0,   1,    2,    6,    7,    12,   32,    35,    60,    120,   360,
                                             961, 1024, 1056, 1260, 2520, 5040, 10080, 27720, 83160, kTallN};
    const std::int64_t max_n = std::int64_t{1} << 28;
    lab::Lab lab;
    lab.number = 11;
    lab.name = "convolution";
    lab.title = "Convolution";
    lab.tasks = {
        {"naive", "a thread for each pixel, all of its neighbours from global memory", kBorderNames, max_n, sizes,
         kTimedN},
        {"constant_memory", "the filter in constant memory", kBorderNames, max_n, sizes, kTimedN},
        {"shared_tile", "a tile of the image and its halo in shared memory", kBorderNames, max_n, sizes, kTimedN},
        {"separable", "a filter that is a row times a column, in two passes", kBorderNames, max_n, sizes, kTimedN},
        {"register_window", "each thread slides a window of sums down its column, in registers", kBorderNames, max_n,
         sizes, kTimedN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {
        {"width", "pixels in a row; default: as square as n allows", 1, kMaxSide},
        {"radius", "the filter has 2 radius + 1 rows and columns; default 3", 0, kMaxRadius},
        {"filter", "default gaussian for pictures, else random", 0, 0, kFilterNames},
        {"border", "what lies outside the image; default zero", 0, 0, kBorderNames},
    };
    lab.files = {"a picture, grey or in colour: PGM, PPM or PNG", read_picture, write_picture};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
