#include "virtual_gpu/tests/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace vgpu::test {
namespace {

std::string take(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    return text.str();
}

}  // namespace

Ran run_program(const std::string& name, const std::vector<std::string>& arguments,
                const std::vector<std::pair<std::string, std::string>>& environment) {
    const std::string base =
        (std::filesystem::temp_directory_path() / ("vgpu_test_" + std::to_string(getpid()))).string();
    std::string command = "LD_LIBRARY_PATH='" VGPU_LIBRARY_DIR "' VGPU_REPORT_FILE='" + base + ".json'";
    for (const auto& [key, value] : environment) {
        command += " " + key + "='" + value + "'";
    }
    command += " '" VGPU_PROGRAMS_DIR "/" + name + "'";
    for (const std::string& argument : arguments) {
        command += " '" + argument + "'";
    }
    command += " > '" + base + ".out' 2> '" + base + ".err'";
    const int status = std::system(command.c_str());
    Ran ran;
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = take(base + ".out");
    ran.err = take(base + ".err");
    ran.report = take(base + ".json");
    return ran;
}

}  // namespace vgpu::test
