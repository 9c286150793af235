"""Configures with CMake and builds with Ninja. Of their output, shows only progress, warnings and errors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from autograder.build.cleanup import forget_outdated
from autograder.build.compiler import lab_error, told, warnings
from autograder.plan.labs import file_of

from .console import BUILD, LOG, ROOT, Command, Failure, Step, log, quietly, say, shown, stream
from .environment import set_up
from .ready import usable
from .system import has_libpng
from .toolchain import VENV, Nvcc

CMAKE = VENV / "bin/cmake"
NINJA = VENV / "bin/ninja"
CTEST = VENV / "bin/ctest"
CONFIGURED = BUILD / "configured.json"
NEW_FILES = re.compile(r"The following files were (added|removed):|  [-+]\S+$")  # what CMake says before it runs again
STATUS = "\x1e%f/%t\x1e"  # Ninja's progress, in a form that no compiler prints


def lab_numbers(folder: str) -> list[int]:
    """The labs that exist, by their folders: labs/03-scan is lab 3."""
    files = [*(ROOT / folder).glob("*-*/*.cu"), *(file.parent for file in (ROOT / folder).glob("*-*/reference/*.o"))]
    found = (re.fullmatch(r"(\d\d)-\w+", path.parent.name) for path in files)
    return sorted({int(match.group(1)) for match in found if match})


def lab_folder(number: int) -> Path:
    return next((ROOT / "labs").glob(f"{number:02}-*"))


def environment() -> dict[str, str]:
    return {"PATH": f"{VENV / 'bin'}:{os.environ.get('PATH', '')}", "NINJA_STATUS": STATUS}


def configure(nvcc: Nvcc, tests: bool = False) -> None:
    """Runs CMake if it has not run yet or the tools have changed. Ninja handles changed CMake files by itself.

    CUDA_ARCH in the environment is kept until another one is named.
    """
    try:
        done = {"arch": "75", "ready": []} | json.loads(CONFIGURED.read_text())
    except (OSError, ValueError):
        done = {"arch": "75", "ready": []}
    arch = os.environ.get("CUDA_ARCH") or str(done["arch"])
    if not re.fullmatch(r"\d{2,3}", arch) or int(arch) < 75:
        raise Failure(f"CUDA_ARCH={arch}: write a compute capability from 75 on, such as CUDA_ARCH=80")
    wanted = {
        "nvcc": str(nvcc.path),
        "version": nvcc.version,
        "root": str(ROOT),
        "tests": tests,
        "libpng": has_libpng(),
        "arch": arch,
        "ready": list((parts := usable(nvcc)).parts),
    }
    there = (BUILD / "build.ninja").exists()
    same = all(done.get(key) == wanted[key] for key in ("nvcc", "version", "root", "libpng", "arch", "ready"))
    if there and same and (done.get("tests") or not tests):
        return
    for reason in parts.why:
        say(reason)
    with Step("configuring"):
        fresh = ["--fresh"] if (BUILD / "CMakeCache.txt").exists() and not same else []
        command: Command = [CMAKE, *fresh, "-S", ROOT, "-B", BUILD, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}"]
        command += [f"-DCMAKE_CUDA_COMPILER={nvcc.path}", f"-DPython3_EXECUTABLE={VENV / 'bin/python'}"]
        command += [f"-DLABS_ARCH={arch}", f"-DLABS_READY={';'.join(parts.parts)}"]
        if tests:
            command.append("-DLABS_TESTS=ON")
        quietly(command, environment())
        CONFIGURED.write_text(json.dumps(wanted, indent=2) + "\n")


class NotBuilt(Failure):
    """A target that could not be built; `errors`: what the compilers said."""

    def __init__(self, message: str, errors: str) -> None:
        super().__init__(message)
        self.errors = errors


class Output:
    """Reads Ninja's output line by line: its progress, and which compiler message belongs to which file."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.built = False  # whether anything was built
        self.doing = ""
        self.warnings: dict[str, list[str]] = {}  # by what was being built
        self.errors: list[str] = []
        self.failed = self.skip_command = False

    def line(self, text: str) -> None:
        log(text.replace("\x1e", " "))
        progress = re.match(r"\x1e(\d+)/(\d+)\x1e(.*)", text)
        if progress:
            self.built |= progress.group(1) != "0"  # 0 of 2: CMake looks for new files
            if self.built:
                self.step.progress(f"{progress.group(1)} of {progress.group(2)}")
            self.doing = progress.group(3)
            self.failed = False
        elif text.startswith("FAILED: "):
            self.failed = self.skip_command = True  # the next line is the command, a page long; the log has it
        elif self.skip_command:
            self.skip_command = False
        elif NEW_FILES.match(text) and not self.failed:
            pass
        elif text.strip() and not text.startswith(("-- ", "ninja: build stopped", "ninja: Entering", "ninja: no work")):
            text = text.replace(f"{ROOT}/", "")
            if self.failed or text.startswith("ninja: "):
                self.errors.append(text)
            else:
                self.warnings.setdefault(self.doing, []).append(text)


def ninja(name: str, targets: list[str], strict: bool = False) -> bool:
    """Builds targets as one step, silent if there was nothing to do. Shows warnings about .cu files only;
    with `strict` shows all warnings and returns whether there were none."""
    log(f"\n$ ninja {' '.join(targets)}")
    output: Output
    with Step(name) as step:
        output = Output(step)
        jobs = str(len(os.sched_getaffinity(0)))
        status = stream([NINJA, "-C", BUILD, "-j", jobs, *targets], output.line, environment())
        step.silent = status == 0 and not output.built
        if status != 0:
            said = "\n".join(output.errors) or "  see the last lines of the log"
            end = f"{name}: not built; the commands are in {shown(LOG)}"
            raise NotBuilt(f"{said}\n\n  {end}", "\n".join(output.errors))
    for doing, lines in output.warnings.items():
        if strict:
            print("\n".join(lines))
            if compiled := re.fullmatch(r"Building \w+ object (\S+)", doing):
                (BUILD / compiled[1]).unlink(missing_ok=True)  # so that the next build shows it again
        elif doing.startswith("Building CUDA object"):
            print("\n".join(warnings("\n".join(lines)) or lines))
    return not output.warnings


def first_parts(targets: list[str]) -> list[str]:
    """Builds what all labs need. A step of its own, so that people see what takes so long."""
    there = (BUILD / "virtual_gpu/libcudart.so.13").exists()
    known = set(re.findall(r"^build (vgpu_runtime|harness|grading): phony", ninja_file(), re.MULTILINE))
    return [] if there else [name for name in ("vgpu_runtime", "grading", "harness") if name in known]


def ninja_file() -> str:
    try:
        return (BUILD / "build.ninja").read_text()
    except OSError:
        return ""


def has_target(name: str) -> bool:
    return re.search(rf"^build {re.escape(name)}:", ninja_file(), re.MULTILINE) is not None


def build(target: str) -> None:
    """make lab3, make solution3."""
    kind, number = re.fullmatch(r"(lab|solution)(.+)", target).groups()  # type: ignore[union-attr]
    folder = "labs" if kind == "lab" else "solutions"
    numbers = lab_numbers(folder)
    if not number.isdigit() or int(number) not in numbers:
        there = ", ".join(f"{kind}{n}" for n in numbers) or "none yet"
        raise Failure(f"there is no {target}; choose one of: {there}")
    configure(set_up())
    # Before building, so that after a failed build a bare ./grader reports CE for this lab and not on another one.
    (BUILD / "last").write_text(f"{kind}{int(number)}\n")
    ninja_first([target])
    try:
        ninja_lab(kind, int(number))
    except NotBuilt as failure:
        raise Failure("\n".join(not_built(kind, int(number), failure.errors))) from None
    if kind == "lab":
        check_rules(int(number))


def check_rules(number: int) -> None:
    """A file that compiles may still use what the lab does not allow: ./grader's verdict, before it is asked for."""
    command = [str(VENV / "bin/python"), "-m", "autograder.build.check_lab", str(number)]
    done = subprocess.run(command, cwd=ROOT / "tools", capture_output=True, text=True, check=False)
    log(done.stderr)  # where the check itself fails, ./grader will say so
    if done.returncode == 1 and done.stdout.startswith("CE"):
        raise Failure(done.stdout.rstrip())


def not_built(kind: str, number: int, errors: str) -> list[str]:
    """What a student reads if the file does not compile, as ./grader shows it. Removes the program, which is stale."""
    folder = lab_folder(number)
    source = file_of(ROOT, folder.name, kind == "solution")
    error = lab_error(errors, [ROOT], folder, source)
    lines = [f"CE  does not compile    {error.where}".rstrip(), ""]
    program = BUILD / f"{kind}{number}"
    *text, following = told(error, f"make {kind}{number} && ./grader", source, shown(LOG))
    if program.exists():
        program.unlink()
        text.append(f"{shown(program)} is from an older version of the file: removed")
    return lines + [f"  {line}" if line else "" for line in [*text, following]]


def ninja_first(targets: list[str]) -> None:
    parts = first_parts(targets)
    if parts:
        ninja("building the virtual GPU and the runner (once)", parts)


def ninja_lab(kind: str, number: int) -> None:
    if kind == "lab":
        forget_outdated(BUILD, file_of(ROOT, lab_folder(number).name))
    ninja(f"building {kind} {number}", [f"{kind}{number}"])


def build_all(kind: str) -> None:
    """make labs, make solutions."""
    configure(set_up())
    ninja_first([])
    for number in lab_numbers("labs" if kind == "lab" else "solutions"):
        if has_target(f"{kind}{number}"):
            ninja_lab(kind, number)


def virtual_gpu() -> None:
    """make virtual-gpu: the command that runs any CUDA program on the virtual GPU."""
    configure(set_up())
    ninja("building the virtual GPU and its command", ["virtual-gpu"])


def release() -> None:
    """make release: the students' archive. Archives have no tools/release of their own."""
    if not (ROOT / "tools/release").is_dir():
        raise Failure("this is such an archive; it is made in a clone of the repository")
    configure(set_up())
    command = [str(VENV / "bin/python"), "-m", "release"]
    if subprocess.run(command, cwd=ROOT / "tools", check=False).returncode:
        raise Failure("no archive was written")


def build_everything() -> bool:
    """For make test: every target, tests included. Returns whether there were no warnings."""
    configure(set_up(), tests=True)
    return ninja("building everything", ["all"], strict=True)


def clean() -> None:
    """make clean: deletes build/ and keeps the environment."""
    shutil.rmtree(BUILD, ignore_errors=True)


def sources(*endings: str) -> list[Path]:
    """Our own sources, by file extension."""
    folders = ("common", "labs", "solutions", "tools", "virtual_gpu", "datasets")
    found = [path for folder in folders for ending in endings for path in (ROOT / folder).rglob(f"*{ending}")]
    return sorted(path for path in set(found) if path.is_file() and "__pycache__" not in path.parts)
