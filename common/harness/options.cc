#include "harness/options.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>

#include "grading/files.h"

namespace lab {
namespace {

struct Option {
    std::string name;
    std::string value;  // its argument in --help, or ""
    std::string help;   // "": not listed
    std::function<void(Options&, const std::string&)> set;
};

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& what) {
    throw UsageError(option + ": '" + text + "' is " + what);
}

constexpr const char* kExamples = "not a whole number; write 1000000, 1,000,000, 1_000_000, 1e6 or 2^20";

// Removes the separators from 1,000,000 or 1_000_000; "" if they do not separate groups of three.
std::string without_separators(const std::string& text) {
    const std::size_t first = text.find_first_of(",_");
    if (first == std::string::npos) return text;
    if (first == 0 || first > 3) return "";
    std::string digits = text.substr(0, first);
    for (std::size_t at = first; at < text.size(); at += 4) {
        if (text[at] != text[first] || text.size() < at + 4) return "";
        digits += text.substr(at + 1, 3);
    }
    return digits;
}

// A number that is not negative: 1000000, 1,000,000, 1_000_000, 1e6, 1.5e6, 2^20 or 0xf4240.
std::uint64_t number_from_0(const std::string& option, const std::string& text) {
    const auto digits = [&](const std::string& part, int base) {
        std::uint64_t value = 0;
        const auto [at, error] = std::from_chars(part.data(), part.data() + part.size(), value, base);
        if (error == std::errc::result_out_of_range) refuse(option, text, "too large");
        if (error != std::errc() || at != part.data() + part.size()) refuse(option, text, kExamples);
        return value;
    };
    if (text.starts_with("-")) refuse(option, text, "less than 0");
    if (text.starts_with("0x")) return digits(text.substr(2), 16);
    const std::size_t mark = text.find_first_of("eE^");
    std::string mantissa = text.substr(0, mark);
    std::uint64_t decimals = 0;  // of 1.5e6
    if (const std::size_t point = mantissa.find('.'); point != std::string::npos && mark != std::string::npos) {
        decimals = mantissa.size() - point - 1;
        if (text[mark] == '^' || point == 0 || decimals == 0) refuse(option, text, kExamples);
        mantissa.erase(point, 1);
    }
    std::uint64_t value = digits(without_separators(mantissa), 10);
    if (mark == std::string::npos) return value;
    std::uint64_t exponent = digits(text.substr(mark + 1), 10);
    if (exponent < decimals) refuse(option, text, kExamples);
    exponent -= decimals;
    const std::uint64_t base = text[mark] == '^' ? value : 10;
    if (text[mark] == '^') value = 1;
    for (std::uint64_t i = 0; i < exponent && value != 0 && !(base == 1); ++i)
        if (__builtin_mul_overflow(value, base, &value)) refuse(option, text, "too large");
    return value;
}

template <class T>
T number(const std::string& option, const std::string& text) {
    const std::uint64_t value = number_from_0(option, text);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) refuse(option, text, "too large");
    return static_cast<T>(value);
}

// --bins 256, --border clamp.
Option option_of(const Setting& setting) {
    std::string value = "N", names;
    if (!setting.words.empty()) {
        for (const std::string& word : setting.words) names += (names.empty() ? "" : ", ") + word;
        value = "WORD";
    }
    const auto set = [setting, names](Options& o, const std::string& v) {
        const std::string option = "--" + setting.name;
        if (setting.words.empty()) {
            const auto number_given = number<std::int64_t>(option, v);
            if (number_given < setting.least || number_given > setting.most)
                refuse(option, v, "not from " + std::to_string(setting.least) + " to " + std::to_string(setting.most));
            o.scalars[setting.name] = number_given;
            return;
        }
        const auto word = std::find(setting.words.begin(), setting.words.end(), v);
        if (word == setting.words.end()) refuse(option, v, "none of " + names);
        o.scalars[setting.name] = word - setting.words.begin();
    };
    return {"--" + setting.name, value, setting.help + (names.empty() ? "" : " (" + names + ")"), set};
}

std::vector<Option> table(const std::vector<Setting>& settings) {
    std::vector<Option> options = {
        {"--list", "", "show the tasks, slowest first, and stop",
         [](Options& o, const std::string&) { o.list = true; }},
        {"--task", "NAME",
         "the task to run; without it, all of them; with --input, the last started one that takes such files",
         [](Options& o, const std::string& v) { o.task = v; }},
        {"--variant", "NAME", "a variant of the task, as --list shows them",
         [](Options& o, const std::string& v) { o.variant = v; }},
        {"--n", "N", "how many elements: 1000000, 1,000,000, 1e6, 2^20; default: the size that is timed",
         [](Options& o, const std::string& v) { o.n = number<std::int64_t>("--n", v); }},
        {"--seed", "S", "seed of the generated input; default 0",
         [](Options& o, const std::string& v) { o.seed = number<std::uint64_t>("--seed", v); }},
        {"--input", "FILE", "read the input from a .npy or raw binary file; again for a second input",
         [](Options& o, const std::string& v) { o.inputs.push_back(v); }},
        {"--dtype", "TYPE", "element type of raw input: int32, float32, ...; default: what the task takes",
         [](Options& o, const std::string& v) { o.dtype = v; }},
        {"--output", "FILE", "write the output to a .npy or raw binary file; again for a second output",
         [](Options& o, const std::string& v) { o.outputs.push_back(v); }},
        {"--cpu", "", "also time a plain CPU version, and show the speed-up",
         [](Options& o, const std::string&) { o.cpu = true; }},
        {"--check", "", "compare the output with the right one",
         [](Options& o, const std::string&) { o.check = true; }},
        {"--device", "NAME", "gpu, virtual, or a profile of the virtual GPU such as teaching or h200",
         [](Options& o, const std::string& v) { o.device = v; }},
        {"--schedule", "S", "seed of the order in which the virtual GPU runs warps and blocks; default 0",
         [](Options& o, const std::string& v) { o.schedule = number<std::uint64_t>("--schedule", v); }},
        {"--help", "", "show this and stop", [](Options& o, const std::string&) { o.help = true; }},
        {"--version", "", "show the version and stop", [](Options& o, const std::string&) { o.version = true; }},
        {"--copy-bandwidth", "", "", [](Options& o, const std::string&) { o.copy_bandwidth = true; }},
        {"--rounds", "R", "", [](Options& o, const std::string& v) { o.rounds = number<int>("--rounds", v); }},
        {"--serve", "SOCKET", "", [](Options& o, const std::string& v) { o.serve = number<int>("--serve", v); }},
    };
    for (const Setting& setting : settings) options.push_back(option_of(setting));
    return options;
}

// An output may replace an earlier one, but not an input, and no file that somebody has written.
void spare_what_is_there(const Options& options) {
    for (const std::string& to : options.outputs) {
        std::error_code none;
        if (!std::filesystem::exists(to, none)) continue;
        const auto is_same = [&](const std::string& from) { return std::filesystem::equivalent(from, to, none); };
        if (std::ranges::any_of(options.inputs, is_same))
            throw UsageError("--output " + to + ": is the input, which would be lost; choose another name");
        for (const char* ending : {".cu", ".cuh", ".h", ".hpp", ".c", ".cc", ".cpp", ".py", ".toml", ".md"})
            if (ends_in(to, ending))
                throw UsageError("--output " + to + ": is a source file, which would be lost; choose another name");
    }
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments, const std::vector<Setting>& settings) {
    const std::vector<Option> known = table(settings);
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
        for (const Option& candidate : known)
            if (option == nullptr && name == candidate.name) option = &candidate;
        if (option == nullptr) throw UsageError("unknown option '" + arguments[i] + "'; --help shows those there are");
        if (option->value.empty() && equals != std::string::npos) throw UsageError(name + " takes no value");
        if (!option->value.empty() && equals == std::string::npos) {
            if (i + 1 == arguments.size()) throw UsageError(name + " needs a value: " + name + " " + option->value);
            value = arguments[++i];
        }
        option->set(options, value);
    }
    spare_what_is_there(options);
    return options;
}

std::string help_text(const std::string& program, const std::string& lab_title, const Lab& lab) {
    std::string text = lab_title + "\n\nusage: " + program + " [options]\n\n";
    for (const Option& option : table(lab.settings)) {
        if (option.help.empty()) continue;
        std::string left = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
        left.resize(std::max<std::size_t>(18, left.size() + 2), ' ');
        text += left + option.help + "\n";
    }
    if (lab.files.read) text += "\nA file for --input may also be " + lab.files.kind + ".\n";
    if (lab.files.write) text += "\nA file for --output gets the format of its ending.\n";
    text +=
        "\nRuns on an NVIDIA GPU if one answers, else on the virtual GPU. Exit status: 0 all is well, 1 a task failed "
        "or\n"
        "gave a wrong result, 2 bad use.\n";
    return text;
}

}  // namespace lab
