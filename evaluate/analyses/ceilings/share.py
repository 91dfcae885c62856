"""A player's gain as a share of the ceiling."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from econzoo.baselines import seats_of
from econzoo.envs.core import game as find_game
from econzoo.evaluate.analyses.ceilings.ceiling import CEILING_NOTE, Ceiling, cells, solvable_opponents
from econzoo.evaluate.analyses.summary import Summary
from econzoo.evaluate.run import Design
from econzoo.evaluate.show import SHARE, TEXT, Column, Table
from econzoo.evaluate.stats import find_labels

ALL_OPPONENTS = "all, Bayes-adaptive"
"""Key of the Bayes-adaptive row in saved results."""


def shares(design: Design, summary: Summary) -> dict[str, dict[str, Any]]:
    """Compute gain, ceiling and share, against each opponent with a known best response and against all of these.

    Returns:
        By opponent, `ALL_OPPONENTS` at the end; empty if no ceiling is known.
    """
    game = find_game(design.game)
    solvable = solvable_opponents(game, design.opponents)
    if not solvable:
        return {}
    values = cells(game, solvable, design.settings, seats_of(design.players[0], design.game) or (0, 1))
    ceiling = Ceiling(design.game, "", solvable, len(design.settings), values, None)
    (player,) = find_labels(summary.columns, design.players)
    labels = {spec: find_labels(summary.columns, [spec])[0] for spec in solvable}
    gains = {spec: summary.pairs[player, label]["self_gain"].mean for spec, label in labels.items()}
    rows = {spec: (gains[spec], ceiling.known_gain(spec) or 0.0, ceiling.certainty([spec])) for spec in solvable}
    # Plain means over opponents: these are equally frequent in the design, as in the prior of the ceiling.
    rows[ALL_OPPONENTS] = fmean(gains.values()), ceiling.bayes_adaptive, ceiling.bayes_adaptive_certainty
    return {one: _share_row(*row) for one, row in rows.items()}


def _share_row(gain: float, ceiling: float, certainty: str) -> dict[str, Any]:
    return {"gain": gain, "ceiling": ceiling, "certainty": certainty, "share": gain / ceiling if ceiling > 0 else None}


def share_table(found: dict[str, dict[str, Any]]) -> Table:
    columns = [
        Column("opponent", "against", TEXT),
        Column("gain"),
        Column("ceiling"),
        Column("certainty", kind=TEXT),
        Column("share", kind=SHARE),
    ]
    rows = [[one, row["gain"], row["ceiling"], row["certainty"], row["share"] or 0.0] for one, row in found.items()]
    return Table("ceiling", "Share of the ceiling", columns, rows, CEILING_NOTE)
