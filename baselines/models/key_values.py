"""Key-value cache of several rows in preallocated tensors, for transformers models.

Row i has its tokens in columns 0, 1, 2, ... without gaps, whatever the lengths of the others, so that its states are
those of the row alone. Adding a token copies nothing. In a step, shorter rows are padded on the left; states of padding
go to the last column, which is never read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

_GROWTH_TOKENS = 128  # columns added at once
KINDS = ("full_attention", "sliding_attention")
"""Types of layers in transformers: full attention, and attention in a window."""

_PROBE = (1, 2, 3, 4)  # any tokens


@dataclass(frozen=True)
class Layout:
    """Shape of the states of one token.

    Attributes:
        windows: Attention windows of the types of layers in tokens; None: full attention.
    """

    layers: int
    heads: int
    sizes: tuple[int, int]
    dtypes: tuple[Any, Any]
    device: Any
    windows: frozenset[int | None] = frozenset({None})

    def empty(self, rows: int, columns: int) -> tuple[Tensor, Tensor]:
        """Allocate keys and values of shape (layers, rows, heads, columns, head size)."""
        import torch

        keys, values = (
            torch.zeros((self.layers, rows, self.heads, columns, size), dtype=dtype, device=self.device)
            for size, dtype in zip(self.sizes, self.dtypes, strict=True)
        )
        return keys, values


class KeyValues:
    """Rows of tokens read by a model, with their states.

    Args:
        columns: Initial capacity of a row in tokens.
    """

    def __init__(self, model: Any, layout: Layout, rows: int, columns: int) -> None:
        self._model, self._layout = model, layout
        self.keys, self.values = layout.empty(rows, columns + _GROWTH_TOKENS)
        self.read: list[list[int]] = []
        # Columns visible in the current step.
        self.seen = 0
        self._cache = _cache_class()(self)

    @property
    def device(self) -> str:
        """Device type."""
        return self.keys.device.type

    def has_room(self, rows: int, columns: int) -> bool:
        """Whether rows of this many tokens fit."""
        return rows <= self.keys.shape[1] and columns < self.keys.shape[3]

    def begin(self, token_rows: Sequence[Sequence[int]]) -> None:
        """Start a batch with these rows, whose states are loaded (`state`)."""
        self.read = [list(tokens) for tokens in token_rows]

    def state(self, row: int) -> tuple[Tensor, Tensor]:
        """Return keys and values of a row, of shape (layers, heads, columns, head size)."""
        return self.keys[:, row], self.values[:, row]

    def feed(self, rows: Sequence[int], pending: Sequence[Sequence[int]]) -> Tensor:
        """Read more tokens in some rows, and return the logits after the last one of each.

        Args:
            rows: Indices of the rows; fastest if consecutive.
            pending: One or more tokens per row.
        """
        import torch

        width = max(len(tokens) for tokens in pending)
        holes = [width - len(tokens) for tokens in pending]
        device = self._layout.device
        self._grow(max(len(self.read[row]) + width for row in rows))
        ids = torch.tensor([[0] * hole + list(new) for hole, new in zip(holes, pending, strict=True)], device=device)
        starts = torch.tensor([[len(self.read[r]) - hole] for r, hole in zip(rows, holes, strict=True)], device=device)
        steps = torch.arange(width, device=device)
        # Padding has token 0 at place 0, and its states go to the last column: neither is seen by a real token.
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
        """Move a row to another index."""
        length = len(self.read[source])
        self.keys[:, target, :, :length] = self.keys[:, source, :, :length]
        self.values[:, target, :, :length] = self.values[:, source, :, :length]
        self.read[target] = self.read[source]

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Store the states of the current tokens, and return those of all tokens of their rows.

        Args:
            keys: Tensor of shape (rows, heads, tokens, head size).
            values: Tensor of the same shape up to the head size.
        """
        rows, columns = self._to
        out = []
        for stored, new in ((self.keys[layer], keys), (self.values[layer], values)):
            stored[rows, :, columns] = new.transpose(1, 2).to(stored.dtype)
            out.append(stored[:, :, : self.seen][self._from])
        return out[0], out[1]

    def _set_targets(self, rows: Sequence[int], columns: Tensor) -> None:
        """Set the target indices of the next states."""
        import torch

        index = torch.tensor(rows, device=columns.device)
        in_order = list(rows) == list(range(rows[0], rows[0] + len(rows)))
        # A slice is a view, an index copies the states of all layers.
        self._from = slice(rows[0], rows[0] + len(rows)) if in_order else index
        self._to = index[:, None], columns

    def _masks(self, places: Tensor) -> Tensor | dict[str, Tensor]:
        """Return the attention masks of the tokens, by type of layer if there are several."""
        masks = {KINDS[window is not None]: self._mask(places, window) for window in self._layout.windows}
        return masks if len(masks) > 1 else masks.popitem()[1]

    def _mask(self, places: Tensor, window: int | None) -> Tensor:
        """Return the mask in the format of the model's attention."""
        import torch

        columns = torch.arange(self.seen, device=places.device)
        seen = columns <= places
        if window is not None:
            seen &= columns > places - window
        # Scaled dot-product attention takes flags, eager attention adds the mask to the scores.
        if self._model.config._attn_implementation == "sdpa":
            return seen
        dtype = self._layout.dtypes[0]
        return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill(~seen, torch.finfo(dtype).min)

    def _grow(self, columns: int) -> None:
        """Make room for rows of this many tokens and the padding column."""
        old_keys, old_values = self.keys, self.values
        if columns < old_keys.shape[3]:
            return
        self.keys, self.values = self._layout.empty(old_keys.shape[1], columns + _GROWTH_TOKENS)
        self.keys[:, :, :, : old_keys.shape[3]] = old_keys
        self.values[:, :, :, : old_values.shape[3]] = old_values


def layout_of(model: Any) -> Layout | None:
    """Return the layout of a model's states; None if they cannot be cached by token.

    Unsupported are recurrent and compressed states, positions scaled by length, layers of several sizes or on several
    devices, and attention without masks. Other requirements are found by a test: the model must read some tokens as
    with its own cache.
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
    expected, layers = _reference_logits(model)
    layout = _shared_layout(layers)
    return layout if layout is not None and _agrees_with_model(model, layout, expected) else None


def _reference_logits(model: Any) -> tuple[Tensor, Sequence[Any]]:
    """Return the logits after `_PROBE`, and the layers of the model's own cache."""
    import torch
    from transformers import DynamicCache

    own = DynamicCache(config=model.config)
    ids = torch.tensor([_PROBE], device=model.device)
    done = model(input_ids=ids, past_key_values=own, use_cache=True, logits_to_keep=1)
    return done.logits[:, -1], own.layers


def _agrees_with_model(model: Any, layout: Layout, expected: Tensor) -> bool:
    """Whether the model gives the same logits when it reads `_PROBE` in two rows and in parts."""
    import torch

    states = KeyValues(model, layout, 2, len(_PROBE))
    states.begin([(), ()])
    try:
        states.feed([0, 1], [_PROBE[:1], _PROBE[:3]])
        logits = states.feed([0, 1], [_PROBE[1:], _PROBE[3:]])
    except (TypeError, ValueError, RuntimeError, IndexError):
        return False  # no support for such masks or caches
    # 5% of the largest logit: in bfloat16, rounding depends on the shapes of a pass.
    largest = torch.nan_to_num(expected).float().abs().max()
    return bool((torch.nan_to_num(logits).float() - torch.nan_to_num(expected).float()).abs().max() <= 0.05 * largest)


def _shared_layout(layers: Sequence[Any]) -> Layout | None:
    """Return the common layout of all layers of a cache; None if they differ or one is not a plain dynamic cache."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    layouts = set()
    for layer in layers:
        if type(layer) not in (DynamicLayer, DynamicSlidingWindowLayer) or layer.keys is None:
            return None
        keys, values = layer.keys, layer.values
        heads, sizes = keys.shape[1], (keys.shape[3], values.shape[3])
        layouts.add(Layout(len(layers), heads, sizes, (keys.dtype, values.dtype), keys.device))
    windows = frozenset(getattr(layer, "sliding_window", None) for layer in layers)
    return replace(layouts.pop(), windows=windows) if len(layouts) == 1 and len(windows - {None}) < 2 else None


@cache
def _cache_class() -> Any:
    """Return a cache class of transformers that stores all states in `KeyValues`."""
    from transformers.cache_utils import Cache, CacheLayerMixin

    class Layer(CacheLayerMixin):
        def __init__(self, states: KeyValues, number: int) -> None:
            super().__init__()
            self._states, self._number = states, number

        def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
            """Do nothing: the tensors are preallocated."""

        def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
            return self._states.write(self._number, key_states, value_states)

        def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
            return self._states.seen, 0

        def get_seq_length(self) -> int:
            return self._states.seen

        def get_max_length(self) -> int:
            # transformers' sign of no limit.
            return -1

    class KeyValueCache(Cache):
        def __init__(self, states: KeyValues) -> None:
            super().__init__(layers=[Layer(states, number) for number in range(len(states.keys))])

    return KeyValueCache
