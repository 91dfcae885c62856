"""One program in one match: how it is loaded, asked for a move and closed, and what an error of the sandbox means."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.streams import hash_seed
from econzoo.envs.core.contract.validation import Invalid, short_repr
from econzoo.envs.families.open_source.failures import Answer, Failure, Problem, one_line
from econzoo.envs.families.open_source.interfaces import ARGUMENT_PREFIX, MATRIX, Interface
from econzoo.envs.families.open_source.interrupts import defer_interrupts
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.families.open_source.simulation import Budget, host_functions
from econzoo.envs.families.open_source.source import ENTRY, problem_of

if TYPE_CHECKING:
    from econzoo.envs.families.open_source.sandbox import Sandbox

SANDBOX_TIME = datetime.datetime(2000, 1, 1, 12)
"""What every clock in the sandbox shows."""

MAX_MOVE_LENGTH = 60
"""Characters of a returned text that come back from a worker."""

MOST_ITEMS = 20
"""Keys of a returned dictionary, and items of a list in it, that come back from a worker."""

Reader = Callable[[Any], Any]
"""From what a program returned to the move that it is, or an `Invalid`."""

PRELUDE = f"""
import re, math, random, json


def {ARGUMENT_PREFIX}shown(value, depth, type=type, str=str, abs=abs, len=len):
    kind = type(value)
    if kind is str:
        return value[:{MAX_MOVE_LENGTH}]
    if value is None or kind is bool or kind is float or (kind is int and abs(value) < 10**9):
        return value
    if depth and (kind is list or kind is tuple) and len(value) <= {MOST_ITEMS}:
        return [{ARGUMENT_PREFIX}shown(item, depth - 1) for item in value]
    if depth and kind is dict and len(value) <= {MOST_ITEMS}:
        return {{key[:{MAX_MOVE_LENGTH}]: {ARGUMENT_PREFIX}shown(value[key], depth - 1) for key in value if type(key) is str}}
    return (kind.__name__,)

"""  # noqa: E501
"""Is run before the program; the function keeps what is huge, or runs code when it is shown, in the worker."""


class ProgramSpec(NamedTuple):
    """Who plays in one match.

    Attributes:
        source: The program.
        seed: Of its random numbers.
        other_source: Of its opponent; not run unless the program simulates it.
        interface: Of the base game.
        seat: In the base game, 0 or 1.
    """

    source: str
    seed: int | str
    other_source: str
    interface: Interface = MATRIX
    seat: int = 0


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

    def __init__(self, sandbox: Sandbox, entrant: ProgramSpec, caller: Program | None = None) -> None:
        """Loads it; a source that cannot be run makes a program that answers with its failure.

        Args:
            sandbox: That it runs in.
            entrant: What is loaded.
            caller: The program that simulates it, and whose budget pays; None for a player.
        """
        self.source, self.interface, self.limits = entrant.source, entrant.interface, sandbox.limits
        self.budget: Budget = caller.budget if caller else Budget(sandbox.limits)
        self.depth: int = caller.depth + 1 if caller else 0
        self._sandbox, self._entrant, self._process = sandbox, entrant, os.getpid()
        self._session: Any = None
        self._functions = host_functions(self)
        self._final: Answer | None = None
        self.problem = problem_of(self.source, self.interface.parameters, self.limits.source) or self._load()
        if self.problem:
            self._finish(Answer(None, *self.problem))

    def answer(self, *arguments: Any, allowed: tuple[str, ...] | Reader | None = None) -> Answer:
        """Calls the program for one move.

        After a limit was exceeded the program is finished: every later answer is the same.

        Args:
            arguments: One for each parameter of the interface; the program gets copies.
            allowed: What it may return, exactly, or how that is read; by default the moves of the interface.

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
        names = [ARGUMENT_PREFIX + parameter for parameter in self.interface.parameters]
        depth = 0 if self.interface.moves else 2  # of dictionaries, and of lists in them
        call = f"{self.interface.setup_code}\n{ARGUMENT_PREFIX}shown({ENTRY}({', '.join(names)}), {depth})"
        inputs = {name: _to_plain(argument) for name, argument in zip(names, arguments, strict=True)}
        told = self._run_code(call, inputs)
        if not isinstance(told, Problem):
            return _parse_answer(told, allowed or self.interface.moves or _accept_dictionary)
        answer = Answer(None, *told)
        if answer.failure is Failure.LIMIT:
            self._finish(answer)
        return answer

    def spawn_simulation(self, source: str, against: str, number: int) -> Program:
        """Another program in the other seat, for one move that this one's budget pays.

        Args:
            source: The other program.
            against: What it reads as its opponent's source.
            number: Of the simulation in this match, from 0.
        """
        _, seed, _, interface, seat = self._entrant
        return Program(self._sandbox, ProgramSpec(source, hash_seed(seed, number), against, interface, 1 - seat), self)

    def close(self) -> None:
        """Ends the session; a program that was finished by a limit answers on."""
        if self._session is not None and self._process == os.getpid():
            self._session.__exit__(None, None, None)
        self._session = None
        self._functions.clear()  # they refer to this program, which would keep its sandbox

    def _finish(self, answer: Answer) -> None:
        self._final = answer
        self.close()

    def _load(self) -> Problem | None:
        """Opens the session and runs the program's definitions."""
        seconds = max(0.01, min(self.limits.seconds, self.budget.remaining_seconds()))
        self._session = self._sandbox.session(
            limits={
                "max_feed_duration_secs": seconds,
                "max_memory": self.limits.memory,
                "max_recursion_depth": self.limits.recursion,
                "max_suspensions": MOST_HOST_CALLS,
            },
            os_policy={"datetime": SANDBOX_TIME, "sleep": "zero", "random_start": {"seed": str(self._entrant.seed)}},
        )
        prepared = self._run_code(
            PRELUDE + self.interface.helper_source(), dict(self.interface.seat_constants(self._entrant.seat))
        )
        told = prepared if isinstance(prepared, Problem) else self._run_code(self.source, {}, loading=True)
        return told if isinstance(told, Problem) else None

    def _run_code(self, code: str, inputs: dict[str, Any], loading: bool = False) -> Any:
        """What a text evaluates to in the session; a `Problem` where it failed.

        Args:
            code: The text.
            inputs: Values that it finds by these names.
            loading: Whether it is the program's own, whose syntax may be wrong.
        """
        from pydantic_monty import MontyComplete

        printed = _OutputCounter(self.limits.output)
        with defer_interrupts(), self.budget.track_call():
            try:
                step = self._session.feed_start(
                    code, inputs=inputs, external_lookup=self._functions, print_callback=printed
                )
                while not (spent := self.budget.exceeded_limit()):
                    if isinstance(step, MontyComplete):
                        return step.output
                    step = step.resume_auto()
            except Exception as error:
                alive = self._session.worker_pid is not None
                self.budget.has_crashed |= not alive and getattr(error, "timed_out", None) is False
                return classify_error(error, self.limits, printed.characters, loading, alive)
        return Problem(Failure.LIMIT, spent)


class _OutputCounter:
    """Counts what is printed and throws it away."""

    def __init__(self, most: int) -> None:
        self.characters, self._most = 0, most

    def __call__(self, stream: str, text: str) -> None:
        self.characters += len(text)
        if self.characters > self._most:
            raise RuntimeError("too much output")


def _to_plain(argument: Any) -> Any:
    """An argument as plain data; characters that no text has become question marks."""
    plain = argument.tolist() if hasattr(argument, "tolist") else argument
    return plain.encode("utf-8", "replace").decode("utf-8") if isinstance(plain, str) else plain


def _accept_dictionary(told: Any) -> Any:
    """A move of which nobody knows in what position it is played."""
    return told if type(told) is dict else Invalid("not_an_object", "allowed: a dictionary")


def _parse_answer(returned: Any, allowed: tuple[str, ...] | Reader) -> Answer:
    """The answer that a returned value stands for."""
    found = allowed(returned) if callable(allowed) else returned
    if callable(allowed):
        problem = found.text if isinstance(found, Invalid) else ""
    else:
        problem = "" if type(returned) is str and returned in allowed else f"allowed: {', '.join(map(repr, allowed))}"
    if not problem:
        return Answer(found, Failure.NONE, "")
    kind = returned[0] if type(returned) is tuple and returned and type(returned[0]) is str else None
    shown = f"a value of type {kind}" if kind else short_repr(returned)
    return Answer(None, Failure.WRONG_RETURN, one_line(f"returned {shown}; {problem}"))


PROGRAM_FILE = "<python-input-1>"
"""What tracebacks call the program: the second text that its session was fed, after the prelude."""

MOST_HOST_CALLS = 10_000
"""Calls of the host's functions, and names that nobody knows, in one match."""

UNSUPPORTED = "The monty syntax parser does not yet support "
"""How the interpreter speaks of the parts of the language that it lacks."""

ERROR_PREFIXES = {
    "time": "feed time limit exceeded: ",
    "memory": "memory limit exceeded: ",
    "recursion": "maximum recursion depth exceeded",
    "host": f"suspension limit {MOST_HOST_CALLS} exceeded",
}
"""How the interpreter's own errors begin where a limit was hit."""


def classify_error(error: Exception, limits: Limits, printed: int, loading: bool, alive: bool) -> Problem:
    """The failure that an error of the sandbox stands for.

    Args:
        error: Most often a `pydantic_monty.MontyError`.
        limits: That the program ran under.
        printed: Characters that it had printed in this call.
        loading: Whether the program's own text was read; only there is wrong syntax its own.
        alive: Whether its interpreter can be asked again. One that cannot went beyond a limit, whatever it said last.
    """
    kind, _, said = _message(error).partition(": ")
    where = _line(error)
    if printed > limits.output:
        return Problem(Failure.LIMIT, where + f"printed more than {limits.output} characters")
    if text := _describe_limit(error, kind, said, limits) or ("" if alive else _describe_crash(kind, limits)):
        return Problem(Failure.LIMIT, where + text)
    if loading and said.startswith(UNSUPPORTED):
        return Problem(Failure.SYNTAX_ERROR, one_line(where + "not available here: " + said.removeprefix(UNSUPPORTED)))
    if loading and type(error).__name__ == "MontySyntaxError":
        return Problem(Failure.SYNTAX_ERROR, one_line(where + (said or kind)))
    return Problem(Failure.EXCEPTION, one_line(where + (f"{kind}: {said}" if said else kind)))


def _describe_limit(error: Any, kind: str, said: str, limits: Limits) -> str:
    """Which limit was hit, in words; empty where none was.

    An error of the same kind that the program raised itself has other words, and is an exception like any other. A
    program that raises one in the interpreter's own words is believed: it could as well go beyond the limit.
    """
    if getattr(error, "timed_out", False) or (kind == "TimeoutError" and said.startswith(ERROR_PREFIXES["time"])):
        return f"took longer than {limits.seconds:g} seconds"
    if kind == "MemoryError" and said.startswith(ERROR_PREFIXES["memory"]):
        return _describe_crash(kind, limits)
    if kind == "RecursionError" and said.startswith(ERROR_PREFIXES["recursion"]):
        return f"made more than {limits.recursion} calls inside calls"
    if kind == "RuntimeError" and said.startswith(ERROR_PREFIXES["host"]):
        return f"asked for more than {MOST_HOST_CALLS} host functions or unknown names"
    return ""


def _describe_crash(kind: str, limits: Limits) -> str:
    """What a program did whose interpreter is gone."""
    if kind == "MemoryError":
        return f"used more than {limits.memory / 2**20:g} MiB of memory"
    return "brought its interpreter down"


def _message(error: Any) -> str:
    """Kind and words of the error, e.g. ``ValueError: bad``."""
    return error.display(format="type-msg") if hasattr(error, "traceback") else f"{type(error).__name__}: {error}"


def _line(error: Any) -> str:
    """``line 7: `` for the innermost line of the program that the error names; empty where it names none."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    lines = [frame.line for frame in frames if frame.filename == PROGRAM_FILE]
    return f"line {lines[-1]}: " if lines else ""
