"""Players in their seats at an environment: what each of them is told, and when, in training and evaluation alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.streams import derive_seed
from econzoo.envs.core.faces.text_face import Teller

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game
    from econzoo.envs.core.env.aec import GameEnv


@dataclass(frozen=True)
class SeatInfo:
    """What a player is told before the first move: nothing that its seat may not know.

    Attributes:
        game: The game.
        seats: Number of seats.
        view: The rules' ``View`` of this seat at the start.
        messages: Whether words may be sent; from 2 on, one of so many symbols.
        rules: The rules brief of this seat as text; empty for players that do not read.
        role: Name of the seat in texts; empty: as the game names it with default parameters.
        teller: Puts the game into words for this seat; None for players that do not read.
        features: What the numbers of the numeric face say, one by one.
        unit: What the texts of the match count amounts in, such as ``"points"``; empty: as the game ships them.
        symbols: How many there are in the place of words, whoever may send them; 0: none.
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
    """What the player of a seat is told, after `env.reset`."""
    view, face = env.view(seat), env.face(env.possible_agents[seat])
    teller = getattr(face, "teller", None)  # text faces have one
    brief = teller.rules(view) if teller else ""
    symbols = env.actions.symbols
    features = env.game.feature_names(env.params, symbols)
    seats, role = len(env.possible_agents), env.roles[seat]
    told = brief, role, teller, features, env.options.unit, symbols
    return SeatInfo(env.game, seats, view, env.message_mode(seat), *told)


class Listener:
    """What everybody in a seat is told without being asked; nobody needs to do anything about it."""

    def on_elimination(self, observation: Any, info: dict[str, Any], /) -> None:
        """Told once when its own game has ended and others play on; ``info["recalled"]``: before a pause already."""

    def finish(self, observation: Any, info: dict[str, Any], /) -> None:
        """Told once when the match has ended."""


class MatchLoop:
    """A match at an environment, one answer at a time.

    Whoever drives it plays the answer of the `seat` to act and calls `look`, again and again, and then `finish`. All
    that players draw follows from the seed of the match.

    Args:
        env: At the start of the match.
        players: An `Opponent` for each seat, not in use elsewhere; None: its answers come from outside. One that is
            ``blind`` sees nothing: what it would see is not made.
        seed: Of the match.

    Attributes:
        seat_infos: What each player was told when it first sat down.
        seat: The seat to act.
        player: Who sits there.
        observation: What it sees.
        info: What goes with it.
        is_recalling: Whether all this happened before a pause already.
    """

    player: Any

    def __init__(self, env: GameEnv, players: Sequence[Any], seed: int) -> None:
        self.env, self.players, self.seed = env, players, seed
        self._seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
        self.is_recalling, self._notified_seats = False, set[int]()
        self.seat_infos = [self._sit_down(seat) for seat in self._seats.values()]
        self.look()

    def _sit_down(self, seat: int, newcomer: bool = False) -> SeatInfo | None:
        """Starts the match for the player of a seat; a newcomer is the same player, who remembers nothing."""
        player = self.players[seat]
        if player is None:
            return None
        info, since = seat_info(self.env, seat), [self.env.game_state.round] if newcomer else []
        player.reset(seat, info, derive_seed(self.env.setting, self.seed, "player", seat, *since))
        return info

    def look(self) -> None:
        """Tells who has left so, and takes what the next one to act sees, unless the match is over."""
        env = self.env
        if env.over:
            return
        if len(env.departed_seats) > len(self._notified_seats):
            for seat in sorted(env.departed_seats - self._notified_seats):
                self._notified_seats.add(seat)
                self._notify_elimination(env.possible_agents[seat])
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
        """Tells the players that the match is over."""
        env = self.env
        for agent, player in zip(env.possible_agents, self.players, strict=True):
            if _listens(player, "finish"):
                seat = self._seats[agent]
                told = {} if seat in env.departed_seats else env.infos[agent]  # who has left was told the rest then
                paid = {} if "position_payoff" in told else {"payoff": env.payoffs[seat]}
                player.finish(env.observe(agent), {**paid, **told})


def _listens(player: Any, call: str) -> bool:
    """Whether a player has something of its own to do when it is told; what others would see need not be made."""
    return getattr(type(player), call, None) not in (None, getattr(Listener, call))
