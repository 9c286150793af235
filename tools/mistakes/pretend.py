"""An invented class: whole submissions made of a lab's tasks, mistakes and honest programs.

    tools/author mistakes.pretend 3 --people 200 --out /tmp/class
    ./grader class /tmp/class/submissions --lab 3 --roster /tmp/class/roster.csv --out /tmp/class/results

To try a machine, a cluster or a new lab before the term. Some of the files do not compile, are empty, are somebody
else's or attack the grader. The same --seed makes the same class.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.build.compiler import task_names
from autograder.cli import ROOT
from autograder.plan.labs import file_of, find
from mistakes.catalog import Mistake, mistakes_of, place
from mistakes.generate import headers_of, texts
from mistakes.honest import honest_of
from mistakes.honest import texts as honest_texts

COPIED, BROKEN, EMPTY, HOSTILE, OWN_STYLE = 0.10, 0.04, 0.02, 0.02, 0.10  # parts of a class
INCLUDE = re.compile(r'^#include "([\w.]+)".*\n', re.MULTILINE)
INSTANTIATION = re.compile(r"^template (?!<)[^;]*;\n", re.MULTILINE)
# What a file defines at the top level: types, the device's variables and functions; and constants.
DEFINED = re.compile(
    r"^(?:template <[^\n]*> )?(?:struct|class|enum(?: class)?|using)(?: alignas\([^\n]*?\))? (\w+)"
    r"|^(?:static )?__(?:constant|device)__ [\w ]+ (\w+)(?=[\[;])"
    r"|^(?!return\b|else\b|#|//)(?=\S)(?:[\w:<>*&,.() ]*\n? +\*?)??(\w+)\((?=[^;{]*\{)",
    re.MULTILINE,
)
CONSTANTS = re.compile(r"^(?:static |inline )*constexpr .*", re.MULTILINE)
CONSTANT = re.compile(r"\b(\w+) = ")


@dataclass(frozen=True)
class Piece:
    """A file that holds some of a lab's tasks, with the headers that lie beside it."""

    tasks: Sequence[str]
    text: str
    headers: Mapping[str, str]


class Lab:
    """What a lab's submissions are made of."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tasks = folder, task_names(folder)
        self.solution = ROOT / "solutions" / folder.name
        self.skeleton = file_of(ROOT, folder.name).read_text("utf-8")
        headers = headers_of(self.solution)
        self.right = {task: Piece([task], self._rung(task), headers) for task in self.tasks}
        found = mistakes_of(folder)
        self.wrong = {task: [one for one in found if one.task == task and not one.entry.root] for task in self.tasks}
        self.cheats = [one for one in found if one.entry.root]
        honest = [one for one in honest_of(folder) if one.entry.verdict == "AC"]
        self.own = [Piece(one.tasks, honest_texts(one)[one.source.name], headers) for one in honest]
        not_started = (place(folder) / "not_started.cc").read_text("utf-8").replace("[[gnu::weak]] ", "")
        blocks = re.split(r"\n\n|(?<=\})\n(?=void )", not_started)
        self.stubs = {task: next(one for one in blocks if re.search(rf"\bvoid {task}\(", one)) for task in self.tasks}
        self.instantiations = (folder / "grading/instantiations.h").is_file()

    def _rung(self, task: str) -> str:
        return (self.solution / f"{task}.cu").read_text("utf-8")

    def of(self, mistake: Mistake) -> Piece:
        made = texts(mistake)
        text = made.pop(mistake.source.name)
        return Piece([mistake.task], text, made)

    def submission(self, pieces: Sequence[Piece]) -> str:
        """One file; tasks that are in no piece are not started."""
        held = [task for piece in pieces for task in piece.tasks]
        stubs = [self.stubs[task] for task in self.tasks if task not in held]
        parts = [f'#include "{file_of(ROOT, self.folder.name).stem}.h"', *stubs]
        taken = set(self.tasks)
        for piece in pieces:
            parts.append(self._alone(piece, taken))
        if self.instantiations:
            parts.append('#include "grading/instantiations.h"')
        return "\n\n".join(parts) + "\n"

    def _alone(self, piece: Piece, taken: set[str]) -> str:
        """The piece with its headers pasted in, and with new names for what another piece defines, too."""
        seen: set[str] = set()

        def header(found: re.Match[str]) -> str:
            name = found[1]
            if name not in piece.headers:
                return found[0]
            again = name in seen
            seen.add(name)
            return "" if again else INCLUDE.sub(header, piece.headers[name].replace("#pragma once\n", ""))

        text = INCLUDE.sub(header, INSTANTIATION.sub("", piece.text) if self.instantiations else piece.text)
        names = {name for found in DEFINED.finditer(text) for name in found.groups() if name}
        names |= {name for line in CONSTANTS.findall(text) for name in CONSTANT.findall(line)}
        for name in sorted(names & taken - set(self.tasks)):
            text = re.sub(rf"(?<![.>\w]){name}\b", f"{name}_{piece.tasks[0]}", text)
        taken |= names
        return text


def person(lab: Lab, chance: random.Random) -> str:
    """One student's file. The able begin more tasks and get more of them right; the last ones are for few."""
    able, pieces = chance.random(), list[Piece]()
    if lab.own and chance.random() < OWN_STYLE:
        pieces.append(chance.choice(lab.own))
    for at, task in enumerate(lab.tasks):
        if any(task in piece.tasks for piece in pieces):
            continue
        if chance.random() > 1.3 * able + 0.4 - 0.6 * at / len(lab.tasks):
            continue
        wrong = lab.wrong[task] if chance.random() > 0.3 + 0.7 * able else []
        pieces.append(lab.of(chance.choice(wrong)) if wrong else lab.right[task])
    return lab.submission(pieces)


def people(lab: Lab, count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    made: list[str] = []
    for _ in range(count):
        draw = chance.random()
        if made and draw < COPIED:
            made.append(chance.choice(made))
        elif draw < COPIED + BROKEN:
            lines = lab.skeleton.splitlines(keepends=True)
            del lines[chance.randrange(len(lines) // 2, len(lines))]
            made.append("".join(lines))
        elif draw < COPIED + BROKEN + EMPTY:
            made.append("")
        elif lab.cheats and draw < COPIED + BROKEN + EMPTY + HOSTILE:
            made.append(lab.submission([lab.of(chance.choice(lab.cheats))]))
        else:
            made.append(person(lab, chance))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="mistakes.pretend", description=__doc__.splitlines()[0])
    parser.add_argument("lab")
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    lab = Lab(find(ROOT, options.lab))
    options.out.mkdir(parents=True)  # never into a folder that is there
    with (options.out / "roster.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("login", "name"))
        for number, text in enumerate(people(lab, options.people, options.seed), 1):
            login = f"student{number:04}"
            rows.writerow((login, f"Student {number}"))
            folder = options.out / "submissions" / login
            folder.mkdir(parents=True)
            (folder / file_of(ROOT, lab.folder.name).name).write_text(text, "utf-8")
    number, roster = int(lab.folder.name[:2]), options.out / "roster.csv"
    print(f"{options.people} submissions; grade them with")
    print(f"  ./grader class {options.out / 'submissions'} --lab {number} --roster {roster} --out RESULTS")


if __name__ == "__main__":
    main()
