"""What the scripted strategies of persuasion share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from econzoo.baselines.persuasion.reader import reader_of
from econzoo.baselines.persuasion.signals import (
    DISCOURAGEMENT,
    RECOMMENDATION,
    RECOMMENDED,
    detect_signal,
    needs_reader,
    recorded_signal,
)
from econzoo.baselines.player import Player, SeatInfo, Usage
from econzoo.baselines.strategy import ObservationDict, ScriptedPlayer, view_of
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.core.record.record import Turn
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DECLINE, DISCOURAGE, RECOMMEND, SAY, SELLER, View

if TYPE_CHECKING:
    from econzoo.baselines.persuasion.reader import Reader, Reading


DecisionRule: TypeAlias = Callable[[View, Numbers, StrategyMemory, UniformPair], bool]
"""Whether a seller recommends, or a buyer buys, the product of a round. To a buyer ``said`` is the signal it heard."""

DECEPTION, ROUND, SIGNAL = 6, 7, 8
"""Places in what a buyer remembers, after the numbers of products of low and high quality that followed each signal:
whether the product before was recommended and of low quality, the round of its last move, and the signal then."""

BLANK_RECORD = (*(0.0,) * ROUND, 0.0, -1.0)


@lru_cache(maxsize=64)
def mover(says_yes: DecisionRule) -> MoveFunction:
    """How a strategy moves, in arrays without words."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        agrees = says_yes(v, x, past, u)
        if v.seat == BUYER:
            return Move(BUY if agrees else DECLINE, (0.0,))
        return Move((RECOMMEND if agrees else DISCOURAGE) if v.binary else SAY, (0.0,))

    return move


def remember(v: View, past: StrategyMemory) -> None:
    """Counts what followed on the signal before. Myopic buyers are new every round: their record is empty."""
    if v.round > past[ROUND]:
        if past[ROUND] and not v.myopic and v.last_quality != UNKNOWN:
            past[int(2.0 * past[SIGNAL] + v.last_quality)] += 1.0
            past[DECEPTION] = 1.0 if past[SIGNAL] == RECOMMENDED and v.last_quality == 0.0 else 0.0
        past[ROUND] = v.round
    past[SIGNAL] = v.said


class BinaryStrategy(ScriptedPlayer):
    """A strategy that says yes or no; what it remembers it keeps, as the past of a match is long."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.kept = list(self.initial_memory)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Forgets the match before."""
        super().reset(seat, info, seed)
        self.kept = list(self.initial_memory)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether it does."""
        raise NotImplementedError

    @property
    def script(self) -> Script | None:
        """The strategy as functions of numbers."""
        return Script(mover(type(self).says_yes), self.numbers, self.initial_memory, type(self).note)

    def agrees(self, view: View) -> bool:
        """Whether it says yes, after it has written down what it sees."""
        type(self).note(view, self.kept)
        return bool(type(self).says_yes(view, self.numbers, self.kept, self.random_numbers(view.round)))


class Seller(BinaryStrategy):
    """A strategy that recommends products or advises against them; a subclass says which (`says_yes`).

    Where the seller has to use words it says one of two sentences that mean the same, and where words are switched off
    it says nothing.
    """

    seats: ClassVar[tuple[int, ...] | None] = (SELLER,)

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._against: dict[str, Any] = {}
        self._for: dict[str, Any] = {}

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Learns in which form to signal."""
        super().reset(seat, info, seed)
        if info.view.binary:
            self._against, self._for = {"kind": "discourage"}, {"kind": "recommend"}
        elif info.messages is True:
            self._against, self._for = (
                {"kind": "say", "message": DISCOURAGEMENT},
                {"kind": "say", "message": RECOMMENDATION},
            )
        else:
            self._against = self._for = {"kind": "say"}

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A recommendation or its contrary."""
        return self.make_move(self.agrees(view_of(View, observation)), observation["round"])

    def make_move(self, agrees: bool, round: int) -> dict[str, Any]:
        """The move that says yes or no."""
        return dict(self._for if agrees else self._against)


class Buyer(BinaryStrategy):
    """A strategy that buys or declines, given the signal it heard; a subclass says when (`says_yes`)."""

    seats: ClassVar[tuple[int, ...] | None] = (BUYER,)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A purchase or a refusal, without words."""
        return self.decide(observation, signal_of(observation))

    def decide(self, seen: ObservationDict, signal: int) -> dict[str, Any]:
        """The move after a signal."""
        return {"kind": "buy" if self.agrees(view_of(View, seen)._replace(said=signal)) else "decline"}


class ListeningBuyer(Buyer):
    """A buyer to whom it matters what the seller says.

    Words are read by their keywords, or by a language model (``trust(0.7, reader='hf:PATH')``). The sentences of
    scripted sellers need no model. What was read stands in the record among the calls of the turn.

    Args:
        spec: Names the player.
        reader: Spec of a language model; None: keywords.
    """

    def __init__(self, spec: str, *, reader: Any = None) -> None:
        super().__init__(spec)
        self.reader = None if reader is None else parse_reader(spec, reader)

    @property
    def script(self) -> Script | None:
        """None with a reader: no model is asked in arrays."""
        return super().script if self.reader is None else None

    @property
    def batch_key(self) -> Hashable | None:
        """Buyers with the same reader are asked together."""
        return None if self.reader is None else id(self.reader)

    @property
    def recomputes_on_recall(self) -> bool:
        """Also with a reader: what it read is recorded."""
        return True

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A purchase or a refusal, without words."""
        move: dict[str, Any] | Exception = self.act_batch([self], [observation], [info])[0]
        if isinstance(move, Exception):
            raise move
        return move

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """All words that are waiting are read at once."""
        buyers = [player for player in players if isinstance(player, ListeningBuyer)]
        read = buyers[0].reader
        unread = [place for place, seen in enumerate(observations) if read is not None and needs_reader(words_of(seen))]
        given = read.read([words_of(observations[place]) for place in unread]) if read is not None else []
        found = dict(zip(unread, given, strict=True))
        return [
            buyer.answer(seen, found.get(place))
            for place, (buyer, seen) in enumerate(zip(buyers, observations, strict=True))
        ]

    def answer(
        self, seen: ObservationDict, found: tuple[Reading, bool] | Exception | None
    ) -> dict[str, Any] | Exception:
        """The move after what was read, if a reader was needed; its error in place of a move."""
        self.usage = None
        if isinstance(found, Exception):
            return found
        if found is None:
            return self.decide(seen, signal_of(seen))
        reading, new = found
        call = reading.to_record(new)
        self.usage = Usage((call["tokens"][0], call["tokens"][1]), call["cost"], calls=(call,))
        return self.decide(seen, reading.signal)

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> dict[str, Any]:
        """The move after what was read then."""
        signal = recorded_signal(turn.calls)
        return self.decide(observation, signal_of(observation) if signal is None else signal)


class RecordKeepingBuyer(ListeningBuyer):
    """A buyer who keeps count of what followed on each signal (`remember`): one step a round, however long the past."""

    note, initial_memory = staticmethod(remember), BLANK_RECORD


def words_of(seen: ObservationDict) -> str:
    """What the seller has said in words in this round; empty if nothing."""
    words = seen["history"][-1].get("message", "") if seen["said"] == SAY else ""
    return words if isinstance(words, str) else ""


def signal_of(seen: ObservationDict) -> int:
    """The signal of this round: the seller's move, or what is heard in its words."""
    said: int = seen["said"]
    return detect_signal(words_of(seen)) if said == SAY else said


def parse_reader(spec: str, reader: Any) -> Reader:
    """The reader that a buyer's spec names.

    Raises:
        ValueError: It is no spec of a language model.
    """
    if not isinstance(reader, str):
        raise ValueError(
            f"player {spec[:80]!r}: reader={reader!r} is not allowed; allowed: the spec of a model in quotes"
        )
    try:
        return reader_of(reader)
    except ValueError as error:
        raise ValueError(f"player {spec[:80]!r}: {error}") from None
