"""The course of a training: steps, checkpoints with cards, a curve of the validation, trackers, and the end of it.

Checkpoints are what a run goes on from, after Ctrl-C and after a kill. A card says what the model learned from, what
it came to and how to play it.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.command_line import write_config
from econzoo.envs.core.contract.validation import from_json, short
from econzoo.evaluate.analyses.training_exposure import Met, met_of
from econzoo.train.lm.model import SETTINGS, curve, out_folder, quiet, save
from econzoo.train.lm.validation_curve import validating
from econzoo.train.tracking import Trackers

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe
    from econzoo.train.lm.rollout import Policy
    from econzoo.train.lm.transcripts import Seated
    from econzoo.train.lm.validation import Validation

__all__ = ["begin", "finish", "interruptible", "latest", "met_by", "run", "steps_of", "take_course", "write_card"]

STATE = "trainer_state.json"
"""What a checkpoint gets last: one without it was cut off."""

ARGUMENTS = "arguments.json"
"""What a training was begun with."""

FREE = (
    *("out", "resume", "dry_run", "track", "checkpoint_every", "micro_batch"),
    *("eval", "eval_every", "alarm", "stop_on_collapse", "rounds", "patience"),
)
"""Arguments that may change when a training goes on."""

CARD = "README.md"

HEAD = """---
library_name: transformers
tags:
- econzoo
- {method}
---

# {name}

`{model}` after {steps} steps of {method} on {game}, trained with EconZoo.

    econzoo play {game} hf:{folder} random
    econzoo evaluate hf:{folder} --game {game} --pool validation
"""

MEASURED = """
## Evaluation

{matches} matches in settings and against opponents of the validation, none of which it was trained on, and scripts in
the same seats of the same matches. Replies are not held to the form of a legal move. Differences are paired by match,
with 95% intervals over matches.

| player | {objective} | this model less it | legal replies |
|---|---|---|---|
"""


def take_course(
    recipe: LmRecipe,
    loaded: Any,
    start: Path | None,
    validation: Validation | None,
    trainer_of: Callable[[], Any],
    policy_of: Callable[[Any], Policy],
    about: Callable[[int], Mapping[str, str]],
    measured_before: bool = False,
) -> int:
    """Trains from a start to the end or to an interrupt, and leaves a model that plays, with its card.

    Args:
        recipe: Of the training.
        loaded: The model.
        start: The checkpoint to go on from; None: from the start.
        validation: What the model is measured by; None: it is not.
        trainer_of: Makes TRL's trainer.
        policy_of: The model as it is now, as something that plays, given the trainer.
        about: For cards: what has been learned from after so many steps; its ``game`` is the name of the game.
        measured_before: Whether the validation has measured the model at the start already.

    Returns:
        The steps that were taken in all.

    Raises:
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    matches, before = len(validation.drawn) if validation else 0, steps_of(start)

    def card(place: Path, step: int, rows: list[list[str]]) -> None:
        write_card(place, recipe, step, about(step), rows, matches)

    with closing(Trackers(recipe.track, recipe.out, recipe.plain())) as trackers:
        trainer = trainer_of()
        trainer.add_callback(curve(recipe, before, trackers))
        quiet(trainer)
        watching = validating(recipe, validation, lambda: policy_of(trainer), before, card, trackers)
        trainer.add_callback(watching)
        if start is None and not measured_before:
            watching.measure(0)
        run(trainer, start, recipe.out)
        done = int(trainer.state.global_step)
        rows = watching.measure(done)
    save(trainer, loaded, recipe.model, recipe.out)
    card(recipe.out, done, rows)
    return done


def finish(recipe: LmRecipe, met: Met, **more: Any) -> Path:
    """Writes ``training.json`` of a training that has ended, and returns its folder.

    Args:
        recipe: Of the training.
        met: What the model has met.
        **more: What came out.
    """
    write_settings(recipe, met=met.plain(), **more)
    return recipe.out


def write_settings(recipe: LmRecipe, **more: Any) -> None:
    """``training.json``: the method, its options and what came out."""
    import peft
    import torch
    import transformers
    import trl

    versions = {module.__name__: module.__version__ for module in (torch, transformers, trl, peft)}
    content = {"method": recipe.METHOD, "args": recipe.plain(), "versions": versions, **more}
    (recipe.out / SETTINGS).write_text(json.dumps(content, indent=2, default=str) + "\n", encoding="utf-8")


def met_by(recipe: LmRecipe, seated: Sequence[Seated], teachers: Sequence[str] = ()) -> Met:
    """What the players learned from have met, each in its seat, teachers themselves, and the model before.

    Args:
        recipe: Of the training.
        seated: What is learned from.
        teachers: Specs.
    """
    others = [spec for one in seated for seat, spec in enumerate(one.record.players) if seat != one.seat]
    seats, params = [one.seat for one in seated], [one.record.params for one in seated]
    met = Met.once(seated[0].record.game, others, seats, params, recipe.seed)
    for spec in (recipe.model, *teachers):
        met = met.joined(met_of(spec))
    return met


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


def begin(recipe: LmRecipe) -> Path | None:
    """Makes the folder of a training and writes its options there, or compares them with those it was begun with.

    Args:
        recipe: Of the training.

    Returns:
        The checkpoint to go on from; None: from the start.

    Raises:
        ValueError: An option differs from the one that the training was begun with.
    """
    folder, resume = out_folder(recipe.out), recipe.resume
    kept, now = folder / ARGUMENTS, {name: value for name, value in recipe.plain().items() if name not in FREE}
    start = latest(folder) if resume else None
    if resume and kept.is_file():
        refuse_others(kept, now)
    if not resume:
        for one in folder.glob("checkpoint-*"):  # of an earlier training, which this one must not go on from
            shutil.rmtree(one)
    kept.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    write_config(folder, recipe, recipe.NOT_KEPT)
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


def write_card(
    folder: Path,
    recipe: LmRecipe,
    steps: int,
    about: Mapping[str, Any],
    rows: Sequence[Sequence[str]] = (),
    matches: int = 0,
) -> None:
    """Writes ``README.md`` of a checkpoint.

    Args:
        folder: Of the checkpoint.
        recipe: Of the training.
        steps: That it took.
        about: What it learned from, by name; its ``game`` is the name of the game.
        rows: Of the table of the evaluation; see `econzoo.train.lm.validation.card_rows`.
        matches: Of the evaluation.
    """
    names = {"method": recipe.METHOD, "name": folder.name, "model": recipe.model, "steps": steps, "folder": folder}
    text = HEAD.format(**names, game=about["game"])
    if rows:
        text += MEASURED.format(matches=matches, objective=recipe.objective)
        text += "".join(f"| {' | '.join(row)} |\n" for row in rows)
    text += "\n## What it learned from\n\n| | |\n|---|---|\n"
    text += "".join(f"| {name} | {value} |\n" for name, value in about.items())
    (folder / CARD).write_text(text, encoding="utf-8")
