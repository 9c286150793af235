"""The command `export`: a class, or one result, written as another system reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.classes import exports
from autograder.classes.rows import Row, rows_of
from autograder.classes.store import Store
from autograder.classes.tables import write_folder
from autograder.errors import UsageError
from autograder.files import write_saving, write_whole


def export(source: Path, form: str, to: Path | None, title: str | None) -> str:
    """Writes a class, or one result, in the format of another system; says where."""
    known = dict.fromkeys((*exports.FORMATS, *exports.PER_RESULT))
    if form not in known:
        raise UsageError(f"--format {form}: choose from: {', '.join(known)}")
    if source.is_file():
        return _export_one(source, form, to)
    if form not in exports.FORMATS:
        raise UsageError(f"--format {form} is for one result of ./grader -o json, not for a class")
    with Store(source, create=False).opened() as store:
        return _export_class(store, rows_of(store), form, to, title or f"Lab {store.fact('lab', '0')}")


def _export_class(store: Store, rows: Sequence[Row], form: str, to: Path | None, title: str) -> str:
    if form in exports.PER_CLASS:
        own = store.folder / f"{form}.{'xml' if form == 'junit' else 'csv'}"
        saved = _write(to or own, exports.PER_CLASS[form](rows, store, title).encode(), own)
        out = [] if form == "junit" else [row.key for row in rows if not row.submission.person.known]
        left = f"; without {len(out)} who are not in the roster: {_some(out)}" if out else ""
        lost = _without_number(rows) if form == "moodle" else ""
        return f"{to or own}: {len(rows) - len(out)} people{left}{saved}{lost}"
    to = to or store.folder / form
    if to.exists() and not to.is_dir():
        raise UsageError(f"--out {to}: is a file; {form} takes a folder, with a file for each student")
    names = {name for name, _ in exports.per_student(form, rows, store)}
    if to.exists() and (others := sorted({path.name for path in to.iterdir()} - names)):
        raise UsageError(f"--out {to}: holds other files, which would be lost: {others[0]}; choose an empty folder")
    try:
        return f"{to}/: {write_folder(to, exports.per_student(form, rows, store))} files"
    except OSError as error:
        raise UsageError(f"--out {to}: {error.strerror}") from None


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _without_number(rows: Sequence[Row]) -> str:
    """What Moodle would skip silently."""
    names = [row.key for row in rows if row.submission.person.known and not exports.moodle_number(row)]
    if not names:
        return ""
    return (
        f"\n  {len(names)} of them have no number, and Moodle finds people by nothing else: {_some(names)}"
        "\n  what helps: run the class again, with Moodle's grading worksheet as its --roster; nothing is graded twice"
    )


def _export_one(source: Path, form: str, to: Path | None) -> str:
    if form not in exports.PER_RESULT:
        raise UsageError(f"--format {form} is for a class; one result can be: {', '.join(exports.PER_RESULT)}")
    try:
        text = exports.of_one(form, source.read_bytes(), source.stem)
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
