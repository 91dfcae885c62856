"""Records as three tables: a row a match, a row a seat, a row an answer; ``match`` and ``seat`` join them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.frame import OBJECTIVES, seat_rows
from econzoo.evaluate.analyses.seat_columns import places, roles_of
from econzoo.evaluate.analyses.tidy.column import Column, column, names
from econzoo.evaluate.analyses.tidy.meanings import MOVE, OPTION, PARAMETER, meaning, spoken

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: ``matches``, ``seats`` or ``turns``.
        key: The columns that tell its rows apart.
        columns: All of one length.
    """

    name: str
    key: tuple[str, ...]
    columns: list[Column]

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.columns[0].values)

    def __getitem__(self, name: str) -> Column:
        """The column of this name."""
        return next(one for one in self.columns if one.name == name)


KEYS = {"matches": ("match",), "seats": ("match", "seat"), "turns": ("match", "turn")}
"""Table to its key."""


def tables(
    records: Sequence[Record], market: Callable[[Record], str] = lambda record: "", texts: bool = False
) -> list[Table]:
    """The three tables of `KEYS`.

    Args:
        records: See `econzoo.evaluate.run.folder.read_folder`; of any games.
        market: The name of a record's setting; empty: that of its parameters.
        texts: Whether seats have the rules that they read, and turns their prompts.
    """
    makers = {"matches": _match_rows, "seats": _seat_rows, "turns": _turn_rows}
    return [_table(name, records, makers[name], market, texts) for name in KEYS]


def _table(name: str, records: Sequence[Record], maker: Any, market: Callable[[Record], str], texts: bool) -> Table:
    rows: list[Row] = []
    met: dict[str, dict[str, None]] = {key: {record.game: None for record in records} for key in KEYS[name]}
    for record in records:
        for row in maker(record, market(record), texts):
            rows.append(row)
            for column_name in row:
                met.setdefault(column_name, {})[record.game] = None
    told = names(met)
    made = [
        column(told[inner], [meaning(name, inner, find_game(one)) for one in games], [row.get(inner) for row in rows])
        for inner, games in met.items()
    ]
    return Table(name, KEYS[name], [one for one in made if one is not None])


# Rows, with the columns as they are called inside


def _match_rows(record: Record, market: str, texts: bool) -> Iterator[Row]:
    place = places(record, market)[0]
    yield {
        **{name: place[name] for name in ("match", "game", "market", "seed", "cluster")},
        **{"status": record.status, "forfeit_seat": record.forfeit, "seats": len(record.players)},
        "rounds": max((turn.round for turn in record.turns), default=0),
        "turns": len(record.turns),
        **{name: record.metrics[name] if record.has_result else None for name in ("agreed", "efficiency", "fairness")},
        "tokens": sum(sum(turn.tokens) for turn in record.turns),
        "cost": sum(turn.cost for turn in record.turns),
        "seconds": record.seconds,
        "chance": json.dumps(record.chance),
        **{"origin": (record.source or {}).get("id"), "source": record.source},
        **{f"version_{part}": number for part, number in (record.versions or {}).items()},
        **_flat(PARAMETER, record.params),
        **{OPTION + name: _json(value) for name, value in record.options.items()},
    }


_GOALS = {spec: Objective(spec) for spec in OBJECTIVES}


def _seat_rows(record: Record, market: str, texts: bool) -> Iterator[Row]:
    for seat, row in enumerate(seat_rows(record, market, _GOALS)):
        persona = record.personas[seat] if record.personas else None
        read = {"rules": record.rules[seat] if record.rules else None} if texts else {}
        place = {"position_payoff": record.position_payoffs[seat]} if record.position_payoffs else {}
        yield {**row, **place, "face": record.faces[seat], "persona": persona, **read}


def _turn_rows(record: Record, market: str, texts: bool) -> Iterator[Row]:
    roles, words = roles_of(record), spoken(find_game(record.game))
    only = find_game(record.game).actions.names
    for number, turn in enumerate(record.turns, start=1):
        yield {
            **{"match": record.id, "turn": number, "game": record.game, "seat": turn.seat},
            **{"role": roles[turn.seat], "player": record.labels[turn.seat], "round": turn.round},
            **_answered(turn, texts),
            **_moved(turn, words, only[0]),
        }


def _moved(turn: Turn, words: frozenset[str], only: str) -> Row:
    """The move of a turn: its kind, its words, its other fields."""
    action = dict(turn.action or {})
    kind = action.pop("kind", only) if turn.action is not None else None
    said = [action.pop(name) for name in sorted(words) if name in action]
    return {"move": kind, "message": " ".join(said), **_flat(MOVE, action)}


def _answered(turn: Turn, texts: bool) -> Row:
    code, told = turn.error or (None, None)
    return {
        **{"legal": turn.error is None, "default_move": turn.default, "error_code": code, "error_text": told},
        **({"prompt": turn.prompt} if texts else {}),
        **{"reply": _json(turn.reply), "finish": turn.finish, "token_limit": turn.limit or None},
        **{"closed": turn.closed, "dropped": turn.dropped, "calls": len(turn.calls), "reasoning": turn.reasoning},
        **{"prompt_tokens": turn.tokens[0], "completion_tokens": turn.tokens[1]},
        **{"seconds": turn.seconds, "cost": turn.cost},
    }


def _flat(prefix: str, given: Mapping[str, Any]) -> Row:
    """Values by name; lists as a value each, whose places count from 1."""
    return dict(leaf for name, value in given.items() for leaf in _leaves(prefix + name, plain(value)))


def parameters(record: Record) -> Row:
    """The parameters of a match by their columns."""
    given = _flat(PARAMETER, record.params)
    return dict(zip(names(given).values(), given.values(), strict=True))


def _leaves(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(f"{name}.{key}", inner)]
    if isinstance(value, list):
        return [leaf for place, inner in enumerate(value, start=1) for leaf in _leaves(f"{name}.{place}", inner)]
    return [(name, value)]


def _json(value: Any) -> Any:
    """A value of a single cell."""
    return json.dumps(plain(value), ensure_ascii=False) if isinstance(value, dict | list | tuple) else value
