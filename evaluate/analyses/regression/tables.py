"""Tables of effects and everything else, as CSV and as LaTeX (like tables 5 and 6 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analyses.regression.metagame import Equilibrium
from econzoo.evaluate.analyses.regression.observations import words
from econzoo.evaluate.analyses.regression.prediction import Score
from econzoo.evaluate.analyses.regression.regression import ALONE, ROUGH, WEAK, Effect
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.escapes import in_latex

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import FamilyStudy, Study

POINTS = 100
"""Effects are shown in percentage points."""


@dataclass
class Group:
    """The effects of one feature on all metrics.

    Attributes:
        parameter: Feature.
        baseline: Level they are measured against.
        rows: Level to metric to `Effect`.
    """

    parameter: str
    baseline: str
    rows: dict[str, dict[str, Effect]] = field(default_factory=dict)


def parts(family: FamilyStudy) -> dict[str, list[Group]]:
    """The two tables of a family: of its parameters and of its players."""
    found: dict[tuple[str, str], Group] = {}
    for effect in (effect for fit in family.fits for effect in fit.effects):
        key = effect.parameter, effect.baseline
        group = found.setdefault(key, Group(*key))
        group.rows.setdefault(effect.value, {})[effect.metric] = effect
    names, made = family.player_features, found.values()
    return {
        "parameters": [group for group in made if group.parameter not in names],
        "players": [group for group in made if group.parameter in names],
    }


def points(value: float) -> str:
    """A difference in percentage points, or a dash."""
    return "-" if math.isnan(value) else f"{POINTS * value:+.1f}".replace("-0.0", "0.0").replace("+0.0", "0.0")


# CSV


FITS = ("family", "metric", "n", "dropped", "clusters", "mean", "constant", "r2", "residual", "freedom")
PAIRS = ("family", "metric", "first_player", "second_player", "n", "mean", "effect", "adjusted")
EQUILIBRIA = ("family", "equilibrium", "kind", "seat", "player", "probability", "gain", "clear")


def write_all_csv(study: Study, folder: Path) -> None:
    """Every table of numbers, all families in one file each, and the observations of each family."""
    each = study.families
    fits = [fit for family in each for fit in family.fits]
    tables: dict[str, tuple[Sequence[str], list[Sequence[Any]]]] = {
        "effects": (
            (*Effect._fields, "caution"),
            [(*effect, effect.caution) for fit in fits for effect in fit.effects],
        ),
        "fits": (FITS, [[getattr(fit, name) for name in FITS] for fit in fits]),
        "pairs": (PAIRS, [row for family in each for row in _pairs(family)]),
        "equilibria": (EQUILIBRIA, [row for family in each for row in _equilibria(family)]),
        "prediction": (Score._fields, [score for family in each for score in family.scores]),
    }
    for name, (heads, rows) in tables.items():
        write_csv(folder / f"{name}.csv", heads, rows)
    for family in each:
        table = family.observations.table
        rows = table.itertuples(index=False, name=None)
        write_csv(folder / f"observations_{family.name}.csv", list(table), rows)


def _pairs(family: FamilyStudy) -> Iterable[Sequence[Any]]:
    for heat in family.heats:
        for pair, cell in heat.cells.items():
            yield heat.family, heat.metric, *pair, cell.n, cell.mean, cell.effect, heat.adjusted


def _equilibria(family: FamilyStudy) -> Iterable[Sequence[Any]]:
    found: Sequence[Equilibrium] = family.meta.equilibria if family.meta else ()
    for number, one in enumerate(found, start=1):
        for role, mixture, gain in zip(family.observations.roles, (one.first, one.second), one.gains, strict=True):
            for player, probability in mixture.items():
                kind = "pure" if one.pure else "mixed"
                yield family.name, number, kind, role, player, probability, gain, one.clear


# LaTeX


def latex(family: FamilyStudy, part: str) -> str:
    """A table of effects in percentage points, for the package ``booktabs``.

    Args:
        family: The family.
        part: ``"parameters"`` or ``"players"``.
    """
    metrics = [fit.metric for fit in family.fits]
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        f"\\caption{{{in_latex(family.name.capitalize())}: effects of {part} in percentage points. Each against the "
        "baseline, all else equal, with 95\\% intervals by clusters of configurations and of pairs of players. "
        "*: differs from 0, all effects of the metric counted (Holm). "
        f"$\\circ$: rough, fewer than {WEAK:g} degrees of freedom. $\\dagger$: over seeds only.}}",
        f"\\label{{tab:{family.name}-{part}}}",
        "\\begin{tabular}{l" + "r" * len(metrics) + "}",
        "\\toprule",
        " & ".join(["", *(in_latex(words(metric)) for metric in metrics)]) + " \\\\",
    ]
    for group in parts(family)[part]:
        title = f"{words(group.parameter)} (baseline {group.baseline})"
        lines += ["\\midrule", f"\\multicolumn{{{len(metrics) + 1}}}{{l}}{{\\textit{{{in_latex(title)}}}}} \\\\"]
        lines += [_row(value, [row.get(metric) for metric in metrics]) for value, row in group.rows.items()]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""])


def _row(value: str, effects: Sequence[Effect | None]) -> str:
    first = " & ".join([in_latex(value), *(_number(e) for e in effects)]) + " \\\\"
    second = " & ".join(["", *(_interval(e) for e in effects)]) + " \\\\"
    return f"{first}\n{second}"


def _number(effect: Effect | None) -> str:
    if effect is None or math.isnan(effect.effect):
        return "--"
    return f"${points(effect.effect)}{'^{*}' if effect.clear else ''}$"


def _interval(effect: Effect | None) -> str:
    if effect is None or not effect.over:
        return ""
    signs = "".join({ROUGH: "\\circ", ALONE: "\\dagger"}[mark] for mark in effect.marks)
    low, high = points(effect.ci_low_clustered), points(effect.ci_high_clustered)
    return f"{{\\scriptsize $[{low}, {high}]{f'^{{{signs}}}' if signs else ''}$}}"


def write_all_latex(study: Study, folder: Path) -> None:
    """Two tables for each family."""
    for family in study.families:
        for part, found in parts(family).items():
            if found:
                path = folder / f"table_{part}_{family.name}.tex"
                path.write_text(latex(family, part), encoding="utf-8")
