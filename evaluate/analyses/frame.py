"""Records as a table with one row per seat and match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SELF_GAIN, UNIT, Game, Objective, Outcome, check_type
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.solutions import equilibrium_payoffs, moves, params_of, public_text
from econzoo.evaluate.analyses.solutions import shares_of_equilibrium, solution_part
from econzoo.evaluate.stats import Columns, count_outcomes, nan_if_none

if TYPE_CHECKING:
    import pandas as pd

    from econzoo.evaluate.run import Design

OBJECTIVES = (SELF_GAIN, "efficiency", "fairness", "nash_product", "inequity(0.5,0.25)")
"""Objectives that are columns by default."""

RECORDS_DESCRIPTION = "records, such as those of read_folder"

UNFORFEITED_GAIN = "unforfeited_gain"
"""The self-gain in matches without a forfeit or dropout."""

CLIPPED_COLUMN = "clipped"
"""Column of scores: whether the gain of a match was clipped to `GameFacts.gain_range`."""

SHARE, SHARE_GAIN = "share", "share_gain"
"""Columns: payoff / equilibrium payoff, a ratio of sums, and the gain in the same matches.

They are defined for seats with a positive equilibrium payoff. If a table has other seats too, its gains and shares are
of different matches and are shown apart (`econzoo.evaluate.analyses.groups.has_same_matches`).
"""

VIOLATION_PREFIX = "violation."
"""Prefix of the columns of `individual_rationality_violations`."""


def frame(
    records: Iterable[Record], design: Design | None = None, objectives: Sequence[str] = OBJECTIVES
) -> pd.DataFrame:
    """Return the table from which all statistics are computed.

    Columns: ``match``, ``game``, ``setting``, ``seed``, ``cluster`` (setting and seed: matches with common
    random numbers), ``seat``, ``role``, ``player``, ``opponent`` (joined if there are several), ``mixed`` (whether
    there are several), one column for each objective, ``agreed``, the game's `GameFacts.agreement_column`, ``payoff``
    (the game's unit), ``equilibrium`` (this seat's equilibrium payoff), ``unit`` (sum of equilibrium payoffs over
    seats, which makes settings of different size comparable), ``due`` (this seat's equilibrium payoff if positive),
    ``share_each`` (payoff / equilibrium payoff, in the same matches), ``share_gain`` (the self-gain in the same
    matches), ``unforfeited_gain`` (the self-gain in matches without a forfeit or dropout), ``clipped`` (whether the
    self-gain was clipped to `GameFacts.gain_range`; efficiency and fairness are clipped to [0, 1]), ``forfeit``,
    ``left``, ``answers``, ``errors``, ``defaults``, one column for each of
    `econzoo.envs.core.faces.finish.NO_REPLY_CODES` (cut replies, and so on), ``rounds``, ``tokens``, ``cost``,
    ``seconds`` and ``violation.*``. Values that a game does not define are NaN. Matches without a result, such as those
    truncated by ``max_cycles``, are left out.

    Args:
        design: Design with the settings' names; None: named by their parameters.
    """
    return columns(records, design, objectives).data_frame()


def columns(
    records: Iterable[Record],
    design: Design | None = None,
    objectives: Sequence[str] = OBJECTIVES,
    theory: bool = True,
) -> Columns:
    """Return the table of `frame` without pandas, and without the solution's columns if `theory` is false."""
    goals = {spec: Objective(spec) for spec in objectives}
    check_type("records", records, Iterable, RECORDS_DESCRIPTION)

    def rows() -> Iterator[dict[str, Any]]:
        for record in records:
            if check_type("records", record, Record, RECORDS_DESCRIPTION).has_result:
                setting = (design.setting_name(record.params) or "") if design else ""
                yield from seat_rows(record, setting, goals, theory, clipped=True)

    return Columns.of_rows(rows())


def seat_rows(
    record: Record, setting: str, goals: dict[str, Objective], theory: bool = True, clipped: bool = False
) -> list[dict[str, Any]]:
    """Return the rows of a match, one per seat, by column name.

    Args:
        record: The match; without a result, its outcomes are NaN.
        setting: Name of the setting; empty: named by its parameters.
        theory: Whether to add the columns of the game's solution.
        clipped: Whether to compute objectives from clipped metrics (`clip_outcome`) and add `CLIPPED_COLUMN`.
    """
    game = find_game(record.game)
    gains = tuple(nan_if_none(gain) for gain in record.metrics["gains"])
    efficiency, fairness = nan_if_none(record.metrics["efficiency"]), nan_if_none(record.metrics["fairness"])
    recorded = Outcome(gains, efficiency, fairness, record.metrics["agreed"])
    outcome = clip_outcome(game, recorded) if clipped else recorded
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
            **theory_columns,
        }
        for seat, (place, theory_columns) in enumerate(zip(places(record, setting), solved, strict=True))
    ]


def clip_outcome(game: Game, outcome: Outcome) -> Outcome:
    """Clip gains to the game's range, and efficiency and fairness to `UNIT`."""
    (low, high), (least, most) = game.facts.gain_range, UNIT
    gains = tuple(min(max(gain, low), high) for gain in outcome.gains)
    efficiency, fairness = (min(max(share, least), most) for share in (outcome.efficiency, outcome.fairness))
    return Outcome(gains, efficiency, fairness, outcome.agreed)


def _conduct(record: Record, seat: int) -> dict[str, Any]:
    """Columns of a seat's conduct: answers, errors, forfeits, tokens, cost, time."""
    turns = [turn for turn in record.stored_turns if turn.seat == seat]
    return {
        "forfeit": float(record.status == "forfeited" and record.forfeit == seat),
        "left": float(record.status == "abandoned" and record.forfeit == seat),
        "answers": record.left_out["turns"] // len(record.players) if record.left_out else len(turns),
        "errors": record.errors[seat],
        "defaults": record.defaults[seat],
        **count_outcomes(turns),
        "rounds": record.rounds,
        "tokens": sum(sum(turn.tokens) for turn in turns),
        "cost": sum((turn.cost for turn in turns), 0.0),
        "seconds": sum((turn.seconds for turn in turns), 0.0),
    }


def _theory(game: Game, record: Record) -> list[dict[str, float]]:
    """Columns of the game's solution for each seat; NaN or missing where it defines none."""
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
    """The share of the equilibrium payoff, its denominator, and the gain in the same match; NaN if undefined."""
    if not math.isfinite(share):
        return {"due": math.nan, "share_each": share, "share_gain": math.nan}
    return {"due": equilibrium, "share_each": share, "share_gain": gain}


def _violations(game: Game, record: Record, public: str) -> list[dict[str, float]]:
    count = solution_part(game, "individual_rationality_violations")
    if count is None:
        return [{} for _ in record.players]
    counts = count(params_of(game.name, public), moves(game, record))
    return [{VIOLATION_PREFIX + name: float(value) for name, value in seat._asdict().items()} for seat in counts]
