"""Match loop that seats players at an environment, shared by training and evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract import derive_seed
from econzoo.envs.core.faces import Teller

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Game
    from econzoo.envs.core.env import GameEnv


@dataclass(frozen=True)
class SeatInfo:
    """Information for a player before its first move, without hidden information.

    Attributes:
        game: The game.
        seats: Number of seats.
        view: Initial ``View`` of the seat.
        messages: 0: no messages; 1: free text; k >= 2: one of k symbols.
        rules: Rules brief of the seat; empty on faces without text.
        role: Name of the seat in texts; empty: that under default parameters.
        teller: Formats the game as text for the seat; None on faces without text.
        features: Descriptions of the numeric features.
        unit: Unit of amounts in texts, such as ``"points"``; empty: that of the game.
        symbols: Number of symbols in the match; 0: none.
    """

    game: Game
    seats: int
    view: Any
    messages: int
    rules: str = ""
    role: str = ""
    teller: Teller | None = None
    features: tuple[str, ...] = ()
    unit: str = ""
    symbols: int = 0


def seat_info(env: GameEnv, seat: int) -> SeatInfo:
    """Return the information for the player of a seat, after `env.reset`."""
    view, face = env.view(seat), env.face(env.possible_agents[seat])
    teller = getattr(face, "teller", None)  # text faces have one
    brief = teller.rules(view) if teller else ""
    symbols = env.actions.symbols
    features = env.game.feature_names(env.params, symbols)
    seats, role = len(env.possible_agents), env.roles[seat]
    texts = brief, role, teller, features, env.options.unit, symbols
    return SeatInfo(env.game, seats, view, env.message_mode(seat), *texts)


class Listener:
    """Optional notifications of players."""

    def on_elimination(self, observation: Any, info: dict[str, Any], /) -> None:
        """Called once when its own game has ended and others play on; ``info["recalled"]``: already before a pause."""

    def finish(self, observation: Any, info: dict[str, Any], /) -> None:
        """Called once when the match has ended."""


class MatchLoop:
    """A match, played one answer at a time.

    The caller repeatedly plays the answer of the acting `seat` and calls `look`, and finally `finish`. The randomness
    of players derives from the seed of the match.

    Args:
        players: `Opponent` of each seat, not in use elsewhere; None: answers come from the caller. For ``blind``
            players no observations are computed.
    """

    player: Any

    def __init__(self, env: GameEnv, players: Sequence[Any], seed: int) -> None:
        self.env, self.players, self.seed = env, players, seed
        self._seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
        self.is_recalling, self._notified_seats = False, set[int]()
        self.seat_infos = [self._sit_down(seat) for seat in self._seats.values()]
        self.look()

    def _sit_down(self, seat: int, newcomer: bool = False) -> SeatInfo | None:
        """Reset the player of a seat; a newcomer is the same player without memory."""
        player = self.players[seat]
        if player is None:
            return None
        # Each player of a seat has a seed of its own, by the round in which it joined.
        info, joined = seat_info(self.env, seat), [self.env.game_state.round] if newcomer else []
        player.reset(seat, info, derive_seed(self.env.setting, self.seed, "player", seat, *joined))
        return info

    def look(self) -> None:
        """Notify departed players and compute the observation of the next mover, unless the match is over."""
        env = self.env
        if env.over:
            return
        if len(env.departed_seats) > len(self._notified_seats):
            for seat in sorted(env.departed_seats - self._notified_seats):
                self._notified_seats.add(seat)
                self._notify_elimination(env.possible_agents[seat])
        # PettingZoo removes an agent at its step with None.
        while env.terminations[agent := env.agent_selection] or env.truncations[agent]:
            env.step(None)
        self.seat = seat = self._seats[agent]
        self.player, self.info = self.players[seat], env.infos[agent]
        self.observation: Any = None if getattr(self.player, "blind", False) else env.observe(agent)
        if "newcomer" in self.info:
            self._sit_down(seat, newcomer=True)
        if getattr(self.player, "wants_schema", False):
            self.info = {**self.info, "json_schema": env.json_schema(agent)}
        if getattr(self.player, "wants_seen", False):
            self.info = {**self.info, "seen": env.information_state(agent)}

    def _notify_elimination(self, agent: str) -> None:
        player = self.players[self._seats[agent]]
        if _listens(player, "on_elimination"):
            player.on_elimination(self.env.observe(agent), {**self.env.infos[agent], "recalled": self.is_recalling})

    def finish(self) -> None:
        """Notify the players that the match is over."""
        env = self.env
        for agent, player in zip(env.possible_agents, self.players, strict=True):
            if _listens(player, "finish"):
                seat = self._seats[agent]
                final = {} if seat in env.departed_seats else env.infos[agent]  # departed players are already notified
                paid = {} if "position_payoff" in final else {"payoff": env.payoffs[seat]}
                player.finish(env.observe(agent), {**paid, **final})


def _listens(player: Any, call: str) -> bool:
    """Whether a player overrides a notification; otherwise its observation need not be computed."""
    return getattr(type(player), call, None) not in (None, getattr(Listener, call))
