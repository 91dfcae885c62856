"""Recipe of a GRPO training: options, checks and matches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from econzoo.baselines.models.loading import LoadedModel
from econzoo.envs.command_line import key_values
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Integer, OneOf, Real, Text
from econzoo.envs.core.registry import game as find_game
from econzoo.train.lm.environment import check_opponents
from econzoo.train.lm.episode_specs import PAST, SELF, EpisodeSpec, make_validation_specs
from econzoo.train.lm.measures import ALARMS, alarms_of
from econzoo.train.lm.model import check
from econzoo.train.lm.processes import processes
from econzoo.train.lm.recipe import MODES, NATURAL, POSITIVE, TEXTS, RewardedRecipe
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.rollout_function import STATISTICS
from econzoo.train.lm.vllm_policy import VllmPolicy
from econzoo.train.recipe import Data, Evaluation, Optimisation, Sampling, Task

__all__ = ["GRPORecipe"]

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
        count = processes().size
        check(self.groups % count == 0, "groups", self.groups, f"a multiple of the {count} processes")
        super().__post_init__()
        together = self.seats_per_match * count
        expected = f"a multiple of {together}, as {self.seats_per_match} seats learn from each match against {SELF}"
        check(self.groups % together == 0, "groups", self.groups, expected)
        self.alarms = alarms_of(key_values(self.alarm))
        is_url = urlsplit(self.server).scheme in ("http", "https")
        check(is_url or not self.server, "server", self.server, "an address such as http://127.0.0.1:8000")
        check(not self.server or PAST not in self.opponents, "server", self.server, f"none with opponents={PAST}")
        if self.adapters == SEAT:
            condition = f"with adapters={SEAT}"
            check(self.lora > 0, "lora", self.lora, f"1 or more {condition}")
            check(self.mode == "chat", "mode", self.mode, f"chat {condition}")
            check(not self.server, "server", self.server, f"none {condition}")
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
