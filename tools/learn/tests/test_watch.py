"""./grader watch in a terminal, with a grading process that does what the file says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from learn.tests.support import SKELETON, make_lab
from learn.tests.terminal import Terminal

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).resolve().parents[2]
START = """
import sys, pathlib
from learn import watch
root = pathlib.Path(sys.argv[1])
worker = [sys.executable, "-m", "learn.tests.support"]
try:
    sys.exit(watch.watch(root, root / "labs/01-add", worker=worker))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return make_lab(tmp_path)


def command(lab: Path) -> list[str]:
    return [sys.executable, "-c", START, str(lab.parents[1])]


@pytest.fixture
def terminal(lab: Path) -> Iterator[Terminal]:
    with Terminal(command(lab), TOOLS) as made:
        yield made


def save(lab: Path, text: str) -> None:
    (lab / "add.cu").write_text(text)


def save_by_rename(lab: Path, text: str) -> None:
    (lab / ".add.cu.swp").write_text(text)
    (lab / ".add.cu.swp").rename(lab / "add.cu")


def save_after_removal(lab: Path, text: str) -> None:
    (lab / "add.cu").rename(lab / "add.cu~")
    (lab / "add.cu").write_text(text)


def orders(lab: Path) -> list[str]:
    return (lab.parents[1] / "orders").read_text().splitlines()


def ended(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_the_skeleton_shows_what_to_begin_with(terminal: Terminal) -> None:
    screen = terminal.wait("next: first, add.cu line 1")
    assert "Lab 1 · Add" in screen
    assert "> first   SKIP" in screen
    assert "n next · h hint · l list · c check all · x reset · e explain · q quit" in screen


@pytest.mark.parametrize("saving", [save, save_by_rename, save_after_removal])
def test_each_way_of_saving_is_graded_once(lab: Path, terminal: Terminal, saving: object) -> None:
    terminal.wait("next: first")
    assert callable(saving)
    saving(lab, "WA SKIP")
    screen = terminal.wait("next: first .wrong answer.*first result after")
    assert "first: wrong from n = 257 on" in screen
    saving(lab, "AC SKIP")
    terminal.wait("first is done")
    time.sleep(0.7)  # longer than the file is looked at without an event
    assert [line.partition(" True ")[2] for line in orders(lab)] == ["skeleton", "WA SKIP", "AC SKIP"]


def test_the_task_that_is_worked_on_is_in_focus_and_graded_first(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "SKIP WA")
    assert "> second" in terminal.wait("next: second .wrong answer")
    save(lab, "AC WA")
    terminal.wait("AC 30/30.*(\n.*)+next: second")
    assert orders(lab)[-1].startswith("second first True")


def test_from_a_task_that_is_done_the_focus_turns_to_the_one_that_is_worked_on(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "AC SKIP")
    terminal.wait("first is done")
    save(lab, "AC WA")
    assert "second: wrong from n = 257 on" in terminal.wait("next: second .wrong answer")
    assert orders(lab)[-1].startswith("second True")
    save(lab, "WA AC")
    assert "> first" in terminal.wait("next: first .wrong answer")


def test_a_file_that_does_not_compile(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "CE")
    screen = terminal.wait("waiting for the next save")
    assert "expected a semicolon" in screen and "next: fix add.cu:1" in screen
    save(lab, "BUILDING")
    assert "semicolon" not in terminal.wait("before this one did not compile: add.cu:1.*(\n.*)+building")
    save(lab, "AC AC")
    assert "20 / 20 points" in terminal.wait("full marks")


def test_an_explanation_does_not_outlive_the_file_that_it_is_about(lab: Path, terminal: Terminal) -> None:
    """Its lines would be those of the newer file."""
    terminal.wait("next: first")
    save(lab, "WA WA")
    assert "\nfirst: wrong from n = 257 on" in terminal.wait("next: first .wrong answer").replace("\r", "")
    save(lab, "BUILDING")
    assert "first: wrong" not in terminal.wait("first, before this save: WA wrong from n = 257 on")


def test_a_file_that_is_away_and_comes_back(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    (lab / "add.cu").unlink()
    assert "save it, or ./grader reset 1" in terminal.wait("waiting for add.cu")
    save(lab, "WA WA")
    terminal.wait("next: first .wrong answer")


def test_a_newer_save_ends_what_is_being_graded(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "HANG")
    terminal.wait("grading … first 40 %")
    child = int((lab.parents[1] / "child").read_text())
    save(lab, "WA SKIP")
    terminal.wait("next: first .wrong answer")
    assert ended(child)  # in a session of its own


@pytest.mark.parametrize("ending", ["q", "\x03", "\x04"])
def test_at_the_end_the_terminal_is_as_before_and_nothing_is_left(lab: Path, ending: str) -> None:
    with Terminal(command(lab), TOOLS) as terminal:
        terminal.wait("next: first")
        save(lab, "HANG")
        terminal.wait("grading …")
        child = int((lab.parents[1] / "child").read_text())
        terminal.press(ending)
        status = terminal.process.wait(10)
        assert status == (130 if ending == "\x03" else 0)
        assert ended(child)
        assert terminal.is_as_before()


def test_a_grading_process_that_dies_is_told_and_started_again(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "DIE")
    terminal.wait("the grading process has ended: segmentation fault of a library")
    save(lab, "AC SKIP")
    terminal.wait("first is done")


def test_another_width_is_drawn_anew(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "WA SKIP")
    terminal.wait("first result after")
    terminal.text = ""
    terminal.resize(44)
    screen = terminal.wait("next: first .wrong answer., add.cu:1 *$")  # no times: the screen before was wide enough
    table = [line for line in screen.splitlines() if line.startswith((" > ", "   second"))]
    assert len(table) == 2
    assert all(len(line.rstrip("\r")) <= 44 for line in table)


def test_keys(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    terminal.press("h")
    terminal.wait("hint 1 of 3: ask yourself")
    terminal.press("h")
    terminal.wait("hint 2 of 3: a nudge")
    terminal.press("n")
    assert "hint" not in terminal.wait("> second").partition("n next")[0]
    terminal.press("l")
    assert "hours" in terminal.wait("any other key: back")
    terminal.press("\x1b[A")  # an arrow is not a key
    terminal.press(" ")
    terminal.wait("> second")
    terminal.press("e")
    terminal.wait("no counters")
    terminal.press("e")
    terminal.wait("> second")
    terminal.press("c")
    terminal.wait("first result after")
    end = time.monotonic() + 5
    while len(orders(lab)) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    assert orders(lab)[-1] == "second first False skeleton"


def test_a_reset_asks_and_saves_first(lab: Path, terminal: Terminal) -> None:
    terminal.wait("next: first")
    save(lab, "WA WA mine")
    terminal.wait("next: first .wrong answer")
    terminal.press("x")
    terminal.wait("x again: add.cu becomes the skeleton; your file is saved first")
    terminal.press("q")  # anything else: no, and no more than that
    terminal.wait("q quit")
    assert (lab / "add.cu").read_text() == "WA WA mine"
    terminal.press("x")
    terminal.wait("x again")
    terminal.press("x")
    terminal.wait("saved: labs/01-add/add.cu.saved-(.*\n)+.*next: first, add.cu line 1")
    assert (lab / "add.cu").read_text() == SKELETON
    assert [copy.read_text() for copy in lab.glob("*.saved-*")] == ["WA WA mine"]


def test_without_a_terminal_it_says_what_happens_line_by_line(lab: Path) -> None:
    with subprocess.Popen(
        command(lab), cwd=TOOLS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        seen = []

        def until(wanted: str) -> None:
            assert process.stdout is not None
            for line in process.stdout:
                seen.append(line)
                if re.search(wanted, line):
                    return
            raise AssertionError("".join(seen))

        until("next: first, add.cu line 1")
        save(lab, "WA SKIP")
        until("next: first .wrong answer")
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 128 + signal.SIGTERM
    text = "".join(seen)
    assert "\x1b" not in text
    assert re.search(r"first\s+WA 12/30", text)
    assert "first: wrong from n = 257 on" in text
