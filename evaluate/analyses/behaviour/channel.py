"""The analysis ``channel``: an ablation of the message channel, with messages on, off and scrambled.

The three arms have the same players, seats, settings and seeds, so every match has a twin in each arm with the same
chance moves:

- ``on``: messages are delivered unchanged;
- ``off``: ``messages=False``, nobody can send messages and everybody knows it; with symbols (``messages=k``)
  ``channel="off"``, symbols are dropped, as players trained with symbols cannot play without them;
- ``scrambled``: ``channel="scrambled"``, messages are delivered with their words in random order.

``on - off`` is the effect of the channel, ``on - scrambled`` the effect of the messages' content. Both are means of
paired differences between twins. Both are exactly 0 for players that ignore messages. Sampling by models adds noise
to the differences, which widens the interval without bias.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pandas import DataFrame

from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import symbol_count
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import OBJECTIVES, describe, describe_no_result, frame, matches_with_result, played_games
from econzoo.evaluate.analyses import split_by_result
from econzoo.evaluate.analyses.behaviour.talk import SymbolMeasure, symbol_measures
from econzoo.evaluate.run import DEFAULT, Design, Records, Setting, label_setting, new_design
from econzoo.evaluate.show import COUNT, HEADING, NOTE, PAGE, READER_PLACES, TEXT, Column, Page, Part, Table, Text
from econzoo.evaluate.show import agreement_heading, file_table
from econzoo.evaluate.stats import Interval, estimate

ON, OFF, SCRAMBLED = "on", "off", "scrambled"
ARMS = (ON, OFF, SCRAMBLED)
METRICS = (*OBJECTIVES, "payoff", "rounds", "errors", "forfeit")
"""Columns of `econzoo.evaluate.analyses.frame.frame` that are compared, besides how often there was an agreement."""


class ChannelEffect(NamedTuple):
    """A paired difference.

    Attributes:
        role: Its role; empty: all roles together.
        other: Mean in the other arm, over the same matches.
        difference: Mean of the differences between twins; NaN if the metric is undefined.
        low: Lower end of its 95% interval; NaN with fewer than two clusters.
        n: Pairs of twins.
    """

    contrast: str
    game: str
    player: str
    opponent: str
    role: str
    metric: str
    on: float
    other: float
    difference: float
    low: float
    high: float
    n: int

    @property
    def gap(self) -> Interval:
        """The difference with its interval."""
        return Interval(self.difference, self.low, self.high, self.n)


def channel_designs(
    game_name: str,
    players: Sequence[str],
    settings: Iterable[str | Mapping[str, Any] | Setting] = (DEFAULT,),
    seeds: int = 10,
    **options: Any,
) -> dict[str, Design]:
    """Return the tournament design of each arm.

    Args:
        seeds: Matches of each seating in each setting: seeds 0, 1, 2, ...
    """
    on = new_design(game_name, list(dict.fromkeys(players)), settings, seeds, **options)
    if "channel" in options:
        raise ValueError(f"invalid channel={options['channel']!r}: expected none, as each arm sets its own")
    game = find_game(game_name)
    for setting in on.settings:
        public, inner = game.params(**setting.params)
        if not any(game.message_mode(public, seat) for seat in range(game.seats(inner))):
            raise ValueError(f"{game_name}: invalid setting {setting.name!r}: expected one with messages")
    off, scrambled = (replace(on, options={**on.options, "channel": channel}) for channel in (OFF, SCRAMBLED))
    symbols = [bool(symbol_count(setting.params)) for setting in on.settings]
    words_off = (
        one if has_symbols else Setting(one.name, {**one.params, "messages": False})
        for one, has_symbols in zip(on.settings, symbols, strict=True)
    )
    off = replace(off if any(symbols) else on, settings=tuple(words_off))
    return {ON: on, OFF: off, SCRAMBLED: scrambled}


def arm_of(record: Record) -> str:
    if record.options.get("channel") in (SCRAMBLED, OFF):
        return str(record.options["channel"])
    return ON if record.params.get("messages", True) else OFF


def channel(records: Records) -> Page:
    """Ablate the message channel: on, off, scrambled.

    Args:
        records: Records of all three arms of `channel_designs`.

    Raises:
        ValueError: No match has a twin in some arm.
    """
    arms = {arm: [one for one in records if arm_of(one) == arm] for arm in ARMS}
    found, cut = channel_effects(arms), describe_no_result(split_by_result(records)[1])
    contrasts = dict.fromkeys((row.game, row.contrast) for row in found)
    parts = [
        *describe(played_games(records, records.design), [records.place]),
        Text("Effects of messages", HEADING, places=(PAGE,)),
        *([Text(cut, NOTE)] if cut else []),
        file_table("channel", ChannelEffect._fields, found),
        *(_contrast_table(game, contrast, found) for game, contrast in contrasts),
        Text(NOTE_ON_TWINS, NOTE),
        *_symbol_tables(symbol_measures(arms[ON], arms[SCRAMBLED])),
    ]
    facts = [f"{format_count(len(own), 'match')} {arm}" for arm, own in arms.items()]
    return Page("channel", f"Ablation of messages: {records.folder.resolve().name}", parts, facts, records.unreadable)


NOTE_ON_TWINS = (
    "Mean differences between twin matches with 95% intervals: effect of the channel (on - off) and of the messages' "
    "content (on - scrambled). n: pairs of twins."
)


NOTE_ON_TALK = (
    "Information of a symbol in bits. signalling: about its sender's private information; consistency: about its "
    "sender's next move; coordination: about its receiver's next move; listening: the same with randomised symbols, "
    "which identifies their causal effect; influence: about a policy's move under counterfactual symbols, all else "
    "equal. p: permutation test of no information."
)


def _contrast_table(game: str, contrast: str, found: Sequence[ChannelEffect]) -> Table:
    """One row per player and opponent, all seats together."""
    facts = find_game(game).facts
    rows = [row for row in found if (row.game, row.contrast, row.role) == (game, contrast, "")]
    places = sorted({(row.player, row.opponent) for row in rows})
    by_metric = {(row.player, row.opponent, row.metric): row for row in rows}
    metrics = {
        "self_gain": "gain",
        "efficiency": "",
        "fairness": "",
        facts.agreement_column: agreement_heading(facts),
        "rounds": "",
    }
    columns = [
        Column("player", kind=TEXT),
        Column("opponent", kind=TEXT),
        *(Column(name, head, signed=True, show_interval=name == "self_gain") for name, head in metrics.items()),
        Column("n", kind=COUNT),
    ]
    lines = [
        [*place, *(by_metric[*place, metric].gap for metric in metrics), by_metric[*place, "self_gain"].n]
        for place in places
    ]
    key = f"{game}_{contrast.replace(' - ', '_less_')}"
    return Table(key, f"{game}: {contrast}", columns, lines, places=READER_PLACES)


def _symbol_tables(rows: Sequence[SymbolMeasure]) -> list[Part]:
    """Tables of the information in symbols; empty without symbols."""
    if not rows:
        return []
    columns = [
        Column("measure", kind=TEXT),
        Column("player", kind=TEXT),
        Column("role", kind=TEXT),
        Column("bits", show_interval=True),
        Column("p"),
        Column("n", kind=COUNT),
    ]
    lines = [
        [row.measure, row.player, row.role, Interval(row.bits, row.low, row.high, row.n), row.p, row.n] for row in rows
    ]
    games = ", ".join(dict.fromkeys(row.game for row in rows))
    return [
        file_table("talk", SymbolMeasure._fields, rows),
        Table("talk", f"{games}: information in symbols", columns, lines, NOTE_ON_TALK, places=READER_PLACES),
    ]


def channel_effects(arms: Mapping[str, Sequence[Record]]) -> list[ChannelEffect]:
    """Compute paired differences of all metrics, for every player against every opponent.

    Matches without a twin or a result are left out.
    """
    tables = {arm: _table(records) for arm, records in arms.items()}
    found = []
    for arm, table in tables.items():
        if arm != ON:
            found += _contrast(f"{ON} - {arm}", tables[ON], table)
    return found


_TWIN = ["twin", "seat"]


def _table(records: Sequence[Record]) -> DataFrame:
    """One row per seat and match, with the key that twins share."""
    if not records:
        raise ValueError("no match has a twin: an arm has no records")
    table = frame(matches_with_result(records))
    names = {record.id: twin_key(record) for record in records}
    # Settings of the arm without messages have other names, so twins need a cluster that they share.
    table["twin"] = [names[match][0] for match in table["match"]]
    table["cluster"] = [names[match][1] for match in table["match"]]
    return table


def twin_key(record: Record) -> tuple[str, str]:
    """Return the key that a match shares with its twins (all but the channel), and its cluster of setting and seed."""
    params = {name: value for name, value in record.params.items() if name != "messages"}
    options = {name: value for name, value in record.options.items() if name != "channel"}
    setting = label_setting(find_game(record.game), params)
    key = json.dumps([record.game, params, options, record.seed, record.players], sort_keys=True)
    return key, f"{setting}#{record.seed}"


def _contrast(name: str, on: DataFrame, other: DataFrame) -> list[ChannelEffect]:
    both = on.merge(other, on=_TWIN, suffixes=("", " of other"), validate="one_to_one")
    if both.empty:
        raise ValueError(f"{name}: no match has a twin in the other arm")
    agreed = find_game(on["game"].iloc[0]).facts.agreement_column
    wanted = [metric for metric in (*METRICS, agreed) if metric in on]
    for metric in wanted:
        both[f"{metric} difference"] = both[metric] - both[f"{metric} of other"]
    # With a single role its rows would repeat those of all roles.
    seated = both.groupby(["player", "opponent"])["role"].transform("nunique") > 1
    found = []
    for table in (both.assign(role=""), both[seated]):
        found += _estimates(name, table, wanted)
    return found


def _estimates(contrast: str, table: DataFrame, wanted: Sequence[str]) -> list[ChannelEffect]:
    columns = [column for m in wanted for column in (m, f"{m} of other", f"{m} difference")]
    defined = table.copy()
    for metric in wanted:  # means are over the same matches as the difference
        lacks = defined[f"{metric} difference"].isna()
        defined.loc[lacks, [metric, f"{metric} of other"]] = float("nan")
    gaps = {f"{metric} difference" for metric in wanted}
    found = estimate(defined, ["game", "player", "opponent", "role"], columns, signed=gaps)
    rows = []
    for (game, player, opponent, role), one in found.items():
        for metric in wanted:
            means = one[metric].mean, one[f"{metric} of other"].mean
            gap: Any = one[f"{metric} difference"]
            rows.append(ChannelEffect(contrast, game, player, opponent, role, metric, *means, *gap))
    return rows
