"""Calls before and after they are made: what goes in, and what came out and has yet to be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.plan.tables import Array, Shape
from autograder.run.memory import Bytes, in_pieces, same_bits
from autograder.run.protocol import ArrayPlace, Reply


@dataclass(frozen=True, repr=False)
class Prepared:
    """A call with its inputs, and where its arrays go."""

    case: Case
    shape: Shape
    inputs: Sequence[Array]
    places: Sequence[ArrayPlace]


@dataclass(frozen=True, repr=False)
class Made:
    """Calls that were made in one batch and are to be judged before the runner's next call."""

    outcome: Outcome  # of all of them, as far as it is known without looking at the outputs
    prepared: Sequence[Prepared]
    poison: int
    arrays: Sequence[Afterwards] = ()  # none if there is nothing to judge


@dataclass(frozen=True, repr=False)
class Seen:
    """One call with all its arrays."""

    outcome: Outcome
    shape: Shape
    inputs: Sequence[Array]
    outputs: Sequence[Array] = ()  # none if it was not answered

    @property
    def expected(self) -> Sequence[Array]:
        """What the outputs should be; none if nothing is known of that."""
        wrong = self.outcome.wrong
        return self.outputs if wrong is None or wrong.only_modified else wrong.checked.expected


class Afterwards(NamedTuple):
    """A call's arrays after the call, where the device has put them."""

    outputs: list[Array]
    inputs: list[Array]


def to_agree(prepared: Prepared, one: Afterwards, other: Afterwards) -> list[tuple[Bytes, Bytes]]:
    """The pieces that are equal if both have the same outputs and the first has left its inputs unchanged."""
    left = zip([*one.outputs, *one.inputs], [*other.outputs, *prepared.inputs], strict=True)
    return [piece for a, b in left for piece in in_pieces(a, b)]


def outlasting(prepared: Prepared, arrays: Afterwards) -> Afterwards:
    """Copies of the arrays, because the runner's next call overwrites them. Unchanged inputs need no copy."""
    inputs = [a if same_bits(a, b) else b.copy() for a, b in zip(prepared.inputs, arrays.inputs, strict=True)]
    return Afterwards([output.copy() for output in arrays.outputs], inputs)


def without_note(reply: Reply, kinds: Sequence[str]) -> Reply:
    """The reply with findings of these kinds as defects, not notes."""
    changed, report = msgspec.structs.replace, reply.report
    if report is None:
        return reply
    findings = [changed(one, is_note=one.is_note and one.kind not in kinds) for one in report.findings]
    return changed(reply, report=changed(report, findings=findings))
