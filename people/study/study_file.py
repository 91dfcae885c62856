"""The file of a study, read with checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from econzoo.baselines.factory import in_game, is_person, knows, player
from econzoo.envs.core.contract.parameters import OneOf, Whole
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.files import text_of
from econzoo.envs.core.record.spec import named
from econzoo.envs.core.registry import games
from econzoo.evaluate.run.table import new_match
from econzoo.people.study.bonus import has_round_payoffs
from econzoo.people.study.declaration import (
    HUMAN,
    LABELS,
    LINKS,
    LONGEST_LABEL,
    MOST,
    MOST_IN_ALL,
    PAY,
    PERSON,
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
from econzoo.people.study.stage_reading import check_person, stages_of
from econzoo.people.study.stages import GAME, PRACTICE, Setting, Stage
from econzoo.people.study.toml_reading import Part, matching, read_part, words

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


def check_player(part: Part, key: str, spec: str, game: str, or_else: str) -> None:
    """Refuses a spec that names no player of the game, and people."""
    said = f"player {short(spec)}"
    if is_person(spec) or not knows(spec, game):
        part.wrong(key, f"{part.named(key)}: {said} is not allowed; allowed: {or_else}; players {in_game(game)}")
    if ":" not in named(spec).spec:  # others may be models, which are not loaded before they are needed
        try:
            player(spec, game)
        except ValueError as error:
            part.wrong(key, f"{part.named(key)}: {error}")


def check_seats(file: Part, study: Study) -> None:
    """Refuses arms that do not fill the seats of a setting, or put somebody where he cannot sit."""
    for place, arm in enumerate(study.arms):
        for number, setting in enumerate(study.settings):
            part, key = file.tables("arms")[place], "seats"
            if arm.name in setting.seats:
                stage = next(at for at, one in enumerate(study.stages) if number in one.among)
                part, key = file.tables("stages")[stage].table("seats"), arm.name
            if setting.role is not None and setting.seats.get(arm.name, arm.seats).count(PERSON) != 1:
                part.refuse(key, f'one "{PERSON}", as the settings say in which seat a participant sits')
            _check_sitting(part, key, study.seats(arm, number), setting)
        if arm.blinded and not study.others(arm):
            file.tables("arms")[place].refuse("blinded", "true only in an arm with programs")


def _check_sitting(part: Part, key: str, seats: Sequence[str], setting: Setting) -> None:
    """Refuses seats that are not those of a setting."""
    for who in dict.fromkeys(seats):
        if who != PERSON:
            check_player(part, key, who, setting.game, f'"{PERSON}"')
    try:
        new_match(setting.game, [HUMAN if who == PERSON else who for who in seats], 0, **setting.params)
    except ValueError as error:
        part.wrong(key, f"{part.named(key)}: {error}")
    for seat, who in enumerate(seats):
        if who != PERSON and ":" not in named(who).spec and not player(who, setting.game).fits(seat):
            part.wrong(key, f"{part.named(key)}: player {short(who)} cannot take seat {seat} of {setting.game}")


def check_practice(file: Part, study: Study) -> None:
    """Refuses a match of practice that cannot be played: only scripts take its other seats."""
    for place, stage in enumerate(study.stages):
        if stage.kind != PRACTICE:
            continue
        part = file.tables("stages")[place]
        if stage.game not in study.games:
            part.wrong("game", f"no stage of kind = {GAME!r} plays {stage.game}; allowed: {', '.join(study.games)}")
        check_player(part, "against", stage.against, stage.game, "scripts")
        if ":" in stage.against:
            part.refuse("against", f"scripts of {stage.game}")
        try:
            players, params = study.practice(stage)
            new_match(stage.game, players, 0, **params)
            for seat, who in enumerate(players):
                if who != HUMAN and not player(who, stage.game).fits(seat):
                    raise ValueError(f"player {short(who)} cannot take seat {seat}")
        except ValueError as error:
            part.wrong("against", f"{part.named('against')}: {error}")


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
