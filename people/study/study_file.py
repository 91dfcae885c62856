"""The file of a study, read with checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from econzoo.envs.core.contract.parameters import OneOf, Real, Whole
from econzoo.envs.core.files import text_of
from econzoo.envs.core.registry import games
from econzoo.people.study.bonus import has_round_payoffs
from econzoo.people.study.declaration import (
    LABELS,
    LINKS,
    LONGEST_LABEL,
    MOST,
    MOST_IN_ALL,
    PAY,
    POLICIES,
    Arm,
    Attention,
    Leaving,
    Matching,
    Recruitment,
    Study,
    Times,
    Words,
)
from econzoo.people.study.ends import ends_of
from econzoo.people.study.items import Item, read_items, read_quiz
from econzoo.people.study.matching import check_matching
from econzoo.people.study.payment import payment_of
from econzoo.people.study.seats import check_person, check_player, check_practice, check_seats, seats_of
from econzoo.people.study.settings import Setting, settings_of
from econzoo.people.study.stages import GAME, KINDS, PRACTICE, SURVEY, Stage
from econzoo.people.study.toml_reading import MOST_MONEY, Part, line, matching, read_part, words

__all__ = ["read_study", "session_of", "study_of"]

NAME = matching(r"[A-Za-z0-9][A-Za-z0-9-]{0,59}", "1 to 60 letters, digits and dashes, no dash first")


def arms_of(file: Part) -> tuple[Arm, ...]:
    """The arms; each has a name of its own, and a participant in one seat at least."""
    arms: list[Arm] = []
    for part in file.tables("arms", least=1):
        arm = part.read(Arm)
        if arm.name in [one.name for one in arms]:
            part.refuse("name", "a name that no other arm has")
        check_person(part, "seats", arm.seats)
        arms.append(arm)
    return tuple(arms)


def stages_of(
    file: Part, game: str, repetitions: int, arms: Sequence[Arm]
) -> tuple[tuple[Stage, ...], tuple[Setting, ...]]:
    """The stages of a file, and the settings of all their matches; of one that names none, the matches alone.

    Args:
        file: The file.
        game: Of a stage that does not say which.
        repetitions: Matches in a stage that does not say how many.
        arms: Of the study.
    """
    parts, settings = file.tables("stages"), settings_of(file, game)
    read = [_stage_of(part, game, repetitions, settings, arms) for part in parts]
    read = read or [Stage(GAME, game=game, repetitions=repetitions)]
    if GAME not in [one.kind for one in read]:
        parts[0].wrong("", f"[[stages]] have none of kind = {GAME!r}; allowed: at least one")
    if all(one.settings for one in read if one.kind == GAME):
        settings = ()  # each stage has its own
    usual, found = range(len(settings)), list[Stage]()
    for one in read:
        own = range(len(settings), len(settings) + len(one.settings)) if one.settings else usual
        found.append(replace(one, among=own) if one.kind == GAME else one)
        if one.kind == GAME:
            settings = (*settings, *one.settings)
    return tuple(found), settings


def _stage_of(part: Part, usual: str, repetitions: int, settings: Sequence[Setting], arms: Sequence[Arm]) -> Stage:
    kind = part.value("kind", OneOf(*KINDS), SURVEY)
    if kind == SURVEY:
        title, text = part.value("title", line(), ""), part.value("text", words(), "")
        stage = Stage(kind, title, text, read_items(part.tables("items")))
        if not (text or stage.items):
            part.wrong("", f"{part.named('items')} is missing; wanted: questions, or a text")
        part.done()
        return stage
    game = part.value("game", OneOf(*games()), usual)
    stage = Stage(kind, game=game)
    if kind == PRACTICE:
        own = settings_of(part, game)
        if len(own) > 1:
            part.refuse("settings", "one value of each parameter")
        stage = replace(stage, against=part.value("against", line()), settings=own)
    else:
        count = part.value("repetitions", Whole(1, MOST), repetitions)
        own = _own_settings(part, game, settings, arms)
        stage = replace(stage, settings=own, repetitions=count)
    part.done()
    return stage


def _own_settings(part: Part, game: str, usual: Sequence[Setting], arms: Sequence[Arm]) -> tuple[Setting, ...]:
    """What is played in a stage of matches; none: what is usual."""
    rate = part.value("rate", Real(0, MOST_MONEY), None)
    seats = seats_of(part.table("seats"), arms)
    alike = usual[0].game == game and "settings" not in part
    if alike and rate is None and not seats:
        return ()
    found = usual if alike else settings_of(part, game)
    return tuple(one._replace(rate=rate, seats=seats) for one in found)


def texts_of(file: Part) -> str:
    """A language, or a file of texts: one beside this file, which is kept with it, or one with an absolute path."""
    allowed = "a language such as en or de, or a TOML file of texts beside this one"
    given = file.value("texts", words(), "en")
    if not given.endswith(".toml"):
        return file.value("texts", matching("[a-z]{2,8}", allowed), "en")
    found = file.path.parent / given
    if found.name != given and not Path(given).is_absolute():
        file.refuse("texts", allowed)
    if not found.is_file():
        file.refuse("texts", f"{allowed}; there is no {found}")
    return str(found)


def matching_of(file: Part) -> Matching:
    """How many participants play how often with whom."""
    part = file.table("matching", needed=True)
    given = part.read(Matching)
    if given.participants * given.repetitions > MOST_IN_ALL:
        part.refuse("repetitions", f"participants times repetitions up to {MOST_IN_ALL:,}")
    return given


def all_matches(file: Part, given: Matching, stages: Sequence[Stage]) -> Matching:
    """The same, with as many matches of each participant as all stages have."""
    count = sum(stage.repetitions for stage in stages)
    if count > MOST or given.participants * count > MOST_IN_ALL:
        file.wrong(
            "stages", f"[[stages]] have {count:,} matches; allowed: participants times matches up to {MOST_IN_ALL:,}"
        )
    return replace(given, repetitions=count)


def attention_of(file: Part) -> Attention | None:
    """The word hidden in the instructions, if there is one."""
    if "attention" not in file:
        return None
    part = file.table("attention")
    given = part.read(Attention)
    if "{code_word}" not in given.sentence:
        part.refuse("sentence", "a text with {code_word} where the word stands")
    return given


def quiz_attempts_of(file: Part) -> int:
    """Attempts at the quiz before exclusion, by default one; 0: as many as it takes."""
    part = file.table("quiz_rule")
    attempts = part.value("attempts", Whole(0, 100), 1)
    part.done()
    return attempts


def recruitment_of(file: Part) -> Recruitment:
    """Where participants come from; labels of a file beside this one are read from there."""
    part = file.table("recruitment")
    given = part.read(Recruitment)
    if not given.labels:
        return given
    if given.source != LINKS:
        part.refuse("labels", f"with source = {LINKS}")
    if isinstance(named := part.values["labels"], str):
        lines = part.beside("labels", named).decode("utf-8-sig", "replace").splitlines()
        try:
            given = replace(given, labels=LABELS([label for one in lines if (label := one.strip())]))
        except ValueError:
            part.refuse("labels", f"a file of labels, one a line, of 1 to {LONGEST_LABEL} characters that can be seen")
    if len(set(given.labels)) < len(given.labels):
        part.refuse("labels", "labels of which no two are equal")
    return given


def seed_in(session: str, seed: int) -> int:
    """The seed of a session: another one for every name, and that of the file where there is one session."""
    return int.from_bytes(sha256(f"{seed}/{session}".encode()).digest()[:4], "big") >> 1 if session else seed


def session_of(study: Study, session: str) -> Study:
    """A session of a study, as it is kept in its folder: the same file with one line more.

    Raises:
        ValueError: The name is not allowed, or the file names a session already.
    """
    if study.session:
        raise ValueError(f"--session={session} is not allowed with {study.path}, which is of session {study.session}")
    try:
        NAME(session)
    except ValueError:
        raise ValueError(f"--session={session} is not allowed; allowed: {NAME.allowed}") from None
    return study_of(f'session = "{session}"\n{study.source}', study.path)


def times_of(file: Part, games: Sequence[str]) -> Times:
    """Limits, by default none for moves and 300 seconds of waiting."""
    part = file.table("time")
    given = part.read(Times)
    for game in games if given.alone != PAY else ():
        check_player(part, "alone", given.alone, game, PAY)
    return given


def leaving_of(file: Part, games: Sequence[str]) -> Leaving:
    """When a participant has left, and what follows."""
    part = file.table("leaving")
    given = part.read(Leaving)
    for game in games if given.replaced else ():
        check_player(part, "policy", given.policy, game, ", ".join(POLICIES))
    return given


def beside(path: Path, texts: str, items: Sequence[Item], *also: str) -> tuple[str, ...]:
    """Names of the files beside a study's own that it needs."""
    own = [Path(texts).name] if texts.endswith(".toml") and Path(texts).parent == path.parent else []
    return tuple(dict.fromkeys([*own, *also, *(item.image for item in items if item.image)]))


def read_study(path: str | Path) -> Study:
    """The study of a file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: Something in it is not allowed: ``"FILE, line N: ..."`` says what is.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    return study_of(text_of(path), path)


def study_of(text: str, path: Path) -> Study:
    """The study of a text; `path` is where it stands, for messages and for files that it names.

    Raises:
        ValueError: See `read_study`.
    """
    file = read_part(path, text)
    name = file.value("name", NAME)
    game = file.value("game", OneOf(*games()))
    quiz, questionnaire = read_quiz(file.tables("quiz")), read_items(file.tables("questionnaire"))
    texts, recruitment, matched = texts_of(file), recruitment_of(file), matching_of(file)
    arms = arms_of(file)
    stages, settings = stages_of(file, game, matched.repetitions, arms)
    played = tuple(dict.fromkeys(one.game for one in settings))
    matched = all_matches(file, matched, stages)
    asked = (*quiz, *questionnaire, *(item for stage in stages for item in stage.items))
    session = file.value("session", NAME, "")
    listed = file.table("recruitment").values.get("labels")
    study = Study(
        name=name,
        texts=texts,
        settings=settings,
        arms=arms,
        matching=replace(matched, seed=seed_in(session, matched.seed)),
        words=file.table("words", needed=True).read(Words),
        attention=attention_of(file),
        quiz=quiz,
        quiz_attempts=quiz_attempts_of(file),
        stages=stages,
        questionnaire=questionnaire,
        payment=payment_of(file, matched.repetitions, next((one for one in played if not has_round_payoffs(one)), "")),
        recruitment=recruitment,
        ends=ends_of(file, recruitment.completion_url),
        time=times_of(file, played),
        leaving=leaving_of(file, played),
        path=path,
        source=text,
        session=session,
        beside=beside(path, texts, asked, *([listed] if isinstance(listed, str) else [])),
    )
    file.done()
    check_seats(file, study)
    check_practice(file, study)
    check_matching(study)
    return study
