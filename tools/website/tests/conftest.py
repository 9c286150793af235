"""A repository of a few files, to make a small site of."""

from __future__ import annotations

from pathlib import Path

import pytest

FILES: dict[str, str | bytes] = {
    "README.md": "# Small\n\nA start.\n\n![A picture](docs/figures/one.svg)\n\n- [notes](docs/notes.md#two-words)\n",
    "docs/notes.md": "# Notes\n\n## Two words\n\nSee [code](../common/code.cu), [all of it](../common/) and\n"
    "[elsewhere](https://example.org/).\n\n    % no comment\n\n- a list\n\n  | a | b |\n  |---|--:|\n  | {1} | `2` |\n",
    "docs/figures/one.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>One</title></svg>\n',
    "common/code.cu": "__global__ void kernel(int* d_out) { *d_out = 1 < 2; }\n",
    "common/deep/more.h": "#pragma once\n",
    "common/data.bin": b"\xff\xfe\x00",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root
