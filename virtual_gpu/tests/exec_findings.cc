// Wrong programs: each is reported once, with kind, line, array, index and thread.
#include <gtest/gtest.h>

#include <sstream>

#include "exec_harness.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/exec/report/source_names.h"
#include "virtual_gpu/exec/report/source_types.h"

namespace vgpu {
namespace {

struct Fault : testing::Test {
    Gpu gpu;
    Fault() {
        gpu.options.max_stall_steps = 1 << 16;
        gpu.executor.configure(gpu.options);
        gpu.load("faults");
    }
    // The one finding of this kind, at the marked line.
    const Finding& only(const LaunchResult& r, Kind kind, const std::string& mark) {
        static const Finding none;
        const Finding* f = find(r, kind);
        EXPECT_NE(f, nullptr) << "no " << name_of(kind) << " among:\n" << findings(r) << r.message;
        if (!f) return none;
        int count = 0;
        for (const Finding& other : r.findings) count += other.kind == kind;
        EXPECT_EQ(count, 1) << findings(r);
        EXPECT_EQ(f->place.line, line_of("faults", mark)) << f->what;
        EXPECT_TRUE(f->place.file.ends_with("faults.cu")) << f->place.file;
        EXPECT_NE(f->place.text.find(mark), std::string::npos) << f->place.text;
        EXPECT_FALSE(f->what.empty());
        return *f;
    }
    LaunchResult run(const std::string& kernel, unsigned threads, auto... arguments) {
        return gpu.run(kernel, {.block = {threads, 1, 1}}, arguments...);
    }
};

// An array that is not aligned lies a little behind the start of its allocation.
TEST_F(Fault, IndicesCountFromWhereTheArrayBegins) {
    const DevicePtr allocation = gpu.array(std::vector<int>(103), "not this"), out = gpu.fresh<int>(100, "d_out");
    const DevicePtr in = allocation + 3 * sizeof(int);
    EXPECT_FALSE(gpu.memory.label(allocation + 104 * sizeof(int), "behind it"));
    ASSERT_TRUE(gpu.memory.label(in, "d_in"));
    const auto at_the_end = gpu.run("past_the_end", {.grid = {2, 1, 1}, .block = {64, 1, 1}}, in, out, 100);
    const Finding& f = only(at_the_end, Kind::out_of_bounds, "past_the_end");
    EXPECT_EQ(f.array, "d_in");
    EXPECT_EQ(f.index, 100);
    EXPECT_EQ(f.array_bytes, 400u);
    const auto before = gpu.run("past_the_end", {.block = {4, 1, 1}}, in - sizeof(int), out, 100);
    EXPECT_EQ(before.status, Status::illegal_address);
    EXPECT_EQ(only(before, Kind::out_of_bounds, "past_the_end").index, -1);

    ASSERT_TRUE(gpu.memory.label(allocation + 2, "d_in"));
    const auto r = run("misaligned", 1, allocation + 2, out);  // reads an int, a byte after its argument
    EXPECT_NE(only(r, Kind::misaligned, "misaligned").what.find("of 4: the array begins 2 bytes after one"),
              std::string::npos);
}

TEST_F(Fault, PastTheEnd) {
    const DevicePtr in = gpu.array(std::vector<int>(100), "d_in"), out = gpu.fresh<int>(100, "d_out");
    const auto r = gpu.run("past_the_end", {.grid = {2, 1, 1}, .block = {64, 1, 1}}, in, out, 100);
    EXPECT_EQ(r.status, Status::illegal_address);
    const Finding& f = only(r, Kind::out_of_bounds, "past_the_end");
    EXPECT_EQ(f.array, "d_in");
    EXPECT_EQ(f.index, 100);
    EXPECT_EQ(f.array_bytes, 400u);
    EXPECT_EQ(f.access, "read");
    EXPECT_EQ(f.space, "global");
    EXPECT_EQ(f.thread, (Index3{36, 0, 0}));
    EXPECT_EQ(f.block, (Index3{1, 0, 0}));
    EXPECT_EQ(f.count, 1u);
    EXPECT_NE(r.message.find("past_the_end"), std::string::npos);
    // The run went on to its end.
    EXPECT_EQ(gpu.values<int>(out, 100)[99], 0);
}

TEST_F(Fault, FarAway) {
    const DevicePtr out = gpu.fresh<int>(32, "d_out"), other = gpu.array(std::vector<int>(32), "d_other");
    const Finding& f = only(run("far_away", 32, out), Kind::out_of_bounds, "far_away");
    EXPECT_EQ(f.array, "d_out");
    EXPECT_EQ(f.index, 1 << 28);
    EXPECT_EQ(f.access, "write");
    EXPECT_EQ(f.count, 32u);
    EXPECT_EQ(gpu.values<int>(other, 32), std::vector<int>(32));
}

TEST_F(Fault, NullPointer) { only(run("null_pointer", 1, DevicePtr{0}), Kind::out_of_bounds, "null_pointer"); }

TEST_F(Fault, Misaligned) {
    const DevicePtr in = gpu.array(std::vector<int>(40), "d_in"), out = gpu.fresh<int>(32);
    const auto r = run("misaligned", 32, in, out);
    EXPECT_EQ(r.status, Status::misaligned_address);
    EXPECT_EQ(only(r, Kind::misaligned, "misaligned").array, "d_in");
}

TEST_F(Fault, UseAfterFree) {
    const DevicePtr in = gpu.array(std::vector<int>(100), "d_in"), out = gpu.fresh<int>(100);
    gpu.memory.release(in);
    const Finding& f =
        only(gpu.run("past_the_end", {.block = {64, 1, 1}}, in, out, 100), Kind::use_after_free, "past_the_end");
    EXPECT_EQ(f.array, "d_in");
    EXPECT_EQ(f.count, 64u);
}

TEST_F(Fault, NeverWritten) {
    const DevicePtr in = gpu.fresh<int>(64, "d_in"), out = gpu.fresh<int>(64);
    gpu.memory.fill(in, 0, 4, 40);
    const auto r = run("never_written", 64, in, out);
    EXPECT_EQ(r.status, Status::ok);
    EXPECT_EQ(findings(r), "") << "so far, nobody has used what was read";
    const auto undefined = gpu.memory.take_undefined(out, 64 * 4);
    ASSERT_TRUE(undefined);
    EXPECT_EQ(undefined->at, out + 40 * 4);
    EXPECT_EQ(undefined->words, 24u);
    EXPECT_EQ(gpu.memory.origins()[undefined->origin].at, 40 * 4);
    gpu.memory.poison(in, 64);
    run("never_written", 8, in, out);
    EXPECT_EQ(gpu.memory.take_undefined(out, 64 * 4)->at, out);
}

TEST_F(Fault, SharedMemory) {
    const DevicePtr out = gpu.fresh<int>(64);
    const Finding past = only(run("shared_past_the_end", 32, out), Kind::out_of_bounds, "shared_past_the_end");
    EXPECT_EQ(past.array, "first");
    EXPECT_EQ(past.index, 32);
    EXPECT_EQ(past.space, "shared");
    EXPECT_EQ(past.array_bytes, 128u);
    const Finding before =
        only(run("shared_before_the_start", 32, out), Kind::out_of_bounds, "shared_before_the_start");
    EXPECT_EQ(before.array, "second");
    EXPECT_EQ(before.index, -1);
    EXPECT_EQ(findings(run("shared_never_written", 32, out)), "");
    const auto fresh = gpu.memory.take_undefined(out, 32 * 4);
    ASSERT_TRUE(fresh);
    const Origins& origins = gpu.memory.origins();
    EXPECT_EQ(origins.array_of(origins[fresh->origin]).name, "s");
    EXPECT_EQ(origins[fresh->origin].at, 32 * 4);
    EXPECT_EQ(origins.place_of(origins[fresh->origin]).source.line, line_of("faults", "shared_never_written"));
    const auto small = gpu.run("dynamic_too_small", {.block = {64, 1, 1}, .shared = 128}, out);
    const Finding* f = find(small, Kind::out_of_bounds);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->place.line, line_of("faults", "dynamic_too_small"));
    EXPECT_EQ(f->array, "s");
    EXPECT_EQ(f->index, 32);
    EXPECT_NE(f->help.find("<<<"), std::string::npos);
}

TEST_F(Fault, Races) {
    const DevicePtr in = gpu.array(std::vector<int>(64)), out = gpu.fresh<int>(64);
    const auto warps = run("race_of_warps", 64, in, out);
    const Finding* f = find(warps, Kind::race);
    ASSERT_NE(f, nullptr);
    std::pair lines{f->place.line, f->other_place.line};
    if (lines.first > lines.second) std::swap(lines.first, lines.second);
    EXPECT_EQ(lines.first, line_of("faults", "race_writer")) << f->what;
    EXPECT_EQ(lines.second, line_of("faults", "race_reader")) << f->what;
    EXPECT_EQ(f->array, "s");
    EXPECT_EQ(f->thread[0] / 32 + f->other_thread[0] / 32, 1u);
    EXPECT_NE(find(run("race_of_lanes", 32, in, out), Kind::race), nullptr);
    // This line has races between warps and between lanes of a warp. One between warps is reported, even if many
    // between lanes are found first.
    const Finding& neighbours = only(run("race_of_neighbours", 64, out), Kind::race, "race_of_neighbours");
    EXPECT_NE(neighbours.thread[0] / 32, neighbours.other_thread[0] / 32) << neighbours.what;
    EXPECT_NE(neighbours.what.find("two warps, no barrier between"), std::string::npos) << neighbours.what;
    EXPECT_GT(neighbours.count, 1u);
    const Finding& same = only(run("same_store", 32, out), Kind::race, "same_store");
    EXPECT_NE(same.what.find("different values"), std::string::npos) << same.what;
}

TEST_F(Fault, Barriers) {
    const DevicePtr out = gpu.fresh<int>(64);
    const auto r = run("two_barriers", 32, out);
    const Finding* f = find(r, Kind::divergent_barrier);
    ASSERT_NE(f, nullptr);
    std::pair lines{f->place.line, f->other_place.line};
    if (lines.first > lines.second) std::swap(lines.first, lines.second);
    EXPECT_EQ(lines.first, line_of("faults", "barrier_a"));
    EXPECT_EQ(lines.second, line_of("faults", "barrier_b"));
    const auto early = run("left_early", 64, out, 40);
    EXPECT_EQ(findings(early), "");
    const Finding& note = only(early, Kind::early_exit, "left_early");
    EXPECT_TRUE(note.is_note);
    EXPECT_NE(note.what.find("24 threads"), std::string::npos) << note.what;
    EXPECT_EQ(note.other_place.line, line_of("faults", "return_early")) << note.what;  // not the closing brace
}

TEST_F(Fault, Deadlocks) {
    const DevicePtr out = gpu.fresh<int>(64), flag = gpu.array(std::vector<int>{0});
    const auto never = run("never_arrives", 64, out);
    EXPECT_EQ(never.status, Status::launch_failure);
    const Finding& f = only(never, Kind::deadlock, "never_arrives");
    EXPECT_NE(f.what.find("threads 0..31 wait at the barrier"), std::string::npos) << f.what;
    const auto lane = run("waits_for_lane", 32, out);
    const Finding* waits = find(lane, Kind::deadlock);
    ASSERT_NE(waits, nullptr) << lane.message;
    EXPECT_NE(waits->what.find("thread 5 waits at the barrier"), std::string::npos) << waits->what;
    EXPECT_NE(waits->what.find("faults.cu:" + std::to_string(line_of("faults", "waits_for_lane"))), std::string::npos)
        << waits->what;
    const Finding plain = only(run("plain_spin", 32, flag, out), Kind::deadlock, "plain_spin");
    EXPECT_NE(plain.help.find("volatile"), std::string::npos) << plain.help;
    const Finding spin = only(run("volatile_spin", 32, flag, out), Kind::deadlock, "volatile_spin");
    EXPECT_EQ(spin.help.find("volatile"), std::string::npos) << spin.help;
    const auto beside = run("spins_beside_a_barrier", 64, flag, out);
    const Finding* both = find(beside, Kind::deadlock);
    ASSERT_NE(both, nullptr) << beside.message;
    EXPECT_NE(both->help.find("every thread of the block"), std::string::npos) << both->help;
}

TEST_F(Fault, Stops) {
    const DevicePtr out = gpu.fresh<int>(64);
    const auto r = run("stops", 64, out, 40);
    EXPECT_EQ(r.status, Status::device_assert);
    const Finding& f = only(r, Kind::device_assert, "stops");
    EXPECT_NE(f.what.find("threadIdx.x < n"), std::string::npos);
    EXPECT_EQ(f.thread[0], 40u);
    EXPECT_EQ(r.assertions.find("faults.cu"), r.assertions.find("faults.cu:")) << r.assertions;
    int line = 40;
    std::istringstream lines(r.assertions);
    for (std::string text; std::getline(lines, text); ++line)
        EXPECT_TRUE(text.ends_with("faults.cu:" + std::to_string(line_of("faults", "stops")) +
                                   ": void stops(int *, int): block: [0,0,0], thread: [" + std::to_string(line) +
                                   ",0,0] Assertion `threadIdx.x < n` failed."))
            << text;
    EXPECT_EQ(line, 64) << "each thread that fails";
    EXPECT_EQ(gpu.values<int>(out, 64)[39], 1) << "the others go on";
    const auto t = run("traps", 64, out);
    EXPECT_EQ(t.status, Status::launch_failure);
    EXPECT_EQ(only(t, Kind::trap, "traps").thread[0], 40u);
    const auto deep = run("deep", 32, out);
    EXPECT_EQ(deep.status, Status::launch_failure);
    EXPECT_NE(deep.message.find("stack"), std::string::npos) << deep.message;
}

TEST_F(Fault, HelpersNameTheirCaller) {
    const auto r = run("traps_in_a_helper", 32, gpu.array(std::vector<int>(32, 7)), gpu.fresh<int>(32));
    EXPECT_EQ(only(r, Kind::trap, "require").what,
              "the kernel stopped itself (trap) at faults.cu:" + std::to_string(line_of("faults", "require")) +
                  ", called at faults.cu:" + std::to_string(line_of("faults", "traps_in_a_helper")));
}

TEST_F(Fault, ArraysHaveTheNamesOfTheSource) {
    std::vector<int> index(16, 3);
    index[0] = 9;
    const auto local = run("local_past_the_end", 1, gpu.array(index), gpu.fresh<int>(1), 1);
    const Finding& f = only(local, Kind::out_of_bounds, "local_past_the_end");
    EXPECT_EQ(f.array, "counts");
    EXPECT_EQ(f.index, 9);
    EXPECT_NE(f.what.find("counts at index 9, outside of all its local arrays (32 bytes)"), std::string::npos)
        << f.what;

    const std::string made = "allocation of 128 bytes made at a.cu:3";
    const DevicePtr a = gpu.array(std::vector<int>(32, 1), made), b = gpu.array(std::vector<int>(32, 1), made),
                    c = gpu.array(std::vector<int>(32, 1), made);
    struct {
        DevicePtr first, second;
    } rows{a, c};
    const Finding past = *find(run("three_arrays", 32, a, b, rows), Kind::out_of_bounds);
    EXPECT_EQ(past.array, "a member of rows") << past.what;
    EXPECT_TRUE(past.what.ends_with("; a member of rows was allocated at a.cu:3")) << past.what;
    EXPECT_EQ(past.threads, 1u);
    const DevicePtr values = gpu.array(std::vector<int>(16, 3), "d_values");
    const Finding named = *find(run("index_below_zero", 1, values, gpu.fresh<int>(1), 0u), Kind::out_of_bounds);
    EXPECT_TRUE(named.what.ends_with("; in the kernel, d_values is in")) << named.what;
    rows.second = gpu.array(std::vector<int>(99, 1));
    const Finding left = *find(run("three_arrays", 33, a, rows.second, rows), Kind::out_of_bounds);
    EXPECT_EQ(left.array, "left (and a member of rows)") << left.what;
    rows.second = gpu.array(std::vector<int>(99, 1), made);
    const Finding all = *find(run("three_arrays", 33, rows.second, rows.second, rows), Kind::race);
    EXPECT_EQ(all.array, "left (and right, a member of rows)") << all.what;
}

TEST_F(Fault, AnIndexThat32BitsDoNotHold) {
    const DevicePtr in = gpu.array(std::vector<int>(16, 3)), out = gpu.fresh<int>(1);
    const Finding large = only(run("index_beyond_an_int", 1, in, out, 1'000'000'000), Kind::out_of_bounds, "a product");
    EXPECT_NE(large.what.find("; the index would be 3,000,000,000, which an int does not hold"), std::string::npos)
        << large.what;
    const Finding below = only(run("index_below_zero", 1, in, out, 0u), Kind::out_of_bounds, "a difference");
    EXPECT_NE(below.what.find("; the index would be -1, which an unsigned int does not hold"), std::string::npos)
        << below.what;
    const Finding fits = only(run("index_that_fits", 1, in, out, 700'000'000), Kind::out_of_bounds, "far away");
    EXPECT_EQ(fits.what.find("would be"), std::string::npos) << fits.what;
}

TEST(Names, OfParametersAndLocalArrays) {
    const std::vector<std::string> lines = {
        "template <class T, int kN = (3 > 2)>",
        "__global__ void scan(const T* in, T* out,  // (in, out)",
        "                     Pair<int, T> pair, int (&tile)[4], T last[], int n = f(1, 2)) {",
        "    T a[4], b [2];",
        "    __shared__ int s[4];",
        "    x = a[i] + s[b[3]] + in[2];",
        "    return a[1];",
    };
    const std::vector<std::string> names = {"in", "out", "pair", "tile", "last", "n"};
    EXPECT_EQ(parameter_names(lines, 2, "scan", 6), names);
    EXPECT_EQ(parameter_names(lines, 1, "scan", 6), names);
    EXPECT_TRUE(parameter_names(lines, 2, "scan", 5).empty());
    EXPECT_TRUE(parameter_names(lines, 2, "can", 6).empty());
    EXPECT_TRUE(parameter_names(lines, 90, "scan", 6).empty());
    EXPECT_EQ(local_arrays_at(lines, 6), "a or b");
    EXPECT_EQ(local_arrays_at(lines, 7), "a");
    EXPECT_EQ(local_arrays_at(lines, 1), "");
    EXPECT_EQ(local_arrays_at(lines, 0), "");
}

const std::vector<std::string> kTexts = {
    "constexpr int kTile = 4, kRows = 2 * kTile;\n"
    "template <class T, int kWidth> __global__ void sort(T* d_keys) {\n"
    "    __shared__ int s_wide[2][kTile + 1];\n"
    "    __shared__ Point s_points[kTile];\n"
    "    __shared__ unsigned char s_boards[2][unknown];\n"
    "    __shared__ T s_keys[kWidth], s_more[kWidth][kRows];\n"
    "    extern __shared__ float s_floats[];\n"
    "}",
    "struct alignas(8) Point {\n    int x, y = 0;\n    static constexpr int kMost = 3;\n    int sum() const { return x "
    "+ y; }\n};\n"
    "struct Triangle { Point corner[3]; char kind; };\n"
    "template <class T>\nstruct alignas(8) Headed { T value; int head; };\n"
    "struct Strange : Base { int x; };"};

TEST(Names, OfElementsOfClasses) {
    const Layout point = layout_of("Point const*", kTexts);
    EXPECT_EQ(point.bytes, 8u);
    EXPECT_EQ(element_text("d_points", 16, 4, point, false), "d_points[2].x");
    EXPECT_EQ(element_text("d_points", 20, 4, point, false), "d_points[2].y");
    EXPECT_EQ(element_text("d_points", 16, 8, point, false), "d_points[2]");
    EXPECT_EQ(element_text("d_points", -4, 4, point, false), "d_points[-1].y");
    EXPECT_EQ(element_text("a member of rows", 12, 4, point, false), "a member of rows at index 1, member y");
    EXPECT_EQ(layout_of("Triangle*", kTexts).bytes, 32u);
    EXPECT_EQ(layout_of("Headed<double>*", kTexts).bytes, 16u);
    EXPECT_EQ(layout_of("Headed<short>*", kTexts).bytes, 8u);
    EXPECT_EQ(element_text("d_in", 28, 4, layout_of("float4 const*", kTexts), false), "d_in[1].w");
    EXPECT_EQ(element_text("d_in", 28, 4, layout_of("int const*", kTexts), false), "d_in at index 7");
    EXPECT_EQ(element_text("d_in", 32, 16, layout_of("float const*", kTexts), false), "d_in at index 2");
    for (const char* unknown : {"Strange*", "Nowhere*"})  // bytes are certain, elements are not
        EXPECT_EQ(element_text("d_in", 28, 4, layout_of(unknown, kTexts), false), "byte 28 of d_in");
    const std::vector<std::string> types = {"Pair<int, 3> const*", "int"};
    EXPECT_EQ(parameter_types("void (anonymous namespace)::k<(int)3>(Pair<int, 3> const*, int)"), types);
}

TEST(Names, OfElementsInSharedMemory) {
    const TemplateArguments arguments = arguments_of("void sort<short, (int)16>(short*)", kTexts);
    EXPECT_EQ(arguments.at("T"), "short");
    const auto text = [&](const char* name, std::uint64_t bytes, std::int64_t offset, int access) {
        return element_text(name, offset, access, shared_layout(name, bytes, kTexts, arguments), true);
    };
    EXPECT_EQ(text("s_wide", 40, 28, 4), "s_wide[1][2]");
    EXPECT_EQ(text("s_wide", 40, 40, 4), "s_wide[2][0]");
    EXPECT_EQ(text("s_wide", 44, 28, 4), "element 7 of s_wide");  // of another size than the text says
    EXPECT_EQ(text("s_points", 32, 12, 4), "s_points[1].y");
    EXPECT_EQ(text("s_boards", 32'768, 16'479, 1), "s_boards[1][95]");  // the size of a row follows
    EXPECT_EQ(text("s_keys", 32, 6, 2), "s_keys[3]");
    EXPECT_EQ(text("s_more", 256, 34, 2), "s_more[2][1]");
    EXPECT_EQ(text("s_floats", 256, 8, 4), "s_floats[2]");
    EXPECT_EQ(text("s_none", 256, 8, 4), "s_none[2]");
}

TEST_F(Fault, Printf) {
    const auto r = run("prints", 32, DevicePtr{0}, 3);
    EXPECT_EQ(findings(r), "");
    EXPECT_EQ(r.printf_text,
              "0  0.00 text a 0xff -1099511627776 %\n1  0.50 text b 0xff -1099511627776 %\n2  1.00 text c 0xff "
              "-1099511627776 %\n");
}

TEST_F(Fault, BadLaunches) {
    const DevicePtr out = gpu.fresh<int>(64);
    EXPECT_EQ(run("no_such_kernel", 32, out).status, Status::not_found);
    EXPECT_EQ(run("traps", 0, out).status, Status::invalid_configuration);
    EXPECT_EQ(run("traps", 1025, out).status, Status::invalid_configuration);
    EXPECT_EQ(gpu.run("traps", {.shared = 1 << 20}, out).status, Status::invalid_configuration);
}

TEST(Names, AreThoseOfTheSource) {
    EXPECT_EQ(short_name("_Z4scanIiEvPKT_"), "scan");
    EXPECT_EQ(short_name("scan(int const*, int*, int)::temp"), "temp");
    EXPECT_EQ(short_name("s_tile"), "s_tile");
    // As nvcc -rdc=true names a template in an unnamed namespace of keys.cu.
    EXPECT_EQ(short_name("__nv_static_35__4e9ea071_7_keys_cu_5b91a20f_123456_"
                         "_ZN41_GLOBAL__N__4e9ea071_7_keys_cu_5b91a20f_17sort_itIiEEvPKT_"),
              "sort_it");
    EXPECT_EQ(demangled("__nv_static_99_x"), "__nv_static_99_x");
}

TEST_F(Fault, APointerToTheLocalArrayOfAnotherThread) {
    const DevicePtr in = gpu.array(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}), out = gpu.fresh<int>(64);
    const auto own = gpu.run("table_of_another", {.block = {64, 1, 1}}, in, out, 1);
    EXPECT_TRUE(own.findings.empty()) << findings(own);
    const auto r = gpu.run("table_of_another", {.block = {64, 1, 1}}, in, out, 0);
    const Finding& f = only(r, Kind::out_of_bounds, "table_of_another");
    EXPECT_EQ(f.count, 63u);
    EXPECT_NE(f.what.find("in the local memory of another thread"), std::string::npos) << f.what;
    EXPECT_EQ(r.status, Status::ok);
    EXPECT_EQ(gpu.values<int>(out, 64)[5], 10) << "as on a GPU, each thread reads its own";
}

TEST(Findings, AGridsBarrierInAnOrdinaryLaunch) {
    Gpu gpu;
    gpu.load("sync");
    const LaunchResult r = gpu.run("grid_barrier", {.grid = {2, 1, 1}, .block = {32, 1, 1}},
                                   gpu.array(std::vector<int>(2, 0)), gpu.array(std::vector<int>(2, 0)));
    ASSERT_FALSE(r.findings.empty());
    EXPECT_EQ(r.findings[0].kind, Kind::trap);
    EXPECT_NE(r.findings[0].help.find("cudaLaunchCooperativeKernel"), std::string::npos) << r.findings[0].help;
}

TEST(Findings, FreeInAKernelOfWhatIsNotToBeFreed) {
    const std::pair<Kind, std::string> expected[] = {
        {Kind::use_after_free, "gave free() a pointer that was already freed: malloc at sync.cu:"},
        {Kind::invalid_access, "gave free() a pointer to byte 4 of malloc at sync.cu:"},
        {Kind::invalid_access, "gave free() a pointer to out, which no malloc() in a kernel has made"}};
    for (int which = 0; which < 3; ++which) {
        Gpu gpu;
        gpu.load("sync");
        const DevicePtr out = gpu.array(std::vector<int>(4, 7), "out");
        const LaunchResult r = gpu.run("frees", {.block = {1, 1, 1}}, out, which);
        ASSERT_EQ(r.findings.size(), 1u) << findings(r);
        EXPECT_EQ(r.findings[0].kind, expected[which].first);
        EXPECT_NE(r.findings[0].what.find(expected[which].second), std::string::npos) << r.findings[0].what;
    }
}

}  // namespace
}  // namespace vgpu
