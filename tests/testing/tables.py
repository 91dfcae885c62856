"""Tables of matches: every parameter and field of a move is a typed column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import econzoo
from econzoo.envs.core.contract import Game, Number
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.tidy import KINDS, Table, parameters, tables
from econzoo.testing.playing import shorten_setting
from econzoo.testing.suite import check

GUIDE = "Declarations"
REMEDY = "declare parameters by domains and fields of moves by marks, which say what values there are"

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
"""Column names that are valid in every statistics program."""


def play_random_match(game: Game, setting: Mapping[str, Any]) -> Record:
    """Play a match of random players."""
    params = shorten_setting(game, setting)
    return econzoo.play(game.name, ["random"] * game.seats(game.params(**params)[1]), **params)


@check(GUIDE, REMEDY)
def matches_are_tables(game: Game) -> None:
    """A match is a row of documented columns, with its parameters and moves."""
    for setting in ({}, *game.cases.settings[-1:]):
        record = play_random_match(game, setting)
        made = {table.name: table for table in tables([record])}
        assert [len(table) for table in made.values()] == [1, len(record.players), len(record.turns)]
        for table in made.values():
            _check_columns(table)
        for name, value in parameters(record).items():
            if value is not None:
                assert cells(made["matches"])[name] == [value], f"{name}={value!r}"
        assert list(moves(game, made["turns"])) == [turn.action for turn in record.turns]


def _check_columns(table: Table) -> None:
    names = [column.name for column in table.columns]
    assert len({*names}) == len(names), f"{table.name}: two columns have the same name"
    for column in table.columns:
        assert NAME.fullmatch(column.name), f"{table.name}: {column.name!r} is no name"
        assert column.kind in KINDS, f"{table.name}: {column.name} has no kind"
        assert all(meaning.meaning and meaning.source for meaning in column.meanings), column.name


def cells(table: Table) -> dict[str, list[Any]]:
    """Return the values by column."""
    return {column.name: [*column.values] for column in table.columns}


def moves(game: Game, turns: Table) -> Iterator[dict[str, Any] | None]:
    """Yield the moves in the rows of the table of turns."""
    found = cells(turns)
    for row, kind in enumerate(found["move"]):
        if kind is None:
            yield None
            continue
        declared = game.actions.kinds[game.actions.index[kind]]
        action: dict[str, Any] = {"kind": kind} if len(game.actions.kinds) > 1 else {}
        for name, mark in declared.marks.items():
            if name in declared.groups:
                action[name] = [found[one][row] for one in _group_columns(found, name) if found[one][row] is not None]
            elif isinstance(mark, Number) or declared.source:
                action[name] = found[f"move_{name}"][row]
            elif found["message"][row] is not None:
                action[name] = found["message"][row]
        yield action


def _group_columns(found: Mapping[str, Any], name: str) -> list[str]:
    return [one for one in found if re.fullmatch(rf"move_{name}_\d+", one)]
