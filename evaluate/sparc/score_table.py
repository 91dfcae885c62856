"""The scores as tables: terminal, CSV, JSON and one page."""

from __future__ import annotations

from html import escape
from math import isnan
from pathlib import Path
from typing import Any

from econzoo.evaluate.console import number, percent, show, span, table
from econzoo.evaluate.csv_files import write_csv
from econzoo.evaluate.sparc.benchmark import Answer
from econzoo.evaluate.sparc.scores import MEASURES, Key, Scores

__all__ = ["plain_scores", "show", "tables", "write_page", "write_tables"]

Found = dict[Key, dict[str, Scores]]

LEGEND = (
    "accuracy: usable answers on the right side of one half, with its 95% interval over items (bootstrap). "
    "bal.: mean of the accuracies on items that are yes and that are no. F1: of yes. Brier: smaller is better. "
    "log: mean log score, the payoff. failed: answers that could not be used; they count in no other column but "
    "'as wrong', the accuracy with them as wrong answers. cot: chain of thought. scores.csv has all measures.\n"
)
HEADS = ("player", "accuracy", "95%", "bal.", "F1", "Brier", "log", "failed", "as wrong")
SHORT = ("balanced", "f1", "brier", "log_score")


def tables(found: Found) -> list[Any]:
    """A table for every variant and part of the items, the highest accuracy first; and what the columns mean."""
    made: list[Any] = []
    for variant in dict.fromkeys(key[2] for key in found):
        for part in ("all", "deterministic", "stochastic"):
            rows = ranked(found, variant, part)
            if rows:
                count = rows[0][1].measures["accuracy"].rows
                made.append(
                    table(f"{variant} text, {part} items ({count})", list(HEADS), [cells(*row) for row in rows])
                )
    return [*made, LEGEND]


def ranked(found: Found, variant: str, part: str) -> list[tuple[Key, Scores]]:
    """The rows of a table."""
    rows = [(key, own[part]) for key, own in found.items() if key[2] == variant and part in own]
    return sorted(rows, key=lambda row: -_or_least(row[1].measures["accuracy"].mean))


def _or_least(value: float) -> float:
    return -1.0 if isnan(value) else value


def cells(key: Key, one: Scores) -> list[str]:
    """The texts of a row."""
    found = one.measures
    shown = [number(found[measure].mean, 2) for measure in SHORT]
    failed = f"{one.failed}/{one.answers}"
    name = f"{key[0]} (cot)" if key[1] == "chain-of-thought" else key[0]
    wrong = percent(found["failed_wrong"].mean)
    return [name, percent(found["accuracy"].mean), span(found["accuracy"]), *shown, failed, wrong]


def plain_scores(found: Found) -> list[dict[str, Any]]:
    """One dictionary for every player, prompt, variant and part."""
    return [
        {
            "player": key[0],
            "prompt": key[1],
            "variant": key[2],
            "items": part,
            "answers": one.answers,
            "failed": one.failed,
            "confusion": dict(zip(("true_yes", "false_yes", "false_no", "true_no"), one.confusion, strict=True)),
            **{name: _plain(one.measures[name]) for name in MEASURES},
        }
        for key, parts in found.items()
        for part, one in parts.items()
    ]


def _plain(interval: Any) -> dict[str, float | None]:
    ends = {"mean": interval.mean, "low": interval.low, "high": interval.high}
    return {name: None if isnan(value) else value for name, value in ends.items()}


def write_tables(given: list[Answer], found: Found, folder: Path) -> None:
    """``answers.csv``, one line an answer, and ``scores.csv``, one line a measure."""
    rows = [[*one[:5], "" if one.probability is None else one.probability, one.errors] for one in given]
    write_csv(folder / "answers.csv", Answer._fields, rows)
    lines = [
        [*key, part, name, *one.measures[name][:3], one.answers, one.failed, *one.confusion]
        for key, parts in found.items()
        for part, one in parts.items()
        for name in MEASURES
    ]
    heads = ["player", "prompt", "variant", "items", "measure", "mean", "low", "high", "answers", "failed"]
    write_csv(folder / "scores.csv", [*heads, "true_yes", "false_yes", "false_no", "true_no"], lines)


def write_page(found: Found, folder: Path, absent: list[str]) -> Path:
    """``sparc.html``: the tables on one page that needs nothing else."""
    from econzoo.evaluate.pages import template

    parts = [
        f"<section><h2>{escape(variant)} text, {part} items</h2>{_table(rows)}</section>"
        for variant in dict.fromkeys(key[2] for key in found)
        for part in ("all", "deterministic", "stochastic")
        if (rows := ranked(found, variant, part))
    ]
    notes = [f"<p>{escape(spec)} did not play: it needs the Axelrod library.</p>" for spec in absent]
    head = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>SPARC</title>'
    style = (
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{template("report.css")}</style>'
    )
    inside = "".join([*parts, *notes, f"<p>{escape(LEGEND)}</p>"])
    body = f"<header><h1>SPARC: will this program cooperate?</h1></header><main>{inside}"
    path = folder / "sparc.html"
    path.write_text(f"{head}{style}</head><body>{body}</main></body></html>\n", encoding="utf-8")
    return path


def _table(rows: list[tuple[Key, Scores]]) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in (*HEADS, "yes/yes", "yes/no", "no/yes", "no/no"))
    lines = [
        "".join(f"<td>{escape(cell)}</td>" for cell in (*cells(key, one), *(f"{n:g}" for n in one.confusion)))
        for key, one in rows
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
