"""Records as a table: one row for every seat of every match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.objectives import SELF_GAIN, Objective, Outcome
from econzoo.envs.core.contract.validation import check_type
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.solutions import (
    equilibrium_payoffs,
    moves,
    params_of,
    public_text,
    shares_of_equilibrium,
    solution_part,
)
from econzoo.evaluate.stats.columns import Columns, nan_if_none
from econzoo.evaluate.stats.outcomes import count_outcomes

if TYPE_CHECKING:
    import pandas as pd

    from econzoo.evaluate.run.design import Design

OBJECTIVES = (SELF_GAIN, "efficiency", "fairness", "nash_product", "inequity(0.5,0.25)")
"""Objectives that become columns unless others are asked for."""

RECORDS_DESCRIPTION = "records, as read_folder gives them"

UNFORFEITED_GAIN = "unforfeited_gain"
"""The self-gain in matches that nobody forfeited or left."""

CLIPPED_COLUMN = "clipped"
"""Column of scores: whether the gain of a match is beyond `GameFacts.gain_range`, and counts as the end of that."""

SHARE, SHARE_GAIN = "share", "share_gain"
"""Columns: payoff / equilibrium payoff, a ratio of sums, and the gain in the same matches.

They are defined in the seats to which the equilibrium pays something. Where these are not all seats of a table, its
gains are those of other matches than its shares, and the two have to stand apart
(`econzoo.evaluate.analyses.groups.has_same_matches`).
"""

VIOLATION_PREFIX = "violation."
"""What the columns of `individual_rationality_violations` begin with."""


def frame(
    records: Iterable[Record], design: Design | None = None, objectives: Sequence[str] = OBJECTIVES
) -> pd.DataFrame:
    """The table that all statistics are made from.

    Columns: ``match``, ``game``, ``market``, ``seed``, ``cluster`` (market and seed: what common random numbers
    share), ``seat``, ``role``, ``player``, ``opponent`` (joined if there are several), ``mixed`` (whether there are
    several), one column for each objective, ``agreed``, the game's `GameFacts.agreement_column`, ``payoff``
    (the game's unit), ``equilibrium`` (this seat's equilibrium payoff), ``unit`` (what the equilibrium pays all
    seats together: it makes markets of different size comparable), ``due`` (the equilibrium payoff where it pays this
    seat something), ``share_each`` (payoff / equilibrium payoff, in the same matches), ``share_gain`` (the self-gain in
    the same matches), ``unforfeited_gain`` (the self-gain where nobody forfeited or left),
    ``clipped`` (whether the self-gain is beyond `GameFacts.gain_range` and counts as the end of it; efficiency and
    fairness count from 0 to 1), ``forfeit``, ``left``, ``answers``, ``errors``, ``defaults``, one column for each of
    `econzoo.envs.core.faces.finish.NO_REPLY_CODES` (cut replies, and so on), ``rounds``, ``tokens``, ``cost``,
    ``seconds`` and ``violation.*``. What a game does not define is NaN. Matches without a result, such as those that
    ``max_cycles`` cut, are left out.

    Args:
        records: See `econzoo.evaluate.run.folder.read_folder`.
        design: Gives the markets their names; None: they are named by their parameters.
        objectives: Specs of `econzoo.envs.core.contract.objectives`.
    """
    return columns(records, design, objectives).data_frame()


def columns(
    records: Iterable[Record],
    design: Design | None = None,
    objectives: Sequence[str] = OBJECTIVES,
    theory: bool = True,
) -> Columns:
    """The table of `frame`, without pandas, and without what the game's solution says if that is not wanted."""
    goals = {spec: Objective(spec) for spec in objectives}
    check_type("records", records, Iterable, RECORDS_DESCRIPTION)

    def rows() -> Iterator[dict[str, Any]]:
        for record in records:
            if check_type("records", record, Record, RECORDS_DESCRIPTION).has_result:
                market = (design.setting_name(record.params) or "") if design else ""
                yield from seat_rows(record, market, goals, theory, clipped=True)

    return Columns.of_rows(rows())


def seat_rows(
    record: Record, setting: str, goals: dict[str, Objective], theory: bool = True, clipped: bool = False
) -> list[dict[str, Any]]:
    """The rows of a match, a column by its name each.

    Args:
        record: The match; of one without a result, what it would be is NaN.
        setting: Its name; empty: that of its parameters.
        goals: Column to objective.
        theory: Whether to ask the game's solution.
        clipped: Whether objectives are of what counts (`clip_outcome`), with the column `CLIPPED_COLUMN`; else of the
            recorded
            metrics.
    """
    game = find_game(record.game)
    gains = tuple(nan_if_none(gain) for gain in record.metrics["gains"])
    efficiency, fairness = nan_if_none(record.metrics["efficiency"]), nan_if_none(record.metrics["fairness"])
    whole = Outcome(gains, efficiency, fairness, record.metrics["agreed"])
    outcome = clip_outcome(game, whole) if clipped else whole
    solved = _theory(game, record) if theory else [{}] * len(record.players)

    def finite_or_nan(value: float) -> float:
        return value if record.has_result else math.nan

    return [
        {
            **place,
            **{spec: goal(record.payoffs, outcome, seat) for spec, goal in goals.items()},
            "agreed": finite_or_nan(float(outcome.agreed)),
            game.facts.agreement_column: finite_or_nan(game.agreement_rate(outcome)),
            "payoff": finite_or_nan(record.payoffs[seat]),
            UNFORFEITED_GAIN: outcome.gains[seat] if record.forfeit is None else math.nan,
            **({CLIPPED_COLUMN: float(abs(outcome.gains[seat] - gains[seat]) > 0)} if clipped else {}),
            **_conduct(record, seat),
            **said,
        }
        for seat, (place, said) in enumerate(zip(places(record, setting), solved, strict=True))
    ]


def clip_outcome(game: Game, outcome: Outcome) -> Outcome:
    """What counts of the metrics of a match: gains within the game's range, efficiency and fairness from 0 to 1."""
    low, high = game.facts.gain_range
    gains = tuple(min(max(gain, low), high) for gain in outcome.gains)
    efficiency, fairness = (min(max(share, 0.0), 1.0) for share in (outcome.efficiency, outcome.fairness))
    return Outcome(gains, efficiency, fairness, outcome.agreed)


def _conduct(record: Record, seat: int) -> dict[str, Any]:
    """How a seat behaved: answers, errors, forfeits, what it took."""
    turns = [turn for turn in record.turns if turn.seat == seat]
    return {
        "forfeit": float(record.status == "forfeited" and record.forfeit == seat),
        "left": float(record.status == "abandoned" and record.forfeit == seat),
        "answers": len(turns),
        "errors": record.errors[seat],
        "defaults": record.defaults[seat],
        **count_outcomes(turns),
        "rounds": max((turn.round for turn in record.turns), default=0),
        "tokens": sum(sum(turn.tokens) for turn in turns),
        "cost": sum(turn.cost for turn in turns),
        "seconds": sum(turn.seconds for turn in turns),
    }


def _theory(game: Game, record: Record) -> list[dict[str, float]]:
    """What the game's solution says about each seat; NaN or no column where it says nothing."""
    public = public_text(record.params)
    equilibrium = equilibrium_payoffs(game.name, public)
    if equilibrium is None:
        none = ("equilibrium", "unit", "due", "share_each", "share_gain")
        return [dict.fromkeys(none, math.nan)] * len(record.players)
    each = shares_of_equilibrium(record, public)
    unit = sum(equilibrium) if sum(equilibrium) > 0 and any(map(math.isfinite, each)) else math.nan
    gains, violations = map(nan_if_none, record.metrics["gains"]), _violations(game, record, public)
    return [
        {"equilibrium": own, "unit": unit, **_share(own, one if math.isfinite(unit) else math.nan, gain), **counts}
        for own, one, gain, counts in zip(equilibrium, each, gains, violations, strict=True)
    ]


def _share(equilibrium: float, share: float, gain: float) -> dict[str, float]:
    """What a share of the equilibrium payoff is made of; all NaN where there is none."""
    there = math.isfinite(share)
    return {"due": equilibrium if there else math.nan, "share_each": share, "share_gain": gain if there else math.nan}


def _violations(game: Game, record: Record, public: str) -> list[dict[str, float]]:
    count = solution_part(game, "individual_rationality_violations")
    if count is None:
        return [{} for _ in record.players]
    counted = count(params_of(game.name, public), moves(game, record))
    return [{VIOLATION_PREFIX + name: float(value) for name, value in seat._asdict().items()} for seat in counted]
