"""``econzoo programs``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Concurrent
from econzoo.evaluate.run.budget import budgeted, counting
from econzoo.evaluate.run.progress import progress_bar

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.classifying import Classifier
    from econzoo.evaluate.analyses.programs.measured import Measured
    from econzoo.evaluate.analyses.programs.strategies import Judged
    from econzoo.evaluate.run.folder import Unreadable
    from econzoo.evaluate.show.console import TextTable

LABELS = "strategies.jsonl"
FOLDER = "judging"
"""Where labels go: into a folder of its own beside the records, because they are no records."""

TOLD = 5
"""Lines that are no record which the terminal shows; the page has more."""


@budgeted
def programs(
    records: Annotated[list[Path], typer.Argument(metavar="RECORDS...", help="Files of records, or folders of them.")],
    pool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE.py", help="Programs that try to exploit the recorded ones; 'all': all written."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Matches against each program of the pool, in both seats.")] = 1,
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="SPEC", help="Model that names strategies; as often as needed."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of a judge's sampling.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of page and CSV files; default: beside RECORDS.")
    ] = None,
    concurrent: Concurrent = 1,
) -> None:
    """What programs are like and how they play: cooperation, access to the opponent's source, complexity, likeness.

    Reads records of program_matrix and program_coin.

    Examples: econzoo programs runs/first | econzoo programs matches.jsonl --pool all --seeds 3 |
    econzoo programs runs/first --judge hf:smollm2
    """
    need("programs", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.programs.classifying import new_classifier
    from econzoo.evaluate.analyses.programs.files import written, written_strategies
    from econzoo.evaluate.analyses.programs.measured import read_measured
    from econzoo.evaluate.analyses.programs.page import page
    from econzoo.evaluate.run.folder import wanted_folder
    from econzoo.evaluate.show.console import show

    _check_numbers(seeds, seed)
    into = wanted_folder(out) or (records[0] if records[0].is_dir() else records[0].parent)
    panel = [new_classifier(spec) for spec in judges or []]
    found = read_measured(records, pool or [], seeds)
    files = written(found, into)
    judged = strategies_of(found, panel, seed, into / FOLDER / LABELS, concurrent) if panel else None
    if judged is not None:
        files.append(written_strategies(judged, found.specs, into))
    file = page(found, f"Programs: {records[0].resolve().name}", judged, records).write(into)
    show(*shown(found, judged), *filter(None, [found.unpaid]))
    _tell_unreadable(found.unreadable)
    print(f"All numbers are in {', '.join(map(str, files))}\nThe page is {file}")


def _check_numbers(seeds: int, seed: int) -> None:
    """Raises `ValueError` if one is out of its range."""
    if seeds < 1:
        raise ValueError(f"seeds={seeds} is not allowed; allowed: a whole number from 1")
    if seed < 0:
        raise ValueError(f"seed={seed} is not allowed; allowed: a whole number from 0")


def _tell_unreadable(lines: Sequence[Unreadable]) -> None:
    for line in lines[:TOLD]:
        print(f"not read: {line}")
    if len(lines) > TOLD:
        print(f"not read: and {len(lines) - TOLD:,} more")


def strategies_of(found: Measured, judges: Sequence[Classifier], seed: int, out: Path, concurrent: int) -> Judged:
    """Asks the judges for what they have not said yet; what they say."""
    from econzoo.envs.core.record.spec import labels as names_of
    from econzoo.evaluate.analyses.programs.categories import strategy
    from econzoo.evaluate.analyses.programs.classifying import classified
    from econzoo.evaluate.analyses.programs.strategies import Judged, agreement, shares, strategies
    from econzoo.evaluate.run.failures import Watch

    counting(out, [judge.spec for judge in judges])
    rubric, watch = strategy(), Watch("label")
    with progress_bar("labels", len(found.submissions) * len(judges)) as told:
        labels = classified(judges, found.records, found.submissions, rubric, seed, out, concurrent, told, watch)
    watch.tell()
    print(f"The labels are in {out}")
    players = {one.id: one.place["player"] for one in found.submissions}
    judged = names_of(one.judge for one in labels)
    labels = [replace(one, player=players[one.submission], judge=judged[one.judge]) for one in labels]
    by_opponent = shares(labels, found.submissions, rubric)
    agreed = agreement(labels, rubric) if len(judges) > 1 else None
    return Judged(rubric, strategies(labels, rubric), by_opponent, agreed)


def shown(found: Measured, judged: Judged | None) -> Iterator[object]:
    """Everything for `econzoo.evaluate.show.console.show`: game by game, then what judges said."""
    from econzoo.envs.core.plurals import many
    from econzoo.evaluate.analyses.programs.opponents import MOST, pairs_table
    from econzoo.evaluate.analyses.programs.strategy_tables import strategy_tables
    from econzoo.evaluate.analyses.programs.tables import tables

    for game in found.games:
        yield f"{game}: {many(found.matches[game], 'match')}\n"
        yield from _noted(tables(found, game, pairs_table(found, game, MOST)))
    yield from _noted(strategy_tables(judged) if judged else [])


def _noted(made: Sequence[TextTable]) -> Iterator[object]:
    """Tables, each with its note below."""
    from econzoo.evaluate.show.console import table

    for one in made:
        yield table(one.title, one.heads, one.rows)
        if one.note:
            yield one.note + "\n"
