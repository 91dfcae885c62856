"""EconZoo games as TextArena environments (``textarena``); `textarena_game` is the reverse adapter."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any

from econzoo.envs.core import all_games, explain_missing_library, pettingzoo_id
from econzoo.envs.core.contract import Objective, check_arguments
from econzoo.envs.core.faces import spectate
from econzoo.evaluate.adapters.open_table import AGENT, OpenTable, seats_of

with explain_missing_library("the adapter to TextArena", extra="textarena"):
    import textarena

__all__ = ["TextArenaEnv", "register_games"]

BRACKETED_REPLY = re.compile(r"\[[^\[\]]*\]")
"""Form of a reply after ActionFormattingWrapper has added brackets."""


class TextArenaEnv(textarena.Env):  # type: ignore[misc]
    """A game with TextArena's interface.

    An agent reads the rules of its seat, then at each turn the new events and its own replies. Invalid replies are
    retried and finally forfeit the match, as in `econzoo.play`; TextArena's error allowance is not used. Rewards are
    the objective's values, less than any for a forfeit (`econzoo.envs.core.contract.objectives`), and 0 for all if
    ``max_cycles`` truncates the match. The infos of `close` also have ``payoff`` in the game's unit, ``errors`` and
    ``forfeit``; ``reason`` is the record's status.

    Args:
        game: Name of the game.
        seats: ``"agent"`` (TextArena's) or a player spec per seat; None: agents in all seats.
        objective: See `econzoo.envs.core.contract.objectives`.
        **params: Game parameters and environment options, as for `econzoo.play`.

    Attributes:
        record: Record of the match; complete at its end.

    Raises:
        ValueError: An invalid name or value.
    """

    def __init__(
        self, game: str, seats: Sequence[str] | None = None, objective: str = "self_gain", **params: Any
    ) -> None:
        self._seats, self._objective = seats_of(game, seats, **params), Objective(objective)
        self._open_table = partial(OpenTable, game, self._seats, names="textarena", **params)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Start a match with a seed >= 0 (None: random).

        Raises:
            ValueError: Wrong number of agents, or invalid seed.
        """
        if num_players != (agents := self._seats.count(AGENT)):
            raise ValueError(f"invalid num_players={num_players!r}: expected {agents}")
        self._table = table = self._open_table(seed=secrets.randbits(32) if seed is None else seed)
        self.record = table.record
        self.state = textarena.FFAMultiPlayerState(num_players)  # with a seed it would seed the global generator
        self.state.reset(
            game_state={},
            player_prompt_function=lambda player_id, game_state: table.record.rules[table.agents[player_id]],
            role_mapping={player: table.env.roles[seat] for player, seat in enumerate(table.agents)},
        )
        self._tell_agent()

    def _tell_agent(self) -> None:
        """Send new events to the agent to act, or the outcome to all agents."""
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
            result = table.result(seat)
            state.game_info[player].update(result, invalid_move=result["forfeit"])

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the reply of the agent to act; return whether the match is over, and TextArena's info."""
        state, table = self.state, self._table
        if state.done:  # players may end the match before an agent moves
            return True, {}
        player, moves = state.current_player_id, table.env.moves
        state.add_observation(action, textarena.ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        table.play_reply(action[1:-1] if BRACKETED_REPLY.fullmatch(action) else action)
        state.made_invalid_move = table.env.moves == moves
        _, info = state.step(rotate_player=False)  # before the seat changes, since it counts the mover's turn
        self._tell_agent()
        return state.done, info

    def get_board_str(self) -> str:
        """Spectator's text, for TextArena's renderers."""
        env = self._table.env
        return spectate(env.game, env.events, None, env.roles)


@check_arguments
def register_games() -> list[str]:
    """Register all games with TextArena; return their ids, which are PettingZoo's: ``econzoo/bargaining-v0``.

    With such an id, an agent reads the whole match in one text (``LLMObservationWrapper``); with suffix ``-raw``, the
    messages since its last turn.
    """
    registry = textarena.envs.registration
    ids = {game.name: pettingzoo_id(game.name, game.version) for game in all_games()}
    for name, env_id in ids.items():
        if env_id not in registry.ENV_REGISTRY:
            wrappers = {key: [textarena.wrappers.LLMObservationWrapper] for key in ("default", "-train")}
            registry.register_with_versions(id=env_id, entry_point=TextArenaEnv, wrappers=wrappers, game=name)
    return list(ids.values())
