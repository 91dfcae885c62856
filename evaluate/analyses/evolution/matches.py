"""Payoff matrices from records of two-seat games."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.record import Record, identity
from econzoo.evaluate.analyses import played_games
from econzoo.evaluate.analyses.evolution.payoff_matrix import PayoffMatrix
from econzoo.evaluate.run import Records, describe_unreadable
from econzoo.evaluate.stats import Estimate, Observation, estimate_pairs

LENGTH_PARAMETERS = ("rounds", "turns")
"""Public parameters whose product is the number of rounds of the base game in a match; default 1."""

PROB_END = "prob_end"
"""Public parameter with the probability that a match ends after a round, in games of random length."""

MAX_LISTED = 3
"""Maximum number of names listed in a note."""


def rounds_of(params: Mapping[str, Any]) -> float:
    """Return the (expected) rounds of the base game in a match with these public parameters."""
    numbers = [params[name] for name in LENGTH_PARAMETERS if name in params]
    most = int(np.prod([number for number in numbers if isinstance(number, int)], dtype=int)) if numbers else 1
    # (1 - (1 - p)^n) / p is the mean of a geometric length that is cut at n, here without cancellation for small p.
    end = params.get(PROB_END, 0.0)
    return most if end == 0.0 else -np.expm1(most * np.log1p(-end)) / end if end < 1.0 else 1


def read_matrix(
    records: Records, game: str | None = None, types: Sequence[str] = (), failed_rounds: bool = False
) -> PayoffMatrix:
    """Estimate the matrix of one game of the records.

    Args:
        game: Game to use; None: the only one.
        types: Players, in this order; empty: all, in order of appearance.
    """
    games = sorted(records.games)
    if game is None and len(games) > 1:
        raise ValueError(f"{records.folder}: records of several games: select one with --game: {', '.join(games)}")
    chosen = records.filter(lambda record: game in (None, record.game))
    if not chosen:
        others = f", but records of {', '.join(games)}" if games else ""
        raise ValueError(f"{records.folder}: no matches{f' of {game}' if game else ''}{others}")
    return matrix_from_records(chosen, types, describe_unreadable(records.unreadable), failed_rounds)


def matrix_from_records(
    records: Iterable[Record], types: Sequence[str] = (), notes: Sequence[str] = (), failed_rounds: bool = False
) -> PayoffMatrix:
    """Estimate the matrix from matches of one two-seat game.

    The entry of a pair is the mean of its two means as first and as second seat. Its variance is the first-order
    (sandwich) variance under resampling of clusters, valid whether or not every cluster has both seat orders.

    Args:
        failed_rounds: Whether to include meta-rounds in which a submitted program left a turn unanswered. Their payoffs
            are set by the rules of the match, not by programs: a defector earns most from failing opponents.
    """
    records = list(records)
    _check_seats(records)
    known = {
        identity(spec): label for record in records for spec, label in zip(record.players, record.labels, strict=True)
    }
    names = tuple(known.get(identity(spec), spec) for spec in types) or tuple(
        dict.fromkeys(spec for record in records for spec in record.labels)
    )
    records = [record for record in records if set(record.labels) <= set(names)]
    seen, failed, defaults, lost = _observations_by_pair(records, failed_rounds)
    estimates = [[_estimate_pair(i, j, seen, failed, lost) for j in names] for i in names]
    columns = {name: np.array([[getattr(one, name) for one in row] for row in estimates]) for name in Estimate._fields}
    counts = {
        name: np.array([[counter[i, j] for j in names] for i in names])
        for name, counter in (("failed", failed), ("defaults", defaults), ("failed_rounds", lost))
    }
    all_notes = (*notes, *_notes(records, names, seen))
    return PayoffMatrix(names, **columns, **counts, notes=all_notes, played_games=played_games(records))


Pair = tuple[str, str]


def _observations_by_pair(
    records: Iterable[Record], failed_rounds: bool
) -> tuple[dict[Pair, list[Observation]], Counter[Pair], Counter[Pair], Counter[Pair]]:
    """Payoffs by pair, and counts by pair: unfinished matches, matches with default moves, failed rounds."""
    seen: dict[Pair, list[Observation]] = defaultdict(list)
    failed: Counter[Pair] = Counter()
    defaults: Counter[Pair] = Counter()
    lost: Counter[Pair] = Counter()
    for record in records:
        first, second = record.labels
        both = (first, second), (second, first)
        # A match of a player against itself counts once.
        pairs = set(both)
        if record.status != "finished":
            failed.update(pairs)
            continue
        for seat, pair in enumerate(both):
            lost[pair] += sum(fails[seat] for fails in program_failures(record))
        payoffs = payoffs_of(record, failed_rounds)
        if payoffs is None:
            continue
        if any(record.defaults) or (failed_rounds and any(map(any, program_failures(record)))):
            defaults.update(pairs)
        cluster = f"{_setting(record)}#{record.seed}"
        for seat, pair in enumerate(both):
            seen[pair].append(Observation(seat, cluster, payoffs[seat]))
    return seen, failed, defaults, lost


def payoffs_of(record: Record, failed_rounds: bool) -> tuple[float, ...] | None:
    """Compute both seats' payoffs per round of the base game.

    Returns:
        The payoffs; None if every round failed and failed rounds are excluded.
    """
    length, fails = rounds_of(record.params), program_failures(record)
    if failed_rounds or not any(map(any, fails)):
        return tuple(payoff / length for payoff in record.payoffs)
    valid = [one["results"] for one, failed in zip(record.rulings or (), fails, strict=True) if not any(failed)]
    # The rounds of the base game are divided evenly among the meta-rounds.
    turns = len(valid) * length / len(fails)
    return tuple(sum(one[seat]["payoff"] for one in valid) / turns for seat in (0, 1)) if valid else None


def program_failures(record: Record) -> list[tuple[bool, ...]]:
    """Whether each seat's program left a turn unanswered, by meta-round; empty in games without programs."""
    return [tuple(result.get("failed", 0) > 0 for result in one["results"]) for one in record.rulings or ()]


def _estimate_pair(
    one: str, other: str, seen: Mapping[Pair, list[Observation]], failed: Counter[Pair], lost: Counter[Pair]
) -> Estimate:
    observations = seen.get((one, other))
    if not observations:
        unfinished, rounds = failed[one, other], lost[one, other] + lost[other, one] * (one != other)
        why = f"{format_count(unfinished, 'match')} failed" if unfinished else "no match, or every match failed"
        if rounds:
            why = f"a program failed in every round; --failed-rounds includes the {rounds}"
        raise ValueError(
            f"no payoff of {one!r} against {other!r} ({why}): expected a match of every pair, self-play included"
        )
    entry = estimate_pairs(observations)
    # Each match against oneself is observed from both seats.
    return entry._replace(matches=entry.matches // 2) if one == other else entry


def _check_seats(records: Sequence[Record]) -> None:
    if not records:
        raise ValueError("no matches: expected at least one of every pair")
    games = sorted({record.game for record in records})
    if len(games) > 1:
        raise ValueError(f"matches of several games, {', '.join(games)}: expected one game")
    for record in records:
        if len(record.players) != 2:
            seats = format_count(len(record.players), "seat")
            raise ValueError(f"{record.game} with {seats}: expected two seats")


def _setting(record: Record) -> str:
    return json.dumps([to_plain(record.params), to_plain(record.options)], sort_keys=True)


def _notes(records: Sequence[Record], names: Sequence[str], seen: Mapping[Pair, list[Observation]]) -> list[str]:
    """Caveats of the numbers."""
    out = []
    settings = {_setting(record) for record in records}
    if len(settings) > 1:
        out.append(f"The payoffs are averages over {len(settings)} settings of the game.")
        spreads = {tuple(sorted(Counter(one.cluster.rpartition("#")[0] for one in f).items())) for f in seen.values()}
        own = {pair: {one.cluster.rpartition("#")[0] for one in found} for pair, found in seen.items()}
        if len(spreads) > 1 and any(met != settings for met in own.values()):
            out.append("Not every pair played in every setting, so entries are over different settings.")
    alone = [f"{i} against {j}" for i in names for j in names if len({one.seat for one in seen[i, j]}) < 2]
    if alone:
        more = f" and {len(alone) - MAX_LISTED} more" if len(alone) > MAX_LISTED else ""
        out.append(f"In one seat only: {', '.join(alone[:MAX_LISTED])}{more}.")
    return out
