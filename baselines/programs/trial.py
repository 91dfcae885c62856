"""Whether a program would do in a match: it is read, and then played against real programs, as it would be in earnest.

A program cannot tell the trial from the match: it meets sources that others have submitted or could submit, in the
game's own market, and its histories grow from its own moves.
"""

from __future__ import annotations

from zlib import crc32

from econzoo.baselines.parts.diary import Diary
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.finish import early_end
from econzoo.envs.core.faces.parse import parse_reply
from econzoo.envs.families.open_source import library
from econzoo.envs.families.open_source.interfaces import BASES
from econzoo.envs.families.open_source.playing import contest

LONGEST = 20
"""Turns of a trial."""

SPARRING = {"matrix": ("tit_for_tat", "cooperate", "defect"), "coin_game": ("greedy", "cooperative")}
"""Base game to the programs that every program is tried against."""


def problem_in(reply: str, diary: Diary) -> str:
    """What is wrong with the program in a reply: the kind of failure, a colon, and a line for its author; or nothing.

    Args:
        reply: As a model wrote it.
        diary: Of the seat, which knows the programs of earlier meta-rounds.
    """
    seen, game = diary.known(), diary.game
    action = early_end(reply, diary.teller.prompts) or parse_reply(reply, game.actions, seen.legal)
    if isinstance(action, Invalid):
        return f"{action.code.replace('_', ' ')}: {action.text}"
    assert game.perspective is not None
    market = game.perspective.market(seen.view)
    market, seat = market._replace(turns=min(market.turns, LONGEST)), diary.seat
    for other in opponents(diary):
        sources = (action.program, other) if seat == 0 else (other, action.program)
        result = contest(game, market, sources, crc32(action.program.encode()))[seat]
        if result.failed:
            return f"{result.failure}: {result.problem}"
    return ""


def opponents(diary: Diary) -> list[str]:
    """The last program of the other, if one is known, then those of the library."""
    base = BASES[diary.game.name]
    last = [event.action.program for event in diary.known().events if event.seat != diary.seat][-1:]
    return [*last, *[library.program(base, name) for name in SPARRING[base]]]
