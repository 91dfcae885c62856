"""What shares in a table of learning are shares of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.ceilings.ceiling import KNOWN, READER, Ceiling, cells, solvable
from econzoo.evaluate.stats.columns import Columns, among, values_of

if TYPE_CHECKING:
    from econzoo.evaluate.run.design import Design

UNTOLD, TOLD = "ceiling, not told", "best scripts, told"
"""Names of the number: of the best plan of somebody who is not told whom it meets; of the best script against each."""

SCRIPTS = (
    "best scripts, told: mean over the opponents of what the best script against each earns: what somebody can earn "
    "who is told whom it meets. Nobody knows how much more is possible."
)


class CeilingLine(NamedTuple):
    """The most that can be earned, as far as it is known.

    Attributes:
        name: `UNTOLD` or `TOLD`.
        gain: The number.
        told: What somebody earns who is told whom it meets.
        how: How sure both are.
        counted: Labels of the opponents over whom it is the mean.
        left_out: Specs of those to whom no best reply is known.
        reader: What somebody is taken to know who earns it.
    """

    name: str
    gain: float
    told: float
    how: str
    counted: list[str]
    left_out: list[str]
    reader: str

    @property
    def note(self) -> str:
        """What is to be known of it."""
        left = f" Shares do not count {', '.join(self.left_out)}, to which no best reply is known." * bool(
            self.left_out
        )
        return self.reader + left


def ceiling_line(
    design: Design, rows: Columns, scripts: Sequence[str], labels: Mapping[str, str], value: str
) -> CeilingLine | None:
    """The ceiling of the settings and opponents of a design; None if there is neither a solution nor a script.

    Args:
        design: The design.
        rows: One for each match and player, against opponents that all players met.
        scripts: Specs.
        labels: Of specs.
        value: Column of what was earned.
    """
    game, met = find_game(design.game), set(values_of(rows["opponent"]))
    if answered := solvable(game, design.opponents):
        seats = sorted(set(values_of(rows["seat"])))
        known = cells(game, answered, design.markets, seats)
        found = Ceiling(game.name, "", answered, len(design.markets), known, None)
        answered = found.answered
        left = [one for one in design.opponents if one not in answered and labels[one] in met]
        counted = [labels[one] for one in answered]
        return CeilingLine(UNTOLD, found.unknown, found.told, found.how_unknown, counted, left, READER)
    best = _best_against(rows[among(rows["player"], [labels[one] for one in scripts])], value)
    told = fmean(best.values()) if best else 0.0
    return CeilingLine(TOLD, told, told, KNOWN, list(best), [], SCRIPTS) if best else None


def _best_against(rows: Columns, value: str) -> dict[str, float]:
    """Mean of the best script against each opponent."""
    gains: dict[str, dict[str, list[float]]] = {}
    for other, who, gain in zip(
        values_of(rows["opponent"]), values_of(rows["player"]), values_of(rows[value]), strict=True
    ):
        gains.setdefault(other, {}).setdefault(who, []).append(gain)
    return {other: max(map(fmean, found.values())) for other, found in gains.items()}
