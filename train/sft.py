"""Supervised fine-tuning: learn the decisions of teachers, or to play like the best of recorded matches.

    econzoo train sft --teacher ppo:runs/first --param messages=false --layers 12 --out runs/sft
    econzoo train sft records.jsonl --model hf:smollm2 --objective self_gain --keep 0.2 --lora 16 --out runs/sft

1. Let teachers play against the training pool in settings of the training, or read the records of any players: those of
   scripted ones are told again as the chat a model would have had.
2. Keep the best share by the objective within each cell of setting, seat and opponents (`econzoo.train.lm_decisions`).
3. Weigh answers by what is at stake in them (`econzoo.train.lm_stakes`).
4. Train on the tokens of the replies alone; each stands behind exactly the prompt it has when played. Cells take turns.
5. Save a checkpoint that ``hf:OUT`` plays, with ``learning_curve.csv``, ``training.json`` and a card.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.objectives import Objective
from econzoo.evaluate.console import drawn, show
from econzoo.evaluate.match import Cast
from econzoo.evaluate.met import Met, met_of
from econzoo.train.command_line import command, key_values
from econzoo.train.lm_card import write_card
from econzoo.train.lm_checkpoints import begin, interruptible, steps_of
from econzoo.train.lm_decisions import in_turns, lessons, play_lessons
from econzoo.train.lm_dry_run import sft_table
from econzoo.train.lm_dtype import fastest
from econzoo.train.lm_fast import depth, learn_top, lora
from econzoo.train.lm_model import (
    check,
    common_settings,
    curve,
    load_for_training,
    need_training,
    out_folder,
    quiet,
    save,
    write_settings,
)
from econzoo.train.lm_records import Seated, load_records, select, transcripts
from econzoo.train.lm_rollout import Policy
from econzoo.train.lm_stakes import reply_weights, stakes
from econzoo.train.lm_tokens import Tokens, sequences
from econzoo.train.lm_tool_calls import tool_tokens
from econzoo.train.lm_trainer import make_trainer, weights_of_mean_one
from econzoo.train.lm_validation import card_rows, measured, validation_tickets
from econzoo.train.sft_args import SftArgs, checked
from econzoo.train.tracking import Trackers

LESSONS = "lessons.jsonl"
"""The matches of the teachers, in the folder of the checkpoint."""


class Lessons(NamedTuple):
    """What is learned from.

    Attributes:
        chosen: Seats of matches.
        data: Sequences, with the weights of their labels.
        cells: Of every sequence.
        order: Places in `data`.
    """

    chosen: list[Seated]
    data: list[Tokens]
    cells: list[Any]
    order: list[int]

    @property
    def about(self) -> dict[str, str]:
        """For tables."""
        players = sorted({one.record.players[one.seat] for one in self.chosen})
        return {
            "game": self.chosen[0].record.game,
            "learned from": f"{', '.join(players[:5])}{', ...' * (len(players) > 5)}",
            "matches": f"{len(self.chosen):,}",
            "cells": f"{len(set(self.cells)):,}",
        }


def train(args: SftArgs) -> Path:
    """Runs the training.

    Args:
        args: See `SftArgs`.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: An argument is not allowed, a record cannot be used or the model cannot be loaded.
        FileNotFoundError: A file of records does not exist.
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    args = checked(args)
    chosen = choose(args, args.out)
    need_training()
    loaded = load_for_training(args.model)
    found = prepare(loaded, chosen, args)
    folder = out_folder(args.out)
    start = begin(folder, asdict(args), args.resume)
    with closing(Trackers(args.track, folder, asdict(args))) as trackers:
        trainer = fast_trainer(args, loaded, found, folder, steps_of(start), trackers)
        run(trainer, start, folder)
    save(trainer, loaded, args.model, folder)
    rows = evaluation(args, trainer, loaded, found.chosen)
    write_card(folder, "sft", chosen[0].record.game, args, found.about, rows, args.eval)
    values = [one.value for one in chosen]
    more = {"matches": len(chosen), "sequences": len(found.data), "value": sum(values) / len(values)}
    write_settings(folder, "sft", args, met=met_by(args, chosen).plain(), **more)
    return folder


def choose(args: SftArgs, folder: str | Path) -> list[Seated]:
    """The seats to learn from: of the teachers' matches, which are kept in the folder, or of given records."""
    if not args.teacher:
        records, players = load_records(args.records), tuple(args.player)
    else:
        taught = lessons(
            args.game,
            args.teacher,
            args.matches,
            args.plays,
            args.opponent,
            args.seat,
            args.markets,
            args.seed,
            **key_values(args.param),
        )
        kept = None if args.dry_run else out_folder(folder) / LESSONS
        records, players = play_lessons(args.game, taught, kept), tuple(args.player or args.teacher)
    return select(records, Objective(args.objective), args.keep, args.seat or None, players)


def prepare(loaded: Any, chosen: list[Seated], args: SftArgs) -> Lessons:
    """Sequences of tokens with their weights, and the order in which they are learned from."""
    weights = [[] for _ in chosen] if not args.answers else weighed(chosen, args.answers)
    data: list[Tokens] = []
    cells: list[Any] = []
    for one, replies in zip(chosen, weights, strict=True):
        made = tokenised(loaded, one, args, replies)
        data += made
        cells += [one.cell] * len(made)
    check(bool(data), "max_length", args.max_length, "enough for one turn of these matches")
    weights_of_mean_one(data)
    lengths = [len(one.ids) for one in data]
    return Lessons(chosen, data, cells, in_turns(cells, lengths, args.batch, args.steps, args.seed))


def weighed(chosen: Sequence[Seated], answers: float) -> list[list[float]]:
    """Weights of the replies of every seat, by what is at stake."""
    return reply_weights([stakes(one.record, one.seat) for one in chosen], answers)


def tokenised(loaded: Any, one: Seated, args: SftArgs, weights: Sequence[float]) -> list[Tokens]:
    """The sequences of a seat; calls of tools all have the same weight."""
    limit = min(args.max_length or loaded.context, loaded.context)
    decimals = None if args.decimals < 0 else args.decimals
    if args.mode == "tools":
        made = tool_tokens(loaded, one.record, one.seat, limit, decimals)
        return [made] * bool(made.ids)
    out: list[Tokens] = []
    used = 0
    for chat in transcripts(one.record, one.seat, decimals):
        replies = sum(message["role"] == "assistant" for message in chat)
        out += sequences(loaded, chat, limit, weights[used : used + replies], cut=limit == loaded.context)
        used += replies
    return out


def fast_trainer(
    args: SftArgs, loaded: Any, found: Lessons, folder: Path, done: int = 0, trackers: Trackers | None = None
) -> Any:
    """TRL's trainer on sequences that are tokenised, weighted and put in order already."""
    from trl.trainer.sft_config import SFTConfig

    total = depth(loaded.model)
    check(args.layers <= total, "layers", args.layers, f"0 to {total}")
    if not args.lora:
        learn_top(loaded.model, args.layers)
    shared = common_settings(args, folder)
    shared |= {"bf16": False}  # the fast path has its own
    config = SFTConfig(
        **shared,
        per_device_train_batch_size=args.micro_batch,
        gradient_accumulation_steps=args.batch // args.micro_batch,
        max_length=None,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
    )
    columns = {"loss": "loss", "token_accuracy": "mean_token_accuracy", "entropy": "entropy", "grad_norm": "grad_norm"}
    trainer = make_trainer(
        loaded.model,
        loaded.tokenizer,
        found.data,
        found.order,
        config,
        fastest(args.dtype, loaded.model.device.type),
        peft_config=lora(args.lora, args.layers, total),
        callbacks=[curve(folder, columns, args.steps, done, trackers)],
    )
    quiet(trainer)
    return trainer


def run(trainer: Any, start: Path | None, folder: Path) -> None:
    """Trains to the end, or to an interrupt.

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


def evaluation(args: SftArgs, trainer: Any, loaded: Any, chosen: Sequence[Seated]) -> list[list[str]]:
    """The rows of the card's table."""
    if not args.eval:
        return []
    record = chosen[0].record
    seats = sorted({one.seat for one in chosen})
    drawn = validation_tickets(record.game, args.eval, seats, key_values(args.param))
    policy = Policy(loaded, max_length=loaded.context, model=trainer.accelerator.unwrap_model(trainer.model))
    return card_rows(measured(policy, drawn, Cast(record.game), Objective(args.objective)))


def dry_run(args: SftArgs) -> Any:
    """What `train` would do with these arguments; writes nothing.

    Raises:
        ValueError: As `train`.
    """
    args = checked(args)
    chosen = choose(args, args.out)
    need_training()
    loaded = load_for_training(args.model)
    found = prepare(loaded, chosen, args)
    model = loaded.model
    total = depth(model)
    check(args.layers <= total, "layers", args.layers, f"0 to {total}")
    if args.lora:
        from peft import get_peft_model

        model = get_peft_model(model, lora(args.lora, args.layers, total))
    else:
        learn_top(model, args.layers)
    dtype = fastest(args.dtype, loaded.model.device.type)
    return sft_table(args, model, loaded.tokenizer.pad_token_id, found.data, found.order, found.about, dtype)


def met_by(args: SftArgs, chosen: Sequence[Seated]) -> Met:
    """What the players learned from have met, each in its seat, the teachers themselves, and the model before."""
    others = [spec for one in chosen for seat, spec in enumerate(one.record.players) if seat != one.seat]
    seats, params = [one.seat for one in chosen], [one.record.params for one in chosen]
    met = Met.once(chosen[0].record.game, others, seats, params, args.seed).joined(met_of(args.model))
    for spec in args.teacher:
        met = met.joined(met_of(spec))
    return met


def told(args: SftArgs) -> str:
    """Runs the command."""
    if args.dry_run:
        show(drawn(dry_run(args)))
        return "Nothing was written."
    return str(train(args))


main = command(SftArgs, told)
