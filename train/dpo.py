"""Direct preference optimisation: learn to play like the better of two plays of one match, unlike the worse.

    econzoo train dpo --model hf:runs/sft --matches 200 --plays 8 --layers 12 --out runs/dpo
    econzoo train dpo records.jsonl --model hf:runs/sft --objective efficiency --out runs/dpo

1. Let the model play each match several times by sampling, or read the records of any players.
2. Pair plays of the same setting, seed, seat and opponents whose objective differs (`econzoo.train.lm_pairs`).
3. Ask the model, before it learns, for the log-probabilities of all replies in pairs: it is the reference.
4. Train with the loss of Rafailov et al. (2023, equation 7) on the own tokens from the first reply that differs. Cells
   of setting, seat and opponents take turns.
5. Save a checkpoint that ``hf:OUT`` plays, with ``learning_curve.csv``, ``training.json`` and a card.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.models.dtype import fastest
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.training_exposure import Met, met_of
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.show.console import drawn, show
from econzoo.train.command_line import alternatives, command, key_values
from econzoo.train.dpo_args import DpoArgs, checked
from econzoo.train.lm_checkpoints import begin
from econzoo.train.lm_course import take_course
from econzoo.train.lm_decisions import in_turns, training_tickets
from econzoo.train.lm_dpo_trainer import make_trainer, reference_of
from econzoo.train.lm_dry_run import in_words, sft_table
from econzoo.train.lm_fast import learning_part
from econzoo.train.lm_model import (
    check,
    curve,
    fast_settings,
    load_for_training,
    need_training,
    out_folder,
    quiet,
    write_settings,
)
from econzoo.train.lm_pairs import Pair, Preference, preferences, tokenised
from econzoo.train.lm_records import load_records
from econzoo.train.lm_rewards import Reward
from econzoo.train.lm_rollout import Policy
from econzoo.train.lm_self_play import PLAYS, is_learner, sampling_policy, self_played
from econzoo.train.lm_tickets import Ticket
from econzoo.train.lm_validation import Validation
from econzoo.train.tracking import Trackers
from econzoo.train.trl_settings import DPO_FIELDS, trl_settings

COLUMNS = {
    "loss": "loss",
    "accuracy": "rewards/accuracies",
    "margin": "rewards/margins",
    "chosen": "logps/chosen",
    "rejected": "logps/rejected",
    "entropy": "entropy",
    "grad_norm": "grad_norm",
}
"""Of the learning curve, with their names in TRL's logs."""


class Preferences(NamedTuple):
    """What is learned from.

    Attributes:
        found: Plays of matches.
        pairs: The same as tokens; a play whose replies do not fit is in none.
        order: Places in `pairs`.
    """

    found: list[Preference]
    pairs: list[Pair]
    order: list[int]

    @property
    def about(self) -> dict[str, str]:
        """For tables."""
        better = [one.better for one in self.found]
        specs = [one.record.players[one.seat] for one in better]
        players = sorted({"itself" if is_learner(spec) else spec for spec in specs})
        forfeits = sum(one.worse.record.forfeit == one.worse.seat for one in self.found)
        return {
            "game": better[0].record.game,
            "learned from": f"{', '.join(players[:5])}{', ...' * (len(players) > 5)}",
            "pairs": f"{len(self.pairs):,}, of which the worse is a forfeit in {forfeits:,}",
            "margin": f"{sum(one.margin for one in self.found) / len(self.found):.3f} on average",
            "cells": f"{len({one.cell for one in self.pairs}):,}",
        }


def train(args: DpoArgs) -> Path:
    """Runs the training.

    Args:
        args: See `DpoArgs`.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: An argument is not allowed, a record cannot be used, the model cannot be loaded, or no two plays of
            a match differ.
        FileNotFoundError: A file of records does not exist.
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    args = checked(args)
    records, tickets = given(args)
    need_training()
    settings(args, Path(args.out))
    loaded = load_for_training(args.model)
    early = prepare(loaded, args, records) if records else None
    folder = out_folder(args.out)
    start = begin(folder, asdict(args), args.resume)
    found = early or prepare(loaded, args, played(args, loaded, tickets, folder))

    def trainer_of(done: int, trackers: Trackers) -> Any:
        return fast_trainer(args, loaded, found, folder, done, trackers)

    def policy_of(trainer: Any) -> Policy:
        now = sampling_policy(args, loaded, trainer.accelerator.unwrap_model(trainer.model))
        return replace(now, constrained=False)

    validation = validation_of(args, found)
    take_course("dpo", args, loaded, folder, start, validation, trainer_of, policy_of, lambda done: found.about)
    write_settings(folder, "dpo", args, met=met_by(args, found).plain(), pairs=len(found.pairs))
    return folder


def given(args: DpoArgs) -> tuple[list[Record], list[Ticket]]:
    """The records to learn from, or the matches that the model shall play."""
    if args.records:
        return load_records(args.records), []
    first = args.seed * 2**24
    seeds = range(first, first + args.matches)
    return [], training_tickets(args.game, seeds, args.seat, args.opponent, args.markets, alternatives(args.param))


def played(args: DpoArgs, loaded: Any, tickets: Sequence[Ticket], folder: Path) -> list[Record]:
    """The matches of the model, kept in the folder."""
    if not args.resume:
        (folder / PLAYS).unlink(missing_ok=True)
    return self_played(sampling_policy(args, loaded), tickets, args.plays, Cast(args.game), folder / PLAYS)


def prepare(loaded: Any, args: DpoArgs, records: Sequence[Record]) -> Preferences:
    """Pairs of tokens, and the order in which they are learned from.

    Raises:
        ValueError: There are none.
    """
    reward = Reward(Objective(args.objective), args.unusable, args.penalty)
    found = preferences(records, reward, args.margin, args.seat, args.player)
    check(bool(found), "margin", args.margin, "less, or more plays of each match: no two of one differ by so much")
    limit = min(args.max_length or loaded.context, loaded.context)
    decimals = None if args.decimals < 0 else args.decimals
    made = [(one, tokenised(loaded, one, limit, decimals)) for one in found]
    pairs = [pair for _, pair in made if pair is not None]
    check(bool(pairs), "max_length", args.max_length, "enough for replies that differ; the others' luck is not learned")
    lengths = [max(len(one.chosen.ids), len(one.rejected.ids)) for one in pairs]
    order = in_turns([one.cell for one in pairs], lengths, args.batch, args.steps, args.seed)
    return Preferences([one for one, pair in made if pair is not None], pairs, order)


def settings(args: DpoArgs, folder: Path) -> Any:
    """TRL's settings; see `trl_settings`."""
    from trl.trainer.dpo_config import DPOConfig

    ours = {**fast_settings(args, folder), "beta": args.beta, "max_length": None, "precompute_ref_log_probs": True}
    ours["router_aux_loss_coef"] = 0.0  # the fast path does not compute that loss
    return trl_settings(DPOConfig, ours, args.trl, DPO_FIELDS)


def fast_trainer(
    args: DpoArgs, loaded: Any, found: Preferences, folder: Path, done: int = 0, trackers: Trackers | None = None
) -> Any:
    """TRL's trainer on pairs that are tokenised and put in order already, with the model as it is as the reference."""
    dtype, pad = fastest(args.dtype, loaded.model.device.type), loaded.tokenizer.pad_token_id
    adapter = learning_part(args, loaded.model)
    references = reference_of(loaded.model, found.pairs, pad, dtype, args.micro_batch)
    trainer = make_trainer(
        loaded.model,
        loaded.tokenizer,
        found.pairs,
        references,
        found.order,
        settings(args, folder),
        dtype,
        peft_config=adapter,
        callbacks=[curve(folder, COLUMNS, args.steps, done, trackers)],
    )
    quiet(trainer)
    return trainer


def validation_of(args: DpoArgs, found: Preferences) -> Validation | None:
    """What the model is measured by: in the seats that it learns in, in matches that it does not learn from."""
    if not args.eval:
        return None
    better = [one.better for one in found.found]
    seats, met = sorted({one.seat for one in better}), [Ticket.of(one.record, one.seat) for one in better]
    return Validation(better[0].record.game, args.eval, seats, key_values(args.param), args.objective, met)


def met_by(args: DpoArgs, found: Preferences) -> Met:
    """What the players learned from have met, each in its seat, and the model before."""
    better = [one.better for one in found.found]
    others = [spec for one in better for seat, spec in enumerate(one.record.players) if seat != one.seat]
    seats, params = [one.seat for one in better], [one.record.params for one in better]
    return Met.once(better[0].record.game, others, seats, params, args.seed).joined(met_of(args.model))


def dry_run(args: DpoArgs) -> Any:
    """What `train` would do with these arguments, by the first matches of the model; writes nothing.

    Raises:
        ValueError: As `train`.
    """
    args = checked(args)
    records, tickets = given(args)
    need_training()
    settings(args, Path(args.out))
    loaded = load_for_training(args.model)
    about: dict[str, str] = {}
    if tickets:
        few, begun = tickets[: max(1, args.rollout_batch // args.plays)], time.perf_counter()
        records = self_played(sampling_policy(args, loaded), few, args.plays, Cast(args.game))
        seconds = (time.perf_counter() - begun) * len(tickets) / len(few)
        about["playing"] = (
            f"{len(tickets) * args.plays:,} matches in {in_words(seconds)}, by the first {len(records):,}"
        )
    found = prepare(loaded, args, records)
    dtype, pad = fastest(args.dtype, loaded.model.device.type), loaded.tokenizer.pad_token_id
    begun, size = time.perf_counter(), min(args.micro_batch, len(found.pairs))
    reference_of(loaded.model, found.pairs[:size], pad, dtype, size)
    share = len(tickets) / len(few) if tickets else 1
    about["reference"] = in_words((time.perf_counter() - begun) * len(found.pairs) / size * share)
    adapter, model = learning_part(args, loaded.model), loaded.model
    if adapter is not None:
        from peft import get_peft_model

        model = get_peft_model(model, adapter)
    sides = [side for one in found.pairs for side in (one.chosen, one.rejected)]
    order = [2 * place + side for place in found.order for side in (0, 1)]
    return sft_table(args, model, pad, sides, order, {**found.about, **about}, dtype, sides=2)


def told(args: DpoArgs) -> str:
    """Runs the command."""
    if args.dry_run:
        show(drawn(dry_run(args)))
        return "Nothing was written."
    return str(train(args))


main = command(DpoArgs, told)
