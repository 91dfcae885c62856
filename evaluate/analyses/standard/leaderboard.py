"""The analysis ``leaderboard``: runs of the benchmark ``standard``, from several submitters, in one table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from econzoo.envs.core import format_count
from econzoo.envs.core.record import strip_addresses
from econzoo.evaluate.analyses.standard.declaration import Standard, short_names, standard
from econzoo.evaluate.analyses.standard.page import DEFAULTED, NO_ESTIMATES, OPTIONAL_COLUMNS, Card, legal_share
from econzoo.evaluate.analyses.standard.page import score_cards
from econzoo.evaluate.analyses.standard.submission import Submission, check_submission, submission_folders
from econzoo.evaluate.run import EnvPool, Records, progress_bar, recorded_lines
from econzoo.evaluate.show import COUNT, FILES, NOTE, PAGE, SHARE, TERMINAL, TEXT, WARNING, Cell, Column, Divider, Page
from econzoo.evaluate.show import Part, Row, Table, Text, replace_nan
from econzoo.evaluate.stats import WORST, Columns, IdenticalClusters, Interval, differences

SCORE = Column("score", show_interval=True)


class Place(NamedTuple):
    """A row of the leaderboard.

    Attributes:
        submission: None for the players that define the scores 0 and 1, which are not ranked.
        rank: 1 and the number of submissions with a distinctly higher score.
    """

    card: Card
    submission: Submission | None = None
    rank: int | None = None

    @property
    def counted(self) -> float:
        """The score that orders: that of the card, with failed matches as forfeits."""
        return sum(self.card.settings.values()) / len(self.card.settings)

    @property
    def names(self) -> tuple[str, str]:
        return self.card.player, self.submission.folder.name if self.submission else "reference"


def leaderboard(records: Records) -> Page:
    """Return the leaderboard of the submissions in a folder.

    A submission is the output folder of ``econzoo run standard``. Every match is replayed, and the decisions of scripts
    are computed again; a submission with one that differs, or with other matches than those of the benchmark, is listed
    with the reason and has no rank.

    Args:
        records: The folder of the submissions; its records are read here.

    Raises:
        FileNotFoundError: The folder has no submissions.
    """
    folders, known, pool = submission_folders(records.folder), standard(), EnvPool()
    total = sum(1 for folder in folders for name in known.games for _ in recorded_lines(folder / name))
    with progress_bar("matches", total) as advance:
        found = [check_submission(folder, pool, advance) for folder in folders]
    places, refused = _places(found)
    ranked = sorted([*_ranked(places), *_references(known)], key=lambda one: (-one.counted, one.names))
    parts: list[Part] = [Text(f"Benchmark: {known.citation(known.seeds)}."), _board(ranked), *_by_game(known, ranked)]
    if refused:
        columns = [Column(head, kind=TEXT) for head in ("player", "submission", "reason")]
        parts.append(Table("refused", "Refused, without rank", columns, refused))
    parts += [_submissions(found), *(Text(one, WARNING) for one in known.version_changes())]
    asked = sum(one.asked for one in found if not one.refusal)
    replayed = sum(one.card.matches for one in places)
    checks = (
        f"{format_count(replayed, 'match')} of the listed players replayed without a difference, and "
        f"{format_count(asked, 'decision')} of scripts came out as recorded. Replies of language models cannot be "
        "computed again. Tokens, cost, dates and versions of the package are as submitted."
    )
    parts.append(Text(checks, NOTE))
    facts = [format_count(len(found), "submission"), format_count(len(places), "ranked player")]
    return Page("leaderboard", f"{known.name}: leaderboard", parts, facts)


LEGEND = (
    "Score: (gain - random) / (reference - random) per setting, averaged over settings and games. Legal: share of "
    "legal answers. Rank: 1 and the number of players whose score is distinctly higher, so that players that cannot be "
    "told apart share a rank. Distinct: the paired difference over the settings, which are sampled within games, is "
    "not 0 at 5%, adjusted for all pairs of ranked players (Holm). Order and ranks count a failed match as a forfeit "
    "(worst case)."
)


def _places(found: Sequence[Submission]) -> tuple[list[Place], list[Row]]:
    """Return the players that count, and rows with those that do not and the reasons."""
    names = short_names([one for submission in found for one in submission.entrants])
    places: list[Place] = []
    refused: list[Row] = []
    for one in found:
        if one.refusal:
            players = [strip_addresses(names[player.text]) for player in one.entrants] or [""]
            refused += [[player, one.folder.name, one.refusal] for player in players]
            continue
        for own, player in zip(score_cards(one.folder, one.entrants), one.entrants, strict=True):
            card = own._replace(player=strip_addresses(names[player.text]))
            if player.plays_all:
                places.append(Place(card, one))
            else:
                games = f"{len(card.games)} of {len(standard().games)} games"
                refused.append(
                    [card.player, one.folder.name, f"no score over all games: it plays {games} in all seats"]
                )
    return places, refused


def _ranked(places: Sequence[Place]) -> Iterator[Place]:
    rows = [
        {"row": at, "setting": game, "cluster": setting, "score": score}
        for at, one in enumerate(places)
        for (game, setting), score in one.card.settings.items()
    ]
    pairs = list(combinations(range(len(places)), 2))
    # Settings are sampled within games, which are fixed: the clusters of these rows within their strata.
    gaps = differences(Columns.of_rows(rows), pairs, "score", by="row", over="seeds")
    lower = [pair[int(gap.mean > 0)] for pair, gap in gaps.items() if gap.distinct]
    yield from (one._replace(rank=1 + lower.count(at)) for at, one in enumerate(places))


def _references(known: Standard) -> Iterator[Place]:
    """Yield the players that define the scores 1 and 0."""
    for name, score in (("best-scripts", 1.0), ("random", 0.0)):
        settings = {(game, one.name): score for game, own in known.games.items() for one in own.settings}
        alike: dict[str, Interval] = {"score": IdenticalClusters(score, math.nan, math.nan, len(settings))}
        yield Place(Card(name, dict.fromkeys(known.games, alike), alike, 0, 0, settings=settings))


def _board(places: Sequence[Place]) -> Table:
    optional = [one for one in OPTIONAL_COLUMNS if one.key in (DEFAULTED, "forfeit", "tokens", "cost")]
    columns = [
        Column("player", kind=TEXT),
        Column("submission", kind=TEXT),
        Column("rank", kind=COUNT),
        SCORE,
        Column(WORST),
        Column("failed", "failed matches", COUNT),
        Column("legal", kind=SHARE),
        *optional,
        Column("date", kind=TEXT),
    ]
    rows = [dict(_cells(one, [column.key for column in optional])) for one in places]
    shown = [one for one in columns if one.kind == TEXT or any(replace_nan(_number(row[one.key]), 0.0) for row in rows)]
    return Table("ranking", "Ranking", shown, [[row[one.key] for one in shown] for row in rows], LEGEND)


def _number(value: Any) -> float:
    return math.nan if value is None else value.mean if isinstance(value, Interval) else float(value)


def _cells(one: Place, measures: Sequence[str]) -> Iterator[tuple[str, Any]]:
    overall = one.card.overall or NO_ESTIMATES
    player, folder = one.names
    link = one.submission.about.link if one.submission else ""
    yield from (("rank", one.rank), ("player", player), ("submission", Cell(folder, link=link)))
    yield from (("score", overall["score"]), ("date", one.submission.date if one.submission else ""))
    # Only the ranked ones have played here.
    yield ("legal", legal_share(overall) if one.submission else None)
    yield (WORST, one.counted if one.card.failures else None)
    yield ("failed", one.card.failures if one.submission else None)
    yield from ((name, overall.get(name) if one.submission else None) for name in measures)


def _by_game(known: Standard, places: Sequence[Place]) -> Iterator[Table]:
    """Yield the scores by game: players by games, and for terminals game by game."""
    names = [Column("player", kind=TEXT), Column("submission", kind=TEXT)]
    scores: list[tuple[Place, Mapping[str, Interval]]] = [
        (one, {game: found["score"] for game, found in one.card.games.items()}) for one in places
    ]
    wide = [[*one.names, *(found.get(game) for game in known.games)] for one, found in scores]
    columns, title = [Column(game, game, digits=2) for game in known.games], "Scores by game"
    yield Table("games", title, [*names, *columns], wide, shade="around", places=(PAGE, FILES))
    rows: list[Row | Divider] = []
    for game in known.games:
        own = [(one, found[game]) for one, found in scores if game in found]
        rows += [Divider(game), *([*one.names, score] for one, score in sorted(own, key=lambda row: -row[1].mean))]
    yield Table("games", title, [*names, SCORE], rows, places=(TERMINAL,))


def _submissions(found: Sequence[Submission]) -> Table:
    heads = ("submission", "name", "contact", "note", "versions", "accepted")
    rows = [
        [
            Cell(one.folder.name, link=one.about.link),
            *(one.about.name, one.about.contact, one.about.note, ", ".join(one.versions)),
            "no" if one.refusal else "yes",
        ]
        for one in found
    ]
    shown = [at for at, head in enumerate(heads) if any(row[at] for row in rows)]
    columns = [Column(heads[at], kind=TEXT) for at in shown]
    return Table("submissions", "Submissions", columns, [[row[at] for at in shown] for row in rows])
