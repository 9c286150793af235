"""Changes of loops over neighbours and pairs: an element that meets itself, pairs met twice, edges that wrap."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.branches import Branches
from autograder.cause.edges import of_row
from autograder.cause.expressions import Expressions
from autograder.cause.layouts import sign_of
from autograder.cause.names import INTEGERS
from autograder.cause.source import text_of, within
from autograder.cause.writer import bracketed, short

COUNTS = re.compile(r"[^=]*(\+=|\+\+)|\+\+|atomicAdd\(")  # adds what a loop has met
MOST_OWN, MOST_WAYS = 2, 4
NUMBERS = (*INTEGERS, "bool", "char", "unsigned char", "short", "unsigned short")
RANGE = re.compile(r"(.+) (>=|<) ([\w.]+)")
OTHER = re.compile(r"1 - (\w+)|(\w+) \^ 1")  # the other one of two
JOINED = {"&&": (">=", "<"), "||": ("<", ">=")}  # how the parts of a condition ask whether both lie in range, or not


def _parts(node: Node, sign: str) -> list[Node]:
    """The parts of `a && b && c`."""
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    if node.type == "binary_expression" and text_of(node.children[1]) == sign:
        return [one for side in (node.children[0], node.children[2]) for one in _parts(side, sign)]
    return [node]


def _in_int(text: str) -> str:
    """What keeps a remainder below 0: an unsigned value has none."""
    return f"static_cast<int>({text})"


class Neighbours(Branches, Expressions):
    """Writes what a loop does with the elements that it meets."""

    def not_met(self, node: Node) -> str:
        """Conditions that leave out an element that meets itself, or the second of the two times that a pair is met."""
        if not self._on_device or not COUNTS.match(short(node)):
            return ""
        out = ""
        for kind, condition in self._others_only():
            number = self._add(kind, node, (short(node), f"if ({condition}) {short(node)}"))
            out += f" && (!what_if::is({number}) || ({condition}))"
        return out

    def _others_only(self) -> Iterator[tuple[str, str]]:
        asked = " ".join(short(one) for one in self._ifs_around())
        around = [one for one in map(_steps, self._loops) if one is not None]
        distances = [name for name, begin in around if begin.startswith("-")]
        if distances and len(distances) == len(around[-2:]):
            condition = " || ".join(f"{one} != 0" for one in distances)
            if condition not in asked:
                yield "itself", condition
        for name, begin in around[-1:]:
            loop = self._loops[-1]
            known = [one for one in self._variables if not one.depth and one.type in INTEGERS and one.is_known(loop)]
            own = [one.name for one in reversed(known) if "threadIdx" in one.value and one.name != name][:MOST_OWN]
            for other in [one for one in own if begin == "0" and not re.search(rf"\b{one} [!<>]=? {name}\b", asked)]:
                yield "itself", f"{other} != {name}"
                yield "halves", f"{other} < {name}"

    def wrapped_everywhere(self, body: Node) -> None:
        """All remainders of a function that may be below 0: they are wrong together."""
        every = [one for one in within(body) if self._may_wrap(one)]
        if len(every) > 1 and self._on_device:
            parts = [(one, _never_negative(one)) for one in every]
            self.at_once("negative_remainder", every[0], f"{parts[0][1]}, and so in all of the function", parts)

    def tails_left_out(self, body: Node) -> None:
        """All `c ? d[row * width + column] : 0` of a function that ask about one side only: about the other, too."""
        ways: list[list[tuple[Node, str]]] = [[]]
        for one in within(body) if self._on_device else ():
            asked = one.child_by_field_name("condition") if one.type == "conditional_expression" else None
            arm = one.child_by_field_name("consequence") if asked is not None else None
            index = arm.child_by_field_name("indices") if arm is not None else None
            row = of_row(index.named_children[0], self.bounds_at(one)) if index is not None else None
            if asked is None or row is None:
                continue
            rows = [f"{row[0]} < {size}" for size in self.bounds_at(asked) if size != row[2]]
            columns = f"{row[1]} < {row[2]}"
            has_column = columns in short(asked)
            if has_column != any(part in short(asked) for part in rows):
                sides = rows if has_column else [columns]
                ways = [[*way, (asked, f"({short(asked)}) && {side}")] for way in ways for side in sides][:MOST_WAYS]
        for way in ways if len(ways[0]) > 1 else ():
            self.at_once("outside", way[0][0], " and ".join(now for _, now in way), way)

    def _binary_expression(self, node: Node) -> str:
        text, above = super()._binary_expression(node), node.parent
        is_part = above is not None and above.type == "binary_expression" and text_of(above.children[1]) == "||"
        for name in self._unused(node) if is_part and text_of(node.children[1]) == "==" and self._on_device else ():
            number = self._add("missing_condition", node, (short(node), f"{short(node)} && {name}"))
            text = f"({text} && (!what_if::is({number}) || {name}))"
        return self._with_the_last_part(node, text)

    def _with_the_last_part(self, node: Node, text: str) -> str:
        """`first + kTile <= n` of a loop as first < n: the last step has a part of a tile."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or sign_of(node) not in ("<", "<="):
            return text
        if _is_of_no_loop(node) or not self._on_device:
            return text
        if left.type != "binary_expression" or text_of(left.children[1]) != "+":
            return text
        other = f"{short(left.children[0])} < {short(right)}"
        number = self._add("remaining", node, (short(node), other))
        return f"(what_if::is({number}) ? ({other}) : {text})"

    def _unused(self, node: Node) -> list[str]:
        """Numbers that the function is given, or reads, and does not use."""
        assert self._function is not None
        names = re.findall(r"[A-Za-z_]\w*", text_of(self._function.node))
        known = [one.name for one in self._variables if not one.depth and one.type in NUMBERS and one.is_known(node)]
        return [one for one in known if names.count(one) == 1]

    def other_buffers(self, body: Node) -> None:
        """`boards[1 - now]` as boards[now], and the reverse, where a function changes between two of them."""
        if not self._on_device:
            return
        names = {one[1] or one[2] for one in (OTHER.fullmatch(short(part)) for part in within(body)) if one}
        for one in within(body):
            found = OTHER.fullmatch(short(one)) if one.type == "binary_expression" else None
            if found and one.parent is not None and one.parent.type == "subscript_argument_list":
                self.at_once("other_buffer", one, found[1] or found[2], [(one, found[1] or found[2])])
            elif one.parent is not None and one.parent.type == "subscript_argument_list" and text_of(one) in names:
                self.at_once("other_buffer", one, f"1 - {text_of(one)}", [(one, f"1 - {text_of(one)}")])

    def _may_wrap(self, node: Node) -> bool:
        is_remainder = node.type == "binary_expression" and text_of(node.children[1]) == "%"
        return is_remainder and (self._may_be_negative(node.children[0]) or self._is_given(node.children[0]))

    def _is_given(self, node: Node) -> bool:
        """Whether it is what a function of the device is given, which may be below 0."""
        is_kernel = self._function is None or "__global__" in self._function.head
        return not is_kernel and text_of(node) in self._bounds

    def _if_statement(self, node: Node) -> str:
        asked, done = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        value = asked.child_by_field_name("value") if asked is not None else None
        if value is not None and done is not None and self._on_device:
            self._wrapped_at_edges(value, done)
        elif not self._on_device and "<<<" not in text_of(node):
            self.other_array_of_host(node)
        return super()._if_statement(node)

    def _conditional_expression(self, node: Node) -> str:
        asked = node.child_by_field_name("condition")
        if asked is not None and self._on_device:
            self._wrapped_at_edges(asked, node)
        return super()._conditional_expression(node)

    def _wrapped_at_edges(self, node: Node, done: Node) -> None:
        """`x >= 0 && x < n` before d[x], or `x < 0 || x >= n ? 0 : d[x]`, where x must come back on the other side."""
        for sign, (low, high) in JOINED.items():
            parts = {short(one): RANGE.fullmatch(short(one)) for one in _parts(node, sign)}
            lows = {one[1] for one in parts.values() if one and (one[2], one[3]) == (low, "0")}
            bounds = {one[1]: one[3] for one in parts.values() if one and one[2] == high and one[1] in lows}
            left = [text for text, one in parts.items() if not one or one[1] not in bounds]
            rest = f" {sign} ".join(left) or ("true" if sign == "&&" else "false")
            for index in self._indices_in(done) if bounds else ():
                if other := self._wrapped(index, bounds):
                    now = f"{rest}, and {other}" if left else other
                    self.at_once("wrapped", node, now, [(node, rest), (index, other)])

    def _indices_in(self, node: Node) -> Iterator[Node]:
        for one in within(node):
            index = one.child_by_field_name("indices") if one.type == "subscript_expression" else None
            if index is not None and len(index.named_children) == 1:
                yield index.named_children[0]

    def _wrapped(self, index: Node, bounds: dict[str, str]) -> str:
        """The index, with what has a bound counted round; "": nothing of it has."""
        row = of_row(index, [*bounds.values(), *self.bounds_at(index)])
        if row is None:
            return _round(short(index), bounds[short(index)]) if short(index) in bounds else ""
        a, b, width = row
        if a not in bounds and b not in bounds:
            return ""
        a, b = (_round(one, bounds[one]) if one in bounds else f"({one})" for one in (a, b))
        return f"{a} * {width} + {b}"


def _is_of_no_loop(node: Node) -> bool:
    return node.parent is None or node.parent.type != "for_statement"


def _steps(loop: Node) -> tuple[str, str] | None:
    """The variable of a loop that counts up, and where it begins."""
    first = loop.child_by_field_name("initializer")
    declared = first.child_by_field_name("declarator") if first is not None and first.type == "declaration" else None
    name, value = (declared.child_by_field_name(one) if declared else None for one in ("declarator", "value"))
    return (text_of(name), short(value)) if name is not None and value is not None else None


def _round(text: str, size: str) -> str:
    return f"(({text}) % {size} + {size}) % {size}"


def _never_negative(node: Node) -> str:
    return _round(_in_int(short(node.children[0])), _in_int(bracketed(node.children[2])))
