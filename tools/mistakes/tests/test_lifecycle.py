"""A mistake from its entry to its files in build/, and back: generate, --renew, --new."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from autograder.errors import UsageError
from mistakes.catalog import Mistake, find_mistake, mistakes_of
from mistakes.edit import MistakeError
from mistakes.generate import folder_of, generate
from mistakes.renew import add, renew

RUNG = '#include "tile.cuh"\nvoid sum() {\n    load();\n    __syncthreads();\n    add();\n    __syncthreads();\n}\n'
ENTRY = """\
# What students forget.

[missing_barrier]  # the most common one
verdict = ["WA", "CHECK"]
because = "race"
thought = "It worked once."
edit = '''
     load();
-    __syncthreads();
'''
"""
OTHER = "\n[no_add]\nverdict = \"WA\"\nbecause = 'x'\nthought = \"Not needed.\"\nedit = '''\n-    add();\n'''\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A lab with one task, whose solution has a header."""
    lab, solution = tmp_path / "labs" / "03-scan", tmp_path / "solutions" / "03-scan"
    (tmp_path / "tests/submissions/03-scan/wrong").mkdir(parents=True)
    solution.mkdir(parents=True)
    lab.mkdir(parents=True)
    (lab / "grading").mkdir()
    (lab / "grading" / "lab.toml").write_text('[[task]]\nname = "sum"\n')
    (solution / "sum.cu").write_text(RUNG)
    (solution / "tile.cuh").write_text("int tile = 32;\n")
    (tmp_path / "tests/submissions/03-scan/wrong/sum.toml").write_text(ENTRY + OTHER)
    return lab


def missing_barrier(lab: Path) -> Mistake:
    return find_mistake(lab, "missing_barrier")


def change_rung(lab: Path, before: str, after: str) -> None:
    path = lab.parents[1] / "solutions" / "03-scan" / "sum.cu"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))


def test_generate_writes_the_rung_and_its_headers_and_only_what_changes(lab: Path) -> None:
    source = generate(missing_barrier(lab))
    assert source == lab.parents[1] / "build/mistakes/03-scan/sum/missing_barrier/sum.cu"
    assert source.read_text() == RUNG.replace("load();\n    __syncthreads();", "load();")
    assert (source.parent / "tile.cuh").read_text() == "int tile = 32;\n"
    before = {path: path.stat().st_mtime_ns for path in source.parent.iterdir()}
    assert generate(missing_barrier(lab)) == source
    assert {path: path.stat().st_mtime_ns for path in source.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "-    __sync",
            "-    __SYNC",
            "missing_barrier: hunk 1 fits nowhere in sum.cu; the nearest place differs in line",
        ),
        ("     load();\n", "", "hunk 1 fits 2 times in sum.cu, at lines 4, 6: add context"),
        ("thought =", "though =", "missing_barrier: Object contains unknown field `though`"),
        ('verdict = ["WA", "CHECK"]', 'verdict = "OK"', "missing_barrier: Invalid enum value 'OK'"),
        ('verdict = ["WA", "CHECK"]', 'verdict = "AC"', "missing_barrier: only a cheat has a root, leaves something"),
        ("edit =", "root = 10\nedit =", "missing_barrier: Expected `int` <= 9 - at `$.root`"),
        ("edit =", "task = 'add'\nedit =", "missing_barrier: there is no task 'add'"),
        ("edit =", "file = 'x.cu'\nedit =", "missing_barrier: it needs either edit or file"),
        ("[missing_barrier]", "[Missing]", "Missing: a name is made of small letters"),
    ],
)
def test_what_is_wrong_names_file_and_mistake(lab: Path, before: str, after: str, message: str) -> None:
    path = lab.parents[1] / "tests/submissions/03-scan/wrong/sum.toml"
    path.write_text(ENTRY.replace(before, after))
    with pytest.raises(MistakeError, match=re.escape(message)) as error:
        for mistake in mistakes_of(lab):
            generate(mistake)
    assert str(error.value).startswith(f"{path}: ")
    if "hunk" in message:
        assert "./grader mistake 3 missing_barrier --renew" in str(error.value)


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
    assert source.read_text() == RUNG.replace("load()", "load(tile)")
    source.write_text(RUNG.replace("load();\n    __syncthreads();", "load(tile);"))
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
    (tmp_path / "mine.cu").write_text(RUNG.replace("load();", "load(0);"))
    renew(missing_barrier(lab), tmp_path / "mine.cu")
    assert missing_barrier(lab).entry.edit == "-    load();\n+    load(0);\n"
    (tmp_path / "mine.cu").write_text(RUNG)
    with pytest.raises(MistakeError, match="nothing differs"):
        renew(missing_barrier(lab), tmp_path / "mine.cu")


def test_new_appends_an_entry_to_be_completed(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text(RUNG.replace("    add();\n", "    sub();\n"))
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
