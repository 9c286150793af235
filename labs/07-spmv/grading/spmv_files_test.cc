// Lab 7's tests of what is read from files: Matrix Market and arrays.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "grading/files.h"
#include "grading/matrix_market.h"
#include "grading/problem.h"
#include "grading/random.h"

lab::Lab spmv_lab();

namespace {

using namespace std::string_literals;
using lab::Array;
using lab::Instance;

// ---- Matrix Market files ----

constexpr std::int64_t kMost = std::int64_t{1} << 28;

class MatrixMarket : public testing::Test {
  protected:
    std::string path =
        (std::filesystem::temp_directory_path() /
         ("spmv_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".mtx"))
            .string();
    ~MatrixMarket() override { std::filesystem::remove(path); }

    spmv::Entries read(const std::string& text) { return spmv::read_matrix_market(path, text, kMost); }
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
    const spmv::Entries m = read(
        "%%matrixmarket MATRIX Coordinate Real General\r\n% a comment\n\n  \t\n%another\n 2\t3 3 \n"
        "\n2 3 -1.5e2\n% in between\n1 1 +.25\r\n2 3 1\n\n");
    EXPECT_EQ(m.rows, 2);
    EXPECT_EQ(m.cols, 3);
    EXPECT_EQ(m.row, (std::vector<std::int32_t>{1, 0, 1}));
    EXPECT_EQ(m.col, (std::vector<std::int32_t>{2, 0, 2}));
    EXPECT_EQ(m.value, (std::vector<float>{-150, 0.25, 1}));
}

TEST_F(MatrixMarket, SymmetricStandsForBothTriangles) {
    const spmv::Entries m = read("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 2 7\n3 1 -4\n");
    EXPECT_EQ(m.row, (std::vector<std::int32_t>{1, 2, 0}));
    EXPECT_EQ(m.col, (std::vector<std::int32_t>{1, 0, 2}));
    EXPECT_EQ(m.value, (std::vector<float>{7, -4, -4}));
    EXPECT_EQ(read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 5\n").value,
              (std::vector<float>{5, -5}));
}

TEST_F(MatrixMarket, PatternAndArray) {
    EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1").value, (std::vector<float>{1, 1}));
    const spmv::Entries dense = read("%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n");
    EXPECT_EQ(dense.row, (std::vector<std::int32_t>{0, 0, 1}));
    EXPECT_EQ(dense.col, (std::vector<std::int32_t>{0, 1, 1}));
    EXPECT_EQ(read("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n").value,
              (std::vector<float>{1, 2, 2, 3}));
    EXPECT_EQ(read(kGeneral + "0 5 0\n").count(), 0u);
}

TEST_F(MatrixMarket, TinyNumbersBecomeZeroAndHugeOnesAreRefused) {
    const std::string zeros(400, '0'), ones(400, '1');
    const std::vector<std::string> tiny = {"1e-400", "1e-50", "0." + zeros + "1", "-0." + zeros + "1e-10"};
    for (const std::string& value : tiny)
        EXPECT_EQ(read((kGeneral + "1 1 1\n1 1 ").append(value)).value, (std::vector<float>{0})) << value;
    const std::vector<std::string> huge = {"1e39", ones + "e-10", "+" + ones};
    for (const std::string& value : huge)
        EXPECT_NE(refusal((kGeneral + "1 1 1\n1 1 ").append(value)).find("is too large for float32"), std::string::npos)
            << value;
}

TEST_F(MatrixMarket, WhatIsBrokenIsRefusedWithItsLine) {
    const std::pair<std::string, std::string> broken[] = {
        {"", "line 1: the file is empty"},
        {"1 1 1\n", "line 1: this is not a Matrix Market file"},
        {"%%MatrixMarket matrix coordinate real\n", "line 1: the header has 4 words, not 5"},
        {"%%MatrixMarket vector coordinate real general\n", "line 1: 'vector' is not read"},
        {"%%MatrixMarket matrix sparse real general\n", "line 1: 'sparse' is neither coordinate nor array"},
        {"%%MatrixMarket matrix coordinate complex general\n", "line 1: 'complex' is not read"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1: 'hermitian' is not read"},
        {"%%MatrixMarket matrix array pattern general\n", "line 1: a pattern has no values"},
        {kGeneral, "line 1: the file ends before the line with the numbers of rows"},
        {kGeneral + "%\n2 2\n",
         "line 3: this line must have the numbers of rows, columns and entries, 3 in all; there are 2"},
        {kGeneral + "two 2 1\n", "line 2: number of rows 'two' is not a whole number"},
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
        {kGeneral + "2 2 1\n1 1 x\n", "line 3: value 'x' is not a number"},
        {kGeneral + "2 2 1\n1 1 +-1.5\n", "line 3: value '+-1.5' is not a number"},
        {kGeneral + "2 2 1\n+-1 1 1\n", "line 3: row '+-1' is not a whole number"},
        {kGeneral + "2 2 1\n1 1 1,5\n", "line 3: value '1,5' is not a number"},
        {kGeneral + "2 2 1\n1 1 1e39\n", "line 3: value '1e39' is too large for float32"},
        {kGeneral + "2 2 1\n1 1 1e999\n", "line 3: value '1e999' is too large"},
        {kGeneral + "2 2 1\n1 1 nan\n", "line 3: value 'nan' is not finite"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
         "line 3: value '1.5' is not a whole number"},
        {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
         "line 3: an entry is row, column, and nothing"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", "line 2: a symmetric matrix has as many rows as"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
         "line 3: entry (1, 2) is above the diagonal"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", "line 3: the diagonal of a skew"},
        {"%%MatrixMarket matrix array real general\n200000000 200000000\n", "line 2: the matrix has more elements"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2 3\n", "line 4: a line has one value; there are 2 words"},
    };
    for (const auto& [text, said] : broken)
        EXPECT_TRUE(refusal(text).starts_with(said)) << said << "\n" << refusal(text);
}

// Any file is either read as a valid matrix or refused with the number of a line.
TEST_F(MatrixMarket, AnyBytesAreReadOrRefused) {
    const std::string sound =
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n\n4 4 5\n1 1 2.5\n2 1 -1e1\n3 3 7\n"
        "4 2 .5\n4 4 1\n";
    const std::string bytes = "0123456789 \n\t\r%.-+eEainfpxgM\0\xff"s;  // with its 0
    lab::Random random(7);
    int read_ones = 0;
    for (int turn = 0; turn < 5000; ++turn) {
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
            const spmv::Entries m = spmv::read_matrix_market(path, text, 1 << 20);
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
    EXPECT_LE(read_ones, 4900);
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

TEST_F(MatrixMarket, EntriesThatAddUpBeyondAFloatAreRefused) {
    for (const char* last : {"3e38", "-3e38"}) {  // finite, but not in every order
        const std::string text = kGeneral + "2 3 4\n1 1 3e38\n2 3 3e38\n1 2 3e38\n2 3 " + last + "\n";
        for (const char* task : {"merge_path", "csr_from_dense", "csr_from_coo"}) {
            try {
                product(text, task, {}, ".mtx");
                ADD_FAILURE() << task;
            } catch (const lab::FileError& e) {
                EXPECT_NE(std::string(e.what()).find("row 2, column 3 add up"), std::string::npos) << e.what();
            }
        }
    }
    const std::string apart = kGeneral + "1 2 2\n1 1 3e38\n1 2 3e38\n";
    EXPECT_EQ(product(apart, "csr_from_coo", {}, ".mtx"), kGeneral + "1 2 2\n1 1 3e+38\n1 2 3e+38\n");
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
    std::vector<std::int32_t> far = {INT32_MAX, 0, 5};  // beyond the 2^28 columns, or rows, of the contract
    Instance wide{"csr_from_coo", ""}, tall = wide;
    EXPECT_THROW(spmv_lab().from_arrays(wide, std::vector<Array>{given("r", down), given("c", far), given("v", value)}),
                 lab::FileError);
    EXPECT_THROW(spmv_lab().from_arrays(tall, std::vector<Array>{given("r", far), given("c", down), given("v", value)}),
                 lab::FileError);
}

}  // namespace
