"""Changes of what is counted from the wrong end: all indices of a filter, or a value that a loop's variable makes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.source import text_of, within
from autograder.cause.writer import Writer, bracketed, on_one_line, short

HEAD = ("initializer", "condition", "update")
MOST_ARRAYS = 3  # of which the indices are turned
MOST_VALUES = 4  # of a loop, that are counted from the other end
TERMS = ("binary_expression", "parenthesized_expression")


class Turned(Writer):
    """Plans what loops over a filter read: x - i in place of x + i, or the last weight in place of the first."""

    def turned(self, loop: Node) -> None:
        """Two nested loops, or one that begins below 0: both indices from the other end, all of them or an array's."""
        body = loop.child_by_field_name("body")
        if body is None or not self._on_device or self._stays(loop):
            return
        inner = [one for one in within(body) if one.type == "for_statement"]
        loops = [loop, *inner[:1]]
        others = {name: other for name, other in map(_from_the_end, loops) if name}
        is_below_0 = all(text_of(one.child_by_field_name("initializer") or one).find("= -") > 0 for one in loops)
        if len(others) != len(loops) or len(inner) > 1 or (not inner and not is_below_0):
            return
        places = [
            one
            for one in within(body)
            if one.type == "identifier" and text_of(one) in others and not _in_head(one) and not _in_lambda(one, body)
        ]
        groups: dict[str, list[Node]] = {"": places}
        for one in places:
            groups.setdefault(_array_of(one, body), []).append(one)
        known: set[tuple[int, ...]] = set()
        for its in list(groups.values())[: MOST_ARRAYS + 1]:
            key = tuple(one.start_byte for one in its)
            if {text_of(one) for one in its} == set(others) and key not in known:
                known.add(key)
                self._turn(its, others)

    def counted_down(self, loop: Node) -> None:
        """`int bit = end - 1 - p;` in a loop over p: p from the other end, in this value or argument alone."""
        name, other = _from_the_end(loop)
        body = loop.child_by_field_name("body")
        if not name or body is None or self._stays(loop):
            return
        of_value: dict[int, list[Node]] = {}
        for one in within(body):
            if one.type == "identifier" and text_of(one) == name and not _in_head(one) and not _in_lambda(one, body):
                value = _value_around(one, body)
                if value is not None:
                    of_value.setdefault(value.start_byte, [value]).append(one)
        for value, *its in list(of_value.values())[:MOST_VALUES]:
            now = re.sub(rf"(?<![.\w]){name}\b", other if short(value) == name else f"({other})", short(value))
            self.at_once("reversed", value, now, [(one, other) for one in its])

    def _turn(self, places: list[Node], others: dict[str, str]) -> None:
        whole = _term_around(places[0])
        now = f"{short(whole)} with {', '.join(f'{other} for {name}' for name, other in others.items())}"
        self.at_once("reversed", whole, now, [(one, others[text_of(one)]) for one in places])


def _from_the_end(loop: Node) -> tuple[str, str]:
    """The variable of a loop that goes up by one, and the same counted from the end; "": it is another loop."""
    first, condition, update = (loop.child_by_field_name(one) for one in HEAD)
    begin = first.child_by_field_name("declarator") if first is not None and first.type == "declaration" else None
    if begin is None or condition is None or update is None or condition.type != "binary_expression":
        return "", ""
    name, value = (begin.child_by_field_name(one) for one in ("declarator", "value"))
    end, sign = condition.child_by_field_name("right"), text_of(condition.children[1])
    if name is None or value is None or end is None or sign not in ("<", "<=") or "++" not in text_of(update):
        return "", ""
    own, from_, to = text_of(name), on_one_line(value), bracketed(end) + (" - 1" if sign == "<" else "")
    if from_ == f"-{to}":
        return own, f"-{own}"
    return own, f"{to} - {own}" if from_ == "0" else f"{from_} + {to} - {own}"


def _value_around(node: Node, body: Node) -> Node | None:
    """What a variable begins with, or an argument, that it is in; None: it is in none, or in an index."""
    below = node
    for one in _above(node):
        if one == body or one.type in ("subscript_expression", "compound_statement"):
            return None
        if one.type == "init_declarator" and below == one.child_by_field_name("value"):
            return below
        if one.type == "argument_list":
            return below
        below = one
    return None


def _above(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        yield (node := node.parent)


def _in_head(node: Node) -> bool:
    """Whether it is in the head of a loop."""
    below = node
    for one in _above(node):
        if one.type == "for_statement" and below != one.child_by_field_name("body"):
            return True
        below = one
    return False


def _array_of(node: Node, body: Node) -> str:
    """The array in whose index it stands; "-": in none."""
    found = "-"
    for one in _above(node):
        if one == body:
            break
        if one.type == "subscript_expression":
            base = one.child_by_field_name("argument")
            while base is not None and base.type == "subscript_expression":
                base = base.child_by_field_name("argument")
            found = text_of(base) if base is not None else found
    return found


def _term_around(node: Node) -> Node:
    """The largest term that it is in."""
    found = node
    for one in _above(node):
        if one.type not in TERMS:
            break
        found = one
    return found


def _in_lambda(node: Node, body: Node) -> bool:
    """Whether it stands in a function of its own, which may have parameters of these names."""
    return any(one.type == "lambda_expression" and one.start_byte > body.start_byte for one in _above(node))
