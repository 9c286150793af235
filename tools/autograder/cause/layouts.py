"""Changes of what names two sides: rows and columns, x and y, two sizes exchanged in an index or a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, product

from tree_sitter import Node

from autograder.cause.names import MOST_NAMES, exchanged_names, integers_in
from autograder.cause.source import text_of, within
from autograder.cause.writer import Writer, on_one_line, short

OF_ROW = re.compile(r"(?P<row>\w+) \* (?P<width>[\w.]+) \+ (?P<column>\w+)")
PRODUCT = re.compile(r"([\w.]+) \* ([\w.]+)")
CROSSWISE = 4  # pairs of names: an index and a bound on either side


def sign_of(node: Node) -> str:
    """The operator of a binary expression."""
    operator = node.child_by_field_name("operator")
    return text_of(operator) if operator is not None else ""


class Layouts(Writer):
    """Writes indices of two dimensions."""

    def _compared_crosswise(self, node: Node, left: Node, right: Node, text: str) -> str:
        """row < columns && column < rows: two names in each other's place."""
        found = [integers_in(one, self._variables) for one in (left, right)] if self._on_device else []
        whole = on_one_line(node)
        pairs = list(product(*(sorted(one - other) for one, other in zip(found, reversed(found), strict=True))))
        for a, b in pairs[:MOST_NAMES] if len(pairs) == CROSSWISE else []:
            number = self._add("layout", node, (short(node), exchanged_names(whole, a, b)))
            text = f"(what_if::is({number}) ? ({exchanged_names(whole, a, b)}) : {text})"
        return text

    def inside_row(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """row * columns + column < rows * columns: a thread beyond the end of a row passes that."""
        values = [one.value for one in self._variables if one.name == text_of(left) and one.is_known(node)]
        element = OF_ROW.fullmatch(values[-1] if values else short(left))
        size = PRODUCT.fullmatch(short(right))
        if element is None or size is None or sign not in ("<", ">=") or element["width"] not in size.groups():
            return text
        height = size[1] if size[2] == element["width"] else size[2]
        join = "&&" if sign == "<" else "||"
        other = f"{element['row']} {sign} {height} {join} {element['column']} {sign} {element['width']}"
        number = self._add("row_end", node, (short(node), other))
        return f"(what_if::is({number}) ? ({other}) : {text})"

    def _exchanged(self, node: Node, left: Node, right: Node, text: str) -> str:
        """x * height + y: rows and columns exchanged, with another size."""
        parts = [left.child_by_field_name(name) for name in ("left", "operator", "right")]
        if (
            sign_of(node) != "+"
            or left.type != "binary_expression"
            or parts[1] is None
            or text_of(parts[1]) != "*"
            or right.type != "identifier"
        ):
            return text
        for factor, old in ((parts[0], parts[2]), (parts[2], parts[0])):
            if factor is None or old is None or factor.type != "identifier" or text_of(factor) in self._bounds:
                continue
            for size in self._bounds:
                other = f"{text_of(right)} * {size} + {text_of(factor)}"
                # All of a function at once: they are wrong together.
                key = self._function.label if self._function else "", text_of(old), size
                numbers = [self._layouts[key]] if key in self._layouts else []
                numbers.append(self._add("layout", node, (short(node), other)))  # the first of all, or only here
                self._layouts.setdefault(key, numbers[0])
                self._made_here(numbers[0])
                for number in numbers:
                    text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def gathered(self, node: Node, left: Node, right: Node, text: str) -> str:
        """to[place[i]] = from[i] as to[i] = from[place[i]], and the reverse."""
        arrays, indices = zip(*(self._subscript(one) for one in (left, right)), strict=True)
        if not all(arrays) or not self._on_device or len({*arrays}) < 2 or len({*indices}) < 2:
            return text
        other = f"{arrays[0]}[{indices[1]}] = {arrays[1]}[{indices[0]}]"
        number = self._add("gathered", node, (short(node), other))
        return f"(what_if::is({number}) ? ({other}) : ({text}))"

    def _subscript(self, node: Node) -> tuple[str, str]:
        """The name of an array and the index of one of its elements, if it is one and the index is no number."""
        base, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if base is None or indices is None or not indices.named_children or "++" in text_of(node):
            return "", ""
        is_array = any(one.name == text_of(base) and one.depth == 1 and one.is_known(node) for one in self._variables)
        is_number = indices.named_children[0].type == "number_literal"
        return text_of(base) if is_array and not is_number else "", short(indices)[1:-1]

    def _turned(self, node: Node, base: Node, index: Node, text: str) -> str:
        """s[y][x] as s[x][y]."""
        indices = base.child_by_field_name("indices") if base.type == "subscript_expression" else None
        array = base.child_by_field_name("argument")
        if indices is None or array is None or not self._on_device or short(indices) == f"[{short(index)}]":
            return text
        if any(one.type == "number_literal" for one in (index, *indices.named_children)):
            return text
        other = f"{short(array)}[{short(index)}]{short(indices)}"
        number = self._add("layout", node, (short(node), other))
        return f"(what_if::is({number}) ? {other} : {text})"

    def mapped(self, base: Node, index: Node, text: str) -> str:
        """s[i] as s[padded(i)], where the same array has such indices elsewhere."""
        if self._function is None or not self._on_device or index.type == "call_expression":
            return text
        found: dict[str, None] = {}
        for one in within(self._function.node):
            argument, at = one.child_by_field_name("argument"), one.child_by_field_name("indices")
            call = at.named_children[0] if at is not None and at.named_children else None
            if one.type == "subscript_expression" and argument is not None and text_of(argument) == text_of(base):
                name = _called_alone(call)
                found |= {name: None} if name in self.devices else {}
        for name in found:
            other = f"{name}({short(index)})"
            number = self._add("mapped", index, (short(index), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _swapped(self, index: Node, text: str) -> str:
        """An index in which two variables have taken each other's place."""
        if index.type != "binary_expression" or not self._on_device:
            return text
        names = dict.fromkeys(text_of(one) for one in within(index) if one.type == "identifier")
        known = integers_in(index, self._variables)
        whole = on_one_line(index)
        for a, b in list(combinations([one for one in names if one in known], 2))[:MOST_NAMES]:
            other = exchanged_names(whole, a, b)
            number = self._add("layout", index, (whole, other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        for other in self._sizes_exchanged(index):
            number = self._add("layout", index, (whole, other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _sizes_exchanged(self, index: Node) -> Iterator[str]:
        """wrapped(y, columns) * columns + wrapped(x, rows): two sizes in each other's place, and the third stays."""
        sizes = [one for one in within(index) if one.type == "identifier" and text_of(one) in self._bounds]
        for one, other in combinations(sizes, 2) if len(sizes) > 2 else ():
            if text_of(one) != text_of(other):
                first, last = self._text[index.start_byte : one.start_byte], self._text[other.end_byte : index.end_byte]
                between = self._text[one.end_byte : other.start_byte].decode()
                whole = f"{first.decode()}{text_of(other)}{between}{text_of(one)}{last.decode()}"
                yield " ".join(whole.split())


def _called_alone(node: Node | None) -> str:
    """The function of a call with one argument; "": it is none."""
    given = node.child_by_field_name("arguments") if node is not None and node.type == "call_expression" else None
    is_alone = given is not None and len(given.named_children) == 1
    return text_of(node.children[0]) if node is not None and is_alone else ""
