"""What is uploaded to Gradescope or committed for GitHub, without running it: that is test_alone.py's part."""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

from autograder.cage import users
from autograder.cage.cage import Limits, Room, start
from autograder.errors import GraderError, UsageError
from autograder.report.markdown import cell, markdown
from classes import gradescope as within
from release.contents import FOLDERS, Commit, File
from release.package import WORKFLOW, filled, gradescope, package, workflow
from release.release import Release
from release.tests.alone import possible
from tests.test_docs import ROOT

LAB = ROOT / "labs/01-square"


def test_the_zip(tmp_path: Path) -> None:
    release = Release(
        "cuda-labs-9", Commit("0" * 40, 1600000000, {}, False), ["01-square"], {"grader": File(b"x", True)}
    )
    data = gradescope(release, 1, 300)
    assert data == gradescope(release, 1, 300)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in packed.infolist()}
        assert modes == {"cuda-labs-9.tar.gz": 0o644, "run_autograder": 0o755, "setup.sh": 0o755}
        for name in ("setup.sh", "run_autograder"):
            text = packed.read(name).decode()
            assert "@" not in text.replace('"$@"', "")
            assert subprocess.run(["sh", "-n"], input=text.encode(), check=False).returncode == 0
        assert "gradescope 1 --limit 300" in packed.read("run_autograder").decode()
        with tarfile.open(fileobj=io.BytesIO(packed.read("cuda-labs-9.tar.gz"))) as tar:
            (entry,) = tar.getmembers()
            assert (entry.name, entry.mode, entry.mtime, entry.uid) == ("cuda-labs-9/grader", 0o755, 1600000000, 0)


@pytest.mark.skipif(bool(possible()), reason=possible())
@pytest.mark.parametrize(("gcc", "python"), [("11.4.0", 1), ("12", 0)])
def test_the_image_of_an_older_ubuntu_gets_newer_tools(tmp_path: Path, gcc: str, python: int) -> None:
    """setup.sh with programs in place of apt-get and make that only say how they are called."""
    programs, source = tmp_path / "bin", tmp_path / "source"
    programs.mkdir()
    source.mkdir()
    stubs = {"apt-get": 'echo "apt-get $*"', "make": 'echo "make $*"', "g++": f"echo {gcc}", "tar": "true"}
    stubs |= {f"python3{minor}": f"exit {python}" for minor in ("", ".11", ".12", ".13")}
    for name, text in stubs.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    (source / "setup.sh").write_bytes(filled("setup.sh", {"LAB": "3", "ARCHIVE": "a.tar.gz"}))
    words = ["bwrap", "--ro-bind", "/usr", "/usr", "--bind", str(programs), "/usr/local/bin", "--dev", "/dev"]
    words += [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    words += ["--bind", str(source), "/autograder/source", "--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin"]
    done = subprocess.run([*words, "sh", "/autograder/source/setup.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    version = "python3.11" if python else "python3"
    made = [f"make PYTHON={version} lab3", f"make PYTHON={version} solution3"]
    asked = [line for line in done.stdout.splitlines() if line.startswith("apt-get install")]
    assert [line for line in done.stdout.splitlines() if line.startswith("make")] == made
    assert any("python3.11 python3.11-venv" in line for line in asked) == bool(python)
    assert any(line.endswith(" g++-12") for line in asked) == (gcc < "12")
    assert ((programs / "c++").is_symlink(), source.stat().st_mode & 0o777) == (gcc < "12", 0o700)


@pytest.mark.parametrize("lab", [None, LAB])
def test_the_workflow_is_one(lab: Path | None, tmp_path: Path) -> None:
    path = tmp_path / "grade.yml"
    path.write_bytes(workflow(lab))
    check = Path(sys.executable).parent / "check-jsonschema"
    said = subprocess.run([check, "--builtin-schema", "vendor.github-workflows", path], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert ("labs/01-square" if lab else "labs/[0-9][0-9]-*") in path.read_text()


def test_a_workflow_that_somebody_has_changed_is_kept(tmp_path: Path) -> None:
    def again() -> list[str]:
        return package(ROOT, LAB, "github", tmp_path, 540, print)

    assert again() == again()
    (tmp_path / WORKFLOW).write_text("mine")
    with pytest.raises(UsageError, match=r"is there already, and differs"):
        again()
    assert (tmp_path / WORKFLOW).read_text() == "mine"


def test_somebody_elses_zip_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.zip").write_text("mine")
    with pytest.raises(UsageError, match=r"mine\.zip: exists and is not an autograder"):
        package(ROOT, LAB, "gradescope", tmp_path / "mine.zip", 540, print)
    assert (tmp_path / "mine.zip").read_text() == "mine"


def test_an_autograder_that_somebody_has_changed_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = Release("cuda-labs-9", Commit("0" * 40, 1600000000, {}, False), ["01-square"], {})
    monkeypatch.setattr("release.package.make", lambda *_: release)
    to = tmp_path / "lab1.zip"
    for _ in range(2):  # the same bytes are not saved again
        assert "saved" not in package(ROOT, LAB, "gradescope", to, 540, print)[0]
    with zipfile.ZipFile(to, "a") as packed:
        packed.writestr("notes.txt", "mine")
    changed = to.read_bytes()
    assert "what was there is saved" in package(ROOT, LAB, "gradescope", to, 540, print)[0]
    (saved,) = tmp_path.glob("lab1.zip.saved-*")
    assert saved.read_bytes() == changed
    assert "notes.txt" not in zipfile.ZipFile(to).namelist()


@pytest.mark.parametrize(
    ("lab", "platform", "out", "said"),
    [
        (LAB, "moodle", None, "--for moodle: choose from: gradescope, github"),
        (LAB, "", None, r"for which platform\? Use --for: choose from: gradescope, github"),
        (None, "gradescope", None, "which lab?"),
        (LAB, "gradescope", Path("lab1.tar"), "ends in .zip"),
    ],
)
def test_wrong_usage(lab: Path | None, platform: str, out: Path | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        package(ROOT, lab, platform, out, 540, print)


RESULT = {
    "schema": "cuda-labs/result/v1", "grader": "0", "source": "lab", "seconds": 2.0, "seed": "7f3a", "compiler": "",
    "lab": {"number": 1, "title": "Square", "folder": "01-square"}, "points": 5.0, "of": 10.0, "device": "virtual",
    "modelled": True, "full_marks": False, "passed": False, "partial": False,
    "tasks": [{"name": "grid", "verdict": "WA", "points": 5.0, "of": 10.0, "core": True, "reason": "wrong | <b>",
               "seconds": 1.0, "where": "@ada [x](http://x)",
               "time": None, "output": {"right": 1, "total": 2}}],
}  # fmt: skip


def test_nothing_that_a_student_writes_is_markup() -> None:
    assert cell("a | b\n<img> @ada `x` [x](http://x) www.x.y #1") == (
        "a &#124; b &lt;img&gt; &#64;ada &#96;x&#96; &#91;x&#93;&#40;htt&#112;&#58;//x&#41; www&#46;x.y &#35;1"
    )
    table = markdown(RESULT)
    assert table.count("|") == 3 * 6 and "<b>" not in table
    assert "### Lab 1 · Square: 5 of 10 points" in table


def test_what_the_compiler_says_stays_in_its_box() -> None:
    table = markdown({**RESULT, "compiler": "x.cu(1): error: </pre>\n\n# big"})
    assert "<pre>x.cu(1): error: &lt;/pre&gt;<br><br># big</pre>" in table


def grade(tmp_path: Path, files: dict[str, str], said: str = "", status: int = 0) -> tuple[int, dict[str, object]]:
    """With a grader that says what it is told to."""
    for name, text in files.items():
        (tmp_path / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "submission" / name).write_text(text)
    results = tmp_path / "results"
    results.mkdir()
    (results / "results.json").write_text('{"score": 100}')  # somebody has put it there
    program = f"import sys; sys.stdout.write({said!r}); sys.exit({status})"
    code = within.grade_one(
        ROOT, 1, tmp_path / "submission", results, 60.0, command=lambda file: [sys.executable, "-c", program, str(file)]
    )
    path = results / "results.json"
    return code, json.loads(path.read_bytes()) if path.exists() else {}


@pytest.fixture
def caged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "unavailable", lambda: "")


@pytest.mark.usefixtures("caged")
def test_a_result_on_gradescope(tmp_path: Path) -> None:
    again = "./grader 1 --file square.cu --device virtual --no-sandbox --task grid --n 1 --seed 7f"
    result = {**RESULT, "tasks": [{**RESULT["tasks"][0], "again": again}]}  # type: ignore[index]
    code, made = grade(tmp_path, {"a/b/square.cu": "int x;"}, json.dumps(result), 1)
    assert code == 0 and made["score"] == 5.0
    assert "again: ./grader 1 --device virtual --task grid --n 1 --seed 7f" in json.dumps(made)
    assert (tmp_path / "results").stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("caged")
@pytest.mark.parametrize("files", [{}, {"essay.pdf": "%PDF-1.4"}, {"square.cu": "\0\0"}])
def test_what_cannot_be_graded_gets_a_reason(tmp_path: Path, files: dict[str, str]) -> None:
    code, made = grade(tmp_path, files)
    whys = ("submission: No such file", "square.cu is empty", "the submission holds no square.cu, only essay.pdf")
    assert (code, made["score"]) == (0, 0.0) and str(made["output"]).startswith(whys)
    assert isinstance(tests := made["tests"], list) and sum(test["max_score"] for test in tests) == 100


@pytest.mark.usefixtures("caged")
@pytest.mark.parametrize("said", ["", "{", json.dumps({"score": 100})])
def test_a_fault_leaves_no_result(tmp_path: Path, said: str) -> None:
    """Gradescope then says that the autograder failed. A result that somebody has put there is gone."""
    assert grade(tmp_path, {"square.cu": "int x;"}, said, 3) == (3, {})


def test_a_tree_that_other_users_cannot_enter_is_no_compile_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(within, "unavailable", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    tree = tmp_path / "closed" / "tree"
    tree.mkdir(parents=True)
    tree.parent.chmod(0o700)
    with pytest.raises(GraderError, match=r"must be open to other users"):
        within.grade_one(tree, 1, tmp_path, tmp_path / "results", 60.0)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(GraderError, match=r"only root can grade safely"):
        within.grade_one(tree, 1, tmp_path, tmp_path / "results", 60.0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_programs_cannot_read_the_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradescope leaves it readable for everybody."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        at = Path(folder)
        at.chmod(0o755)
        (at / within.METADATA).write_text("secret@example.edu")
        (at / "open").write_text("everybody's")
        monkeypatch.setenv("CUDA_LABS_OWN_USERS", "1")
        program = f"cat {at / within.METADATA}; echo; cat {at}/open"
        (at / within.METADATA).chmod(0o666)
        assert grade(at, {"square.cu": "int x;"}, json.dumps(RESULT), 1)[0] == 0
        with start(["/bin/sh", "-c", program], Room(children=True), Limits(256), caged=False) as one:
            assert one.stdout is not None
            one.wait(20.0)
            text = one.stdout.read1(1 << 16).decode()  # type: ignore[attr-defined]
        assert "Permission denied" in text and "everybody's" in text and "secret" not in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_program_is_a_user_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LABS_OWN_USERS", "1")
    secret = tmp_path / "secret"
    secret.write_text("seed")
    secret.chmod(0o600)
    script = (
        f"id -u; cat {secret}; kill -9 {os.getpid()}; cat /proc/{os.getpid()}/environ; cat /proc/{os.getpid()}/fd/0;"
        " touch mine && echo made; setsid sleep 1000 & setsid env -i sleep 1000 &"
    )
    seen = []
    for _ in range(2):
        with start(["/bin/sh", "-c", script], Room(children=True), Limits(256), caged=False) as program:
            assert program.stdout is not None
            program.wait(20.0)
            seen.append(program.stdout.read1(1 << 16).decode())  # type: ignore[attr-defined]
        user = int(seen[-1].split()[0])
        assert 30000 <= user < 60000 and not users.processes(user)
    assert len({text.split()[0] for text in seen}) == 2
    assert all("made" in text and "seed" not in text and "PATH=" not in text for text in seen)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_compilers_folder_is_given_and_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LABS_OWN_USERS", "1")
    base = Path("/tmp") / f"cuda-labs-test-{os.getpid()}"  # which all may enter
    base.mkdir()
    (base / "scan.cu").write_text("int x;")
    (base / "link").symlink_to("/etc/passwd")
    try:
        with start(
            ["/bin/sh", "-c", f"cd {base} && echo y >> scan.cu && echo z > made"],
            Room(write=(base,), children=True),
            Limits(256),
            caged=False,
        ) as compiler:
            assert compiler.wait(20.0) == 0
        assert {path.lstat().st_uid for path in (base, *base.iterdir())} == {0}
        assert (base / "made").read_text() == "z\n" and Path("/etc/passwd").stat().st_uid == 0
    finally:
        for path in base.iterdir():
            path.unlink()
        base.rmdir()


def test_nothing_in_the_archive_needs_what_is_left_out() -> None:
    """But for two commands of the command line, which look whether it is there."""
    packed = {name.removeprefix("tools/") for name in FOLDERS if name.startswith("tools/")}
    out = {path.name for path in (ROOT / "tools").iterdir() if path.is_dir()} - packed
    assert {"release", "mistakes", "mutate"} <= out
    users_of = set()
    for top in sorted(packed):
        for path in (ROOT / "tools" / top).rglob("*.py"):
            if "tests" in path.relative_to(ROOT / "tools").parts:
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
                names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
                if any(name.split(".")[0] in out for name in names):
                    users_of.add(f"{top}/{path.name}")
    assert users_of == {"autograder/author_commands.py"}
