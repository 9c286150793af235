#include "virtual_gpu/command/run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace vgpu::command {
namespace {

namespace fs = std::filesystem;

constexpr int kSignalled = 128;

// A folder for reports, which goes when this does.
class Scratch {
  public:
    Scratch() {
        std::error_code error;
        const fs::path base = fs::temp_directory_path(error);
        std::string name = ((error ? fs::path("/tmp") : base) / "virtual-gpu-XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) {
            path_ = name;
        }
    }
    ~Scratch() {
        std::error_code error;
        if (!path_.empty()) {
            fs::remove_all(path_, error);
        }
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

void put_before(const char* variable, const std::string& value, char separator) {
    const char* old = std::getenv(variable);
    setenv(variable, (old != nullptr && *old != '\0' ? value + separator + old : value).c_str(), 1);
}

void set_environment(const Arguments& arguments, const Inspection& inspection, const std::string& libraries) {
    put_before("LD_LIBRARY_PATH", libraries, ':');
    if (inspection.chooses_runtime) {
        put_before("LD_PRELOAD", libraries + "/libcudart.so.13", ':');
    }
    if (inspection.has_static_runtime) {
        put_before("LD_PRELOAD", libraries + "/for_static/libcudart_static.so", ':');
    }
    if (!arguments.profile.empty()) {
        setenv("VGPU_PROFILE", arguments.profile.c_str(), 1);
    }
    if (!arguments.checks) {
        setenv("VGPU_CHECKS", "0", 1);
    }
    if (arguments.counters) {
        setenv("VGPU_COUNTERS", "1", 1);
    }
    if (arguments.leaks) {
        setenv("VGPU_LEAKS", "1", 1);
    }
}

std::uint64_t seed_of_environment() {
    const char* text = std::getenv("VGPU_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 0;
}

pid_t child = 0;
volatile std::sig_atomic_t interrupted = 0;  // the last signal

void remember(int number) { interrupted = number; }

void forward(int number) {
    interrupted = number;
    if (child > 0) {
        kill(child, number);
    }
}

// Signals of the terminal reach the program by themselves, and it decides; others are handed on.
class Signals {
  public:
    Signals() {
        struct sigaction action {};
        for (const int number : {SIGINT, SIGQUIT}) {
            action.sa_handler = remember;
            action.sa_flags = SA_RESTART;
            sigaction(number, &action, number == SIGINT ? &interrupt_ : &quit_);
        }
        action.sa_handler = forward;
        sigaction(SIGTERM, &action, nullptr);
        sigaction(SIGHUP, &action, nullptr);
    }
    ~Signals() {
        restore();
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    void restore() const {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGQUIT, &quit_, nullptr);
    }

  private:
    struct sigaction interrupt_ {
    }, quit_{};
};

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& path, int input, bool quietly,
                         int trouble) {
    if (input >= 0) {
        dup2(input, STDIN_FILENO);
    }
    if (quietly) {
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    std::vector<char*> words;
    for (const std::string& word : command) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    execv(path.c_str(), words.data());
    const int why = errno;
    const ssize_t wrote = ::write(trouble, &why, sizeof why);
    _exit(wrote == sizeof why ? 126 : 127);
}

// False: it could not be started; errno says why.
bool run_once(const std::vector<std::string>& command, const std::string& path, int input, bool quietly, int& status) {
    int trouble[2];
    if (pipe2(trouble, O_CLOEXEC) != 0) {
        return false;
    }
    const Signals signals;
    child = fork();
    if (child == 0) {
        signals.restore();
        become(command, path, input, quietly, trouble[1]);
    }
    close(trouble[1]);
    int why = 0;
    const bool failed = child < 0 || read(trouble[0], &why, sizeof why) == sizeof why;
    close(trouble[0]);
    int raw = 0;
    while (child > 0 && waitpid(child, &raw, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    errno = why;
    status = WIFEXITED(raw) ? WEXITSTATUS(raw) : kSignalled + WTERMSIG(raw);
    return !failed;
}

// For runs after the first: what the first is to read, in a file that can be read again; -1: it is a terminal.
int input_again(const fs::path& folder) {
    if (isatty(STDIN_FILENO) != 0) {
        return -1;
    }
    const int file = open((folder / "input").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char buffer[1 << 16];
    for (ssize_t got = 0; file >= 0 && (got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
        if (::write(file, buffer, static_cast<std::size_t>(got)) != got) {
            break;
        }
    }
    return file;
}

void take_reports(const fs::path& folder, Results& results) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        if (Report report; read_report(text.str(), report)) {
            results.add(report);
        }
        fs::remove(file, error);
    }
}

}  // namespace

std::string library_folder(std::string& error) {
    std::error_code failed;
    const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const fs::path& folder : {here / "virtual_gpu", here.parent_path() / "lib" / "virtual_gpu"}) {
        if (fs::exists(folder / "libcudart.so.13", failed)) {
            return folder.string();
        }
    }
    error = "the virtual GPU's library is missing: " + (here / "virtual_gpu" / "libcudart.so.13").string();
    return "";
}

bool run_all(const Arguments& arguments, const Inspection& inspection, const std::string& path,
             const std::string& libraries, Results& results, std::string& error) {
    const Scratch scratch;
    if (scratch.path().empty()) {
        error = std::string("no folder for reports can be made: ") + std::strerror(errno);
        return false;
    }
    set_environment(arguments, inspection, libraries);
    setenv("VGPU_STOP", "1", 1);
    setenv("VGPU_REPORT", "none", 1);  // what is in the report is said once
    setenv("VGPU_REPORT_FILE", (scratch.path() / "%p.json").c_str(), 1);
    unsetenv("VGPU_SESSION");
    std::vector<std::uint64_t> seeds = arguments.seeds;
    if (seeds.empty()) {
        seeds.push_back(seed_of_environment());
    }
    const int input = seeds.size() > 1 ? input_again(scratch.path()) : -1;
    results.command = arguments.command;
    results.program = arguments.command[0];
    for (const std::uint64_t seed : seeds) {
        setenv("VGPU_SEED", std::to_string(seed).c_str(), 1);
        if (input >= 0) {
            lseek(input, 0, SEEK_SET);
        }
        int status = 0;
        if (!run_once(arguments.command, path, input, !results.seeds.empty(), status)) {
            error = arguments.command[0] + " cannot be started: " + std::strerror(errno);
            return false;
        }
        if (interrupted != 0 && status == 0) {
            status = kSignalled + static_cast<int>(interrupted);  // it did not get to where it would have been right
        }
        results.seeds.push_back(seed);
        results.statuses.push_back(status);
        take_reports(scratch.path(), results);
        if (interrupted != 0) {
            break;
        }
    }
    if (input >= 0) {
        close(input);
    }
    return true;
}

}  // namespace vgpu::command
