"""Changes of launches and copies: blocks, threads, arguments, bytes, directions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from tree_sitter import Node

from autograder.cause.calls import Calls
from autograder.cause.names import INTEGERS, LANES, MOST_NAMES, MOST_PARAMETERS, exchanged_names
from autograder.cause.source import text_of, within
from autograder.cause.writer import bracketed, short

ALLOCATED = re.compile(r"[\w.]+\.get<([^<>]+(?:<[^<>]*>)?)>\((.+)\)", re.DOTALL)
COPIED = re.compile(r"\bcudaMemcpy(?:Async)?\(\s*(\w+),\s*(\w+),[^;]*?cudaMemcpy(HostToDevice|DeviceToHost)")
NUMBERS = tuple(one.replace(" ", "") for one in INTEGERS)  # as types_of() writes them


class Launches(Calls):
    """Writes calls of kernels and of the CUDA runtime."""

    def of_runtime(self, node: Node, name: str, given: Sequence[Node]) -> str:
        is_launch = any(child.type == "kernel_call_syntax" for child in node.children)
        return self._launch(node) if is_launch else self._copy(node, name, given)

    def _other_launches(self, node: Node) -> str:
        """A launch with two neighbouring arguments in the other order, or with another array."""
        call = node.named_children[0]
        arguments = call.child_by_field_name("arguments")
        if call.type != "call_expression" or arguments is None or "<<<" not in text_of(call):
            return ""
        given = [one for one in arguments.named_children if one.type != "comment"]
        name = re.match(r"\w+", text_of(call))
        types = self._types.get(name[0] if name else "", [])
        out = ""

        def add(kind: str, first: Node, last: Node, text: str) -> None:
            nonlocal out
            was = self._text[first.start_byte : last.end_byte].decode()
            number = self._add(kind, first, (was, text))
            out += f"if (what_if::is({number})) {{ {self._replaced(node, first, last, text)} }} "

        for at, (first, second) in enumerate(pairwise(given)):
            names = first.type == second.type == "identifier"
            if names and len(types) == len(given) and types[at] == types[at + 1]:
                add("arguments", first, second, f"{text_of(second)}, {text_of(first)}")
        function = call.child_by_field_name("function")
        if name and function is not None:
            for kernel in self._kernels_like(name[0], types, node):
                add("function", function, function, re.sub(r"^\w+", kernel, text_of(function)))
        sizes = [one for one in dict.fromkeys(text_of(part) for part in within(call)) if one in self._bounds]
        for a, b in combinations(sizes, 2):  # of the grid and of the arguments
            add("sides", call, call, exchanged_names(short(call), a, b))
        pointers = {one.name for one in self._variables if one.depth == 1}
        copies = self._copies_of_device()
        named = [text_of(one) for one in given]
        to_device = {one: copies.get(one, f"d{one[1:]}") for one in named if one in copies or re.match(r"h_\w+$", one)}
        if to_device and set(to_device.values()) <= pointers:
            listed = ", ".join(to_device.get(text_of(one), text_of(one)) for one in given)
            add("host_pointer", given[0], given[-1], listed)
        for one, wanted in zip(given, types, strict=False):
            for other in self._like(one)[:MOST_NAMES]:
                if other.name not in named and ("*" not in wanted or "const" in wanted or not other.is_const):
                    add("name", one, one, other.name)
            if wanted in NUMBERS:
                for number in self._other_number(one):
                    add("name", one, one, number)
        return out

    def _copies_of_device(self) -> dict[str, str]:
        """By arrays of the host, those of the device that this function copies them to, or from."""
        assert self._function is not None
        found: dict[str, str] = {}
        for to, from_, way in COPIED.findall(text_of(self._function.node)):
            host, device = (from_, to) if way == "HostToDevice" else (to, from_)
            found[host] = device
        return found

    def cleared_before(self, node: Node) -> str:
        """Before a launch, an array of the function that another one had before: cleared, since this one adds to it."""
        call = node.named_children[0]
        arguments = call.child_by_field_name("arguments")
        if call.type != "call_expression" or arguments is None or "<<<" not in text_of(call) or self._on_device:
            return ""
        named = {text_of(one) for one in arguments.named_children if one.type == "identifier"}
        out = ""
        for one in self._variables:
            made = ALLOCATED.fullmatch(one.value)
            if made is None or one.name not in named or one.is_const or not one.is_known(node):
                continue
            between = re.sub(r"cudaMemset\w*\([^;]*", "", self._text[one.declaration : node.start_byte].decode())
            is_again = any(one.declaration < loop.start_byte for loop in self._loops)
            if is_again or re.search(rf"\b{one.name}\b", between):
                clear = f"cudaMemset({one.name}, 0, ({made[2]}) * sizeof({made[1]}));"
                number = self._add("left_over", node, ("", clear))
                out += f"if (what_if::is({number})) {clear} "
        return out

    def _other_number(self, node: Node) -> list[str]:
        """A constant or a number as an argument: an integer of the function, or another constant; and the reverse."""
        constants = [one for one in self.constants_before() if one != text_of(node)][:MOST_PARAMETERS]
        if re.fullmatch(r"k[A-Z]\w*|\d\d+", text_of(node)):
            return [*self.integers_at(node)[:MOST_NAMES], *constants]
        return constants if node.type == "identifier" else []

    def _kernels_like(self, name: str, types: Sequence[str], node: Node) -> list[str]:
        """Other kernels with the same parameters, of those that are known here."""
        alike = [one for one in self.kernels if one != name and types and self._types.get(one) == types]
        return [one for one in alike if self.kernels[one] < node.start_byte][:MOST_NAMES]

    def _launch(self, node: Node) -> str:
        syntax = next(child for child in node.children if child.type == "kernel_call_syntax")
        given = [one for one in syntax.named_children if one.type != "comment"]
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if len(given) < 2 or function is None or arguments is None:
            return self._plain(node)
        name = re.match(r"\w+", text_of(function))
        called = name[0] if name else ""
        listed = ", ".join(self._argument(called, one) for one in arguments.named_children if one.type != "comment")
        if self._on_device:
            return f"{text_of(function)}{text_of(syntax)}({listed})"
        grid, block = text_of(given[0]), text_of(given[1])
        n = "n" if "n" in self._parameters else "0"
        others = (f"{grid} + 1", f"2 * {grid}", f"ceil_div(n, {block})", "1", f"{LANES} * {grid}")
        number = self._add("blocks", given[0], *((grid, one) for one in others))
        more = self._add("threads", given[1], (block, "256"), (f"<<<{grid}, {block}>>>", f"<<<{block}, {grid}>>>"))
        both = self._add("threads", given[1], (f"<<<{grid}, {block}>>>", "<<<max(1, ceil_div(n, 256)), 256>>>"))
        rest = [self.write(one) for one in given[2:]]
        if len(given) > 2:
            size = short(given[2])
            words = (f"4 * ({size})", f"{size} + 4", f"{size} + 8", f"2 * ({size})")
            bytes_ = self._add("shared_bytes", given[2], *((size, one) for one in words))
            rest[0] = f"what_if::more_bytes({bytes_}, {rest[0]})"
        blocks = f"what_if::blocks({number}, {self._grid(given[0])}, dim3({block}), {n}, {both})"
        threads = f"what_if::threads({more}, {self._other_sides(given[1], self.write(given[1]))}, dim3({grid}), {both})"
        return f"{text_of(function)}<<<{', '.join([blocks, threads, *rest])}>>>({listed})"

    def _other_sides(self, node: Node, text: str) -> str:
        """A grid or a block by its name: another one that is known here."""
        sides = [one for one in self._like(node) if one.type == "dim3"]
        for other in sides[:MOST_NAMES]:
            number = self._add(self.name_kind(other), node, (text_of(node), other.name))
            text = f"(what_if::is({number}) ? {other.name} : {text})"
        return text

    def _grid(self, node: Node) -> str:
        """How many blocks: for another number of elements."""
        text = self._other_sides(node, self.write(node))
        names = [one for one in within(node) if one.type == "identifier" and self._like(one)]
        if node.type != "identifier":
            text = self._other_constant(node, text)
        for one in [] if node.type == "identifier" else names:
            for other in self._like(one)[:MOST_NAMES]:
                whole = self._replaced(node, one, one, other.name)
                number = self._add("name", one, (short(node), whole))
                text = f"(what_if::is({number}) ? {whole} : {text})"
        return text

    def _other_constant(self, node: Node, text: str) -> str:
        """How many blocks: for another number of elements each."""
        for one in [one for one in within(node) if re.fullmatch(r"k[A-Z]\w*", text_of(one))]:
            for other in [name for name in self.constants_before() if name != text_of(one)][:MOST_PARAMETERS]:
                whole = self._replaced(node, one, one, other)
                number = self._add("name", one, (short(node), whole))
                text = f"(what_if::is({number}) ? {whole} : {text})"
        return text

    def _other_copied(self, node: Node, text: str, others: Sequence[str]) -> str:
        """An array that is copied to or from: another one of its type."""
        for other in [one for one in self._like(node) if one.name not in others][:MOST_NAMES]:
            number = self._add("name", node, (text_of(node), other.name))
            text = f"(what_if::is({number}) ? {other.name} : {text})"
        return text

    def _copy(self, node: Node, name: str, given: Sequence[Node]) -> str:
        written = [self.write(one) for one in given]
        if name.removesuffix("Async") == "cudaMemcpy":
            names = [text_of(one) for one in given[:2]]
            written[1:2] = [self._other_copied(one, written[1], names) for one in given[1:2]]
        if len(given) >= 3 and "Symbol" not in name:
            element = f"sizeof(*({text_of(given[0])}))"
            if text_of(given[0]).startswith("&"):
                element = f"sizeof({text_of(given[0])[1:]})"
        else:
            element = f"sizeof(*({text_of(given[1])}))" if len(given) > 1 else "1"
        if len(given) >= 3:
            size = short(given[2])
            number = self._add("bytes", given[2], (size, f"{bracketed(given[2])} * {element}"))
            written[2] = f"what_if::bytes({number}, {written[2]}, {element})"
        if len(given) >= 4 and text_of(given[3]).startswith("cudaMemcpy"):
            others = ("cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice")
            number = self._add("direction", given[3], *((text_of(given[3]), other) for other in others))
            written[3] = f"what_if::kind({number}, {text_of(given[3])})"
        return f"{name}({', '.join(written)})"
