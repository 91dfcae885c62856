"""A model in training, measured again and again in the same matches of the validation: a curve, and cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.show.csv_files import add_rows
from econzoo.train.lm.model import rows_until

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe
    from econzoo.train.lm.rollout import Policy
    from econzoo.train.lm.validation import Measured, Validation

__all__ = ["CURVE", "HEADER", "validating"]

CURVE = "validation_curve.csv"
HEADER = ("steps", "value", "low", "high", "legal")
"""Mean of the objective with its 95% interval over matches, and share of replies that could be used."""


def validating(
    recipe: LmRecipe,
    validation: Validation | None,
    policy: Callable[[], Policy],
    done: int,
    card: Callable[[Path, int, list[list[str]]], None],
    trackers: Any = None,
) -> Any:
    """A callback that writes ``validation_curve.csv``, and a card into every checkpoint.

    Args:
        recipe: Of the training.
        validation: None: cards have no table, and there is no curve.
        policy: The model as it is now.
        done: Steps of the checkpoint that it goes on from; later points of the file are dropped.
        card: Writes one, given the folder of a checkpoint, its steps and the rows of the table.
        trackers: Take the numbers too; see `econzoo.train.tracking.Trackers`.
    """
    from transformers import TrainerCallback

    folder, every = recipe.out, recipe.eval_every

    class Validating(TrainerCallback):
        def __init__(self) -> None:
            self.path, kept = folder / CURVE, rows_until(folder / CURVE, done)
            self.steps = {int(row[0]) for row in kept}
            self.last: tuple[int, Measured] | None = None
            if validation is not None:
                validation.remember(folder if done else None)
                self._write("w", [list(HEADER), *kept])

        def _write(self, mode: str, rows: Sequence[Sequence[Any]]) -> None:
            with self.path.open(mode, newline="", encoding="utf-8") as file:
                add_rows(file, rows)

        def measure(self, step: int) -> list[list[str]]:
            """One point of the curve, unless it is there; the rows of the card."""
            if validation is None:
                return []
            if self.last is None or self.last[0] != step:
                self.last = step, validation.of(policy())
            found = self.last[1]
            if step == 0:
                validation.begin(found, folder)
            if step not in self.steps:
                self.steps.add(step)
                self._write("a", [[step, *found.point]])
                if trackers is not None:
                    named = zip(HEADER[1:], found.point, strict=True)
                    trackers.write(step, {f"validation/{name}": value for name, value in named})
            return validation.rows(found)

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if every and state.global_step == 0:
                self.measure(0)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if every and state.global_step % every == 0:
                self.measure(state.global_step)

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            step = state.global_step
            card(Path(args.output_dir) / f"checkpoint-{step}", step, self.measure(step))

    return Validating()
