"""What the two program games declare alike: the action, a program, and the parameters of its running."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from econzoo.envs.core.actions import ActionSchema, Source
from econzoo.envs.core.parameters import Described, OneOf, Parameter, Real, Whole
from econzoo.envs.core.parse import MAX_REPLY, find_object
from econzoo.envs.core.values import Invalid, clean
from econzoo.envs.families.open_source import library
from econzoo.envs.families.open_source.failures import Failure
from econzoo.envs.families.open_source.interfaces import INTERFACES, Interface
from econzoo.envs.families.open_source.limits import RANGES, Limits
from econzoo.envs.families.open_source.source import extracted, problem_of

CODES = {Failure.NO_PROGRAM: "no_program", Failure.SYNTAX_ERROR: "syntax_error", Failure.LIMIT: "too_long"}
"""Codes of the errors that an author is told at once, by what each would be in play."""

FORFEIT, RANDOM = "forfeit", "random"
MIB = 2**20


def program_source(base: str) -> Source:
    """The mark of the field that carries a program.

    Args:
        base: Name of the base game, e.g. ``"matrix"``.
    """
    return Source(
        "Python source that defines strategy_function",
        library=partial(sources, base),
        problem=partial(refusal, INTERFACES[base]),
        found=extracted,
        max_length=Limits().source,
        language="python",
        names=partial(library.names, base),
    )


@lru_cache
def sources(base: str) -> tuple[str, ...]:
    """The written programs of a base game, in the order of `library.names`."""
    return tuple([library.program(base, name) for name in library.names(base)])


def refusal(interface: Interface, source: str) -> Invalid | None:
    """Why a text is no program, before it runs, or None."""
    problem = problem_of(source, interface.parameters, Limits().source)
    return None if problem is None else Invalid(CODES[problem.failure], problem.text)


def kept(actions: ActionSchema, answer: Any, error: Invalid) -> Any:
    """An answer that was refused as a program, as the program that it is: it fails for its own reason.

    Args:
        actions: Of the game.
        answer: As it came, on whatever face.
        error: Why it was refused.

    Returns:
        The action; None where there is no text that could be a program.
    """
    if error.code not in CODES.values():
        return None
    if isinstance(answer, str) and answer.lstrip().startswith("{"):  # a model that is held to JSON
        answer = find_object(answer)
    if isinstance(answer, Mapping):
        found = answer.get("program")  # the source itself, fences and all
    else:
        found = extracted(answer) if isinstance(answer, str) else None
    if not isinstance(found, str) or len(found) > MAX_REPLY:
        return None
    return actions.kinds[0].model(clean(found))


def nothing(actions: ActionSchema, _view: Any) -> Any:
    """The default action: no program."""
    return actions.kinds[0].model("")


MAX_TURNS, MAX_META_ROUNDS = 1000, 1000


def meta_rounds() -> tuple[Parameter, ...]:
    """The parameters of how long a match is."""
    told = "Meta-rounds: in each, both submit a program, and the programs play the base game."
    return (
        Parameter("rounds", 3, Whole(1, MAX_META_ROUNDS), told),
        Parameter("turns", 10, Whole(1, MAX_TURNS), "Turns of the base game in a meta-round."),
    )


def running(moves: tuple[str, ...]) -> tuple[Parameter, ...]:
    """The parameters of what a program may use, and of what becomes of a turn that it does not answer.

    Args:
        moves: What a program may return.
    """
    names = FORFEIT, RANDOM, *moves
    policies = Described(OneOf(*names), " or ".join(map(repr, names)))
    on_failure = [
        Parameter(name, FORFEIT, policies, f"A turn that a program fails with: {words}.")
        for name, words in _POLICIES.items()
    ]
    return (*[_limit(name, *declared) for name, declared in _LIMITS.items()], *on_failure)


_POLICIES = {f"on_{failure.name.lower()}": failure.words for failure in Failure if failure}

_LIMITS: dict[str, tuple[int, bool, str]] = {
    "seconds": (1, False, "Seconds of computing that a program has for one turn."),
    "memory": (MIB, True, "Mebibytes that a program may hold."),
    "recursion": (1, True, "Calls inside calls."),
    "output": (1, True, "Characters that a program may print in one turn."),
    "simulations": (1, True, "Simulations of the other program in one meta-round."),
    "depth": (1, True, "Simulations inside simulations."),
}
"""Limit to (its unit, whether it is whole, what it is)."""


def _limit(name: str, unit: int, is_whole: bool, doc: str) -> Parameter:
    default, low, high = (number / unit for number in (getattr(Limits(), name), *RANGES[name]))
    if is_whole:
        return Parameter(name, int(default), Whole(int(low), int(high)), doc)
    return Parameter(name, default, Real(low, high), doc)


def limits_of(public: Mapping[str, Any]) -> tuple[float, ...]:
    """The fields of `Limits` from the public parameters."""
    return tuple(Limits()._replace(**{name: public[name] * unit for name, (unit, *_) in _LIMITS.items()}))


def policies_of(public: Mapping[str, Any], moves: tuple[str, ...]) -> tuple[int, ...]:
    """What becomes of a turn without an answer, by `Failure` from 1 on: the number of a move, of none, of any."""
    numbers = {**{name: i for i, name in enumerate(moves)}, FORFEIT: len(moves), RANDOM: len(moves) + 1}
    return tuple([numbers[public[name]] for name in _POLICIES])
