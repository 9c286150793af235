"""./grader show: one call on the terminal, and its arrays as files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from autograder.explain.evidence import Errors, values_of
from autograder.explain.findings import (
    explaining_first,
    finding_lines,
    finding_title,
    merged,
    more_findings,
    seen_lines,
)
from autograder.explain.places import place_text, short_name
from autograder.explain.reasons import short
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.plan.request import Request
from autograder.plan.tables import Array
from autograder.report.element import element
from autograder.report.listing import source_lines
from autograder.report.numbers import Column, numbers, table
from autograder.report.text_page import Page
from autograder.run.protocol import KernelReport
from autograder.sanitize import clean
from autograder.trace.call import Shown
from autograder.words import counted

WHOLE = 32  # elements of an array that is shown in full
AROUND = 8  # elements on either side of the first wrong one, of a longer array
PRINTED = 20  # lines of the program's own output
LAUNCHES = 12
FINDINGS = 3  # that are told in full


def show(out: Console, told: Shown, task: str, verdict: str, reason: str, tried: str, file: str) -> None:
    """The call with all that is known of it. `tried`: what proved the cause that `reason` names; "": none is proved."""
    page, outcome = Page(out), told.outcome
    case = outcome.case
    page.head(f"{file} · {task} · {verdict}")
    if reason:
        page.line(reason)
    if tried:
        page.line(f"Tried: {tried}.")
    _the_call(page, told, case)
    _findings(page, outcome, notes=False, proved=bool(tried))
    _arrays(page, told)
    _printed(page, told.printed)
    for index, watched in list(told.watched.items())[:1]:
        assert told.errors is not None
        element(page, told, told.errors, index, watched)
    _launches(page, outcome.kernels)
    _findings(page, outcome, notes=True)


def _the_call(page: Page, told: Shown, case: Case) -> None:
    outcome = told.outcome
    made = f"n = {case.n:,}" + (f", {case.variant}" if case.variant else "")
    page.line(f"the call: {made}" + (f"; {clean(outcome.input, 200)}" if outcome.input else ""))
    if told.number > 1 and told.fails:
        page.line(f"It is right in a new process and fails when it is made again: this is call {told.number}.")
    if not told.fails:
        page.line(
            "Made by itself it does not fail. The failure depends on the calls before it, or on chance: "
            "what follows is a call in which nothing was found."
        )
    if outcome.death is not None:
        page.line(f"It ended so: {outcome.death.reason}")
        for detail in outcome.death.details:
            page.line(detail, 6)
    elif outcome.reply is not None and outcome.reply.status not in ("ok", "skip"):
        page.line(f"It ended so: {short(outcome)}")


# ---- Arrays ----


def _arrays(page: Page, told: Shown) -> None:
    seen, errors = told.seen, told.errors
    at = told.outcome.wrong.first if told.outcome.wrong else 0
    named = list(zip(seen.shape.outputs, seen.outputs, seen.expected, strict=False))
    output = named[at] if named and told.outcome.death is None else None
    if errors is not None:
        page.head(_how_wrong(told, errors))
    else:
        page.head("input and output" if output else "input")
    pairs = errors is not None and errors.elements.packed
    length = _length(output[1].size if output else 0, pairs)
    beside: list[Column] = []
    for spec, array in zip(seen.shape.inputs, seen.inputs, strict=False):
        if length and _length(array.size, pairs) == length:
            beside.append(Column(spec.name, numbers(array, pairs)))
        elif len(spec.members) > 1:
            _alone(page, f"{spec.name} ({', '.join(spec.members)})", values_of(array, spec.members))
        else:
            _alone(page, f"{spec.name} ({spec.dtype})", numbers(array))
    if output is not None:
        spec, got, expected = output
        if errors is not None:
            wrong = [bool(one) for one in errors.elements.wrong]
            both = [numbers(expected, pairs), numbers(got, pairs)]
            if any(is_wrong and a == b for is_wrong, a, b in zip(wrong, *both, strict=False)):  # in the last digits
                both = [numbers(expected, pairs, exact=True), numbers(got, pairs, exact=True)]
            beside.append(Column("expected", both[0][: len(wrong)]))
            beside.append(Column("got", both[1], wrong))
        else:
            beside.append(Column(spec.name, numbers(got, pairs)))
        first = int(np.flatnonzero(errors.elements.wrong)[0]) if errors is not None else 0
        begin, end = window(length, first)
        if end - begin < length:
            page.line(f"elements {begin:,} to {end - 1:,} of {length:,}:")
        for row in table(beside, begin, end, page.width - 4):
            page.raw("    " + row)
    for which, (spec, got, expected) in enumerate(named):
        if which == at or told.outcome.death is not None:
            continue
        _alone(page, spec.name, numbers(got))
        if told.outcome.wrong and told.outcome.wrong.checked.wrong[which].any():
            _alone(page, f"{spec.name} should be", numbers(expected))


def _length(size: int, pairs: bool) -> int:
    return size // 2 if pairs else size


def window(length: int, first: int) -> tuple[int, int]:
    """The part of an array that is shown: all of it, or what is around the first wrong element."""
    if length <= WHOLE:
        return 0, length
    begin = max(0, min(first - AROUND, length - 2 * AROUND - 1))
    return begin, min(length, begin + 2 * AROUND + 1)


def _alone(page: Page, name: str, values: Sequence[str]) -> None:
    shown = values[:WHOLE] if len(values) > WHOLE else values
    rest = f" and {counted(len(values) - len(shown), 'more value')}" if len(shown) < len(values) else ""
    page.line(f"{name}: {' '.join(shown) or 'no elements'}{rest}")


def _how_wrong(told: Shown, errors: Errors) -> str:
    assert told.outcome.wrong is not None
    wrong, elements = told.outcome.wrong, errors.elements
    name = wrong.shape.outputs[wrong.first].name
    count = int(elements.wrong.sum())
    what = counted(elements.count, elements.noun)
    first = int(np.flatnonzero(elements.wrong)[0])
    if elements.past is not None:
        return f"{name}: {count:,} written after the result, which has {elements.past:,}"
    where = f", the first at {first:,}" if elements.count > 1 else ""
    if elements.width:
        where += f" ({elements.place(first)})"
    return f"{name}: {count:,} of {what} wrong{where}"


# ---- What the program did ----


def _launches(page: Page, kernels: Sequence[KernelReport]) -> None:
    if not kernels:
        page.head("no kernel was launched")
        return
    rows: list[tuple[str, int]] = []
    for kernel in kernels:
        text = _launch(kernel)
        if rows and rows[-1][0] == text:
            rows[-1] = (text, rows[-1][1] + 1)
        else:
            rows.append((text, 1))
    page.head("launches")
    for text, times in rows[:LAUNCHES]:
        page.line(text + (f", {times:,} times" if times > 1 else ""))
    if len(rows) > LAUNCHES:
        page.line(f"and {counted(sum(times for _, times in rows[LAUNCHES:]), 'launch', 'launches')} more")


def _launch(kernel: KernelReport) -> str:
    def size(of: tuple[int, int, int]) -> str:
        used = 3 if of[2] != 1 else 2 if of[1] != 1 else 1
        return f"{of[0]:,}".replace(",", "") if used == 1 else f"dim3({', '.join(map(str, of[:used]))})"

    shared = f", {kernel.shared_bytes}" if kernel.shared_bytes else ""
    text = f"{short_name(kernel.name)}<<<{size(kernel.grid)}, {size(kernel.block)}{shared}>>>"
    if kernel.by_kernel:
        return f"by a kernel: {text}" + (f", {kernel.launches:,} times" if kernel.launches > 1 else "")
    at = place_text(kernel.place)
    return f"{at}: {text}" if at else text


def _printed(page: Page, printed: Sequence[str]) -> None:
    if not printed:
        return
    page.head(f"printed by the program ({counted(len(printed), 'line')})")
    for line in printed[:PRINTED]:
        page.raw("    " + clean(line, max(40, page.width - 4)))
    if len(printed) > PRINTED:
        page.line(f"and {counted(len(printed) - PRINTED, 'line')} more")


# ---- Findings ----


def _findings(page: Page, outcome: Outcome, notes: bool, proved: bool = False) -> None:
    """What explains the verdict comes first; of more than a few, the places only. General advice is for those that no
    cause is proved for."""
    refused = outcome.reply is not None and outcome.reply.status == "cuda_error"
    found = merged([outcome], notes)
    some = found if notes else explaining_first(found, refused)
    for which, one in enumerate(some[:FINDINGS], 1):
        at = place_text(one.place)
        count = f" {which} of {len(some)}" if len(some) > 1 else ""
        page.head(f"{'noted' if notes else 'found'}{count}: {finding_title(one)}" + (f" · {at}" if at else ""))
        for line in source_lines(one):
            page.source(clean(line, 400), 6)
        for line in seen_lines(one) if proved else finding_lines(one, right=outcome.wrong is None):
            page.line(line)
    if len(some) > FINDINGS:
        page.line(more_findings(some[FINDINGS - 1 :])[0])


# ---- Files, and how to repeat ----


def save(out: Console, told: Shown, root: Path, folder: Path) -> None:
    """Writes the arrays as .npy files, and says where."""
    arrays: list[tuple[str, Array]] = []
    for spec, array in zip(told.seen.shape.inputs, told.seen.inputs, strict=False):
        arrays.append((spec.name, array))
    if told.outcome.death is None:
        for spec, got, expected in zip(told.seen.shape.outputs, told.seen.outputs, told.seen.expected, strict=False):
            arrays += [(f"{spec.name}.expected", expected), (f"{spec.name}.got", got)]
    page = Page(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.npy"):
            old.unlink()
        for name, array in arrays:
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
    except OSError as error:
        page.head(f"the arrays could not be saved: {folder}: {error.strerror}")
        return
    page.head(f"saved in {folder.relative_to(root) if folder.is_relative_to(root) else folder}/")
    page.line(", ".join(f"{name}.npy" for name, _ in arrays) + "; numpy.load() reads them")


def again(out: Console, case: Case, lab: int, master: str, request: Request, device: str) -> None:
    """The commands that repeat the call."""
    page = Page(out)
    words = ["./grader", "show", str(lab), "--task", case.task, "--n", str(case.n)]
    words += ["--variant", case.variant] if case.variant else []
    words += ["--file", str(request.file)] if request.file else ["--solution"] if request.solution else []
    words += ["--device", device] if device else []
    page.head("again")
    page.raw("    " + shlex.join([*words, "--seed", master]))
    if request.file is None:
        name = f"build/{'solution' if request.solution else 'lab'}{lab}"
        own = [name, "--task", case.task, *(["--variant", case.variant] if case.variant else []), "--n", str(case.n)]
        own += ["--seed", str(case.seed), "--schedule", str(case.schedule), "--check"]
        page.raw("    " + shlex.join([*own, *(["--device", device] if device else [])]))
