"""Rollouts of a learner in batches of compiled games, and evaluations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from econzoo.baselines import BatchPolicy, Network, Player, PolicyNetwork, PolicyPlayer, parse_settings
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import ListedMoves, numeric_moves
from econzoo.envs.core.vector import LearnerBatch, Opponent, can_compile, compile_game
from econzoo.evaluate.analyses.exploitability import Exploitability, NumericPolicy, Positions, setting_exploitability
from econzoo.evaluate.run import Setting, label_setting, play_match
from econzoo.train import Reward
from econzoo.train.rl.curve import EXTRA_COLUMNS, FIRST_SEED
from econzoo.train.rl.files import policy_metadata

if TYPE_CHECKING:
    from econzoo.baselines import PolicyNetwork
    from econzoo.train.rl.recipe import PPORecipe

__all__ = ["Actor", "Rollout", "new_games", "make_validation"]


SETTINGS = 12
"""Maximum settings in which exploitability is measured."""

EQUAL_TOLERANCE = 1e-12
"""Variance of returns below which they count as equal."""


class Rollout(NamedTuple):
    """Moves of a learner: T moves in each of n games.

    Attributes:
        observations: Shape (T + 1, n, features); the last one follows the last move.
        inputs: Network inputs, shape (T, n, features + memory).
        memories: Memory before the first move, shape (n, memory).
        legal: Action masks, shape (T, n, actions).
        actions: Action indices, shape (T, n).
        log_probabilities: Log-probabilities of the actions, shape (T, n).
        values: Critic's values before each move and after the last, shape (T + 1, n).
        rewards: Rewards, shape (T, n).
        ended: Whether the match ended with the move, 1 or 0, shape (T, n).
    """

    observations: Tensor
    inputs: Tensor
    memories: Tensor
    legal: Tensor
    actions: Tensor
    log_probabilities: Tensor
    values: Tensor
    rewards: Tensor
    ended: Tensor

    def advantages(self, discount: float, trace: float) -> Tensor:
        """Compute generalised advantage estimates (Schulman et al. 2016, equation 16), shape (T, n).

        Args:
            trace: Lambda; with 1 the advantage is the return minus the value.
        """
        out, later = torch.zeros_like(self.rewards), torch.zeros_like(self.rewards[0])
        for t in reversed(range(len(out))):
            continues = discount * (1 - self.ended[t])
            later = self.rewards[t] + continues * self.values[t + 1] - self.values[t] + continues * trace * later
            out[t] = later
        return out

    def explained_variance(self, returns: Tensor) -> float:
        """Return the fraction of the variance of returns that the critic explains; NaN if returns are equal."""
        spread = returns.var()
        return (
            float(1 - (returns - self.values[:-1].flatten()).var() / spread) if spread > EQUAL_TOLERANCE else math.nan
        )

    def minibatches(
        self, network: PolicyNetwork, epochs: int, batch_size: int, generator: torch.Generator
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield inputs and indices of minibatches: every move once per epoch, in a new order.

        A recurrent network is fed whole games, since its memory depends on its parameters.
        """
        moves, games = self.actions.shape
        for _ in range(epochs):
            if not network.recurrent:
                inputs = self.inputs.flatten(0, 1)
                for at in torch.randperm(moves * games, generator=generator).split(batch_size):
                    yield inputs[at], at
                continue
            for own in torch.randperm(games, generator=generator).split(max(1, batch_size // moves)):
                places = torch.arange(moves)[:, None] * games + own
                yield self._recompute_inputs(network, own).flatten(0, 1), places.flatten()

    def _recompute_inputs(self, network: PolicyNetwork, games: Tensor) -> Tensor:
        """Recompute the inputs of some games with the present network, shape (T, games, inputs)."""
        memory, out = self.memories[games], []
        for t in range(len(self.actions)):
            inputs, memory = network.recall(self.observations[t, games], memory)
            memory = memory * (1 - self.ended[t, games])[:, None]
            out.append(inputs)
        return torch.stack(out)


class Actor:
    """Plays a network in a batch of games that restart when they end."""

    def __init__(self, games: LearnerBatch, network: PolicyNetwork, seed: int, generator: torch.Generator) -> None:
        self.games, self.network, self.generator = games, network, generator
        self.seen, self.legal = games.reset(seed)
        self.kept = network.blank(games.num_games)

    def copy_state(self) -> dict[str, Any]:
        """Return what the next rollout depends on, except for networks and generator."""
        return {"games": self.games.copy_state(), "kept": self.kept}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of the same games."""
        self.games.restore_state(state["games"])
        self.seen, self.legal = self.games.observe()
        if state["kept"].shape != self.kept.shape:
            raise ValueError(f"kept has shape {tuple(state['kept'].shape)}, expected {tuple(self.kept.shape)}")
        self.kept = state["kept"]

    @torch.no_grad()
    def play(self, moves: int) -> Rollout:
        memories, steps = self.kept, [self._move() for _ in range(moves)]
        seen, inputs, legal, actions, chances, values, rewards, ended = map(torch.stack, zip(*steps, strict=True))
        after = torch.from_numpy(self.seen)
        last = self.network.expect(self.network.recall(after, self.kept)[0])
        seen, values = torch.cat([seen, after[None]]), torch.cat([values, last[None]])
        return Rollout(seen, inputs, memories, legal, actions, chances, values, rewards, ended)

    def _move(self) -> tuple[Tensor, ...]:
        seen, legal = torch.from_numpy(self.seen), torch.from_numpy(self.legal.astype(bool))
        inputs, memory = self.network.recall(seen, self.kept)
        log_probabilities = self.network.act(inputs, legal)
        actions = sample_actions(log_probabilities, self.generator)
        self.seen, rewards, ended, self.legal, _ = self.games.step(actions.numpy())
        continues = torch.from_numpy(~ended)
        self.kept = memory * continues[:, None]
        chosen, values = log_probabilities.gather(1, actions[:, None])[:, 0], self.network.expect(inputs)
        return seen, inputs, legal, actions, chosen, values, _floats(rewards), _floats(ended)


def sample_actions(log_probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """Sample an action per row of log-probabilities by inverting their cumulative sum; shape (rows,)."""
    sums = log_probabilities.clamp(min=-80).exp().cumsum(-1)  # illegal actions add less than the smallest draw
    # Above 0, which would select the first action, legal or not.
    draws = 1 - torch.rand(len(sums), 1, generator=generator)
    return torch.searchsorted(sums, draws * sums[:, -1:])[:, 0]


def _floats(values: np.ndarray) -> Tensor:
    return torch.from_numpy(values.astype(np.float32))


def moves_of(recipe: PPORecipe) -> ListedMoves:
    """Return the moves of a training's actions."""
    code = compile_game(find_game(recipe.game), recipe.params)
    moves = numeric_moves(code.actions.with_symbols(recipe.symbols), recipe.grid, code.seats, no_op=False)
    assert isinstance(moves, ListedMoves)  # a recipe's grid is a number
    return moves


def new_games(recipe: PPORecipe, opponents: Opponent, params: Any, count: int, draw: bool = True) -> LearnerBatch:
    """Return games of the learner against opponents; with `draw`, each redraws its parameters when it starts."""
    given = {"objective": recipe.objective, "rewards": recipe.rewards, "params": params, "draw": draw}
    grid: Any = {"grid": recipe.grid, "grid_range": recipe.grid_range}
    return LearnerBatch(recipe.game, count, seat=recipe.learner, opponent=opponents, **grid, **given)


def training_games(recipe: PPORecipe, opponents: Opponent, count: int | None = None) -> LearnerBatch:
    """Return the games of a training, with settings redrawn per game; `count` of them, default as in the recipe."""
    found, count = parse_settings(recipe.game, recipe.settings, "settings"), count or recipe.n_envs
    return new_games(recipe, opponents, recipe.settings if callable(found) else dict(found or {}), count)


def make_validation(recipe: PPORecipe) -> Callable[[PolicyNetwork], Mapping[str, Sequence[float]]]:
    """Return a function that evaluates a network against every evaluation opponent, always in the same episodes."""
    found = parse_settings(recipe.game, recipe.eval_settings, "eval_settings")
    # With a generator of its own, the setting of an episode does not depend on the number of episodes.
    rngs = [np.random.default_rng(FIRST_SEED + episode) for episode in range(recipe.eval_episodes)]
    params = [dict(found(rng) if callable(found) else found or {}) for rng in rngs]
    games = {
        spec: new_games(recipe, [spec], params, recipe.eval_episodes, draw=False)
        for spec in dict.fromkeys(recipe.eval_opponents)
        if can_compile(spec, recipe.game)
    }

    def evaluate(network: PolicyNetwork) -> Mapping[str, Sequence[float]]:
        return {
            spec: play_games(games[spec], network) if spec in games else play_matches(recipe, network, spec, params)
            for spec in dict.fromkeys(recipe.eval_opponents)
        }

    return evaluate


def play_matches(
    recipe: PPORecipe, network: PolicyNetwork, spec: str, settings: Sequence[Mapping[str, Any]]
) -> list[float]:
    """Return the reward of a match in each setting against a player without a compiled form; seats take turns."""
    learner = PolicyPlayer("ppo", Network(recipe.out, policy_metadata(recipe, 0), network))
    reward, seats = Reward(recipe.goal, penalty=recipe.penalty), recipe.learner_seats

    def play(episode: int, setting: Mapping[str, Any]) -> float:
        seat, players = seats[episode % len(seats)], [spec] * recipe.seat_count
        table: list[str | Player] = [*players[:seat], learner, *players[seat + 1 :]]
        return reward.compute(play_match(recipe.game, table, FIRST_SEED + episode, **setting), seat)

    return [play(episode, setting) for episode, setting in enumerate(settings)]


def make_distances(recipe: PPORecipe) -> Callable[[PolicyNetwork], Sequence[float]]:
    """Return a function that computes the columns `econzoo.train.rl.curve.EXTRA_COLUMNS` of a network.

    The network plays its most likely actions, as in all evaluations, in the first `SETTINGS` evaluation settings.
    """
    if recipe.memory != "none":
        raise ValueError(f"invalid exploitability with memory={recipe.memory!r}: expected --memory none")
    found, game = parse_settings(recipe.game, recipe.eval_settings, "eval_settings"), find_game(recipe.game)
    rngs = [np.random.default_rng(FIRST_SEED + episode) for episode in range(recipe.eval_episodes)]
    drawn = {
        label_setting(game, one): one for one in (dict(found(rng) if callable(found) else found or {}) for rng in rngs)
    }
    chosen = [Setting(name, params) for name, params in [*drawn.items()][:SETTINGS]]

    def measure(network: PolicyNetwork) -> Sequence[float]:
        held = Network(recipe.out, policy_metadata(recipe, 0), network)

        def make_policy(positions: Positions) -> NumericPolicy:
            moves = numeric_moves(positions.actions, recipe.grid, positions.seats, no_op=False)
            assert isinstance(moves, ListedMoves)
            return NumericPolicy(BatchPolicy(held, moves, deterministic=True), positions)

        found = tuple(setting_exploitability(game, setting, make_policy) for setting in chosen)
        measures = Exploitability("the learner", game.name, found).numbers()
        return [measures[name] for name in EXTRA_COLUMNS]

    return measure


@torch.no_grad()
def play_games(games: LearnerBatch, network: PolicyNetwork, generator: torch.Generator | None = None) -> list[float]:
    """Return the reward of every game; the games start with the same seed each time.

    Args:
        generator: Samples its actions; None: it plays the most likely ones.
    """
    seen, legal = games.reset(FIRST_SEED)
    memory, going = network.blank(games.num_games), np.ones(games.num_games, bool)
    rewards = np.zeros(games.num_games)
    while going.any():
        inputs, memory = network.recall(torch.from_numpy(seen), memory)
        log_probabilities = network.act(inputs, torch.from_numpy(legal.astype(bool)))
        actions = log_probabilities.argmax(-1) if generator is None else sample_actions(log_probabilities, generator)
        seen, earned, ended, legal, _ = games.step(actions.numpy())
        rewards += np.where(going, earned, 0.0)  # games that have ended restart, but do not count
        going &= ~ended
        memory = memory * torch.from_numpy(~ended)[:, None]
    return rewards.tolist()
