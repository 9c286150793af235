// Formats: pgm(5) and ppm(5) of Netpbm; PNG through the simplified API of libpng 1.6.
#include "grading/image.h"

#include <cctype>
#include <string_view>

#include "grading/files.h"

#ifdef LABS_HAVE_PNG
#include <png.h>
#endif

namespace lab {
namespace {

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kMaxSide = 1 << 20;  // the length of the file bounds the number of pixels

// Reads a Netpbm file.
class Netpbm {
  public:
    Netpbm(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

    Image read() {
        const char kind = bytes_[1];
        const bool is_plain = kind == '2' || kind == '3';
        at_ = 2;
        Image image;
        image.channels = kind == '3' || kind == '6' ? 3 : 1;
        image.width = number("the width", 1, kMaxSide);
        image.height = number("the height", 1, kMaxSide);
        const std::size_t most = number("the largest value", 1, 65535);
        if (most > 255) fail("has values up to " + std::to_string(most) + ", this program reads 8 bits: up to 255");
        const std::size_t count = image.width * image.height * image.channels;
        if (!is_plain && (at_ == bytes_.size() || std::isspace(byte(at_)) == 0)) fail("has no blank after its header");
        if (!is_plain) ++at_;
        // A plain value takes a digit and, except for the last one, a blank.
        const std::size_t there = is_plain ? (bytes_.size() - at_) / 2 : bytes_.size() - at_;
        if (there < count)
            fail("is cut off: " + std::to_string(image.width) + " x " + std::to_string(image.height) + " pixels are " +
                 std::to_string(count) + " values, there is room for " + std::to_string(there));
        image.pixels.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t value = is_plain ? number("a value", 0, most) : byte(at_++);
            if (value > most)
                fail("byte " + std::to_string(at_ - 1) + ": the value " + std::to_string(value) + " is above " +
                     std::to_string(most) + ", the largest by its header");
            image.pixels.push_back(static_cast<std::uint8_t>((value * 255 + most / 2) / most));
        }
        return image;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw FileError(path_, what); }
    unsigned char byte(std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }

    // Skips blanks, and comments from # to the end of the line.
    void skip_blanks() {
        for (bool in_comment = false; at_ < bytes_.size(); ++at_) {
            const char c = bytes_[at_];
            if (c == '\n') ++line_, in_comment = false;
            if (c == '#') in_comment = true;
            if (!in_comment && std::isspace(byte(at_)) == 0) return;
        }
    }

    std::size_t number(const char* what, std::size_t least, std::size_t most) {
        skip_blanks();
        const std::string place = "line " + std::to_string(line_) + ": ";
        if (at_ == bytes_.size()) fail(place + "cut off where " + what + " should stand");
        std::size_t value = 0;
        const std::size_t first = at_;
        for (; at_ < bytes_.size() && std::isdigit(byte(at_)) != 0 && value <= most; ++at_)
            value = value * 10 + static_cast<std::size_t>(byte(at_) - '0');
        if (at_ == first) fail(place + "expected " + what + ", a number");
        if (value < least || value > most)
            fail(place + what + " is not from " + std::to_string(least) + " to " + std::to_string(most));
        return value;
    }

    const std::string& path_;
    std::string_view bytes_;
    std::size_t at_ = 0, line_ = 1;
};

#ifdef LABS_HAVE_PNG

// libpng's state, which the destructor frees.
struct Png {
    png_image image{};
    Png() { image.version = PNG_IMAGE_VERSION; }
    ~Png() { png_image_free(&image); }
    Png(const Png&) = delete;
    Png& operator=(const Png&) = delete;
};

Image read_png(const std::string& path, const std::string& bytes) {
    Png png;
    const auto need = [&](int ok) {
        if (ok == 0) throw FileError(path, std::string("is not a valid PNG file: ") + png.image.message);
    };
    need(png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size()));
    Image image;
    image.width = png.image.width;
    image.height = png.image.height;
    image.channels = (png.image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
    // Deflate makes at most 1032 bytes of one, and a pixel takes at least a bit.
    const std::size_t pixels = image.width * image.height;
    if (image.width > kMaxSide || image.height > kMaxSide || pixels / 8 > 1032 * bytes.size())
        throw FileError(path, "is not a valid PNG file: it says " + std::to_string(image.width) + " x " +
                                  std::to_string(image.height) + " pixels, which its " + std::to_string(bytes.size()) +
                                  " bytes cannot hold");
    png.image.format = image.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    image.pixels.resize(pixels * image.channels);
    const png_color white{255, 255, 255};
    need(png_image_finish_read(&png.image, &white, image.pixels.data(), 0, nullptr));
    return image;
}

void write_png(const std::string& path, const Image& image) {
    Png png;
    png.image.width = static_cast<png_uint_32>(image.width);
    png.image.height = static_cast<png_uint_32>(image.height);
    png.image.format = image.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&png.image, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) == 0)
        throw FileError(path, std::string("cannot be written: ") + png.image.message);
    bytes.resize(size);
    write_file(path, bytes);
}

#else

[[noreturn]] void no_png(const std::string& path) {
    throw FileError(path, "PNG needs libpng: apt-get install libpng-dev, then make; or use .pgm or .ppm");
}
Image read_png(const std::string& path, const std::string&) { no_png(path); }
void write_png(const std::string& path, const Image&) { no_png(path); }

#endif

}  // namespace

Image read_image(const std::string& path) {
    const std::string bytes = read_file(path);
    if (bytes.starts_with(kPngMagic)) return read_png(path, bytes);
    if (bytes.size() > 2 && bytes[0] == 'P' && std::string_view("2356").find(bytes[1]) != std::string_view::npos)
        return Netpbm(path, bytes).read();
    if (bytes.starts_with("\xff\xd8")) throw FileError(path, "is a JPEG, expected PGM, PPM or PNG");
    throw FileError(path, "is no PGM, PPM or PNG file");
}

void write_image(const std::string& path, const Image& image) {
    if (image.width == 0 || image.height == 0) throw FileError(path, "cannot be written: the image has no pixels");
    if (ends_in(path, ".png")) return write_png(path, image);
    const bool is_pgm = ends_in(path, ".pgm");
    if (!is_pgm && !ends_in(path, ".ppm"))
        throw FileError(path, "an image can be written as .pgm, .ppm or .png, by the ending");
    if (is_pgm && image.channels != 1) throw FileError(path, "holds grey values only, the image has colours: use .ppm");
    std::string bytes = is_pgm ? "P5\n" : "P6\n";
    bytes += std::to_string(image.width) + " " + std::to_string(image.height) + "\n255\n";
    const std::size_t copies = is_pgm || image.channels == 3 ? 1 : 3;  // grey in a .ppm: three equal channels
    for (const std::uint8_t value : image.pixels) bytes.append(copies, static_cast<char>(value));
    write_file(path, bytes);
}

Image to_grey(const Image& image) {
    if (image.channels == 1) return image;
    Image grey{image.width, image.height, 1, {}};
    grey.pixels.reserve(image.width * image.height);
    for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
        const unsigned red = image.pixels[i], green = image.pixels[i + 1], blue = image.pixels[i + 2];
        grey.pixels.push_back(static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000));
    }
    return grey;
}

}  // namespace lab
