"""Verification of published days against EconZoo's rules, number by number.

Each day starts from the numbers printed at the end of the previous day, so that one deviation does not propagate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import PASS, UNKNOWN, Move
from econzoo.envs.games.water_allocation import rules
from econzoo.evaluate.formats.alympics.published import Day, PublishedGame
from econzoo.evaluate.formats.alympics.texts import Status, join_names
from econzoo.evaluate.run import NotImportableError, convert_rule_errors

GAME = "water_allocation"

TOLERANCE = 1e-6
"""Absolute tolerance: the files hold sums of doubles, the rules millionths of a dollar."""


class Difference(NamedTuple):
    """A printed value and the value implied by the rules.

    Attributes:
        day: Day, from 1.
        who: Resident; empty: the town.
        ours: Value by the rules, given the previous day in the file.
    """

    day: int
    who: str
    what: str
    printed: Any
    ours: Any

    @property
    def agrees(self) -> bool:
        """Whether both are equal (numbers within `TOLERANCE`)."""
        if isinstance(self.printed, str):
            return bool(self.printed == self.ours)
        return math.isclose(self.printed, self.ours, rel_tol=0.0, abs_tol=TOLERANCE)

    def __str__(self) -> str:
        return (
            f"{f'{self.who}: ' if self.who else ''}{self.what} {_format_value(self.printed)}, by the "
            f"rules {_format_value(self.ours)}"
        )


def _format_value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class CheckResult(NamedTuple):
    """Result of a check."""

    days: int
    printed: int
    differences: tuple[Difference, ...]

    @property
    def days_with_differences(self) -> list[int]:
        """Sorted days with a difference."""
        return sorted({one.day for one in self.differences})

    @property
    def days_text(self) -> str:
        """Text such as ``day 8`` or ``days 5, 6, 18``."""
        days = self.days_with_differences
        return f"{'day' if len(days) == 1 else 'days'} {', '.join(map(str, days))}"


def check(game: PublishedGame) -> CheckResult:
    """Compare every day of a game with the rules."""
    found = [*comparisons(game)]
    return CheckResult(len(game.days), len(found), tuple(one for one in found if not one.agrees))


def comparisons(game: PublishedGame) -> Iterator[Difference]:
    """Yield every printed number and list of winners with the value implied by the rules."""
    with convert_rule_errors():
        params: rules.Params = find_game(GAME).params(**game.params)[1]
    if len(game.days) > params.days:
        raise NotImportableError("outside our rules", f"{len(game.days)} days: the rules allow {params.days}")
    state = rules.initial(params)
    for day in game.days:
        played = _play_day(params, state, day, game.names)
        yield from _question_differences(day, played.before, game.names)
        yield from _result_differences(day, played, game.names)
        state = _with_printed_values(played.after, day, game.names)


class _PlayedDay(NamedTuple):
    """A day by the rules: state before bids, state after the day, and public results."""

    before: rules.State
    after: rules.State
    results: tuple[rules.Result, ...]


def _play_day(params: rules.Params, state: rules.State, day: Day, names: Sequence[str]) -> _PlayedDay:
    result = day.result
    alive = [name for seat, name in enumerate(names) if state.died[seat] == 0]
    if sorted(result.bids) != sorted(alive):
        raise NotImportableError(
            "outside our rules", f"day {result.day}: bids of {join_names(result.bids)}, but {join_names(alive)} live"
        )
    if not params.low <= result.supply <= params.high:
        expected = f"expected {params.low} to {params.high} units"
        raise NotImportableError("outside our rules", f"day {result.day}: invalid supply={result.supply}: {expected}")
    if (lowest := min(result.bids.values())) < 0:
        raise NotImportableError("outside our rules", f"day {result.day}: negative bid of {lowest:g} dollars")
    before = rules.announce_supply(params, state, float(result.supply))
    moves = tuple(Move(0, (result.bids[name],)) if name in alive else Move(PASS, (0.0,)) for name in names)
    after = rules.apply(params, before, moves)
    return _PlayedDay(before, after, rules.results(params, before, moves, after))


def _question_differences(day: Day, state: rules.State, names: Sequence[str]) -> Iterator[Difference]:
    """Compare the numbers in the questions of a day, which after the first day need a written question."""
    first = day.result.day == 1
    printed = {name: answer.question.status for name, answer in day.answers.items() if first or answer.prompt}
    yield from _status_differences(day.result.day, printed, state, names, " when asked")


def _result_differences(day: Day, played: _PlayedDay, names: Sequence[str]) -> Iterator[Difference]:
    """Compare the winners and the numbers at the end of a day."""
    result = day.result
    served = sorted((one.place, name) for one, name in zip(played.results, names, strict=True) if one.place)
    yield Difference(result.day, "", "winners", join_names(result.winners), join_names([name for _, name in served]))
    yield from _status_differences(result.day, result.after, played.after, names, "")


def _status_differences(
    day: int, printed: Mapping[str, Status], state: rules.State, names: Sequence[str], when: str
) -> Iterator[Difference]:
    for name, status in printed.items():
        seat = names.index(name)
        health = (
            state.health[seat] if status.health else max(0, state.health[seat])
        )  # some files print 0 for all dead residents
        ours = Status(state.balance[seat], health, state.dry[seat] + 1)
        for what, one, other in zip(Status._fields, status, ours, strict=True):
            if not math.isnan(one):
                yield Difference(day, name, what + when, one, other)


def _with_printed_values(state: rules.State, day: Day, names: Sequence[str]) -> rules.State:
    """Replace the state after a day by the printed values."""
    result = day.result
    balance, health = list(state.balance), list(state.health)
    dry, died = list(state.dry), list(state.died)
    for name, status in result.after.items():
        seat = names.index(name)
        balance[seat] = balance[seat] if math.isnan(status.balance) else status.balance
        # The printed counter is the cost of the next dry day, one more than the dry days so far.
        health[seat], dry[seat] = status.health, max(0, status.counter - 1)
        died[seat] = result.day if status.health <= 0 else 0
    return state._replace(
        round=result.day + 1,
        supply=UNKNOWN,
        balance=tuple(balance),
        health=tuple(health),
        dry=tuple(dry),
        died=tuple(died),
        # The file says who lives and whether there is another day, even where the rules disagree.
        over=False,
    )
