"""Names of a lab and its tasks: they become functions, files, CMake targets and words of formulas."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path

from answers.formula import FUNCTIONS
from autograder.errors import UsageError

FORM = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST = 24  # characters: lines of the templates stay within the columns of a page
MOST_TASKS = 10

CPP_KEYWORDS = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t "
    "class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit export extern false float for friend "
    "goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq "
)
# What a task's function would hide, or be mistaken for: the templates' own names, and those of a sheet's formulas.
OURS = ("main", "lab", "std", "testing", "with", "verdict", "edited", "changed", *FUNCTIONS)
# A lab's contract, NAME.h, is found before a header of the system with that name.
C_HEADERS = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math memory setjmp signal stdalign stdarg "
    "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar wchar wctype"
)
SYSTEM = ("usr/include", "usr/include/x86_64-linux-gnu", "usr/local/cuda*/include", "usr/local/cuda*/include/crt")
# What add_lab() and the tests make of a lab's name.
TARGETS = ("cases", "oracle", "parts", "solution", "not_started", "test", "skeleton_test")


def check_name(root: Path, name: str) -> None:
    """UsageError: a lab cannot have this name."""
    _check_form("lab", name)
    there = {path.name[3:]: path for path in _lab_folders(root)}
    if name in there:
        raise UsageError(f"there is a lab {name} already: {there[name].relative_to(root)}; choose another name")
    if (root / "tools" / "figures" / f"{name}.py").exists():
        raise UsageError(f"tools/figures/{name}.py is there already: the lab's pictures need it; choose another name")
    if name in C_HEADERS.split() or any(True for folder in SYSTEM for _ in Path("/").glob(f"{folder}/{name}.h")):
        raise UsageError(f"{name}: its contract would hide {name}.h of the system or of CUDA; choose another name")
    words = _words_of_cmake(root)
    words |= {f"{other}_{part}" for other in there for part in TARGETS}
    taken = [target for part in TARGETS if (target := f"{name}_{part}") in words]
    if taken:
        raise UsageError(f"{name}: CMake has a target {taken[0]} already; choose another name")


def check_tasks(root: Path, lab: str, tasks: Sequence[str]) -> None:
    """UsageError: the lab's tasks cannot have these names."""
    if not 1 <= len(tasks) <= MOST_TASKS:
        raise UsageError(f"{len(tasks)} tasks: a lab begins with 1 to {MOST_TASKS}; name them as --tasks naive,tiled")
    toolbox = names_of_toolbox(root)
    made = {f"{lab}_{part}" for part in ("lab", "bindings", "expect")}
    made |= {f"{task}_{part}" for task in tasks for part in ("kernel", "in_strides")}
    for task in tasks:
        _check_form("task", task)
        if tasks.count(task) > 1:
            raise UsageError(f"the task {task} appears twice in --tasks")
        if task in toolbox:
            raise UsageError(f"a task cannot be called {task}: the toolbox has that name ({toolbox[task]})")
        if task in made:
            raise UsageError(f"a task cannot be called {task}: another function of the lab gets that name")


def choose_number(root: Path, wanted: int | None) -> int:
    """The lab's number: the one that is wanted, or the next. UsageError: it is taken."""
    there = {int(path.name[:2]): path for path in _lab_folders(root)}
    listed = re.findall(r"^add_lab\(NUMBER (\d+)\b", (root / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE)
    taken = {*there, *map(int, listed)}
    number = max(taken, default=0) + 1 if wanted is None else wanted
    if not 1 <= number <= 99:
        raise UsageError(f"a lab's number is 1 to 99, not {number}")
    if number in taken:
        where = there[number].relative_to(root) if number in there else "add_lab in CMakeLists.txt"
        raise UsageError(f"there is a lab {number} already: {where}; without --number it is {max(taken) + 1}")
    return number


def names_of_toolbox(root: Path) -> dict[str, str]:
    """Functions, types and constants of the toolbox, with their headers."""
    declared = re.compile(r"\b(?:struct|class|using|define|enum class) (\w+)|\b(\w+)\(|\b(\w+) =")
    found = {}
    for path in sorted((root / "common" / "toolbox").glob("*.h")):
        code = re.sub(r"//.*", "", path.read_text("utf-8"))
        for match in declared.finditer(code):
            found[match[1] or match[2] or match[3]] = f"toolbox/{path.name}"
    return found


def _check_form(what: str, name: str) -> None:
    if not FORM.fullmatch(name):
        raise UsageError(
            f"a {what} cannot be called {name!r}: small letters, digits and single underscores, such as prefix_max"
        )
    if len(name) > LONGEST:
        raise UsageError(f"the name of the {what} {name} has {len(name)} characters: at most {LONGEST}")
    cpp = name in CPP_KEYWORDS.split()
    if cpp or keyword.iskeyword(name):
        language = "C++" if cpp else "Python"
        raise UsageError(f"a {what} cannot be called {name}: that is a keyword of {language}")
    if name in OURS:
        raise UsageError(f"a {what} cannot be called {name}: that name has another meaning here; choose another name")


def _lab_folders(root: Path) -> list[Path]:
    """All that belong to labs, finished or not."""
    return [
        path
        for parent in ("course", "tests/submissions", "solutions", "labs")
        for path in sorted((root / parent).glob("[0-9][0-9]-*"))
    ]


def _words_of_cmake(root: Path) -> set[str]:
    files = [*(root / "common").rglob("CMakeLists.txt"), *(root / "common").rglob("*.cmake"), root / "CMakeLists.txt"]
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}
