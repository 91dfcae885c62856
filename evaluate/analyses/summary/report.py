"""``econzoo report``: one self-contained HTML page of a folder of records and training logs."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.description import played_of
from econzoo.evaluate.analyses.frame import SELF_GAIN, UNFORFEITED
from econzoo.evaluate.analyses.groups import Group
from econzoo.evaluate.analyses.learning.files import read_tables
from econzoo.evaluate.analyses.learning_curve import Curve, read_curves
from econzoo.evaluate.analyses.page import new_page, template
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.summary import figures
from econzoo.evaluate.analyses.summary.equilibrium_share import of_the_same_matches, seats_told
from econzoo.evaluate.analyses.summary.match_pages import Listed, folder_of, listed, match_pages
from econzoo.evaluate.analyses.summary.sentences import sentences
from econzoo.evaluate.analyses.summary.summary import Summary, read_summary
from econzoo.evaluate.analyses.summary.training import trained_in
from econzoo.evaluate.run.costs import costs, costs_table, write_costs
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.figures import to_svg
from econzoo.evaluate.show.numbers import agreements, capitalized
from econzoo.evaluate.stats.columns import values_of
from econzoo.evaluate.stats.intervals import Interval
from econzoo.evaluate.stats.outcomes import HEADINGS, LEGEND

PAGE = "report.html"

NOBODY = Listed([], [], [], {})
"""Where no match has a page."""

MOST_MARKETS = 80
"""Markets that a table has a row for."""

NAMES = {
    "self_gain": "gain",
    "nash_product": "Nash product",
    "error_rate": "unusable answers",
    "default_rate": "default moves",
    "forfeit": "forfeits",
    "left": "left",
    "share": "share of equilibrium",
    "share_each": "mean share of a match",
    "share_gain": "gain there",
    UNFORFEITED: "gain without forfeited matches",
    **HEADINGS,
}
"""Headings of columns that are not simply their names."""


def write_report(
    folder: str | Path,
    out: str | Path | None = None,
    title: str | None = None,
    transcripts: int = 120,
    objective: str = SELF_GAIN,
) -> tuple[Path, list[str]]:
    """Writes the page of a folder, and a page of each of its matches into a folder beside it.

    Args:
        folder: With records (``*.jsonl``), learning curves (``learning_curve.csv``), or both, in it or below.
        out: Where to; None: ``report.html`` in the folder.
        title: Heading; None: made from the game and the folder.
        transcripts: Matches with a page of their own, at most.
        objective: The spec of an objective by which players are ranked.

    Returns:
        The page, and the summary in sentences.

    Raises:
        FileNotFoundError: There is neither record nor learning curve.
        ValueError: The records cannot be read.
    """
    folder = Path(folder)
    curves, problems = read_curves(folder) if folder.is_dir() else ([], [])
    try:
        summary = read_summary(folder, verify=True, objective=objective)
    except FileNotFoundError:
        if not curves:
            raise
        summary = None
    path = Path(out) if out else (folder if folder.is_dir() else folder.parent) / PAGE
    name = f"{summary.game}: {folder.resolve().name}" if summary else folder.resolve().name
    path.parent.mkdir(parents=True, exist_ok=True)
    markets = _markets_of(summary) if summary else {}
    matches = listed([*summary.records, *summary.without_result], markets, transcripts) if summary else NOBODY
    learning = read_tables(folder) if folder.is_dir() else []
    made = page(summary, curves, title or name, matches, problems, [folder], path.name, learning)
    path.write_text(made, encoding="utf-8")
    for one in match_pages(matches.records, markets, path.name, [folder]):
        one.write(path.parent / folder_of(path.name))
    if summary and (spent := costs(summary.played)):
        write_costs(spent, path.parent)
    return path, sentences(summary) if summary else [f"{many(len(curves), 'learning curve')} and no matches."]


def page(
    summary: Summary | None,
    curves: list[Curve],
    title: str,
    matches: Listed = NOBODY,
    problems: list[str] | None = None,
    folders: Sequence[Path] = (),
    name: str = PAGE,
    learning: Sequence[TextTable] = (),
) -> str:
    """The page as text.

    Args:
        summary: Of the matches, if there are any.
        curves: Of learning.
        title: Heading.
        matches: Those that have a page of their own.
        problems: What was not read.
        folders: Of the matches and trainings.
        name: Of the page's file.
        learning: Tables of what trainings earn over their seeds.
    """
    script = template("report.js")
    lines = [match for seating in matches.seatings for match in seating["matches"]]
    return new_page(
        PAGE,
        title,
        played=[
            *(played_of(summary.played, summary.plan) if summary else []),
            *(one for folder in folders if curves for one in trained_in(folder)),
        ],
        folders=folders,
        problems=[*(problems or []), *(summary.unreadable if summary else [])],
        known=_known,
        seats_told=seats_told,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        summary=summary,
        sentences=[visible(one) for one in sentences(summary)] if summary else [],
        objectives=_objectives(summary) if summary else [],
        names={**NAMES, summary.facts.agreement_column: agreements(summary.facts)} if summary else NAMES,
        outcomes=[rate for rate in HEADINGS if rate in next(iter(summary.overall.values()))] if summary else [],
        outcomes_legend=LEGEND,
        groups=[_shown(summary, group, matches) for group in summary.groups] if summary else [],
        learning=list(learning),
        curves=[
            (
                visible(c.name),
                to_svg(figures.learning_figure(c, summary.players if summary else ()), f"Learning curve {c.name}"),
            )
            for c in curves
        ],
        equilibrium=_figure(summary, "share", figures.equilibrium_figure, "Share of the equilibrium payoff"),
        pareto=_pareto(summary) if summary else [],
        violations=_violations(summary) if summary else None,
        costs=costs_table(costs(summary.played)) if summary else None,
        listed=matches,
        place=folder_of(name),
        story_players=sorted({seat["player"] for one in lines for seat in one["seats"]}),
        story_endings=sorted({one["ending"] for one in lines}),
        story_markets=list(dict.fromkeys(one["market"] for one in lines)),
    ).text


def _known(summary: Summary, column: str) -> bool:
    """Whether a column has a value for anybody."""
    return any(found[column].rows for found in summary.overall.values())


def _figure(summary: Summary | None, column: str, draw: Any, title: str) -> str:
    if summary is None or not _known(summary, column):
        return ""
    return to_svg(draw(summary), title)


def _pareto(summary: Summary) -> list[tuple[str, str]]:
    """Heading and figure of every group."""
    if not _known(summary, "efficiency"):
        return []
    drawn = [(heading(summary, group), figures.pareto_figure(summary, group)) for group in summary.groups]
    return [(title, to_svg(one, f"Efficiency against fairness {title.lower()}".strip())) for title, one in drawn]


def _objectives(summary: Summary) -> list[str]:
    """Columns of the ranking besides the first: gain, theory and deals, then the other objectives."""
    agreed = summary.facts.agreement_column
    hidden = {"rounds", "tokens", "cost", "regret", "regret_exact", agreed, *NAMES} - {"nash_product"}
    others = [name for name in next(iter(summary.overall.values())) if name not in hidden]
    same = all(of_the_same_matches(group.overall.values()) for group in summary.groups)
    columns = (SELF_GAIN, *(["share"] if same else []), agreed, *others)
    return [name for name in columns if name != summary.objective and _known(summary, name)]


def heading(summary: Summary, group: Group) -> str:
    """``"As Alice (seller)"``; empty for all seats together; with how words were heard, where that sets apart."""
    seat = f"As {summary.facts.called(group.role)}" if group.role else ""
    told = ", ".join(part for part in (seat, group.heard) if part)
    return capitalized(told)


def _shown(summary: Summary, group: Group, matches: Listed) -> dict[str, Any]:
    """A group for the page: its heading, how long a full bar is, and means as grids with depths of colour."""
    means = [group.overall[player][summary.objective] for player in group.players]
    links = {(player, other): anchor for (role, player, other), anchor in matches.links.items() if role == group.role}
    pairs = {pair: estimates[summary.objective] for pair, estimates in group.pairs.items()}
    return {
        "heading": heading(summary, group),
        "role": group.role,
        "heard": group.heard,
        "players": group.players,
        "overall": group.overall,
        "behind": {player: gap for player, gap in group.behind.items() if not math.isnan(gap.low)},
        "same_matches": of_the_same_matches(group.overall.values()),
        "top": full_bar([one.mean if math.isnan(one.high) else one.high for one in means]),
        "heat": _grid(group.players, group.opponents, pairs, links),
        "markets": _markets(summary, group),
    }


def full_bar(values: list[float]) -> float:
    """1, or where that would be too short or too long for a bar, the next of 1, 2, 5, 10, ... times a power of ten."""
    most = max([value for value in values if not math.isnan(value)], default=1.0)
    if 0.2 <= most <= 1.0 or most <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if most <= step * power * (1 + 1e-9))


def _markets(summary: Summary, group: Group) -> dict[str, Any] | None:
    """The mean of each player in each market, unless there are too many to look at."""
    names = list(dict.fromkeys(summary.table["market"]))
    if not 2 <= len(names) <= MOST_MARKETS:
        return None
    turned = {(market, player): found[summary.objective] for (player, market), found in group.markets.items()}
    played = {market for market, _ in turned}
    return _grid([name for name in names if name in played], group.players, turned)


def _grid(
    rows: list[str],
    columns: list[str],
    found: dict[tuple[str, str], Interval],
    links: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> dict[str, Any]:
    means = [one.mean for one in found.values() if not math.isnan(one.mean)]
    low, high = min([0.0, *means]), max([0.0, *means])
    wide = (high - low) or 1.0

    def cell(row: str, column: str) -> dict[str, Any] | None:
        one = found.get((row, column))
        if one is None or math.isnan(one.mean):
            return None
        return {"found": one, "depth": round((one.mean - low) / wide, 3), "link": links.get((row, column))}

    return {"columns": columns, "rows": [(row, [cell(row, column) for column in columns]) for row in rows]}


def _violations(summary: Summary) -> dict[str, Any] | None:
    if not summary.violations:
        return None
    columns = list(next(iter(summary.violations.values())))
    rows = [(p, [summary.violations[p][c] for c in columns]) for p in summary.players if p in summary.violations]
    return {"columns": [column.replace("_", " ") for column in columns], "rows": rows}


def _markets_of(summary: Summary) -> dict[str, str]:
    """Id of each match to the name of its market."""
    table, plan = summary.columns, summary.plan
    named = dict(zip(values_of(table["match"]), values_of(table["market"]), strict=True))
    for record in summary.without_result:
        named[record.id] = places(record, (plan.market_of(record.params) if plan else None) or "")[0]["market"]
    return named
