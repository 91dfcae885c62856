"""What a player knew before a decision, in words."""

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
    """What the players knew, by the id of the decision.

    Args:
        records: The matches of the decisions, and others.
        decisions: In any order.
    """
    turns: dict[str, list[Decision]] = {}
    for one in decisions:
        turns.setdefault(one.match, []).append(one)
    asked = ((record, replay_texts(record)) for record in records if record.id in turns)
    return {one.id: player_knowledge(record, told, one.turn) for record, told in asked for one in turns[record.id]}


def player_knowledge(record: Record, told: MatchTexts, turn: int) -> PlayerKnowledge:
    """What the seat of a turn knew before it.

    Args:
        record: The match.
        told: The same match as it was told.
        turn: Its number, from 0.
    """
    seat, hide = record.turns[turn].seat, Blindfold(telltales(record))
    before = [(at, replace(one, calls=[], reasoning="")) for at, one in enumerate(record.turns[:turn])]
    past = [str(answer_page(one, told, at)) for at, one in before if one.seat == seat]
    now = "\n".join([f"[Round {record.turns[turn].round}]", *strip_reply_format(told.prompts[turn] or "")])
    rules = [told.rules[seat], assigned_persona(record, seat) or ""]
    return PlayerKnowledge(hide("\n".join(filter(None, rules))), hide("\n\n".join([*past, now])))
