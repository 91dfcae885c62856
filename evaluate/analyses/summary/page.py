"""The analysis ``summary``: ranking, cross-play, theory, conduct, cost, learning, and a page of every match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from econzoo.envs.core.contract.objectives import OBJECTIVE
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, OneOf, OrNone, Whole
from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.description import describe, played_of
from econzoo.evaluate.analyses.frame import SHARE
from econzoo.evaluate.analyses.learning.tables import read_tables
from econzoo.evaluate.analyses.learning_curve import Curve, read_curves, trained_in
from econzoo.evaluate.analyses.regret import REGRET, SECONDS
from econzoo.evaluate.analyses.summary import figures, grids, tables
from econzoo.evaluate.analyses.summary.match_pages import Listed, block, listed, match_pages
from econzoo.evaluate.analyses.summary.sentences import sentences
from econzoo.evaluate.analyses.summary.several_games import several_games
from econzoo.evaluate.analyses.summary.summary import Summary, summarize
from econzoo.evaluate.run.costs import costs_tables
from econzoo.evaluate.run.records import ALL, NONE, ONE_IN, SOME, WHOLE, Records
from econzoo.evaluate.show.page import Page, read_template
from econzoo.evaluate.show.parts import HEADING, NOTE, PAGE, Figure, Part, Text, method
from econzoo.evaluate.stats.columns import values_of

NAME = "summary"

MOST_PAGES = 5000

NOBODY = Listed([], [], [], {})
"""Where no match has a page."""

EQUILIBRIUM = (
    "How much of the payoff of its seat in equilibrium a player captured. The equilibrium follows from what seats are "
    "told: a hidden end plays no role in it, and what only some are told counts as known to all. More than 100% is "
    "possible against opponents that give away more than they would have to."
)
CURVES = (
    "What training wrote down as it went on: the mean at each step, and as a band its 95% interval where there is one."
)
PLANNED = (
    "Every pair met in every setting with the same seeds (common random numbers), each player in every seat that it "
    "can take."
)
UNPLANNED = (
    "Who met whom, where and with which seeds is as the records have it: no design of a tournament lies beside them."
)
INTERVALS = (
    "All matches of one setting and seed share their random numbers and count as one draw. The 95% intervals are {}. "
    "Shares of cases have score intervals (Wilson), everything else intervals of Student's t with a correction for "
    "skewness; rates and shares are ratios of sums. There is no interval with fewer than six draws, nor where all are "
    "alike: players that draw nothing play the same match with every seed."
)
REPLAY = (
    "Every match is kept as one line of JSON from which it can be played again: econzoo replay runs the rules on it "
    "and checks every payoff."
)
REPLAYED = {
    ALL: "",
    SOME: f"Of these matches the first {WHOLE:,} were replayed, and one in {ONE_IN} of the others; of the rest nothing "
    "but the form was looked at.",
    NONE: "The matches of this page were not replayed: nothing but their form was looked at.",
}


def summary(
    records: Records,
    *,
    objective: Annotated[
        str | None, Option(OrNone(OBJECTIVE), "Objective by which players are ranked.", default="that of the run")
    ] = None,
    transcripts: Annotated[int, Option(Whole(0, MOST_PAGES), "Matches with a page of their own, at most.")] = 120,
    regret: Annotated[bool, Option(Flag(), "Find what the best response would have earned; a minute at most.")] = True,
    replay: Annotated[
        str,
        Option(
            OneOf(ALL, SOME, NONE),
            "Matches that are played again, to leave out those that are not as the rules say; some: the first "
            f"{WHOLE:,}, and one in {ONE_IN} of the others",
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
    records = records.verified(replay) if len(records) and replay != NONE else records
    unseen = "" if replay == SOME and len(records) <= WHOLE else REPLAYED[replay]
    if len(records.games) > 1:
        return several_games(records, objective, transcripts, title, *([unseen] if unseen else []))
    found = (
        summarize(records, seconds=SECONDS if regret else 0.0, objective=objective)
        if len(records) or not curves
        else None
    )
    every = [*found.records, *found.without_result] if found else []
    matches = listed(every, found.setting, transcripts, found.rounds) if found else NOBODY
    said = sentences(found) if found else [f"{many(len(curves), 'learning curve')} and no matches."]
    played = [*(played_of(found.played, found.design) if found else []), *(trained_in(folder) if curves else [])]
    parts: list[Part] = [*map(Text, said), *describe(played, [folder])]
    parts += _results(found, matches, regret) if found else []
    parts += _learning(folder, curves, found.players if found else ())
    if found:
        origin = PLANNED if found.design else UNPLANNED
        how = f"{REPLAY} {unseen}".rstrip()
        parts += [*_matches(matches, found), *method(f"{origin} {INTERVALS.format(found.told)}", how)]
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
    clusters = f"{many(found.clusters, 'cluster')} of setting and seed"
    return [
        many(found.matches, "match"),
        many(len(found.players), "player"),
        many(settings, "setting"),
        "deterministic" if found.repeats else clusters,
        *(f"prompts {name}" for name in found.prompts),
    ]


def _results(found: Summary, matches: Listed, regret: bool) -> Iterator[Part]:
    yield from found.numbers
    yield Text("Ranking", HEADING)
    yield from tables.ranking(found)
    yield Text("Cross-play", HEADING)
    yield from grids.cross_play(found, matches.links)
    yield from grids.by_setting(found)
    if _is_known(found, SHARE):
        yield Text("Against the equilibrium", HEADING)
        yield Text(EQUILIBRIUM, NOTE, places=(PAGE,))
        yield Figure("equilibrium", "", "", figures.equilibrium_figure(found), "Share of the equilibrium payoff")
        yield tables.equilibrium(found.facts, tables.everybody(found))
        yield from _late(found, regret)
        yield tables.violations(found)
    elif _is_known(found, REGRET):
        yield Text("Against the best response", HEADING, places=(PAGE,))
        yield tables.regrets(found.facts, tables.everybody(found))
        yield from _late(found, regret)
    yield from _pareto(found)
    yield Text("Conduct", HEADING)
    yield from tables.conduct(found)
    if found.spent:
        yield Text("Cost", HEADING)
        yield from costs_tables(found.spent)


def _late(found: Summary, regret: bool) -> Iterator[Part]:
    if found.left_out and regret:
        yield Text(f"{many(found.left_out, 'seat')} have no regret for lack of time.", NOTE)


def _is_known(found: Summary, column: str) -> bool:
    """Whether a column has a value for anybody."""
    return any(one[column].rows for one in found.overall.values())


def _pareto(found: Summary) -> Iterator[Part]:
    if not _is_known(found, "efficiency"):
        return
    yield Text("Efficiency and fairness", HEADING, places=(PAGE,))
    note = (
        "Of the matches of each player, with 95% intervals. The line joins the players that no other beats in both. A "
        f"match without {found.facts.an_agreement} counts as the game's metrics say."
    )
    yield Text(note, NOTE, places=(PAGE,))
    for at, group in enumerate(found.groups):
        key, title = f"pareto_{at + 1}" if len(found.groups) > 1 else "pareto", tables.heading(found, group)
        yield Figure(key, title, "", figures.pareto_figure(found, group), "Efficiency against fairness")


def _learning(folder: Path, curves: Sequence[Curve], names: Sequence[str]) -> Iterator[Part]:
    earned = read_tables(folder) if folder.is_dir() else []
    if earned or curves:
        yield Text("Learning", HEADING)
    yield from earned
    if curves:
        yield Text(CURVES, NOTE, places=(PAGE,))
    for at, curve in enumerate(curves, start=1):
        yield Figure(f"learning_{at}", curve.name, "", figures.learning_figure(curve, names), "Learning curve")


def _matches(matches: Listed, found: Summary) -> Iterator[Part]:
    if matches.records:
        yield Text("Matches", HEADING, places=(PAGE,))
        yield block(matches, found.matches, NAME)
