"""Pools of scripted players by name."""

from __future__ import annotations

from collections.abc import Iterable

from econzoo.envs.core.contract.scenarios import renamed
from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.registry import players_of

__all__ = ["pool"]

POOLS = {
    "standard": "STANDARD_POOL",
    "training": "TRAINING_POOL",
    "validation": "VALIDATION_POOL",
    "test": "TEST_POOL",
}
"""Pools of opponents and their names among a game's scripted players."""

TRAINERS = {"training": "TRAINING_POOL", "wide": "WIDE_POOL"}
"""Pools to be trained against, which can be named in the place of an opponent, as the others."""

ANYBODY = ("random",)
"""The pool of a game that has none of its own."""


def pool(game: str, name: str, otherwise: Iterable[str] = ANYBODY) -> list[str]:
    """Specs of a pool of the game's scripted players.

    Args:
        game: Its name.
        name: For example ``"TRAINING_POOL"``.
        otherwise: What is given if the game has no such pool.
    """
    return list(getattr(players_of(game), name, otherwise))


def opponents_of(game: str, name: str) -> list[str]:
    """The opponents of a pool that a command names.

    Raises:
        ValueError: No such pool, or the game has nobody for a last test.
    """
    one_of("pool", renamed(name), tuple(POOLS))
    found = getattr(players_of(game), POOLS[name], None)
    if found is None and name == "test":
        raise ValueError(f"{game} has no test pool; allowed: {', '.join(one for one in POOLS if one != name)}")
    return list(found or ANYBODY)


def members(game: str, specs: Iterable[str]) -> list[str]:
    """Specs, with the names of pools to be trained against replaced by their opponents.

    Raises:
        ValueError: The game does not have such a pool.
    """
    found: list[str] = []
    for spec in specs:
        own = pool(game, TRAINERS[spec], ()) if spec in TRAINERS else [spec]
        if not own:
            allowed = ", ".join(name for name, kept in TRAINERS.items() if pool(game, kept, ()))
            raise ValueError(
                f"opponent={spec!r} is not allowed: {game} has no such pool; allowed: {allowed or 'specs'}"
            )
        found += own
    return found


def candidates(game: str) -> list[str]:
    """The scripts among whom the best one of a game is looked for: those of all pools but that of the test."""
    return list(dict.fromkeys(spec for name in POOLS if name != "test" for spec in pool(game, POOLS[name])))


def standard_pool(game_name: str) -> tuple[str, ...]:
    """The opponents that a game's players are measured against."""
    return tuple(pool(game_name, POOLS["standard"]))
