"""Changes of calls: another function, arguments by one or in another order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from autograder.cause.expressions import Expressions
from autograder.cause.names import INTEGERS, MOST_NAMES
from autograder.cause.source import text_of
from autograder.cause.writer import short

_PAIRS = (
    ("min", "max"), ("std::min", "std::max"), ("fminf", "fmaxf"), ("__shfl_up_sync", "__shfl_down_sync"),
    ("shuffle_up", "shuffle_down"), ("primitives::inclusive_sum", "primitives::exclusive_sum"),
)  # fmt: skip
OTHER = dict(_PAIRS) | {b: a for a, b in _PAIRS}
COPIES = ("cudaMemcpy", "cudaMemset", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol")
COMBINES = re.compile(r"op|\w*(Op|Order)\(\)(\.\w+)?")  # calls of these have a left and a right operand
OF_BLOCK = re.compile(r"(atomic\w+|__threadfence)_block")


def exchanged(given: Sequence[Node], at: int) -> str:
    """A list of arguments in which one and the next have changed places."""
    words = [short(one) for one in given]
    words[at], words[at + 1] = words[at + 1], words[at]
    return ", ".join(words)


class Calls(Expressions):
    """Writes calls."""

    def _call_expression(self, node: Node) -> str:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self._plain(node)
        given = [one for one in arguments.named_children if one.type != "comment"]
        name = re.sub(r"<.*", "", text_of(function), flags=re.DOTALL)
        if any(child.type == "kernel_call_syntax" for child in node.children) or name.removesuffix("Async") in COPIES:
            return self.of_runtime(node, name, given)
        written = [self._argument(name, one) for one in given]
        text = f"{self.write(function)}({', '.join(written)})"
        for kind, other in self._other_calls(node, name, given):
            number = self._add(kind, node, (short(node), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _other_calls(self, node: Node, name: str, given: Sequence[Node]) -> Iterator[tuple[str, str]]:
        """Kind and text of what may be called in its place."""
        whole, called = short(node), short(node.children[0])
        if name in OTHER:
            yield "function", whole.replace(name, OTHER[name], 1)
        if scoped := OF_BLOCK.fullmatch(name):
            yield "scope", whole.replace(name, scoped[1], 1)
        if COMBINES.fullmatch(name) and len(given) == 2:
            yield "operands", f"{called}({short(given[1])}, {short(given[0])})"
            if called.endswith("before"):
                yield "ties", f"!{called}({short(given[1])}, {short(given[0])})"
        if name == "dim3" and len(given) > 1 and short(given[0]) != short(given[1]):
            yield "arguments", f"dim3({exchanged(given, 0)})"
        types = self._types.get(name, [])
        if len(types) == len(given) > 1 and self._on_device:
            for at, (first, second) in enumerate(pairwise(given)):
                if types[at] == types[at + 1] and short(first) != short(second):
                    yield "arguments", f"{called}({exchanged(given, at)})"
            alike = [other for other, its in self._types.items() if its == types and other != name]
            earlier = [other for other in alike if self.devices.get(other, node.end_byte) < node.start_byte]
            for other in earlier[: MOST_NAMES - 1]:
                yield "function", re.sub(rf"\b{re.escape(name)}\b", other, whole, count=1)
        made = re.fullmatch(r"(\w+)(\{\}|\(\))", called)
        for known in self._variables if made else []:
            if made and known.type == made[1] and known.is_known(node):
                yield "name", whole.replace(made[0], known.name, 1)

    def _argument(self, name: str, node: Node) -> str:
        inner = self.write(node)
        allocates = re.search(r"\.get$|^cudaMalloc", name) and not self._on_device
        if allocates and node.type not in ("pointer_expression", "lambda_expression"):
            return self._larger(node, inner)
        if node.type == "qualified_identifier":
            for other in self._variables:  # a parameter in place of one of its values
                if other.type == text_of(node).partition("::")[0] and other.depth == 0 and other.is_known(node):
                    number = self._add("name", node, (text_of(node), other.name))
                    inner = f"(what_if::is({number}) ? {other.name} : {inner})"
        if name in self._types and node.type == "identifier" and self._on_device:
            # Of the same type, so that a reference may be to either; an array is none to another one.
            for known in [one for one in self._like(node) if not one.depth][: MOST_NAMES - 1]:
                number = self._add("name", node, (text_of(node), known.name))
                inner = f"(what_if::is({number}) ? {known.name} : {inner})"
        is_number = node.type == "number_literal" and not text_of(node).lower().startswith("0x")
        is_integer = any(
            one.name == text_of(node) and one.depth == 0 and one.type in INTEGERS and one.is_known(node)
            for one in self._variables
        )
        if is_number and not self._on_device:
            inner = self.other_size(node, inner)
        if is_number or node.type == "binary_expression" or name == "ceil_div" or (is_integer and name in self._types):
            beside = self._beside(node, inner, "argument")
            return self._scaled(node, beside, "argument") if is_number and self._on_device else beside
        return inner

    def _lambda_expression(self, node: Node) -> str:
        body = node.child_by_field_name("body")
        if body is None or not self._on_device:
            return text_of(node)
        return self._plain(node, lambda child: self.write(child) if child == body else text_of(child))

    def of_runtime(self, node: Node, name: str, given: Sequence[Node]) -> str:
        """A launch or a copy: see Launches."""
        return self._plain(node)
