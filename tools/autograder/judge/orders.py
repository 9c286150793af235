"""Whether the bits of a floating-point result depend on the order in which threads run.

Two orders of additions often round to the same sum, above all if the result is one number; and of some inputs no sum
is rounded. So a few schedules of one input are not enough to see that the order is left to chance. But
only a program that uses atomics lets the order change: for such a program, several inputs are called in several orders
each, until two results for one input differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autograder.judge.calls import Ran
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome
from autograder.judge.spared import is_calm
from autograder.plan import cases as casebook
from autograder.plan.cases import Case, input_of
from autograder.run.process import Runner

# A lab's sums are not rounded in one input of four, and a third of all orders rounds to the same bits as the first:
# then one program in 10^4 is not found.
INPUTS = 7
ORDERS = (casebook.ANY_ORDER, casebook.MANY_RESIDENT, casebook.ANY_ORDER, casebook.ANY_ORDER)  # of each input
MOST_N = casebook.ORDER_TELLS


def run_orders(checker: Checker, runner: Runner, ran: Ran, order_tells: str) -> Ran:
    """The calls so far and, if they are right with the same bits, further ones of the same size in many orders."""
    first = telling(checker, ran.outcomes, order_tells)
    if first is None or ran.unstable or not all(one.ok for one in ran.outcomes):
        return ran
    if is_calm(ran.outcomes):  # no atomic adds floats, or returns what could decide an order
        return ran
    counted = checker.run(runner, first.case, checks=False, counters=True)
    if not uses_atomics(counted):
        return ran
    made: list[Outcome] = []
    for case in inputs_like(first.case):
        if not checker.fits(runner, case):  # another seed may give it larger arrays
            continue
        bits = b""
        for ordered in in_orders(case):
            outcome = checker.run(runner, ordered, checks=False)
            made.append(outcome)
            bits = bits or outcome.bits
            if not outcome.ok or outcome.bits != bits:
                return Ran((*ran.outcomes, *made), outcome if outcome.ok else ran.unstable, ran.spared)
    return ran


def telling(checker: Checker, outcomes: Sequence[Outcome], order_tells: str) -> Outcome | None:
    """The call whose bits show most: of the lab's variant, else of any with floats; the largest that is not slow."""

    def tells(one: Outcome) -> tuple[bool, bool, int]:
        adds = not {"max", "min"} & set(one.case.variant.split("_"))  # a maximum has the same bits in every order
        return (one.case.variant == order_tells, adds, one.case.n)

    small = [one for one in outcomes if one.bits and one.case.n <= MOST_N]
    floats = [one for one in small if any(_is_float(spec.dtype) for spec in checker.shape(one.case).outputs)]
    return max(floats, key=tells, default=None)


def _is_float(dtype: str) -> bool:
    return np.dtype(dtype).kind == "f"


def uses_atomics(outcome: Outcome) -> bool:
    """Sums by atomics, tickets, flags: what lets one order of threads have another result than the next."""
    return any(kernel.total.atomics for kernel in outcome.kernels)


def inputs_like(case: Case) -> list[Case]:
    """The same call with other inputs, after its own."""
    return [case, *(replace(case, seed=casebook.derive(case.seed, "input", at)) for at in range(1, INPUTS))]


def in_orders(case: Case) -> list[Case]:
    """The same input in many orders. In most of them, blocks start in any order, and so meet in any order."""
    found = [replace(case, repeat=casebook.SCHEDULES + 1, schedule=0)]
    for at, kind in enumerate(ORDERS, casebook.SCHEDULES + 2):
        chance = casebook.derive(case.seed, "order", at) % 2**28 * casebook.SCHEDULE_KINDS
        found.append(replace(case, repeat=at, schedule=chance + kind))
    assert len({input_of(one) for one in found}) == 1
    return found
