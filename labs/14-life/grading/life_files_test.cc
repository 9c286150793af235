// Lab 14's files: patterns in two formats, pictures, and animations.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "gif.h"
#include "grading/files.h"
#include "grading/image.h"
#include "harness/lab_test.h"
#include "patterns.h"

lab::Lab life_lab();

namespace {

using lab::FileError;
using lab::Instance;
using lab::testing::Case;
using life::Pattern;

std::string shown(const Pattern& pattern) {
    std::string text;
    for (std::int64_t y = 0; y < pattern.rows; ++y) {
        for (std::int64_t x = 0; x < pattern.columns; ++x)
            text += pattern.cells[static_cast<std::size_t>(y * pattern.columns + x)] == 1 ? '#' : '.';
        text += '/';
    }
    return text;
}

Pattern read(const std::string& text) { return life::read_pattern("file", text); }

TEST(LifePatterns, AreReadInBothFormats) {
    EXPECT_EQ(shown(read("#C glider\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n")), ".#./..#/###/");
    EXPECT_EQ(shown(read("x=3,y=3\r\nbob$2b\no$3o! more\r\n")), ".#./..#/###/");
    EXPECT_EQ(shown(read("!Name: glider\n.O\n..O\nOOO\n")), ".#./..#/###/");
    EXPECT_EQ(shown(read(".O.\n\n**\n")), ".#./.../##./");
    EXPECT_EQ(shown(read("x = 4, y = 4, rule = s23/b3\no2$2o!")), "#.../..../##../..../");
    EXPECT_EQ(shown(read("x = 0, y = 0\n!")), "");
    EXPECT_EQ(shown(read("")), "");
    const Pattern torus = read("x = 1, y = 1, rule = B3/S23:T30,20\no!");
    EXPECT_EQ(torus.board_columns, 30);
    EXPECT_EQ(torus.board_rows, 20);
}

TEST(LifePatterns, WhatIsNoneIsNamedWithItsLine) {
    const auto message = [](const std::string& text) -> std::string {
        try {
            read(text);
        } catch (const FileError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_NE(message("x = 3, y = 3\nbob$2bo$3o").find("!"), std::string::npos);
    EXPECT_NE(message("x = 3, y = 3, rule = B36/S23\no!").find("'B36/S23'"), std::string::npos);
    EXPECT_NE(message("x = 3, y = 3, rule = B3/S23:K20,20\no!").find("torus"), std::string::npos);
    EXPECT_NE(message("x = 3, y = 3\nobC!").find("line 2"), std::string::npos);
    EXPECT_NE(message("x = -3, y = 3\no!").find("line 1"), std::string::npos);
    EXPECT_NE(message("x = 99999999999999999999, y = 3\no!").find("line 1"), std::string::npos);
    EXPECT_NE(message("x = 3, y = 3\n99999999999999999999o!").find("65,535"), std::string::npos);
    EXPECT_NE(message("x = 3, y = 3\n70000$o!").find("65,535"), std::string::npos);
    EXPECT_NE(message("x = 65535, y = 65535\no!").find("too large"), std::string::npos);
    EXPECT_NE(message("{\"a\": 1}").find("line 1"), std::string::npos);
    EXPECT_NE(message("x marks the spot").find("line 1"), std::string::npos);
}

TEST(LifePatterns, AreReadBackAsTheyWereWritten) {
    for (const char* cells : {".#./..#/###/", "..../..../.#../..../", "#/", "./", "##.##.##/"}) {
        std::string text(cells);
        Pattern pattern{std::ranges::count(text, '/'), static_cast<std::int64_t>(text.find('/')), {}};
        for (const char c : text)
            if (c != '/') pattern.cells.push_back(c == '#');
        EXPECT_EQ(shown(read(life::to_rle(pattern))), text);
        EXPECT_EQ(shown(read(life::to_cells(pattern))), text);
        EXPECT_EQ(read(life::to_rle(pattern)).board_rows, pattern.rows);
    }
}

// ---- A reader of GIF, as its specification has it ----

struct Frame {
    int hundredths = 0;
    std::vector<std::uint8_t> pixels;
};

std::vector<std::uint8_t> decompressed(const std::string& bytes, int bits) {
    const unsigned clear = 1u << bits, end = clear + 1;
    std::vector<std::vector<std::uint8_t>> table;
    const auto begin = [&] {
        table.assign(end + 1, {});
        for (unsigned i = 0; i < clear; ++i) table[i] = {static_cast<std::uint8_t>(i)};
    };
    begin();
    std::vector<std::uint8_t> pixels, last;
    std::size_t at = 0;
    for (int width = bits + 1;;) {
        unsigned code = 0;
        for (int i = 0; i < width; ++i, ++at)
            code |= (static_cast<unsigned char>(bytes.at(at / 8)) >> at % 8 & 1u) << i;
        if (code == end) return pixels;
        if (code == clear) {
            begin();
            width = bits + 1;
            last.clear();
            continue;
        }
        std::vector<std::uint8_t> string = code < table.size() ? table[code] : last;
        if (code >= table.size()) string.push_back(last.at(0));
        if (!last.empty() && table.size() < 4096) {
            table.push_back(last);
            table.back().push_back(string[0]);
        }
        if (table.size() == 1u << width && width < 12) ++width;
        pixels.insert(pixels.end(), string.begin(), string.end());
        last = string;
    }
}

std::vector<Frame> frames_of(const std::string& gif, int& width, int& height) {
    const auto byte = [&](std::size_t at) { return static_cast<int>(static_cast<unsigned char>(gif.at(at))); };
    const auto word = [&](std::size_t at) { return byte(at) + 256 * byte(at + 1); };
    EXPECT_EQ(gif.substr(0, 6), "GIF89a");
    width = word(6), height = word(8);
    std::size_t at = 13 + 3 * (std::size_t{2} << (byte(10) & 7));
    std::vector<Frame> frames;
    int hundredths = 0;
    while (byte(at) != ';') {
        std::string data;
        int bits = 0;
        const bool is_image = byte(at) == 0x2c;
        if (is_image) {
            EXPECT_EQ(word(at + 5), width);
            EXPECT_EQ(word(at + 7), height);
            bits = byte(at + 10);
            at += 11;
        } else {
            EXPECT_EQ(byte(at), 0x21);
            if (byte(at + 1) == 0xf9) hundredths = word(at + 4);
            at += 2;
        }
        for (; byte(at) != 0; at += byte(at) + 1) data += gif.substr(at + 1, byte(at));
        ++at;
        if (is_image) frames.push_back({hundredths, decompressed(data, bits)});
    }
    EXPECT_EQ(at + 1, gif.size());
    return frames;
}

TEST(LifeGif, FramesAreReadBackAsTheyWereWritten) {
    for (const int colours : {2, 9, 128, 256}) {
        const int side = 160;  // random pixels fill the table of codes several times
        life::Gif gif(side, side, life::Palette(static_cast<std::size_t>(colours)));
        std::vector<std::vector<std::uint8_t>> frames;
        std::uint32_t state = 1;
        for (int frame = 0; frame < 3; ++frame) {
            auto& pixels = frames.emplace_back();
            for (int i = 0; i < side * side; ++i) {
                state = state * 1664525 + 1013904223;
                pixels.push_back(frame == 0 ? 1 : static_cast<std::uint8_t>((state >> 16) % colours));
            }
            gif.add(pixels, 10 + frame);
        }
        int width = 0, height = 0;
        const std::vector<Frame> read_back = frames_of(gif.bytes(), width, height);
        ASSERT_EQ(read_back.size(), 3u);
        EXPECT_EQ(width, side);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(read_back[i].pixels, frames[i]) << colours << " colours, frame " << i;
            EXPECT_EQ(read_back[i].hundredths, 10 + static_cast<int>(i));
        }
    }
}

// ---- Boards ----

struct File {
    explicit File(const std::string& name, const std::string& text = "") : path(testing::TempDir() + name) {
        if (!text.empty()) lab::write_file(path, text);
    }
    ~File() { std::filesystem::remove(path); }
    std::string path;
};

const char* const kGlider = "x = 3, y = 3\nbob$2bo$3o!\n";

// The call of a file, with its result computed by the CPU.
Case ran(const Instance& asked, const std::string& path) {
    const lab::Lab lab = life_lab();
    const lab::Problem problem = lab.files.read(asked, path);
    Case c(lab.complete(problem.instance));
    EXPECT_EQ(c.inputs[0].spec.count * lab::size_of(c.inputs[0].spec.dtype), problem.inputs[0].size());
    std::memcpy(c.inputs[0].data, problem.inputs[0].data(), problem.inputs[0].size());
    c.answer();
    lab.cpu(c.call, c.inputs, c.outputs);
    EXPECT_TRUE(c.is_right());
    return c;
}

TEST(LifeFiles, APatternLiesInTheMiddleOfABoardWithRoom) {
    const File in("glider.rle", kGlider), out("after.cells"), small("small.rle");
    for (const char* task : {"life", "in_one_block", "tile", "bits", "temporal"}) {
        const Case c = ran({task, "", 0, 0, {{"generations", 4}}}, in.path);
        EXPECT_EQ(c.call.n, 32 * 32);
        life_lab().files.write(c.call, c.inputs, c.outputs, out.path);
        const Pattern after = life::read_pattern("", lab::read_file(out.path));
        EXPECT_EQ(after.cells[15 * 32 + 16], 1) << task;
        EXPECT_EQ(std::ranges::count(after.cells, 1), 5);
    }
    const Case c = ran({"life", "", 0, 0, {{"generations", 12}, {"rows", 3}, {"columns", 5}}}, in.path);
    life_lab().files.write(c.call, c.inputs, c.outputs, small.path);
    EXPECT_EQ(life::read_pattern("", lab::read_file(small.path)).board_columns, 5);
    EXPECT_THROW((void)life_lab().files.read({"life", "", 0, 0, {{"rows", 2}}}, in.path), FileError);
    EXPECT_EQ(life_lab().files.task(in.path), "life");
}

TEST(LifeFiles, AnAnimationBeginsWithTheInputAndEndsWithTheOutput) {
    const File in("glider.rle", kGlider), out("glider.gif");
    for (const char* task : {"life", "bits", "heat", "scatter_and_gather"}) {
        Instance asked{
            task, std::string(task) == "scatter_and_gather" ? "gather" : "", 0, 0, {{"rows", 8}, {"columns", 8}}};
        asked.scalars["generations"] = 6;
        const Case c = ran(asked, in.path);
        life_lab().files.write(c.call, c.inputs, c.outputs, out.path);
        int width = 0, height = 0;
        const std::vector<Frame> frames = frames_of(lab::read_file(out.path), width, height);
        EXPECT_EQ(frames.size(), task == std::string("scatter_and_gather") ? 2u : 7u);
        EXPECT_EQ(width, 8 * 12);
        EXPECT_NE(frames.front().pixels, frames.back().pixels);
        EXPECT_GT(frames.back().hundredths, frames.front().hundredths);
    }
}

TEST(LifeFiles, APictureIsAPlateOrABoardOfDarkPixels) {
    const File in("plate.pgm"), out("plate.ppm");
    lab::write_image(in.path, {3, 3, 1, {0, 200, 0, 200, 255, 200, 0, 200, 0}});
    EXPECT_EQ(life_lab().files.task(in.path), "heat");
    const Case plate = ran({"heat", "", 0, 0, {{"generations", 0}}}, in.path);
    EXPECT_EQ(plate.inputs[0].as<float>()[4], 255.0f);
    life_lab().files.write(plate.call, plate.inputs, plate.outputs, out.path);
    EXPECT_EQ(lab::read_image(out.path).width, 36u);
    const Case board = ran({"life", "", 0, 0, {{"generations", 0}}}, in.path);
    EXPECT_EQ(std::ranges::count(board.outputs[0].as<std::uint8_t>(), 1), 4);
    EXPECT_THROW((void)life_lab().files.read({"heat", "", 0, 0, {{"rows", 4}}}, in.path), FileError);
    EXPECT_THROW(life_lab().files.write(plate.call, plate.inputs, plate.outputs, "x.rle"), FileError);
}

}  // namespace
