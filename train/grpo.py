"""GRPO over whole matches: learn from the difference between several plays of the same match.

    econzoo train grpo bargaining --model hf:runs/sft --steps 100 --out runs/grpo

1. Every step draws some matches (seed, seat, opponents, setting of the training) and plays each of them several times.
   A group that nothing can be learned from is drawn anew (`econzoo.train.grpo_rollout`).
2. The objective's value at the end is the reward. Its difference to the rest of the group is the advantage of all
   tokens that the model chose on the way, or each decision has its own (`econzoo.train.grpo_credit`).
3. One step on TRL's clipped loss, with an entropy bonus and a KL term to the model as it was at the start
   (`econzoo.train.grpo_trainer`).
4. Signs of collapse are watched (`econzoo.train.grpo_collapse`); now and then the same matches of the validation are
   played (`econzoo.train.lm_validation_curve`).

``--mode chat`` plays the free-text chat face with any chat model. ``--mode tools`` is for tool-calling models:
TRL's own loop, with one tool for each kind of move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from econzoo.baselines.models.dtype import fastest
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.env.options import parted
from econzoo.evaluate.analyses.training_exposure import Met, met_of
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.show.console import drawn as told_by
from econzoo.evaluate.show.console import show
from econzoo.train import lm_decisions, lm_environment, lm_rollout_function
from econzoo.train.command_line import command, key_values
from econzoo.train.grpo_args import GrpoArgs, checked
from econzoo.train.grpo_collapse import alarms_of, watching
from econzoo.train.grpo_credit import decision_advantages
from econzoo.train.grpo_dry_run import grpo_table
from econzoo.train.grpo_rollout import GroupRollout
from econzoo.train.grpo_trainer import make_trainer
from econzoo.train.lm_checkpoints import begin
from econzoo.train.lm_course import take_course
from econzoo.train.lm_decisions import opponents_or_pool
from econzoo.train.lm_fast import learning_part
from econzoo.train.lm_model import (
    check,
    common_settings,
    curve,
    load_for_training,
    need_training,
    out_folder,
    quiet,
    rows_until,
    write_settings,
)
from econzoo.train.lm_rewards import Reward
from econzoo.train.lm_rollout import Policy
from econzoo.train.lm_rollout_function import STATISTICS
from econzoo.train.lm_tickets import Ticket
from econzoo.train.lm_tools import make_tool_ready
from econzoo.train.lm_validation import Validation
from econzoo.train.lm_validation_curve import CURVE, HEADER
from econzoo.train.tracking import Trackers
from econzoo.train.trl_settings import GRPO_FIELDS, TOOLS_FIELDS, trl_settings

LEARNING = {name: name for name in ("entropy", "kl", "loss", "grad_norm", "alarms")}
"""Columns of the learning curve that every mode has, after its own."""

CHAT = {"reward": "drawn_reward", "reward_std": "reward_std"} | {
    name: name for name in (*STATISTICS, "spread", "resampled", "repetition", "invalid", "cut")
}

TOOLS = {"reward": "reward", "reward_std": "reward_std", "tool_calls": "tools/call_frequency"} | {
    name: name for name in ("spread", "invalid")
}


def train(args: GrpoArgs) -> Path:
    """Runs the training.

    Args:
        args: See `GrpoArgs`.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: An argument is not allowed or the model cannot be loaded.
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    args = checked(args)
    drawn = training_tickets(args)
    validation = validation_of(args, drawn)
    need_training()
    if args.trl:
        settings(args, Path(args.out))
    policy = make_policy(args)
    folder = out_folder(args.out)
    start = begin(folder, asdict(args), args.resume)
    signs = watching(alarms_of(key_values(args.alarm)), args.stop_on_collapse)

    def trainer_of(done: int, trackers: Trackers) -> Any:
        return fast_trainer(args, policy, drawn, folder, [signs], done, trackers)

    def policy_of(trainer: Any) -> Policy:
        return measured_policy(policy, trainer)

    def about(done: int) -> dict[str, str]:
        return met_in(args, drawn, done)

    done = take_course("grpo", args, policy.loaded, folder, start, validation, trainer_of, policy_of, about)
    ends = {"done": done, "alarms": signs.told, **(before_and_after(folder, done) if validation else {})}
    write_settings(folder, "grpo", args, met=met_by(args, drawn).plain(), **ends)
    return folder


def before_and_after(folder: Path, done: int) -> dict[str, dict[str, float | None]]:
    """The first and the last point of the validation curve."""
    first, *_, last = rows_until(folder / CURVE, done)
    points = {"before": first, "after": last}
    return {
        name: {n: float(v) if v else None for n, v in zip(HEADER, row, strict=True)} for name, row in points.items()
    }


def training_tickets(args: GrpoArgs) -> list[Ticket]:
    """A ticket for every group of the run, and behind them those for groups that are drawn anew.

    Raises:
        ValueError: Something is not allowed, or belongs to the validation or the test.
    """
    first, count = args.seed * 2**24, args.steps * args.groups * (1 + args.resample)
    seeds, params = range(first, first + count), [key_values(args.param)]
    return lm_decisions.training_tickets(args.game, seeds, args.seat, args.opponent, args.markets, params)


def validation_of(args: GrpoArgs, drawn: Sequence[Ticket]) -> Validation | None:
    """What the policy is measured by: matches that it is not trained on."""
    if not args.eval:
        return None
    params = key_values(args.param)
    return Validation(args.game, args.eval, args.seat or None, params, args.objective, drawn, args.markets)


def measured_policy(policy: Policy, trainer: Any) -> Policy:
    """The policy as it is now, always with the same random numbers, and free to answer in any form."""
    return replace(policy, asked=0, constrained=False, model=trainer.accelerator.unwrap_model(trainer.model))


def make_policy(args: GrpoArgs) -> Policy:
    """The model to train, as something that plays, with those weights trainable that shall learn."""
    loaded = load_for_training(args.model)
    learning_part(args, loaded.model)
    most = min(args.max_length or loaded.context, loaded.context)
    check(args.max_new_tokens < most, "max_new_tokens", args.max_new_tokens, f"below the {most} tokens of a match")
    return Policy(
        loaded,
        temperature=args.temperature,
        max_new_tokens=args.max_new_tokens,
        max_length=most,
        constrained=args.constrained,
        batch_size=args.rollout_batch,
        seed=args.seed,
    )


def fast_trainer(
    args: GrpoArgs,
    policy: Policy,
    drawn: Sequence[Ticket],
    folder: Path,
    callbacks: Sequence[Any],
    done: int = 0,
    trackers: Trackers | None = None,
) -> Any:
    """TRL's trainer, with matches on the chat face or with tools."""
    model, chat = policy.loaded.model, args.mode == "chat"
    adapter = learning_part(args, model)
    played = on_chat(args, policy, drawn) if chat else with_tools(args, policy, drawn)
    columns = (CHAT if chat else TOOLS) | LEARNING
    trainer = make_trainer(
        model,
        fastest(args.dtype, model.device.type),
        args.beta,
        args=settings(args, folder, policy.max_length),
        peft_config=adapter,
        callbacks=[*callbacks, curve(folder, columns, args.steps, done, trackers)],
        **played,
    )
    quiet(trainer)
    return trainer


def on_chat(args: GrpoArgs, policy: Policy, drawn: Sequence[Ticket]) -> dict[str, Any]:
    """What TRL's trainer needs to play on the chat face."""
    groups = args.steps * args.groups
    credit = decision_advantages if args.credit == "decision" else None
    cast, spares = Cast(args.game), drawn[groups:]
    rollout = GroupRollout(reward_of(args), policy, cast, args.group_size, spares, args.resample, credit)
    data = lm_rollout_function.dataset_of(drawn[:groups])
    return {"rollout": rollout, "train_dataset": data, "processing_class": policy.loaded.tokenizer}


def with_tools(args: GrpoArgs, policy: Policy, drawn: Sequence[Ticket]) -> dict[str, Any]:
    """What TRL's trainer needs to play with tools, in its own loop."""
    first, params = drawn[0], key_values(args.param)
    others = opponents_or_pool(args.game, args.opponent)
    seat = lm_environment.as_trl_environment(args.game, first.seat, others, reward_of(args), args.markets, **params)
    data = lm_environment.dataset_of(drawn[: args.steps * args.groups])
    ready = make_tool_ready(policy.loaded.tokenizer)
    return {"environment_factory": seat, "train_dataset": data, "processing_class": ready}


def settings(args: GrpoArgs, folder: Path, longest: int = 1) -> Any:
    """TRL's settings: one generation for every optimiser step, so that the policy is always its own sampler.

    Args:
        args: Of the method.
        folder: Of the training.
        longest: Most tokens of a match.
    """
    from trl.trainer.grpo_config import GRPOConfig

    batch = args.groups * args.group_size
    ours = {
        **common_settings(args, folder),
        "bf16": False,  # the fast path has a type of its own
        "per_device_train_batch_size": args.micro_batch,
        "gradient_accumulation_steps": batch // args.micro_batch,
        "generation_batch_size": batch,
        "num_generations": args.group_size,
        "max_completion_length": longest,
        "temperature": args.temperature,
        "entropy_coef": args.entropy,
        "beta": 0.0,  # else TRL would load a second model; see `make_trainer`
    }
    return trl_settings(GRPOConfig, ours, args.trl, GRPO_FIELDS if args.mode == "chat" else TOOLS_FIELDS)


def reward_of(args: GrpoArgs) -> Reward:
    """The reward that the arguments describe."""
    return Reward(Objective(args.objective), args.unusable, args.penalty)


def met_by(args: GrpoArgs, drawn: Sequence[Ticket]) -> Met:
    """What a run meets, and what the model has met in earlier trainings."""
    others = [spec for one in drawn for spec in one.opponents]
    params = [parted(one.params)[1] for one in drawn]
    return Met.once(args.game, others, [one.seat for one in drawn], params, args.seed).joined(met_of(args.model))


def met_in(args: GrpoArgs, drawn: Sequence[Ticket], done: int) -> dict[str, str]:
    """For the card: what was played in so many steps."""
    seats, others = sorted({one.seat for one in drawn}), sorted({spec for one in drawn for spec in one.opponents})
    return {
        "game": args.game,
        "settings": ", ".join(args.markets),
        "seats": ", ".join(map(str, seats)),
        "opponents": f"{', '.join(others[:5])}{', ...' * (len(others) > 5)}",
        "matches": f"{done * args.groups * args.group_size:,}: {args.groups} groups of {args.group_size} a step",
    }


def dry_run(args: GrpoArgs) -> Any:
    """What `train` would do with these arguments; writes nothing.

    Raises:
        ValueError: As `train`.
    """
    args = checked(args)
    drawn = training_tickets(args)
    validation_of(args, drawn)
    need_training()
    policy = make_policy(args)
    model = policy.loaded.model
    adapter = learning_part(args, model)
    if adapter is not None:
        from peft import get_peft_model

        model = get_peft_model(model, adapter)
    dtype = fastest(args.dtype, policy.loaded.model.device.type)
    return grpo_table(args, policy, model, drawn[: args.steps * args.groups], Cast(args.game), dtype)


def told(args: GrpoArgs) -> str:
    """Runs the command."""
    if args.dry_run:
        show(told_by(dry_run(args)))
        return "Nothing was written."
    return str(train(args))


main = command(GrpoArgs, told)
