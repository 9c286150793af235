"""The small changes of a program that might repair it, all in one text: each is switched on by its number.

The text is compiled once (what_if.h is included before it) and called with one change after the other. Loops and
functions stand in it twice, with changes and as they are, so that a call runs quickly where its change is not. By #line
its lines are those of the student's file, so that the compiler's messages and findings name those.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from autograder.cause.change import Changeable
from autograder.cause.source import Function
from autograder.cause.statements import Statements
from autograder.cause.variables import types_of

RETURNED = re.compile(r"([\w>]+[*&]*)\s+[*&]*\w+\s*\(")  # the type before a function's name


def changeable(
    text: bytes, functions: Sequence[Function], tasks: Collection[str], without: Collection[int]
) -> Changeable:
    """The file with the changes of these functions; `tasks`: those that begin a call. `without`: lines that stay."""
    writer = Statements(text, without, {one.name: types_of(one) for one in functions})
    writer.devices = {one.name: one.node.start_byte for one in functions if "__device__" in one.head}
    writer.returned = {one.name: found[1] for one in functions if (found := RETURNED.search(one.head))}
    writer.kernels = {one.name: one.node.start_byte for one in functions if "__global__" in one.head}
    pieces: list[bytes] = []
    at = 0
    for function in sorted(functions, key=lambda one: one.node.start_byte):
        body = function.node.child_by_field_name("body")
        if body is None or body.start_byte < at or "constexpr" in function.head or body.type != "compound_statement":
            continue
        pieces += [text[at : body.start_byte], writer.body(function, body, function.name in tasks).encode()]
        at = body.end_byte
    return Changeable(b"".join([*pieces, text[at:]]), writer.all_changes())
