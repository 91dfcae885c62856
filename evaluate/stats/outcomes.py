"""Rates of incomplete model replies, apart from invalid ones, and their notes in tables."""

from __future__ import annotations

from collections.abc import Iterable

from econzoo.envs.core.faces import CUT, FILTERED, IN_REASONING, LENGTH, NO_REPLY_CODES, REFUSAL, THINKING
from econzoo.envs.core.record import Turn

RATES = {f"{code}_rate": (code, "answers") for code in NO_REPLY_CODES}
"""Rates relative to all answers, estimated where the outcome occurs."""

HEADINGS = {
    f"{CUT}_rate": "cut",
    f"{FILTERED}_rate": "filtered",
    f"{REFUSAL}_rate": "refused",
    "empty_rate": "empty",
    f"{THINKING}_rate": "thinking",
    f"{IN_REASONING}_rate": "in reasoning",
}
"""Rates to their labels in tables."""

LEGEND = (
    "Replies of models, of all answers: cut at their limit of tokens (a move may have stood in them), withheld by a "
    "content filter, refused by the provider, empty, cut or ended while the model still thought, and given as nothing "
    "but reasoning (the server's parser of it may be the wrong one)."
)


def outcome(turn: Turn) -> str:
    """Return which of `NO_REPLY_CODES` the reply of a turn has; empty: none."""
    if turn.error is not None:
        return turn.error[0] if turn.error[0] in NO_REPLY_CODES else ""
    # A reply that was cut may still contain a valid move, which has no error.
    return CUT if turn.finish == LENGTH or turn.closed_by_grammar else ""


def count_outcomes(turns: Iterable[Turn]) -> dict[str, int]:
    found = [outcome(turn) for turn in turns]
    return {code: found.count(code) for code in NO_REPLY_CODES}
