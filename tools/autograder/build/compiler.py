"""Shortens what compiler and linker say: the first error in plain words, where it is, what to write instead.

Standard library only: `make lab3` says the same as `./grader 3`, and may run before anything is installed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from autograder.build.advice import advice
from autograder.build.messages import CONTEXT, PLACE, Message, messages
from autograder.build.names import MISSING, code, declared_as_function, missing, of_name
from autograder.errors import CompileError
from autograder.plan.labs import manifest_path
from autograder.sanitize import clean
from autograder.source import line_of, lines_of, text_of

KEPT = 30  # lines of the compiler's text that a result holds
SHOWN = 8  # and that a screen shows
LINE = 400  # characters of one


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


def lab_error(text: str, roots: Sequence[Path], lab: Path, source: Path) -> CompileError:
    """`lab`: the folder, whose contract `source` has to keep."""
    header = lab / "grading" / "instantiations.h"
    last_line = f'#include "grading/{header.name}"' if header.is_file() else ""
    contract = lab / f"{lab.name[3:]}.h"
    return compile_error(text, roots, task_names(lab), source, contract.name, last_line, text_of(contract))


def compile_error(
    text: str,
    roots: Sequence[Path],
    tasks: Sequence[str] = (),
    source: Path | None = None,
    contract: str = "",
    last_line: str = "",
    header: str = "",
) -> CompileError:
    """`tasks`: what has to be defined, as the header `contract` says; `source`: the file that should.

    `last_line`: the include that instantiates the tasks that are templates, if the lab has any; `header`: the text of
    the contract. The error's first line is one sentence, of what to write if that is known; its text is the compiler's.
    """
    for root in roots:
        text = text.replace(f"{root}/", "")
    lines = [clean(line, LINE) for line in text.splitlines() if line.strip()]
    undefined = [line[line.index("undefined reference") :] for line in lines if "undefined reference" in line]
    if undefined:  # from the linker's text, only the missing names, each once
        lines = list(dict.fromkeys(undefined))
    errors = _own_first(_errors("\n".join(lines)), source)
    written = text_of(source)
    if errors:
        where, first = _place(errors[0], source, written), errors[0].text
        lines = _from_first(lines, errors[0])
    else:
        told = [line for line in lines if re.search(r"(?i:error)|undefined reference|relocation truncated", line)]
        if not told:  # no error of its own: the text after the warnings says what ended it
            last = [one for one in lines if not (one[0] == " " or PLACE.match(one) or CONTEXT.match(one))][-1:]
            lines = last + [line for line in lines if line not in last]
        where, first = "", (told or lines or ["the compiler gave no message"])[0]
    absent = MISSING.search(first)
    line = _line_at(where, written)
    said = declared_as_function(first, line, written) or _meaning(first, errors, line, contract)
    if not said and absent and source is not None:
        where, said = missing(absent[1] or absent[2], tasks, source.name, contract, written, last_line, where)
    elif not said:
        said = of_name(first, line, written, where, header)
    reason = said or first
    if len(errors) > 1 and not absent:
        reason += f"\n{_more(len(errors) - 1)}"
    more = [f"… {len(lines) - KEPT} more lines"] if len(lines) > KEPT else []
    return CompileError("\n".join(lines[:KEPT] + more), where, reason)


def _errors(text: str) -> list[Message]:
    """Each once: a template repeats its errors in every instantiation."""
    found: dict[tuple[str, str], Message] = {}
    for one in messages(text):
        if one.kind != "warning":
            found.setdefault((one.where, one.text), one)
    return list(found.values())


def _own_first(errors: list[Message], source: Path | None) -> list[Message]:
    """Where a library's header calls functions of the host, from the first error on that the student's file has."""
    own = [one for one in errors if source is not None and one.in_file(source.name)]
    if not own or " __host__ function(" not in errors[0].text:
        return errors
    return [own[0], *(one for one in errors if one is not own[0])]


def _more(count: int) -> str:
    return f"and {count} more {'error' if count == 1 else 'errors'}, often caused by the first"


def _from_first(lines: Sequence[str], first: Message) -> list[str]:
    """The compiler's text from the first error on: warnings come before it, perhaps many."""
    at = next((n for n, line in enumerate(lines) if line.endswith(first.text) and "error" in line), 0)
    while at > 0 and CONTEXT.match(lines[at - 1]):  # the host compiler says before it where a template was used
        at -= 1
    return list(lines[at:])


def _place(error: Message, source: Path | None, written: str) -> str:
    """Where the student has to look: in the file itself, if anything there leads to the error."""
    if unclosed := re.search(r"unterminated argument list invoking macro \"(\w+)\"", error.text):
        for number, line in enumerate(code(written).split("\n"), 1):
            if unclosed[1] in line and line.count("(") > line.count(")"):
                return f"{error.file}:{number}"
    if source is None:
        return error.where
    return error.in_file(source.name) or error.where or f"{source.name}:{len(lines_of(written))}"


def _line_at(where: str, written: str) -> str:
    last = where.rpartition(":")[2]
    number = int(last) if re.fullmatch("[0-9]{1,9}", last) else 0
    lines = lines_of(written)
    return line_of(lines, number, LINE) if 0 < number <= len(lines) else ""


def _meaning(first: str, errors: Sequence[Message], line: str, contract: str) -> str:
    """The sentence of the table, if one fits."""
    of_error = ("argument types are:", "operand types are:", "object type is:", 'function "', 'variable "')
    more = [one.strip() for one in (errors[0].lines[1:] if errors else ()) if one.strip().startswith(of_error)]
    column = errors[0].caret(line) if errors else -1
    at = "" if column < 0 else "start" if not line[:column].strip() else "inside"
    _, said = advice("\n".join([first, *more]), line, at)
    for other in errors[1:]:  # of the same line: what is wrong with a type comes first, and says less
        if not said and other.where == errors[0].where and first.startswith("incomplete type"):
            _, said = advice(other.text, line)
    inside = any(re.search(r"not allowed (here|in the current scope)|expected a \"}\"", one.text) for one in errors[1:])
    if inside and first.startswith("expected a"):
        _, said = advice("not allowed here", line)
    return said.replace("{contract}", contract or "the lab's header")


def told(error: CompileError, then: str, source: Path | None = None, log: str = "") -> list[str]:
    """What a person reads: what to write, the source line, the compiler's own text once, the next thing to do.

    `log`: the name of the file that holds all that the compiler says.
    """
    said, *more = str(error).splitlines()
    meant = source is not None and error.where.startswith(f"{source.name}:")
    errors = _errors(error.text)
    written = text_of(source) if meant else ""
    following = ["", f"next: fix {error.where or 'this'} · then: {then}"]
    quoted = _source_lines(error.where, written, errors[0] if errors else None)
    if not error.text:  # it compiles, but breaks a rule
        return [said, *quoted, *more, *following]
    text = error.text.splitlines()
    is_own = bool(errors) and said == errors[0].text  # no row of the table: the sentence is the compiler's
    shown = _compilers(errors[0], quoted, bool(source) and errors[0].where != error.where) if errors else text[:SHOWN]
    rest = [one for one in more if one.startswith("and ")]
    lines = [*([] if is_own and shown else [said]), *quoted, *(one for one in more if one not in rest)]
    if shown != [said]:
        lines += [*([""] if lines else []), "the compiler says:", *(f"  {line}" for line in shown)]
    end = " · ".join([*rest, *([f"full output: {log}"] if log and (rest or not errors) else [])])
    return [*lines, *([end] if end else []), *following]


def _compilers(error: Message, quoted: Sequence[str], elsewhere: bool) -> list[str]:
    """The first error as the compiler puts it; without its source line, where that is shown already."""
    lines = list(error.lines[:SHOWN])
    if quoted and not elsewhere:
        at = next((n for n, line in enumerate(lines) if re.fullmatch(r"[\s|~]*\^[~^]*\s*", line)), 0)
        if at > 1:
            del lines[at - 1 : at + 1]
    return lines


def _source_lines(where: str, written: str, error: Message | None = None) -> list[str]:
    """The source line as it was written; the compiler shows it with macros expanded."""
    last = where.rpartition(":")[2]
    number = int(last) if re.fullmatch("[0-9]{1,9}", last) else 0
    lines = lines_of(written)
    shown = [at for at in (number - 1, number) if 0 < at <= len(lines) and line_of(lines, at).strip()]
    quoted = [f"{'>' if at == number else ' '} {at:5}  {line_of(lines, at, LINE)}" for at in shown]
    if error is None or number not in shown:
        return quoted
    if error.where != where:
        from_here = error.file and any(f"{file}:{line}" == where for file, line in error.used)
        return [*quoted, f"{'':9}the error is in what is instantiated from here"] if from_here else quoted
    column = error.caret(line_of(lines, number, LINE))
    return [*quoted, f"{'':9}{'':{column}}^"] if column >= 0 else quoted
