"""Which GPU measures."""

from __future__ import annotations

import subprocess


def gpu_and_driver() -> tuple[str, str]:
    """The first GPU's name, and the driver's version; ends the program where no GPU answers."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        lines = []
    if not lines:
        raise SystemExit("an NVIDIA GPU is needed, and nvidia-smi shows none")
    name, _, driver = lines[0].partition(", ")
    return name, driver
