"""How long a participant may take, from records, from trial matches, or from what bots took in a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import read_text, wrap_read_errors
from econzoo.people.study.declaration import PERSON, Arm, Study
from econzoo.people.study.expected_earnings import ArmTrial, PilotRecords, count_practice_moves
from econzoo.people.study.stages import PRACTICE, SURVEY, Stage

MOVE_SECONDS = 30.0
"""Of a move, where nothing is recorded, and of a question on a page of `[[stages]]`."""

OTHER_PAGE_MINUTES = 5.0
"""Minutes for consent, instructions, quiz, questionnaire and debriefing, about."""

ArmTrials = Sequence[tuple[Arm, ArmTrial]]
"""Arms and what came of their trial matches."""

TEST_FILE = "test.json"
"""What a test of the study has found, in the folder of the test."""


class BotTimes(NamedTuple):
    """How long bots took, as people.

    Attributes:
        minutes: Of a participant who comes to the end.
        waiting_minutes: Those of them that are spent in the waiting room.
    """

    minutes: float
    waiting_minutes: float


def read_test(folder: str | Path) -> BotTimes:
    """What `study test` has found.

    Args:
        folder: That it was told to write.

    Raises:
        FileNotFoundError: There is no such test.
        ValueError: In it nobody came to the end, or it is none.
    """
    path = Path(folder) / TEST_FILE
    if not path.is_file():
        raise FileNotFoundError(f"no study was tested in {folder}: there is no {path}")
    with wrap_read_errors(path, ValueError, KeyError, TypeError):
        told = parse_json(read_text(path))
        if "minutes" in told:
            return BotTimes(float(told["minutes"]), float(told["waiting"]))
    raise ValueError(f"nobody came to the end in {path}; allowed: a test in which somebody does")


def other_page_minutes(study: Study) -> float:
    """Minutes for all pages but those of matches, about; a page without questions is read as if it had one."""
    questions = sum(max(1, len(stage.items)) for stage in study.stages if stage.kind == SURVEY)
    return OTHER_PAGE_MINUTES + questions * MOVE_SECONDS / 60


def match_seconds(study: Study, trials: ArmTrials, records: Mapping[str, PilotRecords]) -> float | None:
    """Seconds of a participant in all matches, those of practice too; None: nothing is known.

    Args:
        study: The study.
        trials: Arms and what came of their trial matches; none: a game needs a library that is not installed.
        records: What records say of games, by name; none: there are no records.
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
        found = records.get(stage.game)
        return (found.median_seconds if found else None) or MOVE_SECONDS

    if not (records or trials):
        return None
    return sum(moves(one) * pace(one) * (one.repetitions or 1) for one in study.stages if one.kind != SURVEY)
