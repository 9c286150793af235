"""Writes a function with its changes: what all kinds of changes share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from tree_sitter import Node

from autograder.cause.change import Change
from autograder.cause.source import Function, text_of, within
from autograder.cause.variables import Variable, arrays_of_file, variables_of

LAMBDA = "lambda_expression"  # each has a type of its own
LEAST_APART = 2  # changes: an expression with so many is written twice, as without them it runs quicker
LEAST_TWICE = 8  # the same of a loop, or of a function
OF_STATEMENT = 1 << 20  # added to the number of a region's first change where it is no loop and no function
PRAGMA = re.compile(r"^[ \t]*#\s*pragma[^\n]*\n\s*\Z", re.MULTILINE)
BEHIND = ("barrier", "fence", "warp_barrier", "remaining", "missing_else")
CONSTANT = (  # what is computed while compiling stays as it is
    "template_argument_list", "array_declarator", "static_assert_declaration", "attribute_specifier",
    "preproc_call", "preproc_def", "preproc_if", "preproc_ifdef", "parameter_list", "enumerator_list",
    "sizeof_expression", "decltype", "string_literal", "char_literal", "template_parameter_list",
)  # fmt: skip


class Writer:
    """Writes nodes with their changes, from the inside out. An alternative repeats the text without changes."""

    def __init__(self, text: bytes, without: Collection[int], types: Mapping[str, list[str]]) -> None:
        self.changes: list[Change] = []
        self.devices: dict[str, int] = {}  # functions that kernels may call, and where they begin
        self.kernels: dict[str, int] = {}
        self.returned: dict[str, str] = {}  # the type that each function of the file returns
        self._text = text
        self._without = without
        self._function: Function | None = None
        self._parameters: list[str] = []
        self._variables: list[Variable] = []
        self._of_file: list[Variable] = []
        self._is_target = False  # whether something is stored to the expression that is written now
        self._has_unsigned = False  # whether the function names an unsigned type
        self._in_index = False  # what is written now is a part of an index or a comparison
        self._bounds: list[str] = []  # integer parameters
        self._moved: dict[int, list[int]] = {}  # barriers that may stand behind an if, by its first byte
        self._second: dict[int, list[int]] = {}  # changes with which a statement, by its first byte, comes earlier
        self._late: dict[int, list[int]] = {}  # returns that may come later, by the first byte of theirs or their if
        self._layouts: dict[tuple[str, str, str], int] = {}
        self._again: list[tuple[int, int]] = []  # a change that is made in several places, and how many there were
        self._mixed: list[tuple[int, str, str]] = []  # of the declaration that is written now: names to exchange
        self._ifs: list[Node] = []  # around what is written now
        self._loops: list[Node] = []
        self._instead: dict[tuple[int, int], list[tuple[int, str]]] = {}  # a node's bytes: changes of several places
        self._regions: list[int] = [0]  # what is written twice, around what is written now, by its first change
        self._types = types  # of each function's parameters

    def body(self, function: Function, body: Node, begins: bool) -> str:
        self._function = function
        if not self._of_file:
            self._of_file = arrays_of_file(_root_of(function.node))
        self._has_unsigned = re.search(r"unsigned|size_t|uint", text_of(function.node)) is not None
        self._variables = [*(self._of_file if self._on_device else []), *variables_of(function)]
        self._parameters = re.findall(r"(\w+)\s*(?:,|\)|=)", function.head)
        self._bounds = re.findall(r"\b(?:int|unsigned|size_t|long long)\s+(\w+)\s*(?=[,)])", function.head)
        text = self.write(body)
        return text.replace("{", "{what_if::begin(); ", 1) if begins else text

    def all_changes(self) -> tuple[Change, ...]:
        several = {number for number, places in Counter(number for number, _ in self._again).items() if places > 1}
        return tuple(replace(one, region=-one.number) if one.number in several else one for one in self.changes)

    def _made_here(self, number: int) -> None:
        """Of a change that is made in several places: this is one of them."""
        self._again.append((number, len(self.changes)))

    def _add(self, kind: str, node: Node, *alternatives: tuple[str, str], decides: Node | None = None) -> int:
        """Numbers for (was, now) texts; the first one. What stands behind a statement has the statement's last line.

        `decides`: what may not run with the change, because it is about that; usually the node itself.
        """
        first = len(self.changes) + 1
        row = node.end_point.row if kind in BEHIND else node.start_point.row
        last = (decides or node).end_point.row + 1
        for was, now in alternatives:
            words = " ".join(was.split()), " ".join(now.split())
            self.changes.append(Change(len(self.changes) + 1, kind, row + 1, *words, last, self._regions[-1]))
        return first

    def _stays(self, node: Node) -> bool:
        lines = range(node.start_point.row + 1, node.end_point.row + 2)
        return any(line in self._without for line in lines)

    def _plain(self, node: Node, render: Callable[[Node], str] | None = None) -> str:
        """The node's own text with its children rendered."""
        render = render or self.write
        if not node.children:
            return text_of(node)
        out, at = [], node.start_byte
        for child in node.children:
            out += [self._text[at : child.start_byte].decode(), render(child)]
            at = child.end_byte
        return "".join(out) + self._text[at : node.end_byte].decode()

    def write(self, node: Node) -> str:
        """The node's text with its changes."""
        if node.type in CONSTANT or (
            self._stays(node) and node.type != "compound_statement" and not _holds_statements(node)
        ):
            return text_of(node)
        writer = getattr(self, f"_{node.type}", None)
        text = str(writer(node)) if writer else self._plain(node)
        for number, other in self._instead.get((node.start_byte, node.end_byte), []):
            self._made_here(number)
            text = f"(what_if::is({number}) ? ({other}) : {text})"
        return text

    def _case_statement(self, node: Node) -> str:
        """What follows a case; its value stays."""
        value = node.child_by_field_name("value")
        return self._plain(node, lambda one: text_of(one) if one == value else self.write(one))

    def at_once(self, kind: str, whole: Node, now: str, parts: Iterable[tuple[Node, str]]) -> None:
        """One change of several places, that are written after it: each part gets another text."""
        number = self._add(kind, whole, (short(whole), now))
        for part, other in parts:
            self._instead.setdefault((part.start_byte, part.end_byte), []).append((number, other))

    @property
    def _on_device(self) -> bool:
        return self._function is not None and self._function.on_device

    def _only_if_tried(self, node: Node, first: int, written: str) -> str:
        """An expression with its changes, from this number on, if one of them is tried; else as it is."""
        last = len(self.changes)
        if last - first < LEAST_APART or not self._on_device or any(one.type == LAMBDA for one in within(node)):
            return written
        self._has_own_region(first)
        return f"({self._is_one_from(first)} ? ({written}) : ({on_one_line(node)}))"

    def _has_own_region(self, first: int) -> None:
        """The changes from this number on run in code that others do not run: in a loop, that is far slower."""
        if len(self.changes) - first < LEAST_TWICE:
            return
        for at, one in enumerate(self.changes[first - 1 :], first - 1):
            if one.region == self._regions[-1]:
                self.changes[at] = replace(one, region=first + OF_STATEMENT)

    def twice(self, node: Node, write: Callable[[Node], str]) -> str:
        """A loop with its changes, if one of them is tried; else as it is, which runs much quicker."""
        first = len(self.changes) + 1
        self._regions.append(first)
        written = write(node)
        self._regions.pop()
        text = text_of(node)
        if len(self.changes) - first < LEAST_TWICE or not self._on_device or "__shared__" in text:
            return written
        pragma = PRAGMA.search(self._text[: node.start_byte].decode())
        before = pragma[0].strip() + "\n" if pragma else ""
        return self._either(first, node.start_point.row, before + written, before + text, node.end_point.row)

    def _either(self, first: int, row: int, written: str, plain: str, last_row: int) -> str:
        """Two texts that begin in the same row, of which the first runs if a change from this number on is tried."""
        begins = f"\n#line {row + 1}\n"
        ends = f"\n#line {last_row + 1}\n"
        return f"if ({self._is_one_from(first)}) {{{begins}{written}}} else {{{begins}{plain}}}{ends}"

    def _is_one_from(self, first: int) -> str:
        """A condition: one of the changes from this number on is tried, or one that is made here as elsewhere."""
        again = dict.fromkeys(number for number, there in self._again if there >= first - 1 and number < first)
        return " || ".join(
            [f"what_if::in({first}, {len(self.changes)})", *(f"what_if::in({one}, {one})" for one in again)]
        )

    def _target(self, write: Callable[[Node], str], node: Node) -> str:
        """What is stored to, or may be: no other array takes its place."""
        self._is_target = True
        text = write(node)
        self._is_target = False
        return text

    def _replaced(self, whole: Node, first: Node, last: Node, text: str) -> str:
        """The text of `whole` on one line, with `text` from one of its parts to another."""
        before = self._text[whole.start_byte : first.start_byte].decode()
        return " ".join((before + text + self._text[last.end_byte : whole.end_byte].decode()).split())


def _root_of(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node


def on_one_line(node: Node) -> str:
    """The text without its comments, which would end a line."""
    out, at, text = [], node.start_byte, node.text or b""
    for one in within(node):
        if one.type == "comment":
            out.append(text[at - node.start_byte : one.start_byte - node.start_byte].decode())
            at = one.end_byte
    return " ".join("".join([*out, text[at - node.start_byte :].decode()]).split())


def short(node: Node) -> str:
    return " ".join(text_of(node).split())


def bracketed(node: Node) -> str:
    text = short(node)
    return f"({text})" if node.type in ("binary_expression", "conditional_expression") else text


def asked(number: int, condition: str) -> str:
    """A condition with three changes from this number on: it holds, it does not, its opposite."""
    return (
        f"what_if::is({number}) || (!what_if::is({number + 1}) && (static_cast<bool>({condition}) != "
        f"what_if::is({number + 2})))"
    )


def _holds_statements(node: Node) -> bool:
    return node.type in ("if_statement", "for_statement", "while_statement", "do_statement", "else_clause")
