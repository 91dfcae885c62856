"""The course of a training: steps with a learning curve and alarms, checkpoints with cards, and the end of it.

Checkpoints are what a run goes on from, after Ctrl-C and after a kill. A card says what the model learned from, what
it came to and how to play it.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines.models.loading import LoadedModel
from econzoo.baselines.policy_files import DivergedError, are_finite
from econzoo.envs.command_line import write_config
from econzoo.envs.core.contract.validation import parse_json, short_repr
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text, write_file
from econzoo.evaluate.analyses.training_exposure import TrainingExposure
from econzoo.train.lm.card import write_card
from econzoo.train.lm.measures import Alarm, Validation, find_signs, make_validation_callback, rows_until, write_rows
from econzoo.train.lm.model import out_folder, save
from econzoo.train.lm.processes import print_once, processes
from econzoo.train.tracking import Trackers

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe
    from econzoo.train.lm.rollout import Policy

__all__ = ["begin_training", "finish_training", "latest_checkpoint", "make_stopper", "run_training"]

CURVE = "learning_curve.csv"
TRAINING_FILE = "training.json"

STATE = "trainer_state.json"
"""What a checkpoint gets last: one without it was cut off."""

ARGUMENTS = "arguments.json"
"""What a training was begun with."""

CHANGEABLE_ARGUMENTS = (
    *("out", "resume", "dry_run", "track", "checkpoint_every", "micro_batch", "server"),
    *("eval", "eval_every", "alarm", "stop_on_collapse", "rounds", "patience"),
)
"""Arguments that may change when a training goes on."""


def begin_training(recipe: LmRecipe) -> None:
    """Makes the folder of a training and writes its options there, or compares them with those it was begun with.

    Args:
        recipe: Of the training.

    Raises:
        ValueError: An option differs from the one that the training was begun with.
    """
    if not processes().is_first:
        return
    folder, resume = out_folder(recipe.out), recipe.resume
    kept, now = (
        folder / ARGUMENTS,
        {name: value for name, value in recipe.to_plain().items() if name not in CHANGEABLE_ARGUMENTS},
    )
    before = parse_json(read_text(kept, LARGE_FILE_BYTES)) if resume and kept.is_file() else {}
    for name, value in now.items():
        if before.get(name, value) != value:
            told = f"{name}={short_repr(value)} is not allowed with --resume"
            raise ValueError(f"{told}: the training was begun with {short_repr(before.get(name))}")
    if not resume:
        for one in folder.glob("checkpoint-*"):  # of an earlier training, which this one must not go on from
            shutil.rmtree(one)
    write_file(kept, json.dumps(now, indent=2) + "\n")
    write_config(folder, recipe, recipe.NOT_RECORDED)


def latest_checkpoint(folder: Path) -> Path | None:
    """The newest complete checkpoint of a training; None if there is none."""
    found = [one for one in folder.glob("checkpoint-*") if one.name.rpartition("-")[2].isdigit()]
    for one in sorted(found, key=lambda path: -int(path.name.rpartition("-")[2])):
        try:
            parse_json(read_text(one / STATE, LARGE_FILE_BYTES))
        except (OSError, ValueError):
            continue
        return one
    return None


def run_training(
    recipe: LmRecipe,
    loaded: LoadedModel,
    trainer: Any,
    validation: Validation | None,
    policy: Callable[[], Policy],
    describe_training: Callable[[int], Mapping[str, str]],
    alarms: Mapping[str, Alarm] | None = None,
    stop: bool = False,
    validated_before: bool = False,
) -> tuple[int, list[str]]:
    """Trains to the end or an interrupt, with ``--resume`` from the last checkpoint on; leaves a model with its card.

    Args:
        recipe: Of the training.
        loaded: The model.
        trainer: Of TRL.
        validation: What the model is measured by; None: it is not.
        policy: The model as it is now, as something that plays.
        describe_training: For cards: what has been learned from after so many steps; ``game`` is the game's name.
        alarms: Signs of collapse that are watched.
        stop: Whether an alarm ends the training, with a checkpoint.
        validated_before: Whether the validation has measured the model at the start already.

    Returns:
        The steps that were taken in all, and the alarms that were told of.

    Raises:
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
        DivergedError: The gradients are not finite; a checkpoint from before was left. Or the weights are not.
    """
    from transformers import PrinterCallback, ProgressCallback

    start, matches = (
        latest_checkpoint(recipe.out) if recipe.resume else None,
        len(validation.episode_specs) if validation else 0,
    )
    before = 0 if start is None else int(start.name.rpartition("-")[2])

    first = processes().is_first

    def card(place: Path, step: int, rows: list[list[str]]) -> None:
        if first:
            write_card(place, recipe, step, describe_training(step), rows, matches)

    with closing(Trackers(recipe.track if first else [], recipe.out, recipe.to_plain())) as trackers:
        learning = make_curve_callback(
            recipe.out / CURVE, recipe.COLUMNS, recipe.steps, before, trackers, alarms or {}, stop
        )
        watching = make_validation_callback(recipe.out, recipe.eval_every, validation, policy, before, card, trackers)
        for raw in (PrinterCallback, ProgressCallback):  # the curve's own line says what matters
            trainer.remove_callback(raw)
        trainer.add_callback(learning)
        trainer.add_callback(watching)
        if start is None and not validated_before:
            watching.measure(0)
        train_until_interrupt(trainer, start, recipe.out)
        done = int(trainer.state.global_step)
        rows = watching.measure(done)
    save(trainer, loaded, recipe.model, recipe.out)
    card(recipe.out, done, rows)
    return done, learning.told


def make_curve_callback(
    path: Path,
    columns: Mapping[str, str],
    total: int,
    done: int,
    trackers: Trackers,
    alarms: Mapping[str, Alarm],
    stop: bool,
) -> Any:
    """A callback that writes ``learning_curve.csv`` and one line a step on standard error, and looks for alarms.

    It tells of an alarm when it begins, and adds to TRL's logs how many there are (``alarms``). Its attribute ``told``
    has what was said.

    Args:
        path: Of the file; ``steps`` comes before the columns and ``seconds`` behind them.
        columns: With their names in TRL's logs.
        total: Steps of the training.
        done: Steps of the checkpoint that it goes on from; later ones of the file are dropped.
        trackers: Take the numbers too.
        alarms: By sign.
        stop: Whether an alarm ends the training, with a checkpoint.
    """
    from transformers import TrainerCallback

    class Curve(TrainerCallback):
        def __init__(self) -> None:
            kept = rows_until(path, done)
            self.started = time.perf_counter() - (float(kept[-1][-1]) if kept else 0.0)
            self.told: list[str] = []
            self.before: set[str] = set()
            write_rows(path, "w", [["steps", *columns, "seconds"], *kept])

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.before = set(find_signs(state.log_history, alarms))

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            first = next(iter(columns.values()))
            if (logs or {}).get(first) is None:
                return  # the summary at the end
            self._look(state, control, logs, first)
            found = {name: logs.get(key) for name, key in columns.items()}
            seconds = round(time.perf_counter() - self.started, 1)
            row = [state.global_step, *(None if v is None else round(float(v), 6) for v in found.values()), seconds]
            write_rows(path, "a", [row])
            trackers.write(state.global_step, {n: float(v) for n, v in found.items() if v is not None})
            shown = "  ".join(f"{n} {float(v):.4g}" for n, v in found.items() if v is not None)
            left = seconds / max(state.global_step, 1) * (total - state.global_step)
            print_once(f"step {state.global_step}/{total}  {shown}  ({left:.0f} s left)")

        def _look(self, state: Any, control: Any, logs: Any, first: str) -> None:
            signs = find_signs([row for row in state.log_history if first in row], alarms)
            logs["alarms"] = len(signs)
            for name in [name for name in signs if name not in self.before]:
                side = "below" if alarms[name].below else "above"
                limit = f"{signs[name]:.3g} is {side} {alarms[name].limit:g} ({alarms[name].description})"
                self.told.append(f"step {state.global_step}: {name} {limit}")
                print_once(f"warning: {self.told[-1]}")
            self.before = set(signs)
            if signs and stop:
                control.should_save = control.should_training_stop = True

    return Curve()


def train_until_interrupt(trainer: Any, start: Path | None, folder: Path) -> None:
    """Trains to the end, or to an interrupt.

    Args:
        trainer: Of TRL.
        start: The checkpoint to go on from; None: from the start.
        folder: Of the training, for the message.

    Raises:
        KeyboardInterrupt: After a checkpoint.
        DivergedError: The gradients are not finite; a checkpoint from before was left. Or the weights are not.
    """
    watching = make_stopper()
    trainer.add_callback(watching)
    try:
        trainer.train(resume_from_checkpoint=None if start is None else str(start))
    finally:
        watching.restore()
    if watching.diverged:
        steps, kept = trainer.state.global_step, latest_checkpoint(folder)
        goes_on = f"the model before is {kept}; train on from hf:{kept} with a lower --lr"
        raise DivergedError(f"stopped after {steps} steps: the gradients are not finite; {goes_on}")
    if watching.stopped and trainer.state.global_step < trainer.args.max_steps:
        print_once(f"stopped after {trainer.state.global_step} steps; --resume goes on from there: {folder}")
        raise KeyboardInterrupt


def make_stopper() -> Any:
    """A callback that ends a training after the step at which it is interrupted or diverges, with a checkpoint.

    Gradients that are not finite change no weight. Its attributes ``stopped`` and ``diverged`` say what has happened;
    ``restore()`` gives interrupts back to who had them. A second interrupt ends at once.
    """
    from transformers import TrainerCallback

    class Stopper(TrainerCallback):
        stopped = diverged = False
        before: Any = None

        def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
            if not are_finite([one.detach() for one in model.parameters() if one.requires_grad]):
                raise DivergedError(
                    "the model has weights that are not finite; allowed: another, or a checkpoint before"
                )
            if threading.current_thread() is threading.main_thread():
                self.before = signal.signal(signal.SIGINT, self._request_stop)

        def _request_stop(self, number: int, frame: Any) -> None:
            print("stopping after this step; interrupt again to stop at once", file=sys.stderr, flush=True)
            self.stopped = True
            signal.signal(signal.SIGINT, signal.default_int_handler)

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
            if not are_finite([one.grad for one in model.parameters()]):
                self.diverged = True
                model.zero_grad()

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if self.stopped or self.diverged:
                control.should_save = control.should_training_stop = True

        def restore(self) -> None:
            if self.before is not None:
                signal.signal(signal.SIGINT, self.before)

    return Stopper()


def finish_training(recipe: LmRecipe, training_exposure: TrainingExposure | None, **more: Any) -> Path:
    """Writes ``training.json`` of a training that has ended, and returns its folder.

    Args:
        recipe: Of the training.
        training_exposure: What the model has met; None: nobody knows.
        **more: What came out.
    """
    if not processes().is_first:
        return recipe.out
    import peft
    import torch
    import transformers
    import trl

    versions = {module.__name__: module.__version__ for module in (torch, transformers, trl, peft)}
    content = {
        "method": recipe.METHOD,
        "args": recipe.to_plain(),
        "versions": versions,
        "met": training_exposure and training_exposure.plain(),
        **more,
    }
    write_file(recipe.out / TRAINING_FILE, json.dumps(content, indent=2, default=str) + "\n")
    return recipe.out
