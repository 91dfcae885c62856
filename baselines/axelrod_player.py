"""Strategies of the Axelrod library as players: ``axelrod:Tit For Tat``, or ``axelrod:Random?p=0.3``.

The library (Knight et al. 2016, An open framework for the reproducible study of the iterated prisoner's dilemma,
Journal of Open Research Software 4, e35) is imported with the first such player, which takes some seconds.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, get_args

from econzoo.baselines.base import Player
from econzoo.envs.core.contract import nearest_names, short_repr
from econzoo.envs.games.code_reading.programs.execution import import_axelrod
from econzoo.wrappers import SeatInfo

GAME = "matrix"

CLASSES_WITH_ARGUMENTS = ("Cycler", "MemoryOnePlayer", "ReactivePlayer")
"""Classes that the library does not list among its strategies because they require arguments."""

CHEATS = ("inspects_source", "manipulates_source", "manipulates_state")
"""Classifiers of strategies that inspect or change the opponent's program."""

MAX_ERROR_LENGTH = 120
"""Characters quoted from an error of the library."""

SEED_LIMIT = 2**32
"""Exclusive upper bound of the library's seeds."""


class AxelrodPlayer(Player):
    """Plays a strategy of the Axelrod library in a symmetric game of `matrix`.

    The strategy knows the payoffs, the noise and, if public, the length of the match. Its random numbers follow from
    the seed of the match. Its opponent is a stand-in that only has a history.
    """

    only_game = GAME
    libraries = ("axelrod",)

    def __init__(self, spec: str, kind: Any, options: Mapping[str, str]) -> None:
        super().__init__(spec)
        self.kind = kind
        refused = f"player {spec[:80]!r}: {kind.__name__} cannot be created"
        try:
            self.arguments = parse_arguments(kind, options)
        except ValueError as error:
            raise ValueError(f"{refused}: {error}") from None
        try:
            strategy = self._make_strategy()
        except Exception as error:  # the library raises errors of many types
            message = " ".join(str(error).split())[:MAX_ERROR_LENGTH]
            raise ValueError(f"{refused} ({message}); expected arguments: {usage(parameters(kind))}") from error
        classified = import_axelrod().Classifiers
        for cheat in CHEATS:
            # The classifiers take an object: those of strategies such as Random depend on its arguments.
            if classified[cheat](strategy):
                verb, _, what = cheat.partition("_")
                problem = f"{kind.name} {verb} the {what} of its opponent, which has none here"
                raise ValueError(f"invalid player {spec[:80]!r}: {problem}")
        self.deterministic = not classified["stochastic"](strategy)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a new strategy with the attributes of the match."""
        view = info.view
        # Cells are named by the own move first: in a symmetric game the other's payoff in dc is the own one in cd.
        own = view.cc, view.cd, view.dc, view.dd
        if own != (view.other_cc, view.other_dc, view.other_cd, view.other_dd):
            raise ValueError(f"{self.spec!r} plays only symmetric games; here the seats have different payoffs")
        library = import_axelrod()
        self.strategy, self.opponent, self.moves = self._make_strategy(), library.Player(), library.Action
        # The library's sign of an unknown length is infinity.
        length = view.rounds if view.rounds > 0 else float("inf")
        game = library.Game(r=view.cc, s=view.cd, t=view.dc, p=view.dd)
        try:
            self.strategy.set_match_attributes(length=length, game=game, noise=view.noise)
        except ValueError as error:
            raise ValueError(f"{self.spec!r} cannot be played with the payoffs {own}") from error
        if not self.deterministic:
            self.strategy.set_seed(seed % SEED_LIMIT)
        self.played_kinds: list[str] = []

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the strategy's move; a retry in the same round repeats it."""
        turn = observation["round"] - 1
        if turn == len(self.played_kinds):
            if turn:
                own, other = (self._move(observation[name]) for name in ("last_own", "last_other"))
                self.strategy.update_history(own, other)
                self.opponent.update_history(other, own)
            self.played_kinds.append(str(self.strategy.strategy(self.opponent)))
        return {"kind": self.played_kinds[turn]}

    def _move(self, kind: float) -> Any:
        return self.moves.D if kind else self.moves.C

    def _make_strategy(self) -> Any:
        with warnings.catch_warnings():
            # The library warns of arguments that are left out.
            warnings.simplefilter("ignore")
            return self.kind(**self.arguments)


def axelrod_player(spec: str, target: str, options: dict[str, str]) -> AxelrodPlayer:
    """Create the player of ``axelrod:NAME?argument=value&...``."""
    known = _strategies()
    kind = known.get(target.strip().casefold())
    if kind is None:
        nearest = ", ".join(dict.fromkeys(known[one].name for one in nearest_names(target, known, 5))) or "none"
        raise ValueError(f"player {spec[:80]!r}: unknown Axelrod strategy {target!r}; nearest names: {nearest}")
    return AxelrodPlayer(spec, kind, options)


@cache
def _strategies() -> dict[str, Any]:
    """Return the library's classes by class name and strategy name, in lower case."""
    library = import_axelrod("an axelrod: player")
    kinds = [*library.all_strategies, *(getattr(library, name) for name in CLASSES_WITH_ARGUMENTS)]
    return {name.casefold(): kind for kind in kinds for name in (kind.name, kind.__name__)}


PROBABILITY = re.compile(r"p|q|ep|alpha|p_.*|.*prob.*")
"""Names of numeric arguments that are probabilities or significance levels."""

TYPE_NAMES = {int: "an integer", float: "a number", str: "text", bool: "True or False"}


def parse_arguments(kind: Any, options: Mapping[str, str]) -> dict[str, Any]:
    """Parse and check the arguments of a class, of which the library itself checks few."""
    known = parameters(kind)
    for name in options:
        if name not in known:
            raise ValueError(f"unknown argument {short_repr(name)}; expected {usage(known)}")
    for name, parameter in known.items():
        if parameter.default is Parameter.empty and name not in options:
            raise ValueError(f"missing argument {name}; expected {usage(known)}")
    return {name: _argument(known[name], text) for name, text in options.items()}


def parameters(kind: Any) -> dict[str, Parameter]:
    """Return the parameters of a class by name; `inspect.signature` of the class itself does not show them."""
    return dict(list(signature(kind.__init__).parameters.items())[1:])


def usage(known: Mapping[str, Parameter]) -> str:
    """Format the arguments of a class as in a spec."""
    items = [name if one.default is one.empty else f"{name}={short_repr(one.default)}" for name, one in known.items()]
    return ", ".join(items) or "no arguments"


def _argument(parameter: Parameter, text: str) -> Any:
    """Parse the value of an option; anything but a literal is text."""
    value, kinds = _value(text), _kinds(parameter)
    if not text:
        raise ValueError(f"{parameter.name} has no value; expected {parameter.name}={_allowed_values(parameter)}")
    # A default may be None, which `_kinds` leaves out.
    if not kinds or value == parameter.default:
        return value
    # Exact types, as True is an instance of int.
    fits = type(value) in kinds or (float in kinds and type(value) is int)
    if not fits or (_is_probability(parameter) and not 0 <= value <= 1) or (type(value) is float and math.isnan(value)):
        raise ValueError(f"invalid {parameter.name}={short_repr(value)}: expected {_allowed_values(parameter)}")
    return value


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    # TypeError: a list as a key. The last two are of deeply nested text.
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return text


def _kinds(parameter: Parameter) -> set[type]:
    """Return the simple types that an argument may have; empty if it has another or an unknown type."""
    given = parameter.annotation
    if given is Parameter.empty:
        return {type(parameter.default)} & set(TYPE_NAMES)
    kinds = set(get_args(given) or (given,)) - {type(None)}
    return kinds if kinds <= set(TYPE_NAMES) else set()


def _is_probability(parameter: Parameter) -> bool:
    return float in _kinds(parameter) and PROBABILITY.fullmatch(parameter.name) is not None


def _allowed_values(parameter: Parameter) -> str:
    kinds = _kinds(parameter)
    if _is_probability(parameter):
        return "a number from 0 to 1"
    widest = kinds - {int} if float in kinds else kinds
    return " or ".join(words for kind, words in TYPE_NAMES.items() if kind in widest) or "a value"
