"""A CUDA source file as a tree: its functions, and which of them a task reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from autograder.errors import GraderError

_PARSER = Parser(Language(tree_sitter_cuda.language()))
_UNKNOWN = re.compile(rb"__(maxnreg|align)__\(\d+\)")  # what the parser does not know
_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[^\n]*", re.MULTILINE)  # nor between the head of a loop and its body
_NAMES = ("identifier", "field_identifier", "type_identifier", "namespace_identifier")


def stored_element(statement: Node | None) -> tuple[Node, Node] | None:
    """`x[i] = value;`: the element and the value; None: it is another statement."""
    stored = statement.named_children[:1] if statement is not None else []
    left, right = (stored[0].child_by_field_name(one) if stored else None for one in ("left", "right"))
    if (
        left is None
        or right is None
        or stored[0].type != "assignment_expression"
        or left.type != "subscript_expression"
    ):
        return None
    return (left, right) if text_of(stored[0].children[1]) == "=" else None


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8")


def within(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    yield node
    for child in node.children:
        yield from within(child)


def names_in(node: Node) -> set[str]:
    return {text_of(one) for one in within(node) if one.type in _NAMES}


@dataclass(frozen=True)
class Function:
    """A function with a body."""

    file: str
    name: str  # "" for an operator, constructor or destructor: called with its class
    owner: str  # its class, or ""
    node: Node
    head: str  # all before the body

    @property
    def on_device(self) -> bool:
        return "__global__" in self.head or "__device__" in self.head

    @property
    def on_host(self) -> bool:
        return not self.on_device or "__host__" in self.head

    @property
    def label(self) -> str:
        return "::".join(part for part in (self.owner, self.name or "()") if part)


@dataclass(frozen=True)
class Source:
    """One parsed file of a solution. `partly`: functions that the parser does not understand are left out."""

    name: str
    text: bytes
    partly: bool = False

    @cached_property
    def root(self) -> Node:
        text = _without(_UNKNOWN, self.text)
        root = _PARSER.parse(text).root_node
        if root.has_error:
            root = _PARSER.parse(_without(_PRAGMA, text)).root_node
        broken = None if self.partly else next((one for one in within(root) if one.is_error or one.is_missing), None)
        if broken is not None:
            raise GraderError(f"{self.name}:{broken.start_point.row + 1}: the parser does not understand this")
        return root

    @cached_property
    def functions(self) -> list[Function]:
        found = [node for node in within(self.root) if _has_body(node) and not node.has_error]
        return [_function(self, node) for node in found]

    @cached_property
    def includes(self) -> list[str]:
        return re.findall(r'^#include "([^"]+)"', self.text.decode("utf-8"), re.MULTILINE)

    @cached_property
    def aliases(self) -> dict[str, set[str]]:
        """using Pair = Headed<int>: who names Pair names Headed."""
        found = {}
        for node in within(self.root):
            name = node.child_by_field_name("name") if node.type == "alias_declaration" else None
            if name is not None:
                found[text_of(name)] = names_in(node)
        return found

    def instantiated(self, task: str) -> set[str]:
        """The names in `template void task<...>(...);`: with what the task is graded."""
        nodes = [node for node in within(self.root) if node.type == "template_instantiation"]
        return set().union(*(names for names in map(names_in, nodes) if task in names))

    def line(self, offset: int) -> int:
        return self.text.count(b"\n", 0, offset) + 1


def _without(pattern: re.Pattern[bytes], text: bytes) -> bytes:
    return pattern.sub(lambda found: b" " * len(found[0]), text)


def _has_body(node: Node) -> bool:
    return node.type == "function_definition" and node.child_by_field_name("body") is not None


def _declarator(node: Node) -> Node:
    """The function's own declarator, below those of what it returns."""
    found = next((one for one in within(node) if one.type == "function_declarator"), None)
    inner = found.child_by_field_name("declarator") if found else None
    if inner is None:
        raise GraderError(f"line {node.start_point.row + 1}: a function without a name")
    return inner


def _function(source: Source, node: Node) -> Function:
    body = node.child_by_field_name("body")
    assert body is not None
    declared = _declarator(node)
    name, owner = text_of(declared), ""
    parent = node.parent
    while parent is not None and not owner:
        if parent.type in ("struct_specifier", "class_specifier"):
            named = parent.child_by_field_name("name")
            owner = text_of(named) if named else ""
        parent = parent.parent
    if "::" in name:
        owner, _, name = name.rpartition("::")
    owner = re.sub(r"<.*", "", owner).split("::")[-1]
    if name == owner or name.startswith(("operator", "~")):
        name = ""
    head = source.text[node.start_byte : body.start_byte].decode("utf-8")
    return Function(source.name, name, owner, node, head)


def reached(every: Sequence[Function], aliases: Mapping[str, set[str]], names: set[str]) -> list[Function]:
    """The functions with these names, and all that they use by name, in the order of `every`."""
    names, left = set(names), dict(aliases)
    found: list[Function] = []
    grown = True
    while grown:
        for name in [name for name in left if name in names]:
            names |= left.pop(name)
        new = [one for one in every if one not in found and _called(one, names)]
        for function in new:
            names |= names_in(function.node)
        found += new
        grown = bool(new)
    return [one for one in every if one in found]


def _called(function: Function, names: set[str]) -> bool:
    if function.owner:
        return function.owner in names and (not function.name or function.name in names)
    return function.name in names
