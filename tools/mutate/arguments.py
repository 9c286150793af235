"""tests/submissions/NN-name/mutants.toml: why a mutant that survives is not a mistake, one sentence each.

[[mutant]]
id = "3f2a91c0"
line = "if (t < half) s[t] += s[t + half];"      # as it stands in the file: for the reader, and compared
change = "t < half → t <= half"
kind = "equivalent"        # every result is the same; or "speed": only the time differs
why = "..."
tasks = ["sequential"]     # only there; without it wherever it survives
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from autograder.errors import GraderError
from mutate.mutants import Mutant

NAME = "mutants.toml"
Sentence = Annotated[str, msgspec.Meta(min_length=20)]


class Argument(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Of one mutant."""

    id: str
    line: str
    change: str
    kind: Literal["equivalent", "speed"]
    why: Sentence
    tasks: list[str] = []

    def holds_for(self, task: str) -> bool:
        return not self.tasks or task in self.tasks


class _File(msgspec.Struct, forbid_unknown_fields=True):
    mutant: list[Argument] = []


def load(folder: Path) -> list[Argument]:
    """The arguments of one solution; none where there is no file."""
    path = folder / NAME
    if not path.exists():
        return []
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File).mutant
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise GraderError(f"{path}: {error}") from None


def stale(arguments: Sequence[Argument], mutants: Iterable[Mutant]) -> list[str]:
    """What is wrong with the file: entries whose mutant no longer exists or differs, and duplicates."""
    known = {one.id: one for one in mutants}
    wrong = []
    for argument in arguments:
        one = known.get(argument.id)
        if one is None:
            wrong.append(f"{argument.id}: there is no such mutant (any more): {argument.change}")
        elif (argument.line, argument.change) != (one.text, one.change):
            wrong.append(f"{argument.id}: it is {one.change!r} in {one.text!r}")
    wrong += [f"{id}: argued twice" for id in {a.id for a in arguments if sum(b.id == a.id for b in arguments) > 1}]
    return wrong


def entry(mutant: Mutant) -> str:
    """What an argument for it begins with; the reason is for a person to write."""
    fields = {"id": mutant.id, "line": mutant.text, "change": mutant.change}
    lines = [f"{name} = {_quoted(text)}" for name, text in fields.items()]
    return "\n".join(["[[mutant]]", *lines, 'kind = "equivalent"', 'why = ""'])


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text or "\\" in text else f'"{text}"'
