"""Options shared by the trainings of language models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, Any, ClassVar

from econzoo.baselines.models import DTYPES, LoadedModel
from econzoo.envs.command_line import key_values
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import CustomDomain, Domain, Flag, Integer, ListOf, OneOf, OrNone, Real, Text
from econzoo.envs.core.env import split_settings
from econzoo.evaluate.analyses import TrainingExposure, read_exposure
from econzoo.train import PENALTY, Data, Evaluation, Optimisation, Recipe, Reward, Sampling, Task, current_process
from econzoo.train import describe_reward
from econzoo.train.lm.episode_specs import PAST, EpisodeSpec, make_training_specs, places_of
from econzoo.train.lm.model import check, default_micro_batch
from econzoo.train.lm.rollout import Policy

__all__ = ["LmRecipe", "RewardedRecipe", "SampledRecipe", "SequenceRecipe", "alternatives"]

MODES = ("chat", "tools")

SCHEDULES = ("linear", "constant")
"""Learning rate after warm-up: linear decay to 0 at the last step, or constant."""

TRAIN = "train"
"""Distribution of the training settings."""

TEXTS: Domain[list[str]] = ListOf(Text())
NATURAL = Integer(0)
POSITIVE = Integer(1)

LENGTH: Domain[int] = CustomDomain(
    lambda value: NATURAL(value) if value == 0 else Integer(16)(value), "0, or at least 16"
)


@dataclass(kw_only=True)
class LmRecipe(Recipe):
    """Options of every training of a language model.

    Attributes:
        params: Game parameters and environment options, one entry per combination of repeated names.
        fixed: The last entry of `params`.
        trl_fields: Parsed ``--trl`` settings.
    """

    COLUMNS: ClassVar[dict[str, str]]
    """Columns of the learning curve to their names in TRL's logs."""

    RATES: ClassVar[tuple[float, float]]
    """Default learning rates of full and of partial (LoRA or top-layer) training."""

    model: Annotated[str, Task(Text(), "Model to start from: hf:smollm2, hf:PATH or hf:HUB_ID.")] = "hf:smollm2"
    game: Annotated[str, Task(Text(), "Name of the game, e.g. bargaining.")] = "bargaining"
    settings: Annotated[
        list[str],
        Task(TEXTS, "Settings, or distributions of them (repeatable).", default="train, if there is one"),
    ] = field(default_factory=list)
    opponents: Annotated[
        list[str],
        Task(TEXTS, "Opponent specs, or wide for that pool (repeatable).", default="the training pool"),
    ] = field(default_factory=list)
    seats: Annotated[list[int], Task(ListOf(NATURAL), "Seats to learn in (repeatable).", default="all")] = field(
        default_factory=list
    )
    param: Annotated[list[str], Task(TEXTS, "Game parameter NAME=VALUE, e.g. horizon=4 (repeatable).", letter="-p")] = (
        field(default_factory=list)
    )

    steps: Annotated[int, Optimisation(POSITIVE, "Optimiser steps.")] = 100
    micro_batch: Annotated[int, Optimisation(NATURAL, "Micro-batch size (0 = full batch on GPU, 2 on CPU).")] = 0
    lr: Annotated[float, Optimisation(Real(0.0, 1.0), "Learning rate (0 = the method's default).")] = 0.0
    warmup: Annotated[int, Optimisation(NATURAL, "Warm-up steps.")] = 5
    schedule: Annotated[str, Optimisation(OneOf(*SCHEDULES), "Learning-rate schedule after warm-up.")] = "constant"
    lora: Annotated[int, Optimisation(NATURAL, "Rank of a LoRA adapter (0 = train weights).")] = 0
    layers: Annotated[int, Optimisation(NATURAL, "Top layers to train (0 = all).")] = 0
    dtype: Annotated[str, Optimisation(OneOf(*DTYPES), "Floating-point type.")] = "auto"
    checkpointing: Annotated[bool, Optimisation(Flag(), "Recompute activations to save memory.")] = False
    max_length: Annotated[int, Optimisation(LENGTH, "Maximum tokens per match (0 = the model's context).")] = 0
    trl: Annotated[list[str], Optimisation(TEXTS, "TRL setting NAME=VALUE, e.g. weight_decay=0.01 (repeatable).")] = (
        field(default_factory=list)
    )

    eval: Annotated[int, Evaluation(NATURAL, "Validation matches, held out from training (0 = no validation).")] = 0
    eval_every: Annotated[int, Evaluation(NATURAL, "Steps between validations (0 = at the start and checkpoints).")] = 0
    checkpoint_every: Annotated[int, Evaluation(NATURAL, "Steps between checkpoints (0 = only at the end).")] = 100

    def resolve(self) -> None:
        """Fill in settings and learning rate."""
        self.settings = self.settings or default_settings(self.game)
        self.lr = self.lr or self.RATES[self.trains_part]

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.lr < 1, "lr", self.lr, "below 1")
        check(not self.eval_every or self.eval > 0, "eval_every", self.eval_every, "0 without --eval")
        count = current_process().size
        check(PAST not in self.opponents or self.METHOD == "grpo", "opponents", PAST, "others, or train grpo")
        check(count == 1 or self.METHOD == "grpo", "processes", count, "1, or train grpo")
        batch = self.examples // count
        self.micro_batch = self.micro_batch or default_micro_batch(batch)
        divides = self.micro_batch <= batch and batch % self.micro_batch == 0
        check(divides, "micro_batch", self.micro_batch, f"a divisor of {batch}")
        self.params, self.fixed = alternatives(self.param), key_values(self.param)
        self.trl_fields = key_values(self.trl)

    @property
    def trains_part(self) -> bool:
        """Whether only an adapter or the top layers are trained, which takes a higher learning rate."""
        return bool(self.lora or self.layers)

    @property
    def examples(self) -> int:
        """Sequences per optimiser step."""
        raise NotImplementedError

    def training_exposure(self, episode_specs: Sequence[EpisodeSpec], teachers: Sequence[str] = ()) -> TrainingExposure:
        """Return opponents and settings seen in training per seat, with those of the teachers and the start model."""
        others, seats = [spec for one in episode_specs for spec in one.opponents], [one.seat for one in episode_specs]
        exposure = TrainingExposure.from_matches(
            episode_specs[0].game, others, seats, [split_settings(one.params)[1] for one in episode_specs], self.seed
        )
        for spec in (self.model, *teachers):
            exposure = exposure.merge(read_exposure(spec))
        return exposure


@dataclass(kw_only=True)
class SequenceRecipe(LmRecipe):
    """Options of training on given sequences: SFT, DPO and expert iteration."""

    batch_size: Annotated[int, Optimisation(POSITIVE, "Sequences per step (DPO: pairs).")] = 8
    decimals: Annotated[int, Data(Integer(-1), "Decimals of amounts in replies (-1 = exact).")] = 2

    @property
    def examples(self) -> int:
        """Sequences per optimiser step."""
        return self.batch_size


@dataclass(kw_only=True)
class SampledRecipe(LmRecipe):
    """Options of training on the model's own play: DPO, expert iteration and GRPO."""

    temperature: Annotated[float, Sampling(Real(0.0, is_low_excluded=True), "Sampling temperature.")] = 1.0
    max_new_tokens: Annotated[int, Sampling(POSITIVE, "Maximum tokens per reply.")] = 64
    rollout_batch: Annotated[int, Sampling(POSITIVE, "Replies sampled in one batch.")] = 64
    constrained: Annotated[bool, Sampling(Flag(), "Sample only legal JSON (biased; for an untrained start).")] = False

    def make_episode_specs(
        self, first: int, count: int, params: Sequence[dict[str, Any]], seats_per_match: int = 1
    ) -> list[EpisodeSpec]:
        """Return the matches to train on; disjoint for disjoint ranges of numbers.

        Args:
            params: Parameter combinations, each of which an equal share of the settings gets.
            seats_per_match: Consecutive specs that share a seed: the seats that learn from one match.
        """
        first += self.seed * 2**24  # trainings with other seeds have other matches, up to 2**24 of them
        seeds = [first + number // seats_per_match for number in range(count)]
        return make_training_specs(self.game, seeds, self.seats, self.opponents, self.settings, params)

    def policy(self, loaded: LoadedModel, max_length: int = 0, model: Any = None) -> Policy:
        """Return a model as a policy with the sampling options of this recipe.

        Args:
            max_length: Maximum tokens per match; 0: the model's context.
            model: Model in training that replies; None: the loaded one.
        """
        max_length = min(max_length or loaded.context, loaded.context)
        check(
            self.max_new_tokens < max_length,
            "max_new_tokens",
            self.max_new_tokens,
            f"below the {max_length} tokens of a match",
        )
        return Policy(
            loaded,
            temperature=self.temperature,
            max_new_tokens=self.max_new_tokens,
            max_length=max_length,
            constrained=self.constrained,
            batch_size=self.rollout_batch,
            model=model,
            seed=self.seed + 2**32 * current_process().rank,  # --seed is below 2**32, so processes sample differently
        )


@dataclass(kw_only=True)
class RewardedRecipe(SampledRecipe):
    """Options of training with a reward for forfeits: DPO and GRPO."""

    forfeit_reward: Annotated[
        float | None, Task(OrNone(Real()), "Reward for a forfeited match.", default="below every result of its setting")
    ] = None
    penalty: Annotated[float, Task(Real(0.0), "Penalty per retry.")] = PENALTY

    def __post_init__(self) -> None:
        super().__post_init__()
        self.reward = Reward(self.goal, self.forfeit_reward, self.penalty)

    def describe_reward(self, episode_specs: Iterable[EpisodeSpec]) -> list[str]:
        """Describe the reward in the settings of some matches; see `econzoo.train.reward.describe_reward`."""
        return describe_reward(self.reward, places_of(episode_specs))


def default_settings(game_name: str) -> list[str]:
    """Return the training distribution of a game, or its default setting if it has none."""
    known = getattr(find_game(game_name).scenarios, "DISTRIBUTIONS", {})
    return [TRAIN if TRAIN in known else "default"]


def alternatives(pairs: Iterable[str]) -> list[dict[str, Any]]:
    """Parse NAME=VALUE pairs into one dictionary per combination of the values of repeated names."""
    values: dict[str, list[str]] = {}
    for pair in pairs:
        values.setdefault(pair.partition("=")[0].strip(), []).append(pair)
    return [key_values(chosen) for chosen in product(*values.values())]
