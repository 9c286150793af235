"""python -m mistakes: what it prints, and what it grades again."""

import pytest

from mistakes.__main__ import tell


@pytest.mark.parametrize(
    "jobs, printed", [(2, ["ok    a", "again b", "      busy", "ok    b"]), (1, ["ok    a", "WRONG b"])]
)
def test_what_goes_wrong_beside_others_is_graded_again_alone(
    jobs: int, printed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    tries: list[str] = []

    def run(name: str) -> list[str]:
        tries.append(name)
        return ["busy"] if name == "b" and tries.count("b") == 1 else []

    assert tell(["a", "b"], run, jobs, str) == (0 if jobs > 1 else 1)
    assert capsys.readouterr().out.splitlines()[: len(printed)] == printed


def test_a_fault_of_the_tool_itself_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: str) -> list[str]:
        raise OSError("no space")

    assert tell(["a"], run, 1, str) == 1
    assert "OSError: no space" in capsys.readouterr().out
