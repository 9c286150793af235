// The C interface of liboracle3.so and its like: a lab's inputs and answers, for the grader (by ctypes) and for
// --check. All text is UTF-8 JSON and belongs to the library until the next call on the same thread. Nothing throws: a
// failure is {"error":"one line"}.
#pragma once

#include <cstdint>

extern "C" {

// {"number":3,"name":"scan","title":"Scan","tasks":[{"name","idea","variants":[],"max_n","sizes":[],"timed_n"}]}
const char* oracle_lab();

// A call is given by task, variant, n, seed and scalars: a JSON object, {"width":640,...}, of those that the seed
// does not choose; null for none.

// {"inputs":[{"name","dtype","count","shift","on_host","columns"}],"outputs":[...],"bytes":1.0,"scalars":{...},"text":"..."}:
// all scalars, and the input in words, "" if the lab has none.
const char* oracle_shape(const char* task, const char* variant, std::int64_t n, std::uint64_t seed,
                         const char* scalars);

// Fills the inputs: one pointer each, to count * size bytes. {}
const char* oracle_generate(const char* task, const char* variant, std::int64_t n, std::uint64_t seed,
                            const char* scalars, void* const* inputs);

// Compares outputs with what the inputs ask for. `poison`: the byte that filled the outputs before the call, or -1.
// Fills `wrong` (one byte an element) and, if something is wrong, `expected` (typed like the outputs); either may be
// null.
// {"ok","outputs":[{"wrong":how many,"first":index or -1,"count":meaningful elements}],"worst_error","tolerance_there"}
const char* oracle_check(const char* task, const char* variant, std::int64_t n, std::uint64_t seed, const char* scalars,
                         void* const* inputs, const void* const* outputs, int poison, void* const* expected,
                         std::uint8_t* const* wrong);
}
