"""Items to judge (one player in one match), and the blinded evidence that a judge reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import seed_entropy, strip_reply_format
from econzoo.baselines.parts import rows_of
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import check_arguments, clean
from econzoo.envs.core.faces import format_payoffs
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import Blindfold, MatchTexts, replay_texts, roles_of, telltales
from econzoo.evaluate.analyses.judging.compact import WHOLE, AnswerPage, compact
from econzoo.evaluate.analyses.judging.rubric import PERSONA
from econzoo.evaluate.run import plausibility_error, read_folder, replay_error
from econzoo.evaluate.show import reply_text

__all__ = ["Item", "items_of"]


class Item(NamedTuple):
    """One player in one match.

    Attributes:
        record: The match.
        seat: Seat of the player.
    """

    record: Record
    seat: int

    @property
    def id(self) -> str:
        """``MATCH:SEAT``; hidden from judges."""
        return f"{self.record.id}:{self.seat}"

    @property
    def role(self) -> str:
        """Name of the seat."""
        return roles_of(self.record)[self.seat]

    @property
    def player(self) -> str:
        """Spec of the player; hidden from judges."""
        return self.record.players[self.seat]


def remove_reasoning(record: Record) -> Record:
    """Return the match without the reasoning traces of models."""
    turns = [
        replace(turn, reasoning="", calls=[_drop_call_reasoning(call) for call in turn.calls]) for turn in record.turns
    ]
    return replace(record, turns=turns)


def _drop_call_reasoning(call: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name != "reasoning"}


@check_arguments
def items_of(records: Iterable[Record], seats: str | None = None, reasoning: bool = False) -> list[Item]:
    """Return all players of all matches, in an order independent of the order of files.

    Args:
        records: Matches.
        seats: Comma-separated roles or seat indices (from 0). Default: all.
        reasoning: Whether judges read recorded reasoning traces.

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
        raise ValueError(f"invalid --seats {unknown!r}: expected {known}, or seat indices from 0")
    return [item for item in every if {item.role.casefold(), str(item.seat)} & wanted.keys()]


def sample(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """Sample items without replacement, in their order; all if `limit` is None or larger.

    Args:
        seed: Random seed, the same for all judges, so that they judge the same items.
    """
    if limit is None or limit >= len(items):
        return list(items)
    # Two words of entropy, as in `shuffle_items`, whose second word is a hash: both draw independently from one seed.
    picked = np.random.default_rng([seed, 0]).choice(len(items), limit, replace=False)
    return [items[i] for i in sorted(picked.tolist())]


def shuffle_items(items: Sequence[Item], judge: str, seed: int) -> list[Item]:
    """Shuffle items, in a different order for every judge."""
    order = np.random.default_rng(seed_entropy(seed, judge)).permutation(len(items))
    return [items[i] for i in order.tolist()]


EARLY_END_NOTES = {
    "truncated": "The match was stopped before its end.",
    "forfeited": "The match ended early: {who} gave no usable answer.",
    "abandoned": "The match ended early: {who} left.",
}
"""Status of a record to the note that a judge reads."""


class Evidence(NamedTuple):
    """What a judge reads.

    Attributes:
        role: Role of the player, e.g. ``"Alice (seller)"``.
        full_length: Characters of the full transcript.
        omitted_characters: Characters of texts of the match that are omitted.
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
        rules = f"What {self.role} was told before the match:\n{self.rules}"
        return f"{rules}\n\nWhat {self.role} read and answered:\n{self.transcript}\n\nThe end:\n{self.result}"


def assigned_persona(record: Record, seat: int) -> str | None:
    """Return the persona of a player; None without one.

    A game's own personas (its parameter ``persona``) are part of the rules, so the text is empty. A persona of a
    player's spec (``?persona=David``) is in the record verbatim.
    """
    brought = None if record.personas is None else record.personas[seat]
    return brought or ("" if record.params.get(PERSONA) else None)


def unlimited_room(shown: Evidence) -> float:
    return inf


def evidence(record: Record, seat: int, room: Callable[[Evidence], float] = unlimited_room) -> Evidence:
    """Return the evidence about the player of a seat.

    Args:
        room: Returns the maximum characters of a transcript, given the full evidence; longer ones are shortened
            (`econzoo.evaluate.analyses.judging.compact`).

    Raises:
        ValueError: The record violates the rules, or a persona cannot be read.
    """
    why = replay_error(record)
    if why is not None:
        raise ValueError(why)
    game, texts = find_game(record.game), replay_texts(record)
    roles, hide = roles_of(record), Blindfold(telltales(record))
    role, persona = game.facts.role_with_part(roles[seat]), assigned_persona(record, seat)
    pages = [answer_page(turn, texts, at) for at, turn in enumerate(record.turns) if turn.seat == seat]
    transcript = _blind_text(hide, "\n\n".join(map(str, pages)) or "It never had to answer.")
    words, result = game.name.replace("_", " "), _result(record, texts, seat)
    rules = "\n".join(part for part in (texts.rules[seat], persona) if part)
    rest = _blind_text(hide, rules), transcript, _blind_text(hide, result), WHOLE, len(transcript)
    whole = Evidence(words, role, persona is not None, *rest)
    if len(transcript) <= (length := room(whole)):
        return whole
    blind = partial(_blind_text, hide)
    rows = partial(rows_of, game, roles, texts.events[seat], edit=blind)
    less = compact(pages, rows, texts.views[seat], role, blind, int(length))
    return whole._replace(transcript=less.text, form=less.form, omitted_characters=less.omitted_characters)


def _blind_text(hide: Blindfold, text: str) -> str:
    return clean(hide(text.replace("\r", "")))


def answer_page(turn: Turn, texts: MatchTexts, at: int) -> AnswerPage:
    """Return an answer with prompt and reasoning; purposes of calls are left out, as they reveal the player's parts."""
    thoughts = [text for call in turn.calls for text in (call.get("reasoning"), reply_text(call["reply"])) if text]
    thoughts += [turn.reasoning] if turn.reasoning else []
    prompt, move = texts.prompts[at], texts.moves[at]
    # Moves given as numbers or dictionaries are shown as text: their form would reveal the kind of player.
    is_formatted = move is not None and not turn.default and not isinstance(turn.reply, str)
    answer = move if is_formatted and move else reply_text(turn.reply)
    read = "\n".join(strip_reply_format(prompt)) if prompt else ""
    return AnswerPage(turn.round, read, thoughts, answer, list(_notes(turn, move)))


def _notes(turn: Turn, move: str | None) -> Iterator[str]:
    if turn.error is not None:
        yield f"(This was no usable answer: {turn.error[1]}.)"
    if turn.default:
        yield f"(This was played in its place: {move})"


def _result(record: Record, texts: MatchTexts, seat: int) -> str:
    roles = roles_of(record)
    who = "" if record.forfeit is None else roles[record.forfeit]
    early = EARLY_END_NOTES.get(record.status, "").format(who=who)
    what = "Nobody was paid. Payoffs of the position, had it been the end" if record.is_truncated else "Payoffs"
    payoffs = f"{what}: {format_payoffs(roles, record.displayed_payoffs)}."
    return "\n".join(part for part in (texts.endings[seat], early, payoffs) if part)


class ItemSelection(NamedTuple):
    """Players to judge.

    Attributes:
        exclusions: Lines that are not records, and records that do not replay, each with the reason.
    """

    items: list[Item]
    exclusions: list[str]


def find_items(path: Path, seats: str | None, limit: int | None, seed: int, reasoning: bool = False) -> ItemSelection:
    """Find the players of a file or folder of records."""
    records, left_out = read_folder(path, unfit_reason)
    if not records:
        why = f": {left_out[0]}" if left_out else ": it is empty"
        raise ValueError(f"no record of a match in {path}{why}")
    chosen = sample(items_of(records, seats, reasoning), limit, seed)
    # After sampling, since a replay takes far longer than reading a line: fewer than `limit` may be left.
    reasons = {item.id: _unreadable_reason(item) for item in chosen}
    bad = [f"{path}, match {id.replace(':', ', seat ')}: {why}" for id, why in reasons.items() if why]
    return ItemSelection([item for item in chosen if not reasons[item.id]], [*map(str, left_out), *bad])


def unfit_reason(record: Record) -> str | None:
    """Reason why a match cannot be judged, found without replay; or None."""
    return (
        "the match is paused: expected a match that has ended"
        if record.status == "paused"
        else plausibility_error(record)
    )


def _unreadable_reason(item: Item) -> str | None:
    """Reason why the evidence cannot be made, or None."""
    try:
        evidence(item.record, item.seat)
    except ValueError as error:
        return str(error)
    return None
