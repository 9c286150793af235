"""Results for tests of pages: every text in one of them is hostile."""

from __future__ import annotations

import typing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec

from autograder.explain.explanation import Failure, Picture, WrongElement
from autograder.page.result_page import Person, report
from autograder.report.result import LabName, OutputResult, Result, TaskResult, TimeResult
from autograder.run.protocol import Counters, Finding, KernelReport, LineCounters, Place, Trace, TraceStep
from autograder.timing.study import TimeAt

ROOT = Path(__file__).resolve().parents[4]
HOSTILE = (
    "</script><script>alert(1)</script>\"><img src=x onerror=alert(2)>'{{ 7 * 7 }}{% raw %}&lt;&#60;"
    "</style></title></svg><svg onload=alert(3)>\x1b[31m\x07\u202e\x00]]><!-- javascript:alert(4)"
)
# What is left of it for people to read.
SHOWN = HOSTILE.replace("\x1b", "").replace("\x07", "").replace("\u202e", "").replace("\x00", "")
PLACE = Place("/x/scan.cu", 3, HOSTILE)
COUNTERS = Counters(
    instructions=12_345, lanes=12_345 * 32, global_loads=100, load_sectors=3200, ideal_load_sectors=400,
    shared_loads=10, shared_wavefronts=320, ideal_wavefronts=10, bank_conflicts=310,
)  # fmt: skip


def steps() -> list[TraceStep]:
    """Accesses of all kinds."""
    every = 2**32 - 1
    return [
        TraceStep("shared", "read", HOSTILE, 4, every, 32, 1, [128 * lane for lane in range(32)]),
        TraceStep("shared", "write", "tile", 4, every, 1, 1, [4 * lane for lane in range(32)]),
        TraceStep("shared", "read", "tile", 4, every, 1, 1, [8] * 32),
        TraceStep("shared", "read", "tile", 16, 0xFFFF, 2, 2, [16 * lane if lane < 16 else 0 for lane in range(32)]),
        TraceStep("global", "read", "d_in", 4, every, 32, 4, [4096 * lane + 4 for lane in range(32)]),
        TraceStep("global", "atomic", "d_in", 4, 0b1011, 1, 1, [20 * (lane < 4) for lane in range(32)]),
        TraceStep("global", "read", "d_in", 1, every, 1, 1, list(range(32))),
        TraceStep("global", "write", "d_out", 8, 1, 1, 1, [1_000_000_000_024] + [0] * 31),
    ]


def traced(first: list[TraceStep] | None = None) -> Trace:
    return Trace(PLACE, HOSTILE, (1, 0, 0), 2, 99, first if first is not None else steps())


def time(n: int = 4096, seconds: float = 2e-5) -> TimeResult:
    return TimeResult(n, seconds, 1e-5, 1e-5 / seconds, 0.5, 0.5, 1, True, False, 8.0 * n / seconds, 1e11, HOSTILE)


def task(name: str = "naive", verdict: Any = "AC", **more: Any) -> TaskResult:
    return TaskResult(name, 5.0, 10.0, True, verdict, **more)


def hostile_task() -> TaskResult:
    """With everything that a task can have."""
    finding = Finding("race", what=HOSTILE, help=HOSTILE, kernel=HOSTILE, array=HOSTILE, place=PLACE, other_place=PLACE)
    lines = [LineCounters(PLACE, COUNTERS), LineCounters(Place(HOSTILE, 7, HOSTILE), COUNTERS)]
    kernel = KernelReport(
        HOSTILE, grid=(4, 1, 1), block=(256, 1, 1), seconds=1e-5, limited_by="dram", total=COUNTERS, lines=lines
    )
    failure = Failure(
        33, HOSTILE, 1, 2, HOSTILE, 3, 33, (WrongElement(32, HOSTILE, HOSTILE, HOSTILE),), 1.0, 0.5,
        Picture("." * 30 + "x-u", 1, 0, 16, 33, HOSTILE),
    )  # fmt: skip
    return task(
        HOSTILE, "WA", output=OutputResult(3, 4), reason=HOSTILE, details=(HOSTILE,), kind=HOSTILE,
        where=HOSTILE, again=HOSTILE, failure=failure, findings=(finding,), notes=(finding,), time=time(),
        kernels=(kernel,),
        sizes=(TimeAt(256, 5e-6, 4e-6, 2048.0), TimeAt(1024, 6e-6, 5e-6, 8192.0)), trace=traced(), printed=HOSTILE,
    )  # fmt: skip


def result(*tasks: TaskResult, source: str = "scan.cu", compiler: str = "", text: str = "3") -> Result:
    return Result(
        lab=LabName(3, text, text, "03-scan", "scan.cu"), source=source, device=text, modelled=True, seed=text,
        points=5.0, of=10.0, full_marks=False, passed=False, partial=True, tasks=tasks, seconds=1.0, grader=text,
        compiler=compiler,
    )  # fmt: skip


def hostile_page(own: Path | None = None) -> bytes:
    person = Person(HOSTILE, (HOSTILE,))
    waiting = task(HOSTILE, "SKIP", reason=HOSTILE, where=HOSTILE)
    return report(result(hostile_task(), waiting, source=HOSTILE, text=HOSTILE), ROOT, own, person)


class Page(HTMLParser):
    """What a browser would make of it: elements with their attributes, and the text."""

    VOID: typing.ClassVar = ("meta", "br", "input", "hr", "img", "link")

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.inside: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(page.decode())
        self.close()
        assert not self._open, f"not closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"</{tag}> within {self._open}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open:
            self.inside[self._open[-1]] = self.inside.get(self._open[-1], "") + data

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


def decoded(page: Result) -> Result:
    """As it comes from a file."""
    return msgspec.json.decode(msgspec.json.encode(page), type=Result)
