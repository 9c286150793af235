// Compares the verifier with ptxas on generated PTX, and runs what passes in the interpreter.
//   build/parts/virtual_gpu/tests/vgpu_fuzz_ptx FIRST_SEED COUNT [PTXAS]
// For 10^5 texts on several cores, in a build with -DVGPU_SANITIZE=ON:
//   seq 0 2000 99999 | xargs -P $(nproc) -I@ vgpu_fuzz_ptx @ 2000
// The last line: texts, refused by both, holes (ptxas refuses for a reason that the verifier checks, and it passes),
// others (ptxas refuses for another reason), too strict (refused, though ptxas takes it). Holes and what is too strict
// are printed, and are an exit status of 1.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "../exec_harness.h"
#include "../ptx_generator.h"

namespace {

using vgpu::GeneratedPtx;
namespace fs = std::filesystem;

constexpr std::uint64_t kTogether = 100;  // texts of one call of ptxas

std::string output_of(const std::string& command) {
    std::string out;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return out;
    std::array<char, 4096> part{};
    for (std::size_t got = 0; (got = fread(part.data(), 1, part.size(), pipe)) > 0;) out.append(part.data(), got);
    pclose(pipe);
    return out;
}

// By file: the first thing that ptxas has against it. Its front end reports on all files; a last one, which is never
// right, keeps it from compiling the others. Some texts crash ptxas: then each is tried alone.
std::map<std::string, std::string> refused_by(const std::string& ptxas, const fs::path& folder,
                                              const std::vector<fs::path>& files) {
    const fs::path stop = folder / "stop.ptx";
    std::ofstream(stop) << ".version 9.0\n.target sm_90\n.address_size 64\n.func stop()\n{\nadd.u32 %r;\n}\n";
    std::string command = ptxas + " -O0 -arch=sm_90 -c";
    for (const fs::path& file : files) command += " " + file.string();
    const std::string text = output_of(command + " " + stop.string() + " -o /dev/null 2>&1");
    std::map<std::string, std::string> found;
    if (text.find(stop.string()) == std::string::npos) {
        if (files.size() == 1) return {{files[0].filename().string(), "0: ptxas has crashed"}};
        for (const fs::path& file : files) found.merge(refused_by(ptxas, folder, {file}));
        return found;
    }
    static const std::regex kLine(
        "ptxas (?:warning : .*'([^'\\n]*)'.*|([^,\\n]*\\.ptx), line (\\d+); (error|fatal)\\s*: (.*))");
    for (std::sregex_iterator i(text.begin(), text.end(), kLine), end; i != end; ++i)
        if ((*i)[2].matched)
            found.try_emplace(fs::path((*i)[2].str()).filename().string(), (*i)[3].str() + ": " + (*i)[5].str());
    return found;
}

// Whether the verifier checks such things.
bool is_ours(const std::string& why) {
    static const std::regex kOurs(
        "Arguments mismatch|[Ss]tate space|Type of argument|Alignment|Call has wrong|call target|Unknown "
        "symbol|Duplicate|"
        "requires \\.target|PTX ISA|vector size|vector expected|Incompatible elements|parameter space|constant data|"
        "Illegal to|Unexpected instruction types|does not support|Special register|Label expected|Inconsistent|must be "
        "register|"
        "Result register|Result discard|requires call prototype|Barrier number|Mismatch between|alignment|qualifier "
        "expected|space modifier required");
    return std::regex_search(why, kOurs);
}

// What ptxas refuses only later, when it makes code, or what nothing but a change like ours would write.
bool is_known(const std::string& why) {
    static const std::regex kKnown(
        "too many registers|more than 512 KiB|no 64-bit address|256 MiB|more than 1 MiB|is not supported in a function|"
        "found '<|declared with other parameters|"
        "is not supported on a function|beyond the 65,536 bytes");
    return std::regex_search(why, kKnown);
}

void run(const GeneratedPtx& ptx, bool verified) {
    vgpu::Gpu gpu(1);
    gpu.options.max_steps = 1 << 14;
    gpu.options.max_stall_steps = 1 << 12;
    gpu.executor.configure(gpu.options);
    try {
        gpu.load_text(ptx.text, verified);
    } catch (const std::runtime_error&) {
        return;
    }
    const vgpu::DevicePtr a = gpu.array(std::vector<int>(1024, 3), "a"), b = gpu.array(std::vector<int>(1024, 5), "b");
    gpu.run(ptx.kernel, {.block = {64, 1, 1}}, a, b, std::uint64_t{7});
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: fuzz_ptx FIRST_SEED COUNT [PTXAS]\n";
        return 2;
    }
    const std::uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
    const std::string ptxas = argc > 3 ? argv[3] : "/usr/local/cuda/bin/ptxas";
    const fs::path folder = fs::temp_directory_path() / ("fuzz_ptx_" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::uint64_t both = 0, holes = 0, others = 0, strict = 0;
    for (std::uint64_t begin = first; begin < first + count; begin += kTogether) {
        std::vector<GeneratedPtx> texts;
        std::vector<fs::path> files;
        for (std::uint64_t seed = begin; seed < std::min(begin + kTogether, first + count); ++seed) {
            texts.push_back(vgpu::generate_ptx(seed, 3));
            files.push_back(folder / (std::to_string(seed) + ".ptx"));
            std::ofstream(files.back()) << texts.back().text;
        }
        const auto refused = refused_by(ptxas, folder, files);
        for (std::size_t n = 0; n < texts.size(); ++n) {
            vgpu::ptx::Program program;
            vgpu::ptx::ParseError error;
            const bool passes = vgpu::ptx::load({&texts[n].text, 1}, program, error);
            const auto found = refused.find(files[n].filename().string());
            const bool theirs = found == refused.end();
            if (!passes && !theirs) ++both;
            if (passes && !theirs) {
                // Many files in one call can confuse ptxas, so what counts is what it says of this one alone.
                const auto of_it = refused_by(ptxas, folder, {files[n]});
                const auto alone = of_it.find(files[n].filename().string());
                if (alone == of_it.end()) continue;
                if (is_ours(alone->second)) {
                    ++holes;
                    std::cout << "hole " << begin + n << " line " << alone->second << "\n";
                } else {
                    ++others;
                    std::cout << "other " << begin + n << " line " << alone->second << "\n";
                }
            }
            if (!passes && theirs && !is_known(error.message)) {
                ++strict;
                std::cout << "strict " << begin + n << " line " << error.ptx_line << ": " << error.message << "\n";
            }
            run(texts[n], true);
            run(texts[n], false);
        }
        for (const fs::path& file : files) fs::remove(file);
    }
    fs::remove_all(folder);
    std::cout << count << " texts, " << both << " refused by both, " << holes << " holes, " << others << " others, "
              << strict << " too strict\n";
    return holes + strict == 0 ? 0 : 1;
}
