"""Base of scripted strategies in games of alternating offers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from econzoo.baselines import ObservationDict, Player, ScriptedPlayer, argument, player, view_of
from econzoo.baselines.offers.demands import Amount, current_aspiration, fixed_share, fixed_share_until_last
from econzoo.baselines.offers.demands import next_aspiration
from econzoo.envs.core.contract import UNKNOWN, ActionSchema, Game, Move, MoveFunction, Numbers, Script, StrategyMemory
from econzoo.envs.families.offers import History, Memory
from econzoo.wrappers import SeatInfo

FIELD = re.compile(r"\$(\{\w+\})")
"""Field of a dollar amount in a message."""


def convert_unit(line: str, unit: str) -> str:
    """Convert a message to a named unit: ``"${own} for me"`` becomes ``"{own} points for me"``."""
    return FIELD.sub(lambda field: f"{field[1]} {unit}", line) if any(map(str.isalpha, unit)) else line


class Haggler(ScriptedPlayer):
    """A strategy that depends only on what its seat has observed, and on random numbers if it is stochastic.

    It is stateless: the same position gives the same move. A subclass defines demand and threshold; the game's base
    class converts them to moves (`move`) and messages (`lines`, `say`).

    Attributes:
        mover: Builds the move function from demand and threshold.
        memory: ``"round"`` if it depends only on the round and the open offer, ``"history"`` if also on earlier offers.
            Best-response computation relies on it.
        memory_length: Maximum number of moves to look back; six contain the last two offers of each side.
        monotone: Whether it accepts every amount better than one that it accepts.
        exact: Whether amounts are exact; otherwise they are rounded by `round_to_cents`.
        lines: Messages of its offers; the first with its first offer, then the others in turn.
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
        """Return the stake in dollars, of which strategies take shares."""
        raise NotImplementedError

    @staticmethod
    def asks(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        """Return its demand of this round in dollars."""
        raise NotImplementedError

    @staticmethod
    def takes(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        """Return its acceptance threshold of this round in dollars."""
        raise NotImplementedError

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a match, with messages in the unit of the game."""
        super().reset(seat, info, seed)
        self.messages, self.wordings = (
            # Free text; numbers from 2 on count symbols, which scripts do not send.
            info.messages is True,
            tuple(convert_unit(line, info.unit) for line in self.lines),
        )

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return an offer, with a message if allowed, or a response."""
        move = self.move(observation)
        if self.messages and move["kind"] == "offer":
            # An offer has one field besides its kind, the amount.
            return {**move, "message": self.say(observation, next(v for k, v in move.items() if k != "kind"))}
        return move

    @property
    def script(self) -> Script | None:
        """The strategy on arrays."""
        return Script(self.moves, self.numbers, self.initial_memory, type(self).note)

    @property
    def moves(self) -> MoveFunction:
        return type(self).mover(type(self).asks, type(self).takes, self.exact)

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Return its move as a plain dictionary, without a message."""
        move = self.moves(self.view(seen), self.numbers, self.past(seen), self.random_numbers(seen["round"]))
        return self.actions.to_plain(self.actions.make(*move))

    def view(self, seen: ObservationDict) -> Any:
        return view_of(self.View, seen)

    def ask(self, seen: ObservationDict) -> float:
        """Return its demand of this round in dollars."""
        view = self.view(seen)
        return type(self).asks(view, type(self).stake(view), self.numbers, self.past(seen))

    def threshold(self, seen: ObservationDict) -> float:
        """Return its acceptance threshold of this round in dollars."""
        view = self.view(seen)
        return type(self).takes(view, type(self).stake(view), self.numbers, self.past(seen))

    def say(self, seen: ObservationDict, amount: float) -> str:
        """Return the message of an offer."""
        raise NotImplementedError

    def line(self, seen: ObservationDict, amount: float) -> str:
        """Return the message template of an offer."""
        # Proposers alternate, so a seat offers in every second round.
        offers_before = (seen["round"] - 1) // 2
        lines = self.wordings
        return lines[1 + (offers_before - 1) % (len(lines) - 1) if offers_before and len(lines) > 1 else 0]


class Firm(Haggler):
    """Demands a constant share of the stake and accepts nothing less.

    Attributes:
        share: Demanded share of the stake.
    """

    share: float
    asks = takes = staticmethod(fixed_share)

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        if hasattr(self, "share"):
            self.numbers = (self.share,)


class Committed(Firm):
    """Demands nearly the whole stake in every round and accepts nothing less, except in a known last round.

    It is committed to its demand (Schelling) as long as that is rational: in a known last round it accepts anything
    above nothing. With an unknown horizon it never concedes.

    Source: Schelling (1960), The Strategy of Conflict, chapter 2 (commitment); the last response is that
    of the subgame-perfect equilibrium of an ultimatum.

    Args:
        share: Demanded share of the stake; from 0.5 to 1.
    """

    takes = staticmethod(fixed_share_until_last)

    def __init__(self, spec: str, share: Any) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "share", share, 0.5, 1.0),)


def parse_high_and_low(spec: str, high: Any, low: Any) -> tuple[float, float]:
    """Parse the first and the reservation share of the stake."""
    top = argument(spec, "high", high, 0.0, 1.0)
    return top, argument(spec, "low", low, 0.0, top)


class TimeDependent(Haggler):
    """Concedes over time from ``high`` in round 1 to ``low`` in the last round.

    With s = (t - 1) / (T - 1) the fraction of elapsed time, the aspiration in round t is ``high - (high - low) * s **
    (1 / e)`` (the polynomial family; see `concession_share`): it concedes late with e below 1 ("boulware") and early
    with e above 1 ("conceder"). It demands the aspiration of the round and accepts that of the next; in a known last
    round it accepts its reservation share.

    Source: Faratin, P., Sierra, C. and Jennings, N. R. (1998). Negotiation decision functions for autonomous agents.
    Robotics and Autonomous Systems 24(3-4), 159-182, section 4.1.

    Args:
        e: Concession exponent; above 0, at most 1e6.
        high: First demand as a share of the stake; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    asks, takes = staticmethod(current_aspiration), staticmethod(next_aspiration)

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "e", e, 0.0, 1e6, open_low=True), *parse_high_and_low(spec, high, low))


class Opponent:
    """A strategy as a function ``opponent(params, state, seat, history) -> Move``, for best-response computation.

    It only gets the seat's observation of the state, as in a match.
    """

    def __init__(self, strategy: Haggler, game: Game) -> None:
        self.strategy = strategy
        self.game = game

    @property
    def memory(self) -> Memory:
        """Memory of the strategy, an argument of `best_response`."""
        return self.strategy.memory

    @property
    def monotone(self) -> bool:
        """Whether it accepts every amount better than one that it accepts."""
        return self.strategy.monotone

    def __call__(self, params: Any, state: Any, seat: int, history: History) -> Move:
        """Return the strategy's move in a seat."""
        actions = self.game.actions_of(params)
        seen = self._observe(actions, params, state, seat, history if self.memory == "history" else ())
        return actions.move(actions.from_plain(self.strategy.move(seen)))

    def _observe(self, actions: ActionSchema, params: Any, state: Any, seat: int, history: History) -> ObservationDict:
        """Return the parts of the seat's structured observation that strategies use."""
        view, legal = self.game.rules.observe(params, state, seat), self.game.rules.legal(params, state, seat)
        seen: ObservationDict = {k: None if v == UNKNOWN else v for k, v in zip(view._fields, view, strict=True)}
        seen["legal_actions"] = [name for name, flag in zip(actions.names, legal, strict=True) if flag]
        events = [(actions.make(*move), seat, round) for seat, round, move in history[-self.strategy.memory_length :]]
        seen["history"] = [actions.to_plain(action, seat=seat, round=round) for action, seat, round in events]
        return seen

    def __repr__(self) -> str:
        return f"<opponent {self.strategy.spec}>"


def opponent_of(spec: str | Player, game: Game) -> Opponent:
    """Return the strategy of a spec as a function for ``best_response``.

    Args:
        spec: Player spec, such as ``"boulware(0.2)"``, or a player.
    """
    strategy = player(spec, game.name)
    if not isinstance(strategy, Haggler) or not strategy.deterministic:
        raise ValueError(f"invalid player {strategy.spec!r}: expected a deterministic strategy of {game.name}")
    return Opponent(strategy, game)
