"""The C++ that students would otherwise compile in their first minutes, built from the archive's own files.

Nothing in it that is not in the archive as source: what is compiled is laid out from the archive's files alone. It is
stripped, and tools/setup/ready.py says when an archive takes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.errors import GraderError
from release.contents import File
from setup.ready import COMMON, CPU, FOLDER, STAMP, VIRTUAL_GPU, compiler, part_of, stamps

SECONDS = 3600.0
# Targets of common/ whose objects are taken, and those of each lab, after its name.
LIBRARIES = ("grading", "calling", "harness", "oracle", "device")
OF_A_LAB = ("cases", "oracle", "parts")
# Where the virtual GPU is in build/: libraries for people, for runners and for programs with CUDA's static runtime.
SHARED = (
    "virtual-gpu", "virtual_gpu/libcudart.so.13", "virtual_gpu/for_runners/libcudart.so.13",
    "virtual_gpu/for_static/libcudart_static.so",
)  # fmt: skip
_VERSIONS = ("GLIBC", "GLIBCXX", "CXXABI")
_COMPILED_LATER = "image.cc.o"  # with libpng or without


def built(files: Mapping[str, File], labs: Sequence[str], folder: Path, nvcc: str, cuda: str) -> dict[str, File]:
    """What goes into the archive besides `files`. `folder` is kept: the next time compiles what has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # another release of this checkout builds in the same folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _built(files, labs, folder, nvcc, cuda)


def _built(files: Mapping[str, File], labs: Sequence[str], folder: Path, nvcc: str, cuda: str) -> dict[str, File]:
    source, build = folder / "source", folder / "build"
    _lay_out(files, source)
    made = compiler()
    if not made:
        raise GraderError("c++ is not GCC: make release builds with GCC alone")
    flags = f"-O2 -ffile-prefix-map={source}=. -ffile-prefix-map={build}=build"
    configure = ["cmake", "-S", str(source), "-B", str(build), "-G", "Ninja", f"-DCMAKE_CUDA_COMPILER={nvcc}"]
    configure += ["-DLABS_TESTS=OFF", f"-DVGPU_CPU={CPU}", f"-DCMAKE_CXX_FLAGS_RELWITHDEBINFO={flags}"]
    configured = folder / "configured.txt"
    if not configured.is_file() or configured.read_text() != str(configure):
        shutil.rmtree(build, ignore_errors=True)  # CMake forgets options where a compiler has changed
    _run(configure, source)
    configured.write_text(str(configure))
    names = {lab: lab[3:] for lab in labs}
    targets = [*LIBRARIES, *(f"{name}_{part}" for name in names.values() for part in OF_A_LAB), "virtual-gpu"]
    programs = [f"oracle{int(lab[:2])}" for lab in labs] + [f"lab{int(labs[0][:2])}"]
    _run(["ninja", "-C", str(build), *targets, *programs], source)

    result = {f"{FOLDER}/virtual_gpu/{name}": _stripped(build / name, folder, "--strip-all") for name in SHARED}
    for target in (*LIBRARIES, *(f"{name}_{part}" for name in names.values() for part in OF_A_LAB)):
        for path in _objects(build, target):
            name = f"{FOLDER}/objects/{target}/{path.name}"
            result[name] = _stripped(path, folder, "--strip-unneeded")
    # Programs of all objects: what they need of the system's libraries is what the objects need.
    linked = [build / name for name in (*SHARED, "device", programs[-1])]
    linked += [build / f"lib{name}.so" for name in programs[:-1]]
    needs = {name: _newest(name, [path.read_bytes() for path in linked]) for name in _VERSIONS}
    mine = {part: digest for part, digest in stamps((name, file.data) for name, file in files.items()).items()
            if part in (VIRTUAL_GPU, COMMON, *labs)}  # fmt: skip
    stamp = {
        "machine": platform.machine(), "cpu": CPU, "cuda": cuda.partition(".")[0], "compiler": made, **needs,
        "sources": mine,
    }  # fmt: skip
    result[STAMP] = File((json.dumps(stamp, indent=2) + "\n").encode())
    return result


def _lay_out(files: Mapping[str, File], folder: Path) -> None:
    """Leaves alone what is the same, so that Ninja compiles only what has changed."""
    wanted = {name: file.data for name, file in files.items() if _is_read(name)}
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
    for name, data in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)
            path.chmod(0o755 if files[name].executable else 0o644)


def _is_read(name: str) -> bool:
    """By CMake or a compiler."""
    return bool(part_of(name)) or name == "CMakeLists.txt" or name.startswith(("common/", "labs/"))


def _objects(build: Path, target: str) -> Iterator[Path]:
    """In the order of their names, which are unique in a target."""
    folders = [path for path in build.rglob(f"{target}.dir") if path.parent.name == "CMakeFiles"]
    found = [path for folder in folders for path in folder.rglob("*.o") if path.name != _COMPILED_LATER]
    if not found or len({path.name for path in found}) != len(found):
        raise GraderError(f"{build}: no objects of {target}, or two of one name")
    yield from sorted(found, key=lambda path: path.name)


def _stripped(path: Path, folder: Path, how: str) -> File:
    out = folder / "stripped"
    _run(["strip", how, "--remove-section=.comment", "-o", str(out), str(path)], folder)
    data = out.read_bytes()
    if str(folder).encode() in data:
        raise GraderError(f"{path.name} names {folder}: no archive may name a folder of this machine")
    return File(data, os.access(path, os.X_OK))


def _newest(name: str, programs: Sequence[bytes]) -> str:
    """The newest version of one of the system's libraries that any of the programs needs, such as 2.36."""
    found: set[bytes] = {
        match for data in programs for match in re.findall(rf"\0{name}_(\d+(?:\.\d+)+)(?=\0)".encode(), data)
    }
    if not found:
        raise GraderError(f"nothing names {name}, although everything needs it")
    return max(found, key=lambda version: [int(part) for part in version.split(b".")]).decode()


def _run(command: Sequence[str], folder: Path) -> None:
    tools = Path(__file__).resolve().parents[2] / ".venv/bin"
    path = f"{tools}:{os.environ.get('PATH', '')}"
    if shutil.which(command[0], path=path) is None:
        raise GraderError(f"{command[0]} is missing: run make setup")
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        raise GraderError(f"{' '.join(command[:3])}:\n{said[-4000:]}")
