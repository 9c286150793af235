"""The file of private cases: what may be in it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.plan.private_checks import prepare
from autograder.plan.private_file import PrivateFile, read_file, size
from autograder.plan.request import Request
from autograder.plan.tests.test_private_checks import TABLE, prepared, written
from autograder.session import grade
from classes.grading import Run, run_class
from classes.options import Options
from classes.tests.support import ROOT, put, result, table

CASE = "lab = 3\n[[cases]]\nname = 'a'\n"


def read(path: Path, root: Path = ROOT) -> PrivateFile:
    return read_file(path, root, 3)


def test_the_example_of_the_docs_is_such_a_file(tmp_path: Path) -> None:
    text = (ROOT / "docs/class.md").read_text("utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    assert len(written(tmp_path, example).cases) > 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "lab: is missing"),
        ("lab = 4", "is for lab 4, not for lab 3"),
        ("lab = '3'", "lab: Expected int, got str"),
        ("lab = 3\n[late]\npercent = 10", "late: no such key"),
        ("lab = 3\ncases = 3", "cases: Expected array"),
        ("lab = ", "not TOML"),
        (f"lab = 1{'0' * 5000}", "not TOML"),
        ("lab = 3\n[[cases]]\nsizes = [1]", "cases 1: name: is missing"),
        ("lab = 3\n[[cases]]\nname = ''\nsizes = [1]", "cases 1: name: "),
        ('lab = 3\n[[cases]]\nname = "a\\n"\nsizes = [1]', "name: "),
        (CASE, "cases 'a': give either sizes"),
        (CASE + "sizes = [1]\nfile = 'a.npy'", "give either sizes"),
        (CASE + "size = [1]", "cases 'a': size: no such key; did you mean 'sizes'"),
        (CASE + "sizes = [-1]", "-1 is less than 0"),
        (CASE + "sizes = ['-1']", "'-1' is less than 0"),
        (CASE + "sizes = ['1 - 2']", "'1 - 2' is less than 0"),
        (CASE + "sizes = ['many']", "'many' is not a whole number"),
        (CASE + "sizes = ['']", "'' is not a whole number"),
        (CASE + "sizes = ['2^999']", r"'2\^999' is too large"),
        (CASE + "sizes = [true]", r"sizes\[0\]: Expected int"),
        (CASE + "sizes = [1.5]", r"sizes\[0\]: Expected int"),
        (CASE + "sizes = [1]\nseeds = ['xyz']", "'xyz' is not a hexadecimal number"),
        (CASE + "file = 'a.npy'\nseeds = ['1']", "a file needs no seeds"),
        (CASE + "sizes = [1]\nweight = 0", "weight: "),
        (CASE + "sizes = [1]\nweight = 101", "weight: "),
        (CASE + "sizes = [1]\nweight = nan", "weight: "),
        (CASE + "sizes = [1]\nshow = 'some'", "show: Invalid enum value 'some'; choose from: verdict, size, all"),
        (CASE + "sizes = [1]\n[[cases]]\nname = 'a'\nsizes = [2]", "cases 'a': is there twice"),
    ],
)
def test_a_file_that_makes_no_sense(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        written(tmp_path, text)
    assert "cases.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path, why in (
        (tmp_path / "none.toml", "No such file or directory; docs/class.md has one to start from"),
        (tmp_path, "Is a directory"),
        (put(tmp_path / "latin.toml", b"# \xe9\n"), "not UTF-8"),
        (put(tmp_path / "large.toml", b"#" * ((4 << 20) + 1)), "larger than 4 MB"),
        (Path("/dev/zero"), "larger than 4 MB"),
    ):
        with pytest.raises(UsageError, match=why):
            read(path)


def test_sizes_as_people_write_them() -> None:
    sizes: list[int | str] = [1_000_003, "2^20 + 1", "2^20+1", "1e6 - 1", "1,000,000", " 7 ", "0"]
    assert [size(one, "") for one in sizes] == [1_000_003, 1_048_577, 1_048_577, 999_999, 1_000_000, 7, 0]


def test_a_weight_is_as_written(tmp_path: Path) -> None:
    for text, said in (("25", "25"), ("12.5", "12.5"), ("0.1", "0.1")):
        assert prepared(tmp_path, f"sizes = [1]\nweight = {text}").sets.sets[0].weight == said


def test_a_file_without_cases_has_no_digest(tmp_path: Path) -> None:
    made = prepare(written(tmp_path, "lab = 3"), TABLE, lambda *_: pytest.fail("there is no call"))
    assert (made.digest, made.files) == ("", {})


@pytest.mark.parametrize("name", ["in.npy", "in.npz"])
def test_inputs_that_are_none(tmp_path: Path, name: str) -> None:
    """What is in the file decides, not its name; a broken archive is no traceback."""
    other = {"in.npy": np.savez, "in.npz": np.save}[name]
    with (tmp_path / name).open("wb") as file:
        other(file, np.arange(3, dtype=np.int32))  # type: ignore[operator]
    if name == "in.npz":
        assert prepared(tmp_path, f"file = '{name}'").sets.sets[0].sizes == [3]
    else:
        with pytest.raises(UsageError, match="holds arr_0: 3 int32"):
            prepared(tmp_path, f"file = '{name}'")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a.npy", b"x" * 200)
    with pytest.raises(UsageError, match="null byte"):
        prepared(tmp_path, f'file = "a\\u0000{name}"')
    for data in (b"", b"PK\x03\x04broken", archive.getvalue(), archive.getvalue()[:-30]):
        with pytest.raises(UsageError, match=r"is not a file of numpy's|must hold arrays"):
            prepared(tmp_path, f"file = '{put(tmp_path / name, data).name}'")


def test_it_is_no_submission(tmp_path: Path) -> None:
    cases = put(tmp_path / "subs/cases.toml", "lab = 3\n")
    put(tmp_path / "subs/ada.cu")
    answer = put(tmp_path / "answer.json", json.dumps(result()))
    run = Run(ROOT, tmp_path / "out", 1, 60.0, Console(file=io.StringIO()), lambda file: ["/bin/cat", str(answer)])
    run_class(run, Options(3), tmp_path / "subs", [], [cases])
    assert list(table(tmp_path / "out")) == ["ada"]


def test_the_grader_takes_the_instructors_file(tmp_path: Path) -> None:
    """To try new cases on the solution before a class meets them."""
    text = 'lab = 1\n[[cases]]\nname = "odd"\ntasks = ["one_block"]\nsizes = ["2^7 + 1"]\n'
    cases = put(tmp_path / "cases.toml", text)
    request = Request(ROOT / "labs/01-square", solution=True, tasks=["one_block"], max_n=64, timed=False, private=cases)
    found, _ = grade(ROOT, request)
    assert [(one.name, one.verdict, one.total) for one in found.tasks[0].private] == [("odd", "AC", 1)]
    with pytest.raises(UsageError, match="no task 'grid_'"):
        put(cases, text.replace("one_block", "grid_"))
        grade(ROOT, request)
