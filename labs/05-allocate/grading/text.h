// Text for lab 5: inputs, a plain CPU version, files. Trusted; host C++; a part of cases.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "grading/files.h"
#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"

namespace text {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kMaxN = std::int64_t{1} << 26, kTimedN = 1 << 21;

// As is_blank() in allocate.h, which is CUDA code.
inline bool is_blank(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

inline lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n);
    lab::Shape shape;
    shape.inputs = {{"d_text", DType::u8, n}};
    shape.outputs = {{.name = "d_offsets", .dtype = DType::i32, .count = (n + 1) / 2, .length_in = "d_count"},
                     {.name = "d_lengths", .dtype = DType::i32, .count = (n + 1) / 2, .length_in = "d_count"},
                     {"d_count", DType::i32, 1}};
    // What is timed is prose of 6.87 bytes a word, and a word gives two ints: 1 + 8 / 6.87.
    shape.bytes = static_cast<double>(n) * (call.n >= kTimedN ? 2.16 : 1) + sizeof(int);
    return shape;
}

// ---- Inputs ----

// Chosen by the seed. prose: words of letters, some of two to four bytes each; lines, paragraphs. longest: one word, or
// two. most: every second byte. bytes: any at all, many of them blanks or next to one.
enum class Kind { prose, blanks, longest, most, runs, bytes, long_words };

inline bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= kTimedN; }
inline Kind kind_of(const Instance& call) {
    using enum Kind;
    constexpr std::array kinds{prose, runs, bytes, longest, most, prose, bytes,  long_words,
                               bytes, runs, prose, most,    runs, bytes, blanks, long_words};
    if (is_usual(call)) return prose;
    if (call.n == 1025 || call.n == 65'537) return most;  // public sizes: the most words that there can be, every time
    return kinds[call.seed % kinds.size()];
}

inline char some_blank(Random& random) { return " \t\n\v\f\r"[random.below(6)]; }

// Next to the blanks, or blanks in older encodings: no blanks here.
inline char some_odd_byte(Random& random) {
    constexpr std::string_view odd("\x00\x08\x0e\x1f\x21\x7f\x80\x85\xa0\xff", 10);
    return odd[random.below(odd.size())];
}

inline std::string_view some_letter(Random& random) {
    // The second bytes of some are blanks in older encodings: 0x85 and 0xa0.
    constexpr std::array<std::string_view, 8> letters{"ä", "ß", "à", "Å", "…", "語", "\u00a0", "🎈"};
    constexpr std::string_view plain = "etaoinshrdlucmfwypvbgkqjxz";
    if (random.one_in(30)) return letters[random.below(letters.size())];
    return plain.substr(random.below(plain.size()), 1);
}

// A word, or a gap between two words, of about the requested number of characters.
inline std::string some_word(Kind kind, Random& random) {
    std::uint64_t letters = 1;
    if (kind == Kind::prose) letters = 1 + random.below(5) + random.below(6);
    if (kind == Kind::runs) letters = 1 + random.below(40);
    if (kind == Kind::long_words) letters = 1 + random.below(random.one_in(4) ? 5000 : 100);
    std::string word;
    for (std::uint64_t k = 0; k < letters; ++k) {
        if (kind == Kind::prose)
            word += some_letter(random);
        else
            word += random.one_in(5) ? some_odd_byte(random) : static_cast<char>('a' + random.below(26));
    }
    return word;
}

inline std::string some_gap(Kind kind, Random& random) {
    if (kind == Kind::prose) {
        if (random.one_in(12)) return random.one_in(5) ? "\r\n\r\n" : "\n";
        return random.one_in(40) ? "\t  " : " ";
    }
    std::string gap(1, some_blank(random));
    if (kind == Kind::runs)
        for (std::uint64_t more = random.below(60); more > 0; --more) gap += some_blank(random);
    return gap;
}

inline std::uint8_t some_byte(Random& random) {
    if (random.one_in(4)) return static_cast<std::uint8_t>(random.bits());
    return static_cast<std::uint8_t>(random.one_in(2) ? some_blank(random) : some_odd_byte(random));
}

inline void generate(const Instance& call, std::span<const Array> inputs) {
    const std::span<std::uint8_t> bytes = inputs[0].as<std::uint8_t>();
    const Kind kind = kind_of(call);
    Random random(call.seed, "text");
    if (kind == Kind::blanks || kind == Kind::bytes) {
        for (std::uint8_t& byte : bytes)
            byte = kind == Kind::bytes ? some_byte(random) : static_cast<std::uint8_t>(some_blank(random));
        return;
    }
    if (kind == Kind::longest) {
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(some_odd_byte(random));
        if (random.one_in(2) && !bytes.empty()) bytes[random.below(bytes.size())] = '\n';
        return;
    }
    bool is_word = call.seed % 2 == 0;  // begins with one, or with a gap; ends wherever it ends
    for (std::size_t at = 0; at < bytes.size(); is_word = !is_word) {
        const std::string piece = is_word ? some_word(kind, random) : some_gap(kind, random);
        const std::size_t count = std::min(piece.size(), bytes.size() - at);
        std::copy_n(piece.begin(), count, bytes.begin() + static_cast<std::ptrdiff_t>(at));
        at += count;
    }
}

// ---- A plain CPU version, for --cpu ----

inline void cpu(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::span<const std::uint8_t> bytes = inputs[0].as<std::uint8_t>();
    const std::span<std::int32_t> offsets = outputs[0].as<std::int32_t>(), lengths = outputs[1].as<std::int32_t>();
    const auto n = static_cast<std::int32_t>(bytes.size());
    std::int32_t count = 0, begin = 0;
    for (std::int32_t i = 0; i <= n; ++i) {
        if (i < n && !is_blank(bytes[i])) continue;
        if (begin < i) offsets[count] = begin, lengths[count] = i - begin, ++count;
        begin = i + 1;
    }
    outputs[2].as<std::int32_t>()[0] = count;
}

// ---- In words, and files ----

inline std::string input_text(const Instance& call) {
    return lab::count_of(static_cast<std::uint64_t>(call.n), "byte");
}

// Whatever the student's arrays say: no more words than there is room for, and nothing outside of the text.
inline std::vector<std::string_view> words_of(std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::span<std::uint8_t> bytes = inputs[0].as<std::uint8_t>();
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::span<std::int32_t> offsets = outputs[0].as<std::int32_t>(), lengths = outputs[1].as<std::int32_t>();
    const std::int64_t count =
        std::clamp<std::int64_t>(outputs[2].as<std::int32_t>()[0], 0, static_cast<std::int64_t>(offsets.size()));
    std::vector<std::string_view> words;
    for (std::int64_t w = 0; w < count; ++w) {
        const auto begin = std::min(static_cast<std::size_t>(std::max(offsets[w], 0)), all.size());
        words.push_back(all.substr(begin, static_cast<std::size_t>(std::max(lengths[w], 0))));
    }
    return words;
}

// "1,234 words, the longest 17 bytes".
inline std::string output_text(std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::vector<std::string_view> words = words_of(inputs, outputs);
    if (words.empty()) return "no words";
    const auto longest = std::ranges::max_element(words, {}, &std::string_view::size);
    return lab::count_of(words.size(), "word") + ", the longest " + lab::count_of(longest->size(), "byte");
}

inline lab::Problem read(const Instance& asked, const std::string& path) {
    const std::string bytes = lab::read_file(path);
    lab::Problem problem{asked, {lab::bytes_of(std::vector<char>(bytes.begin(), bytes.end()))}};
    problem.instance.n = static_cast<std::int64_t>(bytes.size());
    return problem;
}

// A word a line; in .tsv with its offset and length in front of it.
inline void write(std::span<const Array> inputs, std::span<const Array> outputs, const std::string& path) {
    const bool is_table = lab::ends_in(path, ".tsv");
    std::string lines = is_table ? "offset\tlength\tword\n" : "";
    const std::vector<std::string_view> words = words_of(inputs, outputs);
    const std::span<std::int32_t> offsets = outputs[0].as<std::int32_t>(), lengths = outputs[1].as<std::int32_t>();
    for (std::size_t w = 0; w < words.size(); ++w) {
        if (is_table) lines += std::to_string(offsets[w]) + "\t" + std::to_string(lengths[w]) + "\t";
        lines += words[w];
        lines += '\n';
    }
    lab::write_file(path, lines);
}

}  // namespace text
