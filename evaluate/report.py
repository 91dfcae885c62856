"""``econzoo report``: one self-contained HTML page of a folder of records and training logs."""

from __future__ import annotations

import base64
import hashlib
import math
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate import figures
from econzoo.evaluate.console import number, percent, span
from econzoo.evaluate.curves import Curve, read_curves
from econzoo.evaluate.statistics import Interval
from econzoo.evaluate.stories import chosen, stories, visible
from econzoo.evaluate.summary import Summary, read_summary
from econzoo.evaluate.words import many, sentences

if TYPE_CHECKING:
    from jinja2 import Environment

PAGE = "report.html"

NAMES = {
    "self_gain": "gain",
    "nash_product": "Nash product",
    "error_rate": "unusable answers",
    "default_rate": "default moves",
    "agreed": "deals",
    "forfeit": "forfeits",
    "left": "left",
    "share": "share of equilibrium",
    "share_each": "mean share of a match",
}
"""Headings of columns that are not simply their names."""


def write_report(
    folder: str | Path, out: str | Path | None = None, title: str | None = None, transcripts: int = 120
) -> tuple[Path, list[str]]:
    """Writes the page of a folder.

    Args:
        folder: With records (``*.jsonl``), learning curves (``learning_curve.csv``), or both, in it or below.
        out: Where to; None: ``report.html`` in the folder.
        title: Heading; None: made from the game and the folder.
        transcripts: Matches to read in the page, at most.

    Returns:
        The page, and the summary in sentences.

    Raises:
        FileNotFoundError: There is neither record nor learning curve.
        ValueError: The records cannot be read.
    """
    folder = Path(folder)
    curves, problems = read_curves(folder) if folder.is_dir() else ([], [])
    try:
        summary = read_summary(folder, verify=True)
    except FileNotFoundError:
        if not curves:
            raise
        summary = None
    path = Path(out) if out else (folder if folder.is_dir() else folder.parent) / PAGE
    name = f"{summary.game}: {folder.resolve().name}" if summary else folder.resolve().name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(summary, curves, title or name, transcripts, problems), encoding="utf-8")
    return path, sentences(summary) if summary else [f"{many(len(curves), 'learning curve')} and no matches."]


def page(
    summary: Summary | None, curves: list[Curve], title: str, transcripts: int = 120, problems: list[str] | None = None
) -> str:
    """The page as text."""
    environment = _environment()
    style, script = _template("report.css"), _template("report.js")
    shown = _transcripts(summary, transcripts) if summary else []
    return environment.get_template("report.html").render(
        title=visible(title),
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        summary=summary,
        sentences=[visible(one) for one in sentences(summary)] if summary else [],
        problems=[visible(str(one)) for one in [*(problems or []), *(summary.unreadable if summary else [])]],
        objectives=_objectives(summary) if summary else [],
        heat=_heat(summary) if summary else None,
        markets=_markets(summary) if summary else None,
        curves=[
            (visible(c.name), figures.to_svg(figures.learning_figure(c), f"Learning curve {c.name}")) for c in curves
        ],
        equilibrium=_figure(summary, "share", figures.equilibrium_figure, "Share of the equilibrium payoff"),
        pareto=_figure(summary, "efficiency", figures.pareto_figure, "Efficiency against fairness"),
        violations=_violations(summary) if summary else None,
        stories=shown,
        story_players=sorted({seat["player"] for one in shown for seat in one["seats"]}),
        story_endings=sorted({one["ending"] for one in shown}),
        story_markets=list(dict.fromkeys(one["market"] for one in shown)),
    )


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=number, percent=percent, span=span, visible=visible, short=figures.short, many=many)
    made.globals.update(names=NAMES, isnan=math.isnan, known=_known)
    return made


def _template(name: str) -> str:
    return files("econzoo.evaluate").joinpath("templates", name).read_text(encoding="utf-8")


def _known(summary: Summary, column: str) -> bool:
    """Whether a column has a value for anybody."""
    return any(found[column].rows for found in summary.overall.values())


def _figure(summary: Summary | None, column: str, draw: Any, title: str) -> str:
    if summary is None or not _known(summary, column):
        return ""
    return figures.to_svg(draw(summary), title)


def _objectives(summary: Summary) -> list[str]:
    """Columns of the ranking besides the gain: theory and deals, then the other objectives."""
    hidden = {"self_gain", "rounds", "tokens", "cost", "regret", "regret_exact", *NAMES} - {"nash_product"}
    names = [name for name in next(iter(summary.overall.values())) if name not in hidden]
    return [name for name in ("share", "agreed", *names) if _known(summary, name)]


def _heat(summary: Summary) -> dict[str, Any]:
    """Mean gain of row against column, with the depth of colour of each cell."""
    found = {pair: estimates["self_gain"] for pair, estimates in summary.pairs.items()}
    return _grid(summary.players, summary.opponents, found)


def _markets(summary: Summary) -> dict[str, Any] | None:
    """Mean gain of each player in each market."""
    names = list(dict.fromkeys(summary.table["market"]))
    if len(names) < 2:
        return None
    found = {pair: estimates["self_gain"] for pair, estimates in summary.markets.items()}
    turned = {(market, player): interval for (player, market), interval in found.items()}
    return _grid(names, summary.players, turned)


def _grid(rows: list[str], columns: list[str], found: dict[tuple[str, str], Interval]) -> dict[str, Any]:
    means = [one.mean for one in found.values() if not math.isnan(one.mean)]
    low, high = min([0.0, *means]), max([0.0, *means])
    wide = (high - low) or 1.0

    def cell(row: str, column: str) -> dict[str, Any] | None:
        one = found.get((row, column))
        if one is None or math.isnan(one.mean):
            return None
        return {"found": one, "depth": round((one.mean - low) / wide, 3)}

    return {"columns": columns, "rows": [(row, [cell(row, column) for column in columns]) for row in rows]}


def _violations(summary: Summary) -> dict[str, Any] | None:
    if not summary.violations:
        return None
    columns = list(next(iter(summary.violations.values())))
    rows = [(p, [summary.violations[p][c] for c in columns]) for p in summary.players if p in summary.violations]
    return {"columns": [column.replace("_", " ") for column in columns], "rows": rows}


def _transcripts(summary: Summary, most: int) -> list[dict[str, Any]]:
    markets = dict(zip(summary.table["match"], summary.table["market"], strict=True))
    return stories(chosen(summary.records, most), markets)
