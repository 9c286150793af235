#include "harness/options.h"

#include <gtest/gtest.h>

namespace {

using lab::Options;
using lab::parse_options;
using lab::UsageError;

TEST(Options, AreRead) {
    const Options o = parse_options(
        {"--task", "naive", "--n=1000", "--seed", "0x7f3a", "--input", "a.npy", "--input", "b.npy", "--cpu"}, {});
    EXPECT_EQ(o.task, "naive");
    EXPECT_EQ(o.n, 1000);
    EXPECT_EQ(o.seed, 0x7f3aU);
    EXPECT_EQ(o.inputs, (std::vector<std::string>{"a.npy", "b.npy"}));
    EXPECT_TRUE(o.cpu);
    EXPECT_FALSE(o.check || o.list || o.help);
}

TEST(Options, ServeTakesThreeDescriptors) {
    const Options o = parse_options({"--serve", "3", "4", "5"}, {});
    ASSERT_TRUE(o.serve.has_value());
    EXPECT_EQ(o.serve->commands, 3);
    EXPECT_EQ(o.serve->replies, 4);
    EXPECT_EQ(o.serve->memory, 5);
    EXPECT_THROW(parse_options({"--serve", "3", "4"}, {}), UsageError);
}

TEST(Options, MistakesAreNamed) {
    for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{{"--nope"},
                                                                                     {"naive"},
                                                                                     {"--task"},
                                                                                     {"--n", "x"},
                                                                                     {"--n", "1M"},
                                                                                     {"--n", ""},
                                                                                     {"--n", "99999999999999999999"},
                                                                                     {"--seed", "-1"},
                                                                                     {"--cpu=yes"},
                                                                                     {"-n", "3"}})
        EXPECT_THROW(parse_options(bad, {}), UsageError) << bad[0];
}

TEST(Options, HelpNamesThemAll) {
    const std::string help = lab::help_text("lab1", "Lab 1: Square", lab::Lab{});
    for (const char* name :
         {"--list", "--task", "--n", "--input", "--output", "--cpu", "--device", "--check", "--help"})
        EXPECT_NE(help.find(name), std::string::npos) << name;
    EXPECT_EQ(help.find("--serve"), std::string::npos) << "not for people";
}

}  // namespace
