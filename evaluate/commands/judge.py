"""``econzoo judge``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, Integer, OrNone
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.extras import require_libraries
from econzoo.envs.core.files import escape_name
from econzoo.envs.core.record.spec import identity, labels
from econzoo.evaluate.run.budget import Spending, add_budget_options, count_earlier_costs, has_prices, sum_spending
from econzoo.evaluate.run.cost_estimate import Pairing, iterate_confirmed_parts
from econzoo.evaluate.run.engines import EngineOptions, open_engine
from econzoo.evaluate.run.progress import exit_on_interrupt, progress_bar

if TYPE_CHECKING:
    from econzoo.envs.core.record.record import Record
    from econzoo.evaluate.analyses.judging.evidence import Item
    from econzoo.evaluate.analyses.judging.panel import Judge
    from econzoo.evaluate.analyses.judging.ratings import Rating
    from econzoo.evaluate.analyses.judging.rubric import Rubric


@dataclass
class JudgeOptions(EngineOptions):
    """Score recorded players on a rubric, by models or people; judges see neither who played nor each other.

    Examples: econzoo judge runs/first --judge hf:smollm2 --limit 20 | econzoo judge matches.jsonl --judge human |
    econzoo judge --report runs/first/judging/judgements.jsonl | econzoo judge --ratings sheets.csv
    """

    records: Annotated[str | None, Option(meaning="File of records, or a folder with them.", positional=True)] = None
    rubric: Annotated[str, Option(meaning="Rubric: a name, or a TOML file.")] = "alympics"
    judge: Annotated[
        list[str],
        Option(meaning="Judge: hf:smollm2, hf:PATH, openai:MODEL@URL, human, human(name='Ann') (repeatable)."),
    ] = field(default_factory=list)
    seats: Annotated[str | None, Option(meaning="Roles, or numbers of seats from 0, with commas.", default="all")] = (
        None
    )
    limit: Annotated[int | None, Option(OrNone(Integer(1)), "Number of players drawn at random.", default="all")] = None
    seed: Annotated[int, Option(Integer(0), "Random seed of the sample, the order and a model's sampling.")] = 0
    length: Annotated[
        int | None,
        Option(
            OrNone(Integer(500)),
            "Most characters of a transcript that a model reads.",
            default="what its context holds",
        ),
    ] = None
    reasoning: Annotated[bool, Option(Flag(), "Let judges read what reasoning models thought before they replied.")] = (
        False
    )
    out: Annotated[
        str | None,
        Option(meaning="File of the judgements.", default="judging/judgements[-reasoning].jsonl beside the records"),
    ] = None
    report: Annotated[list[str], Option(meaning="Judge nothing; report on these judgements (repeatable).")] = field(
        default_factory=list
    )
    ratings: Annotated[
        list[str], Option(meaning="CSV of own ratings: item, judge, dimension, score, reason (repeatable).")
    ] = field(default_factory=list)
    drop_off_scale: Annotated[bool, Option(Flag(), "Leave out cells of --ratings that are off the scale.")] = False
    concurrent: Annotated[int, Option(Integer(1, 256), "Players that a model judges at once.")] = 1
    json: Annotated[bool, Option(Flag(), "Print all numbers as JSON.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def run(options: JudgeOptions) -> None:
    """Judges what is not judged yet, and reports.

    Raises:
        ValueError: Something is unknown or not allowed, or there is nothing to do.
        typer.Exit: 1: some players were left out.
    """
    require_libraries("judge", "pandas", "scipy", "jinja2")
    from econzoo.baselines.factory import is_person
    from econzoo.evaluate.analyses.judging.evidence import find_items
    from econzoo.evaluate.analyses.judging.judgements import JUDGEMENTS
    from econzoo.evaluate.analyses.judging.panel import new_judge
    from econzoo.evaluate.analyses.judging.rubric import load_rubric

    records = Path(options.records) if options.records else None
    judges, report, ratings = options.judge, [*map(Path, options.report)], [*map(Path, options.ratings)]
    seed, reasoning, as_json = options.seed, options.reasoning, options.json
    asked = load_rubric(options.rubric)
    check_use(records, judges, report, ratings)
    if records is None:
        files = [*report, *ratings]
        report_ratings(all_ratings(report, ratings, asked, options.drop_off_scale), asked, files, as_json)
        return
    place = (
        Path(options.out) if options.out else (records if records.is_dir() else records.parent) / JUDGEMENTS[reasoning]
    )
    found = find_items(records, options.seats, options.limit, seed, reasoning)
    with open_engine(options.engine, options.ray_address):
        panel = [new_judge(spec, options.length, options.concurrent) for spec in judges]
        done = judge_items(panel, found.items, asked, seed, place)
    for line in found.exclusions:
        print(f"left out: {clean(line)}", file=sys.stderr)
    # A person who has not judged all must not read what the others said, and of whom.
    if done < len(panel) * len(found.items) and any(map(is_person, judges)):
        print(f"There is more to judge. When all is done: econzoo judge --report {escape_name(place)}")
    else:
        of_these = {item.id for item in found.items}
        scored = [rating for rating in all_ratings([place], [], asked, False) if rating.item in of_these]
        judged_matches = list({item.record.id: item.record for item in found.items}.values())
        report_ratings(scored, asked, [place], as_json, judged_matches, [records])
    if found.exclusions:
        raise typer.Exit(1)


judge = add_budget_options(command(JudgeOptions, run))


def check_use(
    records: Path | None, judges: list[str] | None, report: list[Path] | None, ratings: list[Path] | None
) -> None:
    """Raises `ValueError` unless there is something to judge and a judge, or something to report."""
    ways = "FILE with --judge SPEC, or --report FILE and --ratings FILE.csv"
    if records is None and judges:
        raise ValueError(f"--judge needs a file of records to judge; allowed: {ways}")
    if records is not None and not judges:
        raise ValueError(f"{records} needs a judge; allowed: {ways}")
    if records is not None and (report or ratings):
        raise ValueError(f"{records} is judged first and reported on then; allowed: {ways}")
    if records is None and not (report or ratings):
        raise ValueError(f"there is nothing to judge and nothing to report; allowed: {ways}")


def judge_items(panel: Sequence[Judge], items: Sequence[Item], rubric: Rubric, seed: int, out: Path) -> int:
    """Judges what is not judged yet; returns how many judgements there are then of those asked for."""
    from econzoo.baselines.factory import is_person
    from econzoo.evaluate.analyses.judging.judgements import read_judgements
    from econzoo.evaluate.analyses.judging.panel import run_panel
    from econzoo.evaluate.run.failures import FailureCounter

    specs = [one.spec for one in panel]
    wanted = {(item.id, identity(spec)) for item in items for spec in specs}
    count_earlier_costs(out, specs)
    person, watch = any(map(is_person, specs)), FailureCounter("judgement")
    before = {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)} if out.is_file() else set()
    todo = [item for item in items if any((item.id, identity(spec)) not in before for spec in specs)]
    who = (" / ".join(labels(specs).values()),) if has_prices(specs) else ()

    def costs() -> list[tuple[Pairing, Spending]]:
        by_item: dict[str, list[Spending]] = {}
        for one in read_judgements(out, rubric) if out.is_file() else ():
            by_item.setdefault(one.item, []).append(Spending(one.cost, sum(one.tokens)))
        return [(who, sum_spending(spent)) for spent in by_item.values()]

    with exit_on_interrupt(out):
        for part in iterate_confirmed_parts(todo, lambda item: who, costs, "player"):
            with progress_bar("judgements", len(part) * len(panel), enabled=not person) as told:
                run_panel(panel, part, rubric, seed, out, told, watch)
    watch.report()
    if before & wanted:
        print(f"{len(before & wanted)} of {len(wanted)} were judged before", file=sys.stderr)
    return len(wanted & {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)})


def all_ratings(judgements: list[Path], tables: list[Path], rubric: Rubric, drop_off_scale: bool) -> list[Rating]:
    """The ratings of all files; cells that were dropped are told."""
    from econzoo.evaluate.analyses.judging.judgements import read_judgements
    from econzoo.evaluate.analyses.judging.ratings import ratings_of, read_ratings

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
    """Prints the report and writes its page and files; of the matches that are known, what was played."""
    from econzoo.evaluate.analyses.judging.page import judgements_page
    from econzoo.evaluate.analyses.judging.report import judging_report
    from econzoo.evaluate.show.page import write_and_show as tell_page

    if not ratings:
        print("nothing is judged yet")
        return
    name = files[0].stem
    made = judgements_page(judging_report(ratings, rubric), f"{name}.report", f"Judgements: {name}", records, folders)
    tell_page(made, files[0].parent, as_json)
    if not as_json:
        print(f"The judgements are in {', '.join(map(escape_name, files))}")
