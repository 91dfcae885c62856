"""Best response to a scripted partner, by dynamic programming over the state that the partner depends on.

Nature draws qualities, and the partner is a strategy as a function of numbers (`econzoo.envs.core.contract.scripts`):
its view, its memory, its random draws. The value of the optimal plan follows by backward induction over positions.
Counts of the record and memory of the partner enter a position only if the partner accesses them, which is found by
tracking (`_TrackedView`, `_UntrackedNumber`): counts evolve independently, so unaccessed ones are irrelevant.

A seller chooses the signal knowing the quality; a buyer knows the disclosed qualities of earlier rounds, and the
partner's signalling strategy. A player that acts for all myopic buyers remembers all rounds. The value is exact for a
partner that says yes if and only if its random draw is below a threshold, or above one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Real, Script, check_argument
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DISCOURAGE, HIGH, LOW, RECOMMEND, SAY, SELLER, SILENT
from econzoo.envs.games.persuasion.rules import Params, State, View
from econzoo.envs.games.persuasion.validation import validate_setting

VIEW_SOURCES = {
    "bought_share": ("sold_high", "sold_low"),
    "low_share": ("sold_low",),
    "sold": ("sold_high", "sold_low"),
    "sold_low": ("sold_low",),
    "declined_high": ("sold_high", "sold_low", "declined_high", "declined_low"),
    "declined_low": ("sold_high", "sold_low", "declined_high", "declined_low"),
    "recommended_high": ("recommended_high",),
    "recommended_low": ("recommended_low",),
    "last_quality": ("last_quality",),
}
"""Parts of a position that determine each field of a view."""

ALL_COUNTS = ("sold_high", "sold_low", "declined_high", "declined_low", "recommended_high", "recommended_low")

SIGNALS = (0, 1, 2)
"""Meanings of messages: a recommendation, discouragement, neither."""

BISECTION_STEPS = 60
"""Bisection steps for the threshold on the partner's random draw: more than the 53 bits of a float."""

QUALITY_IN_MOVE = "asked"
"""Key of the previous product's quality if it is accessed in a move, not only in a note."""

MOST_ROUNDS = 40
"""Maximum number of rounds, limited by the number of positions; also used for an unknown number of rounds."""

RANDOM_YES_PROBABILITY = 0.5


class _UntrackedAccessError(Exception):
    """An untracked number was accessed and must be tracked."""


class _TrackedView:
    """A view that records accesses to counts."""

    def __init__(self, view: View, accessed: set[str | int]) -> None:
        self._view, self._accessed = view, accessed

    def __getattr__(self, name: str) -> Any:
        self._accessed.update(VIEW_SOURCES.get(name, ()))
        return getattr(self._view, name)


class _TrackedDraws:
    """Random draws of a move that record whether they were accessed."""

    def __init__(self, first: float) -> None:
        self.first, self.accessed = first, False

    def __getitem__(self, place: int) -> float:
        self.accessed = True
        return 0.0 if place else self.first


class _UntrackedNumber:
    """An untracked number in the partner's memory: only addition is allowed."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __add__(self, other: Any) -> _UntrackedNumber:
        return self._raise_access(other) if isinstance(other, _UntrackedNumber) else self

    __radd__ = __add__

    def _raise_access(self, *others: Any) -> Any:
        raise _UntrackedAccessError(self.place)

    __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __abs__ = __mod__ = _raise_access
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _raise_access  # type: ignore[assignment]
    __bool__ = __int__ = __float__ = __index__ = __round__ = __floor__ = __hash__ = _raise_access  # type: ignore[assignment]


def script_response(params: Params, seat: int, script: Script | None) -> float:
    """Expected gain of a seat's best response to a scripted partner.

    Args:
        params: The setting, known like the partner. A hidden number of rounds is replaced by `MOST_ROUNDS`.
        seat: The responding seat: 0 sells, 1 buys.
        script: The partner; None for the random player.

    Returns:
        Mean gain per round, as a fraction of the price.
    """
    setting = validate_setting(params)
    return _best_gain(setting if setting.rounds_known else setting._replace(rounds=MOST_ROUNDS), seat, script)


def script_regret(params: Params, seat: int, script: Script | None, payoff: float) -> float:
    """Regret of a seat against a scripted partner: expected gain of its best response minus its own gain.

    The best response (`script_response`) knows the true number of rounds here, but not nature's draws: regret can be
    negative in a lucky match, but not on average over nature's draws.

    Args:
        seat: The seat: 0 sells, 1 buys.
        script: The partner; None for the random player.
        payoff: Payoff of the seat in dollars.

    Returns:
        Regret per round, as a fraction of the price.
    """
    earned = check_argument("payoff", payoff, Real()) / (validate_setting(params).price * params.rounds)
    return _best_gain(params, seat, script) - earned


@lru_cache(maxsize=4096)
def _best_gain(params: Params, seat: int, script: Script | None) -> float:
    """See `script_response`."""
    if params.rounds > MOST_ROUNDS:
        raise ValueError(f"invalid rounds={params.rounds}: expected at most {MOST_ROUNDS} (too many positions)")
    # Nothing is tracked at first, then what was accessed, until nothing new is: tracked numbers multiply the positions.
    tracked: frozenset[str | int] = frozenset()
    while True:
        accessed: set[str | int] = set(tracked)
        try:
            value = _Search(params, seat, script, tracked, accessed).value()
        except _UntrackedAccessError as error:
            accessed.add(error.args[0])
        # Accesses that raise no error change later positions too, so the value counts only if there were none new.
        if accessed == tracked:
            return value / params.rounds
        tracked = frozenset(accessed)


TrackedKeys = frozenset[str | int]
PartnerMemory = tuple[float, ...]


class _Search:
    """One backward induction.

    Args:
        tracked: Counts and indices of memory that the partner is known to access.
        accessed: Output: all that it accesses.
    """

    def __init__(
        self, params: Params, seat: int, script: Script | None, tracked: TrackedKeys, accessed: set[str | int]
    ) -> None:
        self.params, self.seat, self.script, self.tracked, self.accessed = params, seat, script, tracked, accessed
        self.signals = (RECOMMEND, DISCOURAGE) if params.binary else SIGNALS if params.words else (SAY,)
        self.worth = {HIGH: params.high_value - 1.0, LOW: params.low_value - 1.0}
        self.chances = [
            (quality, chance) for quality, chance in ((HIGH, params.prior), (LOW, 1 - params.prior)) if chance
        ]
        self.round_value, self.seller_value = lru_cache(None)(self._round_value), lru_cache(None)(self._seller_value)

    def value(self) -> float:
        """Value over all rounds, as a fraction of the price."""
        past = tuple(self.script.start(self.params)) if self.script else ()
        return self.round_value(rules.initial(self.params), self._tracked_memory(past))

    def _round_value(self, state: State, past: PartnerMemory) -> float:
        """Value from the start of a round."""
        if state.over:
            return 0.0
        if self.seat == BUYER:
            return self._buyer_value(state, past)
        view = rules.observe(self.params, rules.advance_stage(state, rules.BUYERS_TURN, UNKNOWN, SAY), BUYER)
        memories = tuple(self._update_memory(view._replace(said=signal), past) for signal in self.signals)
        # The note has taken in the last quality; if the move does not access it, positions that differ in it are the
        # same.
        last = state.last_quality if QUALITY_IN_MOVE in self.tracked else UNKNOWN
        return self.seller_value(state._replace(last_quality=last), memories)

    def _seller_value(self, state: State, memories: tuple[PartnerMemory, ...]) -> float:
        """Value of the seller, who knows the quality, given the buyer's memory after each signal."""
        replies = [self._buyer_reply(state, signal, past) for signal, past in zip(self.signals, memories, strict=True)]
        return sum(
            chance * max(self._signal_value(state, quality, *answer) for answer in replies)
            for quality, chance in self.chances
        )

    def _buyer_reply(self, state: State, signal: int, past: PartnerMemory) -> tuple[int, float, PartnerMemory]:
        """The kind of the seller's move, the probability of a purchase, and the buyer's memory."""
        kind = signal if self.params.binary else SAY
        after = rules.advance_stage(state, rules.BUYERS_TURN, UNKNOWN, kind)
        return kind, self._yes_probability(rules.observe(self.params, after, BUYER)._replace(said=signal), past), past

    def _signal_value(self, state: State, quality: float, kind: int, chance: float, past: PartnerMemory) -> float:
        after = rules.advance_stage(state, rules.BUYERS_TURN, quality, kind)
        bought = chance * (1.0 + self._next_value(after, True, past)) if chance > 0.0 else 0.0
        return bought + ((1.0 - chance) * self._next_value(after, False, past) if chance < 1.0 else 0.0)

    def _buyer_value(self, state: State, past: PartnerMemory) -> float:
        """Value of the buyer: for each signal, the better of buying and declining."""
        sent: dict[int, list[tuple[float, State, PartnerMemory]]] = {}
        for quality, weight in self.chances:
            view = rules.observe(self.params, rules.advance_stage(state, rules.SELLERS_TURN, quality, SILENT), SELLER)
            view = view._replace(binary=1)  # a partner that uses words recommends or discourages too
            after = self._update_memory(view, past)
            yes = self._yes_probability(view, after)
            for signal, probability in ((RECOMMEND, yes), (DISCOURAGE, 1.0 - yes)):
                kind = signal if self.params.binary else SAY
                received = signal if self.params.binary or self.params.words else SAY
                if probability > 0.0:
                    decision = rules.advance_stage(state, rules.BUYERS_TURN, quality, kind)
                    sent.setdefault(received, []).append((weight * probability, decision, after))
        return sum(
            max(self._decision_value(outcomes, bought) for bought in (True, False)) for outcomes in sent.values()
        )

    def _decision_value(self, sent: list[tuple[float, State, PartnerMemory]], bought: bool) -> float:
        return sum(
            weight * ((self.worth[state.quality] if bought else 0.0) + self._next_value(state, bought, past))
            for weight, state, past in sent
        )

    def _next_value(self, state: State, bought: bool, past: PartnerMemory) -> float:
        return self.round_value(self._canonical_state(rules.decide(self.params, state, bought)), past)

    def _canonical_state(self, state: State) -> State:
        """Canonical position of all that differ in untracked counts only, with the same number of rounds."""
        kept = {name: getattr(state, name) if name in self.tracked else 0 for name in ALL_COUNTS}
        rounds = state.sold_high + state.sold_low + state.declined_high + state.declined_low
        if "declined_high" not in self.tracked:
            # The number of past rounds stays: shares of it are known even if the counts are not tracked.
            kept["declined_high"] = rounds - kept["sold_high"] - kept["sold_low"]
        last = state.last_quality if "last_quality" in self.tracked else UNKNOWN
        rest: Any = (*(kept[name] for name in ALL_COUNTS), last, state.over)
        return State(state.round, state.stage, state.quality, state.said, *rest)

    def _update_memory(self, view: View, past: PartnerMemory) -> PartnerMemory:
        """The partner's memory after a view; 0 for untracked numbers."""
        if self.script is None:
            return past
        memory: list[Any] = [
            one if place in self.tracked else _UntrackedNumber(place) for place, one in enumerate(past)
        ]
        tracked_view: Any = _TrackedView(view, self.accessed)
        self.script.note(tracked_view, memory)
        for place, one in enumerate(memory):
            if place in self.tracked and isinstance(one, _UntrackedNumber):
                raise _UntrackedAccessError(one.place)
        return self._tracked_memory(memory)

    def _tracked_memory(self, past: Sequence[Any]) -> PartnerMemory:
        return tuple(one if place in self.tracked else 0.0 for place, one in enumerate(past))

    def _yes_probability(self, view: View, past: PartnerMemory) -> float:
        """Probability that the partner says yes."""
        if self.script is None:
            return RANDOM_YES_PROBABILITY
        low, depends = self._says_yes(view, past, 0.0)
        if not depends:
            return float(low)
        least, most = 0.0, 1.0
        for _ in range(BISECTION_STEPS):
            middle = (least + most) / 2
            least, most = (middle, most) if self._says_yes(view, past, middle)[0] == low else (least, middle)
        # The threshold is a probability, since the draw is uniform on [0, 1).
        return most if low else 1.0 - most

    def _says_yes(self, view: View, past: PartnerMemory, first: float) -> tuple[bool, bool]:
        """Whether it says yes with this random draw, and whether it accessed the draw."""
        assert self.script is not None
        view_accesses: set[str | int] = set()
        tracked_view: Any = _TrackedView(view, view_accesses)
        draws: Any = _TrackedDraws(first)
        memory = [one if place in self.tracked else _UntrackedNumber(place) for place, one in enumerate(past)]
        move = self.script.move(tracked_view, self.script.numbers, memory, draws)
        self.accessed.update(view_accesses, {QUALITY_IN_MOVE} if "last_quality" in view_accesses else ())
        return move.kind in (RECOMMEND, BUY), draws.accessed
