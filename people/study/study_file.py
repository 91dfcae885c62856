"""Study file: reading and validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from econzoo.baselines import describe_allowed, is_known_spec, is_person, player
from econzoo.envs.core import check_format, games, read_text
from econzoo.envs.core.contract import Integer, OneOf, Real, check_arguments, short_repr
from econzoo.envs.core.record import split_name
from econzoo.evaluate.run import new_match
from econzoo.people.study.bonus import has_round_payoffs
from econzoo.people.study.declaration import HUMAN, LABELS, LINKS, MAX_COUNT, MAX_LABEL_LENGTH, MAX_TOTAL, PAY, PERSON
from econzoo.people.study.declaration import POLICIES, Arm, Attention, Leaving, Matching, Recruitment, Study, StudyWords
from econzoo.people.study.declaration import Times
from econzoo.people.study.ends import read_ends
from econzoo.people.study.items import Item, read_items, read_quiz
from econzoo.people.study.matching import check_matching
from econzoo.people.study.payment import read_payment
from econzoo.people.study.settings import read_settings
from econzoo.people.study.stages import GAME, KINDS, PRACTICE, SURVEY, Setting, Stage
from econzoo.people.study.toml_reading import MAX_MONEY, TomlTable, line_domain, parse_toml_table, pattern_domain
from econzoo.people.study.toml_reading import text_domain, text_list_domain

__all__ = ["read_study", "select_session", "parse_study"]

NAME = pattern_domain(r"[A-Za-z0-9][A-Za-z0-9-]{0,59}", "1 to 60 letters, digits and dashes, no dash first")


def read_arms(file: TomlTable) -> tuple[Arm, ...]:
    """Read the arms; each needs a unique name and at least one participant."""
    arms: list[Arm] = []
    for part in file.tables("arms", least=1):
        arm = part.read(Arm)
        if arm.name in [one.name for one in arms]:
            part.refuse("name", "a unique name")
        check_person(part, "seats", arm.seats)
        arms.append(arm)
    return tuple(arms)


def read_stages(
    file: TomlTable, game: str, repetitions: int, arms: Sequence[Arm]
) -> tuple[tuple[Stage, ...], tuple[Setting, ...]]:
    """Read the stages of a study file and all settings; default: a single stage of matches."""
    parts, settings = file.tables("stages"), read_settings(file, game)
    read = [_read_stage(part, game, repetitions, settings, arms) for part in parts]
    read = read or [Stage(GAME, game=game, repetitions=repetitions)]
    if GAME not in [one.kind for one in read]:
        parts[0].raise_error("", f"[[stages]] lack kind = {GAME!r}: expected at least one")
    # Stages with settings of their own leave those of the file unused.
    if all(one.settings for one in read if one.kind == GAME):
        settings = ()
    usual, found = range(len(settings)), list[Stage]()
    for one in read:
        own = range(len(settings), len(settings) + len(one.settings)) if one.settings else usual
        found.append(replace(one, setting_indices=own) if one.kind == GAME else one)
        if one.kind == GAME:
            settings = (*settings, *one.settings)
    return tuple(found), settings


def _read_stage(
    part: TomlTable, usual: str, repetitions: int, settings: Sequence[Setting], arms: Sequence[Arm]
) -> Stage:
    kind = part.value("kind", OneOf(*KINDS), SURVEY)
    if kind == SURVEY:
        title, text = part.value("title", line_domain(), ""), part.value("text", text_domain(), "")
        stage = Stage(kind, title, text, read_items(part.tables("items")))
        if not (text or stage.items):
            part.raise_error("", f"{part.key_path('items')} is missing: expected questions, or a text")
        part.check_unread_keys()
        return stage
    game = part.value("game", OneOf(*games()), usual)
    stage = Stage(kind, game=game)
    if kind == PRACTICE:
        own = read_settings(part, game)
        if len(own) > 1:
            part.refuse("settings", "one value for each parameter")
        stage = replace(stage, opponent=part.value("opponent", line_domain()), settings=own)
    else:
        count = part.value("repetitions", Integer(1, MAX_COUNT), repetitions)
        own = _read_own_settings(part, game, settings, arms)
        stage = replace(stage, settings=own, repetitions=count)
    part.check_unread_keys()
    return stage


def _read_own_settings(
    part: TomlTable, game: str, usual: Sequence[Setting], arms: Sequence[Arm]
) -> tuple[Setting, ...]:
    """Read the settings of a stage of matches; empty: the default settings."""
    rate = part.value("rate", Real(0, MAX_MONEY), None)
    seats = _read_seats(part.table("seats"), arms)
    alike = usual[0].game == game and "settings" not in part
    if alike and rate is None and not seats:
        return ()
    found = usual if alike else read_settings(part, game)
    return tuple(one._replace(rate=rate, seats=seats) for one in found)


def _read_seats(part: TomlTable, arms: Sequence[Arm]) -> dict[str, tuple[str, ...]]:
    """Read arm to seats of a stage."""
    found = {arm.name: part.value(arm.name, text_list_domain(1), None) for arm in arms}
    part.check_unread_keys()
    given = {name: seats for name, seats in found.items() if seats}
    for name, seats in given.items():
        check_person(part, name, seats)
    return given


def check_person(part: TomlTable, key: str, seats: Sequence[str]) -> None:
    """Raise for seats without a participant."""
    if PERSON not in seats:
        part.refuse(key, f'"{PERSON}" in at least one seat')


def check_player(part: TomlTable, key: str, spec: str, game: str, or_else: str) -> None:
    """Raise for people and for specs that name no player of the game."""
    if is_person(spec) or not is_known_spec(spec, game):
        allowed = f"{or_else}, or players {describe_allowed(game)}"
        part.raise_error(key, f"invalid {part.key_path(key)}: player {short_repr(spec)}: expected {allowed}")
    if ":" not in split_name(spec).spec:  # models are not loaded for validation
        try:
            player(spec, game)
        except ValueError as error:
            part.raise_error(key, f"{part.key_path(key)}: {error}")


def check_seats(file: TomlTable, study: Study) -> None:
    """Raise for arms that do not fill the seats of a setting, or have a player that cannot take its seat."""
    for place, arm in enumerate(study.arms):
        for number, setting in enumerate(study.settings):
            part, key = file.tables("arms")[place], "seats"
            if arm.name in setting.seats:
                stage = next(at for at, one in enumerate(study.stages) if number in one.setting_indices)
                part, key = file.tables("stages")[stage].table("seats"), arm.name
            if setting.person_seat is not None and setting.seats.get(arm.name, arm.seats).count(PERSON) != 1:
                part.refuse(key, f'exactly one "{PERSON}", as the settings name the seat of a participant')
            _check_seating(part, key, study.seats(arm, number), setting)
        if arm.blinded and not study.other_players(arm):
            file.tables("arms")[place].refuse("blinded", "true only in an arm with programs")


def _check_seating(part: TomlTable, key: str, seats: Sequence[str], setting: Setting) -> None:
    """Raise for seats that do not fit a setting."""
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
    """Raise for an impossible practice match; only scripts can take its other seats."""
    for place, stage in enumerate(study.stages):
        if stage.kind != PRACTICE:
            continue
        part = file.tables("stages")[place]
        if stage.game not in study.games:
            part.raise_error(
                "game", f"no stage of kind = {GAME!r} plays {stage.game}: expected {', '.join(study.games)}"
            )
        check_player(part, "opponent", stage.opponent, stage.game, "scripts")
        if ":" in stage.opponent:
            part.refuse("opponent", f"scripts of {stage.game}")
        try:
            players, params = study.practice_match(stage)
            new_match(stage.game, players, 0, **params)
            for seat, who in enumerate(players):
                if who != HUMAN and not player(who, stage.game).can_take_seat(seat):
                    raise ValueError(f"player {short_repr(who)} cannot take seat {seat}")
        except ValueError as error:
            part.raise_error("opponent", f"{part.key_path('opponent')}: {error}")


def read_texts(file: TomlTable) -> str:
    """Read the language, or the path of a texts file: beside the study file, or absolute."""
    allowed = "a language such as en or de, or a TOML file of texts beside this one"
    given = file.value("texts", text_domain(), "en")
    if not given.endswith(".toml"):
        return file.value("texts", pattern_domain("[a-z]{2,8}", allowed), "en")
    found = file.path.parent / given
    if found.name != given and not Path(given).is_absolute():
        file.refuse("texts", allowed)
    if not found.is_file():
        file.refuse("texts", f"{allowed}; {found} does not exist")
    return str(found)


def read_matching(file: TomlTable) -> Matching:
    part = file.table("matching", required=True)
    given = part.read(Matching)
    if given.participants * given.repetitions > MAX_TOTAL:
        part.refuse("repetitions", f"participants times repetitions of at most {MAX_TOTAL:,}")
    return given


def count_all_matches(file: TomlTable, given: Matching, stages: Sequence[Stage]) -> Matching:
    """Return the matching with the total number of matches of all stages."""
    count = sum(stage.repetitions for stage in stages)
    if count > MAX_COUNT or given.participants * count > MAX_TOTAL:
        file.raise_error(
            "stages", f"{count:,} matches in [[stages]]: expected participants times matches of at most {MAX_TOTAL:,}"
        )
    return replace(given, repetitions=count)


def read_attention(file: TomlTable) -> Attention | None:
    """Read the attention check, if any."""
    if "attention" not in file:
        return None
    part = file.table("attention")
    given = part.read(Attention)
    if "{code_word}" not in given.sentence:
        part.refuse("sentence", "a text that contains {code_word}")
    return given


def read_recruitment(file: TomlTable) -> Recruitment:
    """Read the recruitment, with labels from a file beside the study file if named."""
    part = file.table("recruitment")
    given = part.read(Recruitment)
    if not given.labels:
        return given
    if given.source != LINKS:
        part.refuse("labels", f"this key only with source = {LINKS}")
    if isinstance(named := part.values["labels"], str):
        lines = part.read_attached_file("labels", named).decode("utf-8-sig", "replace").splitlines()
        try:
            given = replace(given, labels=LABELS([label for one in lines if (label := one.strip())]))
        except ValueError:
            part.refuse("labels", f"a file with one label per line, of 1 to {MAX_LABEL_LENGTH} printable characters")
    if len(set(given.labels)) < len(given.labels):
        part.refuse("labels", "distinct labels")
    return given


def session_seed(session: str, seed: int) -> int:
    """Return the seed of a session, derived from its name; without sessions, the seed of the file."""
    # 31 bits, the range of seeds in a file.
    return int.from_bytes(sha256(f"{seed}/{session}".encode()).digest()[:4], "big") >> 1 if session else seed


@check_arguments
def select_session(study: Study, session: str) -> Study:
    """Return a session of a study: the same file with a line for the session.

    Raises:
        ValueError: The name is invalid, or the file already names a session.
    """
    if study.session:
        raise ValueError(f"invalid --session={session}: {study.path} already has session {study.session}")
    try:
        NAME(session)
    except ValueError:
        raise ValueError(f"invalid --session={session}: expected {NAME.value_range}") from None
    # Before the first table, where the key belongs; the text with it is stored in the folder.
    return parse_study(f'session = "{session}"\n{study.source}', study.path)


def read_times(file: TomlTable, games: Sequence[str]) -> Times:
    """Read the time limits; default: none for moves, 300 seconds of waiting."""
    part = file.table("time")
    given = part.read(Times)
    for game in games if given.alone != PAY else ():
        check_player(part, "alone", given.alone, game, PAY)
    return given


def read_leaving(file: TomlTable, games: Sequence[str]) -> Leaving:
    """Read the dropout rule."""
    part = file.table("leaving")
    given = part.read(Leaving)
    for game in games if given.is_replaced else ():
        check_player(part, "policy", given.policy, game, ", ".join(POLICIES))
    return given


def list_attached_files(path: Path, texts: str, items: Sequence[Item], *also: str) -> tuple[str, ...]:
    """Return the names of required files beside the study file."""
    own = [Path(texts).name] if texts.endswith(".toml") and Path(texts).parent == path.parent else []
    return tuple(dict.fromkeys([*own, *also, *(item.image for item in items if item.image)]))


@check_arguments
def read_study(path: str | Path) -> Study:
    """Read a study file.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The file is invalid: ``"FILE, line N: ..."``.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    return parse_study(read_text(path), path)


def parse_study(text: str, path: Path) -> Study:
    """Parse the text of a study file; `path` locates it for messages and attached files."""
    file = parse_toml_table(path, text)
    check_format(str(path), file.value("format", Integer(0), 1))
    name = file.value("name", NAME)
    game = file.value("game", OneOf(*games()))
    quiz, questionnaire = read_quiz(file.tables("quiz")), read_items(file.tables("questionnaire"))
    texts, recruitment, matched = read_texts(file), read_recruitment(file), read_matching(file)
    arms = read_arms(file)
    stages, settings = read_stages(file, game, matched.repetitions, arms)
    played = tuple(dict.fromkeys(one.game for one in settings))
    matched = count_all_matches(file, matched, stages)
    items = (*quiz, *questionnaire, *(item for stage in stages for item in stage.items))
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
        quiz_attempts=file.value("quiz_attempts", Integer(0, 100), 1),
        stages=stages,
        questionnaire=questionnaire,
        payment=read_payment(
            file, matched.repetitions, next((one for one in played if not has_round_payoffs(one)), "")
        ),
        recruitment=recruitment,
        ends=read_ends(file),
        time=read_times(file, played),
        leaving=read_leaving(file, played),
        path=path,
        source=text,
        session=session,
        attached_files=list_attached_files(path, texts, items, *([listed] if isinstance(listed, str) else [])),
    )
    # After everything is read, when the known keys are complete.
    file.check_unread_keys()
    check_seats(file, study)
    check_practice(file, study)
    check_matching(study)
    return study
