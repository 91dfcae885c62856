"""Pairs of matches that differ in one player only, and the two matches of a pair turn by turn."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, NamedTuple

from econzoo.baselines import LoggedCall
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import role_names
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import match_outline
from econzoo.evaluate.run import format_value, match_spending
from econzoo.people.table.listing import FAILED_OUTCOME, Entry
from econzoo.people.table.move_words import localize_story
from econzoo.people.table.public_view import describe_turns
from econzoo.people.table.record_check import CheckedRecord
from econzoo.people.table.seat_view import game_title

MAX_WORDS = 1000
"""Words of a message that are compared; longer ones are marked as a whole."""

MIN_ALIKE = 0.4
"""Share of common words from which on the differing words of two messages are marked."""

ALL, DIFFERENT, WITH_ERRORS = SHOWN = ("all", "different", "errors")
"""Filters of pairs, and of the turns of one."""

Names = tuple[str, str]
"""Labels of the player on the left and on the right."""


class Pair(NamedTuple):
    """Two matches with the same setting, seed and other players.

    Attributes:
        seat: Where the players differ.
    """

    left: Entry
    right: Entry
    seat: int

    @property
    def is_different(self) -> bool:
        """Whether outcome or payoff differ."""
        return (self.left.outcome, self.left.gains) != (self.right.outcome, self.right.gains)

    @property
    def has_errors(self) -> bool:
        return bool(self.left.errors or self.right.errors)

    @property
    def others(self) -> list[tuple[str, str]]:
        """(role, player) of the other seats."""
        return [(role, player) for seat, (role, player, _) in enumerate(self.left.seats) if seat != self.seat]

    @property
    def role(self) -> str:
        return self.left.seats[self.seat][0]

    def accepts(self, shown: str) -> bool:
        """Whether the pair passes a filter."""
        return {DIFFERENT: self.is_different, WITH_ERRORS: self.has_errors}.get(shown, True)


Place = tuple[str, int, tuple[str, ...]]
"""Table of a match, a seat, and the players of the other seats."""


def _places(entries: Iterable[Entry]) -> dict[Place, dict[str, Entry]]:
    """Return the matches of each place by the player in the seat; the first of several counts."""
    found: dict[Place, dict[str, Entry]] = {}
    for entry in entries:
        labels = [player for _, player, _ in entry.seats]
        for seat, label in enumerate(labels if entry.table else ()):
            others = tuple(other for place, other in enumerate(labels) if place != seat)
            found.setdefault((entry.table, seat, others), {}).setdefault(label, entry)
    return found


def find_pairs(left: Sequence[Entry], right: Sequence[Entry] | None = None) -> dict[Names, list[Pair]]:
    """Return all pairs by their two players, those with most pairs of models first.

    Args:
        right: Matches of another folder; None: both matches are from the same list, and each pair comes once.
    """
    mine = _places(left)
    theirs = mine if right is None else _places(right)
    pairs: dict[Names, list[Pair]] = {}
    for place, here in mine.items():
        there = theirs.get(place, {})
        for one, other in ((one, other) for one in here for other in there):
            if right is not None or one < other:
                pairs.setdefault((one, other), []).append(Pair(here[one], there[other], place[1]))

    def weight(names: Names) -> tuple[int, int]:
        models = sum(bool(pair.left.tokens) + bool(pair.right.tokens) for pair in pairs[names])
        return -models, -len(pairs[names])

    return {names: pairs[names] for names in sorted(pairs, key=lambda names: (weight(names), names))}


def varying_parameters(pairs: Sequence[Pair]) -> list[str]:
    """Describe the setting of each pair: the parameters in which pairs of its game differ."""
    tables = [json.loads(pair.left.table) for pair in pairs]
    values: dict[tuple[str, str], set[str]] = {}
    for game, params, *_ in tables:
        for name, value in params.items():
            values.setdefault((game, name), set()).add(format_value(value))
    return [
        ", ".join(f"{name}={format_value(value)}" for name, value in params.items() if len(values[game, name]) > 1)
        for game, params, *_ in tables
    ]


# -- two matches turn by turn -----------------------------------------------------------------------------------


class Step(NamedTuple):
    """A turn of one match, and what it took.

    Attributes:
        story: See `econzoo.evaluate.analyses.stories.turns_of`.
        number: From 1.
        first_call: Number of its first call among those of the seat, as in the call log.
        calls: Number of its calls; 0: the seat has no model.
    """

    turn: Turn
    story: Mapping[str, Any]
    number: int
    first_call: int
    calls: int

    @property
    def code(self) -> str:
        """Code of what was wrong with the reply; empty: nothing."""
        return self.turn.error[0] if self.turn.error else self.turn.finish


def steps_of(record: Record, stories: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Return the turns of a match with the numbers of their calls."""
    made: Counter[int] = Counter()
    steps = []
    for number, (turn, story) in enumerate(zip(record.turns, stories, strict=True), start=1):
        calls = len(turn.calls) + 1 if any(turn.tokens) else 0
        steps.append(Step(turn, story, number, made[turn.seat], calls))
        made[turn.seat] += calls
    return steps


class Row(NamedTuple):
    """What one seat did in one round of both matches: retries and the move; empty: it had no turn there."""

    round: int
    role: str
    seat: int
    left: list[Step]
    right: list[Step]

    @property
    def is_different(self) -> bool:
        """Whether the moves or the messages differ."""
        return _outcome(self.left) != _outcome(self.right)

    @property
    def has_errors(self) -> bool:
        return any(step.code for step in (*self.left, *self.right))

    @property
    def words(self) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
        """Both messages as parts, each with whether the other message lacks it."""
        return mark_words(*(_outcome(steps)[1] for steps in (self.left, self.right)))

    def accepts(self, shown: str) -> bool:
        """Whether the row passes a filter."""
        return {DIFFERENT: self.is_different, WITH_ERRORS: self.has_errors}.get(shown, True)


def _outcome(steps: Sequence[Step]) -> tuple[str, str]:
    """Return the last move and message; empty texts without a valid one."""
    last = steps[-1].story if steps else {}
    return last.get("move") or "", last.get("words") or ""


def mark_words(left: str, right: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Split two texts into parts, each with whether the other text lacks it."""
    one, other = (re.findall(r"\s*\S+", text) for text in (left, right))
    if not one or not other or max(len(one), len(other)) > MAX_WORDS:
        return [(left, left != right)] if left else [], [(right, left != right)] if right else []
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    # Texts with only a few small words in common are two texts.
    if matcher.ratio() < MIN_ALIKE:
        return [(left, True)], [(right, True)]
    parts: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
    for kind, a, b, c, d in matcher.get_opcodes():
        for side, words in zip(parts, (one[a:b], other[c:d]), strict=True):
            if words:
                side.append(("".join(words), kind != "equal"))
    return parts


def rows_of(left: Sequence[Step], right: Sequence[Step]) -> list[Row]:
    """Set the turns of two matches side by side, by round and seat."""
    places: dict[tuple[int, int], tuple[list[Step], list[Step]]] = {}
    for side, steps in enumerate((left, right)):
        for step in steps:
            places.setdefault((step.turn.round, step.turn.seat), ([], []))[side].append(step)
    # By round; within one in the order of the match in which the seat came first.
    rows = [
        Row(round, (ours or theirs)[0].story["role"], seat, ours, theirs)
        for (round, seat), (ours, theirs) in places.items()
    ]
    return sorted(rows, key=lambda row: (row.round, min(step.number for step in (*row.left, *row.right))))


def failed_attempts(call: LoggedCall) -> list[tuple[str, str]]:
    """Return (status, text) of each failed attempt of a call."""
    attempts = [one if isinstance(one, dict) else {"error": str(one)} for one in call.attempts]
    return [
        (str(one.get("status") or ""), str(one.get("error") or json.dumps(one, ensure_ascii=False))) for one in attempts
    ]


class Side:
    """One of two compared matches.

    Args:
        address: URL parameters of the record: ``file`` and ``line``.
        calls: Logged calls of the match.
    """

    def __init__(
        self, checked: CheckedRecord, seat: int, address: Mapping[str, str], calls: Iterable[LoggedCall] = ()
    ) -> None:
        self._failed: dict[tuple[int, int], list[tuple[str, str]]] = {}
        for call in calls:
            # A call without a reply was made again, if the match has its turn.
            failed = [*failed_attempts(call), *([("", call.error)] if call.error else [])]
            self._failed.setdefault((call.seat, call.number), []).extend(failed)
        self.record, self.problems = checked.record, checked.problems
        self.seat, self.address = min(seat, len(self.record.players) - 1), address
        self.is_failed = self.record.status == FAILED_OUTCOME

    @cached_property
    def match(self) -> dict[str, Any]:
        """Outline of the match."""
        return localize_story(self.record, match_outline(self.record, ""))

    @cached_property
    def steps(self) -> list[Step]:
        return steps_of(self.record, describe_turns(self.record, not self.problems))

    def failed_attempts(self, step: Step) -> Counter[tuple[str, str]]:
        """Return (status, text) of what failed ahead of the replies of a turn, with its number."""
        numbers = range(step.first_call, step.first_call + step.calls)
        return Counter(one for number in numbers for one in self._failed.get((step.turn.seat, number), ()))

    @property
    def label(self) -> str:
        """The player."""
        return self.record.labels[self.seat]

    @property
    def errors(self) -> Counter[str]:
        """Codes of errors of the compared seat."""
        return Counter(step.code for step in self.steps if step.code and step.turn.seat == self.seat)

    @property
    def own(self) -> dict[str, Any]:
        """What the compared seat spent: ``tokens`` read and written, ``cost``, ``seconds`` and ``replies``."""
        turns = [step.turn for step in self.steps if step.turn.seat == self.seat]
        read, wrote = (sum(turn.tokens[place] for turn in turns) for place in (0, 1))
        seconds = sum(turn.seconds for turn in turns)
        cost = sum(turn.cost for turn in turns)
        return {"read": read, "wrote": wrote, "cost": cost, "seconds": seconds, "replies": len(turns)}

    @property
    def spending(self) -> tuple[float, int]:
        """Cost and tokens of all seats."""
        return match_spending(self.record)


class Comparison:
    """The page of a pair."""

    def __init__(self, left: Side, right: Side, shown: str) -> None:
        if (left.record.game, len(left.record.players)) != (right.record.game, len(right.record.players)):
            raise ValueError("matches of two games or numbers of seats cannot be set side by side")
        self.sides, self.shown = (left, right), shown if shown in SHOWN else ALL
        self.rows = rows_of(left.steps, right.steps)

    @property
    def title(self) -> str:
        """Name of the game."""
        return game_title(self.sides[0].record.game, self.sides[0].record.params)

    @property
    def role(self) -> str:
        """Role of the compared seat."""
        one = self.sides[0]
        return role_names(find_game(one.record.game), len(one.record.players), one.record.params)[one.seat]

    @property
    def shown_rows(self) -> list[Row]:
        return [row for row in self.rows if row.accepts(self.shown)]

    @property
    def first_difference(self) -> Row | None:
        """The first row that differs."""
        return next((row for row in self.rows if row.is_different), None)

    @property
    def unequal(self) -> Iterator[tuple[str, str, str]]:
        """(name, left, right) of what should be equal in a pair and is not."""
        left, right = (side.record for side in self.sides)
        for name in ("seed", "options"):
            if getattr(left, name) != getattr(right, name):
                yield name, str(getattr(left, name)), str(getattr(right, name))
        for name in left.params:
            if left.params[name] != right.params.get(name):
                yield name, format_value(left.params[name]), format_value(right.params.get(name))
        for seat, (one, other) in enumerate(zip(left.labels, right.labels, strict=True)):
            if one != other and seat != self.sides[0].seat:
                yield self.match_roles[seat], one, other

    @property
    def match_roles(self) -> list[str]:
        return [seat["role"] for seat in self.sides[0].match["seats"]]
