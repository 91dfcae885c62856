"""The best that a seat can do against a scripted partner, by dynamic programming over what the partner looks at.

Nature draws qualities, and the partner is a strategy as a function of numbers (`econzoo.envs.core.contract.scripts`):
its view, what it remembers, its luck. The value of the best plan follows by backward induction over positions. A
position has of the counts of the record, and of what the partner remembers, only what it looks at, which is found by
watching it (`_TrackedView`, `_UntrackedNumber`): every count moves on its own, by quality, signal and purchase, so that
those at which nobody looks change nothing.

A seller chooses the signal knowing the quality; a buyer knows what was disclosed of the rounds before, and how likely
the partner sends the signal that it hears with each quality. Whoever sits for all myopic buyers remembers them all.
What is found is exact for a partner whose luck makes it say yes below some number and no above.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract.arguments import check_argument
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.parameters import Real
from econzoo.envs.core.contract.scripts import Script
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.rules import (
    BUY,
    BUYER,
    DISCOURAGE,
    HIGH,
    LOW,
    RECOMMEND,
    SAY,
    SELLER,
    SILENT,
    Params,
    State,
    View,
)
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
"""What of a position each part of a view follows from."""

ALL_COUNTS = ("sold_high", "sold_low", "declined_high", "declined_low", "recommended_high", "recommended_low")

SIGNALS = (0, 1, 2)
"""What words can say: a recommendation, advice against the product, neither."""

BISECTION_STEPS = 60
"""Of where luck makes the difference."""

QUALITY_IN_MOVE = "asked"
"""Stands for the quality of the product before where it is looked at in a move, and not only in a note."""

MOST_ROUNDS = 40
"""More have too many positions. So many stand for no last round, where nobody is told one."""

RANDOM_YES_PROBABILITY = 0.5
"""The probability of yes of one who moves at random."""


class _UntrackedAccessError(Exception):
    """Something that was forgotten was looked at: it has to be kept."""


class _TrackedView:
    """A view that writes down which counts are looked at."""

    def __init__(self, view: View, accessed: set[str | int]) -> None:
        self._view, self._accessed = view, accessed

    def __getattr__(self, name: str) -> Any:
        self._accessed.update(VIEW_SOURCES.get(name, ()))
        return getattr(self._view, name)


class _TrackedDraws:
    """The luck of a move, which writes down whether it was looked at."""

    def __init__(self, first: float) -> None:
        self.first, self.accessed = first, False

    def __getitem__(self, place: int) -> float:
        self.accessed = True
        return 0.0 if place else self.first


class _UntrackedNumber:
    """A number that is remembered and never looked at: it may be added to, and nothing else."""

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
    """What the best plan of a seat earns against a scripted partner, in expectation.

    Args:
        params: The setting; all of it is known, as is the partner. `MOST_ROUNDS` stand for a number that is hidden.
        seat: The seat that replies: 0 sells, 1 buys.
        script: The partner; None: one who moves at random.

    Returns:
        The mean gain: parts of the price, per round.

    Raises:
        ValueError: The setting is not valid, or has too many rounds.
    """
    told = validate_setting(params)
    return _best_gain(told if told.rounds_known else told._replace(rounds=MOST_ROUNDS), seat, script)


def script_regret(params: Params, seat: int, script: Script | None, payoff: float) -> float:
    """What a seat left on the table against a scripted partner: the mean gain of its best plan, less its own.

    The best plan is that of `script_response`. It knows the true number of rounds here, and not what nature draws: a
    lucky match has a negative regret, but nobody has one on average over nature's draws.

    Args:
        params: The setting.
        seat: The seat that earned the payoff: 0 sells, 1 buys.
        script: The partner; None: one who moves at random.
        payoff: Dollars of the match.

    Returns:
        Parts of the price, per round.

    Raises:
        ValueError: The payoff is not finite, or as in `script_response`.
    """
    earned = check_argument("payoff", payoff, Real()) / (validate_setting(params).price * params.rounds)
    return _best_gain(params, seat, script) - earned


@lru_cache(maxsize=4096)
def _best_gain(params: Params, seat: int, script: Script | None) -> float:
    """See `script_response`."""
    if params.rounds > MOST_ROUNDS:
        raise ValueError(f"rounds={params.rounds} has too many positions; allowed: up to {MOST_ROUNDS}")
    kept: frozenset[str | int] = frozenset()
    while True:
        looked: set[str | int] = set(kept)
        try:
            found = _Search(params, seat, script, kept, looked).value()
        except _UntrackedAccessError as seen:
            looked.add(seen.args[0])
        if looked == kept:
            return found / params.rounds
        kept = frozenset(looked)


TrackedKeys = frozenset[str | int]
PartnerMemory = tuple[float, ...]


class _Search:
    """One backward induction.

    Args:
        params: The setting.
        seat: The seat that replies.
        script: The partner.
        tracked: Counts and places of what is remembered that are known to be looked at.
        accessed: Where others are written down.
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
        """Parts of the price of all rounds."""
        past = tuple(self.script.start(self.params)) if self.script else ()
        return self.round_value(rules.initial(self.params), self._tracked_memory(past))

    def _round_value(self, state: State, past: PartnerMemory) -> float:
        """From the start of a round on."""
        if state.over:
            return 0.0
        if self.seat == BUYER:
            return self._buyer_value(state, past)
        told = rules.observe(self.params, rules.advance_stage(state, rules.BUYERS_TURN, UNKNOWN, SAY), BUYER)
        heard = tuple(self._update_memory(told._replace(said=signal), past) for signal in self.signals)
        last = state.last_quality if QUALITY_IN_MOVE in self.tracked else UNKNOWN
        return self.seller_value(state._replace(last_quality=last), heard)

    def _seller_value(self, state: State, heard: tuple[PartnerMemory, ...]) -> float:
        """What the seller earns, who knows the quality; with what the buyer remembers after each signal."""
        found = [self._buyer_reply(state, signal, past) for signal, past in zip(self.signals, heard, strict=True)]
        return sum(
            chance * max(self._signal_value(state, quality, *answer) for answer in found)
            for quality, chance in self.chances
        )

    def _buyer_reply(self, state: State, signal: int, past: PartnerMemory) -> tuple[int, float, PartnerMemory]:
        """The kind of the seller's move, the probability that the buyer then buys, and what the buyer remembers."""
        kind = signal if self.params.binary else SAY
        heard = rules.advance_stage(state, rules.BUYERS_TURN, UNKNOWN, kind)
        return kind, self._yes_probability(rules.observe(self.params, heard, BUYER)._replace(said=signal), past), past

    def _signal_value(self, state: State, quality: float, kind: int, chance: float, past: PartnerMemory) -> float:
        heard = rules.advance_stage(state, rules.BUYERS_TURN, quality, kind)
        bought = chance * (1.0 + self._next_value(heard, True, past)) if chance > 0.0 else 0.0
        return bought + ((1.0 - chance) * self._next_value(heard, False, past) if chance < 1.0 else 0.0)

    def _buyer_value(self, state: State, past: PartnerMemory) -> float:
        """Each signal by itself: the better of buying and declining whatever was sent with it."""
        sent: dict[int, list[tuple[float, State, PartnerMemory]]] = {}
        for quality, weight in self.chances:
            view = rules.observe(self.params, rules.advance_stage(state, rules.SELLERS_TURN, quality, SILENT), SELLER)
            view = view._replace(binary=1)  # what it says in words is one of these too
            after = self._update_memory(view, past)
            yes = self._yes_probability(view, after)
            for signal, part in ((RECOMMEND, yes), (DISCOURAGE, 1.0 - yes)):
                kind = signal if self.params.binary else SAY
                heard = signal if self.params.binary or self.params.words else SAY
                if part > 0.0:
                    told = rules.advance_stage(state, rules.BUYERS_TURN, quality, kind)
                    sent.setdefault(heard, []).append((weight * part, told, after))
        return sum(max(self._decision_value(found, bought) for bought in (True, False)) for found in sent.values())

    def _decision_value(self, sent: list[tuple[float, State, PartnerMemory]], bought: bool) -> float:
        return sum(
            weight * ((self.worth[state.quality] if bought else 0.0) + self._next_value(state, bought, past))
            for weight, state, past in sent
        )

    def _next_value(self, state: State, bought: bool, past: PartnerMemory) -> float:
        return self.round_value(self._canonical_state(rules.decide(self.params, state, bought)), past)

    def _canonical_state(self, state: State) -> State:
        """The position that stands for all that differ in counts at which nobody looks; the rounds stay as many."""
        kept = {name: getattr(state, name) if name in self.tracked else 0 for name in ALL_COUNTS}
        rounds = state.sold_high + state.sold_low + state.declined_high + state.declined_low
        if "declined_high" not in self.tracked:
            kept["declined_high"] = rounds - kept["sold_high"] - kept["sold_low"]
        last = state.last_quality if "last_quality" in self.tracked else UNKNOWN
        rest: Any = (*(kept[name] for name in ALL_COUNTS), last, state.over)
        return State(state.round, state.stage, state.quality, state.said, *rest)

    def _update_memory(self, view: View, past: PartnerMemory) -> PartnerMemory:
        """What the partner remembers after it has seen this; 0 for what it never looks at."""
        if self.script is None:
            return past
        held: list[Any] = [one if place in self.tracked else _UntrackedNumber(place) for place, one in enumerate(past)]
        watched: Any = _TrackedView(view, self.accessed)
        self.script.note(watched, held)
        for place, one in enumerate(held):
            if place in self.tracked and isinstance(one, _UntrackedNumber):
                raise _UntrackedAccessError(one.place)
        return self._tracked_memory(held)

    def _tracked_memory(self, past: Sequence[Any]) -> PartnerMemory:
        return tuple(one if place in self.tracked else 0.0 for place, one in enumerate(past))

    def _yes_probability(self, view: View, past: PartnerMemory) -> float:
        """The probability that the partner says yes."""
        if self.script is None:
            return RANDOM_YES_PROBABILITY
        low, depends = self._says_yes(view, past, 0.0)
        if not depends:
            return float(low)
        least, most = 0.0, 1.0
        for _ in range(BISECTION_STEPS):
            middle = (least + most) / 2
            least, most = (middle, most) if self._says_yes(view, past, middle)[0] == low else (least, middle)
        return most if low else 1.0 - most

    def _says_yes(self, view: View, past: PartnerMemory, first: float) -> tuple[bool, bool]:
        """Whether it says yes with this luck, and whether it looked at its luck."""
        assert self.script is not None
        seen: set[str | int] = set()
        watched: Any = _TrackedView(view, seen)
        luck: Any = _TrackedDraws(first)
        held = [one if place in self.tracked else _UntrackedNumber(place) for place, one in enumerate(past)]
        move = self.script.move(watched, self.script.numbers, held, luck)
        self.accessed.update(seen, {QUALITY_IN_MOVE} if "last_quality" in seen else ())
        return move.kind in (RECOMMEND, BUY), luck.accessed
