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

from econzoo.baselines.human import strip_reply_format
from econzoo.baselines.judges import seed_entropy
from econzoo.baselines.parts import persona
from econzoo.baselines.parts.diary import rows_of
from econzoo.baselines.parts.spec import own_texts
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.faces.transcript import format_payoffs
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.blinding import Blindfold, telltales
from econzoo.evaluate.analyses.judging.compact import WHOLE, AnswerPage, compact
from econzoo.evaluate.analyses.judging.rubric import PERSONA
from econzoo.evaluate.analyses.missing_results import displayed_payoffs
from econzoo.evaluate.analyses.seat_columns import roles_of
from econzoo.evaluate.analyses.transcript import MatchTexts, replay_texts
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.replay import plausibility_error, replay_error
from econzoo.evaluate.show.escapes import reply_text

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


def remove_reasoning(record: Record) -> Record:
    """The match as it looks from outside: what its players' models thought of themselves stands in no answer."""
    turns = [
        replace(turn, reasoning="", calls=[_drop_call_reasoning(call) for call in turn.calls]) for turn in record.turns
    ]
    return replace(record, turns=turns)


def _drop_call_reasoning(call: dict[str, Any]) -> dict[str, Any]:
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
    shown = records if reasoning else map(remove_reasoning, records)
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


def shuffle_items(items: Sequence[Item], judge: str, seed: int) -> list[Item]:
    """The items in an order of the judge's own.

    Args:
        items: To put in order.
        judge: Its spec; every judge has another order.
        seed: The same order comes again with the same seed.
    """
    order = np.random.default_rng(seed_entropy(seed, judge)).permutation(len(items))
    return [items[i] for i in order.tolist()]


EARLY_END_NOTES = {
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
        has_persona: Whether the player was told whom to be.
        rules: What the player was told before the first move, a persona included.
        transcript: Round by round what the player read, thought and answered.
        result: How the match ended.
        form: `WHOLE`, or how a match that is too long is told.
        full_length: Characters of the whole transcript.
        omitted_characters: Characters of what was written in the match that are left out.
    """

    game: str
    role: str
    has_persona: bool
    rules: str
    transcript: str
    result: str
    form: str = WHOLE
    full_length: int = 0
    omitted_characters: int = 0

    def __str__(self) -> str:
        told = f"What {self.role} was told before the match:\n{self.rules}"
        return f"{told}\n\nWhat {self.role} read and answered:\n{self.transcript}\n\nThe end:\n{self.result}"


def assigned_persona(record: Record, seat: int) -> str | None:
    """Whom a player was told to be; None if nobody told it.

    A game that tells it has a parameter of this name, and it stands in the rules then (here: an empty text). What a
    player brought with its spec (``?persona=David``) is in the record word for word; where an older record lacks it,
    the persona that the spec names today is taken.

    Raises:
        ValueError: The record lacks it, and the spec names a persona that cannot be read here.
    """
    brought = spec_persona(record, seat) if record.personas is None else record.personas[seat]
    return brought or ("" if record.params.get(PERSONA) else None)


def spec_persona(record: Record, seat: int) -> str | None:
    """The persona that a player's spec names today, in the words that econzoo has for it; None: it names none."""
    chosen = dict(parse_qsl(record.players[seat].partition("?")[2])).get(PERSONA)
    if chosen is None:
        return None

    return persona.parse_choice(chosen).resolve(roles_of(record)[seat]).describe(own_texts())


def unlimited_room(shown: Evidence) -> float:
    """Room without an end."""
    return inf


def evidence(record: Record, seat: int, room: Callable[[Evidence], float] = unlimited_room) -> Evidence:
    """What a judge reads about the player of a seat.

    Args:
        record: The match.
        seat: Of the player.
        room: Given the whole, how many characters its transcript may have; a longer one is told in fewer words
            (`econzoo.evaluate.analyses.judging.compact`).

    Raises:
        ValueError: The record is not as the rules say, or a persona cannot be read.
    """
    why = replay_error(record)
    if why is not None:
        raise ValueError(why)
    game, told = find_game(record.game), replay_texts(record)
    roles, hide = roles_of(record), Blindfold(telltales(record))
    role, persona = game.facts.role_with_part(roles[seat]), assigned_persona(record, seat)
    pages = [answer_page(turn, told, at) for at, turn in enumerate(record.turns) if turn.seat == seat]
    transcript = _blind_text(hide, "\n\n".join(map(str, pages)) or "It never had to answer.")
    words, result = game.name.replace("_", " "), _result(record, told, seat)
    rules = "\n".join(part for part in (told.rules[seat], persona) if part)
    rest = _blind_text(hide, rules), transcript, _blind_text(hide, result), WHOLE, len(transcript)
    whole = Evidence(words, role, persona is not None, *rest)
    if len(transcript) <= (length := room(whole)):
        return whole
    rows = partial(rows_of, game, roles, told.events[seat])
    less = compact(pages, rows, told.views[seat], role, partial(_blind_text, hide), int(length))
    return whole._replace(transcript=less.text, form=less.form, omitted_characters=less.omitted_characters)


def _blind_text(hide: Blindfold, text: str) -> str:
    return clean(hide(text.replace("\r", "")))


def answer_page(turn: Turn, told: MatchTexts, at: int) -> AnswerPage:
    """One answer with what was read and thought before it; what the thoughts were for would tell the player's parts."""
    thoughts = [text for call in turn.calls for text in (call.get("reasoning"), reply_text(call["reply"])) if text]
    thoughts += [turn.reasoning] if turn.reasoning else []
    prompt, move = told.prompts[at], told.moves[at]
    # A move that was made as a number or a dictionary is shown in the words of the others: the form would tell.
    made = move is not None and not turn.default and not isinstance(turn.reply, str)
    answer = move if made and move else reply_text(turn.reply)
    read = "\n".join(strip_reply_format(prompt)) if prompt else ""
    return AnswerPage(turn.round, read, thoughts, answer, list(_notes(turn, move)))


def _notes(turn: Turn, move: str | None) -> Iterator[str]:
    if turn.error is not None:
        yield f"(This was no usable answer: {turn.error[1]}.)"
    if turn.default:
        yield f"(This was played in its place: {move})"


def _result(record: Record, told: MatchTexts, seat: int) -> str:
    roles = roles_of(record)
    who = "" if record.forfeit is None else roles[record.forfeit]
    early = EARLY_END_NOTES.get(record.status, "").format(who=who)
    what = "Nobody was paid. Payoffs of the position, had it been the end" if record.is_truncated else "Payoffs"
    payoffs = f"{what}: {format_payoffs(roles, displayed_payoffs(record))}."
    return "\n".join(part for part in (told.endings[seat], early, payoffs) if part)


class ItemSelection(NamedTuple):
    """Players to judge.

    Attributes:
        items: The sample, in an order that no judge sees.
        exclusions: Lines that are no records, and records that do not replay, each with the reason.
    """

    items: list[Item]
    exclusions: list[str]


def find_items(path: Path, seats: str | None, limit: int | None, seed: int, reasoning: bool = False) -> ItemSelection:
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
    records, left_out = read_folder(path, unfit_reason)
    if not records:
        why = f": {left_out[0]}" if left_out else ", nothing is in it"
        raise ValueError(f"no record of a match in {path}{why}")
    chosen = sample(items_of(records, seats, reasoning), limit, seed)
    reasons = {item.id: _unreadable_reason(item) for item in chosen}
    bad = [f"{path}, match {id.replace(':', ', seat ')}: {why}" for id, why in reasons.items() if why]
    return ItemSelection([item for item in chosen if not reasons[item.id]], [*map(str, left_out), *bad])


def unfit_reason(record: Record) -> str | None:
    """Why a match cannot be judged at a glance, or None."""
    return "it is paused; allowed: matches that have ended" if record.status == "paused" else plausibility_error(record)


def _unreadable_reason(item: Item) -> str | None:
    """Why there is nothing that a judge could read, or None."""
    try:
        evidence(item.record, item.seat)
    except ValueError as error:
        return str(error)
    return None
