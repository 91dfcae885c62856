"""Games of TextArena (``textarena``) as PettingZoo environments, for players of ours and anybody else.

TextArena draws from the generators of the process. Here every match has `Generators` of its own in their place.
"""

from __future__ import annotations

import secrets
from typing import Any

from gymnasium import spaces

from econzoo.envs.core.contract.parameters import check_seed
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.envs.core.env.agents import AgentDict, AgentSpaces
from econzoo.envs.core.env.pettingzoo_env import AECEnv
from econzoo.envs.core.extras import explain_missing_library
from econzoo.envs.core.faces.spaces import UnicodeText
from econzoo.evaluate.adapters.generators import Generators

with explain_missing_library("the adapter to TextArena", extra="textarena"):
    import textarena

__all__ = ["TextArenaGame"]


class TextArenaGame(AgentSpaces, AECEnv):
    """A game of TextArena; observations are ``{"text": ...}``, as TextArena words them, actions are replies.

    With an id that ends in ``-raw`` an agent reads what is new since its last turn, else what the wrappers of the id
    make of it: most often the whole match. Rewards come at the end, with TextArena's infos; one that is no number is 0.
    What follows a reply that is no move is up to the game.

    Args:
        env_id: TextArena's.
        players: How many sit in the game.
        **kwargs: Of the game, as for ``textarena.make``.

    Raises:
        ValueError: TextArena has no such game.
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
        """Starts a match from the seed (>= 0) of all that TextArena draws; None: any."""
        drawn = check_seed(seed)
        drawn = secrets.randbits(32) if drawn is None else drawn
        self._generators = Generators(drawn)
        with self._generators():
            self._game = textarena.make(self.env_id, **self.kwargs)
            self._game.reset(num_players=len(self.possible_agents), seed=drawn)
        self.agents = list(self.possible_agents)
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._seen = dict.fromkeys(self.agents, "")
        self._look()

    def _look(self) -> None:
        """Takes what the agent to act sees: TextArena tells it once."""
        with self._generators():
            seat, told = self._game.get_observation()
        self.agent_selection = agent = self.possible_agents[seat]
        names = self._game.state.role_mapping
        lines = [told] if isinstance(told, str) else [f"[{names.get(one, one)}] {said}" for one, said, *_ in told]
        self._seen[agent] = "\n".join(lines)

    def observe(self, agent: str) -> dict[str, str]:
        """What an agent saw when it was last to act."""
        return {"text": self._seen[agent]}

    def step(self, action: str | None) -> None:
        """Plays the reply of the agent to act; None where the match is over."""
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
        """Nothing to release."""
