"""Tasks are checked side by side and timed alone."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

from autograder.timing.device_lock import Turns

SECONDS = 10.0  # after which a test that waits for ever fails


def test_who_is_timed_is_alone() -> None:
    turns, together, go_on, order = Turns(), Barrier(3), Event(), list[str]()

    def check() -> None:
        with turns.to_check():
            together.wait(SECONDS)
            assert go_on.wait(SECONDS)
            order.append("checked")

    def time() -> None:
        with turns.to_time():
            order.append("begun")
            Event().wait(0.01)
            order.append("timed")

    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(check), pool.submit(check)]
        together.wait(SECONDS)  # both are there
        tasks += [pool.submit(time), pool.submit(time)]
        go_on.set()
        for task in tasks:
            task.result(SECONDS)
    assert order == ["checked", "checked", "begun", "timed", "begun", "timed"]


def test_a_turn_ends_with_an_error() -> None:
    turns = Turns()
    for turn in (turns.to_time, turns.to_check, turns.to_time):
        with contextlib.suppress(ValueError), turn():
            raise ValueError
    with turns.to_time():
        pass
