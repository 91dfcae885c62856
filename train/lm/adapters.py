"""Per-seat adapters on one base, trained in the same matches: two policies against each other.

The first seat has the adapter of every training with an adapter. A forward pass has one seat's adapter active; all stay
trainable, although `peft` by itself trains only the active one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["add_adapters", "adapter_of", "activate_adapter", "map_by_seat", "train_all_adapters"]

FIRST_ADAPTER = "default"
"""peft's name of a model's first adapter."""


def adapter_of(seat: int) -> str:
    """Return the name of a seat's adapter, which for all but the first is also its subfolder."""
    return f"seat-{seat}" if seat else FIRST_ADAPTER


def add_adapters(model: Any, config: Any, seats: int) -> None:
    """Add an adapter like the first to each other seat, initially without effect."""
    for seat in range(1, seats):
        model.add_adapter(adapter_of(seat), config)
    train_all_adapters(model)


def train_all_adapters(model: Any) -> None:
    """Unfreeze all adapters, active or not."""
    for name, weight in model.named_parameters():
        if "lora_" in name:  # peft names their weights lora_A and lora_B
            weight.requires_grad_(True)


@contextmanager
def activate_adapter(model: Any, seat: int) -> Iterator[None]:
    """Activate the adapter of a seat within the context; the first is active afterwards."""
    try:
        model.set_adapter(adapter_of(seat))
        train_all_adapters(model)  # set_adapter freezes the others, which learn from other rows of the same step
        yield
    finally:
        model.set_adapter(FIRST_ADAPTER)
        train_all_adapters(model)


def map_by_seat(model: Any, seats: Any, ask: Callable[[Any], Sequence[Any]]) -> list[Any]:
    """Apply a function to rows grouped by seat, each with its seat's adapter active; results are in the rows' order.

    Args:
        seats: Seat of each row, shape (rows,).
        ask: Given the indices of some rows, returns tensors with one row each, or None.
    """
    import torch

    places, found = [], []
    for seat in seats.unique().tolist():
        places.append((seats == seat).nonzero()[:, 0])
        with activate_adapter(model, seat):
            found.append(ask(places[-1]))
    # The groups are concatenated by seat; argsort of their indices leads back to the rows.
    order = torch.cat(places).argsort()
    return [None if one[0] is None else torch.cat(list(one))[order] for one in zip(*found, strict=True)]
