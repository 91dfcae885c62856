"""Texts available to a player before a decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from econzoo.baselines.human import strip_reply_format
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.blinding import Blindfold, telltales
from econzoo.evaluate.analyses.judging.evidence import answer_page, assigned_persona
from econzoo.evaluate.analyses.prediction.decisions import Decision, PlayerKnowledge
from econzoo.evaluate.analyses.transcript import MatchTexts, replay_texts


def texts_of(records: Iterable[Record], decisions: Sequence[Decision]) -> dict[str, PlayerKnowledge]:
    """Return the players' knowledge by decision id.

    Args:
        records: Records that include the matches of the decisions.
        decisions: Decisions in any order.
    """
    turns: dict[str, list[Decision]] = {}
    for one in decisions:
        turns.setdefault(one.match, []).append(one)
    replays = ((record, replay_texts(record)) for record in records if record.id in turns)
    return {one.id: player_knowledge(record, texts, one.turn) for record, texts in replays for one in turns[record.id]}


def player_knowledge(record: Record, texts: MatchTexts, turn: int) -> PlayerKnowledge:
    """Return the knowledge of a seat before one of its turns.

    Args:
        record: Record of the match.
        texts: Texts of the match.
        turn: Index of the turn, from 0.
    """
    seat, hide = record.turns[turn].seat, Blindfold(telltales(record))
    before = [(at, replace(one, calls=[], reasoning="")) for at, one in enumerate(record.turns[:turn])]
    past = [str(answer_page(one, texts, at)) for at, one in before if one.seat == seat]
    now = "\n".join([f"[Round {record.turns[turn].round}]", *strip_reply_format(texts.prompts[turn] or "")])
    rules = [texts.rules[seat], assigned_persona(record, seat) or ""]
    return PlayerKnowledge(hide("\n".join(filter(None, rules))), hide("\n\n".join([*past, now])))
