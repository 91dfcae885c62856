"""``econzoo judge``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core import escape_name, require_libraries
from econzoo.envs.core.contract import Flag, Integer, Option, OrNone, check_options, clean
from econzoo.envs.core.record import identity, labels
from econzoo.evaluate.run import EngineOptions, Pairing, Spending, add_budget_options, count_previous_costs
from econzoo.evaluate.run import exit_on_interrupt, has_prices, iterate_confirmed_parts, open_engine, progress_bar
from econzoo.evaluate.run import sum_spending

if TYPE_CHECKING:
    from econzoo.envs.core.record import Record
    from econzoo.evaluate.analyses.judging import Item, Judge, Rating, Rubric


@dataclass
class JudgeOptions(EngineOptions):
    """Score recorded players on a rubric with model or human judges, blind to identities and to other judgements.

    Examples: econzoo judge runs/first --judge hf:smollm2 --limit 20 | econzoo judge matches.jsonl --judge human |
    econzoo judge --report runs/first/judging/judgements.jsonl | econzoo judge --ratings sheets.csv
    """

    records: Annotated[str | None, Option(meaning="File or folder of records.", positional=True)] = None
    rubric: Annotated[str, Option(meaning="Rubric name or TOML file.")] = "alympics"
    judge: Annotated[
        list[str],
        Option(meaning="Judge (repeatable): hf:smollm2, hf:PATH, openai:MODEL@URL, human, human(name='Ann')."),
    ] = field(default_factory=list)
    seats: Annotated[str | None, Option(meaning="Roles or seat indices from 0, comma-separated.", default="all")] = None
    limit: Annotated[int | None, Option(OrNone(Integer(1)), "Sample this many recorded players.", default="all")] = None
    seed: Annotated[int, Option(Integer(0), "Random seed of the sample, the order and model sampling.")] = 0
    length: Annotated[
        int | None,
        Option(
            OrNone(Integer(500)),
            "Maximum transcript length for models, in characters.",
            default="the model's context",
        ),
    ] = None
    reasoning: Annotated[bool, Option(Flag(), "Show judges the players' reasoning traces.")] = False
    out: Annotated[
        str | None,
        Option(meaning="File of the judgements.", default="judging/judgements[-reasoning].jsonl beside the records"),
    ] = None
    report: Annotated[list[str], Option(meaning="Report on existing judgements, without judging (repeatable).")] = (
        field(default_factory=list)
    )
    ratings: Annotated[
        list[str], Option(meaning="CSV of external ratings: item, judge, dimension, score, reason (repeatable).")
    ] = field(default_factory=list)
    drop_off_scale: Annotated[bool, Option(Flag(), "Drop --ratings outside the scale.")] = False
    concurrent: Annotated[
        int | None,
        Option(OrNone(Integer(1, 256)), "Concurrent requests per model judge.", default="the judge's concurrency"),
    ] = None
    json: Annotated[bool, Option(Flag(), "Print all numbers as JSON.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def run(options: JudgeOptions) -> None:
    """Complete the judgements and report them."""
    require_libraries("judge", "pandas", "scipy", "jinja2")
    from econzoo.baselines import is_person
    from econzoo.evaluate.analyses.judging import JUDGEMENTS, find_items, load_rubric, new_judge

    records = Path(options.records) if options.records else None
    judges, report, ratings = options.judge, [*map(Path, options.report)], [*map(Path, options.ratings)]
    seed, reasoning, as_json = options.seed, options.reasoning, options.json
    rubric = load_rubric(options.rubric)
    check_use(records, judges, report, ratings)
    if records is None:
        files = [*report, *ratings]
        report_ratings(all_ratings(report, ratings, rubric, options.drop_off_scale), rubric, files, as_json)
        return
    place = (
        Path(options.out) if options.out else (records if records.is_dir() else records.parent) / JUDGEMENTS[reasoning]
    )
    found = find_items(records, options.seats, options.limit, seed, reasoning)
    with open_engine(options.engine, options.ray_address):
        panel = [new_judge(spec, options.length, options.concurrent) for spec in judges]
        done = judge_items(panel, found.items, rubric, seed, place, options.concurrent)
    for line in found.exclusions:
        print(f"left out: {clean(line)}", file=sys.stderr)
    # The report would unblind a person who has not finished.
    if done < len(panel) * len(found.items) and any(map(is_person, judges)):
        print(f"Judging incomplete. After the last judgement: econzoo judge --report {escape_name(place)}")
    else:
        of_these = {item.id for item in found.items}
        scored = [rating for rating in all_ratings([place], [], rubric, False) if rating.item in of_these]
        judged_matches = list({item.record.id: item.record for item in found.items}.values())
        report_ratings(scored, rubric, [place], as_json, judged_matches, [records])
    if found.exclusions:
        raise typer.Exit(1)


judge = add_budget_options(command(JudgeOptions, run), plays=True)


def check_use(
    records: Path | None, judges: list[str] | None, report: list[Path] | None, ratings: list[Path] | None
) -> None:
    """Raise `ValueError` unless the options are records and judges, or judgements and ratings to report."""
    expected = "expected RECORDS with --judge SPEC, or --report FILE and --ratings FILE.csv"
    if records is None and judges:
        raise ValueError(f"--judge without records: {expected}")
    if records is not None and not judges:
        raise ValueError(f"{records} without --judge: {expected}")
    if records is not None and (report or ratings):
        raise ValueError(f"{records} with --report or --ratings: {expected}")
    if records is None and not (report or ratings):
        raise ValueError(f"nothing to judge or report: {expected}")


def judge_items(
    panel: Sequence[Judge], items: Sequence[Item], rubric: Rubric, seed: int, out: Path, concurrent: int | None = None
) -> int:
    """Make the missing judgements; return the number of requested judgements that exist."""
    from econzoo.baselines import is_person
    from econzoo.evaluate.analyses.judging import read_judgements, run_panel
    from econzoo.evaluate.run import FailureCounter

    specs = [one.spec for one in panel]
    wanted = {(item.id, identity(spec)) for item in items for spec in specs}
    count_previous_costs(out, specs)
    person, watch = any(map(is_person, specs)), FailureCounter("judgement")
    judged = {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)} if out.is_file() else set()
    todo = [item for item in items if any((item.id, identity(spec)) not in judged for spec in specs)]
    # Every judge scores every item, so the whole panel is the one pairing that costs are estimated for.
    who = (" / ".join(labels(specs).values()),) if has_prices(specs) else ()

    def costs() -> list[tuple[Pairing, Spending]]:
        by_item: dict[str, list[Spending]] = {}
        for one in read_judgements(out, rubric) if out.is_file() else ():
            by_item.setdefault(one.item, []).append(Spending(one.cost, sum(one.tokens)))
        return [(who, sum_spending(spent)) for spent in by_item.values()]

    with exit_on_interrupt(out):
        for part in iterate_confirmed_parts(todo, lambda item: who, costs, "player"):
            with progress_bar("judgements", len(part) * len(panel), enabled=not person) as advance:
                run_panel(panel, part, rubric, seed, out, advance, watch, concurrent)
    watch.report()
    if judged & wanted:
        print(f"{len(judged & wanted)} of {len(wanted)} judgements already existed", file=sys.stderr)
    return len(wanted & {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)})


def all_ratings(judgements: list[Path], tables: list[Path], rubric: Rubric, drop_off_scale: bool) -> list[Rating]:
    """Read the ratings of all files; dropped cells are listed on standard error."""
    from econzoo.evaluate.analyses.judging import ratings_of, read_judgements, read_ratings

    found = [rating for path in judgements for rating in ratings_of(read_judgements(path, rubric))]
    for path in tables:
        table = read_ratings(path, rubric, drop_off_scale)
        for line in table.dropped_cells:
            print(f"left out: {clean(line)}", file=sys.stderr)
        found += table.ratings
    return found


def report_ratings(
    ratings: list[Rating],
    rubric: Rubric,
    files: list[Path],
    as_json: bool,
    records: Sequence[Record] = (),
    folders: Sequence[Path] = (),
) -> None:
    """Print the report, and write its page (with transcripts of known matches) and files."""
    from econzoo.evaluate.analyses.judging import judgements_page, judging_report
    from econzoo.evaluate.show import write_and_show

    if not ratings:
        print("no judgements yet")
        return
    name = files[0].stem
    page = judgements_page(judging_report(ratings, rubric), f"{name}.report", f"Judgements: {name}", records, folders)
    write_and_show(page, files[0].parent, as_json)
    if not as_json:
        print(f"Judgements: {', '.join(map(escape_name, files))}")
