"""All measures of the programs in some records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pandas import DataFrame

from econzoo.envs.core.record import Record, label_players
from econzoo.evaluate.analyses import describe_no_result, matches_with_result, split_by_result
from econzoo.evaluate.analyses.programs.estimates import ALL_PLAYERS, Cell, Mean, Slope, cells, means, slopes
from econzoo.evaluate.analyses.programs.exploitability import new_exploitability_measure
from econzoo.evaluate.analyses.programs.rows import failures_of, program_table
from econzoo.evaluate.analyses.programs.submissions import GAMES, Submission, submissions_of


@dataclass(frozen=True)
class ProgramMeasures:
    """Measures of the programs in some records.

    Attributes:
        excluded_matches: Matches of other games.
        no_result_note: Note on matches without a result; empty if there are none.
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
        return list(self.matches)

    @cached_property
    def specs(self) -> dict[str, str]:
        """Specs of players by label."""
        return {label: spec for one in self.records for label, spec in zip(one.labels, one.players, strict=True)}

    @cached_property
    def cells(self) -> dict[Cell, dict[str, Mean]]:
        return cells(self.means)

    def players(self, game: str) -> list[str]:
        """Return the players of a game, then `ALL_PLAYERS` if there are several."""
        return list(dict.fromkeys(one.player for one in self.cells if one.game == game))

    def pairs(self, game: str) -> list[tuple[str, str]]:
        """Return the pairs of actor and opponent of a game."""
        pairs = (one for one in self.cells if one.game == game and ALL_PLAYERS not in (one.player, one.opponent))
        return list(dict.fromkeys((one.player, one.opponent) for one in pairs))

    def has_several_opponents(self, game: str) -> bool:
        return len(self.pairs(game)) > len(set(self.players(game)) - {ALL_PLAYERS})


def measure(records: Sequence[Record], pool: Sequence[str] = (), seeds: int = 1) -> ProgramMeasures:
    """Compute all measures of records of the program games.

    Args:
        pool: Pool to measure exploitability by (see
            `econzoo.evaluate.analyses.programs.exploitability.pools_of`); empty: not measured.
        seeds: Seeds per program of the pool.
    """
    eligible = [record for record in records if record.game in GAMES]
    used = matches_with_result(eligible)
    if not used:
        raise ValueError(f"no match of {' or '.join(GAMES)} with a result")
    # Labels are given over all matches used, so that a player has one name in every table.
    label_players(used)
    submissions = submissions_of(used)
    if not submissions:
        raise ValueError("no submissions in these matches: expected records with at least one answer")
    params = {record.id: record.params for record in used}
    # Only games that were played: a pool is read, and refused, for these alone.
    matches = {game: count for game in GAMES if (count := sum(record.game == game for record in used))}
    table = program_table(submissions, *([new_exploitability_measure(pool, matches, params, seeds)] if pool else []))
    estimates, failures = (means(table), slopes(table)), failures_of(submissions)
    excluded, note = len(records) - len(eligible), describe_no_result(split_by_result(eligible)[1])
    return ProgramMeasures(used, submissions, table, *estimates, failures, matches, excluded, note)
