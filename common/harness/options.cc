#include "harness/options.h"

#include <charconv>
#include <functional>

namespace lab {
namespace {

struct Option {
    const char* name;
    const char* value;  // what it takes, or null
    const char* help;   // null: not for people
    std::function<void(Options&, const std::string&)> set;
};

template <class T>
T number(const std::string& option, const std::string& text) {
    const bool hex = text.starts_with("0x");
    T value{};
    const char* begin = text.data() + (hex ? 2 : 0);
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (begin == end || error != std::errc() || at != end)
        throw UsageError(option + ": '" + text + "' is not a whole number" +
                         (std::is_unsigned_v<T> ? " from 0 up" : ""));
    return value;
}

ServeFds fds_of(const std::string& text) {
    const std::size_t first = text.find(','), second = text.find(',', first + 1);
    if (first == std::string::npos || second == std::string::npos)
        throw UsageError("--serve takes three file descriptors");
    return {number<int>("--serve", text.substr(0, first)),
            number<int>("--serve", text.substr(first + 1, second - first - 1)),
            number<int>("--serve", text.substr(second + 1))};
}

const std::vector<Option>& table() {
    static const std::vector<Option> options = {
        {"--list", nullptr, "show the tasks, slowest first, and stop",
         [](Options& o, const std::string&) { o.list = true; }},
        {"--task", "NAME", "the task to run; without it, all of them",
         [](Options& o, const std::string& v) { o.task = v; }},
        {"--variant", "NAME", "a variant of the task, as --list shows them",
         [](Options& o, const std::string& v) { o.variant = v; }},
        {"--n", "N", "how many elements; default: the size that is timed",
         [](Options& o, const std::string& v) { o.n = number<std::int64_t>("--n", v); }},
        {"--seed", "S", "seed of the generated input; default 1",
         [](Options& o, const std::string& v) { o.seed = number<std::uint64_t>("--seed", v); }},
        {"--input", "FILE", "read the input from a .npy or raw binary file; again for a second input",
         [](Options& o, const std::string& v) { o.inputs.push_back(v); }},
        {"--dtype", "TYPE", "element type of raw input: int32, float32, ...; default: what the task takes",
         [](Options& o, const std::string& v) { o.dtype = v; }},
        {"--output", "FILE", "write the output to a .npy or raw binary file; again for a second output",
         [](Options& o, const std::string& v) { o.outputs.push_back(v); }},
        {"--cpu", nullptr, "also time a plain CPU version, and show the speed-up",
         [](Options& o, const std::string&) { o.cpu = true; }},
        {"--check", nullptr, "compare the output with the right one",
         [](Options& o, const std::string&) { o.check = true; }},
        {"--device", "NAME", "gpu, virtual, or a profile of the virtual GPU such as teaching or h200",
         [](Options& o, const std::string& v) { o.device = v; }},
        {"--schedule", "S", "seed of the order in which the virtual GPU runs warps and blocks; default 0",
         [](Options& o, const std::string& v) { o.schedule = number<std::uint64_t>("--schedule", v); }},
        {"--help", nullptr, "show this and stop", [](Options& o, const std::string&) { o.help = true; }},
        {"--version", nullptr, "show the version and stop", [](Options& o, const std::string&) { o.version = true; }},
        {"--copy-bandwidth", nullptr, nullptr, [](Options& o, const std::string&) { o.copy_bandwidth = true; }},
        {"--serve", "FDS", nullptr, [](Options& o, const std::string& v) { o.serve = fds_of(v); }},
    };
    return options;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string name = arguments[i], value;
        const std::size_t equals = name.find('=');
        if (equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.resize(equals);
        }
        if (name == "-h") name = "--help";
        const Option* option = nullptr;
        for (const Option& candidate : table())
            if (name == candidate.name) option = &candidate;
        if (option == nullptr) throw UsageError("unknown option '" + arguments[i] + "'; --help shows those there are");
        if (option->value == nullptr && equals != std::string::npos) throw UsageError(name + " takes no value");
        if (option->value != nullptr && equals == std::string::npos) {
            if (i + 1 == arguments.size()) throw UsageError(name + " needs a value: " + name + " " + option->value);
            value = arguments[++i];
            // --serve CMD_FD REPLY_FD SHM_FD
            if (name == "--serve") {
                if (i + 2 >= arguments.size()) throw UsageError("--serve takes three file descriptors");
                value += "," + arguments[i + 1] + "," + arguments[i + 2];
                i += 2;
            }
        }
        option->set(options, value);
    }
    return options;
}

std::string help_text(const std::string& program, const std::string& lab_title) {
    std::string text = lab_title + "\n\nusage: " + program + " [options]\n\n";
    for (const Option& option : table()) {
        if (option.help == nullptr) continue;
        std::string left =
            std::string("  ") + option.name + (option.value != nullptr ? std::string(" ") + option.value : "");
        left.resize(18, ' ');
        text += left + option.help + "\n";
    }
    text +=
        "\nRuns on an NVIDIA GPU if one answers, else on the virtual GPU. Exit status: 0 all is well, 1 a task failed "
        "or\n"
        "gave a wrong result, 2 bad use.\n";
    return text;
}

}  // namespace lab
