"""What the first make decides, without running it: that is .ci/fresh-machine's part."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from setup import build, console, doctor, environment, system, toolchain
from setup.cli import COMMANDS, main

NVCC = """#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release {version}, V{version}.1" ;;
--dryrun) echo "#$ _HERE_={folder}/bin" ;;
esac
"""


def fake_toolkit(folder: Path, version: str, headers: bool = True) -> Path:
    (folder / "bin").mkdir(parents=True)
    nvcc = folder / "bin/nvcc"
    nvcc.write_text(NVCC.format(version=version, folder=folder))
    nvcc.chmod(0o755)
    if headers:
        (folder / "include").mkdir()
        (folder / "include/cuda_runtime.h").touch()
    return nvcc


def chosen(monkeypatch: pytest.MonkeyPatch, *places: Path) -> list[str]:
    monkeypatch.setattr(toolchain, "candidates", lambda: list(places))
    return [found.version for found in toolchain.toolkits()[0]]


def test_toolkit_has_to_be_new_and_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = fake_toolkit(tmp_path / "new", "13.1"), fake_toolkit(tmp_path / "old", "12.4")
    half = fake_toolkit(tmp_path / "half", "13.0", headers=False)
    assert chosen(monkeypatch, old, half, new) == ["13.1"]
    assert chosen(monkeypatch, old, half) == []


def test_wrapper_on_path_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fake_toolkit(tmp_path / "real", "13.0")
    wrapper = tmp_path / "nvcc"
    wrapper.write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr(toolchain, "candidates", lambda: [wrapper])
    assert toolchain.toolkits()[0][0].path == real


def test_a_long_step_is_named_at_once_where_nothing_is_live(capsys: pytest.CaptureFixture[str]) -> None:
    with console.Step("building") as step:
        step.progress("1 of 2")
        step.progress("2 of 2")
        assert capsys.readouterr().out == "  building … "
    assert capsys.readouterr().out.endswith(" s\n")
    with console.Step("nothing to do") as step:
        step.silent = True
    assert capsys.readouterr().out == ""


def test_a_program_of_an_older_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, targets: list[str], strict: bool = False) -> bool:
        raise build.NotBuilt("building lab 3", "scan.cu(2): error: x")

    for name, value in (
        ("BUILD", tmp_path),
        ("ninja", broken),
        ("set_up", lambda: None),
        ("configure", lambda _: None),
    ):
        monkeypatch.setattr(build, name, value)
    monkeypatch.setattr(build, "lab_numbers", lambda _: [3])
    (tmp_path / "lab3").write_text("of yesterday")
    monkeypatch.setattr(build, "first_parts", lambda _: [])
    with pytest.raises(console.Failure, match=r"error(.|\n)*lab3 is from an older version of the file: removed"):
        build.build("lab3")
    assert not (tmp_path / "lab3").exists()


def test_cudacxx_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvcc = fake_toolkit(tmp_path / "mine", "13.0")
    monkeypatch.setenv("CUDACXX", str(nvcc))
    assert toolchain.candidates()[0] == nvcc


def test_wheels_get_the_names_that_cmake_looks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "lib/python3.11/site-packages/nvidia/cu13"
    (root / "lib").mkdir(parents=True)
    (root / "lib/libcudart.so.13").touch()
    monkeypatch.setattr(toolchain, "VENV", tmp_path)
    toolchain.link_wheels()
    toolchain.link_wheels()  # a second time changes nothing
    assert (root / "lib64/libcudart.so").resolve() == root / "lib/libcudart.so.13"


def test_recorded_set_up_counts_only_while_all_of_it_is_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python, nvcc, stamp = tmp_path / "python", tmp_path / "nvcc", tmp_path / "stamp.json"
    for file in (python, nvcc):
        file.touch()
    monkeypatch.setattr(environment, "PYTHON", python)
    monkeypatch.setattr(environment, "STAMP", stamp)
    monkeypatch.delenv("CUDACXX", raising=False)
    assert environment.recorded() is None
    known = {"nvcc": str(nvcc), "version": "13.0", "origin": "here", "cudacxx": ""}
    stamp.write_text(json.dumps({**known, "fingerprint": environment.fingerprint()}))
    assert environment.recorded() is not None
    monkeypatch.setenv("CUDACXX", "/another/nvcc")
    assert environment.recorded() is None
    monkeypatch.delenv("CUDACXX")
    nvcc.unlink()
    assert environment.recorded() is None
    stamp.write_text("{")
    assert environment.recorded() is None


@pytest.mark.parametrize(("root", "start"), [(True, "apt-get install"), (False, "sudo apt-get install")])
def test_the_line_to_run(root: bool, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "is_debian", lambda: True)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    missing = [system.Package("g++", "C++ compiler", True), system.Package("git", "git", False)]
    assert system.line_to_run(missing) == f"{start} g++ git"


def test_not_root_and_no_compiler_stops_with_that_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system, "missing_packages", lambda: [system.Package("g++", "C++ compiler", True)])
    with pytest.raises(console.Failure, match=r"C\+\+ compiler(.|\n)*g\+\+"):
        system.install_packages()


def test_libpng_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system, "is_debian", lambda: True)
    monkeypatch.setattr(system, "has_libpng", lambda: False)
    packages = [package for package in system.missing_packages() if package.name == "libpng-dev"]
    assert len(packages) == 1 and not packages[0].needed
    monkeypatch.setattr(system, "missing_packages", lambda: packages)
    note = "no libpng (only needed to read and write PNG files): sudo apt-get install libpng-dev"
    assert system.install_packages() == [note]
    rows = [row for row in doctor.rows() if row.name == "libpng"]
    assert [(row.state, row.get) for row in rows] == [("optional", "apt-get install libpng-dev")]


def read(monkeypatch: pytest.MonkeyPatch, *lines: str) -> build.Output:
    monkeypatch.setattr(build, "log", lambda text: None)
    output = build.Output(console.Step("test"))
    for line in lines:
        output.line(line)
    return output


def test_an_error_of_the_compiler_is_shown_without_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    output = read(
        monkeypatch,
        "\x1e1/2\x1eBuilding CUDA object lab3.dir/scan.cu.o",
        "FAILED: [code=2] lab3.dir/scan.cu.o",
        "nvcc -a -very -long -command",
        f"{console.ROOT}/labs/03-scan/scan.cu(7): error: expected a ;",
        "ninja: build stopped: subcommand failed.",
    )
    assert output.errors == ["labs/03-scan/scan.cu(7): error: expected a ;"]


def test_warnings_belong_to_what_was_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    output = read(
        monkeypatch,
        "\x1e1/2\x1eBuilding CXX object a.cc.o",
        "a.cc:1: warning: x",
        "\x1e2/2\x1eLinking lab3",
    )
    assert output.warnings == {"Building CXX object a.cc.o": ["a.cc:1: warning: x"]}
    assert output.built


def test_looking_for_new_files_is_not_building(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not read(monkeypatch, "\x1e0/2\x1eRe-checking globbed directories...", "ninja: no work to do.").built


def test_a_failed_program_names_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "LOG", tmp_path / "build/setup.log")
    with pytest.raises(console.Failure, match=r"said this(.|\n)*setup\.log"):
        console.quietly([sys.executable, "-c", "print('said this'); raise SystemExit(3)"])
    assert "said this" in (tmp_path / "build/setup.log").read_text()


def test_unknown_lab_and_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "lab99"]) == 1
    assert "choose one of: lab" in capsys.readouterr().err
    assert main(["nonsense"]) == 2


def test_every_command_of_the_makefile_is_there() -> None:
    makefile = (console.ROOT / "Makefile").read_text()
    line = next(line for line in makefile.splitlines() if line.startswith("labs solutions "))
    assert set(line.rstrip(":").split()) == set(COMMANDS)


def test_a_lab_and_its_solution_are_built_by_one_command() -> None:
    made = subprocess.run(
        ["make", "-n", "lab1", "solution1"], cwd=console.ROOT, capture_output=True, text=True, check=True
    )
    assert "build lab1" in made.stdout and "build solution1" in made.stdout


def test_a_row_of_the_doctor_goes_on_below_itself() -> None:
    row = doctor.wrapped("  GPU  -  ", "no NVIDIA driver; labs run on the virtual GPU", 30)
    assert row.splitlines() == ["  GPU  -  no NVIDIA driver;", " " * 10 + "labs run on the", " " * 10 + "virtual GPU"]


def test_doctor_has_a_line_that_gets_whatever_is_missing() -> None:
    for row in doctor.rows():
        assert row.state in ("ok", "missing", "optional")
        assert row.get or row.state != "missing"


def test_every_requirement_is_locked_by_hash() -> None:
    for name in ("requirements", "cuda", *environment.GROUPS):
        wanted = [line for line in (environment.HERE / f"{name}.in").read_text().splitlines() if "==" in line]
        locked = (environment.HERE / f"{name}.lock").read_text()
        for requirement in wanted:
            assert f"\n{requirement} \\\n    --hash=sha256:" in locked, f"{requirement}: make lock"


def test_old_python_is_told_so() -> None:
    program = (environment.HERE / "__main__.py").read_text()
    pretend = "import sys, shutil; sys.version_info = (3, 8); shutil.which = lambda name: None\n"
    done = subprocess.run([sys.executable, "-c", pretend + program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed" in done.stderr
