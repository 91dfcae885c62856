"""Programs that run other programs: what they may spend, and how one is asked for its move."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from econzoo.envs.families.open_source.failures import Failure
from econzoo.envs.families.open_source.interrupts import refuse_interrupted
from econzoo.envs.families.open_source.limits import HOST, Limits
from econzoo.envs.families.open_source.syntax_tree import syntax_tree

if TYPE_CHECKING:
    from econzoo.envs.families.open_source.program import Program

LONGEST_HISTORY = 10_000
"""Rounds that a simulation may begin after."""


class Budget:
    """What one program may spend in one match; the programs that it simulates spend from the same.

    Attributes:
        died: Whether an interpreter died that nobody had asked to, be it of a program that was simulated.
    """

    def __init__(self, limits: Limits) -> None:
        """Begins with everything left.

        Args:
            limits: Of the program that pays.
        """
        self.left, self.used = limits.simulations, 0
        self.died = False
        self._limits, self._earlier = limits, 0.0
        self._deadline = self._began = math.inf

    @contextmanager
    def call(self) -> Iterator[None]:
        """One call of the program; a call inside it, of a simulated one, has the same deadline."""
        outermost = self._deadline == math.inf
        if outermost:
            self._deadline, self._began = monotonic() + self._limits.whole, thread_time()
        try:
            yield
        finally:
            if outermost:
                self._deadline, self._earlier = math.inf, self._earlier + thread_time() - self._began

    def remaining(self) -> float:
        """Seconds by the clock until the call must end."""
        return self._deadline - monotonic()

    def spent(self) -> str:
        """What the call has used up, in words; empty if it may go on."""
        limits, now = self._limits, thread_time() - self._began
        if now > limits.seconds:
            return f"took longer than {limits.seconds:g} seconds for the simulations and syntax trees that it asked for"
        if self._earlier + now > HOST:
            return f"took longer than {HOST:g} seconds of the host in all its turns"
        return "" if self.remaining() > 0 else f"took longer than {limits.whole:g} seconds with its simulations"

    def spend(self) -> int:
        """Takes one simulation.

        Returns:
            Its number in this match, from 0.

        Raises:
            RuntimeError: None is left.
        """
        if self.left <= 0:
            raise RuntimeError("no simulations are left in this match")
        self.left -= 1
        self.used += 1
        return self.used - 1


def simulate(caller: Program, source: Any, history: Any, *state: Any, against: Any = None) -> Any:
    """The move that another program makes after a history, with the caller as its opponent.

    The other program runs in a fresh session: what it kept from earlier rounds is not there. Its random numbers depend
    on the caller's seed and on how many simulations there were. Its time is bounded by its own limit, and with all
    else that the caller asks for by `Limits.whole`; what this process does for it is the caller's (`Limits.seconds` for
    one call, `HOST` for all).

    Args:
        caller: Whose budget pays.
        source: The other program.
        history: Pairs [caller's move, other's move] of the rounds so far, oldest first. Where moves are dictionaries,
            None stands for who did not move.
        state: The board or the view in games that have one.
        against: What the other program reads as its opponent's source; by default the caller's.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: The history is too long or not made of pairs.
        RuntimeError: Nothing is left of the budget, simulations go too deep, or the other program gave no move.
    """
    mine, others = _sides(history, str if caller.interface.moves else dict)
    against = caller.source if against is None else against
    if not isinstance(source, str) or not isinstance(against, str):
        raise TypeError("simulate: a source must be text")
    if len(state) != len(caller.interface.told):
        raise TypeError(f"simulate takes {len(caller.interface.told) + 2} arguments in this game")
    if caller.depth >= caller.limits.depth:
        raise RuntimeError(f"simulations inside simulations go {caller.limits.depth} deep at most")
    other = caller.simulated(source, against, caller.budget.spend())
    try:
        answer = other.answer(*state, others, mine, source, against)
    finally:
        other.close()
    if answer.value is None or answer.failure is not Failure.NONE:
        raise RuntimeError(f"the simulated program gave no move ({answer.failure.words}): {answer.text}")
    return answer.value


def host_functions(caller: Program) -> dict[str, Callable[..., Any]]:
    """The functions of the host that a program finds, by name; their errors speak of them as the program does."""

    def asked(source: Any, history: Any, *state: Any, against: Any = None) -> Any:
        refuse_interrupted()
        return simulate(caller, source, history, *state, against=against)

    def read(source: Any) -> Any:
        return syntax_tree(source)

    asked.__qualname__, read.__qualname__ = "simulate", "syntax_tree"
    return {"simulate": asked, "syntax_tree": read}


def _sides(history: Any, kind: type) -> tuple[list[Any], list[Any]]:
    """The moves of the caller and of the other."""
    if not isinstance(history, list | tuple):
        raise TypeError("simulate: the history must be a list of [own move, other's move]")
    if len(history) > LONGEST_HISTORY:
        raise ValueError(f"simulate: the history may have {LONGEST_HISTORY} rounds at most")
    allowed = {kind} if kind is str else {kind, type(None)}
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 and {*map(type, pair)} <= allowed for pair in history):
        words = "both text" if kind is str else "dictionaries, or None"
        raise ValueError(f"simulate: the history must be a list of [own move, other's move], {words}")
    mine, others = ([pair[side] for pair in history if pair[side] is not None] for side in (0, 1))
    return mine, others
