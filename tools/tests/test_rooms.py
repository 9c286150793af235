"""The autograder's packages are steps of one way, in this order: each may import only itself and those before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_docs import ROOT

ROOMS = (
    "plan", "cage", "build", "run", "judge", "cause", "explain", "trace", "timing", "score", "report", "page",
)  # fmt: skip
# Modules that import none of the rooms.
EVERYWHERE = ("arguments", "errors", "files", "sanitize", "source", "verdict", "words")
AUTOGRADER = ROOT / "tools" / "autograder"
MODULES = [path for path in AUTOGRADER.rglob("*.py") if "tests" not in path.parts[len(AUTOGRADER.parts) :]]


def room_of(path: Path) -> str:
    """The package, or the module that is a room of its own."""
    return path.relative_to(AUTOGRADER).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """The names below `autograder` from which a module imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from [node.module] if "." in node.module else [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: imports are absolute"


def wrong_imports(path: Path, allowed: set[str]) -> list[str]:
    names = [name.split(".") for name in imported(path)]
    own = [name[1] for name in names if name[0] == "autograder" and len(name) > 1 and name[1] != "__version__"]
    return [name for name in own if name not in allowed]


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room: str) -> None:
    allowed = {*EVERYWHERE, *ROOMS[: ROOMS.index(room) + 1]}
    files = [path for path in MODULES if room_of(path) == room]
    assert files
    wrong = {str(path.relative_to(AUTOGRADER)): wrong_imports(path, allowed) for path in files}
    assert not {path: names for path, names in wrong.items() if names}


def test_every_package_is_a_room() -> None:
    packages = {path.parent.name for path in AUTOGRADER.glob("*/__init__.py")}
    assert packages - {"tests"} == set(ROOMS) - {"score"}  # one module so far


def test_what_all_may_import_imports_nothing_itself() -> None:
    assert not [name for name in EVERYWHERE if wrong_imports(AUTOGRADER / f"{name}.py", set(EVERYWHERE))]


@pytest.mark.parametrize("users", ["learn", "classes"])
def test_only_the_command_line_knows_who_uses_the_grader(users: str) -> None:
    """learn/ and classes/ stand on the rooms, and none of them on these."""
    known = [path.name for path in MODULES if any(name.split(".")[0] == users for name in imported(path))]
    assert known == ["cli.py"]


def test_the_modules_of_learn_import_one_way() -> None:
    """What keeps points and tells changes does not know the screen; the grading process does not know either."""
    layers = (
        {"proved", "plain"},
        {"messages", "state", "keyboard", "file_changes", "ideas", "run_file", "edit"},
        {"overview", "reset", "model", "grading", "worker", "compare", "proved_hints"},
        {"page"},
        {"journal"},
        {"watch"},
        {"commands"},
    )
    modules = {path.stem: path for path in (ROOT / "tools/learn").glob("*.py") if path.stem != "__init__"}
    assert set(modules) == set().union(*layers)
    for at, layer in enumerate(layers):
        below = set().union(*layers[:at])
        for name in layer:
            used = {one.split(".")[1] for one in imported(modules[name]) if one.startswith("learn.")}
            assert used <= below, f"{name} imports {', '.join(sorted(used - below))}"


def test_a_new_lab_is_made_without_the_grader() -> None:
    """Its maker knows how labs, mistakes and sheets are written; nothing knows their maker."""
    allowed = {"autograder.errors", "autograder.plan.labs", "answers.sheets", "mistakes.catalog"}
    rooms = {path.name for path in (ROOT / "tools").iterdir() if path.is_dir()}
    for path in (ROOT / "tools/newlab").glob("*.py"):
        used = {name for name in imported(path) if name.split(".")[0] in rooms}
        assert {name for name in used if not name.startswith("newlab.")} <= allowed, path
    others = [path for room in rooms - {"newlab", "setup"} for path in (ROOT / "tools" / room).rglob("*.py")]
    assert others
    assert not [path for path in others if any(name.split(".")[0] == "newlab" for name in imported(path))]


def test_an_import_of_a_later_room_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def f():\n    from autograder.report import terminal\nfrom autograder import session\n")
    assert set(wrong_imports(module, {*EVERYWHERE, "plan"})) == {"report", "session"}
