"""How a model reads the rows of a batch: what it has read before is not read again, and what they share only once.

A `Reader` belongs to one model and keeps its states over the turns of a match (`PrefixCache`). Models whose states
cannot be kept by token (`layout_of`) read every prompt anew, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from econzoo.baselines.models.batching import common_width, pass_cost, passes, shared_beginnings
from econzoo.baselines.models.key_values import KeyValues, Layout, layout_of
from econzoo.baselines.models.prefix_cache import KEPT, PrefixCache

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")

_LONG = 8  # tokens; more than these are read with those of rows of like length


class Reading(Protocol):
    """Rows in the making.

    Attributes:
        known: How many tokens of each prompt are read already.
    """

    known: list[int]

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """Reads tokens of every row.

        Args:
            pending: For every row one or more tokens, which are taken out as far as they are read.

        Returns:
            The rows that have read all of theirs, and the logits after the last one of each.
        """
        ...

    def keep(self, rows: Sequence[int]) -> list[int]:
        """Lets all other rows leave; returns the old numbers of the rows that are left, in their new order."""
        ...

    def end(self) -> None:
        """No more is read."""
        ...


class Reader:
    """Reads with a model, and keeps what it has read until the model's weights change.

    Args:
        model: A decoder-only transformers model.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._states = PrefixCache()
        self._layout: Layout | None = None
        self._tried = False
        self._rows: KeyValues | None = None
        self._weights: object = None

    @property
    def bytes(self) -> int:
        """Of the states that are kept."""
        return self._states.bytes

    def parts(self, rows: Sequence[T]) -> list[Sequence[T]]:
        """Those that can share a batch, since a model that reads anew cannot leave out padding between its tokens."""
        return [rows] if self._known_layout() else [[row] for row in rows]

    def forget(self) -> None:
        """Frees the memory of all states."""
        self._states.clear()
        self._rows = None

    def begin(self, prompts: Sequence[Sequence[int]], kept: int = KEPT) -> Reading:
        """Starts a batch; what several prompts have in common is read at once.

        Args:
            prompts: Token ids, one or more for each row; see `parts`.
            kept: MiB of states that stay when the batch ends.
        """
        layout = self._known_layout()
        if layout is None:
            return Anew(self.model)
        self._notice_training()
        rows = self._room(layout, prompts)
        for level in shared_beginnings(prompts, self._states.known):
            Kept(rows, self._states, level, kept).learn(level)
        return Kept(rows, self._states, prompts, kept)

    def _known_layout(self) -> Layout | None:
        if not self._tried:
            self._layout, self._tried = layout_of(self.model), True
        return self._layout

    def _room(self, layout: Layout, prompts: Sequence[Sequence[int]]) -> KeyValues:
        """Tensors that are large enough."""
        longest = max(map(len, prompts))
        if self._rows is None or not self._rows.fits(len(prompts), longest):
            self._rows = None  # free the older ones first
            self._rows = KeyValues(self.model, layout, len(prompts), longest)
        return self._rows

    def _notice_training(self) -> None:
        """Forgets what older weights have read."""
        now = [(weight.data_ptr(), weight._version) for weight in self.model.parameters()]
        if now != self._weights:
            self._states.clear()
            self._weights = now


class Kept:
    """A batch whose states are kept; see `Reading`.

    Args:
        rows: Where the states are written.
        states: What was read before; takes what is read now.
        prompts: Token ids of each row.
        kept: MiB of states that stay in the end.
    """

    def __init__(self, rows: KeyValues, states: PrefixCache, prompts: Sequence[Sequence[int]], kept: int) -> None:
        self._rows, self._states, self._limit = rows, states, kept * 2**20
        self._count = len(prompts)
        self._cost = pass_cost(rows.device)
        self.known = [states.load(prompt[:-1], *rows.state(row)) for row, prompt in enumerate(prompts)]
        rows.begin([prompt[:known] for prompt, known in zip(prompts, self.known, strict=True)])

    def learn(self, prompts: Sequence[list[int]]) -> None:
        """Reads the prompts to their ends, and keeps them."""
        self._read({row: prompt[known:] for row, (prompt, known) in enumerate(zip(prompts, self.known, strict=True))})
        self._save(range(self._count))

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """See `Reading`; logits are wanted after the last token of a row alone, so that those before are read apart."""
        long = {row: tokens[:-1] for row, tokens in enumerate(pending) if len(tokens) > _LONG}
        self._read(long)
        for row, read in long.items():
            del pending[row][: len(read)]
        width = common_width([len(tokens) for tokens in pending], self._cost)
        logits = self._rows.feed(range(self._count), [tokens[:width] for tokens in pending])
        for tokens in pending:
            del tokens[:width]
        ready = [row for row, tokens in enumerate(pending) if not tokens]
        return ready, logits if len(ready) == self._count else logits[ready]

    def keep(self, rows: Sequence[int]) -> list[int]:
        """See `Reading`: the last ones take the places of those that leave."""
        staying = set(rows)
        self._save(row for row in range(self._count) if row not in staying)
        order = list(range(len(rows)))
        free = [place for place in order if place not in staying]
        for place, row in zip(free, (row for row in rows if row >= len(rows)), strict=True):
            self._rows.move(row, place)
            order[place] = row
        self._count = len(order)
        return order

    def end(self) -> None:
        """See `Reading`."""
        self._save(range(self._count))
        self._states.trim(self._limit)

    def _save(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._states.save(self._rows.read[row], *self._rows.state(row))

    def _read(self, tokens: dict[int, list[int]]) -> None:
        """Reads tokens of some rows in passes of rows of like length; each row has one or more."""
        rows = sorted(tokens, key=lambda row: len(tokens[row]))
        for start, end in passes([len(tokens[row]) for row in rows], self._cost):
            part = sorted(rows[start:end])
            self._rows.feed(part, [tokens[row] for row in part])


class Anew:
    """A batch of one row that keeps nothing, with the model's own cache; see `Reading`.

    Args:
        model: A decoder-only transformers model.
    """

    def __init__(self, model: Any) -> None:
        from transformers import DynamicCache

        self._model = model
        self._cache = DynamicCache(config=model.config)
        self.known = [0]

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """See `Reading`."""
        import torch

        ids = torch.tensor(pending, device=self._model.device)
        done = self._model(input_ids=ids, past_key_values=self._cache, use_cache=True, logits_to_keep=1)
        pending[0].clear()
        return [0], done.logits[:, -1]

    def keep(self, rows: Sequence[int]) -> list[int]:
        """See `Reading`."""
        return list(rows)

    def end(self) -> None:
        """See `Reading`."""
