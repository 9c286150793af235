"""Inline assembly of a submission: ptxas compiles it as it would on a machine with a GPU.

Without a GPU nobody runs ptxas: the virtual GPU executes PTX as text. It verifies what it executes, but only ptxas
knows all of PTX. It takes seconds, so it runs only if the submission's own text holds `asm`.

Who wrote an `asm` cannot be told from the preprocessed text: `#line` names any file. So the submission's own files are
searched, for the word and for all that may become it: pasted words (`a ## sm`), and macros of the headers that were
read whose text holds it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path, PurePath

from autograder.errors import CompileError
from autograder.source import text_of

_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t]*\r?\n")
_WORD = re.compile(r"(?<![A-Za-z0-9_])(?:__asm__|__asm|asm)(?![A-Za-z0-9_])")
_PASTE = re.compile(r"##|%:%:|\?\?=\?\?=")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# What is no code: comments, and strings and characters, in which `//` opens no comment. A raw string is kept: where it
# ends cannot be told by looking for a quotation mark.
_NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|(?<![\w])(?:u8|u|U|L)?\"(?:\\.|[^\"\\\n])*\"?|(?<!\w)'(?:\\.|[^'\\\n])*'?", re.DOTALL
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$", re.MULTILINE)
_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)", re.MULTILINE)
_ERROR = re.compile(r"^ptxas .*?(?:line (\d+); )?\s*(?:error|fatal)\s*:\s*(.*)$", re.MULTILINE)
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"\n]*)"', re.MULTILINE)


def holds_asm(own: Iterable[Path], read: Iterable[Path]) -> bool:
    """Whether the submission's own files have inline assembly, or may have. `read`: what the compiler read."""
    mine = {path.resolve() for path in own}
    texts = [_SPLICE.sub("", text_of(path)) for path in mine]
    for text in texts:
        raw = 'R"' in text and "asm" in text
        if raw or _PASTE.search(text) or _WORD.search(_NO_CODE.sub(" ", text)):
            return True
    words = {word for text in texts for word in _IDENTIFIER.findall(text)}
    return any(not words.isdisjoint(_macros_with_asm(path)) for path in {one.resolve() for one in read} - mine)


@lru_cache(maxsize=4096)
def _macros_with_asm(header: Path) -> frozenset[str]:
    """Macros of a header that expand to inline assembly at once."""
    try:
        text = _SPLICE.sub(" ", text_of(header))
    except OSError:
        return frozenset()
    if "asm" not in text:
        return frozenset()
    return frozenset(name for name, body in _DEFINE.findall(text) if _WORD.search(body))


def ptx_in(kept: Path) -> list[tuple[Path, str]]:
    """The PTX that nvcc has left, each with its target."""
    found = []
    for path in sorted(kept.glob("*.ptx")):
        target = _TARGET.search(path.read_text("utf-8", "replace"))
        found.append((path, target[1] if target else "sm_75"))
    return found


def command(nvcc: Path, ptx: Path, target: str, relocatable: bool) -> list[str]:
    """Nothing is executed of what it makes, so it need not be fast."""
    ptxas = Path(shutil.which(nvcc) or nvcc).resolve().parent / "ptxas"
    whole = ["--compile-only"] if relocatable else []
    return [str(ptxas), "-O0", f"-arch={target}", *whole, str(ptx), "-o", f"{ptx}.cubin"]


def refusal(source: Path, ptx: Path, messages: str) -> CompileError:
    """What ptxas says, at the line of the source if the PTX tells."""
    found = _ERROR.search(messages)
    lines: Sequence[str] = ptx.read_text("utf-8", "replace").splitlines()
    where, what = source.name, found[2].strip() if found else "ptxas ended without a message"
    if found and found[1]:
        at = int(found[1])
        line = _source_line(source, lines, at)
        where = f"{source.name}:{line}" if line else source.name
        what = f"{what} (line {at} of the PTX: {lines[at - 1].strip() if at <= len(lines) else ''})"
    return CompileError(messages, where, f"ptxas refuses the inline assembly: {what}\nthe PTX manual has the rule")


def _source_line(source: Path, lines: Sequence[str], at: int) -> int:
    files = {number: PurePath(name).name for number, name in _FILE.findall("\n".join(lines))}
    for text in reversed(lines[:at]):
        place = _LOC.match(text)
        if place and files.get(place[1]) == source.name:
            return int(place[2])
    return 0
