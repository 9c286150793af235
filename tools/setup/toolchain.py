"""The CUDA compiler: the machine's toolkit, or NVIDIA's wheels in the project's Python environment."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from .console import ROOT, output_of, shown

VENV = ROOT / ".venv"
OLDEST = (13, 0)


@dataclass(frozen=True)
class Nvcc:
    path: Path
    version: str  # "13.0"
    origin: str  # "/usr/local/cuda", "wheels"


def wheel_root() -> Path | None:
    """nvidia/cu13 in the environment, if the wheels are installed."""
    return next(VENV.glob("lib/python3*/site-packages/nvidia/cu13"), None)


def version_of(nvcc: Path) -> str:
    found = re.search(r"release (\d+\.\d+)", output_of(nvcc, "--version"))
    return found.group(1) if found else ""


def candidates() -> list[Path]:
    named = os.environ.get("CUDACXX", "")
    on_path = shutil.which("nvcc")
    places = [
        Path(named) if named and "/" in named else Path(shutil.which(named) or "") if named else None,
        Path(on_path) if on_path else None,
        Path("/usr/local/cuda/bin/nvcc"),
        *sorted(Path("/usr/local").glob("cuda-*/bin/nvcc"), reverse=True),
        Path("/opt/cuda/bin/nvcc"),
    ]
    return [place for place in places if place is not None and place.is_file()]


def root_of(nvcc: Path) -> Path:
    """The toolkit's folder. If nvcc on PATH is a wrapper script, asks it where the real one is."""
    found = re.search(r"^#\$ _HERE_=(\S+)", output_of(nvcc, "--dryrun", "-c", "-x", "cu", "/dev/null"), re.MULTILINE)
    return Path(found.group(1)).resolve().parent if found else nvcc.resolve().parent.parent


def toolkits() -> tuple[list[Nvcc], list[Nvcc]]:
    """The machine's toolkits: those that can be used, and those that are too old or incomplete."""
    good: list[Nvcc] = []
    old: list[Nvcc] = []
    for nvcc in candidates():
        version = version_of(nvcc)
        if not version:
            continue
        root = root_of(nvcc)
        fits = tuple(int(part) for part in version.split(".")) >= OLDEST
        # A compiler without the runtime's headers (some distributions split them off) cannot build a lab.
        whole = any(
            (root / folder / "cuda_runtime.h").exists() for folder in ("include", "targets/x86_64-linux/include")
        )
        (good if fits and whole else old).append(Nvcc(root / "bin/nvcc", version, str(root)))
    return good, old


def wheels() -> Nvcc | None:
    root = wheel_root()
    if root is None or not (root / "bin/nvcc").exists():
        return None
    return Nvcc(root / "bin/nvcc", version_of(root / "bin/nvcc"), f"wheels in {shown(VENV)}")


def link_wheels() -> None:
    """Adds the file names under which CMake and nvcc look for the library; the wheels lack them."""
    root = wheel_root()
    if root is None:
        return
    for name, target in (("lib/libcudart.so", "libcudart.so.13"), ("lib64", "lib")):
        link = root / name
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(target)
