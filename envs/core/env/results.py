"""How a game ends for an environment and its spectators: results, rewards, and what can be told of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.env.base import GameBase
from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.faces.picture import picture
from econzoo.envs.core.faces.transcript import spectate


class GameEnding(GameBase[P, S, V]):
    """The part of a `GameEnv` that settles results."""

    left: set[int]
    _paid: set[int]
    forfeited: int | None
    cut: bool
    infos: dict[str, dict[str, Any]]

    def outcome(self, definition: str | None = None) -> Outcome:
        """The metrics of the position (normally asked for at the end).

        Raises:
            ValueError: The game has no such definition.
        """
        if definition is not None:
            one_of("metrics", definition, self.game.metrics.DEFINITIONS)
        return self.game.metrics.outcome(self.params, self.game_state, definition or self.options.metrics)

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Payoffs of all seats in the game's own unit, as of now."""
        return tuple(map(float, self.game.rules.payoffs(self.params, self.game_state)))

    def reward_of(self, seat: int) -> float:
        """The objective's value of the position for a seat, less its penalties."""
        return self._reward(seat, self.outcome(), self.payoffs)

    def _reward(self, seat: int, outcome: Outcome, payoffs: tuple[float, ...]) -> float:
        return self.options.objective.reward(payoffs, outcome, seat) - self.options.penalty * self.errors[seat]

    def _settle(self, agent: str, outcome: Outcome, payoffs: tuple[float, ...]) -> None:
        """Pays a seat and ends its infos."""
        seat = self._index[agent]
        if seat not in self._paid:  # who has left has been paid
            self.rewards[agent] = reward = self._reward(seat, outcome, payoffs)
            self._cumulative_rewards[agent] += reward
        self._conclude(agent, "payoff", payoffs)

    def _conclude(self, agent: str, key: str, payoffs: tuple[float, ...]) -> None:
        seat = self._index[agent]
        ended: dict[str, Any] = {key: float(payoffs[seat]), "forfeit": self.forfeited == seat}
        ended["errors"], ended["defaults"] = self.errors[seat], self.defaults[seat]
        self.infos[agent] = {**self._info(seat, self._nothing_legal(seat)), **ended}

    def truncate(self) -> None:
        """Cuts the match now: no seat is paid for the position, as the game itself has not ended.

        A learner goes on from the value of the last observation (bootstraps). What the position would pay stands in the
        infos as ``position_payoff``. A seat that has left the game and was paid is terminated as well.
        """
        self.cut, payoffs = True, self.game.rules.payoffs(self.params, self.game_state)
        for agent in self.agents:
            self.truncations[agent] = True  # of all: RLlib knows no end of which it is true for some
            if self._index[agent] in self._paid:
                self.terminations[agent] = True
            else:
                self._conclude(agent, "position_payoff", payoffs)
        self.agent_selection = self.agents[0]

    def _finish(self) -> None:
        """Ends the match by its rules or a forfeit, and pays."""
        outcome, payoffs = self.outcome(), self.game.rules.payoffs(self.params, self.game_state)
        for agent in self.agents:
            if not self.terminations[agent]:
                self.terminations[agent] = True
                self._settle(agent, outcome, payoffs)
        self.agent_selection = self.agents[0]

    # -- for spectators ------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended, in whatever way."""
        terminated, truncated = self.terminations, self.truncations
        for agent in self.agents:  # noqa: SIM110 (asked after every move, and a generator costs ten times as much)
            if not (terminated[agent] or truncated[agent]):
                return False
        return True

    def render(self) -> str | np.ndarray | None:
        """What a spectator reads: printed if ``render_mode="human"``, returned if ``"ansi"``.

        ``"rgb_array"`` returns its last moves as a picture: uint8 of shape (540, 960, 3), all match long.

        Raises:
            ImportError: ``"rgb_array"``, and Pillow is not installed.
        """
        if self.render_mode is None:
            return None
        told = self.game, self.events, self.payoffs if self.over and not self.cut else None, self.roles
        if self.render_mode == "rgb_array":
            return picture(*told)
        if self.render_mode == "ansi":
            return spectate(*told)
        print(spectate(*told))
        return None

    def close(self) -> None:
        """Nothing to release."""
