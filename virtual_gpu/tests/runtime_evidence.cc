// What a finding says of its launch, its threads, its arrays and its cause.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "virtual_gpu/command/results.h"
#include "virtual_gpu/tests/run_program.h"

namespace vgpu {
namespace {

using test::Ran;
using test::run_program;
using test::says;

struct Evidence {
    std::string out;
    Report report;
    // The first finding that is a note, or is none.
    const Finding& first(bool note = false) const {
        static const Finding none;
        for (const Finding& f : report.findings)
            if (f.is_note == note) return f;
        return none;
    }
    std::string kinds() const {
        std::string text;
        for (const Finding& f : report.findings)
            if (!f.is_note) text += std::string(text.empty() ? "" : " ") + name_of(f.kind);
        return text;
    }
};

Evidence evidence(std::vector<std::string> arguments, const std::string& seed = "0") {
    const Ran ran = run_program("evidence", arguments, {{"VGPU_SEED", seed}});
    Evidence out{ran.out, {}};
    EXPECT_TRUE(command::read_report(ran.report, out.report)) << ran.report << ran.err;
    return out;
}

int line_with(const std::string& text) {
    std::ifstream in(std::string(VGPU_TEST_PROGRAMS) + "/evidence.cu");
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.find(text) != std::string::npos) return number;
    }
    return -1;
}

TEST(Evidence, NamesTheFirstThreadAndTheLaunchWhateverTheSchedule) {
    for (const char* seed : {"0", "1", "5", "7", "13"}) {
        const Evidence one = evidence({"past_end"}, seed);
        const Finding& f = one.first();
        EXPECT_EQ(f.what,
                  "thread 1 of block 3 wrote d_out at index 104, 5 elements past its end (it has 100 elements of 4 "
                  "bytes); d_out is d_data, allocated at evidence.cu:" +
                      std::to_string(line_with("cudaMalloc(&d_data, 400)")) + "; 159 threads did this");
        EXPECT_EQ(f.threads, 159u);
        EXPECT_EQ(f.block, (Index3{3, 0, 0}));
        const int line = line_with("// launch of past_end");
        EXPECT_EQ(f.launch.place.line, line);
        EXPECT_TRUE(says(f.launch.place.text, "past_end<<<8, 32>>>")) << f.launch.place.text;
        EXPECT_EQ(f.launch.what, "launched at evidence.cu:" + std::to_string(line) + ": 8 blocks of 32 threads");
        EXPECT_EQ(f.launch.grid, (Index3{8, 1, 1}));
        EXPECT_EQ(f.launch.block, (Index3{32, 1, 1}));
    }
}

TEST(Evidence, WritesThreadsOfTwoDimensionsAsPairs) {
    const Evidence one = evidence({"in_two_dimensions"});
    const Finding& f = one.first();
    EXPECT_TRUE(f.what.starts_with("thread (0, 5) of block (0, 1) wrote d_out at index 104")) << f.what;
    EXPECT_TRUE(says(f.launch.what, ": 2 x 2 blocks of 4 x 8 threads")) << f.launch.what;
}

TEST(Evidence, ArraysHaveTheirNamesInTheSource) {
    const Evidence shared = evidence({"shared"});
    ASSERT_FALSE(shared.report.findings.empty());
    EXPECT_TRUE(says(shared.first().what, " read sum[32] in shared memory, just past its end")) << shared.first().what;
    EXPECT_TRUE(says(evidence({"dynamic"}).first().what, " wrote buffer[32] in shared memory"));
    const Evidence variables = evidence({"variables"});
    EXPECT_TRUE(says(variables.first().what, " read counters at index 4") ||
                says(variables.first().what, " read limits at index 4"))
        << variables.first().what;
    const Evidence far = evidence({"far_away"});
    EXPECT_EQ(far.first().array, "d_small");
    EXPECT_EQ(far.first().index, 0xffff'ffff) << far.first().what;
    const Evidence pointer = evidence({"pointer"});
    EXPECT_TRUE(says(pointer.first().what, " wrote d_other (400 bytes, allocated at evidence.cu:"))
        << pointer.first().what;
}

TEST(Evidence, ARaceComesBeforeTheAccessWhoseIndexItSpoils) {
    for (const char* seed : {"0", "1", "5", "7"}) {
        EXPECT_EQ(evidence({"racing_index"}, seed).kinds(), "race out_of_bounds") << seed;
        EXPECT_EQ(evidence({"unrelated_race"}, seed).kinds(), "out_of_bounds race") << seed;
    }
}

TEST(Evidence, ARefusedLaunchSaysWhichLimitItBreaks) {
    const std::pair<const char*, const char*> limits[] = {
        {"threads", "2,048 threads in a block; 1,024 is the most"},
        {"no_blocks", "0 blocks in the grid; 1 is the least"},
        {"negative", "4,294,967,295 blocks, which is -1 as an unsigned number, in the grid; 2,147,483,647 is the most"},
        {"grid_y", "65,536 blocks in the grid's y; 65,535 is the most"},
        {"block_z", "65 threads in a block's z; 64 is the most"},
        {"square", "2,048 threads in a block (32 x 64); 1,024 is the most"},
        {"bounds", "129 threads in a block; the kernel's __launch_bounds__ allow 128"},
        {"shared_bytes",
         "50,128 bytes of shared memory in a block (128 declared with a size and 50,000 dynamic); 49,152 is the most "
         "unless cudaFuncSetAttribute() allows more dynamic shared memory, up to"},
    };
    for (const auto& [what, why] : limits) {
        const Evidence ignored = evidence({what}), checked = evidence({what, "checked"});
        const Finding& f = ignored.first();
        EXPECT_EQ(f.kind, Kind::ignored_error) << what;
        EXPECT_TRUE(says(f.what, why)) << f.what;
        EXPECT_TRUE(says(f.what, "and the program went on")) << f.what;
        EXPECT_EQ(checked.kinds(), "") << what;
        const Finding& note = checked.first(true);
        EXPECT_EQ(note.kind, Kind::failed_call);
        EXPECT_TRUE(says(note.what, std::string(" was refused: ") + why)) << note.what;
        EXPECT_TRUE(says(note.what, " at evidence.cu:")) << note.what;
        EXPECT_GT(note.launch.place.line, 0);
    }
}

// Its lines are no longer those that were compiled.
TEST(Evidence, ASourceThatIsNewerThanTheProgramIsNotQuoted) {
    namespace fs = std::filesystem;
    const fs::path folder = VGPU_PROGRAMS_DIR, older = folder / "evidence_older";
    fs::copy_file(folder / "evidence", older, fs::copy_options::overwrite_existing);
    fs::last_write_time(older, fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 20));
    const Ran ran = run_program("evidence_older", {"past_end"});
    Report report;
    ASSERT_TRUE(command::read_report(ran.report, report)) << ran.report;
    ASSERT_FALSE(report.findings.empty());
    const Finding& f = report.findings.front();
    EXPECT_TRUE(f.place.line > 0 && f.place.text.empty() && f.launch.place.text.empty()) << f.place.text;
    EXPECT_EQ(f.launch.place.line, line_with("// launch of past_end"));
    EXPECT_TRUE(says(f.what, "thread 1 of block 3 wrote argument 1 of past_end at index 104")) << f.what;
    EXPECT_FALSE(evidence({"past_end"}).first().place.text.empty());
    fs::remove(older);
}

TEST(Evidence, ThreadsThatLeaveBeforeABarrierAreANote) {
    const Evidence one = evidence({"leaves_early"});
    EXPECT_EQ(one.kinds(), "");
    EXPECT_TRUE(says(one.first(true).what, "61 threads of block 0 had left the kernel")) << one.first(true).what;
    EXPECT_TRUE(says(one.first(true).launch.what, ": 1 block of 64 threads"));
}

TEST(Evidence, UndefinedForTheHostNamesTheLastLaunchWithTheArray) {
    const Evidence one = evidence({"never_written"});
    const Finding& f = one.first();
    EXPECT_EQ(f.kind, Kind::uninitialized);
    const std::string line = std::to_string(line_with("// launch of copies"));
    EXPECT_TRUE(f.what.ends_with("; the last kernel with this array was launched at evidence.cu:" + line)) << f.what;
}

}  // namespace
}  // namespace vgpu
