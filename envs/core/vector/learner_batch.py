"""Batches of games for one learner, as plain arrays, with opponents and automatic restarts.

    from econzoo.envs.core.vector import LearnerBatch

    batch = LearnerBatch("bargaining", 1000, seat="both", opponent=["fair", "boulware(0.2)"])
    observations, masks = batch.reset(seed=1)
    observations, rewards, dones, masks, infos = batch.step(masks.argmax(1))    # the first legal action of each

`econzoo.envs.core.vector.gymnasium_env` wraps it as a Gymnasium vector environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core import game as game_named
from econzoo.envs.core.contract import NO_SYMBOL, Game, Objective, check_seed, reward_scale
from econzoo.envs.core.env import Options, check_reset_options
from econzoo.envs.core.faces import GRID, Grid, GridRange, ListedMoves, MultiDiscreteMoves, NumericFace
from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.batch_numbers import BatchNumbers
from econzoo.envs.core.vector.layout import restore_array
from econzoo.envs.core.vector.opponents import Opponent, Opponents
from econzoo.envs.core.vector.parameter_sets import parameter_list

MAX_RESTARTS = 1000
BOTH = "both"


class LearnerBatch:
    """Batch of games with the observations and actions of the numeric face.

    Without `seat` (self-play), observations and actions are those of the seat to act. With `seat`, observations,
    actions and rewards are those of that seat, and `opponent` moves for all others within the step.

    Args:
        game: Game or its name.
        num_games: Number of games.
        seat: Learner's seat; ``"both"``: sampled per game among the seats whose other seats the opponents can fill;
            None: self-play, only in games in which one seat moves at a time.
        opponent: Player of all other seats; required with `seat`. Spec of a scripted player or trained policy
            (``ppo:FOLDER``), a `Policy`, or a function of arrays (`Function`); a pool of these, from which every seat
            of every game samples; or a mapping of these to weights.
        grid: Grid size of amounts, 2 to 10,001, or a mapping by field.
        grid_range: Fraction of the usual range that the grid covers, such as ``(0.4, 0.7)``; None: all.
        objective: Spec of the reward (see `econzoo.envs.core.contract.objectives`).
        rewards: ``"end"``, or ``"rounds"`` for rewards when they are earned; see `econzoo.envs.core.env.options`.
        metrics: Definition of the metrics, e.g. ``"paper"``.
        on_error: Consequence of an action that is illegal or outside the space: ``"default"``, ``"forfeit"`` or
            ``"raise"``; None: ``"default"`` if illegal, ``"raise"`` if outside the space.
        params: Game parameters, a sequence of them, or the name of a distribution in the game's `scenarios` (reduced to
            a sample of `parameter_sets.SAMPLE_SIZE`); every game samples one when it starts.
        draw: Whether to sample from `params`; else they have one set per game.

    Raises:
        CannotCompileError: The rules, their parameters or a player cannot be compiled.
        ImportError: numba is not installed.
        ValueError: Invalid value.

    Attributes:
        batch: Batch of games.
        opponents: Opponents of the learner; None in self-play.
        face: Numeric face of one game.
        learner: Learner's seat in each game, int64 of shape (games,); not used in self-play.
        rng: Random generator of the opponents.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int = 1,
        *,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        grid: Grid = GRID,
        grid_range: GridRange = None,
        objective: str | Objective = "self_gain",
        rewards: str = "end",
        metrics: str = "paper",
        on_error: str | None = None,
        params: Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | None = None,
        draw: bool = True,
    ) -> None:
        self.game = game_named(game) if isinstance(game, str) else game
        options = Options(
            self.game, grid=grid, grid_range=grid_range, objective=objective, rewards=rewards, metrics=metrics,
            on_error=on_error,
        )  # fmt: skip
        self.objective, self.definition = options.objective, options.metrics
        sets = parameter_list(self.game, params)
        self._distribution = params if isinstance(params, str) and len(sets) > 1 else None
        self._changed_params: dict[str, Any] = {}
        policy = on_error or "default"
        self.batch = GameBatch(self.game, num_games, sets, on_error=policy, autoreset=False, draw_params=draw)
        self._checks_space = on_error in (None, "raise")
        self.num_games, self.rng = num_games, np.random.default_rng()
        self._numbers = BatchNumbers(self.batch, options.grid, options.grid_range)
        self.opponents = None if opponent is None else Opponents(self.batch, self._numbers, opponent)
        self.seats = self._learner_seats(seat, opponent)
        self._pays_by_round, self._earned = options.pays_by_round, np.zeros(num_games)
        if self._pays_by_round and not self.seats:
            raise ValueError(f"{self.game.name}: invalid rewards={rewards!r} in self-play: expected end")
        self.learner = np.full(num_games, self.seats[0] if self.seats else 0, np.int64)
        self.face = NumericFace(
            self.game, options.grid, self.batch.code.features,
            grid_range=options.grid_range, actions=self.batch.actions, seats=self.batch.seats,
        )  # fmt: skip
        columns = self.batch.seats if self.batch.turns.has_joint_moves else 1
        self._kinds = np.zeros((num_games, columns), np.int64)
        self._said, self._rows = np.zeros((num_games, columns), np.int64), np.arange(num_games)
        self._values = np.zeros((num_games, columns, self.batch.actions.width))

    def _learner_seats(self, seat: Any, opponent: Any) -> tuple[int, ...]:
        """Return the seats of the learner; empty in self-play."""
        count, together = self.batch.seats, self.batch.turns.has_joint_moves
        if seat is not None and seat != BOTH and (isinstance(seat, bool) or seat not in range(count)):
            expected = f"0 to {count - 1}, or 'both'" if together else f"None, 0 to {count - 1}, or 'both'"
            raise ValueError(f"invalid seat={seat!r}: expected {expected}")
        if together and (seat is None or opponent is None):
            raise ValueError(
                f"{self.game.name}: no self-play in games with simultaneous moves; pass seat "
                f"(0 to {count - 1}, or 'both') and opponent"
            )
        if (seat is None) != (opponent is None):
            raise ValueError("pass both seat and opponent, or neither for self-play")
        wanted = () if seat is None else tuple(range(count)) if seat == BOTH else (int(seat),)
        if self.opponents is None:
            return wanted
        taken = [self.opponents.can_fill(other) for other in range(count)]
        free = tuple(one for one in wanted if all(ok for other, ok in enumerate(taken) if other != one))
        if not free:
            raise ValueError(f"invalid opponent={opponent!r} with seat={seat!r}: no player can take the other seats")
        return free

    @property
    def moves(self) -> ListedMoves | MultiDiscreteMoves:
        """Encoding of moves as actions."""
        return self._numbers.moves

    # -- play ----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Start all games.

        Args:
            seed: Random seed; None: continue with the current generators.
            options: ``params``, see `econzoo.envs.core.env.options.check_reset_options`.

        Returns:
            Observations, float32 of shape (games, features), and action masks, int8 (games, actions).
        """
        seed, options = check_seed(seed), check_reset_options(self.game, options, ("params",))
        self.change_params(options.get("params"))
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.start(np.ones(self.num_games, bool), seeded=seed is not None)
        return self.observe()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Play one action in every game; finished games restart at once.

        Args:
            actions: Actions of the numeric face: integers of shape (games,), or (games, parts of a move).

        Returns:
            Observations and masks of the next move (of the new game if one has ended); rewards, float64 of shape
            (games,), 0 until a game ends (unless by round); flags of games that ended, bool of shape (games,);
            and infos: ``seat`` (of the observation), and for games that ended ``payoff``, ``gain`` and ``errors``, of
            shape (games, seats); in self-play also ``reward`` of all seats, because `rewards` has only that of the seat
            that acted last.

        Raises:
            ValueError: Action outside the space, without `on_error`.
        """
        actors = self.acting_seats()
        done = self.play(actions, np.ones(self.num_games, bool))
        infos = self.results(done) if done.any() else {}
        rewards = self.pay(done, actors, infos.get("gain"))
        if done.any():
            if not self.seats:  # all seats are paid, not only the one that acted last
                infos["reward"] = np.zeros((self.num_games, self.batch.seats))
                for seat in range(self.batch.seats):
                    own = self.rewards(done, np.full(self.num_games, seat), infos["gain"])
                    infos["reward"][done, seat] = own
            self.start(done)
        infos["seat"] = self.acting_seats()
        observations, masks = self.observe(infos["seat"])
        return observations, rewards, done, masks, infos

    def play(self, actions: Any, where: np.ndarray) -> np.ndarray:
        """Play actions and the opponents' moves with and after them; return flags of games that ended."""
        return self._play_on(where, self._numbers.check_actions(actions, self.num_games, "actions", self._checks_space))

    def start(self, where: np.ndarray, seeded: bool = False) -> None:
        """Start games up to the learner's first move; games that end until then restart.

        Args:
            where: Flags of the games.
            seeded: Whether to reseed chance moves from `rng`.
        """
        self.batch.reset(int(self.rng.integers(2**63)) if seeded else None, where)
        self._earned[where] = 0.0
        # A match can end before the learner moves, even every time, e.g. if an opponent always ends it at once.
        for _ in range(MAX_RESTARTS):
            if len(self.seats) > 1:
                self.learner[where] = self.rng.choice(self.seats, size=int(where.sum()))
            if self.opponents:
                self.opponents.sit(where, self.learner, self.rng)
            where = self._play_on(where)
            if not where.any():
                return
            self.batch.reset(where=where)
        raise RuntimeError(f"{self.game.name}: seat {self.seats} never gets to act")

    def change_params(self, changes: Mapping[str, Any] | None, where: np.ndarray | None = None) -> None:
        """Change parameters of games that are started next, and of those that follow; see `GameBatch.change_params`."""
        if changes:
            self.batch.change_params(changes, where)
            if where is None or where.all():
                self._changed_params.update(changes)
            else:
                self._distribution = None  # `redraw` would undo the change

    def redraw(self, sets: int, players: int) -> None:
        """Resample settings and players that no game uses from their distributions.

        Long trainings thus see more than the initial samples.

        Args:
            sets: Maximum number of parameter sets.
            players: Maximum number of players over all specs with distributions.
        """
        if self._distribution is not None:
            sampled = [dict(self.game.sample(self._distribution, self.rng)) for _ in range(sets)]
            drawn = [{**one, **self._changed_params} for one in sampled]
            self.batch.replace_params(drawn, self.rng)
        if self.opponents is not None:
            self.opponents.scripted.redraw(players, self.rng)

    def copy_state(self) -> dict[str, Any]:
        """Return everything that later steps depend on, except for networks and weights of policies.

        Returns:
            Nested dictionaries of copied arrays and plain values, for `restore_state`.
        """
        opponents = {"opponents": self.opponents.copy_state()} if self.opponents else {}
        own = {"learner": self.learner.copy(), "earned": self._earned.copy(), "rng": self.rng.bit_generator.state}
        return {**own, "batch": self.batch.copy_state(), **opponents}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of a batch with the same arguments: the same actions lead to the same steps.

        Raises:
            ValueError: The state is of other games.
            KeyError: It is incomplete.
        """
        restore_array("learner", self.learner, state["learner"], range(self.batch.seats))
        restore_array("earned", self._earned, state["earned"])
        self.rng.bit_generator.state = state["rng"]
        self.batch.restore_state(state["batch"])
        if self.opponents:
            self.opponents.restore_state(state["opponents"])

    def _play_on(self, where: np.ndarray, actions: np.ndarray | None = None) -> np.ndarray:
        """Play the learner's moves, if given, and the opponents' until the learner has a legal one.

        Returns flags of games that ended.
        """
        kinds, values, together = self._kinds, self._values, self.batch.turns.has_joint_moves
        if actions is not None:
            column = self.learner if together else np.zeros(self.num_games, np.int64)
            rows = self._rows
            kinds[rows, column], values[rows, column] = self._numbers.decode(actions, column if together else None)
        if self.opponents and self.opponents.has_play_loop:
            moves = kinds, values.reshape(self.num_games, -1)
            return self.opponents.scripted.play_until(where, self.learner, actions is not None, moves, self.rng)
        ended = self._move(where, actions) if actions is not None else np.zeros(self.num_games, bool)
        waiting = np.empty(self.num_games, bool)
        while self.seats and self.batch.code.write_waiting(*self.batch.position_arrays, where, self.learner, waiting):
            ended |= self._move(waiting)
        return ended

    def _move(self, where: np.ndarray, actions: np.ndarray | None = None) -> np.ndarray:
        """Play one move of all movers: the learner's, decoded already, and the opponents'."""
        kinds, values, together = self._kinds, self._values, self.batch.turns.has_joint_moves
        said = self._said if self.batch.symbol_memory else None
        if said is not None:
            said[:] = NO_SYMBOL
            if actions is not None:
                said[self._rows, self.learner if together else 0] = self._numbers.symbols_of(actions)
        if self.opponents and (together or actions is None):
            self.opponents.move(where, kinds, values, self._said, self.rng)
        moves = (kinds, values) if together else (kinds[:, 0], values[:, 0])
        return self.batch.step(*moves, where, said)[1]

    # -- observations --------------------------------------------------------------------------------------

    def acting_seats(self) -> np.ndarray:
        """Return the acting seat in each game, the learner's or in self-play the seat to act; int64 (games,)."""
        return self.learner.copy() if self.seats else np.maximum(self.batch.to_act, 0)

    def observe(
        self, seats: np.ndarray | None = None, games: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return observations and masks of seats of games; None: the acting seats of all games."""
        seats = self.acting_seats() if seats is None else seats
        return self.batch.observe(seats, games), self._numbers.masks(seats, games)

    def results(self, ended: np.ndarray) -> dict[str, np.ndarray]:
        """Return payoffs, gains and errors of games that ended, of shape (games, seats); 0 in others."""
        gains = np.zeros((self.num_games, self.batch.seats))
        gains[ended] = self._gains(np.flatnonzero(ended))
        payoffs = np.where(ended[:, None], self.batch.payoffs(), 0.0)
        return {"payoff": payoffs, "gain": gains, "errors": np.where(ended[:, None], self.batch.errors, 0)}

    def _gains(self, games: np.ndarray) -> Any:
        if self.definition == "paper":
            return self.batch.gains(games)
        return [self.game.metrics.outcome(*self.batch.position(int(i)), self.definition).gains for i in games]

    def pay(
        self, ended: np.ndarray, seats: np.ndarray, gains: np.ndarray | None, played: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the rewards of a step for a seat of each game, float64 (games,), before games that ended restart.

        Args:
            ended: Flags of games that ended.
            seats: The seats.
            gains: Gains of these games (`results`).
            played: Flags of games with a move in this step; None: all.
        """
        rewards = np.zeros(self.num_games)
        if gains is not None:
            rewards[ended] = self.rewards(ended, seats, gains)
        if self._pays_by_round:
            running = ~ended if played is None else played & ~ended
            games = np.flatnonzero(running)
            gains_now = np.asarray(self._gains(games), float).reshape(-1, self.batch.seats)
            earned = self.objective.sum_rounds(gains_now, self.batch.payoffs()[games])
            rewards[games] = now = earned[np.arange(len(games)), seats[games]]
            rewards[running | ended] -= self._earned[running | ended]
            self._earned[games] = now
        return rewards

    def rewards(self, ended: np.ndarray, seats: np.ndarray, gains: np.ndarray) -> Any:
        """Return the objective of seats of the games that ended, in order."""
        games, can_forfeit = np.flatnonzero(ended), self.batch.on_error == "forfeit"
        # The usual case at once for all games; below each game costs some Python.
        if self.objective.spec == "self_gain" and not can_forfeit:
            return gains[games, seats[games]]
        rewards = []
        for i in games:
            (params, state), seat = self.batch.position(int(i)), int(seats[i])
            outcome = self.game.metrics.outcome(params, state, self.definition)
            value = self.objective.reward(self.game.rules.payoffs(params, state), outcome, seat)
            if can_forfeit:  # at the first error
                scale = reward_scale(self.game, params, self.objective, seat, self.definition)
                value = scale.reward(value, replaced=float(self.batch.errors[i, seat] > 0))
            rewards.append(value)
        return rewards
