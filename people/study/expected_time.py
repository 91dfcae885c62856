"""Expected duration per participant, from pilot records, trial matches, or a test with bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from econzoo.envs.core import check_format, read_text, wrap_read_errors
from econzoo.envs.core.contract import parse_json
from econzoo.people.study.declaration import PERSON, Arm, Study
from econzoo.people.study.expected_earnings import ArmTrial, PilotRecords, count_practice_moves
from econzoo.people.study.stages import PRACTICE, SURVEY, Stage

MOVE_SECONDS = 30.0
"""Assumed seconds per unrecorded move, and per question on a page of `[[stages]]`."""

OTHER_PAGE_MINUTES = 5.0
"""Approximate minutes for consent, instructions, quiz, questionnaire and debriefing."""

ArmTrials = Sequence[tuple[Arm, ArmTrial]]
"""Arms with their trial matches."""

TEST_FILE = "test.json"
"""Result of `study test`, in its output folder."""


class BotTimes(NamedTuple):
    """Duration measured with bots, scaled to people.

    Attributes:
        minutes: Minutes of a participant who completes.
        waiting_minutes: Minutes of these in the waiting room.
    """

    minutes: float
    waiting_minutes: float


def read_test(folder: str | Path) -> BotTimes:
    """Read the result of `study test`."""
    path = Path(folder) / TEST_FILE
    if not path.is_file():
        raise FileNotFoundError(f"no test result in {folder}: {path} does not exist")
    with wrap_read_errors(path, ValueError, KeyError, TypeError, AttributeError):
        result = parse_json(read_text(path))
        check_format("the result", result.get("format"))
        if "minutes" in result:
            return BotTimes(float(result["minutes"]), float(result["waiting_minutes"]))
    raise ValueError(f"no bot completed the study in {path}")


def other_page_minutes(study: Study) -> float:
    """Return the approximate minutes for all pages except matches; a page without questions counts as one."""
    questions = sum(max(1, len(stage.items)) for stage in study.stages if stage.kind == SURVEY)
    return OTHER_PAGE_MINUTES + questions * MOVE_SECONDS / 60


def match_seconds(study: Study, trials: ArmTrials, records: Mapping[str, PilotRecords]) -> float | None:
    """Return the seconds per participant in all matches, including practice; None: unknown.

    Args:
        trials: Arms with their trial matches; empty: a game needs a library that is not installed.
        records: Game to its pilot records; empty: none.
    """

    def moves(stage: Stage) -> float:
        if stage.kind == PRACTICE and trials:
            return count_practice_moves(study, stage)
        if stage.game in records:
            return records[stage.game].moves
        tried = [
            [
                trial.moves[one] / study.seats(arm, one).count(PERSON)
                for one in stage.setting_indices
                if one in trial.moves
            ]
            for arm, trial in trials
        ]
        return fmean(map(fmean, tried))

    def pace(stage: Stage) -> float:
        pilot = records.get(stage.game)
        return (pilot.median_seconds if pilot else None) or MOVE_SECONDS

    if not (records or trials):
        return None
    return sum(moves(one) * pace(one) * (one.repetitions or 1) for one in study.stages if one.kind != SURVEY)
