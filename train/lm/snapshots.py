"""Weights of a model in training as they were: where it began, and its former selves as opponents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.envs.core.files import open_file, wrap_read_errors, write_file
from econzoo.train.lm.self_play import PAST

if TYPE_CHECKING:
    from econzoo.train.lm.episode_specs import EpisodeSpec
    from econzoo.train.lm.rollout import Policy

__all__ = ["SavedWeights", "Snapshots"]

SNAPSHOTS = 8
"""Former selves that are kept at a time."""

CANDIDATES = 64
"""Times in a training, at most, at which the model may become one of them."""


class SavedWeights:
    """The weights that learn, as they are now.

    A model with an adapter needs none to be as it was at its start: without the adapter it is.

    Args:
        model: A torch module.
        tensors: Those to keep in their place, in the order of the parameters that learn.
    """

    def __init__(self, model: Any, tensors: Sequence[Any] = ()) -> None:
        learning = [weight for weight in model.parameters() if weight.requires_grad]
        self._kept = [(weight, one.detach().clone()) for weight, one in zip(learning, tensors or learning, strict=True)]

    @property
    def tensors(self) -> list[Any]:
        """In the order of the parameters that learn."""
        return [one for _, one in self._kept]

    @contextmanager
    def use_weights(self) -> Iterator[None]:
        """The model has the kept weights within; afterwards it has those it had before."""
        now = [weight.data for weight, _ in self._kept]
        try:
            for weight, kept in self._kept:
                weight.data = kept
            yield
        finally:
            for (weight, _), own in zip(self._kept, now, strict=True):
                weight.data = own


class Snapshot(NamedTuple):
    """The model after some steps."""

    step: int
    weights: SavedWeights

    @property
    def spec(self) -> str:
        """In records."""
        return f"{PAST}:{self.step}"


class Snapshots:
    """Who is met as `PAST`: the model as it was at the start and at some of the steps since.

    Of all the candidates so far each is as likely to be among the `SNAPSHOTS` (reservoir sampling, Vitter 1985,
    algorithm R), as in ``train ppo --opponents past``.

    Args:
        steps: Of the training.
        seed: Draws who stays, and who is met in a match.
    """

    def __init__(self, steps: int, seed: int) -> None:
        self._every, self._seed = -(-steps // CANDIDATES), seed
        self.candidates: list[int] = []
        self.snapshots: list[Snapshot] = []

    def add_candidate(self, model: Any, step: int) -> None:
        """Lets the model be met as it is now, if it is time and its lot is drawn."""
        if step % self._every or step in self.candidates:
            return
        place = len(self.candidates)
        if place >= SNAPSHOTS:
            place = int(np.random.default_rng([self._seed, step]).integers(place + 1))
        self.candidates.append(step)
        if place < SNAPSHOTS:
            self.snapshots[place : place + 1] = [Snapshot(step, SavedWeights(model))]

    def assign_snapshot(self, episode_spec: EpisodeSpec) -> EpisodeSpec:
        """The episode spec with a snapshot in the place of `PAST`, the same in all plays and seats of a match."""
        drawn = int(np.random.default_rng([self._seed, episode_spec.seed]).integers(len(self.snapshots)))
        specs = tuple(self.snapshots[drawn].spec if spec == PAST else spec for spec in episode_spec.opponents)
        return replace(episode_spec, opponents=specs)

    def policies(self, policy: Policy) -> dict[str, Policy]:
        """All of them by spec, as something that plays as the policy does.

        Their replies have random numbers of their own, other ones whenever the policy has given some since.
        """
        return {
            one.spec: replace(
                policy,
                weights=one.weights.use_weights,
                snapshots={},
                seed=policy.seed + 2**64 * (one.step + 1),
                reply_count=policy.reply_count * 2**32,
                _readers={},
            )
            for one in self.snapshots
        }

    def state(self) -> dict[str, list[int]]:
        """What belongs to the weights that `save` writes."""
        return {"candidates": self.candidates, "past": [one.step for one in self.snapshots]}

    def save(self, file: Path) -> None:
        """Writes the weights."""
        from safetensors.torch import save

        held = {
            f"{place}.{number}": tensor.cpu().contiguous()
            for place, one in enumerate(self.snapshots)
            for number, tensor in enumerate(one.weights.tensors)
        }
        write_file(file, save(held))

    def restore(self, state: dict[str, list[int]], file: Path, model: Any) -> None:
        """Goes on where `state` and `save` were asked for.

        Args:
            state: What the first gave.
            file: What the second wrote.
            model: The model whose weights they are.

        Raises:
            UnreadableError: The file is damaged.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load

        learning = [weight for weight in model.parameters() if weight.requires_grad]
        self.candidates, self.snapshots = [*state["candidates"]], []
        with wrap_read_errors(file, SafetensorError, KeyError), open_file(file) as opened:
            held = load(opened.read())
            for place, step in enumerate(state["past"]):
                tensors = [held[f"{place}.{number}"].to(weight.device) for number, weight in enumerate(learning)]
                self.snapshots.append(Snapshot(step, SavedWeights(model, tensors)))
