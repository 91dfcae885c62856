"""Who the five residents of the paper are (ALYMPICS, arXiv:2311.03220, appendix), in words of our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from econzoo.envs.core.contract import load_package_toml

FILE = "personas.toml"


@lru_cache(maxsize=1)
def personas() -> Mapping[str, Mapping[str, str]]:
    """Profession, personality and background of the residents by name."""
    return load_package_toml(__package__, FILE)


def persona(name: str, seat: int) -> Mapping[str, str]:
    """Persona of a resident by name, or by seat if the default residents have other names."""
    known = personas()
    return known[name] if name in known else list(known.values())[seat]


def check_personas(names: Iterable[str]) -> None:
    """Check that all residents have a persona."""
    for name in names:
        if name not in personas():
            expected = f"residents named {', '.join(personas())}; give others a persona as players"
            raise ValueError(f"water_allocation: persona=True with resident {name!r}: expected {expected}")
