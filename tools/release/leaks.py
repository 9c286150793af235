"""Whether something of a solution or a mistake is in an archive, in a text or within an object file.

White space is left out before comparing: a macro that makes text of code changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from release.contents import File

SHORTEST = 20  # characters without white space: `}` and `int i = 0;` are everybody's
# What students have anyway: a line of these is no secret, wherever it also stands.
_PUBLIC = re.compile(r"labs/[^/]+/([^/]+\.(cu|h|cc)|README\.md|grading/.*)|common/(toolbox|grading|harness)/[^/]+")
_SECRET = re.compile(r"solutions/.+\.(cu|cuh|cc|toml)")
_CALL = re.compile(r"\b[A-Z_]+CHECK\((.*)\);")
_SPACE = re.compile(rb"\s+")
_PATHS = re.compile(rb"/(?:home|root|work|tmp|usr/(?:local|include|lib))/[\w./+-]*|[\w./-]+\.cuh?(?![\w.])")


def secrets_of(tree: Mapping[str, File]) -> dict[bytes, str]:
    """Lines that only solutions, mistakes, attacks and honest programs have, and one file where each stands."""
    public = {line for name, file in tree.items() if _PUBLIC.fullmatch(name) for line in _lines(file.data)}
    found: dict[bytes, str] = {}
    for name, file in tree.items():
        if _SECRET.fullmatch(name):
            for line in _lines(file.data):
                if len(line) >= SHORTEST and line not in public:
                    found.setdefault(line, name)
    return found


def _lines(data: bytes) -> Iterable[bytes]:
    """Each line, without a patch's sign and its comment; and what a macro such as CUDA_CHECK is given."""
    for line in data.decode("utf-8", "replace").splitlines():
        code = re.sub(r"^\s*[-+]\s", "", line)
        for text in (code, code.partition("//")[0], code.partition("//")[2], *_CALL.findall(code)):
            yield _SPACE.sub(b"", text.encode())


def leaks(files: Mapping[str, File], secrets: Mapping[bytes, str]) -> list[str]:
    """What is found, a line each; empty if nothing is."""
    found = []
    # One look for the first characters of all lines is fast; then each candidate is compared.
    heads: dict[bytes, list[bytes]] = {}
    for secret in secrets:
        heads.setdefault(secret[:SHORTEST], []).append(secret)
    for name, file in sorted(files.items()):
        if name.endswith(".o"):
            found += [f"{name} names {path}" for path in sorted(set(_paths(file.data)))]
        text = _SPACE.sub(b"", file.data)
        for at in range(len(text) - SHORTEST + 1):
            for secret in heads.get(text[at : at + SHORTEST], ()):
                if text.startswith(secret, at):
                    found.append(f"{name} has a line of {secrets[secret]}: {secret.decode()[:80]}")
    return list(dict.fromkeys(found))


def _paths(data: bytes) -> Iterable[str]:
    """Paths of a machine and names of source files in an object file."""
    for text in re.findall(rb"[\x20-\x7e]{4,}", data):
        yield from (path.decode() for path in _PATHS.findall(text))
