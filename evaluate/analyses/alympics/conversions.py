"""Conversion of ALYMPICS' published games of the Water Allocation Challenge to records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from econzoo.envs.core import require_libraries
from econzoo.envs.core.contract import Flag, Option, Text
from econzoo.evaluate.analyses.alympics.water_table import published_tables
from econzoo.evaluate.formats import ConversionResult
from econzoo.evaluate.formats.alympics import import_games
from econzoo.evaluate.show import json_of

PANEL = "ALYMPICS"


def import_alympics(
    source: str | Path,
    out: str | Path,
    player: Annotated[
        str, Option(Text(), "Name of the player. Default: the paper's model, or human for a CSV.", panel=PANEL)
    ] = "",
    keep_invalid: Annotated[bool, Option(Flag(), "Keep games that violate the rules.", panel=PANEL)] = False,
) -> ConversionResult:
    """Convert published games to records.

    Every balance, health, no-water counter and list of winners is compared with our rules, day by day. Days that differ
    are listed, and games with such days are left out unless `keep_invalid` is set.
    """
    require_libraries("convert --from alympics", "scipy")
    done = import_games(source, out, player, keep_invalid)
    tables = published_tables(done.games) if done.games else []
    return ConversionResult(done.lines(), {**done.to_dict(), **json_of(tables)}, not done.failed_count, tables=tables)
