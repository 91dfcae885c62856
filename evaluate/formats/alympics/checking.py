"""Do the published days follow from our rules? Every printed number of every day is asked.

Each day is judged on its own: it begins with what the file prints at the end of the day before, so that one odd day
does not make odd days of all that follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import PASS, UNKNOWN, Move
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.games.water_allocation import rules
from econzoo.evaluate.formats.alympics.published import Day, PublishedGame
from econzoo.evaluate.formats.alympics.texts import Status, join_names
from econzoo.evaluate.run.importing import NotImportableError, convert_rule_errors

GAME = "water_allocation"

TOLERANCE = 1e-6
"""Numbers that differ by no more are the same: the files hold sums of doubles, our rules millionths of a dollar."""


class Difference(NamedTuple):
    """One thing that is printed, and how the rules have it.

    Attributes:
        day: From 1.
        who: Resident; empty: the town.
        what: For example ``"balance"``.
        printed: In the file.
        ours: By the rules, from what the file prints the day before.
    """

    day: int
    who: str
    what: str
    printed: Any
    ours: Any

    @property
    def agrees(self) -> bool:
        """Whether both are the same, numbers within `TOLERANCE`."""
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
    """What came of a check.

    Attributes:
        days: How many.
        printed: Printed numbers and lists of winners that were compared.
        differences: Those that are not as the rules have them, in order.
    """

    days: int
    printed: int
    differences: tuple[Difference, ...]

    @property
    def days_with_differences(self) -> list[int]:
        """Days with a difference."""
        return sorted({one.day for one in self.differences})

    @property
    def days_text(self) -> str:
        """``day 8``, ``days 5, 6, 18``."""
        days = self.days_with_differences
        return f"{'day' if len(days) == 1 else 'days'} {', '.join(map(str, days))}"


def check(game: PublishedGame) -> CheckResult:
    """Compares every day of a game with the rules.

    Args:
        game: See `econzoo.evaluate.formats.alympics.published.read_published_game`.

    Raises:
        UnusableError: See `comparisons`.
    """
    found = [*comparisons(game)]
    return CheckResult(len(game.days), len(found), tuple(one for one in found if not one.agrees))


def comparisons(game: PublishedGame) -> Iterator[Difference]:
    """Every printed number and list of winners, beside what follows by the rules.

    Args:
        game: See `check`.

    Raises:
        UnusableError: The game cannot be one of ours: parameters that are not allowed, a supply out of range, bids of
            the dead, more days than the rules allow.
    """
    with convert_rule_errors():
        params: rules.Params = find_game(GAME).params(**game.params)[1]
    if len(game.days) > params.days:
        raise NotImportableError("outside our rules", f"{len(game.days)} days; by the rules there are {params.days}")
    state = rules.initial(params)
    for day in game.days:
        played = _play_day(params, state, day, game.names)
        yield from _question_differences(day, played.before, game.names)
        yield from _result_differences(day, played, game.names)
        state = _with_printed_values(played.after, day, game.names)


class _PlayedDay(NamedTuple):
    """A day by the rules: the position in which bids are asked for, the one after the day, and its public results."""

    before: rules.State
    after: rules.State
    results: tuple[rules.Result, ...]


def _play_day(params: rules.Params, state: rules.State, day: Day, names: Sequence[str]) -> _PlayedDay:
    told = day.result
    alive = [name for seat, name in enumerate(names) if state.died[seat] == 0]
    if sorted(told.bids) != sorted(alive):
        raise NotImportableError(
            "outside our rules", f"day {told.day}: {join_names(told.bids)} bid, {join_names(alive)} live"
        )
    if not params.low <= told.supply <= params.high:
        between = f"allowed: {params.low} to {params.high}"
        raise NotImportableError("outside our rules", f"day {told.day} brings {told.supply} units; {between}")
    if min(told.bids.values()) < 0:
        raise NotImportableError("outside our rules", f"day {told.day}: a bid of {min(told.bids.values()):g} dollars")
    asked = rules.announce_supply(params, state, float(told.supply))
    moves = tuple(Move(0, (told.bids[name],)) if name in alive else Move(PASS, (0.0,)) for name in names)
    after = rules.apply(params, asked, moves)
    return _PlayedDay(asked, after, rules.results(params, asked, moves, after))


def _question_differences(day: Day, state: rules.State, names: Sequence[str]) -> Iterator[Difference]:
    """The numbers in the questions of a day; where none was written, the mornings after the first are the evenings."""
    first = day.result.day == 1
    printed = {name: answer.question.status for name, answer in day.answers.items() if first or answer.prompt}
    yield from _status_differences(day.result.day, printed, state, names, " when asked")


def _result_differences(day: Day, played: _PlayedDay, names: Sequence[str]) -> Iterator[Difference]:
    """The winners and the numbers at the end of a day."""
    told = day.result
    served = sorted((one.place, name) for one, name in zip(played.results, names, strict=True) if one.place)
    yield Difference(told.day, "", "winners", join_names(told.winners), join_names([name for _, name in served]))
    yield from _status_differences(told.day, told.after, played.after, names, "")


def _status_differences(
    day: int, printed: Mapping[str, Status], state: rules.State, names: Sequence[str], when: str
) -> Iterator[Difference]:
    for name, status in printed.items():
        seat = names.index(name)
        health = state.health[seat] if status.health else max(0, state.health[seat])  # some print 0 for all the dead
        ours = Status(state.balance[seat], health, state.dry[seat] + 1)
        for what, one, other in zip(Status._fields, status, ours, strict=True):
            if not math.isnan(one):
                yield Difference(day, name, what + when, one, other)


def _with_printed_values(state: rules.State, day: Day, names: Sequence[str]) -> rules.State:
    """The position after a day with what is printed in place of what follows by the rules."""
    told = day.result
    balance, health = list(state.balance), list(state.health)
    dry, died = list(state.dry), list(state.died)
    for name, status in told.after.items():
        seat = names.index(name)
        balance[seat] = balance[seat] if math.isnan(status.balance) else status.balance
        health[seat], dry[seat] = status.health, max(0, status.counter - 1)
        died[seat] = told.day if status.health <= 0 else 0
    return state._replace(
        round=told.day + 1,
        supply=UNKNOWN,
        balance=tuple(balance),
        health=tuple(health),
        dry=tuple(dry),
        died=tuple(died),
        over=False,
    )
