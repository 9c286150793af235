"""The mistakes: each operator looks at one node of a function and says what could be written there instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from autograder.cause.source import Function, text_of

BARRIERS = ("__syncthreads", "__syncwarp")
FENCES = ("__threadfence", "__threadfence_block", "__threadfence_system", "cuda::atomic_thread_fence")
CHECK = "CUDA_CHECK(cudaGetLastError())"  # without it, only the error message is lost

# The value that a plain write stores in place of each atomic, after a plain read of `old`.
PLAIN = {
    "atomicAdd": "old + v",
    "atomicSub": "old - v",
    "atomicMin": "v < old ? v : old",
    "atomicMax": "v > old ? v : old",
    "atomicOr": "old | v",
    "atomicAnd": "old & v",
    "atomicExch": "v",
}


@dataclass(frozen=True)
class Edit:
    """One mistake: `text` replaces these bytes of the file."""

    operator: str
    start: int
    end: int
    text: str
    helper: str = ""  # a line that must stand before the file
    around: tuple[int, int] = (0, 0)  # bytes that are shown to a person; (0, 0): those that change


Maker = Callable[[Node], Iterator[Edit]]
OPERATORS: dict[str, Maker] = {}


def operator(name: str) -> Callable[[Maker], Maker]:
    def register(maker: Maker) -> Maker:
        OPERATORS[name] = maker
        return maker

    return register


def edits(function: Function) -> Iterator[Edit]:
    """All mistakes that can be made in a function's body and initialisers."""
    body = function.node.child_by_field_name("body")
    for part in function.node.children:
        if part == body or part.type == "field_initializer_list":
            for node in _mutable(part):
                for maker in OPERATORS.values():
                    yield from maker(node)


def _mutable(node: Node) -> Iterator[Node]:
    """What may be changed: not assertions at compile time, and not the check behind a launch."""
    if node.type == "static_assert_declaration" or text_of(node).startswith(CHECK):
        return
    yield node
    for child in node.children:
        yield from _mutable(child)


def replace(name: str, node: Node, text: str, helper: str = "") -> Edit:
    return Edit(name, node.start_byte, node.end_byte, text, helper)


def _binary(node: Node) -> tuple[Node, Node, Node] | None:
    parts = [node.child_by_field_name(name) for name in ("left", "operator", "right")]
    if node.type != "binary_expression" or None in parts:
        return None
    left, sign, right = parts
    assert left and sign and right
    return left, sign, right


def _signs(name: str, table: dict[str, str]) -> None:
    """An operator that writes one sign for another."""

    @operator(name)
    def make(node: Node) -> Iterator[Edit]:
        if (parts := _binary(node)) and text_of(parts[1]) in table:
            sign = parts[1]
            around = node.start_byte, node.end_byte
            yield Edit(name, sign.start_byte, sign.end_byte, table[text_of(sign)], around=around)


_signs("edge", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"})
_signs("comparison", {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="})
_signs("arithmetic", {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/"})
_signs("shift", {"<<": ">>", ">>": "<<"})
_signs("bits", {"&": "|", "|": "&", "^": "|"})
_signs("logic", {"&&": "||", "||": "&&"})


@operator("off_by_one")
def _off_by_one(node: Node) -> Iterator[Edit]:
    """+ 1 and - 1 forgotten; a bound one less."""
    if not (parts := _binary(node)):
        return
    left, sign, right = parts
    if text_of(sign) in "+-" and text_of(right) == "1":
        yield Edit("off_by_one", left.end_byte, right.end_byte, "", around=(node.start_byte, node.end_byte))
    if text_of(sign) in ("<", "<="):
        yield replace("off_by_one", right, f"({text_of(right)}) - 1")


@operator("number")
def _number(node: Node) -> Iterator[Edit]:
    """A number of 2 or more, increased by one. Not array sizes: an array that is too long does no harm."""
    if node.type != "number_literal" or not re.fullmatch(r"\d+", text_of(node)) or _is_extent(node):
        return
    if int(text_of(node)) >= 2:
        yield replace("number", node, str(int(text_of(node)) + 1))


def _is_extent(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in ("binary_expression", "parenthesized_expression"):
        node, parent = parent, parent.parent
    return parent is not None and parent.type == "array_declarator"


@operator("negation")
def _negation(node: Node) -> Iterator[Edit]:
    if node.type == "unary_expression" and text_of(node).startswith("!"):
        yield replace("negation", node, text_of(node)[1:])


@operator("barrier")
def _barrier(node: Node) -> Iterator[Edit]:
    if node.type == "expression_statement" and re.match(rf"({'|'.join(BARRIERS)}|[\w.]+\.sync)\(", text_of(node)):
        yield replace("barrier", node, ";")


@operator("fence")
def _fence(node: Node) -> Iterator[Edit]:
    if node.type == "expression_statement" and text_of(node).startswith(tuple(f"{name}(" for name in FENCES)):
        yield replace("fence", node, ";")


@operator("order")
def _order(node: Node) -> Iterator[Edit]:
    """Acquire and release made relaxed."""
    weakened = re.sub(r"(memory_order(?:::|_))(acquire|release|acq_rel|seq_cst)\b", r"\1relaxed", text_of(node))
    weakened = re.sub(r"__NV_ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b", "__NV_ATOMIC_RELAXED", weakened)
    if node.type in ("identifier", "qualified_identifier") and weakened != text_of(node):
        yield replace("order", node, weakened)


@operator("atomic")
def _atomic(node: Node) -> Iterator[Edit]:
    """An atomic made plain: read, then write."""
    if not (call := called(node)):
        return
    name, arguments = call
    if name in PLAIN and len(arguments) == 2:
        line = (
            f"template <class T, class U> __device__ T plain_{name}(T* p, U v) "
            f"{{ T old = *p; *p = {PLAIN[name]}; return old; }}"
        )
        yield replace("atomic", node, f"plain_{name}({text_of(arguments[0])}, {text_of(arguments[1])})", line)
    if re.fullmatch(r"load_(relaxed|acquire|volatile)", name) and len(arguments) == 1:
        yield replace("atomic", node, f"*({text_of(arguments[0])})")
    if re.fullmatch(r"store_(relaxed|release|volatile)", name) and len(arguments) == 2:
        yield replace("atomic", node, f"*({text_of(arguments[0])}) = {text_of(arguments[1])}")


def called(node: Node) -> tuple[str, list[Node]] | None:
    """The name without template arguments, and the arguments, of a plain call."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type != "call_expression" or function is None or arguments is None:
        return None
    if any(child.type == "kernel_call_syntax" for child in node.children):
        return None
    return re.sub(r"<.*", "", text_of(function)), [one for one in arguments.named_children if one.type != "comment"]
