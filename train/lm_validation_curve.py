"""A model in training, measured again and again in the same matches of the validation: a curve, and cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.objectives import Objective
from econzoo.evaluate.csv_files import add_rows
from econzoo.evaluate.match import Cast
from econzoo.train.lm_model import rows_until
from econzoo.train.lm_rollout import Policy
from econzoo.train.lm_tickets import Ticket
from econzoo.train.lm_validation import Measured, card_rows, interval, measured, scripts_measured, validation_tickets

__all__ = ["CURVE", "HEADER", "Validation", "point", "validating"]

CURVE = "validation_curve.csv"
HEADER = ("steps", "value", "low", "high", "legal")
"""Mean of the objective with its 95% interval over matches, and share of replies that could be used."""


class Validation:
    """Matches of the validation.

    Args:
        game: Name.
        count: How many at most, 1 or more.
        seats: Of the learner; None: all.
        params: What holds in every setting.
        objective: By which it is measured.
        trained: Matches that it trains on, which are none of these.
        markets: Where the game has no settings for the validation.

    Raises:
        ValueError: The game has nothing to be measured by.
    """

    def __init__(
        self,
        game: str,
        count: int,
        seats: Sequence[int] | None,
        params: Mapping[str, Any],
        objective: str,
        trained: Sequence[Ticket] = (),
        markets: Sequence[str] = ("default",),
    ) -> None:
        self.drawn = validation_tickets(game, count, seats, params, trained, markets)
        self._objective, self._cast = Objective(objective), Cast(game)
        self._last: tuple[int, Measured] | None = None

    def of(self, policy: Policy, step: int = -1) -> Measured:
        """How a model does, which is looked up if it was asked for this step last."""
        if self._last is None or step < 0 or self._last[0] != step:
            self._last = step, measured(policy, self.drawn, self._cast, self._objective)
        return self._last[1]

    @cached_property
    def scripts(self) -> list[Measured]:
        """The scripts in the same matches."""
        return scripts_measured(self.drawn, self._cast, self._objective)

    def rows(self, found: Measured) -> list[list[str]]:
        """The table of a card."""
        return card_rows(found, self.scripts)


def point(found: Measured) -> list[float]:
    """What `HEADER` says of a measurement, after the steps."""
    return [round(value, 6) for value in (*interval(found.values), found.legal)]


def validating(
    validation: Validation | None,
    policy: Callable[[], Policy],
    folder: Path,
    every: int,
    done: int,
    card: Callable[[Path, int, list[list[str]]], None],
    trackers: Any = None,
) -> Any:
    """A callback that writes ``validation_curve.csv``, and a card into every checkpoint.

    Args:
        validation: None: cards have no table, and there is no curve.
        policy: The model as it is now.
        folder: Of the training.
        every: Steps between two points of the curve; 0: at checkpoints only.
        done: Steps of the checkpoint that it goes on from; later points of the file are dropped.
        card: Writes one, given the folder of a checkpoint, its steps and the rows of the table.
        trackers: Take the numbers too; see `econzoo.train.tracking.Trackers`.
    """
    from transformers import TrainerCallback

    class Validating(TrainerCallback):
        def __init__(self) -> None:
            self.path, kept = folder / CURVE, rows_until(folder / CURVE, done)
            self.steps = {int(row[0]) for row in kept}
            if validation is not None:
                self._write("w", [list(HEADER), *kept])

        def _write(self, mode: str, rows: Sequence[Sequence[Any]]) -> None:
            with self.path.open(mode, newline="", encoding="utf-8") as file:
                add_rows(file, rows)

        def measure(self, step: int) -> list[list[str]]:
            """One point of the curve, unless it is there; the rows of the card."""
            if validation is None:
                return []
            found = validation.of(policy(), step)
            if step not in self.steps:
                self.steps.add(step)
                self._write("a", [[step, *point(found)]])
                if trackers is not None:
                    named = zip(HEADER[1:], point(found), strict=True)
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
