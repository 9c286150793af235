"""Recipes: what must be known of a public repository so that its programs can be built, run and judged.

tools/foreign/recipes/NAME.toml is of one repository. The keys are those of Recipe, [[program]] is a Program, and
[[program.finding]] a Judged. A recipe names files and says what a person has seen; it holds no code of the repository.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

FOLDER = Path(__file__).resolve().parent / "recipes"

# What a program says when its own check fails. Words such as "error: 0.001" are too common to be on this list.
FAILED = r"(?i)\bfail(?:ed|ure|s)?\b|\bmismatch|\bincorrect|\bnot correct|\bwrong\b|\bnot equal\b|\bverification error"
# What a program says when it has compared its result with one of its own.
PASSED = r"(?i)\bpass(?:ed)?\b|\bsuccess|\bcorrect|\bmatch(?:es|ed)?\b|\bverif|\btest ok\b|\bresults? (?:is|are) equal"

Words = Annotated[str, msgspec.Meta(min_length=1)]


class RecipeError(Exception):
    """A recipe cannot be read; the message names its file."""


class Judged(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A finding that a person has looked at."""

    kind: Words
    true: bool  # the program has this mistake; false: the virtual GPU is wrong
    why: Words
    at: str = ""  # "file.cu:41", "file.cu", or anywhere


class Program(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What is known of one program. `path` is its folder, or its file if the folder has several programs."""

    path: Words
    sources: list[str] = []  # besides the main file, relative to its folder; instead of all that lie beside it
    include: list[str] = []  # folders, relative to the checkout
    flags: list[str] = []
    arguments: list[str] | None = None  # instead of those that the makefile says
    sizes: dict[str, str] = {}  # constants of its source that get another value for this build: a CPU's size
    folder: str = ""  # in which it runs, relative to its own folder
    input: str = ""  # what it reads from standard input
    status: int | None = None  # of a right run, if it is not 0
    right: str = ""  # a regular expression that a right output matches
    wrong: str = ""  # one that only a wrong output matches, instead of the usual words
    checks: bool | None = None  # whether it compares its result; usually its words say it
    note: str = ""  # what the page says besides the result
    # What a person has found out. These decide, whatever the run does.
    skip: str = ""  # why it cannot be judged; it is not run
    needs: str = ""  # the library or the driver's interface that it cannot do without; it is not run
    # These decide only if the run has the outcome that they explain.
    crash: str = ""  # why it is the program's own fault that it crashes, or ends with another status
    endless: str = ""  # why it does not end here, where a GPU's run does
    finding: list[Judged] = []


class Recipe(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What is known of a repository. Globs and paths are relative to the checkout."""

    repository: Words  # owner/name
    about: Words  # which programs are chosen, in words: the page prints it
    folders: tuple[str, ...] = (".",)  # where programs are looked for
    # A glob of main files, such as **/*.pass.cpp, which are compiled as CUDA; else every file with a function main.
    main: str = ""
    leave_out: list[str] = []  # globs of programs
    every: Annotated[int, msgspec.Meta(ge=1)] = 1  # of the programs in the order of their paths, each n-th
    alone: bool = False  # each main file is a program of its own, even if sources lie beside it
    build: Literal["nvcc", "make"] = "nvcc"
    make: list[str] = []  # arguments of make
    include: list[str] = []
    flags: list[str] = []
    sizes: dict[str, str] = {}
    right: str = ""
    wrong: str = ""
    checks: bool | None = None
    waives: str = ""  # a regular expression: what a program says that does not run here, and why
    program: list[Program] = []

    @property
    def name(self) -> str:
        return self.repository.partition("/")[2]

    def of(self, path: str) -> Program:
        return next((one for one in self.program if one.path == path), Program(path))


def read(path: Path) -> Recipe:
    try:
        recipe = msgspec.convert(tomllib.loads(path.read_text()), Recipe)
        for pattern in (
            recipe.right,
            recipe.wrong,
            recipe.waives,
            *(text for one in recipe.program for text in (one.right, one.wrong)),
        ):
            re.compile(pattern)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, re.error) as error:
        raise RecipeError(f"{path}: {error}") from None
    names = [one.path for one in recipe.program]
    if twice := {name for name in names if names.count(name) > 1}:
        raise RecipeError(f"{path}: two entries of {', '.join(sorted(twice))}")
    return recipe


def all_recipes(only: str = "") -> list[Recipe]:
    """Those of all repositories, or of those whose owner/name contains `only`, in the order of their names."""
    found = [read(path) for path in FOLDER.glob("*.toml")]
    chosen = [one for one in found if only.lower() in one.repository.lower()]
    return sorted(chosen, key=lambda one: one.repository.lower())


def checkout_of(recipe: Recipe, folder: Path) -> Path | None:
    """The checkout in a folder of checkouts: owner+name, owner-name, owner/name or name."""
    owner, _, name = recipe.repository.partition("/")
    for candidate in (f"{owner}+{name}", f"{owner}-{name}", f"{owner}/{name}", name):
        if (folder / candidate / ".git").exists():
            return folder / candidate
    return None
