"""The arguments of `econzoo train ppo`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from typer import Argument, Option

from econzoo.baselines.factory import fitting, refuse_people
from econzoo.baselines.policy_files import BATCH, MEMORIES, metadata_of
from econzoo.baselines.pools import pool
from econzoo.baselines.single_agent import distribution
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.parameters import Domain, Flag, Real, Whole, checked
from econzoo.envs.core.env.options import GRID_SIZES, PENALTIES, one_of
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.vector.scripted import compiles
from econzoo.evaluate.met import Met, met_of
from econzoo.train.rl_files import latest
from econzoo.train.tracking import TRACKERS
from econzoo.wrappers.opponents import BOTH

MANY = 10**12


ALGORITHM = {"sb3": "maskable", "sb3-unmasked": "ppo", BATCH: BATCH}
"""Name of an algorithm to what policy files call it."""

AMOUNTS = ("ordinal", "classes")

UNSET: dict[str, tuple[float, float, float]] = {
    "n_envs": (0, 16, 512),
    "n_steps": (0, 128, 32),
    "batch_size": (0, 512, 2048),
    "epochs": (0, 10, 3),
    "gae_lambda": (-1.0, 0.95, 1.0),
}
"""What stands for "not given", what Stable-Baselines3 then has, and what the training on compiled games has."""

CHECKS: dict[str, Domain[Any]] = {
    "timesteps": Whole(1, MANY),
    "seed": Whole(0, MANY),
    "grid": GRID_SIZES,
    "n_envs": Whole(1, 4096),
    "n_steps": Whole(1, MANY),
    "batch_size": Whole(2, MANY),
    "epochs": Whole(1, 1000),
    "history": Whole(0, 1000),
    "eval_every": Whole(0, MANY),
    "eval_episodes": Whole(2, 1_000_000),
    "checkpoint_every": Whole(0, MANY),
    "threads": Whole(1, 1024),
    "learning_rate": Real(0.0, 1.0, above=True),
    "gamma": Real(0.0, 1.0, above=True),
    "gae_lambda": Real(0.0, 1.0),
    "clip_range": Real(0.0, above=True),
    "entropy": Real(0.0),
    "predict": Real(0.0),
    "entropy_end": Real(0.0),
    "penalty": PENALTIES,
    "resume": Flag(),
    "decay": Flag(),
}
"""What the arguments that one bound decides on may be."""


@dataclass
class PPOArgs:
    """Train an RL agent on a seat with (masked) PPO.

    Raises:
        ValueError: A value is not allowed; the message names it and what is allowed.
    """

    game: Annotated[str, Argument(help="Name of the game, e.g. bargaining.")]
    opponent: Annotated[
        list[str], Option(help="Spec of an opponent; repeat it for a pool. Default: the game's training pool.")
    ] = field(default_factory=list)
    markets: Annotated[
        str, Option(help="Distribution or name of the markets (see the game's scenarios), or fixed parameters as JSON.")
    ] = "train"
    seat: Annotated[str, Option(help="Seat that learns: 0, 1, ..., or both: drawn for every episode.")] = BOTH
    timesteps: Annotated[int, Option(help="Moves of the learner in all, those before --resume included.")] = 120_000
    objective: Annotated[str, Option(help="Reward, e.g. self_gain or '0.7*self_gain + 0.3*fairness'.")] = "self_gain"
    algorithm: Annotated[
        str,
        Option(
            help="sb3: Stable-Baselines3 among legal actions; sb3-unmasked: among all; batch: compiled games, many "
            "times faster, where game and opponents have a compiled form."
        ),
    ] = "sb3"
    memory: Annotated[
        str, Option(help="Of earlier decisions in a match, with batch: none, history (the last ones), gru.")
    ] = "history"
    history: Annotated[int, Option(help="Decisions that --memory history goes back.")] = 3
    amounts: Annotated[
        str, Option(help="With batch: ordinal, neighbours share what is learned; or classes, each by itself.")
    ] = "ordinal"
    predict: Annotated[
        float, Option(help="With batch: weight of the error in what is seen next, where the others' moves stand.")
    ] = 0.0
    track: Annotated[list[str], Option(help="With batch: tensorboard, wandb, trackio; repeat it for several.")] = field(
        default_factory=list
    )
    seed: Annotated[int, Option(help="Of everything that is drawn.")] = 0
    out: Annotated[Path, Option(help="Folder of the result; policy.zip in it is played as ppo:FOLDER.")] = Path(
        "runs/ppo"
    )
    resume: Annotated[bool, Option("--resume", help="Go on with the training in --out, up to --timesteps.")] = False
    grid: Annotated[int, Option(help="Amounts that the policy chooses from, from the smallest to the largest.")] = 101
    penalty: Annotated[float, Option(help="Taken from the reward for each unusable action (only with ppo).")] = 0.0
    n_envs: Annotated[int, Option(help="Games played side by side; 0: 16, with batch 512.")] = 0
    n_steps: Annotated[int, Option(help="Moves per game between two updates; 0: 128, with batch 32.")] = 0
    batch_size: Annotated[int, Option(help="Moves per gradient step; 0: 512, with batch 2048.")] = 0
    epochs: Annotated[int, Option(help="Passes over the moves of an update; 0: 10, with batch 3.")] = 0
    learning_rate: Annotated[float, Option(help="Of Adam.")] = 1e-3
    decay: Annotated[bool, Option("--decay/--no-decay", help="Let the learning rate fall to 0.")] = True
    gamma: Annotated[float, Option(help="Discount per move; 1, because the games discount themselves.")] = 1.0
    gae_lambda: Annotated[
        float, Option(help="Of generalised advantage estimation; -1: 0.95, with batch 1, as rewards come last.")
    ] = -1.0
    clip_range: Annotated[float, Option(help="Of PPO.")] = 0.2
    entropy: Annotated[float, Option(help="Bonus for trying things out, at the start.")] = 0.05
    entropy_end: Annotated[float, Option(help="The same at the end of the training.")] = 0.01
    net: Annotated[list[int], Option(help="Units of a hidden layer; repeat it for several.")] = field(
        default_factory=lambda: [128, 128]
    )
    eval_every: Annotated[int, Option(help="Moves between two evaluations; 0: only before and after.")] = 20_000
    eval_episodes: Annotated[int, Option(help="Episodes against each opponent in an evaluation.")] = 120
    eval_opponent: Annotated[
        list[str],
        Option(
            help="Opponent in evaluations; repeat it. Default: --opponent if given, else the validation pool (with "
            "batch without those that cannot be compiled)."
        ),
    ] = field(default_factory=list)
    eval_markets: Annotated[
        str,
        Option(
            help="Markets of evaluations. Default: the validation ones if any and --markets is train, else --markets."
        ),
    ] = ""
    checkpoint_every: Annotated[int, Option(help="Moves between two checkpoints; 0: none.")] = 50_000
    threads: Annotated[int, Option(help="Threads of torch; more than one rarely helps a small network.")] = 1
    progress: Annotated[
        bool, Option("--progress/--no-progress", help="Show a progress bar; lines where there is no terminal.")
    ] = True

    def __post_init__(self) -> None:
        self.out, self.seat = Path(self.out), str(self.seat)
        game = find_game(self.game)
        one_of("algorithm", self.algorithm, tuple(ALGORITHM))
        for name, (unset, *given) in UNSET.items():
            if getattr(self, name) == unset:
                setattr(self, name, given[self.algorithm == BATCH])
        for name, domain in CHECKS.items():
            setattr(self, name, checked(f"train ppo: {name}", getattr(self, name), domain))
        one_of("memory", self.memory, MEMORIES)
        one_of("amounts", self.amounts, AMOUNTS)
        for name in self.track:
            one_of("track", name, tuple(TRACKERS))
        Objective(self.objective)
        if not self.net or not all(isinstance(units, int) and 1 <= units <= 65536 for units in self.net):
            raise ValueError(f"net={self.net!r} is not allowed; allowed: whole numbers from 1 to 65536")
        if self.batch_size > self.n_envs * self.n_steps:
            raise ValueError(f"batch_size={self.batch_size} is not allowed; allowed: at most n_envs * n_steps")
        self._fill_in(game.name)

    def _fill_in(self, game: str) -> None:
        """Replaces what was not given by the game's own pools and markets."""
        given, self.opponent = list(self.opponent), list(self.opponent) or pool(game, "TRAINING_POOL")
        unmet = given or self._able(game, pool(game, "VALIDATION_POOL", self.opponent))
        self.eval_opponent = list(self.eval_opponent) or self._facing(game, unmet)
        unseen = self.markets == "train" and "validation" in getattr(find_game(game).scenarios, "DISTRIBUTIONS", {})
        self.eval_markets = self.eval_markets or ("validation" if unseen else self.markets)
        refuse_people([*self.opponent, *self.eval_opponent], "training")
        if self.count != (other := find_game(game).seats(params_of(game, self.eval_markets))):
            raise ValueError(
                f"eval_markets={self.eval_markets!r} is not allowed: {other} seats; "
                f"allowed: markets with {self.count} seats, as the training's"
            )
        for name in ("opponent", "eval_opponent"):
            self._check_opposite(game, name)

    def _check_opposite(self, game: str, name: str) -> None:
        """Raises `ValueError` if nobody of a pool, or somebody whom evaluations meet alone, can sit opposite."""
        specs = getattr(self, name)
        for pool_of in [specs] if name == "opponent" else [[spec] for spec in specs]:
            if not seats_left(game, pool_of, self.learner, self.count):
                raise ValueError(
                    f"{name}={', '.join(pool_of)!r} is not allowed with seat={self.seat}: "
                    f"{_taken(game, pool_of, self.count)} only; allowed: opponents for the other seats, or another seat"
                )

    @property
    def count(self) -> int:
        """Seats of a match."""
        return find_game(self.game).seats(params_of(self.game, self.markets))

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats in which the learner plays: those for which the opponents fill all the others."""
        return seats_left(self.game, self.opponent, self.learner, self.count)

    def seats_told(self) -> str:
        """``"The learner takes seat 0 only: the opponents take seat 1."``; empty if that is no surprise."""
        if self.learner != BOTH or len(self.seats) == self.count:
            return ""
        return f"The learner takes seat {_either(self.seats)} only: {_taken(self.game, self.opponent, self.count)}."

    def _able(self, game: str, specs: list[str]) -> list[str]:
        """Those of the specs that can be compiled, where games are."""
        return [spec for spec in specs if compiles(spec, game)] if self.algorithm == BATCH else specs

    def _facing(self, game: str, specs: list[str]) -> list[str]:
        """Those of the specs that can sit opposite the learner."""
        others = [seat for seat in range(self.count) if seat != self.learner]
        return [spec for spec in specs if any(spec in fitting(game, [spec], seat) for seat in others)]

    @property
    def learner(self) -> int | str:
        """The seat as the environment takes it."""
        return int(self.seat) if self.seat.isdigit() else self.seat

    def network(self) -> dict[str, Any]:
        """What a policy file says about a network that is not one of Stable-Baselines3."""
        if self.algorithm != BATCH:
            return {}
        history, ordinal = self.history if self.memory == "history" else 0, self.amounts == "ordinal"
        return {"memory": self.memory, "history": history, "ordinal": ordinal, "predicts": self.predict > 0}

    def plain(self) -> dict[str, Any]:
        """As JSON can keep it."""
        return json.loads(json.dumps(asdict(self), default=str))

    def faded(self, start: float, end: float) -> Callable[[float], float]:
        """A schedule over the part of the training that is left, from 1 to 0."""
        return lambda left: end + (start - end) * min(max(left, 0.0), 1.0)


def fixed_setting(game: str, markets: str) -> dict[str, Any] | None:
    """The parameters of a single setting; None for a distribution of settings."""
    found = distribution(game, markets)
    return None if callable(found) else dict(found or {})


def params_of(game: str, markets: str) -> Any:
    """The rules' parameters of one of the markets; all have the same number of seats.

    Raises:
        ValueError: There are no such markets.
    """
    found = distribution(game, markets)
    public = found(np.random.default_rng(0)) if callable(found) else found or {}
    return find_game(game).params(**public)[1]


def seats_left(game: str, specs: Sequence[str], learner: int | str, count: int) -> tuple[int, ...]:
    """The seats of a learner, among so many, for which players of a pool can fill all the others.

    Raises:
        ValueError: A spec is unknown, or there is no such seat.
    """
    able = [bool(fitting(game, specs, seat)) for seat in range(count)]
    if learner != BOTH and learner not in range(len(able)):
        raise ValueError(f"seat={learner!r} is not allowed; allowed: 0 to {len(able) - 1}, or {BOTH}")
    wanted = range(len(able)) if learner == BOTH else (int(learner),)
    return tuple(seat for seat in wanted if all(ok for other, ok in enumerate(able) if other != seat))


def _taken(game: str, specs: Sequence[str], count: int) -> str:
    """``"the opponents take seat 1"``."""
    taken = [seat for seat in range(count) if fitting(game, specs, seat)]
    return f"the opponents take seat {_either(taken)}"


def _either(seats: Sequence[int]) -> str:
    return " or ".join(map(str, seats))


def about(args: PPOArgs, timesteps: int) -> dict[str, Any]:
    """What the policy file says about itself."""
    game, params = find_game(args.game), params_of(args.game, args.markets)
    trained = ALGORITHM[args.algorithm], args.net, timesteps, args.plain()
    return metadata_of(game, args.grid, *trained, params, met_by(args).plain(), args.network())


def met_by(args: PPOArgs) -> Met:
    """What a training meets, and what those before it in the same folder have met."""
    fixed = fixed_setting(args.game, args.markets)
    drawn = [] if fixed is not None else [args.markets]
    met = Met(args.game, args.opponent, list(args.seats), [] if fixed is None else [fixed], drawn, [args.seed])
    start = latest(args.out) if args.resume else None
    return met.joined(met_of(f"ppo:{start}") if start else None)


def seed_at(args: PPOArgs, timesteps: int) -> int:
    """A seed for a training that starts at this count of moves."""
    return int(np.random.SeedSequence([args.seed, timesteps]).generate_state(1)[0] >> 1)
