// Straight programs: chains of random instructions on edge values, each result kept.
#include <functional>

#include "differential_builder.h"

namespace vgpu::differential {
namespace {

using cases::Case;

bool is_warp(const Case& c) {
    return c.body.find(".sync") != std::string::npos || c.body.find("mask") != std::string::npos;
}
bool begins(const std::string& s, const char* with) { return s.rfind(with, 0) == 0; }

std::vector<const Case*> those(const std::function<bool(const Case&)>& wanted) {
    std::vector<const Case*> l;
    for (const Case& c : vocabulary())
        if (!is_warp(c) && wanted(c)) l.push_back(&c);
    return l;
}

bool any_type(const Case& c, const std::function<bool(const std::string&)>& is) {
    if (is(c.result)) return true;
    for (const std::string& t : c.inputs)
        if (is(t)) return true;
    return false;
}
bool is_half(const std::string& t) { return t.find("f16") != std::string::npos; }
bool is_float(const std::string& t) { return t == "f32" || t == "f64"; }

}  // namespace

std::vector<Kernel> straight_kernels() {
    struct Family {
        const char* name;
        int count, length;
        std::vector<const Case*> words;
    };
    const Family families[] = {
        {"integer", 110, 22, those([](const Case& c) {
             return !any_type(c, is_float) && !any_type(c, is_half) && !begins(c.name, "cvt");
         })},
        {"wide", 40, 20,
         those([](const Case& c) { return any_type(c, [](auto& t) { return t == "u64" || t == "s64"; }); })},
        {"carry", 30, 12, those([](const Case& c) { return c.body.find(".cc") != std::string::npos; })},
        {"single", 80, 20, those([](const Case& c) { return any_type(c, [](auto& t) { return t == "f32"; }); })},
        {"double", 60, 18, those([](const Case& c) { return any_type(c, [](auto& t) { return t == "f64"; }); })},
        {"half", 80, 20, those([](const Case& c) { return any_type(c, is_half); })},
        {"convert", 90, 22, those([](const Case& c) { return begins(c.name, "cvt"); })},
        {"mixed", 110, 23, those([](const Case&) { return true; })}};
    std::vector<Kernel> kernels;
    std::uint64_t seed = 1000;
    for (const Family& family : families)
        for (int n = 0; n < family.count; ++n) {
            Builder b(std::string("straight_") + family.name + "_" + text(n), ++seed);
            for (int k = 0; k < family.length; ++k) {
                const Case& c = *b.random.pick(family.words);
                if (c.result != "pred" && is_single(c) && b.random.chance(15)) {  // under a predicate
                    const std::string old = b.value(c.result), p = b.value("pred");
                    const int bits = std::max(cases::bits_of(c.result), 16);
                    const std::string to = b.fresh(bits);
                    b.line("mov.b" + text(bits) + " " + to + ", " + old + ";");
                    b.apply(c, to, b.random.chance(50) ? "@" + p + " " : "@!" + p + " ");
                    b.keep(to, c.result);
                    b.offer(to, c.result);
                    continue;
                }
                const std::string reg = b.apply(c);
                b.keep(reg, c.result);
                b.offer(reg, c.result);
            }
            b.keep("%e", "u32");
            kernels.push_back(b.finish());
            if (kernels.back().slots > kSlots) kernels.pop_back();
        }
    return kernels;
}

}  // namespace vgpu::differential
