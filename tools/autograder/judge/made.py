"""Calls before and after they are made: what goes in, and what came out and is still to be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.plan.tables import Array, Shape
from autograder.run.memory import same_bits
from autograder.run.protocol import ArrayPlace


@dataclass(frozen=True, repr=False)
class Prepared:
    """A call with its inputs, and where its arrays go."""

    case: Case
    shape: Shape
    inputs: Sequence[Array]
    places: Sequence[ArrayPlace]


@dataclass(frozen=True, repr=False)
class Made:
    """Calls that were made in one breath and are still to be judged, with private copies of their arrays."""

    outcome: Outcome  # of all of them, as far as it is known without a look at the outputs
    prepared: Sequence[Prepared]
    poison: int
    arrays: Sequence[Afterwards] = ()  # none if there is nothing to judge


class Afterwards(NamedTuple):
    """A call's arrays after it."""

    outputs: list[Array]
    inputs: list[Array]


def agree(call: tuple[Prepared, Afterwards, Afterwards]) -> bool:
    """Whether both have left the same outputs, and the first one the inputs as they were."""
    prepared, one, other = call
    left = zip([*one.outputs, *one.inputs], [*other.outputs, *prepared.inputs], strict=True)
    return all(same_bits(a, b) for a, b in left)
