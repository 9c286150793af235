"""The options of a class: stored with its first result, and the same for all later ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import UsageError
from classes.store import Store

BATCH = "batch"  # the fact with a batch's name; its options are those of the class from the beginning
_TIMES = {"True": "on a GPU", "False": "on the virtual GPU"}


@dataclass(frozen=True)
class Options:
    """The options of a class, stored with it, so that `regrade` and `replay` grade as `class` did."""

    lab: int
    device: str = ""
    sandbox: bool = True
    more: tuple[str, ...] = ()  # further words for ./grader

    def words(self) -> list[str]:
        device = ["--device", self.device] if self.device else []
        return [*device, *([] if self.sandbox else ["--no-sandbox"]), *self.more]


def kept_options(out: Path) -> Options:
    with Store(out, create=False).opened() as store:
        return options_of(store)


def options_of(store: Store) -> Options:
    device, *more = json.loads(store.fact("options", '[""]'))
    return Options(int(store.fact("lab", "0")), device, store.fact("sandbox", "True") == "True", tuple(more))


def same_options(store: Store, options: Options) -> None:
    """Checks that the options are those of the first result."""
    lab, words = str(options.lab), json.dumps([options.device, *options.more])
    if (kept := _of_first_result(store, "lab", lab)) != lab:
        raise UsageError(f"{store.folder} holds results of lab {kept}; choose another --out for lab {lab}")
    if (kept := _of_first_result(store, "options", words)) != words:
        before, now = (" ".join(filter(None, json.loads(one))) or "no such options" for one in (kept, words))
        raise UsageError(f"{store.folder} was graded with {before}, this run has {now}: use the same, or another --out")
    if not store.read_only:
        store.set_fact("sandbox", str(options.sandbox))


def same_times(store: Store, gpu: bool) -> None:
    """Times on a GPU and modelled times must not be compared."""
    if (kept := _of_first_result(store, "gpu", str(gpu))) != str(gpu):
        raise UsageError(f"{store.folder} was graded {_TIMES[kept]}, and this would be {_TIMES[str(gpu)]}: use the same"
                         " kind of machine, or another --out")  # fmt: skip


def _of_first_result(store: Store, name: str, value: str) -> str:
    """The value that the first result was graded with; this run's as long as there is no result."""
    if not store.has_results() and not store.read_only and not store.fact(BATCH, ""):
        store.set_fact(name, value)
    return store.fact(name, value)
