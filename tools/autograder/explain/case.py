"""How a call failed: what its output, its end or CUDA says, before anything is explained."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.explain.coverage import without_thread
from autograder.explain.evidence import errors_of
from autograder.explain.findings import merged
from autograder.explain.observed import is_untouched
from autograder.explain.places import short_name, short_place
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import REFUSED, Outcome, verdict_of
from autograder.run.death import Death
from autograder.run.protocol import Finding, KernelReport, Reply
from autograder.sanitize import clean

# What no single call shows.
TOGETHER = {
    "by_chance": "right on one run and wrong on the next, with the same input",
    "powers_of_two": "of the sizes tried, right only where n is a power of two",
    "powers_of_two_and_tiles": (
        "of the sizes tried, right only where n is a power of two, or a multiple of the tile size"
    ),
}
MOST_NAMES = 5  # variants that are listed
# What CUDA's names do not tell somebody who reads them for the first time.
CUDA_ERRORS = {
    "cudaErrorInvalidConfiguration": (
        "CUDA refuses a launch of 0 blocks, of 0 threads, or of more than 1,024 threads per block"
    ),
    "cudaErrorInvalidValue": "CUDA refuses an argument: a size, a pointer, or more shared memory than a block may have",
}


@dataclass(frozen=True)
class Symptom:
    """How a call failed."""

    reason: str
    details: tuple[str, ...] = ()
    where: str = ""
    kind: str = ""  # of what the program's end tells
    known: bool = False  # the case itself says what is wrong
    by_cuda: bool = False  # CUDA refused

    def with_details(self, *more: str) -> Symptom:
        return replace(self, details=(*self.details, *more))


def symptom_of(judgement: Judgement, outcome: Outcome, printed: str, one_size: bool) -> Symptom:
    """How the call failed."""
    at = at_text(outcome)
    if verdict_of(outcome) is None:
        return Symptom(f"{at}: right each time, but not the same bits from run to run")
    if outcome.death:
        return _died(outcome.death, at, printed)
    if outcome.reply and outcome.reply.status in REFUSED:
        return _refused(outcome.reply, at, merged([outcome], notes=True))
    return _wrong(judgement, outcome, one_size)


def at_text(outcome: Outcome) -> str:
    return f"n = {outcome.case.n:,}" + (f", {outcome.case.variant}" if outcome.case.variant else "")


def _died(death: Death, at: str, printed: str) -> Symptom:
    details = death.details
    if printed and death.kind == "crash" and not death.finding:
        details += tuple("the process printed: " + line for line in printed.strip().splitlines()[-3:])
    return Symptom(f"{death.reason} (at {at})", details, death.where, death.finding, known=bool(death.finding))


def _refused(reply: Reply, at: str, notes: Sequence[Finding]) -> Symptom:
    message = clean(reply.message, 300) or reply.status
    message = re.sub(r"^/[^:]*/", "", message)  # removes the file's folders, and nothing of the call
    details = refused_launch(notes) or tuple(text for name, text in CUDA_ERRORS.items() if name in reply.message)
    by_cuda = reply.status == "cuda_error"  # which has said what it refuses, and where
    return Symptom(
        f"{message} (at {at})", details, short_place(clean(reply.where, 200)), known=by_cuda, by_cuda=by_cuda
    )


def refused_launch(notes: Sequence[Finding]) -> tuple[str, ...]:
    """Which limit a launch by the host breaks."""
    refused = [one for one in notes if one.kind == "failed_call" and one.launch.place.line]
    return tuple(clean(one.what, 300) for one in refused[-1:])


def _wrong(judgement: Judgement, outcome: Outcome, one_size: bool) -> Symptom:
    """From which size on the output is wrong, by how much, and what the calls show together."""
    n, variant = outcome.case.n, outcome.case.variant
    reason = ((f"wrong at n = {n:,}" if one_size else _onwards(judgement, outcome)) if n else "wrong for n = 0") + (
        f" ({variant})" if variant else ""
    )
    details = [TOGETHER[judgement.together]] if judgement.together in TOGETHER else []
    details += _by_variant(judgement, n)
    known, kind = outcome.unfinished, ""
    if outcome.unfinished:
        where = short_place(clean(outcome.reply.where, 200)) if outcome.reply else ""
        details.append(f"todo() is reached here: {where}")
    if outcome.wrong:
        errors, checked = errors_of(outcome, outcome.wrong), outcome.wrong.checked
        past = errors.past
        known = known or bool(outcome.wrong.modified)
        if outcome.wrong.only_modified:
            return Symptom(f"{outcome.wrong.modified} was changed by the call, and is an input", known=True)
        details += [f"{outcome.wrong.modified} was changed by the call"] if outcome.wrong.modified else []
        each = max(1, len(errors.members))  # numbers in an element
        details += [f"the result has {past // each:,} elements, and more were written"] if past is not None else []
        written = not (errors.poisoned & errors.wrong).any()  # else the error is that of what was there before
        if checked.tolerance and checked.worst_error is not None and written:
            largest = f"largest error {checked.worst_error:.3g}"
            details.append(f"{largest}; rounding explains at most {checked.tolerance:.3g}")
        details += without_thread(errors, outcome.kernels)
        every = (errors_of(one, one.wrong) for one in judgement.outcomes if one.wrong)
        if not known and is_untouched(errors) and all(map(is_untouched, every)):
            known, kind, reason = True, "nothing_written", f"{reason}: nothing was written to the result"
            details.append(_ran(outcome.kernels))
    return Symptom(reason, tuple(details), kind=kind, known=known)


def _onwards(judgement: Judgement, outcome: Outcome) -> str:
    """Whether all larger sizes of this variant are wrong, too, or how many of them."""
    n, variant = outcome.case.n, outcome.case.variant
    larger = [one for one in judgement.outcomes if one.case.n > n and one.case.variant == variant]
    sizes = {one.case.n for one in larger}
    wrong = {one.case.n for one in larger if verdict_of(one) is not None}
    if wrong == sizes:
        return f"wrong from n = {n:,} on"
    return f"wrong at n = {n:,} " + (f"and {len(wrong)} of {len(sizes)} larger" if wrong else "only")


def _by_variant(judgement: Judgement, n: int) -> list[str]:
    """Which variants are wrong, and which are right at such sizes, if there are both."""
    wrong = {one.case.variant for one in judgement.outcomes if verdict_of(one) is not None}
    tried = [one.case.variant for one in judgement.outcomes if one.case.n >= n and one.case.variant not in wrong]
    right = list(dict.fromkeys(tried))
    if not right or "" in wrong:
        return []
    names = list(dict.fromkeys(one.case.variant for one in judgement.outcomes if one.case.variant in wrong))
    return [f"wrong with {_listed(names)}; right with {_listed(right)}"]


def _listed(names: Sequence[str]) -> str:
    shown = names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _ran(kernels: Sequence[KernelReport]) -> str:
    """What ran, though nothing was written."""
    names = list(dict.fromkeys(short_name(one.name).partition("<")[0] for one in kernels))
    return f"{', '.join(names)} ran, and wrote none of it" if names else "no kernel was launched"
