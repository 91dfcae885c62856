"""TextArena games (``textarena``) as PettingZoo environments.

TextArena uses the global random generators; here every match has its own `Generators`.
"""

from __future__ import annotations

import secrets
from typing import Any

from gymnasium import spaces

from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.contract import check_seed, short_repr, unknown_name
from econzoo.envs.core.env import PROBE, AECEnv, AgentDict, AgentSpaces
from econzoo.envs.core.faces import UnicodeText
from econzoo.evaluate.adapters.generators import Generators

with explain_missing_library("the adapter to TextArena", extra="textarena"):
    import textarena

__all__ = ["TextArenaGame"]


class TextArenaGame(AgentSpaces, AECEnv):
    """A TextArena game with observations ``{"text": ...}`` (TextArena's texts) and text actions.

    With an id in ``-raw``, an agent reads the events since its last turn, else the output of the id's wrappers (usually
    the whole match). Rewards come at the end, with TextArena's infos; non-numeric rewards become 0. The game handles
    invalid replies.

    Args:
        env_id: TextArena's id.
        players: Number of players.
        **kwargs: Options of the game, as for ``textarena.make``.

    Raises:
        ValueError: Unknown id.
    """

    def __init__(self, env_id: str, players: int = 2, **kwargs: Any) -> None:
        known = textarena.envs.registration.ENV_REGISTRY
        if env_id not in known:
            raise ValueError(unknown_name("game of TextArena", env_id, known))
        self.env_id, self.kwargs, self.render_mode = env_id, kwargs, None
        self.metadata = {"name": f"textarena_{env_id}", "render_modes": [], "is_parallelizable": False}
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.action_spaces = AgentDict({agent: UnicodeText() for agent in self.possible_agents})
        self.observation_spaces = AgentDict({a: spaces.Dict({"text": UnicodeText()}) for a in self.possible_agents})

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Start a match with a seed >= 0 (None: random); there are no options."""
        checked = check_seed(seed)
        if options and options != PROBE:
            raise ValueError(f"{self.env_id}: invalid options={short_repr(options)}: expected none")
        number = secrets.randbits(32) if checked is None else checked
        self._generators = Generators(number)
        with self._generators():
            self._game = textarena.make(self.env_id, **self.kwargs)
            self._game.reset(num_players=len(self.possible_agents), seed=number)
        self.agents = list(self.possible_agents)
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._seen = dict.fromkeys(self.agents, "")
        self._look()

    def _look(self) -> None:
        """Store the observation of the agent to act, which TextArena returns only once."""
        with self._generators():
            seat, seen = self._game.get_observation()
        self.agent_selection = agent = self.possible_agents[seat]
        names = self._game.state.role_mapping
        lines = [seen] if isinstance(seen, str) else [f"[{names.get(who, who)}] {text}" for who, text, *_ in seen]
        self._seen[agent] = "\n".join(lines)

    def observe(self, agent: str) -> dict[str, str]:
        """Observation of an agent at its last turn."""
        return {"text": self._seen[agent]}

    def step(self, action: str | None) -> None:
        """Play the reply of the agent to act (None after the end)."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        with self._generators():
            over, _ = self._game.step(action)
        if over:
            self._end(*self._game.close())
        else:
            self._look()
        self._accumulate_rewards()

    def _end(self, rewards: dict[int, Any] | None, infos: dict[int, dict[str, Any]]) -> None:
        for seat, agent in enumerate(self.possible_agents):
            paid = (rewards or {}).get(seat, 0)
            self.rewards[agent] = float(paid) if isinstance(paid, int | float) else 0.0
            self.infos[agent], self.terminations[agent] = dict(infos.get(seat, {})), True
        self.agent_selection = self.agents[0]

    def close(self) -> None:
        """Do nothing; there are no resources."""
