"""The arguments of `econzoo train ppo`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from econzoo.baselines.factory import fitting, refuse_people
from econzoo.baselines.policy_files import MEMORIES
from econzoo.baselines.pools import TRAINERS, members, pool
from econzoo.baselines.single_agent import params_of
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.parameters import checked
from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.vector.scripted import compiles
from econzoo.train.rl_defaults import (
    ALGORITHM,
    AMOUNTS,
    AUTO,
    CHECKS,
    COMPILED,
    COMPILED_ONLY,
    DEFAULTS,
    NO_RECIPE,
    SB3,
    UNSET,
)
from econzoo.train.rl_opponents import either, not_compiled, seats_left, taken
from econzoo.train.tracking import TRACKERS
from econzoo.wrappers.opponents import BOTH

__all__ = ["PPOArgs"]

NETWORK, OPTIMISATION, EVALUATION, RUN = "Network", "Optimisation", "Evaluation and checkpoints", "Run"
"""Panels of the help."""


def _option(help: str, panel: str, name: str = "", flag: str = "") -> Any:
    """An option of the command, in a panel of the help; `name` is that of an argument of `DEFAULTS`."""
    default = DEFAULTS[name].told if name else True
    return Option(*[flag] * bool(flag), help=help, rich_help_panel=panel, show_default=default)


@dataclass
class PPOArgs:
    """Train one network by PPO to play a game, in one seat or in all.

    Raises:
        ValueError: A value is not allowed; the message names it and what is allowed.
    """

    game: Annotated[str, Argument(help="Name of the game, e.g. bargaining.")]
    opponent: Annotated[
        list[str],
        Option(help="Spec of an opponent, or training or wide for that whole pool; repeat it. Default: training."),
    ] = field(default_factory=list)
    markets: Annotated[
        str, Option(help="Distribution or name of the markets (see the game's scenarios), or fixed parameters as JSON.")
    ] = "train"
    seat: Annotated[str, Option(help="Seat that learns: 0, 1, ..., or both: drawn for every episode.")] = BOTH
    objective: Annotated[str, Option(help="Reward, e.g. self_gain or '0.7*self_gain + 0.3*fairness'.")] = "self_gain"
    grid: Annotated[int, Option(help="Amounts that the policy chooses from, from the smallest to the largest.")] = 101
    timesteps: Annotated[
        int, Option(help="Moves of the learner, also those before --resume.", show_default=DEFAULTS["timesteps"].told)
    ] = UNSET
    algorithm: Annotated[
        str,
        Option(
            help="compiled: thousands of compiled games at once. sb3: Stable-Baselines3 on environments one after the "
            "other, with every game and player, among legal actions; sb3-unmasked: among all. auto: compiled where "
            "game and opponents have a compiled form, else sb3."
        ),
    ] = AUTO

    out: Annotated[Path, _option("Folder of the result; policy.zip in it is played as ppo:FOLDER.", RUN)] = Path(
        "runs/ppo"
    )
    seed: Annotated[int, _option("Of everything that is drawn.", RUN)] = 0
    seeds: Annotated[
        int, _option("Trainings with the seeds --seed, --seed + 1, ..., in the folders seed-N of --out.", RUN)
    ] = 1
    jobs: Annotated[
        int | None, _option("Trainings of several seeds at a time; default: as many as there are processors.", RUN)
    ] = None
    dry_run: Annotated[
        bool,
        _option(
            "Only say what would be trained and how long it would take; nothing is written.", RUN, flag="--dry-run"
        ),
    ] = False
    resume: Annotated[bool, _option("Go on with the training in --out, up to --timesteps.", RUN, flag="--resume")] = (
        False
    )
    threads: Annotated[int, _option("Threads of torch; more than one rarely helps a small network.", RUN)] = 1
    track: Annotated[
        list[str], _option("tensorboard, wandb or trackio; repeat it for several. Only with compiled.", RUN)
    ] = field(default_factory=list)
    progress: Annotated[
        bool, _option("Tell how far it is, on standard error.", RUN, flag="--progress/--no-progress")
    ] = True

    memory: Annotated[
        str,
        _option(
            "Of earlier decisions in a match: none, history (the last ones), or gru (a recurrent network).",
            NETWORK, "memory",
        ),
    ] = UNSET  # fmt: skip
    history: Annotated[int, _option("Decisions that --memory history goes back.", NETWORK)] = 3
    amounts: Annotated[
        str,
        _option(
            "ordinal: neighbours share what is learned of an amount; classes: each stands by itself.",
            NETWORK, "amounts",
        ),
    ] = UNSET  # fmt: skip
    predict: Annotated[
        float,
        _option(
            "Weight of an auxiliary loss: the error in what is seen at the next decision, where the others' moves "
            "stand. Only with compiled.",
            NETWORK,
        ),
    ] = 0.0
    fourier: Annotated[
        int,
        _option(
            "Frequencies at which each number that is seen is read, so that near amounts can be answered differently; "
            "0: the numbers alone.",
            NETWORK, "fourier",
        ),
    ] = UNSET  # fmt: skip
    net: Annotated[list[int], _option("Units of a hidden layer; repeat it for several.", NETWORK)] = field(
        default_factory=lambda: [128, 128]
    )

    n_envs: Annotated[int, _option("Games played side by side.", OPTIMISATION, "n_envs")] = UNSET
    n_steps: Annotated[int, _option("Moves per game between two updates.", OPTIMISATION, "n_steps")] = UNSET
    batch_size: Annotated[int, _option("Moves per gradient step.", OPTIMISATION, "batch_size")] = UNSET
    epochs: Annotated[int, _option("Passes over the moves of an update.", OPTIMISATION, "epochs")] = UNSET
    learning_rate: Annotated[float, _option("Of Adam.", OPTIMISATION)] = 1e-3
    decay: Annotated[bool, _option("Let the learning rate fall to 0.", OPTIMISATION, flag="--decay/--no-decay")] = True
    gamma: Annotated[float, _option("Discount per move; 1, as the games discount themselves.", OPTIMISATION)] = 1.0
    gae_lambda: Annotated[
        float,
        _option("Of generalised advantage estimation; 1, as rewards come at the end.", OPTIMISATION, "gae_lambda"),
    ] = UNSET
    clip_range: Annotated[float, _option("How far PPO may move the ratio of probabilities from 1.", OPTIMISATION)] = 0.2
    entropy: Annotated[float, _option("Entropy bonus at the start.", OPTIMISATION)] = 0.05
    entropy_end: Annotated[float, _option("Entropy bonus at the end.", OPTIMISATION)] = 0.01
    penalty: Annotated[
        float, _option("Taken from the reward for each unusable action; only with sb3-unmasked.", OPTIMISATION)
    ] = 0.0

    eval_every: Annotated[
        int, _option("Moves between two evaluations; 0: only before and after.", EVALUATION, "eval_every")
    ] = UNSET
    eval_episodes: Annotated[int, _option("Episodes against each opponent in an evaluation.", EVALUATION)] = 120
    eval_opponent: Annotated[
        list[str],
        _option(
            "Opponent in evaluations; repeat it. Default: --opponent if given, else the validation pool (with "
            "compiled, those of it that have a compiled form).",
            EVALUATION,
        ),
    ] = field(default_factory=list)
    eval_markets: Annotated[
        str,
        _option(
            "Markets of evaluations. Default: validation if there is such a distribution and --markets is train or "
            "wide, else those of the training.",
            EVALUATION,
        ),
    ] = ""
    checkpoint_every: Annotated[
        int, _option("Moves between two checkpoints; 0: none.", EVALUATION, "checkpoint_every")
    ] = UNSET

    def __post_init__(self) -> None:
        self.out, self.seat = Path(self.out), str(self.seat)
        game = find_game(self.game)
        one_of("algorithm", self.algorithm, (AUTO, *ALGORITHM))
        self._choose_algorithm(game.name)
        for name, default in DEFAULTS.items():
            if getattr(self, name) is UNSET:
                setattr(self, name, default.compiled if self.compiled else default.sb3)
        for name, domain in CHECKS.items():
            setattr(self, name, checked(f"train ppo: {name}", getattr(self, name), domain))
        one_of("memory", self.memory, MEMORIES)
        one_of("amounts", self.amounts, AMOUNTS)
        for name in self.track:
            one_of("track", name, tuple(TRACKERS))
        for name, known in COMPILED_ONLY.items():
            if not self.compiled and getattr(self, name) != known:
                told = f"{name}={getattr(self, name)!r} is not allowed with --algorithm {self.algorithm}"
                raise ValueError(f"{told}; allowed: --algorithm {COMPILED}")
        Objective(self.objective)
        if not self.net or not all(isinstance(units, int) and 1 <= units <= 65536 for units in self.net):
            raise ValueError(f"net={self.net!r} is not allowed; allowed: whole numbers from 1 to 65536")
        if self.batch_size > self.n_envs * self.n_steps:
            raise ValueError(f"batch_size={self.batch_size} is not allowed; allowed: at most n_envs * n_steps")
        self._fill_in(game.name)

    def _choose_algorithm(self, game: str) -> None:
        """Puts an algorithm in the place of ``auto``, or refuses one that does not play the game or a player.

        Attributes `given` (the opponents that were named, if there is anybody but the game's own pools) and `why` (that
        algorithm, empty if ``auto`` did not choose it for want of a compiled form) are set.
        """
        self.given = [] if set(self.opponent) <= set(TRAINERS) else list(self.opponent)
        self.opponent = members(game, self.opponent) or pool(game, "training")
        self.why, lacking = "", not_compiled(game, [*self.opponent, *self.eval_opponent])
        if self.algorithm == AUTO:
            self.algorithm = SB3 if lacking else COMPILED
            self.why = f"{lacking}: training with --algorithm {SB3}, on environments one after the other"
            self.why *= bool(lacking)
        elif self.compiled and lacking:
            told = f"algorithm={COMPILED!r} is not allowed here: {lacking}"
            raise ValueError(f"{told}; allowed: --algorithm {SB3}, which plays all games and meets all players")

    @property
    def compiled(self) -> bool:
        """Whether it is trained on compiled games."""
        return self.algorithm == COMPILED

    def _fill_in(self, game: str) -> None:
        """Replaces what was not given by the game's own pools and markets."""
        given = self.given
        unmet = given or self._able(game, pool(game, "validation", self.opponent))
        self.eval_opponent = list(self.eval_opponent) or self._facing(game, unmet)
        known = getattr(find_game(game).scenarios, "DISTRIBUTIONS", {})
        unseen = self.markets in ("train", "wide") and "validation" in known
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
                    f"{taken(game, pool_of, self.count)} only; allowed: opponents for the other seats, or another seat"
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
        return f"The learner takes seat {either(self.seats)} only: {taken(self.game, self.opponent, self.count)}."

    def _able(self, game: str, specs: list[str]) -> list[str]:
        """Those of the specs that can be compiled, where games are."""
        return [spec for spec in specs if compiles(spec, game)] if self.compiled else specs

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
        if not self.compiled:
            return {}
        history, ordinal = self.history if self.memory == "history" else 0, self.amounts == "ordinal"
        said = {"memory": self.memory, "history": history, "ordinal": ordinal, "predicts": self.predict > 0}
        return {**said, "fourier": self.fourier}

    def plain(self) -> dict[str, Any]:
        """The recipe of one training, as JSON can keep it."""
        kept = {name: value for name, value in asdict(self).items() if name not in NO_RECIPE}
        return json.loads(json.dumps(kept, default=str))

    def faded(self, start: float, end: float) -> Callable[[float], float]:
        """A schedule over the part of the training that is left, from 1 to 0."""
        return lambda left: end + (start - end) * min(max(left, 0.0), 1.0)
