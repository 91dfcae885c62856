"""GRPO over whole matches: learn from the difference between several plays of the same match.

    econzoo train grpo bargaining --model hf:runs/sft --opponent "acceptor(0.4)" --steps 100 --out runs/grpo

Every step draws some matches (seed, seat, opponent, market) and plays each of them several times. The objective's
value at the end is the reward of all tokens that the model chose on the way; its own group is the baseline.

``--mode chat`` plays the free-text chat face with any chat model. ``--mode tools`` is for tool-calling models:
TRL's own loop, with one tool for each kind of move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.baselines.player import Player
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.env.options import parted
from econzoo.evaluate.match import Cast
from econzoo.evaluate.met import Met, met_of
from econzoo.train.command_line import command, key_values
from econzoo.train.lm_environment import as_trl_environment, make_dataset
from econzoo.train.lm_fast import depth, learn_top, lora
from econzoo.train.lm_model import (
    check,
    common_arguments,
    common_settings,
    curve,
    load_for_training,
    need_training,
    out_folder,
    quiet,
    save,
    write_settings,
)
from econzoo.train.lm_rewards import PENALTY, UNUSABLE, Reward
from econzoo.train.lm_rollout import Policy, Sample, play_samples
from econzoo.train.lm_rollout_function import STATISTICS, MatchRollout, dataset_of, match_reward, statistics
from econzoo.train.lm_tickets import Ticket, tickets
from econzoo.train.lm_tools import make_tool_ready
from econzoo.train.lm_validation import validation_tickets


@dataclass
class GrpoArgs:
    """Fine-tune a language model by playing whole matches, with GRPO; the checkpoint plays as hf:OUT."""

    game: Annotated[str, typer.Argument(help="For example bargaining.")] = "bargaining"
    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID.")] = "hf:smollm2"
    out: Annotated[str, typer.Option(help="Folder of the checkpoint.")] = "runs/grpo"
    opponent: Annotated[
        list[str],
        typer.Option(help="Specs, repeatable; 'self' is the policy as it is now. Default: the game's training pool."),
    ] = field(default_factory=list)
    seat: Annotated[list[int], typer.Option(help="Seats of the learner, repeatable; they take turns.")] = field(
        default_factory=lambda: [0]
    )
    markets: Annotated[list[str], typer.Option(help="Markets or distributions of markets, repeatable.")] = field(
        default_factory=lambda: ["default"]
    )
    param: Annotated[list[str], typer.Option(help="NAME=VALUE of the game, repeatable, e.g. horizon=4.")] = field(
        default_factory=list
    )
    objective: Annotated[str, typer.Option(help="The reward; mixes as '0.7*self_gain + 0.3*fairness'.")] = "self_gain"
    unusable: Annotated[float, typer.Option(help="Reward of a forfeited match.")] = UNUSABLE
    penalty: Annotated[float, typer.Option(help="Taken off for each answer that had to be asked for again.")] = PENALTY
    mode: Annotated[str, typer.Option(help="chat, or tools for a tool-calling model.")] = "chat"
    steps: Annotated[int, typer.Option(help="Optimiser steps.")] = 100
    groups: Annotated[int, typer.Option(help="Different matches in a step.")] = 8
    group_size: Annotated[int, typer.Option(help="Plays of each match.")] = 8
    micro_batch: Annotated[int, typer.Option(help="Sequences at once in the update; 0: all.")] = 0
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 1e-4 with --lora, else 1e-5.")] = 0.0
    warmup: Annotated[int, typer.Option(help="Steps in which the learning rate rises.")] = 5
    beta: Annotated[float, typer.Option(help="Weight of the distance to the starting model.")] = 0.0
    temperature: Annotated[float, typer.Option(help="Of sampling.")] = 1.0
    max_new_tokens: Annotated[int, typer.Option(help="Most tokens of a reply.")] = 64
    rollout_batch: Annotated[int, typer.Option(help="Replies sampled at once.")] = 64
    max_length: Annotated[
        int, typer.Option(help="Most tokens of a match; a longer one is forfeited. 0: what the model can read.")
    ] = 0
    constrained: Annotated[bool, typer.Option(help="Sample only legal JSON (biased; to start from a raw model).")] = (
        False
    )
    lora: Annotated[int, typer.Option(help="Rank of a LoRA adapter; 0: train weights.")] = 0
    layers: Annotated[int, typer.Option(help="Train only so many layers, from the top; 0: all.")] = 0
    checkpointing: Annotated[bool, typer.Option(help="Save memory by computing activations twice.")] = False
    eval: Annotated[
        int, typer.Option(help="Matches of the validation before and after, none of which is trained on; 0: none.")
    ] = 0
    seed: Annotated[int, typer.Option(help="Of matches, sampling and the adapter's start.")] = 0


def train(args: GrpoArgs) -> Path:
    """Runs the training.

    Args:
        args: See `GrpoArgs`.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: An argument is not allowed or the model cannot be loaded.
    """
    args = checked(args)
    drawn = training_tickets(args)
    validation = validation_tickets(args.game, args.eval, args.seat, key_values(args.param), drawn, args.markets)
    need_training()
    policy = make_policy(args)
    folder, cast = out_folder(args.out), Cast(args.game)
    before = validated(args, policy, validation, cast)
    trainer = (chat_trainer if args.mode == "chat" else tools_trainer)(args, policy, drawn, cast, folder)
    trainer.train()
    policy.model = trainer.accelerator.unwrap_model(trainer.model)
    after = validated(args, policy, validation, cast)
    save(trainer, policy.loaded, args.model, folder)
    write_settings(folder, "grpo", args, before=before, after=after, met=met_by(args, drawn).plain())
    return folder


def make_policy(args: GrpoArgs) -> Policy:
    """The model to train, as something that plays."""
    loaded = load_for_training(args.model)
    most = min(args.max_length or loaded.context, loaded.context)
    check(args.max_new_tokens < most, "max_new_tokens", args.max_new_tokens, f"below the {most} tokens of a match")
    check(args.layers <= depth(loaded.model), "layers", args.layers, f"0 to {depth(loaded.model)}")
    if not args.lora:
        learn_top(loaded.model, args.layers)
    return Policy(
        loaded,
        temperature=args.temperature,
        max_new_tokens=args.max_new_tokens,
        max_length=most,
        constrained=args.constrained,
        batch_size=args.rollout_batch,
        seed=args.seed,
    )


def checked(args: GrpoArgs) -> GrpoArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed."""
    check(args.groups >= 1, "groups", args.groups, "1 or more")
    check(args.group_size >= 2, "group_size", args.group_size, "2 or more")
    check(0 < args.temperature < math.inf, "temperature", args.temperature, "above 0")
    check(args.max_length >= 0, "max_length", args.max_length, "0 or more")
    check(args.max_new_tokens >= 1, "max_new_tokens", args.max_new_tokens, "1 or more")
    check(args.rollout_batch >= 1, "rollout_batch", args.rollout_batch, "1 or more")
    check(args.penalty >= 0, "penalty", args.penalty, "0 or more")
    check(args.eval >= 0, "eval", args.eval, "0 or more")
    common = common_arguments(args, args.groups * args.group_size, 1e-4 if args.lora else 1e-5)
    check(args.mode == "chat" or not args.constrained, "constrained", args.constrained, "only with mode=chat")
    return replace(args, **common)


def training_tickets(args: GrpoArgs) -> list[Ticket]:
    """A ticket for every group of the run."""
    first = args.seed * 2**24
    seeds = range(first, first + args.steps * args.groups)
    return tickets(args.game, seeds, args.seat, args.opponent or None, args.markets, **key_values(args.param))


def validated(
    args: GrpoArgs, policy: Policy, validation: Sequence[Ticket], cast: Callable[[str], Player]
) -> dict[str, float] | None:
    """How the policy does in the validation, on the chat face."""
    return summary(play_samples(policy, validation, cast), reward_of(args)) if validation else None


def met_by(args: GrpoArgs, drawn: Sequence[Ticket]) -> Met:
    """What a run meets, and what the model has met in earlier trainings."""
    others = [spec for one in drawn for spec in one.opponents]
    settings = [parted(one.params)[1] for one in drawn]
    return Met.once(args.game, others, [one.seat for one in drawn], settings, args.seed).joined(met_of(args.model))


def reward_of(args: GrpoArgs) -> Reward:
    """The reward that the arguments describe."""
    return Reward(Objective(args.objective), args.unusable, args.penalty)


def summary(samples: Sequence[Sample], reward: Reward) -> dict[str, float]:
    """Means over matches, with the standard error of the reward."""
    rewards = [reward.of(sample.record, sample.seat) for sample in samples]
    mean = sum(rewards) / len(rewards)
    spread = math.sqrt(sum((r - mean) ** 2 for r in rewards) / max(len(rewards) - 1, 1) / len(rewards))
    out = {name: sum(values) / len(values) for name, values in statistics(samples).items()}
    return {"matches": len(samples), "reward": mean, "standard_error": spread, **out}


def settings(args: GrpoArgs, policy: Policy, folder: Path) -> Any:
    """TRL's settings: one generation for every optimiser step, so that the policy is always its own sampler."""
    from trl.trainer.grpo_config import GRPOConfig

    batch = args.groups * args.group_size
    return GRPOConfig(
        **common_settings(args, folder),
        per_device_train_batch_size=args.micro_batch,
        gradient_accumulation_steps=batch // args.micro_batch,
        generation_batch_size=batch,
        num_generations=args.group_size,
        max_completion_length=policy.max_length,
        temperature=args.temperature,
        beta=args.beta,
    )


def chat_trainer(
    args: GrpoArgs, policy: Policy, drawn: Sequence[Ticket], cast: Callable[[str], Player], folder: Path
) -> Any:
    """TRL's trainer with our own rollout: the matches are played on the chat face."""
    from trl.trainer.grpo_trainer import GRPOTrainer

    logs = ("reward_std", *STATISTICS, "entropy", "loss")
    trainer = GRPOTrainer(
        model=policy.loaded.model,
        reward_funcs=[match_reward],
        args=settings(args, policy, folder),
        train_dataset=dataset_of(drawn),
        processing_class=policy.loaded.tokenizer,
        peft_config=lora(args.lora, args.layers, depth(policy.loaded.model)),
        rollout_func=MatchRollout(reward_of(args), lambda _trainer: policy, lambda _game: cast),
        callbacks=[curve(folder, {"reward": "reward", **{name: name for name in logs}}, args.steps)],
    )
    quiet(trainer)
    return trainer


def tools_trainer(
    args: GrpoArgs, policy: Policy, drawn: Sequence[Ticket], cast: Callable[[str], Player], folder: Path
) -> Any:
    """TRL's trainer with its own tool loop: the moves are tools."""
    from trl.trainer.grpo_trainer import GRPOTrainer

    params = key_values(args.param)
    seat = as_trl_environment(args.game, args.seat[0], args.opponent or None, reward_of(args), args.markets, **params)
    data = make_dataset(args.game, [t.seed for t in drawn], args.seat, args.opponent or None, args.markets, **params)
    columns = {"reward": "reward", "reward_std": "reward_std", "tool_calls": "tools/call_frequency"}
    columns |= {"failures": "tools/failure_frequency", "entropy": "entropy", "loss": "loss"}
    trainer = GRPOTrainer(
        model=policy.loaded.model,
        args=settings(args, policy, folder),
        train_dataset=data,
        processing_class=make_tool_ready(policy.loaded.tokenizer),
        peft_config=lora(args.lora, args.layers, depth(policy.loaded.model)),
        environment_factory=seat,
        callbacks=[curve(folder, columns, args.steps)],
    )
    quiet(trainer)
    return trainer


main = command(GrpoArgs, train)
