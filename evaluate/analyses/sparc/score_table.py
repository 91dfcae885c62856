"""The scores as tables: terminal, CSV and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econzoo.evaluate.analyses.sparc.scores import MEASURES, PARTS, Answer, Key, Scores
from econzoo.evaluate.show.console import table
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.numbers import defined, known, number, span

__all__ = ["plain_scores", "sections", "tables", "write_tables"]

Found = dict[Key, dict[str, Scores]]
Row = tuple[Key, Scores]

LEGEND = (
    "acc.: accuracy, usable answers on the right side of one half, with its 95% interval over items. "
    "bal.: mean of the accuracies on items that are yes and that are no. F1: of yes. Brier: smaller is better. "
    "log: mean log score, the payoff. failed: answers that could not be used; they count in no other column but "
    "'strict', the accuracy with them as wrong answers. cot: chain of thought. scores.csv has all measures.\n"
)
HEADS = ("player", "acc.", "95%", "bal.", "F1", "Brier", "log", "failed", "strict")
SHORT = ("balanced", "f1", "brier", "log_score")
ENDS = ("mean", "low", "high")
CONFUSION = ("true_yes", "false_yes", "false_no", "true_no")


def sections(found: Found) -> list[tuple[str, list[Row]]]:
    """A heading and rows for every variant and part of the items, the highest accuracy first."""
    made = []
    for variant in dict.fromkeys(key[2] for key in found):
        for part in PARTS:
            rows = ranked(found, variant, part)
            if rows:
                count = rows[0][1].measures["accuracy"].rows
                made.append((f"{variant} text, {part} items ({count})", rows))
    return made


def tables(found: Found) -> list[Any]:
    """The sections as tables for a terminal; and what the columns mean."""
    made = [table(title, HEADS, [cells(*row) for row in rows]) for title, rows in sections(found)]
    return [*made, LEGEND + told_of_cuts(found)]


def told_of_cuts(found: Found) -> str:
    """A sentence on each reader who was shown less than the whole of some programs; empty if there is none."""
    return "".join(
        f"{named(key)}, {key[2]} text: {one['all'].cut} of the {one['all'].failed} failed answers are to questions "
        "that were cut, because they are longer than what the model can read.\n"
        for key, one in found.items()
        if one["all"].cut
    )


def ranked(found: Found, variant: str, part: str) -> list[Row]:
    """The rows of a table."""
    rows = [(key, own[part]) for key, own in found.items() if key[2] == variant and part in own]
    return sorted(rows, key=lambda row: -known(row[1].measures["accuracy"].mean, -1.0))


def named(key: Key) -> str:
    """A reader with its prompt."""
    return f"{key[0]} (cot)" if key[1] == "chain-of-thought" else key[0]


def cells(key: Key, one: Scores) -> list[str]:
    """The texts of a row."""
    found = one.measures
    shown = [number(found[measure].mean, 2) for measure in SHORT]
    accuracy, strict = number(found["accuracy"].mean, 2), number(found["failed_wrong"].mean, 2)
    return [named(key), accuracy, span(found["accuracy"]), *shown, f"{one.failed}/{one.answers}", strict]


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
            "cut": one.cut,
            "confusion": dict(zip(CONFUSION, one.confusion, strict=True)),
            **{name: defined(dict(zip(ENDS, one.measures[name], strict=False))) for name in MEASURES},
        }
        for key, parts in found.items()
        for part, one in parts.items()
    ]


def write_tables(given: list[Answer], found: Found, folder: Path) -> None:
    """``answers.csv``, one line an answer, and ``scores.csv``, one line a measure."""
    rows = [["" if value is None else value for value in one[:-1]] + [int(one.cut)] for one in given]
    write_csv(folder / "answers.csv", Answer._fields, rows)
    lines = [
        [*key, part, name, *one.measures[name][:3], one.answers, one.failed, one.cut, *one.confusion]
        for key, parts in found.items()
        for part, one in parts.items()
        for name in MEASURES
    ]
    heads = ["player", "prompt", "variant", "items", "measure", *ENDS, "answers", "failed", "cut"]
    write_csv(folder / "scores.csv", [*heads, *CONFUSION], lines)
