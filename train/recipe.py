"""Base of the training recipes: options, checked and resolved on construction, and the command built from them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from econzoo.envs.command_line import command, read_software, write_config
from econzoo.envs.core.contract import Flag, Folder, Integer, ListOf, Objective, OneOf, Option, Text, check_options
from econzoo.envs.core.contract import options_in
from econzoo.envs.core.record import current_software, strip_secrets
from econzoo.evaluate.show import TEXT, Column, Table, show
from econzoo.train.tracking import TRACKERS

__all__ = ["Recipe", "training_command"]

Task, Data, Network = partial(Option, panel="Task"), partial(Option, panel="Data"), partial(Option, panel="Network")
Optimisation, Sampling = partial(Option, panel="Optimisation"), partial(Option, panel="Sampling")
Evaluation, Run = partial(Option, panel="Evaluation and checkpoints"), partial(Option, panel="Run")
"""An option in a help panel."""

PANELS = Task, Data, Network, Optimisation, Sampling, Evaluation, Run

FOLDER = Folder()

UNSET: Any = None
"""Placeholder of an option without a value whose default depends on other options."""

R = TypeVar("R", bound="Recipe")


@dataclass(kw_only=True)
class Recipe:
    """Options of every training.

    Raises:
        ValueError: A value is invalid; the message names it and what is expected.
    """

    PANELS: ClassVar[tuple[str, ...]] = ("", *(one.keywords["panel"] for one in PANELS))
    """Panels of the help, in order."""

    METHOD: ClassVar[str]
    """Name of its command."""

    NOT_RECORDED: ClassVar[tuple[str, ...]] = ("resume", "dry_run")
    """Options that do not affect the result and are left out of ``config.toml``."""

    objective: Annotated[str, Task(Text(), "Reward, e.g. self_gain or '0.7*self_gain + 0.3*fairness'.")] = "self_gain"
    out: Annotated[Path, Run(FOLDER, "Output folder.", default="runs/METHOD")] = UNSET
    seed: Annotated[int, Run(Integer(0, 2**32 - 1), "Random seed.")] = 0
    track: Annotated[list[str], Run(ListOf(OneOf(*TRACKERS)), "Experiment trackers (repeatable).")] = field(
        default_factory=list
    )
    resume: Annotated[bool, Run(Flag(), "Resume from the last checkpoint in --out.")] = False
    dry_run: Annotated[bool, Run(Flag(), "Print data size, memory and estimated time, then exit.")] = False

    def __post_init__(self) -> None:
        self.out = self.out or Path("runs") / self.METHOD
        self.resolve()  # ahead of the checks, which hold for defaults too
        check_options(self)
        self.goal = Objective(self.objective)

    def resolve(self) -> None:
        """Fill in the defaults that depend on other options."""

    def to_plain(self) -> dict[str, Any]:
        """Return the options as plain values without secrets, as the files of a training hold them."""
        held = {name: getattr(self, name) for name in options_in(type(self))}
        # Stripped as text, since a key may stand within any option: an address, the spec of a player.
        options: dict[str, Any] = json.loads(strip_secrets(json.dumps(held, default=str)))
        return options


def write_recipe(recipe: Recipe, libraries: Iterable[str]) -> None:
    """Write the options of a training and its software into its folder.

    On resume, another version or commit of the package than at the start is told in one line.
    """
    start, here = read_software(recipe.out) if recipe.resume else None, current_software()
    if start is not None and start.of_package != here:
        print(f"econzoo: resuming a training of {start.of_package} with {here}", file=sys.stderr)
    write_config(recipe.out, recipe, recipe.NOT_RECORDED, libraries)


def training_command(kind: type[R], train: Callable[[R], object], dry_run: Callable[[R], Table]) -> Callable[..., None]:
    def run(recipe: R) -> object:
        if not recipe.dry_run:
            return train(recipe)
        show([dry_run(recipe)])
        return "Nothing was written."

    return command(kind, run)


def dry_run_table(rows: Sequence[Sequence[str]], note: str) -> Table:
    """Return the table of a dry run: name and text per row, and a note on how to read it."""
    return Table("dry_run", "Dry run", [Column("training", kind=TEXT), Column("what", kind=TEXT)], rows, note)
