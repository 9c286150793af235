"""The documents: links lead somewhere, pictures are used, nothing of one machine slipped in."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
IMAGE = re.compile(r"""<(?:img|source)[^>]*?(?:src|srcset)=["']([^"']+)["']""")
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
# Written in two parts, so that this file passes its own test.
FORBIDDEN = {
    "a registry's host": r"\b(pypi|npmjs|crates)\."
    + r"(org|io|com)\b|files\.python"
    + r"hosted|deb\.deb"
    + r"ian\.org",
    "a path of one machine": r"/work" + r"/|/home/" + r"\w+/|/root" + r"/",
}


def files(*endings: str) -> list[Path]:
    """The repository's files, committed or about to be; without git, those in its folders."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=False
    )
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    if listed.returncode != 0:
        tops = [path for path in ROOT.iterdir() if path.name not in (".git", ".venv", "build")]
        paths = [path for top in tops for path in ([top] if top.is_file() else top.rglob("*"))]
    return sorted(path for path in paths if path.is_file() and (not endings or path.suffix in endings))


def targets(text: str) -> Iterator[str]:
    without_code = FENCE.sub("", text)
    yield from LINK.findall(re.sub(r"`[^`\n]*`", "", without_code))
    yield from IMAGE.findall(without_code)


def anchors(text: str) -> set[str]:
    """The names of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*?) *#*$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", [str(path.relative_to(ROOT)) for path in files(".md")])
def test_every_relative_link_leads_somewhere(document: str) -> None:
    path = ROOT / document
    broken = []
    for target in targets(path.read_text("utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = unquote(target).partition("#")
        to = (path.parent / name).resolve() if name else path
        if not to.exists() or not to.is_relative_to(ROOT):
            broken.append(f"{target}: no such file")
        elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text("utf-8")):
            broken.append(f"{target}: no such heading")
    assert not broken


def test_no_line_of_a_paragraph_becomes_a_list() -> None:
    """A line that begins with `* ` ends the paragraph, even within `code` that began on the line before."""
    broken = []
    for document in files(".md"):
        for paragraph in FENCE.sub("", document.read_text("utf-8")).split("\n\n"):
            for found in re.finditer(r"^ {0,3}([*+-]|\d+[.)]) .*", paragraph, re.MULTILINE):
                if paragraph[: found.start()].count("`") % 2:
                    broken.append(f"{document.relative_to(ROOT)}: {found[0]}")
    assert not broken


def test_every_picture_is_used() -> None:
    used = set()
    for document in files(".md"):
        for target in targets(document.read_text("utf-8")):
            used.add((document.parent / unquote(target.partition("#")[0])).resolve())
    unused = [str(path.relative_to(ROOT)) for path in files(".svg", ".png") if path not in used]
    assert not [name for name in unused if "/tests/" not in name]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_nothing_of_one_machine(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = []
    for path in files():
        if path.suffix in (".png", ".npy", ".bin", ".fatbin", ".cubin"):
            continue
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert not found


@pytest.mark.parametrize("lab", sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*")))
def test_every_handout_says_where_hints_are(lab: str) -> None:
    text = " ".join((ROOT / "labs" / lab / "README.md").read_text("utf-8").split())
    n = int(lab[:2])
    hints = (
        f"Stuck? `./grader hint {n}` shows a first hint for the next task, `./grader hint {n} 2` a second. "
        "## How it is graded"
    )
    assert text.count("Stuck?") == text.count(hints) == 1


def test_the_columns_of_explain_are_explained() -> None:
    """Handouts link to this section."""
    section = (ROOT / "docs/grading.md").read_text("utf-8").partition("\n## The columns of explain\n")[2]
    named = re.findall(r"^\| `([^`]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    sources = [path.read_text("utf-8") for path in files(".py") if path.is_relative_to(ROOT / "tools/autograder")]
    heads = [head for text in sources for head in re.findall(r"^HEAD = \" +(share .*?) +line\"$", text, re.MULTILINE)]
    assert [head.split() for head in heads] == [named]
