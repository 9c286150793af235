#include "virtual_gpu/what_if/hooks.h"

namespace vgpu::what_if {

class Wide {};

Hooks::Hooks() = default;
Hooks::~Hooks() = default;

std::unique_ptr<Hooks> Hooks::make(const Module&, const Function&, const Rules&) { return nullptr; }

void Hooks::before(Decoder&) {}
bool Hooks::instead(Decoder&) { return false; }
void Hooks::after(Decoder&) {}

}  // namespace vgpu::what_if
