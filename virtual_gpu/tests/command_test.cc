// The parts of the command virtual-gpu that run nothing: its arguments, what it reads and writes.
#include <gtest/gtest.h>

#include <random>

#include "virtual_gpu/command/arguments.h"
#include "virtual_gpu/command/json_value.h"
#include "virtual_gpu/command/print.h"
#include "virtual_gpu/command/results.h"

namespace vgpu::command {
namespace {

std::string error_of(const std::vector<std::string>& words) {
    Arguments arguments;
    std::string error;
    return read_arguments(words, arguments, error) ? "" : error;
}

TEST(Arguments, OptionsEndAtTheProgram) {
    Arguments read;
    std::string error;
    ASSERT_TRUE(read_arguments({"--seeds", "3", "--json=r.json", "./a.out", "--seeds", "-n"}, read, error)) << error;
    EXPECT_EQ(read.seeds, (std::vector<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(read.json, "r.json");
    EXPECT_EQ(read.command, (std::vector<std::string>{"./a.out", "--seeds", "-n"}));
    ASSERT_TRUE(read_arguments({"--", "build"}, read, error));
    EXPECT_EQ(read.what, Arguments::What::run) << "a program of that name";
    ASSERT_TRUE(read_arguments({"--profile", "t4", "build", "make", "-j2"}, read, error));
    EXPECT_EQ(read.what, Arguments::What::build);
    EXPECT_EQ(read.command, (std::vector<std::string>{"make", "-j2"}));
}

TEST(Arguments, WhatIsWrongIsNamed) {
    EXPECT_EQ(error_of({"./a.out"}), "");
    EXPECT_EQ(error_of({"--help"}), "");
    EXPECT_NE(error_of({}).find("which program?"), std::string::npos);
    EXPECT_NE(error_of({"build"}).find("which command?"), std::string::npos);
    EXPECT_NE(error_of({"--sed", "1", "a"}).find("unknown option --sed"), std::string::npos);
    EXPECT_NE(error_of({"--json"}).find("--json needs a value"), std::string::npos);
    EXPECT_NE(error_of({"--json=", "a"}).find("--json needs a value"), std::string::npos);
    for (const std::string wrong : {"0", "-1", "x", "1001", "2x", "99999999999999999999999"}) {
        EXPECT_NE(error_of({"--seeds", wrong, "a"}).find("--seeds " + wrong + ": must be"), std::string::npos);
    }
    EXPECT_NE(error_of({"--seed", "one", "a"}).find("--seed one: must be a number"), std::string::npos);
}

Finding some_finding() {
    Finding f;
    f.kind = Kind::race;
    f.kernel = "k(int*)";
    f.what = "thread 1 \"read\" s[3]\twhile thread 2 wrote it \xe2\x80\xa6";
    f.help = "a barrier";
    f.access = "read";
    f.space = "shared";
    f.place = {"/tmp/with blank/k.cu", 12, "    x = s[3];  // \xc3\xa4"};
    f.other_place = {"/tmp/k.h", 3, "s[3] = 1;"};
    f.thread = {1, 2, 3};
    f.other_block = {4, 5, 6};
    f.array = "s";
    f.index = -3;
    f.array_bytes = 1ull << 40;
    f.access_bytes = 4;
    f.count = 18446744073709551615ull;
    f.threads = 7;
    f.launch = {{"/tmp/k.cu", 56, "k<<<256, 1>>>(s);"}, {256, 1, 1}, {1, 2, 3}, 512, true, "",
                "launched at k.cu:56: 256 blocks"};
    return f;
}

Report some_report() {
    Report report;
    report.findings = {some_finding(), some_finding()};
    report.findings[1].kind = Kind::plain_read;
    report.findings[1].is_note = true;
    KernelReport kernel;
    kernel.name = "k(int*)";
    kernel.launches = 2;
    kernel.grid = {1, 2, 3};
    kernel.block = {32, 1, 1};
    kernel.registers = 9;
    kernel.seconds = 1.5e-6;
    kernel.limited_by = "dram";
    kernel.order_free = true;
    kernel.total.instructions = 100;
    kernel.total.lanes = 3200;
    kernel.total.atomic_sectors = 7;
    kernel.lines.push_back({{"/tmp/k.cu", 12, "x"}, kernel.total});
    report.kernels.push_back(kernel);
    report.seconds = 2.5e-6;
    report.least_by = "l2";
    report.bytes_to_host = 5;
    return report;
}

TEST(ReadReport, GivesWhatWasWritten) {
    const std::string text = to_json(some_report());
    Report read;
    ASSERT_TRUE(read_report(text, read));
    EXPECT_EQ(to_json(read), text);
}

TEST(ReadReport, DamagedOnes) {
    const std::string text = to_json(some_report());
    for (std::size_t length = 0; length < text.size(); ++length) {
        Report read;
        EXPECT_FALSE(read_report(text.substr(0, length), read)) << length;
    }
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string changed = text;
        for (int change = 0; change < 3; ++change) changed[random() % changed.size()] = static_cast<char>(random());
        Report read;
        read_report(changed, read);
    }
    Report read;
    EXPECT_FALSE(read_report(std::string(100'000, '['), read)) << "too deep";
    EXPECT_FALSE(read_report("{\"version\":2}", read));
}

TEST(Json, OtherEncodingsStayValid) {
    Report report = some_report();
    report.findings[0].place.text = "// \xe4 latin, cut \xe2\x80, long \xc0\xaf, half \xed\xa0\x80";
    Report read;
    ASSERT_TRUE(read_report(to_json(report), read));
    EXPECT_EQ(read.findings[0].place.text, "// ? latin, cut ??, long ??, half ???");
}

TEST(Words, EveryKindHasThem) {
    const std::vector<std::string> names = kind_names();
    EXPECT_GE(names.size(), 24u);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string title = general_title(static_cast<Kind>(i));
        EXPECT_FALSE(title.empty()) << names[i] << " has no row in findings.inc";
        EXPECT_EQ(title.find('{'), std::string::npos) << title;
    }
    Finding f = some_finding();
    EXPECT_EQ(title_of(f), "race in shared memory");
    f.kind = Kind::uninitialized;
    f.space = "register";
    EXPECT_EQ(title_of(f), "uninitialized: a variable was used before it had a value");
    EXPECT_STRNE(words_of(f).why, "");
}

Results some_results() {
    Results results;
    results.program = "./a.out";
    results.command = {"./a.out", "-n"};
    Report report = some_report();
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        results.seeds.push_back(seed);
        results.statuses.push_back(0);
        report.findings[0].count = 1;
        if (seed == 2) report.findings[0].place.line = 13;  // another finding
        results.add(report);
    }
    return results;
}

TEST(Results, EqualFindingsOfSeveralSeedsAreOne) {
    const Results results = some_results();
    ASSERT_EQ(results.findings.size(), 3u);
    EXPECT_EQ(results.findings[0].seeds, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(results.findings[0].finding.count, 2u);
    EXPECT_EQ(results.findings[1].seeds, (std::vector<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(results.findings[2].seeds, (std::vector<std::uint64_t>{2}));
    EXPECT_EQ(results.kernels.size(), 1u) << "of the first seed";
    EXPECT_EQ(results.exit_status(), 1);
    const std::string text = findings_text(results, false);
    EXPECT_NE(text.find("/tmp/with blank/k.cu:12: race: thread 1"), std::string::npos) << text;
    EXPECT_NE(text.find("\n    launched at k.cu:56: 256 blocks\n"), std::string::npos) << text;
    EXPECT_NE(text.find("seen with seeds 0 and 1 of 3; again: --seed 0"), std::string::npos) << text;
    EXPECT_NE(text.find("seen with seed 2 of 3; again: --seed 2"), std::string::npos) << text;
    EXPECT_NE(text.find("2 findings and 1 note (--notes shows it) with 3 seeds"), std::string::npos) << text;
    EXPECT_EQ(text.find("plain_read"), std::string::npos) << text;
    EXPECT_NE(findings_text(results, true).find("note: plain read"), std::string::npos);
}

TEST(Folded, BreaksAtSpacesAndIndentsTheRest) {
    EXPECT_EQ(folded("a.cu:1: one two three\n    4 | x = a_long_word;\nend\n", 14),
              "a.cu:1: one\n    two three\n    4 | x =\n        a_long_word;\nend\n");
    EXPECT_EQ(folded("\xc2\xb5\xc2\xb5\xc2\xb5 b", 5), "\xc2\xb5\xc2\xb5\xc2\xb5 b") << "characters, not bytes";
    EXPECT_EQ(folded("one two\n\n three", 0), "one two\n\n three");
}

TEST(Results, NotesAreNoDefects) {
    Results results;
    results.program = "./a.out";
    results.seeds = {0, 1};
    results.statuses = {0, 7};
    Report report = some_report();
    report.findings.erase(report.findings.begin());
    results.add(report);
    EXPECT_EQ(results.exit_status(), 7);
    EXPECT_EQ(results.notes(), 1u);
}

TEST(Sarif, HasWhatEditorsRead) {
    JsonValue sarif;
    ASSERT_TRUE(read_json(results_sarif(some_results()), sarif));
    EXPECT_EQ(sarif["version"].text, "2.1.0");
    const JsonValue& run = sarif["runs"].items.at(0);
    const auto& rules = run["tool"]["driver"]["rules"].items;
    ASSERT_EQ(rules.size(), kind_names().size());
    ASSERT_EQ(run["results"].items.size(), 3u);
    const JsonValue& result = run["results"].items[0];
    EXPECT_EQ(result["ruleId"].text, "race");
    EXPECT_EQ(rules.at(result["ruleIndex"].natural())["id"].text, "race");
    EXPECT_EQ(result["level"].text, "error");
    EXPECT_EQ(run["results"].items[1]["level"].text, "note");
    const JsonValue& place = result["locations"].items.at(0)["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"].text, "file:///tmp/with%20blank/k.cu");
    EXPECT_EQ(place["region"]["startLine"].text, "12");
    ASSERT_EQ(result["relatedLocations"].items.size(), 2u);
    EXPECT_EQ(result["relatedLocations"].items[1]["message"]["text"].text, "launched at k.cu:56: 256 blocks");
    EXPECT_EQ(result["properties"]["grid"].items.at(0).text, "256");
    EXPECT_EQ(result["properties"]["threads"].text, "7");
    EXPECT_EQ(result["properties"]["seeds"].items.size(), 2u);
    EXPECT_EQ(run["invocations"].items.size(), 3u);
}

TEST(Counters, ATableForEachKernel) {
    const std::string text = counters_text(some_results());
    EXPECT_NE(text.find("k(int*)  2 launches, 6 x 32 threads, 1.5 µs modelled, limited by dram, 9 registers"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" 100.0 %   32.0"), std::string::npos) << text;
    EXPECT_NE(text.find("^ race in shared memory"), std::string::npos) << text;
}

}  // namespace
}  // namespace vgpu::command
