"""One line of output per step. The output of a step's programs goes to a log, which is named when one fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LOG = BUILD / "setup.log"
Command = list[str | Path]


class Failure(Exception):
    """A step failed. The message is for the person who typed make."""


def say(text: str) -> None:
    print(f"  {text}", flush=True)


def shown(path: Path) -> str:
    """A path as people read it: relative to the repository if it is inside it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


class Step:
    """`with Step("python environment"):` prints the name, then how long it took. On a terminal the line is live.
    Elsewhere progress() prints the name at once, so that a long step does not leave the output empty for minutes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.note = ""
        self.live = sys.stdout.isatty()
        self.silent = False  # set when there was nothing to do
        self.named = False

    def __enter__(self) -> Step:
        self.start = time.monotonic()
        self.progress("")
        return self

    def progress(self, text: str) -> None:
        if self.live:
            print(f"\r\033[K  {self.name} … {text}", end="", flush=True)
        elif text and not self.named:
            self.named = True
            print(f"  {self.name} … ", end="", flush=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.live:
            print("\r\033[K", end="")
        if kind is None and self.silent:
            return
        seconds = f"{time.monotonic() - self.start:.1f} s"
        end = seconds if kind is None else "stopped" if kind is KeyboardInterrupt else f"failed after {seconds}"
        note = f" · {self.note}" if self.note else ""
        begin = "" if self.named else f"  {self.name} … "
        print(f"{begin}{end}{note}", flush=True)


class Report:
    """Runs steps one after the other. If one fails, the next still runs."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def step(self, name: str, work: Callable[[Step], str | None]) -> None:
        """What `work` returns is printed below the step's line."""
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


def log(text: str) -> None:
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as file:
        file.write(text if text.endswith("\n") else text + "\n")


def quietly(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
    """Runs a program with its output in the log. A Failure shows the last lines and names the log."""
    words = [str(word) for word in command]
    log(f"\n$ {' '.join(words)}")
    try:
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=None if environment is None else {**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise Failure(f"{words[0]} is not installed") from None
    log(done.stdout)
    if done.returncode != 0:
        lines = [line for line in done.stdout.rstrip().splitlines() if "WARNING: Retrying" not in line]
        tail = "\n".join(f"    {line if len(line) < 160 else line[:157] + '...'}" for line in lines[-12:])
        name = " ".join(Path(words[0]).name if i == 0 else word for i, word in enumerate(words[:4]))
        raise Failure(f"{name} … failed with status {done.returncode}:\n{tail}\n  full output: {shown(LOG)}")


def stream(
    command: Sequence[str | Path], line: Callable[[str], None], environment: Mapping[str, str] | None = None
) -> int:
    """Runs a program and hands each line of its output to `line`; returns its status."""
    with subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=None if environment is None else {**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        try:
            for text in process.stdout:
                line(text.rstrip("\n"))
        except KeyboardInterrupt:
            process.terminate()
            raise
    return process.returncode


def output_of(*command: str | Path) -> str:
    """What a program prints, or nothing if it cannot be run."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
