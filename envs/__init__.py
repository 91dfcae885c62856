"""The games, and the generic environments that play them."""

from __future__ import annotations

from econzoo.envs.core.registry import register_game
from econzoo.envs.moved_modules import find_moved

GAMES = {
    "bargaining": 0,
    "negotiation": 0,
    "persuasion": 0,
    "water_allocation": 0,
    "guess_average": 0,
    "survival_auction": 0,
    "matrix": 0,
    "program_matrix": 0,
    "program_coin": 0,
    "coin_game": 0,
    "code_reading": 0,
}
"""Every game of this package with its version; a game's folder is ``games/NAME``."""


def register_all() -> None:
    """Makes every game known to `econzoo.make`, Gymnasium and PettingZoo."""
    for name, version in GAMES.items():
        register_game(name, f"econzoo.envs.games.{name}:GAME", version)


find_moved()
