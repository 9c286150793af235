"""The device that is chosen, and what its process sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.run import machine
from autograder.run.machine import Machine, chosen_device


def test_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = tmp_path / "virtual_gpu/profiles"
    profiles.mkdir(parents=True)
    for name in ("h200", "teaching"):
        (profiles / f"{name}.toml").touch()
    monkeypatch.setattr(machine, "gpu_answers", lambda: False)
    for wanted in ("", "virtual", "h200"):
        assert chosen_device(tmp_path, wanted) == wanted
    monkeypatch.chdir(profiles)
    assert chosen_device(tmp_path, "h200.toml") == str(profiles / "h200.toml")
    with pytest.raises(UsageError, match=r"unknown device; choose from: gpu .*, virtual, h200, teaching"):
        chosen_device(tmp_path, "foo")
    with pytest.raises(UsageError, match="this machine has no working NVIDIA GPU; choose from: virtual, h200"):
        chosen_device(tmp_path, "gpu")
    monkeypatch.setattr(machine, "gpu_answers", lambda: True)
    assert chosen_device(tmp_path, "gpu") == "gpu"


def test_the_device_process_of_a_submission_sees_no_solutions(tmp_path: Path) -> None:
    """It quotes lines of whatever file `#line` names."""
    for name in ("labs", "common", "solutions", "build/graded/lab3-1"):
        (tmp_path / name).mkdir(parents=True)
    build = tmp_path / "build"
    one = Machine((str(build / "device"),), source=tmp_path)
    theirs = one.device_room(build / "graded/lab3-1/scan").read
    assert {tmp_path / "labs", tmp_path / "common", build / "graded/lab3-1"} <= set(theirs)
    assert not any((tmp_path / "solutions").is_relative_to(path) for path in theirs)
    assert tmp_path / "solutions" in one.device_room(build / "solution3").read
