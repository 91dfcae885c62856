"""One match at the table: an environment, the players in their seats, and the record being written."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.models.chat import ModelError, RefusedError
from econzoo.baselines.models.spending import BudgetSpentError
from econzoo.baselines.player import PausedMatch, Player, PlayerLeft, Usage
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.env.options import Options, options_for_record, split_settings
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.faces.text_face import TextFace
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.bookkeeping import clear_result, record_answer, record_result, start_record
from econzoo.envs.core.record.record import Record, match_ids
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.wrappers.seating import MatchLoop

__all__ = ["EnvPool", "Match", "new_match"]

NO_USAGE = Usage()
FAULTS = (Exception, SystemExit)
"""What ends a match, not the run: the code of a player may call `sys.exit`."""

MAX_REASON_LENGTH = 400
"""Characters of an error that the reason of a failure quotes."""


class Match(NamedTuple):
    """A match to play: a pure function of its fields.

    Attributes:
        game: Name.
        params: All public parameters, validated.
        options: Those of the environment that were set.
        players: One spec for each seat.
        seed: Of nature and of every player.
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
        """Seed to id, for matches that differ in nothing else."""
        return match_ids(self.game, find_game(self.game).version, self.params, self.options, self.players)


def new_match(game_name: str, players: Sequence[str], seed: int, /, **params: Any) -> Match:
    """A match with checked parameters and options.

    Raises:
        ValueError: Unknown game or parameter, a value that is not allowed, or a wrong number of players.
    """
    game = find_game(game_name)
    check_seed(seed)
    options, params = split_settings(params)
    options = to_plain(options_for_record(game, options))
    if options:
        Options(game, **options)
    public, inner = game.params(**params)
    if isinstance(players, str) or len(players) != game.seats(inner):
        raise ValueError(f"{game_name} has {format_count(game.seats(inner), 'seat')}; got the players {players!r}")
    return Match(game_name, public, options, tuple(players), seed)


def check_seed(seed: int) -> None:
    """Raises `ValueError` if a match can have no such seed."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ValueError(f"invalid seed={seed!r}: expected a whole number from 0 to 2**63 - 1")


class EnvPool:
    """Environments that were built once and are used again; building one takes longer than a match."""

    def __init__(self) -> None:
        self._free: dict[Any, list[GameEnv]] = {}

    def take(self, match: Match, faces: tuple[str, ...], script: Mapping[str, Any] | None = None) -> GameEnv:
        """An environment for the match, with these faces, at its start; `script`: more options of its `reset`."""
        free = self._free.setdefault(self._key(match, faces), [])
        env = free.pop() if free else GameEnv(find_game(match.game), face=faces, **match.options, **match.params)
        market = {"params": match.params} if env.public_params != match.params else {}
        env.reset(seed=match.seed, options={**market, **(script or {})})
        return env

    def give_back(self, match: Match, faces: tuple[str, ...], env: GameEnv) -> None:
        """The match is over."""
        self._free[self._key(match, faces)].append(env)

    @staticmethod
    def _key(match: Match, faces: tuple[str, ...]) -> Any:
        return match.game, faces, repr(match.options)


class MatchTable(MatchLoop):
    """A match being played and written down.

    Args:
        match: What to play.
        players: One for each seat, not in use elsewhere.
        pool: Where environments come from.
        script: Nature's moves (``chance``) and a referee's ``rulings``, if they are not to be found anew.
        on_error: The status that an error of a player or of the game gives the match, ``"failed"`` or ``"paused"``;
            empty: it is raised.
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
                raise ValueError(f"{match.game}: {player.spec!r} cannot take seat {seat}; allowed: {allowed}")
        self.match, self._pool, self.on_error = match, pool, on_error
        self.faces = tuple(player.face for player in players)
        self._started = time.perf_counter()
        game = find_game(match.game)
        self.record = start_record(game, match.params, list(match.players), list(self.faces), match.seed, match.options)
        try:
            self._start(players, script)
        except FAULTS as error:
            self.end_with_error(error)
            self.record.status = "failed"  # what has not begun cannot be paused

    def _start(self, players: Sequence[Player], script: Mapping[str, Any] | None) -> None:
        """Sits everybody down at the environment."""
        env = self._pool.take(self.match, self.faces, script)
        self._reads = [isinstance(env.face(agent), TextFace) for agent in env.possible_agents]
        for player in players:
            player.match = self.record.id
        super().__init__(env, players, self.match.seed)
        self.record.rules = [info.rules or None for info in self.seat_infos if info]
        personas = [player.persona for player in players]
        self.record.personas = personas if any(personas) else None
        drawn = [getattr(player, "drawn_spec", None) for player in players]
        self.record.drawn = drawn if any(drawn) else None

    @property
    def is_over(self) -> bool:
        """Whether the match has ended, or stopped."""
        return self.record.status in ("abandoned", "paused", "failed") or self.env.over

    def ask(self) -> None:
        """Asks the player to act, and plays what it answers."""
        started = time.perf_counter()
        try:
            reply = self.player.act(self.observation, self.info)
        except PlayerLeft:  # the payoffs are those of the position
            self.record.status, self.record.forfeit = "abandoned", self.seat
        except PausedMatch:  # to go on later: see `econzoo.evaluate.run.resuming`
            self.record.status = "paused"
        except FAULTS as error:
            self.end_with_error(error, self.player.spec)
        else:
            self.answer(reply, time.perf_counter() - started)

    def end_with_error(self, error: Exception | SystemExit, who: str = "") -> None:
        """Ends the match, or raises the error where that is wanted.

        Args:
            error: Of a player or of the game.
            who: Whose; empty: the game's, or nobody knows.
        """
        if not self.on_error or isinstance(error, MissingLibraryError | BudgetSpentError | RefusedError):
            raise error
        self.record.status, self.record.reason = (
            self.on_error,
            f"{who}: {format_error(error)}" if who else format_error(error),
        )

    def answer(self, reply: Any, seconds: float = 0.0) -> None:
        """Plays the answer of the seat to act and writes it down; an error in its place ends the match."""
        try:
            if isinstance(reply, FAULTS):
                raise reply
            self._play(reply, seconds)
        except FAULTS as error:
            self.end_with_error(error, self.player.spec if error is reply else "")

    def _play(self, reply: Any, seconds: float) -> None:
        prompt = self.observation["text"] if self._reads[self.seat] else None
        usage = self.player.usage or NO_USAGE
        took = {name: list(one) if isinstance(one, tuple) else one for name, one in usage._asdict().items()}
        record_answer(self.record, self.env, reply, prompt, self.env.step, seconds=round(seconds, 6), **took)
        self.look()

    def play(self) -> Record:
        """Asks one player after the other until the match is over, and closes it."""
        while not self.is_over:
            self.ask()
        return self.close()

    def close(self) -> Record:
        """Writes the result, tells the players, frees the environment."""
        record = self.record
        try:
            if record.status != "failed":
                record_result(record, self.env)
                record.seconds = round(time.perf_counter() - self._started, 6)
                if record.status != "paused":
                    self.finish()
                self._pool.give_back(self.match, self.faces, self.env)
        except FAULTS as error:
            self.end_with_error(error)
            record.status = "failed"
        if record.status == "failed":
            clear_result(record)
            record.seconds = round(time.perf_counter() - self._started, 6)
        return record


def format_error(error: Exception | SystemExit) -> str:
    """An error in one line; one that was not meant for people, with its kind and place."""
    text = " ".join(clean(str(error)).split())[:MAX_REASON_LENGTH]
    if isinstance(error, ModelError | ValueError | OSError):
        return text
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in place)
    return f"{type(error).__name__}: {text}{where}"
