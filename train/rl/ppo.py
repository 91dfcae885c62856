"""PPO training of one network on a game (Schulman et al. 2017), in one seat or in all.

    econzoo train ppo bargaining --out runs/first
    econzoo play bargaining ppo:runs/first fair

The folder then has ``policy.zip`` (all that ``ppo:FOLDER`` needs), ``learning_curve.csv``, ``config.toml`` and
``checkpoints/``. From Python: ``train_ppo(PPORecipe("bargaining", out="runs/first"))``.

This module has the whole training on compiled games; its rollouts are in `econzoo.train.rl.rollouts`, its network in
`econzoo.baselines.policy_network`. `econzoo.train.rl.sb3` has the algorithms of Stable-Baselines3.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import nn

from econzoo.baselines import POLICY, BatchPolicy, DivergedError, PolicyNetwork, are_finite, network_of, read_metadata
from econzoo.envs.core import require_libraries
from econzoo.envs.core.contract import check_arguments, options_in, unknown_name
from econzoo.envs.core.vector import CannotCompileError
from econzoo.train import Trackers
from econzoo.train.rl import sb3
from econzoo.train.rl.curve import Curve
from econzoo.train.rl.files import NOT_FINITE, checkpoint_path, divergence, find_start, policy_metadata, read_state
from econzoo.train.rl.files import restore, restore_errors, save_options, seed_at, store
from econzoo.train.rl.league import League, LearnerPool
from econzoo.train.rl.opponents import LEAGUE
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.rollouts import Actor, Rollout, make_distances, make_validation, moves_of, play_games
from econzoo.train.rl.rollouts import training_games

__all__ = ["train_ppo"]

LINES = 20
"""Approximate number of progress lines of a training."""

PAIR_MATCHES = 512
"""Matches in which two members of a league are evaluated."""

MOVES_PER_SETTING, MOVES_PER_PLAYER = 256, 1024
"""Moves per redrawn setting, and per redrawn player with random arguments."""


@check_arguments
def train_ppo(recipe: PPORecipe | str, curve: Curve | None = None, **options: Any) -> Path:
    """Train a policy, or resume the training of a folder.

    A resumed training continues exactly as if it had not stopped: a file has network, optimiser, games and generators
    between two updates. With other options of the games (`econzoo.train.rl.files.GAME_OPTIONS`), or after a divergence,
    it continues in new games, with seeds from the recipe's seed and the number of moves. An interrupt saves a
    checkpoint.

    Args:
        recipe: Options of the training, or the name of a game.
        curve: Evaluates the policy and reports progress; None: the recipe's evaluation.
        **options: Fields of `PPORecipe`, with the name of a game.

    Returns:
        The policy file.

    Raises:
        CannotCompileError: The game or an opponent has no compiled form.
        ValueError: The folder holds a training that is not to be resumed, or an incompatible one.
        FileNotFoundError: There is nothing to resume.
        ImportError: The libraries of the ``rl`` extra are missing.
        DivergedError: Network values are not finite; the last finite network is saved as a checkpoint.
    """
    if isinstance(recipe, str):
        if unknown := options.keys() - options_in(PPORecipe):
            raise ValueError(unknown_name("option", min(unknown), options_in(PPORecipe)))
        recipe = PPORecipe(recipe, **options)
    elif options:
        raise TypeError(f"train_ppo: {', '.join(options)} go with the name of a game, or into PPORecipe")
    recipe.print_choices()
    require_libraries("training by PPO", *recipe.libraries, extra="rl")
    start = find_start(recipe)
    if not recipe.is_compiled:
        return sb3.train(recipe, start, curve)
    learner = start_training(recipe, start)
    save_options(recipe)
    with closing(Trackers(recipe.track, recipe.out, recipe.to_plain())) as trackers:
        beside = make_distances(recipe) if recipe.exploitability else None
        return learner.run(trackers, curve or Curve(recipe.out, make_validation(recipe), beside))


def start_training(recipe: PPORecipe, start: Path | None = None) -> Training:
    """Return a training that has not begun; arguments as for `Training`."""
    try:
        return Training(recipe, start)
    except CannotCompileError as error:
        raise CannotCompileError(f"{error}; --algorithm sb3 trains on sequential environments") from error


class Training:
    """A network in training, and its games.

    Args:
        start: Policy file to resume from; None: a new network.
    """

    def __init__(self, recipe: PPORecipe, start: Path | None = None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe, self.moves = recipe, read_metadata(start)["timesteps"] if start else 0
        seed, moves = seed_at(recipe, self.moves), moves_of(recipe)
        self.generator = torch.Generator().manual_seed(seed)
        self.network = network_of(policy_metadata(recipe, 0), moves, self.generator)
        # The eps of Stable-Baselines3.
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=recipe.lr, eps=1e-5)
        if start:
            restore(start, self.network, self.optimizer)
        state = read_state(start, recipe) if start else None
        self.learner_pool = LearnerPool(recipe, self.network, moves, seed)
        self.actor = Actor(training_games(recipe, self.learner_pool.members()), self.network, seed, self.generator)
        self.league: League | None = None
        if LEAGUE in recipe.opponents:
            self.league = League(recipe, self.learner_pool, self.network, self.optimizer, self._reward, self.moves)
        self._weigh_league()
        self.magnet, self._magnet_due = deepcopy(self.network) if recipe.magnet else None, recipe.magnet_every
        self._due = dict.fromkeys(("evaluation", "checkpoint", "progress"), self.moves)
        if start and state is not None:
            with restore_errors(start):
                self._restore_state(state)

    def run(self, trackers: Trackers, curve: Curve) -> Path:
        """Train to the end, with evaluations and checkpoints."""
        curve.open(self.moves)
        self.began = time.perf_counter(), self.moves
        # An update can be interrupted or diverge halfway; the checkpoint then has the training before it.
        good = self.copy_state()
        try:
            while self.moves < self.recipe.timesteps:
                self._run_due_tasks(curve, trackers)
                good = self.copy_state()
                trackers.write(self.moves, self.learn()._asdict())
        except KeyboardInterrupt:
            checkpoint = self.store(good)
            print(f"stopped at {good.moves:,} moves, saved in {checkpoint}; resume with --resume", file=sys.stderr)
            raise
        except DivergedError as error:
            # In the same games it would diverge again.
            checkpoint = self.store(good._replace(state=None))
            raise divergence(str(error), good.moves, checkpoint) from None
        if curve.last < self.moves:
            self._measure(curve, trackers)
        return self.store(self.copy_state(), self.recipe.out / POLICY)

    def copy_state(self) -> TrainingState:
        """Return copies of all that the training continues from."""
        state = {
            "generator": self.generator.get_state(),
            "due": dict(self._due),
            "actor": self.actor.copy_state(),
            "past": self.learner_pool.copy_state(),
            "magnet": deepcopy(self.magnet.state_dict()) if self.magnet else None,
            "magnet_due": self._magnet_due,
        }
        return TrainingState(self.moves, *deepcopy((self.network.state_dict(), self.optimizer.state_dict())), state)

    def _restore_state(self, state: dict[str, Any]) -> None:
        self.generator.set_state(state["generator"])
        self._due.update(state["due"])
        self.actor.restore_state(state["actor"])
        self.learner_pool.restore_state(state["past"])
        if self.magnet and state["magnet"]:
            self.magnet.load_state_dict(state["magnet"])
            self._magnet_due = state["magnet_due"]

    def learn(self) -> UpdateStatistics:
        """Play a rollout and update the network."""
        recipe = self.recipe
        rollout, options = self.actor.play(recipe.n_steps), self.update_options()
        statistics = update(self.network, self.optimizer, rollout, options, self.generator, self.magnet)
        moves = recipe.n_steps * recipe.n_envs
        self.actor.games.redraw(moves // MOVES_PER_SETTING, moves // MOVES_PER_PLAYER)
        self.moves += moves
        self.learner_pool.add_snapshot(self.network, self.moves)
        if self.league is not None and self.league.is_due(self.moves):
            self.league.add(self.network, self.optimizer, self.moves)
            self._weigh_league()
        if self.magnet is not None and recipe.magnet_every and self.moves >= self._magnet_due:
            self.magnet.load_state_dict(self.network.state_dict())
            self._magnet_due = self.moves + recipe.magnet_every
        return statistics

    def _reward(self, network: PolicyNetwork, opponent: BatchPolicy) -> float:
        """Return the mean reward of a network against another in `PAIR_MATCHES` matches in training settings."""
        return fmean(play_games(training_games(self.recipe, {opponent: 1.0}, PAIR_MATCHES), network, self.generator))

    def _weigh_league(self) -> None:
        """Set the weights of the league's members to the present meta-strategy."""
        if self.league is None:
            return
        opponents = self.actor.games.opponents
        assert opponents is not None
        weights: dict[Any, float] = self.learner_pool.members()
        weights |= zip(self.learner_pool.league, self.league.meeting_rates(), strict=True)
        opponents.set_weights([weights[one] for one in opponents.policies])

    def update_options(self) -> UpdateOptions:
        """Return the schedule's options at this point of the training, or of a league round."""
        recipe = self.recipe
        rounds = 1 if self.league is None else recipe.league_rounds
        left = 1 - self.moves * rounds / recipe.timesteps % 1
        rate = recipe.fade_schedule(recipe.lr, 0.0 if recipe.decay else recipe.lr)(left)
        entropy = recipe.fade_schedule(recipe.entropy, recipe.entropy_end)(left)
        if recipe.entropy_decay == "exponential":
            entropy = recipe.entropy * (recipe.entropy_end / recipe.entropy) ** (1 - left)
        how = recipe.epochs, recipe.batch_size, rate, recipe.gamma, recipe.gae_lambda, recipe.clip_range, entropy
        return UpdateOptions(*how, predict=recipe.predict, magnet=recipe.magnet)

    def store(self, kept: TrainingState, path: Path | None = None) -> Path:
        """Save a state, by default as a checkpoint."""
        path = path or checkpoint_path(self.recipe.out, kept.moves)
        return store(path, kept.weights, kept.optimizer, policy_metadata(self.recipe, kept.moves), kept.state)

    def _run_due_tasks(self, curve: Curve, trackers: Trackers) -> None:
        """Run what is due between two updates: evaluations, checkpoints, a line of progress."""
        recipe = self.recipe
        apart = -(-recipe.timesteps // LINES) if recipe.progress else 0
        intervals = {"evaluation": recipe.eval_every, "checkpoint": recipe.checkpoint_every, "progress": apart}
        for name, interval in intervals.items():
            if not interval or self.moves < self._due[name]:
                continue
            self._due[name] = self.moves + interval
            if name == "evaluation" and curve.last < self.moves:
                self._measure(curve, trackers)
            elif name == "checkpoint" and self.moves:
                self.store(self.copy_state())
            elif name == "progress":
                curve.report_progress(self.moves, recipe.timesteps, self.began)

    def _measure(self, curve: Curve, trackers: Trackers) -> None:
        points = curve.measure(self.network, self.moves)
        trackers.write(self.moves, {f"evaluation/{point.opponent}": point.reward for point in points})


class TrainingState(NamedTuple):
    """A training between two updates.

    Attributes:
        state: Games, opponents, generators and what is due; None: it continues in new games.
    """

    moves: int
    weights: dict[str, Any]
    optimizer: dict[str, Any]
    state: dict[str, Any] | None


class UpdateOptions(NamedTuple):
    """Hyperparameters of an update.

    Attributes:
        discount: Discount per move.
        trace: Lambda of the advantage estimates.
        clip: PPO clip range.
        entropy: Entropy bonus.
        critic: Weight of the value loss.
        predict: Weight of the next-observation loss.
        magnet: Weight of the KL penalty towards the magnet.
        longest_gradient: Maximum norm of a gradient.
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
    magnet: float = 0.0
    longest_gradient: float = 0.5


class UpdateStatistics(NamedTuple):
    """Statistics of an update, averaged over its gradient steps.

    Attributes:
        entropy: Entropy of the policy, in nats.
        divergence: KL divergence between the old and the new policy (Schulman's estimator).
        clipped: Fraction of moves whose ratio was clipped.
        explained: Explained variance of the returns; NaN if they are equal.
    """

    entropy: float
    divergence: float
    clipped: float
    explained: float


def update(
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    options: UpdateOptions,
    generator: torch.Generator,
    magnet: PolicyNetwork | None = None,
) -> UpdateStatistics:
    """Update a network from a rollout.

    Args:
        magnet: Policy of a KL penalty (magnetic mirror descent, Sokota et al. 2023, with PPO's clipping as the proximal
            term); None: no penalty. With regular updates of the magnet it is R-NaD's regularisation (Perolat et al.
            2022) in the loss instead of the rewards.
    """
    advantages = rollout.advantages(options.discount, options.trace)
    # The targets of the critic, from advantages before they are normalised.
    returns = (advantages + rollout.values[:-1]).flatten()
    advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).flatten()
    flat = [part.flatten(0, 1) for part in (rollout.legal, rollout.actions, rollout.log_probabilities)]
    # After the end of a match the next observation is of another one, and not to be predicted.
    coming, alive = rollout.observations[1:].flatten(0, 1), 1 - rollout.ended.flatten()
    for group in optimizer.param_groups:
        group["lr"] = options.learning_rate
    statistics: list[tuple[float, float, float]] = []
    for inputs, at in rollout.minibatches(network, options.epochs, options.batch_size, generator):
        legal, actions, previous = (part[at] for part in flat)
        hidden = network.actor(inputs)
        log_probabilities = network.action_log_probabilities(hidden, legal)
        change = log_probabilities.gather(1, actions[:, None])[:, 0] - previous
        ratio = change.exp()
        gain = torch.min(
            ratio * advantages[at], ratio.clamp(1 - options.clip, 1 + options.clip) * advantages[at]
        ).mean()
        likely = log_probabilities.clamp(min=-30)  # illegal actions add nothing, and denormal exponentials are slow
        entropy = -(likely.exp() * likely).sum(-1).mean()
        error = (network.expect(inputs) - returns[at]).square().mean()
        loss = options.critic * error - gain - options.entropy * entropy
        if magnet is not None:
            with torch.no_grad():
                towards = magnet.act(inputs, legal).clamp(min=-30)
            loss = loss + options.magnet * (likely.exp() * (likely - towards)).sum(-1).mean()
        if network.next_seen is not None:
            missed = (network.next_seen(hidden) - coming[at]).square().mean(-1)
            loss = loss + options.predict * (missed * alive[at]).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if not nn.utils.clip_grad_norm_(network.parameters(), options.longest_gradient).isfinite():
            raise DivergedError("gradients are not finite")
        optimizer.step()
        with torch.no_grad():
            clipped = ((ratio - 1).abs() > options.clip).float().mean()
            statistics.append((entropy.item(), (ratio - 1 - change).mean().item(), clipped.item()))
    if not are_finite(network.state_dict()):
        raise DivergedError(NOT_FINITE)
    means = [sum(column) / len(statistics) for column in zip(*statistics, strict=True)]
    return UpdateStatistics(means[0], means[1], means[2], rollout.explained_variance(returns))
