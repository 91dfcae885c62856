"""Analyses by name: each is a function from records to a `Page` of tables, figures and texts.

    from econzoo.evaluate import analyze, read_records

    records = read_records("runs/first")
    page = analyze(records, "regression", splits=100)
    page.show()
    page.write("runs/first")

An analysis neither plays nor renders. Its options are the keyword parameters of its function, each annotated with an
`econzoo.envs.core.contract.options.Option`; commands and configuration files take them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract import check_arguments, check_option_values
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import NONE, SOME, Records, read_records
from econzoo.evaluate.show import Page

__all__ = ["ANALYSES", "analysis", "analyze"]

Analysis = Callable[..., Page]

PACKAGE = "econzoo.evaluate.analyses"

ANALYSES: dict[str, tuple[str, str]] = {
    "summary": (".summary.page:summary", "Ranking, cross-play, theory, conduct, cost, learning; a page of each match."),
    "regression": (".regression.page:regression", "GLEE's regressions of outcomes on settings and players."),
    "glee-metrics": (".glee_metrics:glee_metrics", "GLEE's metrics, match by match."),
    "evolution": (".evolution.page:evolution", "Evolutionary dynamics: replicator, Moran process, ESS."),
    "behaviour": (".behaviour.page:behaviour", "Anchoring, concessions, agreement, honesty, trust."),
    "judgements": (".judging.page:judgements", "Judges' scores of players and inter-judge agreement."),
    "programs": (".programs.page:programs", "Programs as players: play, complexity, access to sources."),
    "sparc": (".sparc.page:sparc", "SPARC: accuracy, Brier and log scores, pairwise comparisons."),
    "water": (".alympics.water:water", "ALYMPICS: survival, maximum survivors, scarcity and bids by setting."),
    "levels": (".alympics.levels:levels", "K-level paper: win rates, survival, adaptation, predictions."),
    "replicate-alympics": (
        ".alympics.replication:alympics",
        "ALYMPICS: published numbers against our replication.",
    ),
    "replicate-open-source": (
        ".programs.replication:open_source",
        "Open-source games: published numbers against our replication.",
    ),
    "replicate-glee": (".glee.replication:replicate_glee", "GLEE: published numbers against recorded matches."),
    "anchoring": (".prompt_anchoring.page:anchoring", "Effect of the answer format in the prompt on answers."),
    "glee": (".glee_benchmark:glee", "GLEE's configurations: gain, efficiency and fairness of every player by seat."),
    "score-card": (".standard.page:score_card", "Score cards of the benchmark standard, and how to cite them."),
    "leaderboard": (".standard.leaderboard:leaderboard", "Leaderboard of a folder of runs of the benchmark standard."),
    "channel": (".behaviour.channel:channel", "Message ablation: on, off, scrambled."),
    "predict": (".prediction.page:predict", "Prediction of players' next decisions: log loss, calibration."),
}
"""Name to (``"module:function"``, one line of help); modules of this package begin with a dot."""

TABLE_ANALYSES = ("evolution",)
"""Analyses that accept a CSV file instead of records."""

FOLDER_ANALYSES = ("leaderboard",)
"""Analyses that read the folder themselves."""

REPLICATION_PREFIX = "replicate-"
"""Prefix of analyses that run without records: they then check the printed numbers of a paper for consistency."""

DEFAULT_ANALYSIS = "summary"


@check_arguments
def analysis(name: str) -> Analysis:
    """Return the function of an analysis.

    Raises:
        ValueError: No analysis has this name.
    """
    if name not in ANALYSES:
        raise ValueError(f"unknown analysis {name!r}: expected one of {', '.join(ANALYSES)}")
    module, _, function = ANALYSES[name][0].partition(":")
    analyze_records: Analysis = getattr(import_module(module, PACKAGE), function)
    return analyze_records


def records_for(names: Iterable[str], source: str | Path, has_extra_games: bool = False, replay: str = SOME) -> Records:
    """Read the records of a folder or file; none for the path of a CSV.

    Args:
        has_extra_games: Whether imported games are given as well; then, and for analyses that begin with
            `REPLICATION_PREFIX`, the folder may be empty or missing.
    """
    path = Path(source)
    if {*names} <= {*FOLDER_ANALYSES} or (path.suffix == ".csv" and {*names} <= {*TABLE_ANALYSES}):
        return Records((), path)
    try:
        return read_records(path, replay if {*names} == {DEFAULT_ANALYSIS} else NONE)
    except FileNotFoundError:
        if (has_extra_games or all(name.startswith(REPLICATION_PREFIX) for name in names)) and not path.suffix:
            return Records((), path)
        raise


@check_arguments
def analyze(
    records: Records | Record | Sequence[Record] | str | Path, name: str = DEFAULT_ANALYSIS, **options: Any
) -> Page:
    """Run an analysis on records.

    Args:
        records: The records, one or several, or their folder or file; for some analyses a CSV (`TABLE_ANALYSES`).
        name: One of `ANALYSES`.
        **options: Options of the analysis.

    Raises:
        ValueError: The name or an option is invalid, or no record can be used.
        FileNotFoundError: There are no records.
    """
    function = analysis(name)
    checked = check_option_values(name, function, options)
    if isinstance(records, Record):
        records = [records]
    if not isinstance(records, Records | str | Path):
        records = Records(records)
    if not isinstance(records, Records):
        records = records_for([name], records, bool(checked.get("beside")), checked.get("replay", SOME))
    return function(records, **checked)
