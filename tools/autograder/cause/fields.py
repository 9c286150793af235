"""Changes of fields: another field of the same struct, and arrays that a struct holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from autograder.cause.source import text_of, within
from autograder.cause.variables import Variable, declared_in
from autograder.cause.writer import Writer, short

OF_INDICES = re.compile(r"order|ind(ex|ices)|cols?\b|columns?\b|rows?\b|ids?\b|perm|places?\b|from\b|targets?\b")
SIZE = re.compile(r"n|rows|cols|columns|width|height|depth|count|size|length|pitch|stride")
MOST_FIELDS_OF_ONE = 3


class Fields(Writer):
    """Knows which fields the file's structs have, from where it names them."""

    _declared_in = -1  # the function of which something was asked last
    _its: list[Variable]

    @cached_property
    def _fields_of_types(self) -> dict[str, list[str]]:
        """Of each type of a struct: the fields that the file names, in their order."""
        found: dict[str, dict[str, None]] = {}
        assert self._function is not None
        for function in _functions_around(self._function.node):
            types = {one.name: one.type for one in declared_in(function, references=True) if not one.depth}
            for node in within(function):
                of, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
                is_called = node.parent is not None and node.parent.type == "call_expression"
                if node.type == "field_expression" and of is not None and name is not None and not is_called:
                    found.setdefault(types.get(text_of(of), ""), {})[text_of(name)] = None
        return {type_: list(names) for type_, names in found.items() if type_}

    @property
    def _declared(self) -> list[Variable]:
        """What this function declares, with what only refers to a variable."""
        assert self._function is not None
        node = self._function.node
        if self._declared_in != node.start_byte:
            self._declared_in, self._its = node.start_byte, declared_in(node, references=True)
        return self._its

    def _struct_at(self, node: Node) -> Variable | None:
        known = [one for one in self._declared if one.name == text_of(node) and one.is_known(node)]
        return known[-1] if known and not known[-1].depth else None

    def fields_of(self, type_: str) -> list[str]:
        """The fields of a type that the file names."""
        return self._fields_of_types.get(type_, [])

    def other_fields(self, of: Node, name: str) -> list[str]:
        """Other fields of the same struct: numbers for a number, arrays for an array."""
        own = self._struct_at(of)
        names = self.fields_of(own.type) if own else []
        is_array = name.startswith("d_")
        alike = [one for one in names if one != name and one.startswith("d_") == is_array]
        likelier = [one for one in alike if is_array or (SIZE.fullmatch(one) and SIZE.fullmatch(name))]
        return list(dict.fromkeys([*likelier, *alike]))[:MOST_FIELDS_OF_ONE]

    def arrays_in_fields(self, base: Node) -> list[str]:
        """Arrays of indices that the structs which are known here hold, as they are named here."""
        return [one for one in self.arrays_at(base) if OF_INDICES.search(one.partition(".")[2])]

    def arrays_at(self, base: Node) -> list[str]:
        """Arrays that the structs which are known here hold, but for this one."""
        structs = {one.name: one.type for one in self._declared if not one.depth and one.is_known(base)}
        named = [
            f"{name}.{field}"
            for name, type_ in structs.items()
            for field in self.fields_of(type_)
            if field.startswith("d_")
        ]
        return [one for one in named if one != short(base)]


def _functions_around(node: Node) -> Iterator[Node]:
    """All functions of the file."""
    while node.parent is not None:
        node = node.parent
    yield from (one for one in within(node) if one.type == "function_definition")
