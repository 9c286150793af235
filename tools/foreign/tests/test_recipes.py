from pathlib import Path

import pytest

from foreign.page import results
from foreign.recipes import RecipeError, all_recipes, checkout_of, read
from foreign.survey import Row, merged

ROW = Row("o/n", "0123456789ab", "a|b", "right", "", "8", 1.25, "2026-01-01")


def test_all_recipes_can_be_read() -> None:
    recipes = all_recipes()
    assert len({one.repository for one in recipes}) == len(recipes) >= 12


@pytest.mark.parametrize(
    "text",
    [
        "repository = 'o/n'",
        "repository = 'o/n'\nabout = 'all'\nunknown = 1",
        "repository = 'o/n'\nabout = 'all'\nright = '('",
        "repository = 'o/n'\nabout = 'all'\n[[program]]\npath = 'a'\n[[program]]\npath = 'a'",
    ],
)
def test_faulty_recipes_name_their_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(text)
    with pytest.raises(RecipeError, match=r"faulty\.toml"):
        read(path)


def test_checkout_has_one_of_four_names(tmp_path: Path) -> None:
    recipe = all_recipes("NVIDIA/cuda-samples")[0]
    assert checkout_of(recipe, tmp_path) is None
    (tmp_path / "cuda-samples/.git").mkdir(parents=True)
    assert checkout_of(recipe, tmp_path) == tmp_path / "cuda-samples"
    (tmp_path / "NVIDIA+cuda-samples/.git").mkdir(parents=True)
    assert checkout_of(recipe, tmp_path) == tmp_path / "NVIDIA+cuda-samples"


def test_new_rows_replace_old_ones() -> None:
    old = [ROW, Row("o/n", "0", "c", "slow", "", "", 60, "")]
    new = Row("o/n", "1", "c", "right", "", "", 9, "")
    assert merged(old, [new]) == [ROW, new]


def test_page_counts_and_escapes() -> None:
    bad = Row("o/n", "0123456789ab", "c", "refused", "tex.1d<f32>", "", 0, "")
    text = results([ROW, bad, Row("o/n", "0", "d", "library", "cuBLAS", "", 0, "")], [])
    assert "1 of 2 (50%)" in text
    assert "| a\\|b | right | 1.2 | `8` |" in text
    assert "| textures, arrays | 1 | c |" in text
    assert "| c | refused |  | tex.1d&lt;f32> |" in text
