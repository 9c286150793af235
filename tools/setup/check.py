"""make test, check, format, tidy and bench: steps with their times, full output only of what failed."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import build
from .console import BUILD, LOG, ROOT, Command, Failure, Step, log, output_of, quietly, say, shown, stream
from .environment import GROUPS, need, set_up
from .toolchain import VENV

CPP = (".cc", ".cpp", ".h", ".cu", ".cuh")
PYTHON = ("tools", "labs")  # a lab may have rules of its own: grading/patterns.py
NOTHING_TO_RUN = 5  # pytest's exit status
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
    quietly_or_hint([VENV / "bin/ruff", "format", "--check", *PYTHON], "make format fixes it")


def lint(_: Step) -> None:
    quietly_or_hint([VENV / "bin/ruff", "check", *PYTHON], "make format fixes some of it")
    quietly_or_hint([VENV / "bin/mypy"], "")
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    quietly_or_hint([VENV / "bin/check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows], "")
    for path in sorted((ROOT / "labs").glob("*/grading/*.py")):  # alone: several labs have a module of that name
        quietly_or_hint([VENV / "bin/mypy", path], "")


def quietly_or_hint(command: Command, hint: str) -> None:
    lines: list[str] = []
    log(f"\n$ {' '.join(str(word) for word in command[:6])} …")
    if stream(command, lines.append, ENVIRONMENT) != 0:
        log("\n".join(lines))
        shortened = lines if len(lines) <= 60 else [*lines[:60], f"… {len(lines) - 60} more lines in {shown(LOG)}"]
        end = f"\n  {hint}" if hint else ""
        raise Failure("\n".join(line.replace(f"{ROOT}/", "") for line in shortened) + end)


def run_ctest(step: Step, *options: str) -> str:
    """Runs CTest. Shows its closing lines, or everything if a test fails."""
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        if done := re.match(r"\s*(\d+)/(\d+) Test", text):
            step.progress(f"{done.group(1)} of {done.group(2)}")

    jobs = str(len(os.sched_getaffinity(0)))
    command: Command = [
        build.CTEST,
        "--test-dir",
        BUILD,
        "--output-on-failure",
        "-j",
        jobs,
        "--no-tests=error",
        *options,
    ]
    status = stream(command, line, {"GTEST_BRIEF": "1"})
    log("\n".join(lines))
    if status != 0:
        raise Failure("\n".join(failed_tests(lines)))
    return "\n".join(line for line in lines if "tests passed" in line or line.startswith("Total Test time"))


def failed_tests(lines: list[str]) -> list[str]:
    passed = re.compile(r"^\s*(\d+/\d+ Test +#\d+: .* Passed|Start +\d+: )")
    return [line for line in lines if not passed.match(line)]


def run_pytest(step: Step, which: str = "") -> str:
    """Runs the tests in tools/ on all cores, then those that must be alone. `which`: an expression of marks."""
    also = f" and {which}" if which else ""
    cores = str(len(os.sched_getaffinity(0)))
    together = ("-n", cores, "--dist", "loadgroup", "-m", f"not alone{also}")
    closing, failed = [], []
    for options in (together, ("-m", f"alone{also}")):
        try:
            closing.append(pytest(step, *options))
        except Failure as failure:
            failed.append(str(failure))
    if failed:
        raise Failure("\n".join(failed))
    return "\n".join(closing)


def pytest(step: Step, *options: str) -> str:
    """Shows pytest's closing line, or everything if a test fails."""
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        if done := re.search(r"\[ *(\d+%)\]$", text):
            step.progress(done.group(1))

    command: Command = [VENV / "bin/python", "-m", "pytest", "--color=no", "--durations=10", *options]
    status = stream(command, line, ENVIRONMENT)
    log("\n".join(lines))
    if status not in (0, NOTHING_TO_RUN):
        raise Failure("\n".join(without_durations(lines)))
    return lines[-1] if lines else ""


def without_durations(lines: list[str]) -> list[str]:
    """pytest's output without the list of slow tests, which stays in the log."""
    marks = [i for i, text in enumerate(lines) if text.startswith("====")]
    begin = next((i for i in marks if "slowest" in lines[i]), len(lines))
    end = next((i for i in marks if i > begin), len(lines))
    return lines[:begin] + lines[end:]


class Report:
    """Runs steps one after the other. If one fails, the next still runs."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def step(self, name: str, work: Callable[[Step], str | None]) -> None:
        closing: str | None = None
        try:
            with Step(name) as step:
                closing = work(step)
        except Failure as failure:
            print(f"{failure}\n", flush=True)
            self.failed.append(name)
        for line in (closing or "").splitlines():
            print(line, flush=True)

    def end(self) -> None:
        if self.failed:
            raise Failure(f"failed: {', '.join(self.failed)} · full output: {shown(LOG)}")


def build_step(report: Report) -> None:
    try:
        if not build.build_everything():
            report.failed.append("build warnings")
    except Failure as failure:
        print(f"{failure}\n", flush=True)
        report.failed.append("build")
        report.end()


def test() -> None:
    """make test: everything this repository checks."""
    need(*GROUPS)
    report = Report()
    report.step("formatting", format_check)
    report.step("lint: ruff, mypy", lint)
    build_step(report)
    report.step("C++ tests: virtual GPU, runner, labs", run_ctest)
    report.step("Python tests: grader, every mistake and its verdict, documents", run_pytest)
    report.end()
    say("all passed")


def check() -> None:
    """make check: the quick part of make test, for daily use."""
    need(*GROUPS)
    report = Report()
    report.step("formatting", format_check)
    report.step("lint: ruff, mypy", lint)
    build_step(report)
    report.step("C++ tests, without the slow ones", lambda step: run_ctest(step, "-LE", "slow"))
    report.step("Python tests, without the slow ones", lambda step: run_pytest(step, "not slow"))
    report.end()
    say("all passed; make test runs the slow ones too")


def format_sources() -> None:
    """make format."""
    need("checks")
    with Step("clang-format"):
        quietly([VENV / "bin/clang-format", "-i", *cpp_sources()])
    with Step("ruff"):
        quietly([VENV / "bin/ruff", "check", "--fix-only", "-q", *PYTHON])
        quietly([VENV / "bin/ruff", "format", *PYTHON])


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
    """make bench: the virtual GPU's speed on one core, for the labs' rungs and for its own kernels; with a GPU, the
    fastest rungs beside the library calls that do the same."""
    build.build_all("solution")
    build.ninja("building the benchmark", [name for name in ("vgpu_bench",) if build.has_target(name)])
    programs: list[Command] = [[VENV / "bin/python", "-m", "bench.speed"]]
    programs += [[path, path.parent / "kernels.ptx"] for path in BUILD.rglob("vgpu_bench") if path.is_file()]
    if shutil.which("nvidia-smi"):
        programs.append([VENV / "bin/python", "-m", "bench.peers"])
    else:
        say("no nvidia-smi: the fastest rungs are not compared with libraries, which takes an NVIDIA GPU")
    for program in programs:
        sys.stdout.flush()
        if stream(program, print, ENVIRONMENT) != 0:
            raise Failure("the benchmark failed")
        print()
