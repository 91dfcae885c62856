"""Experiment trackers: TensorBoard, Weights & Biases, trackio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import explain_missing_library

__all__ = ["TRACKERS", "Trackers", "require_trackers"]

PROJECT = "econzoo"
"""Project of the runs."""


class Tracker(NamedTuple):
    """One experiment tracker: `write` logs values by name at a step, `close` ends the run."""

    write: Callable[[Mapping[str, float], int], Any]
    close: Callable[[], Any]


def _tensorboard(out: Path, config: Mapping[str, Any]) -> Tracker:
    writer = _import_tensorboard()(str(out / "tensorboard"))

    def write(values: Mapping[str, float], at: int) -> None:
        for name, value in values.items():
            writer.add_scalar(name, value, at)  # type: ignore[no-untyped-call]

    return Tracker(write, writer.close)


def _import_tensorboard() -> Any:
    with explain_missing_library("--track tensorboard", "rl"):
        from torch.utils.tensorboard import SummaryWriter
    return SummaryWriter


def _wandb(out: Path, config: Mapping[str, Any]) -> Tracker:
    wandb = _import_tracker("wandb")
    run = wandb.init(project=PROJECT, name=out.name, dir=str(out), config=dict(config))
    return Tracker(lambda values, at: run.log(dict(values), step=at), run.finish)


def _trackio(out: Path, config: Mapping[str, Any]) -> Tracker:
    trackio = _import_tracker("trackio")
    trackio.init(project=PROJECT, name=out.name, config=dict(config))
    return Tracker(lambda values, at: trackio.log(dict(values), step=at), trackio.finish)


def _import_tracker(name: str) -> Any:
    """Import a library that no extra installs, since it needs an account or a server."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"--track {name} needs the library {name}: pip install {name}") from None


TRACKERS: dict[str, Callable[[Path, Mapping[str, Any]], Tracker]] = {
    "tensorboard": _tensorboard,
    "wandb": _wandb,
    "trackio": _trackio,
}
"""Trackers by name in ``--track``."""


def require_trackers(names: Sequence[str]) -> None:
    """Check that the libraries of trackers are installed."""
    for name in names:
        if name == "tensorboard":
            _import_tensorboard()
        else:
            _import_tracker(name)


class Trackers:
    """All trackers of a training."""

    def __init__(self, names: Sequence[str], out: Path, config: Mapping[str, Any]) -> None:
        out.mkdir(parents=True, exist_ok=True)
        # --track is repeatable: a tracker named twice would otherwise begin a second run.
        self._every = [TRACKERS[name](out, config) for name in dict.fromkeys(names)]

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Log values at a number of moves (RL agents) or optimiser steps so far."""
        for tracker in self._every:
            tracker.write(values, step)

    def close(self) -> None:
        for tracker in self._every:
            tracker.close()
