"""Policies trained by reinforcement learning as players: ``ppo:FILE`` and ``ppo:FILE?deterministic=0``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.baselines.policy_files import COMPILED, SB3_UNMASKED, WEIGHTS, policy_path, read_metadata, tensors_of
from econzoo.baselines.torch_player import TorchPlayer
from econzoo.envs.core import explain_missing_library
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import short_repr
from econzoo.envs.core.faces import ListedMoves, numeric_moves
from econzoo.wrappers import SeatInfo

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Game
    from econzoo.envs.core.vector import GameBatch


class Network:
    """Network of a policy file, loaded on first use and shared by all players of the file.

    Args:
        policy: Current network of a training; None: that of the file.
    """

    def __init__(self, path: Path, metadata: Mapping[str, Any], policy: Any = None) -> None:
        self.path, self.metadata, self.policy = path, metadata, policy

    @property
    def is_masked(self) -> bool:
        """Whether it masks illegal actions."""
        return self.metadata["algorithm"] != SB3_UNMASKED

    @property
    def has_memory(self) -> bool:
        """Whether it depends on earlier decisions, not only on the current observation."""
        return self.metadata["network"].get("memory", "none") != "none"

    def memory_size(self, moves: ListedMoves) -> int:
        """Return the size of its memory between decisions."""
        return self._load(moves).memory_size if self.has_memory else 0

    def decide(
        self,
        features: np.ndarray,
        masks: np.ndarray,
        kept: np.ndarray | Sequence[np.ndarray | None],
        moves: ListedMoves,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return action probabilities and the memory after the decision.

        Args:
            features: Observations, float32 of shape (rows, features).
            masks: The legal actions, bool of shape (rows, actions).
            kept: Memory after the last decision of each row; None: first decision.

        Returns:
            float64 of shape (rows, actions), and float32 of shape (rows, memory size).
        """
        import torch

        policy, rows = self._load(moves), torch.as_tensor(features)
        with torch.no_grad():
            if self.metadata["algorithm"] == COMPILED:
                if not isinstance(kept, np.ndarray):
                    blank = np.zeros(policy.memory_size, np.float32)
                    kept = np.stack([blank if one is None else one for one in kept])
                inputs, after = policy.recall(rows, torch.from_numpy(kept))
                return policy.act(inputs, torch.from_numpy(masks)).exp().double().numpy(), after.numpy()
            given = policy.get_distribution(rows, masks) if self.is_masked else policy.get_distribution(rows)
        return given.distribution.probs.double().numpy(), np.zeros((len(features), 0), np.float32)

    def _load(self, moves: ListedMoves) -> Any:
        """Build the network and load its weights; nothing in a policy file is executed."""
        if self.policy is not None:
            return self.policy
        policy = self._make_network(moves)
        try:
            policy.load_state_dict(tensors_of(self.path, WEIGHTS))
        except (RuntimeError, TypeError, AttributeError) as error:
            message = " ".join(str(error).split())
            raise ValueError(f"{self.path}: the weights do not match the metadata: {message}"[:300]) from None
        self.policy = policy.eval()
        return policy

    def _make_network(self, moves: ListedMoves) -> Any:
        """Build the network of the metadata."""
        if self.metadata["algorithm"] == COMPILED:
            with explain_missing_library("a ppo: player", "rl"):
                from econzoo.baselines.policy_network import network_of
            return network_of(self.metadata, moves)
        from gymnasium.spaces import Box, Discrete

        box = Box(-1.0, 1.0, (len(self.metadata["features"]),), np.float32)
        # `float` stands in for the schedule of the learning rate, which only training uses.
        return _policy_class(self.is_masked)(box, Discrete(moves.size), float, net_arch=list(self.metadata["net"]))


def _policy_class(is_masked: bool) -> Any:
    with explain_missing_library("a ppo: player", "rl"):
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
        from stable_baselines3.common.policies import ActorCriticPolicy
    return MaskableActorCriticPolicy if is_masked else ActorCriticPolicy


class BatchPolicy:
    """A trained policy in a batch of compiled games (see `econzoo.envs.core.vector.opponents.Policy`)."""

    seats: tuple[int, ...] | None = None

    def __init__(self, network: Network, moves: ListedMoves, deterministic: bool) -> None:
        self.network, self.moves, self.deterministic = network, moves, deterministic
        self.grid, self.grid_range = network.metadata["grid"], network.metadata["grid_range"]
        self.memory_size = network.memory_size(moves)

    def decide(
        self, seen: np.ndarray, legal: np.ndarray, kept: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `econzoo.envs.core.vector.opponents.Policy.decide`."""
        chances, kept = self.network.decide(seen, legal.astype(bool), kept, self.moves)
        if self.deterministic:
            return chances.argmax(axis=1), kept
        # Draws scale with the last edge, as sums of floats may miss 1; <= never selects an action of probability 0.
        edges = np.cumsum(chances, axis=1)
        draws = rng.random(len(edges)) * edges[:, -1]
        return (edges <= draws[:, None]).sum(axis=1), kept


class PolicyPlayer(TorchPlayer):
    """A trained policy as a player."""

    def __init__(self, spec: str, network: Network, deterministic: bool = True) -> None:
        held: Any = network  # decides by itself, and is no function: see `action_probabilities`
        trained = network.metadata
        super().__init__(spec, held, trained["grid"], trained["grid_range"], deterministic)
        self.only_game = trained["game"]
        if trained["algorithm"] != COMPILED:
            self.libraries = (*self.libraries, "stable-baselines3", "sb3-contrib")

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self._check_trained_for(info.game, info.seats, len(info.features))
        super().reset(seat, info, seed)
        # Memory of the network after the last decision of this match.
        self.kept: np.ndarray | None = None

    def batch_policy(self, batch: GameBatch) -> BatchPolicy:
        """Return the policy for a batch of compiled games."""
        self._check_trained_for(batch.game, batch.seats, batch.features)
        moves = numeric_moves(batch.actions, self.grid, batch.seats, no_op=False)
        assert isinstance(moves, ListedMoves)  # policies that are trained here choose from a list
        return BatchPolicy(self.network, moves, self.deterministic)

    def _check_trained_for(self, game: Game, seats: int, features: int) -> None:
        trained = self.network.metadata
        _check_same(self.spec, "the game", trained["game"], game.name)
        versions = trained["versions"]
        _check_same(self.spec, f"version of {game.name}", versions["rules"], game.version)
        face = f"the numeric face of {game.name} of version"
        _check_same(self.spec, face, versions["numeric"], game.numeric_version)
        _check_same(self.spec, "a number of seats of", trained["seats"], seats)
        _check_same(self.spec, "a number of features of", len(trained["features"]), features)

    def action_probabilities(
        self, features: np.ndarray, masks: np.ndarray, seated: Sequence[Any], moves: ListedMoves
    ) -> np.ndarray:
        """See `TorchPlayer.action_probabilities`; every player stores its memory."""
        chances, kept = self.network.decide(features, masks, [player.kept for player in seated], moves)
        for player, own in zip(seated, kept, strict=True):
            player.kept = own
        return chances


def _check_same(spec: str, what: str, trained: Any, here: Any) -> None:
    if trained != here:
        raise ValueError(f"player {spec!r} was trained with {what} {short_repr(trained)}, not {short_repr(here)}")


def ppo_player(spec: str, file: str, options: dict[str, str]) -> PolicyPlayer:
    """Create the player of ``ppo:FILE`` with ``?deterministic=0`` or ``1`` (default)."""
    unknown = set(options) - {"deterministic"}
    if unknown or options.get("deterministic", "1") not in ("0", "1"):
        raise ValueError(f"player {spec!r}: invalid options {options}: expected deterministic=0 or 1")
    metadata = read_metadata(file)
    find_game(metadata["game"])
    return PolicyPlayer(spec, Network(policy_path(file), metadata), options.get("deterministic", "1") == "1")
