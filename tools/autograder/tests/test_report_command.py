"""./grader report: which results it takes, and where the page goes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autograder.errors import UsageError
from autograder.page.tests.support import (
    hostile_task,
    result,
)
from autograder.report.result import encode
from autograder.report_command import default_path, kept_result, own_file


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "cannot be read as a result"),
        (b"{", "cannot be read as a result"),
        (b"[1]", "cannot be read as a result"),
        (b"{}", "is not a result of ./grader"),
        (b'{"schema": "cuda-labs/class/v1"}', "is not a result of ./grader"),
        (b'{"schema": "cuda-labs/result/v1", "points": "many"}', "cannot be read as a result"),
        (b'{"schema": "cuda-labs/result/v1", "a": ' + b"[" * 100_000, "cannot be read as a result"),
        (b"\xff\xfe", "cannot be read as a result"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=says) as refused:
        kept_result(path)
    assert "./grader 3 --out result.json" in str(refused.value) and len(str(refused.value)) < 600


def test_a_kept_result_is_read(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(encode(result(hostile_task())))
    assert kept_result(path) == result(hostile_task())
    with pytest.raises(UsageError, match="No such file"):
        kept_result(tmp_path / "missing.json")
    with pytest.raises(UsageError, match="Is a directory"):
        kept_result(tmp_path)


def test_where_the_page_goes(tmp_path: Path) -> None:
    assert default_path(tmp_path, result(source="lab")) == tmp_path / "build/reports/03-scan.html"
    assert default_path(tmp_path, result(source="solution")).name == "03-scan-solution.html"
    assert default_path(tmp_path, result(source="../../etc/my scan.cu")).name == "03-scan-my_scan.html"
    strange = msgspec.structs.replace(result(source="lab"), lab=msgspec.structs.replace(result().lab, folder="../.."))
    assert default_path(tmp_path, strange).parent == tmp_path / "build/reports"
    assert own_file(tmp_path, strange, None) is None
    assert own_file(tmp_path, result(source="lab"), None) == tmp_path / "labs/03-scan/scan.cu"
