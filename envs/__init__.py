"""The games, and the generic environments that play them."""

from __future__ import annotations

import re
from pkgutil import iter_modules

from econzoo.envs.core.registry import register_game
from econzoo.envs.installed_games import register_installed

FIRST = (
    "bargaining",
    "negotiation",
    "persuasion",
    "water_allocation",
    "guess_average",
    "survival_auction",
    "matrix",
    "program_matrix",
    "program_coin",
    "coin_game",
    "code_reading",
)
"""Games that lists begin with; the others follow by name."""


def _place(game: tuple[str, int]) -> tuple[int, str, int]:
    """Where a game stands in lists, from its name and version."""
    name, version = game
    return FIRST.index(name) if name in FIRST else len(FIRST), name, version


def versioned_modules(path: list[str]) -> dict[str, int]:
    """Games that have a module ``NAME_vN`` among those of a package, with their latest versions.

    Args:
        path: Of the package. Its modules are listed, not imported.
    """
    found = [re.fullmatch(r"(\w+)_v(\d+)", module.name) for module in iter_modules(path)]
    return dict(sorted(((match[1], int(match[2])) for match in found if match), key=_place))


GAMES = versioned_modules(__path__)
"""Every game of this package with its version; a game's folder is ``games/NAME``."""


def register_all() -> None:
    """Makes every game known to `econzoo.make`, Gymnasium and PettingZoo: ours, and those of installed packages."""
    for name, version in GAMES.items():
        register_game(name, f"econzoo.envs.games.{name}:GAME", version, players=f"econzoo.baselines.{name}")
    register_installed()
