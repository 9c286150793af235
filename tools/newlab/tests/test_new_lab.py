"""A new lab in a copy of the repository: whole, in its places, or not there at all."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from answers import sheets
from autograder.plan.labs import folders
from autograder.plan.manifest import load
from mistakes.catalog import mistakes_of
from mistakes.generate import texts
from mutate.mutants import candidates
from mutate.source import Solution
from newlab.__main__ import LONGEST, MARK, NewLab, add, main
from tests.test_docs import ROOT, files

pytestmark = pytest.mark.slow

NAME = "zebra_stripes"
CLANG_FORMAT = ROOT / ".venv" / "bin" / "clang-format"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The repository without what new-lab does not look at."""
    for path in files():
        name = path.relative_to(ROOT)
        of_a_lab = name.parts[0] != "tools" and re.search(r"/\d\d-", str(name))
        if of_a_lab and path.name not in ("README.md", "lab.toml", "not_started.cc"):
            continue
        if name.parts[0] not in (".ci", ".github", "datasets") and (name.parts[0], path.suffix) != ("tools", ".cc"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, tmp_path / name)
    return tmp_path


def snapshot(tree: Path) -> dict[str, bytes]:
    return {
        path.relative_to(tree).as_posix(): path.read_bytes()
        for path in tree.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_new_lab_is_whole(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, number = snapshot(tree), max(folders(ROOT)) + 1
    assert main([NAME, "--tasks", "naive, tiled,fast"], tree) == 0
    told = capsys.readouterr().out
    folder = f"{number:02}-{NAME}"
    lab, solution = tree / "labs" / folder, tree / "solutions" / folder
    assert folders(tree)[number] == lab

    manifest = load(lab)
    assert [(task.name, task.points) for task in manifest.task] == [("naive", 33), ("tiled", 33), ("fast", 34)]
    assert (lab / "grading/skeleton.cu.txt").read_bytes() == (lab / f"{NAME}.cu").read_bytes()
    found = mistakes_of(lab)
    made = [tuple(sorted(texts(mistake).items())) for mistake in found]
    assert len(set(made)) == len(made) >= 8
    answers, exam = sheets.sheets(tree, lab)
    assert not [*sheets.check_answers(answers, lab), *sheets.check_exam(exam, lab)]
    source = Solution(solution)
    assert all(len(candidates(source, source.code_of(task.name))) >= 20 for task in manifest.task)
    assert "<svg" in (lab / "figures/elements.svg").read_text("utf-8")

    after = snapshot(tree)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"CMakeLists.txt", "README.md", "docs/course.md", "course/mistakes.md"}
    rooms = ("labs", "solutions", "tests/submissions", "course")
    new = (*(f"{room}/{folder}/" for room in rooms), f"tools/figures/{NAME}.py")
    assert not [name for name in after if name not in before and not name.startswith(new)], "nothing is left behind"
    left = sum(
        text.decode().count(MARK) for name, text in after.items() if name not in before and not name.endswith(".svg")
    )
    assert f"{left + 2} lines say {MARK}" in told and f"make lab{number}" in told


def test_its_line_is_at_its_numbers_place(tree: Path) -> None:
    """In every list of labs; here before those that come later."""
    assert main([NAME, "--number", "98"], tree) == main(["another", "--number", "97"], tree) == 0
    for name in ("CMakeLists.txt", "README.md", "docs/course.md"):
        lines = (tree / name).read_text("utf-8").splitlines()
        at = [line for line in lines if re.match(r"(add_lab\(NUMBER|\| \[?)\D*9[78]\b", line)]
        assert [re.findall(r"9[78]", line)[0] for line in at] == ["97", "98"] * (2 if "course" in name else 1)
        assert all(re.match(r"add_lab|\| ", lines[lines.index(line) - 1]) for line in at), "no line between them"


def test_the_mistakes_are_counted(tree: Path) -> None:
    count = re.compile(r"of the (\d+) mistakes")
    before = count.findall((tree / "course/mistakes.md").read_text("utf-8"))
    assert main([NAME], tree) == 0
    more = len(mistakes_of(max(folders(tree).values())))
    assert [int(one) - more for one in count.findall((tree / "course/mistakes.md").read_text("utf-8"))] == [
        int(before[0])
    ]


@pytest.mark.parametrize("broken", ["README.md", "docs/course.md", "CMakeLists.txt"])
def test_a_list_that_is_gone_is_said_and_nothing_changes(
    tree: Path, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tree / broken
    path.write_text(re.sub(r"\| (lab|#) \||# add_lab skips", "gone", path.read_text("utf-8")))
    before = snapshot(tree)
    assert main([NAME], tree) == 2
    assert f"new-lab: {broken}: " in capsys.readouterr().err
    assert snapshot(tree) == before


@pytest.mark.parametrize("place", [f"labs/97-{NAME}/README.md", f"tools/figures/{NAME}.py"])
def test_what_is_there_is_not_overwritten(tree: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / place).parent.mkdir(exist_ok=True)
    (tree / place).write_text("mine")
    before = snapshot(tree)
    assert main([NAME, "--number", "97"], tree) == 2
    assert place in capsys.readouterr().err
    assert snapshot(tree) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Transpose"], "small letters"),
        (["../up"], "small letters"),
        (["x" * (LONGEST + 1)], f"at most {LONGEST}"),
        (["import"], "small letters"),
        ([NAME, "--tasks", "naive,"], "small letters"),
        ([NAME, "--tasks", "naive,naive"], "two tasks have the same name"),
        (["scan"], "there is a lab scan already"),
        ([NAME, "--number", "3"], "one that is free"),
        ([NAME, "--number", "0"], "1 to 99"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a", "z", "a" * LONGEST, "z" * LONGEST])
def test_what_it_writes_is_formatted(name: str, tree: Path) -> None:
    """With names of any length, wherever they stand among the includes."""
    made = [path for path in add(tree, NewLab(99, name, (name, "short"))) if "99-" in str(path)]
    wide = [path for path in made if path.suffix != ".svg" and re.search(r"\t|[ ]$|.{121}", path.read_text(), re.M)]
    assert not wide
    assert not [path for path in made if not path.read_text().endswith("\n") or path.read_text().endswith("\n\n")]
    style = f"--style=file:{ROOT}/.clang-format"
    cpp = [str(path) for path in made if path.suffix in (".cc", ".h", ".cu")]
    subprocess.run([CLANG_FORMAT, style, "--dry-run", "--Werror", *cpp], check=True)
    figures = tree / f"tools/figures/{name}.py"
    for command in (["format", "--check"], ["check"]):
        subprocess.run([ROOT / ".venv/bin/ruff", *command, "--config", ROOT / "pyproject.toml", figures], check=True)


@pytest.mark.parametrize("arguments", [[], [NAME, "--number", "two"], ["--tasks", "a"]])
def test_a_wrong_command_line(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments, tmp_path)
    assert "usage: tools/author new-lab" in capsys.readouterr().err


def test_without_the_environment_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools/author"
    shutil.copy(ROOT / "tools/author", script)
    done = subprocess.run([script, "new-lab", NAME], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "author: the Python environment is missing; create it with: make setup\n"
