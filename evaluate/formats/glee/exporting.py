"""Export of records to GLEE's folders: ``config.json`` and ``game.csv``.

A record imported from GLEE is restored with its config, columns and cells. Any other becomes a game between players of
type ``econzoo`` (people: GLEE's type). Records that GLEE's format cannot represent are skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines import is_person
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import clean
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.formats.glee.folders import FAMILIES, MYOPIC_BUYER, NATURE, OWN_TYPE, PEOPLE, ROLES, PublishedGame
from econzoo.evaluate.formats.glee.folders import folder_of, gain_column, write_published_game
from econzoo.evaluate.run import NotImportableError, check_output_folder

if TYPE_CHECKING:
    from econzoo.evaluate.formats.glee.name_decisions import Decisions

GLEE = "glee"
"""Value of ``format`` in the source of imported records."""

LONGEST_KNOWN_HORIZON = 20
"""Longest horizon that GLEE discloses to players; longer ones are unknown to them."""

# Spelled as in the published data (Jhon).
DECISION_WORDS: dict[str, dict[str, str]] = {
    "bargaining": {"accept": "accept", "reject": "reject"},
    "negotiation": {"accept": "AcceptOffer", "reject": "RejectOffer", "opt_out": "SellToJhon"},
    "persuasion": {"recommend": "yes", "discourage": "no", "buy": "yes", "decline": "no", "say": ""},
}
"""Decision in GLEE's table by kind of move; a buyer's opt-out is `BUYERS_OPT_OUT`."""

BUYERS_OPT_OUT = "BuyFromJhon"
QUALITIES = {1.0: "high-quality", 0.0: "low-quality"}


def to_published_game(record: Record) -> PublishedGame:
    if record.game not in FAMILIES:
        raise NotImportableError("not in GLEE", f"invalid game {record.game}: expected {', '.join(FAMILIES)}")
    source = record.source if record.source and record.source.get("format") == GLEE else None
    if source is not None:
        return restore_imported_game(record, source)
    if record.status != "finished":
        raise NotImportableError("not finished", f"the match is {record.status}; GLEE has finished games only")
    plain = PublishedGame(record.id.upper(), config_of(record), columns_of(record), ())
    return plain._replace(rows=tuple(rows_of(record, plain)))


def restore_imported_game(record: Record, source: Mapping[str, Any]) -> PublishedGame:
    """Restore the published game of an imported record, with its config, columns and cells."""
    try:
        plain = PublishedGame(source["id"], source["config"], tuple(source["columns"]), ())
        return replace_cells(plain._replace(rows=tuple(rows_of(record, plain))), source.get("cells", ()))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # Anybody may have written or changed the source of a record.
        raise NotImportableError("source", f"invalid source of an imported record ({error!r})") from None


def replace_cells(game: PublishedGame, cells: Iterable[Iterable[Any]]) -> PublishedGame:
    """Replace cells of a game, given as (row from 0, column, text)."""
    rows = [dict(row) for row in game.rows]
    for at, column, text in cells:
        rows[at][column] = text
    return game._replace(rows=tuple(rows))


# The table


def rows_of(record: Record, game: PublishedGame) -> Iterator[dict[str, str]]:
    """Rows of ``game.csv``, in order of play, with the columns of `game`."""
    nature = list(record.chance)
    for turn in record.turns:
        if turn.action is None:
            continue
        if record.game == "persuasion" and turn.seat == 0:
            yield _row(game, turn.round, NATURE, _quality_cells(record, nature.pop(0)))
        yield _row(game, turn.round, _player_name(record, game, turn.seat), _cells(record, game, turn))


def _row(game: PublishedGame, round_number: int, player: str, cells: Mapping[str, str]) -> dict[str, str]:
    filled = {"player": player, "round": str(round_number), **cells}
    return {column: filled.get(column, "") for column in game.columns}


def _quality_cells(record: Record, quality: float) -> dict[str, str]:
    worth = record.params["high_value"] if quality else record.params["low_value"]
    return {"round_quality": QUALITIES[quality], "product_worth": _amount(worth * record.params["price"])}


def _player_name(record: Record, game: PublishedGame, seat: int) -> str:
    return MYOPIC_BUYER if seat and record.params.get("buyer") == "myopic" else game.names[seat]


def _cells(record: Record, game: PublishedGame, turn: Turn) -> dict[str, str]:
    assert turn.action is not None
    kind = turn.action["kind"]
    cells = {"message": _message(record, turn)}
    if kind != "offer":
        word = DECISION_WORDS[record.game][kind]
        return {**cells, "decision": BUYERS_OPT_OUT if kind == "opt_out" and turn.seat else word}
    if record.game == "negotiation":
        return {**cells, "product_price": _amount(turn.action["price"])}
    gains = [turn.action["gain"], _other_gain(record, turn)]
    for seat, name in enumerate(game.names):
        cells[gain_column(name)] = _amount(gains[seat != turn.seat])
    return cells


def _other_gain(record: Record, turn: Turn) -> float:
    """The other seat's part of an offer: as replied, if given, since a computed difference may round differently."""
    stated = turn.reply.get("other_gain") if isinstance(turn.reply, dict) else None
    return stated if isinstance(stated, float) else record.params["money"] - turn.action["gain"]  # type: ignore[index]


def _message(record: Record, turn: Turn) -> str:
    """Message of a move; that of an imported game with its original unprintable characters."""
    cleaned = (turn.action or {}).get("message", "")
    original = turn.reply.get("message") if record.source and isinstance(turn.reply, dict) else None
    return original if isinstance(original, str) and clean(original) == cleaned else cleaned


def _amount(value: float) -> str:
    # The shortest text that reads back as the same number.
    return repr(float(value))


def columns_of(record: Record) -> tuple[str, ...]:
    """Columns of a game, in GLEE's order."""
    has_messages = any(find_game(record.game).message_mode(record.params, seat) for seat in (0, 1))
    message = ("message",) if has_messages else ()
    if record.game == "negotiation":
        return (*message, "product_price", "player", "round", "decision")
    if record.game == "persuasion":
        return ("round_quality", "product_worth", "player", "round", *message, "decision")
    return (*map(gain_column, ROLES), *message, "player", "round", "decision")


# The config


def config_of(record: Record) -> dict[str, Any]:
    types = [PEOPLE[0] if is_person(spec) else OWN_TYPE for spec in record.players]
    names = [PEOPLE[0] if is_person(spec) else spec for spec in record.players]
    players = [{"public_name": role, "model_name": name} for role, name in zip(ROLES, names, strict=True)]
    if record.game == "bargaining":
        for args, delta in zip(players, record.params["delta"], strict=True):
            args["delta"] = delta
    return {
        "player_1_type": types[0],
        "player_2_type": types[1],
        "player_1_args": players[0],
        "player_2_args": players[1],
        "game_type": record.game,
        "experiment_name": OWN_TYPE,
        "game_args": _PER_FAMILY[record.game](record.params),
        "game": None,
    }


def _horizon(params: Mapping[str, Any]) -> int:
    horizon, known = params["horizon"], params["horizon"] is not None
    if known != ((horizon or params["max_rounds"]) <= LONGEST_KNOWN_HORIZON):
        raise NotImportableError(
            "not in GLEE",
            f"invalid horizon={horizon}: GLEE discloses horizons up to {LONGEST_KNOWN_HORIZON} and hides longer ones",
        )
    return horizon if known else params["max_rounds"]


def _bargaining(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "money_to_divide": params["money"],
        "max_rounds": _horizon(params),
        "complete_information": params["complete_information"],
        "messages_allowed": bool(params["messages"]),
    }


def _negotiation(params: Mapping[str, Any]) -> dict[str, Any]:
    if not params["outside_option"]:
        raise NotImportableError("not in GLEE", "outside_option=False: GLEE's responders can always opt out")
    return {
        "seller_value": params["seller_value"],
        "buyer_value": params["buyer_value"],
        "product_price_order": params["money"],
        "max_rounds": _horizon(params),
        "complete_information": params["complete_information"],
        "messages_allowed": bool(params["messages"]),
    }


def _persuasion(params: Mapping[str, Any]) -> dict[str, Any]:
    if not params["messages"]:
        raise NotImportableError("not in GLEE", "messages=False: GLEE's persuasion always has messages")
    if params["rounds"] is None:
        raise NotImportableError("not in GLEE", "rounds=None: GLEE's persuasion always discloses the number of rounds")
    return {
        "p": params["prior"],
        "v": params["high_value"],
        "c": params["low_value"],
        "product_price": params["price"],
        "total_rounds": params["rounds"],
        "is_seller_know_cv": params["seller_knows_value"],
        "is_buyer_know_p": params["buyer_knows_prior"],
        "seller_message_type": params["message_type"],
        "allow_buyer_message": params["buyer_messages"],
        "is_myopic": params["buyer"] == "myopic",
    }


_PER_FAMILY = {"bargaining": _bargaining, "negotiation": _negotiation, "persuasion": _persuasion}


# Files


@dataclass
class ExportReport:
    """Report of an export; skipped matches with the kind of reason and the reason."""

    written: int = 0
    skipped: list[tuple[str, str, str]] = field(default_factory=list)
    unreadable: int = 0
    undecided: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        reasons = Counter(kind for _, kind, _ in self.skipped) + Counter({"unreadable": self.unreadable})
        counts = "".join(f"; {kind}: {count}" for kind, count in reasons.items())
        listed = [f"{match}: {why}" for match, _, why in self.skipped]
        return [*listed, f"{self.written} written, {reasons.total()} left out{counts}", *self.undecided]


def export_records(
    records: Iterable[Record], out: str | Path, deep: bool = False, decisions: Decisions | None = None
) -> ExportReport:
    """Write records as GLEE folders below `out`; see `folder_of` for the layout.

    Args:
        decisions: Decisions about possible names; None: messages are unchanged.
    """
    check_output_folder(out, "out")
    done = ExportReport()
    for record in records:
        try:
            game = to_published_game(record)
            game = decisions.remove_names(game).game if decisions else game
            folder = folder_of(game, out, deep)
        except NotImportableError as error:
            done.skipped.append((record.id, error.kind, str(error)))
            continue
        write_published_game(game, folder)
        done.written += 1
    if decisions:
        decisions.write()
        done.undecided = decisions.lines()
    return done
