"""Missing system packages: installed as root on Debian or Ubuntu; elsewhere make prints the command."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from .console import Failure, Step, quietly


@dataclass(frozen=True)
class Package:
    name: str  # as Debian and Ubuntu call it
    what: str
    needed: bool  # nothing can be built without it
    use: str = ""  # what an optional one is for


def googletest() -> str:
    """Where GoogleTest comes from, in the order in which CMake looks; empty if it is not installed."""
    libraries = [Path("/usr/lib"), Path("/usr/local/lib"), *Path("/usr/lib").glob("*-linux-gnu")]
    if any((folder / "cmake/GTest/GTestConfig.cmake").exists() for folder in libraries):
        return "the system"
    if Path("/usr/src/googletest/CMakeLists.txt").exists():
        return "the system's sources"
    return ""


def has_libpng() -> bool:
    """Whether its headers are installed, which CMake looks for."""
    folders = [Path("/usr/include"), Path("/usr/local/include")]
    return any((folder / "png.h").exists() for folder in folders)


def has_venv() -> bool:
    """Debian and Ubuntu leave ensurepip out of python3; what may be left of its folder is not a module."""
    specs = [importlib.util.find_spec(name) for name in ("ensurepip", "venv")]
    return all(spec is not None and spec.origin is not None for spec in specs)


def missing_packages() -> list[Package]:
    missing = []
    if not has_venv():
        missing.append(Package("python3-venv", "Python environments", True))
    if shutil.which("g++") is None:
        missing.append(Package("g++", "C++ compiler", True))
    if shutil.which("git") is None:
        missing.append(Package("git", "git", False, "for make test"))
    if not googletest():
        missing.append(Package("libgtest-dev", "GoogleTest", False, "for make test"))
    if not has_libpng():
        missing.append(Package("libpng-dev", "libpng", False, "to read and write PNG files"))
    if shutil.which("bwrap") is None:
        missing.append(Package("bubblewrap", "sandbox", False, "to grade other people's files"))
    return missing


def is_debian() -> bool:
    return shutil.which("apt-get") is not None and Path("/etc/debian_version").exists()


def line_to_run(packages: list[Package]) -> str:
    names = " ".join(package.name for package in packages)
    if is_debian():
        return f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install {names}"
    return f"install with your package manager (Debian's names): {names}"


def install_packages() -> list[str]:
    """Installs what is missing. Returns notes about optional packages that are still missing."""
    missing = missing_packages()
    if missing and is_debian() and os.geteuid() == 0:
        names = [package.name for package in missing]
        try:
            with Step(f"system packages {' '.join(names)}"):
                environment = {"DEBIAN_FRONTEND": "noninteractive"}
                quietly(["apt-get", "update", "-q"], environment)
                quietly(["apt-get", "install", "-q", "-y", "--no-install-recommends", *names], environment)
        except Failure as failure:
            if any(package.needed for package in missing):
                raise
            return [str(failure)]
        importlib.invalidate_caches()
        missing = missing_packages()
    needed = [package for package in missing if package.needed]
    if needed:
        what = " and ".join(package.what for package in needed)
        raise Failure(f"missing: {what}. Run this command, then make again:\n    {line_to_run(missing)}")
    return [f"no {package.what} (only needed {package.use}): {line_to_run([package])}" for package in missing]
