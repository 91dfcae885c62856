"""What share of the ceiling a player earns."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from econzoo.baselines.factory import seats_of
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.ceilings.ceiling import CEILING_NOTE, Ceiling, cells, solvable_opponents
from econzoo.evaluate.analyses.summary.summary import Summary
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.show.parts import SHARE, TEXT, Column, Table
from econzoo.evaluate.stats.columns import find_labels

ALL_OPPONENTS = "all, not told"


def shares(design: Design, summary: Summary) -> dict[str, dict[str, Any]]:
    """Gain, ceiling and share of it: against each opponent that a solution answers, and against all of these.

    Args:
        design: Of one player, each of whose opponents it meets as often.
        summary: Of the matches of the design.

    Returns:
        By opponent, `ALL_OPPONENTS` at the end; empty if no ceiling is known.
    """
    game = find_game(design.game)
    answered = solvable_opponents(game, design.opponents)
    if not answered:
        return {}
    known = cells(game, answered, design.settings, seats_of(design.players[0], design.game) or (0, 1))
    found = Ceiling(design.game, "", answered, len(design.settings), known, None)
    (player,) = find_labels(summary.columns, design.players)
    labels = {spec: find_labels(summary.columns, [spec])[0] for spec in answered}
    gains = {spec: summary.pairs[player, label]["self_gain"].mean for spec, label in labels.items()}
    rows = {spec: (gains[spec], found.known_gain(spec) or 0.0, found.certainty([spec])) for spec in answered}
    rows[ALL_OPPONENTS] = fmean(gains.values()), found.bayes_adaptive, found.bayes_adaptive_certainty
    return {one: _share_row(*row) for one, row in rows.items()}


def _share_row(gain: float, ceiling: float, how: str) -> dict[str, Any]:
    return {"gain": gain, "ceiling": ceiling, "how": how, "share": gain / ceiling if ceiling > 0 else None}


def share_table(found: dict[str, dict[str, Any]]) -> Table:
    """For the terminal."""
    columns = [
        Column("against", kind=TEXT),
        Column("gain"),
        Column("ceiling"),
        Column("how", kind=TEXT),
        Column("share", kind=SHARE),
    ]
    rows = [[one, row["gain"], row["ceiling"], row["how"], row["share"] or 0.0] for one, row in found.items()]
    return Table("ceiling", "Share of the ceiling", columns, rows, CEILING_NOTE)
