"""The analysis ``replicate-open-source``: "Evaluating LLMs in Open-Source Games" (arXiv:2512.00371), and ours.

Its dyadic study: three authors with three objectives, each against each, itself included, ten meta-rounds of ten turns
of the prisoner's dilemma. The paper has these payoffs as a figure only. Its study of similarity: two authors who
cooperate with programs like their own, twenty turns; of this it prints two numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.games.program_matrix.scenarios import MARKETS
from econzoo.evaluate.analyses.programs import estimates
from econzoo.evaluate.analyses.programs.measures import measure
from econzoo.evaluate.analyses.programs.play import Pair, cooperation, memory_one_index
from econzoo.evaluate.analyses.published import Beside, Own, compared, read_paper
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.run.settings import Market
from econzoo.evaluate.show.page import Page

GAME = "program_matrix"
DYADIC, SIMILARITY = "dyadic", "similarity"
"""Names of the two studies: of their markets, and of their folders."""

SCRIPTED = (
    "Scripted authors play in the places of the paper's models (Kimi-K2, DeepSeek-V3): their numbers show what the "
    "table is made of, and replicate nothing."
)


def designs(authors: Sequence[str], alike: str, seeds: int) -> dict[str, Design]:
    """The designs of both studies, by the names of their folders.

    Args:
        authors: Specs of the dyadic study, with their names.
        alike: Spec of both authors of the study of similarity.
        seeds: Matches of each seating.

    Raises:
        ValueError: A spec is unknown.
    """
    players = {DYADIC: list(authors), SIMILARITY: [alike]}
    return {study: new_design(GAME, players[study], [Market(study, MARKETS[study])], seeds) for study in players}


def open_source(records: Records) -> Page:
    """The paper's numbers beside those of matches with the lengths of its two studies.

    Args:
        records: Of program_matrix, in the settings of both studies. Each is replayed.

    Raises:
        ValueError: Too few matches have come to their end.
    """
    found, paper = records.verified(), read_paper("open_source")
    dyadic, alike = (_in_setting(found, study) for study in (DYADIC, SIMILARITY))
    scripted = not any(turn.calls for record in found for turn in record.turns)
    made = Beside("studies", paper.places["studies"], own_numbers(dyadic, alike), notes=[SCRIPTED] * scripted)
    title = f"{paper.title}: what is printed, and ours"
    return Page(
        "replicate-open-source",
        title,
        compared(paper, [made]),
        [many(len(dyadic) + len(alike), "match")],
        found.unreadable,
    )


def _in_setting(records: Sequence[Record], study: str) -> list[Record]:
    params = find_game(GAME).params(**MARKETS[study])[0]
    return [one for one in records if one.game == GAME and find_game(GAME).params(**one.params)[0] == params]


def own_numbers(dyadic: Sequence[Record], alike: Sequence[Record]) -> list[Own]:
    """Our numbers.

    Args:
        dyadic: Matches of the dyadic study.
        alike: Matches of the study of similarity.

    Raises:
        ValueError: Too few matches have come to their end.
    """
    return [*_payoffs(dyadic), *_similarity(alike)]


def _payoffs(records: Sequence[Record]) -> Iterator[Own]:
    """The payoff of each author against each, in points of a meta-round of ten turns; failed rounds do not count."""
    found, turns = measure(records), MARKETS[DYADIC]["turns"]
    names = dict.fromkeys(name for record in records for name in record.labels)
    for one in names:
        for other in names:
            mean = found.cells[estimates.Cell(GAME, one, other)]["payoff"]
            matches = sum({one, other} == set(record.labels) for record in records)
            yield Own(f"payoff of {one}", f"against {other}", mean.value * turns, matches)


def _similarity(records: Sequence[Record]) -> Iterator[Own]:
    pairs = [pair for record in records for pair in _moves(record)]
    if not pairs:
        raise ValueError("no match of the study of similarity has come to its end")
    for name, value in (
        ("cooperative moves", cooperation(own for pair in pairs for own in pair)),
        ("memory-one index", memory_one_index(pairs)),
    ):
        yield Own(SIMILARITY, name, value.value, len(records))


def _moves(record: Record) -> Iterator[Pair]:
    """The moves of both programs, meta-round by meta-round."""
    for ruling in record.rulings or ():
        first, second = (result["moves"] for result in ruling["results"])
        yield first, second
