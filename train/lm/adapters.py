"""An adapter for each seat on one base, which learn in the same matches: two policies against each other.

The adapter of the first seat is the one that every training with an adapter has. A pass through the model is made with
the adapter of one seat active; all of them go on learning, which `peft` by itself lets only the active one do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["add_adapters", "adapter_of", "activate_adapter", "map_by_seat", "train_all_adapters"]

FIRST_ADAPTER = "default"
"""What peft calls the adapter that a model is made with."""


def adapter_of(seat: int) -> str:
    """The name of a seat's adapter, and of its folder in that of the training, but for the first."""
    return f"seat-{seat}" if seat else FIRST_ADAPTER


def add_adapters(model: Any, config: Any, seats: int) -> None:
    """Gives each seat but the first an adapter like that of the first, with no effect as yet.

    Args:
        model: With the adapter of the first seat.
        config: Of that one.
        seats: How many there are in all.
    """
    for seat in range(1, seats):
        model.add_adapter(adapter_of(seat), config)
    train_all_adapters(model)


def train_all_adapters(model: Any) -> None:
    """Lets all adapters learn, active or not."""
    for name, weight in model.named_parameters():
        if "lora_" in name:
            weight.requires_grad_(True)


@contextmanager
def activate_adapter(model: Any, seat: int) -> Iterator[None]:
    """The adapter of a seat is active within, afterwards that of the first."""
    try:
        model.set_adapter(adapter_of(seat))
        train_all_adapters(model)
        yield
    finally:
        model.set_adapter(FIRST_ADAPTER)
        train_all_adapters(model)


def map_by_seat(model: Any, seats: Any, ask: Callable[[Any], Sequence[Any]]) -> list[Any]:
    """What is found of rows, each with the adapter of its seat.

    Args:
        model: With an adapter for each seat.
        seats: Of each row, shape (rows,).
        ask: Given the places of some rows, finds tensors with one row for each of them, or None.

    Returns:
        The tensors with all rows, in order.
    """
    import torch

    places, found = [], []
    for seat in seats.unique().tolist():
        places.append((seats == seat).nonzero()[:, 0])
        with activate_adapter(model, seat):
            found.append(ask(places[-1]))
    order = torch.cat(places).argsort()
    return [None if one[0] is None else torch.cat(list(one))[order] for one in zip(*found, strict=True)]
