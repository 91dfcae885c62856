"""One match at the table: an environment, the players in their seats, and the record being written."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines.player import Player, Usage
from econzoo.envs.core.aec import GameEnv
from econzoo.envs.core.bookkeeping import conclude, counts, judge
from econzoo.envs.core.options import Options
from econzoo.envs.core.plurals import many
from econzoo.envs.core.prompts import replaced
from econzoo.envs.core.record import Record, Turn, match_ids, plain
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.replies import restored, storable
from econzoo.envs.core.text_face import TextFace
from econzoo.wrappers.seating import newcomer_seed, seating

__all__ = ["EnvPool", "Match", "new_match"]

OPTIONS: dict[str, Any] = dict.fromkeys(
    ("metrics", "reasks", "on_error", "prompts", "max_cycles", "channel", "max_message")
)
"""Options of the environment that a match may set, and the value of each that is the same as not to set it.

It stays out of records and ids. None for the first ones, whose defaults are kept where they are given; an option that
comes in later has its default here, which may not change any more.
"""


NO_USAGE = Usage()


class Match(NamedTuple):
    """A match to play: a pure function of its fields.

    Attributes:
        game: Name.
        params: All public parameters, validated.
        options: The options of `OPTIONS` that were given.
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
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ValueError(f"seed={seed!r} is not allowed; allowed: a whole number from 0 to 2**63 - 1")
    given = {name: params.pop(name) for name in OPTIONS if params.get(name) is not None}
    options = {name: value for name, value in given.items() if OPTIONS[name] is None or value != OPTIONS[name]}
    if "prompts" in options:
        options["prompts"] = replaced(game.package, options["prompts"])
    options = plain(options)
    if options:
        Options.checked(game, **options)
    public, inner = game.params(**params)
    if isinstance(players, str) or len(players) != game.seats(inner):
        raise ValueError(f"{game_name} has {many(game.seats(inner), 'seat')}; got the players {players!r}")
    return Match(game_name, public, options, tuple(players), seed)


@lru_cache(maxsize=4096)
def player_seed(seed: int, seat: int) -> int:
    """A seed of its own for each seat, from the seed of the match."""
    return int(np.random.SeedSequence([seed, seat]).generate_state(1, np.uint64)[0] >> np.uint64(1))


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


class Table:
    """A match being played, one answer at a time.

    Args:
        match: What to play.
        players: One for each seat, not in use elsewhere.
        pool: Where environments come from.
        script: Nature's moves (``chance``) and a referee's ``rulings``, if they are not to be found anew.
    """

    def __init__(
        self, match: Match, players: Sequence[Player], pool: EnvPool, script: Mapping[str, Any] | None = None
    ) -> None:
        self.match, self.players, self._pool = match, players, pool
        self.faces = tuple(player.face for player in players)
        self.env = pool.take(match, self.faces, script)
        self._seats = {agent: seat for seat, agent in enumerate(self.env.possible_agents)}
        self._reads = [isinstance(self.env.face(agent), TextFace) for agent in self._seats]
        self._started = time.perf_counter()
        self.recalling = False
        self.record = Record(
            game=match.game,
            version=self.env.game.version,
            versions=self.env.game.versions._asdict(),
            params=match.params,
            options=match.options,
            seed=match.seed,
            players=list(match.players),
            faces=list(self.faces),
        )
        for seat, player in enumerate(players):
            self._seat(seat, player)
        personas = [player.persona for player in players]
        self.record.personas = personas if any(personas) else None
        self._look()

    def _seat(self, seat: int, player: Player) -> None:
        if not player.fits(seat):
            allowed = ", ".join(map(str, player.seats or ()))
            raise ValueError(f"{self.match.game}: {player.spec!r} cannot take seat {seat}; allowed: {allowed}")
        info = seating(self.env, seat)
        self.record.rules.append(info.rules or None)
        player.reset(seat, info, player_seed(self.match.seed, seat))

    def _replace(self, seat: int) -> None:
        """Somebody new takes the seat: the same player, who remembers nothing."""
        seed = newcomer_seed(player_seed(self.match.seed, seat), self.env.game_state.round)
        self.players[seat].reset(seat, seating(self.env, seat), seed)

    def _look(self) -> None:
        """Passes over agents whose game is over and takes what the next one sees."""
        env = self.env
        while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            if env.over:
                return
            self._eliminated(env.agent_selection)
            env.step(None)
        agent = env.agent_selection
        self.seat = self._seats[agent]
        self.player = self.players[self.seat]
        self.observation = env.observe(agent)
        self.info = env.infos[agent]
        if "newcomer" in self.info:
            self._replace(self.seat)
        if self.player.wants_schema:
            self.info = {**self.info, "json_schema": env.json_schema(agent)}
        if self.player.wants_seen:
            self.info = {**self.info, "seen": env.seen(agent)}

    def _eliminated(self, agent: str) -> None:
        player = self.players[self._seats[agent]]
        if type(player).eliminated is not Player.eliminated:
            player.eliminated(self.env.observe(agent), {**self.env.infos[agent], "recalled": self.recalling})

    @property
    def over(self) -> bool:
        """Whether the match has ended, or stopped."""
        return self.env.over or self.record.status in ("abandoned", "paused")

    def answer(self, reply: Any, seconds: float = 0.0) -> None:
        """Plays the answer of the seat to act and writes it down."""
        env = self.env
        before, at = counts(env), env.game_state.round
        prompt = self.observation["text"] if self._reads[self.seat] else None
        kept = storable(env.game, reply)
        env.step(restored(kept))  # what is played is what the record says, so that it can be played again
        tokens, cost, dropped, closed, calls = self.player.usage or NO_USAGE
        took = list(tokens), round(seconds, 6), cost, dropped, closed, list(calls)
        turn = Turn(self.seat, at, kept, None, prompt, None, False, *took)
        judge(turn, env, before)
        self.record.turns.append(turn)
        if not env.over:
            self._look()

    def leave(self) -> None:
        """The player to act leaves; the payoffs are those of the position."""
        self.record.status, self.record.forfeit = "abandoned", self.seat

    def pause(self) -> None:
        """The player to act wants to go on later; see `econzoo.evaluate.resuming`."""
        self.record.status = "paused"

    def close(self) -> Record:
        """Writes the result, tells the players, frees the environment."""
        env, record = self.env, self.record
        conclude(record, env)
        record.seconds = round(time.perf_counter() - self._started, 6)
        told = () if record.status == "paused" else zip(env.possible_agents, self.players, record.payoffs, strict=True)
        for agent, player, payoff in told:
            if type(player).finish is not Player.finish:  # nobody else looks at the end
                player.finish(env.observe(agent), {"payoff": payoff, **env.infos.get(agent, {})})
        self._pool.give_back(self.match, self.faces, env)
        return record
