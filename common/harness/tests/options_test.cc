#include "harness/options.h"

#include <gtest/gtest.h>

#include <limits>

#include "grading/files.h"

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
    const Options o = parse_options({"--serve", "3"}, {});
    ASSERT_TRUE(o.serve.has_value());
    EXPECT_EQ(*o.serve, 3);
    EXPECT_THROW(parse_options({"--serve"}, {}), UsageError);
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

TEST(Options, NoOutputReplacesAnInputOrASource) {
    const std::string folder = testing::TempDir(), input = folder + "in.npy", source = folder + "mine.CU";
    for (const std::string& path : {input, source}) lab::write_file(path, "mine");
    for (const std::vector<std::string>& bad :
         {std::vector<std::string>{"--input", input, "--output", folder + "./in.npy"}, {"--output", source}})
        EXPECT_THROW(parse_options(bad, {}), UsageError) << bad[1];
    EXPECT_EQ(parse_options({"--output", input}, {}).outputs.size(), 1u);
    EXPECT_EQ(parse_options({"--output", folder + "new.cu"}, {}).outputs.size(), 1u);
}

TEST(Options, NumbersAsPeopleWriteThem) {
    for (const char* million :
         {"1000000", "1,000,000", "1_000_000", "1e6", "1E6", "10e5", "0xf4240", "10^6", "1000^2", "1.0e6", "0.1e7"})
        EXPECT_EQ(parse_options({"--n", million}, {}).n, 1'000'000) << million;
    EXPECT_EQ(parse_options({"--n", "2^20"}, {}).n, 1 << 20);
    EXPECT_EQ(parse_options({"--n", "1.5e3"}, {}).n, 1500);
    EXPECT_EQ(parse_options({"--n", "2^62"}, {}).n, std::int64_t{1} << 62);
    EXPECT_EQ(parse_options({"--n", "0^0"}, {}).n, 1);
    EXPECT_EQ(parse_options({"--n", "1^99999999999999"}, {}).n, 1);
    EXPECT_EQ(parse_options({"--n", "0e99999999999999"}, {}).n, 0);
    EXPECT_EQ(parse_options({"--seed", "18446744073709551615"}, {}).seed, std::numeric_limits<std::uint64_t>::max());
}

std::string complaint(const std::string& option, const std::string& value, const std::vector<lab::Setting>& own = {}) {
    try {
        parse_options({option, value}, own);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "nothing";
}

TEST(Options, NumbersThatAreNone) {
    const std::string examples = "not a whole number; write 1000000, 1,000,000, 1_000_000, 1e6 or 2^20";
    for (const std::string text : {"",    "x",   "1M",   "1,00",   "1,0000", "1,000_000", ",000",  "1000,000", "1,",
                                   "1.5", "e6",  "1e",   "2^",     "^2",     "2^20^2",    "1e-3",  "+1",       " 1",
                                   "0x",  "0xg", "1e+6", "1.25e1", ".5e3",   "1.e3",      "1.5^2", "1,000.5e3"})
        EXPECT_EQ(complaint("--n", text), "--n: '" + text + "' is " + examples);
    EXPECT_EQ(complaint("--n", "-1"), "--n: '-1' is less than 0");
    EXPECT_EQ(complaint("--seed", "-5"), "--seed: '-5' is less than 0");
    for (const std::string text : {"99999999999999999999", "1e19", "1e99999999999999999999", "2^63", "10^400"})
        EXPECT_EQ(complaint("--n", text), "--n: '" + text + "' is too large");
    EXPECT_EQ(complaint("--seed", "2^64"), "--seed: '2^64' is too large");
}

TEST(Options, SettingsOfALab) {
    const std::vector<lab::Setting> own = {{"bins", "how many bins", 1, 8192},
                                           {"border", "beyond the border", 0, 0, {"zero", "clamp"}}};
    const Options o = parse_options({"--bins", "2^8", "--border=clamp"}, own);
    EXPECT_EQ(o.scalars, (lab::Scalars{{"bins", 256}, {"border", 1}}));
    EXPECT_EQ(complaint("--bins", "0", own), "--bins: '0' is not from 1 to 8192");
    EXPECT_EQ(complaint("--bins", "8193", own), "--bins: '8193' is not from 1 to 8192");
    EXPECT_EQ(complaint("--border", "wrap", own), "--border: 'wrap' is none of zero, clamp");
    EXPECT_EQ(complaint("--bins", "7"), "unknown option '--bins'; --help shows those there are");
    lab::Lab lab;
    lab.settings = own;
    const std::string help = lab::help_text("lab6", "Lab 6", lab);
    EXPECT_NE(help.find("--bins N        how many bins\n"), std::string::npos) << help;
    EXPECT_NE(help.find("--border WORD   beyond the border (zero, clamp)\n"), std::string::npos) << help;
}

TEST(Options, HelpNamesThemAll) {
    const std::string help = lab::help_text("lab1", "Lab 1: Square", lab::Lab{});
    for (const char* name :
         {"--list", "--task", "--n", "--input", "--output", "--cpu", "--device", "--check", "--help"})
        EXPECT_NE(help.find(name), std::string::npos) << name;
    EXPECT_EQ(help.find("--serve"), std::string::npos) << "not for people";
}

}  // namespace
