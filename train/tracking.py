"""Where the numbers of a training go while it runs: TensorBoard, Weights & Biases, trackio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.extras import explain_missing_library

__all__ = ["TRACKERS", "Trackers"]

PROJECT = "econzoo"
"""What the runs belong to."""


class Tracker(NamedTuple):
    """One place that takes numbers.

    Attributes:
        write: Takes numbers by name and the moves or steps that were made.
        close: Ends it.
    """

    write: Callable[[Mapping[str, float], int], Any]
    close: Callable[[], Any]


def _tensorboard(out: Path, config: Mapping[str, Any]) -> Tracker:
    with explain_missing_library("--track tensorboard", "rl"):
        from torch.utils.tensorboard import SummaryWriter
    writer = SummaryWriter(str(out / "tensorboard"))  # type: ignore[no-untyped-call]

    def write(values: Mapping[str, float], at: int) -> None:
        for name, value in values.items():
            writer.add_scalar(name, value, at)  # type: ignore[no-untyped-call]

    return Tracker(write, writer.close)


def _wandb(out: Path, config: Mapping[str, Any]) -> Tracker:
    wandb = _import_tracker("wandb")
    run = wandb.init(project=PROJECT, name=out.name, dir=str(out), config=dict(config))
    return Tracker(lambda values, at: run.log(dict(values), step=at), run.finish)


def _trackio(out: Path, config: Mapping[str, Any]) -> Tracker:
    trackio = _import_tracker("trackio")
    trackio.init(project=PROJECT, name=out.name, config=dict(config))
    return Tracker(lambda values, at: trackio.log(dict(values), step=at), trackio.finish)


def _import_tracker(name: str) -> Any:
    """A library that no extra brings, since its users have an account or a server of their own.

    Raises:
        ImportError: It is not installed.
    """
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
"""Names of `--track`."""


class Trackers:
    """All places that take the numbers of a training.

    Args:
        names: Some of `TRACKERS`.
        out: Folder of the training; its name is that of the run.
        config: The arguments of the training.

    Raises:
        ImportError: A library is missing.
    """

    def __init__(self, names: Sequence[str], out: Path, config: Mapping[str, Any]) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self._every = [TRACKERS[name](out, config) for name in dict.fromkeys(names)]

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Passes numbers on.

        Args:
            step: Moves or steps that were made.
            values: By name.
        """
        for tracker in self._every:
            tracker.write(values, step)

    def close(self) -> None:
        """Ends all of them."""
        for tracker in self._every:
            tracker.close()
