"""The virtual GPU's counters against what Nsight Compute counted on an H200 in the same calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.counters import ROOT, ROWS, Row
from bench.counters_page import counted_of, is_close, reason, values
from bench.csv_rows import read_csv
from bench.ncu import base_name, rows_of, summed
from bench.records import tasks_with_record


def test_kernels_have_the_names_that_nsight_compute_prints() -> None:
    assert base_name("void tile::scan_kernel<int>(int const*, int)") == "scan_kernel"
    assert base_name("void (anonymous namespace)::f<int, (bool)1>(int const*)") == "f"


def test_launches_of_a_kernel_are_added(tmp_path: Path) -> None:
    metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    log = tmp_path / "ncu.csv"
    log.write_text(
        f'==PROF== Connected\n"ID","Process ID","Kernel Name","{metric}"\n"","","","sector"\n'
        '"0","7","step","1,234"\n"1","7","step","6"\n'
    )
    sums = summed(rows_of(log))
    assert sums["step"]["launches"] == 2
    assert sums["step"]["load_sectors"] == 1240


@pytest.mark.slow
def test_counters_are_within_one_percent() -> None:
    if not all((ROOT / f"build/solution{lab}").is_file() for lab in range(1, 13)):
        pytest.skip("nothing is built: make solutions")
    records = tasks_with_record()
    rows = [row for row in read_csv(Row, ROWS) if not row.of_other_inputs and (row.lab, row.task) not in records]
    assert len(rows) > 50
    counted = counted_of(ROOT / "build", rows)
    wrong = []
    for row in rows:
        kernel = counted[row.call][row.kernel]
        assert kernel.launches == row.launches
        for name, pair in values(row, kernel).items():
            if not is_close(*pair) and name not in reason(row)[0].split():
                wrong.append((row.lab, row.task, row.kernel, name, *pair))
    assert wrong == []
