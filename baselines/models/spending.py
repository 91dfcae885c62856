"""Budgets of runs: cost and tokens of model calls, and their limits.

An open budget counts every call immediately, in all threads. Each call to a server first waits while the calls in
flight could exhaust the budget if each cost as much as the most expensive so far. So a limit is exceeded by at most one
call, or by calls more expensive than any before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econzoo.baselines.models.chat import Completion


class BudgetSpentError(RuntimeError):
    """The budget of a run is spent or was not confirmed; the command line exits with `exit_code`."""

    exit_code = 4


@dataclass
class Budget:
    """Limits and spending of a run.

    Attributes:
        max_cost: US dollars; None: no limit.
        max_tokens: Prompt and completion tokens; None: no limit.
        is_confirmed: Whether the cost needs no confirmation.
        cost: US dollars spent so far, including earlier processes.
        tokens: Tokens used so far, including earlier processes.
        calls: Calls of this process.
        largest_call: Maximum US dollars and maximum tokens of a call.
        record_files: Files with the records of the calls.
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
                raise ValueError(f"invalid {name}={value!r}: expected a number above 0")

    def add(self, cost: float, tokens: int) -> None:
        """Add spending."""
        with self._condition:
            self.cost, self.tokens = self.cost + cost, self.tokens + tokens

    def charge_call(self, cost: float, tokens: int) -> None:
        """Add a call."""
        with self._condition:
            self.largest_call = max(self.largest_call[0], cost), max(self.largest_call[1], tokens)
            self.calls += 1
        self.add(cost, tokens)

    @contextmanager
    def reserve_call(self) -> Iterator[None]:
        """Reserve budget for a call until it is charged.

        Raises:
            BudgetSpentError: A limit is reached.
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
        """Whether calls in flight leave budget for another, or none is left anyway; the first call runs alone."""
        limits = zip((self.max_cost, self.max_tokens), (self.cost, self.tokens), self.largest_call, strict=True)
        left = [(limit - spent, most) for limit, spent, most in limits if limit is not None]
        if not left or min(left)[0] <= 0:
            return True
        return self.calls > 0 and all(self._calls_in_flight * most < rest for rest, most in left)

    def check(self) -> None:
        """Raise `BudgetSpentError` if a limit is reached."""
        over = self.max_cost is not None and self.cost >= self.max_cost
        if over or (self.max_tokens is not None and self.tokens >= self.max_tokens):
            option = "--max-cost" if over else "--max-tokens"
            raise BudgetSpentError(f"the budget is spent: {self}; to resume, rerun with a larger {option}")

    def __str__(self) -> str:
        """Format as ``$0.42 of $5.00, 12,400 tokens``."""
        cost = (
            []
            if not self.cost and self.max_cost is None
            else [format_dollars(self.cost) + _format_limit(self.max_cost, format_dollars)]
        )
        return ", ".join([*cost, f"{self.tokens:,}{_format_limit(self.max_tokens, '{:,}'.format)} tokens"])


def format_dollars(amount: float) -> str:
    """Format US dollars to a cent, or to two significant digits below a dollar."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${float(f'{amount:.2g}'):,.{_digits(amount)}f}"


def _digits(amount: float) -> int:
    return max(2, 1 - int(f"{amount:e}".partition("e")[2]))


def _format_limit(limit: float | None, format_amount: Callable[[float], str]) -> str:
    return "" if limit is None else f" of {format_amount(limit)}"


_OPEN: list[Budget] = []
"""Open budgets; the last one is charged."""


@contextmanager
def open_budget(budget: Budget) -> Iterator[Budget]:
    """Charge all calls to a budget."""
    _OPEN.append(budget)
    try:
        yield budget
    finally:
        _OPEN.remove(budget)


def current_budget() -> Budget | None:
    """Return the open budget, if any."""
    return _OPEN[-1] if _OPEN else None


def check() -> None:
    """Raise `BudgetSpentError` if the open budget is spent."""
    if _OPEN:
        _OPEN[-1].check()


def reserve_call() -> AbstractContextManager[None]:
    """Reserve a call in the open budget; see `Budget.reserve_call`."""
    return _OPEN[-1].reserve_call() if _OPEN else nullcontext()


def charge(reply: Completion) -> None:
    """Charge a call to the open budget."""
    if _OPEN:
        _OPEN[-1].charge_call(reply.cost, reply.prompt_tokens + reply.completion_tokens)
