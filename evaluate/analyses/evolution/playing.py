"""Payoff matrices by playing: every pair of players, both seat orders, the same seeds for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines.factory import seats_of
from econzoo.envs.core.env.options import parted
from econzoo.envs.core.plurals import many, times
from econzoo.envs.core.record.spec import labels
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.description import played_in
from econzoo.evaluate.analyses.evolution.matches import matrix_of
from econzoo.evaluate.analyses.evolution.payoff_matrix import MOST, PayoffMatrix
from econzoo.evaluate.run.failures import StoppedError, failed_in
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.plan import Plan, new_plan
from econzoo.evaluate.run.settings import Market, label

SEATS = 2
CLASSICS = "matrix"
"""The game whose classic strategies can be played without the environment."""

MOST_REPETITIONS = 100_000


def parse_players(given: Sequence[str]) -> list[str]:
    """Specs from texts with commas between them, where commas inside brackets and quotes belong to a spec.

    Raises:
        ValueError: There are fewer than two or more than `MOST`, one is blank, or one stands twice.
    """
    players = [spec for text in given for spec in split(text)]
    for at, spec in enumerate(players):
        if not spec:
            raise ValueError(f"player {at + 1} of --players is blank; allowed: specs with commas between them")
        if spec in players[:at]:
            raise ValueError(f"player {spec!r} is given twice; allowed: each once, all meet themselves anyway")
    if not 2 <= len(players) <= MOST:
        raise ValueError(f"{len(players)} players are not allowed; allowed: 2 to {MOST}")
    return players


def split(text: str) -> list[str]:
    """A text at the commas that stand outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth = max(0, depth - 1)
        if sign == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def matrix_plan(
    game_name: str, players: Sequence[str], repetitions: int, seed: int, settings: Mapping[str, Any]
) -> Plan:
    """The matches of a matrix, everything checked.

    Args:
        game_name: A game with two seats.
        players: Specs that can take both seats.
        repetitions: Matches of each seating: seeds `seed`, `seed` + 1, ...
        seed: Of the first match.
        settings: Parameters and options.

    Raises:
        ValueError: Something is not allowed.
    """
    if not 1 <= repetitions <= MOST_REPETITIONS:
        raise ValueError(
            f"repetitions={repetitions} is not allowed; allowed: a whole number from 1 to {MOST_REPETITIONS}"
        )
    check_two_seats(game_name, settings)
    options, params = parted(settings)
    market = Market(label(find_game(game_name), params), params)
    plan = new_plan(game_name, players, [market], range(seed, seed + repetitions), **options)
    _check_both_seats(plan)
    return plan


def check_two_seats(game_name: str, settings: Mapping[str, Any]) -> None:
    """Raises `ValueError` unless a game with these settings has two seats."""
    game = find_game(game_name)
    seats = game.seats(game.params(**parted(settings)[1])[1])
    if seats != SEATS:
        raise ValueError(f"{game_name} has {many(seats, 'seat')}; allowed: a game with two")


def _check_both_seats(plan: Plan) -> None:
    """Raises `ValueError` for the first player that cannot take both seats: types of one population must."""
    for spec in plan.players:
        taken = seats_of(spec, plan.game)
        if taken is not None and len(taken) < SEATS:
            only = ", ".join(map(str, taken))
            raise ValueError(f"{plan.game}: {spec!r} takes seat {only} only; allowed: players that take both seats")


def quick_matrix(plan: Plan) -> PayoffMatrix | None:
    """The matrix of a plan of classic strategies of `matrix`, by the loop that plays nothing else.

    Pairs in which chance plays no part are as the environment plays them; the others have draws of their own.

    Args:
        plan: Of one market.

    Returns:
        None where the plan is of another kind: other players, options of the environment, a match that nature ends, or
        a payoff table that is not the same for both seats.
    """
    if plan.game != CLASSICS or plan.options or not all(_classic(spec) for spec in plan.players):
        return None
    market = find_game(plan.game).params(**plan.markets[0].params)[1]
    own, other = market.table[:4], market.table[4:]
    if market.prob_end or other != (own[0], own[2], own[1], own[3]):
        return None
    from econzoo.evaluate.analyses.dilemmas import round_robin

    setting = {"noise": market.noise, "known": bool(market.known), "payoffs": own}
    found = round_robin(plan.players, market.rounds, 2 * len(plan.seeds), plan.seeds[0], **setting)
    none = np.zeros(found.payoff.shape, int)
    notes = ("Played without the environment, so that no matches were kept.",)
    names = tuple(labels(plan.players).values())
    counts = found.played, found.played, none, none, none
    told: dict[str, Any] = {"notes": notes, "played": played_in(plan), "skewness": found.skewness}
    return PayoffMatrix(names, found.payoff, found.error, *counts, **told)


def _classic(spec: str) -> bool:
    from econzoo.baselines.factory import player
    from econzoo.baselines.matrix.classic import Classic

    return isinstance(player(spec, CLASSICS), Classic)


def played_matrix(plan: Plan, folder: Path, failed_rounds: bool = False) -> PayoffMatrix:
    """The matrix of a plan whose matches are in a folder; see `econzoo.evaluate.analyses.evolution.matches.matrix_of`.

    Raises:
        StoppedError: All matches of a pair have failed.
    """
    wanted = {id for _, id in plan.identified()}
    records = [record for record in read_folder(folder)[0] if record.id in wanted]
    met = {frozenset(record.players) for record in records}
    for lost, tries in failed_in(folder, ()):
        if lost.id in wanted and (pair := frozenset(lost.players)) not in met:
            who = " and ".join(map(repr, sorted(pair)))
            raise StoppedError(f"no match of {who} has ended, the last one failed {times(tries)}: {lost.reason}")
    return matrix_of(records, plan.players, failed_rounds=failed_rounds)
