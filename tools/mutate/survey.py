"""Makes the mutants of several labs and judges them in parallel; what is in the CSV already is not done again."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from autograder.build.builder import Builder
from autograder.errors import GraderError
from autograder.judge.oracles import Oracles
from autograder.plan.labs import folders
from autograder.plan.manifest import Manifest, load
from autograder.plan.tables import LabTable
from autograder.run.machine import machine
from mutate.mutants import Mutant, candidates, ordered
from mutate.rows import FAULT, NOT_COMPILED, SAME_PTX, Row, append_csv, read_csv, write_csv
from mutate.source import Rung, Solution
from mutate.trial import PASSES, Trial, TrialResult
from mutate.workshop import Built, Workshop

SEED = 1
WANTED = 20  # mutants of a rung


@dataclass
class Options:
    """What the command line asks for."""

    root: Path
    build: Path
    out: Path
    jobs: int
    wanted: int = WANTED
    seed: int = SEED
    tell: Callable[[str], None] = print


class LabAtWork:
    """One lab: its solution, and what is needed to build and to judge."""

    def __init__(self, options: Options, folder: Path, builder: Builder, oracles: Oracles) -> None:
        self.manifest: Manifest = load(folder)
        self.number = self.manifest.number
        self.table: LabTable = oracles.lab(self.number)
        self.solution = Solution(options.root / "solutions" / folder.name)
        self.workshop = Workshop(builder.commands(self.number), options.build / "mutants")
        self.machine = machine(options.root, options.build, "virtual", sandbox=False)  # what runs is our own
        self.trial = Trial(oracles, self.manifest, options.seed, self.machine)
        self.texts = {name: source.text for name, source in self.solution.sources.items()}
        self.key = self._key(options, folder)
        self._compiled: dict[str, Built] = {}
        self._lock = threading.Lock()

    def _key(self, options: Options, folder: Path) -> str:
        """The solution, the lab's cases and contract, and the files that they use; not the virtual GPU or grader."""
        common = options.root / "common"
        parts = (folder, folder / "grading", common / "toolbox", common / "grading")
        paths = [one for part in parts for kind in ("*.cc", "*.h") for one in part.glob(kind)]
        paths = [one for one in paths if not one.name.endswith("_test.cc")] + sorted((common / "toolbox").glob("*.cu"))
        digest = hashlib.blake2b(f"{options.seed}".encode(), digest_size=6)
        for text in [*self.texts.values(), *(path.read_bytes() for path in sorted(paths))]:
            digest.update(text)
        return digest.hexdigest()

    def others(self, rung: Rung) -> list[Path]:
        """Object files of rungs that this one calls, compiled once."""
        with self._lock:
            for unit in rung.calls:
                if unit not in self._compiled:
                    built = self.workshop.compile(unit, self.texts)
                    if built is None:
                        raise GraderError(f"{self.solution.folder.name}/{unit} does not compile")
                    self._compiled[unit] = built
            return [self._compiled[unit].object for unit in rung.calls]

    def close(self) -> None:
        for built in self._compiled.values():
            built.folder.cleanup()


@dataclass
class RungAtWork:
    """One rung: the mutants that are still to be taken, and the original's PTX."""

    lab: LabAtWork
    rung: Rung
    waiting: Iterator[Mutant]
    original: Future[str | None] = field(default_factory=Future)  # None: it is rejected itself
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> Mutant | None:
        with self.lock:
            return next(self.waiting, None)


class Survey:
    """One run over some rungs."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._file = options.out / "mutants.csv"
        options.out.mkdir(parents=True, exist_ok=True)
        kept = read_csv(self._file) if self._file.exists() else []
        self._known = {(row.lab, row.task, row.id, row.key): row for row in kept}
        self._kept = kept
        self._write = threading.Lock()
        self.faults: list[str] = []  # rungs that could not be judged

    def run(self, folders: Sequence[Path], tasks: Sequence[str] = ()) -> list[Row]:
        """The rows of these labs, in the order of labs, rungs and mutants."""
        options = self._options
        builder = Builder(options.root, options.build)
        manifests = [load(folder) for folder in folders]
        targets = [f"lab{one.number}_parts" for one in manifests] + [f"{one.name}_not_started" for one in manifests]
        builder.target(*targets)
        oracles = Oracles(options.build)
        return self.judge([LabAtWork(options, folder, builder, oracles) for folder in folders], tasks)

    def judge(self, labs: Sequence[LabAtWork], tasks: Sequence[str] = ()) -> list[Row]:
        rungs = []
        for lab in labs:
            for task in [entry.name for entry in lab.manifest.task if not tasks or entry.name in tasks]:
                try:
                    rungs.append(self._rung(lab, task))
                except GraderError as error:
                    self.faults.append(f"lab {lab.number} {task}: {error}")
        write_csv(self._kept, self._file)
        with ThreadPoolExecutor(self._options.jobs) as pool:
            try:
                rows = self._all(pool, rungs)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            finally:
                for lab in labs:
                    lab.close()
        done = {(row.lab, row.task) for row in rows}
        kept = [row for row in self._kept if (row.lab, row.task) not in done]
        write_csv(in_order(kept + rows, self._options.root), self._file)
        return rows

    def _all(self, pool: ThreadPoolExecutor, rungs: Sequence[RungAtWork]) -> list[Row]:
        # In this order: a slot waits for the original of its rung, which is at work by then.
        originals = [pool.submit(self._judge_original, rung) for rung in rungs]
        slots = [[pool.submit(self._slot, rung) for _ in range(self._options.wanted)] for rung in rungs]
        rows = []
        for rung, original, futures in zip(rungs, originals, slots, strict=True):
            of_rung = [row for future in futures for row in future.result()]
            rows += sorted(of_rung, key=self._place(rung))
            fault = original.result()
            told = f"lab {rung.lab.number} {rung.rung.task}: {fault or f'{len(of_rung)} looked at'}"
            self._options.tell(told)
            self.faults += [told] if fault else []
        return rows

    def _rung(self, lab: LabAtWork, task: str) -> RungAtWork:
        rung = lab.solution.rung(task)
        found = ordered(candidates(lab.solution, rung), self._options.seed)
        return RungAtWork(lab, rung, iter(found))

    def _place(self, at: RungAtWork) -> Callable[[Row], int]:
        found = ordered(candidates(at.lab.solution, at.rung), self._options.seed)
        order = {one.id: place for place, one in enumerate(found)}
        return lambda row: order[row.id]

    def _judge_original(self, at: RungAtWork) -> str:
        """The solution itself, built in the same way, must pass. Returns why it does not: no mutant is made then."""
        try:
            built = at.lab.workshop.compile(at.rung.unit, at.lab.texts)
            if built is None:
                raise GraderError(f"{at.lab.solution.folder.name}/{at.rung.unit} does not compile")
            judged = self._judged(at, built)
            if judged.verdict == PASSES:
                at.original.set_result(built.ptx)
                return ""
            where = f"n = {judged.n} {judged.variant}".rstrip()
            fault = f"the solution itself is rejected: {judged.verdict} at {where}: {judged.because}"
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        at.original.set_result(None)
        return fault

    def _slot(self, at: RungAtWork) -> list[Row]:
        """Takes mutants until one compiles: one of the rung's twenty."""
        rows: list[Row] = []
        if at.original.result() is None:
            return rows
        while mutant := at.take():
            row = self._known.get((at.lab.number, at.rung.task, mutant.id, at.lab.key))
            if row is None or row.verdict == FAULT:
                row = self._look_at(at, mutant)
                with self._write:
                    append_csv(row, self._file)
            rows.append(row)
            if row.verdict != NOT_COMPILED:
                break
        return rows

    def _look_at(self, at: RungAtWork, mutant: Mutant) -> Row:
        start = time.monotonic()
        try:
            judged = self._verdict(at, mutant)
        except Exception as error:  # ours or the machine's: it must not end the others' run
            judged = TrialResult(FAULT, because=f"{type(error).__name__}: {error}")
        return Row(
            at.lab.number,
            at.rung.task,
            mutant.id,
            mutant.operator,
            mutant.file,
            mutant.line,
            mutant.change,
            judged.verdict,
            judged.n,
            judged.variant,
            " ".join(judged.because.split())[:200],
            judged.cases,
            round(time.monotonic() - start, 1),
            at.lab.key,
        )

    def _verdict(self, at: RungAtWork, mutant: Mutant) -> TrialResult:
        texts = at.lab.texts | {mutant.file: mutant.apply(at.lab.texts[mutant.file])}
        built = at.lab.workshop.compile(at.rung.unit, texts)
        if built is None:
            return TrialResult(NOT_COMPILED)
        if mutant.device_only and built.ptx == at.original.result():
            built.folder.cleanup()
            return TrialResult(SAME_PTX)
        return self._judged(at, built)

    @staticmethod
    def _judged(at: RungAtWork, built: Built) -> TrialResult:
        """Also where linking fails: a function that is no longer instantiated."""
        with built.folder:
            runner = at.lab.workshop.link(built, at.lab.others(at.rung))
            return at.lab.trial.run(runner, at.lab.table.task(at.rung.task)) if runner else TrialResult(NOT_COMPILED)


def in_order(rows: Sequence[Row], root: Path) -> list[Row]:
    """By lab, and within it by rung; those of a rung stay as they are."""
    known = {number: [entry.name for entry in load(folder).task] for number, folder in folders(root).items()}
    there = [row for row in rows if row.task in known.get(row.lab, [])]
    return sorted(there, key=lambda row: (row.lab, known[row.lab].index(row.task)))
