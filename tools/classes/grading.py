"""What the commands do: find a class and grade it (`class`), or grade parts of it again (`regrade`, `replay`).

pending.py decides which files are graded, options.py what binds a later run, grading_loop.py grades them.
"""

from __future__ import annotations

import json
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder import __version__
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find
from autograder.plan.manifest import load
from autograder.plan.private_cases import Prepared
from autograder.words import counted
from classes import private_results
from classes.batches import batch_folder, batches_of, begin_batch
from classes.choose_executor import Where, executor, on_gpu, variables
from classes.choose_file import Lab, lab_of
from classes.export_command import GIVEN, command_for
from classes.grade_changes import show_changes
from classes.grading_loop import Plan, grade_all
from classes.layouts import Handed, handed_in
from classes.options import BATCH, Options, options_of, same_options, same_times
from classes.pending import is_outdated, named, unfinished
from classes.people import NOTHING, class_inside, submissions
from classes.rescore import rescored, with_private_sets
from classes.roster import Roster
from classes.roster_files import read_rosters
from classes.store import Grading, Store
from classes.student_results import Row, rows_of
from classes.summary import Progress, show_summary
from classes.tables import write_tables
from classes.versions import can_rescore, lab_version

SECONDS = 1800.0  # for one submission in all
Command = Callable[[Path], Sequence[str]]


@dataclass(frozen=True)
class Run:
    """One run of a command: what it is told, besides the class and its options."""

    root: Path
    out: Path  # results
    where: Where
    seconds: float  # for one submission in all
    people: Console
    command: Command | None = None  # in place of ./grader
    private: Prepared | None = None  # cases in place of those of an earlier run
    reference: Sequence[str] = ()  # with `command`: the command that grades the reference solution


@dataclass(frozen=True)
class _Opened:
    """A run with its results folder open."""

    run: Run
    store: Store
    options: Options

    @property
    def lab_version(self) -> str:
        return private_results.version(self.store, lab_version(self.run.root, self.options.lab))


def run_class(
    run: Run, options: Options, top: Path, rosters: Sequence[Path] = (), others: Sequence[Path] = (), batch: str = "",
) -> int:  # fmt: skip
    """Grades all that is not graded yet. Exit status: 0, or 3 if something met a fault of the grader.

    `others`: files that are no submissions, wherever they are. `batch`: late work, graded beside the class.
    """
    names, whole = read_rosters(rosters) if rosters else None, run.out
    if batch:
        people = begin_batch(run.out, batch, options)
        names, run = names or people, replace(run, out=batch_folder(run.out, batch))
        others = [*others, whole]
    lab = lab_of(run.root, options.lab)
    for note in names.notes if names else ():
        run.people.print(Text(f"  {note}"), soft_wrap=True)
    # Comes first: if there is no class, no folder may be left whose options would bind the next class.
    found = handed_in(top, lambda name: names is not None and names.find(name, {})[0] is not None,
                      [run.out, *rosters, *others])  # fmt: skip
    if not found and names is None:
        raise UsageError(f"{top} holds no submissions: a folder, a file or a zip for each student is expected")
    if inside := class_inside(found, lab):
        raise UsageError(f"{top} holds no submissions, but {inside} in it does: name {top / inside} instead")
    with Store(run.out).opened() as store:
        same_options(store, options)
        opened = _with_cases(run, store, options)
        _keep(store, top, found, names, lab, run.people)
        _rescore(opened)
        status = _grade(opened, unfinished(rows_of(store), run.seconds, private_results.digest(store)))
    if batch:
        _link(whole)
    return status


def _link(results: Path) -> None:
    """The class's page names its batches; not while somebody else is at work there."""
    with suppress(UsageError), Store(results, create=False).opened() as store:
        write_tables(store, rows_of(store))


def rescore(run: Run) -> int:
    """Computes the points of all batches again from what is stored, after a change of points in lab.toml."""
    for out in batches_of(run.out):
        with Store(out, create=False).opened() as store:
            opened = _Opened(run, store, options_of(store))
            before = store.newest()
            number = _rescore(opened)
            rows = _write_tables(store, run.people)
            pairs = ((replace(row, grading=store.current(row.submission.digest, before)), row)
                     for row in rows if row.grading and row.grading.id > before)  # fmt: skip
            run.people.print(Text(f"  {out}: {number} different files have new points"), soft_wrap=True)
            show_changes(run.people, store, pairs, of_named=False)
            left = sum(1 for row in rows if is_outdated(row, __version__, opened.lab_version))
            if left:
                said = (
                    f"  {left} people were graded with another lab, not only with other points: ./grader replay {out}"
                )
                run.people.print(Text(said), soft_wrap=True)
    return 0


def _rescore(opened: _Opened) -> int:
    """New points for results of which only the scoring has changed; how many files have got some."""
    store, version, done = opened.store, opened.lab_version, set[str]()
    manifest = load(find(opened.run.root, str(opened.options.lab)))
    for row in rows_of(store):
        digest = row.submission.digest
        if digest in done or not can_rescore(row, __version__, version) or row.grading is None:
            continue
        whole = store.whole(row.grading) or {}
        private_sets = store.private(row.grading)
        again = rescored(whole, manifest, private_sets)
        if again is not None:
            result = json.dumps(with_private_sets(again, private_sets), ensure_ascii=False).encode()
            store.add(replace(row.grading, points=again["points"], maximum=again["of"], result=result, lab=version,
                              finished=""))  # fmt: skip
            done.add(digest)
    if done:
        said = f"  lab.toml has other points: {counted(len(done), 'result')} scored again; nothing was run"
        opened.run.people.print(Text(said), soft_wrap=True)
    return len(done)


def regrade(run: Run, names: Sequence[str], options: Options | None = None) -> int:
    """Grades these people's files again; without names, all that an older version of grader or lab has graded."""
    with Store(run.out, create=False).opened() as store:
        opened = _with_cases(run, store, options or options_of(store))
        before = store.newest()
        if not names:
            _rescore(opened)
        rows = rows_of(store)
        chosen = named(rows, names, run.out) if names else (
            row for row in rows if is_outdated(row, __version__, opened.lab_version))  # fmt: skip
        pending = dict[str, None]()
        for row in chosen:
            if row.submission.digest:
                pending[row.submission.digest] = None
            else:
                run.people.print(Text(f"  {row.key}: {row.why}: nothing to grade"))
        status = _grade(opened, list(pending), of_class=not names)
        pairs = ((replace(row, grading=store.current(row.submission.digest, before)), row) for row in rows
                 if row.submission.digest in pending or (row.grading and row.grading.id > before))  # fmt: skip
        show_changes(run.people, store, pairs, of_named=bool(names))
        return status


def _with_cases(run: Run, store: Store, options: Options) -> _Opened:
    """With this run's private cases, or else those of an earlier run."""
    if not options.sandbox and (run.private.digest if run.private else private_results.digest(store)):
        raise UsageError(
            "--no-sandbox: programs could read the private cases; a --private FILE without cases ends them"
        )
    if run.private:
        private_results.keep(store, run.private)
    elif private_results.digest(store):
        said = f"  with the private cases of an earlier run, in {store.folder / private_results.FOLDER}"
        run.people.print(Text(said), soft_wrap=True)
    return _Opened(run, store, options)


def _keep(store: Store, top: Path, found: Sequence[Handed], names: Roster | None, lab: Lab, people: Console) -> None:
    """Replaces what was known about the class with what is handed in now."""
    rows = submissions(found, names, lab, lambda digest, data: store.keep_source(digest, lab.file, data))
    if store.fact(BATCH, ""):  # of late work: the others are people of the class
        rows = [row for row in rows if row.problem != NOTHING]
    before = {row.person.key for row in store.submissions() if row.origin}
    store.replace_submissions(rows)
    if names and names.given:
        store.set_fact(GIVEN, json.dumps([table.as_data() for table in names.given]))
    gone = sorted(before - {row.person.key for row in rows if row.origin})
    if gone:
        more = f" and {len(gone) - 10} more" if len(gone) > 10 else ""
        said = f"  no longer in {top}: {', '.join(gone[:10])}{more}; their results stay in {store.folder}"
        people.print(Text(said), soft_wrap=True)


def _grade(opened: _Opened, pending: Sequence[str], of_class: bool = True) -> int:
    """Grades the pending files, by digest, and writes the tables. `of_class`: also report on the class."""
    begin = time.monotonic()
    run, store = opened.run, opened.store
    same_times(store, on_gpu(run.where, opened.options.device))
    plan = _plan(opened)
    done = sum(row.status == "graded" for row in rows_of(store))
    files = counted(len(pending), "file")
    run.people.print(Text(f"  {files} to grade, {done} people graded before; stop with ^C at any time"))
    progress = Progress(run.people, len(pending))
    try:
        with _stopped_politely():
            if pending:
                _grade_files(opened, plan, pending, progress)
    except (KeyboardInterrupt, GraderError):
        with suppress(KeyboardInterrupt):
            _write_tables(store, run.people)
            run.people.print(Text(f"\n  stopped at {progress.where()}; finished results are safe in {store.folder}/."
                                  " Run the same command to go on."))  # fmt: skip
        raise
    rows = _write_tables(store, run.people)
    if of_class:
        at = store.folder
        show_summary(run.people, rows, at, time.monotonic() - begin)
        said = f"  {at}/report.html · {at}/grades.csv · {at}/students/ · {command_for(store)}"
        run.people.print(Text(said), soft_wrap=True)
    return 3 if any(row.status == "fault" for row in rows) else 0


def _grade_files(opened: _Opened, plan: Plan, pending: Sequence[str], progress: Progress) -> None:
    run, store, options = opened.run, opened.store, opened.options

    def tell(grading: Grading) -> None:
        rows = [Row(one, grading) for one in store.of_file(grading.digest)]
        progress.done(rows, private_results.failed(store, grading))

    check = [] if run.command else _check(run.root, options)
    with closing(executor(run.root, store, run.where, options.lab, options.sandbox, check, len(pending), run.seconds,
                          progress.say)) as place:  # fmt: skip
        progress.show(place.where)
        grade_all(store, pending, plan, place, tell, progress.say)


def _plan(opened: _Opened) -> Plan:
    """Each file gets inputs of its own, from the class's secret seed: what its page shows helps no later file."""
    run, store, options = opened.run, opened.store, opened.options
    plain = [*_words(options), *options.words()]
    words = [*plain, *private_results.words(store)]
    command = run.command or (lambda file: [*words, "--file", str(file)])
    environment = {"PYTHONPATH": str(run.root / "tools")} | variables(run.where, options.device)
    file, seed = lab_of(run.root, options.lab).file, int(store.fact("seed", secrets.token_hex(8)), 16)
    reference = run.reference if run.command else [*plain, "--solution"]
    return Plan(command, file, run.seconds, environment, __version__, opened.lab_version, seed, reference)


def _words(options: Options) -> list[str]:
    return [sys.executable, "-m", "autograder", "grade", str(options.lab), "-o", "json", "--jobs", "1"]


def _check(root: Path, options: Options) -> list[str]:
    """A quick run over a task of the reference solution, which must be right wherever submissions are graded."""
    first = load(find(root, str(options.lab))).task[0].name
    device = Options(options.lab, options.device, options.sandbox).words()
    return [*_words(options), *device, "--solution", "--task", first, "--max-n", "64", "--no-time"]


@contextmanager
def _stopped_politely() -> Iterator[None]:
    """A closed terminal and `kill` stop it as ^C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _write_tables(store: Store, people: Console) -> Sequence[Row]:
    """Returns the rows as they are in the tables."""
    rows = rows_of(store)
    for note in write_tables(store, rows):
        people.print(Text(f"  {note}"), soft_wrap=True)
    private_results.write_failures(store, rows)
    return rows
