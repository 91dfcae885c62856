"""A match in progress: environment, players and the record being written."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import BudgetSpentError, ModelError, PausedMatch, Player, PlayerLeft, RefusedError, Usage
from econzoo.envs.core import MissingLibraryError, format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import clean, to_plain
from econzoo.envs.core.env import GameEnv, Options, options_for_record, split_settings
from econzoo.envs.core.faces import TextFace
from econzoo.envs.core.record import Record, clear_result, match_ids, record_answer, record_result, start_record
from econzoo.wrappers import MatchLoop

__all__ = ["EnvPool", "Match", "new_match"]

NO_USAGE = Usage()
FAULTS = (Exception, SystemExit)
"""Errors that end a match, not the run: a player's code may call `sys.exit`."""

MAX_REASON_LENGTH = 400
"""Maximum characters of an error in the reason of a failure."""


class Match(NamedTuple):
    """A match to play: a pure function of its fields.

    Attributes:
        game: Name of the game.
        params: All public parameters, validated.
        options: Environment options that were set.
        players: Player spec per seat.
        seed: Seed of chance and of every player.
    """

    game: str
    params: dict[str, Any]
    options: dict[str, Any]
    players: tuple[str, ...]
    seed: int

    @property
    def id(self) -> str:
        """See `econzoo.envs.core.record.match_id`."""
        return self.ids()(self.seed)

    def ids(self) -> Callable[[int], str]:
        """Return a function from seed to id, for matches that differ only in the seed."""
        return match_ids(self.game, find_game(self.game).version, self.params, self.options, self.players)


def new_match(game_name: str, players: Sequence[str], seed: int, /, **params: Any) -> Match:
    """Return a match with validated parameters and options.

    Raises:
        ValueError: Game or parameter is unknown, a value is invalid, or the number of players is wrong.
    """
    game = find_game(game_name)
    check_seed(seed)
    options, params = split_settings(params)
    options = to_plain(options_for_record(game, options))
    if options:
        # Only a check: a match holds plain options, from which every environment makes its own.
        Options(game, **options)
    public, inner = game.params(**params)
    if isinstance(players, str) or len(players) != game.seats(inner):
        raise ValueError(f"{game_name} has {format_count(game.seats(inner), 'seat')}; got the players {players!r}")
    return Match(game_name, public, options, tuple(players), seed)


def check_seed(seed: int) -> None:
    """Raise `ValueError` for an invalid seed."""
    # The range of the integers of exported tables. True would be 1 otherwise.
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ValueError(f"invalid seed={seed!r}: expected an integer from 0 to 2**63 - 1")


class EnvPool:
    """Environments for reuse, since building one takes longer than a match."""

    def __init__(self) -> None:
        self._free: dict[Any, list[GameEnv]] = {}

    def take(self, match: Match, faces: tuple[str, ...], script: Mapping[str, Any] | None = None) -> GameEnv:
        """Return a reset environment for the match with these faces; `script`: further options of its `reset`."""
        free = self._free.setdefault(self._key(match, faces), [])
        env = free.pop() if free else GameEnv(find_game(match.game), face=faces, **match.options, **match.params)
        changed_params = {"params": match.params} if env.public_params != match.params else {}
        env.reset(seed=match.seed, options={**changed_params, **(script or {})})
        return env

    def give_back(self, match: Match, faces: tuple[str, ...], env: GameEnv) -> None:
        """Return an environment to the pool."""
        self._free[self._key(match, faces)].append(env)

    @staticmethod
    def _key(match: Match, faces: tuple[str, ...]) -> Any:
        # Parameters are not part of the key, since `reset` changes them; options and faces are fixed.
        return match.game, faces, repr(match.options)


class MatchTable(MatchLoop):
    """A match being played and recorded; its players are in no other match.

    Args:
        script: Chance moves (``chance``) and a referee's ``rulings``, if given in advance.
        on_error: Status of the match after an error of a player or the game, ``"failed"`` or ``"paused"``; empty: the
            error is raised.
    """

    player: Player

    def __init__(
        self,
        match: Match,
        players: Sequence[Player],
        pool: EnvPool,
        script: Mapping[str, Any] | None = None,
        on_error: str = "",
    ) -> None:
        for seat, player in enumerate(players):
            if not player.can_take_seat(seat):
                allowed = ", ".join(map(str, player.seats or ()))
                raise ValueError(f"{match.game}: player {player.spec!r} cannot take seat {seat}: expected {allowed}")
        self.match, self._pool, self.on_error = match, pool, on_error
        self.faces = tuple(player.face for player in players)
        self._started = time.perf_counter()
        libraries = {name for player in players for name in player.libraries}
        given = match.params, list(match.players), list(self.faces), match.seed, match.options
        self.record = start_record(find_game(match.game), *given, libraries)
        try:
            self._start(players, script)
        except FAULTS as error:
            self.end_with_error(error)
            self.record.status = "failed"  # a match that did not start cannot be paused

    def _start(self, players: Sequence[Player], script: Mapping[str, Any] | None) -> None:
        """Seat the players at the environment."""
        env = self._pool.take(self.match, self.faces, script)
        self._reads = [isinstance(env.face(agent), TextFace) for agent in env.possible_agents]
        for player in players:
            player.match = self.record.id
        super().__init__(env, players, self.match.seed)
        self.record.rules = [info.rules or None for info in self.seat_infos if info]
        personas = [player.persona for player in players]
        self.record.personas = personas if any(personas) else None
        drawn = [getattr(player, "sampled_spec", None) for player in players]
        self.record.sampled_players = drawn if any(drawn) else None

    @property
    def is_over(self) -> bool:
        """Whether the match has ended or stopped."""
        return self.record.status in ("abandoned", "paused", "failed") or self.env.over

    def ask(self) -> None:
        """Ask the player to act, and play its answer."""
        started = time.perf_counter()
        try:
            reply = self.player.act(self.observation, self.info)
        except PlayerLeft:  # payoffs are those of the position
            self.record.status, self.record.forfeit = "abandoned", self.seat
        except PausedMatch:  # resumed by `econzoo.evaluate.run.resuming`
            self.record.status = "paused"
        except FAULTS as error:
            self.end_with_error(error, self.player.spec)
        else:
            self.answer(reply, time.perf_counter() - started)

    def end_with_error(self, error: Exception | SystemExit, who: str = "") -> None:
        """End the match, or raise the error if `on_error` is empty.

        Args:
            who: Spec of the player; empty: the game, or unknown.
        """
        # These three concern every match to come: a library is missing, the budget is spent, or the server refuses an
        # option. The run stops, instead of recording each match as failed.
        if not self.on_error or isinstance(error, MissingLibraryError | BudgetSpentError | RefusedError):
            raise error
        self.record.status, self.record.reason = (
            self.on_error,
            f"{who}: {format_error(error)}" if who else format_error(error),
        )

    def answer(self, reply: Any, seconds: float = 0.0) -> None:
        """Play and record the answer of the seat to act (its time if its usage has none); an error ends the match."""
        try:
            if isinstance(reply, FAULTS):
                raise reply
            self._play(reply, seconds)
        except FAULTS as error:
            self.end_with_error(error, self.player.spec if error is reply else "")

    def _play(self, reply: Any, seconds: float) -> None:
        prompt = self.observation["text"] if self._reads[self.seat] else None
        usage = self.player.usage or NO_USAGE
        costs = {name: list(one) if isinstance(one, tuple) else one for name, one in usage._asdict().items()}
        costs["seconds"] = round(seconds if usage.seconds is None else usage.seconds, 6)
        record_answer(self.record, self.env, reply, prompt, self.env.step, **costs)
        self.look()

    def play(self) -> Record:
        """Ask players in turn until the match is over, and close it."""
        while not self.is_over:
            self.ask()
        return self.close()

    def close(self) -> Record:
        """Write the result, notify the players and free the environment."""
        record = self.record
        try:
            if record.status != "failed":
                record_result(record, self.env)
                record.seconds = round(time.perf_counter() - self._started, 6)
                # Players of a paused match are not told of an end.
                if record.status != "paused":
                    self.finish()
                # After a failure the environment is dropped, as its state is unknown.
                self._pool.give_back(self.match, self.faces, self.env)
        except FAULTS as error:
            self.end_with_error(error)
            record.status = "failed"  # also where errors pause a match: nothing is left to play
        if record.status == "failed":
            clear_result(record)
            record.seconds = round(time.perf_counter() - self._started, 6)
        return record


def format_error(error: Exception | SystemExit) -> str:
    """Return an error as one line; unexpected errors with type and place."""
    text = " ".join(clean(str(error)).split())[:MAX_REASON_LENGTH]
    if isinstance(error, ModelError | ValueError | OSError):
        return text
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in place)
    return f"{type(error).__name__}: {text}{where}"
