"""Proximal policy optimisation (Schulman et al. 2017) on compiled games, with masks of what is legal.

The games, the opponents in them and the learner's moves are arrays; see `econzoo.envs.core.vector.learner_batch`. One
network plays all seats that learn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from econzoo.baselines.policy_network import PolicyNetwork
from econzoo.train.rollouts import Rollout

__all__ = ["Settings", "Told", "update"]


ALIKE = 1e-12
"""Variance of returns below which they are alike."""


class Settings(NamedTuple):
    """How much is learned of a rollout, and how.

    Attributes:
        epochs: Passes over the moves.
        batch_size: Moves of a gradient step.
        learning_rate: Of Adam.
        discount: Per move.
        trace: Lambda of the advantage estimates.
        clip: How far the chance of an action may move, as a part of it.
        entropy: Bonus for trying things out.
        critic: Weight of the critic's error.
        predict: Weight of the error in what will be seen next.
        longest_gradient: Norm to which gradients are cut.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    discount: float
    trace: float
    clip: float
    entropy: float
    critic: float = 0.5
    predict: float = 0.0
    longest_gradient: float = 0.5


class Told(NamedTuple):
    """What an update was like; means over its gradient steps.

    Attributes:
        entropy: Of the policy, in nats.
        divergence: Kullback-Leibler divergence of the new policy from the old one (Schulman's estimate).
        clipped: Share of moves whose chance was moved as far as is allowed.
        explained: Share of the variance of returns that the critic explains; NaN where all are alike.
    """

    entropy: float
    divergence: float
    clipped: float
    explained: float


def update(
    network: PolicyNetwork, optimizer: torch.optim.Optimizer, rollout: Rollout, how: Settings, luck: torch.Generator
) -> Told:
    """Improves a network by what came of its moves.

    Args:
        network: That played them.
        optimizer: Of its parameters.
        rollout: The moves.
        how: How much.
        luck: Draws the order of the moves.
    """
    advantages = rollout.advantages(how.discount, how.trace)
    returns = (advantages + rollout.values[:-1]).flatten()
    advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).flatten()
    flat = [part.flatten(0, 1) for part in (rollout.legal, rollout.actions, rollout.chances)]
    coming, alive = rollout.seen[1:].flatten(0, 1), 1 - rollout.ended.flatten()
    for group in optimizer.param_groups:
        group["lr"] = how.learning_rate
    told: list[tuple[float, float, float]] = []
    for inputs, at in _minibatches(network, rollout, how, luck):
        legal, actions, before = (part[at] for part in flat)
        hidden = network.actor(inputs)
        every = network.chances(hidden, legal)
        change = every.gather(1, actions[:, None])[:, 0] - before
        ratio = change.exp()
        gain = torch.min(ratio * advantages[at], ratio.clamp(1 - how.clip, 1 + how.clip) * advantages[at]).mean()
        likely = every.clamp(min=-30)  # what is illegal adds nothing; its exponential would be slow too
        entropy = -(likely.exp() * likely).sum(-1).mean()
        error = (network.expect(inputs) - returns[at]).square().mean()
        loss = how.critic * error - gain - how.entropy * entropy
        if network.next_seen is not None:
            missed = (network.next_seen(hidden) - coming[at]).square().mean(-1)
            loss = loss + how.predict * (missed * alive[at]).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), how.longest_gradient)
        optimizer.step()
        with torch.no_grad():
            clipped = ((ratio - 1).abs() > how.clip).float().mean()
            told.append((entropy.item(), (ratio - 1 - change).mean().item(), clipped.item()))
    means = [sum(column) / len(told) for column in zip(*told, strict=True)]
    return Told(means[0], means[1], means[2], _explained(returns, rollout.values[:-1].flatten()))


def _explained(returns: Tensor, expected: Tensor) -> float:
    """Share of the variance of returns that was expected; NaN where all are alike."""
    spread = returns.var()
    return float(1 - (returns - expected).var() / spread) if spread > ALIKE else math.nan


def _minibatches(
    network: PolicyNetwork, rollout: Rollout, how: Settings, luck: torch.Generator
) -> Iterator[tuple[Tensor, Tensor]]:
    """What moves were decided on, and their places among all moves: every move once an epoch, in a new order.

    A recurrent network goes through whole games, as what it remembers depends on its parameters.
    """
    moves, games = rollout.actions.shape
    for _ in range(how.epochs):
        if not network.recurrent:
            inputs = rollout.inputs.flatten(0, 1)
            for at in torch.randperm(moves * games, generator=luck).split(how.batch_size):
                yield inputs[at], at
            continue
        for own in torch.randperm(games, generator=luck).split(max(1, how.batch_size // moves)):
            places = torch.arange(moves)[:, None] * games + own
            yield _recalled(network, rollout, own).flatten(0, 1), places.flatten()


def _recalled(network: PolicyNetwork, rollout: Rollout, games: Tensor) -> Tensor:
    """What the moves of some games are decided on by the network as it is now, shape (T, games, inputs)."""
    kept, out = rollout.kept[games], []
    for t in range(len(rollout.actions)):
        inputs, kept = network.recall(rollout.seen[t, games], kept)
        kept = kept * (1 - rollout.ended[t, games])[:, None]
        out.append(inputs)
    return torch.stack(out)
