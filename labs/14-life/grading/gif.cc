// Animated GIF files. Trusted; host C++.
#include "gif.h"

namespace life {
namespace {

// Codes of growing width, the lowest bit first, in blocks of at most 255 bytes.
class Codes {
  public:
    void put(unsigned code, int width) {
        waiting_ |= code << bits_;
        for (bits_ += width; bits_ >= 8; bits_ -= 8, waiting_ >>= 8) bytes_ += static_cast<char>(waiting_ & 255);
    }

    std::string blocks() {
        if (bits_ > 0) bytes_ += static_cast<char>(waiting_ & 255);
        std::string out;
        for (std::size_t at = 0; at < bytes_.size(); at += 255) {
            const std::string block = bytes_.substr(at, 255);
            out += static_cast<char>(block.size());
            out += block;
        }
        return out + '\0';
    }

  private:
    unsigned waiting_ = 0;
    int bits_ = 0;
    std::string bytes_;
};

constexpr unsigned kMostCodes = 4096;

// LZW: each code stands for a string of pixels that occurred before. next[code * colours + pixel] is the code of the
// string with one pixel more, or 0.
std::string compressed(const std::vector<std::uint8_t>& pixels, int bits) {
    const unsigned colours = 1u << bits, clear = colours, end = colours + 1;
    std::vector<std::uint16_t> next(kMostCodes * colours, 0);
    unsigned codes = end + 1;
    int width = bits + 1;
    Codes out;
    out.put(clear, width);
    unsigned string = pixels.empty() ? end : pixels[0];
    for (std::size_t i = 1; i < pixels.size(); ++i) {
        std::uint16_t& longer = next[string * colours + pixels[i]];
        if (longer != 0) {
            string = longer;
            continue;
        }
        out.put(string, width);
        string = pixels[i];
        if (codes == kMostCodes) {  // the table is full: begin a new one
            out.put(clear, width);
            next.assign(next.size(), 0);
            codes = end + 1;
            width = bits + 1;
            continue;
        }
        longer = static_cast<std::uint16_t>(codes);
        if (codes == 1u << width) ++width;  // the reader knows this code one step later
        ++codes;
    }
    if (!pixels.empty()) out.put(string, width);
    out.put(end, width);
    return out.blocks();
}

}  // namespace

Gif::Gif(int width, int height, const Palette& palette) : width_(width), height_(height) {
    while (1u << bits_ < palette.size()) ++bits_;
    bytes_ = "GIF89a";
    put_16(width);
    put_16(height);
    bytes_ += static_cast<char>(0xf0 | (bits_ - 1));  // a palette for all frames, 8 bits a colour
    bytes_ += std::string(2, '\0');                   // background, and the shape of a pixel: square
    for (std::size_t i = 0; i < std::size_t{1} << bits_; ++i)
        for (const std::uint8_t level : i < palette.size() ? palette[i] : std::array<std::uint8_t, 3>{})
            bytes_ += static_cast<char>(level);
    bytes_ += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);  // begin anew, without end
}

void Gif::add(const std::vector<std::uint8_t>& pixels, int hundredths) {
    const int code_bits = bits_ < 2 ? 2 : bits_;  // a GIF of two colours has codes as one of four
    bytes_ += std::string("\x21\xf9\x04\x04", 4);
    put_16(hundredths);
    bytes_ += std::string("\0\0\x2c\0\0\0\0", 7);
    put_16(width_);
    put_16(height_);
    bytes_ += '\0';
    bytes_ += static_cast<char>(code_bits);
    bytes_ += compressed(pixels, code_bits);
}

void Gif::put_16(int value) {
    bytes_ += static_cast<char>(value & 255);
    bytes_ += static_cast<char>(value >> 8 & 255);
}

}  // namespace life
