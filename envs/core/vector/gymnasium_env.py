"""A game as a Gymnasium vector environment: thousands of games behind one `step`.

    env = econzoo.make_vec("bargaining", num_envs=10_000)

Observations, masks and the numbers of actions are those of the numeric face. Players by name do not play here: their
seats are filled by array functions, or by whoever learns. `gymnasium.make_vec` takes players by name, and is slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from econzoo.envs.core.contract.game import DONE
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.parameters import options_of, seed_of
from econzoo.envs.core.env.options import Options, render_mode_of
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.numeric_moves import GRID, Grid
from econzoo.envs.core.registry import game as game_named
from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.numbered_moves import BatchNumbers
from econzoo.envs.core.vector.parameter_sets import merged

__all__ = ["VectorGameEnv"]

Opponent = Callable[[np.ndarray, np.ndarray, np.random.Generator], Any]
"""Called with the observations, float32 (k, features), and masks, int8 (k, actions), of the games that wait for it
and a generator; gives k actions. Its own seat stands in the observation."""

Observations = dict[str, np.ndarray]
MAX_RESTARTS = 1000


class VectorGameEnv(VectorEnv):
    """Many games with the observations and actions of the numeric face.

    Without `seat`, whoever is to act in a game sees its observation and acts (self-play): ``infos["seat"]`` says who
    that is, and the reward of a step is that of the seat that acted in it. With `seat`, the observations, actions
    and rewards are those of that seat, and `opponent` moves for all others within the step.

    Rewards are 0 until a game ends. Then ``infos`` has ``payoff`` (the game's own unit), ``gain`` (self-gain) and
    ``errors`` (moves that were not legal), each of shape (games, seats), with a mask under the same name after
    an underscore; under ``AutoresetMode.SAME_STEP`` they are in ``infos["final_info"]`` beside ``final_obs``.

    Args:
        game: The game's name.
        num_envs: Number of games.
        seat: The seat that learns; None: self-play, which games have in which one seat moves at a time.
        opponent: Plays all other seats; given with `seat`, and only then.
        grid: Values of an amount, from 2 to 10,001, or by the name of its field.
        objective: Spec of the reward (see `econzoo.envs.core.contract.objectives`).
        metrics: Definition of the metrics, e.g. ``"paper"``.
        on_error: What follows an action that is not legal: ``"default"``, ``"forfeit"`` or ``"raise"``.
        autoreset_mode: Gymnasium's `AutoresetMode`, or its value.
        render_mode: Must be None.
        params: Parameters of the game, or a sequence of them, of which every game that starts draws one.
        **own_params: Parameters of the game by name.

    Raises:
        CannotCompileError: The rules or their parameters cannot be compiled.
        ImportError: numba is not installed.
        ValueError: A value is not allowed; the message names it and what is allowed.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        seat: int | None = None,
        opponent: Opponent | None = None,
        grid: Grid = GRID,
        objective: str | Objective = "self_gain",
        metrics: str = "paper",
        on_error: str = "default",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        params: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        **own_params: Any,
    ) -> None:
        render_mode_of(render_mode, allowed=())
        self.game = game_named(game)
        options = Options(self.game, grid=grid, objective=objective, metrics=metrics, on_error=on_error)
        self.objective, self.definition = options.objective, options.metrics
        sets = merged(params, own_params)
        self.batch = GameBatch(self.game, num_envs, sets, on_error=on_error, autoreset=False, draw_params=True)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.seat, self.opponent = self._learner(seat, opponent), opponent
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self._numbers = BatchNumbers(self.batch, options.grid)
        face = NumericFace(
            self.game, options.grid, self.batch.features, actions=self.batch.actions, seats=self.batch.seats
        )
        self.single_observation_space = face.observation_space(0)
        self.single_action_space = face.action_space(0)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def _learner(self, seat: Any, opponent: Any) -> int | None:
        seats, together = self.batch.seats, self.batch.turns.together
        if seat is not None and (isinstance(seat, bool) or seat not in range(seats)):
            allowed = f"0 to {seats - 1}" if together else f"None, or 0 to {seats - 1}"
            raise ValueError(f"seat={seat!r} is not allowed; allowed: {allowed}")
        if together and (seat is None or opponent is None):
            raise ValueError(
                f"{self.game.name}: seats move at once, so that there is no self-play behind one step; give both "
                f"seat (the learner's, 0 to {seats - 1}) and opponent (a function that plays all others)"
            )
        if (seat is None) != (opponent is None):
            raise ValueError("seat and opponent go together: give both, or neither for self-play")
        if opponent is not None and not callable(opponent):
            raise ValueError(
                f"opponent={opponent!r} is not allowed in a vector environment; allowed: a function of (observations, "
                "masks, rng) that gives an array of actions. For players by name use gymnasium.make_vec"
            )
        return None if seat is None else int(seat)

    # -- Gymnasium -----------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Starts all games, or those flagged by ``options["reset_mask"]``.

        Args:
            seed: Of nature, of drawn parameters and of the opponent; None goes on with the generators of the last.
            options: ``reset_mask``: bool of shape (games,). Other keys are not used.

        Returns:
            Observations and infos.

        Raises:
            ValueError: The seed or an option is not allowed.
        """
        seed, options = seed_of(seed), options_of(options)
        super().reset(seed=seed)
        chosen = np.asarray(options.get("reset_mask", np.ones(self.num_envs, bool)))
        self.batch.reset(None if seed is None else int(self.np_random.integers(2**63)), chosen)
        self._over = self._over & ~chosen
        self._begin(chosen)
        seats = self._seats(self.batch.to_act)
        return self._observations(seats), {"seat": seats}

    def step(self, actions: Any) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays one action in every game.

        Args:
            actions: As on the numeric face: whole numbers of shape (games,), or (games, parts of a move).

        Returns:
            Observations, rewards, terminations, truncations (never) and infos.

        Raises:
            ValueError: An action lies outside the action space.
            RuntimeError: A game has ended and is not reset (``AutoresetMode.DISABLED`` only).
        """
        actions, waiting = self._checked(actions, self.num_envs, "actions"), self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and waiting.any():
            raise RuntimeError(f"{waiting.sum()} games have ended: call reset(options={{'reset_mask': ...}}) first")
        actors = self._seats(self.batch.to_act)
        ended = self._play(actions, ~waiting)
        if waiting.any():
            self._restart(waiting)
        seats = np.where(ended, actors, self._seats(self.batch.to_act))
        rewards = np.zeros(self.num_envs)
        infos: dict[str, Any] = {"seat": seats}
        if ended.any():
            results = self._results(ended)
            rewards[ended] = self._rewards(ended, actors, results["gain"])
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos |= {"final_obs": self._final(ended, seats), "_final_obs": ended, "final_info": results}
                infos["_final_info"] = ended
                self._restart(ended)
                infos["seat"] = seats = self._seats(self.batch.to_act)
            else:
                infos |= results
        self._over = np.zeros_like(ended) if self.autoreset_mode is AutoresetMode.SAME_STEP else ended
        return self._observations(seats), rewards, ended, np.zeros(self.num_envs, bool), infos

    # -- play ----------------------------------------------------------------------------------------------

    def _play(self, actions: np.ndarray, where: np.ndarray) -> np.ndarray:
        """Plays the actions, and the opponent's beside and after them; says which games ended."""
        if self.seat is None:
            kinds, values = self._numbers.decoded(actions, None)
            return self.batch.step(kinds, values, where)[1]
        _, ended = self._step_all(where, actions)
        return ended | self._others(where)

    def _step_all(self, where: np.ndarray, actions: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """One move of all who are to move in some games: the learner's if given, the opponent's of all others."""
        if not self.batch.turns.together and actions is None:
            return self.batch.step(*self._numbers.decoded(self._asked(None, where), None), where)
        if not self.batch.turns.together:
            return self.batch.step(*self._numbers.decoded(actions, None), where)  # type: ignore[arg-type]
        moves = []
        for seat in range(self.batch.seats):
            given = actions if seat == self.seat and actions is not None else self._asked(seat, where)
            moves.append(self._numbers.decoded(given, seat))
        return self.batch.step(np.stack([k for k, _ in moves], axis=1), np.stack([v for _, v in moves], axis=1), where)

    def _others(self, where: np.ndarray) -> np.ndarray:
        """Plays the opponent's moves until the learner has a legal one; says which games ended."""
        ended = np.zeros(self.num_envs, bool)
        while True:
            waiting = where & (self.batch.to_act != DONE)
            waiting[waiting] = ~self.batch.legal(self.seat, np.flatnonzero(waiting)).any(axis=1)
            if not waiting.any():
                return ended
            ended |= self._step_all(waiting)[1]

    def _asked(self, seat: int | None, where: np.ndarray) -> np.ndarray:
        """The opponent's actions in some games; 0 stands in the others, and where that seat is not to move."""
        assert self.opponent is not None
        games, actions = np.flatnonzero(where), np.zeros((self.num_envs, *self._numbers.shape), np.int64)
        games = games[self.batch.legal(seat, games).any(axis=1)]
        if not len(games):
            return actions
        seen, masks = self.batch.observe(seat, games), self._numbers.masks(seat, games)
        actions[games] = self._checked(self.opponent(seen, masks, self.np_random), len(games), "the opponent's actions")
        return actions

    def _begin(self, where: np.ndarray) -> None:
        """Lets the opponent move first where it does; a game that ends before the learner acts starts again."""
        if self.seat is None:
            return
        for _ in range(MAX_RESTARTS):
            where = self._others(where)
            if not where.any():
                return
            self.batch.reset(where=where)
        raise RuntimeError(f"{self.game.name}: seat {self.seat} never gets to act")

    def _restart(self, where: np.ndarray) -> None:
        self.batch.reset(where=where)
        self._begin(where)

    def _checked(self, actions: Any, count: int, name: str) -> np.ndarray:
        array, shape = np.asarray(actions), (count, *self._numbers.shape)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be whole numbers of shape {shape}; got {array.dtype} {array.shape}")
        most = self._numbers.moves.sizes if self._numbers.shape else self._numbers.moves.size
        wrong = array[(array < 0) | (array >= most)]
        if len(wrong):
            raise ValueError(f"{name}: {wrong[0]} is outside the action space; allowed: {self._numbers.moves.allowed}")
        return array.astype(np.int64)

    # -- what is seen --------------------------------------------------------------------------------------

    def _seats(self, turns: np.ndarray) -> np.ndarray:
        return np.maximum(turns, 0) if self.seat is None else np.full(self.num_envs, self.seat)

    def _observations(self, seats: np.ndarray, games: np.ndarray | None = None) -> Observations:
        return {"observation": self.batch.observe(seats, games), "action_mask": self._numbers.masks(seats, games)}

    def _final(self, ended: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """The last observation of every game that ended, each by itself, as Gymnasium wants it."""
        out, games = np.full(self.num_envs, None, object), np.flatnonzero(ended)
        seen = self._observations(seats[games], games)
        for row, number in enumerate(games):
            out[number] = {key: value[row] for key, value in seen.items()}
        return out

    def _results(self, ended: np.ndarray) -> dict[str, np.ndarray]:
        gains = np.zeros((self.num_envs, self.batch.seats))
        gains[ended] = self._gains(np.flatnonzero(ended))
        payoffs = np.where(ended[:, None], self.batch.payoffs(), 0.0)
        errors = np.where(ended[:, None], self.batch.errors, 0)
        return {"payoff": payoffs, "_payoff": ended, "gain": gains, "_gain": ended, "errors": errors, "_errors": ended}

    def _gains(self, games: np.ndarray) -> Any:
        if self.definition == "paper":
            return self.batch.gains(games)
        return [self.game.metrics.outcome(*self.batch.position(int(i)), self.definition).gains for i in games]

    def _rewards(self, ended: np.ndarray, seats: np.ndarray, gains: np.ndarray) -> Any:
        games = np.flatnonzero(ended)
        if self.objective.spec == "self_gain":
            return gains[games, seats[games]]
        rewards = []
        for i in games:
            params, state = self.batch.position(int(i))
            outcome = self.game.metrics.outcome(params, state, self.definition)
            rewards.append(self.objective.reward(self.game.rules.payoffs(params, state), outcome, int(seats[i])))
        return rewards


def _mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(f"{m.value!r}" for m in AutoresetMode)
        raise ValueError(f"autoreset_mode={mode!r} is not allowed; allowed: {allowed}") from None
