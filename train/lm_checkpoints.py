"""Checkpoints of language models in training: what a run goes on from, after Ctrl-C and after a kill."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import from_json, short

__all__ = ["begin", "interruptible", "latest", "run", "steps_of"]

STATE = "trainer_state.json"
"""What a checkpoint gets last: one without it was cut off."""

ARGUMENTS = "arguments.json"
"""What a training was begun with."""

FREE = (
    *("out", "resume", "dry_run", "track", "checkpoint_every", "micro_batch"),
    *("eval", "eval_every", "alarm", "stop_on_collapse", "rounds", "patience"),
)
"""Arguments that may change when a training goes on."""


def latest(folder: Path) -> Path | None:
    """The newest complete checkpoint of a training; None if there is none."""
    found = [one for one in folder.glob("checkpoint-*") if one.name.rpartition("-")[2].isdigit()]
    for one in sorted(found, key=lambda path: -int(path.name.rpartition("-")[2])):
        try:
            from_json((one / STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return one
    return None


def steps_of(checkpoint: Path | None) -> int:
    """Optimiser steps behind a checkpoint."""
    return 0 if checkpoint is None else int(checkpoint.name.rpartition("-")[2])


def begin(folder: Path, arguments: Mapping[str, Any], resume: bool) -> Path | None:
    """Writes down the arguments of a training, or compares them with those that it was begun with.

    Args:
        folder: Of the training.
        arguments: All of them.
        resume: Whether to go on from the last checkpoint.

    Returns:
        The checkpoint to go on from; None: from the start.

    Raises:
        ValueError: An argument differs from the one that the training was begun with.
    """
    kept, now = folder / ARGUMENTS, _settled(arguments)
    start = latest(folder) if resume else None
    if resume and kept.is_file():
        refuse_others(kept, now)
    if not resume:
        for one in folder.glob("checkpoint-*"):  # of an earlier training, which this one must not go on from
            shutil.rmtree(one)
    kept.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    return start


def refuse_others(kept: Path, now: Mapping[str, Any]) -> None:
    """Refuses arguments that are not those of a file.

    Raises:
        ValueError: Names the first that differs.
    """
    before = from_json(kept.read_text(encoding="utf-8"))
    for name, value in now.items():
        if before.get(name, value) != value:
            told = f"{name}={short(value)} is not allowed with --resume"
            raise ValueError(f"{told}: the training was begun with {short(before.get(name))}")


def _settled(arguments: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = from_json(json.dumps({n: v for n, v in arguments.items() if n not in FREE}, default=str))
    return kept


def run(trainer: Any, start: Path | None, folder: Path) -> None:
    """Trains to the end, or to an interrupt.

    Args:
        trainer: Of TRL.
        start: The checkpoint to go on from; None: from the start.
        folder: Of the training, for the message.

    Raises:
        KeyboardInterrupt: After a checkpoint.
    """
    watching = interruptible()
    trainer.add_callback(watching)
    try:
        trainer.train(resume_from_checkpoint=None if start is None else str(start))
    finally:
        watching.restore()
    if watching.stopped and trainer.state.global_step < trainer.args.max_steps:
        told = f"stopped after {trainer.state.global_step} steps; --resume goes on from there"
        print(f"{told}: {folder}", file=sys.stderr)
        raise KeyboardInterrupt


def interruptible() -> Any:
    """A callback that ends a training after the step at which it is interrupted, with a checkpoint.

    Its attribute ``stopped`` says whether that has happened; ``restore()`` gives interrupts back to who had them. A
    second interrupt ends at once.
    """
    from transformers import TrainerCallback

    class Interruptible(TrainerCallback):
        stopped = False
        before: Any = None

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if threading.current_thread() is threading.main_thread():
                self.before = signal.signal(signal.SIGINT, self._asked)

        def _asked(self, number: int, frame: Any) -> None:
            print("stopping after this step; interrupt again to stop at once", file=sys.stderr, flush=True)
            self.stopped = True
            signal.signal(signal.SIGINT, signal.default_int_handler)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if self.stopped:
                control.should_save = control.should_training_stop = True

        def restore(self) -> None:
            if self.before is not None:
                signal.signal(signal.SIGINT, self.before)

    return Interruptible()
