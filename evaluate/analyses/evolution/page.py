"""The analysis ``evolution``: evolutionary dynamics of a population of players."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import CustomDomain, Flag, Integer, ListOf, OneOf, Option, Real, Text
from econzoo.evaluate.analyses import describe, order_warning
from econzoo.evaluate.analyses.evolution.figures import figures
from econzoo.evaluate.analyses.evolution.fitness import MAPS, MAX_GENERATIONS
from econzoo.evaluate.analyses.evolution.matches import read_matrix
from econzoo.evaluate.analyses.evolution.matrix_files import read_matrix_file
from econzoo.evaluate.analyses.evolution.moran import MAX_POPULATION, MIN_POPULATION, MOST_RUNS
from econzoo.evaluate.analyses.evolution.study import Study, StudyOptions, evolution_study
from econzoo.evaluate.analyses.evolution.tables import FAILED_ROUNDS_SUFFIX, basin_table, number_tables, payoff_table
from econzoo.evaluate.analyses.evolution.tables import rest_table, type_table
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import HEADING, PAGE, Page, Part, method_section
from econzoo.evaluate.show import Text as Words

METHOD = (
    "Payoffs are per round of the base game, so that games and lengths are comparable; seats have equal weight, and "
    "standard errors are clustered by seed. The replicator equation is dx_i/dt = x_i((Ax)_i - x.Ax). Its rest points "
    "are solved for on every face; their kind follows from the eigenvalues of the linearised flow, and basins are "
    "estimated from random starts. Evolutionary stability is tested by Haigh's criterion. The ecosystem is Axelrod's "
    "discrete map. Fixation probabilities of one mutant are exact; the Moran process of all types is simulated."
)


def parse_shares(text: Any) -> tuple[float, ...]:
    """Parse shares from a sequence or a comma-separated text."""
    return tuple(float(one) for one in (text.split(",") if isinstance(text, str) else text))


def evolution(
    records: Records,
    *,
    game: Annotated[str | None, Option(Text(), "Game to analyze, if the records have several.")] = None,
    players: Annotated[list[str], Option(ListOf(Text()), "Players to analyze (repeatable).", default="all")] = [],  # noqa: B006  as typer
    failed_rounds: Annotated[
        bool,
        Option(Flag(), "Include meta-rounds in which a program failed (default: separate tables)."),
    ] = False,
    start: Annotated[
        str | None,
        Option(CustomDomain(parse_shares, "numbers with commas, as in 0.5,0.3,0.2"), "Initial shares of the players."),
    ] = None,
    time: Annotated[
        float | None,
        Option(Real(0, is_low_excluded=True), "Length of the replicator orbit.", default="until the shares settle"),
    ] = None,
    generations: Annotated[int, Option(Integer(1, MAX_GENERATIONS), "Generations of Axelrod's ecosystem.")] = 200,
    redraw: Annotated[bool, Option(Flag(), "Resample payoffs in every generation, as in the Axelrod library.")] = False,
    population: Annotated[
        int, Option(Integer(MIN_POPULATION, MAX_POPULATION), "Population size of the Moran process.")
    ] = 100,
    runs: Annotated[int, Option(Integer(1, MOST_RUNS), "Simulated populations of the Moran process.")] = 200,
    fitness: Annotated[
        str | None,
        Option(OneOf(*MAPS), "Map from payoff to fitness.", default="linear where no payoff is negative"),
    ] = None,
    intensity: Annotated[
        float, Option(Real(0), "Intensity of selection (0 = neutral; at most 1 with linear fitness).")
    ] = 1.0,
    starts: Annotated[int, Option(Integer(1, 100_000), "Random initial states for basins of attraction.")] = 500,
    resamples: Annotated[
        int, Option(Integer(0, 10_000), "Payoff matrices resampled within standard errors (0 = none).")
    ] = 400,
    seed: Annotated[int, Option(Integer(0, 2**63 - 1), "Random seed.")] = 0,
) -> Page:
    """Analyze evolutionary dynamics: payoff matrix, replicator and Moran dynamics, rest points, stability.

    See `econzoo.evaluate.analyses.evolution.study.StudyOptions` for the options from `start` on.

    Args:
        records: Records of a two-seat game with all pairs; or, instead of their folder, a CSV of payoffs (see
            `econzoo.evaluate.analyses.evolution.matrix_files.read_matrix_file`).
        failed_rounds: See `econzoo.evaluate.analyses.evolution.matches.matrix_from_records`.
        time: Time in units of 1 / payoff per round.
        intensity: Intensity of selection, >= 0.

    Raises:
        ValueError: A pair has no payoff, or an option is invalid for the payoffs.
        FileNotFoundError: There is no such CSV.
    """
    shares = None if start is None else parse_shares(start)
    rest = (time, generations, redraw, population, runs, fitness, intensity, starts, resamples, seed)
    if records.folder.suffix == ".csv":
        matrix, failed_rounds_matrix, warning = read_matrix_file(records.folder), None, []
    else:
        matrix = read_matrix(records, game, players, failed_rounds)
        warning = order_warning(records, [game or records.games[0]], lambda one: one.status == "finished")
        is_separate = matrix.failed_rounds.any() and not failed_rounds
        failed_rounds_matrix = read_matrix(records, game, players, failed_rounds=True) if is_separate else None
    found = evolution_study(matrix, StudyOptions(shares, *rest), failed_rounds_matrix)
    facts = [
        format_count(len(matrix), "type"),
        format_count(len(found.rest_points.points), "rest point"),
        f"population {population}",
        f"fitness: {found.fitness.describe()}",
        f"seed {seed}",
    ]
    parts = [
        *warning,
        *number_tables(found),
        *sections(found),
        *method_section(METHOD),
        *describe(matrix.played_games, [records.place]),
    ]
    return Page("evolution", f"Evolution: {records.folder.resolve().stem}", parts, facts, records.unreadable)


def sections(found: Study) -> Iterator[Part]:
    """Yield the displayed tables and figures by section."""
    figure_of = figures(found)
    studies = [(found, "")]
    if found.failed_rounds_study is not None:
        studies.append((found.failed_rounds_study, FAILED_ROUNDS_SUFFIX))
    yield Words("Payoff per round", HEADING)
    yield from (payoff_table(one, title) for one, title in studies)
    yield figure_of["payoffs"]
    yield Words("Types", HEADING)
    yield from (type_table(one, title) for one, title in studies)
    yield figure_of["fixation"]
    yield Words("Rest points of the replicator equation", HEADING)
    yield rest_table(found)
    yield from (figure_of[key] for key in ("simplex", "line") if key in figure_of)
    yield Words("Basins of attraction", HEADING)
    yield basin_table(found)
    yield figure_of["replicator"]
    yield Words("Generations", HEADING, places=(PAGE,))
    yield from (figure_of[key] for key in ("ecosystem", "moran"))
