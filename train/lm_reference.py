"""The model as it was at the start, of which only the weights that learn are kept twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["StartingWeights"]


class StartingWeights:
    """The weights that learn, as they are now.

    A model with an adapter needs none: without the adapter it is what it was.

    Args:
        model: A torch module.
    """

    def __init__(self, model: Any) -> None:
        learning = [weight for weight in model.parameters() if weight.requires_grad]
        self._kept = [(weight, weight.detach().clone()) for weight in learning]

    @contextmanager
    def restored(self) -> Iterator[None]:
        """The model has its starting weights within; afterwards it has those it had before."""
        now = [weight.data for weight, _ in self._kept]
        try:
            for weight, start in self._kept:
                weight.data = start
            yield
        finally:
            for (weight, _), own in zip(self._kept, now, strict=True):
                weight.data = own
