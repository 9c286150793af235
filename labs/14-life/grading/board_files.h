// Boards of lab 14 in files: patterns of life, pictures, and animations. Trusted; host C++.
#pragma once

#include <span>
#include <string>

#include "grading/problem.h"
#include "simulate.h"

namespace life {

// The cells of an array of any task but heat.
Board board_of(const lab::Instance& call, const lab::Array& array);

// What cases.cc names in lab.files and lab.output_text.
lab::Problem read_board(const lab::Instance& asked, const std::string& path);
void write_board(const lab::Instance& call, std::span<const lab::Array> inputs, std::span<const lab::Array> outputs,
                 const std::string& path);
std::string task_for(const std::string& path);
std::string output_text(const lab::Instance& call, std::span<const lab::Array> inputs,
                        std::span<const lab::Array> outputs);

}  // namespace life
