"""The analysis ``replicate-alympics``: what ALYMPICS (arXiv:2311.03220) prints, beside published or own games."""

from __future__ import annotations

from collections.abc import Iterator

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.alympics.gathering import Gathered, together
from econzoo.evaluate.analyses.alympics.table_2 import from_each_other, own_numbers
from econzoo.evaluate.analyses.alympics.water import Besides, gather, run_tables
from econzoo.evaluate.analyses.alympics.water_games import GAMES, SETTINGS, grouped
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2, setting_by_setting
from econzoo.evaluate.analyses.published import Beside, compared, read_paper
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, SHOWN, Part, Text

NAME = "replicate-alympics"

EACH_OTHER = "each other"
"""What printed numbers stand beside where there are no games."""


def alympics(
    records: Records,
    *,
    beside: Besides = [],  # noqa: B006  as typer reads it
) -> Page:
    """What ALYMPICS prints beside games; without games, its numbers beside each other.

    Args:
        records: Matches of water_allocation; they may be none.
        beside: See `water`.

    Raises:
        FileNotFoundError: There are no games where some should be.
        ValueError: No game is in a setting of the paper.
    """
    paper, given = read_paper("alympics"), bool(records or beside)
    found = together(gather(records, beside)) if given else Gathered()
    made = [*_table_2(found)] if given else [Beside("table-2", TABLE_2, from_each_other(), EACH_OTHER)]
    parts: list[Part] = compared(paper, made)
    if given:
        runs = run_tables(setting_by_setting(grouped(found.games)), places=SHOWN)
        parts += [Text("Run by run", HEADING), *runs]
    facts = [many(len(found.games), "game")] if given else ["no games: printed numbers beside each other"]
    return Page(NAME, f"{paper.title}: what is printed, and ours", parts, facts, found.problems)


def _table_2(found: Gathered) -> Iterator[Beside]:
    """Table 2 beside each line-up, the published games first.

    Raises:
        ValueError: No game is in a setting of the paper.
    """
    names = sorted(dict.fromkeys(game.lineup for game in found.games), key=lambda name: name != GAMES)
    numbers = {name: own_numbers([game for game in found.games if game.lineup == name]) for name in names}
    used = {name: own for name, own in numbers.items() if own}
    if not used:
        raise ValueError(f"no game is in a setting of the paper; those are: {', '.join(SETTINGS)}")
    for at, (name, own) in enumerate(used.items()):
        few = list(dict.fromkeys(one.row for one in own if one.row in SETTINGS and one.games != TABLE_2.games))
        said = (
            [f"The paper has {TABLE_2.games} games of each setting, this has others of {', '.join(few)}."]
            if few
            else []
        )
        notes = said if at else [*said, *(f"{note}." for note in found.notes)]
        yield Beside(f"table-2{f'-{at + 1}' if at else ''}", TABLE_2, own, name, notes)
