"""Direct preference optimisation on pairs of plays of one match with different results.

    econzoo train dpo --model hf:runs/sft --matches 200 --plays 8 --layers 12 --out runs/dpo
    econzoo train dpo records.jsonl --model hf:runs/sft --objective efficiency --out runs/dpo

1. Sample several plays of each match from the model, or read the records of any players.
2. Pair plays of the same setting, seed, seat and opponents with different results (`econzoo.train.lm.dpo_trainer`).
3. Compute the log-probabilities of all paired replies at the start: the model is its own reference.
4. Train with the loss of Rafailov et al. (2023, equation 7) on the own tokens from the first differing reply on. Cells
   of setting, seat and opponents take turns.
5. Save a checkpoint that ``hf:OUT`` plays, with ``learning_curve.csv``, ``training.json`` and a card.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from econzoo.baselines.models import fastest_dtype
from econzoo.envs.core.contract import Option, Real, check_arguments
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import PlayerCache
from econzoo.evaluate.show import Table, format_duration
from econzoo.train import Data, Optimisation, describe_reward, print_once, training_command
from econzoo.train.lm.dataset import PLAYS, interleave_cells, is_learner, play_self_matches
from econzoo.train.lm.dpo_trainer import Pair, Preference, make_trainer, preferences, reference_of, to_pair
from econzoo.train.lm.dry_run import elsewhere, learner_of, sequences_table
from econzoo.train.lm.episode_specs import EpisodeSpec
from econzoo.train.lm.measures import validation_of
from econzoo.train.lm.model import check, load_for_training, prepare_trainable
from econzoo.train.lm.recipe import POSITIVE, TEXTS, RewardedRecipe, SequenceRecipe
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.training_run import begin_training, check_training, finish_training, run_training
from econzoo.train.lm.transcripts import RecordedSeat, load_records
from econzoo.train.lm.trl_settings import DPO_FIELDS, common_arguments, make_trl_arguments

__all__ = ["DPORecipe", "train_dpo"]


@dataclass(kw_only=True)
class DPORecipe(SequenceRecipe, RewardedRecipe):
    """Fine-tune a language model on pairs of plays of one match with different results; the checkpoint plays as hf:OUT.

    Raises:
        ValueError: A value is invalid; the message names it and what is expected.
    """

    METHOD: ClassVar[str] = "dpo"
    RATES: ClassVar[tuple[float, float]] = (2e-6, 2e-5)
    COLUMNS: ClassVar[dict[str, str]] = {
        "loss": "loss",
        "accuracy": "rewards/accuracies",
        "margin": "rewards/margins",
        "chosen": "logps/chosen",
        "rejected": "logps/rejected",
        "entropy": "entropy",
        "grad_norm": "grad_norm",
    }

    records: Annotated[
        list[str],
        Option(TEXTS, "Record files (JSON lines) to use instead of the model's matches.", positional=True),
    ] = field(default_factory=list, kw_only=False)
    matches: Annotated[int, Data(POSITIVE, "Distinct matches.")] = 200
    plays: Annotated[int, Data(POSITIVE, "Plays of each match.")] = 8
    margin: Annotated[float, Data(Real(0.0), "Minimum difference in the objective within a pair.")] = 0.05
    players: Annotated[list[str], Data(TEXTS, "Players of the records to learn from (repeatable).", default="all")] = (
        field(default_factory=list)
    )
    beta: Annotated[
        float, Optimisation(Real(0.0, is_low_excluded=True), "Beta: KL penalty towards the reference model.")
    ] = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check(bool(self.records) or self.plays >= 2, "plays", self.plays, "2 or more")
        check(bool(self.records) or not self.players, "players", self.players, "none without record files")

    @cached_property
    def episode_specs(self) -> list[EpisodeSpec]:
        """Matches that the model plays; none when records are given.

        Raises:
            ValueError: A value is invalid, or belongs to the validation or test split.
        """
        return [] if self.records else self.make_episode_specs(0, self.matches, self.params)


class Preferences(NamedTuple):
    """Preference pairs of a training.

    Attributes:
        pairs: The same pairs as tokens; pairs with a reply that does not fit are dropped.
        order: Indices into `pairs` in training order.
    """

    preferences: list[Preference]
    pairs: list[Pair]
    order: list[int]
    about_reward: list[str]

    @property
    def better(self) -> list[RecordedSeat]:
        return [one.better for one in self.preferences]

    @property
    def summary(self) -> dict[str, str]:
        """Return rows of the dry run and of the model card."""
        better = self.better
        specs = [one.record.players[one.seat] for one in better]
        players = sorted({"itself" if is_learner(spec) else spec for spec in specs})
        forfeits = sum(one.worse.record.forfeit == one.worse.seat for one in self.preferences)
        return {
            "game": better[0].record.game,
            "learned from": f"{', '.join(players[:5])}{', ...' * (len(players) > 5)}",
            "pairs": f"{len(self.pairs):,}, of which the worse is a forfeit in {forfeits:,}",
            "margin": f"{sum(one.margin for one in self.preferences) / len(self.preferences):.3f} on average",
            "cells": f"{len({one.cell for one in self.pairs}):,}",
            "reward": "; ".join(self.about_reward),
        }


@check_arguments
def train_dpo(recipe: DPORecipe) -> Path:
    """Run the training.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: A record is invalid, the model cannot be loaded, or no two plays of a match differ.
        FileNotFoundError: A record file does not exist.
        KeyboardInterrupt: Interrupted; a checkpoint was saved.
    """
    drawn, records = recipe.episode_specs, input_records(recipe)
    check_training(recipe, training_arguments)
    recipe.describe_reward(drawn)  # refuses a forfeit's reward while nothing is played
    loaded = load_for_training(recipe.model)
    # Records that give no pairs are refused before there is a folder; the model's own plays are stored in it.
    early = prepare_pairs(loaded, recipe, records) if records else None
    begin_training(recipe)
    found = early or prepare_pairs(loaded, recipe, play_matches_of_model(recipe, loaded, drawn))
    print_once("\n".join(found.about_reward))
    trainer, validation = fast_trainer(recipe, loaded, found), validation_of(recipe, found.better)

    def current_policy() -> Policy:
        learned = recipe.policy(loaded, model=trainer.accelerator.unwrap_model(trainer.model))
        return replace(learned, constrained=False)  # a validation counts the legal replies

    def about(done: int) -> dict[str, str]:
        return found.summary

    run_training(recipe, loaded, trainer, validation, current_policy, about)
    learned = [EpisodeSpec.from_record(one.record, one.seat) for one in found.better]
    return finish_training(recipe, recipe.training_exposure(learned), pairs=len(found.pairs))


def input_records(recipe: DPORecipe) -> list[Record]:
    """Return the records to learn from; none if the model plays."""
    return load_records(recipe.records) if recipe.records else []


def play_matches_of_model(recipe: DPORecipe, loaded: Any, episode_specs: Sequence[EpisodeSpec]) -> list[Record]:
    """Play the matches of the model and store them in the folder."""
    if not recipe.resume:  # plays of another training in this folder would count as played
        (recipe.out / PLAYS).unlink(missing_ok=True)
    return play_self_matches(
        recipe.policy(loaded), episode_specs, recipe.plays, PlayerCache(recipe.game), recipe.out / PLAYS
    )


def prepare_pairs(loaded: Any, recipe: DPORecipe, records: Sequence[Record]) -> Preferences:
    """Return pairs of tokens and their training order."""
    found = preferences(records, recipe.reward, recipe.margin, recipe.seats, recipe.players)
    check(bool(found), "margin", recipe.margin, "less, or more --plays: no valid play is so much better than another")
    limit = min(recipe.max_length or loaded.context, loaded.context)
    decimals = None if recipe.decimals < 0 else recipe.decimals
    token_pairs = [(one, to_pair(loaded, one, limit, decimals)) for one in found]
    pairs = [pair for _, pair in token_pairs if pair is not None]
    check(bool(pairs), "max_length", recipe.max_length, "room for replies that differ")
    lengths = [max(len(one.chosen.ids), len(one.rejected.ids)) for one in pairs]
    order = interleave_cells([one.cell for one in pairs], lengths, recipe.batch_size, recipe.steps, recipe.seed)
    about_reward = describe_reward(recipe.reward, [one.better.place for one in found])
    return Preferences([one for one, pair in token_pairs if pair is not None], pairs, order, about_reward)


def training_arguments(recipe: DPORecipe) -> Any:
    """Return TRL's settings; see `make_trl_arguments`."""
    from trl.trainer.dpo_config import DPOConfig

    # With precomputed log-probabilities, which the batches hold, TRL makes no second model for the reference.
    given = {"beta": recipe.beta, "max_length": None, "precompute_ref_log_probs": True, "remove_unused_columns": False}
    given["router_aux_loss_coef"] = 0.0  # not computed on the fast path
    return make_trl_arguments(DPOConfig, {**common_arguments(recipe), **given}, recipe.trl_fields, DPO_FIELDS)


def fast_trainer(recipe: DPORecipe, loaded: Any, found: Preferences) -> Any:
    """Return TRL's trainer on tokenised, ordered pairs, with the start model as the reference."""
    dtype, pad = fastest_dtype(recipe.dtype, loaded.model.device.type), loaded.tokenizer.pad_token_id
    adapter = prepare_trainable(loaded.model, recipe.layers, recipe.lora)
    references = reference_of(loaded.model, found.pairs, pad, dtype, recipe.micro_batch)
    config = training_arguments(recipe)
    return make_trainer(
        loaded.model, loaded.tokenizer, found.pairs, references, found.order, config, dtype, peft_config=adapter
    )


def dry_run(recipe: DPORecipe) -> Table:
    """Estimate the training from the model's first matches without writing anything."""
    episodes, records = recipe.episode_specs, input_records(recipe)
    check_training(recipe, training_arguments)
    recipe.describe_reward(episodes)  # may raise
    loaded = load_for_training(recipe.model)
    about: dict[str, str] = {}
    share = 1.0
    if episodes:
        few, begun = episodes[: max(1, recipe.rollout_batch // recipe.plays)], time.perf_counter()
        records = play_self_matches(recipe.policy(loaded), few, recipe.plays, PlayerCache(recipe.game))
        share = len(episodes) / len(few)
        estimated = f"{format_duration((time.perf_counter() - begun) * share)}, by the first {len(records):,}"
        about["playing"] = f"{len(episodes) * recipe.plays:,} matches in {estimated}"
    found = prepare_pairs(loaded, recipe, records)
    validation_of(recipe, found.better)  # may raise
    dtype, pad = fastest_dtype(recipe.dtype, loaded.model.device.type), loaded.tokenizer.pad_token_id
    begun, size = time.perf_counter(), min(recipe.micro_batch, len(found.pairs))
    reference_of(loaded.model, found.pairs[:size], pad, dtype, size)
    about["reference"] = format_duration((time.perf_counter() - begun) * len(found.pairs) / size * share)
    sides = [side for one in found.pairs for side in (one.chosen, one.rejected)]
    order = [2 * place + side for place in found.order for side in (0, 1)]
    with elsewhere(recipe) as moved:
        # The trainer is made for its trainable weights only; references of all pairs would take as long as in training.
        part = found._replace(pairs=found.pairs[:size], order=[place % size for place in found.order])
        model = learner_of(fast_trainer(moved, loaded, part))
    return sequences_table(recipe, model, pad, sides, order, {**found.summary, **about}, sides=2)


main = training_command(DPORecipe, train_dpo, dry_run)
