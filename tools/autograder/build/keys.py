"""Names for programs built from a submission. A program is kept until something that it was built from changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from autograder.build.rules import LAUNCHER, Rules


def object_key(rules: Rules, texts: Mapping[str, bytes], cuda: str) -> str:
    """Key of the object file: changes with submission, headers, compiler, its command and the rules."""
    lab = rules.root / "labs" / rules.folder
    folders = (rules.root / "common" / "toolbox", lab, lab / "grading")
    headers = sorted(path for folder in folders for path in folder.glob("*.h"))
    read = {str(path): path.read_bytes() for path in (*headers, rules.root / LAUNCHER)}
    made_from = (texts, read, cuda, rules.watched(Path()), rules.uses, _our_part())
    return hashlib.sha256(repr(made_from).encode()).hexdigest()[:16]


def program_key(link: Sequence[str]) -> str:
    """The runner's key: changes with what the object file is linked to."""
    linked = [Path(argument) for argument in link if argument.endswith((".o", ".a"))]
    times = "".join(f"{path}:{path.stat().st_mtime_ns}" for path in linked if path.is_file())
    return hashlib.sha256(f"{list(link)}{times}".encode()).hexdigest()[:8]


@lru_cache
def _our_part() -> str:
    """A digest of the code that compiles and judges: files that older code accepted are compiled again."""
    package = Path(__file__).parent
    files = [path for folder in (package, package.parent / "cage") for path in sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
