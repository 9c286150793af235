"""A mistake from its files back to an entry: --renew and --new."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from autograder.errors import UsageError
from mistakes.catalog import find_mistake
from mistakes.edit import MistakeError
from mistakes.generate import folder_of, generate
from mistakes.renew import add, renew
from mistakes.tests.entries import ENTRY, OTHER, TASK, missing_barrier


def change_rung(lab: Path, before: str, after: str) -> None:
    path = lab.parents[1] / "solutions" / "03-scan" / "sum.cu"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))


def test_renew_takes_over_what_was_changed_by_hand(lab: Path) -> None:
    mistake = missing_barrier(lab)
    source = generate(mistake)
    (source.parent / "tile.cuh").write_text("int tile = 31;\n")
    with pytest.raises(MistakeError, match=r"was changed by hand\n.*--renew"):
        generate(mistake)
    renew(mistake)
    text = mistake.path.read_text()
    header = "@@ tile.cuh\n-int tile = 32;\n+int tile = 31;\n"
    assert text == (ENTRY + OTHER).replace("-    __syncthreads();\n", f"-    __syncthreads();\n{header}")
    assert generate(missing_barrier(lab)) == source


def test_renew_of_an_edit_that_no_longer_fits(lab: Path) -> None:
    source = generate(missing_barrier(lab))
    change_rung(lab, "load();", "load(tile);")
    for _ in range(2):  # nothing is lost by asking twice
        with pytest.raises(MistakeError, match=r"hunk 1 fits nowhere.*\n.*make the change there\n  then: .*--renew"):
            renew(missing_barrier(lab))
    assert source.read_text() == TASK.replace("load()", "load(tile)")
    source.write_text(TASK.replace("load();\n    __syncthreads();", "load(tile);"))
    renew(missing_barrier(lab))
    assert missing_barrier(lab).entry.edit == "     load(tile);\n-    __syncthreads();\n"
    assert generate(missing_barrier(lab)) == source


def test_a_change_by_hand_is_not_lost_when_the_rung_changes(lab: Path) -> None:
    source = generate(missing_barrier(lab))
    source.write_text("by hand\n")
    change_rung(lab, "add();", "add(1);")
    with pytest.raises(MistakeError, match="the solution has changed since"):
        renew(missing_barrier(lab))
    assert source.read_text() == "by hand\n"


def test_renew_from_a_file(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text(TASK.replace("load();", "load(0);"))
    renew(missing_barrier(lab), tmp_path / "mine.cu")
    assert missing_barrier(lab).entry.edit == "-    load();\n+    load(0);\n"
    (tmp_path / "mine.cu").write_text(TASK)
    with pytest.raises(MistakeError, match="nothing differs"):
        renew(missing_barrier(lab), tmp_path / "mine.cu")


def test_new_appends_an_entry_to_be_completed(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text(TASK.replace("    add();\n", "    sub();\n"))
    mistake = add(lab, "subtracts", "sum", tmp_path / "mine.cu")
    text = mistake.path.read_text()
    assert text.startswith(ENTRY + OTHER + "\n[subtracts]\n")
    assert tomllib.loads(text)["subtracts"]["edit"] == "-    add();\n+    sub();\n"
    assert generate(find_mistake(lab, "subtracts")).parent == folder_of(mistake)
    with pytest.raises(UsageError, match="there is a mistake subtracts already"):
        add(lab, "subtracts", "sum", tmp_path / "mine.cu")


def test_a_file_of_its_own(lab: Path) -> None:
    folder = lab.parents[1] / "tests/submissions/03-scan/wrong"
    (folder / "sum.toml").write_text(ENTRY[: ENTRY.index("edit")] + 'file = "own.cu"\n')
    (folder / "own.cu").write_text("void sum() {}\n")
    assert generate(missing_barrier(lab)).read_text() == "void sum() {}\n"
    with pytest.raises(MistakeError, match=r"a file of its own: edit .*own.cu"):
        renew(missing_barrier(lab))
