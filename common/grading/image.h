// Image files with 8 bits a channel: PGM and PPM (plain and raw: P2, P3, P5, P6), and PNG if this was built with
// libpng.
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

// The file's contents decide its format, not its extension. Values of a smaller range are stretched to 0..255. In a
// PNG, transparent parts become white, and 16-bit values are reduced to 8 bits. Throws FileError.
Image read_image(const std::string& path);

// .pgm (grey only), .ppm or .png, by the extension. Throws FileError.
void write_image(const std::string& path, const Image& image);

// Luma of ITU-R BT.601: 0.299 red + 0.587 green + 0.114 blue, rounded.
Image to_grey(const Image& image);

}  // namespace lab
