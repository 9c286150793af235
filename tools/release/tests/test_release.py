"""The students' archive: what is in it, what is not, and that it grades on its own."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.errors import UsageError
from release.contents import Commit, File, chosen_labs, commit_of, students_files
from release.leaks import leaks, secrets_of
from release.ready import LIBRARIES, OF_A_LAB
from release.release import Release, Wanted, make
from setup.environment import recorded
from setup.ready import STAMP, Ready, usable
from tests.test_docs import ROOT, targets

IN_GIT = (
    subprocess.run(["git", "-C", str(ROOT), "rev-parse", "-q", "--verify", "HEAD"], capture_output=True).returncode == 0
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IN_GIT, reason="an archive is made of a commit"),
    pytest.mark.xdist_group("release"),  # one for all
]
LAB = "01-square"


@pytest.fixture(scope="module")
def release() -> Release:
    return make(ROOT, Wanted(["1"]))


@pytest.fixture(scope="module")
def unpacked(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    with tarfile.open(fileobj=io.BytesIO(release.pack())) as tar:
        tar.extractall(folder, filter="data")
    return folder / release.name


def commit(**more: str) -> Commit:
    """A small one, with file names in which `/` is `__`."""
    texts = {
        "labs__01-square__square.cu": "skeleton\n",
        "labs__01-square__grading__skeleton.cu.txt": "skeleton\n",
        "labs__01-square__grading__lab.toml": "number = 1\n",
        "labs__02-reduce__grading__lab.toml": "number = 2\n",
        "solutions__01-square__grid.cu": "    out[i] = in[i] * in[i];  // every thread squares its own number\n",
        "solutions__01-square__mistakes__grid.toml":
            "edit = '''\n-    if (at < n) out[at] = 1;\n+    if (at <= n) out[at] = 1;\n'''\n",
        **more,
    }  # fmt: skip
    return Commit("0" * 40, 0, {name.replace("__", "/"): File(text.encode()) for name, text in texts.items()}, False)


def test_the_same_commit_gives_the_same_bytes(release: Release) -> None:
    """Although the reference is compiled in another folder each time."""
    assert make(ROOT, Wanted(["1"])).pack() == release.pack()


def test_what_is_ready_built_fits_this_machine(unpacked: Path) -> None:
    nvcc = recorded()
    assert nvcc is not None
    assert usable(nvcc, unpacked) == Ready((LAB, "common", "virtual_gpu"))
    (oracle,) = unpacked.glob("ready/objects/square_oracle/*.o")
    (library,) = unpacked.glob("ready/virtual_gpu/virtual_gpu/libcudart.so.13")
    for path in (oracle, library):
        sections = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
        assert ".text" in sections and ".debug" not in sections and str(ROOT).encode() not in path.read_bytes(), path
    digests = json.loads((unpacked / STAMP).read_text())["sources"]
    assert set(digests) == {LAB, "common", "virtual_gpu"}


def test_nothing_is_ready_built_of_what_is_not_in_the_archive(release: Release, unpacked: Path) -> None:
    """Each name of a function in the objects stands in a source that students have, too."""
    texts = b"".join(path.read_bytes() for path in unpacked.rglob("*") if path.suffix in (".cc", ".h", ".in", ".inc"))
    kinds = {name.split("/")[2] for name in release.files if name.startswith("ready/objects/")}
    assert kinds == {*LIBRARIES, *(f"square_{part}" for part in OF_A_LAB)}
    found = set()
    for path in unpacked.glob("ready/objects/square_*/*.o"):
        listed = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout
        found |= set(re.findall(r"^[0-9a-f]{16} T (?:\w+::)*(\w+)\(", listed, re.MULTILINE))
    assert found and all(name.encode() in texts or name.startswith("square_") for name in found), found


def test_what_is_left_out(unpacked: Path) -> None:
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert {"grader", "Makefile", "labs/01-square/square.cu", "tools/setup/cuda.lock", "RELEASE.toml"} <= names
    assert {name for name in names if name.startswith("solutions/")} == {
        "solutions/README.md",
        *(f"solutions/{LAB}/reference/{source}.o" for source in ("grid", "grid_stride", "one_block", "vectorized")),
    }
    words = ("mistake", "mutant", "cheat", "honest", "/tests/", "/bench/", "tools/release", "02-reduce", ".git/")
    assert not [name for name in names for word in words if word in f"/{name}"]


def test_no_line_of_a_solution_is_in_any_file(unpacked: Path) -> None:
    """Looked for in another way than the tool looks: whole lines, byte by byte, in texts and in object files."""
    tops = ("labs", "common", "virtual_gpu")
    open_to_all = b"".join(path.read_bytes() for top in tops for path in (unpacked / top).rglob("*") if path.is_file())
    files = {path: path.read_bytes() for path in unpacked.rglob("*") if path.is_file()}
    looked = 0
    for kind in (
        "solutions/{}/*.cu",
        "solutions/{}/*.cuh",
        "tests/submissions/{}/wrong/*",
        "tests/submissions/{}/hostile/*",
    ):
        for path in ROOT.glob(kind.format(LAB)):
            lines = {line.strip(b" +-") for line in path.read_bytes().splitlines()}
            for line in {line for line in lines if len(line) > 24 and b"#include" not in line}:
                looked += 1
                if line not in open_to_all:
                    assert not [str(at) for at, data in files.items() if line in data], line
    assert looked > 200


def test_object_files_have_neither_debug_information_nor_names_of_files(unpacked: Path) -> None:
    for path in unpacked.glob("solutions/**/*.o"):
        data = path.read_bytes()
        assert b".nv_fatbin" in data and b".target sm_75" in data, path
        assert not re.findall(
            rb"\.debug_\w+|\.loc\s|\.file\s|cudaGetLastError\(\)|\.cu\b|" + str(ROOT).encode(), data
        ), path


def test_the_reference_is_the_solution_to_the_instruction(unpacked: Path) -> None:
    """Else times would be compared with another program's."""
    built = ROOT / f"build/CMakeFiles/square_solution.dir/solutions/{LAB}"
    if not (built / "grid.cu.o").exists():
        pytest.skip("the solution is not built")
    for path in unpacked.glob("solutions/**/*.o"):
        mine, theirs = ptx(path), ptx(built / f"{path.stem}.cu.o")
        assert mine and mine == theirs, path.name


def ptx(path: Path) -> list[str]:
    """Without what says where a line came from, and the names that nvcc makes of a file's path."""
    text = b"".join(re.findall(rb"\.version [^\0]+", path.read_bytes())).decode("latin-1")
    lines = [line.strip() for line in text.partition(".section")[0].splitlines()]
    return [
        re.sub(r"_[0-9a-f]{8}_", "_", line)
        for line in lines
        if line and not re.match(r"\.(loc|file)\b|//|\$L__(tmp|func)", line)
    ]


def test_links_of_documents_lead_somewhere(unpacked: Path) -> None:
    looked = 0
    for document in unpacked.rglob("*.md"):
        for target in targets(document.read_text("utf-8")):
            name = target.partition("#")[0]
            if name and not re.match(r"[a-z]+:", name):
                looked += 1
                assert (document.parent / name).exists(), f"{document.relative_to(unpacked)}: {target}"
    assert looked > 20


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("docs__grading.md", "Write `out[i]=in[i]*in[i];  // every thread squares its own number`, and be done."),
        ("docs__grading.md", "> every thread squares its own number"),
        ("labs__01-square__square.cu",
            "void f() {\n    out[i]   =  in[i] *\tin[i];  // every thread squares its own number\n}"),
        ("tools__learn__notes.txt", "if (at <= n) out[at] = 1;"),
        ("docs__data__x.o", "\x7fELF\0\0out[i] = in[i] * in[i];// every thread squares its own number\0"),
        ("docs__data__x.o", "\x7fELF\0/tmp/labs/grid.cuh\0"),
        ("docs__data__x.o", "\x7fELF\0tmpxft_0000.grid.cu\0"),
    ],
)  # fmt: skip
def test_a_leak_is_found(place: str, text: str) -> None:
    there = commit(**{place: text})
    assert leaks({name: there.files[name] for name in [place.replace("__", "/")]}, secrets_of(there.files))


def test_what_the_handout_says_itself_is_no_secret() -> None:
    line = "    out[i] = in[i] * in[i];  // every thread squares its own number\n"
    there = commit(**{"labs__01-square__README.md": line, "docs__grading.md": line})
    assert not leaks({"docs/grading.md": there.files["docs/grading.md"]}, secrets_of(there.files))


def test_what_the_handout_says_is_no_secret_where_its_link_has_become_text() -> None:
    more = {"labs__01-square__README.md": "Times: ([docs/times.md](../../docs/times.md)).\n",
            "solutions__01-square__grid_stride.cu": "// (docs/times.md).\n"}  # fmt: skip
    made = commit(**more)
    files = students_files(made, ["01-square"], with_solutions=False)
    assert b"(docs/times.md)" in files["labs/01-square/README.md"].data
    assert not leaks(files, secrets_of(made.files))


@pytest.mark.slow
def test_the_texts_of_all_labs_can_go_out() -> None:
    made = commit_of(ROOT)
    assert not leaks(students_files(made, made.labs, with_solutions=False), secrets_of(made.files))


def test_a_lab_that_somebody_has_begun_goes_out_as_skeleton() -> None:
    there = commit(**{"labs__01-square__square.cu": "my own work\n"})
    assert students_files(there, [LAB], False)["labs/01-square/square.cu"].data == b"skeleton\n"


def test_files_that_nobody_has_named_stay_out() -> None:
    more = {
        "solutions__ANSWERS.md": "",
        "docs__exam.md": "",
        "private__cases.toml": "",
        "labs__01-square__progress.toml": "",
    }
    assert set(students_files(commit(**more), [LAB], True)) == {
        "labs/01-square/square.cu",
        "labs/01-square/grading/skeleton.cu.txt",
        "labs/01-square/grading/lab.toml",
        "solutions/01-square/grid.cu",
    }


def test_links_to_what_is_left_out_become_text() -> None:
    text = "[a](docs/style.md) [b](labs/01-square) `[c](docs/no.md)` [d](https://example.org) [e](#here)\n"
    made = students_files(commit(**{"README.md": text}), [LAB], False)["README.md"].data.decode()
    assert made.split(" `")[0] == "a [b](labs/01-square)"
    assert made.endswith("[d](https://example.org) [e](#here)\n")


def test_the_readme_says_what_is_meant_for_students() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    made = students_files(commit(**{"README.md": text}), [LAB], False)["README.md"].data.decode()
    parts = ["| learn CUDA |", "## Where to go next", "MIT License"]
    others = ["| grade a class |", "| plan a course |", "| contribute |", "make test"]
    assert all(part in text for part in [*parts, *others])
    assert all(part in made for part in parts) and not any(part in made for part in others)


@pytest.mark.parametrize("word", ["1", "lab1", "square", LAB])
def test_labs_by_any_name(word: str) -> None:
    assert chosen_labs(commit(), [word]) == [LAB]


def test_an_unknown_lab_is_named() -> None:
    with pytest.raises(UsageError, match=r"LABS: there is no lab '7'.*01-square, 02-reduce"):
        chosen_labs(commit(), ["1", "7"])


def test_with_solutions(tmp_path: Path) -> None:
    made = make(ROOT, Wanted(["1"], with_solutions=True, ready_built=False))
    names = {name for name in made.files if name.startswith("solutions/")}
    assert f"solutions/{LAB}/grid.cu" in names and f"solutions/{LAB}/README.md" in names
    assert not [name for name in names if name.count("/") > 2 or name.endswith((".toml", ".o", ".cc"))]
    path, digest, told = made.write(tmp_path)
    assert path.name.endswith("-lab-1-with-solutions.tar.gz") and len(digest) == 64 and not told
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_no_archive_is_lost(release: Release, tmp_path: Path) -> None:
    """One of some labs has its own name; one of another commit is kept."""
    assert release.name.endswith("-lab-1")
    path, _, told = release.write(tmp_path)
    before = path.read_bytes()
    assert not told and not release.write(tmp_path)[2]
    told = replace(release, files={}).write(tmp_path)[2]
    (saved,) = tmp_path.glob(f"{path.name}.saved-*")
    assert saved.name in told and saved.read_bytes() == before != path.read_bytes()


@pytest.mark.parametrize(
    "command", [["solution", "1"], ["mistake", "1"], ["mistake", "1", "grid"], ["explain", "1", "--solution"]]
)
def test_commands_that_would_show_a_solution_say_that_there_is_none(unpacked: Path, command: list[str]) -> None:
    run = [sys.executable, "-m", "autograder", *command]
    done = subprocess.run(run, cwd=unpacked / "tools", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"grader: {command[0]}\b.*: this archive has no solutions.*\n", done.stderr)


def test_an_archive_makes_no_archive(unpacked: Path) -> None:
    run = [sys.executable, str(unpacked / "tools/setup"), "release"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "made in a clone of the repository" in done.stderr
