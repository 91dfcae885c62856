"""The file of a study, read with checks."""

from __future__ import annotations

from pathlib import Path

from econzoo.envs.core.registry import games
from econzoo.people.study import sections
from econzoo.people.study.arms import arms_of, check_seats
from econzoo.people.study.declaration import (
    Arm,
    Attention,
    Item,
    Matching,
    Payment,
    Question,
    Recruitment,
    Study,
    Times,
    Words,
)
from econzoo.people.study.matching import check_matching
from econzoo.people.study.settings import settings_of
from econzoo.people.study.toml_reading import read_part

__all__ = [
    "Arm",
    "Attention",
    "Item",
    "Matching",
    "Payment",
    "Question",
    "Recruitment",
    "Study",
    "Times",
    "Words",
    "read_study",
    "study_of",
]


def read_study(path: str | Path) -> Study:
    """The study of a file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: Something in it is not allowed: ``"FILE, line N: ..."`` says what is.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 ({error.reason} at byte {error.start}); wanted: a TOML file") from None
    return study_of(text, path)


def study_of(text: str, path: Path) -> Study:
    """The study of a text; `path` is where it stands, for messages and for files that it names.

    Raises:
        ValueError: See `read_study`.
    """
    file = read_part(path, text)
    name = file.matching("name", r"[A-Za-z0-9][A-Za-z0-9-]{0,59}", "1 to 60 letters, digits and dashes, no dash first")
    game = file.one_of("game", tuple(games()))
    settings, roles = settings_of(file, game)
    study = Study(
        name=name,
        game=game,
        texts=sections.texts_of(file),
        settings=settings,
        roles=roles,
        arms=arms_of(file, game),
        matching=sections.matching_of(file),
        words=sections.words_of(file),
        attention=sections.attention_of(file),
        quiz=sections.quiz_of(file),
        quiz_attempts=sections.quiz_attempts_of(file),
        questionnaire=sections.questionnaire_of(file),
        payment=sections.payment_of(file),
        recruitment=sections.recruitment_of(file),
        time=sections.times_of(file, game),
        leaving=sections.leaving_of(file, game),
        path=path,
        source=text,
    )
    file.done()
    check_seats(file, study)
    check_matching(study)
    return study
