#include "grading/image.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "grading/files.h"
#include "grading/random.h"

namespace {

namespace fs = std::filesystem;

using lab::FileError;
using lab::Image;
using namespace std::string_literals;

class ImageFiles : public testing::Test {
  protected:
    ImageFiles() {
        std::string name = (fs::temp_directory_path() / "images_XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~ImageFiles() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return folder_ / name; }
    Image read(const std::string& bytes) const {
        lab::write_file(path("x"), bytes);
        return lab::read_image(path("x"));
    }
    // What is wrong with a file of these bytes, without its name.
    std::string complaint(const std::string& bytes) const {
        try {
            read(bytes);
        } catch (const FileError& e) {
            return std::string(e.what()).substr(path("x").size() + 2);
        }
        return "nothing";
    }
    std::string file_of(const Image& image, const std::string& name) const {
        lab::write_image(path(name), image);
        return lab::read_file(path(name));
    }

  private:
    fs::path folder_;
};

// A picture without symmetry.
Image sample(std::size_t width, std::size_t height, std::size_t channels) {
    Image image{width, height, channels, std::vector<std::uint8_t>(width * height * channels)};
    std::iota(image.pixels.begin(), image.pixels.end(), std::uint8_t{7});
    return image;
}

bool can_read_png() {
#ifdef LABS_HAVE_PNG
    return true;
#else
    return false;
#endif
}

TEST_F(ImageFiles, ComeBackAsTheyWere) {
    for (const std::string ending : {".pgm", ".ppm", ".png", ".PNG"})
        for (const std::size_t channels : {1U, 3U}) {
            if (ending == ".pgm" && channels == 3) continue;
            if (lab::ends_in(ending, ".png") && !can_read_png()) continue;
            const Image image = sample(5, 3, channels);
            lab::write_image(path("a" + ending), image);
            const Image back = lab::read_image(path("a" + ending));
            EXPECT_EQ(back.width, 5U);
            EXPECT_EQ(back.height, 3U);
            if (ending == ".ppm" && channels == 1)
                EXPECT_EQ(lab::to_grey(back).pixels, image.pixels) << "grey, told in three channels";
            else
                EXPECT_EQ(back.pixels, image.pixels) << ending << channels;
        }
}

TEST_F(ImageFiles, PlainNetpbmWithComments) {
    const Image grey = read("P2 # a comment\n2 2 # 3\n255\n0 1\n254 255");
    EXPECT_EQ(grey.pixels, (std::vector<std::uint8_t>{0, 1, 254, 255}));
    EXPECT_EQ(read("P3\n1 1\n255\n1 2 3\n").pixels, (std::vector<std::uint8_t>{1, 2, 3}));
    EXPECT_EQ(read("P5 2 1 255\n\n ").pixels, (std::vector<std::uint8_t>{'\n', ' '})) << "one blank after the header";
    EXPECT_EQ(read("P2 3 1 2 0 1 2").pixels, (std::vector<std::uint8_t>{0, 128, 255})) << "stretched";
}

TEST_F(ImageFiles, SayWhatIsWrong) {
    EXPECT_EQ(complaint(""), "is no PGM, PPM or PNG file");
    EXPECT_EQ(complaint("P4\n1 1\n"), "is no PGM, PPM or PNG file");
    EXPECT_EQ(complaint("\xff\xd8\xff"), "is a JPEG, expected PGM, PPM or PNG");
    EXPECT_EQ(complaint("P2\n2 x"), "line 2: expected the height, a number");
    EXPECT_EQ(complaint("P2\n2\n"), "line 3: cut off where the height should stand");
    EXPECT_EQ(complaint("P5\n0 2 255\n"), "line 2: the width is not from 1 to 1048576");
    EXPECT_EQ(complaint("P5\n2 2 65535\n"), "has values up to 65535, this program reads 8 bits: up to 255");
    EXPECT_EQ(complaint("P5\n2 2 255\nabc"), "is cut off: 2 x 2 pixels are 4 values, there is room for 3");
    EXPECT_EQ(complaint("P5\n1048576 1048576 255\nabc").substr(0, 10), "is cut off") << "and takes no memory";
    EXPECT_EQ(complaint("P2\n2 1\n255\n12\n256"), "line 5: a value is not from 0 to 255");
    EXPECT_EQ(complaint("P5 1 1 9\n\x0a"), "byte 9: the value 10 is above 9, the largest by its header");
    EXPECT_THROW(lab::read_image(path("none.png")), FileError);
    EXPECT_THROW(lab::write_image(path("a.jpg"), sample(1, 1, 1)), FileError);
    EXPECT_THROW(lab::write_image(path("a.pgm"), sample(1, 1, 3)), FileError);
    EXPECT_THROW(lab::write_image(path("a.ppm"), Image{}), FileError);
}

TEST_F(ImageFiles, WithoutLibpngThePackageIsNamed) {
    if (can_read_png()) GTEST_SKIP() << "libpng is there";
    EXPECT_NE(complaint("\x89PNG\r\n\x1a\n").find("apt-get install libpng-dev"), std::string::npos);
    EXPECT_THROW(lab::write_image(path("a.png"), sample(1, 1, 1)), FileError);
}

// A PNG that says it is larger than its bytes can hold is refused before any memory is asked for.
TEST_F(ImageFiles, APngCannotAskForMoreMemoryThanItsLengthAllows) {
    if (!can_read_png()) GTEST_SKIP() << "no libpng";
    // 1,000,000 x 1,000,000 grey pixels, with the right checksum of the header.
    const std::string bomb = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x0f\x42\x40\0\x0f\x42\x40\x08\0\0\0\0\x79\x06\x67\xa1"s +
                             "\0\0\0\x10IDAT"s + std::string(20, '\0');
    EXPECT_NE(complaint(bomb).find("says 1000000 x 1000000 pixels"), std::string::npos) << complaint(bomb);
}

// Whatever is in a file: an image, or one line. A crash or another exception would end this program.
TEST_F(ImageFiles, SurviveTruncationAndMutation) {
    std::vector<std::string> seeds = {"P2\n3 2\n9\n1 2 3\n4 5 6\n", "P3\n1 2\n255\n1 2 3 4 5 6\n",
                                      file_of(sample(4, 3, 1), "s.pgm"), file_of(sample(4, 3, 3), "s.ppm")};
    if (can_read_png()) {
        seeds.push_back(file_of(sample(4, 3, 1), "s.png"));
        seeds.push_back(file_of(sample(9, 7, 3), "s.png"));
    }
    lab::Random random(1);
    int refused = 0;
    const auto feed = [&](const std::string& bytes) {
        const std::string said = complaint(bytes);
        if (said == "nothing") return;
        ++refused;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    };
    for (const std::string& seed : seeds) {
        EXPECT_EQ(complaint(seed), "nothing");
        for (std::size_t length = 0; length < seed.size(); ++length) feed(seed.substr(0, length));
        for (int i = 0; i < 300; ++i) {
            std::string bytes = seed;
            for (std::uint64_t change = 0; change <= random.below(4); ++change)
                bytes[random.below(bytes.size())] = static_cast<char>(random.bits());
            feed(bytes);
        }
    }
    EXPECT_GT(refused, 500);
}

TEST(Grey, IsLuma) {
    const Image grey = lab::to_grey({2, 1, 3, {255, 0, 0, 255, 255, 255}});
    EXPECT_EQ(grey.pixels, (std::vector<std::uint8_t>{76, 255}));
    EXPECT_EQ(grey.channels, 1U);
}

}  // namespace
