"""Message channels for ablations: open, off (messages are lost) or scrambled (random word order).

Moves are unchanged. Comparing an open with a scrambled channel measures the effect of the meaning of messages;
``messages=False`` instead removes messages altogether.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract import ALPHABET

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema

Change = Callable[[str, np.random.Generator], str]
"""Function from a message and a generator to the message that others receive."""


def silence(message: str, rng: np.random.Generator) -> str:
    """Return an empty message; senders are not informed."""
    return ""


def scramble(message: str, rng: np.random.Generator) -> str:
    """Shuffle the words of a message, which keeps length and vocabulary but not the meaning."""
    words = message.split()
    return " ".join(words[i] for i in rng.permutation(len(words)))


def redraw_symbol(symbols: int) -> Change:
    """Return the scrambling of symbols: replacement by a uniformly random symbol."""
    return lambda message, rng: ALPHABET[int(rng.integers(symbols))]


CHANGES: dict[str, Change] = {"off": silence, "scrambled": scramble}

OPEN = "open"
CHANNELS = (OPEN, *CHANGES)
"""Values of the option ``channel``."""


def message_change(channel: str, symbols: int) -> Change | None:
    """Return the change of messages under an option ``channel``, or None.

    Args:
        symbols: Number of symbols; 0: free text.
    """
    # A symbol is one word, which shuffling would leave as it is.
    return redraw_symbol(symbols) if symbols and channel == "scrambled" else CHANGES.get(channel)


def apply_channel(schema: ActionSchema, action: Any, change: Change, rng: np.random.Generator) -> Any:
    """Return a typed action with its message as received by others."""
    key = schema.kinds[schema.move(action)[0]].message
    if key is None or not getattr(action, key):
        return action
    return action._replace(**{key: change(getattr(action, key), rng)})
