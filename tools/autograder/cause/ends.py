"""Changes of the host's statements: what is missing between them, and at the end of a function."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.forgotten import Forgotten
from autograder.cause.orders import Orders
from autograder.cause.source import text_of
from autograder.cause.variables import Variable

WORK = re.compile(r"<<<|cuda\w*Async|cudaLaunch|Stream")


class Ends(Forgotten, Orders):
    """Writes the bodies of host functions."""

    def of_host(self, node: Node) -> str:
        """Statements of the host; behind each that starts work, a wait for it, and at the end a copy of the result."""
        assert self._function is not None
        waits = "cudaStream" in text_of(self._function.node)
        out, at = [], node.start_byte
        for child in node.children:
            is_end = child.type == "}" and node == self._function.node.child_by_field_name("body")
            out.append(self._text[at : child.start_byte].decode())
            if is_end and "void" in self._function.head:
                out.append(self._copies(node))
            out += [self.forgotten_before(node, child), self.in_other_order(child, self.write(child))]
            if waits and child.type == "expression_statement" and WORK.search(text_of(child)):
                out.append(f" what_if::wait({self._add('wait', child, ('', 'cudaDeviceSynchronize();'))});")
            at = child.end_byte
        return "".join(out) + self._text[at : node.end_byte].decode()

    def _where_copied(self, body: Node, other: Variable) -> list[tuple[Node, str]]:
        """Where a mistake is that such a copy makes up for, and when: after steps, the last one chose wrongly.

        Where no step has been made, the array that is read still is the input, and the copy is missing at the end.
        """
        chosen = [one for one in self._variables if one.depth == 1 and "?" in one.value and one.type == other.type]
        if other.value not in self._parameters or not chosen:
            return [(body.children[-1], "")]
        place = body.descendant_for_byte_range(chosen[0].at - 1, chosen[0].at - 1) or body.children[-1]
        return [
            (place, f"if ({other.name} != {other.value}) "),
            (body.children[-1], f"if ({other.name} == {other.value}) "),
        ]

    def _count_of_elements(self, text: str) -> str:
        """How many elements the result has: n, or as many as a temporary array."""
        allocated = re.findall(r"\.get<[^>]*>\((\w+)\)", text)
        return next((one for one in ("n", *allocated) if one in self._parameters), "")

    def _copies(self, body: Node) -> str:
        """Copies of temporary arrays to the output; frees of what the function has allocated."""
        out, text = [], text_of(body)
        pointers = [one for one in self._variables if one.depth == 1]
        results = [one for one in pointers if one.name in self._parameters and not one.is_const]
        if count := self._count_of_elements(text):
            for to in results:
                for other in pointers:
                    if other.name not in self._parameters and other.until == body.end_byte and other.type == to.type:
                        call = f"cudaMemcpy({to.name}, {other.name}, {count} * sizeof *{to.name}, cudaMemcpyDefault);"
                        for at, asked in self._where_copied(body, other):
                            number = self._add("elsewhere", at, ("", call))
                            out.append(f"{asked}what_if::copied({number}, {to.name}, {other.name}, {count}); ")
        kept = [one for one in re.findall(r"cudaMalloc\w*\(&(\w+)", text) if not re.search(rf"Free\w*\({one}\b", text)]
        if kept:
            frees = " ".join(f"cudaFree({one});" for one in kept)
            out.append(f"if (what_if::is({self._add('not_freed', body.children[-1], ('', frees))})) {{ {frees} }} ")
        return "".join(out)
