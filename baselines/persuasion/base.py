"""Base of the scripted strategies of persuasion."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from econzoo.baselines import ObservationDict, Player, ScriptedPlayer, Task, Usage, outcomes_of, view_of
from econzoo.baselines.persuasion.signals import DISCOURAGEMENT, RECOMMENDATION, RECOMMENDED, detect_signal
from econzoo.baselines.persuasion.signals import needs_reader, recorded_signal
from econzoo.envs.core.contract import UNKNOWN, Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.core.record import Turn
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DECLINE, DISCOURAGE, RECOMMEND, SAY, SELLER, View
from econzoo.wrappers import SeatInfo

if TYPE_CHECKING:
    from econzoo.baselines.persuasion.reader import Reader


DecisionRule: TypeAlias = Callable[[View, Numbers, StrategyMemory, UniformPair], bool]
"""Returns whether a seller recommends, or a buyer buys; a buyer's ``said`` is the received signal."""

DECEPTION, ROUND, SIGNAL = 6, 7, 8
"""Indices in a buyer's memory, after the counts of low and high quality by signal: whether the previous product was
recommended and of low quality, the round of its last move, and the signal then."""

BLANK_RECORD = (*(0.0,) * ROUND, 0.0, -1.0)


@lru_cache(maxsize=64)
def mover(says_yes: DecisionRule) -> MoveFunction:
    """Return the move function of a strategy on arrays, without messages."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        agrees = says_yes(v, x, past, u)
        if v.seat == BUYER:
            return Move(BUY if agrees else DECLINE, (0.0,))
        return Move((RECOMMEND if agrees else DISCOURAGE) if v.binary else SAY, (0.0,))

    return move


READER_OF = "econzoo.baselines.persuasion.reader:reader_of"


def remember(v: View, past: StrategyMemory) -> None:
    """Count the quality after the previous signal; myopic buyers, new every round, have no record."""
    # Once per round, also if the move is retried.
    if v.round > past[ROUND]:
        if past[ROUND] and not v.myopic and v.last_quality != UNKNOWN:
            past[int(2.0 * past[SIGNAL] + v.last_quality)] += 1.0
            past[DECEPTION] = 1.0 if past[SIGNAL] == RECOMMENDED and v.last_quality == 0.0 else 0.0
        past[ROUND] = v.round
    past[SIGNAL] = v.said


class BinaryStrategy(ScriptedPlayer):
    """Base of yes-or-no strategies, with an incremental memory since matches are long."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.kept = list(self.initial_memory)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        super().reset(seat, info, seed)
        self.kept = list(self.initial_memory)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether it recommends or buys."""
        raise NotImplementedError

    @property
    def script(self) -> Script | None:
        """The strategy on arrays."""
        return Script(mover(type(self).says_yes), self.numbers, self.initial_memory, type(self).note)

    def agrees(self, view: View) -> bool:
        """Update the memory and return whether it recommends or buys."""
        type(self).note(view, self.kept)
        return bool(type(self).says_yes(view, self.numbers, self.kept, self.random_numbers(view.round)))


class Seller(BinaryStrategy):
    """Base of sellers that recommend products or advise against them (`says_yes`).

    With text messages it sends one of two fixed sentences, and nothing if messages are off.
    """

    seats: ClassVar[tuple[int, ...] | None] = (SELLER,)

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._against: dict[str, Any] = {}
        self._for: dict[str, Any] = {}

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a match, with the form of signals."""
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
        """Return a recommendation, or advice against the product."""
        return self.make_move(self.agrees(view_of(View, observation)), observation["round"])

    def make_move(self, agrees: bool, round: int) -> dict[str, Any]:
        """Return the move for yes or no."""
        return dict(self._for if agrees else self._against)


class Buyer(BinaryStrategy):
    """Base of buyers that buy or decline given the received signal (`says_yes`)."""

    seats: ClassVar[tuple[int, ...] | None] = (BUYER,)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return a purchase or a refusal, without a message."""
        return self.decide(observation, signal_of(observation))

    def decide(self, seen: ObservationDict, signal: int) -> dict[str, Any]:
        """Return the move after a signal."""
        return {"kind": "buy" if self.agrees(view_of(View, seen)._replace(said=signal)) else "decline"}


class ListeningBuyer(Buyer):
    """A buyer that responds to the seller's messages.

    Messages are classified by keywords, or by a language model (``trust(0.7, reader='hf:PATH')``). Sentences of
    scripted sellers need no model. The classification is recorded among the calls of the turn.

    Args:
        reader: Spec of a language model; None: keywords.
    """

    def __init__(self, spec: str, *, reader: Any = None) -> None:
        super().__init__(spec)
        self.reader = None if reader is None else parse_reader(spec, reader)
        self.libraries = self.reader.libraries if self.reader else ()

    @property
    def script(self) -> Script | None:
        """None with a reader, since arrays have no models."""
        return super().script if self.reader is None else None

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        super().reset(seat, info, seed)
        self._heard: set[str] = set()

    @property
    def batch_key(self) -> Hashable | None:
        """Buyers with the same reader are asked together."""
        return None if self.reader is None else id(self.reader)

    @property
    def call_key(self) -> Hashable | None:
        """See `Player.call_key`."""
        return None if self.reader is None else self.reader.call_key

    @property
    def concurrency(self) -> int:
        """See `Player.concurrency`."""
        return 0 if self.reader is None else self.reader.concurrency

    @property
    def is_served(self) -> bool:
        """See `Player.is_served`."""
        return self.reader is not None and self.reader.is_served

    @property
    def recomputes_on_recall(self) -> bool:
        """True even with a reader: its classifications are recorded."""
        return True

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return a purchase or a refusal, without a message."""
        move: dict[str, Any] | Exception = self.act_batch([self], [observation], [info])[0]
        if isinstance(move, Exception):
            raise move
        return move

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """Classify all messages side by side."""
        buyers = [player for player in players if isinstance(player, ListeningBuyer)]
        return outcomes_of([partial(buyer.answer, seen) for buyer, seen in zip(buyers, observations, strict=True)])

    def act_in_steps(self, observation: Any, info: dict[str, Any]) -> Task[dict[str, Any]] | None:
        """Return a task that classifies the message; None: without a reader."""
        return None if self.reader is None else self.answer(observation)

    def answer(self, seen: ObservationDict) -> Task[dict[str, Any]]:
        """Return a task with the move, and set its usage."""
        # Else the reading of an earlier round would be charged again.
        self.usage, words = None, words_of(seen)
        if self.reader is None or not needs_reader(words):
            return self.decide(seen, signal_of(seen))
        reading = yield from self.reader.read_in_steps(words)
        call = reading.to_record(words not in self._heard)
        self._heard.add(words)
        read, wrote = call["tokens"]
        self.usage = Usage((read, wrote), call["cost"], calls=(call,), seconds=call["seconds"])
        return self.decide(seen, reading.signal)

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> dict[str, Any]:
        """Return the move given the recorded classification."""
        signal = recorded_signal(turn.calls)
        if signal is not None:
            self._heard.add(words_of(observation))
        return self.decide(observation, signal_of(observation) if signal is None else signal)


class RecordKeepingBuyer(ListeningBuyer):
    """A buyer that counts qualities by signal (`remember`), incrementally per round."""

    note, initial_memory = staticmethod(remember), BLANK_RECORD


def words_of(seen: ObservationDict) -> str:
    """Return the seller's message of this round; empty without one."""
    message = seen["history"][-1].get("message", "") if seen["said"] == SAY else ""
    return message if isinstance(message, str) else ""


def signal_of(seen: ObservationDict) -> int:
    """Return the signal of this round: the seller's move, or that of its message."""
    move: int = seen["said"]
    return detect_signal(words_of(seen)) if move == SAY else move


def parse_reader(spec: str, reader: Any) -> Reader:
    """Return the reader in a buyer's spec."""
    if not isinstance(reader, str):
        raise ValueError(f"player {spec[:80]!r}: invalid reader={reader!r}: expected the spec of a model in quotes")
    try:
        return resolve_name(READER_OF)(reader)
    except ValueError as error:
        raise ValueError(f"player {spec[:80]!r}: {error}") from None
