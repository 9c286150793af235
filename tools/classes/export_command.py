"""The command `export`: a class, or one result, written as another system reads it. It only reads the class."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from autograder.errors import UsageError
from autograder.files import write_saving, write_whole
from autograder.plan.labs import find
from autograder.plan.manifest import load
from classes import export_formats, gradebooks, private_results
from classes.batches import batch_folder
from classes.gradebooks import Made
from classes.options import BATCH
from classes.platform_table import Given, from_data, read_table
from classes.store import Store
from classes.student_results import ROOT, Row, rows_of
from classes.tables import write_folder
from classes.versions import check_one_version, lab_version

GIVEN = "given"  # the fact in which a class keeps platforms' tables that were its rosters
GRADEBOOKS = ("canvas", "moodle")
FEEDBACK = ("moodle-feedback", "canvas-feedback", "mail")
FORMATS = (*GRADEBOOKS, *export_formats.PER_CLASS, *export_formats.PER_STUDENT, *FEEDBACK)  # of a class
ALL_FORMATS = tuple(dict.fromkeys((*FORMATS, *export_formats.PER_RESULT)))


def export(
    source: Path, form: str, to: Path | None, title: str | None, file: Path | None = None, batch: str = "",
) -> str:  # fmt: skip
    """Writes a class, or one result, in the format of another system; says where, and what a person should know.

    `file`: the platform's own table, in place of one that was the roster. `batch`: one of late work.
    """
    if form not in ALL_FORMATS:
        raise UsageError(f"--format {form}: choose from: {', '.join(ALL_FORMATS)}")
    if source.is_file():
        return _export_one(source, form, to)
    given = read_table(file, "--file") if file else None
    if given and form not in GRADEBOOKS:
        raise UsageError(f"--file is for the tables of {' and '.join(GRADEBOOKS)}")
    if given and given.kind != form:
        raise UsageError(
            f"--file {file}: is not what {form.title()} gives: download it again, and change nothing in it"
        )
    with Store(batch_folder(source, batch), create=False, alone=False).opened() as store:
        rows = rows_of(store)
        version = private_results.version(store, lab_version(ROOT, int(store.fact("lab", "0"))))
        check_one_version(rows, version, store.folder)
        return _Export(store, rows, form, to, title).write(given or _given(store, form))


def _given(store: Store, form: str) -> Given | None:
    tables = [from_data(one) for one in json.loads(store.fact(GIVEN, "[]"))]
    return next((one for one in tables if one.kind == form), None)


def command_for(store: Store) -> str:
    """The command that hands the grades over, to the platform whose table is known."""
    kinds = [one["kind"] for one in json.loads(store.fact(GIVEN, "[]"))]
    form = next((one for one in kinds if one in GRADEBOOKS), "FORMAT")
    batch = store.fact(BATCH, "")
    at = f"{store.folder.parents[1]} --batch {batch}" if batch else str(store.folder)
    return f"./grader export {at} --format {form}"


class _Export:
    """One export of a class."""

    def __init__(self, store: Store, rows: Sequence[Row], form: str, to: Path | None, title: str | None) -> None:
        self._store, self._rows, self._form, self._to, self._title = store, rows, form, to, title
        self._lab = load(find(ROOT, store.fact("lab", "0")))
        self._called = title or f"Lab {self._lab.number}"

    def write(self, given: Given | None) -> str:
        if self._form in GRADEBOOKS:
            if given is None:
                table = {"canvas": "the gradebook's export", "moodle": "the grading worksheet"}[self._form]
                raise UsageError(f"--format {self._form} fills in the platform's own table: name {table}"
                                 " with --file, or as a --roster of the class")  # fmt: skip
            rows = list(self._rows)
            made = (gradebooks.canvas(rows, given, self._title, self._lab) if self._form == "canvas"
                    else gradebooks.moodle(rows, given))  # fmt: skip
            return self._file("csv", made.text.encode(), made)
        if self._form in export_formats.PER_CLASS:
            ending, make = export_formats.PER_CLASS[self._form]
            text = make(self._rows, self._store, self._called)
            return self._file(ending, text.encode(), Made(text, len(self._rows)))
        if self._form in export_formats.PER_STUDENT:
            without = [row.key for row in self._rows if row.points is None]
            notes = [f"nothing for {len(without)} without a grade: {gradebooks.some(without)}"] if without else []
            return self._folder(lambda: export_formats.per_student(self._form, self._rows, self._store), notes)
        from classes import feedback  # loads templates

        found, notes = feedback.files(self._form, self._rows, self._store, self._called)
        if not found:
            raise UsageError("; ".join([f"--format {self._form}: there is nobody to tell", *notes]))
        if self._form == "mail":
            return self._folder(lambda: found, notes)
        return self._file("zip", feedback.zipped(found), Made("", len(found), notes))

    def _file(self, ending: str, data: bytes, made: Made) -> str:
        own = self._store.folder / f"{self._form}.{ending}"
        saved = _write(self._to or own, data, own)
        return "\n  ".join([f"{self._to or own}: {made.people} people{saved}", *made.notes])

    def _folder(self, files: Callable[[], Iterable[tuple[str, bytes]]], notes: Sequence[str]) -> str:
        to = self._to or self._store.folder / self._form
        if to.exists() and not to.is_dir():
            raise UsageError(f"--out {to}: is a file; {self._form} takes a folder, with a file for each student")
        names = {name for name, _ in files()}
        if to.exists() and (others := sorted({path.name for path in to.iterdir()} - names)) and self._to:
            raise UsageError(f"--out {to}: holds other files, which would be lost: {others[0]}; choose an empty folder")
        try:
            number = write_folder(to, files())
        except OSError as error:
            raise UsageError(f"--out {to}: {error.strerror}") from None
        return "\n  ".join([f"{to}/: {number} files", *notes])


def _export_one(source: Path, form: str, to: Path | None) -> str:
    if form not in export_formats.PER_RESULT:
        raise UsageError(f"--format {form} is for a class; one result can be: {', '.join(export_formats.PER_RESULT)}")
    try:
        text = export_formats.of_one(form, source.read_bytes(), source.stem)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{source}: not a result of ./grader -o json: {error}") from None
    if to is None:
        return text.rstrip()
    return f"{to}: written{_write(to, text.encode())}"


def _write(to: Path, data: bytes, own: Path | None = None) -> str:
    """`own`: this file may be replaced. Returns a message about the old file."""
    try:
        if to != own:
            return write_saving(to, data)
        write_whole(to, data)
        return ""
    except OSError as error:
        raise UsageError(f"--out {to}: {error.strerror}") from None
