"""Options of `econzoo train ppo`, and the choice of algorithm, seats and opponent pools."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from econzoo.baselines import ALGORITHMS, COMPILED, HELD_OUT_FAMILIES, MAX_FREQUENCIES, MEMORIES, SB3, filter_by_seat
from econzoo.baselines import fixed_setting, is_pool_name, members, members_left_out, params_of, parse_settings
from econzoo.baselines import pin_files, pool, refuse_people, seat_ranges, symbols_of
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Domain, Flag, Integer, ListOf, OneOf, Option, OrNone, Real, Text
from econzoo.envs.core.contract import describe_dominance
from econzoo.envs.core.env import GRID_SIZES, PENALTIES
from econzoo.envs.core.faces import FRACTION_RANGE_OR_NONE, FractionRange
from econzoo.envs.core.vector import can_compile
from econzoo.evaluate.run import ENGINES, LOCAL, EngineOptions
from econzoo.train import UNSET, Evaluation, Network, Optimisation, Recipe, Run, Task
from econzoo.train.rl.algorithms import AUTO, COMPILED_ONLY, DEFAULTS
from econzoo.train.rl.grids import USUAL_GRID_TEXT, check_grid, default_grid, default_range
from econzoo.train.rl.opponents import LEARNERS, NASH, STRATEGIES, describe_taken_seats, describe_uncompiled
from econzoo.train.rl.opponents import join_with_or, open_seats
from econzoo.wrappers import BOTH

__all__ = ["PPORecipe"]

AMOUNTS = ("ordinal", "classes")

MAX_COUNT = 10**12

COUNT, ANY_COUNT = Integer(1, MAX_COUNT), Integer(0, MAX_COUNT)
SHARE = Real(0.0, 1.0, is_low_excluded=True)
TEXTS: Domain[list[str]] = ListOf(Text())


def _algorithm_option(
    name: str, domain: Domain[Any], meaning: str, panel: Callable[..., Option] = Optimisation
) -> Option:
    """Return an option whose default depends on the algorithm (`DEFAULTS`)."""
    return panel(domain, meaning, default=DEFAULTS[name].help_text)


@dataclass(kw_only=True)
class PPORecipe(EngineOptions, Recipe):
    """Train a network by PPO in one seat or in all.

    Attributes:
        chosen_opponents: Named opponents, if any are neither a pool of the game nor the learner.
        params: Rule parameters of a training setting.
        fixed: The setting, if there is only one.
        algorithm_reason: Why ``auto`` chose the algorithm (what does not compile); else empty.
        grid_reason: Why a grid other than the usual one was chosen; else empty.

    Raises:
        ValueError: A value is invalid; the message names it and what is expected.
    """

    METHOD: ClassVar[str] = "ppo"
    OF_SEVERAL_RUNS: ClassVar[tuple[str, ...]] = ("seeds", "jobs", "sweep", "engine", "ray_address")
    """Options of several runs of one recipe."""

    NOT_RECORDED: ClassVar[tuple[str, ...]] = (*Recipe.NOT_RECORDED, *OF_SEVERAL_RUNS)

    seeds: Annotated[int, Run(Integer(1, 1000), "Runs, with seeds --seed, --seed + 1, ..., in --out/seed-N.")] = 1
    jobs: Annotated[int | None, Run(OrNone(Integer(1, 256)), "Parallel runs.", default="one per processor")] = None
    sweep: Annotated[
        str | None, Run(OrNone(Text()), "YAML search space for Ray Tune; one folder per trial in --out.")
    ] = None
    engine: Annotated[str, Run(OneOf(*ENGINES), "Where seeds are trained: local processes or a Ray cluster.")] = LOCAL
    ray_address: Annotated[str | None, Run(OrNone(Text()), "Ray cluster address or auto.", default="a new cluster")] = (
        None
    )

    game: Annotated[str, Option(Text(), "Name of the game, e.g. bargaining.", positional=True)] = field(kw_only=False)
    opponents: Annotated[
        list[str],
        Task(
            TEXTS,
            "Opponent spec, training or wide for that pool, a family such as mirror or families for all of them, a "
            "Python file of families, self for the present learner, past for its snapshots, or league for best "
            "responses (repeatable). All specs together are sampled as often as each of these three.",
            default="the training pool",
        ),
    ] = field(default_factory=list)
    opponent_files: Annotated[
        list[str],
        Task(TEXTS, "Python files of the opponents' players, with their SHA-256.", default="those among --opponents"),
    ] = field(default_factory=list)
    leave_out: Annotated[
        list[str],
        Task(
            TEXTS,
            "Family without which it trains, and without the mixed families that may have its rule (repeatable).",
        ),
    ] = field(default_factory=list)
    settings: Annotated[str, Task(Text(), "Setting, distribution of settings, or fixed parameters as JSON.")] = "train"
    seats: Annotated[str, Task(Text(), f"Seat that learns: 0, 1, ..., or {BOTH} (drawn per episode).")] = BOTH
    rewards: Annotated[
        str, Task(OneOf("end", "rounds"), "When rewards are paid: at the end, or when a round has earned them.")
    ] = "end"
    grid: Annotated[int, Task(GRID_SIZES, "Number of amounts to choose from.", default=USUAL_GRID_TEXT)] = UNSET
    grid_range: Annotated[
        FractionRange | None,
        Task(
            FRACTION_RANGE_OR_NONE,
            "Fraction of the usual range that they cover, LOW,HIGH from 0 to 1.",
            default="all, or the zone of agreement over all settings, where seats know only their own",
        ),
    ] = UNSET
    league_rounds: Annotated[int, Task(Integer(2, 64), "Rounds of the league; each adds a member.")] = 8
    league_strategy: Annotated[
        str, Task(OneOf(*STRATEGIES), "Meta-strategy of the league: nash, pfsp, or uniform.")
    ] = NASH
    timesteps: Annotated[
        int, _algorithm_option("timesteps", COUNT, "Total moves, with those of the training that is resumed.", Task)
    ] = UNSET
    algorithm: Annotated[
        str,
        Task(
            OneOf(AUTO, *ALGORITHMS),
            "Algorithm. compiled: thousands of compiled games at once; sb3: Stable-Baselines3 with action masks, for "
            "every game and player; sb3-unmasked: without masks; auto: compiled where possible",
        ),
    ] = AUTO

    seed: Annotated[int, Run(ANY_COUNT, "Random seed.")] = 0
    threads: Annotated[int, Run(Integer(1, 1024), "Torch threads.")] = 1
    progress: Annotated[bool, Run(Flag(), "Report progress on standard error.")] = True

    memory: Annotated[
        str,
        _algorithm_option("memory", OneOf(*MEMORIES), "Memory of earlier decisions; gru: recurrent network", Network),
    ] = UNSET
    history: Annotated[int, Network(Integer(0, 1000), "Decisions in the history of --memory history.")] = 3
    amounts: Annotated[
        str,
        _algorithm_option("amounts", OneOf(*AMOUNTS), "Output for amounts; ordinal: shared with neighbours", Network),
    ] = UNSET
    magnet: Annotated[
        float,
        Optimisation(Real(0.0), "KL penalty towards the magnet, a previous policy (compiled only)."),
    ] = 0.0
    magnet_every: Annotated[
        int, Optimisation(ANY_COUNT, "Moves between updates of the magnet (0 = keep the first policy).")
    ] = 0
    predict: Annotated[float, Network(Real(0.0), "Weight of the next-observation loss (compiled only).")] = 0.0
    fourier: Annotated[
        int,
        _algorithm_option("fourier", Integer(0, MAX_FREQUENCIES), "Fourier frequencies per input (0 = none).", Network),
    ] = UNSET
    net: Annotated[
        list[int], Network(ListOf(Integer(1, 65536), min_length=1), "Units per hidden layer (repeatable).")
    ] = field(default_factory=lambda: [128, 128])

    n_envs: Annotated[int, _algorithm_option("n_envs", Integer(1, 4096), "Parallel games.")] = UNSET
    n_steps: Annotated[int, _algorithm_option("n_steps", COUNT, "Moves per game between updates.")] = UNSET
    batch_size: Annotated[int, _algorithm_option("batch_size", Integer(2, MAX_COUNT), "Minibatch size in moves.")] = (
        UNSET
    )
    epochs: Annotated[int, _algorithm_option("epochs", Integer(1, 1000), "Epochs per update.")] = UNSET
    lr: Annotated[float, Optimisation(SHARE, "Learning rate of Adam.")] = 1e-3
    decay: Annotated[bool, Optimisation(Flag(), "Decay the learning rate linearly to 0.")] = True
    gamma: Annotated[float, Optimisation(SHARE, "Discount per move (games discount themselves).")] = 1.0
    gae_lambda: Annotated[float, _algorithm_option("gae_lambda", Real(0.0, 1.0), "GAE lambda.")] = UNSET
    clip_range: Annotated[float, Optimisation(Real(0.0, is_low_excluded=True), "PPO clip range.")] = 0.2
    entropy: Annotated[float, Optimisation(Real(0.0), "Initial entropy bonus.")] = 0.05
    entropy_end: Annotated[float, Optimisation(Real(0.0), "Final entropy bonus.")] = 0.01
    entropy_decay: Annotated[
        str, Optimisation(OneOf("linear", "exponential"), "Decay of the entropy bonus (exponential: compiled only).")
    ] = "linear"
    penalty: Annotated[float, Task(PENALTIES, "Penalty per invalid action (sb3-unmasked only).")] = 0.0

    eval_every: Annotated[
        int,
        _algorithm_option(
            "eval_every", ANY_COUNT, "Moves between evaluations (0 = only at the start and the end).", Evaluation
        ),
    ] = UNSET
    eval_episodes: Annotated[int, Evaluation(Integer(2, 1_000_000), "Evaluation episodes per opponent.")] = 120
    eval_opponents: Annotated[
        list[str],
        Evaluation(
            TEXTS,
            "Evaluation opponent, or a family (repeatable).",
            default="--opponents if given, else the validation pool",
        ),
    ] = field(default_factory=list)
    eval_settings: Annotated[
        str,
        Evaluation(
            Text(), "Evaluation settings.", default="validation where --settings is train or wide, else --settings"
        ),
    ] = ""
    exploitability: Annotated[bool, Evaluation(Flag(), "Measure exploitability (compiled, --memory none).")] = False
    checkpoint_every: Annotated[
        int, _algorithm_option("checkpoint_every", ANY_COUNT, "Moves between checkpoints (0 = none).", Evaluation)
    ] = UNSET

    def resolve(self) -> None:
        """Choose the algorithm, and fill in what depends on it."""
        self.seats, game = str(self.seats), find_game(self.game).name
        self._choose_algorithm(game)
        self.grid_reason = ""
        if self.grid is UNSET:
            self.grid, self.grid_reason = default_grid(game, params_of(game, self.settings), self.symbols)
        if self.grid_range is UNSET:
            self.grid_range = default_range(game, parse_settings(game, self.settings, "settings"))
        for name, default in DEFAULTS.items():
            if getattr(self, name) is UNSET:
                setattr(self, name, default.compiled if self.is_compiled else default.sb3)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in COMPILED_ONLY.items():
            if not self.is_compiled and getattr(self, name) != known:
                wrong = f"invalid {name}={getattr(self, name)!r} with --algorithm {self.algorithm}"
                raise ValueError(f"{wrong}: expected --algorithm {COMPILED}")
        if self.entropy_decay == "exponential" and not self.entropy * self.entropy_end:
            raise ValueError("invalid entropy_decay='exponential' with an entropy bonus of 0: expected linear")
        if self.batch_size > self.n_envs * self.n_steps:
            raise ValueError(f"invalid batch_size={self.batch_size}: expected at most n_envs * n_steps")
        self._fill_in_defaults(find_game(self.game).name)
        check_grid(self.game, self.params, self.grid, self.symbols)

    def print_choices(self) -> None:
        """Print to standard error what was chosen instead of the usual, and why."""
        mix = describe_dominance(self.goal, seat_ranges(self.game, self.settings, self.learner_seats))
        for line in filter(None, [self.algorithm_reason, self.grid_reason, mix] * self.progress):
            print(line, file=sys.stderr, flush=True)

    def _choose_algorithm(self, game: str) -> None:
        """Resolve ``auto``, or reject an algorithm that does not support the game or a player."""
        opponents, eval_opponents = TEXTS(self.opponents), TEXTS(self.eval_opponents)
        named = [spec for spec in opponents if spec not in LEARNERS]
        several = all(is_pool_name(game, spec) for spec in named)
        self.chosen_opponents = [] if several else named
        self.opponent_files = pin_files(game, [*TEXTS(self.opponent_files), *opponents, *eval_opponents])
        self.eval_opponents = members(game, eval_opponents, HELD_OUT_FAMILIES)
        self.opponents = members(game, opponents) or pool(game, "training")
        if away := members_left_out(game, TEXTS(self.leave_out)):
            self.opponents = [spec for spec in self.opponents if spec not in away]
        if not self.opponents:
            raise ValueError(
                f"no opponents are left without {', '.join(self.leave_out)}; expected --opponents families"
            )
        lacking = describe_uncompiled(game, self.named_opponents)
        reason = f"{lacking}: training with --algorithm {SB3}, on sequential environments"
        itself = [one for one in opponents if one in LEARNERS]
        if itself and (lacking or self.algorithm not in (AUTO, COMPILED)):
            wrong = f"invalid opponents={itself[0]!r}: {lacking or self.algorithm}"
            expected = f"--algorithm {COMPILED}, with games and players that compile"
            raise ValueError(f"{wrong}; expected {expected}")
        self.algorithm_reason = reason if lacking and self.algorithm == AUTO else ""
        if self.algorithm == AUTO:
            self.algorithm = SB3 if lacking else COMPILED
        elif self.is_compiled and lacking:
            expected = f"--algorithm {SB3}, which supports all games and players"
            raise ValueError(f"invalid algorithm={COMPILED!r}: {lacking}; expected {expected}")

    @property
    def libraries(self) -> tuple[str, ...]:
        """Required libraries."""
        return ("torch", "numba") if self.is_compiled else ("stable_baselines3", "sb3_contrib")

    @property
    def is_compiled(self) -> bool:
        """Whether it trains on compiled games."""
        return self.algorithm == COMPILED

    def _fill_in_defaults(self, game: str) -> None:
        """Fill in missing options from the game's pools and settings."""
        self.params, self.fixed = params_of(game, self.settings), fixed_setting(game, self.settings)
        # Evaluation opponents, in this order: unmet members of the chosen families, the validation pool, `random`.
        unmet = members(game, self.chosen_opponents, HELD_OUT_FAMILIES)
        unmet = unmet or self._filter_compiled(game, pool(game, "validation", self.opponents)) or ["random"]
        self.eval_opponents = self.eval_opponents or self._filter_opposite(game, unmet)
        known = getattr(find_game(game).scenarios, "DISTRIBUTIONS", {})
        unseen = self.settings in ("train", "wide") and "validation" in known
        self.eval_settings = self.eval_settings or ("validation" if unseen else self.settings)
        refuse_people([*self.named_opponents, *self.eval_opponents], "training")
        if self.seat_count != (other := find_game(game).seats(params_of(game, self.eval_settings))):
            raise ValueError(
                f"invalid eval_settings={self.eval_settings!r} with {other} seats: "
                f"expected settings with {self.seat_count} seats, as in training"
            )
        if self.symbols != (others := symbols_of(game, self.eval_settings)):
            raise ValueError(
                f"invalid eval_settings={self.eval_settings!r} with messages={others or 'words or none'}: "
                f"expected settings with messages={self.symbols or 'words or none'}, as in training"
            )
        if self.symbols and self.exploitability:
            raise ValueError("invalid exploitability=True with symbols: expected False")
        for name in ("opponents", "eval_opponents"):
            self._check_opponents(game, name)

    def _check_opponents(self, game: str, name: str) -> None:
        """Raise `ValueError` if no opponent of a pool, or some evaluation opponent, can take the other seats."""
        specs = getattr(self, name)
        for pool_of in [specs] if name == "opponents" else [[spec] for spec in specs]:
            if not open_seats(game, pool_of, self.learner, self.seat_count):
                raise ValueError(
                    f"invalid {name}={', '.join(pool_of)!r} with seats={self.seats}: "
                    f"{describe_taken_seats(game, pool_of, self.seat_count)} only; "
                    "expected opponents for the other seats, or another seat"
                )

    @property
    def named_opponents(self) -> list[str]:
        """Opponents that are players with specs."""
        return [spec for spec in self.opponents if spec not in LEARNERS]

    @property
    def seat_count(self) -> int:
        """Number of seats of a match."""
        return find_game(self.game).seats(self.params)

    @property
    def symbols(self) -> int:
        """Number of symbols for messages; 0: none."""
        return symbols_of(self.game, self.settings)

    @property
    def learner_seats(self) -> tuple[int, ...]:
        """Seats of the learner: those for which the opponents fill all the others."""
        return open_seats(self.game, self.opponents, self.learner, self.seat_count)

    def describe_seats(self) -> str:
        """Return ``"The learner takes seat 0 only: the opponents take seat 1."``; empty if all seats can be taken."""
        usual = self.learner != BOTH or len(self.learner_seats) == self.seat_count
        line = f"The learner takes seat {join_with_or(self.learner_seats)} only"
        return "" if usual else f"{line}: {describe_taken_seats(self.game, self.opponents, self.seat_count)}."

    def _filter_compiled(self, game: str, specs: list[str]) -> list[str]:
        """Select the specs that compile, in games that compile."""
        return [spec for spec in specs if can_compile(spec, game)] if self.is_compiled else specs

    def _filter_opposite(self, game: str, specs: list[str]) -> list[str]:
        """Select the specs that can sit opposite the learner."""
        others = [seat for seat in range(self.seat_count) if seat != self.learner]
        return [spec for spec in specs if any(spec in filter_by_seat(game, [spec], seat) for seat in others)]

    @property
    def learner(self) -> int | str:
        """The seat argument of the environment."""
        return int(self.seats) if self.seats.isdigit() else self.seats

    def network_metadata(self) -> dict[str, Any]:
        """Metadata of networks that are not of Stable-Baselines3, for policy files."""
        if not self.is_compiled:
            return {}
        history, ordinal = self.history if self.memory == "history" else 0, self.amounts == "ordinal"
        metadata = {"memory": self.memory, "history": history, "ordinal": ordinal, "predicts_next": self.predict > 0}
        return {**metadata, "fourier": self.fourier}

    def to_plain(self) -> dict[str, Any]:
        """Return the recipe of one training as plain values for JSON."""
        left_out = (*self.OF_SEVERAL_RUNS, "dry_run")
        return {name: value for name, value in super().to_plain().items() if name not in left_out}

    def fade_schedule(self, start: float, end: float) -> Callable[[float], float]:
        """Return a schedule over the remaining fraction of the training, from 1 to 0."""
        return lambda left: end + (start - end) * min(max(left, 0.0), 1.0)
