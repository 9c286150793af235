"""make test and make test-all: steps with their times, the slowest tests, full output only of what failed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from . import build
from .check import ENVIRONMENT, format_check, lint
from .console import BUILD, ROOT, Command, Failure, Report, Step, log, say, stream
from .environment import GROUPS, need
from .toolchain import VENV

PASSED = BUILD / "passed.json"  # the steps of make test that have passed, and with which sources
NOTHING_TO_RUN = 5  # pytest's exit status
SLOWEST = 10


@dataclass(frozen=True)
class Suite:
    """A step that runs tests. `run` returns what to print below its line."""

    name: str
    run: Callable[[Step, Slowest], str]


class Slowest:
    """The tests that took longest, of all suites."""

    def __init__(self) -> None:
        self.tests: list[tuple[float, str]] = []

    def add(self, seconds: float, name: str) -> None:
        self.tests = sorted([*self.tests, (seconds, name)], reverse=True)[:SLOWEST]

    def show(self) -> None:
        if self.tests:
            say("the slowest:")
        for seconds, name in self.tests:
            print(f"  {seconds:7.1f} s  {name}", flush=True)


def test() -> None:
    """make test: the build, all tests that are quick, and of others' programs the chosen ones (mistakes/chosen.py)."""
    run(QUICK, [])


def test_all() -> None:
    """make test-all: everything. What make test has passed with the same sources is not run again."""
    done = passed()
    for suite in QUICK:
        if suite.name in done:
            say(f"{suite.name}: passed before, and nothing has changed since")
    run([suite for suite in QUICK if suite.name not in done], REST)


def run(quick: list[Suite], rest: list[Suite]) -> None:
    need(*GROUPS)
    report, slowest = Report(), Slowest()
    if rest:
        report.step("formatting", format_check)
        report.step("lint and types: ruff, mypy", lint)
    sources = sources_digest()  # before: an edit while the tests run is not what they have passed with
    build_step(report)
    for suite in [*quick, *rest]:
        failed = len(report.failed)
        report.step(suite.name, lambda step, suite=suite: suite.run(step, slowest))  # type: ignore[misc]
        if len(report.failed) == failed and suite in quick:
            keep_passed(suite.name, sources)
    slowest.show()
    report.end()
    say("all passed" if rest else "all passed; make test-all runs every test")


def build_step(report: Report) -> None:
    try:
        if not build.build_everything():
            report.failed.append("build warnings")
    except Failure as failure:
        print(f"{failure}\n", flush=True)
        report.failed.append("build")
        report.end()


def sources_digest() -> str:
    """Of all that git tracks or could, and of how it is built; "" where git cannot tell."""
    command = ["git", "-C", str(ROOT), "ls-files", "-coz", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    digest = hashlib.sha256()
    for path in [*(ROOT / name.decode() for name in sorted(listed.split(b"\0")) if name), build.CONFIGURED]:
        if path.is_file():
            digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def passed() -> set[str]:
    """The suites that have passed with today's sources."""
    try:
        there = json.loads(PASSED.read_text())
    except (OSError, ValueError):
        return set()
    return set(there["suites"]) if there["sources"] == sources_digest() != "" else set()


def keep_passed(name: str, sources: str) -> None:
    kept = {"sources": sources, "suites": sorted({*passed(), name})}
    PASSED.write_text(json.dumps(kept, indent=2) + "\n")


def run_ctest(step: Step, slowest: Slowest, *options: str) -> str:
    """Runs CTest. Returns its closing lines. A Failure shows the tests that failed, with their output."""
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        if done := re.match(r"\s*(\d+)/(\d+) Test +#\d+: (\S+) \.*.* ([\d.]+) sec", text):
            step.progress(f"{done[1]} of {done[2]}")
            slowest.add(float(done[4]), done[3])

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


def run_pytest(step: Step, slowest: Slowest, which: str) -> str:
    """Runs the tests in tools/ that have the marks of `which` on all cores, then those that must be alone."""
    cores = str(len(os.sched_getaffinity(0)))
    closing, failed = [], []
    for options in (
        ("-n", cores, "--dist", "loadgroup", "-m", f"not alone and ({which})"),
        ("-m", f"alone and ({which})"),
    ):
        try:
            closing.append(pytest(step, slowest, *options))
        except Failure as failure:
            failed.append(str(failure))
    if failed:
        raise Failure("\n".join(failed))
    return "\n".join(closing)


def pytest(step: Step, slowest: Slowest, *options: str) -> str:
    """Returns pytest's closing line. A Failure shows everything but the list of slow tests."""
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        if done := re.search(r"\[ *(\d+%)\]$", text):
            step.progress(done.group(1))
        if took := re.match(r"([\d.]+)s (?:call|setup|teardown) +(.+)$", text):
            slowest.add(float(took[1]), took[2])

    command: Command = [VENV / "bin/python", "-m", "pytest", "--color=no", f"--durations={SLOWEST}", *options]
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


QUICK = [
    Suite("C++ tests: virtual GPU, runner", lambda step, slow: run_ctest(step, slow, "-LE", "slow")),
    Suite("Python tests: those that are quick", lambda step, slow: run_pytest(step, slow, "not slow")),
    Suite("programs: skeletons, solutions, the chosen of others", lambda step, slow: run_pytest(step, slow, "chosen")),
]
REST = [
    Suite("the slow C++ tests", lambda step, slow: run_ctest(step, slow, "-L", "slow")),
    Suite(
        "the slow Python tests, and all other programs",
        lambda step, slow: run_pytest(step, slow, "slow and not chosen"),
    ),
]
