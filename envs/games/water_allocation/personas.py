"""Who the five residents of the paper are (ALYMPICS, arXiv:2311.03220, appendix), in words of our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from econzoo.envs.core.contract.validation import load_package_toml

FILE = "personas.toml"


@lru_cache(maxsize=1)
def personas() -> Mapping[str, Mapping[str, str]]:
    """Profession, personality and background of the residents by name."""
    return load_package_toml(__package__, FILE)


def persona(name: str, seat: int) -> Mapping[str, str]:
    """Of a resident by name; where the game's own residents go by other names, by seat."""
    known = personas()
    return known[name] if name in known else list(known.values())[seat]


def check_personas(names: Iterable[str]) -> None:
    """Refuses residents of whom nothing is known.

    Raises:
        ValueError: Somebody has no persona; the message names who has.
    """
    for name in names:
        if name not in personas():
            allowed = f"residents named {', '.join(personas())}; give others a persona of their own as players"
            raise ValueError(f"water_allocation: persona=True is not allowed with {name!r}; allowed: {allowed}")
