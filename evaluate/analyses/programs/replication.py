"""Tables of "Evaluating LLMs in Open-Source Games" (arXiv:2512.00371) beside authors of our own.

Its dyadic study: three authors with three objectives, each against each, itself included, ten meta-rounds of ten turns
of the prisoner's dilemma. The paper has these payoffs as a figure only. Its study of similarity: two authors who
cooperate with programs like their own, twenty turns; of this it prints two numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from econzoo.envs.core.record.record import Record
from econzoo.envs.games.program_matrix.scenarios import MARKETS
from econzoo.evaluate.analyses.comparison import Cell, Comparison
from econzoo.evaluate.analyses.programs import estimates
from econzoo.evaluate.analyses.programs.measures import measure
from econzoo.evaluate.analyses.programs.play import Pair, cooperation, memory_one_index
from econzoo.evaluate.run.plan import Plan, new_plan
from econzoo.evaluate.run.settings import Market

GAME = "program_matrix"
DYADIC, SIMILARITY = "dyadic", "similarity"
"""Names of the two studies: of their markets, and of their folders."""

COOPERATION, MEMORY_ONE = 0.855, 0.9967
"""Of all moves in the study of similarity; and after a round of mutual cooperation (305 of 306)."""

SCRIPTED = (
    "Scripted authors play in the places of the paper's models (Kimi-K2, DeepSeek-V3): their numbers show what the "
    "table is made of, and replicate nothing."
)
NO_PAYOFFS = "The paper shows the payoffs of its dyadic study as a figure, without numbers."


def plans(authors: Sequence[str], alike: str, seeds: int) -> dict[str, Plan]:
    """The plans of both studies, by the names of their folders.

    Args:
        authors: Specs of the dyadic study, with their names.
        alike: Spec of both authors of the study of similarity.
        seeds: Matches of each seating.

    Raises:
        ValueError: A spec is unknown.
    """
    players = {DYADIC: list(authors), SIMILARITY: [alike]}
    return {study: new_plan(GAME, players[study], [Market(study, MARKETS[study])], seeds) for study in players}


def compared(dyadic: Sequence[Record], alike: Sequence[Record], scripted: bool = False) -> Comparison:
    """The paper's numbers beside those of our matches.

    Args:
        dyadic: Matches of the dyadic study.
        alike: Matches of the study of similarity.
        scripted: Whether no model played.

    Raises:
        ValueError: Too few matches have come to their end.
    """
    notes = [NO_PAYOFFS, *([SCRIPTED] if scripted else [])]
    cells = [*_payoffs(dyadic), *_similarity(alike)]
    return Comparison("Open-source games beside the paper", "open-source", cells, notes)


def _payoffs(records: Sequence[Record]) -> Iterator[Cell]:
    """The payoff of each author against each, in points of a meta-round of ten turns; failed rounds do not count."""
    found, turns = measure(records), MARKETS[DYADIC]["turns"]
    names = dict.fromkeys(name for record in records for name in record.labels)
    for one in names:
        for other in names:
            mean = found.cells[estimates.Cell(GAME, one, other)]["payoff"]
            matches = sum({one, other} == set(record.labels) for record in records)
            yield Cell(f"payoff of {one}", f"against {other}", math.nan, mean.value * turns, matches, 1)


def _similarity(records: Sequence[Record]) -> Iterator[Cell]:
    pairs = [pair for record in records for pair in _moves(record)]
    if not pairs:
        raise ValueError("no match of the study of similarity has come to its end")
    values = cooperation(own for pair in pairs for own in pair).value, memory_one_index(pairs).value
    for name, paper, ours, digits in zip(
        ("cooperative moves", "memory-one index"), (COOPERATION, MEMORY_ONE), values, (3, 4), strict=True
    ):
        yield Cell("similarity", name, paper, ours, len(records), digits)


def _moves(record: Record) -> Iterator[Pair]:
    """The moves of both programs, meta-round by meta-round."""
    for ruling in record.rulings or ():
        first, second = (result["moves"] for result in ruling["results"])
        yield first, second
