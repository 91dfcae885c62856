"""Supervised fine-tuning on decisions of teachers or on the best of recorded matches.

    econzoo train sft --teacher ppo:runs/first --param messages=false --layers 12 --out runs/sft
    econzoo train sft records.jsonl --model hf:smollm2 --objective self_gain --keep 0.2 --lora 16 --out runs/sft

1. Teachers play against the training pool in training settings, or records of any players are read; moves of scripted
   players are rendered as the chat a model would have had.
2. Keep the best fraction by the objective within each cell of setting, seat and opponents (`econzoo.train.lm.dataset`).
3. Weight accept/reject decisions by their stake (`econzoo.train.lm.relabelling`).
4. Train on reply tokens only, each after exactly the prompt it has in play. Cells take turns.
5. Save a checkpoint that ``hf:OUT`` plays, with ``learning_curve.csv``, ``training.json`` and a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from econzoo.baselines.models import fastest_dtype
from econzoo.envs.core.contract import Flag, OneOf, Option, Real, check_arguments
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import decision_stakes
from econzoo.evaluate.show import Table
from econzoo.train import Data, Optimisation, Task, print_dominance, training_command
from econzoo.train.lm.dataset import assign_matches, interleave_cells, play_assigned_matches, rank_teachers
from econzoo.train.lm.dataset import top_fraction
from econzoo.train.lm.dry_run import elsewhere, learner_of, sequences_table
from econzoo.train.lm.episode_specs import EpisodeSpec
from econzoo.train.lm.measures import Validation, validation_of
from econzoo.train.lm.model import check, load_for_training, out_folder, prepare_trainable
from econzoo.train.lm.recipe import MODES, POSITIVE, TEXTS, SequenceRecipe
from econzoo.train.lm.relabelling import answer_margin, best_answer, offer_value, relabel_moves, reply_weights
from econzoo.train.lm.relabelling import rollout_values
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.sft_trainer import make_trainer, tool_tokens
from econzoo.train.lm.tokens import Tokens, sequences
from econzoo.train.lm.training_run import begin_training, check_training, finish_training, run_training
from econzoo.train.lm.transcripts import RecordedSeat, load_records, select, transcripts
from econzoo.train.lm.trl_settings import SFT_FIELDS, common_arguments, make_trl_arguments

__all__ = ["SFTRecipe", "train_sft"]

TEACHER_PLAYS = "teacher_plays.jsonl"
"""Matches of the teachers, in the folder of the checkpoint."""

WEIGHT = Real(0.0, 1000.0)
"""Range of the weight of accept/reject decisions."""


@dataclass(kw_only=True)
class SFTRecipe(SequenceRecipe):
    """Fine-tune a language model on teachers' play or on the best of recorded matches; it plays as hf:OUT.

    Raises:
        ValueError: A value is invalid; the message names it and what is expected.
    """

    METHOD: ClassVar[str] = "sft"
    COLUMNS: ClassVar[dict[str, str]] = {
        "loss": "loss",
        "token_accuracy": "mean_token_accuracy",
        "entropy": "entropy",
        "grad_norm": "grad_norm",
    }
    RATES: ClassVar[tuple[float, float]] = (2e-5, 2e-4)

    records: Annotated[
        list[str],
        Option(TEXTS, "Files of records (JSON lines); a teacher relabels them.", positional=True),
    ] = field(default_factory=list, kw_only=False)
    keep: Annotated[
        float,
        Data(
            Real(0.0, 1.0),
            "Fraction of best matches kept per (setting, seat, opponent) cell (0 = 0.2, or 1 with relabelling).",
        ),
    ] = 0.0
    answer_weight: Annotated[
        float,
        Optimisation(WEIGHT, "Loss weight of accept/reject decisions relative to offers (0 = unweighted)."),
    ] = 1.0
    players: Annotated[list[str], Data(TEXTS, "Players of the records to learn from (repeatable).", default="all")] = (
        field(default_factory=list)
    )
    teacher: Annotated[
        list[str],
        Data(
            TEXTS,
            "Player to learn from, e.g. ppo:DIR or a script (repeatable; when relabelling, the one with the highest "
            "objective is used).",
        ),
    ] = field(default_factory=list)
    behaviour: Annotated[
        list[str],
        Data(TEXTS, "Behaviour policy; the teacher relabels its states (DAgger; repeatable)."),
    ] = field(default_factory=list)
    matches: Annotated[int, Data(POSITIVE, "Distinct matches of the teachers.")] = 1000
    plays: Annotated[int, Data(POSITIVE, "Plays of each match; with --behaviour, by each policy in turn.")] = 1
    mode: Annotated[str, Task(OneOf(*MODES), "Form of replies: chat, or tool calls for grpo --mode tools.")] = "chat"
    rollouts: Annotated[
        bool,
        Data(Flag(), "Relabel accept/reject decisions by rollout value, weighted by advantage (AggreVaTe)."),
    ] = False
    top_fraction: Annotated[
        float, Data(Real(0.0, 1.0, is_low_excluded=True), "Keep the top fraction of sequences by stake per token.")
    ] = 1.0
    rounding: Annotated[
        float,
        Data(Real(0.0, 0.5), "Round teacher amounts to this fraction of the stake (0 = exact)."),
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        taught = bool(self.teacher)
        check(bool(self.records) or taught, "teacher", self.teacher, "a player, or record files")
        check((taught and not self.records) or not self.behaviour, "behaviour", self.behaviour, "only with --teacher")
        check(not self.relabels or self.mode == "chat", "mode", self.mode, "chat with a relabelling teacher")
        check(self.relabels or not self.rounding, "rounding", self.rounding, "0 without a relabelling teacher")
        check(self.relabels or not self.rollouts, "rollouts", self.rollouts, "False without a relabelling teacher")
        # Bad plays are worth relabelling: the teacher's moves are learned, in the states that they reach.
        self.keep = self.keep or (1.0 if self.relabels else 0.2)

    @property
    def relabels(self) -> bool:
        """Whether a teacher relabels matches of other players."""
        return bool(self.teacher and (self.records or self.behaviour))


@check_arguments
def train_sft(recipe: SFTRecipe) -> Path:
    """Run the training.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: A record is invalid or the model cannot be loaded.
        FileNotFoundError: A record file does not exist.
        KeyboardInterrupt: Interrupted; a checkpoint was saved.
    """
    return learn_from_seats(*checked_seats(recipe))


def learn_from_seats(recipe: SFTRecipe, seats: list[RecordedSeat], validation: Validation | None = None) -> Path:
    """Train on given seats; see `train_sft`.

    Args:
        validation: Validation whose start is measured; None: as in the recipe.
    """
    has_start_values = validation is not None
    loaded = load_for_training(recipe.model)
    # Data or validations that cannot be are refused before the options are written.
    found, validation = prepare_data(loaded, seats, recipe), validation or validation_of(recipe, seats)
    begin_training(recipe)
    trainer = fast_trainer(recipe, loaded, found)

    def current_policy() -> Policy:
        return Policy(loaded, max_length=loaded.context, model=trainer.accelerator.unwrap_model(trainer.model))

    def about(done: int) -> dict[str, str]:
        return found.summary

    run_training(recipe, loaded, trainer, validation, current_policy, about, is_start_validated=has_start_values)
    values, learned = [one.value for one in seats], [EpisodeSpec.from_record(one.record, one.seat) for one in seats]
    more = {"matches": len(seats), "sequences": len(found.sequences), "value": sum(values) / len(values)}
    return finish_training(recipe, recipe.training_exposure(learned, recipe.teacher), **more)


def checked_seats(recipe: SFTRecipe) -> tuple[SFTRecipe, list[RecordedSeat]]:
    """Return the recipe with the best teacher first and the seats to learn from, after `check_training`.

    Records are read first: what is wrong with them is said while no library is loaded.
    """
    records = load_records(recipe.records) if recipe.records else []
    check_training(recipe, training_arguments)
    recipe = put_best_teacher_first(recipe)
    seats = select_seats(recipe, records)
    if recipe.keep < 1.0:
        print_dominance(recipe.goal, [one.place for one in seats])
    return recipe, seats


def select_seats(recipe: SFTRecipe, given: Sequence[Record] = ()) -> list[RecordedSeat]:
    """Return the seats to learn from: of the teachers' matches, stored in the folder, or of `given` records."""
    if recipe.records:
        records, players = given or load_records(recipe.records), tuple(recipe.players)
    else:
        seated = recipe.behaviour or recipe.teacher
        taught = assign_teachers(recipe, seated)
        file = None if recipe.dry_run else out_folder(recipe.out) / TEACHER_PLAYS
        records, players = play_assigned_matches(recipe.game, taught, file), tuple(recipe.players or seated)
    return select(records, recipe.goal, recipe.keep, recipe.seats or None, players, recipe.relabels)


def assign_teachers(recipe: SFTRecipe, seated: Sequence[str]) -> list[tuple[str, EpisodeSpec]]:
    """Pair each match with the player that plays it."""
    return assign_matches(
        recipe.game,
        seated,
        recipe.matches,
        recipe.plays,
        recipe.opponents,
        recipe.seats,
        recipe.settings,
        recipe.seed,
        recipe.params,
        bool(recipe.behaviour),
    )


def put_best_teacher_first(recipe: SFTRecipe) -> SFTRecipe:
    """Return the recipe with the best teacher by the objective first, where several could relabel."""
    if not recipe.relabels or len(recipe.teacher) == 1:
        return recipe
    specs = [episode for _, episode in assign_teachers(recipe, recipe.teacher[:1])]
    return replace(recipe, teacher=rank_teachers(recipe.game, recipe.teacher, specs, recipe.goal))


class TrainingData(NamedTuple):
    """Training data.

    Attributes:
        order: Indices into `sequences` in training order.
    """

    seats: list[RecordedSeat]
    sequences: list[Tokens]
    cells: list[Any]
    order: list[int]

    @property
    def summary(self) -> dict[str, str]:
        """Return rows of the dry run and of the model card."""
        players = sorted({one.record.players[one.seat] for one in self.seats})
        return {
            "game": self.seats[0].record.game,
            "learned from": f"{', '.join(players[:5])}{', ...' * (len(players) > 5)}",
            "matches": f"{len(self.seats):,}",
            "cells": f"{len(set(self.cells)):,}",
        }


def prepare_data(loaded: Any, seats: list[RecordedSeat], recipe: SFTRecipe) -> TrainingData:
    """Return weighted token sequences and their training order."""
    taught = [SeatTargets.from_seat(loaded, one, recipe) for one in seats]
    at_stake, worth = [one.stakes for one in taught], [one.offer_values for one in taught]
    weights = reply_weights(at_stake, recipe.answer_weight, worth) if recipe.answer_weight else [[] for _ in seats]
    data: list[Tokens] = []
    cells: list[Any] = []
    for one, given, replies in zip(seats, taught, weights, strict=True):
        sequences = to_sequences(loaded, one, recipe, given.target_moves, replies)
        data += sequences
        cells += [one.cell] * len(sequences)
    check(bool(data), "max_length", recipe.max_length, "room for one turn of these matches")
    data, cells = top_fraction(data, cells, recipe.top_fraction)
    normalise_weights(data)  # of what is learned, hence after the selection
    lengths = [len(one.ids) for one in data]
    return TrainingData(
        seats, data, cells, interleave_cells(cells, lengths, recipe.batch_size, recipe.steps, recipe.seed)
    )


class SeatTargets(NamedTuple):
    """Targets of a seat's replies.

    Attributes:
        target_moves: Relabelled moves; empty: the moves made.
    """

    target_moves: list[Any]
    stakes: list[float | None]
    offer_values: list[float | None]

    @classmethod
    def from_seat(cls, loaded: Any, one: RecordedSeat, recipe: SFTRecipe) -> SeatTargets:
        """Return the targets of a seat, relabelled if there is a teacher."""
        at_stake = decision_stakes(one.record, one.seat) if recipe.answer_weight else []
        unknown: list[float | None] = [None] * len(at_stake)
        if not recipe.relabels:
            return cls([], at_stake, unknown)
        meant = relabel_moves(one.record, one.seat, recipe.teacher[0])
        if not recipe.rollouts:
            return cls(meant, at_stake, unknown)
        # Only replies within the maximum length are learned, so only these are worth a rollout.
        read = sum(len(tokens.starts) for tokens in to_sequences(loaded, one, recipe, (), ()))
        values = rollout_values(one.record, one.seat, recipe.teacher[0], recipe.goal, meant, read)
        tries = [*values, *[{}] * (len(meant) - len(values))]
        best = [best_answer(*pair) for pair in zip(meant, tries, strict=True)]
        return cls(best, list(map(answer_margin, tries)), list(map(offer_value, tries)))


def to_sequences(
    loaded: Any, one: RecordedSeat, recipe: SFTRecipe, target_moves: Sequence[Any], weights: Sequence[float]
) -> list[Tokens]:
    """Return the sequences of a seat; tool calls all have the same weight."""
    limit = min(recipe.max_length or loaded.context, loaded.context)
    decimals = None if recipe.decimals < 0 else recipe.decimals
    if recipe.mode == "tools":
        return tool_tokens(loaded, one.record, one.seat, limit, decimals)
    out: list[Tokens] = []
    used = 0
    for chat in transcripts(one.record, one.seat, decimals, target_moves=target_moves, rounding=recipe.rounding):
        replies = sum(message["role"] == "assistant" for message in chat)
        # Prompts are truncated at the context only, as in play. The seed of the match picks the amount that is learned
        # to its end: an early one in some matches, a late one in others.
        own, cut, turn = weights[used : used + replies], limit == loaded.context, one.record.seed
        out += sequences(loaded, chat, limit, own, cut, turn)
        used += replies
    return out


def normalise_weights(data: Sequence[Tokens]) -> None:
    """Scale label weights in place to a mean of 1."""
    total, count = sum(sum(one.weights) for one in data), sum(sum(one.own_mask) for one in data)
    for one in data:
        one.weights = [weight * count / total for weight in one.weights]


def training_arguments(recipe: SFTRecipe) -> Any:
    """Return TRL's settings; see `make_trl_arguments`."""
    from trl.trainer.sft_config import SFTConfig

    given = {"max_length": None, "remove_unused_columns": False, "dataset_kwargs": {"skip_prepare_dataset": True}}
    return make_trl_arguments(SFTConfig, {**common_arguments(recipe), **given}, recipe.trl_fields, SFT_FIELDS)


def fast_trainer(recipe: SFTRecipe, loaded: Any, found: TrainingData) -> Any:
    """Return TRL's trainer on sequences that are already tokenised, weighted and ordered."""
    return make_trainer(
        loaded.model,
        loaded.tokenizer,
        found.sequences,
        found.order,
        training_arguments(recipe),
        fastest_dtype(recipe.dtype, loaded.model.device.type),
        peft_config=prepare_trainable(loaded.model, recipe.layers, recipe.lora),
    )


def dry_run(recipe: SFTRecipe) -> Table:
    """Estimate the training without writing anything."""
    recipe, chosen = checked_seats(recipe)
    validation_of(recipe, chosen)  # may raise
    loaded = load_for_training(recipe.model)
    return table_of(recipe, loaded, prepare_data(loaded, chosen, recipe))


def table_of(recipe: SFTRecipe, loaded: Any, found: TrainingData) -> Table:
    """Return the dry-run table for given training data."""
    with elsewhere(recipe) as moved:
        model = learner_of(fast_trainer(moved, loaded, found))
    pad = loaded.tokenizer.pad_token_id
    return sequences_table(recipe, model, pad, found.sequences, found.order, found.summary)


main = training_command(SFTRecipe, train_sft, dry_run)
