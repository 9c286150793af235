"""A call of a task on the virtual GPU, and what it counted. All calls of a program share one process."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.build.builder import Builder
from autograder.errors import UsageError
from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.plan.cases import Case
from autograder.plan.labs import find, suggest
from autograder.run.process import Runner
from autograder.run.protocol import Counters, KernelReport
from bench.ladder import running, variant_of
from mistakes.catalog import find_mistake
from mistakes.generate import generate, headers_of

DEVICE = "teaching"
ROOM = 1 << 30  # bytes of shared memory: enough for every call of a sheet, and reserved only


class FigureError(UsageError):
    """A figure that cannot be computed as written; the message says why."""


OF_KERNELS: dict[str, Callable[[KernelReport], float]] = {
    "launches": lambda one: one.launches,
    "blocks": lambda one: one.blocks,
    "threads": lambda one: one.blocks * one.block_threads,
    "microseconds": lambda one: 1e6 * one.seconds,
}
OF_COUNTERS: dict[str, Callable[[Counters], float]] = {
    "requests": lambda one: one.global_loads + one.global_stores,
    "sectors": lambda one: one.load_sectors + one.store_sectors,
    "ideal_sectors": lambda one: one.ideal_load_sectors + one.ideal_store_sectors,
    "bytes": lambda one: 32 * (one.load_sectors + one.store_sectors),
}


class Measured:
    """What a call counted: of all its kernels, of those with a name, or of the source lines with some text.

    Its attributes are the counters of the report, those of the two tables above, and active_lanes.
    """

    def __init__(self, title: str, kernels: Iterable[KernelReport], text: str | None = None) -> None:
        self.title, self.kernels, self.text = title, list(kernels), text

    def kernel(self, name: str) -> Measured:
        """Of the kernels with this name; with template arguments, of those with these."""
        pattern = re.compile(r"(^|[\s:*&])" + re.escape(name) + ("" if "<" in name else r"\s*[<(]"))
        found = [one for one in self.kernels if pattern.search(one.name)]
        if not found:
            names = ", ".join(sorted({one.name.partition("(")[0] for one in self.kernels}))
            raise FigureError(f"{self.title} has no kernel {name!r}; there are: {names}")
        return Measured(self.title, found, self.text)

    def lines(self, text: str) -> Measured:
        """Of the source lines in which the text occurs."""
        if not any(text in line.place.text for one in self.kernels for line in one.lines):
            raise FigureError(f"{self.title} has no line with {text!r}: --show lists them")
        return Measured(self.title, self.kernels, text)

    def __getattr__(self, name: str) -> float:
        if name in OF_KERNELS:
            if self.text is not None:
                raise FigureError(f"{name} is a number of kernels, not of lines")
            return sum(map(OF_KERNELS[name], self.kernels))
        if name == "active_lanes":
            return float(self.lanes / max(1, self.instructions))
        if name not in OF_COUNTERS and name not in Counters.__struct_fields__:
            known = [*OF_KERNELS, *OF_COUNTERS, *Counters.__struct_fields__]
            raise FigureError(f"nothing is called {name!r}{suggest(name, known)}")
        text = self.text
        counted = [one.total for one in self.kernels] if text is None else [
            line.counters for one in self.kernels for line in one.lines if text in line.place.text
        ]  # fmt: skip
        values = [OF_COUNTERS[name](one) if name in OF_COUNTERS else getattr(one, name) for one in counted]
        return max(values, default=0) if name.startswith("most_") else sum(values)


class Lab(ExitStack):
    """The calls of one lab's tasks and mistakes. Close it: it has processes."""

    def __init__(self, root: Path, number: int) -> None:
        super().__init__()
        self.root, self.number = root, number
        self.folder = find(root, str(number))
        self._builder = Builder(root, sandbox=False)
        self._runners: dict[Path, Runner] = {}
        self._known: dict[object, Measured] = {}

    @cached_property
    def solution(self) -> Path:
        """The program of the tasks, up to date, and with it the oracles."""
        return self._builder.lab(self.number, True)

    @cached_property
    def tasks(self) -> list[str]:
        return [task.name for task in Oracles(self.solution.parent).lab(self.number).tasks]

    def call(self, task: str, **options: Any) -> Measured:
        """One call of a task: options are those of build/labN, without n and variant as the task is timed."""
        return self._call(self.solution, task, options)

    def edited(self, mistake: str, **options: Any) -> Measured:
        """Of the task with a mistake."""
        found = find_mistake(self.folder, mistake)
        program = self._builder.file(self.number, generate(found), partial=True)
        return self._call(program, found.task, options, may_be_wrong=True)

    def changed(self, task: str, old: str, new: str, **options: Any) -> Measured:
        """Of the task with one text instead of another, which must occur once in it and its headers."""
        solution = self.root / "solutions" / self.folder.name
        texts = headers_of(solution) | {f"{task}.cu": (solution / f"{task}.cu").read_text("utf-8")}
        places = [name for name, text in texts.items() for _ in range(text.count(old))]
        if len(places) != 1:
            raise FigureError(f"{old!r} occurs {len(places)} times in {task}.cu and the headers beside it, not once")
        texts[places[0]] = texts[places[0]].replace(old, new)
        made = self.root / "build/answers" / hashlib.sha256(repr(texts).encode()).hexdigest()[:12]
        if not made.is_dir():
            made.mkdir(parents=True)
            for name, text in texts.items():
                (made / name).write_text(text, "utf-8")
        return self._call(self._builder.file(self.number, made / f"{task}.cu", partial=True), task, options)

    def _call(self, program: Path, task: str, options: dict[str, Any], may_be_wrong: bool = False) -> Measured:
        key = (program, task, tuple(sorted(options.items())))
        if key not in self._known:
            self._known[key] = self._made(program, task, dict(options), may_be_wrong)
        return self._known[key]

    def _made(self, program: Path, task: str, options: dict[str, Any], may_be_wrong: bool) -> Measured:
        title = " ".join([task, *(f"--{name} {value}" for name, value in options.items())])
        n, variant, seed = options.pop("n", None), options.pop("variant", None), options.pop("seed", 0)
        scalars = {name: self._number_of(name, value) for name, value in options.items()}
        oracles = Oracles(self.solution.parent, scalars)
        table = oracles.lab(self.number).task(task)
        if variant is not None and variant not in table.variants:
            raise FigureError(f"{task} has no variant {variant!r}{suggest(variant, table.variants)}")
        case = Case(task, variant or variant_of(table), table.timed_n if n is None else n, seed, 0)
        if program not in self._runners:
            self._runners[program] = self.enter_context(running(program, self.root / "build", DEVICE, ROOM))
        outcome = Checker(oracles, self.number).run(self._runners[program], case, checks=False, counters=True)
        if outcome.reply is None or not outcome.kernels or not (outcome.ok or may_be_wrong):
            raise FigureError(f"{title} did not come out right: {outcome.death or outcome.wrong or outcome.reply}")
        return Measured(title, outcome.kernels)

    def _number_of(self, name: str, value: object) -> int:
        """The number of a word such as --matrix band: its place in what the program's --help lists."""
        if isinstance(value, int):
            return value
        for words in re.findall(rf"^  --{name} WORD .*\(([^()]*)\)$", self._help, re.MULTILINE):
            known: list[str] = words.split(", ")
            if value in known:
                return known.index(str(value))
        raise FigureError(f"--{name} {value}: build/lab{self.number} --help lists no such word")

    @cached_property
    def _help(self) -> str:
        return subprocess.run([self.solution, "--help"], capture_output=True, text=True, check=True).stdout
