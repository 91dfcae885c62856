"""How a model reads the rows of a batch: what it has read before is not read again, and what they share only once.

A `Reader` belongs to one model and keeps its states over the turns of a match (`PrefixCache`). Models whose states
cannot be kept by token (`layout_of`) read every prompt anew, one after the other.

Which tokens of a batch are read together is plain arithmetic on lengths, by what a pass through the model costs: as
much as reading some tokens (`pass_cost`), and every token in it, padding included, costs one more.
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
"""Tokens of a pass, so that its memory is bounded; one row may have more."""

_MIN_SAVED = 32
"""Tokens that must be saved before a common beginning is read apart."""


def pass_cost(device: str) -> int:
    """Tokens that cost as much as a pass: the weights are read once whatever their number.

    Args:
        device: Kind of device, as in torch.
    """
    return 16 if device == "cpu" else 256


def passes(lengths: Sequence[int], cost: int) -> list[tuple[int, int]]:
    """The cheapest division of rows into passes, in which shorter rows are padded.

    Args:
        lengths: Tokens of each row, ascending.
        cost: See `pass_cost`.

    Returns:
        First row and end of each pass.
    """
    best: list[tuple[float, int]] = [(0.0, 0)]  # cost of the first rows, and where their last pass begins
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
    """How many tokens of each row to read at once, where the next pass can read the rest: most tokens for the cost.

    Args:
        lengths: Tokens that wait in each row, 1 or more.
        cost: See `pass_cost`.
    """

    def worth(width: int) -> float:
        return sum(min(length, width) for length in lengths) / (cost + width * len(lengths))

    return max(sorted(set(lengths)), key=worth)


def shared_prefixes(prompts: Sequence[Tokens], known: Callable[[Tokens], int]) -> Iterator[list[list[int]]]:
    """Beginnings that several prompts share and that are worth reading once, the shorter ones first.

    Args:
        prompts: Token ids; the last token of each is left alone.
        known: How many tokens of a beginning need no reading; asked again after each level.

    Yields:
        Beginnings that can be read together.
    """
    groups = [[list(prompt[:-1]) for prompt in prompts]]
    while groups:
        level, parts = [], []
        for group in groups:
            beginning = common_prefix(group)
            if (len(group) - 1) * (len(beginning) - known(beginning)) >= _MIN_SAVED:
                level.append(beginning)
            parts += _group_by_token(group, len(beginning))
        if level:
            yield level
        groups = parts


def common_prefix(lists: Sequence[list[int]]) -> list[int]:
    """The longest beginning of all lists."""
    low, high = min(lists), max(lists)  # all others lie between these two in dictionary order
    different = (index for index, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1])
    return low[: next(different, len(low))]


def _group_by_token(group: Sequence[list[int]], at: int) -> list[list[list[int]]]:
    """Those that have the same token here, two or more together."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    for tokens in group:
        if len(tokens) > at:
            found[tokens[at]].append(tokens)
    return [several for several in found.values() if len(several) > 1]


T = TypeVar("T")

_LONG_ROW = 8  # tokens; more than these are read with those of rows of like length


class Reading(Protocol):
    """Rows in the making.

    Attributes:
        known_lengths: How many tokens of each prompt are read already.
    """

    known_lengths: list[int]

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """Reads tokens of every row.

        Args:
            pending: For every row one or more tokens, which are taken out as far as they are read.

        Returns:
            The rows that have read all of theirs, and the logits after the last one of each.
        """
        ...

    def retain_rows(self, rows: Sequence[int]) -> list[int]:
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

    def split_batches(self, rows: Sequence[T]) -> list[Sequence[T]]:
        """Those that can share a batch, since a model that reads anew cannot leave out padding between its tokens."""
        return [rows] if self._find_layout() else [[row] for row in rows]

    def forget(self) -> None:
        """Frees the memory of all states."""
        self._states.clear()
        self._rows = None

    def begin(self, prompts: Sequence[Sequence[int]], cache_limit: int = CACHE_LIMIT) -> Reading:
        """Starts a batch; what several prompts have in common is read at once.

        Args:
            prompts: Token ids, one or more for each row; see `split_batches`.
            cache_limit: MiB of states that stay when the batch ends.
        """
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
        """Tensors that are large enough."""
        longest = max(map(len, prompts))
        if self._rows is None or not self._rows.has_room(len(prompts), longest):
            self._rows = None  # free the older ones first
            self._rows = KeyValues(self.model, layout, len(prompts), longest)
        return self._rows

    def _notice_training(self) -> None:
        """Forgets what older weights have read."""
        now = [(weight.data_ptr(), weight._version) for weight in self.model.parameters()]
        if now != self._weights:
            self._states.clear()
            self._weights = now


class CachedReading:
    """A batch whose states are kept; see `Reading`.

    Args:
        rows: Where the states are written.
        states: What was read before; takes what is read now.
        prompts: Token ids of each row.
        cache_limit: MiB of states that stay in the end.
    """

    def __init__(
        self, rows: KeyValues, states: PrefixCache, prompts: Sequence[Sequence[int]], cache_limit: int
    ) -> None:
        self._rows, self._states, self._limit = rows, states, cache_limit * 2**20
        self._count = len(prompts)
        self._cost = pass_cost(rows.device)
        self.known_lengths = [states.load(prompt[:-1], *rows.state(row)) for row, prompt in enumerate(prompts)]
        rows.begin([prompt[:known] for prompt, known in zip(prompts, self.known_lengths, strict=True)])

    def read_prompts(self, prompts: Sequence[list[int]]) -> None:
        """Reads the prompts to their ends, and keeps them."""
        self._read(
            {row: prompt[known:] for row, (prompt, known) in enumerate(zip(prompts, self.known_lengths, strict=True))}
        )
        self._save(range(self._count))

    def feed(self, pending: Sequence[list[int]]) -> tuple[list[int], Tensor]:
        """See `Reading`; logits are wanted after the last token of a row alone, so that those before are read apart."""
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


class UncachedReading:
    """A batch of one row that keeps nothing, with the model's own cache; see `Reading`.

    Args:
        model: A decoder-only transformers model.
    """

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
