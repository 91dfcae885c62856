"""What becomes of words on their way from one seat to the others: nothing, silence, or disorder.

Moves stay as they are. A match that is played once with its words and once with the same words in disorder shows how
much of the result is due to what they meant; with ``messages=False`` instead, nobody can speak at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract.symbols import ALPHABET

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema

Change = Callable[[str, np.random.Generator], str]
"""What the others hear instead of a message."""


def silence(message: str, rng: np.random.Generator) -> str:
    """Silence; the speakers still believe that they are heard."""
    return ""


def scramble(message: str, rng: np.random.Generator) -> str:
    """The same words in a random order: length and vocabulary stay, the meaning does not."""
    words = message.split()
    return " ".join(words[i] for i in rng.permutation(len(words)))


def redraw_symbol(symbols: int) -> Change:
    """Disorder where messages are symbols: any of them, all as likely; one letter has no order to lose."""
    return lambda message, rng: ALPHABET[int(rng.integers(symbols))]


CHANGES: dict[str, Change] = {"off": silence, "scrambled": scramble}

OPEN = "open"
CHANNELS = (OPEN, *CHANGES)
"""Values of the option ``channel`` of every environment."""


def message_change(channel: str, symbols: int) -> Change | None:
    """What becomes of messages by the option ``channel``; None: nothing.

    Args:
        channel: One of `CHANNELS`.
        symbols: How many there are in the place of words; 0: none.
    """
    return redraw_symbol(symbols) if symbols and channel == "scrambled" else CHANGES.get(channel)


def apply_channel(schema: ActionSchema, action: Any, change: Change, rng: np.random.Generator) -> Any:
    """A typed action with its message as the others hear it; one without words stays as it is."""
    key = schema.kinds[schema.move(action)[0]].message
    if key is None or not getattr(action, key):
        return action
    return action._replace(**{key: change(getattr(action, key), rng)})
