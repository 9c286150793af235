"""A task's evidence: bounds on what the virtual GPU counts in the timed call, as lab.toml states them.

evidence = { sectors = "at most 1.1 * n / 4", lanes = "at least 24" }

A bound is a number or a formula with + - * / ** and parentheses, log2(x), ceil(x), and two names: n, the size of the
call, and warps, which all launches of the call have started together.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# What can be bounded, and what it is: totals of all kernels and launches of the call.
COUNTED: Mapping[str, str] = {
    "launches": "kernel launches",
    "instructions": "warp instructions",
    "lanes": "active lanes per warp instruction, on average",
    "requests": "loads and stores of global memory by warps",
    "sectors": "32-byte sectors of global memory, of loads, stores and atomics",
    "wavefronts": "passes through shared memory",
    "barriers": "arrivals of warps at barriers",
    "atomics": "atomic instructions of warps",
    "spills": "sectors of local memory",
}
AT_MOST, AT_LEAST = "at most ", "at least "
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"log2": math.log2, "ceil": math.ceil}


class BoundError(ValueError):
    """A bound that lab.toml states wrongly."""


@dataclass(frozen=True)
class Bound:
    """One piece of evidence."""

    counter: str
    at_least: bool
    formula: str

    def limit(self, n: int, warps: int) -> float:
        return _value(ast.parse(self.formula, mode="eval").body, {"n": n, "warps": warps})


def bounds_of(stated: Mapping[str, str]) -> tuple[Bound, ...]:
    """The bounds of a task, in the order of the file. Raises BoundError, with a sentence."""
    return tuple(_bound(counter, text) for counter, text in stated.items())


def _bound(counter: str, text: str) -> Bound:
    if counter not in COUNTED:
        raise BoundError(f"evidence: nothing counts {counter!r}; choose from {', '.join(COUNTED)}")
    start = re.match(f"({AT_MOST}|{AT_LEAST})", text)
    if start is None:
        raise BoundError(f"evidence: {counter} = {text!r}: begin with '{AT_MOST.strip()}' or '{AT_LEAST.strip()}'")
    bound = Bound(counter, start[1] == AT_LEAST, text[start.end() :].strip())
    try:
        bound.limit(1 << 20, 1 << 15)
    except (SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise BoundError(f"evidence: {counter} = {text!r}: {error}") from None
    return bound


def _value(node: ast.expr, names: Mapping[str, int]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in names:
        return float(names[node.id])
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        values = [_value(one, names) for one in node.args]
        if len(values) == 1 and not node.keywords:
            return _FUNCTIONS[node.func.id](values[0])
    raise BoundError(f"{ast.unparse(node)} is neither a number nor {' nor '.join(names)} nor a formula of them")
