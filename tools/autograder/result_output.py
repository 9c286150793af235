"""A result written where the command line asks for it, as JSON."""

from __future__ import annotations

import sys
from pathlib import Path

from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.report.result import Result, encode


def check(out: Path | None) -> None:
    """A file that is not a result of ours is left alone. Missing folders are made."""
    if out is None:
        return
    try:
        if out.is_dir():
            raise UsageError(f"--out {out}: is a folder; name a file in it")
        if out.exists() and not out.is_file():
            raise UsageError(f"--out {out}: is a device or a pipe, not a file; for standard output: -o json")
        if out.exists() and (there := out.read_bytes()) and b'"cuda-labs/result/' not in there[:100]:
            raise UsageError(f"--out {out}: exists and is not a result; choose another name")
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {out}: {error.strerror}") from None


def write(result: Result, as_json: bool, out: Path | None) -> None:
    if as_json:
        sys.stdout.buffer.write(encode(result))
        sys.stdout.flush()
    if out is not None:
        try:
            write_whole(out, encode(result))
        except OSError as error:
            raise UsageError(f"--out {out}: {error.strerror}") from None
