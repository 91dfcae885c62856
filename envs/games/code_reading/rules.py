"""Code reading: will a program cooperate in all ten rounds against an unconditional cooperator?

Nature draws a program. The reader answers yes, no, or a probability, and gets the expected log score of its answer
(Good 1952); the truth is a probability too. The rules refer to programs by number; their texts are elsewhere.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, NO_FEATURE, UNKNOWN, Bounds, Move

YES, NO, PROBABILITY = 0, 1, 2

MIN_PROBABILITY, MAX_PROBABILITY = 0.01, 0.99
"""Answers are clipped to this range to bound the loss; no and yes are its ends."""

NOT_DRAWN = -1


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        items: Numbers of the programs, all equally likely.
        labels: Probability of ten cooperations of each, in [0, 1].
        facts: Facts about each (`econzoo.envs.games.code_reading.programs.facts`).
        words: 1 if the answer is yes or no, 0 if it is a probability.
        variant: Number of the variant of the text.
    """

    items: tuple[int, ...]
    labels: tuple[float, ...]
    facts: tuple[tuple[float, ...], ...]
    words: int
    variant: int


class State(NamedTuple):
    """A position.

    Attributes:
        round: Always 1.
        place: Index of the program in ``items``; -1 before the draw.
        answer: Probability that the reader gave, clipped to [0.01, 0.99]; UNKNOWN before.
        over: Whether the question is answered.
    """

    round: int
    place: int
    answer: float
    over: bool


class View(NamedTuple):
    """Observation of the reader; the label only after its answer.

    Attributes:
        seat: Always 0.
        round: Always 1.
        item: Number of the program.
        variant: Number of the variant of its text.
        words: 1 if the answer is yes or no, 0 if it is a probability.
        lines: Lines of the program.
        classes: Number of classes.
        branches: Number of branches.
        loops: Number of loops.
        draws: Uses of random numbers.
        cooperates: Statements that return C.
        defects: Statements that return D.
        reads_length: 1 if play depends on the length of the match, else 0.
        first: First move by static analysis: 1 cooperate, 0 defect, 0.5 unknown.
        sure_cooperations: Rounds of ten with certain cooperation.
        sure_defections: Rounds of ten with certain defection.
        answer: Probability that the reader gave; UNKNOWN before.
        label: Probability of ten cooperations; UNKNOWN before the answer.
        over: 1 if the question is answered, else 0.
    """

    seat: int
    round: int
    item: int
    variant: int
    words: int
    lines: float
    classes: float
    branches: float
    loops: float
    draws: float
    cooperates: float
    defects: float
    reads_length: float
    first: float
    sure_cooperations: float
    sure_defections: float
    answer: float
    label: float
    over: int


def initial(p: Params) -> State:
    """Position before nature's draw."""
    return State(1, NOT_DRAWN, UNKNOWN, False)


def to_act(p: Params, s: State) -> int:
    """Nature draws a program, then the reader answers."""
    if s.over:
        return DONE
    return CHANCE if s.place == NOT_DRAWN else 0


def chance(p: Params, s: State) -> tuple[tuple[float, float], ...]:
    """Nature's uniform draw of a program."""
    return tuple([(float(number), 1.0 / len(p.items)) for number in p.items])


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Whether yes, no and a probability are legal."""
    turn = to_act(p, s) == seat
    return turn and p.words == 1, turn and p.words == 1, turn and p.words == 0


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Range of the probability."""
    return ((0.0, 1.0),)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after nature's draw or the reader's answer."""
    kind, (amount,) = moves[0]
    if s.place == NOT_DRAWN:
        return State(1, place_of(p, amount), UNKNOWN, False)
    answer = MAX_PROBABILITY if kind == YES else MIN_PROBABILITY if kind == NO else amount
    return State(1, s.place, min(max(answer, MIN_PROBABILITY), MAX_PROBABILITY), True)


def place_of(p: Params, number: float) -> int:
    """Index of a program in ``items``."""
    for place in range(len(p.items)):
        if p.items[place] == number:
            return place
    return 0


def score(label: float, answer: float) -> float:
    """Expected log score of an answer in nats: at most 0, maximal for the truth."""
    return label * math.log(answer) + (1.0 - label) * math.log(1.0 - answer)


def payoffs(p: Params, s: State) -> tuple[float]:
    """The log score; before an answer that of the worst one."""
    return (score(p.labels[s.place], s.answer) if s.over else math.log(MIN_PROBABILITY),)


def gains(p: Params, s: State) -> tuple[float]:
    """The log score, scaled from 0 (certain and wrong) to 1 (certain and right)."""
    return ((payoffs(p, s)[0] - math.log(MIN_PROBABILITY)) / (math.log(MAX_PROBABILITY) - math.log(MIN_PROBABILITY)),)


def observe(p: Params, s: State, seat: int) -> View:
    """The program's number and facts, and its label after the answer."""
    place = max(s.place, 0)
    f = p.facts[place]
    label = p.labels[place] if s.over else UNKNOWN
    # Number by number: in compiled rules `facts` is a table, whose rows are no tuples.
    facts = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10]
    return View(seat, 1, p.items[place], p.variant, p.words, *facts, s.answer, label, int(s.over))


def features(v: View) -> tuple[float, ...]:
    """Features of a view in [-1, 1]; without the program's number, against memorisation."""
    # The divisors are above the largest counts of all items, so nothing is cut off.
    return (
        float(v.words),
        float(v.over),
        min(v.lines / 400.0, 1.0),
        min(v.classes / 20.0, 1.0),
        min(v.branches / 50.0, 1.0),
        min(v.loops / 30.0, 1.0),
        min(v.draws / 10.0, 1.0),
        min(v.cooperates / 20.0, 1.0),
        min(v.defects / 20.0, 1.0),
        v.reads_length,
        v.first,
        v.sure_cooperations / 10.0,
        v.sure_defections / 10.0,
        v.answer if v.over else NO_FEATURE,
        v.label if v.over else NO_FEATURE,
    )


FEATURES = (
    "form of the answer: 1 yes or no, 0 a probability",
    "whether the question is answered: 0 or 1",
    "lines of the program over 400: 0 to 1",
    "classes over 20: 0 to 1",
    "branches over 50: 0 to 1",
    "loops over 30: 0 to 1",
    "uses of random numbers over 10: 0 to 1",
    "statements that return C over 20: 0 to 1",
    "statements that return D over 20: 0 to 1",
    "whether the length of the match plays a role: 0 or 1",
    "first move by the syntax tree: 1 cooperate, 0 defect, 0.5 unknown",
    "rounds of ten in which it surely cooperates: 0 to 1",
    "rounds of ten in which it surely defects: 0 to 1",
    "probability that the reader gave: 0 to 1, or -1 before",
    "true probability of ten cooperations: 0 to 1, or -1 before the answer",
)
