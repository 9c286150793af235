"""From a judgement to its reason: what the table and the lines under it say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.explain import causes
from autograder.explain.evidence import Errors, errors_of, examples, output_name
from autograder.explain.explanation import Explanation, Failure, Mistake, Pattern
from autograder.explain.findings import STOPPING, finding_lines, finding_title, merged, more_findings
from autograder.explain.patterns.choice import chosen
from autograder.explain.patterns.rules import Rule
from autograder.explain.picture import picture_of
from autograder.explain.places import place_text, short_place
from autograder.explain.words import counted
from autograder.judge.judgement import Judgement, on_host
from autograder.judge.outcome import REFUSED, Outcome, verdict_of
from autograder.plain import clean
from autograder.run.death import Death
from autograder.run.protocol import FINDING_KINDS, Finding, Reply

# Notes on what all of today's GPUs do and CUDA does not promise.
WORKS_HERE = ("block_order", "plain_read", "co_residency", "shuffle_order", "shuffle_place")
# What CUDA's names do not tell somebody who reads them for the first time.
CUDA_ERRORS = {
    "cudaErrorInvalidConfiguration": (
        "CUDA refuses a launch of 0 blocks, of 0 threads, or of more than 1,024 threads per block"
    ),
    "cudaErrorInvalidValue": "CUDA refuses an argument: a size, a pointer, or more shared memory than a block may have",
}


def explain(
    judgement: Judgement, rules: Sequence[Rule], file: str, printed: str, one_size: bool = False
) -> Explanation:
    """Why the judgement is what it is.

    `file`: the student's; `printed`: by the process; `one_size`: only one was asked for, so mention no other.
    """
    outcome = judgement.shown
    if outcome is None:
        return Explanation(notes=merged(judgement.outcomes, notes=True))
    if judgement.verdict == "SKIP":
        return _not_started(outcome, file)
    if judgement.verdict == "CHECK":
        return _suspicious(judgement, outcome)
    return _failed(judgement, outcome, rules, printed, one_size)


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


def _suspicious(judgement: Judgement, outcome: Outcome) -> Explanation:
    """The output is right, but the program is not."""
    notes = merged(judgement.outcomes, notes=True)
    found = merged(judgement.outcomes)
    if not found:
        details = ("kernels must do the work; time spent on the CPU and on copies counts, too",)
        return Explanation(host_text(outcome), details, "host_computed", failure=failure_of(outcome), notes=notes)
    worst = found[0]
    return Explanation(
        finding_title(worst),
        (*finding_lines(worst, right=True), *more_findings(found), *_input(outcome), *_left_early(notes)),
        worst.kind if worst.kind in FINDING_KINDS else "",
        place_text(worst.place),
        failure=failure_of(outcome),
        findings=found,
        notes=notes,
    )


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


def _failed(judgement: Judgement, outcome: Outcome, rules: Sequence[Rule], printed: str, one_size: bool) -> Explanation:
    """The smallest failing call, described as its reader needs it."""
    everything = judgement.outcomes
    unstable = verdict_of(outcome) is None
    findings = merged([outcome])
    if not findings and (unstable or judgement.together == "by_chance"):
        findings = merged(causes.with_findings(everything)[:1])  # not every run shows what depends on chance
    at = f"n = {outcome.case.n:,}" + (f", {outcome.case.variant}" if outcome.case.variant else "")
    mistakes: tuple[Mistake, ...] = ()
    if unstable:
        said = Explanation(
            f"{at}: right each time, but not the same bits from run to run",
            ("the last bits of a floating-point sum depend on the order of its additions: keep that order fixed",),
            "last_bits",
        )
    elif outcome.death:
        said = _died(outcome.death, at, printed)
    elif outcome.reply and outcome.reply.status in REFUSED:
        said = _refused(outcome.reply, at)
    else:
        # What the threads did explains more than the empty input does.
        patterns = [one for one in chosen(judgement, rules) if one.name != "empty_input" or not findings]
        said = _wrong(outcome, patterns, one_size)
        sentences = _sentences(outcome, patterns)
        mistakes = _mistakes(findings, judgement, sentences or ["the output is wrong"], said.pattern)
        said = said if mistakes else replace(said, details=(*sentences, *said.details))
    if mistakes:
        said = replace(said, where=mistakes[0].where)
    elif findings:
        said = _with_findings(said, findings, at)
    else:
        said = replace(said, details=said.details + causes.also(everything))
    notes = merged(everything, notes=True)
    return replace(
        said,
        details=(*said.details, *_input(outcome), *_left_early(notes), *failed_calls(notes), *_works_here(notes)),
        failure=failure_of(outcome, everything),
        findings=findings,
        mistakes=mistakes,
    )


def failure_of(outcome: Outcome, others: Sequence[Outcome] = ()) -> Failure:
    """The call, and what of its output is wrong."""
    case = outcome.case
    call = (case.n, case.variant, case.seed, case.schedule)
    answered = outcome.reply is not None and outcome.reply.status not in REFUSED
    if outcome.wrong is None or not answered:
        return Failure(*call)
    errors, checked = errors_of(outcome, outcome.wrong), outcome.wrong.checked
    return Failure(
        *call,
        output_name(outcome.wrong),
        int(errors.elements.wrong.sum()),
        errors.elements.count,
        examples(errors, outcome.kernels),
        checked.worst_error,
        checked.tolerance,
        picture_of(outcome, others),
    )


def _died(death: Death, at: str, printed: str) -> Explanation:
    details = death.details
    if printed and death.kind == "crash" and not death.pattern:
        details += tuple("the process printed: " + line for line in printed.strip().splitlines()[-3:])
    return Explanation(f"{death.reason} (at {at})", details, death.pattern or death.kind, death.where)


def _refused(reply: Reply, at: str) -> Explanation:
    message = clean(reply.message, 300) or reply.status
    message = re.sub(r"^/[^:]*/", "", message)  # removes the file's folders, and nothing of the call
    return Explanation(
        f"{message} (at {at})",
        tuple(text for name, text in CUDA_ERRORS.items() if name in reply.message),
        "cuda_error" if reply.status == "cuda_error" else "crash",
        short_place(clean(reply.where, 200)),
    )


def _wrong(outcome: Outcome, patterns: Sequence[Pattern], one_size: bool) -> Explanation:
    """Says from which size on the output is wrong, and by how much."""
    n, variant = outcome.case.n, outcome.case.variant
    onwards = f"wrong at n = {n:,}" if one_size else f"wrong from n = {n:,} on"
    reason = (onwards if n else "wrong for n = 0") + (f" ({variant})" if variant else "")
    checked = outcome.wrong.checked if outcome.wrong else None
    details: tuple[str, ...] = ()
    if checked and checked.tolerance is not None and checked.worst_error is not None and checked.tolerance > 0:
        details = (f"largest error {checked.worst_error:.3g}; rounding explains at most {checked.tolerance:.3g}",)
    return Explanation(reason, details, patterns[0].name if patterns else "")


def _sentences(outcome: Outcome, patterns: Sequence[Pattern]) -> list[str]:
    """What the errors have in common."""
    if patterns or outcome.wrong is None:
        return [pattern.sentence for pattern in patterns]
    errors = errors_of(outcome, outcome.wrong)
    return [_wrong_count(errors)] if errors.elements.count > 1 else []


def _wrong_count(errors: Errors) -> str:
    elements = errors.elements
    return f"{int(elements.wrong.sum()):,} of {counted(elements.count, 'value')} wrong"


def _mistakes(
    findings: Sequence[Finding], judgement: Judgement, sentences: Sequence[str], pattern: str
) -> tuple[Mistake, ...]:
    """Two mistakes, if the findings cannot be the cause of the wrong output."""
    if not findings:
        return causes.elsewhere(judgement.outcomes, sentences, pattern)
    if causes.unrelated(findings, pattern, judgement.steady):
        return causes.two_mistakes(findings, sentences, pattern)
    return ()


def _with_findings(said: Explanation, findings: Sequence[Finding], at: str) -> Explanation:
    """A finding of the virtual GPU in the failing call is the cause, or close to it."""
    worst = findings[0]
    lines = tuple(finding_lines(worst, right=False))
    stopped = said.pattern == "cuda_error" and worst.kind in STOPPING
    endless = next((one for one in findings if one.kind == "endless"), None)
    headline = stopped or worst.kind in ("deadlock", "endless", "invalid_ptx")
    if stopped:
        details = (*lines, *said.details, f"CUDA says: {said.reason.removesuffix(f' (at {at})')}")
    elif headline:
        details = (*said.details, *lines)
    else:
        details = (*said.details, "what the virtual GPU saw: " + finding_title(worst), *lines)
        if endless:  # that ended the call
            said = replace(said, reason=f"{finding_title(endless)} (at {at})")
    named = worst.kind in FINDING_KINDS and (
        said.pattern in ("cuda_error", "") or worst.kind in ("deadlock", "endless")
    )
    return replace(
        said,
        reason=f"{finding_title(worst)} (at {at})" if headline else said.reason,
        details=(*details, *more_findings(findings)),
        pattern=worst.kind if named else said.pattern,
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
