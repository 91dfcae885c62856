"""A table of learning for programs: as JSON, as CSV, and as the file that a report reads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import from_json
from econzoo.evaluate.analyses.learning.learning_table import Compared, Earned, LearningTable
from econzoo.evaluate.analyses.learning.tables import learning_tables
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.numbers import defined
from econzoo.evaluate.show.parts import Table
from econzoo.evaluate.stats.intervals import Interval

FILE = "learning_table.json"
"""In the folder of its matches."""


def plain(found: LearningTable) -> dict[str, Any]:
    """For JSON."""
    return {
        **{name: getattr(found, name) for name in ("game", "pool", "opponents", "markets", "objective")},
        "intervals_over_settings": found.told,
        **({"unpaid": found.unpaid} if found.unpaid else {}),
        "compared": [_plain(one) for one in found.compared],
    }


def _plain(one: Compared) -> dict[str, Any]:
    return {
        "role": one.role,
        "ceiling": one.ceiling and one.ceiling._asdict(),
        "trainings": [
            {
                "training": own.name,
                "over_seeds": _interval(own.seeds),
                "over_settings": _interval(own.settings),
                "share_of_ceiling": _interval(one.share(own.counted)),
                "seeds": [_plain_player(one, policy) for policy in own.policies],
                "less_scripts": [
                    {
                        "script": gap.script,
                        "over_settings": defined(gap.settings._asdict()),
                        "over_seeds": _interval(gap.seeds),
                    }
                    for gap in own.gaps
                ],
            }
            for own in one.trainings
        ],
        "scripts": [_plain_player(one, own) for own in one.scripts],
        "best_script": one.scripts[0].spec if one.scripts else None,
    }


def _plain_player(one: Compared, own: Earned) -> dict[str, Any]:
    seed = {} if own.seed is None else {"seed": own.seed}
    share = defined({"share_of_ceiling": one.share_of(own)})
    return {"player": own.spec, **seed, "matches": own.gain.rows, "over_settings": _interval(own.gain), **share}


def _interval(found: Interval) -> dict[str, Any]:
    return defined({"mean": found.mean, "low": found.low, "high": found.high})


def write(found: LearningTable, folder: Path) -> list[Path]:
    """Writes the table into a folder: for the report, and as CSV files of what was earned and of differences."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / FILE
    kept.write_text(json.dumps(plain(found), indent=2) + "\n", encoding="utf-8")
    earned = write_csv(folder / "learning_table.csv", EARNED, [row for one in found.compared for row in _csv(one)])
    gaps = write_csv(
        folder / "learning_differences.csv", GAP, [row for one in found.compared for row in _csv_gaps(one)]
    )
    return [kept, earned, gaps]


EARNED = (
    *("role", "what", "player", "seed", "gain", "low_settings", "high_settings", "low_seeds", "high_seeds"),
    *("share", "low_share", "high_share"),
)
GAP = (
    *("role", "training", "script", "difference", "low_settings", "high_settings", "distinct"),
    *("low_seeds", "high_seeds"),
)


def _csv(one: Compared) -> Iterator[Sequence[Any]]:
    none = math.nan
    for training in one.trainings:
        own, share = training.settings, one.share(training.counted)
        seeds, shares = (training.seeds.low, training.seeds.high), (share.mean, share.low, share.high)
        yield (one.role, "training", training.name, "", own.mean, own.low, own.high, *seeds, *shares)
        yield from (_csv_player(one, "seed", policy) for policy in training.policies)
    if one.ceiling:
        yield (one.role, one.ceiling.name, one.ceiling.how, "", one.ceiling.gain, *[none] * 4, 1.0, none, none)
    yield from (_csv_player(one, "script", script) for script in one.scripts)


def _csv_player(one: Compared, what: str, own: Earned) -> Sequence[Any]:
    seed = "" if own.seed is None else own.seed
    found = (own.gain.mean, own.gain.low, own.gain.high, math.nan, math.nan, one.share_of(own), math.nan, math.nan)
    return (one.role, what, own.spec, seed, *found)


def _csv_gaps(one: Compared) -> Iterator[Sequence[Any]]:
    for training in one.trainings:
        for gap in training.gaps:
            found, seeds = gap.settings, gap.seeds
            ends = found.mean, found.low, found.high, int(found.distinct), seeds.low, seeds.high
            yield (one.role, training.name, gap.script, *ends)


def read_tables(folder: Path) -> list[Table]:
    """The tables that `write` has left in a folder; none if there are none.

    Raises:
        ValueError: The file is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        return learning_tables(from_json(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no table of learning: {error!r}") from None
