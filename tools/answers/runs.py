"""A call of a rung on the virtual GPU, and what it counted. All calls of a program share one process."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from answers.errors import FigureError
from autograder.build.builder import Builder
from autograder.errors import CompileError, GraderError, UsageError
from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.plan.labs import find, suggest
from autograder.run.machine import machine
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.run.protocol import Counters, KernelReport
from mistakes.catalog import find_mistake
from mistakes.generate import generate

# None: the rung; a mistake's name; or a text and what stands in its place.
Change: TypeAlias = "str | tuple[str, str] | None"

DEVICE = "teaching"
ROOM = 48 << 20  # bytes of shared memory: enough for nearly all calls, and reserved only
LIMITS = ProcessLimits(300.0, 16384.0, 0, 60.0)
NOT_LINES = ("blocks", "threads", "launches", "microseconds", "elapsed")


class Measured:
    """What a call counted: of all its kernels, of those with a name, or of the source lines with some text."""

    def __init__(
        self,
        title: str,
        kernels: Iterable[KernelReport],
        again: Callable[[], float] | None = None,
        text: str | None = None,
    ) -> None:
        """`again`: makes the same call once more, and gives the seconds that all of it takes."""
        self.title, self.kernels, self._again, self._text = title, list(kernels), again, text

    def kernel(self, name: str) -> Measured:
        """Of the kernels with this name; with template arguments, of those with these."""
        pattern = re.compile(r"(^|[\s:*&])" + re.escape(name) + ("" if "<" in name else r"\s*[<(]"))
        found = [one for one in self.kernels if pattern.search(one.name)]
        if not found:
            names = ", ".join(sorted({one.name.partition("(")[0] for one in self.kernels}))
            raise FigureError(f"{self.title} has no kernel {name!r}; there are: {names}")
        return Measured(self.title, found, None, self._text)

    def lines(self, text: str) -> Measured:
        """Of the source lines in which the text occurs."""
        if not any(text in line.place.text for one in self.kernels for line in one.lines):
            raise FigureError(f"{self.title} has no line with {text!r}: --show lists them")
        return Measured(self.title, self.kernels, None, text)

    def counters(self) -> list[Counters]:
        if self._text is None:
            return [one.total for one in self.kernels]
        return [line.counters for one in self.kernels for line in one.lines if self._text in line.place.text]

    def value(self, name: str) -> float:
        """One number by its name: a counter of the report, or one of those below."""
        if self._text is not None and name in NOT_LINES:
            raise FigureError(f"{name} is a number of kernels, not of lines")
        if name in Counters.__struct_fields__:
            values = [int(getattr(one, name)) for one in self.counters()]
            return max(values, default=0) if name.startswith("most_") else sum(values)
        special: dict[str, Callable[[], float]] = {
            "launches": lambda: sum(one.launches for one in self.kernels),
            "blocks": lambda: sum(one.blocks for one in self.kernels),
            "threads": lambda: sum(one.blocks * one.block_threads for one in self.kernels),
            "requests": lambda: self.sum("global_loads", "global_stores"),
            "sectors": lambda: self.sum("load_sectors", "store_sectors"),
            "ideal_sectors": lambda: self.sum("ideal_load_sectors", "ideal_store_sectors"),
            "bytes": lambda: 32 * self.sum("load_sectors", "store_sectors"),
            "active_lanes": lambda: self.sum("lanes") / max(1, self.sum("instructions")),
            "microseconds": lambda: 1e6 * sum(one.seconds for one in self.kernels),
            "elapsed": lambda: 1e6 * self.elapsed(),
        }
        if name not in special:
            known = [*special, *Counters.__struct_fields__]
            raise FigureError(f"nothing is called {name!r}{suggest(name, known)}")
        return float(special[name]())

    def elapsed(self) -> float:
        """Seconds of the whole call: kernels, launches, copies, allocations. Not the first, which fills workspaces."""
        if self._again is None:
            raise FigureError("elapsed is a time of a whole call")
        return self._again()

    def sum(self, *names: str) -> float:
        return sum(self.value(name) for name in names)


class Lab:
    """The calls of one lab's rungs and mistakes. Close it: it has processes."""

    def __init__(self, root: Path, number: int) -> None:
        self.root, self.number = root, number
        self.folder = find(root, str(number))
        self._build = root / "build"
        self._oracles: dict[str, Oracles] = {}
        self._programs: dict[Change, Path] = {}
        self._runners: dict[Path, tuple[Runner, SharedMemory]] = {}
        self._known: dict[object, Measured] = {}
        self.calls = self.timings = 0  # timings: of whole calls

    def close(self) -> None:
        for runner, shared in self._runners.values():
            runner.close()
            shared.close()
        self._runners = {}

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def tasks(self) -> list[str]:
        return [task.name for task in self._with({}).lab(self.number).tasks]

    def call(self, task: str, options: Mapping[str, Any], change: Change = None) -> Measured:
        """One call of a rung, or of the rung as changed. Options are those of build/labN."""
        key = (task, change, tuple(sorted(options.items())))
        if key not in self._known:
            self._known[key] = self._call(task, dict(options), change)
        return self._known[key]

    def _call(self, task: str, options: dict[str, Any], change: Change) -> Measured:
        words = [f"--{name} {value}" for name, value in options.items()]
        title = " ".join([change if isinstance(change, str) else task, *words])
        n, variant = options.pop("n", None), options.pop("variant", None)
        seed, schedule = options.pop("seed", 0), options.pop("schedule", 0)
        scalars = {name: self._number_of(name, value) for name, value in options.items()}
        oracles = self._with(scalars)
        table = next((one for one in oracles.lab(self.number).tasks if one.name == task), None)
        if table is None:
            raise FigureError(f"lab {self.number} has no task {task!r}{suggest(task, self.tasks)}")
        if variant is not None and variant not in table.variants:
            raise FigureError(f"{task} has no variant {variant!r}{suggest(variant, table.variants)}")
        chosen = variant or (table.variants[0] if table.variants else "")
        case = Case(task, chosen, table.timed_n if n is None else n, seed, schedule)
        checker = Checker(oracles, self.number)
        try:
            program = self._program(task, change)
            room = checker.room([case])
            runner = self._runner(program, room)
        except GraderError as error:
            raise FigureError(f"{title}: {error}") from None

        may_be_wrong = isinstance(change, str)

        def again() -> float:
            self.timings += 1
            for _ in range(2):  # another task's call may have come between, so the first allocates the workspace
                reply = self._made(title, checker, self._runner(program, room), case, may_be_wrong).reply
            return reply.report.seconds - reply.report.host_seconds if reply and reply.report else 0.0

        return Measured(title, self._made(title, checker, runner, case, may_be_wrong).kernels, again)

    def _made(self, title: str, checker: Checker, runner: Runner, case: Case, may_be_wrong: bool) -> Outcome:
        self.calls += 1
        outcome = checker.run(runner, case, checks=False, counters=True)
        if outcome.reply is None or not outcome.kernels or not (outcome.ok or may_be_wrong):
            self.close()  # a runner that has died answers no more
            raise FigureError(f"{title} did not come out right: {outcome.death or outcome.wrong or outcome.reply}")
        return outcome

    @cached_property
    def _solution(self) -> Path:
        """The program of the rungs, up to date, and with it the oracles."""
        return Builder(self.root, sandbox=False).lab(self.number, True)

    def _with(self, scalars: dict[str, int]) -> Oracles:
        key = json.dumps(scalars, sort_keys=True)
        if key not in self._oracles:
            self._oracles[key] = Oracles(self._solution.parent, scalars)
        return self._oracles[key]

    def _program(self, task: str, change: Change) -> Path:
        if change is None:
            return self._solution
        if change not in self._programs:
            try:
                if isinstance(change, str):
                    source = generate(find_mistake(self.folder, change))
                else:
                    source = self._edited(task, change)
                self._programs[change] = Builder(self.root, sandbox=False).file(self.number, source, partial=True)
            except (UsageError, CompileError) as error:
                raise FigureError(f"{change}: {error}") from None
        return self._programs[change]

    def _edited(self, task: str, change: tuple[str, str]) -> Path:
        """A copy of the rung and its headers, with one text instead of another, which must occur once."""
        old, new = change
        folder = self.root / "solutions" / self.folder.name
        headers = sorted(path for path in folder.iterdir() if path.suffix == ".cuh")
        texts = {path.name: path.read_text("utf-8") for path in [folder / f"{task}.cu", *headers]}
        places = [name for name, text in texts.items() for _ in range(text.count(old))]
        if len(places) != 1:
            raise FigureError(f"{old!r} occurs {len(places)} times in {task}.cu and the headers beside it, not once")
        texts[places[0]] = texts[places[0]].replace(old, new)
        made = self._build / "answers" / self.folder.name / hashlib.sha256(repr(texts).encode()).hexdigest()[:12]
        made.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            if not (made / name).is_file():
                (made / name).write_text(text, "utf-8")
        return made / f"{task}.cu"

    def _runner(self, program: Path, room: int) -> Runner:
        if program in self._runners and self._runners[program][1].size < room:
            runner, shared = self._runners.pop(program)
            runner.close()
            shared.close()
        if program not in self._runners:
            shared = SharedMemory(max(room, ROOM))
            here = machine(self.root, self._build, DEVICE, sandbox=False)
            self._runners[program] = Runner(program, here, shared, LIMITS), shared
        return self._runners[program][0]

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
        command = [str(self._solution), "--help"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
