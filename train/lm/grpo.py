"""GRPO over whole matches: advantages from several plays of the same match.

    econzoo train grpo bargaining --model hf:runs/sft --steps 100 --out runs/grpo

1. Every step samples matches (seed, seat, opponents, training setting) and plays each of them several times. Groups
   without reward variance are resampled (`econzoo.train.lm.grpo_trainer`).
2. The final value of the objective is the reward. Its difference from the group mean is the advantage of all tokens
   that the model wrote in the match, or each decision has its own (`econzoo.train.lm.credit`).
3. One step on TRL's clipped loss, with an entropy bonus and a KL term towards the start model
   (`econzoo.train.lm.grpo_trainer`).
4. Collapse alarms are checked at every step, and validation matches are played at intervals
   (`econzoo.train.lm.measures`).

``--mode chat`` plays the chat face with any chat model. ``--mode tools`` is for tool-calling models: TRL's own loop,
with one tool per kind of move.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from econzoo.baselines.models import ADAPTER, LoadedModel, fastest_dtype
from econzoo.envs.command_line import key_values
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Integer, OneOf, Option, Real, Text, check_arguments
from econzoo.evaluate.run import PlayerCache
from econzoo.evaluate.show import Table, format_duration
from econzoo.train import Data, Evaluation, Optimisation, Sampling, Task, current_process, dry_run_table, print_once
from econzoo.train import training_command
from econzoo.train.lm.adapters import adapter_of
from econzoo.train.lm.credit import decision_advantages
from econzoo.train.lm.dry_run import elsewhere, learner_of, learner_rows, seconds_of_update
from econzoo.train.lm.environment import check_opponents, dataset_of, make_tool_ready, seat_class
from econzoo.train.lm.episode_specs import PAST, SELF, EpisodeSpec, make_validation_specs
from econzoo.train.lm.group_rollout import GroupRollout
from econzoo.train.lm.grpo_trainer import make_trainer
from econzoo.train.lm.measures import ALARMS, CURVE, HEADER, Validation, alarms_of, rows_until
from econzoo.train.lm.model import check, load_for_training, prepare_trainable
from econzoo.train.lm.recipe import MODES, NATURAL, POSITIVE, TEXTS, RewardedRecipe
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.rollout_function import STATISTICS
from econzoo.train.lm.snapshots import Snapshots
from econzoo.train.lm.training_run import begin_training, check_training, finish_training, run_training
from econzoo.train.lm.trl_settings import GRPO_FIELDS, SERVER_FIELDS, TOOLS_FIELDS, common_arguments, make_trl_arguments
from econzoo.train.lm.vllm_policy import VllmPolicy, client_of, require_server, synchronise

__all__ = ["GRPORecipe", "train_grpo"]

MATCHES = (
    "Timed on one batch as large as a group and one update on it, at this machine's present load. Matches "
    "get longer or shorter as the policy learns, validations and resampled groups come on top, and larger batches are "
    "faster per match."
)

SELF_PLAY_NOTE = (
    "{} seats learn from each self-play match, each as a play of its own group; the baseline is the group mean"
)
"""Note on the model card."""

REFERENCE = 1 / 3
"""Time of the KL term's forward pass relative to a forward pass and a backward one, which takes twice as long."""


CREDITS = ("match", "decision")
"""What the advantage of a token comes from: the match's result, or the return after its decision (`credit`)."""

ONE, SEAT = ADAPTERS = ("one", "seat")
"""With ``--lora``: one adapter for all seats, or one per seat; see `econzoo.train.lm.adapters`."""

LEARNING = {name: name for name in ("entropy", "kl", "loss", "grad_norm", "alarms")}
"""Last columns of the learning curve, in every mode."""

CHAT = {"reward": "drawn_reward", "reward_std": "reward_std"} | {
    name: name for name in (*STATISTICS, "spread", "resampled", "repetition", "invalid", "cut")
}

TOOLS = {"reward": "reward", "reward_std": "reward_std", "tool_calls": "tools/call_frequency"} | {
    name: name for name in ("spread", "invalid")
}


@dataclass(kw_only=True)
class GRPORecipe(RewardedRecipe):
    """Fine-tune a language model by playing whole matches, with GRPO; the checkpoint plays as hf:OUT.

    Raises:
        ValueError: A value is invalid; the message names it and what is expected.
    """

    METHOD: ClassVar[str] = "grpo"
    RATES: ClassVar[tuple[float, float]] = (1e-5, 1e-4)

    game: Annotated[str, Option(Text(), "Name of the game, e.g. bargaining.", positional=True)] = field(
        default="bargaining", kw_only=False
    )
    opponents: Annotated[
        list[str],
        Task(
            TEXTS,
            "Opponent specs, wide for that pool, a family, self (all seats learn), or past (repeatable).",
            default="the training pool",
        ),
    ] = field(default_factory=list)
    mode: Annotated[str, Task(OneOf(*MODES), "Form of replies: chat, or tool calls.")] = "chat"
    credit: Annotated[
        str, Optimisation(OneOf(*CREDITS), "Credit assignment: by the match's result, or per decision.")
    ] = "match"
    adapters: Annotated[
        str, Optimisation(OneOf(*ADAPTERS), "With --lora: one adapter for all seats, or one for each seat.")
    ] = ONE
    server: Annotated[str, Sampling(Text(), "URL of a vLLM server that samples, e.g. http://127.0.0.1:8000.")] = ""
    max_resamples: Annotated[int, Data(NATURAL, "Maximum resamples of a group with zero reward variance.")] = 1
    groups: Annotated[int, Optimisation(POSITIVE, "Distinct matches per step, for each learning seat.")] = 8
    group_size: Annotated[int, Optimisation(Integer(2), "Plays of each match.")] = 8
    beta: Annotated[float, Optimisation(Real(0.0), "KL penalty towards the start model.")] = 0.0
    entropy: Annotated[float, Optimisation(Real(0.0), "Entropy bonus on the model's own tokens.")] = 0.0
    checkpoint_every: Annotated[int, Evaluation(NATURAL, "Steps between checkpoints (0 = only at the end).")] = 25
    alarm: Annotated[
        list[str],
        Evaluation(TEXTS, f"Collapse alarm NAME=LIMIT or NAME=off (repeatable): {', '.join(ALARMS)}."),
    ] = field(default_factory=list)
    stop_on_collapse: Annotated[bool, Evaluation(Flag(), "Save a checkpoint and stop at an alarm.")] = False

    def __post_init__(self) -> None:
        # Ahead of the other checks, which divide the step by the number of processes.
        count = current_process().size
        check(self.groups % count == 0, "groups", self.groups, f"a multiple of the {count} processes")
        super().__post_init__()
        together = self.seats_per_match * count
        expected = f"a multiple of {together}, as {self.seats_per_match} seats learn from each match against {SELF}"
        check(self.groups % together == 0, "groups", self.groups, expected)
        self.alarms = alarms_of(key_values(self.alarm))
        is_url = urlsplit(self.server).scheme in ("http", "https")
        check(is_url or not self.server, "server", self.server, "an address such as http://127.0.0.1:8000")
        # A server has one set of weights: neither those of a previous step nor those of other seats.
        check(not self.server or PAST not in self.opponents, "server", self.server, f"none with opponents={PAST}")
        if self.adapters == SEAT:
            condition = f"with adapters={SEAT}"
            check(self.lora > 0, "lora", self.lora, f"1 or more {condition}")
            check(self.mode == "chat", "mode", self.mode, f"chat {condition}")
            check(not self.server, "server", self.server, f"none {condition}")
            # The backward pass would recompute activations with whichever adapter is active by then.
            check(not self.checkpointing, "checkpointing", self.checkpointing, f"False {condition}")
            check(count == 1, "processes", count, f"1 {condition}")
        if self.mode == "tools":  # TRL's own loop calls the tools and knows only whole matches
            check(not self.constrained, "constrained", self.constrained, "only with mode=chat")
            check(self.credit == "match", "credit", self.credit, "match with mode=tools")
            check_opponents(self.opponents)

    @property
    def adapter_count(self) -> int:
        """Number of adapters trained, one per seat; 1 without per-seat adapters."""
        return find_game(self.game).facts.seats if self.adapters == SEAT else 1

    @property
    def seats_per_match(self) -> int:
        """Learning seats of a match of the policy with itself, whose episode specs are consecutive; else 1."""
        return len(self.seats) or find_game(self.game).facts.seats if SELF in self.opponents else 1

    @cached_property
    def episode_specs(self) -> list[EpisodeSpec]:
        """Episode specs of all groups of the run, followed by those of resampled groups.

        Raises:
            ValueError: A value is invalid, or belongs to the validation or test split.
        """
        count = self.steps * self.groups * (1 + self.max_resamples)
        return self.make_episode_specs(0, count, [self.fixed], self.seats_per_match)

    @cached_property
    def validation_specs(self) -> list[EpisodeSpec]:
        """Validation matches, held out from training."""
        return make_validation_specs(
            self.game, self.eval, self.seats or None, self.fixed, self.episode_specs, self.settings
        )

    def policy(self, loaded: LoadedModel, max_length: int = 0, model: Any = None) -> Policy:
        """Return the policy as in `SampledRecipe.policy`; with ``--server`` the server samples."""
        local = replace(super().policy(loaded, max_length, model), per_seat_adapters=self.adapter_count > 1)
        return VllmPolicy(**vars(local)) if self.server else local

    @property
    def trains_part(self) -> bool:
        """Whether an adapter is trained."""
        return bool(self.lora)

    @property
    def examples(self) -> int:
        """Plays per optimiser step."""
        return self.groups * self.group_size

    @property
    def COLUMNS(self) -> dict[str, str]:  # type: ignore[override]  # noqa: N802
        """Columns of the learning curve to their names in TRL's logs."""
        return (CHAT if self.mode == "chat" else TOOLS) | LEARNING


@check_arguments
def train_grpo(recipe: GRPORecipe) -> Path:
    """Run the training.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: A setting or opponent belongs to validation or test, or the model cannot be loaded.
        KeyboardInterrupt: Interrupted; a checkpoint was saved.
    """
    about_reward, validated = check_recipe(recipe), recipe.validation_specs
    loaded = load_for_training(recipe.model)
    adapter = prepare_trainable(loaded.model, recipe.layers, recipe.lora)
    policy = recipe.policy(loaded, recipe.max_length)
    begin_training(recipe)
    print_once("\n".join(about_reward))
    trainer = fast_trainer(recipe, policy, adapter)
    validation = Validation(validated, recipe.goal) if validated else None

    def current_policy() -> Policy:
        """Return the policy with fixed random numbers and unconstrained decoding."""
        if recipe.server:
            synchronise(trainer)
        return replace(policy, reply_count=0, constrained=False, model=trainer.accelerator.unwrap_model(trainer.model))

    def about(done: int) -> dict[str, str]:
        past = getattr(trainer.rollout_func, "snapshots", None)
        steps = {} if past is None else {PAST: f"the model after steps {', '.join(map(str, past.state()[PAST]))}"}
        return describe_matches(recipe, done) | steps | {"reward": "; ".join(about_reward)}

    stop = recipe.stop_on_collapse
    done, alarms = run_training(recipe, loaded, trainer, validation, current_policy, about, recipe.alarms, stop)
    points = first_and_last_validation(recipe.out, done) if validation and current_process().is_first else {}
    ends = {"steps": done, "alarms": alarms, **points}
    return finish_training(recipe, recipe.training_exposure(recipe.episode_specs), **ends)


def check_recipe(recipe: GRPORecipe) -> list[str]:
    """Return the description of the reward, after checks that need no model; see `check_training`."""
    recipe.validation_specs  # noqa: B018 (raises)
    stacked = (Path(recipe.model.removeprefix("hf:")).expanduser() / ADAPTER).is_file()
    expected = "a full model with adapters=seat; `econzoo convert` merges an adapter"
    check(recipe.adapter_count == 1 or not stacked, "model", recipe.model, expected)
    check_training(recipe, training_arguments)
    if recipe.server:
        require_server()
    return recipe.describe_reward(recipe.episode_specs[: recipe.steps * recipe.groups])


def first_and_last_validation(folder: Path, done: int) -> dict[str, dict[str, float | None]]:
    """Return the first and the last point of the validation curve."""
    first, *_, last = rows_until(folder / CURVE, done)
    points = {"first_validation": first, "last_validation": last}
    return {
        name: {n: float(v) if v else None for n, v in zip(HEADER, row, strict=True)} for name, row in points.items()
    }


def fast_trainer(recipe: GRPORecipe, policy: Policy, adapter: Any = None) -> Any:
    """Return TRL's trainer for matches on the chat face or with tools."""
    model, config = policy.loaded.model, training_arguments(recipe, policy.max_length)
    dtype = fastest_dtype(recipe.dtype, model.device.type)
    played = chat_arguments(recipe, policy) if recipe.mode == "chat" else tool_arguments(recipe, policy)
    trainer = make_trainer(
        model, dtype, recipe.beta, adapters=recipe.adapter_count, args=config, peft_config=adapter, **played
    )
    if isinstance(policy, VllmPolicy):
        policy.client = client_of(trainer)
    return trainer


def chat_arguments(recipe: GRPORecipe, policy: Policy) -> dict[str, Any]:
    """Return the arguments of TRL's trainer for the chat face."""
    from datasets import Dataset

    groups = recipe.steps * recipe.groups
    process = current_process()
    drawn, size = recipe.episode_specs[:groups], recipe.seats_per_match
    # Behind the steps' specs are the spares: every process has its own, and all seats of their matches.
    rows = range(groups + process.rank * size, len(recipe.episode_specs), process.size * size)
    spares = [one for start in rows for one in recipe.episode_specs[start : start + size]]
    credit = decision_advantages if recipe.credit == "decision" else None
    cast = PlayerCache(recipe.game)
    past = Snapshots(recipe.steps, recipe.seed) if PAST in recipe.opponents else None
    rollout = GroupRollout(recipe.reward, policy, cast, recipe.group_size, spares, recipe.max_resamples, credit, past)
    data = Dataset.from_dict({"prompt": [episode.to_json() for episode in drawn]})
    return {"rollout": rollout, "train_dataset": data, "processing_class": policy.loaded.tokenizer}


def tool_arguments(recipe: GRPORecipe, policy: Policy) -> dict[str, Any]:
    """Return the arguments of TRL's trainer for play with tools in its own loop."""
    seat, data = (
        seat_class(recipe.game, recipe.reward),
        dataset_of(recipe.episode_specs[: recipe.steps * recipe.groups]),
    )
    ready = make_tool_ready(policy.loaded.tokenizer)
    return {"environment_factory": seat, "train_dataset": data, "processing_class": ready}


def training_arguments(recipe: GRPORecipe, longest: int = 1) -> Any:
    """Return TRL's settings: one generation per optimiser step, so that samples are on-policy.

    Args:
        longest: Maximum tokens of a match; any number where the settings are only checked.
    """
    from trl.trainer.grpo_config import GRPOConfig

    ours = {
        **common_arguments(recipe),
        "generation_batch_size": recipe.examples,
        "num_generations": recipe.group_size,
        "max_completion_length": longest,
        "temperature": recipe.temperature,
        "entropy_coef": recipe.entropy,
        "beta": 0.0,  # else TRL loads a second model; see `make_trainer`
    }
    if recipe.seats_per_match > 1:  # all seats of a match in the same step
        ours["shuffle_dataset"] = False
    if recipe.server:
        ours |= {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": recipe.server.rstrip("/")}
    without_effect = GRPO_FIELDS if recipe.mode == "chat" else TOOLS_FIELDS
    if recipe.mode == "chat" and not recipe.server:
        without_effect = without_effect | SERVER_FIELDS
    return make_trl_arguments(GRPOConfig, ours, recipe.trl_fields, without_effect)


def describe_matches(recipe: GRPORecipe, done: int) -> dict[str, str]:
    """Describe the matches of the steps so far, for the model card."""
    seats = sorted({one.seat for one in recipe.episode_specs})
    others = sorted({spec for one in recipe.episode_specs for spec in one.opponents})
    return {
        "game": recipe.game,
        "settings": ", ".join(recipe.settings),
        "seats": ", ".join(map(str, seats)),
        "opponents": f"{', '.join(others[:5])}{', ...' * (len(others) > 5)}",
        "matches": f"{done * recipe.examples:,}: {recipe.groups} groups of {recipe.group_size} per step",
        **({"adapters": f"seat 0 here, {other_adapters(recipe.adapter_count)}"} if recipe.adapter_count > 1 else {}),
        **({"self-play": SELF_PLAY_NOTE.format(recipe.seats_per_match)} if recipe.seats_per_match > 1 else {}),
    }


def other_adapters(adapters: int) -> str:
    """``"seat 1 in the folder seat-1"``."""
    return ", ".join(f"seat {seat} in the folder {adapter_of(seat)}" for seat in range(1, adapters))


def dry_run(recipe: GRPORecipe) -> Table:
    """Estimate the training without writing anything."""
    about_reward = check_recipe(recipe)
    drawn = recipe.episode_specs[: recipe.steps * recipe.groups]
    loaded = load_for_training(recipe.model)
    recipe = replace(recipe, server="", adapters=ONE)  # a server's speed is unknown; adapters make no difference
    policy = recipe.policy(loaded, recipe.max_length)
    with elsewhere(recipe) as moved:
        adapter = prepare_trainable(loaded.model, recipe.layers, recipe.lora)
        model = learner_of(fast_trainer(moved, policy, adapter))
    dtype, pad, begun = (
        fastest_dtype(recipe.dtype, model.device.type),
        loaded.tokenizer.pad_token_id,
        time.perf_counter(),
    )
    policy.snapshots = {PAST: policy}  # the start model
    samples = play_samples(policy, drawn[: recipe.group_size], PlayerCache(recipe.game))
    playing = (time.perf_counter() - begun) / len(samples)
    rows = [part for sample in samples for part in sample.sequences]
    learning = seconds_of_update(model, rows, recipe.micro_batch, pad, dtype) / len(samples)
    learning *= 1 + REFERENCE * bool(recipe.beta)
    matches = recipe.steps * recipe.examples
    tokens, own = (
        sum(len(row.ids) for row in rows) / len(samples),
        sum(sum(row.own_mask) for row in rows) / len(samples),
    )
    groups = f"{recipe.steps:,} steps of {recipe.groups} groups of {recipe.group_size}"
    return dry_run_table(
        [
            ["game", recipe.game],
            ["matches", f"{matches:,}: {groups}"],
            ["cells", f"{len({one.cell for one in drawn}):,} of setting, seat and opponents"],
            ["reward", "; ".join(about_reward)],
            ["resampled", f"at most {recipe.max_resamples * recipe.steps * recipe.groups:,} groups"],
            ["tokens", f"{tokens:,.0f} per match, {own:,.0f} of them written; {matches * tokens:,.0f} in total"],
            *learner_rows(model, dtype, keeps_start=bool(recipe.beta and not recipe.lora)),
            ["playing", f"{playing:.2f} s per match"],
            ["learning", f"{learning:.2f} s per match"],
            ["time", format_duration(matches * (playing + learning))],
        ],
        MATCHES,
    )


main = training_command(GRPORecipe, train_grpo, dry_run)
