"""From outcomes to a verdict with its reason: what the table and the lines under it say."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.explain import causes
from autograder.explain.evidence import Pattern, counted
from autograder.explain.findings import (
    STOPPING,
    finding_lines,
    finding_title,
    merged,
    more_findings,
    place_text,
    short_place,
)
from autograder.explain.patterns import FINDING_NAMES
from autograder.judge.check import Outcome, Wrong
from autograder.plain import clean
from autograder.plan.manifest import TaskEntry
from autograder.report.result import Failure, Mistake, OutputResult, TaskResult, WrongElement
from autograder.run.death import Death
from autograder.run.protocol import Finding, Reply
from autograder.score import Verdict, performance
from autograder.timing.measure import Lie, Stopped, Timing
from autograder.timing.speed import where_time_goes

# What CUDA's names do not say to somebody who reads them for the first time.
REFUSED = {
    "cudaErrorInvalidConfiguration": "CUDA refuses a launch of 0 blocks, of 0 threads, or of over 1024 threads a block",
    "cudaErrorInvalidValue": "CUDA refuses an argument: a size, a pointer, or more shared memory than a block may have",
}


def verdict_of(outcome: Outcome) -> Verdict | None:
    """The verdict that this call alone deserves; None: nothing wrong but, perhaps, findings."""
    if outcome.death:
        verdicts: dict[str, Verdict] = {"crash": "RTE", "timeout": "TLE", "memory": "MLE"}
        return verdicts[outcome.death.kind]
    assert outcome.reply is not None
    if any(finding.kind == "deadlock" for finding in outcome.findings):
        return "TLE"  # found instead of a hang
    if outcome.reply.status in ("cuda_error", "exception", "bad_request"):
        if outcome.findings and outcome.wrong is None and outcome.reply.status == "cuda_error":
            return None  # right output, and the check says what was done wrong: CHECK
        return "RTE"
    return "WA" if outcome.wrong else None


def count(result: TaskResult, outcomes: Sequence[Outcome], planned: int) -> None:
    right = sum(1 for one in outcomes if verdict_of(one) is None and not one.skipped)
    result.output = OutputResult(right, planned)


def skip(result: TaskResult, outcome: Outcome, file: str) -> None:
    """Not started: say where."""
    assert outcome.reply is not None
    result.verdict = "SKIP"
    result.where = short_place(clean(outcome.reply.where, 200)) or file
    todo = clean(outcome.reply.todo, 40) or clean(outcome.reply.message, 60).removeprefix("TODO ")
    result.reason = f"not started: {result.where} TODO {todo}".rstrip()


def skipped_later(outcome: Outcome) -> Wrong:
    """todo() is met for some calls only: begun, so it is judged."""
    where = outcome.reply.where if outcome.reply else ""
    return Wrong("", 0, 0, [], [Pattern("partly_written", f"todo() is reached here: {short_place(clean(where, 200))}")])


def short(outcome: Outcome) -> str:
    """One line about a call that failed."""
    if outcome.death:
        return outcome.death.reason
    reply = outcome.reply
    if reply and reply.status != "ok":
        return clean(reply.message or reply.status, 300)
    if outcome.wrong:
        return f"{outcome.wrong.count:,} of {counted(outcome.wrong.of, 'value')} wrong"
    return "nothing"


def failed(
    result: TaskResult,
    outcome: Outcome,
    others: Sequence[Outcome],
    patterns: Sequence[Pattern],
    printed: str,
    alone: bool = False,
    steady: bool = False,
) -> None:
    """The smallest failing call, told as its reader needs it.

    `others`: all calls of the task; `alone`: one size was asked for; `steady`: wrong in the same way in every schedule.
    """
    case = outcome.case
    verdict = verdict_of(outcome)
    result.verdict = verdict or "WA"
    result.failure = Failure(case.n, case.variant, case.seed, case.schedule)
    result.findings = merged([outcome])
    if not result.findings and (verdict is None or any(one.name == "nondeterministic" for one in patterns)):
        result.findings = merged(causes.with_findings(others)[:1])  # what goes wrong by chance is not seen in every run
    at = f"n = {case.n:,}" + (f", {case.variant}" if case.variant else "")
    reply = outcome.reply
    if verdict is None:
        result.pattern = "last_bits"
        result.reason = f"{at}: right each time, but not the same bits from run to run"
        result.details = ["the order in which threads add up decides the last bits of a float: fix the order"]
    elif outcome.death:
        _died(result, outcome.death, at, printed)
    elif reply and reply.status in ("cuda_error", "exception", "bad_request"):
        result.pattern = "cuda_error" if reply.status == "cuda_error" else "crash"
        result.reason = f"{error_text(reply)} (at {at})"
        result.where = short_place(clean(reply.where, 200))
        result.details = [text for name, text in REFUSED.items() if name in reply.message]
    elif outcome.wrong:
        # What threads did explains more than that the input was empty.
        patterns = [one for one in patterns if one.name != "empty_input" or not result.findings]
        sentences = _wrong(result, outcome.wrong, patterns, alone)
        result.mistakes = _mistakes(result, others, sentences, steady)
        result.details[:0] = [] if result.mistakes else sentences
    if result.mistakes:
        result.where = result.mistakes[0].where
    elif result.findings:
        _found(result, at)
    else:
        result.details += causes.also(others)
    result.details += _input(outcome)
    notes = merged(others, notes=True)
    result.details += _left_early(notes) + _failed_calls(notes)


def _mistakes(result: TaskResult, others: Sequence[Outcome], sentences: Sequence[str], steady: bool) -> list[Mistake]:
    """The two of them, where the output's errors are not those that the findings make."""
    sentences = sentences or ["the output is wrong"]
    if not result.findings:
        return causes.elsewhere(others, sentences, result.pattern)
    return (
        causes.both(result.findings, sentences, result.pattern)
        if causes.apart(result.findings, result.pattern, steady)
        else []
    )


def _input(outcome: Outcome) -> list[str]:
    """What n alone does not tell: the shape of an image, the number of bins."""
    return [f"input: {clean(outcome.input, 200)}"] if outcome.input else []


def _died(result: TaskResult, death: Death, at: str, printed: str) -> None:
    result.pattern = death.pattern or death.kind
    result.reason = f"{death.reason} (at {at})"
    result.where = death.where
    result.details = list(death.details)
    if printed and death.kind == "crash" and not death.pattern:
        result.details += ["it printed: " + line for line in printed.strip().splitlines()[-3:]]


def _found(result: TaskResult, at: str) -> None:
    """What the virtual GPU saw in the failing call is the cause, or near it."""
    worst = result.findings[0]
    told = finding_lines(worst, right=False)
    result.where = place_text(worst.place) or result.where
    if worst.kind == "deadlock":
        result.reason = f"{finding_title(worst)} (at {at})"
    if result.pattern == "cuda_error" and worst.kind in STOPPING:
        result.details.append(f"CUDA says: {result.reason.removesuffix(f' (at {at})')}")
        result.reason = f"{finding_title(worst)} (at {at})"
        result.details[:0] = told
    elif worst.kind == "deadlock":
        result.details += told
    else:
        result.details += ["what the virtual GPU saw: " + finding_title(worst), *told]
    result.details += more_findings(result.findings)
    if result.pattern in ("cuda_error", "") or worst.kind == "deadlock":
        result.pattern = worst.kind if worst.kind in FINDING_NAMES else result.pattern


def _failed_calls(notes: Sequence[Finding]) -> list[str]:
    """Calls in kernels that failed, so that the program had to do without: right, and not what was meant."""
    failed = [note for note in notes if note.kind == "failed_call"]
    times = f", {failed[0].count:,} times" if failed and failed[0].count > 1 else ""
    return [f"note: {clean(failed[0].what, 300)}{times}: {clean(failed[0].help, 300)}"] if failed else []


def _left_early(notes: Sequence[Finding]) -> list[str]:
    """Threads that left before a barrier: no defect alone, but what they were to bring is missing then."""
    early = [note for note in notes if note.kind == "early_exit"]
    if not early:
        return []
    what, left = clean(early[0].what, 300), early[0].other_place
    at = place_text(left)
    if left.text.strip() == "}" and at:
        what = what.replace(at, f"{at} (the closing brace: its end)", 1)
    return [f"note: {what}"]


def _wrong(result: TaskResult, wrong: Wrong, patterns: Sequence[Pattern], alone: bool) -> list[str]:
    """Fills in what is wrong; returns what the errors have in common, in sentences."""
    assert result.failure is not None
    failure = result.failure
    failure.output, failure.wrong, failure.of = wrong.output, wrong.count, wrong.of
    failure.worst_error, failure.tolerance = wrong.worst_error, wrong.tolerance
    failure.elements = [WrongElement(e.index, e.expected, e.got, e.owner) for e in wrong.examples]
    variant = f" ({failure.variant})" if failure.variant else ""
    onwards = f"wrong at n = {failure.n:,}" if alone else f"wrong from n = {failure.n:,} on"
    result.reason = (onwards if failure.n else "wrong for n = 0") + variant
    if wrong.tolerance is not None and wrong.worst_error is not None and wrong.tolerance > 0:
        result.details.append(f"largest error {wrong.worst_error:.3g}; rounding explains {wrong.tolerance:.3g}")
    if patterns:
        result.pattern = patterns[0].name
        return [pattern.sentence for pattern in patterns]
    return [f"{wrong.count:,} of {counted(wrong.of, 'value')} wrong"] if wrong.of > 1 else []


def checks(result: TaskResult, outcomes: Sequence[Outcome], virtual: bool) -> None:
    """Right output: is the program right, too?"""
    result.verdict = "AC"
    result.clean = True if virtual else None
    result.notes = merged(outcomes, notes=True)
    found = merged(outcomes)
    if found:
        worst = found[0]
        result.verdict, result.clean = "CHECK", False
        result.findings = found
        result.pattern = worst.kind if worst.kind in FINDING_NAMES else ""
        result.where = place_text(worst.place)
        result.reason = finding_title(worst)
        first = next(one for one in outcomes if one.findings)
        result.details = [*finding_lines(worst, right=True), *more_findings(found), *_input(first)]
        result.details += _left_early(result.notes)
        case = first.case
        result.failure = Failure(case.n, case.variant, case.seed, case.schedule)
        return
    for outcome in outcomes:
        told = on_host(outcome) if virtual else ""
        if told:
            result.verdict, result.clean = "CHECK", False
            result.reason, result.pattern = told, "host_computed"
            result.details = ["the work is to be done by kernels; the time of the CPU and of copies counts as well"]
            case = outcome.case
            result.failure = Failure(case.n, case.variant, case.seed, case.schedule)
            return


def on_host(outcome: Outcome) -> str:
    """Whether the CPU did the work: no kernel at all, or the input was fetched by copies."""
    report = outcome.reply.report if outcome.reply else None
    if report is None or outcome.case.n < 256 or not outcome.ok:
        return ""
    if not report.kernels and not outcome.empty:
        return f"computed on the host: no kernel was launched for n = {outcome.case.n:,}"
    if outcome.on_host:
        return ""
    fetched = report.bytes_to_host
    if fetched * 2 >= outcome.input_bytes > 0:
        return f"computed on the host: {fetched:,} bytes were copied there inside the task at n = {outcome.case.n:,}"
    return ""


def timed(result: TaskResult, found: Timing | Stopped | Lie, entry: TaskEntry, printed: str) -> None:
    """What the timed calls say beyond the time."""
    if isinstance(found, Lie):
        result.verdict, result.pattern, result.reason = "RTE", "crash", found.reason
    elif isinstance(found, Stopped) and not found.is_reference:
        outcome = found.outcome
        failed(result, outcome, [outcome], outcome.wrong.patterns[:1] if outcome.wrong else [], printed)
        result.reason = f"in the timed call: {result.reason}"
    elif isinstance(found, Timing):
        result.kernels = found.kernels
        if performance(found.scored) < 1.0:
            result.pattern = "slow"
            result.reason = f"{1 / found.ratio:.1f} times the reference's time at n = {found.n:,}"
            result.details = _failed_calls(result.notes) + where_time_goes(found.kernels)
        if found.noisy:
            result.details.append(f"noisy: between {found.low:.2f}x and {found.high:.2f}x; measure again")


def error_text(reply: Reply) -> str:
    message = clean(reply.message, 300) or reply.status
    return message.rsplit("/", 1)[-1] if message.startswith("/") else message
