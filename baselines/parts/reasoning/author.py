"""Writing a program in two stages: a plan in words, then the program, which is tried before it is handed in.

The stages are those of Sistla and Kleiman-Weiner (2025, arXiv:2512.00371), and so are the three objectives, in words of
our own. What was wrong with a program is told to the model, which then writes a new one.

A program is read, and then played against real programs, as it would be in earnest. It cannot tell the trial from the
match: it meets sources that others have submitted or could submit, in the game's own market, and its histories grow
from its own moves.
"""

from __future__ import annotations

from urllib.parse import parse_qsl
from zlib import crc32

from econzoo.baselines.models.chat import Completion
from econzoo.baselines.parts.diary import Diary
from econzoo.baselines.parts.reasoning.request import (
    Question,
    Reasoning,
    Request,
    RequestGenerator,
    continue_conversation,
)
from econzoo.baselines.presets import expand_preset
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.finish import check_finish
from econzoo.envs.core.faces.parse import parse_reply
from econzoo.envs.families.open_source import library
from econzoo.envs.families.open_source.interfaces import BASE_GAMES
from econzoo.envs.families.open_source.match_referee import play_meta_round

OBJECTIVES = ("payoff", "cooperative", "deceptive")
"""Each is a text of the table ``author`` of ``prompts.toml``; the first one is the default."""


def objective(text: str) -> str:
    """One of `OBJECTIVES`.

    Raises:
        ValueError: It is none of them.
    """
    if text not in OBJECTIVES:
        raise ValueError(f"{text!r}; allowed: {', '.join(OBJECTIVES)}")
    return text


def objective_of(spec: str) -> str:
    """What the author of a spec is after, one of `OBJECTIVES`; empty: it is no author."""
    given = dict(parse_qsl(expand_preset(spec).partition("?")[2], keep_blank_values=True))
    author = given.get("reasoning", "").startswith("author")
    return given.get("objective", OBJECTIVES[0]) if author else ""


MAX_ATTEMPTS = 10

Attempt = tuple[Request, Completion]
"""What was asked for a program, and what was replied."""


class Author(Reasoning):
    """Plans, writes, and mends: 2 to 1 + n calls; only for games in which programs are submitted.

    The plan is made from the rules, the scores and the story of the earlier meta-rounds, with all programs and what
    they did. A program is tried in the sandbox before it counts (`problem_in`). The last attempt
    is handed in as it is.

    Calls have the purposes ``plan`` and ``attempt``. An attempt that failed carries its ``problem`` in the record; the
    attempt that was handed in is the turn's reply.

    Args:
        attempts: n, from 1 to `MAX_ATTEMPTS`: programs that it may write in a turn.
        aim: One of `OBJECTIVES`.
    """

    needs_seen = True

    def __init__(self, attempts: int = 5, aim: str = "payoff") -> None:
        self.attempts, self.objective = attempts, objective(aim)

    def refusal(self, diary: Diary) -> str:
        """Games without programs are refused."""
        if diary.game.name in BASE_GAMES:
            return ""
        return f"reasoning=author writes programs; allowed in: {', '.join(BASE_GAMES)}, not in {diary.game.name}"

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """The plan, then programs until one passes."""
        request, reply = yield from self._both_stages(question)
        for _ in range(self.attempts - 1):
            problem = problem_in(reply.reply, question.diary)
            if not problem:
                break
            request, reply = yield from self._next_attempt(problem, question, request, reply)
        return reply

    def _both_stages(self, question: Question, problem: str = "") -> RequestGenerator[Attempt]:
        """A plan, and the program that carries it out."""
        texts, diary = question.diary.texts, question.diary
        others = ", ".join(role for seat, role in enumerate(diary.roles) if seat != diary.seat)
        request = question.ask("author.plan", "plan", objective=texts[f"author.{self.objective}"], others=others)
        plan = yield request._replace(problem=problem)
        request = Request(continue_conversation(request, plan, texts["author.program"]), None, "attempt")
        return request, (yield request)

    def _next_attempt(
        self, problem: str, question: Question, request: Request, reply: Completion
    ) -> RequestGenerator[Attempt]:
        """The next attempt: the program is mended by what was wrong with it."""
        asked = question.diary.texts["author.again"].format(problem=problem[:1].upper() + problem[1:])
        request = Request(continue_conversation(request, reply, asked), None, "attempt", problem=problem)
        return request, (yield request)


class AuthorFromScratch(Author):
    """Plans and writes; after a program that cannot be used both again, without a word about it: 2 to 2 n calls.

    So the public code of Sistla and Kleiman-Weiner (2025) does it.
    """

    def _next_attempt(
        self, problem: str, question: Question, request: Request, reply: Completion
    ) -> RequestGenerator[Attempt]:
        return self._both_stages(question, problem)


MAX_TRIAL_TURNS = 20
"""Turns of a trial."""

SPARRING_PROGRAMS = {"matrix": ("tit_for_tat", "cooperate", "defect"), "coin_game": ("greedy", "cooperative")}
"""Base game to the programs that every program is tried against."""


def problem_in(reply: str, diary: Diary) -> str:
    """What is wrong with the program in a reply: the kind of failure, a colon, and a line for its author; or nothing.

    Args:
        reply: As a model wrote it.
        diary: Of the seat, which knows the programs of earlier meta-rounds.
    """
    seen, game = diary.require_seen(), diary.game
    action = check_finish(reply, diary.teller.prompts) or parse_reply(reply, game.actions, seen.legal)
    if isinstance(action, Invalid):
        return f"{action.code.replace('_', ' ')}: {action.text}"
    assert game.perspective is not None
    market = game.perspective.params_from_view(seen.view)
    market, seat = market._replace(turns=min(market.turns, MAX_TRIAL_TURNS)), diary.seat
    for other in opponents(diary):
        sources = (action.program, other) if seat == 0 else (other, action.program)
        result = play_meta_round(game, market, sources, crc32(action.program.encode()))[seat]
        if result.failed:
            return f"{result.failure}: {result.problem}"
    return ""


def opponents(diary: Diary) -> list[str]:
    """The last program of the other, if one is known, then those of the library."""
    base = BASE_GAMES[diary.game.name]
    last = [event.action.program for event in diary.require_seen().events if event.seat != diary.seat][-1:]
    return [*last, *[library.program(base, name) for name in SPARRING_PROGRAMS[base]]]
