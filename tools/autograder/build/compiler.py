"""Shortens what compiler and linker say: the first error in plain words, where it is, what to look at.

Standard library only: `make lab3` says the same as `./grader 3`, and may run before anything is installed.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import CompileError
from autograder.plain import clean
from autograder.plan.labs import manifest_path
from autograder.source import line_of, lines_of, text_of

KEPT = 30  # lines of the compiler's text that a result holds
SHOWN = 12  # and that a screen shows
LINE = 400  # characters of one

# scan.cu(12): error: … of nvcc, scan.cu:12:5: error: … of the host compiler
_PLACE = re.compile(
    r"^(?P<file>\S[^:]*?)(?:\((?P<a>\d+)\)|:(?P<b>\d+)(?::\d+)?): "
    r"(?P<kind>(?:fatal |catastrophic )?error|warning)\b[^:]*: ?(?P<text>.*)"
)
_CONTEXT = re.compile(r"^\S+: (In |At )|^\S+:\s+(required|recursively required|note:)|^Remark: |^In file included from")
_DURING = re.compile(r"^\s+detected during")
_MISSING = re.compile(
    r"undefined reference to [`'‘](?:[\w:]+[ *&]+)*([\w:]+)|function \"(\w+)[<(].*no template definition was supplied"
)
_UNKNOWN = re.compile(r"identifier \"(\w+)\" is undefined|‘(\w+)’ was not declared")
_DEFINED = re.compile(r"^(?!.*__(?:global|device)__)(?:[\w:<>*&]+\s+){1,8}\**(\w+)\s*\(", re.MULTILINE)
_CUDA = (
    "__syncthreads", "__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
    "__ballot_sync", "__popc", "__ffs", "__clz", "__threadfence", "__syncthreads_count", "__syncthreads_or",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "atomicAdd", "atomicMax", "atomicMin", "atomicCAS",
    "atomicExch", "atomicOr", "cudaMalloc", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset",
    "cudaMemsetAsync", "cudaGetLastError", "cudaDeviceSynchronize", "cudaMemcpyHostToDevice",
    "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "CUDA_CHECK", "ceil_div", "todo", "min", "max",
)  # fmt: skip

# What CUDA's headers declare only for newer GPUs.
_NEEDS = ((r"__reduce_(add|min|max|and|or|xor)_sync", "8.0"), (r"this_cluster|cluster_group|__cluster_\w+", "9.0"))
# What the first error is about; it often causes the later ones.
_ADVICE = (
    (r"not allowed (here|in the current scope)", "a function begins inside another one: a } is missing above"),
    (r"expected a declaration|has no storage class", "code outside of any function: is there one } too many above?"),
    (r"expected a \";\"|expected ‘;’", "a semicolon is missing, often at the end of the previous line"),
    (r"missing closing quote", "a quotation mark is missing"),
    (
        r"calling a __host__ function\(\"cudaDeviceSynchronize\"\)",
        "a kernel cannot wait for the kernels that it launched: put what follows them into a kernel launched into"
        " cudaStreamTailLaunch",
    ),
    (
        r"kernel launch from __device__ or __global__ functions requires separate compilation mode",
        "in this lab, kernels are launched from the host",
    ),
    (r"calling a __host__ function", "a kernel may call only __device__ functions"),
    (r"function call must be configured", "a kernel is launched with <<<blocks, threads>>>"),
    (r"too (few|many) arguments", "compare the call with the function's parameters"),
    (r"type \"const .*incompatible|modifiable lvalue|cannot be assigned",
     "a const value cannot be written: are two arguments in the wrong order?"),
    (r"\*\" cannot be used to initialize|cannot be used to initialize an entity of type \".*\*\"",
     "a pointer is used as a value, or a value as a pointer: is an index [i] missing, or one too many?"),
    (r"variable length array", "the size of a __shared__ array is a constexpr, or is given at the launch: "
                               "extern __shared__ int s[]; and <<<blocks, threads, bytes>>>"),
    (r"already been declared", "two things have the same name"),
    (r"cannot open source file \"([^\"]+)\"|([\w./]+): No such file",
     "{0} is not among the lab's headers; only your one file is compiled: put what you need from it there"),
    (r"uses too much shared data", "a block has 48 KiB of shared memory unless it asks for more"),
    (r"compiler (took|used|started) more than",
     "the compiler did not finish: does a template or an unrolled loop never end?"),
    (r"compiler waited for", "a file that is included has no end: only your one file is compiled"),
    (r"relocation truncated", "arrays outside of functions have more than 2 GB: a task has its Workspace instead"),
    (r"compiled program is larger than", "a large array with initial values is part of the program: fill it later"),
    (r"namespace \"primitives\" has no member \"(\w+)\"",
     "this lab has no ready-made {0}: its handout says what is ready-made"),
)  # fmt: skip


@dataclass(frozen=True)
class Message:
    """One error or warning with the lines below it."""

    file: str
    line: int
    kind: str
    text: str
    lines: Sequence[str]

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"


def task_names(folder: Path) -> list[str]:
    """The tasks that a lab's contract promises; none where lab.toml cannot be read."""
    try:
        return [entry["name"] for entry in tomllib.loads(manifest_path(folder).read_text("utf-8"))["task"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def warnings(text: str) -> list[str]:
    """The lines of the warnings in a compiler's text, each once: templates repeat theirs in every instantiation."""
    lines: dict[tuple[str, int, str], Sequence[str]] = {}
    for message in messages(text):
        if message.kind == "warning":
            lines.setdefault((message.file, message.line, message.text), message.lines)
    return [line for block in lines.values() for line in block]


def messages(text: str) -> list[Message]:
    """Errors and warnings in their order, without the notes about includes and instantiations."""
    found: list[tuple[re.Match[str], list[str]]] = []  # the first line of each, and all of its lines
    inside = False
    for line in text.splitlines():
        place = _PLACE.match(line)
        if place:
            found.append((place, [line.replace(place["file"], Path(place["file"]).name, 1)]))
            inside = True
        elif _CONTEXT.match(line) or _DURING.match(line) or not line.strip():
            inside = inside and not _CONTEXT.match(line)
        elif inside and line.startswith(" "):
            found[-1][1].append(line)
        else:
            inside = False
    return [
        Message(Path(at["file"]).name, int(at["a"] or at["b"]), at["kind"], at["text"].strip(), lines)
        for at, lines in found
    ]


def lab_error(text: str, roots: Sequence[Path], lab: Path, source: Path) -> CompileError:
    """`lab`: the folder, whose contract `source` has to keep."""
    header = lab / "grading" / "instantiations.h"
    last_line = f'#include "grading/{header.name}"' if header.is_file() else ""
    return compile_error(text, roots, task_names(lab), source, f"{lab.name[3:]}.h", last_line)


def compile_error(
    text: str,
    roots: Sequence[Path],
    tasks: Sequence[str] = (),
    source: Path | None = None,
    contract: str = "",
    last_line: str = "",
) -> CompileError:
    """`tasks`: what has to be defined, as the header `contract` says; `source`: the file that should.

    `last_line`: the include that instantiates the tasks that are templates, if the lab has any.
    """
    for root in roots:
        text = text.replace(f"{root}/", "")
    lines = [clean(line, LINE) for line in text.splitlines() if line.strip()]
    undefined = [line[line.index("undefined reference") :] for line in lines if "undefined reference" in line]
    if undefined:  # from the linker's text, only the missing names, each once
        lines = list(dict.fromkeys(undefined))
    errors = [one for one in messages("\n".join(lines)) if one.kind != "warning"]
    if errors:
        where, first = errors[0].where, errors[0].text
    else:
        told = [line for line in lines if re.search(r"(?i:error)|undefined reference|relocation truncated", line)]
        if not told:  # no error of its own: the text after the warnings says what ended it
            last = [one for one in lines if not (one[0] == " " or _PLACE.match(one) or _CONTEXT.match(one))][-1:]
            lines = last + [line for line in lines if line not in last]
        where, first = "", (told or lines or ["the compiler gave no message"])[0]
    written = text_of(source)
    advice = ""
    missing, unknown = _MISSING.search(first), _UNKNOWN.search(first)
    if missing and source is not None:
        name = missing[1] or missing[2]
        if "::" in name:
            scope, _, part = name.rpartition("::")
            first, advice = f"{name} is declared, but not defined", "only your one file is compiled"
            if scope == "primitives":
                advice = f"this lab has no ready-made {part}: its handout says what is ready-made"
        elif last_line and last_line not in written:
            where, advice = source.name, f"{source.name} must end with this line: {last_line}"
            first = f"{name} is not instantiated"
        else:
            where, first, advice = _not_defined(name, tasks, source.name, contract, written)
    elif unknown:
        advice = _needs(unknown[1] or unknown[2]) or _spelling(unknown[1] or unknown[2], written)
    else:
        advice = _advice(first, errors)
    reason = first + (f"\n{advice}" if advice else "")
    if len(errors) > 1 and not missing:
        reason += f"\n{len(errors)} errors: start with the first, the others may follow from it"
    more = [f"… {len(lines) - KEPT} more lines"] if len(lines) > KEPT else []
    return CompileError("\n".join(lines[:KEPT] + more), where, reason)


def told(error: CompileError, then: str, source: Path | None = None, log: str = "") -> list[str]:
    """What a person reads: the error in words with its source line, the compiler's own text, the next thing to do.

    `log`: the name of the file that holds all that the compiler says.
    """
    first, *advice = str(error).splitlines()
    meant = source is not None and error.where.startswith(f"{source.name}:")
    lines = [first, *_source_lines(error.where, text_of(source) if meant else ""), *advice]
    following = ["", f"next: fix {error.where or 'this'} · then: {then}"]
    if not error.text:  # it compiles, but breaks a rule
        return lines + following
    text = error.text.splitlines()
    errors = [one for one in messages(error.text) if one.kind != "warning"]
    shown = (errors[0].lines if errors else text)[:SHOWN]
    lines += ["", "the compiler's message:", *(f"  {line}" for line in shown)]
    if len(text) > len(shown) + 1:  # a closing line only counts the errors
        lines.append("  …" + (f" full output: {log}" if log else ""))
    return lines + following


def _source_lines(where: str, written: str) -> list[str]:
    """The source line as it was written; the compiler shows it with macros expanded."""
    last = where.rpartition(":")[2]
    number = int(last) if re.fullmatch("[0-9]{1,9}", last) else 0
    lines = lines_of(written)
    shown = [at for at in (number - 1, number) if number <= len(lines) and line_of(lines, at).strip()]
    return [f"{'>' if at == number else ' '} {at:5}  {line_of(lines, at, LINE)}" for at in shown]


def _advice(first: str, errors: Sequence[Message]) -> str:
    nested = any(re.search(_ADVICE[0][0], one.text) for one in errors)
    if nested and "expected a" in first:
        first += " not allowed here"
    for pattern, text in _ADVICE:
        found = re.search(pattern, first)
        if found:
            return text.replace("{0}", next((group for group in found.groups() if group), ""))
    return ""


def _not_defined(name: str, tasks: Sequence[str], file: str, contract: str, written: str) -> tuple[str, str, str]:
    """A function that the lab calls and the file lacks: place, what is wrong, what helps."""
    defined = {found[1]: written.count("\n", 0, found.start(1)) + 1 for found in _DEFINED.finditer(_code(written))}
    if name in defined:
        place = f"{file}:{defined[name]}"
        what = f"{name} has different parameters here than in {contract}, so it is a different function"
        return place, what, "compare the two: number, types, const, order, template"
    others = [one for one in defined if one not in tasks]
    close = difflib.get_close_matches(name, others, 1, 0.75)
    if close:
        place = f"{file}:{defined[close[0]]}"
        return place, f"{name} is not defined", f"did you mean `{name}`? {place} defines `{close[0]}`"
    return (
        file,
        f"{name} is not defined",
        (
            f"{file} must define every task of {contract}, with todo() in those not started: "
            f"is {name} deleted, or commented out?"
        ),
    )


def _needs(name: str) -> str:
    for pattern, capability in _NEEDS:
        if re.fullmatch(pattern, name):
            return (
                f"{name} needs a GPU of compute capability {capability}, and labs are built for 7.5, which all GPUs"
                " since Turing have; to build for newer ones only, with the lab's number in place of N:"
                f" make labN CUDA_ARCH={capability.replace('.', '')}"
            )
    return ""


def _spelling(name: str, written: str) -> str:
    words = set(re.findall(r"[A-Za-z_]\w{2,}", _code(written))) - {name}
    known = sorted(words) + [one for one in _CUDA if one not in words]
    close = difflib.get_close_matches(name, known, 1, 0.8)
    return f"did you mean `{close[0]}`?" if close else f"is {name} spelt right, and declared above?"


def _code(written: str) -> str:
    """The text without comments, with the same line numbers."""
    blank: Callable[[re.Match[str]], str] = lambda found: re.sub(r"[^\n]", " ", found[0])  # noqa: E731
    return re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", blank, written, flags=re.DOTALL)
