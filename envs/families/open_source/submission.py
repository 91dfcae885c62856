"""What open-source games declare alike: the action, a program, and the parameters of its running."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.actions import ActionSchema, Kind, Source
from econzoo.envs.core.contract.parameters import CustomDomain, Integer, OneOf, Parameter, Real
from econzoo.envs.core.contract.validation import Invalid, clean
from econzoo.envs.core.faces.parse import MAX_REPLY, find_object
from econzoo.envs.families.open_source.failures import Failure
from econzoo.envs.families.open_source.interfaces import Interface
from econzoo.envs.families.open_source.limits import RANGES, Limits
from econzoo.envs.families.open_source.source import extract_complete_program, extract_program, problem_of

CODES = {Failure.NO_PROGRAM: "no_program", Failure.SYNTAX_ERROR: "syntax_error", Failure.LIMIT: "too_long"}
"""Codes of the errors that an author is told at once, by what each would be in play."""

FORFEIT, RANDOM = "forfeit", "random"
MIB = 2**20


def make_program_action(interface: Interface, library: Callable[[], Mapping[str, str]], package: str) -> ActionSchema:
    """The one kind of move: to submit a program.

    Args:
        interface: Of the base game.
        library: Written programs by name, in order.
        package: Import path of the game, where the kind of move is found as ``Program``.
    """
    source = Source(
        "Python source that defines strategy_function",
        library=partial(library_sources, library),
        problem=partial(refusal, interface),
        find_in_reply=extract_program,
        max_length=Limits().source,
        language="python",
        names=library,
        find_in_cut_reply=extract_complete_program,
    )
    model: Any = NamedTuple("Program", [("program", Annotated[str, source])])  # type: ignore[name-match]
    model.__doc__ = "Submit a program: it will read the other player's program and play the base game for you."
    model.__module__ = package
    return ActionSchema(Kind("program", model))


def library_sources(library: Callable[[], Mapping[str, str]]) -> tuple[str, ...]:
    """The programs of a library, in order."""
    return tuple(library().values())


def refusal(interface: Interface, source: str) -> Invalid | None:
    """Why a text is no program, before it runs, or None."""
    problem = problem_of(source, interface.parameters, Limits().source)
    return None if problem is None else Invalid(CODES[problem.failure], problem.text)


def salvage_program(actions: ActionSchema, answer: Any, error: Invalid) -> Any:
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
        found = extract_program(answer) if isinstance(answer, str) else None
    if not isinstance(found, str) or len(found) > MAX_REPLY:
        return None
    return actions.kinds[0].model(clean(found))


def empty_program(actions: ActionSchema, _view: Any) -> Any:
    """The default action: no program."""
    return actions.kinds[0].model("")


MAX_TURNS, MAX_META_ROUNDS = 1000, 1000


ROUNDS = Parameter(
    "rounds",
    3,
    Integer(1, MAX_META_ROUNDS),
    "Meta-rounds: in each, both submit a program, and the programs play the base game.",
)
TURNS = Parameter("turns", 10, Integer(1, MAX_TURNS), "Turns of the base game in a meta-round.")


def running_parameters(moves: tuple[str, ...]) -> tuple[Parameter, ...]:
    """The parameters of what a program may use, and of what becomes of a turn that it does not answer.

    Args:
        moves: What a program may return; without any, it always forfeits the turn.
    """
    limits = tuple([_limit_parameter(name, *declared) for name, declared in _LIMITS.items()])
    if not moves:
        return limits
    names = FORFEIT, RANDOM, *moves
    policies = CustomDomain(OneOf(*names), " or ".join(map(repr, names)))
    on_failure = [
        Parameter(name, FORFEIT, policies, f"A turn that a program fails with: {words}.")
        for name, words in POLICIES.items()
    ]
    return (*limits, *on_failure)


POLICIES = {f"on_{failure.name.lower()}": failure.label for failure in Failure if failure}
"""Parameters for what a program may fail with, and what that is in words."""

_LIMITS: dict[str, tuple[int, bool, str]] = {
    "seconds": (1, False, "Seconds of computing that a program has for one turn."),
    "memory": (MIB, True, "Mebibytes that a program may hold."),
    "recursion": (1, True, "Calls inside calls."),
    "output": (1, True, "Characters that a program may print in one turn."),
    "simulations": (1, True, "Simulations of the other program in one meta-round."),
    "depth": (1, True, "Simulations inside simulations."),
}
"""Limit to (its unit, whether it is whole, what it is)."""


def _limit_parameter(name: str, unit: int, is_whole: bool, doc: str) -> Parameter:
    default, low, high = (number / unit for number in (getattr(Limits(), name), *RANGES[name]))
    if is_whole:
        return Parameter(name, int(default), Integer(int(low), int(high)), doc)
    return Parameter(name, default, Real(low, high), doc)


def running_conditions(public: Mapping[str, Any], moves: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """The rules' ``limits`` and ``policies`` (see `MetaRounds`) from the public parameters."""
    limits = Limits()._replace(**{name: public[name] * unit for name, (unit, *_) in _LIMITS.items()})
    numbers = {**{name: i for i, name in enumerate(moves)}, FORFEIT: len(moves), RANDOM: len(moves) + 1}
    return {"limits": tuple(limits), "policies": tuple([numbers[public.get(name, FORFEIT)] for name in POLICIES])}
