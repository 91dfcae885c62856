"""Whole matches as TRL's ``rollout_func``, for a custom `GRPOTrainer` and any chat model.

    from trl import GRPOConfig, GRPOTrainer
    from econzoo.train import make_rollout, make_rollout_dataset, make_sequence_trainer, match_reward

    trainer = make_sequence_trainer(GRPOTrainer)(
        model=model,
        args=GRPOConfig(...),
        train_dataset=make_rollout_dataset("bargaining", seeds=range(64), opponents=["fair"]),
        rollout_func=make_rollout(objective="self_gain"),
        reward_funcs=[match_reward],
    )

The policy plays the chat face, free text included, without tools.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from statistics import fmean
from typing import Any

from econzoo.baselines import Player
from econzoo.baselines.models import LoadedModel
from econzoo.envs.core.contract import Objective, check_arguments
from econzoo.evaluate.run import PlayerCache
from econzoo.train import Reward, as_reward
from econzoo.train.lm.episode_specs import PAST, EpisodeSpec, make_specs, print_reward
from econzoo.train.lm.model import check
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.sample import Sample
from econzoo.train.lm.sequence_trainer import COLUMN, make_sequence_trainer
from econzoo.train.lm.vllm_policy import VllmPolicy, client_of

__all__ = ["make_sequence_trainer", "make_rollout", "make_rollout_dataset", "match_reward"]

STATISTICS = ("gain", "agreed", "forfeits", "errors", "answers")
"""Columns whose means over the matches of a step are logged."""


ONE_ROW_ERROR = (
    "this model's chat template renders earlier turns differently during a match, so that a match is several "
    "sequences; expected make_sequence_trainer(GRPOTrainer), of "
    "econzoo.train.lm.rollout_function, or econzoo train grpo"
)


class MatchRollout:
    """TRL's ``rollout_func``: every prompt is an episode spec, every completion a whole match."""

    def __init__(
        self,
        reward: Reward,
        policy: Callable[[Any], Policy],
        cast: Callable[[str], Callable[[str], Player]] = PlayerCache,
    ) -> None:
        self._reward, self._policy, self._cast = reward, policy, cache(cast)  # a game's players are loaded once
        self._describes_reward = True

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, Any]:
        """Play one match per prompt and return the columns of TRL and of `match_reward`."""
        policy = self._policy(trainer)
        policy.model = trainer.accelerator.unwrap_model(trainer.model)
        drawn = [EpisodeSpec.from_json(prompt) for prompt in prompts]
        if self._describes_reward:
            print_reward(self._reward, drawn)
            self._describes_reward = False
        samples = self._play(policy, drawn)
        if any(sample.starts for sample in samples) and not getattr(trainer, "takes_sequences", False):
            raise ValueError(ONE_ROW_ERROR)
        return {
            "prompt_ids": [sample.prompt for sample in samples],
            "completion_ids": [sample.completion for sample in samples],
            "logprobs": [sample.scores for sample in samples] if policy.is_served else None,
            "env_mask": [sample.own_mask for sample in samples],
            COLUMN: [sample.starts for sample in samples],
            "seat": [sample.seat for sample in samples],
            "value": [self._reward.compute(one.record, one.seat) if one.record.has_result else None for one in samples],
            **statistics(samples),
        }

    def _play(self, policy: Policy, drawn: Sequence[EpisodeSpec]) -> list[Sample]:
        """Play in the order of the specs; a spec can mean different players in different games."""
        played: dict[int, Sample] = {}
        for game in dict.fromkeys(episode.game for episode in drawn):
            places = [i for i, episode in enumerate(drawn) if episode.game == game]
            samples = play_samples(policy, [drawn[i] for i in places], self._cast(game))
            played |= zip(places, samples, strict=True)
        return [played[i] for i in range(len(drawn))]


@check_arguments
def make_rollout(
    objective: str | Objective | Reward = "self_gain",
    *,
    max_new_tokens: int = 64,
    max_length: int | None = None,
    constrained: bool = False,
    batch_size: int = 64,
) -> MatchRollout:
    """Return a ``rollout_func`` for ``GRPOTrainer``: whole matches played by the trainer's own model.

    Replies are sampled at the trainer's ``temperature`` from its ``seed``: by transformers, or with ``use_vllm=True``
    and ``vllm_mode="server"`` by the trainer's vLLM server. Each sequence is exactly what the model read and sampled;
    what it read (rules, news, markup between turns) is masked.

    Args:
        objective: Objective at the end of a match; a `Reward` also has a penalty for invalid actions.
        max_new_tokens: Maximum tokens per reply.
        max_length: Maximum tokens per match, rules included; a longer match is forfeited. None: the model's context,
            whatever the trainer's ``max_completion_length``.
        constrained: Whether replies are constrained to the JSON schema of the legal moves; biased (see `Policy`).
        batch_size: Maximum replies per batch.

    Raises:
        ValueError: An argument is invalid; the message names it.
    """
    check(max_new_tokens >= 1, "max_new_tokens", max_new_tokens, "1 or more")
    check(batch_size >= 1, "batch_size", batch_size, "1 or more")
    low = max_new_tokens + 1
    check(max_length is None or max_length >= low, "max_length", max_length, f"{low} or more, or None")

    options = {"max_new_tokens": max_new_tokens, "constrained": constrained, "batch_size": batch_size}
    # One policy per trainer: its count of replies, part of their seeds, goes on over the steps.
    return MatchRollout(as_reward(objective), cache(lambda trainer: _policy_of(trainer, max_length, **options)))


def _policy_of(trainer: Any, max_length: int | None, **options: Any) -> Policy:
    """Return the trainer's model as a policy; processes sample with different random numbers."""
    tokenizer = getattr(trainer.processing_class, "tokenizer", trainer.processing_class)
    loaded = LoadedModel.from_model(trainer.accelerator.unwrap_model(trainer.model), tokenizer)
    seed = trainer.args.seed + 2**32 * trainer.accelerator.process_index
    options |= {"temperature": trainer.args.temperature, "max_length": max_length or 0, "seed": seed}
    served = getattr(trainer.args, "use_vllm", False)
    return VllmPolicy(loaded, client=client_of(trainer), **options) if served else Policy(loaded, **options)


@check_arguments
def make_rollout_dataset(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int] = (0,),
    opponents: Sequence[str] | None = None,
    settings: Sequence[str] = ("default",),
    **params: Any,
) -> Any:
    """Return a `datasets.Dataset` for `make_rollout`: the column ``prompt`` holds each match as one line of JSON.

    Datasets of several games can be concatenated.

    Args:
        game_name: The game.
        seeds: One row each.
        seats: Seats of the learner, which take turns.
        opponents: Specs of the other seats, ``"self"`` (the present policy) among them; None: the training pool.
        settings: Names of settings or distributions of settings.
        **params: Game parameters and environment options.

    Raises:
        ValueError: An argument is invalid; the message names it.
    """
    from datasets import Dataset

    check(PAST not in (opponents or ()), "opponents", PAST, "other opponents, such as self, or econzoo train grpo")
    drawn = make_specs(game_name, list(seeds), list(seats), opponents, list(settings), **params)
    return Dataset.from_dict({"prompt": [episode.to_json() for episode in drawn]})


@check_arguments
def match_reward(
    value: list[float | None], log_metric: Callable[[str, float], None], **columns: Any
) -> list[float | None]:
    """TRL's reward function for `make_rollout`: returns the rollout's rewards and logs means over matches.

    Args:
        value: Rewards of the matches, a column of the rollout; None where another player failed.
        log_metric: TRL's logging function.
        **columns: Other columns.
    """
    for name in STATISTICS:
        log_metric(name, mean_of_known(columns[name]))
    return [*value]


def mean_of_known(values: Iterable[float | None]) -> float:
    """Return the mean of the known values; NaN if there are none."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else math.nan


def statistics(samples: Sequence[Sample]) -> dict[str, list[float | None]]:
    """Return per match the learner's gain, agreement, forfeit, invalid actions and answers.

    None where another player failed.
    """
    found = {
        "gain": [sample.record.metrics["gains"][sample.seat] or 0.0 for sample in samples],
        "agreed": [float(bool(sample.record.metrics["agreed"])) for sample in samples],
        "forfeits": [float(sample.has_forfeited) for sample in samples],
        "errors": [float(sample.record.errors[sample.seat]) for sample in samples],
        "answers": [float(len(sample.turns)) for sample in samples],
    }
    ended = [sample.record.has_result for sample in samples]
    return {name: [v if e else None for v, e in zip(values, ended, strict=True)] for name, values in found.items()}
