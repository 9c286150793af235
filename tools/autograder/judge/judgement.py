"""The verdict of a task, from its calls; what its time is worth comes later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.judge.calls import Ran
from autograder.judge.outcome import Outcome, failing, verdict_of
from autograder.judge.search import Search, Together
from autograder.verdict import Verdict

FEW = 256  # elements: the host may do so little work, as a lab's smallest tasks have reason to
HOST_SHARE = 4  # of a call's input, one byte in so many may be copied there: with all of it, the host can do the work
TABLE = 16384  # bytes that may be copied, if the task allows it, however small the input: a table of counts

OnHost = Literal["", "no_kernel", "copied", "kept", "not_fetched"]


@dataclass(frozen=True)
class Judgement:
    """The verdict of a task's calls."""

    verdict: Verdict
    outcomes: tuple[Outcome, ...]  # all calls, also those made to find the smallest that fails
    shown: Outcome | None = None  # the call that decides
    together: Together = ""
    right: int = 0  # of the planned calls
    planned: int = 0
    clean: bool | None = None  # None: nothing was checked


def decide(ran: Ran, planned: int, search: Search, shrink: bool, virtual: bool) -> Judgement:
    """The first that fits: not started, something failed, other bits, a finding, done by the host, right."""
    outcomes = ran.outcomes
    right = sum(verdict_of(one) is None and not one.skipped for one in outcomes)
    if ran.not_started:
        return Judgement("SKIP", outcomes, outcomes[0], right=right, planned=planned)
    failed = failing(outcomes)
    refused = next((one for one in failed if verdict_of(one) == "CE"), None)
    if refused:
        return alone(refused, outcomes, "CE", right, planned)
    if failed and failed[0].is_wrong:
        found = search.run(outcomes, shrink)
        shown = failing(found.outcomes)[0]
        verdict = verdict_of(shown) or "WA"
        return Judgement(verdict, found.outcomes, shown, found.together, right, planned)
    decides = failed[0] if failed else ran.unstable
    if decides:
        return alone(decides, outcomes, "WA", right, planned)
    doubtful = [one for one in outcomes if suspicious(one, virtual)]
    if doubtful:
        # What the virtual GPU found names a line: it comes before work done on the host.
        shown = next((one for one in doubtful if one.findings), doubtful[0])
        return Judgement("CHECK", outcomes, shown, right=right, planned=planned, clean=False)
    return Judgement("AC", outcomes, right=right, planned=planned, clean=True if virtual else None)


def alone(
    shown: Outcome, outcomes: Sequence[Outcome], otherwise: Verdict, right: int = 0, planned: int = 0
) -> Judgement:
    """The judgement that one call decides, without a search. `otherwise`: the verdict if nothing is wrong with it."""
    verdict = verdict_of(shown) or otherwise
    clean = False if verdict == "CHECK" else None
    return Judgement(verdict, tuple(outcomes), shown, right=right, planned=planned, clean=clean)


def suspicious(outcome: Outcome, virtual: bool) -> bool:
    """Whether a right output was produced in a wrong way."""
    return bool(outcome.findings or (virtual and on_host(outcome)))


def on_host(outcome: Outcome) -> OnHost:
    """Whether the CPU did the work: no kernel at all, or more was copied to it than the task needs there."""
    report = outcome.reply.report if outcome.reply else None
    if report is None or outcome.case.n < FEW or not outcome.ok:
        return ""
    if not report.kernels and not outcome.empty:
        return "no_kernel"
    if outcome.on_host:  # copies are part of the task
        if report.bytes_to_device * 2 < outcome.input_bytes:
            return "kept"
        return "not_fetched" if report.bytes_to_host * 2 < outcome.output_bytes else ""
    if report.bytes_to_host > min(outcome.host_bytes, max(outcome.input_bytes // HOST_SHARE, TABLE)):
        return "copied"
    return ""
