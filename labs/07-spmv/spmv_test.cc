// Lab 7's tests: every task, variant and public size, and what is particular to sparse matrices.
#include "spmv.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "harness/lab_test.h"
#include "labs/compare.h"
#include "labs/files.h"
#include "labs/random.h"
#include "matrices.h"
#include "matrix_market.h"

lab::Lab spmv_lab();

namespace {

using lab::Array;
using lab::Instance;

class Spmv : public lab::testing::LabTest {};

TEST_P(Spmv, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Spmv, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

bool is_product(const std::string& task) {
    return task != "csr_from_dense" && task != "csr_from_coo" && task != "pagerank";
}

std::vector<Instance> middle_cases() {
    std::vector<Instance> cases;
    for (const lab::Task& task : spmv_lab().tasks) {
        const auto variants = task.variants.empty() ? std::vector<std::string>{""} : task.variants;
        for (const std::string& variant : variants) cases.push_back({task.name, variant, 4004, 1});
    }
    return cases;
}

class SpmvOfAnyInput : public lab::testing::LabTest {};

TEST_P(SpmvOfAnyInput, IsRight) {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        Instance call = GetParam();
        call.seed = seed;
        run(call, seed);  // and another order of blocks and warps each time
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, SpmvOfAnyInput, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

// Matrices that are hardly any: no rows, no columns, no nonzeros, one row, one column, rows without end.
TEST_F(Spmv, IsRightForEveryOddShape) {
    struct Odd {
        std::int64_t n, rows, cols;
    };
    const Odd shapes[] = {{0, 0, 0},       {0, 0, 7},       {0, 7, 0},       {0, 1, 1},       {0, 5000, 3},
                          {1, 1, 1},       {1, 9000, 2},    {3000, 1, 3000}, {3000, 1, 9000}, {3000, 3000, 1},
                          {3584, 2, 3000}, {1792, 1792, 1}, {1791, 3, 5000}, {31, 70'000, 31}};
    for (const lab::Task& task : spmv_lab().tasks) {
        if (!is_product(task.name) && task.name != "csr_from_coo") continue;
        for (const auto& [n, rows, cols] : shapes) {
            for (const std::uint64_t seed : {1, 2, 3}) {
                const Instance call{
                    task.name, cols == 1 ? "uniform" : "gaps", n, seed, {{"rows", rows}, {"cols", cols}}};
                try {
                    spmv_lab().complete(call);
                } catch (const std::invalid_argument&) {
                    continue;  // a row that this seed makes longer than the columns
                }
                SCOPED_TRACE(testing::PrintToString(call));
                run(call, seed);
            }
        }
    }
}

TEST_F(Spmv, DenseMatricesOfEveryShape) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{0, 0},  {0, 9},  {9, 0},  {1, 1},   {1, 1000}, {1000, 1},
                                                            {7, 31}, {8, 32}, {9, 33}, {17, 65}, {300, 2}};
    for (const auto& [rows, cols] : shapes)
        for (std::uint64_t seed = 1; seed <= 6; ++seed)
            run({"csr_from_dense", "", rows * cols, seed, {{"rows", rows}, {"cols", cols}}}, seed);
}

// ---- Inputs and answers, without a device ----

// One instance's arrays in host memory, and the plain CPU version's result.
struct Case {
    explicit Case(const Instance& asked) : call(spmv_lab().complete(asked)), shape(spmv_lab().shape(call)) {
        for (const auto* specs : {&shape.inputs, &shape.outputs})
            for (const lab::ArraySpec& spec : *specs)
                bytes.emplace_back(std::max<std::size_t>(spec.count * lab::size_of(spec.dtype), 1), std::byte{0xa5});
        for (std::size_t i = 0; i < shape.inputs.size(); ++i) inputs.push_back({shape.inputs[i], bytes[i].data()});
        for (std::size_t i = 0; i < shape.outputs.size(); ++i)
            outputs.push_back({shape.outputs[i], bytes[shape.inputs.size() + i].data()});
        spmv_lab().generate(call, inputs);
        spmv_lab().cpu(call, inputs, outputs);
        expected = lab::testing::expect(call, inputs);
    }
    bool is_right() const {
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (!lab::compare(expected[i], outputs[i].spec, outputs[i].data, nullptr, 0xa5).ok()) return false;
        return true;
    }

    Instance call;
    lab::Shape shape;
    std::vector<std::vector<std::byte>> bytes;
    std::vector<Array> inputs, outputs;
    std::vector<lab::Expected> expected;
};

class SpmvData : public testing::TestWithParam<Instance> {};

TEST_P(SpmvData, PlainCpuVersionAgreesWithTheOracle) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        for (std::int64_t n : {0, 1, 2, 33, 1000}) {
            Instance call = GetParam();
            call.n = n;
            call.seed = seed;
            EXPECT_TRUE(Case(call).is_right()) << "n " << n << " seed " << seed;
        }
    }
}

TEST_P(SpmvData, ScalarsStayWhatTheyAre) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Instance call = GetParam();
        call.seed = seed;
        const Instance once = spmv_lab().complete(call);
        EXPECT_EQ(spmv_lab().complete(once).scalars, once.scalars);
        EXPECT_EQ(spmv_lab().complete(once).n, call.n);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, SpmvData, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

TEST(SpmvData, MatricesAreSound) {
    for (const std::string& kind : kKindNames) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            for (const char* task : {"merge_path", "pagerank"}) {
                const Case c({task, kind, 1000, seed});
                const auto row_ptr = c.inputs[0].as<std::int32_t>(), col = c.inputs[1].as<std::int32_t>();
                ASSERT_EQ(row_ptr.front(), 0);
                ASSERT_EQ(row_ptr.back(), 1000) << kind << " seed " << seed;
                for (std::size_t r = 0; r + 1 < row_ptr.size(); ++r) {
                    ASSERT_LE(row_ptr[r], row_ptr[r + 1]);
                    for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
                        ASSERT_GE(col[k], k == row_ptr[r] ? 0 : col[k - 1] + 1);
                        ASSERT_LT(col[k], c.call.scalar("cols"));
                    }
                }
            }
        }
    }
}

TEST(SpmvData, ALaplacianOfAWholeGridIsTheRealOne) {
    Case c({"merge_path", "", 77, 0, {{"grid", 30}, {"x", 1}}});
    EXPECT_EQ(c.call.n, 5 * 900 - 4 * 30);
    EXPECT_EQ(c.call.scalar("rows"), 900);
    EXPECT_EQ(c.call.scalar("cols"), 900);
    const auto y = c.outputs[0].as<float>();  // 4 less the number of neighbours
    EXPECT_EQ(y[0], 2);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[31], 0);
    EXPECT_EQ(std::accumulate(y.begin(), y.end(), 0.0f), 4 * 30);
}

// What course notes get wrong has to come up again and again.
TEST(SpmvData, SeedsReachEveryKindOfRow) {
    int first = 0, last = 0, all = 0, full = 0, one_column = 0, wide = 0, tall = 0, stretch = 0, exact = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Case c({"merge_path", "gaps", seed % 10 == 0 ? 0 : 3000, seed});
        const auto row_ptr = c.inputs[0].as<std::int32_t>();
        const std::int64_t rows = c.call.scalar("rows"), cols = c.call.scalar("cols");
        if (rows > 0) {
            first += row_ptr[1] == 0;
            last += row_ptr[rows - 1] == row_ptr[rows];
            all += row_ptr[rows] == 0;
        }
        std::int64_t longest = 0, gap = 0, longest_gap = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
            longest = std::max<std::int64_t>(longest, row_ptr[r + 1] - row_ptr[r]);
            gap = row_ptr[r] == row_ptr[r + 1] ? gap + 1 : 0;
            longest_gap = std::max(longest_gap, gap);
        }
        full += longest == cols && longest > 1000;
        stretch += longest_gap > 2000;
        one_column += cols == 1;
        wide += cols > rows;
        tall += rows > cols;
        const auto& tolerance = c.expected[0].tolerance;
        exact += std::ranges::all_of(tolerance, [](double t) { return t == 0; });
    }
    EXPECT_GE(first, 50);
    EXPECT_GE(last, 50);
    EXPECT_GE(all, 10);
    EXPECT_GE(full, 5);
    EXPECT_GE(one_column, 1);
    EXPECT_GE(wide, 30);
    EXPECT_GE(tall, 30);
    EXPECT_GE(stretch, 20);
    EXPECT_GE(exact, 150);
}

// A product left out must not pass, however long the row.
TEST(SpmvOracle, MissesNoProductInARowOfUsualLength) {
    for (std::uint64_t seed : {0, 1, 3}) {
        Case c({"merge_path", "uniform", 20'000, seed, {{"per_row", 16}}});
        const auto row_ptr = c.inputs[0].as<std::int32_t>(), col = c.inputs[1].as<std::int32_t>();
        const auto value = c.inputs[2].as<float>(), x = c.inputs[3].as<float>(), y = c.outputs[0].as<float>();
        const std::vector<float> right(y.begin(), y.end());
        ASSERT_TRUE(c.is_right());
        for (std::size_t r = 0; r < y.size(); r += 7) {
            if (row_ptr[r] == row_ptr[r + 1]) continue;
            y[r] -= value[row_ptr[r]] * x[col[row_ptr[r]]];
            EXPECT_FALSE(c.is_right()) << "row " << r;
            y[r] = right[r];
        }
    }
}

TEST(SpmvOracle, WholeNumbersAreExactInTheLongestRow) {
    Case c({"merge_path", "uniform", 300'000, 1, {{"rows", 1}}});
    ASSERT_TRUE(c.is_right());
    c.outputs[0].as<float>()[0] += 1;
    EXPECT_FALSE(c.is_right());
}

TEST(SpmvOracle, RejectsNaNAndWhatIsWrittenBehindTheEnd) {
    Case c({"row_per_thread", "uniform", 100, 0});
    c.outputs[0].as<float>()[3] = NAN;
    EXPECT_FALSE(c.is_right());
    Case dense({"csr_from_dense", "", 100, 0});
    ASSERT_TRUE(dense.is_right());
    dense.outputs[1].as<std::int32_t>()[99] = 0;
    EXPECT_FALSE(dense.is_right());
}

TEST(SpmvOracle, RanksOfPagesWithoutLinksAreSharedOut) {
    for (const double lost : {1.0, 0.99}) {  // all right; and one in a hundred lost
        Case c({"pagerank", "power_law", 20'000, 0});
        for (float& rank : c.outputs[0].as<float>()) rank *= static_cast<float>(lost);
        EXPECT_EQ(c.is_right(), lost == 1.0);
    }
}

TEST(SpmvData, WhatIsTimedHasTheSameSizesForEverySeed) {
    for (const lab::Task& task : spmv_lab().tasks) {
        for (const std::int64_t n : {task.timed_n, std::int64_t{1} << 20}) {
            const std::string variant = task.variants.empty() ? "" : task.variants[0];
            lab::Scalars sizes = spmv_lab().complete({task.name, variant, n, 1}).scalars;
            EXPECT_EQ(spmv_lab().complete({task.name, variant, n, 99}).scalars, sizes) << task.name;
        }
    }
}

TEST(SpmvData, WhatDoesNotGoTogetherIsRefused) {
    const auto complete = [](const char* task, const char* kind, std::int64_t n, lab::Scalars scalars) {
        return spmv_lab().complete({task, kind, n, 0, std::move(scalars)});
    };
    EXPECT_EQ(complete("merge_path", "uniform", 160, {{"rows", 10}}).scalar("cols"), 16);
    EXPECT_THROW(complete("merge_path", "uniform", 160, {{"rows", 10}, {"cols", 15}}), std::invalid_argument);
    EXPECT_THROW(complete("merge_path", "uniform", 160, {{"rows", 0}}), std::invalid_argument);
    EXPECT_THROW(complete("merge_path", "laplacian", 160, {{"rows", 10}}), std::invalid_argument);
    EXPECT_THROW(complete("csr_from_dense", "", 160, {{"cols", 33}}), std::invalid_argument);
    EXPECT_EQ(complete("csr_from_dense", "", 160, {{"rows", 40}}).scalar("cols"), 4);
    EXPECT_EQ(complete("merge_path", "uniform", 160, {{"matrix", 3}}).variant, "band");
}

// ---- Matrix Market files ----

constexpr std::int64_t kMost = std::int64_t{1} << 28;

class MatrixMarket : public testing::Test {
  protected:
    std::string path =
        (std::filesystem::temp_directory_path() /
         ("spmv_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".mtx"))
            .string();
    ~MatrixMarket() override { std::filesystem::remove(path); }

    Entries read(const std::string& text) { return MatrixMarketReader(path, text, kMost).read(); }
    // What the reader says, without the file's name; "" if it reads the text.
    std::string refusal(const std::string& text) {
        try {
            read(text);
        } catch (const lab::FileError& e) {
            return std::string(e.what()).substr(path.size() + 2);
        }
        return "";
    }
    // y = A x, from a file through the lab's reader, plain CPU version and writer.
    std::string product(const std::string& text, const char* task, lab::Scalars scalars, const char* ending = ".txt") {
        lab::write_file(path, text);
        const lab::Lab lab = spmv_lab();
        lab::Problem problem = lab.files.read({task, "power_law", 0, 0, std::move(scalars)}, path);
        const Instance call = lab.complete(problem.instance);
        const lab::Shape shape = lab.shape(call);
        std::vector<Array> inputs, outputs;
        for (std::size_t i = 0; i < shape.inputs.size(); ++i) {
            EXPECT_EQ(problem.inputs[i].size(), 4 * shape.inputs[i].count);
            inputs.push_back({shape.inputs[i], problem.inputs[i].data()});
        }
        std::vector<std::vector<std::byte>> bytes;
        for (const lab::ArraySpec& spec : shape.outputs) {
            bytes.emplace_back(4 * spec.count + 1);
            outputs.push_back({spec, bytes.back().data()});
        }
        lab.cpu(call, inputs, outputs);
        const std::string result = path + ending;
        lab.files.write(call, inputs, outputs, result);
        const std::string written = lab::read_file(result);
        std::filesystem::remove(result);
        return written;
    }
};

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

TEST_F(MatrixMarket, GeneralWithCommentsAndBlankLines) {
    const Entries m = read(
        "%%matrixmarket MATRIX Coordinate Real General\r\n% a comment\n\n  \t\n%another\n 2\t3 3 \n"
        "\n2 3 -1.5e2\n% in between\n1 1 +.25\r\n2 3 1\n\n");
    EXPECT_EQ(m.rows, 2);
    EXPECT_EQ(m.cols, 3);
    EXPECT_EQ(m.row, (std::vector<std::int32_t>{1, 0, 1}));
    EXPECT_EQ(m.col, (std::vector<std::int32_t>{2, 0, 2}));
    EXPECT_EQ(m.value, (std::vector<float>{-150, 0.25, 1}));
}

TEST_F(MatrixMarket, SymmetricStandsForBothTriangles) {
    const Entries m = read("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 2 7\n3 1 -4\n");
    EXPECT_EQ(m.row, (std::vector<std::int32_t>{1, 2, 0}));
    EXPECT_EQ(m.col, (std::vector<std::int32_t>{1, 0, 2}));
    EXPECT_EQ(m.value, (std::vector<float>{7, -4, -4}));
    EXPECT_EQ(read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 5\n").value,
              (std::vector<float>{5, -5}));
}

TEST_F(MatrixMarket, PatternAndArray) {
    EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1").value, (std::vector<float>{1, 1}));
    const Entries dense = read("%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n");
    EXPECT_EQ(dense.row, (std::vector<std::int32_t>{0, 0, 1}));
    EXPECT_EQ(dense.col, (std::vector<std::int32_t>{0, 1, 1}));
    EXPECT_EQ(read("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n").value,
              (std::vector<float>{1, 2, 2, 3}));
    EXPECT_EQ(read(kGeneral + "0 5 0\n").count(), 0u);
    EXPECT_EQ(read(kGeneral + "1 1 1\n1 1 1e-400").value, (std::vector<float>{0}));
}

TEST_F(MatrixMarket, WhatIsBrokenIsRefusedWithItsLine) {
    const std::pair<std::string, std::string> broken[] = {
        {"", "line 1: the file is empty"},
        {"1 1 1\n", "line 1: this is no Matrix Market file"},
        {"%%MatrixMarket matrix coordinate real\n", "line 1: the header has 4 words, not 5"},
        {"%%MatrixMarket vector coordinate real general\n", "line 1: 'vector' is not read"},
        {"%%MatrixMarket matrix sparse real general\n", "line 1: 'sparse' is neither coordinate nor array"},
        {"%%MatrixMarket matrix coordinate complex general\n", "line 1: 'complex' is not read"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1: 'hermitian' is not read"},
        {"%%MatrixMarket matrix array pattern general\n", "line 1: a pattern has no values"},
        {kGeneral, "line 1: the file ends before the line with the numbers of rows"},
        {kGeneral + "%\n2 2\n",
         "line 3: here the numbers of rows, columns and entries have to stand, 3 in all; there are 2"},
        {kGeneral + "two 2 1\n", "line 2: number of rows 'two' is no whole number"},
        {kGeneral + "-2 2 1\n", "line 2: number of rows '-2' is less than 0"},
        {kGeneral + "2 300000000 1\n",
         "line 2: number of columns '300000000' is more than this lab takes, 268,435,456"},
        {kGeneral + "2 2 9999999999999999999999\n", "line 2: number of entries '9999999999999999999999' is too large"},
        {kGeneral + "2 2 2\n1 1 1\n",
         "line 3: the file ends after 1 of the entries, but 2 entries are announced in line 2"},
        {kGeneral + "2 2 1\n1 1 1\n2 2 1\n", "line 4: another entry, where 1 entry is announced in line 2; delete it"},
        {kGeneral + "2 2 1\n\n% x\n1 1\n", "line 5: an entry is row, column, value; there are 2 words"},
        {kGeneral + "2 2 1\n0 1 1\n", "line 3: row 0 is not from 1 to 2; rows and columns are counted from 1"},
        {kGeneral + "2 2 1\n1 3 1\n", "line 3: column 3 is not from 1 to 2, as line 2 says; correct one of them"},
        {kGeneral + "2 2 1\n1 1 x\n", "line 3: value 'x' is no number"},
        {kGeneral + "2 2 1\n1 1 1,5\n", "line 3: value '1,5' is no number"},
        {kGeneral + "2 2 1\n1 1 1e39\n", "line 3: value '1e39' is too large for a float"},
        {kGeneral + "2 2 1\n1 1 1e999\n", "line 3: value '1e999' is too large"},
        {kGeneral + "2 2 1\n1 1 nan\n", "line 3: value 'nan' is not finite"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
         "line 3: value '1.5' is no whole number"},
        {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
         "line 3: an entry is row, column, and nothing"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", "line 2: a symmetric matrix has as many rows as"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
         "line 3: entry (1, 2) is above the diagonal"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", "line 3: the diagonal of a skew"},
        {"%%MatrixMarket matrix array real general\n200000000 200000000\n", "line 2: the matrix has more elements"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2 3\n", "line 4: one value a line, there are 2 words"},
    };
    for (const auto& [text, said] : broken)
        EXPECT_TRUE(refusal(text).starts_with(said)) << said << "\n" << refusal(text);
}

// Whatever is in a file: it is read and makes sense, or is refused with a line.
TEST_F(MatrixMarket, AnyBytesAreReadOrRefused) {
    const std::string sound =
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n\n4 4 5\n1 1 2.5\n2 1 -1e1\n3 3 7\n"
        "4 2 .5\n4 4 1\n";
    const std::string bytes = "0123456789 \n\t\r%.-+eEainfpxgM\0\xff";
    lab::Random random(7);
    int read_ones = 0;
    for (int turn = 0; turn < 4000; ++turn) {
        std::string text = sound;
        for (std::uint64_t change = random.below(4) + (turn > 0); change > 0 && !text.empty(); --change) {
            const std::size_t at = random.below(text.size());
            const char byte = bytes[random.below(bytes.size())];
            if (random.one_in(3))
                text.erase(at, 1 + random.below(9));
            else if (random.one_in(3))
                text.insert(at, 1, byte);
            else if (random.one_in(9))
                text.resize(at);
            else
                text[at] = byte;
        }
        try {
            const Entries m = MatrixMarketReader(path, text, 1 << 20).read();
            ++read_ones;
            ASSERT_EQ(m.row.size(), m.value.size());
            for (std::size_t i = 0; i < m.count(); ++i) {
                ASSERT_TRUE(m.row[i] >= 0 && m.row[i] < m.rows && m.col[i] >= 0 && m.col[i] < m.cols) << text;
                ASSERT_TRUE(std::isfinite(m.value[i])) << text;
            }
        } catch (const lab::FileError& e) {
            ASSERT_NE(std::string(e.what()).find(": line "), std::string::npos) << text;
        }
    }
    EXPECT_GE(read_ones, 100);
    EXPECT_LE(read_ones, 3900);
}

TEST_F(MatrixMarket, GoesInAndComesOut) {
    const std::string text = kGeneral + "3 3 5\n3 3 5\n1 1 1\n3 1 3\n1 3 2\n3 2 4\n";
    EXPECT_EQ(product(text, "merge_path", {}), "3\n0\n12\n") << "x is all ones";
    EXPECT_EQ(product(text, "merge_path", {{"x", 2}}), "7\n0\n26\n") << "x is 1, 2, 3";
    EXPECT_EQ(product(text, "merge_path", {}, ".mtx"), "%%MatrixMarket matrix array real general\n3 1\n3\n0\n12\n");
    const std::string sorted = kGeneral + "3 3 5\n1 1 1\n1 3 2\n3 1 3\n3 2 4\n3 3 5\n";
    EXPECT_EQ(product(text, "csr_from_dense", {}, ".mtx"), sorted);
    EXPECT_EQ(product(text, "csr_from_coo", {}, ".mtx"), sorted);
    EXPECT_THROW(product(text, "csr_from_coo", {}, ".txt"), lab::FileError);
    const std::string twice = kGeneral + "1 2 3\n1 2 3\n1 1 1\n1 2 -3\n";
    EXPECT_EQ(product(twice, "csr_from_coo", {}, ".mtx"), kGeneral + "1 2 2\n1 1 1\n1 2 0\n") << "added up";
    EXPECT_EQ(product(twice, "csr_from_dense", {}, ".mtx"), kGeneral + "1 2 1\n1 1 1\n");
    EXPECT_EQ(product(kGeneral + "2 0 0\n", "merge_path", {}), "0\n0\n");
}

TEST_F(MatrixMarket, AGraphsLinksGoFromRowToColumn) {
    const std::string star = kGeneral + "3 3 2\n2 1 17\n3 1 -4\n";  // 2 and 3 link to 1, which links to nobody
    EXPECT_EQ(product(star, "pagerank", {{"steps", 0}}), "0.33333334\n0.33333334\n0.33333334\n");
    const std::string ranks = product(star, "pagerank", {{"steps", 50}});
    EXPECT_GT(std::stof(ranks), 0.5f);
    EXPECT_THROW(product(kGeneral + "2 3 0\n", "pagerank", {}), lab::FileError);
    EXPECT_THROW(product(star, "pagerank", {{"rows", 4}}), lab::FileError);
    EXPECT_THROW(product(star, "merge_path", {{"matrix", 1}}), lab::FileError);
}

// ---- Arrays from files ----

TEST(SpmvFiles, ArraysMakeAMatrixOrAreRefused) {
    std::vector<std::int32_t> row_ptr = {0, 2, 2, 3}, col = {0, 4, 1}, down = {0, 2, 1};
    std::vector<float> value = {1, 2, 3}, x = {1, 2, 3, 4, 5}, short_x = {1, 2, 3, 4};
    const auto given = [](const char* name, auto& numbers) {
        using T = typename std::remove_reference_t<decltype(numbers)>::value_type;
        return Array{{name, lab::dtype_of<T>(), numbers.size()}, numbers.data()};
    };
    Instance call{"merge_path", "uniform"};
    spmv_lab().from_arrays(call,
                           std::vector<Array>{given("r", row_ptr), given("c", col), given("v", value), given("x", x)});
    EXPECT_EQ(call.n, 3);
    EXPECT_EQ(call.scalar("rows"), 3);
    EXPECT_EQ(call.scalar("cols"), 5);
    const auto refuses = [&](std::vector<Array> arrays, const char* task) {
        Instance fresh{task, ""};
        EXPECT_THROW(spmv_lab().from_arrays(fresh, arrays), std::invalid_argument);
    };
    refuses({given("r", row_ptr), given("c", col), given("v", value)}, "merge_path");
    refuses({given("r", down), given("c", col), given("v", value), given("x", x)}, "merge_path");
    refuses({given("r", row_ptr), given("c", col), given("v", value), given("x", short_x)}, "merge_path");
    refuses({given("r", row_ptr), given("c", col), given("v", short_x), given("x", x)}, "merge_path");
    refuses({given("r", row_ptr)}, "csr_from_coo");
    Instance coo{"csr_from_coo", "uniform"};
    spmv_lab().from_arrays(coo, std::vector<Array>{given("r", down), given("c", col), given("v", value)});
    EXPECT_EQ(coo.scalar("rows"), 3);
    EXPECT_EQ(coo.scalar("cols"), 5);
}

}  // namespace
