"""All measures of the programs in some records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pandas import DataFrame

from econzoo.envs.core.record.player_labels import label_players
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.missing_results import describe_no_result, matches_with_result, split_by_result
from econzoo.evaluate.analyses.programs.estimates import ALL_PLAYERS, Cell, Mean, Slope, cells, means, slopes
from econzoo.evaluate.analyses.programs.exploitability import new_exploitability_measure
from econzoo.evaluate.analyses.programs.rows import failures_of, program_table
from econzoo.evaluate.analyses.programs.submissions import GAMES, Submission, submissions_of


@dataclass(frozen=True)
class ProgramMeasures:
    """What was found.

    Attributes:
        records: The matches.
        submissions: Every program.
        table: One row of numbers for each.
        means: See `econzoo.evaluate.analyses.programs.estimates.means`.
        slopes: See `econzoo.evaluate.analyses.programs.estimates.slopes`.
        failures: See `econzoo.evaluate.analyses.programs.rows.failures_of`.
        matches: Game to the number of its matches.
        excluded_matches: Matches of other games.
        no_result_note: How many matches have no result and are left out, in a sentence; empty: none.
    """

    records: list[Record]
    submissions: list[Submission]
    table: DataFrame
    means: list[Mean]
    slopes: list[Slope]
    failures: dict[tuple[str, str], dict[str, int]]
    matches: dict[str, int]
    excluded_matches: int = 0
    no_result_note: str = ""

    @property
    def games(self) -> list[str]:
        """The games that were measured."""
        return list(self.matches)

    @cached_property
    def specs(self) -> dict[str, str]:
        """What the tables call each player, and its spec."""
        return {told: spec for one in self.records for told, spec in zip(one.labels, one.players, strict=True)}

    @cached_property
    def cells(self) -> dict[Cell, dict[str, Mean]]:
        """Whose means, and the mean of each measure."""
        return cells(self.means)

    def players(self, game: str) -> list[str]:
        """The players of a game, all together last."""
        return list(dict.fromkeys(one.player for one in self.cells if one.game == game))

    def pairs(self, game: str) -> list[tuple[str, str]]:
        """Who met whom in a game, the actor first."""
        found = (one for one in self.cells if one.game == game and ALL_PLAYERS not in (one.player, one.opponent))
        return list(dict.fromkeys((one.player, one.opponent) for one in found))

    def has_several_opponents(self, game: str) -> bool:
        """Whether anybody met several opponents, so that a mean over them hides something."""
        return len(self.pairs(game)) > len(set(self.players(game)) - {ALL_PLAYERS})


def measure(records: Sequence[Record], pool: Sequence[str] = (), seeds: int = 1) -> ProgramMeasures:
    """Everything that is measured of records of the program games.

    Args:
        records: See `econzoo.evaluate.run.folder.read_folder`.
        pool: Programs that try to exploit those of the records (see
            `econzoo.evaluate.analyses.programs.exploitability.pools_of`); none: exploitability is not measured.
        seeds: Of the matches against the pool.

    Raises:
        ValueError: No record is of a program game, none has a result or holds a program, or the pool is not
            as it may be.
        ImportError: radon is not installed, or the sandbox does not work here and a pool is given.
    """
    mine = [record for record in records if record.game in GAMES]
    used = matches_with_result(mine)
    if not used:
        raise ValueError(f"there is no match of {' or '.join(GAMES)}")
    label_players(used)
    submissions = submissions_of(used)
    if not submissions:
        raise ValueError("nothing was submitted in these matches; allowed: records with at least one answer")
    params = {record.id: record.params for record in used}
    matches = {game: count for game in GAMES if (count := sum(record.game == game for record in used))}
    table = program_table(submissions, *([new_exploitability_measure(pool, matches, params, seeds)] if pool else []))
    found = means(table), slopes(table)
    left_out, unpaid = len(records) - len(mine), describe_no_result(split_by_result(mine)[1])
    return ProgramMeasures(used, submissions, table, *found, failures_of(submissions), matches, left_out, unpaid)
