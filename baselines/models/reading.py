"""Batched prompt reading with a prefix cache: known tokens are not read again, shared ones only once.

A `Reader` belongs to one model and caches its states across turns (`PrefixCache`). Models whose states cannot be cached
by token (`layout_of`) read every prompt in full, one at a time.

The grouping of tokens into passes minimises a cost model: a pass costs as much as reading some tokens (`pass_cost`),
plus one per token in it, including padding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from econzoo.baselines.models.key_values import KeyValues, Layout, layout_of
from econzoo.baselines.models.prefix_cache import CACHE_LIMIT, PrefixCache

if TYPE_CHECKING:
    from torch import Tensor


Tokens = Sequence[int]

MAX_PASS_TOKENS = 8192
"""Maximum tokens per pass, which bounds its memory; a single row may have more."""

_MIN_SAVED = 32
"""Minimum tokens saved by reading a common prefix separately."""


def pass_cost(device: str) -> int:
    """Return the fixed cost of a pass in tokens, for reading the weights."""
    return 16 if device == "cpu" else 256


def passes(lengths: Sequence[int], cost: int) -> list[tuple[int, int]]:
    """Return the cheapest partition of rows into padded passes, as first row and end of each.

    Args:
        lengths: Tokens of each row, ascending.
    """
    # Dynamic programming: rows are sorted, so that a cheapest partition has consecutive rows.
    best: list[tuple[float, int]] = [(0.0, 0)]  # cost of the first rows, and start of their last pass
    for end in range(1, len(lengths) + 1):
        width = lengths[end - 1]
        starts = [start for start in range(end) if (end - start) * width <= MAX_PASS_TOKENS or start == end - 1]
        best.append(min((best[start][0] + cost + (end - start) * width, start) for start in starts))
    out, end = [], len(lengths)
    while end:
        out.append((best[end][1], end))
        end = best[end][1]
    return out[::-1]


def common_width(lengths: Sequence[int], cost: int) -> int:
    """Return the number of tokens to read per row in one pass, for the most tokens per cost.

    Args:
        lengths: Pending tokens of each row, 1 or more.
    """

    def worth(width: int) -> float:
        return sum(min(length, width) for length in lengths) / (cost + width * len(lengths))

    # Ascending: the smallest width of equal worth.
    return max(sorted(set(lengths)), key=worth)


def shared_prefixes(prompts: Sequence[Tokens], known: Callable[[Tokens], int]) -> Iterator[list[list[int]]]:
    """Yield shared prefixes of prompts that are worth reading once, shorter ones first.

    Args:
        known: Returns the cached length of a prefix; called again after each level.

    Yields:
        Prefixes that can be read together.
    """
    # The last token of a prompt is always read with its row, for the logits.
    groups = [[list(prompt[:-1]) for prompt in prompts]]
    while groups:
        level, parts = [], []
        for group in groups:
            prefix = common_prefix(group)
            if (len(group) - 1) * (len(prefix) - known(prefix)) >= _MIN_SAVED:
                level.append(prefix)
            parts += _group_by_token(group, len(prefix))
        if level:
            yield level
        groups = parts


def common_prefix(lists: Sequence[list[int]]) -> list[int]:
    """Return the longest common prefix of all lists."""
    low, high = min(lists), max(lists)  # all others lie between these two lexicographically
    different = (index for index, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1])
    return low[: next(different, len(low))]


def _group_by_token(group: Sequence[list[int]], at: int) -> list[list[list[int]]]:
    """Return groups of two or more lists with the same token at an index."""
    groups: dict[int, list[list[int]]] = defaultdict(list)
    for tokens in group:
        if len(tokens) > at:
            groups[tokens[at]].append(tokens)
    return [several for several in groups.values() if len(several) > 1]


T = TypeVar("T")

_LONG_ROW = 8  # tokens; longer rows are read with rows of similar length


class Reading(Protocol):
    """A batch of rows during generation.

    Attributes:
        known_lengths: Tokens of each prompt read so far.
    """

    known_lengths: list[int]

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """Read tokens of every row.

        Args:
            pending: One or more tokens per row; read ones are removed.

        Returns:
            Rows without pending tokens, and the logits after the last token of each.
        """
        ...

    def retain_rows(self, rows: Sequence[int]) -> list[int]:
        """Drop all other rows; returns the old indices of the remaining rows in their new order."""
        ...

    def end(self) -> None: ...


class Reader:
    """Reads with a model and caches states until the model's weights change."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._states = PrefixCache()
        self._layout: Layout | None = None
        self._tried = False
        self._rows: KeyValues | None = None
        self._weights: object = None

    @property
    def bytes(self) -> int:
        """Size of the cached states."""
        return self._states.bytes

    def split_batches(self, rows: Sequence[T]) -> list[Sequence[T]]:
        """Split rows into batches; models without a layout need batches of one, without padding."""
        return [rows] if self._find_layout() else [[row] for row in rows]

    def forget(self) -> None:
        """Free the memory of all states."""
        self._states.clear()
        self._rows = None

    def begin(self, prompts: Sequence[Sequence[int]], cache_limit: int = CACHE_LIMIT) -> Reading:
        """Start a batch, reading shared prefixes once."""
        layout = self._find_layout()
        if layout is None:
            return UncachedReading(self.model)
        self._notice_training()
        rows = self._room(layout, prompts)
        for level in shared_prefixes(prompts, self._states.known_length):
            CachedReading(rows, self._states, level, cache_limit).read_prompts(level)
        return CachedReading(rows, self._states, prompts, cache_limit)

    def _find_layout(self) -> Layout | None:
        if not self._tried:
            self._layout, self._tried = layout_of(self.model), True
        return self._layout

    def _room(self, layout: Layout, prompts: Sequence[Sequence[int]]) -> KeyValues:
        """Return large enough tensors."""
        longest = max(map(len, prompts))
        if self._rows is None or not self._rows.has_room(len(prompts), longest):
            self._rows = None  # free the old ones first
            self._rows = KeyValues(self.model, layout, len(prompts), longest)
        return self._rows

    def _notice_training(self) -> None:
        """Clear the cache if the weights have changed."""
        # torch counts the changes of a tensor in place, such as a step of an optimiser, in `_version`.
        present = [(weight.data_ptr(), weight._version) for weight in self.model.parameters()]
        if present != self._weights:
            self._states.clear()
            self._weights = present


class CachedReading:
    """A batch with cached states; see `Reading`."""

    def __init__(
        self, rows: KeyValues, states: PrefixCache, prompts: Sequence[Sequence[int]], cache_limit: int
    ) -> None:
        self._rows, self._states, self._limit = rows, states, cache_limit * 2**20
        self._count = len(prompts)
        self._cost = pass_cost(rows.device)
        self.known_lengths = [states.load(prompt[:-1], *rows.state(row)) for row, prompt in enumerate(prompts)]
        rows.begin([prompt[:known] for prompt, known in zip(prompts, self.known_lengths, strict=True)])

    def read_prompts(self, prompts: Sequence[list[int]]) -> None:
        """Read the prompts to their ends and cache them."""
        self._read(
            {row: prompt[known:] for row, (prompt, known) in enumerate(zip(prompts, self.known_lengths, strict=True))}
        )
        self._save(range(self._count))

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """See `Reading`; only the last token of a row needs logits, so preceding ones are read separately."""
        long = {row: tokens[:-1] for row, tokens in enumerate(pending) if len(tokens) > _LONG_ROW}
        self._read(long)
        for row, read in long.items():
            del pending[row][: len(read)]
        width = common_width([len(tokens) for tokens in pending], self._cost)
        logits = self._rows.feed(range(self._count), [tokens[:width] for tokens in pending])
        for tokens in pending:
            del tokens[:width]
        ready = [row for row, tokens in enumerate(pending) if not tokens]
        return ready, logits if len(ready) == self._count else logits[ready]

    def retain_rows(self, rows: Sequence[int]) -> list[int]:
        """See `Reading`: the last rows replace dropped ones."""
        staying = set(rows)
        # Saved now, as others move into their places.
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
        """Read tokens of some rows in passes of similar length; each row has one or more."""
        rows = sorted(tokens, key=lambda row: len(tokens[row]))
        for start, end in passes([len(tokens[row]) for row in rows], self._cost):
            part = sorted(rows[start:end])
            self._rows.feed(part, [tokens[row] for row in part])


class UncachedReading:
    """A batch of one row with the model's own cache; see `Reading`."""

    def __init__(self, model: Any) -> None:
        from transformers import DynamicCache

        self._model = model
        self._cache = DynamicCache(config=model.config)
        self.known_lengths = [0]

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """See `Reading`."""
        import torch

        ids = torch.tensor(pending, device=self._model.device)
        done = self._model(input_ids=ids, past_key_values=self._cache, use_cache=True, logits_to_keep=1)
        pending[0].clear()
        return [0], done.logits[:, -1]

    def retain_rows(self, rows: Sequence[int]) -> list[int]:
        """See `Reading`."""
        return list(rows)

    def end(self) -> None:
        """See `Reading`."""
