"""The file of a study, read with checks."""

from __future__ import annotations

from pathlib import Path

from econzoo.baselines.factory import in_game, is_person, knows, player
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.record.spec import named
from econzoo.envs.core.registry import games
from econzoo.evaluate.run.table import new_match
from econzoo.people.study.declaration import (
    CHOICE,
    HUMAN,
    KINDS,
    LINKS,
    LONGEST,
    MOST,
    MOST_IN_ALL,
    PARTNER,
    PARTNERS,
    PAY,
    PERSON,
    POLICIES,
    SOURCES,
    TEXT,
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
from econzoo.people.study.toml_reading import Part, read_part

__all__ = ["read_study", "study_of"]


def arms_of(file: Part, game: str) -> tuple[Arm, ...]:
    """The arms; each has a name of its own, a participant in one seat at least, and players whom the game knows."""
    arms: list[Arm] = []
    for part in file.tables("arms", least=1):
        arm = Arm(part.line("name"), part.several("seats", 1), part.flag("blinded", False))
        part.done()
        if arm.name in [one.name for one in arms]:
            part.refuse("name", "a name that no other arm has")
        if not arm.people:
            part.refuse("seats", f'"{PERSON}" in one seat at least')
        for who in arm.others:
            check_player(part, "seats", who, game, f'"{PERSON}"')
        if arm.blinded and not arm.others:
            part.refuse("blinded", "true only in an arm with programs")
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
        part = file.tables("arms")[place]
        for setting, params in enumerate(study.settings):
            if study.roles[setting] is not None and len(arm.people) != 1:
                part.refuse("seats", f'one "{PERSON}", as the settings say in which seat a participant sits')
            try:
                seats = study.seats(arm, setting)
                new_match(study.game, [HUMAN if who == PERSON else who for who in seats], 0, **params)
            except ValueError as error:
                part.wrong("seats", f"{part.named('seats')}: {error}")
            for seat, who in enumerate(seats):
                if who != PERSON and ":" not in named(who).spec and not player(who, study.game).fits(seat):
                    part.wrong("seats", f"{part.named('seats')}: player {short(who)} cannot take seat {seat}")


LONGEST_WORD = 60
"""Characters of the code word."""


def texts_of(file: Part) -> str:
    """A language, or a file of texts: one beside this file, which is kept with it, or one with an absolute path."""
    allowed = "a language such as en or de, or a TOML file of texts beside this one"
    given = file.words("texts", "en")
    if not given.endswith(".toml"):
        return file.matching("texts", "[a-z]{2,8}", allowed, "en")
    found = file.path.parent / given
    if found.name != given and not Path(given).is_absolute():
        file.refuse("texts", allowed)
    if not found.is_file():
        file.refuse("texts", f"{allowed}; there is no {found}")
    return str(found)


def matching_of(file: Part) -> Matching:
    """How many participants play how often with whom."""
    part = file.table("matching", needed=True)
    assert part is not None
    given = Matching(
        part.whole("participants", 1, MOST),
        part.whole("repetitions", 1, MOST, default=1),
        part.one_of("partners", PARTNERS, default=PARTNER),
        part.whole("seed", 0, 2**31, default=1),
    )
    part.done()
    if given.participants * given.repetitions > MOST_IN_ALL:
        part.refuse("repetitions", f"participants times repetitions up to {MOST_IN_ALL:,}")
    return given


def words_of(file: Part) -> Words:
    """Texts of the study, of which only the instructions may be empty."""
    part = file.table("words", needed=True)
    assert part is not None
    kept, instructions = part.words("kept"), part.words("instructions", "", empty=True)
    words = Words(part.words("consent"), instructions, part.words("debriefing"), kept)
    part.done()
    return words


def attention_of(file: Part) -> Attention | None:
    """The word hidden in the instructions, if there is one."""
    part = file.table("attention")
    if part is None:
        return None
    sentence = part.words("sentence", "The code word is {code_word}.")
    given = Attention(part.line("code_word", LONGEST_WORD), sentence, part.whole("attempts", 1, 100, default=1))
    if "{code_word}" not in sentence:
        part.refuse("sentence", "a text with {code_word} where the word stands")
    part.done()
    return given


def quiz_of(file: Part) -> tuple[Question, ...]:
    """Questions of the quiz, each with its answer among its options."""
    found = []
    for part in file.tables("quiz"):
        asked = Question(part.words("question"), part.several("options", 2), part.words("answer"))
        if asked.answer not in asked.options:
            part.refuse("answer", f"one of the options: {', '.join(asked.options)}")
        _check_different(part, asked.options)
        part.done()
        found.append(asked)
    return tuple(found)


def _check_different(part: Part, options: tuple[str, ...]) -> None:
    if len(set(options)) < len(options):
        part.refuse("options", "texts of which no two are equal")


def quiz_attempts_of(file: Part) -> int:
    """Attempts at the quiz before exclusion, by default one."""
    part = file.table("quiz_rule")
    if part is None:
        return 1
    attempts = part.whole("attempts", 1, 100, default=1)
    part.done()
    return attempts


def questionnaire_of(file: Part) -> tuple[Item, ...]:
    """Questions after the matches."""
    found = []
    for part in file.tables("questionnaire"):
        kind = part.one_of("kind", KINDS, default=TEXT)
        options = part.several("options", 2) if kind == CHOICE else ()
        _check_different(part, options)
        found.append(Item(part.words("question"), kind, options))
        part.done()
    return tuple(found)


def payment_of(file: Part) -> Payment:
    """What is paid; the cap is not below the floor."""
    part = file.table("payment", needed=True)
    assert part is not None
    given = Payment(
        part.matching("currency", "[A-Z]{3}", "three capital letters, as in USD", "USD"),
        part.money("fee"),
        part.number("rate", default=0.0),
        part.money("floor", default=0.0),
        part.money("cap"),
        part.flag("partial", True),
    )
    if given.cap < given.floor:
        part.refuse("cap", f"a number from the floor, {given.floor:g}, up")
    part.done()
    return given


def recruitment_of(file: Part) -> Recruitment:
    """Where participants come from, by default plain links."""
    part = file.table("recruitment")
    if part is None:
        return Recruitment(LINKS, "")
    url = r"(https?://\S+)?"
    given = Recruitment(
        part.one_of("source", SOURCES, default=LINKS),
        part.matching("completion_url", url, 'an address that begins with https://, or ""', ""),
    )
    part.done()
    return given


def times_of(file: Part, game: str) -> Times:
    """Limits, by default none for moves and 300 seconds of waiting."""
    part = file.table("time")
    if part is None:
        return Times(0, 300, PAY)
    move, waiting = part.whole("move", 0, LONGEST, default=0), part.whole("waiting", 1, LONGEST, default=300)
    alone = part.words("alone", PAY)
    if alone != PAY:
        check_player(part, "alone", alone, game, PAY)
    part.done()
    return Times(move, waiting, alone)


def leaving_of(file: Part, game: str) -> str:
    """What follows if a participant leaves, by default the game's default action."""
    part = file.table("leaving")
    if part is None:
        return POLICIES[0]
    policy = part.words("policy", POLICIES[0])
    if policy not in POLICIES:
        check_player(part, "policy", policy, game, ", ".join(POLICIES))
    part.done()
    return policy


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
        texts=texts_of(file),
        settings=settings,
        roles=roles,
        arms=arms_of(file, game),
        matching=matching_of(file),
        words=words_of(file),
        attention=attention_of(file),
        quiz=quiz_of(file),
        quiz_attempts=quiz_attempts_of(file),
        questionnaire=questionnaire_of(file),
        payment=payment_of(file),
        recruitment=recruitment_of(file),
        time=times_of(file, game),
        leaving=leaving_of(file, game),
        path=path,
        source=text,
    )
    file.done()
    check_seats(file, study)
    check_matching(study)
    return study
