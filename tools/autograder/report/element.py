"""One wrong element on the terminal: what it should be, who wrote it, from which values."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors
from autograder.explain.places import short_name
from autograder.report.listing import source_lines
from autograder.report.text_page import Page
from autograder.run.protocol import Finding
from autograder.run.site import Place
from autograder.run.watched import Source, ValueRead, Watched, Writer
from autograder.sanitize import clean
from autograder.trace.call import Shown
from autograder.trace.writers import writer_text
from autograder.words import counted, number

WRITES = 4  # of a wrong element
READS = 4  # of the thread that wrote it: the first and the last
DEEPER = 1  # reads of which it is shown what their writers had read
DEEPER_READS = 2


def element(page: Page, told: Shown, errors: Errors, index: int, watched: Watched) -> None:
    elements = errors.elements
    got, expected = elements.text(elements.got[index]), elements.text(elements.expected[index])
    page.head(f"how {elements.name(watched.array, index)} came about")
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
    count, reads = watched.read_count, list(watched.reads)
    if len(reads) > READS:
        reads = [*reads[: READS // 2], *reads[-(READS - READS // 2) :]]
    page.line("it had read before, since its last write:" if count > 1 else "it had read before:", 6)
    left = count - len(reads)
    for at, read in enumerate(reads):
        if left > 0 and at == READS // 2:
            page.line(f"({counted(left, 'more read')})", 8)
        page.line(_read_text(told, errors, read), 8)
        if at < DEEPER:
            _deeper(page, told, errors, read)


def _deeper(page: Page, told: Shown, errors: Errors, read: ValueRead) -> None:
    """Where a value came from that was only passed on: the line that made it."""
    if not read.reads or read.writer.by != "thread":
        return
    _quoted(page, read.writer.place, 10)
    reads = read.reads[-DEEPER_READS:]
    left = read.read_count - len(reads)
    some = f", {counted(left, 'earlier read')} left out" if left > 0 else ""
    page.line(f"which had read{some}:", 10)
    for one in reads:
        page.line(_read_text(told, errors, one), 12)


def _read_text(told: Shown, errors: Errors, read: Source) -> str:
    value = _value(read.value, read.bytes, _type_of(told, errors, read), errors.elements)
    what = f"{clean(read.element, 80) or f'{clean(read.array, 80)}[{read.index}]'} = {value}"
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


def _quoted(page: Page, place: Place, indent: int = 6) -> None:
    for line in source_lines(Finding("race", place=place)):
        if indent == 6 or line.startswith(">"):  # deeper, the line alone
            page.source(clean(line, 400), indent)


def _type_of(told: Shown, errors: Errors, read: Source) -> np.dtype[np.generic]:
    """The type of a value in memory: that of the array if its name is known, else as the output's."""
    shape = told.seen.shape
    for spec in [*shape.inputs, *shape.outputs]:
        if spec.name == read.array and np.dtype(spec.dtype).itemsize == read.bytes:
            return np.dtype(spec.dtype)
    output = (
        np.dtype(told.outcome.wrong.shape.outputs[told.outcome.wrong.first].dtype)
        if (told.outcome.wrong)
        else np.dtype(np.int32)
    )
    if output.itemsize == read.bytes and not _is_tiny(read, output):
        return output
    return np.dtype(f"i{read.bytes}") if read.bytes in (1, 2, 4, 8) else np.dtype(np.int32)


def _is_tiny(read: Source, kind: np.dtype[np.generic]) -> bool:
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
