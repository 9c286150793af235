"""make check, format, tidy and bench: steps with their times, full output only of what failed."""

from __future__ import annotations

import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import build
from .console import BUILD, LOG, ROOT, Command, Failure, Report, Step, log, output_of, quietly, say, shown, stream
from .environment import GROUPS, need, set_up
from .toolchain import VENV

CPP = (".cc", ".cpp", ".h", ".cu", ".cuh")
PYTHON = "tools"
ENVIRONMENT = {"PYTHONPATH": str(ROOT / "tools"), "PYTHONDONTWRITEBYTECODE": "1"}


def cpp_sources() -> list[Path]:
    return build.sources(*CPP)


def format_check(_: Step) -> None:
    said: list[str] = []
    stream([VENV / "bin/clang-format", "--dry-run", *cpp_sources()], said.append)
    log("\n".join(said))
    places = [line.partition(":") for line in said if "clang-format-violations" in line]
    if places:
        files = sorted({path.replace(f"{ROOT}/", "") for path, _, _ in places})
        raise Failure("\n".join(f"not formatted: {name}" for name in files) + "\n  make format fixes it")
    quietly_or_hint([VENV / "bin/ruff", "format", "--check", PYTHON], "make format fixes it")


def lint(_: Step) -> None:
    quietly_or_hint([VENV / "bin/ruff", "check", PYTHON], "make format fixes some of it")
    quietly_or_hint([VENV / "bin/mypy"], "")
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    quietly_or_hint([VENV / "bin/check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows], "")


def quietly_or_hint(command: Command, hint: str) -> None:
    lines: list[str] = []
    log(f"\n$ {' '.join(str(word) for word in command[:6])} …")
    if stream(command, lines.append, ENVIRONMENT) != 0:
        log("\n".join(lines))
        shortened = lines if len(lines) <= 60 else [*lines[:60], f"… {len(lines) - 60} more lines in {shown(LOG)}"]
        end = f"\n  {hint}" if hint else ""
        raise Failure("\n".join(line.replace(f"{ROOT}/", "") for line in shortened) + end)


def check() -> None:
    """make check: what needs no build. Formatting, lint and types."""
    need(*GROUPS)  # mypy looks into the packages of all
    report = Report()
    report.step("formatting", format_check)
    report.step("lint and types: ruff, mypy", lint)
    report.end()
    say("all passed; make test builds and runs the tests")


def format_sources() -> None:
    """make format."""
    need("checks")
    with Step("clang-format"):
        quietly([VENV / "bin/clang-format", "-i", *cpp_sources()])
    with Step("ruff"):
        quietly([VENV / "bin/ruff", "check", "--fix-only", "-q", PYTHON])
        quietly([VENV / "bin/ruff", "format", PYTHON])


def tidy() -> None:
    """make tidy [FILES="a.cc b.cc"]: clang-tidy on host code, if the system has it. Without FILES it takes minutes."""
    build.configure(set_up(), tests=True)
    if not output_of("clang-tidy", "--version"):
        raise Failure("clang-tidy is not installed; on Debian and Ubuntu: apt-get install clang-tidy")
    files = [ROOT / name for name in os.environ.get("FILES", "").split()]
    files = files or [path for path in build.sources(".cc", ".cpp") if "tests" not in path.parts]
    found: list[str] = []

    def one(path: Path) -> None:
        stream(["clang-tidy", "-quiet", "-p", BUILD, path], lambda line: found.append(line))

    with Step(f"clang-tidy, {len(files)} files") as step, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for number, _ in enumerate(pool.map(one, files), 1):
            step.progress(f"{number} of {len(files)}")
    for line in sorted({line for line in found if re.search(r": (warning|error): ", line)}):
        print(line.replace(f"{ROOT}/", ""))


def bench() -> None:
    """make bench: the virtual GPU's speed on one core, for the labs' tasks and for its own kernels; with a GPU, the
    fastest tasks beside the library calls that do the same."""
    build.build_all("solution")
    build.ninja("building the benchmark", [name for name in ("vgpu_bench",) if build.has_target(name)])
    programs: list[Command] = [[VENV / "bin/python", "-m", "bench.speed"]]
    programs += [[path, path.parent / "kernels.ptx"] for path in BUILD.rglob("vgpu_bench") if path.is_file()]
    if shutil.which("nvidia-smi"):
        programs.append([VENV / "bin/python", "-m", "bench.peers"])
    else:
        say("no nvidia-smi: the fastest tasks are not compared with libraries, which takes an NVIDIA GPU")
    for program in programs:
        sys.stdout.flush()
        if stream(program, print, ENVIRONMENT) != 0:
            raise Failure("the benchmark failed")
        print()
