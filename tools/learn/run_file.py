"""./grader run FILE.cu [ARGUMENT...]: a program of one's own on the virtual GPU. The virtual GPU's command runs it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.build.builder import Builder
from autograder.build.compiler import compile_error
from autograder.build.messages import messages
from autograder.build.warnings import warnings_in
from autograder.errors import CompileError, GraderError, UsageError
from autograder.report import terminal

SOURCES = (".cu", ".cc", ".cpp", ".cxx", ".c")
HOST_FLAGS = (
    "-Xcompiler=-Wall,-Wextra,-fno-optimize-sibling-calls"  # the last: a launch that ends a function has a line
)
FLAGS = ("-std=c++20", "-g", "-O2", "-cudart=shared", "--no-compress", HOST_FLAGS)
LAUNCHES_IN_KERNELS = "requires separate compilation mode"  # what nvcc says of a kernel that launches kernels
NO_MAIN = "this file has no main(): ./grader run takes a whole program; ./grader 3 grades a lab"
TARGET = "virtual-gpu"


def run(root: Path, file: Path, options: Sequence[str], profile: str, arguments: Sequence[str]) -> int:
    """Compiles and runs it: what the virtual GPU's command returns. `options`: for that command."""
    if not file.is_file():
        raise UsageError(f"run {file}: there is no such file")
    is_source = file.suffix in SOURCES
    if not is_source and not os.access(file, os.X_OK):
        raise UsageError(f"run {file}: must be a CUDA source file, such as saxpy.cu, or a program")
    builder = Builder(root)
    builder.target(TARGET)
    chosen = ["--profile", profile] if profile else []
    program = file.resolve()
    if is_source:
        try:
            program = _compiled(root, file.resolve(), chosen)
        except CompileError as error:
            terminal.show_compile_error(terminal.console(stderr=True), error, f"./grader run {file}", file)
            return 1
    sys.stdout.flush()
    command = [str(builder.build / TARGET), *chosen, *options, "--", str(program), *arguments]
    ended = subprocess.run(command, check=False)  # ^C reaches the command as well, which ends by itself
    return ended.returncode if ended.returncode >= 0 else 128 - ended.returncode


def _compiled(root: Path, source: Path, chosen: Sequence[str]) -> Path:
    """The program, from build/own/ if the source, its headers and the compiler are as they were."""
    nvcc = _nvcc(root)
    key = hashlib.sha256(repr((str(source), nvcc, chosen, FLAGS)).encode()).hexdigest()[:12]
    folder = root / "build" / "own" / f"{source.stem}-{key}"
    program, read, stamp = folder / source.stem, folder / "read.d", folder / "stamp.json"
    if program.is_file() and _unchanged(stamp):
        _tell(json.loads(stamp.read_text("utf-8"))["said"], source)
        return program
    folder.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    program.unlink(missing_ok=True)
    command = [str(root / "build" / TARGET), *chosen, "build", nvcc, *FLAGS, f"-I{root / 'common'}", "-MD", "-MF"]
    command += [str(read), str(source), "-o", str(program)]
    done = _nvcc_says(command)
    if LAUNCHES_IN_KERNELS in done.stdout:
        done = _nvcc_says([*command, "-rdc=true"])
    said = done.stdout
    if done.returncode or not program.is_file():
        if "undefined reference to `main'" in said:
            raise CompileError(said, source.name, NO_MAIN)
        raise compile_error(said, [source.parent, root], source=source)
    _tell(said, source)
    stamp.write_text(json.dumps({"files": _state(_files(read)), "said": said}), "utf-8")
    return program


def _nvcc_says(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)


def _tell(said: str, source: Path) -> None:
    """Warnings that are likely to be mistakes, in words; what else the compiler says, as it is."""
    known = warnings_in(said, source)
    places = {one.where for one in known}
    terminal.show_warnings(terminal.console(stderr=True), known)
    others = [one for one in messages(said) if one.kind == "warning" and one.where not in places]
    for line in dict.fromkeys(line for one in others for line in one.lines):
        print(line, file=sys.stderr)


def _nvcc(root: Path) -> str:
    """The compiler that the labs are built with."""
    try:
        return str(json.loads((root / "build" / "configured.json").read_text("utf-8"))["nvcc"])
    except (OSError, ValueError, KeyError) as error:
        raise GraderError(f"build/configured.json cannot be read ({error}); run: make setup") from None


def _files(rule: Path) -> list[str]:
    """The files that a rule for make names behind its colon."""
    text = rule.read_text("utf-8", "replace").replace("\\\n", " ").partition(":")[2]
    return [part.replace("\0", " ") for part in text.replace("\\ ", "\0").split()]


def _state(files: Sequence[str]) -> dict[str, list[int]]:
    known = {}
    for file in files:
        about = Path(file).stat()
        known[file] = [about.st_mtime_ns, about.st_size]
    return known


def _unchanged(stamp: Path) -> bool:
    try:
        before = json.loads(stamp.read_text("utf-8"))["files"]
        return bool(before) and _state(list(before)) == before
    except (OSError, ValueError, KeyError):
        return False
