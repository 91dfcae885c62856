"""Recorded matches of persuasion: signals, qualities and purchases, and scripts that imitate them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from econzoo.baselines.persuasion.base import mover
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED, detect_signal, recorded_signal
from econzoo.envs.core.contract import Numbers, Script, StrategyMemory, UniformPair, check_arguments
from econzoo.envs.core.record import Record
from econzoo.envs.games.persuasion.rules import BUYER, HIGH, LOW, SELLER, View
from econzoo.envs.games.persuasion.solution import Round

__all__ = ["recorded_script", "rounds_of"]

_BINARY = {"recommend": RECOMMENDED, "discourage": DISCOURAGED}


@check_arguments
def rounds_of(record: Record) -> list[Round]:
    """Return the finished rounds of a match, for `solution.hindsight_payoff` and `solution.buyer_regret`.

    Args:
        record: Record of a match of persuasion.

    Returns:
        One `Round` per decision of a buyer; messages are classified as by the buyer's model, else by keywords.
    """
    out, signal = [], 0
    for turn in record.turns:
        if turn.action is None:
            continue
        if turn.seat == SELLER:
            signal = _signal(turn.action)
        else:
            recorded = recorded_signal(turn.calls)
            signal = signal if recorded is None else recorded
            out.append(Round(signal, record.chance[turn.round - 1] == HIGH, turn.action["kind"] == "buy"))
    return out


def _signal(action: dict[str, Any]) -> int:
    kind = action["kind"]
    return _BINARY[kind] if kind in _BINARY else detect_signal(action.get("message", ""))


class _Case(NamedTuple):
    """Condition of a decision: whether the seller was caught, and the quality (seller) or the signal (buyer)."""

    was_caught: bool
    sign: int


SIGN_COUNTS = {SELLER: 2, BUYER: 3}
"""Number of qualities or signals by seat."""

CAUGHT, SIGNAL, ROUND = 0, 1, 2
"""Indices in memory."""


@check_arguments
def recorded_script(records: Iterable[Record], seat: int) -> Script:
    """Return a script with the empirical frequencies of a seat in recorded matches, for `solution.script_response`.

    A seller recommends each quality, and a buyer buys after each signal, as often as in the records, separately before
    and after the seller was caught: once a product of low quality was recommended or, for myopic buyers, who only know
    statistics, bought. Sellers with text messages are not split by this. Unobserved cases are never a yes, so that the
    best response does not rely on unobserved behaviour, such as forgiveness.

    Args:
        records: Records of one setting.
        seat: Seat to imitate: 0 sells, 1 buys.
    """
    decisions: dict[_Case, list[bool]] = defaultdict(list)
    for record in records:
        for case, agreed in _cases(record, seat):
            decisions[case].append(agreed)
    signs = range(SIGN_COUNTS[seat])
    answers = [decisions.get(_Case(caught, sign), [False]) for caught in (False, True) for sign in signs]
    rule = _repeat_sale if seat == SELLER else _repeat_purchase
    return Script(mover(rule), tuple(sum(one) / len(one) for one in answers), (0.0, -1.0, 0.0), _note_deception)


def _cases(record: Record, seat: int) -> Iterator[tuple[_Case, bool]]:
    """Yield the condition of the seat in each round, and whether it recommended or bought."""
    strangers = seat == BUYER and record.params["buyer"] == "myopic"
    of_words = seat == SELLER and record.params["message_type"] != "binary"
    caught = False
    for one in rounds_of(record):
        recommended = one.signal == RECOMMENDED
        if seat == SELLER:
            yield _Case(caught, int(one.high)), recommended
        else:
            yield _Case(caught, int(one.signal)), one.bought  # type: ignore[call-overload]
        # After the decision, whose case is what was known before it.
        caught |= not of_words and not one.high and (one.bought if strangers else recommended)


def _repeat_sale(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
    return u[0] < x[(2 if v.recommended_low > 0 else 0) + int(v.quality)]


def _repeat_purchase(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
    caught = v.low_share > 0.0 if v.myopic else past[CAUGHT] > 0.0
    return u[0] < x[(3 if caught else 0) + v.said]


def _note_deception(v: View, past: StrategyMemory) -> None:
    """Remember that a recommended product was of low quality."""
    if v.seat == SELLER or v.myopic:
        return
    if v.round > past[ROUND]:
        if past[SIGNAL] == RECOMMENDED and v.last_quality == LOW:
            past[CAUGHT] = 1.0
        past[ROUND] = v.round
    past[SIGNAL] = v.said
