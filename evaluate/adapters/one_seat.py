"""A seat of a game for a client elsewhere: text in and out, the other seats played here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.baselines.factory import player as make_player
from econzoo.envs.core.record.values import to_plain
from econzoo.wrappers.single_agent import SingleAgentEnv

__all__ = ["OneSeat", "SeatObservation"]


class SeatObservation(NamedTuple):
    """What the client is told.

    Attributes:
        text: All that its seat may know now: rules, what happened, what is asked, and why its last answer was unusable.
        reward: 0 until the match ends; then the objective's value for its seat.
        is_over: Whether the match has ended.
        info: Plain values beside, as `SingleAgentEnv` has them in its infos; at the end for the experimenter.
    """

    text: str
    reward: float
    is_over: bool
    info: dict[str, Any]


class OneSeat:
    """Matches of one client, one after the other.

    Args:
        game: Name.
        opponents: A player's spec for the other seats, or several, of which one is drawn for each seat and match.
        seat: Of the client, unless a match says otherwise.
        params: Parameters of the game and options of the environment.

    Raises:
        ValueError: A name or a value is not allowed, or the opponents cannot take the other seats.
    """

    def __init__(self, game: str, opponents: Sequence[str], seat: int, params: Mapping[str, Any]) -> None:
        self._game, self._seat, self._params = game, seat, dict(params)
        self._opponents = [make_player(spec, game) for spec in opponents]
        self._envs: dict[int, SingleAgentEnv] = {}
        self._env = self._env_of_seat(seat)

    def fork(self) -> OneSeat:
        """Matches of another client at the same time; what is heavy about the opponents is shared."""
        other = object.__new__(OneSeat)
        other.__dict__.update(self.__dict__)
        other._envs = {}
        other._env = other._env_of_seat(self._seat)
        return other

    def _env_of_seat(self, seat: int) -> SingleAgentEnv:
        if seat not in self._envs:
            self._envs[seat] = SingleAgentEnv(self._game, self._opponents, seat=seat, face="text", **self._params)
        return self._envs[seat]

    def rules(self, seat: int) -> str:
        """The rules as a seat reads them."""
        shown = self.fork()
        shown.begin(0, seat)
        return shown._env.rules

    def begin(self, seed: int | None = None, seat: int | None = None) -> SeatObservation:
        """Begins a match.

        Args:
            seed: Of everything; None: another one than the last.
            seat: Of the client; None: the usual one.

        Raises:
            ValueError: The seed or the seat is not allowed.
        """
        self._env = self._env_of_seat(self._seat if seat is None else seat)
        seen, info = self._env.reset(seed=seed)
        return SeatObservation(seen["text"], 0.0, False, to_plain(info))

    def answer(self, text: str) -> SeatObservation:
        """Plays the client's answer, and all moves up to its next one.

        Raises:
            RuntimeError: No match has begun, or it is over.
        """
        seen, reward, terminated, truncated, info = self._env.step(text)
        return SeatObservation(seen["text"], float(reward), terminated or truncated, to_plain(info))
