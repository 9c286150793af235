"""No lab is half filled in."""

from __future__ import annotations

from newlab.__main__ import MARK
from tests.test_docs import ROOT, files


def test_nothing_is_left_to_fill_in() -> None:
    rooms = ("labs", "solutions", "tests", "course", "tools/figures", "docs")
    paths = [path for path in files() if str(path.relative_to(ROOT)).startswith(rooms)]
    left = [
        f"{path.relative_to(ROOT)}:{number}: {line.decode().strip()}"
        for path in [*paths, ROOT / "README.md", ROOT / "CMakeLists.txt"]
        if path.name != "adding-a-lab.md"
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if MARK.encode() in line
    ]
    assert len(paths) > 100 and not left
