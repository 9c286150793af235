"""What is said of the change that would have repaired a program."""

from typing import cast

from autograder.cause import search
from autograder.cause.change import Change
from autograder.cause.experiments import Laboratory, Repair
from autograder.cause.tried import Tried
from mistakes.why import Watched

CHANGES = [Change(at, "comparison", 7, "i < n", "i <= n", 7) for at in range(1, 7)]


class Tests:
    """A laboratory that has tried all but one."""

    tried = set(CHANGES) - {CHANGES[1]}
    is_over = True


def test_each_change_is_said_to_have_come_so_far() -> None:
    found = [Repair(CHANGES[3], 3, 12), Repair(CHANGES[4], 12, 12, False), Repair(CHANGES[5], 12, 12)]
    with Watched() as watched:
        assert search.watch is not None
        search.watch(CHANGES[1:], Tried(CHANGES, found, laboratory=cast(Laboratory, Tests())))
    assert search.watch is None
    said = [watched.told([one])[0] for one in CHANGES]
    for text, words in zip(
        said, ("not asked for", "not reached", "does not repair", "3 of 12", "way round", "not chosen"), strict=True
    ):
        assert words in text and "5 tried, no work left" in text
    assert watched.told(CHANGES)[0] == said[5]
    assert "none of 6" in watched.told([])[0] and "no changes" in Watched().told([])[0]
