"""Late work: a batch is a folder of results of its own within the class's, results/batches/NAME.

It has the class's lab, options, people and private cases, and a secret seed of its own: the pages of the first batch,
which students have, tell nothing about its inputs, and the same file handed in again gets other inputs.
"""

from __future__ import annotations

import re
from pathlib import Path

from autograder.errors import UsageError
from classes import private_results
from classes.options import BATCH, Options, same_options
from classes.roster import Roster
from classes.store import DATABASE, Store

FOLDER = "batches"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_SHARED = ("lab", "options", "sandbox", "gpu", "given")  # facts that a batch takes over


def batch_folder(results: Path, name: str) -> Path:
    """Where this batch is; "": the class itself. Raises UsageError for a name that no folder can have."""
    if not name:
        return results
    if not _NAME.fullmatch(name):
        raise UsageError(f"--batch {name}: letters, digits, dots and dashes, please: late, late-2")
    return results / FOLDER / name


def batches_of(results: Path) -> list[Path]:
    """The class, and then all of its batches."""
    found = sorted((results / FOLDER).glob(f"*/{DATABASE}")) if (results / FOLDER).is_dir() else []
    return [results, *(path.parent for path in found)]


def begin_batch(results: Path, name: str, options: Options) -> Roster | None:
    """Makes the batch, if it is new, as the class is; returns the class's people."""
    with Store(results, create=False, alone=False).opened() as store:
        same_options(store, options)
        people = [one.person for one in store.submissions() if one.person.known]
        with Store(batch_folder(results, name)).opened() as made:
            made.set_fact(BATCH, name)
            for fact in _SHARED:
                if value := store.fact(fact, ""):
                    made.fact(fact, value)
            if not private_results.digest(made):
                private_results.inherit(store, made)
    return Roster(people) if people else None
