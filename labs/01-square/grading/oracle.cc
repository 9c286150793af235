// Lab 1's answers. Trusted; host C++; never in the student's process.
#include "grading/problem.h"

// The square of a float has at most 48 significant bits and fits double exactly; turned into a float it is rounded
// once, so there is one right answer, bit for bit, and no tolerance.
std::vector<lab::Expected> square_expect(const lab::Instance&, std::span<const lab::Array> inputs) {
    lab::Expected out;
    out.value.reserve(inputs[0].spec.count);
    for (const float x : inputs[0].as<float>()) {
        const double exact = static_cast<double>(x) * static_cast<double>(x);
        out.value.push_back(static_cast<double>(static_cast<float>(exact)));
    }
    out.tolerance.assign(out.value.size(), 0.0);
    return lab::outputs(std::move(out));
}
