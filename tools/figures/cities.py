"""The cities of datasets/cities.csv: made up, the same each time. python -m figures.cities prints the file."""

from __future__ import annotations

import random
from dataclasses import dataclass

COUNT, REGIONS = 240, 9
WIDTH, HEIGHT = 1_000_000, 600_000  # metres
_BEGIN = ("Al", "Bar", "Cor", "Dun", "El", "Fal", "Gor", "Hal", "Ing", "Kel", "Lor", "Mar", "Nor", "Ost", "Per", "Ros")
_MIDDLE = ("a", "e", "i", "o", "en", "er", "in", "on")
_END = ("berg", "by", "dale", "feld", "ford", "ham", "haven", "holm", "mar", "mouth", "stad", "ton", "ville", "wick")


@dataclass(frozen=True)
class City:
    name: str
    x: int
    y: int


def cities() -> list[City]:
    """Half of them in regions, half anywhere; positions from the middle of the map, in metres."""
    draw = random.Random(1717)
    regions = [(draw.uniform(-0.42, 0.42) * WIDTH, draw.uniform(-0.4, 0.4) * HEIGHT) for _ in range(REGIONS)]
    made: dict[str, City] = {}
    while len(made) < COUNT:
        name = draw.choice(_BEGIN) + draw.choice(_MIDDLE) + draw.choice(_END)
        if draw.random() < 0.5:
            x, y = (middle + draw.gauss(0, 45_000) for middle in draw.choice(regions))
        else:
            x, y = draw.uniform(-0.5, 0.5) * WIDTH, draw.uniform(-0.5, 0.5) * HEIGHT
        if abs(x) <= WIDTH / 2 and abs(y) <= HEIGHT / 2:
            made.setdefault(name, City(name, round(x), round(y)))
    return list(made.values())


def text() -> str:
    head = (
        "# Cities that do not exist, made by tools/figures/cities.py: name, and metres to the east and to the north\n"
    )
    return head + "".join(f"{city.name},{city.x},{city.y}\n" for city in cities())


FIGURES: dict[str, tuple[()]] = {}

if __name__ == "__main__":
    print(text(), end="")
