#include "harness/stale.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace {

namespace fs = std::filesystem;

TEST(Stale, IsAProgramOlderThanItsSource) {
    std::string name = (fs::temp_directory_path() / "stale_XXXXXX").string();
    const fs::path folder = mkdtemp(name.data());
    const fs::path program = folder / "lab3", source = folder / "scan.cu";
    std::ofstream(program) << "program";
    EXPECT_EQ(lab::stale_text(program, source), "") << "moved away from its source";
    std::ofstream(source) << "source";
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(program, now);
    fs::last_write_time(source, now - std::chrono::seconds(5));
    EXPECT_EQ(lab::stale_text(program, source), "");
    fs::last_write_time(source, now + std::chrono::seconds(5));
    EXPECT_EQ(lab::stale_text(program, source), "scan.cu was changed after lab3 was built; make lab3");
    EXPECT_EQ(lab::stale_text(folder / "none", source), "");
    fs::remove_all(folder);
}

TEST(Stale, SaysNothingOfOtherPrograms) { EXPECT_EQ(lab::stale_text(3, "scan"), ""); }

}  // namespace
