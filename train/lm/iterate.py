"""Expert iteration: in each round, a model plays and is fine-tuned on the best of its own matches.

    econzoo train iterate --model hf:runs/sft --rounds 5 --matches 100 --plays 8 --layers 12 --out runs/iterate

1. The model samples several plays of each of the round's new training matches.
2. The best fraction of the plays is kept, by the objective and within each cell of setting, seat and opponents; matches
   of teachers are added, if any.
3. It is fine-tuned on them (`econzoo.train.lm.sft`), with a checkpoint in ``round-N``.
4. It is evaluated on the same validation matches after each round. Without an improvement for `patience` rounds the
   training stops and the best checkpoint is published.

Also called rejection-sampling fine-tuning (Yuan et al. 2023, arXiv:2308.01825) and ReST (Gulcehre et al. 2023,
arXiv:2308.08998); the name is that of Anthony et al. (2017, arXiv:1705.08439).
"""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, ClassVar, NamedTuple

from econzoo.envs.command_line import CONFIG_FILE
from econzoo.envs.core import atomic_write, read_text, write_file
from econzoo.envs.core.contract import Real, check_arguments
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import read_exposure
from econzoo.evaluate.run import PlayerCache
from econzoo.evaluate.show import Table, append_rows, format_duration
from econzoo.train import Data, Evaluation, Optimisation, Trackers, played_value, print_dominance, training_command
from econzoo.train.lm import sft
from econzoo.train.lm.card import CARD
from econzoo.train.lm.dataset import PLAYS, assign_matches, is_learner, play_assigned_matches, play_self_matches
from econzoo.train.lm.episode_specs import EpisodeSpec, check_opponents, make_validation_specs, places_of
from econzoo.train.lm.measures import CURVE, Validation, rows_until
from econzoo.train.lm.model import check, clear, load_for_training, out_folder
from econzoo.train.lm.recipe import NATURAL, POSITIVE, TEXTS, SampledRecipe, SequenceRecipe
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.sft import WEIGHT, SFTRecipe, prepare_data
from econzoo.train.lm.training_run import TRAINING_FILE, begin_training, check_training, finish_training
from econzoo.train.lm.transcripts import RecordedSeat, select

__all__ = ["IterationRecipe", "train_iterate"]

ROUNDS = "rounds.csv"
HEADER = ("round", "matches", "kept", "played_value", "kept_value", "validation", "low", "high", "legal", "seconds")
"""Means of the objective: of the model's plays (`played_value`), of those kept, on validation."""

NOT_COPIED = (PLAYS, sft.TEACHER_PLAYS, CONFIG_FILE)
"""Files of a round that are not copied to the output folder."""


@dataclass(kw_only=True)
class IterationRecipe(SequenceRecipe, SampledRecipe):
    """Improve a language model by expert iteration on the best of its own matches; the checkpoint plays as hf:OUT.

    Raises:
        ValueError: A value is invalid; the message names it and what is expected.
    """

    METHOD: ClassVar[str] = "iterate"
    RATES: ClassVar[tuple[float, float]] = (1e-5, 1e-4)

    rounds: Annotated[int, Optimisation(POSITIVE, "Maximum rounds.")] = 5
    patience: Annotated[int, Optimisation(POSITIVE, "Rounds without a better validation score until it stops.")] = 2
    matches: Annotated[int, Data(POSITIVE, "Distinct matches per round.")] = 200
    plays: Annotated[int, Data(POSITIVE, "Plays of each match.")] = 8
    keep: Annotated[float, Data(Real(0.0, 1.0, is_low_excluded=True), "Fraction of best plays kept per match.")] = 0.25
    teacher: Annotated[list[str], Data(TEXTS, "Player whose matches are added to the dataset (repeatable).")] = field(
        default_factory=list
    )
    teacher_matches: Annotated[int, Data(POSITIVE, "Distinct teacher matches per round.")] = 50
    answer_weight: Annotated[
        float,
        Optimisation(WEIGHT, "Loss weight of accept/reject decisions relative to offers (0 = unweighted)."),
    ] = 1.0
    steps: Annotated[int, Optimisation(POSITIVE, "Optimiser steps per round.")] = 50
    checkpoint_every: Annotated[int, Evaluation(NATURAL, "Steps between checkpoints within a round (0 = none).")] = 25
    eval: Annotated[int, Evaluation(POSITIVE, "Validation matches after each round.")] = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        check_opponents(self.teacher, self.game)

    @cached_property
    def episode_specs(self) -> list[list[EpisodeSpec]]:
        """Matches of every round; rounds share none.

        Raises:
            ValueError: A value is invalid, or belongs to the validation or test split.
        """
        return [
            self.make_episode_specs(number * self.matches, self.matches, self.params) for number in range(self.rounds)
        ]

    @cached_property
    def validation_specs(self) -> list[EpisodeSpec]:
        """Validation matches, held out from training."""
        specs = [one for part in self.episode_specs for one in part]
        return make_validation_specs(self.game, self.eval, sorted({one.seat for one in specs}), self.fixed, specs)


class Round(NamedTuple):
    """A finished round.

    Attributes:
        number: From 1; 0 is the start model.
    """

    number: int
    validation: float
    row: list[Any]


@check_arguments
def train_iterate(recipe: IterationRecipe) -> Path:
    """Run the rounds.

    Returns:
        The folder of the best checkpoint.

    Raises:
        ValueError: The model cannot be loaded, or it forfeited every match of a round.
        KeyboardInterrupt: Interrupted; a checkpoint was saved.
    """
    check_recipe(recipe)
    episodes, validation = recipe.episode_specs, Validation(recipe.validation_specs, recipe.goal)
    begin_training(recipe)
    print_dominance(recipe.goal, places_of(one for part in episodes for one in part))
    ended = read_rounds(recipe) or [measure_start(recipe, validation)]
    while (number := len(ended)) <= recipe.rounds and not patience_exhausted(ended, recipe.patience):
        ended.append(run_round(recipe, number, episodes[number - 1], validation))
    return publish_best(recipe, ended)


def check_recipe(recipe: IterationRecipe) -> None:
    """Check what the rounds need while no model is loaded; see `check_training`."""
    check_training(recipe, lambda one: sft.training_arguments(round_recipe(one, one.model, one.out, one.out)))
    begun = list(recipe.out.glob("round-*"))
    check(recipe.resume or not begun, "out", str(recipe.out), "a folder without rounds, or --resume")
    recipe.validation_specs  # noqa: B018 (raises)


def round_recipe(recipe: IterationRecipe, model: str, folder: Path, plays: Path) -> SFTRecipe:
    """Return the recipe of a round's supervised fine-tuning, which resumes where it stopped."""
    # The records of the round hold its settings and opponents.
    shared = {*(one.name for one in fields(SequenceRecipe)), "keep", "answer_weight"} - {"settings", "opponents"}
    same = {name: getattr(recipe, name) for name in shared}
    own = {"model": model, "out": folder, "records": [str(plays)], "resume": True, "dry_run": False}
    return SFTRecipe(**{**same, **own})


def patience_exhausted(ended: Sequence[Round], patience: int) -> bool:
    """Whether the best round is at least `patience` rounds ago."""
    return ended[-1].number - best_round(ended).number >= patience


def best_round(ended: Sequence[Round]) -> Round:
    """Return the first round with the highest validation score."""
    return max(ended, key=lambda one: (one.validation, -one.number))


def measure_start(recipe: IterationRecipe, validation: Validation) -> Round:
    """Evaluate the start model."""
    begun = time.perf_counter()
    loaded = load_for_training(recipe.model)
    found = validation.measure(Policy(loaded, max_length=loaded.context)).point  # sampled as after each round
    return record_round(recipe.out, [0, 0, 0, "", "", *found, round(time.perf_counter() - begun, 1)])


def run_round(
    recipe: IterationRecipe, number: int, episode_specs: Sequence[EpisodeSpec], validation: Validation
) -> Round:
    """Play, learn and evaluate, from where the round stopped."""
    begun, place = time.perf_counter(), out_folder(recipe.out / f"round-{number}")
    model = recipe.model if number == 1 else f"hf:{recipe.out / f'round-{number - 1}'}"
    learning = round_recipe(recipe, model, place, place / PLAYS)
    own = play_round(recipe, model, episode_specs, number, place)
    chosen = [*select_best(recipe, own), *teacher_seats(recipe, number, place)]
    if not (place / TRAINING_FILE).is_file():  # written last: with it the round has been learned
        sft.learn_from_seats(learning, chosen, validation)
    for one in place.glob("checkpoint-*"):  # a learned round is not resumed
        shutil.rmtree(one)
    found = [float(value) if value else float("nan") for value in rows_until(place / CURVE, recipe.steps)[-1][1:]]
    selected, values = [one.value for one in chosen], [one.value for one in seats_of(recipe, own, 1.0)]
    # Silent seats are not learned from, but count in the mean of the round, as the least value.
    values += [played_value(record, seat, recipe.goal) for record in own for seat in silent_learners(record)]
    row = [number, len(own), len(chosen), round(fmean(values), 6), round(fmean(selected), 6), *found]
    return record_round(recipe.out, [*row, round(time.perf_counter() - begun, 1)])


def play_round(
    recipe: IterationRecipe, model: str, episode_specs: Sequence[EpisodeSpec], number: int, place: Path
) -> list[Record]:
    """Play the matches of a round and store them in its folder."""
    policy = recipe.policy(load_for_training(model))
    policy.seed += 2**64 * number  # random numbers of its own for each round
    return play_self_matches(policy, episode_specs, recipe.plays, PlayerCache(recipe.game), place / PLAYS)


def select_best(recipe: IterationRecipe, own: Sequence[Record]) -> list[RecordedSeat]:
    """Return the best of the model's plays."""
    found = seats_of(recipe, own, recipe.keep)
    check(bool(found), "model", recipe.model, "a model that forfeits less; see --constrained and sft")
    return found


def seats_of(recipe: IterationRecipe, own: Sequence[Record], share: float) -> list[RecordedSeat]:
    """Return the best fraction of the model's seats in matches without `silent_learners`; empty if there is none."""
    usable = [record for record in own if not silent_learners(record)]
    learners = sorted({spec for record in usable for spec in record.players if is_learner(spec)})
    return select(usable, recipe.goal, share, recipe.seats or None, learners) if usable else []


def silent_learners(record: Record) -> list[int]:
    """Return the seats of the model that forfeited, or in which a default action replaced an answer."""
    return [seat for seat, spec in enumerate(record.players) if is_learner(spec) and seat in record.defaulting_seats]


def teacher_seats(recipe: IterationRecipe, number: int, place: Path) -> list[RecordedSeat]:
    """Return the teachers' seats, in new matches in every round."""
    if not recipe.teacher:
        return []
    # Another training seed per round: in `assign_matches` each has its own range of settings.
    drawn = assign_matches(
        recipe.game,
        recipe.teacher,
        recipe.teacher_matches,
        1,
        recipe.opponents,
        recipe.seats,
        recipe.settings,
        recipe.seed + 2**16 * number,
        recipe.params,
    )
    records = play_assigned_matches(recipe.game, drawn, place / sft.TEACHER_PLAYS)
    return select(records, recipe.goal, 1.0, recipe.seats or None, recipe.teacher)


def record_round(folder: Path, row: list[Any]) -> Round:
    """Append a finished round to the table."""
    path = folder / ROUNDS
    new = not path.is_file()
    append_rows(path, [HEADER, row] if new else [row])
    line = "  ".join(f"{name} {value}" for name, value in zip(HEADER, row, strict=True) if value != "")
    print(line, file=sys.stderr, flush=True)
    return Round(int(row[0]), mean_or_worst(row[5]), row)


def mean_or_worst(value: Any) -> float:
    """Return the mean of a validation, or minus infinity if the objective had no value in any match."""
    return -math.inf if value == "" or math.isnan(float(value)) else float(value)


def read_rounds(recipe: IterationRecipe) -> list[Round]:
    """Return the finished rounds; a line that a kill truncated is removed from the file."""
    path = recipe.out / ROUNDS
    rows = [row for row in rows_until(path, sys.maxsize) if len(row) == len(HEADER)] if recipe.resume else []
    path.unlink(missing_ok=True)
    return [record_round(recipe.out, list(row)) for row in rows]


def publish_best(recipe: IterationRecipe, ended: Sequence[Round]) -> Path:
    """Copy the best checkpoint to the output folder."""
    found, folder = best_round(ended), recipe.out
    clear(folder)
    if found.number == 0:
        print("no round improved on the start model, which is kept", file=sys.stderr)
        loaded = load_for_training(recipe.model)
        loaded.model.save_pretrained(folder)
        loaded.tokenizer.save_pretrained(folder)
        exposure = read_exposure(recipe.model)
    else:
        source = folder / f"round-{found.number}"
        for file in source.iterdir():
            if file.is_file() and file.name not in NOT_COPIED:
                with atomic_write(folder / file.name) as part:
                    shutil.copyfile(file, part)
        text = read_text(source / CARD).replace(f"hf:{source}", f"hf:{folder}")
        write_file(folder / CARD, text)
        exposure = read_exposure(f"hf:{source}")
    with closing(Trackers(recipe.track, folder, recipe.to_plain())) as trackers:
        for one in ended:
            trackers.write(one.number, {"rounds/validation": one.validation})
    rows = [dict(zip(HEADER, one.row, strict=True)) for one in ended]
    return finish_training(recipe, exposure, best_round=found.number, rounds=rows)


def dry_run(recipe: IterationRecipe) -> Table:
    """Estimate a round from its first matches without writing anything."""
    check_recipe(recipe)
    episodes = recipe.episode_specs[0]
    loaded = load_for_training(recipe.model)
    few, begun = episodes[: max(1, recipe.rollout_batch // recipe.plays)], time.perf_counter()
    own = play_self_matches(recipe.policy(loaded), few, recipe.plays, PlayerCache(recipe.game))
    seconds = (time.perf_counter() - begun) / len(own)
    matches = len(episodes) * recipe.plays
    learning = round_recipe(recipe, recipe.model, recipe.out, recipe.out)
    found = prepare_data(loaded, select_best(recipe, own), learning)
    table = sft.table_of(learning, loaded, found)
    first = [
        [
            "rounds",
            f"up to {recipe.rounds}, each as below; training time is that of the first {len(own):,} plays",
        ],
        ["playing", f"{matches:,} matches in {format_duration(seconds * matches)}"],
        ["validation", f"{recipe.eval:,} matches in {format_duration(seconds * recipe.eval)}"],
    ]
    return replace(table, rows=[*first, *table.rows])


main = training_command(IterationRecipe, train_iterate, dry_run)
