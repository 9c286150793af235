// Writes JSON.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace vgpu {

// Writes one JSON value after another; knows only where commas go.
class Json {
  public:
    void open(char bracket) {
        comma();
        out_ += bracket;
        first_ = true;
    }
    void close(char bracket) {
        out_ += bracket;
        first_ = false;
    }
    void key(std::string_view name) {
        comma();
        quote(name);
        out_ += ':';
        first_ = true;  // the value that follows needs no comma
    }
    void field(std::string_view name, std::string_view value) {
        key(name);
        comma();
        quote(value);
    }
    void field(std::string_view name, const char* value) { field(name, std::string_view(value)); }
    void field(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
    void field(std::string_view name, double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", std::isfinite(value) ? value : 0.0);
        raw(name, text);
    }
    template <class Integer>
    void number(std::string_view name, Integer value) {
        raw(name, std::to_string(value));
    }
    template <class Integer>
    void element(Integer value) {
        comma();
        out_ += std::to_string(value);
    }
    void text(std::string_view value) {
        comma();
        quote(value);
    }
    std::string take() { return std::move(out_); }

  private:
    void raw(std::string_view name, std::string_view value) {
        key(name);
        comma();
        out_ += value;
    }
    void comma() {
        if (!first_) {
            out_ += ',';
        }
        first_ = false;
    }
    // Bytes that are no UTF-8, as in a source line of another encoding, become question marks.
    void quote(std::string_view text) {
        out_ += '"';
        while (!text.empty()) {
            const char c = text[0];
            const std::size_t length = sequence(text);
            if (c == '"' || c == '\\') {
                out_ += '\\';
                out_ += c;
            } else if (static_cast<unsigned char>(c) < 0x20) {
                char escaped[8];
                std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
                out_ += escaped;
            } else if (length == 0) {
                out_ += '?';
            } else {
                out_ += text.substr(0, length);
            }
            text.remove_prefix(length == 0 ? 1 : length);
        }
        out_ += '"';
    }
    // Bytes of the UTF-8 character that the text begins with; 0: it is none.
    static std::size_t sequence(std::string_view text) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        const unsigned char first = byte(0);
        const std::size_t length = first < 0x80                    ? 1
                                   : first >= 0xc2 && first < 0xe0 ? 2
                                   : first >= 0xe0 && first < 0xf0 ? 3
                                   : first >= 0xf0 && first < 0xf5 ? 4
                                                                   : 0;
        if (length > text.size()) {
            return 0;
        }
        for (std::size_t i = 1; i < length; ++i) {
            if ((byte(i) & 0xc0) != 0x80) {
                return 0;
            }
        }
        // Too long for what they mean, half of a pair, or beyond the last character.
        const bool wrong = length > 1 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
                                          (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90));
        return wrong ? 0 : length;
    }
    std::string out_;
    bool first_ = true;
};

}  // namespace vgpu
