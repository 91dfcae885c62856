"""The analysis ``judgements``: judges' scores of players, and inter-judge agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Flag, Option
from econzoo.envs.core.record import Record, label_players
from econzoo.evaluate.analyses import describe, gap_table, played_games
from econzoo.evaluate.analyses.judging.judgements import JUDGEMENTS, read_judgements
from econzoo.evaluate.analyses.judging.ratings import ratings_of
from econzoo.evaluate.analyses.judging.report import ALL, JUDGE, PLAYER, Reading, Report, Row, judging_report
from econzoo.evaluate.analyses.judging.rubric import Rubric, load_rubric
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import COUNT, FILES, HEADING, NOTE, PAGE, PLACES, READER_PLACES, SHARE, TERMINAL, TEXT
from econzoo.evaluate.show import Column, Divider, Page, Part, Table, Text, file_table
from econzoo.evaluate.stats import Interval

MATCHES_NOTE = "All scores of one match, by all judges, form one cluster."

READING_NOTE = (
    "compact: tables and shortened texts, where the transcript exceeds the model's context. cut: compact and "
    "truncated. left out: omitted characters, as a share of the full transcripts."
)


def judgements(
    records: Records,
    *,
    rubric: Annotated[str, Option(meaning="Rubric name or TOML file.")] = "alympics",
    reasoning: Annotated[bool, Option(Flag(), "Use judgements made with reasoning traces.")] = False,
) -> Page:
    """Scores in ``judging/judgements.jsonl`` beside the records, and inter-judge agreement."""
    asked, path = load_rubric(rubric), records.place / JUDGEMENTS[reasoning]
    if not path.exists():
        raise FileNotFoundError(f"no judgements at {path}: run econzoo judge first")
    found = judging_report(list(ratings_of(read_judgements(path, asked))), asked)
    return judgements_page(found, "judgements", f"Judgements: {records.folder.resolve().name}", records)


def judgements_page(
    found: Report, name: str, title: str, records: Sequence[Record] = (), folders: Iterable[Path] = ()
) -> Page:
    """Return the page of judgements; default folders of the matches: that of the records."""
    label_players(records)
    own = [records.folder] if isinstance(records, Records) else []
    judged = [found.rubric.name, found.rubric.digest, found.items, len(found.judges)]
    parts: list[Part] = [
        _score_file_table(found),
        file_table("judged", ("rubric", "digest", "items", "judges"), [judged]),
    ]
    parts += describe(played_games(records), [*folders] or own) if records else []
    parts += [Text("Rubric", HEADING, places=(PAGE,)), _questions(found.rubric)]
    parts += [Text("Scores", HEADING, places=(PAGE,)), *_scores(found)]
    facts = [
        format_count(found.items, "player"),
        format_count(len(found.judges), "judge"),
        f"rubric {found.rubric.name} ({found.rubric.digest})",
    ]
    return Page(name, title, parts, facts)


def _questions(rubric: Rubric) -> Table:
    rows = [
        (one.name if one.short == one.name else f"{one.name} ({one.short})", one.question, _end_anchors(one.anchors))
        for one in rubric.dimensions
    ]
    columns = [Column(head, kind=TEXT) for head in ("dimension", "question", "lowest and highest score")]
    return Table("asked", "Questions of the rubric", columns, rows, places=(PAGE,))


def _end_anchors(anchors: Sequence[str]) -> str:
    return f"{anchors[0]} \u2026 {anchors[-1]}"


def _scores(found: Report) -> Iterator[Part]:
    """Scores by player and by judge, and agreement."""
    names = {one.key: one.name for one in found.rubric.dimensions}
    shorts = {one.key: one.short for one in found.rubric.dimensions}
    size = f"{format_count(found.items, 'player')} judged by {format_count(len(found.judges), 'judge')}"
    overall = [[names[row.dimension], *_numbers(row)] for row in found.rows_by(ALL)]
    columns = [Column("dimension", kind=TEXT), *COLUMNS]
    yield Table("all", f"{found.rubric.name}: {size}", columns, overall, _missing_note(found), places=READER_PLACES)
    if found.rows_by(PLAYER):
        yield _group_table("By player", PLAYER, found, shorts)
        gaps = [((shorts[one.group], one.best, one.name), one.gap) for one in found.gaps_to_best]
        title, heads = "Score: gap to the best player", ("dimension", "best", "player")
        yield gap_table("gaps_to_best", title, heads, gaps, MATCHES_NOTE)
    if len(found.judges) > 1:
        yield _group_table("By judge (severity)", JUDGE, found, shorts)
    yield from _agreement(found, names)
    yield from _reading_parts(found.readings)
    yield Text(f"Hash of the rubric: {found.rubric.digest}.", NOTE, places=(TERMINAL,))


COLUMNS = (
    Column("n", kind=COUNT, meaning="n: scores"),
    Column("mean", digits=2, show_interval=True, meaning="95%: over matches"),
    Column("sd", digits=2, meaning="sd: standard deviation"),
    Column("low_quartile", "q1", digits=2, meaning="q1, median, q3: quartiles"),
    Column("median", digits=2),
    Column("high_quartile", "q3", digits=2),
)


def _numbers(row: Row) -> list[Any]:
    quartiles = row.low_quartile, row.median, row.high_quartile
    return [row.n, Interval(row.mean, row.low, row.high, row.n), row.sd, *quartiles]


def _missing_note(found: Report) -> str:
    """A note on questions without a score; empty without any."""
    without = sum(row.missing for row in found.rows_by(ALL))
    return f"{format_count(without, 'question')} without a valid score excluded." if without else ""


def _group_table(title: str, by: str, found: Report, shorts: dict[str, str]) -> Table:
    rows: list[Any] = []
    for who in dict.fromkeys(row.who for row in found.rows_by(by)):
        own = [[shorts[row.dimension], *_numbers(row)] for row in found.rows_by(by) if row.who == who]
        rows += [Divider(who), *own]
    return Table(f"by_{by}", title, [Column("dimension", kind=TEXT), *COLUMNS], rows, places=READER_PLACES)


def _reading_parts(readings: Sequence[Reading]) -> Iterator[Part]:
    """Evidence read by judges: one sentence if all transcripts were complete, else a table."""
    whole = all(not one.compact and not one.cut for one in readings)
    if readings and whole:
        yield Text("Judges read all transcripts in full.")
    columns = [
        Column("judge", kind=TEXT),
        *(Column(name, kind=COUNT) for name in ("whole", "compact", "cut")),
        Column("left_out_share", "left out", SHARE, places=READER_PLACES),
        *(Column(name, kind=COUNT, places=(FILES,)) for name in ("characters", "left_out")),
    ]
    rows = [(*one[:4], one.left_out / one.characters if one.characters else 0.0, *one[4:]) for one in readings]
    title, places = "Evidence read by judges (number of players)", (FILES,) if whole else PLACES
    yield Table("read", title, columns, rows, READING_NOTE, places=places)


def _agreement(found: Report, names: dict[str, str]) -> Iterator[Part]:
    """The table of agreement, or one sentence if alpha is undefined everywhere."""
    reasons = "; ".join(dict.fromkeys(one.undefined for one in found.agreement.values() if one.undefined))
    nowhere = all(one.undefined for one in found.agreement.values())
    if nowhere:
        yield Text(f"Inter-judge agreement is undefined: {reasons}.")
    columns = [
        Column("name", "dimension", TEXT, places=READER_PLACES),
        Column("dimension", kind=TEXT, places=(FILES,)),
        Column("items", "players", COUNT),
        Column("judges", kind=COUNT),
        Column("ratings", "scores", COUNT),
        Column("ordinal"),
        Column("interval"),
        Column("undefined", kind=TEXT, places=(FILES,)),
    ]
    rows = [(names[key], key, *one) for key, one in found.agreement.items()]
    note = "alpha: Krippendorff's alpha; 1 is perfect agreement, 0 is chance."
    note += f" Undefined (dash): {reasons}." if reasons else ""
    places = (FILES,) if nowhere else PLACES
    yield Table("agreement", "Inter-judge agreement (Krippendorff's alpha)", columns, rows, note, places=places)


READING_COLUMNS = Reading._fields[1:]
ALPHA_COLUMNS = ("alpha_ordinal", "alpha_interval", "alpha_items", "alpha_judges", "alpha_undefined")


def _score_file_table(found: Report) -> Table:
    """All rows; agreement in the rows of all players, evidence read in those of judges."""
    rows, read = [], {one.judge: one[1:] for one in found.readings}
    for row in found.rows:
        one = found.agreement[row.dimension]
        alpha = (one.ordinal, one.interval, one.items, one.judges, one.undefined) if row.by == ALL else (None,) * 5
        rows.append((*row, *alpha, *read.get(row.who if row.by == JUDGE else "", (None,) * len(READING_COLUMNS))))
    return file_table("scores", (*Row._fields, *ALPHA_COLUMNS, *READING_COLUMNS), rows)
