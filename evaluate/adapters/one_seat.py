"""One seat of a game for a remote client, with text observations and replies; other seats are played locally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.baselines import player as make_player
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.env import check_reset_options
from econzoo.wrappers import SingleAgentEnv

__all__ = ["OneSeat", "SeatObservation"]


IDLE_SECONDS = 1_800.0
"""Seconds after which the session of a client without a request ends, as at the front door."""


class SeatObservation(NamedTuple):
    """Observation of the client.

    Attributes:
        text: The seat's information: rules, history, question, and the error of an invalid reply.
        reward: 0 until the match ends, then that of `SingleAgentEnv`: less than any value for a forfeit.
        is_over: Whether the match has ended.
        info: Plain infos of `SingleAgentEnv`; final ones are for the experimenter.
    """

    text: str
    reward: float
    is_over: bool
    info: dict[str, Any]


class OneSeat:
    """Successive matches of one client.

    Args:
        game: Name of the game.
        opponents: Specs of opponents, sampled per seat and match.
        seat: Default seat of the client.
        params: Game parameters and environment options.

    Raises:
        ValueError: An invalid name or value, or opponents that cannot take the other seats.
    """

    def __init__(self, game: str, opponents: Sequence[str], seat: int, params: Mapping[str, Any]) -> None:
        self._game, self._seat, self._params = game, seat, dict(params)
        self._opponents = [make_player(spec, game) for spec in opponents]
        self._envs: dict[int, SingleAgentEnv] = {}
        self._changed_params: dict[str, Any] = {}  # by the client, in all seats
        self._env = self._env_of_seat(seat)

    def fork(self) -> OneSeat:
        """Copy for a concurrent client, which shares the opponents' models."""
        # Not by the constructor, which would load the opponents again.
        other = object.__new__(OneSeat)
        other.__dict__.update(self.__dict__)
        other._envs, other._changed_params = {}, {}
        other._env = other._env_of_seat(self._seat)
        return other

    def _env_of_seat(self, seat: int) -> SingleAgentEnv:
        if seat not in self._envs:
            self._envs[seat] = SingleAgentEnv(self._game, self._opponents, seat=seat, face="text", **self._params)
        return self._envs[seat]

    def rules(self, seat: int) -> str:
        """Rules text of a seat."""
        shown = self.fork()
        shown.begin(0, seat)
        return shown._env.rules

    def begin(
        self, seed: int | None = None, seat: int | None = None, options: Mapping[str, Any] | None = None
    ) -> SeatObservation:
        """Begin a match.

        Args:
            seed: Random seed; None: a new one.
            seat: Seat of the client; None: the default.
            options: See `econzoo.envs.core.env.options.check_reset_options`.

        Raises:
            ValueError: Invalid seed, seat or option.
        """
        self._env = self._env_of_seat(self._seat if seat is None else seat)
        given = check_reset_options(self._env.game, options)
        params = {**self._changed_params, **(given.get("params") or {})}
        seen, info = self._env.reset(seed=seed, options={**given, "params": params})
        # Only after a reset that has accepted them.
        self._changed_params = params
        return SeatObservation(seen["text"], 0.0, False, to_plain(info))

    def answer(self, text: str) -> SeatObservation:
        """Play the client's reply and the opponents' moves up to its next turn.

        Raises:
            RuntimeError: No match is in progress.
        """
        seen, reward, terminated, truncated, info = self._env.step(text)
        return SeatObservation(seen["text"], float(reward), terminated or truncated, to_plain(info))
