"""Pages that show a file of the repository, with colours, or list a folder."""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

from sphinx.highlighting import PygmentsBridge

from website.links import SOURCES, page_of_file, relative
from website.tree import Tree

LANGUAGES = {".cu": "cuda", ".cuh": "cuda", ".h": "cpp", ".cc": "cpp", ".py": "python", ".toml": "toml", ".yml": "yaml"}
LANGUAGES |= {".md": "markdown", ".sh": "bash", ".json": "json", "CMakeLists.txt": "cmake", "Makefile": "make"}
LARGEST = 200_000  # characters that are shown with colours; of a longer file only the beginning is


def with_listed(tree: Tree, shown: set[str]) -> list[str]:
    """The files and folders that links show, and the files that those folders list."""
    listed = {entry for path in shown if path in tree.folders for entry in tree.entries(path)}
    return sorted(shown | {entry for entry in listed if entry not in tree.folders and entry not in tree.page_of})


def pages(tree: Tree, shown: set[str], to: Path) -> Iterator[tuple[str, str, str]]:
    """Address without .html, title and body of each page. A file is also put beside its page, as it is."""
    every = with_listed(tree, shown)
    known = frozenset(every)
    for path in every:
        address = f"{SOURCES}/{path}"
        if path in tree.folders:
            yield address, path, listing(tree, path, known)
            continue
        raw = to / SOURCES / "raw" / path
        raw.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree.root / path, raw)
        yield address, path, file_body(tree, path, known)


def head(tree: Tree, path: str, known: frozenset[str]) -> str:
    """The title, with the folders above it as links where they have pages."""
    folder, name = posixpath.split(path)
    above = link(tree, f"{SOURCES}/{path}", folder, known, f"{folder}/") if folder else ""
    return f'<h1 class="path">{above}{escape(name)}</h1>'


def link(tree: Tree, address: str, path: str, known: frozenset[str], text: str) -> str:
    page = tree.page_of.get(path) or tree.page_of.get(f"{path}/README.md")
    to = f"{page.name}.html" if page else page_of_file(path) if path in known else ""
    return f'<a href="{relative(address, to)}">{escape(text)}</a>' if to else escape(text)


def listing(tree: Tree, path: str, known: frozenset[str]) -> str:
    rows = []
    for entry in tree.entries(path):
        name = posixpath.basename(entry) + ("/" if entry in tree.folders else "")
        rows.append(f"<li>{link(tree, f'{SOURCES}/{path}', entry, known, name)}</li>")
    return f'{head(tree, path, known)}<ul class="listing">{"".join(rows)}</ul>'


def file_body(tree: Tree, path: str, known: frozenset[str]) -> str:
    file = tree.root / path
    raw = relative(f"{SOURCES}/{path}", quote(f"{SOURCES}/raw/{path}"))
    end = f'<p><a href="{raw}">The file as it is</a>, {file.stat().st_size:,} bytes.</p>'
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        return f"{head(tree, path, known)}<p>Not a text.</p>{end}"
    cut = f"<p>The first {LARGEST:,} characters:</p>" if len(text) > LARGEST else ""
    shown = PygmentsBridge("html").highlight_block(
        text[:LARGEST], language(file, text), force=True, linenos="inline", lineanchors="L", anchorlinenos=True
    )
    return f"{head(tree, path, known)}{cut}{shown}{end}"


def language(file: Path, text: str) -> str:
    name = LANGUAGES.get(file.name) or LANGUAGES.get(file.suffix)
    return name if name and len(text) <= LARGEST else "text"
