"""Lines that decide what happens in another: the heads around it, where its names get their values, who calls it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

_HEADS = ("if_statement", "for_statement", "while_statement", "do_statement")
_SETS = {"init_declarator": "declarator", "assignment_expression": "left", "update_expression": "argument"}


def related_lines(functions: Sequence[Function]) -> Mapping[int, frozenset[int]]:
    """By line, the others: one step back, in its function, and to the calls of a function of the device."""
    found: dict[int, set[int]] = defaultdict(set)
    called: dict[str, set[int]] = defaultdict(set)
    for function in functions:
        for node in within(function.node):
            if node.type == "call_expression" and node.children:
                called[text_of(node.children[0]).partition("<")[0]].update(_rows(node))
    for function in functions:
        sets: dict[str, set[int]] = defaultdict(set)
        names: dict[int, set[str]] = defaultdict(set)
        calls = called[function.name] if "__device__" in function.head else set()
        for node in within(function.node):
            if node.type == "identifier":
                names[node.start_point.row + 1].add(text_of(node))
            target = node.child_by_field_name(_SETS[node.type]) if node.type in _SETS else None
            for one in within(target) if target is not None else ():
                if one.type == "identifier":
                    sets[text_of(one)].update(_rows(node))
                    break
            if node.type in _HEADS and (body := _body(node)) is not None:
                head = set(_rows(node)) - set(_rows(body)) or {node.start_point.row + 1}
                for line in _rows(body):
                    found[line] |= head
        for line in _rows(function.node):
            found[line] |= {one for name in names[line] for one in sets[name]} | calls
    return {line: frozenset(lines - {line}) for line, lines in found.items()}


def _body(node: Node) -> Node | None:
    return node.child_by_field_name("consequence") or node.child_by_field_name("body")


def _rows(node: Node) -> range:
    return range(node.start_point.row + 1, node.end_point.row + 2)
