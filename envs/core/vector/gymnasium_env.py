"""Gymnasium vector environment of compiled games.

    import econzoo

    env = econzoo.make_vec("bargaining", num_envs=10_000)

Observations, masks and actions are those of the numeric face. Opponents are scripted players by name, array functions,
or the learner itself. `gymnasium.make_vec` supports all players but is slower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from econzoo.envs.core import game as game_named
from econzoo.envs.core import gymnasium_id
from econzoo.envs.core.contract import Game, Objective, check_seed, short_repr
from econzoo.envs.core.env import OPTIONS, check_render_mode, check_reset_options
from econzoo.envs.core.faces import GRID, Grid, GridRange
from econzoo.envs.core.vector.layout import describe_array, to_array
from econzoo.envs.core.vector.learner_batch import LearnerBatch
from econzoo.envs.core.vector.opponents import Opponent
from econzoo.envs.core.vector.parameter_sets import merge_parameters

__all__ = ["VectorGameEnv"]

Observations = dict[str, np.ndarray]


class VectorGameEnv(VectorEnv):
    """Batch of games with the observations and actions of the numeric face.

    Without `seat` (self-play), observations and actions are those of the seat to act, given by ``infos["seat"]``, and
    the reward of a step is that of the seat that acted. With `seat`, observations, actions and rewards are those of
    that seat, and `opponent` moves for all others within the step.

    Rewards are 0 until a game ends (unless by round). Then ``infos`` has ``payoff`` (the game's own unit), ``gain``
    (self-gain) and ``errors`` (illegal moves), each of shape (games, seats), with a mask under the same name with a
    leading underscore; under ``AutoresetMode.SAME_STEP`` they are in ``infos["final_info"]`` beside ``final_obs``, a
    structured array: ``final_obs["observation"]`` are the last observations by game, and ``final_obs[game]`` is that of
    one.

    Args:
        game: Name of the game.
        num_envs: Number of games.
        seat: Learner's seat, ``"both"``, or None; see `econzoo.envs.core.vector.learner_batch.LearnerBatch`.
        opponent: Player of all other seats; see there.
        grid: Grid size of amounts, 2 to 10,001, or a mapping by field.
        grid_range: Fraction of the usual range that the grid covers, such as ``(0.4, 0.7)``; None: all.
        objective: Spec of the reward (see `econzoo.envs.core.contract.objectives`).
        rewards: ``"end"``, or ``"rounds"`` for rewards when they are earned; see `econzoo.envs.core.env.options`.
        metrics: Definition of the metrics, e.g. ``"paper"``.
        on_error: Consequence of an action that is illegal or outside the space: ``"default"``, ``"forfeit"`` or
            ``"raise"``; None: ``"default"`` if illegal, ``"raise"`` if outside the space.
        autoreset_mode: Gymnasium's `AutoresetMode`, or its value.
        render_mode: Must be None.
        params: Game parameters, or a sequence of which every game samples one when it starts.
        settings: Name of a distribution of settings (see the game's `scenarios`), instead of `params`.
        **own_params: Game parameters by name.

    Raises:
        CannotCompileError: The rules, their parameters or a player cannot be compiled.
        ImportError: numba is not installed.
        ValueError: Invalid value.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        grid: Grid = GRID,
        grid_range: GridRange = None,
        objective: str | Objective = "self_gain",
        rewards: str = "end",
        metrics: str = "paper",
        on_error: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        params: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        settings: str | None = None,
        **own_params: Any,
    ) -> None:
        _check_no_options(game_named(game), own_params)
        check_render_mode(render_mode, allowed=())
        sets = merge_parameters(game_named(game), params, own_params, settings)
        self.games = LearnerBatch(
            game, num_envs, seat=seat, opponent=opponent, grid=grid, grid_range=grid_range, objective=objective,
            rewards=rewards, metrics=metrics, on_error=on_error, params=sets,
        )  # fmt: skip
        self.game, self.batch = self.games.game, self.games.batch
        self.num_envs, self.render_mode = num_envs, render_mode
        self.autoreset_mode = _check_autoreset_mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self.games.face.observation_space(0)
        self.single_action_space = self.games.face.action_space(0)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended_games = np.zeros(num_envs, bool)

    # -- Gymnasium -----------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start all games, or those in ``options["reset_mask"]``.

        Args:
            seed: Random seed; None: continue with the current generators.
            options: ``reset_mask``: bool of shape (games,); ``params``: parameters of these games and of those that
                follow them, see `econzoo.envs.core.env.options.check_reset_options`.

        Returns:
            Observations and infos.

        Raises:
            ValueError: Invalid seed or option.
        """
        seed, options = check_seed(seed), check_reset_options(self.game, options, ("params", "reset_mask"))
        mask = options.get("reset_mask")
        chosen = np.ones(self.num_envs, bool) if mask is None else to_array("reset_mask", mask)
        if chosen.dtype != bool or chosen.shape != (self.num_envs,):
            shown = describe_array(chosen)
            raise ValueError(f"options['reset_mask'] must be bool of shape ({self.num_envs},), got {shown}")
        self.games.change_params(options.get("params"), chosen)
        # Keeps the generator of before where no seed is given.
        super().reset(seed=seed)
        self.games.rng = self.np_random
        self.games.start(chosen, seeded=seed is not None)
        self._ended_games = self._ended_games & ~chosen
        seats = self.games.acting_seats()
        return self._observations(seats), {"seat": seats}

    def step(self, actions: Any) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in every game.

        Args:
            actions: Actions of the numeric face: integers of shape (games,), or (games, parts of a move).

        Returns:
            Observations, rewards, terminations, truncations (never) and infos.

        Raises:
            ValueError: Action outside the space, without `on_error`.
            RuntimeError: A game has ended and was not reset (``AutoresetMode.DISABLED`` only).
        """
        waiting, games = self._ended_games, self.games
        if self.autoreset_mode is AutoresetMode.DISABLED and waiting.any():
            raise RuntimeError(f"{waiting.sum()} games have ended: call reset(options={{'reset_mask': ...}}) first")
        actors = games.acting_seats()
        # In the mode NEXT_STEP a game that has ended ignores this action and restarts.
        ended = games.play(actions, ~waiting)
        if waiting.any():
            games.start(waiting)
        seats = np.where(ended, actors, games.acting_seats())
        infos: dict[str, Any] = {"seat": seats}
        results = games.results(ended) if ended.any() else {}
        rewards = games.pay(ended, actors, results.get("gain"), ~waiting)
        if results:
            results |= {f"_{name}": ended for name in results}
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos |= {
                    "final_obs": self._final_observations(ended, seats),
                    "_final_obs": ended,
                    "final_info": results,
                }
                infos["_final_info"] = ended
                games.start(ended)
                infos["seat"] = seats = games.acting_seats()
            else:
                infos |= results
        self._ended_games = np.zeros_like(ended) if self.autoreset_mode is AutoresetMode.SAME_STEP else ended
        return self._observations(seats), rewards, ended, np.zeros(self.num_envs, bool), infos

    def _observations(self, seats: np.ndarray, games: np.ndarray | None = None) -> Observations:
        return dict(zip(("observation", "action_mask"), self.games.observe(seats, games), strict=True))

    def _final_observations(self, ended: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the last observations of the games that ended, with a field per part of an observation."""
        games = np.flatnonzero(ended)
        seen = self._observations(seats[games], games)
        out = np.zeros(self.num_envs, [(name, part.dtype, part.shape[1:]) for name, part in seen.items()])
        for name, part in seen.items():
            out[name][games] = part
        return out


def _check_no_options(game: Game, given: Mapping[str, Any]) -> None:
    """Raise `ValueError` for options of other environments that this one does not support."""
    for name, value in given.items():
        if name in OPTIONS:
            other = f"gymnasium.make_vec({gymnasium_id(game.name, game.version)!r}, ...)"
            raise ValueError(
                f"make_vec: invalid {name}={short_repr(value)}: compiled games have no {name}; "
                f"use {other}, which does not compile"
            )


def _check_autoreset_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(f"{m.value!r}" for m in AutoresetMode)
        raise ValueError(f"invalid autoreset_mode={mode!r}: expected {allowed}") from None
