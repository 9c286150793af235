// Images of 8 bits a channel in files: PGM and PPM (plain and raw: P2, P3, P5, P6), and PNG where libpng was there
// when this was built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab {

struct Image {
    std::size_t width = 0, height = 0;
    std::size_t channels = 1;          // 1: grey; 3: red, green, blue
    std::vector<std::uint8_t> pixels;  // row by row from the top, a pixel's channels side by side
};

// What the path's bytes are decides, not its ending. Values of a smaller range are stretched to 0..255; a PNG's
// transparent parts become white, its 16-bit values 8 bits wide. Throws FileError.
Image read_image(const std::string& path);

// .pgm (grey only), .ppm or .png, as the ending says. Throws FileError.
void write_image(const std::string& path, const Image& image);

// Luma of ITU-R BT.601: 0.299 red + 0.587 green + 0.114 blue, rounded.
Image to_grey(const Image& image);

}  // namespace lab
