"""A class is read while it is graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.export_command import export
from classes.store import Store
from classes.tests.small_class import again

pytestmark = pytest.mark.slow


def test_reading_a_class_while_it_is_graded(out: Path) -> None:
    with Store(out).opened() as store:
        assert "people" in export(out, "junit", None, None)
        with pytest.raises(UsageError, match="another grader is at work"):
            again(out)
        assert store.count() == 4
