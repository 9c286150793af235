"""What an archive of make release has ready built in ready/, and whether it fits this machine and these sources."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .console import ROOT, output_of
from .toolchain import Nvcc

FOLDER = "ready"
STAMP = f"{FOLDER}/ready.json"
CPU = "x86-64-v3"
# As /proc/cpuinfo calls what x86-64-v3 adds.
CPU_FLAGS = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
COMPILED = (".cc", ".h", ".inc", ".in", ".cmake", ".map", ".toml", ".txt")
VIRTUAL_GPU, COMMON = "virtual_gpu", "common"


@dataclass(frozen=True)
class Ready:
    """What CMake takes as it is: names of parts. `why`: one line for each reason to compile the others; no line if
    there is nothing ready built at all."""

    parts: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


def part_of(path: str) -> str:
    """The part that a source is compiled into, or an empty string."""
    words = path.split("/")
    if words[0] == "labs" and len(words) > 2:
        return words[1] if path.endswith((".cc", ".h", ".inc")) else ""
    return words[0] if words[0] in (VIRTUAL_GPU, COMMON) and path.endswith(COMPILED) else ""


def stamps(files: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """A digest of the sources of each part. `files`: paths and what is in them."""
    digests: dict[str, hashlib._Hash] = {}
    for path, data in sorted(files):
        if part := part_of(path):
            digest = digests.setdefault(part, hashlib.sha256())
            digest.update(f"{path} {len(data)}\n".encode())
            digest.update(data)
    return {part: digest.hexdigest() for part, digest in digests.items()}


def sources(root: Path) -> Iterable[tuple[str, bytes]]:
    for top in (VIRTUAL_GPU, COMMON, "labs"):
        for path in (root / top).rglob("*"):
            name = path.relative_to(root).as_posix()
            if part_of(name) and path.is_file():
                yield name, path.read_bytes()


def usable(nvcc: Nvcc, root: Path = ROOT) -> Ready:
    """Compares the stamp with the machine and the sources."""
    try:
        stamp = json.loads((root / STAMP).read_text())
        wanted: Mapping[str, str] = stamp["sources"]
        why = unfit(stamp, nvcc)
    except FileNotFoundError:
        return Ready()
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Ready((), (f"{STAMP} cannot be read ({type(error).__name__}): everything is compiled",))
    if why:
        return Ready((), (f"what is ready built does not fit ({why}): everything is compiled",))
    found = stamps(sources(root))
    same = [part for part in sorted(wanted) if found.get(part) == wanted[part]]
    changed = [part for part in sorted(wanted) if part in found and part not in same]
    whole = [part for part in same if COMMON in same or part == VIRTUAL_GPU]
    reasons = [f"ready built from other sources, so it is compiled: {', '.join(changed)}"] if changed else []
    if VIRTUAL_GPU in whole and (missing := missing_flags(cpu_flags())):
        whole.remove(VIRTUAL_GPU)
        reasons.append(f"the virtual GPU is compiled: it is ready built for {CPU}, this CPU has no {missing[0]}")
    return Ready(tuple(whole), tuple(reasons))


def unfit(stamp: Mapping[str, str], nvcc: Nvcc) -> str:
    """Why nothing of it can be linked or loaded here; an empty string if it can."""
    if platform.machine() != stamp["machine"] or sys.platform != "linux":
        return f"it is for {stamp['machine']} Linux"
    if nvcc.version.partition(".")[0] != stamp["cuda"]:
        return f"it is for CUDA {stamp['cuda']}, this is CUDA {nvcc.version}"
    mine, theirs = compiler(), stamp["compiler"]
    if not is_newer(mine, theirs):
        return f"it was made by GCC {theirs.partition(' ')[0]}, this is {mine or 'another compiler'}"
    library = Path(output_of("c++", "-print-file-name=libstdc++.so.6").strip())
    try:
        known = library.read_bytes()
        glibc = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):
        return "no libstdc++.so.6 or no glibc"
    for name in ("GLIBCXX", "CXXABI"):
        if f"{name}_{stamp[name]}\0".encode() not in known:
            return f"it needs {name}_{stamp[name]}, which {library.name} lacks"
    if numbers(glibc) < numbers(stamp["GLIBC"]):
        return f"it needs glibc {stamp['GLIBC']}, this is {glibc or 'another library'}"
    return ""


def compiler() -> str:
    """The major version, the ABI's version and the kind of std::string of the compiler that CMake takes.

    An empty string if it is not GCC.
    """
    asked = ["-E", "-dM", "-x", "c++", "-include", "string", "/dev/null"]
    try:
        done = subprocess.run([os.environ.get("CXX") or "c++", *asked], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    names = ("__GNUC__", "__GXX_ABI_VERSION", "_GLIBCXX_USE_CXX11_ABI")
    found = [re.search(rf"^#define {name} (\d+)$", done.stdout, re.MULTILINE) for name in names]
    if "__clang__" in done.stdout or not all(found):
        return ""
    return " ".join(match[1] for match in found if match)


def is_newer(mine: str, theirs: str) -> bool:
    """Whether a compiler's linker and library take what the other one has made."""
    ours, others = mine.split(), theirs.split()
    if len(ours) != 3 or len(others) != 3:
        return False
    return int(ours[0]) >= int(others[0]) and int(ours[1]) >= int(others[1]) and ours[2] == others[2]


def cpu_flags() -> set[str]:
    try:
        found = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return set()
    return set(found[1].split()) if found else set()


def missing_flags(there: set[str]) -> list[str]:
    return sorted(CPU_FLAGS - there)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"\d+", version))
