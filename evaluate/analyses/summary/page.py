"""The analysis ``summary``: ranking, cross-play, theory, conduct, cost, learning, and match pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import OBJECTIVE, Flag, Integer, OneOf, Option, OrNone
from econzoo.evaluate.analyses import REGRET, SECONDS, SHARE, Curve, describe, played_games, read_curves
from econzoo.evaluate.analyses import read_training_games
from econzoo.evaluate.analyses.learning import read_learning_tables
from econzoo.evaluate.analyses.summary import figures, grids, tables
from econzoo.evaluate.analyses.summary.match_pages import MatchListing, block, list_matches, match_pages
from econzoo.evaluate.analyses.summary.sentences import sentences
from econzoo.evaluate.analyses.summary.several_games import several_games
from econzoo.evaluate.analyses.summary.summary import Summary, summarize
from econzoo.evaluate.run import ALL, ALWAYS_REPLAYED, NONE, SAMPLE_INTERVAL, SOME, Records, costs_tables
from econzoo.evaluate.show import HEADING, NOTE, PAGE, READER_PLACES, TERMINAL, Figure, Page, Part, Text, method_section
from econzoo.evaluate.show import read_template
from econzoo.evaluate.stats import values_of

NAME = "summary"

MAX_PAGES = 5000

EMPTY_LISTING = MatchListing([], [], [], {})

EQUILIBRIUM_NOTE = (
    "Share of its seat's equilibrium payoff that a player captured. The equilibrium uses what the rules disclose to "
    "any seat as common knowledge, and ignores a hidden horizon. Shares above 100% are possible against opponents "
    "that concede more than in equilibrium."
)
FRONTIER_NOTE = "The line is the Pareto frontier of players. "
CURVES_NOTE = "Learning curves as logged during training: mean at each step, with its 95% CI as a band where available."
DESIGN_NOTE = (
    "Every pair played every setting with the same seeds (common random numbers), each player in every seat that it "
    "can take."
)
REGRET_NOTE = "Regret is computed for records of one game: analyze each game's folder or file by itself."
NO_REGRET_NOTE = (
    "No regret: it is defined against opponents whose behaviour is known, in games whose solution has a best response."
)
NO_DESIGN_NOTE = "Pairings, settings and seeds are those of the records: the folder has no tournament design."
INTERVALS_NOTE = (
    "All matches of one setting and seed share their random numbers and form one cluster. The 95% intervals are {}. "
    "Proportions have Wilson score intervals, all other measures Student's t intervals with a skewness correction; "
    "rates and shares are ratios of sums. No interval is given with fewer than six clusters, or where all are "
    "identical: deterministic players repeat the same match with every seed."
)
REPLAY_NOTE = (
    "Every match is recorded as one line of JSON and replays exactly: econzoo replay reruns the rules and checks "
    "every payoff."
)
REPLAY_COVERAGE = {
    ALL: "",
    SOME: f"The first {ALWAYS_REPLAYED:,} matches and one in {SAMPLE_INTERVAL} of the others were replayed; only the "
    "format of the rest was checked.",
    NONE: "The matches of this page were not replayed; only their format was checked.",
}


def summary(
    records: Records,
    *,
    objective: Annotated[
        str | None, Option(OrNone(OBJECTIVE), "Objective by which players are ranked.", default="that of the run")
    ] = None,
    transcripts: Annotated[int, Option(Integer(0, MAX_PAGES), "Maximum number of match pages.")] = 120,
    regret: Annotated[
        bool | None,
        Option(
            OrNone(Flag()),
            "Print regret against the best response (computed in at most a minute), or do not compute it.",
            default="on the page only",
        ),
    ] = None,
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
    """Ranking, cross-play, theory, conduct, cost and learning of one game; of several games, players by games.

    Records that violate the rules are excluded.

    Args:
        records: Records of any games; empty for a folder of learning curves.
        objective: Spec of the ranking objective; None: that of the design.
        transcripts: Maximum number of match pages: notable matches first, then some of every seating.
        regret: Whether to print regret against the best response; False: it is not computed, None: only on the page.
        replay: Matches to verify by replay; the page notes those that were not.
        title: Heading of the page.

    Raises:
        ValueError: No record has a result, or the objective is invalid.
    """
    folder = records.folder
    curves, problems = read_curves(folder) if folder.is_dir() else ([], [])
    records = records.verify(replay) if len(records) and replay != NONE else records
    # A sample of few matches is all of them.
    coverage = "" if replay == SOME and len(records) <= ALWAYS_REPLAYED else REPLAY_COVERAGE[replay]
    if len(records.games) > 1:
        page = several_games(records, objective, transcripts, title, *([coverage] if coverage else []))
        return replace(page, parts=[*page.parts, Text(REGRET_NOTE, NOTE)]) if regret else page
    found = (
        summarize(records, seconds=0.0 if regret is False else SECONDS, objective=objective)
        if len(records) or not curves
        else None
    )
    every = [*found.records, *found.without_result] if found else []
    matches = list_matches(every, found.setting, transcripts, found.rounds) if found else EMPTY_LISTING
    results = sentences(found) if found else [f"{format_count(len(curves), 'learning curve')} and no matches."]
    played = [
        *(played_games(found.played_matches, found.design) if found else []),
        *(read_training_games(folder) if curves else []),
    ]
    parts: list[Part] = [*map(Text, results), *describe(played, [folder])]
    parts += _results(found, matches, regret) if found else []
    parts += _learning(folder, curves, found.players if found else ())
    if found:
        origin = DESIGN_NOTE if found.design else NO_DESIGN_NOTE
        replay_note = f"{REPLAY_NOTE} {coverage}".rstrip()
        parts += [
            *_matches(matches, found),
            *method_section(f"{origin} {INTERVALS_NOTE.format(found.population_note)}", replay_note),
        ]
    name = folder.resolve().name
    return Page(
        NAME,
        title or (f"{found.game}: {name}" if found else name),
        parts,
        _facts(found) if found else (),
        [*problems, *(found.unreadable if found else [])],
        read_template("report.js") if matches.records else "",
        # Pages of matches are many and large, so each is built when it is written.
        (lambda: match_pages(matches.records, found.setting, NAME, [folder])) if found else tuple,
    )


def _facts(found: Summary) -> list[str]:
    settings = len(set(values_of(found.columns["setting"])))
    clusters = f"{format_count(found.clusters, 'cluster')} of setting and seed"
    return [
        format_count(found.matches, "match"),
        format_count(len(found.players), "player"),
        format_count(settings, "setting"),
        "deterministic" if found.repeats else clusters,
        *(f"prompts {name}" for name in found.prompts),
    ]


def _results(found: Summary, matches: MatchListing, regret: bool | None) -> Iterator[Part]:
    yield from found.numbers
    yield Text("Ranking" if found.is_ordered else "Players", HEADING)
    yield from tables.ranking(found)
    yield Text("Cross-play", HEADING)
    yield from grids.cross_play(found, matches.links)
    yield from grids.setting_tables(found)
    if _has_values(found, SHARE):
        yield Text("Against the equilibrium", HEADING)
        yield Text(EQUILIBRIUM_NOTE, NOTE, places=(PAGE,))
        yield Figure("equilibrium", "", "", figures.equilibrium_figure(found), "Share of the equilibrium payoff")
        yield tables.equilibrium(found.facts, tables.ranked_places(found))
        if regret and _has_values(found, REGRET):
            yield tables.regrets(found.facts, tables.ranked_places(found), (TERMINAL,))
        yield from _missing_regret_note(found, regret)
        yield tables.violations(found)
    elif _has_values(found, REGRET):
        shown = READER_PLACES if regret else (PAGE,)
        yield Text("Against the best response", HEADING, places=shown)
        yield tables.regrets(found.facts, tables.ranked_places(found), shown)
        yield from _missing_regret_note(found, regret)
    if regret and not _has_values(found, REGRET):
        yield Text(NO_REGRET_NOTE, NOTE)
    yield from _pareto(found)
    yield Text("Conduct", HEADING)
    yield from tables.conduct(found)
    if found.costs:
        yield Text("Cost", HEADING)
        yield from costs_tables(found.costs)


def _missing_regret_note(found: Summary, regret: bool | None) -> Iterator[Part]:
    if found.missing_regrets and regret is not False:
        yield Text(f"Regret not computed for {format_count(found.missing_regrets, 'seat')}: time limit reached.", NOTE)


def _has_values(found: Summary, column: str) -> bool:
    """Whether any player has a value in a column."""
    return any(one[column].rows for one in found.overall.values())


def _pareto(found: Summary) -> Iterator[Part]:
    if not _has_values(found, "efficiency"):
        return
    yield Text("Efficiency and fairness", HEADING, places=(PAGE,))
    note = (
        f"Means over each player's matches, with 95% CIs. {'' if found.has_cases else FRONTIER_NOTE}A match without "
        f"{found.facts.agreement_with_article} counts by the metrics of the game."
    )
    yield Text(note, NOTE, places=(PAGE,))
    for at, group in enumerate(found.groups):
        key, title = f"pareto_{at + 1}" if len(found.groups) > 1 else "pareto", tables.heading(found, group)
        yield Figure(key, title, "", figures.pareto_figure(found, group), "Efficiency against fairness")


def _learning(folder: Path, curves: Sequence[Curve], names: Sequence[str]) -> Iterator[Part]:
    learning = read_learning_tables(folder) if folder.is_dir() else []
    if learning or curves:
        yield Text("Learning", HEADING)
    yield from learning
    if curves:
        yield Text(CURVES_NOTE, NOTE, places=(PAGE,))
    for at, curve in enumerate(curves, start=1):
        yield Figure(f"learning_{at}", curve.name, "", figures.learning_figure(curve, names), "Learning curve")


def _matches(matches: MatchListing, found: Summary) -> Iterator[Part]:
    if matches.records:
        yield Text("Matches", HEADING, places=(PAGE,))
        yield block(matches, found.matches, NAME)
