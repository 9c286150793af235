"""One mistake, or two? Compares what the output looks like with what the virtual GPU saw.

A finding in a call whose output is wrong is usually the cause. But some patterns cannot come from it: a race does not
shift a scan by one. And a finding at another size did not make the smallest size fail.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograder.explain.explanation import Mistake
from autograder.explain.findings import finding_lines, finding_title, in_one_warp, merged
from autograder.explain.places import place_text
from autograder.judge.outcome import Outcome
from autograder.run.protocol import Finding

# Patterns that come from what a program computes, in whatever order its threads run.
_BY_RULE = ("shifted_by_one", "doubled", "overflow", "not_stable", "all_zero", "nothing_written", "wrong_identity")
_WHERE = ("every_kth", "last_block_only", "first_block_only", "tail_missing", "border_only", "empty_input")
# Patterns that a finding of this kind cannot cause.
_NOT_FROM: dict[str, tuple[str, ...]] = {
    "race": (*_BY_RULE, *_WHERE, "past_the_result", "powers_of_two_only"),
    "divergent_barrier": (*_BY_RULE, *_WHERE, "past_the_result"),
    "out_of_bounds": (*_BY_RULE, "every_kth", "first_block_only", "constant_offset"),
    "use_after_free": _BY_RULE,
    "uninitialized": ("shifted_by_one", "doubled", "overflow", "not_stable", "nothing_written"),
}


def unrelated(found: Sequence[Finding], pattern: str, steady: bool) -> bool:
    """Whether none of the findings can cause this pattern. `steady`: the output is the same in every order of warps."""
    return bool(pattern) and all(_unrelated(finding, pattern, steady) for finding in found)


def _unrelated(finding: Finding, pattern: str, steady: bool) -> bool:
    if finding.kind == "leak":
        return True
    if finding.kind == "race" and not steady and not in_one_warp(finding):
        return False
    return pattern in _NOT_FROM.get(finding.kind, ())


def two_mistakes(found: Sequence[Finding], sentences: Sequence[str], pattern: str) -> tuple[Mistake, ...]:
    """The finding comes first, because its line is known; but lost memory spoils no output, so it comes second."""
    finding, output = _of_finding(found[0], ""), _of_output(sentences, pattern)
    return (output, finding) if found[0].kind == "leak" else (finding, output)


def elsewhere(outcomes: Sequence[Outcome], sentences: Sequence[str], pattern: str) -> tuple[Mistake, ...]:
    """The wrong output, then the finding in the smallest other call that has one; empty: there is no finding at all.

    A call with n = 0 rarely has findings. There, the finding comes first if it is in a call that fails as well.
    """
    seen = with_findings(outcomes)
    if not seen:
        return ()
    case = seen[0].case
    at = f"at n = {case.n:,}" + (f", {case.variant}" if case.variant else "")
    output, finding = _of_output(sentences, pattern), _of_finding(merged(seen[:1])[0], at)
    return (finding, output) if pattern == "empty_input" and seen[0].is_wrong else (output, finding)


def also(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """One line about the smallest other call with a finding."""
    seen = elsewhere(outcomes, [""], "")[1:]
    return tuple("also found: " + one.reason + (f", {one.where}" if one.where else "") for one in seen)


def with_findings(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return sorted((one for one in outcomes if one.findings), key=lambda one: one.case.n)


def _of_finding(finding: Finding, at: str) -> Mistake:
    title = finding_title(finding) + (f" ({at})" if at else "")
    lines = tuple(finding_lines(finding, right=False))
    return Mistake(title, place_text(finding.place), finding.kind, lines, finding=finding)


def _of_output(sentences: Sequence[str], pattern: str) -> Mistake:
    return Mistake(sentences[0], pattern=pattern, details=tuple(sentences[1:]))
