"""Groups of matches in GRPO training: playing, resampling, credit assignment and statistics.

A group whose advantages are all 0 carries no signal and is replaced by another match (dynamic sampling: Yu et al. 2025,
arXiv 2503.14476, section 3.2). Statistics are of the groups as first sampled, so that resampling does not improve
them. For credit assignment see `econzoo.train.lm.credit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from econzoo.baselines import Player
from econzoo.train import Reward
from econzoo.train.lm.credit import Credit, match_advantages, normalise_advantages, spread_over_tokens
from econzoo.train.lm.episode_specs import EpisodeSpec
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.rollout_function import MatchRollout, mean_of_known, statistics
from econzoo.train.lm.sample import Sample
from econzoo.train.lm.snapshots import Snapshots

__all__ = ["GroupRollout", "group_statistics", "group_samples"]

Groups = list[list[Sample]]


class GroupRollout(MatchRollout):
    """TRL's ``rollout_func`` and reward function of a training.

    Args:
        credit: Computes an advantage per decision; None: that of the match.

    Attributes:
        advantages: For each play of the last step one value per token of its completion; None: TRL computes those of
            matches.
    """

    def __init__(
        self,
        reward: Reward,
        policy: Policy,
        cast: Callable[[str], Player],
        size: int,
        spare_specs: Sequence[EpisodeSpec] = (),
        max_resamples: int = 0,
        credit: Credit | None = None,
        snapshots: Snapshots | None = None,
    ) -> None:
        super().__init__(reward, lambda _trainer: policy, lambda _game: cast)
        self._trained, self._size, self._credits = policy, size, credit or match_advantages
        self._spares, self._tries, self._used = spare_specs, max_resamples, 0
        self.snapshots, self._describes_reward = snapshots, False  # its command does
        self.advantages: list[list[float]] | None = None if credit is None else []
        self.statistics: dict[str, float] = {}

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, Any]:
        """As `MatchRollout`; the present model may become a snapshot first."""
        if self.snapshots is not None:
            self.snapshots.add_candidate(trainer.accelerator.unwrap_model(trainer.model), trainer.state.global_step)
        return super().__call__(prompts, trainer)

    def _play_all(self, policy: Policy, drawn: Sequence[EpisodeSpec]) -> Groups:
        if self.snapshots is not None:
            policy.snapshots, drawn = (
                self.snapshots.policies(policy),
                [self.snapshots.assign_snapshot(one) for one in drawn],
            )
        return group_samples(super()._play(policy, drawn), self._size)

    def _play(self, policy: Policy, drawn: Sequence[EpisodeSpec]) -> list[Sample]:
        groups = self._play_all(policy, drawn)
        credit = [self._credit(group) for group in groups]
        self.statistics = group_statistics(groups, credit, self._reward)
        self.statistics["resampled"] = float(self._resample_groups(policy, groups, credit))
        samples = [sample for group in groups for sample in group]
        if self.advantages is not None:
            plain = normalise_advantages([play for group in credit for play in group])
            self.advantages = [spread_over_tokens(one, play) for one, play in zip(samples, plain, strict=True)]
        return samples

    def _resample_groups(self, policy: Policy, groups: Groups, credit: list[list[list[float]]]) -> int:
        """Replace groups without signal in place, and return how many were resampled."""
        begun = self._used
        for _ in range(self._tries):
            flat = groups_without_signal(groups, credit)
            fresh = self._spares[self._used : self._used + len(flat)]
            if not fresh:
                break
            self._used += len(fresh)
            played = self._play_all(policy, [episode for episode in fresh for _ in range(self._size)])
            # The spares may run out before every group has a replacement.
            for place, group in zip(flat, played, strict=False):
                groups[place], credit[place] = group, self._credit(group)
        return self._used - begun

    def _credit(self, group: Sequence[Sample]) -> list[list[float]]:
        """Return the advantages of a group's decisions; a match in which another player failed has none."""
        ended = [sample for sample in group if sample.record.has_result]
        found = iter(self._credits(ended, self._reward) if ended else ())
        return [next(found) if sample.record.has_result else [] for sample in group]

    def rewards(
        self, value: list[float | None], log_metric: Callable[[str, float], None], **columns: Any
    ) -> list[float | None]:
        """TRL's reward function: returns the rollout's rewards and logs its statistics.

        Args:
            log_metric: TRL's logging function.
        """
        for name, figure in self.statistics.items():
            log_metric(name, figure)
        return [*value]

    def state(self) -> dict[str, Any]:
        """Return the state to resume from, without the weights of snapshots."""
        known = {} if self.snapshots is None else self.snapshots.state()
        return {"reply_count": self._trained.reply_count, "spares": self._used, **known}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume from a `state`."""
        self._trained.reply_count, self._used = state["reply_count"], state["spares"]


def group_samples(samples: Sequence[Sample], size: int) -> Groups:
    """Group the plays of the same match."""
    return [list(samples[start : start + size]) for start in range(0, len(samples), size)]


def has_signal(credit: Sequence[Sequence[float]]) -> bool:
    """Whether any decision of a group has a nonzero advantage."""
    return any(one for play in credit for one in play)


def groups_without_signal(groups: Groups, credit: Sequence[Sequence[Sequence[float]]]) -> list[int]:
    """Return the indices of groups without signal in any of the seats that learn from the same matches."""
    # Samples of several seats share the record of their match, which is played once: they are replaced together.
    teaching = {id(one.record) for group, own in zip(groups, credit, strict=True) if has_signal(own) for one in group}
    return [place for place, group in enumerate(groups) if teaching.isdisjoint(id(one.record) for one in group)]


def group_statistics(groups: Groups, credit: Sequence[Sequence[Sequence[float]]], reward: Reward) -> dict[str, float]:
    """Return the statistics of a step's groups.

    Returns:
        Means over matches with a result: ``drawn_reward`` and those of `statistics`. Fractions: ``spread`` of groups
        with signal; ``repetition`` of a group's plays that begin with its most frequent first reply; ``invalid`` and
        ``cut`` of replies.
    """
    samples = [sample for group in groups for sample in group if sample.record.has_result]
    replies = max(sum(len(sample.turns) for sample in samples), 1)
    return {
        "drawn_reward": mean_of_known(reward.compute(sample.record, sample.seat) for sample in samples),
        **{name: mean_of_known(values) for name, values in statistics(samples).items()},
        "spread": fmean(float(has_signal(one)) for one in credit),
        "repetition": fmean(map(_repetition, groups)),
        "invalid": sum(turn.error is not None for sample in samples for turn in sample.turns) / replies,
        "cut": sum(span.is_cut for sample in samples for span in sample.spans) / replies,
    }


def _repetition(group: Sequence[Sample]) -> float:
    """Return the fraction of the most frequent first reply; 0 without replies."""
    replies = Counter(str(sample.turns[0].reply) for sample in group if sample.turns)
    return replies.most_common(1)[0][1] / replies.total() if replies else 0.0
