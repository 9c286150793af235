"""Names of labs, as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.plan.labs import find
from autograder.plan.tests.test_manifest import MANIFEST, written


@pytest.mark.parametrize("name", ["3", "lab3", "solution3", "03", "scan", "03-scan"])
def test_names_of_a_lab(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "labs" / "03-scan"
    folder.mkdir(parents=True)
    written(folder, MANIFEST)
    assert find(tmp_path, name) == folder
    with pytest.raises(UsageError, match="there is no lab 'lab4'; labs: 3"):
        find(tmp_path, "lab4")
