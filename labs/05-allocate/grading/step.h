// Lab 5's step of CountUp, for the inputs, the bindings and the oracle alike. Trusted.
#pragma once

constexpr int kStep = 3;  // not 0 or 1, so that a functor without its state shows
