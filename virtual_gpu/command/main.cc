// virtual-gpu: runs a CUDA program on the virtual GPU, and says what is wrong with it. virtual_gpu/README.md
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "virtual_gpu/command/arguments.h"
#include "virtual_gpu/command/inspect.h"
#include "virtual_gpu/command/print.h"
#include "virtual_gpu/command/run.h"
#include "virtual_gpu/timing/profile.h"

namespace {

using namespace vgpu::command;

constexpr int kWrongUse = 125, kCannotRun = 126, kNotFound = 127;

void tell(const std::string& text) { std::fputs(folded(text, terminal_width()).c_str(), stderr); }

int fail(int status, const std::string& what, const std::string& help = "") {
    tell("virtual-gpu: " + what + "\n" + (help.empty() ? "" : "    what helps: " + help + "\n"));
    return status;
}

bool device_of(const Arguments& arguments, vgpu::DeviceProperties& device, std::string& error) {
    const char* named = std::getenv("VGPU_PROFILE");
    std::string name = arguments.profile;
    if (name.empty()) {
        name = named != nullptr && *named != '\0' ? named : "teaching";
    }
    return vgpu::find_profile(name, device, error);
}

// nvcc adds these flags to its own. They bring PTX for the device and source lines, whatever the project asks for; the
// runtime may stay static, and PTX compressed.
int build(const Arguments& arguments, const vgpu::DeviceProperties& device) {
    const std::string arch = "compute_" + std::to_string(device.capability());
    std::string flags = "-g -lineinfo -gencode arch=" + arch + ",code=" + arch;
    if (const char* old = std::getenv("NVCC_APPEND_FLAGS"); old != nullptr && *old != '\0') {
        flags = std::string(old) + " " + flags;
    }
    setenv("NVCC_APPEND_FLAGS", flags.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : arguments.command) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    execvp(words[0], words.data());
    return fail(errno == ENOENT ? kNotFound : kCannotRun, arguments.command[0] + ": " + std::strerror(errno));
}

bool write_file(const std::string& path, const std::string& text) {
    std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        return false;
    }
    const bool wrote = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && wrote;
}

// Before a run that may take minutes.
bool can_write(const std::string& path) {
    std::FILE* file = path.empty() || path == "-" ? nullptr : std::fopen(path.c_str(), "a");
    if (file != nullptr) {
        std::fclose(file);
    }
    return file != nullptr || path.empty() || path == "-";
}

void tell_ends(const Results& results) {
    for (std::size_t i = 0; i < results.seeds.size(); ++i) {
        const int status = results.statuses[i];
        if (status == results.statuses[0] && (i > 0 || status <= 128)) {
            continue;
        }
        const std::string with =
            results.seeds.size() > 1 ? " with seed " + std::to_string(results.seeds[i]) : std::string();
        const char* name = status > 128 ? sigabbrev_np(status - 128) : nullptr;
        const std::string how =
            name != nullptr ? std::string("was ended by SIG") + name : "ended with status " + std::to_string(status);
        std::fprintf(stderr, "virtual-gpu: the program %s%s\n", how.c_str(), with.c_str());
    }
}

int run(const Arguments& arguments, const vgpu::DeviceProperties& device) {
    const std::string& word = arguments.command[0];
    const std::string path = find_program(word);
    Inspection inspection = inspect(word, path, device.capability());
    if (!inspection.problem.empty() && (!arguments.anyway || path.empty())) {
        return fail(inspection.not_found ? kNotFound : kCannotRun, inspection.problem, inspection.help);
    }
    for (const std::string& remark : inspection.remarks) {
        fail(0, remark);
    }
    for (const std::string& file : {arguments.json, arguments.sarif}) {
        if (!can_write(file)) {
            return fail(kWrongUse, file + " cannot be written: " + std::strerror(errno));
        }
    }
    std::string error;
    const std::string libraries = library_folder(error);
    Results results;
    if (libraries.empty() || !run_all(arguments, inspection, path, libraries, results, error)) {
        return fail(kCannotRun, error);
    }
    if (arguments.counters) {
        std::fputs(counters_text(results).c_str(), stderr);
    }
    tell_ends(results);
    const bool is_killed = std::ranges::any_of(results.statuses, [](int status) { return status > 128; });
    if (!results.used_device) {
        fail(0, is_killed ? "no findings are known: the program could not report any more"
                          : "nothing that ran has used CUDA");
    } else {
        tell(findings_text(results, arguments.notes));
    }
    for (const auto& [file, text] :
         {std::pair(arguments.json, results_json(results)), std::pair(arguments.sarif, results_sarif(results))}) {
        if (!file.empty() && !write_file(file, text)) {
            return fail(kWrongUse, file + " cannot be written: " + std::strerror(errno));
        }
    }
    return results.exit_status();
}

}  // namespace

int main(int count, char** words) {
    Arguments arguments;
    vgpu::DeviceProperties device;
    std::string error;
    if (!read_arguments({words + 1, words + count}, arguments, error)) {
        return fail(kWrongUse, error);
    }
    if (arguments.what == Arguments::What::help) {
        std::fputs(kHelp, stdout);
        return 0;
    }
    if (arguments.what == Arguments::What::version) {
        std::puts("virtual-gpu " VGPU_VERSION ", in place of CUDA 13's runtime");
        return 0;
    }
    if (!device_of(arguments, device, error)) {
        return fail(kWrongUse, error);
    }
    return arguments.what == Arguments::What::build ? build(arguments, device) : run(arguments, device);
}
