"""Key-value states of several rows in tensors of a fixed size, as a cache that transformers models write into.

Row i has its tokens in columns 0, 1, 2, ... without holes, whatever the lengths of the others, so that its states are
those of the row alone. Nothing is copied when a token is added. Rows that are shorter than the others in a step are
padded on the left; what the padding writes goes to the last column, which nobody reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

_GROWTH_TOKENS = 128  # columns that are added at once
KINDS = ("full_attention", "sliding_attention")
"""Names of the kinds of layers in transformers: those that see all tokens, those that see a window."""

_PROBE = (1, 2, 3, 4)  # any tokens


@dataclass(frozen=True)
class Layout:
    """The states of one token.

    Attributes:
        layers: Of the model.
        heads: Of keys and values.
        sizes: Of a head of the keys and of the values.
        dtypes: Of both.
        device: Of both.
        windows: How many tokens back the layers see, in each kind of layers; None: all.
    """

    layers: int
    heads: int
    sizes: tuple[int, int]
    dtypes: tuple[Any, Any]
    device: Any
    windows: frozenset[int | None] = frozenset({None})

    def empty(self, rows: int, columns: int) -> tuple[Tensor, Tensor]:
        """Keys and values of no tokens; shape (layers, rows, heads, columns, size of a head)."""
        import torch

        keys, values = (
            torch.zeros((self.layers, rows, self.heads, columns, size), dtype=dtype, device=self.device)
            for size, dtype in zip(self.sizes, self.dtypes, strict=True)
        )
        return keys, values


class KeyValues:
    """Rows of tokens that a model has read.

    Args:
        model: A decoder-only transformers model with a layout (`layout_of`).
        layout: Of its states.
        rows: How many at most.
        columns: The most tokens of a row to begin with.

    Attributes:
        read: The tokens of each row.
        seen: Columns that the rows of this step see.
    """

    def __init__(self, model: Any, layout: Layout, rows: int, columns: int) -> None:
        self._model, self._layout = model, layout
        self.keys, self.values = layout.empty(rows, columns + _GROWTH_TOKENS)
        self.read: list[list[int]] = []
        self.seen = 0
        self._cache = _cache_class()(self)

    @property
    def device(self) -> str:
        """Kind of device."""
        return self.keys.device.type

    def has_room(self, rows: int, columns: int) -> bool:
        """Whether so many rows of so many tokens have room."""
        return rows <= self.keys.shape[1] and columns < self.keys.shape[3]

    def begin(self, token_rows: Sequence[Sequence[int]]) -> None:
        """Starts anew with rows whose states are there (`state`).

        Args:
            token_rows: The tokens of each row.
        """
        self.read = [list(tokens) for tokens in token_rows]

    def state(self, row: int) -> tuple[Tensor, Tensor]:
        """Keys and values of a row; shape (layers, heads, columns, size of a head)."""
        return self.keys[:, row], self.values[:, row]

    def feed(self, rows: Sequence[int], pending: Sequence[Sequence[int]]) -> Tensor:
        """Reads some more tokens in some rows, and returns the logits after the last one of each.

        Args:
            rows: Which; cheapest if they follow one another.
            pending: One or more tokens for each of them.
        """
        import torch

        width = max(len(tokens) for tokens in pending)
        holes = [width - len(tokens) for tokens in pending]
        device = self._layout.device
        self._grow(max(len(self.read[row]) + width for row in rows))
        ids = torch.tensor([[0] * hole + list(new) for hole, new in zip(holes, pending, strict=True)], device=device)
        starts = torch.tensor([[len(self.read[r]) - hole] for r, hole in zip(rows, holes, strict=True)], device=device)
        steps = torch.arange(width, device=device)
        real = steps >= torch.tensor(holes, device=device)[:, None]
        places = torch.where(real, starts + steps, 0)
        self._set_targets(rows, torch.where(real, places, self.keys.shape[3] - 1))
        for row, new in zip(rows, pending, strict=True):
            self.read[row] += new
        self.seen = max(len(self.read[row]) for row in rows)
        done = self._model(
            input_ids=ids,
            attention_mask=self._masks(places[:, None, :, None]),
            position_ids=places,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return done.logits[:, -1]

    def move(self, source: int, target: int) -> None:
        """Puts a row in the place of another."""
        length = len(self.read[source])
        self.keys[:, target, :, :length] = self.keys[:, source, :, :length]
        self.values[:, target, :, :length] = self.values[:, source, :, :length]
        self.read[target] = self.read[source]

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Takes the states of the tokens that are read now, and returns those of all tokens of their rows.

        Args:
            layer: Index.
            keys: Shape (rows, heads, tokens, size of a head).
            values: The same.
        """
        rows, columns = self._to
        out = []
        for kept, new in ((self.keys[layer], keys), (self.values[layer], values)):
            kept[rows, :, columns] = new.transpose(1, 2).to(kept.dtype)
            out.append(kept[:, :, : self.seen][self._from])
        return out[0], out[1]

    def _set_targets(self, rows: Sequence[int], columns: Tensor) -> None:
        """Says where the next states go to."""
        import torch

        index = torch.tensor(rows, device=columns.device)
        in_order = list(rows) == list(range(rows[0], rows[0] + len(rows)))
        self._from = slice(rows[0], rows[0] + len(rows)) if in_order else index
        self._to = index[:, None], columns

    def _masks(self, places: Tensor) -> Tensor | dict[str, Tensor]:
        """Which columns every token sees, by the kind of layers if there are several."""
        masks = {KINDS[window is not None]: self._mask(places, window) for window in self._layout.windows}
        return masks if len(masks) > 1 else masks.popitem()[1]

    def _mask(self, places: Tensor, window: int | None) -> Tensor:
        """As the model's attention takes it."""
        import torch

        columns = torch.arange(self.seen, device=places.device)
        seen = columns <= places
        if window is not None:
            seen &= columns > places - window
        if self._model.config._attn_implementation == "sdpa":
            return seen
        dtype = self._layout.dtypes[0]
        return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill(~seen, torch.finfo(dtype).min)

    def _grow(self, columns: int) -> None:
        """Makes room for rows of so many tokens, and for the column of the padding."""
        old_keys, old_values = self.keys, self.values
        if columns < old_keys.shape[3]:
            return
        self.keys, self.values = self._layout.empty(old_keys.shape[1], columns + _GROWTH_TOKENS)
        self.keys[:, :, :, : old_keys.shape[3]] = old_keys
        self.values[:, :, :, : old_values.shape[3]] = old_values


def layout_of(model: Any) -> Layout | None:
    """The layout of a model's states; None: they cannot be kept by token.

    That is so for recurrent and compressed states, positions whose scale depends on the length, layers of several sizes
    or on several devices, and attention that takes no mask. What a model needs that none of this tells is found by
    trying: it must read some tokens as it does with a cache of its own.
    """
    config = model.config.get_text_config(decoder=True)
    if not set(getattr(config, "layer_types", None) or KINDS) <= {*KINDS} or getattr(
        config, "attention_chunk_size", None
    ):
        return None
    scaling = getattr(config, "rope_parameters", None) or {}
    if scaling.get("rope_type", "default") in ("dynamic", "longrope"):
        return None
    if model.config._attn_implementation not in ("sdpa", "eager"):
        return None
    wanted, layers = _reference_logits(model)
    layout = _shared_layout(layers)
    return layout if layout is not None and _agrees_with_model(model, layout, wanted) else None


def _reference_logits(model: Any) -> tuple[Tensor, Sequence[Any]]:
    """The logits after `_PROBE`, and the layers of the model's own cache."""
    import torch
    from transformers import DynamicCache

    own = DynamicCache(config=model.config)
    ids = torch.tensor([_PROBE], device=model.device)
    done = model(input_ids=ids, past_key_values=own, use_cache=True, logits_to_keep=1)
    return done.logits[:, -1], own.layers


def _agrees_with_model(model: Any, layout: Layout, wanted: Tensor) -> bool:
    """Whether the model gives the same logits when it reads `_PROBE` in two rows and in parts."""
    import torch

    kept = KeyValues(model, layout, 2, len(_PROBE))
    kept.begin([(), ()])
    try:
        kept.feed([0, 1], [_PROBE[:1], _PROBE[:3]])
        found = kept.feed([0, 1], [_PROBE[1:], _PROBE[3:]])
    except (TypeError, ValueError, RuntimeError, IndexError):
        return False  # it takes no such mask, or no such cache
    largest = torch.nan_to_num(wanted).float().abs().max()
    return bool((torch.nan_to_num(found).float() - torch.nan_to_num(wanted).float()).abs().max() <= 0.05 * largest)


def _shared_layout(layers: Sequence[Any]) -> Layout | None:
    """The layout that all layers of a cache share; None: they differ, or one is not a plain one that grows."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    found = set()
    for layer in layers:
        if type(layer) not in (DynamicLayer, DynamicSlidingWindowLayer) or layer.keys is None:
            return None
        keys, values = layer.keys, layer.values
        heads, sizes = keys.shape[1], (keys.shape[3], values.shape[3])
        found.add(Layout(len(layers), heads, sizes, (keys.dtype, values.dtype), keys.device))
    windows = frozenset(getattr(layer, "sliding_window", None) for layer in layers)
    return replace(found.pop(), windows=windows) if len(found) == 1 and len(windows - {None}) < 2 else None


@cache
def _cache_class() -> Any:
    """The class of transformers' caches that hands all states on to `KeyValues`."""
    from transformers.cache_utils import Cache, CacheLayerMixin

    class Layer(CacheLayerMixin):
        def __init__(self, kept: KeyValues, number: int) -> None:
            super().__init__()
            self._kept, self._number = kept, number

        def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
            """Nothing: the tensors are there."""

        def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
            return self._kept.write(self._number, key_states, value_states)

        def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
            return self._kept.seen, 0

        def get_seq_length(self) -> int:
            return self._kept.seen

        def get_max_length(self) -> int:
            return -1

    class Kept(Cache):
        def __init__(self, kept: KeyValues) -> None:
            super().__init__(layers=[Layer(kept, number) for number in range(len(kept.keys))])

    return Kept
