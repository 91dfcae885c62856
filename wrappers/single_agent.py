"""Single-agent view: one seat learns, the other players move inside `reset` and `step`.

Opponents are sampled from one pool of players per seat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np

from econzoo.envs.core import game as find_game
from econzoo.envs.core import player
from econzoo.envs.core.contract import Game, check_seed, short_repr
from econzoo.envs.core.env import FACES, RENDER_MODES, GameEnv, check_choice, check_render_mode, check_reset_options
from econzoo.envs.core.record import none_if_nan
from econzoo.wrappers.seating import MatchLoop, seat_info

__all__ = ["SingleAgentEnv"]

BOTH = "both"
"""Value of `seat`: sampled for every episode."""

Opponent: TypeAlias = Any
"""An `econzoo.baselines.base.Player`, or an object with its methods and attributes that are used here."""

Pool: TypeAlias = Opponent | str | Sequence[Opponent | str]


def seats_of(seat: int | str, count: int) -> tuple[int, ...]:
    """Return the seats of the learner; `seat` is an index or ``"both"``."""
    if seat == BOTH:
        return tuple(range(count))
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < count:
        raise ValueError(f"invalid seat={seat!r}: expected 0 to {count - 1}, or 'both'")
    return (int(seat),)


def fork_pools(
    opponents: Pool | Mapping[int, Pool], count: int, learner: tuple[int, ...], game_name: str
) -> dict[int, list[Opponent]]:
    """Return forks of the players that can take each seat."""
    given: Mapping[int, Pool]
    given = opponents if isinstance(opponents, Mapping) else dict.fromkeys(range(count), opponents)
    needed = {i for i in range(count) if learner != (i,)}
    pools = {seat: _to_list(pool) for seat, pool in given.items()}
    every = [one for pool in pools.values() for one in pool]
    known = all(isinstance(one, str) or callable(getattr(one, "can_take_seat", None)) for one in every)
    if not known or not needed <= set(pools) <= set(range(count)) or not all(pools.values()):
        allowed = f"one player or several, as objects or specs, for every seat of {sorted(needed)}"
        raise ValueError(f"invalid opponents={opponents!r}: expected {allowed}")
    made = {i: [player(one, game_name) if isinstance(one, str) else one for one in pools[i]] for i in sorted(pools)}
    return {i: [one.fork() for one in pool if one.can_take_seat(i)] for i, pool in made.items()}


def playable_seats(
    seats: tuple[int, ...], pools: Mapping[int, Sequence[Opponent]], count: int, given: Any
) -> tuple[int, ...]:
    """Return the seats of the learner for which the pools fill all other seats."""
    found = tuple(s for s in seats if all(pools.get(i) for i in range(count) if i != s))
    if not found:
        wanted = f"players that can take the other seats where the learner has seat {' or '.join(map(str, seats))}"
        raise ValueError(f"invalid opponents={given!r}: expected {wanted}")
    return found


def _to_list(pool: Pool) -> list[Any]:
    return list(pool) if isinstance(pool, Sequence) and not isinstance(pool, str) else [pool]


SEED_LIMIT = 2**63
"""Upper bound of sampled seeds."""


SettingSource: TypeAlias = Mapping[str, Any] | Callable[[np.random.Generator], Mapping[str, Any]]


class SingleAgentEnv(gymnasium.Env[Any, Any]):
    """Gymnasium environment for one seat of a game.

    Rewards are 0 until the game ends and then equal the objective of the learner's seat (option ``rewards``: or by
    round, with the rest at the end). A forfeit is worth less than
    every result, and so is, but on the numeric face, a match in which default actions replaced answers
    (`econzoo.envs.core.contract.rewards`); `GameEnv` pays by the position. A match that reaches ``max_cycles`` is
    truncated, with reward 0 or what its rounds have paid. After an invalid answer the same seat acts again (reward 0,
    info with ``error``), as the environment's `max_retries` and `on_error` say. At the end the info
    carries, besides what every environment says there (``payoff``, ``forfeit``, ``errors``, ``defaults``): ``payoffs``
    and ``forfeited`` (a seat or None) of the match, ``outcome`` (gains, efficiency, fairness, agreed), ``opponent``
    (specs), ``seat``, ``params`` and ``match_seed``; for a truncated match ``position_payoffs`` instead of
    ``payoffs``, and no ``outcome``. These may contain information hidden from the seat, and must not be used as
    observations.

    One seed determines everything: of `reset`'s seed, the setting, the seat, the opponents and a seed of the match are
    drawn for every episode; what nature and the opponents draw follows from the seed of the match alone. So an episode
    is the match that `econzoo.play` plays with these players, parameters and ``match_seed``, if one of the players
    gives the learner's answers. Setting and seed of the match do not depend on who the opponents are, so that equal
    seeds compare opponents on equal games.
    If the others end the game before the learner's first move, the first `step`, whatever its action, returns the end.
    A learner that is eliminated before the others has reached its end too: reward, payoffs and outcome are those of
    the position, unless it stays (``black_death``, the default where the objective depends on others as well); then the
    others play the match to its end, and that counts.

    Args:
        game: The game or its name.
        opponents: One player, as an object or a spec such as ``"fair"``, or a pool (one is drawn for every other seat
            and episode, among those that can take it); or one of these for each seat, as a mapping. Players are
            forked, not used themselves.
        seat: Of the learner; ``"both"``: drawn for every episode, among those where the opponents fill the others.
        settings: Parameters; a function of a generator draws them for every episode, with as many seats as the fixed
            ones have. None: the fixed ones.
        face: Face of the learner: ``numeric``, ``structured``, ``text`` or ``chat``. With ``chat`` the rules brief is
            in the info of `reset`, under ``rules``.
        render_mode: None, ``"human"`` (print every move), ``"ansi"`` or ``"rgb_array"``.
        **kwargs: Options and fixed parameters of `econzoo.make`.

    Raises:
        ValueError: Invalid value.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (Gymnasium's name)

    def __init__(
        self,
        game: Game | str,
        opponents: Pool | Mapping[int, Pool],
        *,
        seat: int | str = 0,
        settings: SettingSource | None = None,
        face: str = "numeric",
        render_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        check_choice("face", face, FACES)
        self.game = game if isinstance(game, Game) else find_game(game)
        self.render_mode, self._face = check_render_mode(render_mode), face
        if not (settings is None or isinstance(settings, Mapping) or callable(settings)):
            allowed = "parameters by name, a function of a generator that samples them, or None"
            raise ValueError(f"invalid settings={short_repr(settings)}: expected {allowed}")
        self._draw_params = settings if callable(settings) else None
        self._fixed_params = {k: v for k, v in kwargs.items() if k in self.game.defaults}
        self._fixed_params.update(settings if isinstance(settings, Mapping) else {})
        self._changed_params: dict[str, Any] = {}  # by the options of `reset`
        self._options = {k: v for k, v in kwargs.items() if k not in self.game.defaults}
        self._count = self.game.seats(self.game.params(**self._fixed_params)[1])
        self._pools = fork_pools(opponents, self._count, seats_of(seat, self._count), self.game.name)
        self._seats = playable_seats(seats_of(seat, self._count), self._pools, self._count, opponents)
        self._envs: dict[tuple[str, ...], GameEnv] = {}
        self._ended = True
        # Only the seat of the learner may be without players.
        self._pools = {i: pool for i, pool in self._pools.items() if pool}
        self._sit(self._seats[0], {i: pool[0] for i, pool in self._pools.items()})
        self.observation_space = self._env.face(self._agent).observation_space(0)
        self.action_space = self._env.face(self._agent).action_space(0)

    # -- seating -------------------------------------------------------------------------------------------

    def _sit(self, seat: int, players: Mapping[int, Opponent]) -> None:
        """Select the environment with the faces of the learner and these players."""
        self.seat, self._players = seat, {i: p for i, p in players.items() if i != seat}
        faces = tuple(self._face if i == seat else players[i].face for i in range(self._count))
        if faces not in self._envs:
            mode = "ansi" if self.render_mode == "human" else self.render_mode  # each move is printed once
            params = {**self.game.defaults, **self._fixed_params}
            self._envs[faces] = GameEnv(self.game, "aec", face=faces, render_mode=mode, **self._options, **params)
        self._env = self._envs[faces]
        self._agent = self._env.possible_agents[seat]

    def _sample_setting(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        drawn = self._draw_params(self.np_random) if self._draw_params else {}
        return {**self.game.defaults, **self._fixed_params, **drawn, **changes}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Random seed; None: continue with the current generator.
            options: See `econzoo.envs.core.env.options.check_reset_options`.

        Returns:
            Observation and info of the learner's first move.

        Raises:
            ValueError: Invalid seed, option or parameter.
        """
        number, given = check_seed(seed), check_reset_options(self.game, options)
        super().reset(seed=number)
        changes, rng = {**self._changed_params, **(given.get("params") or {})}, self.np_random
        params = self._sample_setting(changes)
        # Further numbers are drawn and not used, so that what is drawn after them stays what it was.
        seat, match_seed, *_ = (int(x) for x in rng.integers(SEED_LIMIT, size=2 + self._count))
        seat = self._seats[seat % len(self._seats)]
        # Drawn for the seat of the learner as well, so that the other draws do not depend on it.
        self._sit(seat, {i: pool[rng.integers(len(pool))] for i, pool in self._pools.items()})
        same = params == self._env.given_params  # changing parameters costs more than a game
        settings = {**given, "params": {} if same else params}
        self._env.start(match_seed, settings)  # without a warning: a learner that has left has played its episode
        self._changed_params = changes  # only after validation
        self._match = MatchLoop(self._env, [self._players.get(i) for i in range(self._count)], match_seed)
        self._update_action_space()
        self._reward, self._finished, self._ended, self._printed_lines = 0.0, self._env.over, False, 0
        self._earned = 0.0
        self._play_others()
        self._print()
        info = unshared_copy(self._env.infos[self._agent])
        return self._observation(), info if self._face != "chat" else {**info, "rules": self.rules}

    def _update_action_space(self) -> None:
        """Typed moves are contained within the limits of this episode's setting."""
        fresh = self._env.action_space(self._agent)
        if hasattr(fresh, "legal"):
            self.action_space.legal = fresh.legal  # type: ignore[attr-defined]

    # -- an episode ----------------------------------------------------------------------------------------

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and all moves up to its next one.

        Args:
            action: Action in the format of the learner's face.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            RuntimeError: The episode is over, or none has begun.
            ValueError: Numeric action outside its space, or invalid action under ``on_error="raise"``.
        """
        if self._ended:
            raise RuntimeError(f"{self.game.name}: step() is not possible; call reset() first")
        if not self._finished:
            self._answer(action)
            self._play_others()
        env, agent = self._env, self._agent
        terminated, truncated, info = env.terminations[agent], env.truncations[agent], unshared_copy(env.infos[agent])
        self._print()
        if self._finished and not truncated and (self._face != "numeric" or env.options.on_error == "forfeit"):
            self._reward = env.learner_reward(self.seat) - self._earned
        reward, self._reward, self._ended = self._reward, 0.0, self._finished
        self._earned += reward
        return self._observation(), reward, terminated, truncated, {**info, **(self._result() if self._ended else {})}

    def _answer(self, answer: Any) -> None:
        """Play an answer of the acting seat; players are not yet notified if it ends the learner's game."""
        env, agent = self._env, self._agent
        env.step(answer)
        self._reward += env.rewards[agent]
        self._finished = env.terminations[agent] or env.truncations[agent]
        if not self._finished:
            self._match.look()

    def _play_others(self) -> None:
        match = self._match
        while not self._finished and match.seat != self.seat:
            self._answer(match.player.act(match.observation, match.info))
        if self._env.over:
            match.finish()

    def _observation(self) -> Any:
        return unshared_copy(self._env.observe(self._agent) if self._finished else self._match.observation)

    def _result(self) -> dict[str, Any]:
        env = self._env
        about = {
            "forfeited": env.forfeiting_seat,
            "opponent": ", ".join(player.spec for player in self._players.values()),
            "seat": self.seat,
            "params": dict(env.public_params),
            "match_seed": self._match.seed,
        }
        if env.is_truncated:
            return {"position_payoffs": env.payoffs, **about}
        outcome = env.outcome()
        metrics = {name: none_if_nan(getattr(outcome, name)) for name in ("efficiency", "fairness")}
        result = {"gains": tuple(map(none_if_nan, outcome.gains)), **metrics, "agreed": bool(outcome.agreed)}
        return {"payoffs": env.payoffs, "outcome": result, **about}

    # -- further queries ------------------------------------------------------------------------------------

    def action_masks(self) -> np.ndarray:
        """Return the action mask for sb3-contrib, bool of shape (actions,).

        Raises:
            ValueError: The learner's face is not numeric.
        """
        if self._face != "numeric":
            raise ValueError(f"action_masks() requires face='numeric', got {self._face!r}")
        face = self._env.face(self._agent)
        return face.mask(self._env.information_state(self._agent).legal).astype(bool)  # type: ignore[attr-defined]

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the learner's legal moves."""
        return self._env.json_schema(self._agent)

    @property
    def rules(self) -> str:
        """Return the rules brief of the learner's seat; empty on faces without text."""
        return seat_info(self._env, self.seat).rules

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """Render the match so far, see `GameEnv.render`; ``"human"`` has already printed it."""
        return None if self.render_mode == "human" else self._env.render()

    def _print(self) -> None:
        if self.render_mode == "human":
            # The whole transcript is rendered; earlier lines are printed already.
            lines = str(self._env.render()).splitlines()
            for line in lines[self._printed_lines :]:
                print(line)
            self._printed_lines = len(lines)


def unshared_copy(data: Any) -> Any:
    """Deep-copy mutable data, because learners store and modify it."""
    if isinstance(data, dict):
        return {key: unshared_copy(value) for key, value in data.items()}
    if isinstance(data, tuple):
        return tuple(map(unshared_copy, data))
    return data.copy() if isinstance(data, np.ndarray) else data
