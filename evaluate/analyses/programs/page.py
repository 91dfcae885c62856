"""The analysis ``programs``: play, complexity and source access of submitted programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Integer, Option, OrNone
from econzoo.envs.core.record import labels as names_of
from econzoo.evaluate.analyses import describe, order_warning, played_games
from econzoo.evaluate.analyses.programs.classification import Classifier, classify_all, new_classifier
from econzoo.evaluate.analyses.programs.figures import heat_maps, round_figures, strategy_figures
from econzoo.evaluate.analyses.programs.labels import strategy_rubric
from econzoo.evaluate.analyses.programs.measures import ProgramMeasures, measure
from econzoo.evaluate.analyses.programs.strategies import StrategyJudgements, agreement, shares, strategies
from econzoo.evaluate.analyses.programs.tables import file_tables, strategy_tables, tables
from econzoo.evaluate.run import LOCAL, Address, EngineName, FailureCounter, Records, count_previous_costs, open_engine
from econzoo.evaluate.run import progress_bar
from econzoo.evaluate.show import HEADING, NOTE, PAGE, TERMINAL, Page, Part, Table, Text, method_section

LABELS = Path("judging", "strategies.jsonl")
"""File of labels, in its own folder because they are not records."""

METHOD = (
    "All matches of one setting and seed, with all their meta-rounds, form one cluster; with at least six settings, "
    "each setting is one. The 95% intervals are Wilson score intervals for proportions, and Student's t intervals with "
    "a skewness correction for other measures. A dash is an undefined value: fewer than six clusters, no variation, no "
    "cases, or no valid Python program. Means exclude invalid programs; the table of failures counts them."
)
PAIRS_NOTE = (
    "Row player's programs and payoffs against the column player: means over all meta-rounds, with 95% CIs below."
)


def programs(
    records: Records,
    *,
    pool: Annotated[
        list[str], Option(meaning="Pool for exploitability: program names, .py files, or all (repeatable).")
    ] = [],  # noqa: B006  read only
    seeds: Annotated[int, Option(Integer(1), "Seeds per program of the pool, played in both seats.")] = 1,
    judge: Annotated[list[str], Option(meaning="Judge model that classifies strategies (repeatable).")] = [],  # noqa: B006
    seed: Annotated[int, Option(Integer(0), "Sampling seed of the judge model.")] = 0,
    concurrent: Annotated[
        int | None,
        Option(OrNone(Integer(1, 4096)), "Concurrent requests per judge.", default="the model's concurrency"),
    ] = None,
    engine: EngineName = LOCAL,
    ray_address: Address = None,
) -> Page:
    """Cooperation, access to the opponent's source, complexity and similarity of programs."""
    # An invalid judge ends the command before the measures, which take long with a pool. The judges that answer are
    # made again below: a model is in the engine's workers only if it is made while the engine is open.
    judges = [new_classifier(spec).spec for spec in judge]
    found = measure(records, pool, seeds)
    labels, judged = records.place / LABELS, None
    if judges:
        with open_engine(engine, ray_address):
            judged = ask_judges(found, [*map(new_classifier, judges)], seed, labels, concurrent)
    warning = order_warning(records, found.games)
    parts: list[Part] = [
        *warning,
        *file_tables(found, judged),
        *describe(played_games(found.records), [records.folder]),
    ]
    for game in found.games:
        parts += _figures(found, game)
    if judged is not None:
        parts += _judged_parts(judged, labels)
    for game in found.games:
        parts.append(Text(f"{game}: {format_count(found.matches[game], 'match')}", places=(TERMINAL,)))
        # With too many missing matches the payoffs of players have no valid order.
        for table in _tables_without_order(tables(found, game), game) if warning else tables(found, game):
            parts += [Text(table.title + _game_phrase(found, game), HEADING, places=table.places), table]
    parts += _method(found)
    facts = [f"{game}: {format_count(count, 'match')}" for game, count in found.matches.items()]
    return Page("programs", f"Programs: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _tables_without_order(found: Iterable[Table], game: str) -> Iterator[Table]:
    """Yield the tables without gaps to the best player, and without the title of a ranking."""
    for one in found:
        if one.key != f"gaps_to_best_{game}":
            yield replace(one, title="Payoff") if one.key == f"ranking_{game}" else one


def ask_judges(
    found: ProgramMeasures, judges: Sequence[Classifier], seed: int, out: Path, concurrent: int | None = None
) -> StrategyJudgements:
    """Ask judges for missing labels; return all judgements."""
    count_previous_costs(out, [judge.spec for judge in judges])
    rubric, watch = strategy_rubric(), FailureCounter("label")
    with progress_bar("labels", len(found.submissions) * len(judges)) as done:
        every = classify_all(judges, found.records, found.submissions, rubric, seed, out, concurrent, done, watch)
    watch.report()
    players, names = {one.id: one.place["player"] for one in found.submissions}, names_of(one.judge for one in every)
    # The file has specs, which do not depend on the other players and judges of a run; tables have labels.
    labels = [replace(one, player=players[one.submission], judge=names[one.judge]) for one in every]
    agreed = agreement(labels, rubric) if len(judges) > 1 else None
    return StrategyJudgements(rubric, strategies(labels, rubric), shares(labels, found.submissions, rubric), agreed)


def _game_phrase(found: ProgramMeasures, game: str) -> str:
    return f" in {game}" if len(found.games) > 1 else ""


def _figures(found: ProgramMeasures, game: str) -> Iterator[Part]:
    maps, curves = heat_maps(found, game), round_figures(found, game)
    if maps:
        yield Text(f"Actor by opponent{_game_phrase(found, game)}", HEADING, places=(PAGE,))
        yield Text(PAIRS_NOTE, NOTE, places=(PAGE,))
        yield from maps
    if curves:
        yield Text(f"Means by meta-round{_game_phrase(found, game)}", HEADING, places=(PAGE,))
        yield from curves


def _judged_parts(judged: StrategyJudgements, labels: Path) -> Iterator[Part]:
    yield Text("Strategies, classified by judge models", HEADING)
    yield from strategy_figures(judged)
    yield from strategy_tables(judged)
    yield Text(f"Labels: {labels}", NOTE, places=(TERMINAL,))


def _method(found: ProgramMeasures) -> Iterator[Part]:
    yield from method_section(METHOD)
    if found.excluded_matches:
        yield Text(f"Excluded: {format_count(found.excluded_matches, 'match')} of other games.")
    if found.no_result_note:
        yield Text(found.no_result_note)
