"""``econzoo judge``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.envs.core.record.spec import identity, labels
from econzoo.evaluate.commands.options import Json
from econzoo.evaluate.run.budget import Spent, budgeted, counting, has_prices, total
from econzoo.evaluate.run.estimating import Pairing, in_parts
from econzoo.evaluate.run.progress import progress_bar, stoppable

if TYPE_CHECKING:
    from econzoo.envs.core.record.record import Record
    from econzoo.evaluate.analyses.judging.evidence import Item
    from econzoo.evaluate.analyses.judging.panel import Judge
    from econzoo.evaluate.analyses.judging.ratings import Rating
    from econzoo.evaluate.analyses.judging.rubric import Rubric


@budgeted
def judge(
    records: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="File of records, or a folder with them.")
    ] = None,
    rubric: Annotated[str, typer.Option(metavar="NAME|FILE.toml", help="What is asked.")] = "alympics",
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="SPEC",
            help="hf:smollm2, hf:PATH, openai:MODEL@URL, human or human(name='Ann'); as often as needed.",
        ),
    ] = None,
    seats: Annotated[
        str | None, typer.Option(metavar="SEAT,...", help="Only these roles, or numbers of seats from 0.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="So many players at random; default: all.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample, the order and a model's sampling.")] = 0,
    length: Annotated[
        int | None,
        typer.Option(
            "--length",
            min=500,
            help="Characters of a transcript that a model reads at most; default: what its context has room for.",
        ),
    ] = None,
    reasoning: Annotated[
        bool, typer.Option("--reasoning", help="Judges also read what reasoning models thought before they replied.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Judgements; default: judging/judgements.jsonl beside FILE (--reasoning: judgements-reasoning.jsonl).",
        ),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Judge nothing; report on these judgements, as often as needed."),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.csv", help="Add ratings of your own: item, judge, dimension, score, reason."),
    ] = None,
    drop_off_scale: Annotated[
        bool, typer.Option("--drop-off-scale", help="Leave out cells of --ratings that are off the scale.")
    ] = False,
    concurrent: Annotated[int, typer.Option(min=1, max=256, help="Players that a model judges at once.")] = 1,
    as_json: Json = False,
) -> None:
    """Score recorded players on a rubric, by models or by people; judges see neither who played nor each other.

    It can be stopped at any time; the same command judges what is missing.

    Examples: econzoo judge runs/first --judge hf:smollm2 --limit 20 | econzoo judge matches.jsonl --judge human |
    econzoo judge --report runs/first/judging/judgements.jsonl | econzoo judge --ratings sheets.csv
    """
    need("judge", "pandas", "scipy", "jinja2")
    from econzoo.baselines.factory import is_person
    from econzoo.evaluate.analyses.judging.evidence import find_items
    from econzoo.evaluate.analyses.judging.judgements import JUDGEMENTS
    from econzoo.evaluate.analyses.judging.panel import new_judge
    from econzoo.evaluate.analyses.judging.rubric import load_rubric

    asked = load_rubric(rubric)
    check_use(records, judges, report, ratings)
    if records is None:
        files = [*(report or []), *(ratings or [])]
        tell(all_ratings(report or [], ratings or [], asked, drop_off_scale), asked, files, as_json)
        return
    place = out or (records if records.is_dir() else records.parent) / JUDGEMENTS[reasoning]
    panel = [new_judge(spec, length, concurrent) for spec in judges or []]
    found = find_items(records, seats, limit, seed, reasoning)
    done = judged(panel, found.items, asked, seed, place)
    for line in found.left_out:
        print(f"left out: {line}", file=sys.stderr)
    # A person who has not judged all must not read what the others said, and of whom.
    if done < len(panel) * len(found.items) and any(map(is_person, judges or [])):
        print(f"There is more to judge. When all is done: econzoo judge --report {place}")
    else:
        of_these = {item.id for item in found.items}
        given = [rating for rating in all_ratings([place], [], asked, False) if rating.item in of_these]
        judged_matches = list({item.record.id: item.record for item in found.items}.values())
        tell(given, asked, [place], as_json, judged_matches, [records])
    if found.left_out:
        raise typer.Exit(1)


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


def judged(panel: Sequence[Judge], items: Sequence[Item], rubric: Rubric, seed: int, out: Path) -> int:
    """Judges what is not judged yet; returns how many judgements there are then of those asked for."""
    from econzoo.baselines.factory import is_person
    from econzoo.evaluate.analyses.judging.judgements import read_judgements
    from econzoo.evaluate.analyses.judging.panel import sit
    from econzoo.evaluate.run.failures import Watch

    specs = [one.spec for one in panel]
    wanted = {(item.id, identity(spec)) for item in items for spec in specs}
    counting(out, specs)
    person, watch = any(map(is_person, specs)), Watch("judgement")
    before = {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)} if out.is_file() else set()
    todo = [item for item in items if any((item.id, identity(spec)) not in before for spec in specs)]
    who = (" / ".join(labels(specs).values()),) if has_prices(specs) else ()

    def costs() -> list[tuple[Pairing, Spent]]:
        by_item: dict[str, list[Spent]] = {}
        for one in read_judgements(out, rubric) if out.is_file() else ():
            by_item.setdefault(one.item, []).append(Spent(one.cost, sum(one.tokens)))
        return [(who, total(spent)) for spent in by_item.values()]

    with stoppable(out):
        for part in in_parts(todo, lambda item: who, costs, "player"):
            with progress_bar("judgements", len(part) * len(panel), shown=not person) as told:
                sit(panel, part, rubric, seed, out, told, watch)
    watch.tell()
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
        for line in table.dropped:
            print(f"left out: {line}", file=sys.stderr)
        found += table.ratings
    return found


def tell(
    ratings: list[Rating],
    rubric: Rubric,
    files: list[Path],
    as_json: bool,
    records: Sequence[Record] = (),
    folders: Sequence[Path] = (),
) -> None:
    """Prints the report and writes its page and files; of the matches that are known, what was played."""
    from econzoo.evaluate.analyses.judging.page import judgements_page
    from econzoo.evaluate.analyses.judging.report import report

    if not ratings:
        print("nothing is judged yet")
        return
    name = files[0].stem
    made = judgements_page(report(ratings, rubric), f"{name}.report", f"Judgements: {name}", records, folders)
    where = made.write(files[0].parent)
    if as_json:
        print(made.to_json())
        return
    made.show()
    print(f"\nPage: {where}\nThe judgements are in {', '.join(map(str, files))}")
