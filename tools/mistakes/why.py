"""Why a cause is not named: what became of the change that would have repaired a wrong program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.cause import search
from autograder.cause.causes import kind_of
from autograder.cause.change import Change
from autograder.cause.experiments import LEAST_FAILING, Repair
from autograder.cause.tried import Tried

MOST = 3  # true changes of which is told


@dataclass
class Watched:
    """The experiments with the changes of one program."""

    order: Sequence[Change] = ()
    tried: Tried = field(default_factory=Tried)

    def __enter__(self) -> Watched:
        search.watch = self.see
        return self

    def __exit__(self, *_: object) -> None:
        search.watch = None

    def see(self, order: Sequence[Change], tried: Tried) -> None:
        self.order, self.tried = order, tried

    def told(self, true: Sequence[Change]) -> list[str]:
        """What became of these changes, those first that came farthest."""
        laboratory = self.tried.laboratory
        if laboratory is None:
            return [
                "no changes were tried: the call does not fail again, or a rule or a refused launch tells the cause"
            ]
        if not true:
            return [f"none of {len(self.tried.changes)} changes makes the original"]
        places = {one: at for at, one in enumerate(self.order)}
        repairs = {one.trial: one for one in self.tried.found if isinstance(one.trial, Change)}
        said = [(_came(one, places, repairs, one in laboratory.tried), one) for one in true]
        said.sort(key=lambda one: (-one[0][0], places.get(one[1], 0)))
        end = f" of {len(self.order)}, {len(laboratory.tried)} tried{', no work left' if laboratory.is_over else ''}"
        return [
            f"{kind_of(one)} in line {one.line}, `{one.was[:40]}` -> `{one.now[:40]}`: {text}, place "
            f"{places.get(one, '-')}{end}"
            for (_, text), one in said[:MOST]
        ]


def _came(
    change: Change, places: Mapping[Change, int], repairs: Mapping[Change, Repair], is_tried: bool
) -> tuple[int, str]:
    """How far a change came, and in words."""
    if change not in places:
        return 0, "not asked for with these findings"
    if not is_tried:
        return 1, "not reached"
    if change not in repairs:
        return 2, "does not repair the call"
    repair = repairs[change]
    if repair.right < repair.of:
        return 3, f"right in {repair.right} of {repair.of} calls"
    if not repair.is_controlled:
        return 4, f"a way round the mistake, or fewer than {LEAST_FAILING} calls fail without it"
    return 5, "holds, and was not chosen"
