"""Reading of records for display, checked by replaying the rules as ``econzoo replay`` does."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import MatchTexts, replay_texts
from econzoo.evaluate.run import Problem, read_plausible_record, replay

MAX_CACHED = 32


class CheckedRecord(NamedTuple):
    """A record with the result of its replay.

    Attributes:
        transcript: Texts that every seat read; None: the rules do not confirm the record.
    """

    record: Record
    problems: list[Problem]
    transcript: MatchTexts | None

    @property
    def payoffs(self) -> list[float] | None:
        """Replayed payoffs, or those of the position at truncation; None: the replay fails or pays nothing."""
        if self.record.status == "failed":
            return None
        if not self.problems:
            return self.record.displayed_payoffs
        problems = {one.field: one for one in self.problems if one.turn is None}
        if not problems.keys().isdisjoint(UNPLAYABLE_FIELDS):
            return None
        name = "position_payoffs" if self.record.is_truncated else "payoffs"
        return problems[name].expected if name in problems else self.record.displayed_payoffs


UNPLAYABLE_FIELDS = ("match", "game", "rulings")
"""Fields whose problems prevent a complete replay."""


@lru_cache(MAX_CACHED)
def check_record(line: str) -> CheckedRecord:
    """Read and check the record of a line."""
    record, given = read_plausible_record(line), parse_json(line)
    problems = _find_problems(given)
    return CheckedRecord(record, problems, None if problems else _retell(record))


def _find_problems(given: dict[str, Any]) -> list[Problem]:
    """Replay a record; programs of untrusted records are not run, even if their rulings are missing."""
    if find_game(given["game"]).referee and given.get("rulings") is None:
        return [Problem(None, "rulings", "the rulings of each round", "none")]
    return replay(given)


def _retell(record: Record) -> MatchTexts | None:
    try:
        return replay_texts(record)
    except (ValueError, KeyError, IndexError):  # a foreign record whose texts cannot be rebuilt
        return None
