"""What is ready built in an archive is taken only where it fits the machine and the sources."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

from setup import ready
from setup.ready import Ready, stamps, usable
from setup.toolchain import Nvcc

NVCC = Nvcc(Path("/toolkit/bin/nvcc"), "13.1", "/toolkit")
FILES = {
    "common/grading/random.cc": "int random;",
    "common/toolbox/primitives.cu": "compiled by nvcc, so by every student",
    "virtual_gpu/exec/executor.cc": "int executor;",
    "virtual_gpu/README.md": "text",
    "labs/03-scan/scan.h": "#pragma once",
    "labs/03-scan/scan.cu": "what a student writes",
    "labs/03-scan/grading/oracle.cc": "int oracle;",
    "labs/04-compact/grading/oracle.cc": "int other;",
}
ALL = ("03-scan", "04-compact", "common", "virtual_gpu")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ready, "compiler", lambda: "13 1018 1")
    monkeypatch.setattr(ready, "cpu_flags", lambda: ready.CPU_FLAGS | {"avx512f"})
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    stamp = {
        "machine": platform.machine(), "cpu": "x86-64-v3", "cuda": "13", "compiler": "12 1017 1", "GLIBC": "2.17",
        "GLIBCXX": "3.4", "CXXABI": "1.3", "sources": stamps((name, text.encode()) for name, text in FILES.items()),
    }  # fmt: skip
    (tmp_path / "ready").mkdir()
    (tmp_path / "ready/ready.json").write_text(json.dumps(stamp))
    return tmp_path


def restamp(archive: Path, **changed: object) -> Ready:
    path = archive / "ready/ready.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    return usable(NVCC, archive)


def test_all_is_taken(archive: Path) -> None:
    assert usable(NVCC, archive) == Ready(ALL)


def test_a_clone_has_nothing_and_says_nothing(tmp_path: Path) -> None:
    assert usable(NVCC, tmp_path) == Ready()


def test_what_students_write_and_read_changes_nothing(archive: Path) -> None:
    for name in (
        "labs/03-scan/scan.cu",
        "virtual_gpu/README.md",
        "common/toolbox/primitives.cu",
        "labs/03-scan/my.txt",
    ):
        (archive / name).write_text("changed")
    assert usable(NVCC, archive) == Ready(ALL)


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("labs/03-scan/grading/oracle.cc", ("04-compact", "common", "virtual_gpu")),
        ("labs/03-scan/scan.h", ("04-compact", "common", "virtual_gpu")),
        ("virtual_gpu/exec/executor.cc", ("03-scan", "04-compact", "common")),
        ("common/grading/random.cc", ("virtual_gpu",)),  # labs are compiled with its headers
        ("common/grading/new.h", ("virtual_gpu",)),
    ],
)
def test_a_changed_source_is_compiled(archive: Path, name: str, left: tuple[str, ...]) -> None:
    (archive / name).write_text("changed")
    found = usable(NVCC, archive)
    part = name.split("/")[1] if name.startswith("labs") else name.split("/")[0]
    assert found.parts == left
    assert found.why == (f"ready built from other sources, so it is compiled: {part}",)


def test_a_part_that_was_renamed_away_is_not_taken(archive: Path) -> None:
    (archive / "labs/04-compact/grading/oracle.cc").unlink()
    assert usable(NVCC, archive) == Ready(("03-scan", "common", "virtual_gpu"))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"machine": "riscv64"}, "it is for riscv64 Linux"),
        ({"cuda": "14"}, "it is for CUDA 14, this is CUDA 13.1"),
        ({"compiler": "14 1019 1"}, "it was made by GCC 14, this is 13 1018 1"),
        ({"compiler": "12 1017 0"}, "it was made by GCC 12, this is 13 1018 1"),
        ({"GLIBC": "9.1"}, "it needs glibc 9.1, this is glibc"),
        ({"GLIBCXX": "3.4.999"}, "it needs GLIBCXX_3.4.999, which libstdc++.so.6 lacks"),
        ({"CXXABI": "1.3.999"}, "it needs CXXABI_1.3.999, which libstdc++.so.6 lacks"),
    ],
)
def test_another_system_compiles_everything(archive: Path, changed: dict[str, str], why: str) -> None:
    found = restamp(archive, **changed)
    assert found.parts == () and len(found.why) == 1 and why in found.why[0]


def test_an_old_cpu_compiles_the_virtual_gpu_alone(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "cpu_flags", lambda: ready.CPU_FLAGS - {"avx2"})
    found = usable(NVCC, archive)
    assert found.parts == ("03-scan", "04-compact", "common")
    assert found.why == ("the virtual GPU is compiled: it is ready built for x86-64-v3, this CPU has no avx2",)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sources": {}}', "\0"])
def test_a_broken_stamp_ends_no_build(archive: Path, text: str) -> None:
    (archive / "ready/ready.json").write_text(text)
    found = usable(NVCC, archive)
    assert found.parts == () and "cannot be read" in found.why[0]


def test_another_compiler_is_not_gcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/bin/false")
    assert ready.compiler() == ""
    assert not ready.is_newer("", "12 1017 1")
    monkeypatch.delenv("CXX")
    assert ready.is_newer(ready.compiler(), ready.compiler())


def test_names_of_parts() -> None:
    assert ready.part_of("labs/03-scan/grading/oracle.cc") == "03-scan"
    assert ready.part_of("labs/03-scan/grading/skeleton.cu.txt") == ""
    assert ready.part_of("labs/README.md") == ready.part_of("tools/setup/ready.py") == ""
    assert ready.part_of("common/cmake/AddLab.cmake") == "common"
