"""--renew: makes the edit of a mistake again, from its generated file. --new: makes an entry from a finished file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec

from autograder.build.compiler import task_names
from autograder.errors import UsageError
from autograder.plan.labs import suggest
from mistakes import generate
from mistakes.catalog import TO_BE_WRITTEN, Entry, Mistake, mistakes_of, place
from mistakes.diff import edit_between
from mistakes.edit import MistakeError, written

QUOTES = "'''"


def renew(mistake: Mistake, source: Path | None = None) -> str:
    """Writes the edit into the TOML file; returns it."""
    if mistake.entry.file:
        raise mistake.error(f"it is a file of its own: edit {mistake.source}")
    edit = _edit(mistake, _wanted(mistake, source))
    text = mistake.path.read_text("utf-8")
    _save(mistake.path, text, _replaced(text, mistake, edit), mistake.name, edit)
    generate.write(mistake, _edited_by(mistake, edit))
    return edit


def add(lab: Path, name: str, task: str, source: Path) -> Mistake:
    """Appends an entry to TASK.toml: how `source` differs from the solution, with the rest left to be written."""
    known = task_names(lab)
    if task not in known:
        raise UsageError(f"--task {task}: lab {int(lab.name[:2])} has no such task{suggest(task, known)}")
    if any(mistake.name == name for mistake in mistakes_of(lab)):
        raise UsageError(f"there is a mistake {name} already: ./grader mistake {int(lab.name[:2])} {name}")
    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise UsageError(f"{name}: a name is made of small letters, digits and _")
    path = place(lab) / "wrong" / f"{task}.toml"
    mistake = Mistake(lab, path, name, task, Entry("WA", TO_BE_WRITTEN, TO_BE_WRITTEN))
    edit = _edit(mistake, _wanted(mistake, source))
    before = path.read_text("utf-8") if path.is_file() else ""
    entry = f'[{name}]\nverdict = "WA"\nbecause = "{TO_BE_WRITTEN}"\nthought = "{TO_BE_WRITTEN}"\n{_block(edit)}\n'
    path.parent.mkdir(exist_ok=True)
    _save(path, before, f"{before.rstrip()}\n\n{entry}" if before.strip() else entry, name, edit)
    return mistake


def _wanted(mistake: Mistake, source: Path | None) -> dict[str, str]:
    """The files as the mistake should make them."""
    if source is not None:
        return _from_file(mistake, source)
    made, misfits = generate.edited(mistake)
    by_hand = generate.changed_by_hand(mistake)
    if generate.made_from_today(mistake) and by_hand:
        return generate.written(mistake)
    folder = generate.folder_of(mistake)
    if by_hand:
        raise mistake.error(
            f"{folder} was changed by hand, and the solution has changed since\n"
            f"  take over what you need and give it with --from FILE, or forget it: rm -r {folder}"
        )
    generate.write(mistake, made)
    if misfits:
        place = folder / misfits[0].file
        lines = [*map(str, misfits), f"all other hunks are in {place}: make the change there"]
        raise mistake.error("\n  ".join([*lines, f"then: {mistake.command} --renew"]))
    return made


def _from_file(mistake: Mistake, source: Path) -> dict[str, str]:
    """`source` replaces the header of its name, or else the task's file."""
    texts = generate.originals(mistake)
    name = source.name if source.name in texts else mistake.source.name
    try:
        return texts | {name: source.read_text("utf-8")}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: {error}") from None


def _edit(mistake: Mistake, wanted: dict[str, str]) -> str:
    task_file = mistake.source.name
    edit = written(edit_between(generate.originals(mistake), wanted, task_file), task_file)
    if not edit.strip():
        raise mistake.error("nothing differs from the solution")
    return edit


def _edited_by(mistake: Mistake, edit: str) -> dict[str, str]:
    entry = msgspec.structs.replace(mistake.entry, edit=edit)
    return generate.texts(Mistake(mistake.lab, mistake.path, mistake.name, mistake.task, entry))


def _block(edit: str) -> str:
    if QUOTES in edit:
        raise MistakeError(f"an edit cannot hold {QUOTES}")
    return f"edit = {QUOTES}\n{edit}{QUOTES}"


def _replaced(text: str, mistake: Mistake, edit: str) -> str:
    """The TOML text with another edit in one entry; a line of an edit never begins with '['."""
    entry = re.search(rf"^\[{mistake.name}\][^\n]*\n(?:(?!\[)[^\n]*\n?)*", text, re.MULTILINE)
    block = re.search(rf"^edit *= *{QUOTES}.*?{QUOTES}", entry[0], re.MULTILINE | re.DOTALL) if entry else None
    if entry is None or block is None:
        raise mistake.error(f"there is no edit = {QUOTES} to be replaced")
    at = entry.start()
    return text[: at + block.start()] + _block(edit) + text[at + block.end() :]


def _save(path: Path, before: str, after: str, name: str, edit: str) -> None:
    """Writes the file, if only that one edit has changed."""
    was, now = tomllib.loads(before), tomllib.loads(after)
    if {**was, name: {**now[name], "edit": edit}} != now or (name in was and {**was[name], "edit": edit} != now[name]):
        raise MistakeError(f"{path}: {name}: the edit could not be put in; edit the file by hand:\n{edit}")
    path.write_text(after, "utf-8")
