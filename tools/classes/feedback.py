"""What students get back: a page for each, the grade large, the reason first. As platforms take it, or as mail."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formataddr
from typing import Any

from autograder.page.page import render
from autograder.page.tasks import TONE
from autograder.sanitize import clean
from autograder.verdict import MEANING
from classes.gradebooks import moodle_number, some
from classes.store import Store
from classes.student_results import STATUS, Row
from classes.student_text import grade, reason, told
from classes.tables import file_names, student

PAGE = "feedback.html"
_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@[^\s@<>,;:\"()\[\]\\]+")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same grades


@dataclass(frozen=True)
class Said:
    """One task on the page."""

    name: str
    verdict: str
    tone: str
    meaning: str
    points: str
    lines: tuple[str, ...]  # the reason first


def files(form: str, rows: Sequence[Row], store: Store, title: str) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Names and contents, and what a person should know: who gets nothing, and why."""
    to_tell = [row for row in rows if row.points is not None or row.status in ("refused", "time")]
    lost, made = list[str](), list[tuple[str, bytes]]()
    names = file_names(rows)
    for row in to_tell:
        name = _name(form, row, names[row.key])
        if not name:
            lost.append(row.key)
        elif form == "mail":
            made.append((name, mail(row, store, title)))
        else:
            made.append((name, page(row, store, title)))
    why = {"mail": "no address", "moodle-feedback": "no number in Moodle: give the grading worksheet as --roster",
           "canvas-feedback": "no file that came from Canvas, which tells people by its name"}[form]  # fmt: skip
    return made, [f"nothing for {len(lost)}: {some(lost)}: {why}"] if lost else []


def zipped(made: Sequence[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in made:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()


def _name(form: str, row: Row, plain: str) -> str:
    """The name by which the platform finds the person; "" if it cannot."""
    person = row.submission.person
    if form == "mail":
        return f"{plain}.eml" if _address(row) else ""
    if form == "moodle-feedback":
        # mod/assign/feedback/file/importziplib.php of Moodle: the part of a path before / is split at _ into name,
        # number, type and plugin; what follows is the file's name. So the name may have no _.
        number = re.sub(r"\D", "", moodle_number(row))
        name = re.sub(r"[\W_]+", " ", person.name).strip() or "participant"
        return f"{name}_{number}_assignfeedback_file_/{PAGE}" if number else ""
    # infer_comment_context_from_filename of canvas-lms: the first two parts between _ that are numbers are the user and
    # an attachment of that user's submission.
    origin = re.match(r"(.*?_\d+_\d+)_", row.submission.origin)
    from_canvas = origin and person.fields.get("canvas", "") in ("", re.findall(r"\d+", origin[1])[-2])
    return f"{origin[1]}_{PAGE}" if origin and from_canvas else ""


def _address(row: Row) -> str:
    """A login may be an address, as in Canvas' gradebook, which has no other."""
    fields = row.submission.person.fields
    found = (fields.get("email", ""), fields.get("login", ""))
    return next((one for one in found if one.isascii() and _ADDRESS.fullmatch(one)), "")


def page(row: Row, store: Store, title: str) -> bytes:
    one = row.submission
    return render(
        PAGE,
        {
            "title": title,
            "name": one.person.name or row.key,
            "grade": f"{row.points:g}" if row.points is not None else "",
            "of": f"{row.of:g}" if row.of else "",
            "status": STATUS[row.status],
            "why": reason(row),
            "changes": [changed.said() for changed in row.overrides],
            "tasks": list(said_of(row, store)),
            "file": one.path,
            "digest": one.digest,
            "when": one.when,
            "late": one.late,
            "notes": one.notes,
        },
    )


def said_of(row: Row, store: Store) -> Iterator[Said]:
    """Tasks that lost points come first."""
    result: dict[str, Any] = student(row, store)["result"] or {}
    if row.status != "graded":
        return
    compiler = str(result.get("compiler") or "")
    for number, task in enumerate(sorted(result.get("tasks", []), key=lambda one: one["points"] >= one["of"])):
        lines = told(task).splitlines()
        first = lines[0].partition(": ")[2]
        more = [first] if first else []
        more += [] if task["verdict"] == "SKIP" else lines[1:]
        if task["verdict"] == "CE" and compiler:
            more = [*more[:1], *(compiler.splitlines() if number == 0 else [])]
        verdict = task["verdict"]
        yield Said(
            task["name"], verdict, TONE.get(verdict, "bad"), MEANING[verdict],
            f"{task['points']:g} of {task['of']:g}", tuple(clean(line, 1000) for line in more[:60]),
        )  # fmt: skip


def mail(row: Row, store: Store, title: str) -> bytes:
    """A message that mail programs open as a draft, with the page attached."""
    message = EmailMessage()
    person = row.submission.person
    message["To"] = formataddr((clean(person.name or row.key, 80).replace("\n", " "), _address(row)))
    message["Subject"] = clean(f"{title}: {grade(row)}", 150).replace("\n", " ")
    message["X-Unsent"] = "1"
    message.set_content(text(row, store, title), cte="base64")
    message.add_attachment(page(row, store, title), maintype="text", subtype="html", filename=PAGE)
    # A border that is the same for the same grades; no student's text can hold it, as all parts are encoded.
    message.set_boundary(f"=={row.submission.digest or 'none'}==cuda-labs==")
    return message.as_bytes()


def text(row: Row, store: Store, title: str) -> str:
    said = [*(changed.said() for changed in row.overrides), *([reason(row)] if reason(row) else [])]
    lines = [f"{title}: {grade(row)}", *(["", *said] if said else [])]
    for one in said_of(row, store):
        lines += ["", f"{one.name}: {one.points}, {one.verdict}: {one.meaning}", *(f"  {line}" for line in one.lines)]
    return "\n".join(clean(line, 1000) for line in lines) + "\n"
