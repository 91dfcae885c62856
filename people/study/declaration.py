"""Declaration of a study: everything that is fixed before the first participant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core.contract import CustomDomain, Flag, Integer, OneOf, Option
from econzoo.people.study.ends import End
from econzoo.people.study.items import BOX, Item, Question
from econzoo.people.study.payment import Payment
from econzoo.people.study.stages import SURVEY, Setting, Stage
from econzoo.people.study.toml_reading import find_line, key_lines, line_domain, text_domain, text_list_domain

PERSON = "person"
"""Name of a participant's seat in the study file."""

HUMAN = "human"
"""Player of a participant's seat in records."""

PARTNER, STRANGER, RANDOM = PARTNERS = ("partner", "stranger", "random")
"""Matching of later matches: the same partners, strangers only, or random partners."""

LINKS, PROLIFIC, MTURK = SOURCES = ("links", "prolific", "mturk")

PAY = "pay"
"""Rule after the waiting limit: the study ends, and the fee is paid."""

POLICIES = ("default", "forfeit")
"""Rules after a participant leaves a match; the alternative is the spec of a substitute."""

MAX_COUNT = 10_000
"""Maximum number of participants, and of matches per participant."""

MAX_TOTAL = 100_000
"""Maximum of participants times matches per participant."""

MAX_LABEL_LENGTH = 200
"""Characters of a label."""

MAX_WORD_LENGTH = 60
"""Characters of the code word."""

MAX_SECONDS = 86_400
"""Seconds in a day."""


@dataclass(frozen=True)
class Arm:
    """A treatment.

    Attributes:
        name: Name of the arm.
        seats: `PERSON` or a player spec, for each seat.
        blinded: Whether participants learn only in the debriefing that others are programs.
    """

    name: Annotated[str, Option(line_domain())]
    seats: Annotated[tuple[str, ...], Option(text_list_domain(1))]
    blinded: Annotated[bool, Option(Flag())] = False


@dataclass(frozen=True)
class Matching:
    """Sample size and matching.

    Attributes:
        participants: Number of participants in all arms.
        repetitions: Matches per participant.
        partners: One of `PARTNERS`.
        seed: Seed of the randomisation.
    """

    participants: Annotated[int, Option(Integer(1, MAX_COUNT))]
    repetitions: Annotated[int, Option(Integer(1, MAX_COUNT))] = 1
    partners: Annotated[str, Option(OneOf(*PARTNERS))] = PARTNER
    seed: Annotated[int, Option(Integer(0, 2**31))] = 1


@dataclass(frozen=True, kw_only=True)
class StudyWords:
    """Texts of the study for participants; only the instructions may be empty.

    Attributes:
        consent: Consent form.
        boxes: Statements to tick for consent.
        instructions: Text above the rules.
        debriefing: Text at the end.
        kept: Data stored, and for how long.
    """

    consent: Annotated[str, Option(text_domain())]
    boxes: Annotated[tuple[str, ...], Option(text_list_domain(1))] = ()
    instructions: Annotated[str, Option(text_domain(empty=True))] = ""
    debriefing: Annotated[str, Option(text_domain())]
    kept: Annotated[str, Option(text_domain())]


@dataclass(frozen=True)
class Attention:
    """Attention check: a code word in the instructions.

    Attributes:
        code_word: Word that participants must type.
        sentence: Sentence with the word, as ``{code_word}``.
        attempts: Attempts before exclusion.
    """

    code_word: Annotated[str, Option(line_domain(MAX_WORD_LENGTH))]
    sentence: Annotated[str, Option(text_domain())] = "The code word is {code_word}."
    attempts: Annotated[int, Option(Integer(1, 100))] = 1

    @property
    def sentence_with_word(self) -> str:
        """The sentence with the word filled in."""
        return self.sentence.replace("{code_word}", self.code_word)

    def accepts(self, typed: str) -> bool:
        """Whether a typed word is right, ignoring case."""
        return typed.strip().casefold() == self.code_word.strip().casefold()


def _parse_labels(it: Any) -> tuple[str, ...]:
    given = [it] if isinstance(it, str) else it
    if not (isinstance(given, list) and given):
        raise ValueError
    return tuple(map(line_domain(MAX_LABEL_LENGTH), given))


LABELS = CustomDomain(_parse_labels, "a list of labels, or the name of a text file beside this one with one per line")
"""Labels of participants, or a list with the name of their file."""


@dataclass(frozen=True)
class Recruitment:
    """Recruitment of participants.

    Attributes:
        source: One of `SOURCES`.
        labels: Allowed labels with source `LINKS`; empty: any. In the study file: a list, or the name of a text file
            with one label per line.
    """

    source: Annotated[str, Option(OneOf(*SOURCES))] = LINKS
    labels: Annotated[tuple[str, ...], Option(LABELS)] = ()


@dataclass(frozen=True)
class Times:
    """Time limits in seconds.

    Attributes:
        move: Limit of a participant's move; 0: none.
        waiting: Limit in the waiting room.
        alone: Rule after that: `PAY`, or the spec of a player for the free seats.
    """

    move: Annotated[int, Option(Integer(0, MAX_SECONDS))] = 0
    waiting: Annotated[int, Option(Integer(1, MAX_SECONDS))] = 300
    alone: Annotated[str, Option(text_domain())] = PAY


@dataclass(frozen=True)
class Leaving:
    """Dropout from a match: when a participant counts as having left, and the rule for the rest of the match.

    Attributes:
        policy: One of `POLICIES`, or the spec of a substitute.
        missed: Missed moves in a match before dropout, each replaced by the default action; 0: no limit.
        away: Seconds with a closed page before dropout; 0: no limit.
    """

    policy: Annotated[str, Option(text_domain())] = POLICIES[0]
    missed: Annotated[int, Option(Integer(0, MAX_SECONDS))] = 2
    away: Annotated[int, Option(Integer(0, MAX_SECONDS))] = 60

    @property
    def is_replaced(self) -> bool:
        """Whether a substitute takes the seat."""
        return self.policy not in POLICIES


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes:
        attention: Attention check; None: none.
        quiz_attempts: Attempts before exclusion; 0: unlimited.
        stages: Stages between quiz and questionnaire: matches, practice, survey pages.
        ends: End (one of `econzoo.people.study.ends.ENDS`) to its return link.
        source: Text of the file.
        session: Name of the session, which has its own randomisation; empty: a single one.
        attached_files: Names of required files beside the study file.
        speed: Speed-up of pauses in tests; see `speed_up`.
    """

    name: str
    texts: str
    settings: tuple[Setting, ...]
    arms: tuple[Arm, ...]
    matching: Matching
    words: StudyWords
    attention: Attention | None
    quiz: tuple[Question, ...]
    quiz_attempts: int
    stages: tuple[Stage, ...]
    questionnaire: tuple[Item, ...]
    payment: Payment
    recruitment: Recruitment
    ends: Mapping[str, End]
    time: Times
    leaving: Leaving
    path: Path
    source: str
    session: str = ""
    attached_files: tuple[str, ...] = ()
    speed: float = 1.0

    @cached_property
    def games(self) -> tuple[str, ...]:
        """Names of the games, each once."""
        return tuple(dict.fromkeys(one.game for one in self.settings))

    def params(self, game: str) -> list[dict[str, Any]]:
        """Return the parameters of every setting of a game."""
        return [one.params for one in self.settings if one.game == game]

    @property
    def boxes(self) -> tuple[Item, ...]:
        """Consent boxes as items."""
        return tuple(Item(text, BOX) for text in self.words.boxes)

    def stage_of(self, repetition: int) -> int:
        """Return the index of the stage of a match, both from 0."""
        for number, stage in enumerate(self.stages):
            if repetition < stage.repetitions:
                return number
            repetition -= stage.repetitions
        raise ValueError(f"invalid repetition: expected an integer below {self.matching.repetitions}")

    def ends_stage(self, repetition: int) -> bool:
        """Whether a match, from 0, is the last of its stage."""
        last = repetition + 1 == self.matching.repetitions
        return last or self.stage_of(repetition + 1) != self.stage_of(repetition)

    def introduces_game(self, number: int) -> bool:
        """Whether a stage, from 0, is the first of a game whose rules are not in the instructions."""
        played = {one.game for one in self.stages[:number] if one.kind != SURVEY}
        return bool(played) and self.stages[number].kind != SURVEY and self.stages[number].game not in played

    @property
    def may_fail(self) -> bool:
        """Whether participants can be excluded by the attention check or the quiz."""
        return self.attention is not None or bool(self.quiz and self.quiz_attempts)

    def file_location(self, *place: str | int) -> str:
        """Return the location of a key for messages: ``FILE, line N``."""
        return f"{self.path}, line {find_line(key_lines(self.source), place)}"

    def seats(self, arm: Arm, setting: int) -> tuple[str, ...]:
        """Return `PERSON` or the player spec for each seat of a match."""
        played = self.settings[setting]
        seats, own = played.seats.get(arm.name, arm.seats), played.person_seat
        if own is None:
            return seats
        # The seat in the setting moves the participant; the programs keep their order.
        others = [who for who in seats if who != PERSON]
        return (*others[:own], PERSON, *others[own:])

    def match_sizes(self, arm: Arm) -> list[int]:
        """Return the number of participants in each successive match of an arm."""
        return [self.seats(arm, setting).count(PERSON) for setting in self.settings_by_match]

    @cached_property
    def settings_by_match(self) -> tuple[int, ...]:
        """First setting of each successive match; alternative settings have the same game, seats and rate."""
        return tuple(stage.setting_indices[0] for stage in self.stages for _ in range(stage.repetitions))

    def other_players(self, arm: Arm) -> tuple[str, ...]:
        """Return the distinct player specs of an arm."""
        seated = chain.from_iterable(self.seats(arm, setting) for setting in range(len(self.settings)))
        return tuple(dict.fromkeys(who for who in seated if who != PERSON))

    def rate(self, setting: int) -> float:
        """Return the money per unit of payoff in a setting."""
        own = self.settings[setting].rate
        return self.payment.rate if own is None else own

    def first_setting(self, game: str) -> int:
        """Return the index of the first setting of a game."""
        return next(place for place, one in enumerate(self.settings) if one.game == game)

    def practice_match(self, stage: Stage) -> tuple[list[str], dict[str, Any]]:
        """Return players and parameters of a practice match; the seat is that of the rules shown."""
        first = self.first_setting(stage.game)
        seats = self.seats(self.arms[0], first)
        players = [HUMAN if seat == seats.index(PERSON) else stage.opponent for seat in range(len(seats))]
        return players, {**self.settings[first].params, **stage.settings[0].params}


MIN_LIMIT = 3
"""Minimum limit in seconds at any speed, since pages take time to load."""


def speed_up(study: Study, speed: float) -> Study:
    """Return the study with time limits and pauses divided by `speed`, for testing.

    Args:
        speed: Factor, at least 1; limits do not fall below `MIN_LIMIT`.
    """

    def limit(seconds: int) -> int:
        # Limits of 0 (none) or below `MIN_LIMIT` stay as they are.
        return min(seconds, max(MIN_LIMIT, round(seconds / speed)))

    times = replace(study.time, move=limit(study.time.move), waiting=limit(study.time.waiting))
    leaving = replace(study.leaving, away=limit(study.leaving.away))
    return replace(study, time=times, leaving=leaving, speed=speed)
