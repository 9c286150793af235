// Replays data/differential_h200.txt and differential_h100.txt: every pair of a kernel and an input gives here what it
// gave on such a GPU.
#include "differential.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "exec_harness.h"

namespace vgpu {
namespace {

using namespace differential;

struct Measured {
    std::string text_hash;
    std::vector<std::string> records;
};

const std::map<std::string, Measured>& fixture() {
    static const std::map<std::string, Measured> all = [] {
        std::map<std::string, Measured> m;
        const std::string data = VGPU_TEST_DATA;
        std::vector<std::string> files = {data + "/differential_h200.txt", data + "/differential_h100.txt"};
        if (const char* other = std::getenv("VGPU_DIFFERENTIAL_FIXTURE")) files = {other};
        for (const std::string& file : files) {
            std::ifstream in(file);
            for (std::string line; std::getline(in, line);) {
                if (line.empty() || line[0] == '#') continue;
                std::istringstream words(line);
                std::string name, word;
                words >> name;
                Measured& k = m[name];
                words >> k.text_hash;
                while (words >> word) k.records.push_back(word);
            }
        }
        return m;
    }();
    return all;
}

// Pairs that differ with a reason: "kernel input".
const std::map<std::string, std::string>& reasons() {
    static const std::map<std::string, std::string> all = [] {
        std::map<std::string, std::string> m;
        std::ifstream in(std::string(VGPU_TEST_DATA) + "/differential_reasons.txt");
        for (std::string line; std::getline(in, line);) {
            if (line.empty() || line[0] == '#') continue;
            std::istringstream words(line);
            std::string name, sets, reason;
            words >> name >> sets >> reason;
            for (const char set : sets) m[name + " " + set] = reason;
        }
        return m;
    }();
    return all;
}

const std::vector<Module>& modules() {
    static const std::vector<Module> all = all_modules(VGPU_TEST_PTX, VGPU_TEST_KERNELS);
    return all;
}

struct alignas(16) Struct {
    std::uint8_t bytes[64];
};

Words run(Gpu& gpu, const Kernel& k, int set, LaunchResult& launched) {
    const auto bytes = scratch_of(k, set);
    const DevicePtr in = gpu.array(inputs_of(k, set)), out = gpu.array(Words(kSlots * kRows)),
                    scratch = gpu.array(bytes);
    Struct s;
    std::memcpy(s.bytes, bytes.data(), sizeof s);
    const Shape shape{.grid = {static_cast<std::uint32_t>(k.blocks), 1, 1},
                      .block = {static_cast<std::uint32_t>(k.threads), 1, 1}};
    launched = k.takes_struct ? gpu.run(k.name, shape, in, out, scratch, s) : gpu.run(k.name, shape, in, out, scratch);
    Words results = gpu.values<std::uint64_t>(out, kSlots * kRows);
    for (const DevicePtr p : {in, out, scratch}) gpu.memory.release(p);
    return results;
}

std::string values_of(const Kernel& k, const Words& results, std::size_t row) {
    std::ostringstream out;
    for (int slot = 0; slot < k.slots; ++slot)
        out << "  slot " << slot << ": " << std::hex << results[static_cast<std::size_t>(slot) * kRows + row]
            << std::dec << "\n";
    return out.str();
}

void replay(const std::string& family) {
    std::ofstream records;
    if (const char* path = std::getenv("VGPU_DIFFERENTIAL_RECORDS")) records.open(path, std::ios::app);
    int pairs = 0, shown = 0;
    for (const Module& m : modules()) {
        if (m.name != family) continue;
        Gpu checked(0, true), plain(0, false);
        checked.load_text(m.text);
        plain.load_text(m.text);
        for (const Kernel& k : m.kernels) {
            const auto found = fixture().find(k.name);
            EXPECT_NE(found, fixture().end()) << k.name << " was never measured: see tools/measure_differential.cc";
            const bool known = found != fixture().end();
            if (known) {
                EXPECT_EQ(found->second.text_hash, hash_of_text(k.text))
                    << k.name << " has changed since it was measured: see tools/measure_differential.cc";
                EXPECT_EQ(found->second.records.size(), static_cast<std::size_t>(kInputSets)) << k.name;
            }
            if (records.is_open()) records << k.name << " " << hash_of_text(k.text);
            for (int set = 0; set < kInputSets; ++set, ++pairs) {
                Gpu& gpu = set % 2 == 0 ? checked : plain;
                gpu.options.seed = static_cast<std::uint64_t>(set);
                gpu.executor.configure(gpu.options);
                LaunchResult launched;
                const Words results = run(gpu, k, set, launched);
                EXPECT_EQ(launched.status, Status::ok) << k.name << ", input " << set << ": " << launched.message;
                EXPECT_EQ(findings(launched), "") << k.name << ", input " << set;
                const Record got = record_of(k, results);
                if (records.is_open()) records << " " << encode(got);
                Record want;
                if (!known || found->second.records.size() <= static_cast<std::size_t>(set)) continue;
                ASSERT_TRUE(decode(found->second.records[static_cast<std::size_t>(set)], k.slots, want)) << k.name;
                const bool excused = reasons().contains(k.name + " " + std::to_string(set));
                EXPECT_FALSE(excused && want == got) << k.name << ", input " << set << " needs no reason any more";
                if (excused || want == got) continue;
                std::size_t row = 0;
                const std::string where = first_difference(want, got, row);
                ADD_FAILURE() << k.name << ", input " << set << ": not what a GPU gave, first at " << where << "\n"
                              << (++shown <= 3 ? values_of(k, results, row) + k.text : std::string());
            }
            if (records.is_open()) records << "\n";
        }
    }
    EXPECT_GT(pairs, 0);
}

TEST(Differential, Straight) { replay("straight"); }
TEST(Differential, Control) { replay("control"); }
TEST(Differential, Warp) { replay("warp"); }
TEST(Differential, Atomic) { replay("atomic"); }
TEST(Differential, Memory) { replay("memory"); }
TEST(Differential, Matrix) { replay("matrix"); }
TEST(Differential, CompiledExpressions) { replay("differential_expressions"); }
TEST(Differential, CompiledPrograms) { replay("differential_programs"); }

TEST(Differential, HasFiveThousandPairs) {
    std::size_t pairs = 0, kernels = 0;
    for (const Module& m : modules()) kernels += m.kernels.size(), pairs += m.kernels.size() * kInputSets;
    EXPECT_GE(kernels, 1000u);
    EXPECT_GE(pairs, 5000u);
}

// A record tells where results differ.
TEST(Differential, ARecordIsReadBackAndNamesTheDifference) {
    Kernel k;
    k.slots = 3;
    Words results(kSlots * kRows);
    for (std::size_t n = 0; n < results.size(); ++n) results[n] = cases::mix(n);
    const Record one = record_of(k, results);
    Record again;
    ASSERT_TRUE(decode(encode(one), k.slots, again));
    EXPECT_EQ(one, again);
    EXPECT_FALSE(decode(encode(one) + "A", k.slots, again));
    results[kRows + 17] ^= 1;
    const Record other = record_of(k, results);
    EXPECT_NE(one, other);
    std::size_t row = 0;
    EXPECT_EQ(first_difference(one, other, row), "slot 1, thread 17");
    EXPECT_EQ(row, 17u);
}

}  // namespace
}  // namespace vgpu
