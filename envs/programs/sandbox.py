"""Runs programs that nobody trusts: each in an interpreter of its own inside a worker process (pydantic-monty).

The interpreter knows a part of Python and has no way to files, the network, the environment, processes or the clock
(it stands still; `sleep` returns at once). Random numbers, `hash` and the order of sets depend on the seed and the
program alone, so that the same calls give the same answers on every machine, time limits apart.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import weakref
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

from econzoo.envs.core.values import short
from econzoo.envs.programs.failures import Answer, Failure, Problem, one_line
from econzoo.envs.programs.interfaces import ARGUMENT, MATRIX, Interface
from econzoo.envs.programs.limits import GRACE, Limits
from econzoo.envs.programs.outcomes import MOST_HOST_CALLS, outcome
from econzoo.envs.programs.simulation import Budget, host_functions
from econzoo.envs.programs.source import ENTRY, problem_of

NOON = datetime.datetime(2000, 1, 1, 12)
"""What every clock in the sandbox shows."""

MOST_PROGRAMS = 64
"""Programs that are open at the same time in one sandbox, simulated ones included."""

HANGING = 30.0
"""Seconds after which a worker that does not even open a session is killed; a program's own limits are shorter."""

ATTEMPTS = 3
"""To open a session; a worker that dies before it was given any program says nothing about the program."""

LONGEST_MOVE = 60
"""Characters of a returned text that come back from a worker."""

PRELUDE = f"""
import re, math, random, json


def {ARGUMENT}shown(value, type=type, str=str, abs=abs):
    kind = type(value)
    if kind is str:
        return value[:{LONGEST_MOVE}]
    if value is None or kind is bool or kind is float or (kind is int and abs(value) < 10**9):
        return value
    return (str(kind),)

"""
"""Is run before the program; the function keeps what is huge, or runs code when it is shown, in the worker."""


@cache
def unavailable() -> str | None:
    """Why programs cannot be run here, in one sentence; None where they can.

    It starts no workers, so that a process which has only asked can still be forked (see `Sandbox.start`).
    """
    if find_spec("pydantic_monty") is None:
        return 'programs need a sandbox that is not installed; install it by: pip install "econzoo[programs]"'
    try:
        from pydantic_monty._binary import find_monty_binary

        subprocess.run([find_monty_binary(), "--version"], capture_output=True, check=True, timeout=60)
    except (ImportError, OSError, subprocess.SubprocessError) as error:
        return one_line(f"the sandbox for programs does not start here: {error}")
    return None


class Sandbox:
    """Worker processes that run programs; they start with the first program."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Starts nothing yet.

        Args:
            limits: What each program may use.

        Raises:
            ValueError: A limit is out of its range.
        """
        self.limits = (limits or Limits()).checked()
        self._pool: Any = None
        self._stop: Any = None

    def __reduce__(self) -> tuple[type[Sandbox], tuple[Limits]]:
        return Sandbox, (self.limits,)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> Any:
        """The workers of this process.

        Raises:
            ImportError: The sandbox is not installed.
            RuntimeError: This process was forked from one whose workers had started. What drives them does not
                survive a fork; processes that are spawned, or forked before the first program, can run programs.
        """
        if _STARTED_IN and _STARTED_IN[0] != os.getpid():
            raise RuntimeError("programs cannot run in a process forked from one that ran programs; spawn it instead")
        if self._pool is not None:
            return self._pool
        import pydantic_monty

        _STARTED_IN[:] = [os.getpid()]
        self._pool = pydantic_monty.Monty(
            min_processes=2,
            max_processes=MOST_PROGRAMS,
            checkout_timeout=10.0,
            request_timeout=HANGING,
            feed_duration_limit_grace=GRACE,
        )
        self._pool.__enter__()
        self._stop = weakref.finalize(self, _stop, self._pool, os.getpid())
        return self._pool

    def session(self, **options: Any) -> Any:
        """A fresh session of a worker, opened.

        Args:
            options: See `pydantic_monty.Monty.checkout`.
        """
        from pydantic_monty import MontyCrashedError

        for attempt in range(ATTEMPTS):
            opened = self.start().checkout(**options)
            try:
                opened.__enter__()
                return opened
            except MontyCrashedError:
                if attempt + 1 == ATTEMPTS:
                    raise

    def close(self) -> None:
        """Ends the workers; the next program starts new ones."""
        if self._stop is not None:
            self._stop()
        self._pool = None

    def load(
        self, source: str, seed: int | str, other_source: str, interface: Interface = MATRIX, seat: int = 0
    ) -> Program:
        """A program for one match.

        A source that cannot be run gives a program too: one that answers with its failure.

        Args:
            source: The program.
            seed: Of its random numbers.
            other_source: Of its opponent; not run unless the program simulates it.
            interface: Of the base game.
            seat: In the base game, 0 or 1.
        """
        return Program(self, source, seed, other_source, interface, seat)


@lru_cache(maxsize=8)
def shared(limits: Limits) -> Sandbox:
    """The sandbox with these limits that everybody in this process shares; it ends with the process.

    Raises:
        ValueError: A limit is out of its range.
    """
    return Sandbox(limits)


_STARTED_IN: list[int] = []
"""The process that has started workers, once one has; a fork brings it along."""


def _stop(pool: Any, process: int) -> None:
    if process == os.getpid():
        pool.__exit__(None, None, None)


class Program:
    """One program in one match, in a session of its own.

    Attributes:
        problem: What is wrong with the source, found before it ran or when it was loaded; None where nothing is.
        source: As it was submitted.
        interface: Of the base game.
        limits: That it runs under.
        budget: Of its simulations.
        depth: 0 for a player, more for a program that is simulated.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        source: str,
        seed: int | str,
        other_source: str,
        interface: Interface,
        seat: int,
        caller: Program | None = None,
    ) -> None:
        self.source, self.interface, self.limits = source, interface, sandbox.limits
        self.budget: Budget = caller.budget if caller else Budget(self.limits.simulations, self.limits.whole)
        self.depth: int = caller.depth + 1 if caller else 0
        self._sandbox, self._seed, self._other_source, self._seat = sandbox, seed, other_source, seat
        self._session: Any = None
        self._functions = host_functions(self)
        self._final: Answer | None = None
        self.problem = problem_of(source, interface.parameters, self.limits.source) or self._load()
        if self.problem:
            self._finish(Answer(None, *self.problem))

    def answer(self, *arguments: Any, allowed: tuple[str, ...] | None = None) -> Answer:
        """Calls the program for one move.

        After a limit was exceeded the program is finished: every later answer is the same.

        Args:
            arguments: One for each parameter of the interface; the program gets copies.
            allowed: What it may return, exactly; by default the moves of the interface.

        Raises:
            ValueError: The number of arguments is not that of the interface.
            RuntimeError: The program was closed, or loaded by another process.
        """
        if len(arguments) != len(self.interface.parameters):
            raise ValueError(f"a program takes {len(self.interface.parameters)} arguments; got {len(arguments)}")
        if self._final:
            return self._final
        if self._session is None or self._process != os.getpid():
            raise RuntimeError("this program was closed, or loaded by another process")
        names = [ARGUMENT + parameter for parameter in self.interface.parameters]
        call = f"{self.interface.before}\n{ARGUMENT}shown({ENTRY}({', '.join(names)}))"
        inputs = {name: _portable(argument) for name, argument in zip(names, arguments, strict=True)}
        told = self._fed(call, inputs)
        if not isinstance(told, Problem):
            return _move(told, allowed or self.interface.moves)
        answer = Answer(None, *told)
        if answer.failure is Failure.LIMIT:
            self._finish(answer)
        return answer

    def simulated(self, source: str, against: str, number: int) -> Program:
        """Another program in the other seat, for one move that this one's budget pays.

        Args:
            source: The other program.
            against: What it reads as its opponent's source.
            number: Of the simulation in this match, from 0.
        """
        seed = f"{self._seed}/{number}"
        return Program(self._sandbox, source, seed, against, self.interface, 1 - self._seat, self)

    def close(self) -> None:
        """Ends the session; a program that was finished by a limit answers on."""
        if self._session is not None and self._process == os.getpid():
            self._session.__exit__(None, None, None)
        self._session = None

    def _finish(self, answer: Answer) -> None:
        self._final = answer
        self.close()

    def _load(self) -> Problem | None:
        """Opens the session and runs the program's definitions."""
        self._process = os.getpid()
        seconds = max(0.01, min(self.limits.seconds, self.budget.remaining()))
        self._session = self._sandbox.session(
            limits={
                "max_feed_duration_secs": seconds,
                "max_memory": self.limits.memory,
                "max_recursion_depth": self.limits.recursion,
                "max_suspensions": MOST_HOST_CALLS,
            },
            os_policy={"datetime": NOON, "sleep": "zero", "random_start": {"seed": str(self._seed)}},
        )
        prepared = self._fed(PRELUDE + self.interface.helper_source(), dict(self.interface.names(self._seat)))
        told = prepared if isinstance(prepared, Problem) else self._fed(self.source, {}, loading=True)
        return told if isinstance(told, Problem) else None

    def _fed(self, code: str, inputs: dict[str, Any], loading: bool = False) -> Any:
        """What a text evaluates to in the session; a `Problem` where it failed.

        Args:
            code: The text.
            inputs: Values that it finds by these names.
            loading: Whether it is the program's own, whose syntax may be wrong.
        """
        from pydantic_monty import MontyComplete, MontyError

        printed = _Printed(self.limits.output)
        with self.budget.call():
            try:
                step = self._session.feed_start(
                    code, inputs=inputs, external_lookup=self._functions, print_callback=printed
                )
                while self.budget.remaining() > 0:
                    if isinstance(step, MontyComplete):
                        return step.output
                    step = step.resume_auto()
            except MontyError as error:
                return Problem(*outcome(error, self.limits, printed.characters, loading))
        return Problem(Failure.LIMIT, f"took longer than {self.limits.whole:g} seconds with its simulations")


class _Printed:
    """Counts what is printed and throws it away."""

    def __init__(self, most: int) -> None:
        self.characters, self._most = 0, most

    def __call__(self, stream: str, text: str) -> None:
        self.characters += len(text)
        if self.characters > self._most:
            raise RuntimeError("too much output")


def _portable(argument: Any) -> Any:
    """An argument as plain data; characters that no text has become question marks."""
    plain = argument.tolist() if hasattr(argument, "tolist") else argument
    return plain.encode("utf-8", "replace").decode("utf-8") if isinstance(plain, str) else plain


def _move(told: Any, allowed: tuple[str, ...]) -> Answer:
    """The answer that a returned value stands for."""
    if type(told) is str and told in allowed:
        return Answer(told, Failure.NONE, "")
    shown = "a value of type " + str(told[0])[8:-2] if isinstance(told, tuple) and told else short(told)
    expected = ", ".join(map(repr, allowed))
    return Answer(None, Failure.WRONG_RETURN, one_line(f"returned {shown}; allowed: {expected}"))
