"""The table of peers, from what the program prints."""

from __future__ import annotations

from bench.peers.__main__ import read, table

TEXT = """# NVIDIA H200, CUB 3.0.1
look_back,int32,1048576,8388608,0.000010000,0.000012000,0.000005000,1.2100,0
look_back,int32,16777216,134217728,0.000050000,0.000050000,0.000040000,1.0000,3
"""


def test_a_row_has_rate_share_and_ratio() -> None:
    first = table(read(TEXT)).splitlines()[2]
    assert first == "| `look_back` | int32 | 2^20 | 10 µs | 839 | 0.50 | 12 µs | 1.21 |"


def test_a_wrong_output_has_no_ratio() -> None:
    assert table(read(TEXT)).splitlines()[3].endswith("| 3 elements wrong |")
