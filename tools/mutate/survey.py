"""Makes the mutants of several labs and judges them in parallel; what is in the CSV already is not done again."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from autograder.build import Builder
from autograder.errors import GraderError
from autograder.manifest import Manifest, folders, load
from autograder.oracles import LabTable, Oracles
from mutate.mutants import Mutant, candidates, ordered
from mutate.rows import NOT_COMPILED, SAME_PTX, Row, append_csv, read_csv, write_csv
from mutate.source import Rung, Solution
from mutate.trial import PASSES, Judged, Trial
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
        self.manifest: Manifest = load(folder / "lab.toml")
        self.number = self.manifest.number
        self.table: LabTable = oracles.lab(self.number)
        self.solution = Solution(options.root / "solutions" / folder.name)
        self.workshop = Workshop(builder.commands(self.number), options.build / "mutants")
        self.trial = Trial(oracles, self.manifest, options.seed)
        self.texts = {name: source.text for name, source in self.solution.sources.items()}
        self.key = self._key(options, folder)

    def _key(self, options: Options, folder: Path) -> str:
        common = options.root / "common"
        paths = [*self.solution.folder.glob("*.*"), *folder.glob("*.*"), *common.rglob("*.*")]
        endings = (".cu", ".cuh", ".h", ".cc", ".toml")
        digest = hashlib.blake2b(f"{options.seed}".encode(), digest_size=6)
        for path in sorted(one for one in paths if one.suffix in endings and one.name != "mutants.toml"):
            digest.update(path.read_bytes())
        return digest.hexdigest()


@dataclass
class RungAtWork:
    """One rung: the mutants that are still to be taken, and the original's PTX."""

    lab: LabAtWork
    rung: Rung
    waiting: Iterator[Mutant]
    original: Future[str] = field(default_factory=Future)
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
        self._others = kept
        self._write = threading.Lock()

    def run(self, folders: Sequence[Path], tasks: Sequence[str] = ()) -> list[Row]:
        """The rows of these labs, in the order of labs, rungs and mutants."""
        options = self._options
        builder = Builder(options.root, options.build)
        manifests = [load(folder / "lab.toml") for folder in folders]
        targets = [f"lab{one.number}_parts" for one in manifests] + [f"{one.name}_not_started" for one in manifests]
        builder.target(*targets)
        oracles = Oracles(options.build / "liboracles.so")
        labs = [LabAtWork(options, folder, builder, oracles) for folder in folders]
        rungs = [
            self._rung(lab, entry.name)
            for lab in labs
            for entry in lab.manifest.task
            if not tasks or entry.name in tasks
        ]
        write_csv(self._others, self._file)
        rows: list[Row] = []
        with ThreadPoolExecutor(options.jobs) as pool:
            originals = [pool.submit(self._judge_original, rung) for rung in rungs]
            slots = [(rung, [pool.submit(self._slot, rung) for _ in range(options.wanted)]) for rung in rungs]
            try:
                for future in originals:
                    future.result()
                for rung, futures in slots:
                    rows += sorted((row for future in futures for row in future.result()), key=self._place(rung))
                    options.tell(f"lab {rung.lab.number} {rung.rung.task}: {len(futures)} looked at")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        done = {(row.lab, row.task) for row in rows}
        kept = [row for row in self._others if (row.lab, row.task) not in done]
        write_csv(in_order(kept + rows, options.root), self._file)
        return rows

    def _rung(self, lab: LabAtWork, task: str) -> RungAtWork:
        rung = lab.solution.rung(task)
        found = ordered(candidates(lab.solution, rung), self._options.seed)
        return RungAtWork(lab, rung, iter(found))

    def _place(self, at: RungAtWork) -> Callable[[Row], int]:
        found = ordered(candidates(at.lab.solution, at.rung), self._options.seed)
        order = {one.id: place for place, one in enumerate(found)}
        return lambda row: order[row.id]

    def _judge_original(self, at: RungAtWork) -> None:
        """The solution itself, built in the same way, must pass."""
        try:
            built = at.lab.workshop.compile(at.rung.unit, at.lab.texts)
            if built is None:
                raise GraderError(f"{at.lab.solution.folder.name}/{at.rung.unit} does not compile")
            at.original.set_result(built.ptx)
            judged = self._judged(at, built)
            if judged.verdict != PASSES:
                raise GraderError(
                    f"lab {at.lab.number}: the solution's {at.rung.task} is rejected itself: {judged.verdict} at "
                    f"n = {judged.n} {judged.variant}: {judged.because}"
                )
        except BaseException as error:
            if not at.original.done():
                at.original.set_exception(error)
            raise

    def _slot(self, at: RungAtWork) -> list[Row]:
        """Takes mutants until one compiles: one of the rung's twenty."""
        rows: list[Row] = []
        while mutant := at.take():
            row = self._known.get((at.lab.number, at.rung.task, mutant.id, at.lab.key))
            if row is None:
                row = self._look_at(at, mutant)
                with self._write:
                    append_csv(row, self._file)
            rows.append(row)
            if row.verdict != NOT_COMPILED:
                break
        return rows

    def _look_at(self, at: RungAtWork, mutant: Mutant) -> Row:
        start = time.monotonic()
        texts = at.lab.texts | {mutant.file: mutant.apply(at.lab.texts[mutant.file])}
        built = at.lab.workshop.compile(at.rung.unit, texts)
        if built is None:
            judged = Judged(NOT_COMPILED)
        elif mutant.device_only and built.ptx == at.original.result():
            judged = Judged(SAME_PTX)
            built.folder.cleanup()
        else:
            judged = self._judged(at, built)
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

    @staticmethod
    def _judged(at: RungAtWork, built: Built) -> Judged:
        """Also where linking fails: a function that is instantiated no more."""
        with built.folder:
            runner = at.lab.workshop.link(built)
            return at.lab.trial.run(runner, at.lab.table.task(at.rung.task)) if runner else Judged(NOT_COMPILED)


def in_order(rows: Sequence[Row], root: Path) -> list[Row]:
    """By lab, and within it by rung; those of a rung stay as they are."""
    known = {
        number: [entry.name for entry in load(folder / "lab.toml").task] for number, folder in folders(root).items()
    }
    there = [row for row in rows if row.task in known.get(row.lab, [])]
    return sorted(there, key=lambda row: (row.lab, known[row.lab].index(row.task)))
