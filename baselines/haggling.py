"""What scripted strategies share in games where two seats take turns to name an amount and to answer it."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.factory import player
from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import Seen, argument
from econzoo.envs.core.amounts import rounded, without_noise
from econzoo.envs.core.contract.actions import ActionSchema
from econzoo.envs.core.contract.game import UNKNOWN, Game, Move
from econzoo.envs.families.offers.best_response import History, Memory

ASSUMED_HORIZON = 20
"""Deadline of a strategy that is not told the horizon: GLEE tells horizons of up to 20 rounds, so a hidden one is
taken to be at least that."""

CENT, FINE = 0.01, 1e-4
"""A strategy names whole cents where a cent is less than this share of the scale."""

SCRAP = 1e-6
"""The smallest share of the stake that counts as more than nothing."""


class Haggler(Player):
    """A strategy that is a function of what its seat has observed, and of nothing else.

    It keeps nothing between moves: asked twice in the same position it answers twice the same. A subclass says what it
    asks for (`ask`) and how little it accepts (`threshold`); the game's base how that becomes a move (`move`) and in
    which words it makes an offer (`lines`, `say`).

    Attributes:
        memory: What it looks at: ``"round"`` if only at the round and at the waiting offer, ``"history"`` if earlier
            offers matter too. The search for best responses relies on it.
        recalled: Moves that it looks back at most: the last two offers of each side and their answers are among six.
        exact: Whether it names amounts as theory gives them, to the last digit; others name them in cents (`named`).
        lines: Words of its offers; the first goes with its first offer, the others take turns after that.
    """

    deterministic = True
    memory: ClassVar[Memory] = "round"
    recalled: ClassVar[int] = 6
    exact: ClassVar[bool] = False
    lines: ClassVar[tuple[str, ...]] = ()

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.messages = False

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Notes whether words may be sent; there is nothing else to remember."""
        self.messages = info.messages

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """An offer, with words where they are allowed, or an answer."""
        move = self.move(observation)
        if self.messages and move["kind"] == "offer":
            return {**move, "message": self.say(observation, next(v for k, v in move.items() if k != "kind"))}
        return move

    def move(self, seen: Seen) -> dict[str, Any]:
        """Its move as a plain dictionary, without words."""
        raise NotImplementedError

    def stake(self, seen: Seen) -> float:
        """What there is to share, in dollars: what the shares that strategies think in are parts of."""
        raise NotImplementedError

    def ask(self, seen: Seen) -> float:
        """Dollars that its offer of this round is to win."""
        raise NotImplementedError

    def threshold(self, seen: Seen) -> float:
        """The fewest dollars for which it accepts in this round."""
        raise NotImplementedError

    def named(self, amount: float, scale: float, rounding: str) -> float:
        """The amount that it names where it means to name this one.

        In whole cents, rounded in favour of the one who answers, where a cent is under a ten-thousandth of the scale;
        where cents are coarser than that, without the noise of floats.

        Args:
            amount: Dollars.
            scale: The ``money`` of the game, in dollars.
            rounding: Which way favours the one who answers, as in `econzoo.envs.core.amounts.dollars`.
        """
        if self.exact:
            return amount
        meant = without_noise(amount)
        return rounded(meant, rounding) if FINE * scale > CENT else meant

    def say(self, seen: Seen, amount: float) -> str:
        """The words that go with an offer."""
        raise NotImplementedError

    def line(self, seen: Seen, amount: float) -> str:
        """Which of its lines goes with an offer."""
        offers_before = (seen["round"] - 1) // 2
        turn = 1 + (offers_before - 1) % (len(self.lines) - 1) if offers_before and len(self.lines) > 1 else 0
        return self.lines[turn]


def last_round(seen: Seen) -> bool:
    """Whether the seat knows that no round follows."""
    return seen["horizon"] is not None and seen["round"] >= seen["horizon"]


def conceded(e: float, round: int, horizon: int | None) -> float:
    """Share of its whole concession that a time-dependent tactic has made by a round.

    With s = (t - 1) / (T - 1) the share of the time that has passed, it is ``s ** (1 / e)`` (Faratin, Sierra and
    Jennings 1998, section 4.1, the polynomial family): 0 in round 1, 1 from the last round on.

    Args:
        e: Concession rate, above 0.
        round: 1-based.
        horizon: Last round, or None: `ASSUMED_HORIZON`.
    """
    deadline = ASSUMED_HORIZON if horizon is None else horizon
    if round <= 1:
        return 0.0
    passed = (round - 1) / (deadline - 1) if round < deadline else 1.0
    return passed ** (1.0 / e)


class Firm(Haggler):
    """Asks for its share of the stake in every round, and accepts nothing less.

    Attributes:
        share: Of the stake.
    """

    share: float

    def ask(self, seen: Seen) -> float:
        """Its share of the stake."""
        return self.share * self.stake(seen)

    def threshold(self, seen: Seen) -> float:
        """The same."""
        return self.ask(seen)


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

    def __init__(self, spec: str, share: Any) -> None:
        super().__init__(spec)
        self.share = argument(spec, "share", share, 0.5, 1.0)

    def threshold(self, seen: Seen) -> float:
        """The same, and in a known last round next to nothing."""
        return (SCRAP if last_round(seen) else self.share) * self.stake(seen)


def high_and_low(spec: str, high: Any, low: Any) -> tuple[float, float]:
    """First and reservation share of what there is to share, checked.

    Raises:
        ValueError: They are not such that 0 <= low <= high <= 1.
    """
    top = argument(spec, "high", high, 0.0, 1.0)
    return top, argument(spec, "low", low, 0.0, top)


class Aspiring(Haggler):
    """Asks in every round for a share of what there is, and accepts what it would ask for in the next round.

    As in Faratin, Sierra and Jennings (1998): in a round known to be the last no offer of its own follows, and whatever
    reaches the reservation share is accepted. A subclass says what it wants (`aspiration`).

    Attributes:
        low: The reservation share.
    """

    low: float

    def aspiration(self, round: int, horizon: int | None) -> float:
        """The share that it wants in a round."""
        raise NotImplementedError

    def ask(self, seen: Seen) -> float:
        """The aspiration of this round."""
        return self.aspiration(seen["round"], seen["horizon"]) * self.stake(seen)

    def threshold(self, seen: Seen) -> float:
        """The aspiration of the next round, when it would propose; the reservation share if there is none."""
        share = self.low if last_round(seen) else self.aspiration(seen["round"] + 1, seen["horizon"])
        return share * self.stake(seen)


class BehaviourDependent(Haggler):
    """Moves as the other has moved, between ``high``, its first ask, and ``low``.

    Source: Faratin, Sierra and Jennings (1998), section 4.3. A subclass says how far (`ask`).

    Args:
        spec: Its name.
        high: First ask as a share of the stake; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    memory: ClassVar[Memory] = "history"

    def __init__(self, spec: str = "tit-for-tat", high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.high, self.low = high_and_low(spec, high, low)

    def threshold(self, seen: Seen) -> float:
        """What it would ask next; the reservation share in a known last round."""
        return self.low * self.stake(seen) if last_round(seen) else self.ask(seen)


class TimeDependent(Aspiring):
    """Its aspiration falls with time from ``high`` in round 1 to ``low`` in the last round.

    With s = (t - 1) / (T - 1) the share of the time that has passed, the aspiration in round t is
    ``high - (high - low) * s ** (1 / e)`` (the polynomial family; see `conceded`): with e below 1 it holds out until
    late ("boulware"), with e above 1 it gives way early ("conceder").

    Source: Faratin, P., Sierra, C. and Jennings, N. R. (1998). Negotiation decision functions for autonomous agents.
    Robotics and Autonomous Systems 24(3-4), 159-182, section 4.1.

    Args:
        spec: Its name.
        e: Concession rate; above 0, at most 1e6.
        high: First ask as a share of the stake; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.e = argument(spec, "e", e, 0.0, 1e6, open_low=True)
        self.high, self.low = high_and_low(spec, high, low)

    def aspiration(self, round: int, horizon: int | None) -> float:
        """Share of the stake that it wants in a round."""
        return self.high - (self.high - self.low) * conceded(self.e, round, horizon)


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

    def __call__(self, params: Any, state: Any, seat: int, history: History) -> Move:
        """The move of the strategy in that seat."""
        actions = self.game.actions_of(params)
        seen = self._seen(actions, params, state, seat, history if self.memory == "history" else ())
        return actions.move(actions.typed(self.strategy.move(seen)))

    def _seen(self, actions: ActionSchema, params: Any, state: Any, seat: int, history: History) -> Seen:
        """The structured observation of the seat, as far as strategies read it."""
        view, legal = self.game.rules.observe(params, state, seat), self.game.rules.legal(params, state, seat)
        seen: Seen = {k: None if v == UNKNOWN else v for k, v in zip(view._fields, view, strict=True)}
        seen["legal_actions"] = [name for name, flag in zip(actions.names, legal, strict=True) if flag]
        told = [(actions.make(*move), seat, round) for seat, round, move in history[-self.strategy.recalled :]]
        seen["history"] = [actions.plain(action, seat=seat, round=round) for action, seat, round in told]
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
    if not isinstance(strategy, Haggler):
        raise ValueError(f"player {strategy.spec!r} is not allowed; allowed: a deterministic strategy of {game.name}")
    return Opponent(strategy, game)
