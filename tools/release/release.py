"""Puts the students' archive together, and refuses to write one that shows a solution."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.build.builder import Builder
from autograder.errors import UsageError
from autograder.files import write_saving
from autograder.words import counted
from release import ready
from release.archive import packed
from release.contents import Commit, File, begun, chosen_labs, commit_of, students_files
from release.leaks import leaks, secrets_of
from release.reference import Recipe, compiled

ABOUT = "RELEASE.toml"  # in the archive: what it was made from
_README = """# The reference solutions, compiled

The grader compares the time of your program with the same task of a reference solution. This archive has the reference
as object files, `NN-name/reference/*.o`, for x86-64 Linux: PTX for every GPU since Turing and for the virtual GPU, made
with CUDA {cuda}. `make` links them into `build/solutionN`. They hold no source text, so `./grader 3 --solution` grades
the reference, and `./grader solution 3` has nothing to show: ask your instructor.
"""


@dataclass(frozen=True)
class Wanted:
    """What the instructor asks for."""

    labs: Sequence[str] = ()
    with_solutions: bool = False
    ready_built: bool = True  # with the virtual GPU, harness and oracles, so that students need not compile them


@dataclass(frozen=True)
class Release:
    """The archive's files, ready to be packed."""

    name: str  # of the archive and of the folder in it
    commit: Commit
    labs: Sequence[str]
    files: Mapping[str, File]

    def pack(self) -> bytes:
        return packed(self.files, self.name, self.commit.seconds)

    def write(self, folder: Path) -> tuple[Path, str, str]:
        """Returns path and digest, and what to tell of an archive of another commit that had this name."""
        path, data = folder / f"{self.name}.tar.gz", self.pack()
        told = write_saving(path, data)
        return path, hashlib.sha256(data).hexdigest(), told


def make(root: Path, wanted: Wanted, say: Callable[[str], None] = lambda text: None) -> Release:
    """Takes the last commit, compiles the reference, and looks for leaks. UsageError where that cannot be done."""
    commit = commit_of(root)
    labs = chosen_labs(commit, wanted.labs)
    files = students_files(commit, labs, wanted.with_solutions)
    version = _version(commit)
    builder = Builder(root)
    cuda = ""
    if commit.changed:
        say("changes that are not committed are not in it")
    for name in begun(commit, labs):
        say(f"{name} of this commit is not the skeleton; the archive has the skeleton")
    if not wanted.with_solutions:
        cuda = builder.cuda_version()
        say(f"compiling the reference solutions of {counted(len(labs), 'lab')} for x86-64 Linux with CUDA {cuda}")
        recipes = [Recipe.of(builder.commands(int(lab[:2]))) for lab in labs]
        with tempfile.TemporaryDirectory(prefix="cuda-labs-release-") as folder:
            files |= compiled(recipes, commit.files, Path(folder))
        files["solutions/README.md"] = File(_README.format(cuda=cuda).encode())
    if wanted.ready_built:
        say("building the virtual GPU, the harness and the oracles for x86-64 Linux")
        nvcc = builder.commands(int(labs[0][:2])).compile[0]
        files |= ready.built(files, labs, root / "build" / "ready", nvcc, builder.cuda_version())
    files[ABOUT] = File(_about(version, commit, labs, wanted.with_solutions, cuda).encode())
    found = leaks(files, secrets_of(commit.files, [name for name in files if name.startswith("solutions/")]))
    if found:
        lines = "\n  ".join(found[:20]) + (f"\n  … {len(found) - 20} more" if len(found) > 20 else "")
        raise UsageError(f"no archive was written: it would show what students must not see\n  {lines}")
    some = "" if labs == commit.labs else f"-lab{'s' * (len(labs) > 1)}-" + "-".join(str(int(lab[:2])) for lab in labs)
    name = f"cuda-labs-{version}{some}" + ("-with-solutions" if wanted.with_solutions else "")
    return Release(name, commit, labs, files)


def _version(commit: Commit) -> str:
    text = commit.files["tools/autograder/__init__.py"].data.decode()
    match = re.search(r'__version__ = "([\w.+-]+)"', text)
    if match is None:
        raise UsageError("tools/autograder/__init__.py names no __version__")
    return match[1]


def _about(version: str, commit: Commit, labs: Sequence[str], with_solutions: bool, cuda: str) -> str:
    named = ", ".join(f'"{lab}"' for lab in labs)
    lines = [
        "# What this archive was made from. Written by make release.",
        f'version = "{version}"',
        f'commit = "{commit.name}"',
        f"labs = [{named}]",
        f"solutions = {'true' if with_solutions else 'false'}",
        *([f'reference = "compiled with CUDA {cuda}"'] if cuda else []),
    ]
    return "\n".join(lines) + "\n"
