"""Opponent pools of scripted players by name.

A game's players module has them as ``POOLS``: name of a pool to specs of its members. Games of this package load them
from a file `pools.toml` beside their players, one line per pool.

* ``standard``: opponents for evaluation, one of every strategy.
* ``training``: opponents for training, disjoint from those of the validation.
* ``wide``: those of ``training`` and more of every strategy, with arguments sampled for every match, so that learners
  face strategies rather than a few players.
* ``validation``: opponents held out from training, to measure generalisation (as in Melting Pot, Leibo et al. 2021):
  arguments and whole strategies that ``training`` lacks.
* ``test``: opponents of the final test, sampled once and frozen; used neither for training nor for model selection.

If opponents are also grouped into families, by how they react, two tables of the file list members by family:
``families`` for training, and ``unmet`` for evaluation, with other members wherever the family has arguments. A family
only in ``unmet`` is for evaluation only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from econzoo.envs.core import players_of
from econzoo.envs.core.contract import check_arguments, load_package_toml
from econzoo.envs.core.env import check_choice

__all__ = ["POOLS", "pool", "read_pools"]

POOLS = ("standard", "training", "validation", "test")
"""Names of opponent pools."""

FAMILIES, HELD_OUT_FAMILIES = "families", "unmet"
"""Tables of opponents by family: for training, and for evaluation."""

TRAINERS = ("training", "wide", FAMILIES)
"""Names of training opponents: two pools, and all families."""

RANDOM_POOL = ("random",)
"""Pool of a game without its own."""


@check_arguments
def read_pools(package: str) -> dict[str, Any]:
    """Load the pools, and tables of families if any, from the file of a package."""
    return load_package_toml(package, "pools.toml")


def find_pools(game: str) -> Mapping[str, Any]:
    return getattr(players_of(game), "POOLS", {})


def families(game: str, table: str = FAMILIES) -> Mapping[str, Sequence[str]]:
    """Return the specs of a game's opponents by family; empty if it has none."""
    found: Mapping[str, Sequence[str]] = find_pools(game).get(table, {})
    return found


def pool(game: str, name: str, default: Iterable[str] | None = None) -> list[str]:
    """Return the specs of a pool of a game.

    Args:
        game: Name of the game.
        name: One of `POOLS`.
        default: Specs if the game has no such pool; None: ``random``.

    Raises:
        ValueError: Unknown pool, or no test pool and no default.
    """
    check_choice("pool", name, POOLS)
    known = find_pools(game)
    if name == "test" and name not in known and default is None:
        raise ValueError(f"{game} has no test pool; expected {', '.join(one for one in POOLS if one != name)}")
    return list(known.get(name, RANDOM_POOL if default is None else default))


def candidates(game: str) -> list[str]:
    """Return the candidates for the best script of a game: those of all pools except test."""
    return list(dict.fromkeys(spec for name in POOLS if name != "test" for spec in pool(game, name)))
