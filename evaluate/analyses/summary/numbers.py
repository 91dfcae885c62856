"""The numbers of a summary for files: tables for CSV, and plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.evaluate.analyses.summary.keyword_buyers import BY_KEYWORDS
from econzoo.evaluate.show.files import json_of
from econzoo.evaluate.show.numbers import plain_estimates
from econzoo.evaluate.show.parts import Table, file_table
from econzoo.evaluate.stats.bounds import BEST, WORST
from econzoo.evaluate.stats.estimates import Difference

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.summary.summary import Summary


def file_tables(summary: Summary) -> list[Table]:
    """Return all estimates, as tables for files."""
    overall = ([player, summary.overall[player]] for player in summary.players)
    heads = ("role", "first", "player", *Difference._fields, *((WORST, BEST) if summary.has_cases else ()))
    gaps = [
        [group.role, group.players[0], player, *gap, *group.gap_cases.get(player, (None, None))]
        for group in summary.groups
        for player, gap in group.gaps_to_best.items()
    ]
    return [
        _estimates(summary, "players", overall, "player"),
        file_table("behind", heads, (row[: len(heads)] for row in gaps)),
        _estimates(summary, "cross_play", ([*key, one] for key, one in summary.pairs.items()), "player", "opponent"),
        _estimates(summary, "seats", ([*key, one] for key, one in summary.seats.items()), "player", "role"),
        _estimates(summary, "markets", ([*key, one] for key, one in summary.settings.items()), "player", "market"),
    ]


def _estimates(summary: Summary, key: str, found: Iterable[Sequence[Any]], *names: str) -> Table:
    measures = list(next(iter(summary.overall.values())))
    return file_table(key, (*names, *measures), ([*place, *map(one.get, measures)] for *place, one in found))


def plain_numbers(summary: Summary) -> dict[str, Any]:
    """Return the numbers for JSON; null where one is undefined."""
    return {
        "game": summary.game,
        "matches": summary.matches,
        **({"repeats": len(summary.repeats)} if summary.repeats else {}),
        **({"without_result": len(summary.without_result)} if summary.without_result else {}),
        "planned": summary.planned_matches,
        **({"objective": summary.objective} if summary.objective != SELF_GAIN else {}),
        **({"prompts": summary.prompts} if summary.prompts else {}),
        "clusters": summary.clusters,
        "compared_by_role": bool(summary.groups[0].role),
        **json_of(summary.numbers),
        "violations": summary.violations,
        "unreadable": [str(one) for one in summary.unreadable],
        "regret_left_out": summary.missing_regrets,
        **_keyword_groups(summary),
    }


def _keyword_groups(summary: Summary) -> dict[str, Any]:
    """Estimates of matches whose messages were read by keywords, if there are any."""
    if summary.keywords is None:
        return {}
    groups = [group for group in summary.groups if group.reading_label]
    players = [{"role": g.role, "player": p, **plain_estimates(g.overall[p])} for g in groups for p in g.players]
    return {BY_KEYWORDS.replace(" ", "_"): {**summary.keywords._asdict(), "players": players}}
