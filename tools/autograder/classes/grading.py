"""What the commands do: find a class and grade it, grade parts of it again, export it."""

from __future__ import annotations

import json
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder import __version__
from autograder.classes import finals, private
from autograder.classes.choose import Lab, lab_of, lab_version
from autograder.classes.items import shown
from autograder.classes.layouts import Handed, handed_in
from autograder.classes.loop import Plan, grade_all
from autograder.classes.people import class_inside, submissions
from autograder.classes.places import Where, executor, on_gpu, variables
from autograder.classes.roster import Roster, read_roster
from autograder.classes.rows import Row, rows_of
from autograder.classes.store import Grading, Store
from autograder.classes.summary import Progress, line_of, show_summary
from autograder.classes.tables import write_tables
from autograder.classes.worksheet import WORKSHEET
from autograder.course.course import Course
from autograder.errors import GraderError, UsageError
from autograder.explain.words import counted
from autograder.plan.labs import find
from autograder.plan.manifest import load

SECONDS = 1800.0  # for one submission in all


@dataclass(frozen=True)
class Options:
    """The options of a class, stored with it, so that `regrade` and `replay` grade as `class` did."""

    lab: int
    device: str = ""
    sandbox: bool = True
    more: tuple[str, ...] = ()  # further words for ./grader

    def words(self) -> list[str]:
        device = ["--device", self.device] if self.device else []
        return [*device, *([] if self.sandbox else ["--no-sandbox"]), *self.more]


Command = Callable[[Path], Sequence[str]]


def run_class(
    root: Path, top: Path, roster: Path | None, out: Path, options: Options, where: Where, seconds: float,
    people: Console, command: Command | None = None, course: Path | None = None,
) -> int:  # fmt: skip
    """Grades all that is not graded yet. Exit status: 0, or 3 if something met a fault of the grader."""
    names = read_roster(roster) if roster else None
    lab = lab_of(root, options.lab)
    # Comes first: if there is no class, no folder may be left whose options would bind the next class.
    found = handed_in(top, lambda name: names is not None and names.find(name, {})[0] is not None,
                      [out, *([roster] if roster else [])])  # fmt: skip
    if not found and names is None:
        raise UsageError(f"{top} holds no submissions: a folder, a file or a zip for each student is expected")
    if inside := class_inside(found, lab):
        raise UsageError(f"{top} holds no submissions, but {inside} in it does: name {top / inside} instead")
    with Store(out).opened() as store:
        _same_options(store, options)
        term = _with_cases(root, store, options, course)
        _keep(store, top, found, names, lab, people)
        cases = private.digest(store)
        pending = list(dict.fromkeys(row.submission.digest for row in rows_of(store) if _to_grade(row, seconds, cases)))
        return _grade(root, store, pending, options, where, seconds, people, command, term)


def _keep(store: Store, top: Path, found: Sequence[Handed], names: Roster | None, lab: Lab, people: Console) -> None:
    """Replaces what was known about the class with what is handed in now."""
    rows = submissions(found, names, lab, lambda digest, data: store.keep_source(digest, lab.file, data))
    before = {row.person.key for row in store.submissions() if row.origin}
    store.replace_submissions(rows)
    sheet = names.worksheet if names else None
    store.set_fact(WORKSHEET, json.dumps(sheet.as_data()) if sheet else "")
    gone = sorted(before - {row.person.key for row in rows if row.origin})
    if gone:
        more = f" and {len(gone) - 10} more" if len(gone) > 10 else ""
        said = f"  no longer in {top}: {', '.join(gone[:10])}{more}; their results stay in {store.folder}"
        people.print(Text(said), soft_wrap=True)


def _same_options(store: Store, options: Options) -> None:
    """Checks that the options are those of the first result."""
    lab, words = str(options.lab), json.dumps([options.device, *options.more])
    if not store.has_results():
        store.set_fact("lab", lab)
        store.set_fact("options", words)
    if (kept := store.fact("lab", lab)) != lab:
        raise UsageError(f"{store.folder} holds results of lab {kept}; choose another --out for lab {lab}")
    if (kept := store.fact("options", words)) != words:
        before, now = (" ".join(filter(None, json.loads(one))) or "no such options" for one in (kept, words))
        raise UsageError(f"{store.folder} was graded with {before}, this run has {now}: use the same, or another --out")
    store.set_fact("sandbox", str(options.sandbox))


def _with_cases(root: Path, store: Store, options: Options, path: Path | None) -> Course | None:
    """The course; its private cases as they are now, in place of those of an earlier run."""
    course = finals.course_of(store, root, path)
    if course is None or course.path.is_file():
        private.keep(store, private.prepared(root, course, options.lab))
    if private.digest(store) and not options.sandbox:
        raise UsageError("--no-sandbox: programs could read the course's private cases; leave out one of the two")
    return course


def _same_times(store: Store, gpu: bool) -> None:
    """Times on a GPU and modelled times must not be compared."""
    names = {"True": "on a GPU", "False": "on the virtual GPU"}
    if not store.has_results():
        store.set_fact("gpu", str(gpu))
    kept = store.fact("gpu", str(gpu))
    if kept != str(gpu):
        raise UsageError(f"{store.folder} was graded {names[kept]}, and this would be {names[str(gpu)]}: use the same"
                         " kind of machine, or another --out")  # fmt: skip


def _to_grade(row: Row, seconds: float, cases: str) -> bool:
    if row.grading and private.of_version(row.grading.lab) != cases:
        return True
    if row.status == "time" and row.grading:
        return seconds > row.grading.time_limit
    return row.status in ("waiting", "fault")


def _grade(
    root: Path, store: Store, pending: Sequence[str], options: Options, where: Where, seconds: float,
    people: Console, command: Command | None, course: Course | None, of_class: bool = True,
) -> int:  # fmt: skip
    """`of_class`: also report on the class."""
    begin = time.monotonic()
    _same_times(store, on_gpu(where, options.device))
    plan = _plan(root, store, options, where, seconds, command)
    done = sum(row.status == "graded" for row in rows_of(store))
    files = counted(len(pending), "file")
    people.print(Text(f"  {files} to grade, {done} people graded before; stop with ^C at any time"))
    progress = Progress(people, len(pending))

    def tell(grading: Grading) -> None:
        progress.done([Row(one, grading) for one in store.of_file(grading.digest)], private.failed(store, grading))

    try:
        with _stopped_politely():
            if pending:
                check = [] if command else _check(root, options, where)
                with closing(executor(root, store, where, options.lab, options.sandbox, check, len(pending), seconds,
                                      progress.say)) as place:  # fmt: skip
                    progress.show(place.where)
                    grade_all(store, pending, plan, place, tell)
    except (KeyboardInterrupt, GraderError):
        with suppress(KeyboardInterrupt):
            _tables(root, store, options.lab, course)
            people.print(Text(f"\n  stopped at {progress.where()}; finished results are safe in {store.folder}/."
                              " Run the same command to go on."))  # fmt: skip
        raise
    rows, doubts = _tables(root, store, options.lab, course)
    if of_class:
        show_summary(people, rows, store.folder, time.monotonic() - begin, doubts)
        at = store.folder
        people.print(
            Text(f"  {at}/report.html · {at}/grades.csv · {at}/students/ · ./grader export {at} --format canvas"),
            soft_wrap=True,
        )
    return 3 if any(row.status == "fault" for row in rows) else 0


def _tables(root: Path, store: Store, lab: int, course: Course | None) -> tuple[Sequence[Row], Sequence[str]]:
    """Writes the tables; returns the rows as they are there, and what is doubtful in the course file."""
    rows, doubts = finals.with_course(course, root, lab, rows_of(store))
    write_tables(store, rows, doubts)
    private.write_failures(store, rows)
    return rows, doubts


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


def _plan(root: Path, store: Store, options: Options, where: Where, seconds: float, command: Command | None) -> Plan:
    """All submissions get the same inputs, from a secret seed."""
    seed = store.fact("seed", secrets.token_hex(7))
    cases = private.words(store)

    def grader(file: Path) -> list[str]:
        return [*_words(options), *options.words(), *cases, "--file", str(file)]

    environment = {"PYTHONPATH": str(root / "tools"), "CUDA_LABS_SEED": seed, **variables(where, options.device)}
    lab, version = lab_of(root, options.lab), private.version(store, lab_version(root, options.lab))
    return Plan(command or grader, lab.file, seconds, environment, __version__, version)


def _words(options: Options) -> list[str]:
    return [sys.executable, "-m", "autograder", "grade", str(options.lab), "-o", "json", "--jobs", "1"]


def _check(root: Path, options: Options, where: Where) -> list[str]:
    """A quick run over a task of the reference solution, which must be right wherever submissions are graded."""
    first = load(find(root, str(options.lab))).task[0].name
    device = Options(options.lab, options.device, options.sandbox).words()
    return [*_words(options), *device, "--solution", "--task", first, "--max-n", "64", "--no-time"]


def regrade(
    root: Path, out: Path, names: Sequence[str], where: Where, seconds: float, people: Console,
    options: Options | None = None, command: Command | None = None, course: Path | None = None,
) -> int:  # fmt: skip
    """Grades these people's files again; without names, all that an older version of grader or lab has graded."""
    with Store(out, create=False).opened() as store:
        options = options or _kept_options(store)
        term = _with_cases(root, store, options, course)
        rows = rows_of(store)
        now = (__version__, private.version(store, lab_version(root, options.lab)))
        chosen = _named(rows, names, out) if names else (row for row in rows if _outdated(row, now))
        before, pending = store.newest(), dict[str, None]()
        for row in chosen:
            if row.submission.digest:
                pending[row.submission.digest] = None
            else:
                people.print(Text(f"  {row.key}: {row.why}: nothing to grade"))
        status = _grade(root, store, list(pending), options, where, seconds, people, command, term, not names)
        _changes(people, store, bool(names), ((Row(row.submission, store.current(row.submission.digest, before)), row)
                          for row in rows if row.submission.digest in pending))  # fmt: skip
        return status


def kept_options(out: Path) -> Options:
    with Store(out, create=False).opened() as store:
        return _kept_options(store)


def _kept_options(store: Store) -> Options:
    device, *more = json.loads(store.fact("options", '[""]'))
    return Options(int(store.fact("lab", "0")), device, store.fact("sandbox", "True") == "True", tuple(more))


def _outdated(row: Row, now: tuple[str, str]) -> bool:
    return row.grading is not None and (row.grading.grader, row.grading.lab) != now


def _named(rows: Sequence[Row], names: Sequence[str], out: Path) -> list[Row]:
    found = []
    for name in names:
        low = name.casefold()
        matches = [row for row in rows if low in (row.key.casefold(), row.submission.person.name.casefold())]
        if len(matches) != 1:
            near = [row.key for row in rows if low in f"{row.key} {row.submission.person.name}".casefold()][:5]
            more = f"; did you mean {', '.join(near)}?" if near else f"; {out}/grades.csv has their names"
            many = f"{len(matches)} people are" if matches else "nobody is"
            raise UsageError(f"{many} called {shown(name)!r}{more}")
        found += matches
    return found


def _changes(people: Console, store: Store, all_of_them: bool, pairs: Iterable[tuple[Row, Row]]) -> None:
    """Each grade that changed, and the tasks because of which it did; with `all_of_them` those that did not, too."""
    number, changed, same = 0, list[str](), list[str]()
    for old, new in pairs:
        number += 1
        line = line_of(new, private.failed(store, new.grading))
        if (old.points, old.status) == (new.points, new.status):
            same += [f"  as before: {line}"] if all_of_them else []
            continue
        was = {task["name"]: task for task in old.tasks}
        why = [f"{task['name']} {was[task['name']]['verdict']} {was[task['name']]['points']:g} → {task['verdict']} "
               f"{task['points']:g}" for task in new.tasks
               if task["name"] in was and was[task["name"]]["points"] != task["points"]]  # fmt: skip
        changed.append(f"  {_grade_of(old)} → {line}   {', '.join(why)}")
    if number:
        people.print(Text(f"\n  {len(changed)} of {number} grades changed"))
    elif not all_of_them:
        people.print(Text("\n  every grade stays: none is of an older version of grader, lab or private cases"))
    for said in [*changed, *same]:
        people.print(Text(said), soft_wrap=True)


def _grade_of(row: Row) -> str:
    return row.status if row.points is None else f"{row.points:g}"
