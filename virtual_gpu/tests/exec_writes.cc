// Who wrote an element last, from which reads: only if it is watched, and nothing else is different.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "exec_harness.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {
namespace {

class WritesGpu : public Gpu {
  public:
    explicit WritesGpu(const std::string& rules, std::uint64_t seed = 0, const std::string& kernels = "writes")
        : Gpu(seed) {
        load(kernels);
        std::string why;
        if (!what_if::parse(rules, options.what_if, why)) throw std::runtime_error(why);
        executor.configure(options);
    }
    // An array of the harness.
    template <class T>
    DevicePtr named(const std::vector<T>& values, const std::string& name) {
        const DevicePtr p = array(values, "before it has a name");
        memory.label(p, name);
        executor.writes().labelled(*memory.find(p));
        return p;
    }
    std::vector<Watched> watched() { return executor.writes().take(memory); }
    std::vector<Unread> unread() { return executor.writes().take_unread(memory); }
};

constexpr std::uint64_t kThreeOrders[] = {0, 3, 5};

std::vector<int> numbers(std::size_t count) {
    std::vector<int> out(count);
    std::iota(out.begin(), out.end(), 0);
    return out;
}

std::string text(const Writer& w) {
    if (w.by != "thread") return w.by + " " + w.name;
    return w.who + " of " + w.name + ", " + w.access + " in line " + std::to_string(w.place.line) + " of launch " +
           std::to_string(w.launch);
}

std::string thread(int t, int block, const std::string& kernel, const std::string& mark, int launch = 1,
                   const std::string& access = "write") {
    return "thread " + std::to_string(t) + " of block " + std::to_string(block) + " of " + kernel + ", " + access +
           " in line " + std::to_string(line_of("writes", mark)) + " of launch " + std::to_string(launch);
}

TEST(Writes, RulesAreRead) {
    what_if::Rules rules;
    std::string why;
    ASSERT_TRUE(what_if::parse("watch writes out 12+4 16+8; watch writes sums 0+1", rules, why)) << why;
    EXPECT_FALSE(rules.change_code());
    ASSERT_EQ(rules.watched.size(), 2u);
    EXPECT_EQ(rules.watched[0].array, "out");
    EXPECT_EQ(rules.watched[0].elements[1], std::make_pair(std::uint64_t{16}, std::uint64_t{8}));
    for (const char* wrong : {"watch writes", "watch writes out", "watch writes out 3", "watch writes out 3+",
                              "watch writes out 3+0", "watch writes out 3+17", "watch writes out -3+4",
                              "watch writes out 3+4x", "watch writes out 99999999999999999999+4", "watch",
                              "watch writes out 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1 0+1"}) {
        EXPECT_FALSE(what_if::parse(wrong, rules, why)) << wrong;
    }
}

TEST(Writes, ThroughSharedMemory) {
    for (const std::uint64_t seed : kSeeds) {
        WritesGpu gpu("watch writes out 268+4 0+4", seed);  // element 67: thread 3 of block 1
        const LaunchResult r = gpu.run("by_shared", {.grid = {2, 1, 1}, .block = {64, 1, 1}},
                                       gpu.named(numbers(128), "in"), gpu.named(numbers(128), "out"));
        EXPECT_EQ(findings(r), "");
        const std::vector<Watched> watched = gpu.watched();
        ASSERT_EQ(watched.size(), 2u);
        const Watched& one = watched[0];
        EXPECT_EQ(one.array, "out");
        EXPECT_EQ(one.count, 1u);
        ASSERT_EQ(one.writes.size(), 1u);
        EXPECT_EQ(text(one.writes[0].writer), thread(3, 1, "by_shared", "shared_take"));
        EXPECT_EQ(one.writes[0].value, 250u);  // (64 + 60 + 1) * 2
        EXPECT_EQ(one.read_count, 1u);
        ASSERT_EQ(one.reads.size(), 1u);  // that of in was for the store before
        const ValueRead& read = one.reads[0];
        EXPECT_EQ(read.space + " " + read.access + " " + read.array, "shared read s");
        EXPECT_EQ(read.index, 60);
        EXPECT_EQ(read.value, 125u);
        EXPECT_EQ(read.place.line, line_of("writes", "shared_take"));
        EXPECT_EQ(text(read.writer), thread(60, 1, "by_shared", "shared_put"));
        EXPECT_EQ(read.read_count, 1u);
        ASSERT_EQ(read.reads.size(), 1u);  // and that of its writer
        EXPECT_EQ(read.reads[0].space + " " + read.reads[0].array, "global in");
        EXPECT_EQ(read.reads[0].index, 124);
        EXPECT_EQ(read.reads[0].value, 124u);
        EXPECT_EQ(read.reads[0].writer.by, "");
        EXPECT_EQ(read.reads[0].place.line, line_of("writes", "shared_put"));
    }
}

// Of an array of the harness that is read in part; and what a second launch reads of what one of two blocks has stored.
TEST(Writes, WhatIsNeverRead) {
    for (const std::uint64_t seed : kThreeOrders) {
        WritesGpu gpu("watch unread", seed);
        const DevicePtr given = gpu.named(numbers(192), "in"), out = gpu.named(numbers(64), "out");
        const DevicePtr between = gpu.array(numbers(128), "work");
        gpu.run("by_shared", {.grid = {2, 1, 1}, .block = {64, 1, 1}}, given, between);
        gpu.run("by_shared", {.block = {64, 1, 1}}, between, out);
        const std::vector<Unread> told = gpu.unread();
        ASSERT_EQ(told.size(), 2u);
        EXPECT_EQ(told[0].array, "in");
        EXPECT_FALSE(told[0].is_stored);
        EXPECT_EQ(told[0].bytes, 768u);
        EXPECT_EQ(told[0].unread, 256u);
        ASSERT_EQ(told[0].ranges.size(), 1u);
        EXPECT_EQ(told[0].ranges[0].from, 512u);
        EXPECT_EQ(told[0].ranges[0].bytes, 256u);
        EXPECT_EQ(told[0].place.line, line_of("writes", "shared_put"));  // which reads the others
        EXPECT_TRUE(told[1].is_stored);
        EXPECT_EQ(told[1].array, "work");
        EXPECT_EQ(told[1].place.line, line_of("writes", "shared_take"));
        EXPECT_EQ(told[1].bytes, 512u);
        EXPECT_EQ(told[1].lost, 256u);
        ASSERT_EQ(told[1].ranges.size(), 1u);
        EXPECT_EQ(told[1].ranges[0].first + " " + told[1].ranges[0].last, "work[64] work[127]");
    }
}

TEST(Writes, WhatIsNeverReadOfBytes) {
    WritesGpu gpu("watch unread");
    gpu.named(std::vector<std::uint8_t>(33, 1), "untouched");
    const DevicePtr in = gpu.named(std::vector<std::uint8_t>(33, 1), "in"), out = gpu.fresh<std::uint8_t>(32);
    gpu.run("in_bytes", {.block = {31, 1, 1}}, in, out);
    const std::vector<Unread> told = gpu.unread();
    ASSERT_EQ(told.size(), 3u);
    EXPECT_EQ(told[0].unread, 33u);
    ASSERT_EQ(told[1].ranges.size(), 1u);
    EXPECT_EQ(told[1].ranges[0].from, 31u);
    EXPECT_EQ(told[1].ranges[0].bytes, 2u);
    EXPECT_EQ(told[2].lost, 31u);
}

// The digest is of the values that are lost, and of where they are.
TEST(Writes, WhichValuesAreNeverRead) {
    const auto digest_of = [](int changed) {
        WritesGpu gpu("watch unread");
        std::vector<int> values = numbers(128);
        values[static_cast<std::size_t>(changed)] += 1000;
        const DevicePtr between = gpu.array(numbers(128), "work");
        gpu.run("by_shared", {.grid = {2, 1, 1}, .block = {64, 1, 1}}, gpu.named(values, "in"), between);
        gpu.run("by_shared", {.block = {64, 1, 1}}, between, gpu.named(numbers(64), "out"));
        return gpu.unread().back().digest;
    };
    EXPECT_EQ(digest_of(3), digest_of(5));
    EXPECT_NE(digest_of(3), digest_of(70));
    EXPECT_NE(digest_of(70), digest_of(71));
}

TEST(Writes, NobodyIsSaid) {
    WritesGpu gpu("watch writes out 24+4");
    gpu.run("all_to_one", {.block = {64, 1, 1}}, gpu.named(numbers(8), "out"));
    const std::vector<Watched> watched = gpu.watched();
    ASSERT_EQ(watched.size(), 1u);
    EXPECT_EQ(watched[0].count, 0u);
    EXPECT_TRUE(watched[0].writes.empty() && watched[0].reads.empty());
}

TEST(Writes, SeveralInOrder) {
    WritesGpu gpu("watch writes out 20+4");
    gpu.run("all_to_one", {.block = {64, 1, 1}}, gpu.named(numbers(8), "out"));
    const std::vector<Watched> watched = gpu.watched();
    ASSERT_EQ(watched.size(), 1u);
    EXPECT_EQ(watched[0].count, 32u);
    ASSERT_EQ(watched[0].writes.size(), what_if::Writes::kFirst + what_if::Writes::kLast);
    // Lanes of one instruction write in the order of their numbers.
    EXPECT_EQ(watched[0].writes[1].value, watched[0].writes[0].value + 2);
    const Watched::Write& last = watched[0].writes.back();
    EXPECT_EQ(last.writer.who, "thread " + std::to_string(last.value) + " of block 0");
}

TEST(Writes, TheLastOfSeveralIsWhatIsThere) {
    for (const std::uint64_t seed : kSeeds) {
        WritesGpu gpu("watch writes out 20+4", seed);
        const DevicePtr out = gpu.named(numbers(8), "out");
        gpu.run("all_to_one", {.grid = {3, 1, 1}, .block = {64, 1, 1}}, out);
        EXPECT_EQ(gpu.watched()[0].writes.back().value, static_cast<unsigned>(gpu.values<int>(out, 8)[5]));
    }
}

TEST(Writes, Atomics) {
    for (const std::uint64_t seed : kSeeds) {
        WritesGpu gpu("watch writes out 8+4", seed);
        gpu.run("counts", {.grid = {2, 1, 1}, .block = {64, 1, 1}}, gpu.named(std::vector<unsigned>(8), "out"));
        const Watched one = gpu.watched()[0];
        EXPECT_EQ(one.count, 16u);
        EXPECT_EQ(one.writes[0].value, 1u);
        EXPECT_EQ(one.writes[15].value, 16u);
        EXPECT_EQ(one.writes[15].writer.access, "atomic");
        ASSERT_EQ(one.reads.size(), 1u);  // what the atomic found there
        EXPECT_EQ(one.reads[0].access + " " + one.reads[0].array, "atomic out");
        EXPECT_EQ(one.reads[0].value, 15u);
        EXPECT_EQ(text(one.reads[0].writer), text(one.writes[14].writer));
    }
}

TEST(Writes, AtomicsThatChangeNothingAreNone) {
    WritesGpu gpu("watch writes out 0+4 4+4 8+4");
    gpu.run("changes_little", {.block = {32, 1, 1}}, gpu.named(std::vector<int>{0, 1, 7}, "out"));
    const std::vector<Watched> watched = gpu.watched();
    EXPECT_EQ(watched[0].count, 1u);
    EXPECT_EQ(watched[0].writes[0].value, 100u);
    EXPECT_EQ(watched[1].count, 1u);
    EXPECT_EQ(watched[1].writes[0].writer.who, "thread 1 of block 0");
    EXPECT_EQ(watched[2].count, 32u);  // exchanges
}

TEST(Writes, PartsOfVectors) {
    WritesGpu gpu("watch writes out 36+4");  // element 9: .y of thread 2
    gpu.run("in_vectors", {.block = {4, 1, 1}}, gpu.named(numbers(16), "in"), gpu.named(numbers(16), "out"));
    const Watched one = gpu.watched()[0];
    EXPECT_EQ(text(one.writes.at(0).writer), thread(2, 0, "in_vectors", "in_vectors"));
    EXPECT_EQ(one.writes[0].value, 10u);
    ASSERT_EQ(one.reads.size(), 4u);
    EXPECT_EQ(one.reads[1].index, 9);
    EXPECT_EQ(one.reads[1].value, 9u);
    EXPECT_EQ(one.reads[1].writer.by, "");  // an input
}

TEST(Writes, ElementsOfOneByteEightOrHalf) {
    WritesGpu bytes("watch writes out 3+1");
    bytes.run("in_bytes", {.block = {8, 1, 1}}, bytes.named(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}, "in"),
              bytes.named(std::vector<std::uint8_t>(8), "out"));
    const Watched byte = bytes.watched()[0];
    EXPECT_EQ(text(byte.writes.at(0).writer), thread(3, 0, "in_bytes", "in_bytes"));
    EXPECT_EQ(byte.writes[0].value, 5u);
    EXPECT_EQ(byte.reads.at(0).value, 4u);

    WritesGpu doubles("watch writes out 16+8");
    doubles.run("wide", {.block = {4, 1, 1}}, doubles.named(std::vector<double>{1, 2, 3, 4}, "in"),
                doubles.named(std::vector<double>(4), "out"));
    double value = 0;
    std::memcpy(&value, &doubles.watched()[0].writes.at(0).value, 8);
    EXPECT_EQ(value, 6);

    WritesGpu halves("watch writes out 4+4");
    halves.run("one_half", {.block = {1, 1, 1}}, halves.named(std::vector<unsigned>{0, 0x11112222}, "out"));
    EXPECT_EQ(halves.watched()[0].writes.at(0).value, 0xABCD2222u);
}

TEST(Writes, ManyReadsAreCounted) {
    WritesGpu gpu("watch writes out 0+4");
    gpu.run("sums", {.block = {32, 1, 1}}, gpu.named(numbers(100), "in"), gpu.named(numbers(1), "out"), 100);
    const Watched one = gpu.watched()[0];
    EXPECT_EQ(one.writes.at(0).value, 4950u);
    EXPECT_EQ(one.read_count, 100u);
    ASSERT_EQ(one.reads.size(), what_if::Writes::kFirstReads + what_if::Writes::kLastReads);
    const std::vector<int> shown{0, 1, 94, 95, 96, 97, 98, 99};
    for (std::size_t n = 0; n < shown.size(); ++n) {
        EXPECT_EQ(one.reads[n].index, shown[n]);
        EXPECT_EQ(one.reads[n].value, static_cast<unsigned>(shown[n]));
        EXPECT_EQ(one.reads[n].place.line, line_of("writes", "sums_read"));
    }
}

TEST(Writes, LaunchesAreNumberedAndFollowed) {
    WritesGpu gpu("watch writes out 0+4");
    const DevicePtr in = gpu.named(numbers(64), "in"), middle = gpu.array(numbers(64), "middle"),
                    out = gpu.named(numbers(64), "out");
    gpu.run("by_shared", {.block = {64, 1, 1}}, in, middle);
    gpu.run("sums", {.block = {32, 1, 1}}, middle, out, 3);
    const Watched one = gpu.watched()[0];
    EXPECT_EQ(one.writes.at(0).writer.launch, 2u);
    EXPECT_EQ(one.reads.at(2).array, "middle");
    EXPECT_EQ(text(one.reads[2].writer), thread(2, 0, "by_shared", "shared_take", 1));
    EXPECT_EQ(one.reads[2].read_count, 1u);
    EXPECT_TRUE(one.reads[2].reads.empty()) << "shared memory of an earlier launch";
    EXPECT_TRUE(gpu.watched()[0].writes.empty()) << "the next call begins";
}

TEST(Writes, CopiesAndFillsOfTheHost) {
    WritesGpu gpu("watch writes out 8+4 12+4");
    const DevicePtr middle = gpu.array(numbers(64), "middle"), out = gpu.named(numbers(64), "out");
    gpu.run("by_shared", {.block = {64, 1, 1}}, gpu.named(numbers(64), "in"), middle);
    gpu.memory.fill(out, 1, 1, 16);
    gpu.executor.writes().moved(gpu.memory, {out, 0, 16, "cudaMemset", "here", true});
    gpu.memory.copy(out + 8, middle, 4);
    gpu.executor.writes().moved(gpu.memory, {out + 8, middle, 4, "cudaMemcpy", "there", false});
    const std::vector<Watched> watched = gpu.watched();
    ASSERT_EQ(watched[0].writes.size(), 2u);
    EXPECT_EQ(text(watched[0].writes[0].writer), "host cudaMemset");
    EXPECT_EQ(watched[0].writes[0].writer.access, "fill");
    EXPECT_EQ(watched[0].writes[0].value, 0x01010101u);
    EXPECT_EQ(text(watched[0].writes[1].writer), "host cudaMemcpy");
    EXPECT_EQ(watched[0].writes[1].writer.place.file, "there");
    EXPECT_EQ(watched[0].writes[1].value, 128u);
    ASSERT_EQ(watched[0].reads.size(), 1u);  // what was copied
    EXPECT_EQ(watched[0].reads[0].array, "middle");
    EXPECT_EQ(watched[0].reads[0].value, 128u);
    EXPECT_EQ(text(watched[0].reads[0].writer), thread(0, 0, "by_shared", "shared_take"));
    EXPECT_EQ(watched[1].count, 1u);
    EXPECT_TRUE(watched[1].reads.empty());
}

// A tail launch stores after kernels that were launched, too; a kernel's copy has no thread.
TEST(Writes, KernelsThatKernelsLaunch) {
    for (const std::uint64_t seed : kThreeOrders) {
        WritesGpu gpu("watch writes data 0+4 4+4", seed, "dynamic");
        gpu.run("right_tail", {.block = {1, 1, 1}}, gpu.named(numbers(200), "data"), 64);
        const std::vector<Watched> watched = gpu.watched();
        ASSERT_EQ(watched.size(), 2u);
        EXPECT_EQ(watched[0].count, 2u);
        EXPECT_EQ(watched[0].writes[0].value, 1u);
        EXPECT_EQ(watched[0].writes[1].value, 1000u);
        const Writer& last = watched[0].writes[1].writer;
        EXPECT_EQ(last.by + " " + last.who, "thread thread 0 of block 0");
        EXPECT_EQ(last.name, "put(int*, int)");
        EXPECT_EQ(last.launch, 1u);
        EXPECT_EQ(last.place.line, line_of("dynamic", "put"));
        EXPECT_EQ(watched[1].writes.at(0).writer.name, "add_one(int*, int)");
        EXPECT_EQ(watched[1].reads.at(0).value, 1u);
    }
}

TEST(Writes, WhatIsNotThereIsNotTold) {
    WritesGpu gpu("watch writes out 32+4; watch writes other 0+4");
    const DevicePtr out = gpu.named(numbers(8), "out");  // 32 bytes
    gpu.run("all_to_one", {.block = {64, 1, 1}}, out);
    EXPECT_TRUE(gpu.watched().empty());

    WritesGpu freed("watch writes out 20+4");
    const DevicePtr array = freed.named(numbers(8), "out");
    freed.run("all_to_one", {.block = {64, 1, 1}}, array);
    freed.memory.release(array);
    EXPECT_TRUE(freed.watched().empty());
}

TEST(Writes, NothingElseIsDifferent) {
    for (const std::uint64_t seed : kSeeds)
        for (const char* kernel : {"by_shared", "all_to_one"}) {
            std::string told[2];
            std::vector<int> values[2];
            std::uint64_t steps[2] = {};
            for (int n : {0, 1}) {
                WritesGpu gpu(n == 0 ? "" : "watch writes out 20+4", seed);
                const DevicePtr out = gpu.named(numbers(512), "out"), in = gpu.named(numbers(512), "in");
                const Shape shape{.grid = {8, 1, 1}, .block = {64, 1, 1}};
                const LaunchResult r = kernel[0] == 'b' ? gpu.run(kernel, shape, in, out) : gpu.run(kernel, shape, out);
                told[n] = findings(r);
                values[n] = gpu.values<int>(out, 512);
                steps[n] = r.steps;
                EXPECT_EQ(gpu.watched().empty(), n == 0);
            }
            EXPECT_EQ(told[0], told[1]);
            EXPECT_EQ(values[0], values[1]);
            EXPECT_EQ(steps[0], steps[1]);
        }
}

}  // namespace
}  // namespace vgpu
