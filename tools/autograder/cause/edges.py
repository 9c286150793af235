"""Changes at the edges of arrays: what lies outside is replaced, or the nearest element inside is taken."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.missing import Missing
from autograder.cause.source import text_of, within
from autograder.cause.writer import bracketed, on_one_line, short

MOST_BOUNDS, MOST_CLAMPS = 3, 2
LOOSER = re.compile(r"[?&|^=<>]")  # operators that bind less than a comparison


class Edges(Missing):
    """Writes reads of global memory, and ranges around a place."""

    def _may_be_negative(self, node: Node) -> bool:
        """Whether it, or a variable of it, is a difference or begins below 0."""
        names = {text_of(one) for one in within(node) if one.type == "identifier"}
        values = [one.value for one in self._variables if one.name in names and one.is_known(node) and not one.depth]
        return any("-" in text.replace("->", "") for text in (short(node), *values))

    def _is_input(self, base: Node) -> bool:
        """Whether it is an array of global memory that is only read."""
        if base.type == "field_expression":
            return short(base.child_by_field_name("field") or base).startswith("d_")
        return any(
            one.name == text_of(base) and one.is_const and one.depth == 1 and one.is_known(base)
            for one in self._variables
        )

    def padded(self, node: Node, text: str) -> str:
        """x[i] as i < n ? x[i] : 0; what stands in for other missing elements stands in for this one, too."""
        base, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if base is None or indices is None or self._is_target or not self._on_device or not self._is_input(base):
            return text
        conditions = [one for one in self._inside(indices.named_children[0]) if not self.is_asked(node, one)]
        if not conditions:
            return text
        plain = f"std::remove_cvref_t<decltype({short(node)})>"
        other = _other_arm(node)
        number = self._add(
            "outside", node, *((short(node), f"{one} ? {short(node)} : {other or 0}") for one in conditions)
        )
        instead = f"static_cast<{plain}>({other})" if other else f"{plain}{{}}"
        return f"(what_if::all_of({number}, {', '.join(conditions)}) ? {text} : {instead})"

    def is_asked(self, node: Node, condition: str) -> bool:
        """Whether a condition around this place asks for it already."""
        above = node.parent
        while above is not None and above.type != "function_definition":
            asked = above.child_by_field_name("condition")
            if asked is not None and asked.start_byte < node.start_byte and condition in short(asked):
                return True
            above = above.parent
        return False

    def _inside(self, index: Node) -> list[str]:
        """Conditions with which an index is inside of its array, or of a row of it; the simplest first."""
        bounds = self.bounds_at(index)
        if (parts := of_row(index, bounds)) is None:
            if index.type == "number_literal":
                return []
            own = f"({short(index)})" if LOOSER.search(short(index)) else short(index)
            below = [f"{own} < {one}" for one in bounds[:MOST_BOUNDS] if one != own]
            if not self._may_be_negative(index):
                return below
            return [f"{own} >= 0", *below[:MOST_CLAMPS], *(f"{own} >= 0 && {one}" for one in below[:MOST_CLAMPS])]
        row, column, width = parts
        a, b = (f"({one})" if LOOSER.search(one) else one for one in (row, column))
        heights = [one for one in bounds if one not in (width, a, b)][:MOST_CLAMPS]
        rows, columns = [f"{a} < {one}" for one in heights], f"{b} < {width}"
        both = [f"{one} && {columns}" for one in rows]
        if not self._may_be_negative(index):
            return [columns, *rows, *both]
        return [columns, *rows, *(f"{a} >= 0 && {b} >= 0 && {one}" for one in both)]

    def clamped(self, index: Node, text: str) -> str:
        """The index of the nearest element inside."""
        if not self._on_device or not self._may_be_negative(index):
            return text
        bounds = self.bounds_at(index)
        if (parts := of_row(index, bounds)) is None:
            own = [] if index.type == "number_literal" else bounds[:MOST_CLAMPS]
            found = [f"min(max({short(index)}, 0), {one} - 1)" for one in own]
        else:
            row, column, width = parts
            inner = f"min(max({column}, 0), {width} - 1)"
            rows = [f"min(max({row}, 0), {one} - 1)" for one in bounds if one != width][:MOST_CLAMPS]
            found = [f"({row}) * {width} + {inner}"]
            found += [f"{one} * {width} + {last}" for one in rows for last in (column, inner)]
        for other in found:
            number = self._add("limit", index, (short(index), other))
            text = f"(what_if::is({number}) ? {_in_int(other)} : {text})"
        return text

    def reversed_index(self, index: Node, text: str) -> str:
        """x[k] as x[count - 1 - k], in a loop over k."""
        if index.type != "identifier" or not self._on_device:
            return text
        for loop in self._loops:
            condition = loop.child_by_field_name("condition")
            left, right = (condition.child_by_field_name(one) if condition else None for one in ("left", "right"))
            if condition is None or left is None or right is None or text_of(left) != text_of(index):
                continue
            if text_of(condition.children[1]) in ("<", "<="):
                last = " - 1" if text_of(condition.children[1]) == "<" else ""
                other = f"{bracketed(right)}{last} - {text_of(index)}"
                number = self._add("reversed", index, (text_of(index), other))
                text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def limited_range(self, whole: Node, first: Node | None, last: Node | None, *, is_last: bool) -> None:
        """From a - 1 to b + 1, of which either may lie outside. `is_last`: the last place itself is reached."""
        sides = [one for one in (first, last) if one is not None and one.type == "binary_expression"]
        if len(sides) != 2 or first is None or last is None or self.is_address(first) or not self._on_device:
            return
        if [text_of(one.children[1]) for one in sides] != ["-", "+"]:
            return
        low = f"max({short(first)}, 0)"
        for bound in self.bounds_at(whole)[: MOST_BOUNDS + 1]:
            high = f"min({short(last)}, {bound}{' - 1' if is_last else ''})"
            before = on_one_line(whole).partition(" {")[0]
            now = before.replace(short(first), low, 1).replace(short(last), high, 1)
            self.at_once("limit", whole, now, [(first, _in_int(low)), (last, _in_int(high))])


def _in_int(text: str) -> str:
    """With int arguments: min and max take no two types."""
    return re.sub(r"\b(min|max)\(", r"what_if::\1_int(", text)


def of_row(index: Node, bounds: list[str]) -> tuple[str, str, str] | None:
    """Of `row * width + column`: the row, the column and the width. The column may be a sum."""
    product, rest = index, ""
    while product.type == "binary_expression" and (sign := text_of(product.children[1])) in ("+", "-"):
        product, rest = product.children[0], f"{sign} {short(product.children[2])} {rest}"
    if not rest.startswith("+ ") or product.type != "binary_expression" or text_of(product.children[1]) != "*":
        return None
    for row, width in ((product.children[0], product.children[2]), (product.children[2], product.children[0])):
        if short(width) in bounds:
            inner = row.named_children[0] if row.type == "parenthesized_expression" else row
            return short(inner), rest[2:].strip(), short(width)
    return None


def _other_arm(node: Node) -> str:
    """What else the `?:` may give of which this is an arm."""
    choice = node.parent
    if choice is None or choice.type != "conditional_expression" or node == choice.child_by_field_name("condition"):
        return ""
    arms = [choice.child_by_field_name(name) for name in ("consequence", "alternative")]
    return next((short(one) for one in arms if one is not None and one != node), "")
