"""The quickstart: play, train, evaluate and report in a minute.

    econzoo quickstart

Plays the scripts of a game's standard pool against each other, trains a PPO agent in both seats against the same pool,
and writes one HTML report of all payoffs. The agent is evaluated in the scripts' own matches: validation settings,
which training never draws. ``--model`` adds a language model.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines import POLICY, Network, PolicyPlayer, player, pool
from econzoo.envs.command_line import command
from econzoo.envs.core import MissingLibraryError, format_count, require_libraries
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SELF_GAIN, Integer, Option, OrNone, Text, check_options
from econzoo.envs.core.record import Record, label_players
from econzoo.evaluate.analyses import analyze, columns
from econzoo.evaluate.analyses.learning import SeatComparison, learning_table, learning_tables, plain_table, trainings
from econzoo.evaluate.analyses.learning import write_learning_table
from econzoo.evaluate.run import FIRST_SEED, Design, EnvPool, PlayerCache, StoppedError, missing_matches, new_design
from econzoo.evaluate.run import play_matches, progress_bar, report_failures, seat_count, validation_settings
from econzoo.evaluate.run import run as run_design
from econzoo.evaluate.show import show
from econzoo.evaluate.stats import Interval, estimate, has_different_seats, is_in
from econzoo.evaluate.suites import play_evaluation
from econzoo.train import FOLDER
from econzoo.train.rl.algorithms import DEFAULTS, SHORT_DEFAULTS, Default
from econzoo.train.rl.curve import Curve, Point
from econzoo.train.rl.files import latest_policy, policy_metadata
from econzoo.train.rl.opponents import describe_uncompiled
from econzoo.train.rl.recipe import ANY_COUNT, COUNT, PPORecipe

MODEL = "gguf:smollm2"
"""Language model suggested as a second step."""

MOVES = Default(300_000, DEFAULTS["timesteps"].sb3)

EVALUATIONS = 8
"""Evaluations during training, besides those at the start and the end."""

TRANSCRIPTS = 24
"""Matches with a transcript page."""

LEARNER, BEST = "the agent", "best script: {}"
"""Series of the learning curve."""

HEIGHTS = "▁▂▃▄▅▆▇█"
"""Characters of the curve in the terminal."""


@dataclass
class Quickstart:
    """Play, train, evaluate and report in a minute."""

    out: Annotated[Path, Option(FOLDER, "Output folder; an unfinished run is resumed.")] = Path("runs/quickstart")
    game: Annotated[str, Option(Text(), "Name of the game.", positional=True)] = "bargaining"
    timesteps: Annotated[int | None, Option(OrNone(COUNT), "Moves of the learner.", default=MOVES.help_text)] = None
    seeds: Annotated[int, Option(Integer(1), "Matches per pair and validation setting.")] = 1
    model: Annotated[str, Option(Text(), f"Language model to play against, e.g. {MODEL} (empty = none).")] = ""
    model_settings: Annotated[int, Option(Integer(1), "Validation settings for the language model.")] = 4
    seed: Annotated[int, Option(ANY_COUNT, "Random seed of the training.")] = 0

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def policy(self) -> str:
        return f"ppo:{self.out / 'ppo'}"

    def design(self, players: Sequence[str]) -> Design:
        """Return the design of players against the standard pool in validation settings."""
        settings = validation_settings(find_game(self.game))
        return new_design(
            self.game, players, settings, range(FIRST_SEED, FIRST_SEED + self.seeds), pool(self.game, "standard")
        )


def run(args: Quickstart) -> str:
    """Run all steps; finished steps are skipped."""
    find_game(args.game)
    if args.model:  # fail at once rather than when the training has ended; ahead of torch, which shares its threads
        require_libraries(f"--model {args.model}", *player(args.model, args.game).libraries)
    require_libraries("quickstart", "torch", "numba", "pandas", "scipy", "matplotlib", "jinja2", extra="rl,evaluate")
    started, say = time.perf_counter(), _make_step_printer(args)
    say(f"play the scripts of {args.game}")
    scripts = args.design(pool(args.game, "standard"))
    records = [*play_evaluation(scripts, args.out / "scripts", None)]
    say("train PPO against them")
    _train(args, _best_script(scripts, records))
    say("play the agent")
    records += play_evaluation(args.design([args.policy]), args.out / "agent", None)
    design = args.design([args.policy, *scripts.players])
    found = learning_table(design, records, trainings([args.policy]), "standard")
    write_learning_table(found, args.out)  # where the analysis looks for it
    show(learning_tables(plain_table(found)))
    if args.model:
        say(f"meet {args.model}")
        _meet_model(args)
    say("write the report")
    # The regret alone can take a minute.
    report = analyze(args.out, transcripts=TRANSCRIPTS, regret=False).write(args.out)
    duration = f"Total time: {time.perf_counter() - started:.0f} seconds."
    return "\n".join(
        [*map(_format_verdict, found.comparisons[:1]), duration, f"Report: {report}", "", *_next_commands(args)]
    )


def _make_step_printer(args: Quickstart) -> Callable[[str], None]:
    """Return a function that prints the next step and its number."""
    from rich.console import Console

    total = 5 if args.model else 4
    counter, console = iter(range(1, total + 1)), Console(highlight=False)
    return lambda text: console.print(f"\n[bold]{next(counter)}/{total}  {text}[/bold]")


# -- training ------------------------------------------------------------------------------------------------


def _train(args: Quickstart, best: tuple[str, Interval] | None) -> None:
    """Train the agent unless the folder has one."""
    from econzoo.train.rl.ppo import train_ppo

    folder, opponents = args.out / "ppo", pool(args.game, "standard")
    if (folder / POLICY).exists():
        print(f"{folder} has a trained policy, which is used.")
        return
    compiled = not describe_uncompiled(args.game, opponents)
    moves = args.timesteps or (MOVES.compiled if compiled else MOVES.sb3)
    recipe = PPORecipe(
        args.game,
        opponents=opponents,
        settings="wide" if "wide" in getattr(find_game(args.game).scenarios, "DISTRIBUTIONS", {}) else "train",
        timesteps=moves,
        out=folder,
        seed=args.seed,
        progress=compiled,  # the bar of Stable-Baselines3 would interfere
        resume=latest_policy(folder) is not None,
        eval_every=-(-moves // EVALUATIONS),
        eval_episodes=len(args.design([args.policy])) // len(opponents),
        checkpoint_every=0,
        **(SHORT_DEFAULTS if compiled else {}),
    )
    curve = LiveCurve(recipe, partial(_measure_gain, args, recipe, EnvPool()), best)
    with progress_bar("moves", moves, suffix=curve.render_line, width=12) as curve.advance:
        train_ppo(recipe, curve)
    print(f"mean gain  {curve.render_line()}")


def _measure_gain(args: Quickstart, recipe: PPORecipe, tables: EnvPool, model: Any) -> Interval:
    """Return the mean gain of the present policy in the scripts' matches."""
    design, cast = args.design([args.policy]), PlayerCache(args.game)
    network = Network(recipe.out / POLICY, policy_metadata(recipe, 0), getattr(model, "policy", model))
    seated = PolicyPlayer(args.policy, network)
    records = play_matches(design.matches(), lambda spec: seated if spec == args.policy else cast(spec), pool=tables)
    return _gains_by_player(design, [*records])[args.policy]


def _gains_by_player(design: Design, records: Sequence[Record]) -> dict[str, Interval]:
    """Return the mean gains of a design's players, as in `learning_table`; empty if they take different seats."""
    labels = label_players(records, design.names())
    rows = columns(records, design, [SELF_GAIN], theory=False)
    rows = rows[is_in(rows["player"], [labels[spec] for spec in design.players])]
    found = {} if has_different_seats(rows) else estimate(rows, ["player"], [SELF_GAIN], signed=[SELF_GAIN])
    return {spec: found[labels[spec]][SELF_GAIN] for spec in design.players if labels[spec] in found}


def _best_script(design: Design, records: Sequence[Record]) -> tuple[str, Interval] | None:
    """Return the script with the highest mean gain, if scripts can be compared."""
    return max(_gains_by_player(design, records).items(), key=lambda one: one[1].mean, default=None)


class LiveCurve(Curve):
    """The learning curve beside the best script in the same matches, displayed live."""

    MEASURE = "gain"

    def __init__(self, recipe: PPORecipe, gain: Callable[[Any], Interval], best: tuple[str, Interval] | None) -> None:
        super().__init__(recipe.out, lambda model: {})
        self._gain, self._best = gain, best
        # Replaced by the progress bar, which is made with this curve; receives the number of new moves.
        self.advance: Callable[[int], None] = lambda done: None
        self._gains: list[float] = []
        self._moves = 0

    def points(self, model: Any, timesteps: int) -> list[Point]:
        """Return the points of the best script and of the learner."""
        self._advance_bar(timesteps)
        gain = self._gain(model)
        self._gains.append(gain.mean)
        if not sys.stderr.isatty():
            print(f"{timesteps:,} moves  {self.render_line()}", file=sys.stderr, flush=True)
        best = [Point(timesteps, self._best[1].mean, nan, nan, BEST.format(self._best[0]))] if self._best else []
        return [*best, Point(timesteps, *gain[:3], LEARNER)]

    def report_progress(self, moves: int, total: int, began: tuple[float, int]) -> None:
        self._advance_bar(moves)

    def _advance_bar(self, moves: int) -> None:
        self.advance(moves - self._moves)
        self._moves = moves

    def render_line(self) -> str:
        """Return the curve so far, its last value, and the best script."""
        if not self._gains:
            return ""
        low, spread = min(self._gains), max(self._gains) - min(self._gains)
        drawn = "".join(HEIGHTS[int((gain - low) / (spread or 1) * (len(HEIGHTS) - 1))] for gain in self._gains)
        return f"{drawn} {self._gains[-1]:.3f}" + (f", {self._best[0]} {self._best[1].mean:.3f}" if self._best else "")


# -- after the training --------------------------------------------------------------------------------------


def _meet_model(args: Quickstart) -> None:
    """Play a few matches against a language model."""
    game, folder = find_game(args.game), args.out / "model"
    chosen = validation_settings(game)[: args.model_settings]
    seats = range(seat_count(game, chosen))
    lineups = [[args.model if i == seat else args.policy for i in seats] for seat in seats]  # one answer per round
    try:
        design = new_design(args.game, [args.policy], chosen, 1, [args.model], lineups=lineups)
        with progress_bar("matches", len(missing_matches(design, folder))) as advance:
            run_design(design, folder, on_progress=advance)
        report_failures(folder)
    except (MissingLibraryError, StoppedError) as error:
        print(f"Skipping the language model: {error}")


def _format_verdict(one: SeatComparison) -> str:
    """Compare the agent with every script by paired differences."""
    learned = one.trainings[0]
    earns = f"The agent earns {learned.settings.mean:.3f} per match"
    unsure = [gap for gap in learned.gaps if not gap.settings.low > 0 or gap.cases[0] <= 0]
    if not learned.gaps:
        return f"{earns}."
    first = (unsure or learned.gaps)[0]
    apart = f"{first.settings.mean:+.3f} ({first.settings.low:+.3f} to {first.settings.high:+.3f}, 95%)"
    if not unsure:
        return f"{earns}, more than every script.\nNext best is {first.script}: {apart}."
    above = f"significantly more than {len(learned.gaps) - len(unsure)} of {format_count(len(learned.gaps), 'script')}"
    return f"{earns}, {above},\nbut not than {first.script}: {apart}."


def _next_commands(args: Quickstart) -> Iterator[str]:
    yield f"Next steps:\n  econzoo play {args.game} human {args.policy}"
    if not args.model:
        given = {"--out": (args.out, Quickstart.out), "--game": (args.game, Quickstart.game)}
        options = "".join(f" {name} {value}" for name, (value, usual) in given.items() if value != usual)
        yield f"  econzoo quickstart{options} --model {MODEL}  (needs the extra gguf)"


main = command(Quickstart, run)
