// The tiny lab's tasks, good and bad ones. They compute on the host, so that no CUDA compiler is needed.
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "harness/this_lab.h"
#include "tiny_cases.h"

namespace {

using lab::Array;
using lab::Call;

// Copies the input to the host, lets tiny_cpu() work, and copies the result back; `extra` elements too many.
void run(Call& c, const char* task, int extra = 0) {
    lab::Instance instance{task, "", c.n(), 0, {{"by", c.scalar("by")}}};
    const auto n = static_cast<std::size_t>(c.n());
    std::vector<std::uint8_t> in(n), out(n);
    std::int32_t count = 0;
    CUDA_CHECK(cudaMemcpy(in.data(), c.in<std::uint8_t>(0), n, cudaMemcpyDeviceToHost));
    const std::vector<Array> inputs = {{{"d_in", lab::DType::u8, n}, in.data()}};
    std::vector<Array> outputs = {{{"d_out", lab::DType::u8, n}, out.data()}};
    const bool has_count = instance.task != "raise";
    if (has_count) outputs.push_back({{"d_count", lab::DType::i32, 1}, &count});
    tiny_cpu(instance, inputs, outputs);
    const std::size_t given = has_count ? static_cast<std::size_t>(count + extra) : n;
    CUDA_CHECK(cudaMemcpy(c.out<std::uint8_t>(0), out.data(), given, cudaMemcpyHostToDevice));
    if (has_count) CUDA_CHECK(cudaMemcpy(c.out<std::int32_t>(1), &count, sizeof count, cudaMemcpyHostToDevice));
}

void join(Call& c) {
    auto *left = c.in<std::uint8_t>(0), *right = c.in<std::uint8_t>(1);
    const std::int64_t count = c.scalar("left");
    CUDA_CHECK(cudaMemcpy(c.out<std::uint8_t>(0), left, count, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy(c.out<std::uint8_t>(0) + count, right, c.n() - count, cudaMemcpyDeviceToDevice));
}

}  // namespace

namespace lab {

Lab this_lab() { return tiny_lab(); }

Bindings this_bindings() {
    return {{"join", join},
            {"raise", [](Call& c) { run(c, "raise"); }},
            {"keep", [](Call& c) { run(c, "keep"); }},
            {"sloppy", [](Call& c) { run(c, "keep", 1); }},
            {"leaves", [](Call&) { std::exit(0); }},
            {"leaves_at_once", [](Call&) { _exit(0); }},
            {"crash", [](Call& c) { *reinterpret_cast<volatile char*>(c.n() - c.n()) = 1; }},
            {"host_access", [](Call& c) { c.out<std::uint8_t>(0)[0] = 1; }}};
}

}  // namespace lab
