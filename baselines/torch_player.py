"""Custom torch networks as players of any game.

The player converts structured observations and moves to the network's numbers and back, so that it plays in any match,
regardless of the grid it was trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from econzoo.baselines.base import Player
from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.faces import GRID, Grid, GridRange, InformationState, ListedMoves, NumericFace
from econzoo.envs.core.faces import parse_structured_observation
from econzoo.wrappers import SeatInfo

if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["TorchPlayer"]


class TorchPlayer(Player):
    """A custom torch network as a player.

    It is an object for `econzoo.play`, and for tournaments and the command line under a name, like all players
    (``docs/players.md``). Matches at the same time are asked together, in one forward pass without gradients;
    a network with dropout should be in evaluation mode.

    Args:
        spec: Names the player in records; two networks that play differently need different names.
        network: From observations to the logits of all actions: any function, such as a `torch.nn.Module`, of a float32
            tensor of shape (rows, features), each in [-1, 1], with a tensor of shape (rows, actions), as the numeric
            face has them. Illegal actions are masked here. One that needs the mask too: override `logits`.
        grid: Values of an amount that it was trained with, as in `econzoo.make`.
        grid_range: Part of the usual values that it was trained with, as in `econzoo.make`.
        deterministic: Whether it plays its likeliest action; else it draws with the seed of the match.
    """

    face: ClassVar[str] = "structured"
    libraries: tuple[str, ...] = ("numpy", "torch")

    def __init__(
        self,
        spec: str,
        network: Callable[[Tensor], Tensor],
        grid: Grid = GRID,
        grid_range: GridRange = None,
        deterministic: bool = True,
    ) -> None:
        super().__init__(spec)
        self.network: Any = network
        self.grid, self.grid_range, self.deterministic = grid, grid_range, deterministic
        self._seats = self._features = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts a match."""
        self._game, self._seats, self._features = info.game, info.seats, len(info.features)
        self._messages, self._symbols = info.messages, info.symbols
        self._rng = np.random.default_rng(seed)
        self._codec: NumericFace | None = None
        self.wants_seen = info.game.rules.refuses is not None

    def logits(self, numbers: Tensor, masks: Tensor) -> Tensor:
        """Return the logits of all actions.

        Args:
            numbers: Observations, float32 of shape (rows, features).
            masks: The legal actions, bool of shape (rows, actions).

        Returns:
            Float tensor of shape (rows, actions); values of illegal actions are ignored.
        """
        logits: Tensor = self.network(numbers)
        return logits

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Return a structured move.

        Raises:
            ValueError: The logits do not fit the actions, or are NaN.
        """
        return self.act_batch([self], [observation], [info])[0]

    @property
    def batch_key(self) -> Hashable:
        """Matches that share the network share batches."""
        # Grids as text, as they may be lists, which have no hash.
        return type(self), id(self.network), str((self.grid, self.grid_range)), self._seats, self._features

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """Run one forward pass for all matches of a network."""
        seated = [player for player in players if isinstance(player, TorchPlayer)]
        seen = [player.look(*inputs) for player, *inputs in zip(seated, observations, infos, strict=True)]
        coded = [player.codec(s).observe(s) for player, s in zip(seated, seen, strict=True)]
        features = np.stack([numbers["observation"] for numbers in coded])
        masks = np.stack([numbers["action_mask"] for numbers in coded]).astype(bool)
        moves: Any = seated[0].codec(seen[0]).moves
        chances = seated[0].action_probabilities(features, masks, seated, moves)
        if not np.isfinite(chances).all():
            raise ValueError(f"player {seated[0].spec!r}: no finite logit for a legal action, or NaN")
        return [player.choose(row, s) for player, row, s in zip(seated, chances, seen, strict=True)]

    def action_probabilities(
        self, features: np.ndarray, masks: np.ndarray, players: Sequence[TorchPlayer], moves: ListedMoves
    ) -> np.ndarray:
        """Return the probability of every action.

        Args:
            features: Observations, float32 of shape (rows, features).
            masks: The legal actions, bool of shape (rows, actions).
            players: Players of the rows.
            moves: Moves of the actions.

        Returns:
            float64 of shape (rows, actions).

        Raises:
            ValueError: Multi-part actions, or logits of another shape.
        """
        with explain_missing_library(f"player {self.spec!r}", "rl"):
            import torch
        if not isinstance(moves, ListedMoves):
            raise ValueError(f"player {self.spec!r}: grid={self.grid} has multi-part actions; expected a list")
        legal = torch.from_numpy(masks)
        with torch.no_grad():
            found = torch.as_tensor(self.logits(torch.from_numpy(features), legal))
            if found.shape != legal.shape:
                got = f"logits of shape {tuple(found.shape)} for {self._game.name} with grid={self.grid}"
                raise ValueError(f"player {self.spec!r}: {got}; expected {tuple(legal.shape)}, (rows, actions)")
            return found.masked_fill(~legal, -torch.inf).double().softmax(1).numpy()

    def look(self, observation: dict[str, Any], info: dict[str, Any]) -> InformationState:
        """Return the information state; only symbols need the history."""
        fields = observation if self._symbols else {**observation, "history": ()}
        seen = parse_structured_observation(self._game, fields, self._messages)
        return seen._replace(legal=seen.legal._replace(refusal=info["seen"].legal.refusal)) if "seen" in info else seen

    def codec(self, seen: InformationState) -> NumericFace:
        """Return the numeric face of the network, for groups as long as in this match."""
        if self._codec is None:
            actions = self._game.actions.fit_to_bounds(seen.legal.bounds).with_symbols(self._symbols)
            self._codec = NumericFace(
                self._game, self.grid, grid_range=self.grid_range, actions=actions, seats=self._seats
            )
        return self._codec

    def choose(self, chances: np.ndarray, seen: InformationState) -> dict[str, Any]:
        """Choose a move by the probabilities of all actions.

        An illegal choice, possible for policies without masks, becomes the game's default action, as in training.
        """
        number = int(chances.argmax()) if self.deterministic else self._draw(chances)
        action = self.codec(seen).decode(number, seen.legal)
        if isinstance(action, Invalid):
            action = self._game.default_action(seen.view)
        return self._game.actions.to_plain(action)

    def _draw(self, chances: np.ndarray) -> int:
        edges = np.cumsum(chances)
        return int(np.searchsorted(edges, self._rng.random() * edges[-1], side="right"))
