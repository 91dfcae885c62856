"""The ceiling of an opponent pool: best-response values where a solution exists, else the best scripted baseline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from econzoo.baselines import HELD_OUT_FAMILIES, members, player, pools, seats_of
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SELF_GAIN
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import least_values, roles_of
from econzoo.evaluate.analyses.ceilings import BestScript, Ceiling, Scripts, cells, solvable_opponents
from econzoo.evaluate.run import Setting, play_all
from econzoo.evaluate.stats import nan_if_none
from econzoo.evaluate.suites.evaluation import evaluation_design


def ceiling(
    game_name: str,
    pool: str,
    settings: Sequence[Setting],
    opponents: Sequence[str] = (),
    seeds: int = 1,
    scripts: bool = True,
    jobs: int | None = None,
) -> Ceiling:
    """Compute the maximum gain against a pool.

    Args:
        opponents: Specs and family names; empty: the pool.
    """
    game, pool = find_game(game_name), "given" if opponents else pool
    if game.facts.seats < 2:
        raise ValueError(f"invalid game {game_name!r}: expected at least two seats, got 1")
    opponents = members(game_name, opponents, HELD_OUT_FAMILIES) or pools.pool(game_name, pool)
    for spec in opponents:
        player(spec, game_name)
    answered = solvable_opponents(game, opponents)
    found = cells(game, answered, settings) if answered else []
    played = (
        # Over the opponents with a solution, if there are any, so that scripts and solution are comparable.
        best_scripts(game_name, opponents, answered or opponents, settings, seeds, jobs)
        if scripts or not found
        else None
    )
    return Ceiling(game_name, pool, opponents, len(settings), found, played)


Gains = dict[tuple[str, str, str], list[float]]
"""Gains of matches by script, opponent and role of the script."""


def best_scripts(
    game_name: str,
    opponents: Sequence[str],
    scored_opponents: Sequence[str],
    settings: Sequence[Setting],
    seeds: int = 1,
    jobs: int | None = None,
) -> Scripts:
    """Play every candidate script against every opponent in all settings and seats, and select the best.

    Args:
        scored_opponents: Opponents over which the means by role are taken.
    """
    design = evaluation_design(game_name, (), opponents, settings, seeds, scripts=True)
    # If some players take only certain seats, gains in different roles are not comparable.
    apart = any(seats_of(spec, game_name) is not None for spec in design.names())
    gains = gains_of(play_all(design, jobs), set(design.players), set(opponents), apart)
    against = {one: best_script({key: found for key, found in gains.items() if key[1] == one}) for one in opponents}
    met = {key: found for key, found in gains.items() if key[1] in scored_opponents}
    roles = sorted({role for _, _, role in met})
    return Scripts(
        against, {one: best_script({key: found for key, found in met.items() if key[2] == one}) for one in roles}
    )


def gains_of(records: Iterable[Record], scripts: set[str], opponents: set[str], by_role: bool) -> Gains:
    """Gains of scripts whose opponent takes all other seats; by role if `by_role`. Defaults count as the least gain."""
    gains: Gains = defaultdict(list)
    for record in records:
        least = least_values([record], SELF_GAIN, clipped=False)
        for seat, (spec, role) in enumerate(zip(record.players, roles_of(record), strict=True)):
            others = set(record.players[:seat] + record.players[seat + 1 :])
            # Scripts may be opponents too; a ceiling is against one opponent in all other seats.
            if spec in scripts and len(others) == 1 and others <= opponents:
                gain = least.get((record.id, seat), nan_if_none(record.metrics["gains"][seat]))
                gains[spec, others.pop(), role if by_role else ""].append(gain)
    return gains


def best_script(gains: Gains) -> BestScript:
    """Select the script with the highest mean gain."""
    own: dict[str, list[float]] = defaultdict(list)
    for (spec, _, _), found in gains.items():
        own[spec] += found
    spec = max(own, key=lambda one: fmean(own[one]))
    return BestScript(spec, fmean(own[spec]))
