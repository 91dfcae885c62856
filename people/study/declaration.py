"""What a study is: everything that is decided before the first participant comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import CustomDomain, Flag, Integer, OneOf
from econzoo.people.study.ends import ADDRESS, End
from econzoo.people.study.items import BOX, Item, Question
from econzoo.people.study.payment import Payment
from econzoo.people.study.stages import SURVEY, Setting, Stage
from econzoo.people.study.toml_reading import find_line, key_lines, line_domain, text_domain, text_list_domain

PERSON = "person"
"""Seat of a participant, in the file."""

HUMAN = "human"
"""Player of such a seat, in records."""

PARTNER, STRANGER, RANDOM = PARTNERS = ("partner", "stranger", "random")
"""Whom a participant meets in the next match: the same others, nobody again, or whoever is drawn anew."""

LINKS, PROLIFIC, MTURK = SOURCES = ("links", "prolific", "mturk")
"""Where participants come from."""

PAY = "pay"
"""Who has waited in vain for others is paid the fee."""

POLICIES = ("default", "forfeit")
"""What follows if a participant leaves a match, besides the spec of who takes the seat."""

MAX_COUNT = 10_000
"""Participants, and matches of a participant, at most."""

MAX_TOTAL = 100_000
"""Participants times matches of each, at most."""

MAX_LABEL_LENGTH = 200
"""Characters of a label."""

MAX_WORD_LENGTH = 60
"""Characters of the code word."""

MAX_SECONDS = 86_400
"""Seconds in a day."""


@dataclass(frozen=True)
class Arm:
    """A treatment: who sits where.

    Attributes:
        name: Of the arm.
        seats: `PERSON` or the spec of a player, for each seat.
        blinded: Whether participants are not told before the debriefing that others are programs.
    """

    name: Annotated[str, Option(line_domain())]
    seats: Annotated[tuple[str, ...], Option(text_list_domain(1))]
    blinded: Annotated[bool, Option(Flag())] = False


@dataclass(frozen=True)
class Matching:
    """How many participants there are and whom each of them meets.

    Attributes:
        participants: In all arms.
        repetitions: Matches that each of them plays.
        partners: One of `PARTNERS`.
        seed: Of all that is drawn.
    """

    participants: Annotated[int, Option(Integer(1, MAX_COUNT))]
    repetitions: Annotated[int, Option(Integer(1, MAX_COUNT))] = 1
    partners: Annotated[str, Option(OneOf(*PARTNERS))] = PARTNER
    seed: Annotated[int, Option(Integer(0, 2**31))] = 1


@dataclass(frozen=True, kw_only=True)
class StudyWords:
    """Texts of the study that participants read; only the instructions may be empty.

    Attributes:
        consent: What they consent to.
        boxes: What they must tick one by one to consent.
        instructions: Before the rules.
        debriefing: At the end.
        kept: What is stored for how long.
    """

    consent: Annotated[str, Option(text_domain())]
    boxes: Annotated[tuple[str, ...], Option(text_list_domain(1))] = ()
    instructions: Annotated[str, Option(text_domain(empty=True))] = ""
    debriefing: Annotated[str, Option(text_domain())]
    kept: Annotated[str, Option(text_domain())]


@dataclass(frozen=True)
class Attention:
    """A word hidden in the instructions.

    Attributes:
        code_word: What participants must type.
        sentence: In which it stands, as ``{code_word}``.
        attempts: Before exclusion.
    """

    code_word: Annotated[str, Option(line_domain(MAX_WORD_LENGTH))]
    sentence: Annotated[str, Option(text_domain())] = "The code word is {code_word}."
    attempts: Annotated[int, Option(Integer(1, 100))] = 1

    @property
    def sentence_with_word(self) -> str:
        """The sentence with the word."""
        return self.sentence.replace("{code_word}", self.code_word)

    def accepts(self, typed: str) -> bool:
        """Whether somebody has typed the word, in whatever case."""
        return typed.strip().casefold() == self.code_word.strip().casefold()


def _parse_labels(it: Any) -> tuple[str, ...]:
    given = [it] if isinstance(it, str) else it
    if not (isinstance(given, list) and given):
        raise ValueError
    return tuple(map(line_domain(MAX_LABEL_LENGTH), given))


LABELS = CustomDomain(_parse_labels, "a list of labels, or the name of a text file beside this one with one a line")
"""Labels of participants, or the name of their file in a list of its own."""


@dataclass(frozen=True)
class Recruitment:
    """Where participants come from, and where they go.

    Attributes:
        source: One of `SOURCES`.
        completion_url: Where they go at the end; ``{code}`` is filled in.
        labels: Under which participants can come by `LINKS`; none: under any. In a file: the list, or the name of a
            text file with one a line.
    """

    source: Annotated[str, Option(OneOf(*SOURCES))] = LINKS
    completion_url: Annotated[str, Option(ADDRESS)] = ""
    labels: Annotated[tuple[str, ...], Option(LABELS)] = ()


@dataclass(frozen=True)
class Times:
    """Limits in seconds.

    Attributes:
        move: Of a participant's move; 0: none.
        waiting: In the waiting room.
        alone: What follows then: `PAY`, or the spec of who takes the free seats.
    """

    move: Annotated[int, Option(Integer(0, MAX_SECONDS))] = 0
    waiting: Annotated[int, Option(Integer(1, MAX_SECONDS))] = 300
    alone: Annotated[str, Option(text_domain())] = PAY


@dataclass(frozen=True)
class Leaving:
    """When a participant has left a match, and what follows at once and for the rest of it.

    Attributes:
        policy: One of `POLICIES`, or the spec of who takes the seat.
        missed: Moves that they miss in the match until they have left, each of which is the game's default action; 0:
            that does not count.
        away: Seconds that their page is closed until they have left; 0: that does not count.
    """

    policy: Annotated[str, Option(text_domain())] = POLICIES[0]
    missed: Annotated[int, Option(Integer(0, MAX_SECONDS))] = 2
    away: Annotated[int, Option(Integer(0, MAX_SECONDS))] = 60

    @property
    def is_replaced(self) -> bool:
        """Whether somebody else takes the seat."""
        return self.policy not in POLICIES


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes:
        name: Names the folder and the completion codes.
        texts: Language of the pages, or a TOML file of texts.
        settings: What is played in matches.
        arms: Treatments.
        matching: Who plays whom.
        words: Texts of the study.
        attention: The word in the instructions; None: there is none.
        quiz: Questions before the matches.
        quiz_attempts: Before exclusion; 0: as many as it takes.
        stages: What comes between the quiz and the questionnaire: the matches, and pages and practice around them.
        questionnaire: Questions after all stages.
        payment: What is paid.
        recruitment: Where participants come from.
        ends: Name of an end, one of `econzoo.people.study.ends.ENDS`, to where participants go then.
        time: Limits.
        leaving: When a participant has left, and what follows.
        path: The file.
        source: Its text.
        session: Which of several sessions of one file this is; empty: there is one. It draws a table of its own.
        attached_files: Names of the files beside it that it needs.
        speed: How many times faster than usual pauses pass, where the study is tried; see `speed_up`.
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
        """The games that are played."""
        return tuple(dict.fromkeys(one.game for one in self.settings))

    def params(self, game: str) -> list[dict[str, Any]]:
        """The parameters of every setting of a game."""
        return [one.params for one in self.settings if one.game == game]

    @property
    def boxes(self) -> tuple[Item, ...]:
        """What participants tick to consent."""
        return tuple(Item(text, BOX) for text in self.words.boxes)

    def stage_of(self, repetition: int) -> int:
        """Number of the stage in which participants play a match of theirs, both from 0."""
        for number, stage in enumerate(self.stages):
            if repetition < stage.repetitions:
                return number
            repetition -= stage.repetitions
        raise ValueError("there are fewer matches; allowed: one of a participant's")

    def ends_stage(self, repetition: int) -> bool:
        """Whether a match, from 0, is the last one of its stage."""
        last = repetition + 1 == self.matching.repetitions
        return last or self.stage_of(repetition + 1) != self.stage_of(repetition)

    def introduces_game(self, number: int) -> bool:
        """Whether a stage, from 0, is the first one of a game whose rules the instructions do not tell."""
        before = {one.game for one in self.stages[:number] if one.kind != SURVEY}
        return bool(before) and self.stages[number].kind != SURVEY and self.stages[number].game not in before

    @property
    def may_fail(self) -> bool:
        """Whether questions before the matches exclude those who do not answer them rightly."""
        return self.attention is not None or bool(self.quiz and self.quiz_attempts)

    def file_location(self, *place: str | int) -> str:
        """A place in the file, for messages: ``FILE, line N``."""
        return f"{self.path}, line {find_line(key_lines(self.source), place)}"

    def seats(self, arm: Arm, setting: int) -> tuple[str, ...]:
        """Who sits where in a match of an arm: `PERSON`, or the spec of a player."""
        played = self.settings[setting]
        seats, role = played.seats.get(arm.name, arm.seats), played.role
        if role is None:
            return seats
        others = [who for who in seats if who != PERSON]
        return (*others[:role], PERSON, *others[role:])

    def match_sizes(self, arm: Arm) -> list[int]:
        """How many participants are in each of the matches of one of an arm, in order."""
        return [self.seats(arm, setting).count(PERSON) for setting in self.settings_by_match]

    @cached_property
    def settings_by_match(self) -> tuple[int, ...]:
        """The first setting of each match of a participant, in order; game, seats and rate of the others are alike."""
        return tuple(stage.setting_indices[0] for stage in self.stages for _ in range(stage.repetitions))

    def other_players(self, arm: Arm) -> tuple[str, ...]:
        """Specs of the other players in matches of an arm, each once."""
        seated = chain.from_iterable(self.seats(arm, setting) for setting in range(len(self.settings)))
        return tuple(dict.fromkeys(who for who in seated if who != PERSON))

    def rate(self, setting: int) -> float:
        """Money for one unit of the payoffs in a setting."""
        own = self.settings[setting].rate
        return self.payment.rate if own is None else own

    def first_setting(self, game: str) -> int:
        """The first setting of a game."""
        return next(place for place, one in enumerate(self.settings) if one.game == game)

    def practice_match(self, stage: Stage) -> tuple[list[str], dict[str, Any]]:
        """Players and parameters of a match of practice, in which the seat is that of the rules shown beforehand."""
        first = self.first_setting(stage.game)
        seats = self.seats(self.arms[0], first)
        players = [HUMAN if seat == seats.index(PERSON) else stage.opponent for seat in range(len(seats))]
        return players, {**self.settings[first].params, **stage.settings[0].params}


MIN_LIMIT = 3
"""Seconds of a limit, however fast a study is tried: pages take a while to come."""


def speed_up(study: Study, speed: float) -> Study:
    """A study whose limits and pauses pass so many times faster, to try it out.

    Args:
        study: As its file has it.
        speed: From 1 up; no limit becomes shorter than `MIN_LIMIT` by it.
    """

    def limit(seconds: int) -> int:
        return min(seconds, max(MIN_LIMIT, round(seconds / speed)))

    times = replace(study.time, move=limit(study.time.move), waiting=limit(study.time.waiting))
    leaving = replace(study.leaving, away=limit(study.leaving.away))
    return replace(study, time=times, leaving=leaving, speed=speed)
