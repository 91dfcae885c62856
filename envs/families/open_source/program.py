"""A program in a match: load it, call it for a move, let it simulate others, and classify errors of the sandbox."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from econzoo.envs.core.contract import Invalid, hash_seed, short_repr
from econzoo.envs.families.open_source.failures import Answer, Failure, Problem, one_line
from econzoo.envs.families.open_source.interfaces import ARGUMENT_PREFIX, MATRIX, Interface
from econzoo.envs.families.open_source.interrupts import check_interrupted, defer_interrupts
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.families.open_source.simulation import Budget, syntax_tree
from econzoo.envs.families.open_source.source import ENTRY, problem_of

SANDBOX_TIME = datetime.datetime(2000, 1, 1, 12)
"""Time of every clock in the sandbox."""

MAX_MOVE_LENGTH = 60
"""Maximum length of a returned text."""

MOST_ITEMS = 20
"""Maximum number of keys of a returned dictionary, and of items of a list in it."""

Reader = Callable[[Any], Any]
"""Parser of a returned value: gives the move, or an `Invalid`."""

# The defaults of the function keep the built-ins that it calls, even if the program assigns these names.
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
"""Code run ahead of the program; its function keeps huge values, and those whose printing runs code, in the worker."""


class ProgramSpec(NamedTuple):
    """Specification of a program in a match.

    Attributes:
        other_source: Source of its opponent; run only if the program simulates it.
        seat: Seat in the base game, 0 or 1.
    """

    source: str
    seed: int | str
    other_source: str
    interface: Interface = MATRIX
    seat: int = 0


class Program:
    """A program in a match, in a session of its own.

    Attributes:
        problem: Error of the source, found without running it or when it was loaded; None without one.
        depth: 0 for a player, more for a simulated program.
    """

    def __init__(
        self, open_session: Callable[..., Any], limits: Limits, entrant: ProgramSpec, caller: Program | None = None
    ) -> None:
        """Load the program; if the source cannot be run, every answer is its failure.

        Args:
            caller: The program that simulates it, whose budget is charged; None for a player.
        """
        self.source, self.interface, self.limits = entrant.source, entrant.interface, limits
        self.budget: Budget = caller.budget if caller else Budget(limits)
        self.depth: int = caller.depth + 1 if caller else 0
        self._open_session, self._entrant, self._process = open_session, entrant, os.getpid()
        self._session: Any = None
        self._functions = host_functions(self)
        self._final: Answer | None = None
        self.problem = problem_of(self.source, self.interface.parameters, self.limits.source) or self._load()
        if self.problem:
            self._finish(Answer(None, *self.problem))

    def answer(self, *arguments: Any, allowed: tuple[str, ...] | Reader | None = None) -> Answer:
        """Call the program for one move.

        Once a limit is exceeded, every later answer is the same failure.

        Args:
            arguments: One per parameter of the interface; the program gets copies.
            allowed: Allowed return values, or a parser of them; default: the moves of the interface.
        """
        if len(arguments) != len(self.interface.parameters):
            raise ValueError(f"got {len(arguments)} arguments: expected {len(self.interface.parameters)}")
        if self._final:
            return self._final
        # A session does not survive a fork: the worker belongs to the process that opened it.
        if self._session is None or self._process != os.getpid():
            raise RuntimeError("the program was closed, or loaded by another process")
        names = [ARGUMENT_PREFIX + parameter for parameter in self.interface.parameters]
        depth = 0 if self.interface.moves else 2  # dictionaries, and lists in them
        call = f"{self.interface.setup_code}\n{ARGUMENT_PREFIX}shown({ENTRY}({', '.join(names)}), {depth})"
        inputs = {name: _to_plain(argument) for name, argument in zip(names, arguments, strict=True)}
        result = self._run_code(call, inputs)
        if not isinstance(result, Problem):
            return _parse_answer(result, allowed or self.interface.moves or _accept_dictionary)
        answer = Answer(None, *result)
        if answer.failure is Failure.LIMIT:
            self._finish(answer)
        return answer

    def spawn_simulation(self, source: str, against: str, number: int) -> Program:
        """Load another program in the other seat for one simulated move, charged to this one's budget.

        Args:
            against: Source that it reads as its opponent's.
            number: Index of the simulation in this match, from 0.
        """
        _, seed, _, interface, seat = self._entrant
        spec = ProgramSpec(source, hash_seed(seed, number), against, interface, 1 - seat)
        return Program(self._open_session, self.limits, spec, self)

    def close(self) -> None:
        """End the session; a program that exceeded a limit keeps answering with its failure."""
        if self._session is not None and self._process == os.getpid():
            self._session.__exit__(None, None, None)
        self._session = None
        self._functions.clear()  # they refer to this program, which would keep its sandbox alive

    def _finish(self, answer: Answer) -> None:
        self._final = answer
        self.close()

    def _load(self) -> Problem | None:
        """Open the session and run the program's definitions."""
        # A simulated program has no more time than is left of the call that simulates it.
        seconds = max(0.01, min(self.limits.seconds, self.budget.remaining_seconds()))
        self._session = self._open_session(
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
        result = prepared if isinstance(prepared, Problem) else self._run_code(self.source, {}, loading=True)
        return result if isinstance(result, Problem) else None

    def _run_code(self, code: str, inputs: dict[str, Any], loading: bool = False) -> Any:
        """Evaluate code in the session; return a `Problem` if it fails.

        Args:
            loading: Whether it is the program's own code, whose syntax may be wrong.
        """
        from pydantic_monty import MontyComplete

        printed = _OutputCounter(self.limits.output)
        with defer_interrupts(), self.budget.track_call():
            try:
                step = self._session.feed_start(
                    code, inputs=inputs, external_lookup=self._functions, print_callback=printed
                )
                # Before the result is looked at: a call that has spent too much fails, even if it has ended.
                while not (spent := self.budget.exceeded_limit()):
                    if isinstance(step, MontyComplete):
                        return step.output
                    step = step.resume_auto()
            except Exception as error:
                # A worker that was not killed at a time limit and is gone died unexpectedly.
                alive = self._session.worker_pid is not None
                self.budget.has_crashed |= not alive and getattr(error, "timed_out", None) is False
                return classify_error(error, self.limits, printed.characters, loading, alive)
        return Problem(Failure.LIMIT, spent)


MAX_HISTORY_LENGTH = 10_000
"""Maximum number of rounds in the history of a simulation."""


def simulate(caller: Program, source: Any, history: Any, *state: Any, against: Any = None) -> Any:
    """Return the move of another program after a history, with the caller as its opponent.

    The other program runs in a fresh session without state from earlier rounds. Its random numbers depend on the
    caller's seed and the number of earlier simulations. Its time is bounded by its own limit, and the total of a call
    by `Limits.wall_seconds`; host computation is charged to the caller (`Limits.seconds` per call, `HOST_SECONDS` per
    match).

    Args:
        history: Pairs [caller's move, other's move] of the rounds so far, oldest first. If moves are dictionaries, None
            is a seat that did not move.
        state: Board or view, in games with position parameters.
        against: Source that the other program reads as its opponent's; default: the caller's.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The history is too long, or not a list of pairs.
        RuntimeError: The budget is exhausted, simulations are nested too deeply, or the other program gave no move.
    """
    mine, others = _split_history(history, str if caller.interface.moves else dict)
    against = caller.source if against is None else against
    if not isinstance(source, str) or not isinstance(against, str):
        raise TypeError("simulate: invalid source: expected text")
    if len(state) != len(caller.interface.position_parameters):
        raise TypeError(f"simulate takes {len(caller.interface.position_parameters) + 2} arguments in this game")
    if caller.depth >= caller.limits.depth:
        raise RuntimeError(f"simulations inside simulations go {caller.limits.depth} deep at most")
    other = caller.spawn_simulation(source, against, caller.budget.spend_simulation())
    try:
        answer = other.answer(*state, others, mine, source, against)
    finally:
        other.close()
    if answer.value is None or answer.failure is not Failure.NONE:
        raise RuntimeError(f"the simulated program gave no move ({answer.failure.label}): {answer.text}")
    return answer.value


def host_functions(caller: Program) -> dict[str, Callable[..., Any]]:
    """Return the host functions of a program by name; errors use these names."""

    def call_program(source: Any, history: Any, *state: Any, against: Any = None) -> Any:
        check_interrupted()
        return simulate(caller, source, history, *state, against=against)

    def read(source: Any) -> Any:
        return syntax_tree(source)

    call_program.__qualname__, read.__qualname__ = "simulate", "syntax_tree"
    return {"simulate": call_program, "syntax_tree": read}


def _split_history(history: Any, kind: type) -> tuple[list[Any], list[Any]]:
    """Split a history into the moves of the caller and of the other."""
    if not isinstance(history, list | tuple):
        raise TypeError("simulate: the history must be a list of [own move, other's move]")
    if len(history) > MAX_HISTORY_LENGTH:
        raise ValueError(f"simulate: the history may have {MAX_HISTORY_LENGTH} rounds at most")
    allowed = {kind} if kind is str else {kind, type(None)}
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 and {*map(type, pair)} <= allowed for pair in history):
        words = "both text" if kind is str else "dictionaries, or None"
        raise ValueError(f"simulate: the history must be a list of [own move, other's move], {words}")
    mine, others = ([pair[side] for pair in history if pair[side] is not None] for side in (0, 1))
    return mine, others


class _OutputCounter:
    """Counts printed characters and discards them."""

    def __init__(self, most: int) -> None:
        self.characters, self._most = 0, most

    def __call__(self, stream: str, text: str) -> None:
        self.characters += len(text)
        if self.characters > self._most:
            raise RuntimeError("too much output")


def _to_plain(argument: Any) -> Any:
    """Convert an argument to plain data; lone surrogates become question marks."""
    # numpy numbers and arrays become plain; the sandbox takes UTF-8 only.
    plain = argument.tolist() if hasattr(argument, "tolist") else argument
    return plain.encode("utf-8", "replace").decode("utf-8") if isinstance(plain, str) else plain


def _accept_dictionary(returned: Any) -> Any:
    """Parser of moves without a position: any dictionary."""
    return returned if type(returned) is dict else Invalid("not_an_object", "allowed: a dictionary")


def _parse_answer(returned: Any, allowed: tuple[str, ...] | Reader) -> Answer:
    move = allowed(returned) if callable(allowed) else returned
    if callable(allowed):
        problem = move.text if isinstance(move, Invalid) else ""
    else:
        problem = "" if type(returned) is str and returned in allowed else f"allowed: {', '.join(map(repr, allowed))}"
    if not problem:
        return Answer(move, Failure.NONE, "")
    # The prelude returns the type's name, in a tuple, in place of a value that it keeps in the worker.
    kind = returned[0] if type(returned) is tuple and returned and type(returned[0]) is str else None
    shown = f"a value of type {kind}" if kind else short_repr(returned)
    return Answer(None, Failure.WRONG_RETURN, one_line(f"returned {shown}; {problem}"))


PROGRAM_FILE = "<python-input-1>"
"""File name of the program in tracebacks: the second code that its session ran, after the prelude."""

MOST_HOST_CALLS = 10_000
"""Maximum number of calls of host functions and look-ups of unknown names in a match."""

UNSUPPORTED = "The monty syntax parser does not yet support "
"""Prefix of the interpreter's messages on unsupported syntax."""

ERROR_PREFIXES = {
    "time": "feed time limit exceeded: ",
    "memory": "memory limit exceeded: ",
    "recursion": "maximum recursion depth exceeded",
    "host": f"suspension limit {MOST_HOST_CALLS} exceeded",
}
"""Prefixes of the interpreter's own errors at a limit."""


def classify_error(error: Exception, limits: Limits, printed: int, loading: bool, alive: bool) -> Problem:
    """Classify an error of the sandbox as a failure.

    Args:
        error: The error, mostly a `pydantic_monty.MontyError`.
        loading: Whether the program's own code was being loaded; only then is a syntax error its own.
        alive: Whether its interpreter is still alive; if not, it exceeded a limit, whatever its last message.
    """
    kind, _, message = _message(error).partition(": ")
    where = _line(error)
    if printed > limits.output:
        return Problem(Failure.LIMIT, where + f"printed more than {limits.output} characters")
    if text := _describe_limit(error, kind, message, limits) or ("" if alive else _describe_crash(kind, limits)):
        return Problem(Failure.LIMIT, where + text)
    if loading and message.startswith(UNSUPPORTED):
        missing = message.removeprefix(UNSUPPORTED)
        return Problem(Failure.SYNTAX_ERROR, one_line(where + "not available here: " + missing))
    if loading and type(error).__name__ == "MontySyntaxError":
        return Problem(Failure.SYNTAX_ERROR, one_line(where + (message or kind)))
    return Problem(Failure.EXCEPTION, one_line(where + (f"{kind}: {message}" if message else kind)))


def _describe_limit(error: Any, kind: str, message: str, limits: Limits) -> str:
    """Describe the exceeded limit; empty without one.

    An error of the same kind that the program raised itself has another message, and is an ordinary exception. One with
    the interpreter's own message counts as a limit: the program could as well exceed it.
    """
    if getattr(error, "timed_out", False) or (kind == "TimeoutError" and message.startswith(ERROR_PREFIXES["time"])):
        return f"took longer than {limits.seconds:g} seconds"
    if kind == "MemoryError" and message.startswith(ERROR_PREFIXES["memory"]):
        return _describe_crash(kind, limits)
    if kind == "RecursionError" and message.startswith(ERROR_PREFIXES["recursion"]):
        return f"made more than {limits.recursion} calls inside calls"
    if kind == "RuntimeError" and message.startswith(ERROR_PREFIXES["host"]):
        return f"asked for more than {MOST_HOST_CALLS} host functions or unknown names"
    return ""


def _describe_crash(kind: str, limits: Limits) -> str:
    """Describe why the interpreter of a program died."""
    if kind == "MemoryError":
        return f"used more than {limits.memory / 2**20:g} MiB of memory"
    return "brought its interpreter down"


def _message(error: Any) -> str:
    """Kind and message of the error, e.g. ``ValueError: bad``."""
    return error.display(format="type-msg") if hasattr(error, "traceback") else f"{type(error).__name__}: {error}"


def _line(error: Any) -> str:
    """``line 7: `` for the innermost line of the program in the traceback; empty without one."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    lines = [frame.line for frame in frames if frame.filename == PROGRAM_FILE]
    return f"line {lines[-1]}: " if lines else ""
