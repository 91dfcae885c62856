"""Pools of scripted players by name: whom a player meets in a game.

A game's players module has them as ``POOLS``: the name of a pool, and the specs of its members. What the games of this
package have stands in a file `pools.toml` beside their players, with the members of a pool in one line.

* ``standard``: whom a player meets when it is evaluated, one of every strategy.
* ``training``: whom a learner can be trained against, so that those of the validation stay new to it.
* ``wide``: the training's, and those that stand here: more of every strategy, with arguments that are drawn for every
  match, so that learners meet strategies rather than a few players.
* ``validation``: partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et
  al. 2021, does): arguments that the training's do not have, and whole strategies that they do not have.
* ``test``: partners of the last test, drawn once and frozen: met neither in training nor when something is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from econzoo.envs.core.contract.scenarios import renamed
from econzoo.envs.core.contract.validation import toml_of
from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.registry import players_of

__all__ = ["POOLS", "pool", "read_pools"]

POOLS = ("standard", "training", "validation", "test")
"""Names of pools of opponents."""

TRAINERS = ("training", "wide")
"""Pools to be trained against, which can be named in the place of an opponent, as the others."""

ANYBODY = ("random",)
"""The pool of a game that has none of its own."""


def read_pools(package: str) -> dict[str, list[str]]:
    """The pools in the file of a package."""
    return toml_of(package, "pools.toml")


def _known(game: str) -> Mapping[str, Sequence[str]]:
    return getattr(players_of(game), "POOLS", {})


def pool(game: str, name: str, otherwise: Iterable[str] | None = None) -> list[str]:
    """Specs of a pool of the game's scripted players.

    Args:
        game: Its name.
        name: One of `POOLS`.
        otherwise: What is given if the game has no such pool; None: ``random``.

    Raises:
        ValueError: No such pool, or the game has nobody for a last test, and nobody stands in.
    """
    one_of("pool", renamed(name), POOLS)
    known = _known(game)
    if name == "test" and name not in known and otherwise is None:
        raise ValueError(f"{game} has no test pool; allowed: {', '.join(one for one in POOLS if one != name)}")
    return list(known.get(name, ANYBODY if otherwise is None else otherwise))


def members(game: str, specs: Iterable[str]) -> list[str]:
    """Specs, with the names of pools to be trained against replaced by their opponents.

    Raises:
        ValueError: The game does not have such a pool.
    """
    known = _known(game)
    found: list[str] = []
    for spec in specs:
        if spec in TRAINERS and spec not in known:
            allowed = ", ".join(name for name in TRAINERS if name in known) or "specs"
            raise ValueError(f"opponent={spec!r} is not allowed: {game} has no such pool; allowed: {allowed}")
        if spec == "wide":
            found += known.get("training", ())
        found += known[spec] if spec in TRAINERS else [spec]
    return found


def candidates(game: str) -> list[str]:
    """The scripts among whom the best one of a game is looked for: those of all pools but that of the test."""
    return list(dict.fromkeys(spec for name in POOLS if name != "test" for spec in pool(game, name)))
