"""Recorded matches of persuasion afterwards: what was said, what it was, what was bought, and who would do so again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from econzoo.baselines.persuasion.base import mover
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED, detect_signal, recorded_signal
from econzoo.envs.core.contract.scripts import Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.core.record.record import Record
from econzoo.envs.games.persuasion.rules import BUYER, HIGH, LOW, SELLER, View
from econzoo.envs.games.persuasion.solution import Round

__all__ = ["recorded_script", "rounds_of"]

_BINARY = {"recommend": RECOMMENDED, "discourage": DISCOURAGED}


def rounds_of(record: Record) -> list[Round]:
    """The finished rounds of a match, for `solution.hindsight_payoff` and `solution.buyer_regret`.

    Args:
        record: Of a match of persuasion.

    Returns:
        One `Round` for each decision of a buyer; words are read as the buyer's model read them, else by keywords.
    """
    out, signal = [], 0
    for turn in record.turns:
        if turn.action is None:
            continue
        if turn.seat == SELLER:
            signal = _signal(turn.action)
        else:
            read = recorded_signal(turn.calls)
            signal = signal if read is None else read
            out.append(Round(signal, record.chance[turn.round - 1] == HIGH, turn.action["kind"] == "buy"))
    return out


def _signal(action: dict[str, Any]) -> int:
    kind = action["kind"]
    return _BINARY[kind] if kind in _BINARY else detect_signal(action.get("message", ""))


class _Case(NamedTuple):
    """What a seat goes by: whether the seller was caught, and the quality (a seller) or the signal (a buyer)."""

    was_caught: bool
    sign: int


SIGN_COUNTS = {SELLER: 2, BUYER: 3}
"""How many qualities or signals there are for a seat."""

CAUGHT, SIGNAL, ROUND = 0, 1, 2
"""Places in what is remembered."""


def recorded_script(records: Iterable[Record], seat: int) -> Script:
    """Somebody who does again what a seat did in recorded matches, as often: for `solution.script_response`.

    A seller recommends each quality, and a buyer buys after each signal, as often as in the records; before and after
    the seller was caught by itself. It is caught once a product was recommended and of low quality, and to myopic
    buyers, who know statistics only, once one of low quality was bought. A seller of words is not told apart by that.
    What never came up is not done, so that the best response builds on nothing that was not seen: that a buyer
    forgives, say, who met no liar.

    Args:
        records: Of matches in one setting.
        seat: Whose moves: 0 sells, 1 buys.
    """
    found: dict[_Case, list[bool]] = defaultdict(list)
    for record in records:
        for case, agreed in _cases(record, seat):
            found[case].append(agreed)
    signs = range(SIGN_COUNTS[seat])
    seen = [found.get(_Case(caught, sign), [False]) for caught in (False, True) for sign in signs]
    yes = _repeat_sale if seat == SELLER else _repeat_purchase
    return Script(mover(yes), tuple(sum(one) / len(one) for one in seen), (0.0, -1.0, 0.0), _note_deception)


def _cases(record: Record, seat: int) -> Iterator[tuple[_Case, bool]]:
    """What the seat met in each round, and whether it recommended or bought."""
    strangers = seat == BUYER and record.params["buyer"] == "myopic"
    of_words = seat == SELLER and record.params["message_type"] != "binary"
    caught = False
    for one in rounds_of(record):
        recommended = one.signal == RECOMMENDED
        if seat == SELLER:
            yield _Case(caught, int(one.high)), recommended
        else:
            yield _Case(caught, int(one.signal)), one.bought  # type: ignore[call-overload]
        caught |= not of_words and not one.high and (one.bought if strangers else recommended)


def _repeat_sale(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
    return u[0] < x[(2 if v.recommended_low > 0 else 0) + int(v.quality)]


def _repeat_purchase(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
    caught = v.low_share > 0.0 if v.myopic else past[CAUGHT] > 0.0
    return u[0] < x[(3 if caught else 0) + v.said]


def _note_deception(v: View, past: StrategyMemory) -> None:
    """Writes down that a product which had been recommended to a buyer was of low quality."""
    if v.seat == SELLER or v.myopic:
        return
    if v.round > past[ROUND]:
        if past[SIGNAL] == RECOMMENDED and v.last_quality == LOW:
            past[CAUGHT] = 1.0
        past[ROUND] = v.round
    past[SIGNAL] = v.said
