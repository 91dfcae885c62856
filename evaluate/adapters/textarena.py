"""Any game here as an environment of TextArena (``textarena``), for its agents; `textarena_game` is the other way."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.extras import explain_missing_library
from econzoo.envs.core.faces.transcript import spectate
from econzoo.envs.core.registry import all_games, pettingzoo_id
from econzoo.evaluate.adapters.open_table import AGENT, OpenTable, seats_of

with explain_missing_library("the adapter to TextArena", extra="textarena"):
    import textarena

__all__ = ["TextArenaEnv", "register_games"]

BRACKETED_REPLY = re.compile(r"\[[^\[\]]*\]")
"""How ActionFormattingWrapper writes a reply that has no brackets."""


class TextArenaEnv(textarena.Env):  # type: ignore[misc]
    """A game under TextArena's interface.

    An agent reads the rules of its seat, then what is new at each of its turns, and its own replies. An unusable reply
    is asked for again, and forfeits in the end, as in `econzoo.play`: TextArena's own allowance of errors has no part
    in it. Rewards are the objective's values, 0 for all if ``max_cycles`` cuts the match. `close` tells of each player
    besides its ``payoff`` in the game's unit, ``errors`` and ``forfeit``; its ``reason`` is the record's status.

    Args:
        game: Name.
        seats: Each has ``"agent"``, for TextArena's, or the spec of a player; None: agents in all of them.
        objective: See `econzoo.envs.core.contract.objectives`.
        **params: Parameters of the game and options of the environment, as for `econzoo.play`.

    Attributes:
        record: Of the match; whole at its end, and replays.

    Raises:
        ValueError: A name or a value is unknown or not allowed.
    """

    def __init__(
        self, game: str, seats: Sequence[str] | None = None, objective: str = "self_gain", **params: Any
    ) -> None:
        self._seats, self._objective = seats_of(game, seats, **params), Objective(objective)
        self._open_table = partial(OpenTable, game, self._seats, names="textarena", **params)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Starts a match for so many agents, from the seed (>= 0) of nature and the players; None: any.

        Raises:
            ValueError: There are more or fewer agents, or the seed is not allowed.
        """
        if num_players != (agents := self._seats.count(AGENT)):
            raise ValueError(f"num_players={num_players!r} is not allowed; allowed: {agents}")
        self._table = table = self._open_table(seed=secrets.randbits(32) if seed is None else seed)
        self.record = table.record
        self.state = textarena.FFAMultiPlayerState(num_players)  # with a seed it would seed that of the process
        self.state.reset(
            game_state={},
            player_prompt_function=lambda player_id, game_state: table.record.rules[table.agents[player_id]],
            role_mapping={player: table.env.roles[seat] for player, seat in enumerate(table.agents)},
        )
        self._tell_agent()

    def _tell_agent(self) -> None:
        """Tells the agent to act what is new, or all how the match has ended."""
        table, state, kinds = self._table, self.state, textarena.ObservationType
        if not table.is_over:
            player = table.agents.index(table.seat)
            kind = kinds.GAME_ADMIN if "error" in table.info else kinds.GAME_BOARD
            state.manually_set_current_player_id(player)
            state.add_observation(table.observation["text"], kind, to_id=player)
            return
        rewards = {player: table.reward(seat, self._objective) for player, seat in enumerate(table.agents)}
        state.set_game_outcome(rewards, table.close().status)
        for player, seat in enumerate(table.agents):
            told = table.result(seat)
            state.game_info[player].update(told, invalid_move=told["forfeit"])

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Plays the reply of the agent to act; returns whether the match is over, and TextArena's info."""
        state, table = self.state, self._table
        if state.done:  # maybe the players ended the match before an agent could move
            return True, {}
        player, moves = state.current_player_id, table.env.moves
        state.add_observation(action, textarena.ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        table.play_reply(action[1:-1] if BRACKETED_REPLY.fullmatch(action) else action)
        state.made_invalid_move = table.env.moves == moves
        _, info = state.step(rotate_player=False)  # counts the turn of who has moved: before the seat changes
        self._tell_agent()
        return state.done, info

    def get_board_str(self) -> str:
        """What a spectator reads, for TextArena's renderers."""
        env = self._table.env
        return spectate(env.game, env.events, None, env.roles)


def register_games() -> list[str]:
    """Makes every game known to TextArena; returns the ids, which are PettingZoo's: ``econzoo/bargaining-v0``.

    Under such an id an agent reads the whole match in one text (``LLMObservationWrapper``), under the same id with
    ``-raw`` the messages since its last turn.
    """
    registry = textarena.envs.registration
    ids = {game.name: pettingzoo_id(game.name, game.version) for game in all_games()}
    for name, env_id in ids.items():
        if env_id not in registry.ENV_REGISTRY:
            wrappers = {key: [textarena.wrappers.LLMObservationWrapper] for key in ("default", "-train")}
            registry.register_with_versions(id=env_id, entry_point=TextArenaEnv, wrappers=wrappers, game=name)
    return list(ids.values())
