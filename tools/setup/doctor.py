"""make doctor: what is installed, where it comes from, and the commands that install what is missing."""

from __future__ import annotations

import ctypes
import re
import shutil
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

from autograder.cage.cage import unavailable

from . import environment, system, toolchain
from .console import ROOT, output_of, shown
from .toolchain import VENV


@dataclass(frozen=True)
class Row:
    name: str
    state: str  # "ok", "missing" or "optional" (missing but not needed)
    what: str
    get: str = ""


def first_number(text: str) -> str:
    found = re.search(r"\d+\.\d+(\.\d+)*", text)
    return found.group(0) if found else ""


def apt(name: str) -> str:
    return f"apt-get install {name}" if system.is_debian() else f"with your package manager (Debian's name: {name})"


def tool(name: str, package: str, needed: bool = True) -> Row:
    path = shutil.which(name)
    if path is None:
        return Row(name, "missing" if needed else "optional", "", apt(package))
    return Row(name, "ok", f"{first_number(output_of(path, '--version'))} · {path}")


def python_rows() -> list[Row]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    rows = [Row("python", "ok", f"{version} · {sys.executable}")]
    if not system.has_venv():
        rows.append(Row("venv", "missing", "Python environments", apt("python3-venv")))
    else:
        rows.append(Row("venv", "ok", f"module of {sys.executable}"))
    if environment.recorded() is not None:
        rows.append(Row("environment", "ok", f"{shown(VENV)}, matches {shown(environment.LOCK)}"))
    else:
        rows.append(Row("environment", "missing", f"{shown(VENV)} is missing or out of date", "make setup"))
    for name in ("cmake", "ninja", "clang-format"):
        path = VENV / "bin" / name
        if path.exists():
            rows.append(Row(name, "ok", f"{first_number(output_of(path, '--version'))} · {shown(path)}"))
        else:
            rows.append(Row(name, "missing", "", "make setup"))
    return rows


def nvcc_rows() -> list[Row]:
    good, old = toolchain.toolkits()
    rows = [Row("nvcc", "ok", f"{found.version} · {found.path}") for found in good[:1]]
    wheels = toolchain.wheels()
    if not rows and wheels is not None:
        rows.append(Row("nvcc", "ok", f"{wheels.version} · {shown(wheels.path)} (wheels)"))
    if not rows:
        rows.append(
            Row("nvcc", "missing", "CUDA compiler, 13.0 or newer", "make setup (from wheels), or CUDA Toolkit 13")
        )
    used = good[0] if good else wheels
    if used is not None:
        rows.append(device_runtime_row(used.path.resolve().parent.parent))
    rows += [
        Row("nvcc", "optional", f"{found.version} · {found.path}: too old or incomplete, not used") for found in old
    ]
    return rows


def device_runtime_row(toolkit: Path) -> Row:
    """The library that kernels which launch kernels need. Without it, lab 12 is left out."""
    for folder in ("lib64", "lib", "targets/x86_64-linux/lib"):
        if (toolkit / folder / "libcudadevrt.a").exists():
            return Row("cudadevrt", "ok", str(toolkit / folder / "libcudadevrt.a"))
    return Row(
        "cudadevrt",
        "missing",
        "lab 12 needs libcudadevrt.a next to nvcc",
        "the complete CUDA Toolkit 13, or make setup without this nvcc on PATH",
    )


def sandbox_row() -> Row:
    """Really makes one: where bubblewrap is installed, user namespaces may still be off."""
    why, _, get = unavailable().partition(": apt ")
    if why:
        return Row("sandbox", "optional", f"to grade other people's files; {why}", apt("bubblewrap") if get else "")
    path = shutil.which("bwrap") or ""
    return Row("sandbox", "ok", f"bubblewrap {first_number(output_of(path, '--version'))} · {path}")


def similarity_row() -> Row:
    """The program behind ./grader similarity, which has no option that tells its version."""
    path = shutil.which("sim_c++")
    if path is None:
        return Row("similarity", "optional", "for ./grader similarity", apt("similarity-tester"))
    return Row("similarity", "ok", f"sim_c++ · {path}")


def gpu_row() -> Row:
    """Asks cuInit, as the labs do: a GPU that nvidia-smi lists may still not work."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Row("GPU", "optional", "no NVIDIA driver; labs run on the virtual GPU")
    status = driver.cuInit(0)
    if status != 0:
        return Row("GPU", "optional", f"the driver's cuInit fails with error {status}; labs run on the virtual GPU")
    name = ctypes.create_string_buffer(128)
    version = ctypes.c_int()
    count = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGetCount(ctypes.byref(count))
    driver.cuDeviceGetName(name, len(name), 0)
    cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
    more = f" and {count.value - 1} more" if count.value > 1 else ""
    if version.value < 13000:
        return Row(
            "GPU",
            "optional",
            f"{name.value.decode()}: its driver supports only CUDA {cuda}",
            "a driver for CUDA 13 (580 or newer)",
        )
    return Row("GPU", "ok", f"{name.value.decode()}{more}, driver for CUDA {cuda}")


def rows() -> list[Row]:
    found = python_rows()
    found += [tool("g++", "g++"), tool("make", "make"), tool("git", "git", needed=False), *nvcc_rows()]
    source = system.googletest()
    if source:
        found.append(Row("GoogleTest", "ok", source))
    else:
        hint = f"{apt('libgtest-dev')}; without it make test downloads its sources"
        found.append(Row("GoogleTest", "optional", "for make test", hint))
    if system.has_libpng():
        found.append(Row("libpng", "ok", "the system"))
    else:
        found.append(Row("libpng", "optional", "to read and write PNG files", apt("libpng-dev")))
    found.append(sandbox_row())
    found.append(similarity_row())
    found.append(gpu_row())
    free = shutil.disk_usage(ROOT).free / 2**30
    state = "ok" if free >= 2 else "missing"
    found.append(
        Row("disk", state, f"{free:.0f} GiB free", "" if free >= 2 else "2 GiB of disk space: 1 for .venv, 1 for build")
    )
    return found


def doctor() -> None:
    signs = {"ok": "ok", "missing": "MISSING", "optional": "-"}
    for row in rows():
        get = f"to get it: {row.get}" if row.get else ""
        what = "  ·  ".join(part for part in (row.what, get) if part)
        print(wrapped(f"  {row.name:<13}{signs[row.state]:<9}", what, shutil.get_terminal_size().columns))


def wrapped(lead: str, text: str, width: int) -> str:
    """The text behind `lead`, going on below itself. Paths and commands stay whole."""
    return textwrap.fill(
        text, width, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
