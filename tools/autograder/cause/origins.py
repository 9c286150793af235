"""Where an array is written, cleared, handed on and read: what may be wrong if it is used before it has a value.

A rule that gives memory its first value proves that the value is missing, not why. Its place is often that of a read.
The lines here are a slice of the program: statements that name the array, in all functions to which it is given; what
decides whether they run, and how often; and what the variables are made of that they name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tree_sitter import Node

from autograder.cause.causes import Cause
from autograder.cause.likely import in_file
from autograder.cause.source import Function, Source, reached, text_of, within
from autograder.cause.variables import variables_of
from autograder.errors import GraderError
from autograder.judge.outcome import Outcome

OF_OUTPUT = ("unset_output", "unwritten")
CONTROL = ("if_statement", "for_statement", "while_statement", "do_statement", "for_range_loop", "switch_statement")
LEAVE = ("return_statement", "continue_statement", "break_statement")
SIMPLE = ("expression_statement", "declaration", "return_statement")
NAMED = ("identifier", "field_identifier")

Names = dict[str, set[str]]  # of arrays, by function


def lines_about(file: Path, shown: Outcome, cause: Cause) -> set[int]:
    """The lines that have to do with what this cause, of a rule, says to be missing in a call."""
    places = (place for one in shown.findings for place in (one.place, one.other_place))
    found = set(in_file(places, file.name)) | {int(cause.where.rpartition(":")[2] or 0)}
    return slice_of(file, shown.case.task, _wrong_outputs(shown) if cause.kind in OF_OUTPUT else (), found)


def lines_of_unset(file: Path, shown: Outcome) -> set[int]:
    """The lines that have to do with the arrays that a call reads before they have a value."""
    unset = [one.place for one in shown.findings if one.kind == "uninitialized"]
    return slice_of(file, shown.case.task, (), in_file(unset, file.name)) if unset else set()


def _wrong_outputs(shown: Outcome) -> list[str]:
    wrong = shown.wrong
    pairs = zip(wrong.shape.outputs, wrong.checked.wrong, strict=True) if wrong else ()
    return [spec.name for spec, mask in pairs if mask.any()]


def slice_of(file: Path, task: str, outputs: Collection[str], found: Collection[int]) -> set[int]:
    """The lines that have to do with these outputs, or with the arrays that the lines `found` name."""
    try:
        source = Source(file.name, file.read_bytes(), partly=True)
        functions = reached(source.functions, source.aliases, {task} | source.instantiated(task))
    except (GraderError, OSError, UnicodeError, RecursionError):
        return set()
    arrays = _spread(functions, _seeds(functions, task, outputs, found))
    return {line for one in functions for line in _lines(one, arrays[one.label])} | _launches(functions, arrays)


def _seeds(functions: Sequence[Function], task: str, outputs: Collection[str], found: Collection[int]) -> Names:
    names: Names = {one.label: set() for one in functions}
    for function in functions:
        if function.name == task:
            names[function.label] |= set(outputs)
        for node in within(function.node):
            if node.start_point.row + 1 in found:
                names[function.label] |= {_last_name(one) for one in _bases(node)}
    return names


def _bases(node: Node) -> Iterator[Node]:
    """What is indexed or dereferenced here."""
    if node.type == "subscript_expression":
        base = node.child_by_field_name("argument")
        while base is not None and base.type == "subscript_expression":
            base = base.child_by_field_name("argument")
        yield from [base] if base is not None else []
    elif node.type == "pointer_expression" and (base := node.child_by_field_name("argument")) is not None:
        yield base


def _last_name(node: Node) -> str:
    """`arrays.d_out + i`: d_out; `d_out + i`: d_out."""
    first = node.children[0] if node.type == "binary_expression" else node
    names = [text_of(one) for one in within(first) if one.type in NAMED]
    return names[-1] if names else ""


def _spread(functions: Sequence[Function], names: Names) -> Names:
    """The same arrays by their names in other functions, and by other names in the same one."""
    grown = -1
    while grown < sum(map(len, names.values())):
        grown = sum(map(len, names.values()))
        for caller in functions:
            for name, given in _calls(caller):
                for callee in (one for one in functions if one.name == name):
                    _hand_over(names[caller.label], names[callee.label], given, callee)
            _rename(caller, names[caller.label], {one.name for one in functions})
    return names


def _calls(function: Function) -> Iterator[tuple[str, list[Node]]]:
    for node in within(function.node):
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if node.type == "call_expression" and called is not None and given is not None:
            name = re.match(r"\w+", text_of(called).rpartition("::")[2])
            yield name[0] if name else "", [one for one in given.named_children if one.type != "comment"]


def _hand_over(here: set[str], there: set[str], given: Sequence[Node], callee: Function) -> None:
    """What is an array on one side of a call is the same array on the other one."""
    arrays = {one.name for one in variables_of(callee) if one.depth > 0}
    for argument, parameter in zip(given, _parameters(callee), strict=False):
        own = _last_name(argument)
        if parameter in arrays and own in here:
            there.add(parameter)
        elif parameter in there and own:
            here.add(own)


def _parameters(function: Function) -> list[str]:
    declared = next((one for one in within(function.node) if one.type == "parameter_list"), None)
    found = []
    for one in declared.named_children if declared is not None else []:
        names = [text_of(part) for part in within(one) if part.type == "identifier"]
        found.append(names[0] if names else "")
    return found


def _rename(function: Function, names: set[str], known: Collection[str]) -> None:
    """`T* d_to = d_out;`, `d_from = d_to;`, `std::swap(d_to, d_other);`, and a call of the host of another file."""
    pointers = {one.name for one in variables_of(function) if one.depth == 1}
    for node in within(function.node):
        if node.type in ("init_declarator", "assignment_expression", "call_expression"):
            if node.type == "call_expression" and not _is_elsewhere(function, node, known):
                continue
            sides = [one for one in within(node) if one.type == "identifier" and text_of(one) in pointers]
            both = {text_of(one) for one in sides}
            if len(both) > 1 and both & names:
                names |= both


def _is_elsewhere(function: Function, call: Node, known: Collection[str]) -> bool:
    """Whether a call makes one array of another: it exchanges them, or is the host's of what is not in this file."""
    name = re.match(r"[\w:]+", text_of(call))
    called = name[0].rpartition("::")[2] if name else ""
    return called == "swap" or (not function.on_device and called not in known)


def _lines(function: Function, names: Collection[str]) -> set[int]:
    """Of one function: statements that name the arrays, what decides about them, and what they are made of."""
    if not names:
        return set()
    nodes = [one for one in within(function.node) if one.type in (*SIMPLE, *LEAVE)]
    chosen = [one for one in nodes if one.type in LEAVE or _named(one) & set(names)]
    known = {one.name for one in variables_of(function)}
    found: set[int] = set()
    while chosen:
        lines: set[int] = set()
        needed: set[str] = set()
        for node in chosen:
            for part in [node, *_heads(node, function.node)]:
                lines |= _rows(part)
                needed |= _named(part) & known
        if lines <= found:
            break
        found |= lines
        chosen = [one for one in nodes if _made(one) & needed]
    return found


def _named(node: Node) -> set[str]:
    return {text_of(one) for one in within(node) if one.type in NAMED}


def _heads(node: Node, function: Node) -> Iterator[Node]:
    """The conditions, and what loops count, around a statement."""
    while node.parent is not None and node != function:
        node = node.parent
        if node.type in CONTROL:
            yield from (one for one in node.named_children if not _is_body(node, one))


def _is_body(of: Node, node: Node) -> bool:
    return any(node == of.child_by_field_name(name) for name in ("body", "consequence", "alternative"))


def _rows(node: Node) -> set[int]:
    return set(range(node.start_point.row + 1, node.end_point.row + 2))


def _made(node: Node) -> set[str]:
    """The variables that a statement declares or stores to."""
    found = set()
    for one in within(node):
        if one.type in ("init_declarator", "assignment_expression", "update_expression"):
            targets = [one.child_by_field_name(name) for name in ("declarator", "left", "argument")]
            found |= {text_of(target) for target in targets if target is not None and target.type == "identifier"}
    return found


def _launches(functions: Sequence[Function], arrays: Names) -> set[int]:
    """How kernels are launched that have these arrays."""
    kernels = {one.name for one in functions if "__global__" in one.head and arrays[one.label]}
    found: set[int] = set()
    for function in functions:
        for node in within(function.node):
            if node.type == "expression_statement" and "<<<" in text_of(node) and _named(node) & kernels:
                found |= _rows(node)
                needed = _named(node)
                for one in within(function.node):
                    found |= _rows(one) if one.type in SIMPLE and _made(one) & needed else set()
    return found
