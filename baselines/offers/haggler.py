"""What scripted strategies share in games where two seats take turns to name an amount and to answer it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from econzoo.baselines.factory import player
from econzoo.baselines.offers.demands import (
    Amount,
    current_aspiration,
    fixed_share,
    fixed_share_until_last,
    next_aspiration,
)
from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import ObservationDict, ScriptedPlayer, argument, view_of
from econzoo.envs.core.contract.actions import ActionSchema
from econzoo.envs.core.contract.game import UNKNOWN, Game, Move
from econzoo.envs.core.contract.scripts import MoveFunction, Numbers, Script, StrategyMemory
from econzoo.envs.families.offers.best_response import History, Memory

FIELD = re.compile(r"\$(\{\w+\})")
"""The field of an amount of dollars in a line."""


def convert_unit(line: str, unit: str) -> str:
    """A line in another unit than dollars: ``"${own} for me"`` becomes ``"{own} points for me"``, if it has a name."""
    return FIELD.sub(lambda field: f"{field[1]} {unit}", line) if any(map(str.isalpha, unit)) else line


class Haggler(ScriptedPlayer):
    """A strategy that is a function of what its seat has observed, and of nothing else but its draws, if it draws.

    It keeps nothing between moves: asked twice in the same position it answers twice the same. A subclass says what it
    asks for and how little it accepts; the game's base how that becomes a move (`move`) and in which words it makes an
    offer (`lines`, `say`).

    Attributes:
        mover: How the game makes moves of the two.
        View: What a seat may know.
        actions: The game's moves.
        memory: What it looks at: ``"round"`` if only at the round and at the waiting offer, ``"history"`` if earlier
            offers matter too. The search for best responses relies on it.
        memory_length: Moves that it looks back at most: the last two offers of each side and their answers are in six.
        monotone: Whether it takes every amount that leaves it more than one that it takes.
        exact: Whether it names amounts as theory gives them, to the last digit; others name them `round_to_cents`.
        lines: Words of its offers; the first goes with its first offer, the others take turns after that.
    """

    deterministic = True
    mover: ClassVar[Callable[[Amount, Amount, bool], MoveFunction]]
    View: ClassVar[type[Any]]
    actions: ClassVar[ActionSchema]
    memory: Memory = "round"
    memory_length: ClassVar[int] = 6
    monotone: bool = True
    exact: ClassVar[bool] = False
    lines: ClassVar[tuple[str, ...]] = ()

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.messages = False
        self.wordings = self.lines

    @staticmethod
    def stake(v: Any) -> float:
        """What there is to share, in dollars, by a view: what the shares that strategies think in are parts of."""
        raise NotImplementedError

    @staticmethod
    def asks(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        """Dollars that its offer of this round is to win."""
        raise NotImplementedError

    @staticmethod
    def takes(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        """The fewest dollars for which it accepts in this round."""
        raise NotImplementedError

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Notes whether words may be sent, too, and in which unit they name amounts."""
        super().reset(seat, info, seed)
        self.messages, self.wordings = (
            info.messages is True,
            tuple(convert_unit(line, info.unit) for line in self.lines),
        )

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """An offer, with words where they are allowed, or an answer."""
        move = self.move(observation)
        if self.messages and move["kind"] == "offer":
            return {**move, "message": self.say(observation, next(v for k, v in move.items() if k != "kind"))}
        return move

    @property
    def script(self) -> Script | None:
        """The strategy as functions of numbers."""
        return Script(self.moves, self.numbers, self.initial_memory, type(self).note)

    @property
    def moves(self) -> MoveFunction:
        """How it moves."""
        return type(self).mover(type(self).asks, type(self).takes, self.exact)

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Its move as a plain dictionary, without words."""
        move = self.moves(self.view(seen), self.numbers, self.past(seen), self.random_numbers(seen["round"]))
        return self.actions.to_plain(self.actions.make(*move))

    def view(self, seen: ObservationDict) -> Any:
        """The seat's view."""
        return view_of(self.View, seen)

    def ask(self, seen: ObservationDict) -> float:
        """Dollars that its offer of this round is to win."""
        view = self.view(seen)
        return type(self).asks(view, type(self).stake(view), self.numbers, self.past(seen))

    def threshold(self, seen: ObservationDict) -> float:
        """The fewest dollars for which it accepts in this round."""
        view = self.view(seen)
        return type(self).takes(view, type(self).stake(view), self.numbers, self.past(seen))

    def say(self, seen: ObservationDict, amount: float) -> str:
        """The words that go with an offer."""
        raise NotImplementedError

    def line(self, seen: ObservationDict, amount: float) -> str:
        """Which of its lines goes with an offer."""
        offers_before = (seen["round"] - 1) // 2
        lines = self.wordings
        return lines[1 + (offers_before - 1) % (len(lines) - 1) if offers_before and len(lines) > 1 else 0]


class Firm(Haggler):
    """Asks for its share of the stake in every round, and accepts nothing less.

    Attributes:
        share: Of the stake.
    """

    share: float
    asks = takes = staticmethod(fixed_share)

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        if hasattr(self, "share"):
            self.numbers = (self.share,)


class Committed(Firm):
    """Asks for nearly the whole stake in every round and accepts nothing less, until refusing would leave it nothing.

    It stands by its demand like somebody committed to it (Schelling), but not beyond reason: in a round that it knows
    to be the last it takes anything above nothing. If it is not told the horizon, it never gives in.

    Source: Schelling (1960), The Strategy of Conflict, chapter 2 (commitment); the answer in the last round is that of
    the subgame-perfect equilibrium of an ultimatum.

    Args:
        spec: Its name.
        share: Of the stake, which it asks for; from 0.5 to 1.
    """

    takes = staticmethod(fixed_share_until_last)

    def __init__(self, spec: str, share: Any) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "share", share, 0.5, 1.0),)


def parse_high_and_low(spec: str, high: Any, low: Any) -> tuple[float, float]:
    """First and reservation share of what there is to share, checked.

    Raises:
        ValueError: They are not such that 0 <= low <= high <= 1.
    """
    top = argument(spec, "high", high, 0.0, 1.0)
    return top, argument(spec, "low", low, 0.0, top)


class TimeDependent(Haggler):
    """Its aspiration falls with time from ``high`` in round 1 to ``low`` in the last round.

    With s = (t - 1) / (T - 1) the share of the time that has passed, the aspiration in round t is
    ``high - (high - low) * s ** (1 / e)`` (the polynomial family; see `concession_share`): with e below 1 it holds out
    until late ("boulware"), with e above 1 it gives way early ("conceder"). It asks for the aspiration of the round and
    accepts what it would ask for in the next one; in a round known to be the last no offer of its own follows, and
    whatever reaches the reservation share is accepted.

    Source: Faratin, P., Sierra, C. and Jennings, N. R. (1998). Negotiation decision functions for autonomous agents.
    Robotics and Autonomous Systems 24(3-4), 159-182, section 4.1.

    Args:
        spec: Its name.
        e: Concession rate; above 0, at most 1e6.
        high: First ask as a share of the stake; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    asks, takes = staticmethod(current_aspiration), staticmethod(next_aspiration)

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "e", e, 0.0, 1e6, open_low=True), *parse_high_and_low(spec, high, low))


class Opponent:
    """A strategy as a function ``opponent(params, state, seat, history) -> Move``, for the search for best responses.

    It is shown what its seat may know, not the whole state, and answers as it does at the table.

    Args:
        strategy: The strategy.
        game: What it plays.
    """

    def __init__(self, strategy: Haggler, game: Game) -> None:
        self.strategy = strategy
        self.game = game

    @property
    def memory(self) -> Memory:
        """What the search has to allow for: pass it to `best_response`."""
        return self.strategy.memory

    @property
    def monotone(self) -> bool:
        """Whether it takes every milder amount than one that it takes."""
        return self.strategy.monotone

    def __call__(self, params: Any, state: Any, seat: int, history: History) -> Move:
        """The move of the strategy in that seat."""
        actions = self.game.actions_of(params)
        seen = self._observe(actions, params, state, seat, history if self.memory == "history" else ())
        return actions.move(actions.from_plain(self.strategy.move(seen)))

    def _observe(self, actions: ActionSchema, params: Any, state: Any, seat: int, history: History) -> ObservationDict:
        """The structured observation of the seat, as far as strategies read it."""
        view, legal = self.game.rules.observe(params, state, seat), self.game.rules.legal(params, state, seat)
        seen: ObservationDict = {k: None if v == UNKNOWN else v for k, v in zip(view._fields, view, strict=True)}
        seen["legal_actions"] = [name for name, flag in zip(actions.names, legal, strict=True) if flag]
        told = [(actions.make(*move), seat, round) for seat, round, move in history[-self.strategy.memory_length :]]
        seen["history"] = [actions.to_plain(action, seat=seat, round=round) for action, seat, round in told]
        return seen

    def __repr__(self) -> str:
        return f"<opponent {self.strategy.spec}>"


def opponent_of(spec: str | Player, game: Game) -> Opponent:
    """The strategy of a spec as a function that ``best_response`` takes.

    Args:
        spec: For example ``"boulware(0.2)"``, or the player itself.
        game: What it plays.

    Returns:
        A callable ``(params, state, seat, history) -> Move`` with the attribute ``memory``.

    Raises:
        ValueError: Unknown spec, or a player that is no function of what its seat has observed.
    """
    strategy = player(spec, game.name)
    if not isinstance(strategy, Haggler) or not strategy.deterministic:
        raise ValueError(f"player {strategy.spec!r} is not allowed; allowed: a deterministic strategy of {game.name}")
    return Opponent(strategy, game)
