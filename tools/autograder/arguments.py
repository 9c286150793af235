"""Numbers as people write them on a command line."""

from __future__ import annotations

import re

from autograder.errors import UsageError


def seed_of(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        value = int(text, 16)
    except ValueError:
        raise UsageError(f"--seed {text}: must be a hexadecimal number, such as 7f3a") from None
    if not 0 <= value < 2**64:
        raise UsageError(f"--seed {text}: must be between 0 and ffffffffffffffff")
    return value


def size_of(option: str, text: str | None) -> int | None:
    """A number of elements as people write it; build/labN reads the same."""
    if text is None:
        return None
    plain = re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", text)
    if re.fullmatch(r"\d{1,19}", plain):
        return int(plain)
    power, scientific = re.fullmatch(r"(\d+)\^(\d{1,3})", plain), re.fullmatch(r"(\d+)(?:\.(\d+))?[eE](\d{1,2})", plain)
    if power and len(power[1]) < 20:
        return int(int(power[1]) ** int(power[2]))
    if scientific:
        decimals = scientific[2] or ""
        zeros = int(scientific[3]) - len(decimals)
        if zeros >= 0:
            return int(int(scientific[1] + decimals) * 10**zeros)
    below = (
        "less than 0" if re.fullmatch(r"-\d+", plain) else "not a whole number; write 1000000, 1,000,000, 1e6 or 2^20"
    )
    raise UsageError(f"{option}: {text!r} is {below}")
