"""What the models of a run have cost so far, and how much they may: with the budget spent, nobody is asked any more.

While a purse is open, every call that is made is counted at once, also by threads. Before each call to a server its
limits are looked at: it waits while those under way could spend what is left, if each costs as much as the dearest so
far. So a limit is passed by one call, or by what calls cost more than any before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from econzoo.baselines.models.chat import Completion


class BudgetSpentError(RuntimeError):
    """The budget of a run is spent, or was not agreed to; the command line ends with the exit code `exit_code`."""

    exit_code = 4


@dataclass
class Budget:
    """Limits, and what was spent.

    Attributes:
        max_cost: US dollars; None: no limit.
        max_tokens: Tokens read and written; None: no limit.
        is_confirmed: Whether what a run costs needs no question.
        cost: US dollars spent so far, before this process too.
        tokens: Likewise.
        calls: Made by this process.
        largest_call: US dollars and tokens, each of the call that took most of it.
        record_files: Where what they gave is kept.
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    is_confirmed: bool = False
    cost: float = 0.0
    tokens: int = 0
    calls: int = 0
    largest_call: tuple[float, int] = (0.0, 0)
    record_files: list[Path] = field(default_factory=list)
    _calls_in_flight: int = field(default=0, repr=False)
    _condition: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def __post_init__(self) -> None:
        for name, value in (("max_cost", self.max_cost), ("max_tokens", self.max_tokens)):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name}={value!r} is not allowed; allowed: a number above 0")

    def add(self, cost: float, tokens: int) -> None:
        """Counts what was spent."""
        with self._condition:
            self.cost, self.tokens = self.cost + cost, self.tokens + tokens

    def charge_call(self, cost: float, tokens: int) -> None:
        """Counts a call."""
        with self._condition:
            self.largest_call = max(self.largest_call[0], cost), max(self.largest_call[1], tokens)
            self.calls += 1
        self.add(cost, tokens)

    @contextmanager
    def reserve_call(self) -> Iterator[None]:
        """Room for a call, until it is paid.

        Raises:
            SpentError: A limit is met.
        """
        with self._condition:
            self._condition.wait_for(lambda: not self._calls_in_flight or self._has_room())
            self.check()
            self._calls_in_flight += 1
        try:
            yield
        finally:
            with self._condition:
                self._calls_in_flight -= 1
                self._condition.notify_all()

    def _has_room(self) -> bool:
        """Whether those under way leave something, or nothing is left anyway; the first call tells what one takes."""
        limits = zip((self.max_cost, self.max_tokens), (self.cost, self.tokens), self.largest_call, strict=True)
        left = [(limit - spent, most) for limit, spent, most in limits if limit is not None]
        if not left or min(left)[0] <= 0:
            return True
        return self.calls > 0 and all(self._calls_in_flight * most < rest for rest, most in left)

    def check(self) -> None:
        """Raises `BudgetSpentError` where a limit is met."""
        over = self.max_cost is not None and self.cost >= self.max_cost
        if over or (self.max_tokens is not None and self.tokens >= self.max_tokens):
            option = "--max-cost" if over else "--max-tokens"
            raise BudgetSpentError(
                f"the budget is spent: {self}; the same command with a larger {option} goes on from here"
            )

    def __str__(self) -> str:
        """``$0.42 of $5.00, 12,400 tokens``."""
        cost = (
            []
            if not self.cost and self.max_cost is None
            else [format_dollars(self.cost) + _format_limit(self.max_cost, format_dollars)]
        )
        return ", ".join([*cost, f"{self.tokens:,}{_format_limit(self.max_tokens, '{:,}'.format)} tokens"])


def format_dollars(amount: float) -> str:
    """US dollars, to a cent, or to two digits that say something."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${float(f'{amount:.2g}'):,.{_digits(amount)}f}"


def _digits(amount: float) -> int:
    return max(2, 1 - int(f"{amount:e}".partition("e")[2]))


def _format_limit(limit: float | None, format_amount: Callable[[float], str]) -> str:
    return "" if limit is None else f" of {format_amount(limit)}"


_OPEN: list[Budget] = []
"""The purses that are open; the last one is charged."""


@contextmanager
def open_budget(budget: Budget) -> Iterator[Budget]:
    """Has all calls charged to a purse."""
    _OPEN.append(budget)
    try:
        yield budget
    finally:
        _OPEN.remove(budget)


def current_budget() -> Budget | None:
    """The purse that is open."""
    return _OPEN[-1] if _OPEN else None


def check() -> None:
    """Raises `BudgetSpentError` where the budget of the open purse is spent."""
    if _OPEN:
        _OPEN[-1].check()


def reserve_call() -> AbstractContextManager[None]:
    """Room for a call in the open purse; see `Purse.room`."""
    return _OPEN[-1].reserve_call() if _OPEN else nullcontext()


def charge(reply: Completion) -> None:
    """Has the open purse pay for a call that was made."""
    if _OPEN:
        _OPEN[-1].charge_call(reply.cost, reply.prompt_tokens + reply.completion_tokens)
