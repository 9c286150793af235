"""What a program and its children have used."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from autograder.cage import tree


def test_waiting_for_a_processor_is_not_the_calls_time() -> None:
    code = f"import os\nos.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    try:
        time.sleep(0.8)
        assert sum(tree.waited(process.pid) for process in busy) > 0.3
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert tree.waited(busy[0].pid) == 0
