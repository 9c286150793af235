"""From a judgement to its reason: what the table and the lines under it say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.cause.causes import Cause
from autograder.explain.case import Symptom, at_text, symptom_of
from autograder.explain.evidence import Errors, errors_of, examples, output_name, small
from autograder.explain.explanation import NOT_KNOWN, Explanation, Failure
from autograder.explain.findings import STOPPING, explaining_first, finding_lines, finding_title, merged, more_findings
from autograder.explain.observed import observed
from autograder.explain.picture import picture_of
from autograder.explain.places import place_text, short_place
from autograder.judge.judgement import Judgement, on_host
from autograder.judge.outcome import REFUSED, Outcome
from autograder.run.protocol import Finding
from autograder.sanitize import clean
from autograder.words import counted

ENOUGH = 16  # elements that show where the wrong ones are
# Notes on what all of today's GPUs do and CUDA does not promise.
WORKS_HERE = ("block_order", "plain_read", "co_residency", "shuffle_order", "shuffle_place")


def explain(
    judgement: Judgement, file: str, printed: str, one_size: bool = False, cause: Cause | None = None
) -> Explanation:
    """Why the judgement is what it is.

    `file`: the student's; `printed`: by the process; `one_size`: only one was asked for, so mention no other;
    `cause`: if experiments prove one.
    """
    shown = judgement.shown
    notes = merged(judgement.outcomes, notes=True)
    if shown is None:
        return right(notes)
    if judgement.verdict == "SKIP":
        return _not_started(shown, file)
    if judgement.verdict == "CHECK":
        case, seen = Symptom(host_text(shown)), _Seen(_here_first(shown, judgement.outcomes))
        failure, told = failure_of(shown), _suspicious(case, seen, shown, notes)
    else:
        case = symptom_of(judgement, shown, printed, one_size)
        seen, failure = _seen(judgement, shown, case), failure_of(shown, judgement.outcomes)
        told = _failed(case, seen, judgement, notes)
    return replace(_proved(cause, case, seen, shown) if cause else told, failure=failure, notes=notes)


def right(notes: tuple[Finding, ...]) -> Explanation:
    """Of a right output. Threads that left before a barrier are mentioned all the same."""
    return Explanation(details=tuple(_left_early(notes)), notes=notes)


def short(outcome: Outcome) -> str:
    """One line about a call that failed."""
    if outcome.death:
        return outcome.death.reason
    reply = outcome.reply
    if reply and reply.status != "ok":
        return clean(reply.message or reply.status, 300)
    return _wrong_count(errors_of(outcome, outcome.wrong)) if outcome.wrong else "nothing"


def _not_started(outcome: Outcome, file: str) -> Explanation:
    """Says where to start."""
    assert outcome.reply is not None
    where = short_place(clean(outcome.reply.where, 200)) or file
    todo = clean(outcome.reply.todo, 40) or clean(outcome.reply.message, 60).removeprefix("TODO ")
    return Explanation(f"not started: {where} TODO {todo}".rstrip(), where=where)


@dataclass(frozen=True)
class _Seen:
    """What the virtual GPU has found."""

    findings: tuple[Finding, ...] = ()
    other: Outcome | None = None  # the call in which it was, if not the one that is shown

    def line(self) -> str:
        """The first, and in which call it was seen."""
        worst = self.findings[0]
        if self.other is None:
            return f"seen: {finding_title(worst)}"
        return f"seen in another call, at {at_text(self.other)}: {_in_a_line(worst)}"


def _seen(judgement: Judgement, shown: Outcome, case: Symptom) -> _Seen:
    """In the call that is shown; or else in the smallest other one."""
    here = explaining_first(merged([shown]), case.by_cuda)
    others = [] if here or case.kind else [one for one in judgement.outcomes if one.findings]
    other = min(others, key=lambda one: one.case.n, default=None)
    return _Seen(merged([other]), other) if other else _Seen(here)


def _here_first(shown: Outcome, every: Sequence[Outcome]) -> tuple[Finding, ...]:
    """The findings of the call that is shown, as it has them; then those that only other calls have."""
    here = merged([shown])
    known = {(one.kind, one.place, one.other_place.line) for one in here}
    return (*here, *(one for one in merged(every) if (one.kind, one.place, one.other_place.line) not in known))


def _suspicious(case: Symptom, seen: _Seen, shown: Outcome, notes: Sequence[Finding]) -> Explanation:
    """The output is right, but the program is not."""
    if not seen.findings:
        return Explanation(case.reason, ("kernels must do the work; time spent on the CPU and on copies counts, too",))
    worst = seen.findings[0]
    details = (*finding_lines(worst, right=True), *more_findings(seen.findings), *_input(shown), *_left_early(notes))
    return Explanation(finding_title(worst), details, worst.kind, place_text(worst.place), findings=seen.findings)


def _proved(cause: Cause, case: Symptom, seen: _Seen, shown: Outcome) -> Explanation:
    """The proved cause, its proof and the case; nothing else is said beside a proof."""
    here = seen.findings if seen.other is None else ()  # what was found in other calls is gone with the repair as well
    here = () if cause.kind == "overflow" else here  # which array is at the address that came of it is chance
    what = [clean(one.what, 300) for one in here[:1] if one.what]
    found = [": ".join([seen.line(), *what]), *more_findings(here)] if here else []
    tried = f"tried: {cause.tried}" if cause.tried else ""
    told = [cause.seen, tried, case.reason, *found, *_input(shown)]
    details = tuple(line for line in told if line)
    return Explanation(cause.title, details, cause.kind, cause.where, findings=seen.findings, cause=cause)


def host_text(outcome: Outcome) -> str:
    """How the CPU did the work; "" if it did not."""
    n = outcome.case.n
    copied = outcome.reply.report.bytes_to_host if outcome.reply and outcome.reply.report else 0
    return {
        "": "",
        "no_kernel": f"computed on the host: no kernel was launched for n = {n:,}",
        "copied": f"computed on the host: {copied:,} bytes were copied there inside the task at n = {n:,}",
        "kept": f"computed on the host: the device did not get the input of n = {n:,}",
        "not_fetched": f"computed on the host: the output of n = {n:,} was not copied from the device",
    }[on_host(outcome)]


def _failed(case: Symptom, seen: _Seen, judgement: Judgement, notes: Sequence[Finding]) -> Explanation:
    """The call that failed, and what was found. Beside a finding nothing is said about the output."""
    shown, kind, findings = judgement.shown, case.kind, seen.findings
    assert shown is not None
    if findings and seen.other is None:
        case = _with_findings(case, findings, shown)
    elif case.known:  # what was seen in another call is not needed to explain it
        case, findings = case.with_details(*([seen.line()] if findings else [])), ()
    else:
        about = _observed(shown, judgement.outcomes)
        found = [seen.line(), *finding_lines(findings[0], right=False)] if findings else [NOT_KNOWN]
        case = replace(case, details=(*([about] if about else []), *case.details, *found))
    details = (*case.details, *_input(shown), *_left_early(notes), *failed_calls(notes), *_works_here(notes))
    return Explanation(
        case.reason, details, kind or (findings[0].kind if findings else ""), case.where, findings=findings
    )


def _observed(shown: Outcome, everything: Sequence[Outcome]) -> str:
    """What the output shows; if it has too few elements, that of the smallest wrong call that has enough."""
    if shown.wrong is None:
        return ""
    for one in (shown, *sorted(everything, key=lambda one: (one.case.n < ENOUGH, one.case.n))):
        if one.wrong and (told := observed(errors_of(one, one.wrong))):
            return told if one is shown else f"at {at_text(one)}: {told}"
    return ""


def _in_a_line(finding: Finding) -> str:
    at = place_text(finding.place)
    return finding_title(finding) + (f", {at}" if at else "")


def failure_of(outcome: Outcome, others: Sequence[Outcome] = ()) -> Failure:
    """The call, and what of its output is wrong."""
    case = outcome.case
    call = (case.n, case.variant, case.seed, case.schedule)
    answered = outcome.reply is not None and outcome.reply.status not in REFUSED
    if outcome.wrong is None or not answered:
        return Failure(*call)
    errors, checked = errors_of(outcome, outcome.wrong), outcome.wrong.checked
    inputs, expected, got = small(errors, outcome.wrong)
    if outcome.wrong.only_modified:
        return Failure(*call, inputs=inputs)
    return Failure(
        *call,
        output_name(outcome.wrong),
        int(errors.elements.wrong.sum()),
        errors.elements.count,
        examples(errors),
        checked.worst_error,
        checked.tolerance,
        picture_of(outcome, others),
        inputs,
        expected,
        got,
    )


def _wrong_count(errors: Errors) -> str:
    elements = errors.elements
    return f"{int(elements.wrong.sum()):,} of {counted(elements.count, elements.noun)} wrong"


def _with_findings(said: Symptom, findings: Sequence[Finding], shown: Outcome) -> Symptom:
    """What was seen in the failing call."""
    worst, *others = findings
    lines = tuple(finding_lines(worst, right=False))
    stopped = said.by_cuda and any(one.kind in STOPPING for one in findings)
    endless = next((one for one in findings if one.kind == "endless"), None)
    headline = stopped or worst.kind in ("deadlock", "endless", "invalid_ptx")
    if stopped:
        # Other blocks go on when a kernel is ended: what was seen is not always before that.
        beside = [one for one in others if one.kind not in STOPPING][:1]
        earlier = [f"seen in this call, too: {_in_a_line(one)}: {clean(one.what, 300)}" for one in beside]
        findings = [one for one in findings if one not in beside]
        by_cuda = said.reason.removesuffix(f" (at {at_text(shown)})")
        details = (*lines, *earlier, *said.details, f"CUDA says: {by_cuda}")
    elif headline:
        details = (*said.details, *lines)
    else:
        details = (*said.details, f"seen: {finding_title(worst)}", *lines)
        if endless:  # that ended the call
            said = replace(said, reason=f"{finding_title(endless)} (at {at_text(shown)})")
    return replace(
        said,
        reason=f"{finding_title(worst)} (at {at_text(shown)})" if headline else said.reason,
        details=(*details, *more_findings(findings)),
        where=place_text(worst.place) or said.where,
    )


def _input(outcome: Outcome) -> list[str]:
    """What n alone does not tell: the shape of an image, the number of bins."""
    return [f"input: {clean(outcome.input, 200)}"] if outcome.input else []


def failed_calls(notes: Sequence[Finding]) -> list[str]:
    """Calls in kernels that failed. The output is right without them, but the program does not do what was intended."""
    failed = [note for note in notes if note.kind == "failed_call"]
    times = f", {failed[0].count:,} times" if failed and failed[0].count > 1 else ""
    return [f"note: {clean(failed[0].what, 300)}{times}: {clean(failed[0].help, 300)}"] if failed else []


def _works_here(notes: Sequence[Finding]) -> list[str]:
    kinds = {note.kind: note for note in reversed(notes) if note.kind in WORKS_HERE}
    return [f"note: {clean(note.what, 300)}: {clean(note.help, 300)}" for note in kinds.values()]


def _left_early(notes: Sequence[Finding]) -> list[str]:
    """Threads that returned before a barrier: no defect by itself, but what they should have written is missing."""
    early = [note for note in notes if note.kind == "early_exit"]
    if not early:
        return []
    what, left = clean(early[0].what, 300), early[0].other_place
    at = place_text(left)
    if left.text.strip() == "}" and at:
        what = what.replace(at, f"{at} (its closing brace)", 1)
    return [f"note: {what}"]
