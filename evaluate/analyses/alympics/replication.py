"""Table 2 of ALYMPICS (arXiv:2311.03220) beside what its published games say, as they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from econzoo.envs.games.water_allocation import RESIDENTS
from econzoo.envs.games.water_allocation.indicators import rsr_end, rsr_start
from econzoo.evaluate.analyses.alympics.paper import GAMES, TABLE_2
from econzoo.evaluate.analyses.alympics.water_games import WaterGame
from econzoo.evaluate.analyses.comparison import Cell, Comparison

MISPRINTS = (
    "The paper's RSR at the end in medium (0.51) and plenty (0.53) does not follow from its own survival rates, which "
    "the games confirm."
)


def table_2(games: Sequence[WaterGame]) -> Comparison:
    """Survival rates, survivors and RSR of each setting.

    Args:
        games: In the paper's settings; those of others count for nothing.

    Raises:
        ValueError: None is in a setting of the paper.
    """
    cells, names = list[Cell](), tuple(name for name, _, _ in RESIDENTS)
    for setting in TABLE_2:
        found = [game for game in games if game.setting == setting and game.names == names]
        cells += _cells(setting, found) if found else []
    if not cells:
        raise ValueError(f"no game is in a setting of the paper; those are: {', '.join(TABLE_2)}")
    notes = [MISPRINTS] if any(not cell.agrees and cell.games == GAMES for cell in cells) else []
    few = list(dict.fromkeys(cell.row for cell in cells if cell.games != GAMES))
    notes += [f"The paper has {GAMES} games of each setting, this has others of {', '.join(few)}."] if few else []
    return Comparison("Table 2 of ALYMPICS beside its published games", "table-2", cells, notes)


def _cells(setting: str, games: Sequence[WaterGame]) -> Iterator[Cell]:
    told, count = TABLE_2[setting], len(games)
    for seat, (name, _, _) in enumerate(RESIDENTS):
        yield Cell(setting, name, told.rates[seat], fmean(game.alive[seat] for game in games), count, 1)
    yield Cell(setting, "survivors", told.survivors, fmean(sum(game.alive) for game in games), count, 1)
    yield Cell(setting, "RSR start", told.rsr_start, rsr_start(games[0].params), count, 2)
    yield Cell(setting, "RSR end", told.rsr_end, fmean(rsr_end(game.params, game.days) for game in games), count, 2)
