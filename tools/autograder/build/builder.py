"""Builds the program to grade: labN and solutionN with CMake, any other file with the same commands."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.build import assembly
from autograder.build.cleanup import forget_old, forget_outdated, own_object
from autograder.build.compilation import Workplace, headers_of, tools_of
from autograder.build.compiler import compile_error, lab_error
from autograder.build.keys import object_key, program_key
from autograder.build.rules import KEPT, Rules
from autograder.cage.cage import unavailable
from autograder.errors import CompileError, GraderError, UsageError
from autograder.plan.labs import file_of, folders
from autograder.plan.manifest import load
from autograder.source import bytes_of

BUILD_SECONDS = 3600  # of this repository's own code
# An environment variable: the folder for what is built from submissions. If set, build/ already exists, is shared with
# other machines, and is only read.
SCRATCH = "CUDA_LABS_SCRATCH"
LOG = "compiler.log"  # in the build folder: the compiler's output for the last file that did not compile


class LabCommands(msgspec.Struct, frozen=True):
    """Commands that make a runner of one lab; @SOURCE@, @OBJECT@, @DEVICE_LINKED@, @EXECUTABLE@ are placeholders."""

    number: int
    name: str
    folder: str
    parts: str
    compile: list[str]
    link: list[str]
    device_link: list[str] = []  # for labs whose kernels launch kernels; runs before the link
    solution: list[str] = []
    not_started: list[str] = []  # an object file with every task as not started, or none


class Commands(msgspec.Struct, frozen=True):
    """build/lab_commands.json, written by CMake."""

    version: int
    labs: list[LabCommands]
    cuda: str = ""  # the compiler's version


_decoder = msgspec.json.Decoder(Commands)


class Builder:
    """Builds in one build folder; other people's files in a cage, if there is one."""

    def __init__(self, root: Path, build: Path | None = None, sandbox: bool = True) -> None:
        self.root = root
        self.build = build or root / "build"
        self._sandbox = sandbox
        scratch = os.environ.get(SCRATCH, "")
        self.made = Path(scratch) if scratch else self.build  # where graded/ and the log are
        self._as_it_is = bool(scratch)

    def configured(self) -> bool:
        return (self.build / "build.ninja").is_file() and (self.build / "lab_commands.json").is_file()

    def target(self, *targets: str) -> None:
        """Brings CMake targets up to date; takes a tenth of a second if there is nothing to do."""
        if self._as_it_is:
            return
        if not self.configured():
            self._first_build(targets[0])
        with _Lock(self.build / ".grader.lock"):
            code, text = self._run(
                [self._tool("cmake"), "--build", str(self.build), "--target", *targets], BUILD_SECONDS
            )
        if code:
            raise self._compile_error(self._without_commands(text), [self.root], targets[0])

    def _first_build(self, target: str) -> None:
        """Sets up what is missing and configures, as `make` does."""
        if self._as_it_is:
            raise GraderError(f"{self.build} is missing or incomplete: is it on a shared file system?")
        name = target if re.fullmatch(r"(lab|solution)\d+", target) else target.removesuffix("_parts")
        done = subprocess.run(["make", "-s", "-C", str(self.root), name], stdout=sys.stderr, check=False)
        if done.returncode or not self.configured():
            raise UsageError(f"the build failed; run: make {name}")

    def fingerprint(self, number: int) -> str:
        """A digest of what a lab is graded with. It differs for another build folder or another state of this one."""
        names = ("lab_commands.json", f"liboracle{number}.so", "device")
        parts = [self.build / name for name in names]
        try:
            sizes = [part.stat().st_size for part in parts]
            return hashlib.sha256(parts[0].read_bytes() + repr(sizes).encode()).hexdigest()
        except OSError as error:
            raise GraderError(f"{error.filename}: {error.strerror}") from None

    def lab(self, number: int, solution: bool) -> Path:
        """The runner of labs/ or of solutions/, up to date."""
        name = f"{'solution' if solution else 'lab'}{number}"
        if not solution and not self._as_it_is and (folder := folders(self.root).get(number)):
            with _Lock(self.build / ".grader.lock"):
                forget_outdated(self.build, file_of(self.root, folder.name))
        try:
            self.target(name, f"oracle{number}")
        except CompileError:
            (self.build / name).unlink(missing_ok=True)  # the old program no longer matches the file
            raise
        if not solution:
            self.check_own(number)
        return self.build / name

    def check_own(self, number: int) -> None:
        """Applies the same rules to the lab's own file; CMake has a list of the files that the host's pass read."""
        commands = self.commands(number)
        source, rules = file_of(self.root, commands.folder), self.rules(commands)
        made = own_object(self.build, commands.folder)
        target = str(made.relative_to(self.build))
        _, read = self._run([self._tool("ninja"), "-C", str(self.build), "-t", "deps", target], BUILD_SECONDS)
        files = [str(self.build / line.strip()) for line in read.splitlines() if line.startswith("    ")]
        rules.check_read(source, files, [source])
        rules.check_symbols(source, made)

    def file(self, number: int, source: Path, partial: bool = False) -> Path:
        """A runner with somebody's file in it, built in a folder of its own and kept for the next time.

        In a partial file, tasks that it does not define are not started, otherwise they are a CompileError; and it may
        include headers that lie beside it.
        """
        commands = self.commands(number)
        self.target(commands.parts, *([f"{commands.name}_not_started"] if partial and commands.not_started else []))
        if partial:
            commands = msgspec.structs.replace(commands, link=[*commands.link, *commands.not_started])
        if source.suffix != ".cu":
            raise UsageError(f"{source}: not a CUDA source file; its name must end with .cu")
        try:
            headers = [path for path in source.parent.iterdir() if path.suffix in (".h", ".cuh")] if partial else []
            texts = {path.name: bytes_of(path) for path in [source, *sorted(headers)]}
        except OSError as error:
            raise UsageError(f"{source}: {error.strerror}") from None
        rules = self.rules(commands)
        compile_key = object_key(rules, texts, self.cuda_version())
        folder = self.made / "graded" / f"lab{number}-{compile_key}"
        runner = folder / f"{source.stem}-{program_key(commands.link)}"
        with contextlib.suppress(FileNotFoundError):  # another grader may delete it at this moment
            os.utime(folder)
            if runner.exists():
                return runner
        with _Lock(self.made / "graded" / f".{folder.name}.lock"):
            folder.mkdir(parents=True, exist_ok=True)
            copy, made = folder / source.name, folder / "made"
            compiled = folder / f"{source.stem}.o"
            for name, text in texts.items():
                (folder / name).write_bytes(text)
            values = {"@SOURCE@": str(copy), "@OBJECT@": str(made), "@EXECUTABLE@": str(made)}
            place = self.workplace(commands)
            if not compiled.exists():
                with rules.judging(copy, made, [folder / name for name in texts]):
                    self._step(place, rules.watched(folder), values, folder)
                    self._assemble(place, commands, copy, rules.read_by(copy), [folder / name for name in texts])
                _keep(made, compiled)
            if not runner.exists():
                for old in folder.glob(f"{source.stem}-*"):
                    old.unlink()
                values |= {"@OBJECT@": str(compiled), "@DEVICE_LINKED@": str(folder / f"{source.stem}.device.o")}
                for command in link_steps(commands):
                    self._step(place, command, values, folder)
                _keep(made, runner)
            forget_old(folder.parent)
        return runner

    def _assemble(
        self, place: Workplace, commands: LabCommands, source: Path, read: Sequence[Path], own: Sequence[Path]
    ) -> None:
        """Compiles the PTX of a submission with inline assembly; what ptxas refuses is a CompileError."""
        if not assembly.holds_asm(own, read):
            return
        for ptx, target in assembly.ptx_in(source.parent / KEPT):
            command = assembly.command(Path(commands.compile[0]), ptx, target, bool(commands.device_link))
            code, output = place.run(command, source.parent)
            if code:
                raise assembly.refusal(source, ptx, output)

    def workplace(self, commands: LabCommands) -> Workplace:
        tools = tools_of([commands.compile, commands.device_link, commands.link])
        headers = headers_of(self.root, commands.folder, commands.compile)
        return Workplace(self.root, tools, headers, self._sandbox and not unavailable())

    def _step(self, place: Workplace, command: Sequence[str], values: dict[str, str], folder: Path) -> None:
        code, output = place.run([values.get(argument, argument) for argument in command], folder)
        for path in (*folder.iterdir(), *(folder / KEPT).glob("*")):  # a link would lead out of the cage
            if path.is_symlink() or not (path.is_file() or path == folder / KEPT):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if code:
            Path(values["@EXECUTABLE@"]).unlink(missing_ok=True)
            number = folder.name.removeprefix("lab").partition("-")[0]
            raise self._compile_error(output, [folder, self.root], f"lab{number}", Path(values["@SOURCE@"]))

    def _compile_error(self, text: str, roots: Sequence[Path], target: str, source: Path | None = None) -> CompileError:
        """`target`: lab3 or solution3; its own file is meant if `source` is None. The whole text goes to a log."""
        with contextlib.suppress(OSError):
            (self.made / LOG).write_text(text, "utf-8")
        number = re.match(r"(lab|solution)(\d+)", target)
        folder = folders(self.root).get(int(number[2])) if number else None
        if folder is None or number is None:
            return compile_error(text, roots)
        return lab_error(text, roots, folder, source or file_of(self.root, folder.name, number[1] == "solution"))

    def cuda_version(self) -> str:
        """The version of the compiler that builds all files."""
        return self._commands(1).cuda

    def _commands(self, number: int) -> Commands:
        if not self.configured():
            self._first_build(f"lab{number}")
        path = self.build / "lab_commands.json"
        try:
            return _decoder.decode(path.read_bytes())
        except (OSError, msgspec.MsgspecError) as error:
            raise GraderError(f"{path}: {error}") from None

    def commands(self, number: int) -> LabCommands:
        for lab in self._commands(number).labs:
            if lab.number == number:
                return lab
        raise GraderError(f"lab {number} is not configured; run: make lab{number}")

    def rules(self, commands: LabCommands) -> Rules:
        """What a submission for this lab may include and link."""
        uses = load(self.root / "labs" / commands.folder).uses
        return Rules(self.root, commands.folder, uses, commands.compile, commands.link)

    def _tool(self, name: str) -> str:
        beside = Path(sys.executable).parent / name
        found = str(beside) if beside.is_file() else shutil.which(name)
        if found is None:
            raise UsageError(f"{name} is not installed; run: make doctor")
        return found

    def _run(self, command: Sequence[str], seconds: float) -> tuple[int, str]:
        environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"}
        for name in ("NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"):
            environment.pop(name, None)
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                env=environment,
                cwd=self.root,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 1, f"error: the build took more than {seconds:g} s"
        except OSError as error:
            raise GraderError(f"{command[0]}: {error.strerror}") from None
        return done.returncode, done.stdout.decode("utf-8", "replace")

    @staticmethod
    def _without_commands(text: str) -> str:
        """The compiler's messages, without the build tool's own."""
        noise = re.compile(r"^(\[\d+/\d+\]|FAILED:|ninja: |gmake|make: |.*(nvcc|g\+\+|c\+\+)\S* .* -[co] )")
        return "\n".join(line for line in text.splitlines() if not noise.match(line))


def link_steps(commands: LabCommands) -> list[list[str]]:
    """The commands that link a runner; device code comes first if kernels launch kernels."""
    return [command for command in (commands.device_link, commands.link) if command]


def _keep(made: Path, name: Path) -> None:
    if not made.is_file():
        raise GraderError(f"the compiler reported success, but made no {name.name}")
    made.rename(name)


class _Lock:
    """Makes graders that run at the same time build one after the other."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w")

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()
