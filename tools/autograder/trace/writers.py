"""Who wrote the wrong elements: the failing call once more, under a rule that changes nothing and tells all writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from autograder.explain.evidence import EXAMPLES, UNWRITTEN, Errors, bits, errors_of
from autograder.explain.explanation import Explanation
from autograder.explain.places import place_text
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome, Wrong
from autograder.run.process import Runner
from autograder.run.watched import Watched, Writer
from autograder.sanitize import clean

NOBODY = "nobody wrote it"
MOST_STEPS = 2_000_000  # warp instructions of a launch that is made again for a table: about a second


@dataclass(frozen=True)
class Wanted:
    """Elements of an output, as the device finds them."""

    array: str
    indices: tuple[int, ...]
    bytes: int  # of an element

    @property
    def rule(self) -> str:
        return " ".join(["watch writes", self.array, *(f"{i * self.bytes}+{self.bytes}" for i in self.indices)])

    def of(self, watched: Sequence[Watched]) -> dict[int, Watched]:
        """What the device tells, by index."""
        at = {one.at: one for one in watched if one.array == self.array and one.bytes == self.bytes}
        return {i: at[i * self.bytes] for i in self.indices if i * self.bytes in at}


def wanted(wrong: Wrong, errors: Errors, most: int = EXAMPLES) -> Wanted | None:
    """The first wrong elements; None if the device cannot know them: their array is on the host."""
    spec = wrong.shape.outputs[wrong.first] if wrong.shape.outputs else None
    elements = errors.elements
    at = tuple(int(i) for i in np.flatnonzero(elements.wrong)[:most])
    if spec is None or spec.on_host or not at:
        return None
    return Wanted(spec.name, at, int(np.dtype(spec.dtype).itemsize) * (2 if elements.packed else 1))


def traced(checker: Checker, runner: Runner, outcome: Outcome) -> dict[int, Watched]:
    """By index, what is known of the first wrong elements. Nothing if they are not wrong in the same way again."""
    if outcome.wrong is None:
        return {}
    errors = errors_of(outcome, outcome.wrong)
    asked = wanted(outcome.wrong, errors)
    if asked is None:
        return {}
    again = checker.run(runner, outcome.case, what_if=asked.rule, max_steps=MOST_STEPS)
    report = again.reply.report if again.reply else None
    if again.wrong is None or report is None or again.wrong.first != outcome.wrong.first:
        return {}
    before, after = errors.elements, errors_of(again, again.wrong).elements
    found = asked.of(report.watched)
    return {i: one for i, one in found.items() if _same(before, after, i) and is_whole(after, i, one)}


def is_whole(errors: Errors, index: int, watched: Watched) -> bool:
    """Whether what is known of an element explains its value: no other way leads to the array."""
    if not watched.writes:
        return bool(errors.poisoned[index])
    return watched.bytes > 8 or int(watched.writes[-1].value, 16) == int(bits(errors.got)[index])


def _same(one: Errors, other: Errors, index: int) -> bool:
    """Whether an element is wrong in the same way. What nobody wrote is another garbage in every call."""
    if one.count != other.count or not other.wrong[index]:
        return False
    if one.poisoned[index] or other.poisoned[index]:
        return bool(one.poisoned[index] and other.poisoned[index])
    return bool(bits(one.got)[index] == bits(other.got)[index])


def with_writers(said: Explanation, watched: dict[int, Watched]) -> Explanation:
    """The explanation, with who wrote the elements that it shows."""
    failure = said.failure
    if failure is None or not watched:
        return said
    elements = tuple(
        msgspec.structs.replace(one, owner=owner(found), written=one.written or bool(found.writes))
        if (found := watched.get(one.index))
        else one
        for one in failure.elements
    )
    stored = {index for index, found in watched.items() if found.writes}  # be it a value that is garbage
    got = tuple("garbage" if value == UNWRITTEN and at in stored else value for at, value in enumerate(failure.got))
    return replace(said, failure=msgspec.structs.replace(failure, elements=elements, got=got))


def owner(watched: Watched) -> str:
    """Who wrote an element last, in a few words; "" if that is not known."""
    return writer_text(watched.writes[-1].writer) if watched.writes else NOBODY


def writer_text(writer: Writer) -> str:
    """ "thread 3 of block 2, scan.cu:41"; "" if it is not known, or nobody."""
    place = place_text(writer.place)
    who = clean(writer.who if writer.by == "thread" else writer.name, 100)
    if writer.by not in ("thread", "host", "device") or not who:
        return ""
    if writer.by == "device":
        who += " in a kernel"
    return f"{who}, {place}" if place else who
