"""The analysis ``summary``: ranking, cross-play, theory, conduct, cost, learning, and a page of every match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from econzoo.envs.core.contract.objectives import OBJECTIVE
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Integer, OneOf, OrNone
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.description import describe, played_games
from econzoo.evaluate.analyses.frame import SHARE
from econzoo.evaluate.analyses.learning.tables import read_learning_tables
from econzoo.evaluate.analyses.learning_curve import Curve, read_curves, read_training_games
from econzoo.evaluate.analyses.regret import REGRET, SECONDS
from econzoo.evaluate.analyses.summary import figures, grids, tables
from econzoo.evaluate.analyses.summary.match_pages import MatchListing, block, list_matches, match_pages
from econzoo.evaluate.analyses.summary.sentences import sentences
from econzoo.evaluate.analyses.summary.several_games import several_games
from econzoo.evaluate.analyses.summary.summary import Summary, summarize
from econzoo.evaluate.run.costs import costs_tables
from econzoo.evaluate.run.records import ALL, ALWAYS_REPLAYED, NONE, SAMPLE_INTERVAL, SOME, Records
from econzoo.evaluate.show.page import Page, read_template
from econzoo.evaluate.show.parts import HEADING, NOTE, PAGE, Figure, Part, Text, method_section
from econzoo.evaluate.stats.columns import values_of

NAME = "summary"

MAX_PAGES = 5000

EMPTY_LISTING = MatchListing([], [], [], {})
"""Where no match has a page."""

EQUILIBRIUM_NOTE = (
    "How much of the payoff of its seat in equilibrium a player captured. The equilibrium follows from what seats are "
    "told: a hidden end plays no role in it, and what only some are told counts as known to all. More than 100% is "
    "possible against opponents that give away more than they would have to."
)
CURVES_NOTE = (
    "What training wrote down as it went on: the mean at each step, and as a band its 95% interval where there is one."
)
DESIGN_NOTE = (
    "Every pair met in every setting with the same seeds (common random numbers), each player in every seat that it "
    "can take."
)
NO_DESIGN_NOTE = (
    "Who met whom, where and with which seeds is as the records have it: no design of a tournament lies beside them."
)
INTERVALS_NOTE = (
    "All matches of one setting and seed share their random numbers and count as one draw. The 95% intervals are {}. "
    "Shares of cases have score intervals (Wilson), everything else intervals of Student's t with a correction for "
    "skewness; rates and shares are ratios of sums. There is no interval with fewer than six draws, nor where all are "
    "alike: players that draw nothing play the same match with every seed."
)
REPLAY_NOTE = (
    "Every match is kept as one line of JSON from which it can be played again: econzoo replay runs the rules on it "
    "and checks every payoff."
)
REPLAY_COVERAGE = {
    ALL: "",
    SOME: f"The first {ALWAYS_REPLAYED:,} matches were replayed, and one in {SAMPLE_INTERVAL} of the others; of the "
    "rest only the format was checked.",
    NONE: "The matches of this page were not replayed: only their format was checked.",
}


def summary(
    records: Records,
    *,
    objective: Annotated[
        str | None, Option(OrNone(OBJECTIVE), "Objective by which players are ranked.", default="that of the run")
    ] = None,
    transcripts: Annotated[int, Option(Integer(0, MAX_PAGES), "Maximum number of match pages.")] = 120,
    regret: Annotated[bool, Option(Flag(), "Compute regret against the best response (at most a minute).")] = True,
    replay: Annotated[
        str,
        Option(
            OneOf(ALL, SOME, NONE),
            "Matches to verify by replay; failures are excluded. some: the first "
            f"{ALWAYS_REPLAYED:,} and one in {SAMPLE_INTERVAL} of the rest",
        ),
    ] = SOME,
    title: Annotated[str | None, Option(meaning="Heading of the page.", default="the game and the folder")] = None,
) -> Page:
    """Ranking, cross-play, theory, conduct, cost and learning of the matches of one game; of several: players by games.

    Records are replayed, of very many some, and those that are not as the rules say are left out.

    Args:
        records: Of any games; none in a folder of learning curves.
        objective: Spec of an objective; None: that of the design.
        transcripts: Those that stand out, then some of every seating.
        regret: Whether to compare with best responses.
        replay: Which matches are replayed; the page says so unless it is all of them.
        title: Heading.

    Raises:
        ValueError: No record has a result, or the objective is not allowed.
    """
    folder = records.folder
    curves, problems = read_curves(folder) if folder.is_dir() else ([], [])
    records = records.verify(replay) if len(records) and replay != NONE else records
    unseen = "" if replay == SOME and len(records) <= ALWAYS_REPLAYED else REPLAY_COVERAGE[replay]
    if len(records.games) > 1:
        return several_games(records, objective, transcripts, title, *([unseen] if unseen else []))
    found = (
        summarize(records, seconds=SECONDS if regret else 0.0, objective=objective)
        if len(records) or not curves
        else None
    )
    every = [*found.records, *found.without_result] if found else []
    matches = list_matches(every, found.setting, transcripts, found.rounds) if found else EMPTY_LISTING
    said = sentences(found) if found else [f"{format_count(len(curves), 'learning curve')} and no matches."]
    played = [
        *(played_games(found.played_matches, found.design) if found else []),
        *(read_training_games(folder) if curves else []),
    ]
    parts: list[Part] = [*map(Text, said), *describe(played, [folder])]
    parts += _results(found, matches, regret) if found else []
    parts += _learning(folder, curves, found.players if found else ())
    if found:
        origin = DESIGN_NOTE if found.design else NO_DESIGN_NOTE
        how = f"{REPLAY_NOTE} {unseen}".rstrip()
        parts += [
            *_matches(matches, found),
            *method_section(f"{origin} {INTERVALS_NOTE.format(found.population_note)}", how),
        ]
    name = folder.resolve().name
    return Page(
        NAME,
        title or (f"{found.game}: {name}" if found else name),
        parts,
        _facts(found) if found else (),
        [*problems, *(found.unreadable if found else [])],
        read_template("report.js") if matches.records else "",
        (lambda: match_pages(matches.records, found.setting, NAME, [folder])) if found else tuple,
    )


def _facts(found: Summary) -> list[str]:
    settings = len(set(values_of(found.columns["market"])))
    clusters = f"{format_count(found.clusters, 'cluster')} of setting and seed"
    return [
        format_count(found.matches, "match"),
        format_count(len(found.players), "player"),
        format_count(settings, "setting"),
        "deterministic" if found.repeats else clusters,
        *(f"prompts {name}" for name in found.prompts),
    ]


def _results(found: Summary, matches: MatchListing, regret: bool) -> Iterator[Part]:
    yield from found.numbers
    yield Text("Ranking", HEADING)
    yield from tables.ranking(found)
    yield Text("Cross-play", HEADING)
    yield from grids.cross_play(found, matches.links)
    yield from grids.setting_tables(found)
    if _has_values(found, SHARE):
        yield Text("Against the equilibrium", HEADING)
        yield Text(EQUILIBRIUM_NOTE, NOTE, places=(PAGE,))
        yield Figure("equilibrium", "", "", figures.equilibrium_figure(found), "Share of the equilibrium payoff")
        yield tables.equilibrium(found.facts, tables.ranked_places(found))
        yield from _missing_regret_note(found, regret)
        yield tables.violations(found)
    elif _has_values(found, REGRET):
        yield Text("Against the best response", HEADING, places=(PAGE,))
        yield tables.regrets(found.facts, tables.ranked_places(found))
        yield from _missing_regret_note(found, regret)
    yield from _pareto(found)
    yield Text("Conduct", HEADING)
    yield from tables.conduct(found)
    if found.costs:
        yield Text("Cost", HEADING)
        yield from costs_tables(found.costs)


def _missing_regret_note(found: Summary, regret: bool) -> Iterator[Part]:
    if found.missing_regrets and regret:
        yield Text(f"{format_count(found.missing_regrets, 'seat')} have no regret for lack of time.", NOTE)


def _has_values(found: Summary, column: str) -> bool:
    """Whether a column has a value for anybody."""
    return any(one[column].rows for one in found.overall.values())


def _pareto(found: Summary) -> Iterator[Part]:
    if not _has_values(found, "efficiency"):
        return
    yield Text("Efficiency and fairness", HEADING, places=(PAGE,))
    note = (
        "Of the matches of each player, with 95% intervals. The line joins the players that no other beats in both. A "
        f"match without {found.facts.agreement_with_article} counts as the game's metrics say."
    )
    yield Text(note, NOTE, places=(PAGE,))
    for at, group in enumerate(found.groups):
        key, title = f"pareto_{at + 1}" if len(found.groups) > 1 else "pareto", tables.heading(found, group)
        yield Figure(key, title, "", figures.pareto_figure(found, group), "Efficiency against fairness")


def _learning(folder: Path, curves: Sequence[Curve], names: Sequence[str]) -> Iterator[Part]:
    earned = read_learning_tables(folder) if folder.is_dir() else []
    if earned or curves:
        yield Text("Learning", HEADING)
    yield from earned
    if curves:
        yield Text(CURVES_NOTE, NOTE, places=(PAGE,))
    for at, curve in enumerate(curves, start=1):
        yield Figure(f"learning_{at}", curve.name, "", figures.learning_figure(curve, names), "Learning curve")


def _matches(matches: MatchListing, found: Summary) -> Iterator[Part]:
    if matches.records:
        yield Text("Matches", HEADING, places=(PAGE,))
        yield block(matches, found.matches, NAME)
