"""Names that compiler or linker do not find: what is likely meant.

Standard library only, as compiler.py.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

MISSING = re.compile(
    r"undefined reference to [`'‘](?:[\w:]+[ *&]+)*([\w:]+)|function \"(\w+)[<(].*no template definition was supplied"
)
_UNKNOWN = re.compile(r"identifier \"(\w+)\" is undefined|‘(\w+)’ was not declared")
_NO_MEMBER = re.compile(r"class \"(\w+)(?:<[^\"]*>)?\" has no member \"(\w+)\"")
_DEFINED = re.compile(r"^(?!.*__(?:global|device)__)(?:[\w:<>*&]+\s+){1,8}\**(\w+)\s*\(", re.MULTILINE)
_CUDA = (
    "__syncthreads", "__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
    "__ballot_sync", "__popc", "__ffs", "__clz", "__threadfence", "__syncthreads_count", "__syncthreads_or",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "atomicAdd", "atomicMax", "atomicMin", "atomicCAS",
    "atomicExch", "atomicOr", "cudaMalloc", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset",
    "cudaMemsetAsync", "cudaGetLastError", "cudaDeviceSynchronize", "cudaMemcpyHostToDevice",
    "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "CUDA_CHECK", "ceil_div", "todo", "min", "max", "printf",
    "true", "false", "nullptr", "continue",
)  # fmt: skip

# What CUDA's headers declare only for newer GPUs.
_NEEDS = ((r"__reduce_(add|min|max|and|or|xor)_sync", "8.0"), (r"this_cluster|cluster_group|__cluster_\w+", "9.0"))
_LONGEST = 400  # characters of a line that are looked at
_TYPES = r"auto|int|unsigned|long|short|char|float|double|bool|size_t|dim3|(?:u?int|float|double)\d\w*"


def missing(
    name: str, tasks: Sequence[str], file: str, contract: str, written: str, last_line: str, where: str
) -> tuple[str, str]:
    """Place and sentences about a name that the linker, or an instantiation, does not find."""
    if "::" in name:
        scope, _, part = name.rpartition("::")
        if scope == "primitives":
            return where, f"this lab has no ready-made {part}: its handout says what is ready-made"
        return where, f"{name} is declared, but not defined: only your one file is compiled"
    if last_line and last_line not in written:
        return file, f"{name} is not instantiated: {file} must end with this line: {last_line}"
    place, first, helps = _not_defined(name, tasks, file, contract, written)
    return place, f"{first}: {helps}"


def _not_defined(name: str, tasks: Sequence[str], file: str, contract: str, written: str) -> tuple[str, str, str]:
    """A function that the lab calls and the file lacks: place, what is wrong, what helps."""
    defined = {found[1]: written.count("\n", 0, found.start(1)) + 1 for found in _DEFINED.finditer(code(written))}
    if name in defined:
        place = f"{file}:{defined[name]}"
        what = f"{name} has different parameters here than in {contract}, so it is a different function"
        return place, what, "compare the two: number, types, const, order, template"
    others = [one for one in defined if one not in tasks]
    close = difflib.get_close_matches(name, others, 1, 0.75)
    if close:
        place = f"{file}:{defined[close[0]]}"
        return place, f"{name} is not defined", f"{place} defines `{close[0]}`: write `{name}`"
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


def of_name(text: str, line: str, written: str, where: str, header: str) -> str:
    """What to write for an error about a name that the compiler does not know; "" for other errors."""
    if found := _NO_MEMBER.search(text):
        return _no_member(found[1], found[2], header, written)
    if found := _UNKNOWN.search(text):
        return unknown(found[1] or found[2], written, where)
    if text.startswith('expected a ">"'):  # a name that is not known, in front of <, is taken for a template
        for name in re.findall(r"\b([A-Za-z_]\w*)\s*<", line[:_LONGEST]):
            if len(re.findall(rf"\b{name}\b", code(written))) == 1:
                return unknown(name, written, where)
    return ""


def _no_member(of: str, name: str, header: str, written: str) -> str:
    """What is like `name` in the definition of the struct or class, if that is in the file or in the lab's header."""
    definition = re.compile(
        rf"\b(?:struct|class)\b[^;{{}}]*\b{of}\b[^;{{}}]*\{{(.*?)(?:\}}\s*;|^\}})", re.DOTALL | re.MULTILINE
    )
    found = definition.search(code(written)) or definition.search(code(header))
    parts = re.findall(r"(\w+)\s*[,;=({\[]", found[1]) if found else []
    close = _close(name, parts)
    return f"{of} has no part {name}: " + (f"did you mean `{close}`?" if close else "compare with its definition")


def declared_as_function(text: str, line: str, written: str) -> str:
    """Of a call with too many arguments: its name is declared with empty parentheses, as if it were an object."""
    if text.startswith("too many arguments"):
        for number, above in _numbered(written):
            found = re.match(r"\s+(?!return\b)[\w:<>, ]+ (\w+)\(\);", above)
            if found and re.search(rf"\b{found[1]}\(", line):
                return f"line {number} declares a function {found[1]}: an object is declared without the ()"
    return ""


def unknown(name: str, written: str, where: str) -> str:
    """What to write for a name that the compiler does not know."""
    return (
        _needs(name)
        or _defined_below(name, written, where)
        or _out_of_scope(name, written, where)
        or _spelling(name, written)
    )


def _numbered(written: str) -> list[tuple[int, str]]:
    """The lines of code with their numbers; a very long one is cut."""
    return [(number, line[:_LONGEST]) for number, line in enumerate(code(written).split("\n"), 1)]


def _line(where: str) -> int:
    last = where.rpartition(":")[2]
    return int(last) if re.fullmatch("[0-9]{1,9}", last) else 0


def _defined_below(name: str, written: str, where: str) -> str:
    defined = re.compile(rf"^[\w:<>*&][\w:<>*& ]*[ *&]{re.escape(name)}\s*\([^;]*$")
    below = [number for number, line in _numbered(written) if number > _line(where) and defined.match(line)]
    if not below:
        return ""
    return f"{name} is defined in line {below[0]}, below: move it up, or declare it before it is called"


def _out_of_scope(name: str, written: str, where: str) -> str:
    """A variable that ends before: it was declared inside of braces, or of a for."""
    of_type = rf"(?<!return )\b(?:{_TYPES}|[A-Z]\w*)\b[ *&]+"
    declared = re.compile(rf"{of_type}(?:\w+ *= *[^;,()]*, *)?{re.escape(name)} *[=;,)\[({{]")
    lines = [(number, line) for number, line in _numbered(written) if number < _line(where)]
    before = [number for number, line in lines if declared.search(line)]
    if not before:
        return ""
    depth = sum(line.count("{") - line.count("}") for number, line in lines if number < before[-1])
    for number, line in lines:
        if number >= before[-1]:
            depth += line.count("{") - line.count("}")
            if depth == 0 and "}" in line:
                return f"{name} belongs to another function, of line {before[-1]}: hand it on as an argument"
    return f"{name} is declared in line {before[-1]}, inside of other braces: declare it before them"


def _spelling(name: str, written: str) -> str:
    words = set(re.findall(r"[A-Za-z_]\w+", code(written))) - {name}
    known = sorted(words) + [one for one in _CUDA if one not in words]
    close = _close(name, known)
    return f"{name} is not known here: " + (
        f"did you mean `{close}`?" if close else "is it spelt right, and declared above with its type?"
    )


def _close(name: str, known: Sequence[str]) -> str:
    same = [one for one in known if one.lower().strip("_") == name.lower().strip("_") != ""]
    near = same or difflib.get_close_matches(name, [one for one in known if len(one) > 2], 1, 0.8)
    near = near or [one for one in known if len(name) > 5 and one.lower().endswith(name.lower())]
    return near[0] if near else ""


def code(written: str) -> str:
    """The text without comments, with the same line numbers."""
    blank: Callable[[re.Match[str]], str] = lambda found: re.sub(r"[^\n]", " ", found[0])  # noqa: E731
    return re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", blank, written, flags=re.DOTALL)
