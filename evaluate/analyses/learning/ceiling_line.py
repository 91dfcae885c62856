"""The best known gain, as a line of the learning table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.evaluate.analyses.ceilings import BEST_KNOWN, CEILING_NOTE, Ceiling, cells, solvable_opponents
from econzoo.evaluate.stats import Columns, is_in, values_of

if TYPE_CHECKING:
    from econzoo.evaluate.run import Design

BAYES_ADAPTIVE, FULL_INFORMATION = "ceiling, Bayes-adaptive", "best scripts, full information"
"""Names of the ceiling: Bayes-adaptive best response; best script against each opponent, with full information."""

SCRIPTS_NOTE = (
    "best scripts, full information: mean over opponents of the best script against each, a lower bound on the best "
    "response with full information."
)


class CeilingLine(NamedTuple):
    """Best known gain.

    Attributes:
        full_information: Value with full information.
        opponents: Labels of the opponents averaged over.
        left_out: Specs of opponents without a known best response.
        information: Note on the information that the ceiling assumes.
    """

    name: str
    gain: float
    full_information: float
    certainty: str
    opponents: list[str]
    left_out: list[str]
    information: str

    @property
    def note(self) -> str:
        excluded = f" Shares exclude {', '.join(self.left_out)}: no known best response."
        return self.information + excluded * bool(self.left_out)


def ceiling_line(
    design: Design, rows: Columns, scripts: Sequence[str], labels: Mapping[str, str], value: str
) -> CeilingLine | None:
    """Return the ceiling for the settings and opponents of a design; None without a solution or script.

    Args:
        rows: One row per match and player, against opponents common to all players.
        value: Column of gains.
    """
    game, opponents = find_game(design.game), set(values_of(rows["opponent"]))
    if answered := solvable_opponents(game, design.opponents):
        seats = sorted(set(values_of(rows["seat"])))
        known = cells(game, answered, design.settings, seats)
        found = Ceiling(game.name, "", answered, len(design.settings), known, None)
        answered = found.solved_opponents
        unsolved = [one for one in design.opponents if one not in answered and labels[one] in opponents]
        counted = [labels[one] for one in answered]
        gains, certainty = (found.bayes_adaptive, found.full_information), found.bayes_adaptive_certainty
        return CeilingLine(BAYES_ADAPTIVE, *gains, certainty, counted, unsolved, CEILING_NOTE)
    best = _best_script_gains(rows[is_in(rows["player"], [labels[one] for one in scripts])], value)
    gain = fmean(best.values()) if best else 0.0
    return CeilingLine(FULL_INFORMATION, gain, gain, BEST_KNOWN, list(best), [], SCRIPTS_NOTE) if best else None


def _best_script_gains(rows: Columns, value: str) -> dict[str, float]:
    """Return the mean gain of the best script against each opponent."""
    gains: dict[str, dict[str, list[float]]] = {}
    for other, who, gain in zip(
        values_of(rows["opponent"]), values_of(rows["player"]), values_of(rows[value]), strict=True
    ):
        gains.setdefault(other, {}).setdefault(who, []).append(gain)
    return {other: max(map(fmean, found.values())) for other, found in gains.items()}
