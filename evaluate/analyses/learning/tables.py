"""Learning tables: as JSON and CSV files, and for terminals and pages."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import LARGE_FILE_BYTES, check_format, format_count, read_text, wrap_read_errors, write_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SELF_GAIN, parse_json
from econzoo.envs.core.record import labels
from econzoo.evaluate.analyses import COUNTED
from econzoo.evaluate.analyses.learning.ceiling_line import CeilingLine
from econzoo.evaluate.analyses.summary import NOT_ESTABLISHED, ranking_columns
from econzoo.evaluate.show import SHARE, TEXT, Column, Row, Table, undefined_to_none, write_csv
from econzoo.evaluate.stats import BEST, MISSING, WORST, Interval

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.learning.learning_table import LearningTable, PlayerGain, SeatComparison

NOTE = (
    "Over seeds: interval over training seeds (Student's t), for these settings and opponents. The interval of the {} "
    "is for these policies, {}."
)
NEW_SEED_NOTE = "New seed: interval of the result of one further seed."
SCRIPTS_NOTE = "Scripts play the same matches; best first."
EXPLOITABILITY_NOTE = "Exploitability: gain of a best response over the player in self-play, mean over settings."
MORE = (COUNTED, MISSING, WORST, BEST)
"""Further estimates of players: by which they are ordered if a seat defaulted, and with missing matches."""
MEAN_KEYS = ("over_settings", "over_seeds", "new_seed", "share_of_ceiling", "exploitability")
UNKNOWN_INTERVAL = {"mean": None, "low": None, "high": None}
GAPS_NOTE = (
    "Paired differences over the same matches. Holm: significant over settings after Holm's correction over all "
    "trainings and scripts. A training is significantly better where also the interval over seeds is above 0."
)


def learning_tables(found: Mapping[str, Any]) -> list[Table]:
    """Return gains by role, and differences between each training and the scripts, from a `plain_table`."""
    return [table for one in found["comparisons"] for table in (_gain_table(found, one), *_gap_tables(found, one))]


def _gain_table(found: Mapping[str, Any], one: Mapping[str, Any]) -> Table:
    measure = "gain" if found["objective"] == SELF_GAIN else found["objective"]
    players, line = _players(one), one["ceiling"] and CeilingLine(**one["ceiling"])
    size = format_count(next((own["matches"] for own in players), 0), "match")
    title = (
        f"{found['game']}{_seat_phrase(found, one)}, {found['pool']} pool, "
        f"{format_count(found['settings'], 'setting')}: {size}"
    )
    more = ranking_columns(measure, [*players, *one["trainings"]])
    columns = [
        Column("player", kind=TEXT),
        Column("over_settings", measure, show_interval=True),
        *more,
        Column("over_seeds", show_interval=True),
        Column("new_seed", show_interval=True),
        Column("share_of_ceiling", "share", kind=SHARE, show_interval=True),
        Column("exploitability", show_interval=True),
    ]
    several = any(len(training["seeds"]) > 1 for training in one["trainings"])
    measured = any("exploitability" in own for own in players)
    shown = [True, True, *[True] * len(more), True, several, bool(line), measured]
    ordered = SCRIPTS_NOTE if one["best_script"] else NOT_ESTABLISHED
    about = [
        NOTE.format(measure, found["population_note"]),
        NEW_SEED_NOTE * several,
        ordered * bool(one["scripts"]),
    ]
    notes = [*about, line.note if line else "", _exploitability_note(found) * shown[-1], found["no_result_note"]]
    rows = [[*compress(row, shown)] for row in _rows(one, line, [column.key for column in more])]
    title = f"{title} of each player"
    return Table(_key("learning", one), title, [*compress(columns, shown)], rows, " ".join(filter(None, notes)))


def _exploitability_note(found: Mapping[str, Any]) -> str:
    bounds = ", ".join(found["lower_bounds"])
    unmeasured = ", ".join(found["unmeasured_players"])
    why = " Not computed (random scripts without action probabilities, or too many positions): "
    return EXPLOITABILITY_NOTE + f" Lower bounds: {bounds}." * bool(bounds) + f"{why}{unmeasured}." * bool(unmeasured)


def _players(one: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*(own for training in one["trainings"] for own in training["seeds"]), *one["scripts"]]


def _seat_phrase(found: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    return f" as {find_game(found['game']).facts.role_with_part(one['role'])}" if one["role"] else ""


def _key(name: str, one: Mapping[str, Any], *more: object) -> str:
    return "_".join(map(str, filter(None, [name, one["role"], *more]))).lower()


def _rows(one: Mapping[str, Any], line: CeilingLine | None, more: Sequence[str]) -> Iterator[Row]:
    """Name, mean with intervals over settings, the estimates named in `more`, mean over seeds, share."""
    label_of = labels([own["player"] for own in _players(one)])
    for training in one["trainings"]:
        seeds = training["seeds"]
        if len(seeds) > 1:
            name = f"{training['training']}: mean of {format_count(len(seeds), 'seed')}"
            first, *rest = (_interval(training.get(key, UNKNOWN_INTERVAL)) for key in MEAN_KEYS)
            yield name, first, *_more(training, more), *rest
        for own in seeds:
            name = f"seed {own['seed']}" if len(seeds) > 1 and "seed" in own else label_of[own["player"]]
            yield _row(name, own, more)
    if line:
        none = _more({}, more)
        yield f"{line.name} ({line.certainty})", line.gain, *none, None, None, 1.0, None
        if line.full_information != line.gain:
            name, gain = f"ceiling, full information ({line.certainty})", line.full_information
            yield name, gain, *none, None, None, gain / line.gain, None
    yield from (_row(label_of[own["player"]], own, more) for own in one["scripts"])


def _row(name: str, own: Mapping[str, Any], more: Sequence[str]) -> Row:
    mean, share = _interval(own["over_settings"]), own["share_of_ceiling"]
    return name, mean, *_more(own, more), None, None, share, own.get("exploitability")


def _more(own: Mapping[str, Any], names: Sequence[str]) -> list[Interval | None]:
    return [_interval(own[name]) if name in own else None for name in names]


def _interval(found: Mapping[str, Any]) -> Interval:
    mean, low, high = (math.nan if found[key] is None else float(found[key]) for key in ("mean", "low", "high"))
    return Interval(mean, low, high, found.get("rows", 0))


def _gap_tables(found: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[Table]:
    label_of = labels([own["player"] for own in one["scripts"]])
    columns = [
        Column("script", kind=TEXT),
        Column("mean", "script mean"),
        Column("over_settings", "difference", signed=True, show_interval=True),
        Column("distinct", "Holm"),
        Column("over_seeds", signed=True, show_interval=True),
        Column(WORST, signed=True),
        Column(BEST, signed=True),
    ]
    for at, training in enumerate(one["trainings"], start=1):
        if gaps := training["gaps_to_scripts"]:
            title = f"{training['training']}{_seat_phrase(found, one)} minus scripts"
            rows = [*_gap_rows(one["scripts"], gaps, label_of)]
            yield Table(_key("gaps_to_scripts", one, at), title, columns, rows, GAPS_NOTE)


def _gap_rows(
    scripts: Sequence[Mapping[str, Any]], gaps: Sequence[Mapping[str, Any]], label_of: Mapping[str, str]
) -> Iterator[Row]:
    for own, gap in zip(scripts, gaps, strict=True):
        settings = gap["over_settings"]
        mean = own["over_settings"]["mean"]
        cases = gap.get(WORST), gap.get(BEST)
        seeds = _interval(gap["over_seeds"])
        yield label_of[gap["script"]], mean, _interval(settings), settings["distinct"], seeds, *cases


# JSON and CSV files


FILE = "learning_table.json"
"""Learning table in the folder of its matches."""


def plain_table(found: LearningTable) -> dict[str, Any]:
    """Return the table for JSON."""
    return {
        "format": 1,
        **{name: getattr(found, name) for name in ("game", "pool", "opponents")},
        "settings": found.settings,
        "objective": found.objective,
        "population_note": found.population_note,
        "no_result_note": found.no_result_note,
        "lower_bounds": list(found.lower_bounds),
        "unmeasured_players": dict(found.unmeasured_players),
        "comparisons": [_plain_comparison(one) for one in found.comparisons],
    }


def _plain_comparison(one: SeatComparison) -> dict[str, Any]:
    return {
        "role": one.role,
        "ceiling": one.ceiling and one.ceiling._asdict(),
        "trainings": [
            {
                "training": own.name,
                "over_seeds": _plain_interval(own.seeds),
                "new_seed": _plain_interval(own.new_seed),
                "over_settings": _plain_interval(own.settings),
                "share_of_ceiling": _plain_interval(one.share(own.counted_gain)),
                **_exploitability_entry(own.exploitability.mean, _plain_interval(own.exploitability)),
                **_plain_more(own.more),
                "seeds": [_plain_player(one, policy) for policy in own.policies],
                "gaps_to_scripts": [
                    {
                        "script": gap.script,
                        "over_settings": undefined_to_none(gap.settings._asdict()),
                        "over_seeds": _plain_interval(gap.seeds),
                        **({} if math.isnan(gap.cases[0]) else dict(zip((WORST, BEST), gap.cases, strict=True))),
                    }
                    for gap in own.gaps
                ],
            }
            for own in one.trainings
        ],
        "scripts": [_plain_player(one, own) for own in one.scripts],
        "best_script": one.scripts[0].spec if one.scripts and one.is_ordered else None,
    }


def _plain_player(one: SeatComparison, own: PlayerGain) -> dict[str, Any]:
    seed = {} if own.seed is None else {"seed": own.seed}
    share = undefined_to_none({"share_of_ceiling": one.share_of(own)})
    entries = {
        "over_settings": _plain_interval(own.gain),
        **share,
        **_exploitability_entry(own.exploitability, own.exploitability),
        **_plain_more(own.more),
    }
    return {"player": own.spec, **seed, "matches": own.gain.rows, **entries}


def _exploitability_entry(mean: float, found: Any) -> dict[str, Any]:
    return {} if math.isnan(mean) else {"exploitability": found}


def _plain_more(found: Mapping[str, Interval]) -> dict[str, Any]:
    return {name: _plain_interval(one) for name, one in found.items()}


def _plain_interval(found: Interval) -> dict[str, Any]:
    return undefined_to_none({"mean": found.mean, "low": found.low, "high": found.high})


def write_learning_table(found: LearningTable, folder: Path) -> list[Path]:
    """Write the table for the report, and CSV files of gains and differences."""
    table = write_file(folder / FILE, json.dumps(plain_table(found), indent=2) + "\n")
    rows = [row for one in found.comparisons for row in _csv(one)]
    more = [name for name in MORE if any(name in own for *_, own in rows)]
    ends = [[own[name].mean if name in own else math.nan for name in more] for *_, own in rows]
    cells = [[*row, *end] for (*row, _), end in zip(rows, ends, strict=True)]
    gains = write_csv(folder / "learning_table.csv", [*GAIN_COLUMNS, *more], cells)
    gaps = write_csv(
        folder / "learning_differences.csv", GAP_COLUMNS, [row for one in found.comparisons for row in _csv_gaps(one)]
    )
    return [table, gains, gaps]


GAIN_COLUMNS = (
    *("role", "kind", "player", "seed", "gain", "low_settings", "high_settings", "low_seeds", "high_seeds"),
    *("share", "low_share", "high_share", "exploitability", "low_new_seed", "high_new_seed"),
)
GAP_COLUMNS = (
    *("role", "training", "script", "difference", "low_settings", "high_settings", "distinct"),
    *("low_seeds", "high_seeds"),
)


def _csv(one: SeatComparison) -> Iterator[Sequence[Any]]:
    """Rows of `GAIN_COLUMNS`, each with the estimates of `MORE` at the end."""
    none = math.nan
    for training in one.trainings:
        own, share = training.settings, one.share(training.counted_gain)
        seeds, shares = (training.seeds.low, training.seeds.high), (share.mean, share.low, share.high)
        rest = training.exploitability.mean, training.new_seed.low, training.new_seed.high
        yield (
            one.role,
            "training",
            training.name,
            "",
            own.mean,
            own.low,
            own.high,
            *seeds,
            *shares,
            *rest,
            training.more,
        )
        yield from (_csv_player(one, "seed", policy) for policy in training.policies)
    if one.ceiling:
        name, certainty, gain = one.ceiling.name, one.ceiling.certainty, one.ceiling.gain
        yield (one.role, name, certainty, "", gain, *[none] * 4, 1.0, *[none] * 5, {})
    yield from (_csv_player(one, "script", script) for script in one.scripts)


def _csv_player(one: SeatComparison, what: str, own: PlayerGain) -> Sequence[Any]:
    seed = "" if own.seed is None else own.seed
    gain, none = (own.gain.mean, own.gain.low, own.gain.high), math.nan
    share = one.share_of(own), none, none
    return (one.role, what, own.spec, seed, *gain, none, none, *share, own.exploitability, none, none, own.more)


def _csv_gaps(one: SeatComparison) -> Iterator[Sequence[Any]]:
    for training in one.trainings:
        for gap in training.gaps:
            found, seeds = gap.settings, gap.seeds
            ends = found.mean, found.low, found.high, int(found.distinct), seeds.low, seeds.high
            yield (one.role, training.name, gap.script, *ends)


def read_learning_tables(folder: Path) -> list[Table]:
    """Read the tables of a folder; empty if there are none."""
    path = folder / FILE
    if not path.is_file():
        return []
    with wrap_read_errors(path, ValueError, KeyError, TypeError, AttributeError):
        given = parse_json(read_text(path, LARGE_FILE_BYTES))
        check_format("the learning table", given.get("format"))
        return learning_tables(given)
