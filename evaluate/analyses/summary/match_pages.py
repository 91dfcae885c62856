"""Pages of single matches (transcript, payoffs, seed, parameters, rules), and their list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, groupby, islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import role_names
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import PlayedGame, describe, match_outline, places, played_games, select_matches
from econzoo.evaluate.analyses import split_by_result, story
from econzoo.evaluate.run import MANIFEST
from econzoo.evaluate.show import HEADING, PAGE, TEXT, Block, Column, Page, Part, Table, Text, format_number
from econzoo.evaluate.show import replace_nan, sanitize_text
from econzoo.evaluate.stats import nan_if_none

__all__ = [
    "MatchListing",
    "NotableMatch",
    "block",
    "file_of",
    "list_matches",
    "match_pages",
    "find_notable",
    "select_pages",
]

PAGES_FOLDER = "matches"
"""Folder of match pages, in the folder of the page that links to them."""


class NotableMatch(NamedTuple):
    reason: str
    record: Record


def find_notable(records: Sequence[Record], rounds: Iterable[int] | None = None) -> list[NotableMatch]:
    """Return the extreme matches of each scale, each match once; scales without variation give none.

    Args:
        records: Matches with a result.
        rounds: Number of rounds of each match; None: from its turns.
    """
    scales: list[tuple[str, Callable[[Record, int], float]]] = [
        ("Highest gain of a seat", lambda one, _: max(_gains(one))),
        ("Lowest gain of a seat", lambda one, _: -min(_gains(one))),
        ("Least fair", lambda one, _: -replace_nan(nan_if_none(one.metrics["fairness"]), 1.0)),
        ("Longest", lambda _, rounds: rounds),
        ("Most invalid answers", lambda one, _: sum(one.errors)),
        ("Forfeited or left", lambda one, _: one.status in ("forfeited", "abandoned")),
    ]
    durations = (record.rounds for record in records) if rounds is None else rounds
    rows = ([scale(*one) for _, scale in scales] for one in zip(records, durations, strict=True))
    # Records may be on disk, so all scales are computed in one pass.
    table = np.fromiter(rows, dtype=(float, len(scales)), count=len(records))
    found: dict[str, NotableMatch] = {}
    for (reason, _), values in zip(scales, table.T, strict=True):
        if len(values) and values.min() < values.max():
            top = records[int(values.argmax())]
            other = found.get(top.id)
            more = f"{other.reason}; {reason[:1].lower()}{reason[1:]}" if other else reason
            found[top.id] = NotableMatch(more, top)
    return list(found.values())


def _gains(record: Record) -> list[float]:
    return [replace_nan(nan_if_none(gain), 0.0) for gain in record.metrics["gains"]] or [0.0]


def describe_match(record: Record) -> str:
    """Return the players, gains, ending and length of a match in one line."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    seats = [
        f"{role} {sanitize_text(player)} {format_number(nan_if_none(gain), 2)}"
        for role, player, gain in zip(roles, record.labels, record.metrics["gains"], strict=True)
    ]
    return f"{', '.join(seats)}; {record.ending}, {format_count(record.rounds, 'round')}"


class MatchListing(NamedTuple):
    """The matches of a report that have a page.

    Attributes:
        records: Matches in the order of selection.
        notable: (reason, file, description) of notable matches.
        links: (role or empty, player, opponent) to the anchor of one of their seatings.
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
    """Return notable matches, and some of every seating.

    Args:
        most: Maximum number of matches.
        rounds: Number of rounds of each match with a result; see `find_notable`.
    """
    out = find_notable(split_by_result(records)[0], rounds)[:most]
    shown = {one.id: one for one in (*(one.record for one in out), *select_matches(records, most))}
    return new_listing([*shown.values()][:most], setting, out)


def new_listing(
    records: list[Record], setting: Callable[[Record], str], notable_matches: Sequence[NotableMatch] = ()
) -> MatchListing:
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
    """(role or empty, player, opponent) of every seat, as in cross-play."""
    for seat in places(record):
        yield from ((role, seat["player"], seat["opponent"]) for role in ("", seat["role"]))


def file_of(record: Record) -> str:
    """Return the file name of a match; a hash for ids that are no file names."""
    id = record.id
    return f"{id if re.fullmatch('[0-9a-f]{16}', id) else sha256(id.encode()).hexdigest()[:16]}.html"


def block(matches: MatchListing, count: int, page: str) -> Block:
    lines = [match for seating in matches.seatings for match in seating["matches"]]
    values = {
        "players": sorted({seat["player"] for one in lines for seat in one["seats"]}),
        "endings": sorted({one["ending"] for one in lines}),
        "settings": list(dict.fromkeys(one["setting"] for one in lines)),
        "games": list(dict.fromkeys(one["game"] for one in lines)),
        "troubles": list(dict.fromkeys(kind for one in lines for kind in one["troubles"])),
    }
    return Block("matches.html", {"listed": matches, "count": count, "place": f"{page}/{PAGES_FOLDER}", **values})


def match_pages(
    records: Iterable[Record], setting: Callable[[Record], str], page: str, folders: Iterable[str | Path] = ()
) -> Iterator[Page]:
    """Yield the page of each match, named by its id.

    Args:
        page: Name of the page that links here, two folders above, without suffix.
        folders: Folders of the matches.
    """
    places = [path for folder in folders for path in (Path(folder),) if path.is_dir() and any(path.rglob(MANIFEST))]
    for record in records:
        match = story(record, setting(record))
        facts = [match["setting"], f"seed {match['seed']}", f"id {match['id']}"]
        facts.append(f"{match['ending']} by {match['by']}" if match["by"] else match["ending"])
        facts += [
            format_count(match["rounds"], "round"),
            *([format_count(match["errors"], "invalid answer")] if match["errors"] else []),
        ]
        title = f"{record.game}: {' and '.join(map(sanitize_text, record.labels))}"
        games = [_with_recorded_rules(record, one) for one in played_games([record])]
        transcript = Block("transcript.html", {"match": match, "page": page})
        parts = [*_payoffs(record), Text("Transcript", HEADING), transcript, *describe(games, places)]
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
    seats = zip(roles, record.labels, record.displayed_payoffs, record.metrics["gains"], strict=True)
    rows = [[facts.role_with_part(role), player, payoff, nan_if_none(gain)] for role, player, payoff, gain in seats]
    title = "Position payoffs: the match was cut and paid nobody" if cut else "Payoffs"
    return [Text(title, HEADING), Table("payoffs", title, columns, rows, places=(PAGE,))]


def _with_recorded_rules(record: Record, played: PlayedGame) -> PlayedGame:
    """The game with the rules as recorded, for players of the text face."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    own = {role: text for role, text in zip(roles, record.rules, strict=True) if text}
    return played._replace(rules={**played.rules, **own})


def select_pages(own: Mapping[str, Sequence[Record]], problems: Mapping[str, list[str]], most: int) -> list[Record]:
    """Select the matches with a page: in turn of every game and kind of problem, then others of every game."""
    kinds: dict[tuple[str, str], list[Record]] = {}
    for game, records in own.items():
        for record in records:
            for kind in problems.get(record.id, ()):
                kinds.setdefault((game, kind), []).append(record)
    others = [select_matches(records, max(1, most // len(own))) for records in own.values()]
    in_turn = chain(_interleave(kinds.values()), _interleave(others))
    return [*islice({record.id: record for record in in_turn}.values(), most)]


def _interleave(groups: Iterable[Sequence[Record]]) -> Iterator[Record]:
    return (one for row in zip_longest(*groups) for one in row if one is not None)
