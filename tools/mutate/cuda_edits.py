"""More mistakes: those of indices, launches, shuffles and guards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.source import text_of
from mutate.edits import BARRIERS, FENCES, Edit, called, operator, replace

SWAPPED = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
AXES = {"x": "y", "y": "x", "z": "x"}
SHUFFLES = {"__shfl_up_sync": "__shfl_down_sync", "__shfl_down_sync": "__shfl_up_sync"}
VOTES = ("__shfl_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync", *SHUFFLES)
OTHER_END = {"min": "max", "max": "min", "std::min": "std::max", "std::max": "std::min"}
OTHER_END |= {"shuffle_up": "shuffle_down", "shuffle_down": "shuffle_up"}


@operator("index")
def _index(node: Node) -> Iterator[Edit]:
    """The block's number for the thread's, another axis, the lane for the warp, the next element."""
    parent = node.parent
    if node.type == "identifier" and text_of(node) in SWAPPED:
        yield replace("index", node, SWAPPED[text_of(node)])
    if node.type == "field_identifier" and parent is not None and parent.type == "field_expression":
        of = parent.child_by_field_name("argument")
        if of is not None and text_of(of) in SWAPPED and text_of(node) in AXES:
            yield replace("index", node, AXES[text_of(node)])
    if node.type == "identifier" and text_of(node) in ("lane", "warp") and parent and parent.type != "init_declarator":
        yield replace("index", node, {"lane": "warp", "warp": "lane"}[text_of(node)])
    if node.type == "subscript_argument_list" and len(node.named_children) == 1:
        inner = node.named_children[0]
        yield replace("index", inner, f"({text_of(inner)}) + 1")


@operator("shuffle")
def _shuffle(node: Node) -> Iterator[Edit]:
    """A distance one too far, the other direction, only half of the lanes."""
    if not (call := called(node)):
        return
    name, arguments = call
    function = node.child_by_field_name("function")
    assert function is not None
    if name in SHUFFLES:
        yield replace("shuffle", function, SHUFFLES[name])
    if name in VOTES:
        yield replace("shuffle", arguments[0], "0xffffu")
    distance = arguments[2:3] if name.startswith("__shfl") else []
    if re.fullmatch(r"shuffle(_up|_down)?", name):
        distance = arguments[1:2]
    for one in distance:
        yield replace("shuffle", one, f"({text_of(one)}) + 1")


@operator("other_end")
def _other_end(node: Node) -> Iterator[Edit]:
    """min for max, shuffle_up for shuffle_down."""
    call, function = called(node), node.child_by_field_name("function")
    if call and function is not None and call[0] in OTHER_END:
        yield replace("other_end", function, text_of(function).replace(call[0], OTHER_END[call[0]], 1))


@operator("operands")
def _operands(node: Node) -> Iterator[Edit]:
    """The two operands of the lab's own operator in the wrong order; the two arms of a choice."""
    call = called(node)
    if call and re.fullmatch(r"op|(Op|Order)\(\)(\.\w+)?", call[0]) and len(call[1]) == 2:
        first, second = call[1]
        yield Edit("operands", first.start_byte, second.end_byte, f"{text_of(second)}, {text_of(first)}")
    if node.type == "conditional_expression":
        yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if yes is not None and no is not None:
            yield Edit("operands", yes.start_byte, no.end_byte, f"{text_of(no)} : {text_of(yes)}")


@operator("initial")
def _initial(node: Node) -> Iterator[Edit]:
    """Another first value: 1 for 0, 0 for 1, zero for the identity."""
    value = node.child_by_field_name("value")
    if node.type != "init_declarator" or value is None:
        return
    text = text_of(value)
    other = {"0": "1", "1": "0", "true": "false", "false": "true"}.get(text)
    if text == "Op::identity()":
        other = "typename Op::type{}"
    if other:
        yield replace("initial", value, other)


@operator("grid")
def _grid(node: Node) -> Iterator[Edit]:
    """The number of blocks rounded down."""
    if (call := called(node)) and call[0] == "ceil_div" and len(call[1]) == 2:
        yield replace("grid", node, f"(({text_of(call[1][0])}) / ({text_of(call[1][1])}))")


@operator("launch")
def _launch(node: Node) -> Iterator[Edit]:
    """A block too few, blocks half as large, half of the shared memory."""
    if node.type != "kernel_call_syntax":
        return
    arguments = [one for one in node.named_children if one.type != "comment"]
    for argument, change in zip(arguments, ("({}) - 1", "({}) / 2", "({}) / 2"), strict=False):
        if text_of(argument) not in ("0", "1"):
            yield replace("launch", argument, change.format(text_of(argument)))


@operator("memory_size")
def _memory_size(node: Node) -> Iterator[Edit]:
    """A shared array, or an array of the workspace, with an element too few."""
    if node.type == "declaration" and text_of(node).startswith("__shared__"):
        waiting = list(node.named_children)
        while waiting:
            one = waiting.pop()
            size = one.child_by_field_name("size")
            if one.type == "array_declarator" and size is not None:
                yield replace("memory_size", size, f"({text_of(size)}) - 1")
            if one.type.endswith("_declarator"):
                waiting += one.named_children
    if (call := called(node)) and call[0] == "work.get" and len(call[1]) == 1:
        yield replace("memory_size", call[1][0], f"({text_of(call[1][0])}) - 1")


@operator("stride")
def _stride(node: Node) -> Iterator[Edit]:
    """Steps of a loop that are twice as long, or the second power."""
    update = node.child_by_field_name("update")
    for one in [update, *update.named_children] if node.type == "for_statement" and update is not None else []:
        right = one.child_by_field_name("right")
        if one.type == "assignment_expression" and right is not None:
            yield replace("stride", right, f"2 * ({text_of(right)})")
        if one.type == "update_expression" and (named := one.child_by_field_name("argument")) is not None:
            sign = "+=" if "++" in text_of(one) else "-="
            yield replace("stride", one, f"{text_of(named)} {sign} 2")


@operator("volatile")
def _volatile(node: Node) -> Iterator[Edit]:
    if node.type == "type_qualifier" and text_of(node) == "volatile":
        yield replace("volatile", node, "")


@operator("narrow")
def _narrow(node: Node) -> Iterator[Edit]:
    """A variable of 32 bits where 64 are needed."""
    of = node.child_by_field_name("type")
    if node.type == "declaration" and of is not None and text_of(of) in ("long long", "unsigned long long"):
        yield replace("narrow", of, {"long long": "int", "unsigned long long": "unsigned"}[text_of(of)])


@operator("guard")
def _guard(node: Node) -> Iterator[Edit]:
    """An early return, continue or break left out; a condition replaced by true."""
    yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    condition = node.child_by_field_name("condition")
    if node.type != "if_statement" or yes is None or condition is None:
        return
    leaves = yes.named_children[-1] if yes.type == "compound_statement" and yes.named_children else yes
    if leaves.type in ("return_statement", "continue_statement", "break_statement"):
        if no is None:
            yield replace("guard", node, ";")
    else:
        asked = condition.child_by_field_name("value") or condition
        if asked.type != "condition_clause" and "constexpr" not in text_of(node).split("(")[0]:
            yield replace("guard", asked, "true")


@operator("statement")
def _statement(node: Node) -> Iterator[Edit]:
    """A statement that is missing. Barriers and fences have operators of their own."""
    if node.type != "expression_statement" or not node.named_children:
        return
    if re.match(rf"({'|'.join((*BARRIERS, *FENCES))}|[\w.]+\.sync)\(", text_of(node)):
        return
    yield replace("statement", node, ";")
