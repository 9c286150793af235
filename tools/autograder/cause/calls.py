"""Changes of calls: another function, arguments by one or in another order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from tree_sitter import Node

from autograder.cause.choices import is_condition
from autograder.cause.masks import Masks
from autograder.cause.names import INTEGERS, MOST_NAMES
from autograder.cause.source import text_of, within
from autograder.cause.values import Values
from autograder.cause.writer import bracketed, short

_ALIKE = (
    ("min", "max"), ("std::min", "std::max"), ("fminf", "fmaxf"),
    ("atomicMin", "atomicMax"), ("atomicAdd", "atomicSub"),
    ("__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"), ("shuffle_up", "shuffle_down"),
    ("__any_sync", "__all_sync"), ("floorf", "ceilf"), ("atomicAnd", "atomicOr", "atomicXor"),
    ("primitives::inclusive_sum", "primitives::exclusive_sum"),
)  # fmt: skip
OTHERS = {one: [other for other in names if other != one] for names in _ALIKE for one in names}
COPIES = ("cudaMemcpy", "cudaMemset", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol")
# Calls of these have a left and a right operand.
COMBINES = re.compile(r"op|\w*(Op|Order)\(\)(\.\w+)?|(\w+\.)?(before|less|precedes|comes?_\w+|comp|compare)")
ORDERS = re.compile(r"(.*\.)?(before|less|precedes|comes?_\w+|comp|compare)")  # and of these, an order of the two
OF_RUNTIME = re.compile(r"cuda\w+|CUDA_CHECK|todo|.*\.get$")  # calls of these keep their names
OF_BLOCK = re.compile(r"(atomic\w+|__threadfence)_block")


def _is_quotient(node: Node) -> bool:
    return node.type == "binary_expression" and text_of(node.children[1]) == "/"


def _rounded_up(quotient: Node) -> str:
    a, b = bracketed(quotient.children[0]), bracketed(quotient.children[2])
    return f"(({a} + {b} - 1) / {b})"


def exchanged(given: Sequence[Node], at: int) -> str:
    """A list of arguments in which one and the next have changed places."""
    words = [short(one) for one in given]
    words[at], words[at + 1] = words[at + 1], words[at]
    return ", ".join(words)


def _is_stored_to(parameter: str) -> bool:
    """Whether a parameter of this type is a reference to a variable, in whose place no sum can stand."""
    return parameter.endswith("&") and not parameter.startswith("const")


class Calls(Values, Masks):
    """Writes calls."""

    def _call_expression(self, node: Node) -> str:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self._plain(node)
        given = [one for one in arguments.named_children if one.type != "comment"]
        name = re.sub(r"<.*", "", text_of(function), flags=re.DOTALL)
        if any(child.type == "kernel_call_syntax" for child in node.children) or name.removesuffix("Async") in COPIES:
            return self.of_runtime(node, name, given)
        if name == "dim3":
            return f"{text_of(function)}({self.sides(arguments, name)})"
        written = [self._argument(name, one, given) for one in given]
        text = f"{self.write(function)}({', '.join(written)})"
        for kind, other in self._other_calls(node, name, given):
            number = self._add(kind, node, (short(node), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        if len(given) == 1 and (self.returned.get(name) == "bool" or any(one.name == name for one in self._variables)):
            number = self._add("comparison", node, (short(node), f"!{short(node)}"))
            text = f"what_if::negated({number}, {text})"
        return self.converted_first(node, text)

    def _cast_expression(self, node: Node) -> str:
        return self.converted_first(node, self._plain(node))

    def _other_calls(self, node: Node, name: str, given: Sequence[Node]) -> Iterator[tuple[str, str]]:
        """Kind and text of what may be called in its place."""
        whole, called = short(node), short(node.children[0])
        for other in OTHERS.get(name, []):
            yield "function", whole.replace(name, other, 1)
        if scoped := OF_BLOCK.fullmatch(name):
            yield "scope", whole.replace(name, scoped[1], 1)
        if COMBINES.fullmatch(name) and len(given) == 2:
            yield "operands", f"{called}({short(given[1])}, {short(given[0])})"
            if ORDERS.fullmatch(called) and called not in self._types:
                yield "ties", f"!{called}({short(given[1])}, {short(given[0])})"
        if name == "__popc" and self._on_device and (counted := self.counted_lanes(given[0])):
            yield "other_lanes", f"__popc({counted})"
        if name == "__shfl_sync" and len(given) > 2 and self._on_device and given[2].type == "number_literal":
            mask, value, lane, *_ = (short(one) for one in given)
            yield "other_lane", f"{called}({mask}, {value}, {31 if lane == '0' else 0})"
        types = self._types.get(name, [])
        if self.returned.get(name) == "bool" and len(given) == 2 == types.count((*types, "")[0]):
            yield "ties", f"!{called}({short(given[1])}, {short(given[0])})"
        if len(types) == len(given) > 1 and self._on_device:
            for at, (first, second) in enumerate(pairwise(given)):
                if types[at] == types[at + 1] and short(first) != short(second):
                    yield "arguments", f"{called}({exchanged(given, at)})"
            alike = [other for other, its in self._types.items() if its == types and other != name]
            alike = [other for other in alike if self.returned.get(other) == self.returned.get(name)]
            earlier = [other for other in alike if self.devices.get(other, node.end_byte) < node.start_byte]
            for other in earlier[: MOST_NAMES - 1]:
                yield "function", re.sub(rf"\b{re.escape(name)}\b", other, whole, count=1)
        made = re.fullmatch(r"(\w+)(\{\}|\(\))", called)
        for known in self._variables if made else []:
            if made and known.type == made[1] and known.is_known(node):
                yield "name", whole.replace(made[0], known.name, 1)

    def _argument(self, name: str, node: Node, given: Sequence[Node] = ()) -> str:
        """An argument of a call of `name`. `given`: all of them, where names may be exchanged on the host."""
        types = self._types.get(name, [])
        if node in given and _is_stored_to(types[list(given).index(node)] if len(types) == len(given) else ""):
            return self._target(self.write, node) if node.type == "subscript_expression" else self.write(node)
        inner = self.write(node)
        allocates = re.search(r"\.get$|^cudaMalloc", name) and not self._on_device
        if allocates and node.type not in ("pointer_expression", "lambda_expression"):
            return self._larger(node, inner)
        if node.type == "qualified_identifier":
            for other in self._variables:  # a parameter in place of one of its values
                if other.type == text_of(node).partition("::")[0] and other.depth == 0 and other.is_known(node):
                    number = self._add("name", node, (text_of(node), other.name))
                    inner = f"(what_if::is({number}) ? {other.name} : {inner})"
        if not self._on_device and node.type == "identifier" and given and not OF_RUNTIME.match(name):
            inner = self._other_given(name, node, inner, given)
        is_number = node.type == "number_literal" and not text_of(node).lower().startswith("0x")
        is_integer = any(
            one.name == text_of(node) and one.depth == 0 and one.type in INTEGERS and one.is_known(node)
            for one in self._variables
        )
        if is_number and not self._on_device:
            inner = self.other_size(node, inner)
        is_sum = node.type == "binary_expression" and not is_condition(node)
        if is_number or is_sum or name == "ceil_div" or (is_integer and name in self._types):
            if name == "ceil_div" and not self._on_device and given and node == given[0]:
                inner = self._more_of_host(node, inner)
            beside = self._beside(node, inner, "argument")
            is_size = is_number and (self._on_device or not OF_RUNTIME.match(name))
            return self._scaled(node, beside, "argument") if is_size else beside
        return inner

    def _more_of_host(self, node: Node, inner: str) -> str:
        """What is divided among blocks: a count more."""
        counts = [*self.fields_at(node), *(one for one in self._bounds if one not in short(node))]
        return self._one_of("missing_count", "plus_one_of", node, inner, counts[:MOST_NAMES], " + ", " - ")

    def _other_given(self, name: str, node: Node, inner: str, given: Sequence[Node]) -> str:
        """An argument of a call of the host: another variable of its type, or another constant of the file."""
        at, named = list(given).index(node), {text_of(one) for one in given}
        types = self._types.get(name, [])
        own = next((one for one in self._variables if one.name == text_of(node) and one.is_known(node)), None)
        reads = at == 0 and name.startswith("primitives::")  # what is only read may be constant
        reads = reads or (own is not None and own.is_const) or (at < len(types) and types[at].startswith("const"))
        others = [one.name for one in self._like(node) if reads or not one.depth or not one.is_const]
        if re.fullmatch(r"k[A-Z]\w*", text_of(node)):
            others = self.constants_before()
        for other in [one for one in others if one not in named][: MOST_NAMES - 1]:
            number = self._add("name", node, (text_of(node), other))
            inner = f"(what_if::is({number}) ? {other} : {inner})"
        return inner

    def sides(self, arguments: Node, called: str = "") -> str:
        """The sides of a grid or a block: exchanged, or two variables of them, or all rounded up."""
        given = [one for one in arguments.named_children if one.type != "comment"]
        written = [self._argument("", one) for one in given]
        ways = []
        if len(given) > 1 and short(given[0]) != short(given[1]):
            ways.append(("sides", [short(given[1]), short(given[0])]))
            ways += [("sides", both) for both in self._crossed(given[0], given[1])]
        quotients = [[one for one in within(side) if _is_quotient(one)][:1] for side in given]
        if sum(map(len, quotients)) > 1:
            rounded = [
                self._replaced(side, inner[0], inner[0], _rounded_up(inner[0])) if inner else short(side)
                for side, inner in zip(given, quotients, strict=True)
            ]
            ways.append(("rounded_down", rounded))
        for kind, others in ways:
            now = ", ".join([*others, *(short(one) for one in given[len(others) :])])
            was = ", ".join(short(one) for one in given)
            number = self._add(kind, arguments, (f"{called}({was})", f"{called}({now})"))
            for at, other in enumerate(others):
                written[at] = f"what_if::is({number}) ? {other} : {written[at]}"
        return ", ".join(written)

    def _crossed(self, first: Node, second: Node) -> Iterator[list[str]]:
        """Both sides, with a variable of one in the place of a variable of the other."""
        known = {one.name for one in self._variables if one.depth == 0 and one.type in INTEGERS and one.is_known(first)}
        names = [
            [one for one in within(side) if text_of(one) in known and one.type == "identifier"]
            for side in (first, second)
        ]
        for a, b in list(product(*names))[:MOST_NAMES]:
            if text_of(a) != text_of(b) and first.type != "identifier" and second.type != "identifier":
                yield [self._replaced(first, a, a, text_of(b)), self._replaced(second, b, b, text_of(a))]

    def _lambda_expression(self, node: Node) -> str:
        body = node.child_by_field_name("body")
        if body is None or "__device__" in text_of(node).partition("{")[0]:
            return text_of(node)
        before, bounds = self._variables, self._bounds
        captured = text_of(node).partition("]")[0][1:]
        if not re.match(r"[&=] *(,|$)", captured):  # what is not listed is not known inside
            listed = set(re.findall(r"\w+", captured))
            self._variables = [one for one in before if one.at > node.start_byte or one.name in listed]
            self._bounds = [one for one in bounds if one in listed]
        text = self._plain(node, lambda child: self.write(child) if child == body else text_of(child))
        self._variables, self._bounds = before, bounds
        return text

    def of_runtime(self, node: Node, name: str, given: Sequence[Node]) -> str:
        """A launch or a copy: see Launches."""
        return self._plain(node)
