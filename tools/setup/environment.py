"""The Python environment in .venv, with the CUDA compiler in it if the machine has none."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from . import system, toolchain
from .console import BUILD, ROOT, Command, Failure, Step, log, output_of, quietly, say, shown
from .toolchain import VENV, Nvcc

HERE = Path(__file__).resolve().parent
LOCK = HERE / "requirements.lock"
CUDA_LOCK = HERE / "cuda.lock"
# What not every student needs, installed when it is first asked for: GROUP.in says what, and for whom.
GROUPS = ("checks", "class", "site")
STAMP = VENV / "cuda-labs.json"
PYTHON = VENV / "bin/python"


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """If two makes run at once, the second waits and then finds the work done."""
    with (ROOT / ".setup.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("another make is running in this folder; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def fingerprint() -> str:
    """Changes when the packages to install change or the repository moves (an environment contains its own path)."""
    digest = hashlib.sha256(str(ROOT).encode())
    for file in (LOCK, CUDA_LOCK):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def recorded() -> Nvcc | None:
    """The compiler that the last set-up found, if nothing has changed since."""
    try:
        stamp = json.loads(STAMP.read_text())
        nvcc = Nvcc(Path(stamp["nvcc"]), stamp["version"], stamp["origin"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    named = os.environ.get("CUDACXX", "")
    fits = stamp.get("fingerprint") == fingerprint() and stamp.get("cudacxx") == named
    return nvcc if fits and PYTHON.exists() and nvcc.path.exists() else None


def pip_install(*files: Path) -> None:
    wheels = os.environ.get("WHEELS", "")
    source = ["--no-index", "--find-links", str(Path(wheels).resolve())] if wheels else []
    if wheels and not Path(wheels).is_dir():
        raise Failure(f"WHEELS={wheels}: no such folder")
    named = [word for file in files for word in ("-r", str(file))]
    pip: Command = [PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    try:
        quietly([*pip, "install", "--require-hashes", "--only-binary", ":all:", *source, *named])
    except Failure as failure:
        help_line = (
            "without a network: make setup WHEELS=DIR, with a folder that make wheels WHEELS=DIR filled elsewhere"
        )
        raise Failure(f"{failure}\n  to use a mirror or proxy, configure pip; {help_line}") from None


def is_whole() -> bool:
    """Whether .venv works: it may be left from a ^C, a removed Python or a copied folder (it contains its own path)."""
    pip = VENV / "bin/pip"
    if not PYTHON.exists() or not pip.exists() or str(VENV) not in pip.read_text(errors="replace").partition("\n")[0]:
        return False
    return output_of(PYTHON, "-I", "-m", "pip", "--version") != ""


def make_environment() -> None:
    if not is_whole():
        shutil.rmtree(VENV, ignore_errors=True)
        quietly([sys.executable, "-m", "venv", VENV])
    pip_install(LOCK)


def set_up() -> Nvcc:
    """Installs everything that a build needs. Silent if there is nothing to do."""
    nvcc = recorded()
    if nvcc is not None:
        return nvcc
    with one_at_a_time():
        nvcc = recorded()
        return nvcc if nvcc is not None else first_set_up()


def first_set_up() -> Nvcc:
    BUILD.mkdir(exist_ok=True)
    log(f"\n==== set-up, {sys.version.split()[0]} at {sys.executable}")
    say("setting up (once)")
    notes = system.install_packages()
    with Step("python environment"):
        make_environment()
    good, old = toolchain.toolkits()
    if good:
        nvcc = good[0]
        say(f"nvcc {nvcc.version} from {nvcc.origin}")
    else:
        nvcc = install_cuda_wheels(old)
    if system.googletest():
        say(f"GoogleTest from {system.googletest()}")
    for note in notes:
        say(note)
    stamp = {
        "fingerprint": fingerprint(),
        "nvcc": str(nvcc.path),
        "version": nvcc.version,
        "origin": nvcc.origin,
        "cudacxx": os.environ.get("CUDACXX", ""),
    }
    STAMP.write_text(json.dumps(stamp, indent=2) + "\n")
    return nvcc


def need(*groups: str) -> None:
    """Sets up, and installs these groups of packages if they are not there in their present versions."""
    set_up()
    for group in groups:
        if group not in GROUPS:
            raise Failure(f"WITH={group}: no such group of packages; there are: {', '.join(GROUPS)}")
        with one_at_a_time():
            files = (LOCK, HERE / f"{group}.lock")
            stamp = VENV / f"cuda-labs-{group}"
            digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
            if stamp.exists() and stamp.read_text() == digest:
                continue
            with Step(f"python packages: {group}"):
                pip_install(*files)
            stamp.write_text(digest)


def install_cuda_wheels(old: list[Nvcc]) -> Nvcc:
    why = f"nvcc {old[0].version} in {old[0].origin} is too old or incomplete" if old else "no nvcc on this machine"
    with Step("installing nvcc from wheels into .venv") as step:
        step.note = why
        pip_install(CUDA_LOCK)
        toolchain.link_wheels()
    nvcc = toolchain.wheels()
    if nvcc is None or not nvcc.version:
        raise Failure(f"the nvcc from the wheels does not run; see {shown(BUILD / 'setup.log')}")
    return nvcc


def fill_wheels(folder: str, groups: list[str]) -> None:
    """make wheels WHEELS=DIR: everything that `make setup WHEELS=DIR` needs on a machine without a network."""
    if not folder:
        raise Failure("name a folder: make wheels WHEELS=DIR")
    need(*groups)  # of whose names one may be wrong
    with Step(f"downloading wheels into {folder}"):
        locks = [LOCK, CUDA_LOCK, *(HERE / f"{group}.lock" for group in groups)]
        files = [word for lock in locks for word in ("-r", str(lock))]
        pip: Command = [PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "download"]
        quietly([*pip, "--require-hashes", "--only-binary", ":all:", "-d", folder, *files])
    say("for machines with the same system and Python version; to use them there: make setup WHEELS=" + folder)


def lock() -> None:
    """make lock: rewrites the lock files from the .in files. All groups use the same versions."""
    set_up()
    with Step("lock files"):
        quietly([PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "install", "uv"])
        for name in ("requirements", "cuda", *GROUPS):
            options = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate"]
            options += ["--no-emit-index-url", "--no-emit-find-links", "--custom-compile-command", "make lock"]
            options += ["-c", str(LOCK)] if name in GROUPS else []
            files: Command = [HERE / f"{name}.in", "-o", HERE / f"{name}.lock"]
            quietly([VENV / "bin/uv", "pip", "compile", *options, *files])
