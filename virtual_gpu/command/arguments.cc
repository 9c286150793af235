#include "virtual_gpu/command/arguments.h"

#include <charconv>
#include <functional>
#include <map>

namespace vgpu::command {

const char* const kHelp =
    R"(virtual-gpu [OPTION...] PROGRAM [ARGUMENT...]
    Runs a CUDA program on the virtual GPU, without a GPU, and says what is wrong with it.

  --seeds N        run it N times, with schedules 0 to N-1: some mistakes show in some orders only
  --seed S         run it with this schedule
  --counters       print what each line of each kernel did
  --notes          print notes, too: what works, but relies on something
  --leaks          report device memory that is never freed
  --no-checks      without the checks for races and undefined values: faster
  --profile NAME   the modelled device: teaching, h200, t4, or a .toml file
  --json FILE      write what was found and counted as JSON; -: to standard output
  --sarif FILE     write the findings as SARIF 2.1.0, for editors and code hosts
  --anyway         run it whatever a look at it says

virtual-gpu [--profile NAME] build COMMAND...
    Runs a build command such as `make` or `cmake --build .` so that nvcc makes programs for the virtual GPU.

Exit status: 1 if there are findings, otherwise the program's own; 128 and the signal if it died of one.
125: wrong use of this command. 126: the program cannot run here. 127: there is no such program.
)";

namespace {

bool read_number(const std::string& text, std::uint64_t& out) {
    const bool hex = text.starts_with("0x");
    const char* first = text.data() + (hex ? 2 : 0);
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, out, hex ? 16 : 10);
    return error == std::errc() && end == last;
}

constexpr std::uint64_t kMostSeeds = 1000;

}  // namespace

bool read_arguments(const std::vector<std::string>& words, Arguments& out, std::string& error) {
    using Value = const std::string&;
    const std::map<std::string, std::function<bool(Value)>> with_value = {
        {"--seeds",
         [&](Value value) {
             std::uint64_t count = 0;
             if (!read_number(value, count) || count < 1 || count > kMostSeeds) {
                 error = "--seeds " + value + ": must be a number from 1 to " + std::to_string(kMostSeeds);
                 return false;
             }
             out.seeds.clear();
             for (std::uint64_t seed = 0; seed < count; ++seed) {
                 out.seeds.push_back(seed);
             }
             return true;
         }},
        {"--seed",
         [&](Value value) {
             out.seeds.assign(1, 0);
             if (!read_number(value, out.seeds[0])) {
                 error = "--seed " + value + ": must be a number, such as 4 or 0x7f3a";
                 return false;
             }
             return true;
         }},
        {"--json", [&](Value value) { return (out.json = value, true); }},
        {"--sarif", [&](Value value) { return (out.sarif = value, true); }},
        {"--profile", [&](Value value) { return (out.profile = value, true); }},
    };
    const std::map<std::string, std::function<void()>> alone = {
        {"--counters", [&] { out.counters = true; }},
        {"--notes", [&] { out.notes = true; }},
        {"--leaks", [&] { out.leaks = true; }},
        {"--no-checks", [&] { out.checks = false; }},
        {"--anyway", [&] { out.anyway = true; }},
        {"--help", [&] { out.what = Arguments::What::help; }},
        {"-h", [&] { out.what = Arguments::What::help; }},
        {"--version", [&] { out.what = Arguments::What::version; }},
    };
    std::size_t at = 0;
    for (; at < words.size() && words[at].starts_with("-") && words[at] != "-"; ++at) {
        const std::string& word = words[at];
        if (word == "--") {
            ++at;
            break;
        }
        if (const auto found = alone.find(word); found != alone.end()) {
            found->second();
            continue;
        }
        const std::size_t equals = word.find('=');
        const auto found = with_value.find(word.substr(0, equals));
        if (found == with_value.end()) {
            error = "unknown option " + word + "; virtual-gpu --help lists them";
            return false;
        }
        if (equals == std::string::npos && at + 1 == words.size()) {
            error = word + " needs a value; virtual-gpu --help says which";
            return false;
        }
        const std::string value = equals != std::string::npos ? word.substr(equals + 1) : words[++at];
        if (value.empty()) {
            error = found->first + " needs a value; virtual-gpu --help says which";
            return false;
        }
        if (!found->second(value)) {
            return false;
        }
    }
    out.command.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    const bool after_dashes = at > 0 && words[at - 1] == "--";
    if (out.what == Arguments::What::run && !out.command.empty() && out.command[0] == "build" && !after_dashes) {
        out.what = Arguments::What::build;
        out.command.erase(out.command.begin());
    }
    if (out.command.empty() && (out.what == Arguments::What::run || out.what == Arguments::What::build)) {
        error = out.what == Arguments::What::build ? "build: which command? For example: virtual-gpu build make"
                                                   : "which program? For example: virtual-gpu ./a.out";
        return false;
    }
    return true;
}

}  // namespace vgpu::command
