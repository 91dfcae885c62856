"""A page for each match, under its id: who said what, payoffs, seed, parameters, rules; and the list of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.description import PlayedGame, describe, played_games
from econzoo.evaluate.analyses.missing_results import displayed_payoffs, split_by_result
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.stories import ending, match_outline, select_matches, story
from econzoo.evaluate.run.folder import MANIFEST
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.numbers import format_number, replace_nan
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, PAGE, TEXT, Block, Column, Part, Table, Text
from econzoo.evaluate.stats.columns import nan_if_none

__all__ = ["MatchListing", "NotableMatch", "block", "file_of", "list_matches", "match_pages", "find_notable"]


PAGES_FOLDER = "matches"
"""The folder of the pages of matches, in that of the page that leads there."""


class NotableMatch(NamedTuple):
    """A match that stands out.

    Attributes:
        reason: Why, in words.
        record: The match.
    """

    reason: str
    record: Record


def find_notable(records: Sequence[Record], rounds: Iterable[int] | None = None) -> list[NotableMatch]:
    """The matches at the ends of the scales, each once; none where all are alike. All have a result.

    Args:
        records: The matches.
        rounds: How many each of them took; None: the turns say so.
    """
    scales: list[tuple[str, Callable[[Record, int], float]]] = [
        ("Highest gain of a seat", lambda one, _: max(_gains(one))),
        ("Lowest gain of a seat", lambda one, _: -min(_gains(one))),
        ("Least even", lambda one, _: -replace_nan(nan_if_none(one.metrics["fairness"]), 1.0)),
        ("Longest", lambda one, took: took),
        ("Most invalid answers", lambda one, _: sum(one.errors)),
        ("Forfeited or left", lambda one, _: one.status in ("forfeited", "abandoned")),
    ]
    lasted = map(_rounds, records) if rounds is None else rounds
    measured = ([scale(*one) for _, scale in scales] for one in zip(records, lasted, strict=True))
    of_all = np.fromiter(measured, dtype=(float, len(scales)), count=len(records))
    found: dict[str, NotableMatch] = {}
    for (what, _), values in zip(scales, of_all.T, strict=True):
        if len(values) and values.min() < values.max():
            top = records[int(values.argmax())]
            before = found.get(top.id)
            found[top.id] = NotableMatch(f"{before.reason}; {what[:1].lower()}{what[1:]}" if before else what, top)
    return list(found.values())


def _gains(record: Record) -> list[float]:
    return [replace_nan(nan_if_none(gain), 0.0) for gain in record.metrics["gains"]] or [0.0]


def describe_match(record: Record) -> str:
    """Who met whom and what came of it, in a line."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    seats = [
        f"{role} {sanitize_text(player)} {format_number(nan_if_none(gain), 2)}"
        for role, player, gain in zip(roles, record.labels, record.metrics["gains"], strict=True)
    ]
    return f"{', '.join(seats)}; {ending(record)}, {format_count(_rounds(record), 'round')}"


def _rounds(record: Record) -> int:
    return max((turn.round for turn in record.turns), default=0)


class MatchListing(NamedTuple):
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


def list_matches(
    records: Sequence[Record],
    setting: Callable[[Record], str],
    most: int,
    rounds: Iterable[int] | None = None,
) -> MatchListing:
    """Those that stand out, and some of every seating.

    Args:
        records: Of one game.
        setting: The name of the setting of a match.
        most: How many, at most.
        rounds: See `notable`; of those that have a result.
    """
    out = find_notable(split_by_result(records)[0], rounds)[:most]
    shown = {one.id: one for one in (*(one.record for one in out), *select_matches(records, most))}
    return new_listing([*shown.values()][:most], setting, out)


def new_listing(
    records: list[Record], setting: Callable[[Record], str], notable_matches: Sequence[NotableMatch] = ()
) -> MatchListing:
    """A list of matches.

    Args:
        records: In the order in which they were chosen; of any games.
        setting: See `listed`.
        notable_matches: Those among them that stand out.
    """
    found = _seatings(records, {one.id: setting(one) for one in records})
    links: dict[tuple[str, str, str], str] = {}
    for one in found:
        for key in _pairs(one["matches"][0]["record"]):
            links.setdefault(key, one["anchor"])
    return MatchListing(
        records,
        [(one.reason, file_of(one.record), describe_match(one.record)) for one in notable_matches],
        found,
        links,
    )


def _seatings(records: Iterable[Record], settings: Mapping[str, str]) -> list[dict[str, Any]]:
    ordered = sorted(records, key=lambda one: (one.game, one.labels, settings[one.id], one.seed))
    found = [list(group) for _, group in groupby(ordered, key=lambda one: (one.game, one.labels))]
    return [
        {"anchor": f"seating-{at}", "matches": [_line(one, settings[one.id]) for one in group]}
        for at, group in enumerate(found, start=1)
    ]


def _line(record: Record, setting: str) -> dict[str, Any]:
    return {**match_outline(record, setting), "record": record, "file": file_of(record)}


def _pairs(record: Record) -> Iterable[tuple[str, str, str]]:
    """(role or nothing, player, opponent) of every seat, as cross-play has them."""
    for seat in places(record):
        yield from ((role, seat["player"], seat["opponent"]) for role in ("", seat["role"]))


def file_of(record: Record) -> str:
    """The file of a match, of its id; ids from elsewhere may be no names of files."""
    id = record.id
    return f"{id if re.fullmatch('[0-9a-f]{16}', id) else sha256(id.encode()).hexdigest()[:16]}.html"


def block(matches: MatchListing, count: int, page: str) -> Block:
    """The list of the matches that have a page.

    Args:
        matches: See `listed`.
        count: How many matches there are.
        page: Name of the page, without ending.
    """
    lines = [match for seating in matches.seatings for match in seating["matches"]]
    values = {
        "players": sorted({seat["player"] for one in lines for seat in one["seats"]}),
        "endings": sorted({one["ending"] for one in lines}),
        "settings": list(dict.fromkeys(one["market"] for one in lines)),
        "games": list(dict.fromkeys(one["game"] for one in lines)),
        "troubles": list(dict.fromkeys(what for one in lines for what in one["troubles"])),
    }
    return Block("matches.html", {"listed": matches, "count": count, "place": f"{page}/{PAGES_FOLDER}", **values})


def match_pages(
    records: Iterable[Record], setting: Callable[[Record], str], page: str, folders: Iterable[str | Path] = ()
) -> Iterator[Page]:
    """The page of each match, named by its id.

    Args:
        records: See `listed`.
        setting: See `listed`.
        page: Name of the page that leads here, two folders above, without ending.
        folders: Of the matches.
    """
    places = [path for folder in folders for path in (Path(folder),) if path.is_dir() and any(path.rglob(MANIFEST))]
    for record in records:
        made = story(record, setting(record))
        facts = [made["market"], f"seed {made['seed']}", f"id {made['id']}"]
        facts.append(f"{made['ending']} by {made['by']}" if made["by"] else made["ending"])
        facts += [
            format_count(made["rounds"], "round"),
            *([format_count(made["errors"], "invalid answer")] if made["errors"] else []),
        ]
        title = f"{record.game}: {' and '.join(map(sanitize_text, record.labels))}"
        told = [_with_recorded_rules(record, one) for one in played_games([record])]
        talk = Block("transcript.html", {"match": made, "page": page})
        parts = [*_payoffs(record), Text("Transcript", HEADING), talk, *describe(told, places)]
        yield Page(f"{PAGES_FOLDER}/{file_of(record).removesuffix('.html')}", title, parts, facts)


def _payoffs(record: Record) -> list[Part]:
    cut, facts = record.is_truncated, find_game(record.game).facts
    roles = role_names(find_game(record.game), len(record.players), record.params)
    columns = [
        Column("seat", kind=TEXT),
        Column("player", kind=TEXT),
        Column("payoff", "position payoff" if cut else "payoff", digits=2),
        Column("gain"),
    ]
    seats = zip(roles, record.labels, displayed_payoffs(record), record.metrics["gains"], strict=True)
    rows = [[facts.role_with_part(role), player, payoff, nan_if_none(gain)] for role, player, payoff, gain in seats]
    title = "Payoffs of the position: the match was cut, and nobody was paid" if cut else "Payoffs"
    return [Text(title, HEADING), Table("payoffs", title, columns, rows, places=(PAGE,))]


def _with_recorded_rules(record: Record, played: PlayedGame) -> PlayedGame:
    """What was played, with the rules as the players read them, where they read words."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    own = {role: text for role, text in zip(roles, record.rules, strict=True) if text}
    return played._replace(rules={**played.rules, **own})
