"""Who is judged, one player in one match, and what a judge reads: nothing in it says who or what the player was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import numpy as np

from econzoo.baselines.human import readable
from econzoo.baselines.judges import seeds
from econzoo.baselines.parts import persona
from econzoo.baselines.parts.diary import rows_of
from econzoo.baselines.parts.spec import own_texts
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.faces.transcript import paid
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.blinding import Blindfold, telltales
from econzoo.evaluate.analyses.judging.compact import WHOLE, Page, compact
from econzoo.evaluate.analyses.judging.rubric import PERSONA
from econzoo.evaluate.analyses.seat_columns import roles_of
from econzoo.evaluate.analyses.transcript import Retold, retold
from econzoo.evaluate.analyses.without_result import shown_payoffs
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.replay import implausible, misplayed
from econzoo.evaluate.show.escapes import as_text

__all__ = ["Item", "items_of"]


class Item(NamedTuple):
    """One player in one match.

    Attributes:
        record: The match.
        seat: Of the player.
    """

    record: Record
    seat: int

    @property
    def id(self) -> str:
        """``MATCH:SEAT``; judges do not see it."""
        return f"{self.record.id}:{self.seat}"

    @property
    def role(self) -> str:
        """Name of the seat."""
        return roles_of(self.record)[self.seat]

    @property
    def player(self) -> str:
        """The player's spec; judges do not see it."""
        return self.record.players[self.seat]


def without_reasoning(record: Record) -> Record:
    """The match as it looks from outside: what its players' models thought of themselves stands in no answer."""
    turns = [replace(turn, reasoning="", calls=[_bare(call) for call in turn.calls]) for turn in record.turns]
    return replace(record, turns=turns)


def _bare(call: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name != "reasoning"}


def items_of(records: Iterable[Record], seats: str | None = None, reasoning: bool = False) -> list[Item]:
    """All players of all matches, in an order that does not depend on the order of the files.

    Args:
        records: The matches.
        seats: Roles or numbers of seats (from 0) with commas between them; None: all.
        reasoning: Whether judges read what reasoning models thought before they replied, where it is recorded.

    Raises:
        ValueError: No match has such a seat.
    """
    shown = records if reasoning else map(without_reasoning, records)
    matches = sorted(shown, key=lambda record: record.id)
    every = [Item(record, seat) for record in matches for seat in range(len(record.players))]
    if seats is None:
        return every
    named = {role for item in every for role in (item.role.casefold(), str(item.seat))}
    wanted = {word.strip().casefold(): word.strip() for word in seats.split(",")}
    unknown = next((word for folded, word in wanted.items() if folded not in named), None)
    if unknown is not None:
        known = ", ".join(dict.fromkeys(item.role for item in every))
        raise ValueError(f"--seats: {unknown!r} is no seat here; allowed: {known}, or their numbers from 0")
    return [item for item in every if {item.role.casefold(), str(item.seat)} & wanted.keys()]


def sample(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """So many of the items at random, in their order; all if `limit` is None or larger.

    Args:
        items: To choose from.
        limit: How many.
        seed: The same for all judges, so that they judge the same items.
    """
    if limit is None or limit >= len(items):
        return list(items)
    picked = np.random.default_rng([seed, 0]).choice(len(items), limit, replace=False)
    return [items[i] for i in sorted(picked.tolist())]


def shuffled(items: Sequence[Item], judge: str, seed: int) -> list[Item]:
    """The items in an order of the judge's own.

    Args:
        items: To put in order.
        judge: Its spec; every judge has another order.
        seed: The same order comes again with the same seed.
    """
    order = np.random.default_rng(seeds(seed, judge)).permutation(len(items))
    return [items[i] for i in order.tolist()]


BROKEN_OFF = {
    "truncated": "The match was stopped before its end.",
    "forfeited": "The match ended early: {who} gave no usable answer.",
    "abandoned": "The match ended early: {who} left.",
}
"""Status of a record to what a judge is told."""


class Evidence(NamedTuple):
    """What a judge reads.

    Attributes:
        game: The game's name in words.
        role: Which seat the player took, e.g. ``"Alice (seller)"``.
        persona: Whether the player was told whom to be.
        rules: What the player was told before the first move, a persona included.
        transcript: Round by round what the player read, thought and answered.
        result: How the match ended.
        form: `WHOLE`, or how a match that is too long is told.
        whole: Characters of the whole transcript.
        left_out: Characters of what was written in the match that are left out.
    """

    game: str
    role: str
    persona: bool
    rules: str
    transcript: str
    result: str
    form: str = WHOLE
    whole: int = 0
    left_out: int = 0

    def __str__(self) -> str:
        told = f"What {self.role} was told before the match:\n{self.rules}"
        return f"{told}\n\nWhat {self.role} read and answered:\n{self.transcript}\n\nThe end:\n{self.result}"


def told_persona(record: Record, seat: int) -> str | None:
    """Whom a player was told to be; None if nobody told it.

    A game that tells it has a parameter of this name, and it stands in the rules then (here: an empty text). What a
    player brought with its spec (``?persona=David``) is in the record word for word; where an older record lacks it,
    the persona that the spec names today is taken.

    Raises:
        ValueError: The record lacks it, and the spec names a persona that cannot be read here.
    """
    brought = named_by_spec(record, seat) if record.personas is None else record.personas[seat]
    return brought or ("" if record.params.get(PERSONA) else None)


def named_by_spec(record: Record, seat: int) -> str | None:
    """The persona that a player's spec names today, in the words that econzoo has for it; None: it names none."""
    chosen = dict(parse_qsl(record.players[seat].partition("?")[2])).get(PERSONA)
    if chosen is None:
        return None

    return persona.chosen(chosen).of_role(roles_of(record)[seat]).told(own_texts())


def everything(shown: Evidence) -> float:
    """Room without an end."""
    return inf


def evidence(record: Record, seat: int, room: Callable[[Evidence], float] = everything) -> Evidence:
    """What a judge reads about the player of a seat.

    Args:
        record: The match.
        seat: Of the player.
        room: Given the whole, how many characters its transcript may have; a longer one is told in fewer words
            (`econzoo.evaluate.analyses.judging.compact`).

    Raises:
        ValueError: The record is not as the rules say, or a persona cannot be read.
    """
    why = misplayed(record)
    if why is not None:
        raise ValueError(why)
    game, told = find_game(record.game), retold(record)
    roles, hide = roles_of(record), Blindfold(telltales(record))
    role, persona = game.facts.called(roles[seat]), told_persona(record, seat)
    pages = [page(turn, told, at) for at, turn in enumerate(record.turns) if turn.seat == seat]
    transcript = _shown(hide, "\n\n".join(map(str, pages)) or "It never had to answer.")
    words, result = game.name.replace("_", " "), _result(record, told, seat)
    rules = "\n".join(part for part in (told.rules[seat], persona) if part)
    rest = _shown(hide, rules), transcript, _shown(hide, result), WHOLE, len(transcript)
    whole = Evidence(words, role, persona is not None, *rest)
    if len(transcript) <= (length := room(whole)):
        return whole
    rows = partial(rows_of, game, roles, told.events[seat])
    less = compact(pages, rows, told.views[seat], role, partial(_shown, hide), int(length))
    return whole._replace(transcript=less.text, form=less.form, left_out=less.left_out)


def _shown(hide: Blindfold, text: str) -> str:
    return clean(hide(text.replace("\r", "")))


def page(turn: Turn, told: Retold, at: int) -> Page:
    """One answer with what was read and thought before it; what the thoughts were for would tell the player's parts."""
    thoughts = [text for call in turn.calls for text in (call.get("reasoning"), as_text(call["reply"])) if text]
    thoughts += [turn.reasoning] if turn.reasoning else []
    prompt, move = told.prompts[at], told.moves[at]
    # A move that was made as a number or a dictionary is shown in the words of the others: the form would tell.
    made = move is not None and not turn.default and not isinstance(turn.reply, str)
    answer = move if made and move else as_text(turn.reply)
    read = "\n".join(readable(prompt)) if prompt else ""
    return Page(turn.round, read, thoughts, answer, list(_notes(turn, move)))


def _notes(turn: Turn, move: str | None) -> Iterator[str]:
    if turn.error is not None:
        yield f"(This was no usable answer: {turn.error[1]}.)"
    if turn.default:
        yield f"(This was played in its place: {move})"


def _result(record: Record, told: Retold, seat: int) -> str:
    roles = roles_of(record)
    who = "" if record.forfeit is None else roles[record.forfeit]
    early = BROKEN_OFF.get(record.status, "").format(who=who)
    what = "Nobody was paid. Payoffs of the position, had it been the end" if record.cut else "Payoffs"
    payoffs = f"{what}: {paid(roles, shown_payoffs(record))}."
    return "\n".join(part for part in (told.endings[seat], early, payoffs) if part)


class Found(NamedTuple):
    """Players to judge.

    Attributes:
        items: The sample, in an order that no judge sees.
        left_out: Lines that are no records, and records that do not replay, each with the reason.
    """

    items: list[Item]
    left_out: list[str]


def find_items(path: Path, seats: str | None, limit: int | None, seed: int, reasoning: bool = False) -> Found:
    """The players of a file or folder of records.

    Args:
        path: See `econzoo.evaluate.run.folder.record_files`.
        seats: See `items_of`.
        limit: See `sample`.
        seed: See `sample`.
        reasoning: See `items_of`.

    Raises:
        ValueError: No match can be judged, or there is no such seat.
        FileNotFoundError: No such file or folder, or a folder without records.
    """
    records, left_out = read_folder(path, unfit)
    if not records:
        why = f": {left_out[0]}" if left_out else ", nothing is in it"
        raise ValueError(f"no record of a match in {path}{why}")
    chosen = sample(items_of(records, seats, reasoning), limit, seed)
    reasons = {item.id: _unreadable(item) for item in chosen}
    bad = [f"{path}, match {id.replace(':', ', seat ')}: {why}" for id, why in reasons.items() if why]
    return Found([item for item in chosen if not reasons[item.id]], [*map(str, left_out), *bad])


def unfit(record: Record) -> str | None:
    """Why a match cannot be judged at a glance, or None."""
    return "it is paused; allowed: matches that have ended" if record.status == "paused" else implausible(record)


def _unreadable(item: Item) -> str | None:
    """Why there is nothing that a judge could read, or None."""
    try:
        evidence(item.record, item.seat)
    except ValueError as error:
        return str(error)
    return None
