"""Who lived, run by run, as Table 2 of ALYMPICS shows it: residents below each other, games beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.games.water_allocation.indicators import rsr_end, rsr_start
from econzoo.evaluate.analyses.alympics.indicator_table import Column, number
from econzoo.evaluate.analyses.alympics.water_games import WaterGame
from econzoo.evaluate.show import console
from econzoo.evaluate.show.escapes import in_latex
from econzoo.evaluate.show.numbers import percent

LIVED, DIED = "\u2713", "\u2717"
"""How the end of a resident is shown."""

IN_LATEX = {LIVED: "$\\checkmark$", DIED: "$\\times$"}

BESIDE = 10
"""Games beside each other; the paper has as many in each setting."""

RSR_START, RSR_END = Column("rsr_start", "RSR start"), Column("rsr_end", "RSR end")

HEADS = ("setting", "players", "game", "resident", "lived", "rsr_end")
"""Columns of the CSV."""


class RunGrid(NamedTuple):
    """The games of a line-up in a setting.

    Attributes:
        setting: Name.
        lineup: Who played.
        heads: Headings: number or seed of each game, and of the last column.
        rows: First the name of a resident, then how each of its games ended, then the part that it survived; below
            the residents the RSR at the start and at the end.
    """

    setting: str
    lineup: str
    heads: list[str]
    rows: list[list[str]]

    @property
    def title(self) -> str:
        """Setting and line-up."""
        return f"{self.setting}: {self.lineup}"


def run_grids(games: Mapping[tuple[str, str], Sequence[WaterGame]]) -> list[RunGrid]:
    """The grids of all line-ups in all settings, `BESIDE` games in each.

    Args:
        games: By line-up and setting (see `econzoo.evaluate.analyses.alympics.water_games.grouped`).
    """
    return [
        _grid(setting, lineup, found[at : at + BESIDE], found)
        for (lineup, setting), found in games.items()
        for at in range(0, len(found), BESIDE)
    ]


def _grid(setting: str, lineup: str, shown: Sequence[WaterGame], games: Sequence[WaterGame]) -> RunGrid:
    ends, all_ends = [game.alive for game in shown], [game.alive for game in games]
    rows = [
        [name, *(LIVED if one[seat] else DIED for one in ends), percent(_mean(one[seat] for one in all_ends))]
        for seat, name in enumerate(games[0].names)
    ]
    start = number(rsr_start(games[0].params), RSR_START)
    rsr = [[rsr_end(game.params, game.days) for game in some] for some in (shown, games)]
    rows.append([RSR_START.head, *[start] * len(shown), start])
    rows.append([RSR_END.head, *(number(one, RSR_END) for one in [*rsr[0], _mean(rsr[1])])])
    return RunGrid(setting, lineup, ["", *(str(game.seed) for game in shown), "mean"], rows)


def _mean(values: Iterable[float]) -> float:
    given = list(values)
    return sum(given) / len(given)


def run_rows(games: Mapping[tuple[str, str], Sequence[WaterGame]]) -> Iterator[Sequence[Any]]:
    """One row for every resident of every game, with the columns `HEADS`."""
    for (lineup, setting), found in games.items():
        for game in found:
            end = rsr_end(game.params, game.days)
            for name, alive in zip(game.names, game.alive, strict=True):
                yield setting, lineup, game.seed, name, int(alive), end


def for_terminal(grid: RunGrid) -> Any:
    """A grid as a table."""
    return console.table(grid.title, grid.heads, grid.rows)


def to_latex(grids: Sequence[RunGrid]) -> str:
    """The grids as tables for the package ``booktabs``."""
    return "\n".join(["% needs \\usepackage{booktabs,amssymb}", *map(_latex, grids)])


def _latex(grid: RunGrid) -> str:
    rows = [[IN_LATEX.get(cell) or in_latex(cell) for cell in row] for row in [grid.heads, *grid.rows]]
    heads, *lines = [" & ".join(row) + " \\\\" for row in rows]
    table = ["\\toprule", heads, "\\midrule", *lines, "\\bottomrule"]
    columns = "l" + "r" * (len(grid.heads) - 1)
    caption = f"\\caption{{{in_latex(grid.title)}}}"
    return "\n".join(
        ["\\begin{table}", caption, f"\\begin{{tabular}}{{{columns}}}", *table, "\\end{tabular}", "\\end{table}\n"]
    )
