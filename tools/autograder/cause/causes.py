"""The table of causes: what each kind is called, and in which order experiments try it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from autograder.cause.change import Change, Pair
from autograder.cause.rules import Rule


@dataclass(frozen=True)
class Kind:
    """A kind of cause that a change of the source proves."""

    title: str  # what is wrong, for the first screen
    tried: str  # what the experiment changed, telling at most whether it was more or less
    rank: float  # lower is likelier: a cause of this rank is preferred to one of a higher rank


class Cause(msgspec.Struct, frozen=True):
    """What is wrong, proved by experiments."""

    kind: str
    title: str
    where: str  # file:line
    tried: str = ""  # "with the comparison's edge on the other side, right in 14 of 14 cases"; "": it is known without
    seen: str = ""  # what the proof is about, such as the number that is too large
    was: str = ""  # the edit, which only the last hint shows
    now: str = ""


# By rank, likeliest first; tenths order those that are about as likely:
# 0  A rule of the device proves it, or it is a barrier where something was found.
# 1  What orders accesses, or how a launch and its copies are made.
# 2  An edge, a bound or a first value: something is off by one.
# 3  One name, operand or step in place of another.
# 4  A condition or a loop more.
# 5  A change that does less, which may repair a call by accident.
_ROWS = """
0 | not_reset | a variable of the device keeps its value from the call before | with the variables as in the first call
0 | unset_memory | temporary memory is used before it has a value | with zeros in the temporary memory
0 | unwritten | a part of the output is never written, and it must be 0 there | with zeros in the output
0 | unset_output | the output is used before it has a value | with zeros in the output
0 | unset_shared | shared memory is used before it has a value | with zeros in shared memory
0 | unset_local | a variable is used before it has a value | with zeros in each thread's variables
0 | overflow | 32 bits are too few for a number in this line | with 64 bits
0 | overwritten_input | values are overwritten that other threads still need | with reads of what was there before
0 | drawn_places | an element's place depends on which thread comes first | with the threads in order of their index
0 | order_of_sums | the order of the additions differs from run to run | with the threads in order of their index
0 | lost_update | an update is lost between its read and its write | with the updates of this line one after the other
0 | overwritten | a value is overwritten before it is read | with every read before any write
0 | read_early | a value is read before it is written | with every write before any read
0 | missing_barrier | a barrier is missing | with a barrier behind this line
1 | several_barriers | barriers are missing from here on | with a barrier behind every statement of this block of code
1 | moved_barrier | not all threads of the block reach this barrier | with the barrier outside of the if
2 | warp_barrier | lanes of a warp do not wait for each other | with __syncwarp() behind this line
1 | weak_barrier | a barrier for a warp stands where the block needs one | with a barrier for the block
1 | scope | an atomic or a fence is for one block only | with one for the whole grid
1 | wait | nothing waits for this work | with a wait behind this line
1 | fence | other blocks may see two writes in the wrong order | with a fence behind this line
4 | guard | threads beyond the end take part | without the threads beyond the end
2 | unsigned | an unsigned value is never below 0 | with a signed value
2 | barrier_too_many | this barrier does harm | without this barrier
1 | atomic | an update is lost between its read and its write | with the update of this line as one atomic
1 | bytes | a copy's size counts elements, not bytes | with bytes in place of elements
1 | direction | a copy goes in the wrong direction | with the copy in the other direction
1 | empty_launch | a launch of 0 blocks | with a block more
1 | changed_input | an input is changed by the call, and must stay as it is |
5 | nothing_written | nothing was written to the result |
5 | unread_input | a part of the input is never read | with another value there
5 | unread | values are stored and never read |
5 | made_of | a wrong element changes with other elements of the input than it must |
3.9 | array_size | an array is too small | with a larger array
1.9 | left_over | an array still holds what an earlier kernel left there | with the array cleared before this launch
2 | cleared | not all of the memory is cleared | with more of the memory cleared
1 | no_threads | a launch of 0 threads |
1 | refused | a launch beyond the limits of the device |
1 | too_few_blocks | the launch has too few blocks | with more blocks
5 | too_many_blocks | the launch has too many blocks | with one block
1 | threads | the launch has the wrong number of threads | with another number of threads
1 | too_many_threads | one block cannot hold all the threads | with as many blocks of 256 threads as n needs
1 | launch_swapped | blocks and threads of the launch are in the wrong order | with blocks and threads exchanged
1 | shared_bytes | the launch gives too little shared memory | with more shared memory
2 | edge | a comparison is wrong at its edge | with the edge of the comparison moved
2.8 | unequal | a comparison leaves out values on the other side | with a comparison of whether they differ
3 | comparison | a comparison is the wrong way round | with another comparison
2.2 | bound | a bound is off by one | with the bound one more or one less
2.2 | index | an index is off by one | with the index one more or one less
2.4 | value | a value is off by one | with the value one more or one less
3 | number | a number is too large or too small | with a larger or a smaller number
2.6 | argument | an argument is off by one | with the argument one more or one less
2 | first_value | a variable starts from the wrong value | with another first value
1 | fractions | a variable of integers drops the fraction | with a variable of the elements' type
1 | integer_division | a division of integers drops the fraction | with a division of floats
2.6 | brackets | an operator binds more than is meant | with other brackets
3.1 | size | the wrong size is used | with another size of this file
2.6 | conversion | a value is converted too early | with the conversion after the operation
2 | negative_remainder | a remainder of a negative number is negative | with a remainder that is never negative
1.9 | itself | an element meets itself among its neighbours | without the element itself
1.9 | halves | a pair is handled twice, once from either side | with one of the two only
1.9 | mapped | an index is used as it is, and other accesses put it through a function | with the function
2.8 | identity | equal values are taken for the element itself | with the indices compared
4 | last_tile | a tile is taken as full, and the last one has fewer elements | with what is left where it is less
1.9 | blocks_exchanged | row and column of the block must change places where a tile is stored | with the two exchanged
2 | statement_order | two statements are in the wrong order | with the statements in the other order
2.6 | other_buffer | the wrong one of two buffers is used | with the other one of the two
2.6 | wrapped | the data ends at its edges, and must go round there | with an index that goes round at the edges
4 | once | this is done once, and must be repeated | with a loop in place of the if
3.2 | factor | a factor is missing | with a factor more
2.5 | carried | a value is not carried on to the next step | with the value carried on at the end of a step
2.6 | other_lane | a value is taken from the wrong lane of the warp | with the value of another lane
1.5 | in_branch | not all lanes of the warp reach this vote or shuffle | with it made by all lanes first
2.6 | one_thread | each thread does this, and only one may | with one thread only
2.6 | not_restarted | a variable keeps its value from the step before | with its first value in each step
3.2 | reversed | an index counts from the wrong end | with the index counted from the other end
2.4 | partner | threads that have no partner take part | with only the threads that have a partner
4 | outside | an element outside of its row or array is read | with another value in its place
2 | sign_bit | the bits of negative keys are not in the order of the keys | with bits that are in their order
2 | row_end | this guard lets threads pass that are beyond the end of a row | with a guard of the row and the column
2 | first_found | a search ends at any one of several equal elements | with a search that goes on there
2 | both_sides | a size counts one side only | with twice as much for two sides
2.6 | bits | the wrong bits of a value are looked at | with other bits
2.6 | converted | a conversion loses a part of the value | without this conversion
2.6 | converted_late | a result is converted too late: it overflows, or drops its fraction | with an earlier conversion
2.5 | narrow | a type is too narrow for its values | with a wider type
4.3 | missing_term | a term is missing | with a term more
4.1 | limit | a number is not limited | with the least or the greatest of two
4.2 | missing_condition | a part of the condition is missing | with a part of the condition more
2 | stays | threads leave before they have stored anything | with a value that they store before
2 | missing_else | nothing is written where the condition does not hold | with an else
2 | remaining | elements are left when the loop ends | with a loop over what is left
3 | ties | of equal elements the wrong one comes first | with the other one of two equal elements first
2.4 | summed | a value replaces what is there, in place of being added | with the value added
3 | thread_index | the wrong index of a thread, block or dimension is used | with another of the built-in indices
3 | function | the wrong function is called | with another function
2.2 | operation | a fixed operator stands where the template's operation belongs | with the template's operation
3 | operands | the operands are in the wrong order | with the operands in the other order
3 | arguments | two arguments are in the wrong order | with the arguments in the other order
3 | looked_up | an index is used where the value at that index is meant | with the index looked up in another array
2.9 | state | a comparison is with the wrong one of several states | with another state
2.8 | sides | two sizes are exchanged in the sides of a grid or a block | with the two exchanged
1.9 | lanes | a mask includes the own lane, or lanes behind it | with a mask of the lanes before
2.4 | other_lanes | a mask includes the wrong lanes | with a mask of other lanes
2.3 | passed_on | the next step does not read what this one has written | with the arrays handed on to the next step
2.3 | moved_on | a place does not move on from one step to the next | with the place moved on at the end of a step
2.8 | element | a constant stands where an element belongs | with an element in its place
3.4 | joined | the parts of a condition are joined the wrong way | with its parts joined another way
3 | gathered | source and destination have each other's index | with the two indices exchanged
3 | layout | an index exchanges rows and columns | with rows and columns exchanged
1 | host_pointer | a kernel is given an array of the host | with the arrays of the device
1 | not_freed | memory is never freed | with the memory freed at the end
2 | padding | the wrong value stands in for elements that do not exist | with another value in its place
4 | one_each | each thread takes one element, and there are more | with a loop over all elements
2 | added | a value replaces what is there, in place of being added | with the value added by an atomic
2 | one_side | only one of two values is used where both count | with both together
3 | elsewhere | the result is in another array than the output | with that array copied to the output
2 | stored | a value is added to what was there before | with the value stored, not added
3 | loop_order | a loop takes its steps in the wrong order | with the steps in the reverse order
3 | name | the wrong variable is used | with another variable of its type
1.9 | unused | a variable is used in place of one that is never used | with the other one
2.8 | flag | true stands where false belongs, or false where true does | with the other of the two
3 | part_of_condition | a part of the condition is wrong | without one part of the condition
3 | term | a term too many, or one that does not belong here | without this term
4 | arithmetic | an operator is wrong | with another operator
2 | rounded_down | a division rounds down where it must round up | with the quotient rounded up
5 | condition | a condition is wrong | with another condition
5 | choice | a choice takes the wrong side | with another side
5 | statement | a statement does harm where it stands | without this statement
4 | leaves | a return, break or continue comes too early | without it
"""
KINDS = {
    name: Kind(title, tried, float(rank))
    for rank, name, title, tried in (re.split(r" \| ?", row) for row in _ROWS.strip().splitlines())
}

BESIDE_AN_ARRAY = 2.1  # the rank of a guard, or of a part of a condition, where an access outside an array was found
LEAVES_LATER = 2.0  # the rank of a return that is moved behind a barrier: all that ran still runs
# Of these the line may have several: the title says which, if that is short.
OF_A_NAME = (
    "name", "unused", "thread_index", "function", "arithmetic", "size", "number", "index", "value", "argument", "bound",
    "term", "missing_condition", "edge", "comparison", "unequal", "missing_term", "limit", "factor", "joined",
    "part_of_condition", "brackets", "converted", "first_value", "padding",
)  # fmt: skip
SHORT = 40  # characters
CONVERTED = re.compile(r"(\w+) = (static_cast<[\w: ]+>\(\1\)|\([\w: ]+\) ?\1);")  # a variable, by itself
LEAVING = re.compile(r"\b(return|break|continue)\b")
RIGHT = {"order_of_sums": "the same bits"}


def kind_of(change: Change) -> str:
    """The kind of cause that this change proves."""
    if change.kind == "barrier":
        return "missing_barrier" if change.now else "barrier_too_many"
    if change.kind == "barriers":
        return "several_barriers"
    if change.kind == "comparison" and change.now.startswith("int("):
        return "unsigned"
    if change.kind == "comparison":
        return "edge" if change.was.replace("=", "") == change.now.replace("=", "") else "comparison"
    if change.kind == "negative_remainder" and "unsigned" in change.was:
        return "unsigned"
    if change.kind == "statement" and CONVERTED.fullmatch(change.was):
        return "converted"
    if change.kind == "blocks":
        return "too_many_blocks" if change.now == "1" else "too_few_blocks"
    if change.kind == "threads":
        if "256" in change.now:
            return "too_many_threads" if "<<<" in change.now else "threads"
        return "launch_swapped"
    if change.kind in ("bound", "value", "argument") and change.now in (f"2 * {change.was}", f"{change.was} / 2"):
        return "number"
    if change.kind in ("missing_count", "missing_element"):
        return "missing_term"
    if change.kind == "factor" and re.fullmatch(r"\d+[uUlL]*", change.was):  # a number has no factor of its own
        return "number"
    if change.kind == "arithmetic" and change.now.endswith("rounded up"):
        return "rounded_down"
    if change.kind == "arithmetic" and change.was.startswith(change.now):
        return "term"
    return change.kind


def rank(change: Change, found: Collection[str] = ()) -> float:
    """Lower is likelier; `found`: kinds of findings. Who accesses what is outside an array often lacks a guard."""
    kind = kind_of(change)
    if kind == "leaves" and change.now:
        return LEAVES_LATER
    if change.kind in ("missing_count", "missing_element"):  # there are few
        return KINDS["size"].rank
    keeps_inside = kind in ("guard", "missing_condition", "outside", "limit") and "out_of_bounds" in found
    return BESIDE_AN_ARRAY if keeps_inside else KINDS[kind].rank


def cause_of(trial: Change | Pair | Rule, file: str, right: int, of: int, also: int = 0) -> Cause:
    """The cause that this change or rule proves. `also`: another line where the same change repairs it."""
    where = f"{file}:{trial.line}" if trial.line else ""
    if isinstance(trial, Rule):
        return Cause(trial.kind, KINDS[trial.kind].title, where, _tried(trial.kind, right, of), seen=trial.seen)
    if isinstance(trial, Pair):
        kind, line = kind_of(trial.first), trial.second.line
        places = ", twice in this line" if line == trial.line else f", here and in line {line}"
        return Cause(kind, f"in two places, {KINDS[kind].title}", where, _tried(kind, right, of, places))
    kind = kind_of(trial)
    title, tried = _in_which_direction(KINDS[kind].title, _tried(kind, right, of), trial)
    if kind == "leaves" and trial.now:
        tried = tried.replace(KINDS[kind].tried, "with the return behind a barrier")
    if kind == "moved_barrier" and "loop" in trial.now:
        tried = tried.replace("outside of the if", "outside of the loop")
    if kind in OF_A_NAME and 0 < len(_name(trial, kind)) <= SHORT:
        title += f" ({_name(trial, kind)})"
    if kind == "leaves" and (word := LEAVING.search(trial.was)):
        title = f"this {word[0]} comes too early"
    title = f"here or in line {also}, {title}" if also else title
    return Cause(kind, title, where, tried, was=trial.was, now=trial.now)


def _name(change: Change, kind: str) -> str:
    """What of its line a change is about."""
    if kind == "function":
        return re.split(r"[<(]", change.was)[0]
    if kind == "part_of_condition":  # the part that is left out
        return re.sub(r"^\s*(&&|\|\|)\s*|\s*(&&|\|\|)\s*$", "", change.was.replace(change.now, "", 1))
    return change.was


def _in_which_direction(title: str, tried: str, change: Change) -> tuple[str, str]:
    """Of a kind that goes both ways: which it was."""
    less = change.now in (f"{change.was} / 2", f"{change.was} - 1", f"({change.was}) - 1")
    if less or change.now in (f"2 * {change.was}", f"{change.was} + 1", f"({change.was}) + 1"):
        title = title.replace("too large or too small", "too large" if less else "too small")
        tried = tried.replace("one more or one less", "one less" if less else "one more")
        tried = tried.replace("a larger or a smaller number", "half of it" if less else "twice as much")
    return title, tried


def _tried(kind: str, right: int, of: int, where: str = "") -> str:
    return f"{KINDS[kind].tried}{where}, {RIGHT.get(kind, 'right')} in {right} of {of} cases"
