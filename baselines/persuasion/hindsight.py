"""A recorded match of persuasion as the buyer sees it afterwards: what was said, what it was, what was bought."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED, heard, read_before
from econzoo.envs.core.record.record import Record
from econzoo.envs.games.persuasion.rules import HIGH, SELLER
from econzoo.envs.games.persuasion.solution import Round

__all__ = ["rounds_of"]

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
            read = read_before(turn.calls)
            signal = signal if read is None else read
            out.append(Round(signal, record.chance[turn.round - 1] == HIGH, turn.action["kind"] == "buy"))
    return out


def _signal(action: dict[str, Any]) -> int:
    kind = action["kind"]
    return _BINARY[kind] if kind in _BINARY else heard(action.get("message", ""))
