"""The command `similarity`: files that are alike, as a page and in the class's list of who needs a person.

It compares the files of a class with each other, with the reference solution, and with what --against names. It only
reads the class, so it runs before grading, and while a class is being graded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.errors import UsageError
from autograder.plan.labs import find
from autograder.plan.manifest import load
from autograder.sanitize import clean
from classes.batches import batches_of
from classes.choose_file import Lab, lab_of
from classes.layouts import handed_in
from classes.needs_person import connected
from classes.people import Submission, submissions
from classes.roster_files import read_rosters
from classes.store import DATABASE, Store
from classes.student_results import ALIKE
from classes.tables import encode, write_folder
from classes.token_similarity import Likeness, Pair, compare, without_skeleton

FOLDER = ALIKE.parent
SOLUTION = "the reference solution"
_OWN = {"index.html", ALIKE.name}


@dataclass
class Files:
    """What is compared: texts without the skeleton, and whose they are, by a name that is a digest or says so."""

    people_of: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)  # not of the class


def run_similarity(
    root: Path, source: Path, out: Path | None, least: int, seconds: float, people: Console,
    against: Sequence[Path] = (), lab: str | None = None, rosters: Sequence[Path] = (),
) -> None:  # fmt: skip
    """Compares all files; the report replaces that of an earlier run.

    `source`: results, or before grading what was handed in, with `lab`. `against`: results or files of other terms.
    """
    graded = (source / DATABASE).is_file()
    if not graded and lab is None:
        raise UsageError(f"{source} holds no graded class; to compare what was handed in, name the lab: --lab 3")
    to = out or (source / FOLDER if graded else Path("similarity"))
    if (out or not graded) and to.exists() and (not to.is_dir() or not {p.name for p in to.iterdir()} <= _OWN):
        raise UsageError(f"--out {to}: holds other files, which would be lost; choose an empty folder")
    folder = find(root, _lab(source) if graded else lab or "")
    asked = lab_of(root, int(folder.name[:2]))
    files = Files()
    _add(files, _of_results(source) if graded else _of_files(source, asked, rosters), asked)
    _add_solution(files, root / "solutions" / folder.name, asked)
    for path in against:
        _add_others(files, path, asked)
    found = compare(files.texts, least, seconds, files.others)
    _write(to, found, files, load(folder).title, asked.number, least)
    _say(people, found, files, to, least)


def _lab(results: Path) -> str:
    with Store(results, create=False, alone=False).opened() as store:
        return store.fact("lab", "")


def _of_results(folder: Path) -> list[tuple[Submission, bytes]]:
    """All batches of a class, by what was handed in."""
    found = []
    for results in batches_of(folder):
        with Store(results, create=False, alone=False).opened() as store:
            for one in store.submissions():
                path = next(iter((results / "sources" / one.digest).glob("*.cu")), None) if one.digest else None
                if path:
                    found.append((one, path.read_bytes()))
    return found


def _of_files(top: Path, lab: Lab, rosters: Sequence[Path]) -> list[tuple[Submission, bytes]]:
    names = read_rosters(rosters) if rosters else None
    found = handed_in(top, lambda name: names is not None and names.find(name, {})[0] is not None, rosters)
    data: dict[str, bytes] = {}
    rows = submissions(found, names, lab, data.__setitem__)
    return [(row, data[row.digest]) for row in rows if row.digest]


def _add(files: Files, found: Iterable[tuple[Submission, bytes]], lab: Lab, of: str = "") -> None:
    """Files that differ at most in white space are one. `of`: what else than the class they are of."""
    given = sorted(found, key=lambda pair: pair[0].alike)
    for _, same in groupby(given, key=lambda pair: pair[0].alike):
        group = list(same)
        names = list(dict.fromkeys(one.person.key for one, _ in group))
        said = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        name = f"{of}: {said}" if of else group[0][0].digest
        _add_text(files, name, name if of else said, group[0][1], lab, of=bool(of))


def _add_text(files: Files, name: str, said: str, data: bytes, lab: Lab, of: bool) -> None:
    files.people_of[name] = said
    files.texts[name] = without_skeleton(data.decode("utf-8-sig", "replace"), lab.skeleton.decode("utf-8"))
    if of:
        files.others.add(name)


def _add_solution(files: Files, folder: Path, lab: Lab) -> None:
    """All tasks of the reference solution as one file; the students' archive has none."""
    parts = sorted(folder.glob("*.cu*"))
    if parts:
        _add_text(files, SOLUTION, SOLUTION, b"\n".join(path.read_bytes() for path in parts), lab, of=True)


def _add_others(files: Files, path: Path, lab: Lab) -> None:
    if (path / DATABASE).is_file():
        if (other := _lab(path)) != str(lab.number):
            raise UsageError(f"--against {path}: is of lab {other}, not of lab {lab.number}")
        _add(files, _of_results(path), lab, path.name)
    else:
        _add(files, _of_files(path, lab, ()), lab, path.name)


def groups(found: Likeness) -> list[list[str]]:
    """Three files and more that pairs connect."""
    return [group for group in connected((pair.one, pair.other) for pair in found.pairs) if len(group) > 2]


def _write(to: Path, found: Likeness, files: Files, title: str, number: int, least: int) -> None:
    from classes.similarity_page import page  # loads templates

    pairs = [[pair.one, pair.other, pair.share] for pair in found.pairs]
    write_folder(to, [
        ("index.html", page(f"Lab {number}, {title}", found, groups(found), files.people_of, files.texts, least)),
        (ALIKE.name, encode(pairs)),
    ])  # fmt: skip


def _say(people: Console, found: Likeness, files: Files, to: Path, least: int) -> None:
    compared = len(files.texts) - len(found.left_out)
    others = f", {len(files.others)} of them not of the class" if files.others else ""
    alike = f"{len(found.pairs)} pairs of which {least} % or more of one is in the other"
    people.print(Text(f"  {compared} different files compared{others}: {alike}"), soft_wrap=True)
    together = groups(found)
    for group in together:
        _line(people, f"  {len(group)} alike: {'; '.join(files.people_of[name] for name in group)}")
    for pair in [pair for pair in found.pairs if not any(pair.one in group for group in together)][:20]:
        _line(people, f"  {pair.share:>4} %  {_names(pair, files)}")
    if found.left_out:
        whys = ", ".join(f"{number} {why}" for why, number in Counter(found.left_out.values()).most_common())
        people.print(Text(f"  not compared: {whys}; the page names them"), soft_wrap=True)
    people.print(Text(f"  {to}/index.html · look at each pair: similarity proves nothing"), soft_wrap=True)


def _names(pair: Pair, files: Files) -> str:
    return f"{files.people_of[pair.one]}  and  {files.people_of[pair.other]}"


def _line(people: Console, text: str) -> None:
    people.print(Text(re.sub(r"\n", " ", clean(text, 400))), soft_wrap=True)
