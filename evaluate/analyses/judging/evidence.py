"""What a judge reads about one player of one match; nothing in it says who or what the player was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import NamedTuple
from urllib.parse import parse_qsl

from econzoo.baselines.human import readable
from econzoo.baselines.parts.chronicle import rows_of
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
from econzoo.evaluate.run.replay import misplayed
from econzoo.evaluate.show.escapes import as_text

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
    from econzoo.baselines.parts import persona
    from econzoo.baselines.parts.spec import own_texts

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
