"""What this machine has, and what the student's process sees of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.cage.cage import Room, unavailable
from autograder.errors import GraderError, UsageError


@dataclass(frozen=True)
class Machine:
    """Where submissions run: the device process, which is trusted, and what a runner sees of the machine."""

    device_process: tuple[str, ...]  # the command that starts one
    virtual: bool = True
    device: str = ""  # as a lab's --device takes it
    library: Path | None = None  # the folder of the virtual GPU's libcudart, with its controls
    source: Path | None = None  # the repository, whose lines the device process quotes
    read: tuple[Path, ...] = ()  # what CUDA needs besides
    caged: bool = True
    device_launches: bool = True  # by kernels: without it, PTX that asks for them is refused

    @property
    def runner_library(self) -> Path | None:
        """The folder of the libcudart of runners, which has CUDA's functions and nothing else."""
        return self.library / "for_runners" if self.library else None

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the device process: almost nothing of the grader's own."""
        headers = sorted((self.source / "labs").glob("*/*.h")) if self.source else []
        folders = [str(folder) for folder in dict.fromkeys(path.parent for path in headers)]
        named = {"VGPU_HEADERS": ":".join([*folders, str(self.source / "common")])} if self.source else {}
        return self._environment(self.library) | named

    def runner_environment(self, session: Sequence[int]) -> dict[str, str]:
        """The environment of a runner; `session`: its socket for CUDA's requests, on the virtual GPU."""
        end = {"VGPU_SESSION": str(session[0])} if session else {}
        return self._environment(self.runner_library) | end

    def _environment(self, library: Path | None) -> dict[str, str]:
        kept = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "VGPU_PROFILE")
        found = {name: os.environ[name] for name in kept if name in os.environ}
        paths = [str(library)] if library else []
        paths += [os.environ["LD_LIBRARY_PATH"]] if os.environ.get("LD_LIBRARY_PATH") else []
        launches = {} if self.device_launches else {"VGPU_DEVICE_LAUNCHES": "0"}
        return found | launches | ({"LD_LIBRARY_PATH": ":".join(paths)} if paths else {})

    def room(self, program: Path) -> Room:
        """A runner's room: its program, and CUDA."""
        return Room(read=(program, *self._cuda(self.runner_library)), gpu=not self.virtual)

    def device_room(self, program: Path) -> Room:
        """The device process's room. It looks up source lines, in any file that `#line` names.

        So it sees only what every student may read of the repository, and solutions only with what make has built.
        """
        own = tuple(Path(word) for word in self.device_process if word.startswith("/"))
        profile = (Path(self.device),) if self.device.startswith("/") else ()
        built = program.parent == Path(self.device_process[0]).parent
        names = ("labs", "common", *(("solutions",) if built else ()))
        source = [self.source / name for name in names] if self.source else []
        return Room(
            read=(
                *(folder for folder in source if folder.is_dir()),
                *own,
                program.parent,
                *profile,
                *self._cuda(self.library),
            ),
            gpu=not self.virtual,
            children=True,
        )

    def _cuda(self, library: Path | None) -> tuple[Path, ...]:
        named = os.environ.get("LD_LIBRARY_PATH", "").split(":")
        paths = (*self.read, *([library] if library else []), *(Path(name) for name in named if name))
        return tuple(path for path in paths if path.exists())


def machine(root: Path, build: Path, wanted: str, sandbox: bool = True) -> Machine:
    """This machine with the device that is asked for, and a cage where one can be made.

    Raises UsageError or GraderError if there is no such device.
    """
    device = chosen_device(root, wanted)
    virtual = device not in ("", "gpu") or not gpu_answers()
    process, library = build / "device", build / "virtual_gpu"
    if not process.is_file():
        raise GraderError(f"{process} is not built; run: make")
    if virtual and not all(any(folder.glob("libcudart.so.*")) for folder in (library, library / "for_runners")):
        raise GraderError("there is no working GPU, and the virtual GPU is not built; run: make")
    runtime = next((path for path in _libraries(process) if path.name.startswith("libcudart.so")), None)
    read = (runtime.parent,) if runtime else ()
    caged = sandbox and not unavailable()
    return Machine((str(process),), virtual, device, library if virtual else None, root, read, caged)


def _libraries(program: Path) -> list[Path]:
    """The folders in which programs of this repository find shared libraries."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, timeout=60, check=False)
    words = [line.split() for line in done.stdout.splitlines() if " => /" in line]
    return [Path(line[2]).absolute() for line in words]


@cache
def gpu_answers() -> bool:
    """Whether an NVIDIA GPU answers; asked once, in a separate process, because a driver stays open once it is used."""
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
    profiles = sorted(path.stem for path in (root / "virtual_gpu/profiles").glob("*.toml"))
    there = f"virtual, {', '.join(profiles)} or the path of a profile"
    if wanted in ("", "virtual", *profiles) or (wanted == "gpu" and gpu_answers()):
        return wanted
    if Path(wanted).is_file():
        return str(Path(wanted).resolve())  # the runner works in a folder of its own
    if wanted == "gpu":
        raise UsageError(f"--device gpu: this machine has no working NVIDIA GPU; choose from: {there}")
    raise UsageError(f"--device {wanted}: unknown device; choose from: gpu (if there is one), {there}")
