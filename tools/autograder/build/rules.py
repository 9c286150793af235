"""Decides what a submission may use, by what the compiler read and what the object file defines.

Words in a source file prove nothing, because macros can hide them. If SUNPRO_DEPENDENCIES names a file, the
preprocessor lists every file that it opens, in each of nvcc's passes; the assembler lists those of `.incbin` and
`.include`. nvcc's own front end follows directives that macros leave in the preprocessed text, so none are allowed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePath

from autograder.build.elf import defined
from autograder.build.preprocessed import dependencies, include_of, makes_directive
from autograder.build.symbol_owners import LAB, owners, readable
from autograder.errors import CompileError, GraderError
from autograder.plan.manifest import Uses
from autograder.source import lines_of, text_of

LAUNCHER = "common/cmake/compile_cuda.sh"  # goes before nvcc
KEPT = "kept"  # the folder beside the source in which a compilation leaves what is judged here
READ = "read.d"  # what the preprocessor opened
ASSEMBLED = "assembled.d"  # and the assembler
# Bytes of a preprocessed text: ten times the size of CUDA's and the C++ library's headers. Attack: macros that double.
MOST_TEXT = 64 << 20
TOOLBOX = ("basics.h", "dependent_launch.h", "orders.h", "relaxed.h", "shuffle.h")  # of common/toolbox, for every lab
# What may be read, by folder. Attack: a ready-made algorithm, of CUB, Thrust or cuBLAS, or of a package of the system.
_TOOLKIT = (  # the CUDA runtime, its C++ extensions and libcu++
    r"(crt|cooperative_groups|nv|nvtx3|cuda|cccl/cuda|cccl/nv)/.*",
    r"(cuda|curand|device|driver|host|math|sm|surface|texture|vector)_\w+\.(h|hpp)",
    r"(cooperative_groups|cuda|cuComplex|builtin_types|channel_descriptor|common_functions|library_types"
    r"|fatbinary_section|mma|curand)\.h",
)
_SYSTEM = (  # C++ and C, and what they include of the kernel's headers
    r"include/(\w+-linux-gnu/)?(c\+\+|bits|sys|gnu|asm|asm-generic|linux|arpa|net|netinet)/.*",
    r"include/(\w+-linux-gnu/)?[\w.-]+\.h",
    r"lib(32|64)?/(gcc|clang|llvm-\d+)/.*",
)
_MOVING = ("/proc/", "/dev/")  # attack: each process has other files there, so what was read cannot be checked
_OF_HOST_COMPILER = r"cc\w+\.s"  # for the assembler; attack: any other file, by `.incbin` in asm()
# nvcc's own files between two passes, after the source's name; attack: files of that name in other folders.
_OF_NVCC = r"(\.compute_\w+)?\.(cudafe1\.\w+(\.c)?|module_id|fatbin\.c|reg\.c)"


@dataclass(frozen=True)
class Rules:
    """What the files of one lab may use."""

    root: Path
    folder: str  # of the lab
    uses: Uses
    compile: Sequence[str]  # the commands that the grader builds with
    link: Sequence[str]

    @property
    def number(self) -> int:
        return int(self.folder[:2])

    def watched(self, folder: Path) -> list[str]:
        """The compile command, made to leave its lists and the preprocessed texts in a folder in this one.

        It runs in the folder: SUNPRO_DEPENDENCIES ends at a space, so paths of the machine are kept out of it.
        """
        keep = ["--keep", f"--keep-dir={KEPT}", f"-Xcompiler=-Wa\\,--MD={KEPT}/{ASSEMBLED}"]
        run = ["env", "-C", str(folder), f"SUNPRO_DEPENDENCIES={KEPT}/{READ}", str(self.root / LAUNCHER)]
        return [*run, *self.compile, *keep]

    @contextlib.contextmanager
    def judging(self, source: Path, made: Path, own: Iterable[Path]) -> Iterator[None]:
        """Checks the compilation inside, by `watched`; CompileError if it broke a rule. `own`: the submission's files.

        A failed compilation is judged, too: the compiler quotes what it has read.
        """
        kept = source.parent / KEPT
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        try:
            try:
                yield
            except CompileError:
                self._check_files(source, own)
                raise
            if not (kept / READ).exists() or not (kept / ASSEMBLED).exists():
                raise GraderError("the compiler left no list of the files that it read")
            self._check_files(source, own)
            self.check_symbols(source, made)
        finally:
            shutil.rmtree(kept, ignore_errors=True)

    def _check_files(self, source: Path, own: Iterable[Path]) -> None:
        kept = source.parent / KEPT
        for read in dependencies(_text(kept / READ)):
            self.check_read(source, [name for name in read if not self._of_nvcc(name, source)], own)
        for name in (name for files in dependencies(_text(kept / ASSEMBLED)) for name in files):
            if not re.fullmatch(_OF_HOST_COMPILER, PurePath(name).name) and not self._of_nvcc(name, source):
                advice = "a submission is one file: its asm may not use .incbin or .include"
                line = _find(source, r"\.(incbin|include)")
                raise _broken(source, line, f"{self._shown(name)} was read by the assembler", advice)
        for path in kept.glob("*.ii"):
            if path.stat().st_size > MOST_TEXT:
                advice = "does a macro or an include repeat itself?"
                raise _broken(source, 0, f"with its macros expanded, the file exceeds {MOST_TEXT >> 20} MB", advice)
            if makes_directive(_text(path)):
                raise _broken(source, 0, "a macro expands to a preprocessor directive", "write the directive itself")

    def read_by(self, source: Path) -> list[Path]:
        """All files that the compiler has read while its lists are there."""
        lists = dependencies(_text(source.parent / KEPT / READ))
        return [source.parent / name for files in lists for name in files if not self._of_nvcc(name, source)]

    def _of_nvcc(self, name: str, source: Path) -> bool:
        """Whether it is one of nvcc's own files between two passes."""
        path = PurePath(name)  # the assembler lists some by name only
        beside = os.path.normpath(source.parent / path.parent) == os.path.normpath(source.parent / KEPT)
        named = re.fullmatch(re.escape(source.stem) + _OF_NVCC, path.name) is not None
        return named and (beside or path.parent == PurePath())

    def check_read(self, source: Path, read: Sequence[str], own: Iterable[Path]) -> None:
        """Raises CompileError if one of the files may not be read; `read`: the compiler's list, in its order."""
        mine = {path.resolve() for path in own}
        for at, name in enumerate(read):
            path = (source.parent / name).resolve()
            moving = os.path.normpath(source.parent / name).startswith(_MOVING)
            if moving or (path not in mine and not self._may_be_read(path)):
                line = include_of(source, read, at)
                what = f"{self._shown(name)} may not be included in lab {self.number}"
                raise _broken(source, line, what, self._allowed())

    def check_symbols(self, source: Path, made: Path) -> None:
        """Raises CompileError if the file defines names of the program or the libraries around it.

        Attack: a `main` that speaks the runner's protocol, a `read` or `cudaEventElapsedTime` in place of the real one.
        """
        taken = owners(tuple(self.link))
        try:
            symbols = list(defined(made))
        except ValueError as error:
            raise GraderError(f"{made.name}: {error}") from None
        for symbol in symbols:
            owner = taken.get(symbol.name)
            # Instances of templates and inline functions are weak and in every file that uses them.
            if owner is None or (symbol.weak and symbol.name.startswith("_Z") and owner != LAB):
                continue
            name = readable(symbol.name)
            line = _find(source, rf"\b{re.escape(name.partition('(')[0].rpartition('::')[2])}\b")
            advice = "give yours another name, or put it into a namespace"
            if name == "main":
                advice = "remove it: the lab's program has a main of its own, and calls your functions"
            raise _broken(source, line, f"{source.name} defines `{name}`, which belongs to {owner}", advice)

    def _may_be_read(self, path: Path) -> bool:
        for folder, patterns in self._folders():
            if path.is_relative_to(folder):
                name = str(path.relative_to(folder))
                return any(re.fullmatch(pattern, name) for pattern in patterns)
        return False

    def _folders(self) -> Iterator[tuple[Path, Sequence[str]]]:
        """Patterns of what may be read in each folder. The first folder that holds a file decides."""
        yield _resolved(self.root / "labs" / self.folder), (r"[^/]+\.h", r"grading/instantiations\.h")
        yield _resolved(self.root / "common" / "toolbox"), [re.escape(name) for name in self._toolbox()]
        toolkit = _resolved(Path(self.compile[0])).parent.parent
        libraries = [rf"(cccl/)?{name}/.*|{name}\w*\.h" for name in self.uses.libraries]
        yield toolkit / "include", (*_TOOLKIT, *libraries)
        yield toolkit / "targets" / "x86_64-linux" / "include", (*_TOOLKIT, *libraries)
        yield _resolved(self.root), ()  # attack: solutions, oracles, the harness, other people's files
        host = next((after for word, after in pairwise(self.compile) if word == "-ccbin"), "g++")
        yield from ((own, (r".*",)) for own in _compilers_own(host))
        yield Path("/usr"), _SYSTEM
        yield _resolved(Path(shutil.which(self.link[0]) or "/usr/bin/c++")).parent.parent, _SYSTEM

    def _toolbox(self) -> tuple[str, ...]:
        return (*TOOLBOX, *self.uses.toolbox)

    def _allowed(self) -> str:
        headers = ", ".join(self._toolbox())
        libraries = "".join(f", {name}" for name in self.uses.libraries)
        return (
            f"allowed: the lab's own headers, {headers} of toolbox/, the C++ standard library, "
            f"CUDA's own headers, cooperative_groups, cuda/std, cuda/atomic and the like{libraries}"
        )

    def _shown(self, name: str) -> str:
        """A path as a person would write it in an include."""
        path = Path(os.path.normpath(self.root / name))
        for folder in (self.root / "common", self.root):
            if path.is_relative_to(folder):
                return str(path.relative_to(folder))
        return str(path).rpartition("/cccl/")[2].rpartition("/include/")[2]


def _text(path: Path) -> str:
    return path.read_text("utf-8", "surrogateescape") if path.is_file() else ""


def _find(source: Path, pattern: str) -> int:
    """The first line that matches the pattern, ignoring comments."""
    for number, line in enumerate(lines_of(text_of(source)), 1):
        if re.search(pattern, line.partition("//")[0]):
            return number
    return 0


def _broken(source: Path, line: int, what: str, advice: str) -> CompileError:
    where = f"{source.name}:{line}" if line else source.name
    return CompileError("", where, f"{what}\n{advice}")


@lru_cache(maxsize=64)
def _resolved(folder: Path) -> Path:
    """Resolved paths of the machine's folders and programs, cached: they do not change while it grades."""
    return folder.resolve()


@lru_cache
def _compilers_own(compiler: str) -> tuple[Path, ...]:
    """The folders of the host compiler's own headers and of the C++ library, as it lists them."""
    done = subprocess.run(
        [compiler, "-E", "-v", "-x", "c++", os.devnull],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"LC_ALL": "C"},
        check=False,
    )
    _, _, listed = done.stderr.decode("utf-8", "replace").partition("#include <...> search starts here:")
    names = listed.partition("End of search list.")[0].split("\n")
    own = {"gcc", "c++", "clang"}
    return tuple(Path(name.strip()).resolve() for name in names if own & set(PurePath(name.strip()).parts))
