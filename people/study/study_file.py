"""The file of a study, read with checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from econzoo.baselines.factory import describe_allowed, is_known_spec, is_person, player
from econzoo.envs.core.contract.parameters import Integer, OneOf
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.core.files import read_text
from econzoo.envs.core.record.spec import split_name
from econzoo.envs.core.registry import games
from econzoo.evaluate.run.table import new_match
from econzoo.people.study.bonus import has_round_payoffs
from econzoo.people.study.declaration import (
    HUMAN,
    LABELS,
    LINKS,
    MAX_COUNT,
    MAX_LABEL_LENGTH,
    MAX_TOTAL,
    PAY,
    PERSON,
    POLICIES,
    Arm,
    Attention,
    Leaving,
    Matching,
    Recruitment,
    Study,
    StudyWords,
    Times,
)
from econzoo.people.study.ends import read_ends
from econzoo.people.study.items import Item, read_items, read_quiz
from econzoo.people.study.matching import check_matching
from econzoo.people.study.payment import read_payment
from econzoo.people.study.stage_reading import check_person, read_stages
from econzoo.people.study.stages import GAME, PRACTICE, Setting, Stage
from econzoo.people.study.toml_reading import TomlTable, parse_toml_table, pattern_domain, text_domain

__all__ = ["read_study", "select_session", "parse_study"]

NAME = pattern_domain(r"[A-Za-z0-9][A-Za-z0-9-]{0,59}", "1 to 60 letters, digits and dashes, no dash first")


def read_arms(file: TomlTable) -> tuple[Arm, ...]:
    """The arms; each has a name of its own, and a participant in one seat at least."""
    arms: list[Arm] = []
    for part in file.tables("arms", least=1):
        arm = part.read(Arm)
        if arm.name in [one.name for one in arms]:
            part.refuse("name", "a name that no other arm has")
        check_person(part, "seats", arm.seats)
        arms.append(arm)
    return tuple(arms)


def check_player(part: TomlTable, key: str, spec: str, game: str, or_else: str) -> None:
    """Refuses a spec that names no player of the game, and people."""
    said = f"player {short_repr(spec)}"
    if is_person(spec) or not is_known_spec(spec, game):
        part.raise_error(
            key, f"{part.key_path(key)}: {said} is not allowed; allowed: {or_else}; players {describe_allowed(game)}"
        )
    if ":" not in split_name(spec).spec:  # others may be models, which are not loaded before they are needed
        try:
            player(spec, game)
        except ValueError as error:
            part.raise_error(key, f"{part.key_path(key)}: {error}")


def check_seats(file: TomlTable, study: Study) -> None:
    """Refuses arms that do not fill the seats of a setting, or put somebody where he cannot sit."""
    for place, arm in enumerate(study.arms):
        for number, setting in enumerate(study.settings):
            part, key = file.tables("arms")[place], "seats"
            if arm.name in setting.seats:
                stage = next(at for at, one in enumerate(study.stages) if number in one.setting_indices)
                part, key = file.tables("stages")[stage].table("seats"), arm.name
            if setting.role is not None and setting.seats.get(arm.name, arm.seats).count(PERSON) != 1:
                part.refuse(key, f'one "{PERSON}", as the settings say in which seat a participant sits')
            _check_seating(part, key, study.seats(arm, number), setting)
        if arm.blinded and not study.other_players(arm):
            file.tables("arms")[place].refuse("blinded", "true only in an arm with programs")


def _check_seating(part: TomlTable, key: str, seats: Sequence[str], setting: Setting) -> None:
    """Refuses seats that are not those of a setting."""
    for who in dict.fromkeys(seats):
        if who != PERSON:
            check_player(part, key, who, setting.game, f'"{PERSON}"')
    try:
        new_match(setting.game, [HUMAN if who == PERSON else who for who in seats], 0, **setting.params)
    except ValueError as error:
        part.raise_error(key, f"{part.key_path(key)}: {error}")
    for seat, who in enumerate(seats):
        if who != PERSON and ":" not in split_name(who).spec and not player(who, setting.game).can_take_seat(seat):
            part.raise_error(
                key, f"{part.key_path(key)}: player {short_repr(who)} cannot take seat {seat} of {setting.game}"
            )


def check_practice(file: TomlTable, study: Study) -> None:
    """Refuses a match of practice that cannot be played: only scripts take its other seats."""
    for place, stage in enumerate(study.stages):
        if stage.kind != PRACTICE:
            continue
        part = file.tables("stages")[place]
        if stage.game not in study.games:
            part.raise_error(
                "game", f"no stage of kind = {GAME!r} plays {stage.game}; allowed: {', '.join(study.games)}"
            )
        check_player(part, "against", stage.opponent, stage.game, "scripts")
        if ":" in stage.opponent:
            part.refuse("against", f"scripts of {stage.game}")
        try:
            players, params = study.practice_match(stage)
            new_match(stage.game, players, 0, **params)
            for seat, who in enumerate(players):
                if who != HUMAN and not player(who, stage.game).can_take_seat(seat):
                    raise ValueError(f"player {short_repr(who)} cannot take seat {seat}")
        except ValueError as error:
            part.raise_error("against", f"{part.key_path('against')}: {error}")


def read_texts(file: TomlTable) -> str:
    """A language, or a file of texts: one beside this file, which is kept with it, or one with an absolute path."""
    allowed = "a language such as en or de, or a TOML file of texts beside this one"
    given = file.value("texts", text_domain(), "en")
    if not given.endswith(".toml"):
        return file.value("texts", pattern_domain("[a-z]{2,8}", allowed), "en")
    found = file.path.parent / given
    if found.name != given and not Path(given).is_absolute():
        file.refuse("texts", allowed)
    if not found.is_file():
        file.refuse("texts", f"{allowed}; there is no {found}")
    return str(found)


def read_matching(file: TomlTable) -> Matching:
    """How many participants play how often with whom."""
    part = file.table("matching", required=True)
    given = part.read(Matching)
    if given.participants * given.repetitions > MAX_TOTAL:
        part.refuse("repetitions", f"participants times repetitions up to {MAX_TOTAL:,}")
    return given


def count_all_matches(file: TomlTable, given: Matching, stages: Sequence[Stage]) -> Matching:
    """The same, with as many matches of each participant as all stages have."""
    count = sum(stage.repetitions for stage in stages)
    if count > MAX_COUNT or given.participants * count > MAX_TOTAL:
        file.raise_error(
            "stages", f"[[stages]] have {count:,} matches; allowed: participants times matches up to {MAX_TOTAL:,}"
        )
    return replace(given, repetitions=count)


def read_attention(file: TomlTable) -> Attention | None:
    """The word hidden in the instructions, if there is one."""
    if "attention" not in file:
        return None
    part = file.table("attention")
    given = part.read(Attention)
    if "{code_word}" not in given.sentence:
        part.refuse("sentence", "a text with {code_word} where the word stands")
    return given


def read_quiz_attempts(file: TomlTable) -> int:
    """Attempts at the quiz before exclusion, by default one; 0: as many as it takes."""
    part = file.table("quiz_rule")
    attempts = part.value("attempts", Integer(0, 100), 1)
    part.check_unread_keys()
    return attempts


def read_recruitment(file: TomlTable) -> Recruitment:
    """Where participants come from; labels of a file beside this one are read from there."""
    part = file.table("recruitment")
    given = part.read(Recruitment)
    if not given.labels:
        return given
    if given.source != LINKS:
        part.refuse("labels", f"with source = {LINKS}")
    if isinstance(named := part.values["labels"], str):
        lines = part.read_attached_file("labels", named).decode("utf-8-sig", "replace").splitlines()
        try:
            given = replace(given, labels=LABELS([label for one in lines if (label := one.strip())]))
        except ValueError:
            part.refuse(
                "labels", f"a file of labels, one a line, of 1 to {MAX_LABEL_LENGTH} characters that can be seen"
            )
    if len(set(given.labels)) < len(given.labels):
        part.refuse("labels", "labels of which no two are equal")
    return given


def session_seed(session: str, seed: int) -> int:
    """The seed of a session: another one for every name, and that of the file where there is one session."""
    return int.from_bytes(sha256(f"{seed}/{session}".encode()).digest()[:4], "big") >> 1 if session else seed


def select_session(study: Study, session: str) -> Study:
    """A session of a study, as it is kept in its folder: the same file with one line more.

    Raises:
        ValueError: The name is not allowed, or the file names a session already.
    """
    if study.session:
        raise ValueError(f"--session={session} is not allowed with {study.path}, which is of session {study.session}")
    try:
        NAME(session)
    except ValueError:
        raise ValueError(f"--session={session} is not allowed; allowed: {NAME.value_range}") from None
    return parse_study(f'session = "{session}"\n{study.source}', study.path)


def read_times(file: TomlTable, games: Sequence[str]) -> Times:
    """Limits, by default none for moves and 300 seconds of waiting."""
    part = file.table("time")
    given = part.read(Times)
    for game in games if given.alone != PAY else ():
        check_player(part, "alone", given.alone, game, PAY)
    return given


def read_leaving(file: TomlTable, games: Sequence[str]) -> Leaving:
    """When a participant has left, and what follows."""
    part = file.table("leaving")
    given = part.read(Leaving)
    for game in games if given.is_replaced else ():
        check_player(part, "policy", given.policy, game, ", ".join(POLICIES))
    return given


def list_attached_files(path: Path, texts: str, items: Sequence[Item], *also: str) -> tuple[str, ...]:
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
    return parse_study(read_text(path), path)


def parse_study(text: str, path: Path) -> Study:
    """The study of a text; `path` is where it stands, for messages and for files that it names.

    Raises:
        ValueError: See `read_study`.
    """
    file = parse_toml_table(path, text)
    name = file.value("name", NAME)
    game = file.value("game", OneOf(*games()))
    quiz, questionnaire = read_quiz(file.tables("quiz")), read_items(file.tables("questionnaire"))
    texts, recruitment, matched = read_texts(file), read_recruitment(file), read_matching(file)
    arms = read_arms(file)
    stages, settings = read_stages(file, game, matched.repetitions, arms)
    played = tuple(dict.fromkeys(one.game for one in settings))
    matched = count_all_matches(file, matched, stages)
    asked = (*quiz, *questionnaire, *(item for stage in stages for item in stage.items))
    session = file.value("session", NAME, "")
    listed = file.table("recruitment").values.get("labels")
    study = Study(
        name=name,
        texts=texts,
        settings=settings,
        arms=arms,
        matching=replace(matched, seed=session_seed(session, matched.seed)),
        words=file.table("words", required=True).read(StudyWords),
        attention=read_attention(file),
        quiz=quiz,
        quiz_attempts=read_quiz_attempts(file),
        stages=stages,
        questionnaire=questionnaire,
        payment=read_payment(
            file, matched.repetitions, next((one for one in played if not has_round_payoffs(one)), "")
        ),
        recruitment=recruitment,
        ends=read_ends(file, recruitment.completion_url),
        time=read_times(file, played),
        leaving=read_leaving(file, played),
        path=path,
        source=text,
        session=session,
        attached_files=list_attached_files(path, texts, asked, *([listed] if isinstance(listed, str) else [])),
    )
    file.check_unread_keys()
    check_seats(file, study)
    check_practice(file, study)
    check_matching(study)
    return study
