"""The options of `econzoo train ppo`, and what follows from them: algorithm, seats, pools."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from econzoo.baselines.factory import fitting, refuse_people
from econzoo.baselines.policy_files import MEMORIES, MOST_FREQUENCIES
from econzoo.baselines.pools import UNMET, members, pool, stands_for_several
from econzoo.baselines.single_agent import distribution, fixed_setting, params_of, symbols_of
from econzoo.envs.core.contract.options import Option, options_in
from econzoo.envs.core.contract.parameters import Domain, Each, Flag, OneOf, Real, Text, Whole
from econzoo.envs.core.env.options import GRID_SIZES, PENALTIES
from econzoo.envs.core.faces.grid_range import PART_OR_NONE, Part
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.vector.scripted import compiles
from econzoo.train.recipe import UNSET, Evaluation, Network, Optimisation, Recipe, Run, Several, Task
from econzoo.train.rl.algorithms import ALGORITHM, AUTO, COMPILED, COMPILED_ONLY, DEFAULTS, SB3
from econzoo.train.rl.grids import USUAL, check_grid, usual_grid, usual_range
from econzoo.train.rl.opponents import LEARNERS, NASH, STRATEGIES, either, not_compiled, seats_left, taken
from econzoo.wrappers.single_agent import BOTH

__all__ = ["PPORecipe"]

AMOUNTS = ("ordinal", "classes")

MANY = 10**12

COUNT, ANY_COUNT = Whole(1, MANY), Whole(0, MANY)
SHARE = Real(0.0, 1.0, above=True)
TEXTS: Domain[list[str]] = Each(Text())


def _depending(name: str, domain: Domain[Any], meaning: str, panel: Callable[..., Option] = Optimisation) -> Option:
    """An option of `DEFAULTS`."""
    return panel(domain, meaning, default=DEFAULTS[name].words)


@dataclass(kw_only=True)
class PPORecipe(Several, Recipe):
    """Train one network by PPO to play a game, in one seat or in all.

    Attributes:
        given: The opponents that were named, if there is anybody but the game's own pools and the learner itself.
        params: Parameters of the rules in some setting of the training.
        fixed: The setting, if there is one only.
        why: The algorithm, and for want of which compiled form ``auto`` chose it; else empty.
        coarser: The grid that was chosen in the place of the usual one, and why; else empty.

    Raises:
        ValueError: A value is not allowed; the message names it and what is allowed.
    """

    METHOD: ClassVar[str] = "ppo"
    NOT_KEPT: ClassVar[tuple[str, ...]] = (*Recipe.NOT_KEPT, *options_in(Several))
    IN_FILES: ClassVar[dict[str, str]] = {
        "opponents": "opponent",
        "settings": "markets",
        "seats": "seat",
        "lr": "learning_rate",
        "eval_opponents": "eval_opponent",
        "eval_settings": "eval_markets",
    }

    game: Annotated[str, Option(Text(), "Name of the game, e.g. bargaining.", positional=True)] = field(kw_only=False)
    opponents: Annotated[
        list[str],
        Task(
            TEXTS,
            "Opponent spec, training or wide for that pool, a family such as mirror or families for all of them, self "
            "for the learner as it is, past for the learner as it was, or league for best responses (repeatable). All "
            "specs together are met as often as each of these three.",
            default="the training pool",
        ),
    ] = field(default_factory=list)
    settings: Annotated[str, Task(Text(), "Setting, distribution of settings, or fixed parameters as JSON.")] = "train"
    seats: Annotated[str, Task(Text(), f"Seat that learns: 0, 1, ..., or {BOTH}, drawn for every episode.")] = BOTH
    grid: Annotated[int, Task(GRID_SIZES, "Amounts that the policy chooses from.", default=USUAL)] = UNSET
    grid_range: Annotated[
        Part | None,
        Task(
            PART_OR_NONE,
            "Part of the usual amounts that these cover, LOW,HIGH from 0 to 1.",
            default="all, or those that are no loss to anybody in some setting, where seats know their own alone",
        ),
    ] = UNSET
    league_rounds: Annotated[int, Task(Whole(2, 64), "Rounds of the league; each adds a member.")] = 8
    league_strategy: Annotated[
        str, Task(OneOf(*STRATEGIES), "How members of the league are drawn: nash of the meta-game, pfsp, or uniform.")
    ] = NASH
    timesteps: Annotated[int, _depending("timesteps", COUNT, "Total moves, those before --resume included.", Task)] = (
        UNSET
    )
    algorithm: Annotated[
        str,
        Task(
            OneOf(AUTO, *ALGORITHM),
            "Algorithm. compiled: thousands of compiled games at once; sb3: Stable-Baselines3, which takes every game "
            "and player, with masked actions; sb3-unmasked: without masks; auto: compiled where possible",
        ),
    ] = AUTO

    seed: Annotated[int, Run(ANY_COUNT, "Random seed.")] = 0
    threads: Annotated[int, Run(Whole(1, 1024), "Torch threads.")] = 1
    progress: Annotated[bool, Run(Flag(), "Report progress on standard error.")] = True

    memory: Annotated[
        str,
        _depending("memory", OneOf(*MEMORIES), "Memory of earlier decisions; gru is a recurrent network", Network),
    ] = UNSET
    history: Annotated[int, Network(Whole(0, 1000), "Decisions in the history of --memory history.")] = 3
    amounts: Annotated[
        str,
        _depending("amounts", OneOf(*AMOUNTS), "Output for amounts; ordinal shares with neighbours", Network),
    ] = UNSET
    magnet: Annotated[
        float,
        Optimisation(Real(0.0), "Weight of the KL divergence from the magnet, an earlier policy (compiled only)."),
    ] = 0.0
    magnet_every: Annotated[
        int, Optimisation(ANY_COUNT, "Moves between renewals of the magnet (0 = the first policy stays).")
    ] = 0
    predict: Annotated[float, Network(Real(0.0), "Weight of the next-observation loss (compiled only).")] = 0.0
    fourier: Annotated[
        int,
        _depending("fourier", Whole(0, MOST_FREQUENCIES), "Fourier frequencies per input (0 = none).", Network),
    ] = UNSET
    net: Annotated[list[int], Network(Each(Whole(1, 65536), least=1), "Units of a hidden layer (repeatable).")] = field(
        default_factory=lambda: [128, 128]
    )

    n_envs: Annotated[int, _depending("n_envs", Whole(1, 4096), "Parallel games.")] = UNSET
    n_steps: Annotated[int, _depending("n_steps", COUNT, "Moves per game between updates.")] = UNSET
    batch_size: Annotated[int, _depending("batch_size", Whole(2, MANY), "Minibatch size in moves.")] = UNSET
    epochs: Annotated[int, _depending("epochs", Whole(1, 1000), "Epochs per update.")] = UNSET
    lr: Annotated[float, Optimisation(SHARE, "Learning rate of Adam.")] = 1e-3
    decay: Annotated[bool, Optimisation(Flag(), "Decay the learning rate linearly to 0.")] = True
    gamma: Annotated[float, Optimisation(SHARE, "Discount per move (games discount themselves).")] = 1.0
    gae_lambda: Annotated[float, _depending("gae_lambda", Real(0.0, 1.0), "GAE lambda.")] = UNSET
    clip_range: Annotated[float, Optimisation(Real(0.0, above=True), "PPO clip range.")] = 0.2
    entropy: Annotated[float, Optimisation(Real(0.0), "Initial entropy bonus.")] = 0.05
    entropy_end: Annotated[float, Optimisation(Real(0.0), "Final entropy bonus.")] = 0.01
    entropy_decay: Annotated[
        str, Optimisation(OneOf("linear", "exponential"), "Decay of the entropy bonus (exponential: compiled only).")
    ] = "linear"
    penalty: Annotated[float, Task(PENALTIES, "Penalty per invalid action (sb3-unmasked only).")] = 0.0

    eval_every: Annotated[
        int, _depending("eval_every", ANY_COUNT, "Moves between evaluations (0 = only before and after).", Evaluation)
    ] = UNSET
    eval_episodes: Annotated[int, Evaluation(Whole(2, 1_000_000), "Evaluation episodes per opponent.")] = 120
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
        int, _depending("checkpoint_every", ANY_COUNT, "Moves between checkpoints (0 = none).", Evaluation)
    ] = UNSET

    def resolve(self) -> None:
        """Chooses the algorithm, and fills in what depends on it."""
        self.seats, game = str(self.seats), find_game(self.game).name
        self._choose_algorithm(game)
        self.coarser = ""
        if self.grid is UNSET:
            self.grid, self.coarser = usual_grid(game, params_of(game, self.settings), self.symbols)
        if self.grid_range is UNSET:
            self.grid_range = usual_range(game, distribution(game, self.settings, "settings"))
        for name, default in DEFAULTS.items():
            if getattr(self, name) is UNSET:
                setattr(self, name, default.compiled if self.compiled else default.sb3)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in COMPILED_ONLY.items():
            if not self.compiled and getattr(self, name) != known:
                wrong = f"{name}={getattr(self, name)!r} is not allowed with --algorithm {self.algorithm}"
                raise ValueError(f"{wrong}; allowed: --algorithm {COMPILED}")
        if self.entropy_decay == "exponential" and not self.entropy * self.entropy_end:
            raise ValueError("entropy_decay='exponential' is not allowed with an entropy bonus of 0; allowed: linear")
        if self.batch_size > self.n_envs * self.n_steps:
            raise ValueError(f"batch_size={self.batch_size} is not allowed; allowed: at most n_envs * n_steps")
        self._fill_in(find_game(self.game).name)
        check_grid(self.game, self.params, self.grid, self.symbols)

    def tell(self) -> None:
        """Says on standard error what was chosen in the place of the usual, and why."""
        for told in filter(None, [self.why, self.coarser] * self.progress):
            print(told, file=sys.stderr, flush=True)

    def _choose_algorithm(self, game: str) -> None:
        """Puts an algorithm in the place of ``auto``, or refuses one that does not play the game or a player."""
        opponents, eval_opponents = TEXTS(self.opponents), TEXTS(self.eval_opponents)
        named = [spec for spec in opponents if spec not in LEARNERS]
        several = all(stands_for_several(game, spec) for spec in named)
        self.given, self.eval_opponents = ([] if several else named), members(game, eval_opponents, UNMET)
        self.opponents = members(game, opponents) or pool(game, "training")
        lacking, told = not_compiled(game, [*self.named, *self.eval_opponents]), "on environments one after the other"
        itself = [one for one in opponents if one in LEARNERS]
        if itself and (lacking or self.algorithm not in (AUTO, COMPILED)):
            wrong = f"opponents={itself[0]!r} is not allowed here: {lacking or self.algorithm}"
            raise ValueError(
                f"{wrong}; allowed: with --algorithm {COMPILED}, in games and against players that compile"
            )
        self.why = f"{lacking}: training with --algorithm {SB3}, {told}" if lacking and self.algorithm == AUTO else ""
        if self.algorithm == AUTO:
            self.algorithm = SB3 if lacking else COMPILED
        elif self.compiled and lacking:
            allowed = f"--algorithm {SB3}, which plays all games and meets all players"
            raise ValueError(f"algorithm={COMPILED!r} is not allowed here: {lacking}; allowed: {allowed}")

    @property
    def kind(self) -> str:
        """The algorithm as policy files call it."""
        return ALGORITHM[self.algorithm]

    @property
    def libraries(self) -> tuple[str, ...]:
        """What it needs."""
        return ("torch", "numba") if self.compiled else ("stable_baselines3", "sb3_contrib")

    @property
    def compiled(self) -> bool:
        """Whether it is trained on compiled games."""
        return self.algorithm == COMPILED

    def _fill_in(self, game: str) -> None:
        """Replaces what was not given by the game's own pools and settings."""
        self.params, self.fixed = params_of(game, self.settings), fixed_setting(game, self.settings)
        unmet = members(game, self.given, UNMET) or self._able(game, pool(game, "validation", self.opponents))
        self.eval_opponents = self.eval_opponents or self._facing(game, unmet)
        known = getattr(find_game(game).scenarios, "DISTRIBUTIONS", {})
        unseen = self.settings in ("train", "wide") and "validation" in known
        self.eval_settings = self.eval_settings or ("validation" if unseen else self.settings)
        refuse_people([*self.named, *self.eval_opponents], "training")
        if self.count != (other := find_game(game).seats(params_of(game, self.eval_settings))):
            raise ValueError(
                f"eval_settings={self.eval_settings!r} is not allowed: {other} seats; "
                f"allowed: settings with {self.count} seats, as the training's"
            )
        if self.symbols != (others := symbols_of(game, self.eval_settings)):
            raise ValueError(
                f"eval_settings={self.eval_settings!r} is not allowed: messages={others or 'words or none'}; "
                f"allowed: settings with messages={self.symbols or 'words or none'}, as the training's"
            )
        if self.symbols and self.exploitability:
            raise ValueError("exploitability is not allowed with symbols: what was said is no part of a position")
        for name in ("opponents", "eval_opponents"):
            self._check_opposite(game, name)

    def _check_opposite(self, game: str, name: str) -> None:
        """Raises `ValueError` if nobody of a pool, or somebody whom evaluations meet alone, can sit opposite."""
        specs = getattr(self, name)
        for pool_of in [specs] if name == "opponents" else [[spec] for spec in specs]:
            if not seats_left(game, pool_of, self.learner, self.count):
                raise ValueError(
                    f"{name}={', '.join(pool_of)!r} is not allowed with seats={self.seats}: "
                    f"{taken(game, pool_of, self.count)} only; allowed: opponents for the other seats, or another seat"
                )

    @property
    def named(self) -> list[str]:
        """The opponents that are players with specs."""
        return [spec for spec in self.opponents if spec not in LEARNERS]

    @property
    def count(self) -> int:
        """Seats of a match."""
        return find_game(self.game).seats(self.params)

    @property
    def symbols(self) -> int:
        """How many symbols there are in the place of words; 0: none."""
        return symbols_of(self.game, self.settings)

    @property
    def learner_seats(self) -> tuple[int, ...]:
        """The seats in which the learner plays: those for which the opponents fill all the others."""
        return seats_left(self.game, self.opponents, self.learner, self.count)

    def seats_in_words(self) -> str:
        """``"The learner takes seat 0 only: the opponents take seat 1."``; empty if that is no surprise."""
        usual = self.learner != BOTH or len(self.learner_seats) == self.count
        told = f"The learner takes seat {either(self.learner_seats)} only"
        return "" if usual else f"{told}: {taken(self.game, self.opponents, self.count)}."

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
        return int(self.seats) if self.seats.isdigit() else self.seats

    def network(self) -> dict[str, Any]:
        """What a policy file says about a network that is not one of Stable-Baselines3."""
        if not self.compiled:
            return {}
        history, ordinal = self.history if self.memory == "history" else 0, self.amounts == "ordinal"
        said = {"memory": self.memory, "history": history, "ordinal": ordinal, "predicts": self.predict > 0}
        return {**said, "fourier": self.fourier}

    def plain(self) -> dict[str, Any]:
        """The recipe of one training, as JSON can keep it."""
        left_out = (*options_in(Several), "dry_run", *["grid_range"] * (self.grid_range is None))
        return {name: value for name, value in super().plain().items() if name not in left_out}

    def faded(self, start: float, end: float) -> Callable[[float], float]:
        """A schedule over the part of the training that is left, from 1 to 0."""
        return lambda left: end + (start - end) * min(max(left, 0.0), 1.0)
