"""A sandbox in which an archive stands where this repository does, and nothing else of it is there but the Python
environment, which takes minutes to make, and on demand what was compiled of common/.

`.ci/fresh-machine release` does without these, too.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tests.test_docs import ROOT

KEPT = ("common", "parts", "virtual_gpu", "device", ".ninja_log", ".ninja_deps")
OLD = 978307200  # 2001: older than what was compiled


def possible() -> str:
    """Why there can be no such sandbox here; "" if there can."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if not (ROOT / "build/virtual_gpu").is_dir() or not (ROOT / ".venv").is_dir():
        return "nothing is built yet"
    done = subprocess.run(["bwrap", "--ro-bind", "/", "/", "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "bubblewrap cannot make a sandbox here"


class Alone:
    """`tree` is what is at ROOT there."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.tree = work / "tree"
        self.tree.mkdir()

    def unpack(self, archive: Path) -> None:
        with tarfile.open(archive) as tar:
            tar.extractall(self.work / "unpacked", filter="data")
        (top,) = (self.work / "unpacked").iterdir()
        shutil.copytree(top, self.tree, dirs_exist_ok=True)

    def keep_compiled(self) -> None:
        """Ninja takes it as it is if the archive's files are older: pack them with the date OLD."""
        (self.tree / "build").mkdir(exist_ok=True)
        for name in KEPT:
            source, to = ROOT / "build" / name, self.tree / "build" / name
            shutil.copytree(source, to) if source.is_dir() else shutil.copy2(source, to)

    def run(
        self, command: str, *binds: tuple[Path, str], broken: Sequence[str] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a shell's command there, without a network. `binds`: further folders and where they are;
        `broken`: programs that only fail."""
        words = ["bwrap", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--dev", "/dev", "--proc", "/proc"]
        for name in ("bin", "lib", "lib64", "sbin"):
            words += ["--symlink", f"usr/{name}", f"/{name}"] if Path(f"/{name}").is_symlink() else []
        words += ["--tmpfs", "/tmp", "--unshare-net", "--unshare-pid", "--clearenv"]
        for parent in reversed(ROOT.parents[:-1]):  # which bubblewrap would close to other users
            words += ["--perms", "0755", "--dir", str(parent)]
        words += ["--bind", str(self.tree), str(ROOT), "--ro-bind", str(ROOT / ".venv"), f"{ROOT}/.venv"]
        base = Path((ROOT / ".venv/bin/python").resolve())  # a Python that is not the system's
        if not base.is_relative_to("/usr"):
            words += ["--ro-bind", str(base.parents[1]), str(base.parents[1])]
        for path, at in binds:
            words += ["--bind", str(path), at]
        for name in broken:
            words += ["--ro-bind", "/usr/bin/false", name]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"} | variables
        for name, value in environment.items():
            words += ["--setenv", name, value]
        words += ["--chdir", str(ROOT), "sh", "-c", command]
        return subprocess.run(words, capture_output=True, text=True, timeout=1500, check=False)
