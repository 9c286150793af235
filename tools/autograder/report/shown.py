"""./grader show: one call on the terminal, and its arrays as files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from autograder.explain.evidence import Errors, first_wrong
from autograder.explain.findings import finding_lines, finding_title
from autograder.explain.places import place_text, short_name
from autograder.explain.reasons import short
from autograder.explain.words import counted, number
from autograder.judge.outcome import Outcome
from autograder.plain import clean
from autograder.plan.cases import Case
from autograder.plan.manifest import Manifest
from autograder.plan.request import Request
from autograder.plan.tables import Array
from autograder.report.listing import source_lines
from autograder.report.numbers import Column, numbers, table
from autograder.run.protocol import Finding, KernelReport
from autograder.run.watched import Place, ValueRead, Watched, Writer
from autograder.trace.call import Shown
from autograder.trace.writers import writer_text

WHOLE = 32  # elements of an array that is shown in full
AROUND = 8  # elements on either side of the first wrong one, of a longer array
PRINTED = 20  # lines of the program's own output
LAUNCHES = 12
WRITES = 8  # of a wrong element


class Page:
    """Lines of text on the terminal. What a program made is printed as it is, without markup."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def head(self, text: str) -> None:
        self._out.print()
        self._out.print(f"  {text}", markup=False, style="bold", soft_wrap=False)

    def line(self, text: str = "", indent: int = 4) -> None:
        """A sentence: it is broken at words."""
        width = max(20, self._out.width - indent)
        words, row = text.split(" "), ""
        for word in words:
            if row and len(row) + 1 + len(word) > width:
                self.raw(" " * indent + row)
                row = "  " + word
            else:
                row = f"{row} {word}" if row else word
        self.raw(" " * indent + row)

    def raw(self, text: str) -> None:
        self._out.print(text, markup=False, soft_wrap=True)

    @property
    def width(self) -> int:
        return self._out.width


def show(out: Console, told: Shown, manifest: Manifest, task: str, verdict: str, reason: str, file: str) -> None:
    """The call with all that is known of it."""
    page, outcome = Page(out), told.outcome
    case = outcome.case
    page.head(f"{file} · {task} · {verdict}")
    if reason:
        page.line(reason)
    _the_call(page, told, case)
    _arrays(page, told)
    _launches(page, outcome.kernels)
    _printed(page, told.printed)
    for index, watched in list(told.watched.items())[:1]:
        assert told.errors is not None
        _element(page, told, told.errors, index, watched)
    _findings(page, outcome)


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
    at = first_wrong(told.outcome.wrong) if told.outcome.wrong else 0
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
    name = wrong.shape.outputs[first_wrong(wrong)].name
    count = int(elements.wrong.sum())
    what = counted(elements.count, elements.noun)
    first = int(np.flatnonzero(elements.wrong)[0])
    if elements.past is not None:
        return f"{name}: {count:,} written after the result, which has {elements.past:,}"
    where = f", the first at {first:,}" if elements.count > 1 else ""
    if elements.width:
        where += f" (row {first // elements.width:,}, column {first % elements.width:,})"
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


# ---- One element ----


def _element(page: Page, told: Shown, errors: Errors, index: int, watched: Watched) -> None:
    elements = errors.elements
    got, expected = elements.text(elements.got[index]), elements.text(elements.expected[index])
    name = watched.array
    page.head(f"how {name}[{index}] came about")
    if elements.past is not None and index >= elements.past:
        page.line(f"it should be left as it was, and is {got}")
    elif not watched.writes:
        page.line(f"it should be {expected}, and nobody wrote it: it is what the grader has put there before the call")
    else:
        page.line(f"it should be {expected}, and is {got}")
    if not watched.writes:
        return
    kind = elements.got.dtype
    last = watched.writes[-1].writer
    times = f", the last of {watched.count:,} writes" if watched.count > 1 else ""
    page.line(f"written by {_who(last)}{times}")
    _quoted(page, last.place)
    _reads(page, told, errors, watched)
    if watched.count > 1:
        page.line("all writes, in order:" if watched.count <= WRITES else "the first and the last writes:")
        shown = list(watched.writes)
        left = watched.count - len(watched.writes)
        if len(shown) > WRITES:
            left += len(shown) - WRITES
            shown = [*shown[: WRITES // 2], *shown[-(WRITES - WRITES // 2) :]]
        for at, one in enumerate(shown):
            if left and at == WRITES // 2:
                page.line(f"({counted(left, 'more write')})", 6)
            value = _value(one.value, watched.bytes, kind, elements)
            page.line(f"{value} by {_who(one.writer)}", 6)


def _reads(page: Page, told: Shown, errors: Errors, watched: Watched) -> None:
    last = watched.writes[-1].writer
    if last.by != "thread":
        for read in watched.reads:
            page.line(f"copied from {_read_text(told, errors, read)}", 6)
        return
    if not watched.reads:
        page.line("it had read nothing from global or shared memory since its write before that", 6)
        return
    count = watched.read_count
    page.line("it had read before, since its last write:" if count > 1 else "it had read before:", 6)
    left = count - len(watched.reads)
    for at, read in enumerate(watched.reads):
        if left > 0 and at == 2:
            page.line(f"({counted(left, 'more read')})", 8)
        page.line(_read_text(told, errors, read), 8)


def _read_text(told: Shown, errors: Errors, read: ValueRead) -> str:
    value = _value(read.value, read.bytes, _type_of(told, errors, read), errors.elements)
    what = f"{clean(read.array, 80)}[{read.index:,}] = {value}"
    if read.access == "atomic":
        what = f"{what}, the value that the atomic found"
    is_input = any(spec.name == read.array for spec in told.seen.shape.inputs)
    if is_input and read.writer.by == "":
        return f"{what}, the input"
    if read.writer.by == "":
        return f"{what}, which nobody had written in this call"
    who = _who(read.writer)
    return f"{what}, written by {who}" if who else what


def _who(writer: Writer) -> str:
    text = writer_text(writer)
    if writer.by == "thread":
        kernel = short_name(writer.name)
        text += f" ({kernel}{f', launch {writer.launch:,}' if writer.launch > 1 else ''}{_atomic(writer)})"
    return text


def _atomic(writer: Writer) -> str:
    return ", by an atomic" if writer.access == "atomic" else ""


def _quoted(page: Page, place: Place) -> None:
    for line in source_lines(Finding("race", place=place)):
        page.raw("      " + clean(line, max(40, page.width - 6)))


def _type_of(told: Shown, errors: Errors, read: ValueRead) -> np.dtype[np.generic]:
    """The type of a value in memory: that of the array if its name is known, else as the output's."""
    shape = told.seen.shape
    for spec in [*shape.inputs, *shape.outputs]:
        if spec.name == read.array and np.dtype(spec.dtype).itemsize == read.bytes:
            return np.dtype(spec.dtype)
    output = (
        np.dtype(told.outcome.wrong.shape.outputs[first_wrong(told.outcome.wrong)].dtype)
        if (told.outcome.wrong)
        else np.dtype(np.int32)
    )
    if output.itemsize == read.bytes and not _is_tiny(read, output):
        return output
    return np.dtype(f"i{read.bytes}") if read.bytes in (1, 2, 4, 8) else np.dtype(np.int32)


def _is_tiny(read: ValueRead, kind: np.dtype[np.generic]) -> bool:
    """Whether bits that would be a number close to 0, as a float, are those of a small integer."""
    if kind.kind != "f":
        return False
    bits = int(read.value, 16)
    mantissa = {2: 10, 4: 23, 8: 52}[kind.itemsize]
    small = 0 < bits < 1 << mantissa
    negative = bits >> (8 * kind.itemsize - 16) == 0xFFFF and kind.itemsize > 2
    return small or negative


def _value(text: str, size: int, kind: np.dtype[np.generic], elements: Errors) -> str:
    """The bits as people read them."""
    raw = int(text, 16).to_bytes(8, "little")
    if size == 8 and elements.packed:
        return elements.text(np.frombuffer(raw, np.uint64)[0])
    if size > 8 or kind.itemsize != size:
        return f"0x{text}"
    return number(np.frombuffer(raw[:size], kind)[0])


# ---- Findings ----


def _findings(page: Page, outcome: Outcome) -> None:
    report = outcome.reply.report if outcome.reply else None
    found = list(report.findings) if report else []
    for title, some in (
        ("found", [one for one in found if not one.is_note]),
        ("noted", [one for one in found if one.is_note]),
    ):
        for which, one in enumerate(some, 1):
            at = place_text(one.place)
            count = f" {which} of {len(some)}" if len(some) > 1 else ""
            page.head(f"{title}{count}: {finding_title(one)}" + (f" · {at}" if at else ""))
            for line in source_lines(one):
                page.raw("      " + clean(line, max(40, page.width - 6)))
            for line in finding_lines(one, right=outcome.wrong is None):
                page.line(line)


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
