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

from autograder.build.elf import Symbol, defined
from autograder.errors import CompileError, GraderError
from autograder.plan.manifest import Uses
from autograder.source import lines_of, text_of

LAUNCHER = "common/cmake/compile_cuda.sh"  # goes before nvcc
KEPT = "kept"  # the folder beside the source in which a compilation leaves what is judged here
READ = "read.d"  # what the preprocessor opened
ASSEMBLED = "assembled.d"  # and the assembler
MOST_TEXT = 64 << 20  # bytes of a preprocessed text: ten times the size of CUDA's and the C++ library's headers
TOOLBOX = ("basics.h", "dependent_launch.h", "orders.h", "relaxed.h", "shuffle.h")  # of common/toolbox, for every lab
# Of the toolkit's include folder: the CUDA runtime, its C++ extensions and libcu++, but no library of algorithms.
_TOOLKIT = re.compile(
    r"(crt|cooperative_groups|nv|nvtx3|cuda|cccl/cuda|cccl/nv)/.*"
    r"|(cuda|curand|device|driver|host|math|sm|surface|texture|vector)_\w+\.(h|hpp)"
    r"|(cooperative_groups|cuda|cuComplex|builtin_types|channel_descriptor|common_functions|library_types"
    r"|fatbinary_section|mma|curand)\.h"
)
# Of the host compiler's folders: C++ and C, and what they include of the kernel's headers.
_SYSTEM = re.compile(
    r"include/(\w+-linux-gnu/)?((c\+\+|bits|sys|gnu|asm|asm-generic|linux|arpa|net|netinet)/.*|[\w.-]+\.h)|lib(32|64)?/(gcc|clang|llvm-\d+)/.*"
)
# A directive in preprocessed text that names no line.
_DIRECTIVE = re.compile(r"^[^\S\n]*(?:#|%:|\?\?=)(?!\s*(?:\d|pragma\b|ident\b))", re.MULTILINE)
# The text in tokens, because a line in a raw string may look like a directive. Each character is looked at only a few
# times, whatever the text: an unclosed literal ends with its line, an unclosed raw string with the text.
_TOKEN = re.compile(
    r"(?:u8|u|U|L)?R\"([^\s()\\\"]{0,16})\(.*?(?:\)\1\"|\Z)|[^\W\d]\w*|\.?\d(?:'?[\w.])*"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|" + f"(?P<directive>{_DIRECTIVE.pattern})",
    re.MULTILINE | re.DOTALL,
)
_INCLUDE = re.compile(r"[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:<([^>\n]*)>|\"([^\"\n]*)\"|(\w))")
_SHARED = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2")


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
            if not re.fullmatch(r"cc\w+\.s", PurePath(name).name) and not self._of_nvcc(name, source):
                advice = "a submission is one file: its asm may not use .incbin or .include"
                line = _find(source, r"\.(incbin|include)")
                raise _broken(source, line, f"{self._shown(name)} was read by the assembler", advice)
        for path in kept.glob("*.ii"):
            if path.stat().st_size > MOST_TEXT:
                advice = "does a macro or an include repeat itself?"
                raise _broken(source, 0, f"with its macros expanded, the file exceeds {MOST_TEXT >> 20} MB", advice)
            if makes_directive(_text(path)):
                raise _broken(source, 0, "a macro expands to a preprocessor directive", "write the directive itself")

    def _of_nvcc(self, name: str, source: Path) -> bool:
        """Whether it is one of nvcc's own files between two passes."""
        ending = rf"{re.escape(source.stem)}(\.compute_\w+)?\.(cudafe1\.\w+(\.c)?|module_id|fatbin\.c|reg\.c)"
        path = PurePath(name)  # the assembler lists some by name only
        beside = os.path.normpath(source.parent / path.parent) == os.path.normpath(source.parent / KEPT)
        return (beside or path.parent == PurePath()) and re.fullmatch(ending, path.name) is not None

    def check_read(self, source: Path, read: Sequence[str], own: Iterable[Path]) -> None:
        """Raises CompileError if one of the files may not be read; `read`: the compiler's list, in its order."""
        mine = {path.resolve() for path in own}
        for at, name in enumerate(read):
            path = (source.parent / name).resolve()
            # Each process has other files there.
            moving = os.path.normpath(source.parent / name).startswith(("/proc/", "/dev/"))
            if moving or (path not in mine and not self._may_be_read(path)):
                line = _include_of(source, read, at)
                what = f"{self._shown(name)} may not be included in lab {self.number}"
                raise _broken(source, line, what, self._allowed())

    def check_symbols(self, source: Path, made: Path) -> None:
        """Raises CompileError if the file defines names of the program or the libraries around it."""
        taken = _taken(tuple(self.link))
        try:
            symbols = list(defined(made))
        except ValueError as error:
            raise GraderError(f"{made.name}: {error}") from None
        for symbol in symbols:
            owner = taken.get(symbol.name)
            # Instances of templates and inline functions are weak and in every file that uses them.
            if owner is None or (symbol.weak and symbol.name.startswith("_Z") and owner != _LAB):
                continue
            name = _readable(symbol.name)
            line = _find(source, rf"\b{re.escape(name.partition('(')[0].rpartition('::')[2])}\b")
            advice = "give yours another name, or put it into a namespace"
            if name == "main":
                advice = "remove it: the lab's program has a main of its own, and calls your functions"
            raise _broken(source, line, f"{source.name} defines `{name}`, which belongs to {owner}", advice)

    def _may_be_read(self, path: Path) -> bool:
        lab = _resolved(self.root / "labs" / self.folder)
        if path.parent == lab:
            return path.suffix == ".h"
        if path.parent == _resolved(self.root / "common" / "toolbox"):
            return path.name in (*TOOLBOX, *self.uses.toolbox)
        toolkit = _resolved(Path(self.compile[0])).parent.parent
        for folder in (toolkit / "include", toolkit / "targets" / "x86_64-linux" / "include"):
            if path.is_relative_to(folder):
                libraries = "".join(rf"|(cccl/)?{name}/.*|{name}\w*\.h" for name in self.uses.libraries)
                return re.fullmatch(_TOOLKIT.pattern + libraries, str(path.relative_to(folder))) is not None
        if path.is_relative_to(_resolved(self.root)):
            return path == lab / "grading" / "instantiations.h"
        host = next((after for word, after in pairwise(self.compile) if word == "-ccbin"), "g++")
        if any(path.is_relative_to(own) for own in _compilers_own(host)):
            return True
        compiler = _resolved(Path(shutil.which(self.link[0]) or "/usr/bin/c++")).parent.parent
        for folder in (Path("/usr"), Path("/usr/local"), compiler):
            if path.is_relative_to(folder):
                return _SYSTEM.fullmatch(str(path.relative_to(folder))) is not None
        return False

    def _allowed(self) -> str:
        headers = ", ".join((*TOOLBOX, *self.uses.toolbox))
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


_LAB = "the program that runs the lab"


def _text(path: Path) -> str:
    return path.read_text("utf-8", "surrogateescape") if path.is_file() else ""


def makes_directive(preprocessed: str) -> bool:
    """Whether a preprocessed text still has a directive other than a line marker."""
    text = re.sub(r"\\[ \t]*\r?\n", "", preprocessed).replace("\r", "\n")
    return bool(_DIRECTIVE.search(text)) and any(found["directive"] for found in _TOKEN.finditer(text))


def dependencies(text: str) -> list[list[str]]:
    """The files of each rule in a Makefile's text."""
    rules = []
    for rule in text.replace("\\\n", " ").split("\n"):
        if not rule:
            continue
        names = re.findall(r"(?:\\.|[^\s\\])+", rule.partition(": ")[2])
        rules.append([re.sub(r"\\(.)", r"\1", name).replace("$$", "$") for name in names])
    return rules


def _include_of(source: Path, read: Sequence[str], at: int) -> int:
    """The line of `source` that led to file `at` of those read; 0 if that cannot be told."""
    owner = computed = 0
    nearest = -1
    for number, line in enumerate(lines_of(text_of(source)), 1):
        include = _INCLUDE.match(line)
        if include is None:
            continue
        if include[3]:  # a macro's name
            computed = computed or number
            continue
        ending = str(PurePath("/", re.sub(r"^(\.\./|\./|/)+", "", include[1] or include[2])))
        first = next((i for i, name in enumerate(read) if str(PurePath("/", name)).endswith(ending)), len(read))
        if nearest < first <= at:
            owner, nearest = number, first
    return owner if nearest == at or not computed else computed


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


@lru_cache(maxsize=16)
def _taken(link: tuple[str, ...]) -> dict[str, str]:
    """Who owns the names that a lab's program and the libraries below it define."""
    owners: dict[str, str] = {}
    for name in _SHARED:
        found = subprocess.run([link[0], f"-print-file-name={name}"], capture_output=True, text=True, check=False)
        owner = "the C++ library" if "stdc++" in name else "the C library"
        owners |= _names(Path(found.stdout.strip()), owner)
    for argument in link:
        if ".so" in PurePath(argument).name and Path(argument).is_file():
            owners |= _names(Path(argument), "CUDA" if "cudart" in argument else "a library of the lab's program")
    for argument in link:
        if argument.endswith((".o", ".a")) and Path(argument).is_file():
            owners |= _names(Path(argument), _LAB)
    return owners


def _names(path: Path, owner: str) -> Iterator[tuple[str, str]]:
    try:
        symbols: list[Symbol] = list(defined(path)) if path.is_file() else []
    except ValueError:
        symbols = []  # a linker's script, say
    return ((symbol.name, owner) for symbol in symbols if owner != _LAB or not symbol.weak)


def _readable(name: str) -> str:
    if not name.startswith("_Z"):
        return name
    found = subprocess.run(["c++filt", name], capture_output=True, text=True, check=False)
    return found.stdout.strip() or name


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
