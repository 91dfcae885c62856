"""The analysis ``replicate-alympics``: what ALYMPICS (arXiv:2311.03220) prints, beside published or own games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from econzoo.envs.core.plurals import many
from econzoo.envs.games.water_allocation import RESIDENTS
from econzoo.envs.games.water_allocation.indicators import rsr_end, rsr_start
from econzoo.evaluate.analyses.alympics.gathering import together
from econzoo.evaluate.analyses.alympics.water import Besides, gather, run_tables
from econzoo.evaluate.analyses.alympics.water_games import WaterGame, grouped
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2, setting_by_setting
from econzoo.evaluate.analyses.published import Beside, Own, compared, read_paper
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, SHOWN, Text

NAME = "replicate-alympics"


def alympics(
    records: Records,
    *,
    beside: Besides = [],  # noqa: B006  as typer reads it
) -> Page:
    """Table 2 of ALYMPICS beside games: survival rates, survivors and RSR of each setting, and who lived in which game.

    Args:
        records: Matches of water_allocation; they may be none if there are games beside them.
        beside: See `water`.

    Raises:
        FileNotFoundError: There are no games where some should be.
        ValueError: No game is in a setting of the paper.
    """
    found, paper = together(gather(records, beside)), read_paper("alympics")
    own = own_numbers(found.games)
    few = list(dict.fromkeys(one.row for one in own if one.games != TABLE_2.games))
    said = [f"The paper has {TABLE_2.games} games of each setting, this has others of {', '.join(few)}."] if few else []
    made = Beside("table-2", TABLE_2, own, notes=[*said, *(f"{note}." for note in found.notes)])
    parts = [
        *compared(paper, [made]),
        Text("Run by run", HEADING),
        *run_tables(setting_by_setting(grouped(found.games)), places=SHOWN),
    ]
    facts = [many(len(found.games), "game")]
    return Page(NAME, f"{paper.title}: what is printed, and ours", parts, facts, found.problems)


def own_numbers(games: Sequence[WaterGame]) -> list[Own]:
    """Our numbers of the settings of Table 2.

    Args:
        games: In the paper's settings; those of others count for nothing.

    Raises:
        ValueError: None is in a setting of the paper.
    """
    names = tuple(name for name, _, _ in RESIDENTS)
    by_setting = {
        setting: [game for game in games if game.setting == setting and game.names == names]
        for setting in TABLE_2.cells
    }
    made = [one for setting, found in by_setting.items() if found for one in _own(setting, found)]
    if not made:
        raise ValueError(f"no game is in a setting of the paper; those are: {', '.join(TABLE_2.cells)}")
    return made


def _own(setting: str, games: Sequence[WaterGame]) -> Iterator[Own]:
    count = len(games)
    for seat, name in enumerate(games[0].names):
        yield Own(setting, name, fmean(game.alive[seat] for game in games), count)
    yield Own(setting, "survivors", fmean(sum(game.alive) for game in games), count)
    yield Own(setting, "RSR start", rsr_start(games[0].params), count)
    yield Own(setting, "RSR end", fmean(rsr_end(game.params, game.days) for game in games), count)
