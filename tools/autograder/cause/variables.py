"""The variables that a function declares."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

SCOPES = ("compound_statement", "for_statement", "if_statement", "lambda_expression", "function_definition")


@dataclass(frozen=True)
class Variable:
    """A pointer, an array or a number that a function declares."""

    name: str
    type: str  # without const and *
    is_const: bool
    depth: int  # 0 a number, 1 a pointer or an array, 2 an array of arrays
    at: int  # byte from which on it is known
    until: int  # byte from which on it is no longer known
    value: str = ""  # what it is initialised with
    declaration: int = 0  # the last byte of the declaration, which may have several
    row: tuple[str, ...] = ()  # sizes of what an element of an array of arrays is

    def is_known(self, node: Node) -> bool:
        """Whether this place is within its scope."""
        return self.at <= node.start_byte < self.until


def variables_of(function: Function) -> list[Variable]:
    """A function's parameters and local variables."""
    return declared_in(function.node)


def declared_in(function: Node, *, references: bool = False) -> list[Variable]:
    """The same, of a function's node. `references`: and what only refers to a variable."""
    found = []
    for node in within(function):
        of = node.child_by_field_name("type")
        if node.type not in ("parameter_declaration", "declaration") or of is None:
            continue
        is_const = any(text_of(one) == "const" for one in node.children if one.type == "type_qualifier")
        for one in node.children_by_field_name("declarator"):
            value = one.child_by_field_name("value") if one.type == "init_declarator" else None
            inner = one.child_by_field_name("declarator") if one.type == "init_declarator" else one
            if references and inner is not None and inner.type == "reference_declarator":
                inner = inner.named_children[0]
            depth, sizes = 0, []
            while inner is not None and inner.type in ("pointer_declarator", "array_declarator"):
                size = inner.child_by_field_name("size")
                sizes.append(text_of(size) if size is not None else "")
                inner = inner.child_by_field_name("declarator")
                depth += 1
            if inner is not None and inner.type == "identifier":
                known = one.end_byte, _scope_of(node).end_byte
                words = text_of(inner), text_of(of)
                text = text_of(value) if value else ""
                found.append(Variable(*words, is_const, depth, *known, text, node.end_byte, tuple(sizes[:-1])))
    return found


def arrays_of_file(root: Node) -> list[Variable]:
    """Arrays in constant or global memory that the file declares for all its functions."""
    found = []
    for node in root.named_children:
        of = node.child_by_field_name("type")
        if node.type != "declaration" or of is None or not re.match(r"__(constant|device)__", text_of(node)):
            continue
        for one in node.children_by_field_name("declarator"):
            name = one.child_by_field_name("declarator")
            if one.type == "array_declarator" and name is not None and name.type == "identifier":
                found.append(Variable(text_of(name), text_of(of), False, 1, node.end_byte, root.end_byte))
    return found


def _scope_of(node: Node) -> Node:
    """The statement, lambda or function at whose end a declaration is forgotten."""
    parent = node.parent
    while parent is not None and parent.type not in SCOPES:
        parent = parent.parent
    return parent if parent is not None else node


def types_of(function: Function) -> list[str]:
    """The types of its parameters, without spaces."""
    declared = next((one for one in within(function.node) if one.type == "parameter_list"), None)
    found = []
    for one in declared.named_children if declared is not None else []:
        name = next((text_of(part) for part in within(one) if part.type == "identifier"), "")
        text = text_of(one).replace("__restrict__", "")
        found.append("".join(text.removesuffix(name).split()))
    return found


def changed_in(node: Node) -> set[str]:
    """Variables to which something is assigned within it, or that it hands to another function to exchange."""
    found: set[str] = set()
    for one in within(node):
        if one.type in ("assignment_expression", "update_expression"):
            target = one.child_by_field_name("left") or one.child_by_field_name("argument")
            found |= {text_of(target)} if target is not None and target.type == "identifier" else set()
        elif one.type == "call_expression" and re.match(r"(std::)?(swap|exchange)\b", text_of(one)):
            found |= {text_of(part) for part in within(one) if part.type == "identifier"}
    return found


def names_of(node: Node | None) -> set[str]:
    return {text_of(one) for one in within(node) if one.type == "identifier"} if node is not None else set()
