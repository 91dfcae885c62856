"""What a judge reads about one player of one match; nothing in it says who or what the player was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl

from econzoo.baselines.human import readable
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.faces.transcript import paid
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.blinding import Blindfold, telltales
from econzoo.evaluate.escapes import as_text, cut
from econzoo.evaluate.judging.rubric import PERSONA
from econzoo.evaluate.places import roles_of
from econzoo.evaluate.replay import misplayed
from econzoo.evaluate.retelling import Retold, retold

LENGTH = 12_000
"""Default limit of a transcript in characters: some 3,000 tokens."""

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
    """

    game: str
    role: str
    persona: bool
    rules: str
    transcript: str
    result: str

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


def evidence(record: Record, seat: int, length: int = LENGTH) -> Evidence:
    """What a judge reads about the player of a seat.

    Args:
        record: The match.
        seat: Of the player.
        length: Characters of the transcript at most; a longer one is cut in the middle.

    Raises:
        ValueError: The record is not as the rules say, or a persona cannot be read.
    """
    why = misplayed(record)
    if why is not None:
        raise ValueError(why)
    game, told = find_game(record.game), retold(record)
    roles, hide = roles_of(record), Blindfold(telltales(record))
    role = game.facts.called(roles[seat])
    pages = [_page(turn, told, at) for at, turn in enumerate(record.turns) if turn.seat == seat]
    transcript = cut(_shown(hide, "\n\n".join(pages) or "It never had to answer."), length)
    words, result = game.name.replace("_", " "), _result(record, told, seat)
    persona = told_persona(record, seat)
    rules = "\n".join(part for part in (told.rules[seat], persona) if part)
    return Evidence(words, role, persona is not None, _shown(hide, rules), transcript, _shown(hide, result))


def _shown(hide: Blindfold, text: str) -> str:
    return clean(hide(text.replace("\r", "")))


def _page(turn: Turn, told: Retold, at: int) -> str:
    """One answer with what was read and thought before it; what the thoughts were for would tell the player's parts."""
    thoughts = [_said("Thought", as_text(call["reply"])) for call in turn.calls]
    return "\n".join([f"[Round {turn.round}]", *_lines(turn, told.prompts[at], thoughts, told.moves[at])])


def _lines(turn: Turn, prompt: str | None, thoughts: Sequence[str], move: str | None) -> Iterator[str]:
    if prompt:
        yield _said("Read", "\n".join(readable(prompt)))
    yield from thoughts
    # A move that was made as a number or a dictionary is shown in the words of the others: the form would tell.
    made = move is not None and not turn.default and not isinstance(turn.reply, str)
    yield _said("Answered", move if made and move else as_text(turn.reply))
    if turn.error is not None:
        yield f"(This was no usable answer: {turn.error[1]}.)"
    if turn.default:
        yield f"(This was played in its place: {move})"


def _said(what: str, text: str) -> str:
    """The words, indented from the second line on: nothing that a player writes can look like a line of ours."""
    return f"{what}: " + text.replace("\n", "\n  ")


def _result(record: Record, told: Retold, seat: int) -> str:
    roles = roles_of(record)
    who = "" if record.forfeit is None else roles[record.forfeit]
    early = BROKEN_OFF.get(record.status, "").format(who=who)
    payoffs = paid(roles, record.payoffs)
    return "\n".join(part for part in (told.endings[seat], early, f"Payoffs: {payoffs}.") if part)
