"""A page for each match of a report, under the id of the match: who said what, payoffs, seed, parameters, rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.description import Played, played_of
from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.stories import brief, chosen, ending, story
from econzoo.evaluate.analyses.without_result import by_result
from econzoo.evaluate.run.folder import MANIFEST
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.numbers import known, number
from econzoo.evaluate.stats.columns import or_nan

__all__ = ["Listed", "Notable", "file_of", "folder_of", "listed", "match_pages", "notable"]


class Notable(NamedTuple):
    """A match that stands out.

    Attributes:
        what: Why, in words.
        record: The match.
    """

    what: str
    record: Record


def folder_of(page: str) -> str:
    """The folder of the pages of the matches, beside the page of the report."""
    return f"{Path(page).stem}_matches"


def notable(records: Sequence[Record]) -> list[Notable]:
    """The matches at the ends of the scales, each once; none where all are alike. All have a result."""
    scales: list[tuple[str, Callable[[Record], float]]] = [
        ("Highest gain of a seat", lambda one: max(_gains(one))),
        ("Lowest gain of a seat", lambda one: -min(_gains(one))),
        ("Least even", lambda one: -known(or_nan(one.metrics["fairness"]), 1.0)),
        ("Longest", lambda one: max((turn.round for turn in one.turns), default=0)),
        ("Most unusable answers", lambda one: sum(one.errors)),
        ("Forfeited or left", lambda one: one.status in ("forfeited", "abandoned")),
    ]
    found: dict[str, Notable] = {}
    for what, scale in scales:
        values = [scale(one) for one in records]
        if len(set(values)) > 1:
            top = records[values.index(max(values))]
            before = found.get(top.id)
            found[top.id] = Notable(f"{before.what}; {what[:1].lower()}{what[1:]}" if before else what, top)
    return list(found.values())


def _gains(record: Record) -> list[float]:
    return [known(or_nan(gain), 0.0) for gain in record.metrics["gains"]] or [0.0]


def told(record: Record) -> str:
    """Who met whom and what came of it, in a line."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    seats = [
        f"{role} {called(player)} {number(or_nan(gain), 2)}"
        for role, player, gain in zip(roles, record.labels, record.metrics["gains"], strict=True)
    ]
    rounds = max((turn.round for turn in record.turns), default=0)
    return f"{', '.join(seats)}; {ending(record)}, {many(rounds, 'round')}"


class Listed(NamedTuple):
    """The matches of a report that have a page.

    Attributes:
        records: In the order in which they were chosen.
        notable: Why some stand out, their file, and what came of them.
        seatings: The matches by who sat where, each seating with an ``anchor``.
        links: (role or nothing, player, opponent) to the anchor of a seating in which they met.
    """

    records: list[Record]
    notable: list[tuple[str, str, str]]
    seatings: list[dict[str, Any]]
    links: dict[tuple[str, str, str], str]


def listed(records: Sequence[Record], markets: Mapping[str, str], most: int) -> Listed:
    """Those that stand out, and some of every seating.

    Args:
        records: Of one game.
        markets: Id of a match to the name of its market.
        most: How many, at most.
    """
    out = notable(by_result(records)[0])[:most]
    first = [one.record for one in out]
    shown = [*first, *(one for one in chosen(records, most) if one not in first)][:most]
    found = _seatings(shown, markets)
    links: dict[tuple[str, str, str], str] = {}
    for one in found:
        for key in _pairs(one["matches"][0]["record"]):
            links.setdefault(key, one["anchor"])
    return Listed(shown, [(one.what, file_of(one.record), told(one.record)) for one in out], found, links)


def _seatings(records: Iterable[Record], markets: Mapping[str, str]) -> list[dict[str, Any]]:
    ordered = sorted(records, key=lambda one: (one.labels, markets[one.id], one.seed))
    found = [list(group) for _, group in groupby(ordered, key=lambda one: one.labels)]
    return [
        {"anchor": f"seating-{at}", "matches": [_line(one, markets[one.id]) for one in group]}
        for at, group in enumerate(found, start=1)
    ]


def _line(record: Record, market: str) -> dict[str, Any]:
    return {**brief(record, market), "record": record, "file": file_of(record)}


def _pairs(record: Record) -> Iterable[tuple[str, str, str]]:
    """(role or nothing, player, opponent) of every seat, as cross-play has them."""
    for seat in places(record):
        yield from ((role, seat["player"], seat["opponent"]) for role in ("", seat["role"]))


def file_of(record: Record) -> str:
    """The file of a match, of its id; ids from elsewhere may be no names of files."""
    id = record.id
    return f"{id if re.fullmatch('[0-9a-f]{16}', id) else sha256(id.encode()).hexdigest()[:16]}.html"


def match_pages(
    records: Iterable[Record], markets: Mapping[str, str], report: str, folders: Iterable[str | Path] = ()
) -> Iterable[Page]:
    """The page of each match, named by its id.

    Args:
        records: See `listed`.
        markets: See `listed`.
        report: Name of the page that leads here, in the folder above.
        folders: Of the matches.
    """
    places = [path for folder in folders for path in (Path(folder),) if path.is_dir() and any(path.rglob(MANIFEST))]
    for record in records:
        made = story(record, markets[record.id])
        yield new_page(
            "match.html",
            f"{record.game}: {' and '.join(map(called, record.labels))}",
            played=[_as_told(record, one) for one in played_of([record])],
            folders=places,
            match=made,
            report=report,
        )._replace(name=file_of(record))


def _as_told(record: Record, played: Played) -> Played:
    """What was played, with the rules as the players read them, where they read words."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    own = {role: text for role, text in zip(roles, record.rules, strict=True) if text}
    return played._replace(rules={**played.rules, **own})
