"""The formula of a figure: `grid(n=2**20).requests`. A small part of Python's expressions, and nothing that acts.

naive(n=4096).launches                    a call of a rung: options as those of build/labN, and a counter
naive()                                   as it is timed and explained: n and variant of the lab's table
blelloch().lines("up(").sectors           of the lines with this text
block_sums().kernel("scan_tiles").blocks  of one kernel
edited("one_buffer", n=4096).sectors      of the rung with a mistake: compiled, so it takes seconds
changed("grid_stride", "kGrid = 1024", "kGrid = 32").sectors     of the rung with one text instead of another
verdict("one_buffer")                     what the grader must say of a mistake, as its TOML file says
ceil_div(1000, 256) * 8                   arithmetic; also log2, sqrt, abs, round, floor, min, max
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from answers.errors import FigureError
from answers.runs import Lab, Measured
from autograder.errors import UsageError
from autograder.plan.labs import suggest
from mistakes.catalog import find_mistake

Value: TypeAlias = "float | str | Measured"

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ceil_div": lambda a, b: -(-a // b),
    "log2": math.log2,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
}


def evaluate(text: str, lab: Lab, names: Mapping[str, Value]) -> Value:
    """The value of a formula. FigureError: what is wrong with it."""
    try:
        tree = ast.parse(re.sub(r"\s*\n\s*", " ", text).strip(), mode="eval")
        value: Value = _value(tree.body, lab, names)
        return value
    except SyntaxError as error:
        raise FigureError(f"{text!r} is not a formula: {error.msg}") from None
    except (ArithmeticError, TypeError, ValueError) as error:
        raise FigureError(f"{text!r}: {error}") from None


def _value(node: ast.expr, lab: Lab, names: Mapping[str, Value]) -> Any:
    match node:
        case ast.Constant(value=int() | float() | str() as constant):
            return constant
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, lab, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left, lab, names), _value(right, lab, names))
        case ast.Attribute(value=of, attr=name):
            return _measured(_value(of, lab, names), name).value(name)
        case ast.Call(func=ast.Attribute(value=of, attr="kernel" | "lines" as which), args=[argument], keywords=[]):
            measured = _measured(_value(of, lab, names), which)
            part: Callable[[str], Measured] = getattr(measured, which)
            return part(str(_value(argument, lab, names)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            values = [_value(one, lab, names) for one in arguments]
            options = {one.arg: _value(one.value, lab, names) for one in keywords if one.arg}
            return _called(name, values, options, lab)
    raise FigureError(f"{ast.unparse(node)!r} means nothing here: see tools/answers/formula.py")


def _called(name: str, values: list[Any], options: dict[str, Any], lab: Lab) -> Any:
    if name in FUNCTIONS and not options:
        return FUNCTIONS[name](*values)
    if name in ("edited", "verdict") and len(values) == 1:
        try:
            mistake = find_mistake(lab.folder, str(values[0]))
        except UsageError as error:
            raise FigureError(str(error)) from None
        return " or ".join(mistake.verdicts) if name == "verdict" else lab.call(mistake.task, options, mistake.name)
    if name == "changed" and len(values) == 3:
        task, old, new = map(str, values)
        return lab.call(task, options, (old, new))
    if name in lab.tasks and not values:
        return lab.call(name, options)
    known = [*lab.tasks, *FUNCTIONS, "edited", "changed", "verdict"]
    raise FigureError(f"lab {lab.number} has no task or function {name!r} for this{suggest(name, known)}")


def _measured(value: object, wanted: str) -> Measured:
    if not isinstance(value, Measured):
        raise FigureError(f".{wanted} is asked of {value!r}, which is not a call of a rung")
    return value
