"""Supervised fine-tuning on recorded matches: learn to play like the best of what was seen.

    econzoo train sft records.jsonl --model hf:smollm2 --out runs/sft --objective self_gain --keep 0.2 --lora 16

1. Read the records of any players: those of scripted ones are told again as the chat a model would have had.
2. Keep the best share by the objective, in each group of setting, seat and opponents.
3. Train on the tokens of the replies alone; each stands behind exactly the prompt it has when played.
4. Save a checkpoint that ``hf:OUT`` plays, with ``learning_curve.csv`` and ``training.json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.core.contract.objectives import Objective
from econzoo.evaluate.met import Met, met_of
from econzoo.train.command_line import command
from econzoo.train.lm_model import (
    check,
    common_arguments,
    common_settings,
    curve,
    load_for_training,
    lora,
    need_training,
    out_folder,
    quiet,
    save,
    write_settings,
)
from econzoo.train.lm_records import Seated, load_records, select, transcripts
from econzoo.train.lm_tokens import Tokens, sequences
from econzoo.train.lm_tool_calls import tool_tokens


@dataclass
class SftArgs:
    """Fine-tune a language model on the best of recorded matches; the checkpoint plays as hf:OUT."""

    records: Annotated[list[str], typer.Argument(help="Files of records (JSON lines).")]
    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID.")] = "hf:smollm2"
    out: Annotated[str, typer.Option(help="Folder of the checkpoint.")] = "runs/sft"
    objective: Annotated[str, typer.Option(help="What counts as good; mixes as '0.7*self_gain + 0.3*fairness'.")] = (
        "self_gain"
    )
    keep: Annotated[
        float, typer.Option(help="Best share to learn from, of each group of setting, seat and opponents.")
    ] = 0.2
    seat: Annotated[list[int], typer.Option(help="Seats to learn from; repeatable; none: all.")] = field(
        default_factory=list
    )
    player: Annotated[list[str], typer.Option(help="Players to learn from, by spec; repeatable; none: all.")] = field(
        default_factory=list
    )
    mode: Annotated[str, typer.Option(help="chat, or tools: replies as tool calls, for grpo --mode tools.")] = "chat"
    steps: Annotated[int, typer.Option(help="Optimiser steps.")] = 100
    batch: Annotated[int, typer.Option(help="Sequences in a step.")] = 8
    micro_batch: Annotated[int, typer.Option(help="Sequences at once in memory; 0: the whole batch.")] = 0
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 2e-4 with --lora, else 2e-5.")] = 0.0
    warmup: Annotated[int, typer.Option(help="Steps in which the learning rate rises.")] = 5
    lora: Annotated[int, typer.Option(help="Rank of a LoRA adapter; 0: train all weights.")] = 0
    max_length: Annotated[int, typer.Option(help="Most tokens of a sequence; older turns are cut as in play.")] = 1024
    decimals: Annotated[int, typer.Option(help="Digits after the point of amounts in replies; -1: exact.")] = 2
    checkpointing: Annotated[bool, typer.Option(help="Save memory by computing activations twice.")] = False
    seed: Annotated[int, typer.Option(help="Of the order of the data and the adapter's start.")] = 0


def train(args: SftArgs) -> Path:
    """Runs the training.

    Args:
        args: See `SftArgs`.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: An argument is not allowed, a record cannot be used or the model cannot be loaded.
        FileNotFoundError: A file of records does not exist.
    """
    args = checked(args)
    chosen = select(
        load_records(args.records), Objective(args.objective), args.keep, args.seat or None, tuple(args.player)
    )
    need_training()
    loaded = load_for_training(args.model)
    data = tokenised(loaded, chosen, args)
    check(bool(data), "max_length", args.max_length, "enough for one turn of these matches")
    folder = out_folder(args.out)
    trainer = make_trainer(args, loaded, data, folder)
    trainer.train()
    save(trainer, loaded, args.model, folder)
    values = [one.value for one in chosen]
    found = {"matches": len(chosen), "sequences": len(data), "value": sum(values) / len(values)}
    write_settings(folder, "sft", args, met=met_by(args, chosen).plain(), **found)
    return folder


def met_by(args: SftArgs, chosen: Sequence[Seated]) -> Met:
    """What the players learned from have met, each in its seat, and the model in earlier trainings."""
    others = [spec for one in chosen for seat, spec in enumerate(one.record.players) if seat != one.seat]
    seats, params = [one.seat for one in chosen], [one.record.params for one in chosen]
    return Met.once(chosen[0].record.game, others, seats, params, args.seed).joined(met_of(args.model))


def checked(args: SftArgs) -> SftArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed."""
    check(args.batch >= 1, "batch", args.batch, "1 or more")
    check(args.max_length >= 16, "max_length", args.max_length, "16 or more")
    return replace(args, **common_arguments(args, args.batch, 2e-4 if args.lora else 2e-5))


def tokenised(loaded: Any, chosen: list[Seated], args: SftArgs) -> list[Tokens]:
    """The sequences of all chosen seats."""
    limit = min(args.max_length, loaded.context)
    decimals = None if args.decimals < 0 else args.decimals
    if args.mode == "tools":
        return [tokens for one in chosen if (tokens := tool_tokens(loaded, one.record, one.seat, limit, decimals)).ids]
    chats = [chat for one in chosen for chat in transcripts(one.record, one.seat, decimals)]
    return [tokens for chat in chats for tokens in sequences(loaded, chat, limit)]


def make_trainer(args: SftArgs, loaded: Any, data: list[Tokens], folder: Path) -> Any:
    """TRL's trainer on sequences that are tokenised and masked already."""
    from datasets import Dataset
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    config = SFTConfig(
        **common_settings(args, folder),
        per_device_train_batch_size=args.micro_batch,
        gradient_accumulation_steps=args.batch // args.micro_batch,
        max_length=None,
    )
    rows = Dataset.from_dict({"input_ids": [one.ids for one in data], "labels": [one.labels for one in data]})
    columns = {"loss": "loss", "token_accuracy": "mean_token_accuracy", "grad_norm": "grad_norm"}
    trainer = SFTTrainer(
        model=loaded.model,
        args=config,
        train_dataset=rows,
        processing_class=loaded.tokenizer,
        peft_config=lora(args.lora),
        callbacks=[curve(folder, columns, args.steps)],
    )
    quiet(trainer)
    return trainer


main = command(SftArgs, train)
