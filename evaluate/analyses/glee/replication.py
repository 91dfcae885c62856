"""The analysis ``replicate-glee``: printed numbers of GLEE (arXiv:2410.05254) checked, and compared with records.

Without records the paper's numbers are compared with those derived from its other numbers and from our games. With
imported or own records its tables and maps are compared with theirs, and new players get rows and columns of the maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
from matplotlib.figure import Figure as Drawing

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Integer, Option
from econzoo.evaluate.analyses import Paper, compare_paper
from econzoo.evaluate.analyses.glee.maps import FAMILIES, GAINS, METRICS, ROLES, Map, glee_paper, place_of, printed_map
from econzoo.evaluate.analyses.glee.maps import pure_pairs
from econzoo.evaluate.analyses.glee.paper_checks import checks
from econzoo.evaluate.analyses.glee.record_comparisons import studies, tables
from econzoo.evaluate.analyses.glee.record_maps import Choice, RecordMap, best_replies, build_record_maps, choice
from econzoo.evaluate.analyses.glee.record_maps import compare_maps, displaced_models, extend_map, new_players
from econzoo.evaluate.analyses.glee.record_maps import pair_gains
from econzoo.evaluate.analyses.regression import Equilibria, FamilyStudy, pure_equilibria
from econzoo.evaluate.run import SOME, Records
from econzoo.evaluate.show import COUNT, DIVERGING_PALETTE, HEADING, PAGE, TEXT, WARNING, Column, Figure, Page, Part
from econzoo.evaluate.show import Table, Text, apply_style, format_percent, heat_map, symmetric_scale

NAME = "replicate-glee"

NO_RECORDS_NOTE = (
    "Without records, the paper's numbers are compared with those derived from its other numbers, and from our suite, "
    "rules and regressions."
)


def replicate_glee(
    records: Records,
    *,
    splits: Annotated[
        int, Option(Integer(0, 1000), "Random train/test splits for Table 9 (100 in the paper; 0 = none).")
    ] = 10,
) -> Page:
    """Check GLEE's printed numbers, and compare them with records.

    Args:
        records: Records imported by ``econzoo convert --from glee``, own ones of its games, or both; may be empty.
    """
    paper = glee_paper()
    # A sample is replayed: the release has 80,000 games.
    used = records.verify(SOME).filter(lambda one: one.game in FAMILIES and one.has_result)
    models = printed_map(paper, FAMILIES[0], GAINS[0]).names
    families = studies(used, models, splits)
    maps = {family.name: build_record_maps(paper, family) for family in families}
    found = [
        *checks(paper),
        *(tables(paper, used, families)),
        *(one for family in families for one in compare_maps(paper, family, maps[family.name])),
    ]
    own = [part for family in families for part in _new_player_parts(paper, family, maps[family.name])]
    parts = [
        *([] if used else [Text(NO_RECORDS_NOTE)]),
        *compare_paper(paper, found),
        *own,
        *_maps(paper, families, maps),
    ]
    title = f"{paper.title}: printed numbers and ours"
    return Page(NAME, title, parts, [format_count(len(used), "match")], records.unreadable)


# New players


def _new_player_parts(paper: Paper, family: FamilyStudy, maps: Sequence[RecordMap]) -> Iterator[Part]:
    own = new_players(paper, family)
    if not own:
        return
    yield Text(f"New players: {family.name}", HEADING)
    if not all(one.shared_pairs for one in maps):
        yield Text(
            "The records share no pair of models with the paper, which would determine the level of the maps. So ours "
            "are relative to the mean of the pairs here, and are not in the paper's maps.",
            WARNING,
        )
    made = choice(paper, family, maps)
    if made:
        yield Text(" ".join(_choice_sentences(paper, family.name, made)))
        yield _equilibria(family.name, made)
    yield _pairs(family, maps, own)


def _choice_sentences(paper: Paper, family: str, made: Choice) -> Iterator[str]:
    first, second = (printed_map(paper, family, metric) for metric in GAINS)
    models = [name for name in first.names if name in made.names]
    # Equilibria without new players are those among the models that remain, so that only new players make a difference.
    here = np.ix_(*[[first.names.index(name) for name in models]] * 2)
    printed = list(
        pure_pairs(models, Equilibria(pure_equilibria(first.values[here], second.values[here]), None, False))
    )
    gone = displaced_models(made, printed)
    yield f"The player-choice game, with {format_count(len(made.names), 'player')}."
    if made.excluded_names:
        yield f"Left out, without matches against all others in both seats: {', '.join(made.excluded_names)}."
    if printed:
        unchanged = "All models of pure equilibria without new players remain in some."
        yield f"Pure equilibria no longer have {', '.join(gone)}." if gone else unchanged
    for seat, role in enumerate(ROLES):
        replies = best_replies(made, first.names, seat)
        yield f"As {role} a new player is the best response to {len(replies)} of {format_count(len(models), 'model')}."


def _equilibria(family: str, made: Choice) -> Table:
    rows = [
        ["pure" if one.is_pure else "mixed", _mixture(made.names, one.first), _mixture(made.names, one.second)]
        + [float(one.first @ gains @ one.second) for gains in made.gains]
        for one in made.equilibria.profiles
    ]
    heads = [Column("equilibrium", kind=TEXT), *(Column(f"{role}_sends", f"{role} sends", TEXT) for role in ROLES)]
    columns = [*heads, *(Column(f"{role}_gain", f"{role}'s gain", signed=True) for role in ROLES)]
    note = (
        "Gains relative to the mean of all pairs, as in the maps: printed for pairs of the paper's models, else ours."
    )
    return Table(f"choice_{family}", f"Nash equilibria of the player-choice game: {family}", columns, rows, note)


def _mixture(names: Sequence[str], weights: np.ndarray) -> str:
    sent = [at for at in range(len(names)) if weights[at] > 1e-7]
    return ", ".join(
        names[at] if len(sent) == 1 else f"{names[at]} {format_percent(float(weights[at]))}" for at in sent
    )


def _pairs(family: FamilyStudy, maps: Sequence[RecordMap], own: Sequence[str]) -> Table:
    pairs = [pair for pair in maps[0].cells if {*pair} & {*own}] if maps else []
    means, values = pair_gains(family, pairs), {one.metric: one.cells for one in maps}
    columns = [*(Column(role, kind=TEXT) for role in ROLES), Column("games", kind=COUNT)]
    for metric in METRICS:
        columns += [
            Column(f"{metric}_in_map", f"{_short_metric(metric)} in map", signed=True),
            Column(metric, _short_metric(metric)),
        ]
    rows = []
    for pair in sorted(pairs):
        row: list[object] = [*pair, maps[0].cells[pair][1]]
        for metric in METRICS:
            row += [values.get(metric, {}).get(pair, (None, 0))[0], means.get((pair, metric))]
        rows.append(row)
    note = (
        "In map: relative to the mean of all pairs, at the paper's level, controlling for parameters where identified. "
        "Beside it: plain mean with 95% interval."
    )
    return Table(f"pairs_{family.name}", f"Rows and columns of new players: {family.name}", columns, rows, note)


def _short_metric(metric: str) -> str:
    return {GAINS[0]: "Alice's gain", GAINS[1]: "Bob's gain"}.get(metric, metric)


# Maps


def _maps(paper: Paper, families: Sequence[FamilyStudy], maps: dict[str, list[RecordMap]]) -> Iterator[Part]:
    """The printed maps, as figures with further rows and columns if there are new players."""
    new = {family.name: new_players(paper, family) for family in families}
    yield Text("The maps", HEADING, places=(PAGE,))
    yield Text(MAPS_NOTE, places=(PAGE,))
    for family in FAMILIES:
        for metric in METRICS:
            key = place_of(family, metric)
            printed, title = printed_map(paper, family, metric), paper.places[key].title
            mine = next((one for one in maps.get(family, []) if one.metric == metric and one.shared_pairs), None)
            if mine and new[family]:
                names = [*printed.names, *new[family]]
                drawn = _map_figure(names, 100 * extend_map(paper, family, mine, names))
                yield Figure(f"{key}-map", title, "", drawn, small=True)
            else:
                yield _printed_map_table(f"{key}-map", title, printed)


MAPS_NOTE = (
    "Row: Alice. Column: Bob, by the numbers of the rows. Percentage points from the mean of all pairs, decoded from "
    "the printed colours. New players come last."
)


def _printed_map_table(key: str, title: str, found: Map) -> Table:
    numbers = [str(at) for at in range(1, len(found.names) + 1)]
    rows = [
        [f"{number}. {name}", *(100 * row).tolist()]
        for number, name, row in zip(numbers, found.names, found.values, strict=True)
    ]
    columns = [Column("Alice", kind=TEXT), *(Column(number, digits=1) for number in numbers)]
    return Table(key, title, columns, rows, shade="around", places=(PAGE,))


@apply_style
def _map_figure(names: Sequence[str], values: np.ndarray) -> Drawing:
    texts = [[("" if np.isnan(value) else f"{value:+.0f}", "") for value in row] for row in values]
    return heat_map(
        names, names, values, texts, DIVERGING_PALETTE, symmetric_scale(values), "points from the mean", ROLES
    )
