#include "harness/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using lab::DType;
using lab::FileArray;
using lab::FileError;

class Npy : public ::testing::Test {
  protected:
    Npy() : folder_(fs::temp_directory_path() / ("npy_test_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~Npy() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string file(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    // A .npy file of format `major` with this header and data.
    std::string npy(const std::string& header, const std::string& data, char major = 1) const {
        std::string bytes = std::string("\x93NUMPY") + major + '\0';
        bytes += static_cast<char>(header.size() & 0xff);
        bytes += static_cast<char>(header.size() >> 8);
        if (major > 1) bytes += std::string(2, '\0');
        return file("x.npy", bytes + header + data);
    }
    // The one line that a broken file gives.
    std::string complaint(const std::string& name) const {
        try {
            lab::read_array(name, DType::i32);
        } catch (const FileError& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            EXPECT_EQ(std::string(e.what()).rfind(name, 0), 0U) << "begins with the file's name";
            return std::string(e.what()).substr(name.size());
        }
        ADD_FAILURE() << "no FileError";
        return "";
    }
    fs::path folder_;
};

TEST_F(Npy, WritesWhatItReads) {
    const float values[] = {1.5F, -2, 0};
    lab::write_array(path("a.npy"), DType::f32, 3, values);
    EXPECT_EQ(fs::file_size(path("a.npy")) % 64, 12U) << "data begins on a multiple of 64";
    const FileArray a = lab::read_array(path("a.npy"), DType::u8);
    EXPECT_EQ(a.dtype, DType::f32);
    ASSERT_EQ(a.count, 3U);
    EXPECT_EQ(std::memcmp(a.bytes.data(), values, sizeof values), 0);
}

TEST_F(Npy, WritesAndReadsHalves) {
    const lab::Half values[] = {lab::to_half(1.5), lab::to_half(-2)};
    lab::write_array(path("a.npy"), DType::f16, 2, values);
    const FileArray a = lab::read_array(path("a.npy"), DType::u8);
    EXPECT_EQ(a.dtype, DType::f16);
    ASSERT_EQ(a.count, 2U);
    EXPECT_EQ(std::memcmp(a.bytes.data(), values, sizeof values), 0);
}

TEST_F(Npy, WritesAndReadsNothing) {
    lab::write_array(path("a.npy"), DType::i64, 0, nullptr);
    EXPECT_EQ(lab::read_array(path("a.npy"), DType::u8).count, 0U);
    EXPECT_EQ(lab::read_array(file("a.bin", ""), DType::i32).count, 0U);
}

TEST_F(Npy, ReadsRawBinary) {
    const FileArray a = lab::read_array(file("a.bin", std::string("\x01\0\0\0\x02\0\0\0", 8)), DType::i32);
    ASSERT_EQ(a.count, 2U);
    EXPECT_EQ(static_cast<int>(a.bytes[4]), 2);
}

TEST_F(Npy, ReadsAllFormatsAndStyles) {
    const std::string data(8, '\x01');
    for (const char major : {1, 2, 3})
        EXPECT_EQ(
            lab::read_array(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", data, major), DType::u8)
                .count,
            2U);
    EXPECT_EQ(lab::read_array(npy("{\"shape\":(2,),\"descr\":\"<u4\",\"fortran_order\":True}", data), DType::u8).dtype,
              DType::u32);
    EXPECT_EQ(lab::read_array(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (8,)}", data), DType::i32).count,
              8U);
}

TEST_F(Npy, NamesWhatIsWrong) {
    const std::string good = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
    const std::string data(8, '\0');
    EXPECT_EQ(complaint(path("none.npy")), ": cannot be read: No such file or directory");
    EXPECT_EQ(complaint(folder_.string()), ": is a folder");
    EXPECT_EQ(complaint(file("a.bin", "12345")),
              ": is 5 bytes long, no multiple of the 4 bytes of a value of type int32");
    EXPECT_EQ(complaint(file("x.npy", "")), ": is not a .npy file: it does not begin with \\x93NUMPY");
    EXPECT_EQ(complaint(file("x.npy", "hello, world")), ": is not a .npy file: it does not begin with \\x93NUMPY");
    EXPECT_EQ(complaint(file("x.npy", "\x93NUMPY")), ": is cut off: its header is incomplete");
    EXPECT_EQ(complaint(npy(good, data, 9)), ": has .npy format 9, this program reads 1 to 3");
    EXPECT_EQ(complaint(npy(good, data.substr(1))), ": holds 7 bytes of data, its header says 2 values of 4 bytes");
    EXPECT_EQ(complaint(npy(good, data + "x")), ": holds 9 bytes of data, its header says 2 values of 4 bytes");
    EXPECT_EQ(complaint(npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}", data)),
              ": is big-endian ('>i4'), expected little-endian");
    EXPECT_EQ(complaint(npy("{'descr': '<f1', 'fortran_order': False, 'shape': (4,)}", data)),
              ": has elements of type '<f1', which no lab takes");
    EXPECT_EQ(complaint(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", data)),
              ": has elements of type '|O', which no lab takes");
    EXPECT_EQ(complaint(npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,)}", data)),
              ": holds records, expected plain numbers");
    EXPECT_EQ(complaint(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2)}", data)),
              ": has shape (1, 2), expected one dimension");
    EXPECT_EQ(complaint(npy("{'descr': '<i4', 'fortran_order': False, 'shape': ()}", data)),
              ": has shape (), expected one dimension");
}

TEST_F(Npy, SurvivesBrokenHeaders) {
    const std::string good = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
    for (std::size_t length = 0; length + 3 < good.size(); ++length) complaint(npy(good.substr(0, length), ""));
    for (const char* bad :
         {"", "{}", "[]", "{'shape': (2,)}", "{'descr': '<i4'}", "{'descr': 4}", "{'other': 1}",
          "{'descr': '<i4', 'shape': (-1,)}", "{'descr': '<i4', 'shape': (2.5,)}", "{'fortran_order': maybe}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387906,)}"})
        complaint(npy(bad, std::string(8, '\0')));
    complaint(file("x.npy", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff....", 16)));
}

TEST_F(Npy, NamesWhatCannotBeWritten) {
    EXPECT_THROW(lab::write_array(path("no/such/folder.npy"), DType::i32, 0, nullptr), FileError);
    EXPECT_THROW(lab::parse_dtype("int33"), std::invalid_argument);
    EXPECT_EQ(lab::parse_dtype("uint8"), DType::u8);
}

}  // namespace
