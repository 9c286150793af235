"""The variables that a function declares."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.cause.source import Function, text_of, within


@dataclass(frozen=True)
class Variable:
    """A pointer, an array or a number that a function declares."""

    name: str
    type: str  # without const and *
    is_const: bool
    depth: int  # 0 a number, 1 a pointer or an array, 2 an array of arrays
    at: int  # byte from which on it is known


def variables_of(function: Function) -> list[Variable]:
    """A function's parameters and local variables."""
    found = []
    for node in within(function.node):
        of = node.child_by_field_name("type")
        if node.type not in ("parameter_declaration", "declaration") or of is None:
            continue
        is_const = any(text_of(one) == "const" for one in node.children if one.type == "type_qualifier")
        for one in node.children_by_field_name("declarator"):
            inner = one.child_by_field_name("declarator") if one.type == "init_declarator" else one
            depth = 0
            while inner is not None and inner.type in ("pointer_declarator", "array_declarator"):
                inner = inner.child_by_field_name("declarator")
                depth += 1
            if inner is not None and inner.type == "identifier":
                found.append(Variable(text_of(inner), text_of(of), is_const, depth, node.end_byte))
    return found


def types_of(function: Function) -> list[str]:
    """The types of its parameters, without spaces."""
    declared = next((one for one in within(function.node) if one.type == "parameter_list"), None)
    found = []
    for one in declared.named_children if declared is not None else []:
        name = next((text_of(part) for part in within(one) if part.type == "identifier"), "")
        text = text_of(one).replace("__restrict__", "")
        found.append("".join(text.removesuffix(name).split()))
    return found
