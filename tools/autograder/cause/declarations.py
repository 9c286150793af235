"""Changes of declarations: what a variable begins with, the sides of a grid, two names exchanged."""

from __future__ import annotations

import re
from itertools import pairwise, product

from tree_sitter import Node

from autograder.cause.calls import Calls
from autograder.cause.edges import Edges
from autograder.cause.names import MOST_NAMES, exchanged_names, integers_in
from autograder.cause.source import text_of, within
from autograder.cause.writer import bracketed, on_one_line, short

# A loop that is tried in place of an if moves a variable on that is made of these.
OF_THREAD = re.compile(r"\b(?:thread|block)Idx\b|\blane\b")


class Declarations(Calls, Edges):
    """Writes declarations."""

    def _declaration(self, node: Node) -> str:
        text = text_of(node)
        if re.match(r"(const\s+|static\s+|constexpr\s+)*constexpr|extern|typedef|using", text) or "__shared__" in text:
            return self._text[node.start_byte : node.end_byte].decode()  # with what the parser does not know
        if re.match(r"(const )?dim3 ", text):
            return self._plain(node, self._sides_of)
        if (
            re.match(r"(static\s+)?const\b", text)
            and "*" not in text
            and not re.search(r"\b(threadIdx|blockIdx)\b|\]\s*=?\s*\{", text)
        ):
            return text  # it may be the size of an array
        values = [one.child_by_field_name("value") for one in node.children_by_field_name("declarator")]
        for first, last in pairwise(values):
            self.limited_range(node, first, last, is_last=True)
        before, self._mixed = self._mixed, self._mixed_up(node)
        written = self._plain(node)
        self._mixed = before
        is_pointer = any(one.type == "pointer_declarator" for one in within(node))
        is_moved = OF_THREAD.search(text) and not is_pointer
        return re.sub(r"^const\s+(?=(int|unsigned)\b)", "", written) if is_moved else written

    def _sides_of(self, node: Node) -> str:
        """`grid(a, b)`, which the parser takes for a function if both are names."""
        name, given = (node.child_by_field_name(one) for one in ("declarator", "parameters"))
        if node.type != "function_declarator" or name is None or given is None:
            return self.write(node)
        return f"{text_of(name)}({self.sides(given)})"

    def _mixed_up(self, node: Node) -> list[tuple[int, str, str]]:
        """`int row = left + y, column = top + x;` with left and top exchanged: the change's number, and both names."""
        values = [one.child_by_field_name("value") for one in node.children_by_field_name("declarator")]
        found = [integers_in(one, self._variables) for one in values if one is not None]
        if len(found) != 2 or not self._on_device:
            return []
        mixed = []
        for a, b in list(product(sorted(found[0] - found[1]), sorted(found[1] - found[0])))[:MOST_NAMES]:
            number = self._add("layout", node, (short(node), exchanged_names(on_one_line(node), a, b)))
            mixed.append((number, a, b))
        return mixed

    def _init_declarator(self, node: Node) -> str:
        value, name = node.child_by_field_name("value"), node.child_by_field_name("declarator")
        if value is not None and name is not None and name.type == "pointer_declarator":
            return self._plain(node) if value.type == "binary_expression" else self._allocated(node)
        if value is None or name is None or name.type != "identifier" or value.type == "initializer_list":
            is_table = value is not None and value.type == "initializer_list"
            return self._plain(node) if is_table or (name is not None and name.type == "identifier") else text_of(node)
        before = self._text[node.start_byte : value.start_byte].decode()
        type_ = node.parent.child_by_field_name("type") if node.parent else None
        if value.type == "argument_list" and type_ is not None and text_of(type_) == "dim3":
            return before + f"({self.sides(value)})"
        if value.type == "argument_list":  # of a constructor
            given = [one for one in value.named_children if one.type != "comment"]
            return f"{before}({', '.join(self._argument('', one) for one in given)})"
        first = len(self.changes) + 1
        written = self.of_whole_grid(
            value, self._value(value, "" if type_ is None or "auto" in text_of(type_) else text_of(type_))
        )
        if re.search(r"bytes|size", text_of(name)) and not self._on_device and "sizeof" not in text_of(value):
            number = self._add("bytes", value, (short(value), f"{bracketed(value)} * sizeof(float)"))
            written = f"what_if::bytes({number}, {written}, 4)"
        if re.search(r"bytes|size|count", text_of(name)) and not self._on_device and value.type == "binary_expression":
            number = self._add("factor", value, (short(value), f"{bracketed(value)} * {bracketed(value)}"))
            written = f"what_if::times_one_of({number}, {written}, {short(value)})"
        written = self._only_if_tried(value, first, written)
        for number, one, other in self._mixed:
            written = f"(what_if::is({number}) ? {exchanged_names(on_one_line(value), one, other)} : {written})"
        return before + written + self._text[value.end_byte : node.end_byte].decode()

    def _allocated(self, node: Node) -> str:
        """A pointer's first value, in which only the size of what is allocated changes."""
        is_call = node.type == "call_expression" and re.match(r"[\w.]+\.get<", text_of(node))
        return self.write(node) if is_call and not self._on_device else self._plain(node, self._allocated)
