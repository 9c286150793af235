"""The patterns of a task's failing calls, and which of them is shown."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.explain.evidence import errors_of
from autograder.explain.explanation import Pattern
from autograder.explain.patterns.rules import Rule, candidates
from autograder.explain.patterns.written import past_the_result
from autograder.explain.places import short_place
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome, failing
from autograder.plain import clean

TELLING = 16  # elements; with fewer, half of the rules would fit any error

TOGETHER = {
    "by_chance": Pattern("nondeterministic", "right on one run and wrong on the next, with the same input"),
    "powers_of_two": Pattern("powers_of_two_only", "right only where n is a power of two"),
    "powers_of_two_and_tiles": Pattern(
        "powers_of_two_only", "right only where n is a power of two, or a multiple of the tile size"
    ),
}


def patterns_of(outcome: Outcome, rules: Sequence[Rule]) -> list[Pattern]:
    """What the errors in one call's output have in common."""
    if outcome.unfinished:
        where = short_place(clean(outcome.reply.where, 200)) if outcome.reply else ""
        return [Pattern("partly_written", f"todo() is reached here: {where}")]
    if outcome.wrong is None:
        return []
    errors = errors_of(outcome, outcome.wrong)
    past = past_the_result(errors)
    found = [Pattern("past_the_result", past)] if past else candidates(errors, rules)
    if outcome.wrong.modified:
        found.insert(0, Pattern("input_modified", f"{outcome.wrong.modified} was changed by the call"))
    return found


def chosen(judgement: Judgement, rules: Sequence[Rule]) -> list[Pattern]:
    """One pattern of all calls of a task whose output is wrong, or two."""
    if judgement.together in TOGETHER:
        return [TOGETHER[judgement.together]]
    failed = [one for one in failing(judgement.outcomes) if one.is_wrong]
    if judgement.together == "input_modified":
        return patterns_of(failed[0], rules)[:1]
    return choose([(one.case.n, one.case.variant, patterns_of(one, rules)) for one in failed])


def choose(failing: Sequence[tuple[int, str, Sequence[Pattern]]]) -> list[Pattern]:
    """The patterns to show for failing cases, (n, variant, patterns) with the smallest first.

    The smallest case is the one shown, so one of its own patterns comes first: the one that most cases share. With two
    blocks, "the last block" and "from the second block on" are the same; a larger case decides. If most cases share
    another pattern, that one follows, with its n and variant. It stands alone if the smallest case has too few elements
    to show anything.
    """
    votes: dict[str, int] = {}
    for _, _, patterns in failing:
        for pattern in patterns:
            votes[pattern.name] = votes.get(pattern.name, 0) + 1
    if not votes:
        return []
    best = max(votes, key=lambda name: votes[name])  # on a tie the first, which says most
    smallest, variant, own = failing[0]
    mine = max(own, key=lambda pattern: votes[pattern.name], default=None)
    if mine and mine.name == best:
        return [mine]
    n, its, clearest = next(
        (n, its, pattern)
        for n, its, patterns in sorted(failing, key=lambda one: (one[0] < TELLING, one[0]))
        for pattern in patterns
        if pattern.name == best
    )
    at = f"at n = {n:,}" + (f" ({its})" if its != variant else "")
    more = "a larger size shows more" if n > smallest else "another variant shows more"
    if mine and (smallest == 0 or smallest >= TELLING):
        return [mine, Pattern(best, f"and {at}: {clearest.sentence}")]
    return [Pattern(best, f"{more}: {at}: {clearest.sentence}")]
