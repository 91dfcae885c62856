"""Saved weights of a model in training: its start, and past policies as opponents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.envs.core import open_file, wrap_read_errors, write_file
from econzoo.train.lm.episode_specs import PAST

if TYPE_CHECKING:
    from econzoo.train.lm.episode_specs import EpisodeSpec
    from econzoo.train.lm.rollout import Policy

__all__ = ["SavedWeights", "Snapshots"]

SNAPSHOTS = 8
"""Snapshots at a time, each of which is a copy of the trained weights in memory and in every checkpoint."""

CANDIDATES = 64
"""Maximum candidate steps of a training."""


class SavedWeights:
    """A copy of the trainable weights.

    A model with an adapter needs no copy of its start, which is the model without the adapter.
    """

    def __init__(self, model: Any, tensors: Sequence[Any] = ()) -> None:
        learning = [weight for weight in model.parameters() if weight.requires_grad]
        self._kept = [(weight, one.detach().clone()) for weight, one in zip(learning, tensors or learning, strict=True)]

    @property
    def tensors(self) -> list[Any]:
        """In the order of the trainable parameters."""
        return [one for _, one in self._kept]

    @contextmanager
    def use_weights(self) -> Iterator[None]:
        """Give the model the saved weights within the context."""
        # Swapped below the parameters, which stay the same objects for the optimiser.
        present = [weight.data for weight, _ in self._kept]
        try:
            for weight, saved in self._kept:
                weight.data = saved
            yield
        finally:
            for (weight, _), own in zip(self._kept, present, strict=True):
                weight.data = own


class Snapshot(NamedTuple):
    """The model after some steps."""

    step: int
    weights: SavedWeights

    @property
    def spec(self) -> str:
        """Spec in records."""
        return f"{PAST}:{self.step}"


class Snapshots:
    """Policies met as `PAST`: the model at the start and at some later steps.

    Each candidate step so far is equally likely to be among the `SNAPSHOTS` (reservoir sampling, Vitter 1985, algorithm
    R), as in ``train ppo --opponents past``.
    """

    def __init__(self, steps: int, seed: int) -> None:
        self._every, self._seed = -(-steps // CANDIDATES), seed
        self.candidates: list[int] = []
        self.snapshots: list[Snapshot] = []

    def add_candidate(self, model: Any, step: int) -> None:
        """Add the present model if the step is a candidate and drawn."""
        if step % self._every or step in self.candidates:  # a step counts once, however often it is played
            return
        place = len(self.candidates)
        if place >= SNAPSHOTS:
            # By seed and step, not from a running stream: a resumed training draws the same.
            place = int(np.random.default_rng([self._seed, step]).integers(place + 1))
        self.candidates.append(step)
        if place < SNAPSHOTS:
            self.snapshots[place : place + 1] = [Snapshot(step, SavedWeights(model))]

    def assign_snapshot(self, episode_spec: EpisodeSpec) -> EpisodeSpec:
        """Replace `PAST` by a snapshot, the same in all plays and seats of a match."""
        drawn = int(np.random.default_rng([self._seed, episode_spec.seed]).integers(len(self.snapshots)))
        specs = tuple(self.snapshots[drawn].spec if spec == PAST else spec for spec in episode_spec.opponents)
        return replace(episode_spec, opponents=specs)

    def policies(self, policy: Policy) -> dict[str, Policy]:
        """Return all snapshots by spec as policies.

        Their sampling seeds depend on the policy's reply count, so that they differ between steps.
        """
        return {
            one.spec: replace(
                policy,
                weights=one.weights.use_weights,
                snapshots={},
                seed=policy.seed + 2**64 * (one.step + 1),
                reply_count=policy.reply_count * 2**32,
                _readers={},  # those of the policy hold states of its present weights
            )
            for one in self.snapshots
        }

    def state(self) -> dict[str, list[int]]:
        """Return the state that belongs to the weights of `save`."""
        return {"candidates": self.candidates, "past": [one.step for one in self.snapshots]}

    def save(self, file: Path) -> None:
        """Write the weights."""
        from safetensors.torch import save

        held = {
            f"{place}.{number}": tensor.cpu().contiguous()
            for place, one in enumerate(self.snapshots)
            for number, tensor in enumerate(one.weights.tensors)
        }
        write_file(file, save(held))

    def restore(self, state: dict[str, list[int]], file: Path, model: Any) -> None:
        """Resume from a `state` and the file of `save`."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        learning = [weight for weight in model.parameters() if weight.requires_grad]
        self.candidates, self.snapshots = [*state["candidates"]], []
        with wrap_read_errors(file, SafetensorError, KeyError), open_file(file) as opened:
            held = load(opened.read())
            for place, step in enumerate(state["past"]):
                tensors = [held[f"{place}.{number}"].to(weight.device) for number, weight in enumerate(learning)]
                self.snapshots.append(Snapshot(step, SavedWeights(model, tensors)))
