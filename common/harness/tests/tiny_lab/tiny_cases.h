#pragma once

#include <span>
#include <vector>

#include "grading/problem.h"

lab::Lab tiny_lab();
std::vector<lab::Expected> tiny_expect(const lab::Instance&, std::span<const lab::Array> inputs);
void tiny_cpu(const lab::Instance&, std::span<const lab::Array> inputs, std::span<const lab::Array> outputs);
