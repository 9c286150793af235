"""Where a cage can be made, what that costs, and what is said where it cannot."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from autograder.cage import cage
from autograder.cage.cage import Room, start, unavailable
from autograder.cage.tests.hostile import (
    LIMITS,
    ONE,
    caged_only,
)
from autograder.errors import GraderError

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_a_cage_can_be_made_where_bubblewrap_and_user_namespaces_work() -> None:
    if shutil.which("bwrap") is None or shutil.which("unshare") is None:
        pytest.skip("bubblewrap is not installed")
    if subprocess.run(["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "true"],
                      capture_output=True, check=False).returncode:  # fmt: skip
        pytest.skip("this machine does not allow user namespaces")
    assert unavailable() == ""


@caged_only
def test_what_cannot_be_started_is_the_graders_fault(tmp_path: Path) -> None:
    for command, room in ((["/nowhere/program"], ONE), (["/bin/true"], Room(read=(tmp_path / "nowhere",)))):
        with (
            pytest.raises(GraderError, match=r"bubblewrap cannot start .*nowhere"),
            start(command, room, LIMITS) as one,
        ):
            one.wait(5.0)
    with pytest.raises(GraderError, match="/nowhere/program cannot be started"):
        start(["/nowhere/program"], ONE, LIMITS, caged=False)


@caged_only
def test_a_start_is_quick() -> None:
    def seconds() -> float:
        begin = time.perf_counter()
        with start(["/bin/echo", "x"], Room(), LIMITS) as program:
            assert program.stdout is not None
            program.stdout.read(1)
            return time.perf_counter() - begin

    assert min(seconds() for _ in range(10)) < 0.1  # 10 ms where nothing else runs


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("No permissions to create new namespace, likely because the kernel does not", "not allow user namespaces"),
        ("setting up uid map: Permission denied", "not allow user namespaces"),
        ("Creating new namespace failed: /proc/sys/user/max_*_namespaces exceeded", "not allow user namespaces"),
        ("Can't mount proc on /newroot/proc: Operation not permitted", "/proc cannot be mounted here"),
        ("loopback: Failed RTM_NEWADDR: Operation not permitted", "not allow user namespaces"),
        ("something new", "it cannot make a sandbox here (bwrap: something new)"),
    ],
)
def test_it_says_why_there_is_no_cage(message: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(f'#!/bin/sh\necho "bwrap: {message}" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    told = cage._tried.__wrapped__()[1]
    assert told.startswith("bubblewrap is installed, but ") and says in told


def test_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cage._tried.__wrapped__() == (False, "bubblewrap is not installed: apt install bubblewrap")
