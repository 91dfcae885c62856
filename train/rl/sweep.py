"""Hyperparameter sweeps with Ray Tune, ranked by validation reward.

    search:
      lr: {low: 0.0001, high: 0.01, log: true}
      entropy: [0.01, 0.05]
    samples: 8
    seeds: 2

Every trial is an ordinary training in a folder named by its options: rerunning a sweep skips finished trials and
resumes the others.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import POOLS, pool
from econzoo.envs.command_line import number_of
from econzoo.envs.core import GameEntry, ensure_registered, explain_missing_library, game_entry, parse_yaml, read_text
from econzoo.envs.core import reason, write_file
from econzoo.envs.core.contract import DeclaredOption, Integer, check_value, declared_options, short_repr, unknown_name
from econzoo.evaluate.run import MAX_WORKER_TRIES, RAY, open_engine
from econzoo.evaluate.show import TEXT, Column, Table, write_csv
from econzoo.evaluate.stats import mean_of_draws
from econzoo.train.rl.curve import ALL_OPPONENTS, CURVE, read_curve
from econzoo.train.rl.files import has_ended, resume_recipe
from econzoo.train.rl.recipe import PPORecipe

__all__ = ["Sweep", "read_sweep", "run_sweep", "sweep_table"]

PANELS = ("Network", "Optimisation")
"""Panels whose options may be searched, beside `OTHER_OPTIONS`; the task and its evaluation are fixed."""

OTHER_OPTIONS = ("grid", "grid_range", "timesteps")

KEYS = ("search", "samples", "metric", "seeds")

FILE, RESULTS = "sweep.yaml", "sweep.csv"


class Span(NamedTuple):
    """A range of values.

    Attributes:
        high: Upper bound, inclusive for integers.
        log: Whether to sample log-uniformly.
    """

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Sweep:
    """A sweep.

    Attributes:
        search: Option to its values or range.
        samples: Number of samples; 0: all combinations of the values.
        metric: Evaluation opponent whose reward counts, or `ALL_OPPONENTS`.
    """

    search: dict[str, list[Any] | Span]
    samples: int
    metric: str
    seeds: int


def read_sweep(recipe: PPORecipe) -> Sweep:
    """Read the sweep of a file."""
    path = Path(str(recipe.sweep)).expanduser()
    try:
        given = parse_yaml(read_text(path), str(path))
    except OSError as error:
        raise ValueError(f"invalid sweep={str(path)!r}: {reason(error)}") from None
    if not isinstance(given, Mapping) or not isinstance(given.get("search"), Mapping) or not given["search"]:
        raise ValueError(f"invalid sweep {path}: expected {', '.join(KEYS)}, with options under search")
    for key in given:
        if key not in KEYS:
            raise ValueError(f"{path}: {unknown_name('entry', str(key), KEYS)}")
    able = {
        one.name: one for one in declared_options(PPORecipe) if one.option.panel in PANELS or one.name in OTHER_OPTIONS
    }
    search = {name: _values(f"{path}: {name}", value, able.get(name), able) for name, value in given["search"].items()}
    counts, spans = Integer(1, 100_000), [name for name, one in search.items() if isinstance(one, Span)]
    samples = check_value(f"{path}: samples", given["samples"], counts) if "samples" in given else 0
    if spans and not samples:
        raise ValueError(f"{path}: {spans[0]} is a range: expected samples: N, or a list of values")
    seeds = check_value(f"{path}: seeds", given.get("seeds", recipe.seeds), Integer(1, 1000))
    metric, known = given.get("metric", ALL_OPPONENTS), [ALL_OPPONENTS, *recipe.eval_opponents]
    if metric not in known:
        raise ValueError(f"{path}: {unknown_name('metric', str(metric), known)}")
    _refuse_test(recipe)
    for name, values in search.items():  # each value must be valid by itself
        for value in values[:2] if isinstance(values, Span) else values:
            other: dict[str, Any] = {name: value}
            replace(recipe, **other)
    return Sweep(search, samples, metric, seeds)


def _values(
    what: str, given: Any, declared: DeclaredOption | None, able: Mapping[str, DeclaredOption]
) -> list[Any] | Span:
    if declared is None:
        raise ValueError(f"invalid option {what} in a sweep: expected {', '.join(able)}")
    if isinstance(given, list) and given:
        return [number_of(one, declared.hint) for one in given]
    with suppress(TypeError):
        span = Span(**{key: one if key == "log" else number_of(one, float) for key, one in given.items()})
        is_numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in span[:2])
        if is_numeric and isinstance(span.log, bool) and span.low < span.high and (span.low > 0 or not span.log):
            return span
    expected = "a list, or {low: NUMBER, high: NUMBER}, with log: true for numbers above 0"
    raise ValueError(f"invalid {what}={short_repr(given)}: expected {expected}")


def _refuse_test(recipe: PPORecipe) -> None:
    """Reject test opponents and settings, which must not be used for selection."""
    other_pools = {spec for name in POOLS for spec in pool(recipe.game, name, ()) if name != "test"}
    seen = [spec for spec in recipe.eval_opponents if spec in {*pool(recipe.game, "test", ())} - other_pools]
    if recipe.eval_settings == "test" or seen:
        what = f"eval_opponents={seen[0]!r}" if seen else "eval_settings='test'"
        raise ValueError(f"invalid {what} in a sweep: expected those of the validation split")


def require_tune() -> None:
    with explain_missing_library("--sweep", "cluster"):
        import ray.tune.search  # noqa: F401


def run_sweep(recipe: PPORecipe) -> tuple[Sweep, list[Trial]]:
    """Train all trials that are not finished."""
    sweep = read_sweep(recipe)
    require_tune()
    from ray import tune
    from ray.tune.search import BasicVariantGenerator

    # Ray would print tables of its own, and run trials in folders of its own, where relative paths do not hold.
    os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
    os.environ.setdefault("RAY_CHDIR_TO_TRIAL_DIR", "0")
    out = recipe.out.resolve()
    write_file(out / FILE, read_text(Path(str(recipe.sweep)).expanduser()))
    space: dict[str, Any] = {name: _domain(one, not sweep.samples) for name, one in sweep.search.items()}
    # Seeds are a grid, over which `constant_grid_search` keeps a sample constant: all seeds of a trial share its
    # options, and so its folder.
    space["seed"] = tune.grid_search(list(range(recipe.seed, recipe.seed + sweep.seeds)))
    plain = replace(recipe, out=out, sweep=None, seeds=1, jobs=None)
    trial = tune.with_parameters(_run_trial, recipe=plain, where=game_entry(recipe.game), here=os.getcwd())
    with open_engine(RAY, recipe.ray_address):
        found = tune.Tuner(
            tune.with_resources(trial, {"cpu": 1}),
            param_space=space,
            tune_config=tune.TuneConfig(
                num_samples=sweep.samples or 1,
                max_concurrent_trials=recipe.jobs,
                search_alg=BasicVariantGenerator(constant_grid_search=True, random_state=recipe.seed),
            ),
            run_config=tune.RunConfig(
                name="tune",
                storage_path=str(out),
                failure_config=tune.FailureConfig(max_failures=MAX_WORKER_TRIES - 1),
                verbose=0,
            ),
        ).fit()
    for result in found:
        if reason := result.error or (result.metrics or {}).get("reason"):
            print(f"{_folder(Path(), result.config or {})}: {reason}", file=sys.stderr)
    return sweep, trials_of(out, [result.config or {} for result in found], sweep)


def _domain(values: list[Any] | Span, grid: bool) -> Any:
    from ray import tune

    if not isinstance(values, Span):
        return tune.grid_search(values) if grid else tune.choice(values)
    low, high, log = values
    if isinstance(low, int) and isinstance(high, int):
        # Ray excludes the upper bound.
        return (tune.lograndint if log else tune.randint)(low, high + 1)
    return (tune.loguniform if log else tune.uniform)(low, high)


def _run_trial(config: dict[str, Any], recipe: PPORecipe, where: GameEntry, here: str) -> dict[str, Any]:
    """Train on a worker; return the reason of a failure, empty if there is none."""
    from econzoo.train.rl.ppo import train_ppo

    with suppress(OSError):  # another machine may lack the folder
        os.chdir(here)
    ensure_registered(recipe.game, where)
    options = {name: value for name, value in config.items() if name != "seed"}
    try:
        one = resume_recipe(
            replace(recipe, **options, seed=config["seed"], out=_folder(recipe.out, config), progress=False)
        )
        if not has_ended(one):
            train_ppo(one)
    # Ray retries trials that raise, for workers that died; these errors would come again.
    except (ValueError, ArithmeticError) as error:
        return {"reason": str(error)}
    return {"reason": ""}


def _folder(out: Path, config: Mapping[str, Any]) -> Path:
    """Return the folder of a trial, named by its options."""
    options = {name: value for name, value in config.items() if name != "seed"}
    held = json.dumps(options, sort_keys=True, default=str)
    return out / f"trial-{sha256(held.encode()).hexdigest()[:8]}" / f"seed-{config['seed']}"


class Trial(NamedTuple):
    """A trial.

    Attributes:
        folder: Folder with a subfolder per seed.
        rewards: Last rewards of the finished seeds.
    """

    folder: Path
    options: dict[str, Any]
    rewards: list[float]


def trials_of(out: Path, configs: Sequence[Mapping[str, Any]], sweep: Sweep) -> list[Trial]:
    """Return the trials by descending mean reward, those without a reward last."""
    folders: dict[Path, list[Mapping[str, Any]]] = defaultdict(list)
    for config in configs:
        folders[_folder(out, config).parent].append(config)
    found = []
    for folder, seeds in folders.items():
        options = {name: value for name, value in seeds[0].items() if name != "seed"}
        rewards = [reward for one in seeds if (reward := _reward(_folder(out, one), sweep.metric)) is not None]
        found.append(Trial(folder, options, rewards))
    return sorted(found, key=lambda one: -mean_of_draws(one.rewards).mean if one.rewards else float("inf"))


def _reward(folder: Path, metric: str) -> float | None:
    """Return the reward of the last evaluation of a finished training."""
    points = read_curve(folder / CURVE) if has_ended(folder) else []
    last = [one for one in points if one.timesteps == points[-1].timesteps]
    named = {one.opponent: one.reward for one in last}  # a single opponent has no row of all
    return named.get(metric, last[0].reward if len(last) == 1 else None) if last else None


def sweep_table(out: Path, sweep: Sweep, trials: Sequence[Trial]) -> Table:
    """Return the table of trials by mean reward, which is also written to ``sweep.csv``."""
    names = list(sweep.search)
    columns = [Column("trial", kind=TEXT), *(Column(name, kind=TEXT) for name in names)]
    columns += [Column("reward", show_interval=True), Column("seeds", digits=0)]
    rows, written = [], []
    for one in trials:
        values, found = [one.options.get(name) for name in names], mean_of_draws(one.rewards)
        rows.append([one.folder.name, *map(_format_value, values), found, len(one.rewards)])
        written.append([one.folder.name, *values, *found])
    write_csv(out / RESULTS, ["trial", *names, "reward", "low", "high", "seeds"], written)
    note = (
        f"Reward ({sweep.metric}) in the last evaluation, in validation settings; 95%: interval over training seeds. "
        "The best of many trials is an optimistic estimate: evaluate it on fresh matches."
    )
    return Table("sweep", "Sweep", columns, rows, note)


def _format_value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
