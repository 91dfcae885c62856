"""Declarations shared by open-source games: the action (a program) and the parameters of its execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, CustomDomain, Integer, Invalid, Kind, OneOf, Parameter, Real
from econzoo.envs.core.contract import Source, clean
from econzoo.envs.core.faces import MAX_REPLY, find_object
from econzoo.envs.families.open_source.failures import Failure
from econzoo.envs.families.open_source.interfaces import Interface
from econzoo.envs.families.open_source.limits import RANGES, Limits
from econzoo.envs.families.open_source.source import extract_complete_program, extract_program, problem_of

CODES = {Failure.NO_PROGRAM: "no_program", Failure.SYNTAX_ERROR: "syntax_error", Failure.LIMIT: "too_long"}
"""Error codes of programs that are invalid at submission, by their failure in play."""

FORFEIT, RANDOM = "forfeit", "random"
MIB = 2**20


def make_program_action(interface: Interface, library: Callable[[], Mapping[str, str]], package: str) -> ActionSchema:
    """Make the only kind of move: submitting a program."""
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
    # Pickle finds the class by its name in the package of the game.
    model.__module__ = package
    return ActionSchema(Kind("program", model))


def library_sources(library: Callable[[], Mapping[str, str]]) -> tuple[str, ...]:
    """Sources of the programs of a library, in order."""
    return tuple(library().values())


def refusal(interface: Interface, source: str) -> Invalid | None:
    """Return why a source is invalid without running it, or None."""
    problem = problem_of(source, interface.parameters, Limits().source)
    return None if problem is None else Invalid(CODES[problem.failure], problem.text)


def salvage_program(actions: ActionSchema, answer: Any, error: Invalid) -> Any:
    """Submit an answer that is an invalid program all the same, so that it fails in play for its own reason.

    Returns:
        The action; None if the answer contains no source.
    """
    if error.code not in CODES.values():
        return None
    if isinstance(answer, str) and answer.lstrip().startswith("{"):  # a model with constrained JSON output
        answer = find_object(answer)
    if isinstance(answer, Mapping):
        source = answer.get("program")  # the source as given, including fences
    else:
        source = extract_program(answer) if isinstance(answer, str) else None
    if not isinstance(source, str) or len(source) > MAX_REPLY:
        return None
    return actions.kinds[0].model(clean(source))


def empty_program(actions: ActionSchema, _view: Any) -> Any:
    """Return the default action: an empty program."""
    return actions.kinds[0].model("")


MAX_TURNS, MAX_META_ROUNDS = 1000, 1000


ROUNDS = Parameter(
    "rounds",
    3,
    Integer(1, MAX_META_ROUNDS),
    "Number of meta-rounds: in each, both seats submit a program, and the programs play the base game.",
)
TURNS = Parameter("turns", 10, Integer(1, MAX_TURNS), "Turns of the base game per meta-round.")


def running_parameters(moves: tuple[str, ...]) -> tuple[Parameter, ...]:
    """Declare the parameters of resource limits and of turns without an answer.

    Args:
        moves: Allowed return values of a program; if empty, the policy is always to forfeit the turn.
    """
    limits = tuple([_limit_parameter(name, *declared) for name, declared in _LIMITS.items()])
    if not moves:
        return limits
    names = FORFEIT, RANDOM, *moves
    policies = CustomDomain(OneOf(*names), " or ".join(map(repr, names)))
    on_failure = [
        Parameter(name, FORFEIT, policies, f"Move of a turn in which the program fails with: {label}.")
        for name, label in POLICIES.items()
    ]
    return (*limits, *on_failure)


POLICIES = {f"on_{failure.name.lower()}": failure.label for failure in Failure if failure}
"""Parameters of the handling of failures, and the label of each failure."""

_LIMITS: dict[str, tuple[int, bool, str]] = {
    "seconds": (1, False, "CPU seconds per turn of a program."),
    "memory": (MIB, True, "Memory of a program in MiB."),
    "recursion": (1, True, "Maximum call depth."),
    "output": (1, True, "Characters that a program may print per turn."),
    "simulations": (1, True, "Simulations of the other program per meta-round."),
    "depth": (1, True, "Maximum nesting depth of simulations."),
}
"""Limit to (unit, whether it is an integer, description)."""


def _limit_parameter(name: str, unit: int, is_whole: bool, doc: str) -> Parameter:
    default, low, high = (number / unit for number in (getattr(Limits(), name), *RANGES[name]))
    if is_whole:
        return Parameter(name, int(default), Integer(int(low), int(high)), doc)
    return Parameter(name, default, Real(low, high), doc)


def running_conditions(public: Mapping[str, Any], moves: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """Return the rules' ``limits`` and ``policies`` (see `MetaRounds`) from the public parameters."""
    limits = Limits()._replace(**{name: public[name] * unit for name, (unit, *_) in _LIMITS.items()})
    numbers = {**{name: i for i, name in enumerate(moves)}, FORFEIT: len(moves), RANDOM: len(moves) + 1}
    return {"limits": tuple(limits), "policies": tuple([numbers[public.get(name, FORFEIT)] for name in POLICIES])}
