"""What a study is: everything that is decided before the first participant comes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from econzoo.people.study.lines import line_of, lines_of

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
"""What follows if a participant leaves, besides the spec of who takes the seat."""

CHOICE, NUMBER, TEXT = KINDS = ("choice", "number", "text")
"""Kinds of questions after the matches."""

MOST = 10_000
"""Participants, and matches of a participant, at most."""

MOST_IN_ALL = 100_000
"""Participants times matches of each, at most."""

MOST_MONEY = 1_000_000
"""Of a fee, a floor or a cap."""

LONGEST_LINE, LONGEST_TEXT = 500, 20_000
"""Characters of what is read at a glance, and of a text of the study."""

LONGEST = 86_400
"""Seconds in a day."""


@dataclass(frozen=True)
class Arm:
    """A treatment: who sits where.

    Attributes:
        name: Of the arm.
        seats: `PERSON` or the spec of a player, for each seat.
        blinded: Whether participants are not told before the debriefing that others are programs.
    """

    name: str
    seats: tuple[str, ...]
    blinded: bool = False

    @property
    def people(self) -> tuple[int, ...]:
        """Seats of participants."""
        return tuple(seat for seat, who in enumerate(self.seats) if who == PERSON)

    @property
    def others(self) -> tuple[str, ...]:
        """Specs of the other players, each once."""
        return tuple(dict.fromkeys(who for who in self.seats if who != PERSON))


@dataclass(frozen=True)
class Matching:
    """How many participants there are and whom each of them meets.

    Attributes:
        participants: In all arms.
        repetitions: Matches that each of them plays.
        partners: One of `PARTNERS`.
        seed: Of all that is drawn.
    """

    participants: int
    repetitions: int
    partners: str
    seed: int


@dataclass(frozen=True)
class Words:
    """Texts of the study that participants read; only the instructions may be empty."""

    consent: str
    instructions: str
    debriefing: str
    kept: str


@dataclass(frozen=True)
class Attention:
    """A word hidden in the instructions.

    Attributes:
        code_word: What participants must type.
        sentence: In which it stands, as ``{code_word}``.
        attempts: Before exclusion.
    """

    code_word: str
    sentence: str
    attempts: int

    @property
    def shown(self) -> str:
        """The sentence with the word."""
        return self.sentence.replace("{code_word}", self.code_word)

    def accepts(self, typed: str) -> bool:
        """Whether somebody has typed the word, in whatever case."""
        return typed.strip().casefold() == self.code_word.strip().casefold()


@dataclass(frozen=True)
class Question:
    """A question of the comprehension quiz; one of its options is the answer."""

    question: str
    options: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Item:
    """A question of the questionnaire after the matches, of one of `KINDS`; choices have options."""

    question: str
    kind: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Payment:
    """What participants earn, in units of the currency.

    Attributes:
        currency: Three letters.
        fee: For taking part.
        rate: Money for one unit of payoff, summed over matches.
        floor: Least bonus.
        cap: Greatest bonus.
        partial: Whether who leaves, or is left, keeps the fee.
    """

    currency: str
    fee: float
    rate: float
    floor: float
    cap: float
    partial: bool


@dataclass(frozen=True)
class Recruitment:
    """Where participants come from, one of `SOURCES`, and where they go at the end (``{code}`` is filled in)."""

    source: str
    completion_url: str


@dataclass(frozen=True)
class Times:
    """Limits in seconds.

    Attributes:
        move: Of a participant's move; 0: none.
        waiting: In the waiting room.
        alone: What follows then: `PAY`, or the spec of who takes the free seats.
    """

    move: int
    waiting: int
    alone: str


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes:
        name: Names the folder and the completion codes.
        game: What is played.
        texts: Language of the pages, or a TOML file of texts.
        settings: Parameters of the game that are not as usual, a table for each setting.
        roles: For each setting the seat that a participant takes in arms with one; None: as the arm says.
        arms: Treatments.
        matching: Who plays whom.
        words: Texts of the study.
        attention: The word in the instructions; None: there is none.
        quiz: Questions before the matches.
        quiz_attempts: Before exclusion.
        questionnaire: Questions after them.
        payment: What is paid.
        recruitment: Where participants come from.
        time: Limits.
        leaving: What follows if a participant leaves: one of `POLICIES`, or the spec of who takes the seat.
        path: The file.
        source: Its text.
    """

    name: str
    game: str
    texts: str
    settings: tuple[dict[str, Any], ...]
    roles: tuple[int | None, ...]
    arms: tuple[Arm, ...]
    matching: Matching
    words: Words
    attention: Attention | None
    quiz: tuple[Question, ...]
    quiz_attempts: int
    questionnaire: tuple[Item, ...]
    payment: Payment
    recruitment: Recruitment
    time: Times
    leaving: str
    path: Path
    source: str

    def where(self, *place: str | int) -> str:
        """A place in the file, for messages: ``FILE, line N``."""
        return f"{self.path}, line {line_of(lines_of(self.source), place)}"

    def seats(self, arm: Arm, setting: int) -> tuple[str, ...]:
        """Who sits where in a match of an arm: `PERSON`, or the spec of a player."""
        role = self.roles[setting]
        if role is None:
            return arm.seats
        others = [who for who in arm.seats if who != PERSON]
        return (*others[:role], PERSON, *others[role:])
