"""The analysis ``behaviour``: anchoring, concessions, agreement, honesty, trust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from econzoo.baselines.models.journal import journal
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.plurals import many
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.behaviour import figures
from econzoo.evaluate.analyses.behaviour.concession import ASKED
from econzoo.evaluate.analyses.behaviour.exchanges import GAME, model_reading, plain_reading
from econzoo.evaluate.analyses.behaviour.measures import Behaviour, measure
from econzoo.evaluate.analyses.behaviour.rows import distinct, pick
from econzoo.evaluate.analyses.behaviour.tables import HONESTY, all_numbers, tables
from econzoo.evaluate.analyses.description import describe
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, PAGE, Figure, Part
from econzoo.evaluate.show.parts import Text as Words

METHOD = (
    "All matches of one setting and seed share their random numbers and count as one draw; with six settings or more "
    "each setting is one, with all its seeds. The 95% intervals are score intervals (Wilson) for shares of cases, and "
    "of Student's t with a correction for skewness for the rest; there is none with fewer than six draws, or where all "
    "are alike. n counts what a number is made of. What is not defined is left empty: a correlation without variation, "
    "a rate without a case. Moves that the environment made in place of an invalid answer count as nobody's behaviour."
)
BAYES = (
    "The Bayesian buyer takes the seller for somebody who recommends good products with one fixed probability and bad "
    "ones with another, all pairs of these equally likely at first; it learns from every round whose quality it was "
    "told and whose message can be read, and knows the prior where the buyer does. It stands for a reference, not for "
    "what the buyer should have believed of a seller that changes its ways."
)
RUNNING = (
    "Only matches that still run have offers, so a curve over all of them mixes what players do with who is left: the "
    "lower part shows how many are. Rounds with fewer than five offers are not drawn."
)


def behaviour(
    records: Records,
    *,
    reader: Annotated[
        str | None, Option(meaning="Language model that reads messages of persuasion. Default: keywords.")
    ] = None,
) -> Page:
    """How players behave: anchoring, concessions, agreement, honesty, trust.

    Args:
        records: Of bargaining, negotiation and persuasion, in any mixture.
        reader: Spec of a language model.

    Raises:
        ValueError: No record is of one of these games, or the spec is no language model's.
        ModelError: The model cannot answer.
    """
    with journal(records.place / "behaviour.csv"):
        found = measure(records, model_reading(reader, records) if reader else plain_reading)
    facts = [many(sum(found.matches.values()), "match")]
    for game in found.games:
        facts.append(f"{game}: {many(found.matches[game], 'match')}, {many(found.clusters[game], 'cluster')}")
    parts: list[Part] = [all_numbers(found), *describe(found.played, [records.folder])]
    for game in found.games:
        parts += _game(found, game)
    parts += _method(found)
    return Page("behaviour", f"Behaviour: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _game(found: Behaviour, game: str) -> Iterator[Part]:
    """The tables of a game, each with the figures that belong to it."""
    drawn = _figures(found, game)
    shown = tables(found, game)
    for table in shown:
        yield Words(table.title + (f" in {game}" if len(found.games) > 1 else ""), HEADING)
        yield table
        yield from drawn.get(table.title, [])
    if not shown:
        yield Words(f"{game}: there is no move to measure.")


def _figures(found: Behaviour, game: str) -> dict[str, list[Part]]:
    """Title of a table to the figures below it."""
    rows = found.rows
    if game == GAME:
        return {
            HONESTY: [Figure("honesty", "", "", figures.honesty_figure(rows, game), "Lie rates")],
            "Trust": [Figure("trust", "", "", figures.reliability_figure(rows, game), "Purchase rate by belief")],
        }
    facts = find_game(game).facts
    curves: list[Part] = [
        Figure(
            f"concessions_{game}_{role}", f"As {facts.called(role)}", "", figures.concession_figure(rows, game, role)
        )
        for role in sorted(distinct(pick(rows, measure=ASKED, game=game), "role"))
    ]
    ending = Figure(
        f"agreement_{game}", "", "", figures.agreement_figure(rows, game), f"Matches without a deal in {game}"
    )
    return {"Round of agreement": [ending], "Concessions": [*curves, Words(RUNNING, places=(PAGE,))]}


def _method(found: Behaviour) -> Iterator[Part]:
    yield Words("Method", HEADING, places=(PAGE,))
    yield Words(METHOD, places=(PAGE,))
    if GAME in found.games:
        yield Words(BAYES, places=(PAGE,))
    if found.left_out:
        yield Words(f"{many(found.left_out, 'match')} of games without these measures were left out.")
