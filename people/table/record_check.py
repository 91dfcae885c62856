"""Records that are shown: read, and checked by running the rules again, as ``econzoo replay`` does."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.missing_results import displayed_payoffs
from econzoo.evaluate.analyses.transcript import MatchTexts, replay_texts
from econzoo.evaluate.run.replay import Problem, other_versions, read_plausible_record, replay

MAX_CACHED = 32
"""Records whose check is remembered."""


class CheckedRecord(NamedTuple):
    """A record and what the rules say about it.

    Attributes:
        record: As it stands.
        problems: What in it is not as the rules say; see `econzoo.evaluate.run.replay.replay`.
        versions: See `econzoo.evaluate.run.replay.other_versions`.
        transcript: What every seat read; None where the rules do not confirm the record.
    """

    record: Record
    problems: list[Problem]
    versions: list[str]
    transcript: MatchTexts | None

    @property
    def payoffs(self) -> list[float] | None:
        """What the rules pay for the moves of the record, or for the position in which it was cut.

        None if they do not get that far, or nothing is paid.
        """
        if self.record.status == "failed":
            return None
        if not self.problems:
            return displayed_payoffs(self.record)
        whole = {one.field: one for one in self.problems if one.turn is None}
        if not whole.keys().isdisjoint(UNPLAYABLE_FIELDS):
            return None
        name = "position_payoffs" if self.record.is_truncated else "payoffs"
        return whole[name].expected if name in whole else displayed_payoffs(self.record)


UNPLAYABLE_FIELDS = ("match", "game", "rulings")
"""What a problem is about where the rules could not be run to the end."""


@lru_cache(MAX_CACHED)
def check_record(line: str) -> CheckedRecord:
    """The record of a line, checked.

    Raises:
        ValueError: The line is no record, or one that can be none of its game; the message says why.
    """
    record, given = read_plausible_record(line), parse_json(line)
    problems = _find_problems(given)
    return CheckedRecord(record, problems, other_versions(given), None if problems else _retell(record))


def _find_problems(given: dict[str, Any]) -> list[Problem]:
    """What is wrong; programs of a record from anywhere are not run, even where it lacks what they were found to do."""
    if find_game(given["game"]).referee and given.get("rulings") is None:
        return [Problem(None, "rulings", "what the referee found in each round", "nothing")]
    return replay(given)


def _retell(record: Record) -> MatchTexts | None:
    try:
        return replay_texts(record)
    except (ValueError, KeyError, IndexError):  # a record from elsewhere that cannot be told to other readers
        return None
