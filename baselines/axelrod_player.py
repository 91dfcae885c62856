"""Strategies of the Axelrod library at the table: ``axelrod:Tit For Tat``, or ``axelrod:Random?p=0.3``.

The library (Knight et al. 2016, An open framework for the reproducible study of the iterated prisoner's dilemma,
Journal of Open Research Software 4, e35) is imported when the first such player is made, which takes some seconds.
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

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.contract.validation import nearest_names, short_repr
from econzoo.envs.games.code_reading.programs.execution import import_axelrod

GAME = "matrix"

CLASSES_WITH_ARGUMENTS = ("Cycler", "MemoryOnePlayer", "ReactivePlayer")
"""Classes that the library does not list among its strategies because they want arguments."""

CHEATS = ("inspects_source", "manipulates_source", "manipulates_state")
"""Classifiers of strategies that look into the opponent's program or change it."""

MAX_ERROR_LENGTH = 120
"""Characters that are told of what the library says."""

SEED_LIMIT = 2**32
"""Seeds of the library's generators lie below this."""


class AxelrodPlayer(Player):
    """Plays a strategy of the Axelrod library in a symmetric game of `matrix`.

    The strategy gets the payoffs and the noise of the match, and its length if the seats are told, and draws from a
    generator with the seed of the match. Its opponent is a stand-in that only has a history.

    Args:
        spec: The spec.
        kind: Class of the library.
        options: Arguments of the class, as numbers, tuples or text.

    Raises:
        ValueError: The class does not take these arguments, or the strategy looks into its opponent's program.
    """

    only_game = GAME

    def __init__(self, spec: str, kind: Any, options: Mapping[str, str]) -> None:
        super().__init__(spec)
        self.kind = kind
        refused = f"player {spec[:80]!r}: {kind.__name__} cannot be made"
        try:
            self.arguments = parse_arguments(kind, options)
        except ValueError as error:
            raise ValueError(f"{refused}: {error}") from None
        try:
            made = self._make_strategy()
        except Exception as error:  # whatever the library does with arguments that it does not like
            told = " ".join(str(error).split())[:MAX_ERROR_LENGTH]
            raise ValueError(f"{refused} ({told}); its arguments: {usage(parameters(kind))}") from error
        classified = import_axelrod().Classifiers
        for cheat in CHEATS:
            if classified[cheat](made):
                verb, _, what = cheat.partition("_")
                told = f"{kind.name} {verb} the {what} of its opponent, which has none here"
                raise ValueError(f"player {spec[:80]!r} is not allowed: {told}")
        self.deterministic = not classified["stochastic"](made)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """A new strategy that knows the match.

        Raises:
            ValueError: The game is not symmetric, or the strategy cannot be played with its payoffs.
        """
        view = info.view
        own = view.cc, view.cd, view.dc, view.dd
        if own != (view.other_cc, view.other_dc, view.other_cd, view.other_dd):
            raise ValueError(f"{self.spec!r} plays symmetric games only; in this one the seats have different payoffs")
        library = import_axelrod()
        self.strategy, self.opponent, self.moves = self._make_strategy(), library.Player(), library.Action
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
        """The strategy's move; asked again in the same round, the same."""
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
            warnings.simplefilter("ignore")
            return self.kind(**self.arguments)


def axelrod_player(spec: str, target: str, options: dict[str, str]) -> AxelrodPlayer:
    """The player of ``axelrod:NAME?argument=value&...``.

    Args:
        spec: The spec.
        target: Name of a strategy in the library, or of its class; upper and lower case are the same.
        options: Arguments of the class, as numbers, tuples or text.

    Raises:
        ImportError: The library is not installed; the message says how to get it.
        ValueError: No such strategy, or it cannot be played.
    """
    known = _strategies()
    kind = known.get(target.strip().casefold())
    if kind is None:
        near = ", ".join(dict.fromkeys(known[one].name for one in nearest_names(target, known, 5))) or "none"
        raise ValueError(f"player {spec[:80]!r}: Axelrod has no strategy of this name; near: {near}")
    return AxelrodPlayer(spec, kind, options)


@cache
def _strategies() -> dict[str, Any]:
    """Classes of the library by their names and by those of their strategies, in lower case."""
    library = import_axelrod("an axelrod: player")
    kinds = [*library.all_strategies, *(getattr(library, name) for name in CLASSES_WITH_ARGUMENTS)]
    return {name.casefold(): kind for kind in kinds for name in (kind.name, kind.__name__)}


PROBABILITY = re.compile(r"p|q|ep|alpha|p_.*|.*prob.*")
"""Names of arguments that are probabilities or levels of significance, where they are numbers."""

TYPE_NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def parse_arguments(kind: Any, options: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of a class from the options of a spec: the library itself takes many that make no sense.

    Args:
        kind: Class of the library.
        options: Name to literal, or to text.

    Raises:
        ValueError: The class has no such argument, wants another one, or one is not of its kind or range.
    """
    known = parameters(kind)
    for name in options:
        if name not in known:
            raise ValueError(f"it takes no {short_repr(name)}; allowed: {usage(known)}")
    for name, parameter in known.items():
        if parameter.default is Parameter.empty and name not in options:
            raise ValueError(f"{name} is missing; allowed: {usage(known)}")
    return {name: _argument(known[name], text) for name, text in options.items()}


def parameters(kind: Any) -> dict[str, Parameter]:
    """Parameters of a class by name; the library hides them from `inspect.signature` of the class itself."""
    return dict(list(signature(kind.__init__).parameters.items())[1:])


def usage(known: Mapping[str, Parameter]) -> str:
    """The arguments of a class as a spec has them."""
    told = [name if one.default is one.empty else f"{name}={short_repr(one.default)}" for name, one in known.items()]
    return ", ".join(told) or "no arguments"


def _argument(parameter: Parameter, text: str) -> Any:
    """The value of an option; what is no literal is a text."""
    value, kinds = _value(text), _kinds(parameter)
    if not text:
        raise ValueError(f"{parameter.name} has no value; allowed: {parameter.name}={_allowed_values(parameter)}")
    if not kinds or value == parameter.default:
        return value
    fits = type(value) in kinds or (float in kinds and type(value) is int)
    if not fits or (_is_probability(parameter) and not 0 <= value <= 1) or (type(value) is float and math.isnan(value)):
        raise ValueError(f"{parameter.name}={short_repr(value)} is not allowed; allowed: {_allowed_values(parameter)}")
    return value


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text


def _kinds(parameter: Parameter) -> set[type]:
    """The simple types that an argument may have; none: it is of another kind, or nothing is known."""
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
