"""Training loop: learning curve, alarms, checkpoints with model cards, and the final files.

Runs resume from checkpoints, after Ctrl-C or a kill. A card has the training data, the evaluation and how to play the
model.
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
from typing import TYPE_CHECKING, Any, TypeVar

from econzoo.baselines import DivergedError, are_finite
from econzoo.baselines.models import LoadedModel
from econzoo.envs.command_line import CONFIG_FILE
from econzoo.envs.core import LARGE_FILE_BYTES, read_text, write_file
from econzoo.envs.core.contract import parse_json, parse_toml, short_repr
from econzoo.envs.core.record import current_software
from econzoo.evaluate.analyses import TrainingExposure
from econzoo.evaluate.run import check_output_folder
from econzoo.train import Trackers, current_process, print_once, require_trackers, write_recipe
from econzoo.train.lm.card import LIBRARIES, write_card
from econzoo.train.lm.measures import Alarm, Validation, find_signs, make_validation_callback, rows_until, write_rows
from econzoo.train.lm.model import out_folder, require_training, save

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe
    from econzoo.train.lm.rollout import Policy

R = TypeVar("R", bound="LmRecipe")

__all__ = ["begin_training", "check_training", "finish_training", "latest_checkpoint", "make_stopper", "run_training"]

CURVE = "learning_curve.csv"
TRAINING_FILE = "training.json"

STATE = "trainer_state.json"
"""Last file of a checkpoint; a checkpoint without it is incomplete."""

CHANGEABLE_OPTIONS = (
    *("out", "resume", "dry_run", "track", "checkpoint_every", "micro_batch", "server"),
    *("eval", "eval_every", "alarm", "stop_on_collapse", "rounds", "patience"),
)
"""Options that may change on resume."""


def check_training(recipe: R, trl_settings: Callable[[R], object]) -> None:
    """Check what a training needs besides its model while nothing is loaded or written; dry runs call it too."""
    require_training()
    trl_settings(recipe)
    require_trackers(recipe.track)
    check_resumed_options(recipe)


def check_resumed_options(recipe: LmRecipe) -> None:
    """Check the options that may not change on resume."""
    folder = Path(recipe.out).expanduser()
    check_output_folder(folder)
    file = folder / CONFIG_FILE
    if recipe.resume and file.is_file():
        started = parse_toml(read_text(file))
        for name, value in recipe.to_plain().items():
            if name not in CHANGEABLE_OPTIONS and started.get(name) != value:  # TOML has no null
                wrong = f"invalid {name}={short_repr(value)} with --resume"
                raise ValueError(f"{wrong}: expected {short_repr(started.get(name))}, as at the start")


def begin_training(recipe: LmRecipe) -> None:
    """Create the folder of a training and write its options, or compare them with those it was started with."""
    if not current_process().is_first:
        return
    check_resumed_options(recipe)
    folder = out_folder(recipe.out)
    if not recipe.resume:
        for one in folder.glob("checkpoint-*"):  # of another training, not to be resumed
            shutil.rmtree(one)
    write_recipe(recipe, LIBRARIES)


def latest_checkpoint(folder: Path) -> Path | None:
    """Return the newest complete checkpoint of a training; None if there is none."""
    found = [one for one in folder.glob("checkpoint-*") if one.name.rpartition("-")[2].isdigit()]
    for one in sorted(found, key=lambda path: -int(path.name.rpartition("-")[2])):
        try:
            parse_json(read_text(one / STATE, LARGE_FILE_BYTES))
        except (OSError, ValueError):  # left incomplete by a kill; an older one may be whole
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
    is_start_validated: bool = False,
) -> tuple[int, list[str]]:
    """Train to the end or an interrupt, with ``--resume`` from the last checkpoint; save the model with its card.

    Args:
        validation: Validation matches; None: no evaluation.
        is_start_validated: Whether the start model needs no evaluation, as the end of a previous round.

    Returns:
        The number of steps, and the alarms raised.
    """
    from transformers import PrinterCallback, ProgressCallback

    start, matches = (
        latest_checkpoint(recipe.out) if recipe.resume else None,
        len(validation.episode_specs) if validation else 0,
    )
    resumed = 0 if start is None else int(start.name.rpartition("-")[2])

    first = current_process().is_first

    def card(place: Path, step: int, rows: list[list[str]]) -> None:
        if first:
            write_card(place, recipe, step, describe_training(step), rows, matches)

    with closing(Trackers(recipe.track if first else [], recipe.out, recipe.to_plain())) as trackers:
        learning = make_curve_callback(
            recipe.out / CURVE, recipe.COLUMNS, recipe.steps, resumed, trackers, alarms or {}, stop
        )
        watching = make_validation_callback(recipe.out, recipe.eval_every, validation, policy, resumed, card, trackers)
        for raw in (PrinterCallback, ProgressCallback):  # the curve prints its own line
            trainer.remove_callback(raw)
        trainer.add_callback(learning)
        trainer.add_callback(watching)
        if start is None and not is_start_validated:
            watching.measure(0)
        train_until_interrupt(trainer, start, recipe.out)
        done = int(trainer.state.global_step)
        rows = watching.measure(done)
    save(trainer, loaded, recipe.model, recipe.out)
    card(recipe.out, done, rows)
    return done, learning.raised


def make_curve_callback(
    path: Path,
    columns: Mapping[str, str],
    total: int,
    done: int,
    trackers: Trackers,
    alarms: Mapping[str, Alarm],
    stop: bool,
) -> Any:
    """Return a callback that writes ``learning_curve.csv``, prints one line per step and checks alarms.

    It reports an alarm when it begins, and logs the number of alarms (``alarms``). Its attribute ``raised``
    lists the alarms raised.

    Args:
        path: The file; ``steps`` is the first column and ``seconds`` the last.
        columns: Columns to their names in TRL's logs.
        done: Steps of the checkpoint to resume from; later rows of the file are dropped.
    """
    from transformers import TrainerCallback

    class Curve(TrainerCallback):
        def __init__(self) -> None:
            rows = rows_until(path, done)
            # Seconds go on from those of the checkpoint.
            self.started = time.perf_counter() - (float(rows[-1][-1]) if rows else 0.0)
            self.raised: list[str] = []
            self.signs: set[str] = set()
            write_rows(path, "w", [["steps", *columns, "seconds"], *rows])

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.signs = set(find_signs(state.log_history, alarms))  # on resume: reported by the interrupted run

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
            values = "  ".join(f"{n} {float(v):.4g}" for n, v in found.items() if v is not None)
            left = seconds / max(state.global_step, 1) * (total - state.global_step)
            print_once(f"step {state.global_step}/{total}  {values}  ({left:.0f} s left)")

        def _look(self, state: Any, control: Any, logs: Any, first: str) -> None:
            signs = find_signs([row for row in state.log_history if first in row], alarms)
            logs["alarms"] = len(signs)
            for name in [name for name in signs if name not in self.signs]:
                side = "below" if alarms[name].below else "above"
                limit = f"{signs[name]:.3g} is {side} {alarms[name].limit:g} ({alarms[name].description})"
                self.raised.append(f"step {state.global_step}: {name} {limit}")
                print_once(f"warning: {self.raised[-1]}")
            self.signs = set(signs)
            if signs and stop:
                control.should_save = control.should_training_stop = True

    return Curve()


def train_until_interrupt(trainer: Any, start: Path | None, folder: Path) -> None:
    """Train to the end or an interrupt.

    Args:
        start: Checkpoint to resume from; None: from the start.
    """
    watching = make_stopper()
    trainer.add_callback(watching)
    try:
        trainer.train(resume_from_checkpoint=None if start is None else str(start))
    finally:
        watching.restore()
    if watching.diverged:
        steps, checkpoint = trainer.state.global_step, latest_checkpoint(folder)
        advice = f"the last checkpoint is {checkpoint}; restart from hf:{checkpoint} with a lower --lr"
        raise DivergedError(f"stopped after {steps} steps: gradients are not finite; {advice}")
    if watching.stopped and trainer.state.global_step < trainer.args.max_steps:
        print_once(f"stopped after {trainer.state.global_step} steps; resume with --resume: {folder}")
        raise KeyboardInterrupt


def make_stopper() -> Any:
    """Return a callback that ends a training after the step of an interrupt or divergence, with a checkpoint.

    Non-finite gradients change no weight. Its attributes ``stopped`` and ``diverged`` say what happened; ``restore()``
    restores the previous interrupt handler. A second interrupt ends at once.
    """
    from transformers import TrainerCallback

    class Stopper(TrainerCallback):
        stopped = diverged = False
        handler: Any = None

        def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
            if not are_finite([one.detach() for one in model.parameters() if one.requires_grad]):
                raise DivergedError("invalid model: its weights are not finite; use another checkpoint")
            if threading.current_thread() is threading.main_thread():  # others may not set handlers
                self.handler = signal.signal(signal.SIGINT, self._request_stop)

        def _request_stop(self, number: int, frame: Any) -> None:
            print("stopping after this step; interrupt again to stop at once", file=sys.stderr, flush=True)
            self.stopped = True
            signal.signal(signal.SIGINT, signal.default_int_handler)

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
            if not are_finite([one.grad for one in model.parameters()]):
                self.diverged = True
                model.zero_grad()  # the optimiser skips weights without gradient, weight decay and moments included

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if self.stopped or self.diverged:
                control.should_save = control.should_training_stop = True

        def restore(self) -> None:
            if self.handler is not None:
                signal.signal(signal.SIGINT, self.handler)

    return Stopper()


def finish_training(recipe: LmRecipe, training_exposure: TrainingExposure | None, **more: Any) -> Path:
    """Write ``training.json`` of a finished training, and return its folder.

    Args:
        training_exposure: Training exposure of the model; None: unknown.
    """
    if not current_process().is_first:
        return recipe.out
    content = {
        "format": 1,
        "method": recipe.METHOD,
        "options": recipe.to_plain(),
        "software": current_software(*LIBRARIES).to_plain(),
        "training_exposure": training_exposure and training_exposure.plain(),
        **more,
    }
    write_file(recipe.out / TRAINING_FILE, json.dumps(content, indent=2, default=str) + "\n")
    return recipe.out
