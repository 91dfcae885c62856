"""The course of a training: steps, checkpoints with cards, a curve of the validation, trackers, and the end of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.train.lm_card import write_card
from econzoo.train.lm_checkpoints import run, steps_of
from econzoo.train.lm_model import save
from econzoo.train.lm_validation_curve import validating
from econzoo.train.tracking import Trackers

if TYPE_CHECKING:
    from econzoo.train.lm_rollout import Policy
    from econzoo.train.lm_validation import Validation

__all__ = ["take_course"]


def take_course(
    method: str,
    args: Any,
    loaded: Any,
    folder: Path,
    start: Path | None,
    validation: Validation | None,
    trainer_of: Callable[[int, Trackers], Any],
    policy_of: Callable[[Any], Policy],
    about: Callable[[int], Mapping[str, str]],
    measured_before: bool = False,
) -> int:
    """Trains from a start to the end or to an interrupt, and leaves a model that plays, with its card.

    Args:
        method: Its name, as its command has it.
        args: Of the method.
        loaded: The model.
        folder: Of the training.
        start: The checkpoint to go on from; None: from the start.
        validation: What the model is measured by; None: it is not.
        trainer_of: Makes TRL's trainer, given the steps that are done and the trackers.
        policy_of: The model as it is now, as something that plays, given the trainer.
        about: For cards: what has been learned from after so many steps; its ``game`` is the name of the game.
        measured_before: Whether the validation has measured the model at the start already.

    Returns:
        The steps that were taken in all.

    Raises:
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    matches = len(validation.drawn) if validation else 0

    def card(place: Path, step: int, rows: list[list[str]]) -> None:
        told = dict(about(step))
        write_card(place, method, told["game"], replace(args, steps=step), told, rows, matches)

    with closing(Trackers(args.track, folder, asdict(args))) as trackers:
        trainer = trainer_of(steps_of(start), trackers)
        watching = validating(
            validation, lambda: policy_of(trainer), folder, args.eval_every, steps_of(start), card, trackers
        )
        trainer.add_callback(watching)
        if start is None and not measured_before:
            watching.measure(0)
        run(trainer, start, folder)
        done = int(trainer.state.global_step)
        rows = watching.measure(done)
    save(trainer, loaded, args.model, folder)
    card(folder, done, rows)
    return done
