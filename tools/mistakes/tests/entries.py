"""A mistake's entry, and the solution that it changes."""

from __future__ import annotations

from pathlib import Path

from mistakes.catalog import Mistake, find_mistake

TASK = '#include "tile.cuh"\nvoid sum() {\n    load();\n    __syncthreads();\n    add();\n    __syncthreads();\n}\n'

ENTRY = """\
# What students forget.

[missing_barrier]  # the most common one
verdict = ["WA", "CHECK"]
because = "race"
thought = "It worked once."
edit = '''
     load();
-    __syncthreads();
'''
"""

OTHER = "\n[no_add]\nverdict = \"WA\"\nbecause = 'x'\nthought = \"Not needed.\"\nedit = '''\n-    add();\n'''\n"


def missing_barrier(lab: Path) -> Mistake:
    return find_mistake(lab, "missing_barrier")
