"""What an element of the result is made of: the elements of the input that have an effect on it, and those that must.

No small change repairs a program where a step is missing. But with another value in an element of the input, the oracle
expects another result, and the program gives another one, or does not. So it is known of which elements the right
result is made, and of which the wrong one, without a look at the program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autograder.cause.bench import Bench, call_seconds
from autograder.cause.causes import Cause
from autograder.cause.elements import MOST, Elements, one_of, told
from autograder.cause.fresh import planned_cases
from autograder.cause.lost import FEW, is_in_order
from autograder.errors import GraderError
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome, Wrong, are_pairs
from autograder.plan.cases import Case
from autograder.plan.tables import Array, ArraySpec
from autograder.run.memory import alike, poisoned
from autograder.run.process import Runner
from autograder.words import number

KIND = "made_of"
SECONDS, SHOWN_SECONDS, MOST_CALLS = 7.0, 1.0, 2500  # to learn what changes, and for the one that is shown
WRONG_ELEMENTS = 3  # that are looked at, from the first to the last
PARTS = 128  # of a large array, each changed as a whole; those beside others are then looked at element by element
MOST_BESIDE = 8
CALLS_FOR_ORDER, SMALL = 12, 1000  # calls whose inputs tell whether they must be in order; their n
MOST_PLACES = MOST + 1  # of what is told in one sentence

Mask = npt.NDArray[np.bool_]
Call = Callable[[Sequence[Array]], tuple[Array, Array] | None]  # the right output and yours; None: it ended otherwise


class Unknown(Exception):
    """A call with another input fails, or there is no time for it."""


class Effects(NamedTuple):
    """Of each element of the result: whether the right one is another with another input, and whether yours is."""

    right: Mask
    yours: Mask

    def any(self) -> bool:
        return bool(self.right.any() or self.yours.any())


class Difference(NamedTuple):
    """Of which elements of an input the right element of the result is made, and of which yours."""

    spec: ArraySpec
    array: int
    at: int  # which of the elements that are looked at
    right: Elements
    yours: Elements
    missing: Elements
    extra: Elements

    @property
    def places(self) -> int:
        """How many there are to read: what is only left out, or only too much, is understood soonest."""
        if self.missing.count and self.extra.count:
            return self.right.places + self.yours.places
        if self.extra.count:
            return self.extra.places
        return min(self.missing.places, self.yours.places + 1, self.right.places + MOST - 1)


def find_made_of(bench: Bench, judgement: Judgement) -> Cause | None:
    """What a wrong element lacks, or has too much of."""
    shown = judgement.shown
    if judgement.verdict != "WA" or shown is None or shown.wrong is None or shown.findings or shown.case.n == 0:
        return None
    wrong = shown.wrong
    if are_pairs(shown.case.n, wrong.inputs, wrong.outputs[wrong.first]):  # with equal keys, several orders are right
        return None
    planned = planned_cases(bench.checker, judgement)
    with bench.started(bench.runner, planned, seconds=call_seconds(judgement)) as runner:
        if not bench.checker.fits(runner, shown.case):
            return None
        try:
            return cause_in(_probe(bench.checker, runner, judgement, shown, wrong), wrong)
        except Unknown:
            return None


@dataclass
class Probe:
    """A wrong call, which is made again with other inputs."""

    call: Call
    inputs: Sequence[Array]
    at: Sequence[int]  # elements of the result
    kept: Collection[int] = ()  # inputs that are not changed
    end: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    calls: int = 0

    def __post_init__(self) -> None:
        before, again = self.values(), self.values()
        if before is None or again is None or any(not equal.all() for equal in map(alike, before, again)):
            raise Unknown  # it differs from call to call
        self.before = before

    def values(self, array: int = 0, other: Array | None = None) -> tuple[Array, Array] | None:
        """The right elements and yours, with this in place of an input; None if the call fails with it."""
        self.calls += 1
        if self.calls > MOST_CALLS or time.monotonic() > self.end:
            raise Unknown
        inputs = [one if other is None or n != array else other for n, one in enumerate(self.inputs)]
        answer = self.call(inputs)
        if answer is None or any(one.size <= max(self.at) for one in answer):
            return None
        right, yours = (one[self.at] for one in answer)
        return right, yours

    def changes(self, array: int, first: int, end: int) -> Iterator[tuple[Array, Array]]:
        """The values with other ones in these elements of an input."""
        answers = 0
        for other in others(self.inputs[array]):
            changed = self.inputs[array].copy()
            changed[first:end] = other[first:end]
            if now := self.values(array, changed):
                answers += 1
                yield now
        if not answers:
            raise Unknown

    def effects(self, array: int, first: int, end: int) -> Effects:
        """Of these elements of an input together."""
        right = yours = np.zeros(len(self.at), bool)
        for now in self.changes(array, first, end):
            right, yours = right | ~alike(self.before[0], now[0]), yours | ~alike(self.before[1], now[1])
        return Effects(right, yours)

    def table(self, array: int) -> Effects:
        """Of each element of an input on each element of the result."""
        size, count = self.inputs[array].size, len(self.at)
        found = Effects(np.zeros((size, count), bool), np.zeros((size, count), bool))
        step = max(1, -(-size // PARTS))
        self._fill(found, array, 0, size, step)
        if step > 1:
            both = np.concatenate(found, axis=1)[::step]
            beside = np.flatnonzero((both[1:] != both[:-1]).any(axis=1))
            parts = sorted({int(part) for one in beside for part in (one, one + 1)})
            if len(parts) > MOST_BESIDE:
                raise Unknown
            for part in parts:
                for mask in found:
                    mask[part * step : (part + 1) * step] = False
                self._fill(found, array, part * step, min((part + 1) * step, size), 1)
        return found

    def _fill(self, found: Effects, array: int, first: int, end: int, step: int) -> None:
        """`first` is a multiple of `step`, and so are the parts' beginnings."""
        its = self.effects(array, first, end)
        if end - first <= step:
            found.right[first:end], found.yours[first:end] = its
        elif its.any():
            middle = first + -(-(end - first) // (2 * step)) * step
            self._fill(found, array, first, middle, step)
            self._fill(found, array, middle, end, step)


def others(array: Array) -> list[Array]:
    """The array with other values of its own in all places: the least, the greatest, and the next one."""
    there = np.unique(array[np.isfinite(array)] if array.dtype.kind == "f" else array)
    if there.size < 2:
        return []
    ends = [(there[0], there[1]), (there[-1], there[-2])]
    found = [np.where(array == end, beside, end).astype(array.dtype) for end, beside in ends]
    return [*found, np.roll(array, -1)] if there.size > len(found) else found


def in_order(checker: Checker, cases: Sequence[Case]) -> set[int]:
    """The inputs that are in order in all of these calls: sorted keys or offsets, which must be so."""
    calls = [one.inputs for one in checker.prepare(cases)]
    return {at for at in range(len(calls[0])) if all(is_in_order(one[at]) for one in calls if len(one) > at)}


def _probe(checker: Checker, runner: Runner, judgement: Judgement, shown: Outcome, wrong: Wrong) -> Probe:
    output = wrong.first
    is_written = ~poisoned(wrong.outputs[output], wrong.poison)
    mask = wrong.checked.wrong[output] & is_written
    indices = np.flatnonzero(mask[: wrong.checked.counts[output]])
    if indices.size == 0:
        raise Unknown
    picked = indices[np.unique(np.linspace(0, indices.size - 1, WRONG_ELEMENTS).astype(int))]

    def call(inputs: Sequence[Array]) -> tuple[Array, Array] | None:
        try:
            right = checker.expected(shown.case, inputs, wrong)[output]
        except GraderError:  # no such input is possible
            return None
        seen = checker.with_inputs(inputs).watch(runner, shown.case)
        if seen.outcome.death or seen.outcome.findings or not seen.outputs:
            return None
        return right, seen.outputs[output]

    alike = [one.case for one in judgement.outcomes if FEW < one.case.n <= max(shown.case.n, SMALL)]
    return Probe(call, wrong.inputs, picked.tolist(), in_order(checker, [shown.case, *alike[:CALLS_FOR_ORDER]]))


def cause_in(probe: Probe, wrong: Wrong) -> Cause | None:
    """What can be said of the elements that are looked at, in few words, and was shown by an element of the input."""
    output = wrong.shape.outputs[wrong.first]
    found = [one for one in _differences(probe, wrong.shape.inputs) if one.places <= MOST_PLACES]
    probe.end += SHOWN_SECONDS
    for one in sorted(found, key=lambda one: (one.places, one.at)):
        element = one_of(output, probe.at[one.at])
        if tried := _tried(probe, one, element):
            return Cause(KIND, _title(one, element), "", tried, seen=_seen(one, element))
    return None


def _differences(probe: Probe, specs: Sequence[ArraySpec]) -> Iterator[Difference]:
    for array, spec in enumerate(specs):
        if array in probe.kept or not others(probe.inputs[array]):
            continue
        try:
            table = probe.table(array)
        except Unknown:  # another input may tell it
            continue
        for at in range(len(probe.at)):
            right, yours = table.right[:, at], table.yours[:, at]
            if (right != yours).any():
                parts = (right, yours, right & ~yours, yours & ~right)
                yield Difference(spec, array, at, *(told(part, spec) for part in parts))


def _title(one: Difference, element: str) -> str:
    if not one.extra.count:
        if one.yours.count and one.yours.places < one.missing.places:
            return f"{element} changes with {one.yours.text} only"
        return f"{element} does not change with {one.missing.text}, and must"
    if not one.missing.count:
        return f"{element} changes with {one.extra.text}, and must not"
    return f"{element} changes with {one.yours.text}, not with {one.right.text}"


def _seen(one: Difference, element: str) -> str:
    """Both in full, where the title names a part only."""
    is_said = (one.missing.count and one.extra.count) or not one.yours.count or not one.right.count
    if is_said or one.right.text == one.yours.text:
        return ""
    return f"the right {element} changes with {one.right.text}, yours with {one.yours.text}"


def _tried(probe: Probe, one: Difference, element: str) -> str:
    """An element of the input that shows the difference by itself."""
    its = one.missing if one.missing.count else one.extra
    for index in its.some:
        for now in probe.changes(one.array, index, index + 1):
            is_felt = [not alike(was, new)[one.at] for was, new in zip(probe.before, now, strict=True)]
            if is_felt == [its is one.missing, its is one.extra]:
                (right, yours), (right_now, yours_now) = (
                    [number(values[one.at]) for values in both] for both in (probe.before, now)
                )
                other = f"another value in {one_of(one.spec, index)} makes"
                if its is one.missing:
                    return f"{other} the right {element} {right_now} in place of {right}, and yours stays {yours}"
                return f"{other} yours {yours_now} in place of {yours}, and the right {element} stays {right}"
    return ""
