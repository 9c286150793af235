"""Whether something of a solution or a mistake is in an archive, in a text or within an object file.

White space is left out before comparing: a macro that makes text of code changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from release.contents import File, without_links

SHORTEST = 17  # characters without white space: `}`, `int i = 0;` and `__threadfence();` are everybody's
# What students have anyway: what stands there is no secret, wherever it also stands. Not labs/NN-name/name.cu, which
# somebody may have begun.
_PUBLIC = re.compile(
    r"labs/[^/]+/([^/]+\.(h|cc|md)|(grading|figures)/.*)|(common|virtual_gpu)/(?!.*\b(tests|bench)/).*\.(cu|cc|h|inc)"
)
_SECRET = re.compile(r"(solutions|tests/submissions)/.+\.(cu|cuh|cc|toml)")
_CALL = re.compile(r"\b[A-Z_]+CHECK\((.*)\);")
_PTX = re.compile(rb"(@%\w+)?[a-z]\w*(\.\w+)*[%\[{]")  # an instruction, as in asm(): a compiled form is made of them
_SPACE = re.compile(rb"\s+")
_PATHS = re.compile(rb"/(?:home|root|work|tmp|usr/(?:local|include|lib))/[\w./+-]*|[\w./-]+\.cuh?(?![\w.])")


def secrets_of(tree: Mapping[str, File], known: Iterable[str] = ()) -> dict[bytes, str]:
    """Lines that only solutions, mistakes, attacks and honest programs have, and one file where each stands.

    `known`: files of solutions that are no secret this time.
    """
    lines: dict[bytes, str] = {}
    for name, file in tree.items():
        if _SECRET.fullmatch(name):
            for line in _lines(file.data):
                if len(line) >= SHORTEST:
                    lines.setdefault(line, name)
    open_to_all = {name: file for name, file in tree.items() if _PUBLIC.fullmatch(name) or name in set(known)}
    # A link to what is left out is its text alone in the archive.
    open_to_all |= {f"{name}, links": File(without_links(file.data)) for name, file in open_to_all.items()
                    if name.endswith(".md")}  # fmt: skip
    public = {line for _, line in _found(open_to_all, lines)}
    return {line: name for line, name in lines.items() if line not in public}


def leaks(files: Mapping[str, File], secrets: Mapping[bytes, str]) -> list[str]:
    """What is found, a line each; empty if nothing is."""
    found = [
        f"{name} has a line of {secrets[line]}: {line.decode()[:80]}"
        for name, line in _found(files, secrets)
        if not (name.endswith(".o") and _PTX.match(line))
    ]
    for name, file in files.items():
        # What is ready built comes from sources that are in the archive; release/ready.py looks for paths in it.
        if name.endswith(".o") and not name.startswith("ready/"):
            found += [f"{name} names {path}" for path in _paths(file.data)]
    return sorted(set(found))


def _lines(data: bytes) -> Iterator[bytes]:
    """Each line, without a patch's sign and its comment; the comment; and what a macro such as CUDA_CHECK is given."""
    for line in data.decode("utf-8", "replace").splitlines():
        text = re.sub(r"^\s*[-+]\s?(?=\s|\w)", "", line)
        if text.lstrip().startswith(("#include", "tasks = [")):  # that one names a lab's tasks, as every page does
            continue
        code, _, comment = text.partition("//")
        for part in (text, code, comment, *_CALL.findall(code)):
            yield _SPACE.sub(b"", part.encode())


def _found(files: Mapping[str, File], lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Which of the lines are in which of the files. Looks up the first characters of all of them at once."""
    heads: dict[bytes, list[bytes]] = {}
    for line in lines:
        heads.setdefault(line[:SHORTEST], []).append(line)
    for name, file in files.items():
        text = _SPACE.sub(b"", file.data)
        for at in range(len(text) - SHORTEST + 1):
            for line in heads.get(text[at : at + SHORTEST], ()):
                if text.startswith(line, at):
                    yield name, line


def _paths(data: bytes) -> Iterator[str]:
    """Paths of a machine and names of source files in an object file."""
    for text in re.findall(rb"[\x20-\x7e]{4,}", data):
        yield from (path.decode() for path in _PATHS.findall(text))
