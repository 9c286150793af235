"""What this machine has, and what the student's process sees of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from autograder.errors import UsageError


def clean_environment(library_path: str = "") -> dict[str, str]:
    """The environment of the student's process: nearly nothing of the grader's own."""
    kept = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH", "VGPU_PROFILE")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    paths = [path for path in (library_path, os.environ.get("LD_LIBRARY_PATH", "")) if path]
    if paths:
        environment["LD_LIBRARY_PATH"] = ":".join(paths)
    return environment | {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def gpu_answers() -> bool:
    """Whether an NVIDIA GPU answers; asked in a process of its own, as it stays open for good."""
    if not any(Path(device).exists() for device in ("/dev/nvidiactl", "/dev/dxg")):
        return False
    ask = "import ctypes; raise SystemExit(ctypes.CDLL('libcuda.so.1').cuInit(0) != 0)"
    try:
        return subprocess.run([sys.executable, "-c", ask], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def chosen_device(root: Path, wanted: str) -> str:
    """`wanted` as a runner takes it: "" (a GPU if one answers), gpu, virtual, a profile's name, or a profile's path.

    Raises UsageError if there is no such device here.
    """
    profiles = sorted(path.stem for path in (root / "common/virtual_gpu/profiles").glob("*.toml"))
    there = f"virtual, {', '.join(profiles)} or the path of a profile"
    if wanted in ("", "virtual", *profiles) or (wanted == "gpu" and gpu_answers()):
        return wanted
    if Path(wanted).is_file():
        return str(Path(wanted).resolve())  # the runner works in a folder of its own
    if wanted == "gpu":
        raise UsageError(f"--device gpu: this machine has no working NVIDIA GPU; choose from: {there}")
    raise UsageError(f"--device {wanted}: unknown device; choose from: gpu (if there is one), {there}")
