"""A failure on the first screen: at most twelve rows, and what to do next. The rest is in the page and the result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text

from autograder.explain.evidence import UNWRITTEN
from autograder.explain.explanation import NOT_KNOWN, Failure, WrongElement
from autograder.explain.findings import LUCK, finding_lines, finding_title
from autograder.explain.places import place_text
from autograder.report.fold import Line, columns, number_of_rows, source_line
from autograder.report.listing import lines_at, source_lines
from autograder.report.result import TaskResult
from autograder.run.protocol import Finding
from autograder.sanitize import clean
from autograder.verdict import RIGHT

MOST_ROWS = 12
RIGHT_EDGE = 78  # where a place ends, if the terminal is wide enough
FEW = 2  # source lines of a finding
_AT = re.compile(r" \(at n = [^()]*\)$|^n = [\d,]+(, \w+)?: ")
_PLACE = re.compile(r"([\w.-]+):\d+$")  # at the end of a title
_COUNT = re.compile(
    r"[\d,]+ of [\d,]+ (value|element)s? ((is|are) )?wrong(, (the first )?at index [\d,]+)?"
)  # which the case says, too
# Words that begin a sentence of the virtual GPU; others may be names of the program.
_BEGINNINGS = (
    "thread",
    "threads",
    "block",
    "blocks",
    "lane",
    "lanes",
    "host",
    "launched",
    "the",
    "a",
    "an",
    "no",
    "not",
    "all",
)
# Lines of the details that the screen has in another place, or that are for the page.
SHOWS_LATE = ("out_of_bounds", "uninitialized", "use_after_free", "misaligned")  # what another line often has done
_ELSEWHERE = ("input:", "also found:", "note:", "seen:", "tried:", "> ")
OTHER_CALL, BESIDE = "seen in another call", "seen in this call, too"  # how lines about other findings begin


@dataclass(frozen=True)
class Said:
    """A line, and how soon it is left out where the rows are too many; 0: never."""

    line: Line
    rank: int = 0


def lines_of(
    task: TaskResult, number: int, is_next: bool, file: Path | None, width: int, other_file: bool = False
) -> list[Line]:
    """Why a task failed. `is_next`: it is the task that commands mean; `file`: where `task.where` is looked up.

    `other_file`: it is not the lab's own, so that commands have to name it.
    """
    title = _title(task, width)
    said = [
        Said(title),
        *(Said(line) for line in _source(task, file)),
        *(_short(one, title) for one in (*_seen(task), *_case(task))),
        *(Said(line) for line in _commands(task, number, is_next, file if other_file else None)),
    ]
    return fitting(said, width)


def _short(said: Said, title: Line) -> Said:
    """`in line 34` for `at scan.cu:34`, if the title names the file."""
    file = _PLACE.search(str(title.text))
    if file is None or isinstance(said.line.text, Text):
        return said
    name = re.escape(file[1])
    text = re.sub(rf"\bat {name}:(?=\d)", "in line ", said.line.text)
    text = re.sub(rf"(?<![\w./-]){name}:(?=\d)", "line ", text)
    return replace(said, line=replace(said.line, text=text))


def fitting(said: list[Said], width: int) -> list[Line]:
    """As many of the lines as the rows allow: what matters least goes first."""
    while number_of_rows([one.line for one in said], width) > MOST_ROWS:
        last = max(one.rank for one in said)
        if last == 0:
            break
        said.pop(next(at for at in reversed(range(len(said))) if said[at].rank == last))
    return [one.line for one in said]


def explaining(task: TaskResult) -> Finding | None:
    """The finding that explains the failure: not one of another call, and memory that is not freed spoils no output.

    Nor beside an overflow: which array is at the address that came of it is chance.
    """
    if any(line.startswith(OTHER_CALL) for line in task.details) or (task.cause and task.cause.kind == "overflow"):
        return None
    found = [one for one in task.findings if task.verdict == "CHECK" or one.kind != "leak"]
    return found[0] if found else None


def _title(task: TaskResult, width: int) -> Line:
    """What is wrong, and on the right its place."""
    finding = explaining(task)
    if task.cause:
        what, where = task.cause.title, task.cause.where
    elif finding:
        what, where = finding_title(finding), place_text(finding.place) or task.where
    else:
        what, where = _AT.sub("", task.reason), task.where
        if task.failure and task.failure.variant:
            what = what.removesuffix(f" ({task.failure.variant})")
    text = Text.assemble((task.name, "bold"), f": {clean(what, 300)}")
    if where and where not in what:
        gap = min(width - 2, RIGHT_EDGE) - cell_len(text.plain) - cell_len(where)
        text.append(" " * max(2, gap)).append(where, "dim")
    return Line(text, "", 2)


def _source(task: TaskResult, file: Path | None) -> Iterator[Line]:
    finding = explaining(task)
    if task.cause and task.cause.where:
        lines = lines_at(file, task.cause.where)
    elif finding:
        lines = source_lines(finding, 0)[:FEW] or lines_at(file, task.where)
    else:
        lines = lines_at(file, task.where)
    for line in lines:
        yield source_line(line)


def _seen(task: TaskResult) -> Iterator[Said]:
    """What happened, and what an experiment proved."""
    cause, finding = task.cause, explaining(task)
    if finding:
        yield from (Said(Line(sentence(line))) for line in [_what(task, finding)] if line)
        launched = clean(finding.launch.what, 400)
        yield from (Said(Line(sentence(line)), 3) for line in [launched] if line)
        beside = [line for line in task.details if line.startswith(BESIDE)]
        yield from (Said(Line(sentence(_upper(line))), 1) for line in beside)
    if cause:
        yield from (Said(Line(sentence(line))) for line in [cause.seen] if line)
        if cause.tried:
            yield Said(Line(f"Tried: {cause.tried}."))
    elif finding:
        yield from _of_finding(finding, task.verdict == "CHECK")
    else:
        yield from _details(task)


def _what(task: TaskResult, finding: Finding) -> str:
    """What was seen, and where, if the title names another place."""
    what, where = clean(finding.what, 400), place_text(finding.place)
    elsewhere = task.cause and where and where != task.cause.where and where not in what
    seen, called, callers = what.rstrip(".").partition(", called at ")
    return f"{seen}, at {where}{called}{callers}" if what and elsewhere else what


def _of_finding(finding: Finding, right: bool) -> Iterator[Said]:
    """Why it matters, where the output is right or the words do not say so; what helps; that it may only show here."""
    is_said = not right and (finding.kind == "race" or " written" in finding.what)
    for line in finding_lines(finding, right):
        if line.startswith("why it matters: ") and not is_said:
            yield Said(Line(_upper(line.removeprefix("why it matters: ")) + "."), 2 if LUCK in line else 5)
        elif line.startswith("what helps: "):
            yield Said(Line(_upper(line)), 4)
    if finding.kind in SHOWS_LATE:
        yield Said(Line("It shows in this line; the mistake may be in another one."), 2)


def _details(task: TaskResult) -> Iterator[Said]:
    """What the explanation says of a failure without a finding and without a proved cause."""
    kept = [line for line in task.details if not line.startswith(_ELSEWHERE) and not _COUNT.fullmatch(line)]
    for at, line in enumerate(line for line in kept if line != NOT_KNOWN):
        yield Said(Line(_upper(line)), 1 + at)
    notes = [line for line in task.details if line.startswith("note:")]
    least = 1 if task.verdict in RIGHT else 20
    yield from (Said(Line(_upper(line)), least + at) for at, line in enumerate(notes))
    if NOT_KNOWN in kept:
        yield Said(Line(sentence(NOT_KNOWN)))


def _case(task: TaskResult) -> Iterator[Said]:
    """The call that failed: its size, what of the output is wrong; all values of a small one."""
    failure = task.failure
    if failure is None:
        return
    given = next((line.removeprefix("input: ") for line in task.details if line.startswith("input: ")), "")
    is_counted = failure.of in (0, 1, failure.n)
    # What n counts is seen from the input, where the result has another number of values.
    inside = [part for part in (failure.variant, "" if is_counted else given) if part]
    call = f"n = {failure.n:,}" + (f" ({'; '.join(inside)})" if inside else "")
    if failure.inputs or failure.got:
        counted = f", {failure.wrong:,} of {failure.of:,} values wrong" if failure.of > 1 else ""
        yield Said(Line(call + counted))
        yield from (Said(line) for line in _values(failure))
    elif failure.elements:
        yield Said(Line(f"{call}{': ' if failure.of == 1 else ', '}{wrong_elements(failure)}"))
        if not task.cause and not explaining(task) and len(failure.elements) > 1:
            more = "; ".join(element(failure, one) for one in failure.elements[1:])
            yield Said(Line(f"then {more}"), 9)
    else:
        yield Said(Line(f"At {call}{f': {given}' if given else ''}"))
        return
    first = failure.elements[0] if failure.elements else None
    if first and first.owner and first.written:
        is_copy = failure.got[first.index : first.index + 1] == (UNWRITTEN,)
        by = "got memory that nobody had written, from" if is_copy else "was last written by"
        who = f"{_place_of(failure, first)} {by} {first.owner}"
        yield Said(Line(sentence(who)), 9 if task.cause or explaining(task) else 4)
    if given and is_counted:
        yield Said(Line(f"Input: {given}"), 6)


def wrong_elements(failure: Failure) -> str:
    """`1 of 33 values is wrong: d_out[32] is -636, expected -561`."""
    first = element(failure, failure.elements[0])
    if failure.of == 1:
        return first
    return f"{failure.wrong:,} of {failure.of:,} values {'is' if failure.wrong == 1 else 'are'} wrong: {first}"


def element(failure: Failure, one: WrongElement) -> str:
    """`d_out[32] is -636, expected -561`; of a matrix, with row and column."""
    at = f" ({one.place})" if one.place else ""
    is_ = f"is {one.got}" if one.written else "was never written"
    return f"{_place_of(failure, one)}{at} {is_}, expected {one.expected}"


def _place_of(failure: Failure, one: WrongElement) -> str:
    output = failure.output or "the result"
    return output if failure.of == 1 else f"{output}{one.name or f'[{one.index}]'}"


def _values(failure: Failure) -> list[Line]:
    """Input, expected and got, one row each; of a right output, whose call has changed an input, the input alone."""
    rows = [(f"input {one.name}", "  ".join(one.values) or "no values") for one in failure.inputs]
    name = f" {failure.output}" if failure.output else ""
    if failure.got:
        rows += [("expected", "  ".join(failure.expected)), (f"got{name}", "  ".join(failure.got))]
    return columns(rows, "    ")


def _commands(task: TaskResult, number: int, is_next: bool, file: Path | None) -> list[Line]:
    if task.verdict in ("IE", "SKIP"):
        return []
    only = "" if is_next else f" --task {task.name}"
    named = f" --file {file}" if file else ""
    if task.verdict in ("AC", "SLOW"):
        explain = f"./grader explain {number} --task {task.name}{named}"
        return [Line(explain)] if file else columns([(explain, "every line with its counters")])
    if file:  # hints are about the lab's own
        return [Line(f"./grader show {number} --task {task.name}{named}")]
    show, hint = f"./grader show {number}{only}", f"./grader hint {number}{only}"
    if not is_next:
        return [Line(f"{show} · {hint}")]
    return columns(
        [
            (show, "the case, who wrote what, and how to repeat it"),
            (hint, "the next step, without the answer"),
        ]
    )


def sentence(text: str) -> str:
    """With a capital letter and a full stop; a name of the program keeps its first letter."""
    text = clean(text, 400).strip()
    first = text.split(" ", 1)[0]
    text = _upper(text) if first in _BEGINNINGS else text
    return text if text.endswith((".", "?", "!", ":")) else f"{text}."


def _upper(text: str) -> str:
    """With a capital letter, unless it begins with the name of a file or the like."""
    if not re.match(r"[a-z]+([ ,:]|$)", text):
        return text
    return text[:1].upper() + text[1:]
