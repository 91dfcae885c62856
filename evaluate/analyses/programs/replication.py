"""The analysis ``replicate-open-source``: replication of "Evaluating LLMs in Open-Source Games" (arXiv:2512.00371).

Without records it checks the published numbers for consistency and against the installed library of strategies.
Records of its studies have separate tables: the paper publishes no payoffs of the dyadic and evolution studies, and
two numbers of the similarity study, for one model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from econzoo.baselines import is_known_spec
from econzoo.envs.core import MissingLibraryError, format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.envs.games.code_reading.programs.axelrod_source import load_library
from econzoo.envs.games.matrix.tables import TABLES
from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, Place, compare_paper, read_paper
from econzoo.evaluate.analyses.evolution import StudyOptions, evolution_study, figures, matrix_from_records
from econzoo.evaluate.analyses.evolution import payoff_table, rest_table, type_table
from econzoo.evaluate.analyses.programs import estimates
from econzoo.evaluate.analyses.programs.measures import measure
from econzoo.evaluate.analyses.programs.play import ROUNDS, Pair, Share, cooperation, memory_one_index
from econzoo.evaluate.analyses.sparc import dataset
from econzoo.evaluate.run import Design, Records, Setting, new_design
from econzoo.evaluate.show import COUNT, HEADING, NOTE, SUBHEADING, TEXT, Column, Figure, Page, Part, Table, Text
from econzoo.evaluate.stats import Interval, wilson

NAME = "replicate-open-source"


class StudySetting(NamedTuple):
    game: str
    setting: str


MATRIX, COIN = "program_matrix", "program_coin"
SIMILARITY = "similarity"
STUDIES = {
    "dyadic": StudySetting(MATRIX, "dyadic"),
    "dyadic-coin": StudySetting(COIN, "dyadic"),
    "evolution": StudySetting(MATRIX, "evolution"),
    SIMILARITY: StudySetting(MATRIX, "similarity"),
}
"""Studies by folder name."""

POPULATION = 30
"""Population size of the Moran process in the paper's public code, ten of each type."""

SCRIPTED_NOTE = (
    "Scripted authors replace the paper's models (Kimi-K2, DeepSeek-V3): their numbers only illustrate the tables."
)


def params_of(name: str) -> dict[str, Any]:
    one = STUDIES[name]
    return dict(find_game(one.game).scenarios.SETTINGS[one.setting])


def designs(authors: Mapping[str, Sequence[str]], similarity_author: str, seeds: int) -> dict[str, Design]:
    """Return the designs of the studies by folder name."""
    found = {}
    for name, (game, _) in STUDIES.items():
        players = [similarity_author] if name == SIMILARITY else list(authors[game])
        # Authors that are given play both games, and programs of the matrix game may not exist for the coin game: they
        # are left out of its study, and the study if nobody is left. Specs unknown to the matrix game are refused.
        known = [one for one in players if game != COIN or is_known_spec(one, game)]
        if known:
            found[name] = new_design(game, known, [Setting(name, params_of(name))], seeds)
    return found


def open_source(records: Records) -> Page:
    """Check the published numbers, and tabulate matches in the settings of the studies.

    Args:
        records: Records of program_matrix and program_coin, or none. Each is replayed.
    """
    found, paper = records.verify(), read_paper("open_source")
    parts = [*compare_paper(paper, checks(paper)), *studies(paper, found)]
    facts = [format_count(len(found), "match")]
    return Page(NAME, f"{paper.title}: published numbers and replication", parts, facts, records.unreadable)


# Published numbers


def checks(paper: Paper) -> list[Comparison]:
    """Compare published numbers with those derived from other numbers or sources of the paper."""
    places = paper.places
    try:
        table, by = dataset.compute_numbers(load_library()), f"Axelrod {load_library().version}"
    except MissingLibraryError as error:
        cells = [(row, cell) for row, own in places["dataset"].cells.items() for cell in own]
        table, by = [OwnNumber(row, cell, None, reason=str(error)) for row, cell in cells], "the Axelrod library"
    return [
        Comparison("dataset", places["dataset"], table, by),
        Comparison("settings", places["settings"], list(_settings())),
        Comparison("similarity", places["similarity"], list(_similarity(places["similarity"])), "counts"),
        Comparison(
            "abstract",
            places["abstract"],
            [OwnNumber("SPARC", "accuracy of the best, above", None, reason=LOWER_BOUND_NOTE)],
        ),
    ]


LOWER_BOUND_NOTE = "Lower bound. The published text omits the table of accuracies."
SEEDS_NOTE = "Set by --seeds here; default: 1."
UNPUBLISHED_NOTE = "Matches unpublished."


def _settings() -> Iterator[OwnNumber]:
    for name in ("dyadic", SIMILARITY):
        yield OwnNumber(name, "seeds", None, reason=SEEDS_NOTE, is_comparable=False)
    yield OwnNumber("dyadic", "meta-rounds", params_of("dyadic")["rounds"])
    for name in ("dyadic", SIMILARITY, "evolution"):
        yield OwnNumber(name, "turns", params_of(name)["turns"])
    # A table has the payoffs of the row seat, by outcome in the order of `ROUNDS`, before those of the column seat.
    for seen, payoff in zip(ROUNDS, TABLES["prisoners-dilemma"], strict=False):
        yield OwnNumber("payoffs", seen, payoff)


COOPERATIVE_MOVES, COOPERATION_AFTER_CC = "cooperative moves", "cooperation after mutual cooperation"


def printed_shares(place: Place) -> dict[str, Share]:
    """Return the two published shares as counts, cooperation over all moves of both players."""
    # The paper prints the first as a share only; the settings of its study give the number of moves.
    moves = 2 * params_of(SIMILARITY)["turns"] * place.games
    after = place.cells[COOPERATION_AFTER_CC]
    return {
        COOPERATIVE_MOVES: Share(round(float(place.cells[COOPERATIVE_MOVES]["share"]) * moves), moves),
        COOPERATION_AFTER_CC: Share(int(after["hits"]), int(after["cases"])),
    }


def _similarity(place: Place) -> Iterator[OwnNumber]:
    for name, share in printed_shares(place).items():
        yield OwnNumber(name, "share", share.value)
    for cell in ("hits", "cases"):
        yield OwnNumber(COOPERATION_AFTER_CC, cell, None, reason=UNPUBLISHED_NOTE)


# Records of the studies


def studies(paper: Paper, records: Sequence[Record]) -> list[Part]:
    """Return the tables of matches in the settings of the studies; empty without matches."""
    of = {name: [one for one in records if _is_study_match(one, name)] for name in STUDIES}
    played = [one for matches in of.values() for one in matches]
    if not played:
        return []
    parts: list[Part] = [Text("Studies", HEADING)]
    dyadic = [*of["dyadic"], *of["dyadic-coin"]]
    if dyadic:
        parts.append(dyadic_table(dyadic))
    if of[SIMILARITY]:
        parts.append(similarity_table(paper.places["similarity"], of[SIMILARITY]))
    for name, title in (("evolution", "Evolution"), ("dyadic-coin", "Evolution in the coin game")):
        if len({label for one in of[name] for label in one.labels}) > 1:
            parts += evolution(name, title, of[name])
    # Turns without calls of a model are those of scripted authors.
    return [*parts, *[Text(SCRIPTED_NOTE, NOTE)] * (not any(turn.calls for one in played for turn in one.turns))]


def evolution(name: str, title: str, records: Sequence[Record]) -> list[Part]:
    """Return payoffs and evolutionary dynamics of authors as types; needs records of all pairs, self-play included."""
    try:
        matrix = matrix_from_records(records)
    except ValueError as error:  # such as programs that failed in every round of a pair
        return [Text(title, SUBHEADING), Text(f"No payoff matrix: {error}.", NOTE)]
    found = evolution_study(matrix, StudyOptions(population=POPULATION))
    tables = [
        replace(one, key=f"{name}-{one.key}") for one in (payoff_table(found), type_table(found), rest_table(found))
    ]
    drawings = [one for key, one in figures(found).items() if key in ("payoffs", "simplex") and isinstance(one, Figure)]
    return [Text(title, SUBHEADING), *tables, *(one._replace(key=f"{name}-{one.key}") for one in drawings)]


def _is_study_match(record: Record, name: str) -> bool:
    game, params = STUDIES[name].game, params_of(name)
    # Both are completed with defaults, which a record or a study may leave out.
    return record.game == game and find_game(game).params(**params)[0] == find_game(game).params(**record.params)[0]


def dyadic_table(records: Sequence[Record]) -> Table:
    """Return mean payoffs per meta-round by author and opponent, failed rounds excluded."""
    found, rows = measure(records), []
    for game in dict.fromkeys(record.game for record in records):
        turns = next(params_of(name)["turns"] for name, one in STUDIES.items() if one.game == game)
        names = dict.fromkeys(name for record in records if record.game == game for name in record.labels)
        for one, other in product(names, names):
            mean = found.cells[estimates.Cell(game, one, other)]["payoff"]
            matches = sum(record.game == game and {one, other} == set(record.labels) for record in records)
            # Value and ends of the interval are per turn, and the paper's payoffs per meta-round.
            rows.append([game, one, other, Interval._make([*(turns * end for end in mean[5:8]), mean.n]), matches])
    heads = [Column(name, kind=TEXT) for name in ("game", "author", "opponent")]
    columns = [*heads, Column("points", digits=1, show_interval=True), Column("matches", kind=COUNT)]
    note = "Points per meta-round, with 95% CIs over seeds. The paper shows them in a figure, without numbers."
    return Table("dyadic", "Dyadic study", columns, rows, note)


def similarity_table(place: Place, records: Sequence[Record]) -> Table:
    """Return the cooperation of programs that check for similarity."""
    pairs = [pair for record in records for pair in _moves(record)]
    if not pairs:
        raise ValueError("no complete match of the similarity study")
    own = {
        COOPERATIVE_MOVES: cooperation(moves for pair in pairs for moves in pair),
        COOPERATION_AFTER_CC: memory_one_index(pairs),
    }
    rows = [[name, *map(_wilson, (share, own[name])), len(records)] for name, share in printed_shares(place).items()]
    columns = [
        Column("share", kind=TEXT),
        Column("paper", place.player, digits=4, show_interval=True),
        Column("ours", digits=4, show_interval=True),
        Column("matches", kind=COUNT),
    ]
    note = "Wilson 95% CIs assume independent moves; moves of a match are dependent, so these are too narrow."
    return Table(SIMILARITY, "Programs that check for similarity", columns, rows, note)


def _wilson(share: Share) -> Interval:
    return wilson(share.hits, share.cases)


def _moves(record: Record) -> Iterator[Pair]:
    """Yield the moves of both programs by meta-round."""
    for ruling in record.rulings or ():
        first, second = (result["moves"] for result in ruling["results"])
        yield first, second
