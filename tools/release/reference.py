"""The reference solution in compiled form: object files with PTX, but no source text, no line and no path in them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from autograder.build.builder import LabCommands
from autograder.errors import GraderError
from release.contents import File

SECONDS = 600.0  # for one file
FOLDER = "solutions/{lab}/reference"
# CUDA_CHECK keeps the text of its call for its message, and the name of the file.
_QUIET = """#include "toolbox/basics.h"
#undef CUDA_CHECK
#define CUDA_CHECK(call) cuda_check((call), "the reference", "", 0)
"""
_LEFT_OUT = re.compile(r"-g|-lineinfo|-Xcompiler=-W.*|-I.*|-c|-o|@\w+@|--generate-code=.*")


@dataclass(frozen=True)
class Recipe:
    """How the files of one lab are compiled."""

    lab: str  # 03-scan
    command: tuple[str, ...]

    @classmethod
    def of(cls, commands: LabCommands) -> Recipe:
        """As the grader compiles, but PTX for any GPU since Turing alone, and no debug information."""
        kept = [word for word in commands.compile if not _LEFT_OUT.fullmatch(word)]
        return cls(commands.folder, (*kept, "--generate-code=arch=compute_75,code=compute_75", "-DNDEBUG"))


def compiled(recipes: list[Recipe], tree: Mapping[str, File], folder: Path) -> dict[str, File]:
    """The object files of all tasks. `tree`: the commit's files, which are laid out in `folder` and compiled there.

    Commands name relative paths only: what is made does not depend on where `folder` is.
    """
    for name, file in tree.items():
        if name.startswith(("common/", "labs/", "solutions/")):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
    (folder / "quiet.h").write_text(_QUIET)
    work = []
    for recipe in recipes:
        source = re.compile(rf"solutions/{re.escape(recipe.lab)}/(?!tuned)[^/]+\.cu")  # no record
        sources = sorted(name for name in tree if source.fullmatch(name))
        if not sources:
            raise GraderError(f"solutions/{recipe.lab} has no .cu file: no reference to compare times with")
        work += [(recipe, source) for source in sources]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = pool.map(lambda one: _one(one[0], one[1], folder), work)
        return dict(sorted(made))


def _one(recipe: Recipe, source: str, folder: Path) -> tuple[str, File]:
    name = f"{FOLDER.format(lab=recipe.lab)}/{Path(source).stem}.o"
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    paths = ["-Icommon", f"-Ilabs/{recipe.lab}", "-include", "quiet.h", "-c", source, "-o", name]
    for command in ([*recipe.command, *paths], ["strip", "--strip-unneeded", "--remove-section=.comment", name]):
        try:
            done = subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GraderError(f"{source}: {command[0]}: {error}") from None
        if done.returncode:
            said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
            raise GraderError(f"{source} does not compile:\n{said[:4000]}")
    return name, File((folder / name).read_bytes())
