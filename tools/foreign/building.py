"""Builds a program of others for the virtual GPU, with the flags that virtual_gpu/README.md says."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from foreign.discover import Found
from foreign.limits import Ended, run
from foreign.recipes import Recipe

FLAGS = ("-cudart", "shared", "--no-compress", "-lineinfo")
# Names that CUDA 13 has dropped, for old programs.
OLD_NAMES = ("-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset")
TARGET = "compute_90"  # PTX alone: ptxas is not asked
TYPES = r"int|unsigned|uint|long|float|double|const|auto|\w+_t"
SECONDS = 600.0
SAID = "build.txt"  # beside the executable: what the compiler has said, if there is none
MEMORY = 6 << 30


@dataclass(frozen=True)
class Built:
    """An executable, or why there is none."""

    path: Path | None
    said: str = ""
    arguments: tuple[str, ...] = ()  # those that the makefile says


def environment() -> dict[str, str]:
    """Of compilers: nvcc reads the flags itself, so that a makefile needs no edit."""
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin"
    return dict(os.environ) | {"PATH": path, "NVCC_APPEND_FLAGS": " ".join((*FLAGS, "-w"))}


def build(recipe: Recipe, found: Found, checkout: Path, out: Path) -> Built:
    """Builds unless this has been built already. `out`: the folder of the repository's executables.

    Each has a folder of its own and the name that it would have at home: samples look for their data by it.
    """
    if recipe.build == "make":
        return _make(recipe, found, out)
    about = found.about
    include = [checkout / one for one in (*recipe.include, *about.include)]
    usual = [place / name for place in (found.folder, found.folder.parent) for name in ("inc", "include")]
    include = [found.folder, *include, *(one for one in usual if one.is_dir())]
    flags = [one.replace("{checkout}", str(checkout)) for one in (*recipe.flags, *about.flags)]
    command = ["nvcc", f"-arch={TARGET}", "-O3", *OLD_NAMES, *(f"-I{one}" for one in include)]
    command += [*(["-x", "cu"] if recipe.main else []), *map(str, found.sources), *flags]
    executable = place_of(out, recipe, found, command)
    said = executable.parent / SAID
    if executable.is_file() or said.is_file():
        return Built(executable if executable.is_file() else None, said.read_text() if said.is_file() else "")
    with resized(found.folder, recipe.sizes | about.sizes):
        ended = run([*command, "-o", str(executable)], found.folder, environment(), SECONDS, MEMORY)
        if "requires separate compilation mode" in ended.output:
            ended = run(
                [*command, "-rdc=true", "-lcudadevrt", "-o", str(executable)],
                found.folder,
                environment(),
                SECONDS,
                MEMORY,
            )
    return _built(executable, ended)


def _make(recipe: Recipe, found: Found, out: Path) -> Built:
    """What `make` builds, and what `make -n run` would run."""
    words = [one.replace("{target}", TARGET) for one in recipe.make]
    executable = place_of(out, recipe, found, ["make", *words, *found.about.flags])
    said = executable.parent / SAID
    dry = run(["make", "-n", "run", *words], found.folder, environment(), SECONDS, MEMORY)
    runs = re.findall(r"^\s*\./(\S+)[ \t]*([^\n;&|>]*)$", dry.output, re.MULTILINE)
    target, arguments = (runs[0][0], tuple(runs[0][1].split())) if runs else ("main", ())
    if executable.is_file() or said.is_file():
        what = said.read_text() if said.is_file() else ""
        return Built(executable if executable.is_file() else None, what, arguments)
    run(["make", "clean", *words], found.folder, environment(), SECONDS, MEMORY)
    with resized(found.folder, recipe.sizes | found.about.sizes):
        ended = run(["make", *words, *found.about.flags], found.folder, environment(), SECONDS, MEMORY)
    made = found.folder / target
    if ended.status == 0 and made.is_file():
        shutil.copy2(made, executable)
    return Built(_built(executable, ended).path, ended.output, arguments)


def _built(executable: Path, ended: Ended) -> Built:
    if executable.is_file() and ended.status == 0:
        return Built(executable)
    text = f"stopped by the limit of {ended.stopped}" if ended.stopped else ended.output
    (executable.parent / SAID).write_text(text)
    return Built(None, text)


def place_of(out: Path, recipe: Recipe, found: Found, command: list[str]) -> Path:
    """An executable's path: it changes with the command and the sources, so that nothing stale is run."""
    digest = hashlib.sha256("\0".join((*command, *map(str, (recipe.sizes | found.about.sizes).items()))).encode())
    for source in found.sources:
        digest.update(source.read_bytes() if source.is_file() else b"")
    folder = out / f"{re.sub(r'[^A-Za-z0-9]+', '-', found.path)[-60:]}-{digest.hexdigest()[:8]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / Path(found.path.removesuffix(".cu").removesuffix("/src")).name


@contextlib.contextmanager
def resized(folder: Path, sizes: Mapping[str, str]) -> Iterator[None]:
    """Gives constants of the sources in a folder other values meanwhile. Lines keep their numbers. Afterwards the files
    are as they were."""
    kept: dict[Path, bytes] = {}
    try:
        for path in sorted(folder.iterdir()) if sizes else []:
            if path.suffix not in (".cu", ".cuh", ".h", ".hpp", ".cpp", ".c"):
                continue
            before = path.read_bytes()
            after = with_sizes(before.decode("utf-8", "surrogateescape"), sizes).encode("utf-8", "surrogateescape")
            if after != before:
                kept[path] = before
                path.write_bytes(after)
        yield
    finally:
        for path, before in kept.items():
            path.write_bytes(before)


def with_sizes(text: str, sizes: Mapping[str, str]) -> str:
    """Macros and declarations of these names get the values; if there is none, the first assignment."""
    for name, value in sizes.items():
        kinds = (
            rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+(?P<value>[^\n/]*)",
            rf"\b(?:{TYPES})[ \t]+{name}[ \t]*=[ \t]*(?P<value>[^;,=\n]+)",
            rf"\b{name}[ \t]*=[ \t]*(?P<value>[^;,=\n]+)(?=[;,])",
        )
        found = [list(re.finditer(kind, text, re.MULTILINE)) for kind in kinds]
        for one in reversed(found[0] or found[1] or found[2][:1]):
            text = text[: one.start("value")] + value + text[one.end("value") :]
    return text


def first_error(said: str) -> str:
    """The line of a compiler's output that says most."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    named = [line for line in lines if re.search(r"error|undefined reference|No such file|cannot find", line)]
    line = (named or lines or ["no output"])[0]
    return re.sub(r"^\S*/", "", line)[:160]
