// Animated GIF files: frames of at most 256 colours, compressed by LZW (GIF89a, appendix F of its specification).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace life {

using Palette = std::vector<std::array<std::uint8_t, 3>>;  // 2 to 256 colours: red, green, blue

class Gif {
  public:
    // Sides from 1 to 65,535 pixels. The animation begins anew after its last frame.
    Gif(int width, int height, const Palette& palette);

    // Adds a frame: the index of each pixel's colour, row by row. It is shown for `hundredths` of a second.
    void add(const std::vector<std::uint8_t>& pixels, int hundredths);

    // The file, after the last frame.
    std::string bytes() const { return bytes_ + ';'; }

  private:
    void put_16(int value);

    int width_, height_, bits_ = 1;  // bits: of a colour's index
    std::string bytes_;
};

}  // namespace life
