"""Program writing in two stages: a plan in words, then the program, which is tested before submission.

The stages and the three objectives are those of Sistla and Kleiman-Weiner (2025, arXiv:2512.00371), in our own wording.
The model gets the error of a failed program and writes a new one.

A program is parsed, and then played against real programs under the conditions of the match. It cannot distinguish test
and match: its opponents are programs that others have or could have submitted, in the same setting, and its histories
follow from its own moves.
"""

from __future__ import annotations

from urllib.parse import parse_qsl
from zlib import crc32

from econzoo.baselines import expand_preset
from econzoo.baselines.models import Completion
from econzoo.baselines.parts import Diary
from econzoo.baselines.parts.reasoning.request import Question, Reasoning, Request, RequestGenerator
from econzoo.baselines.parts.reasoning.request import continue_conversation
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.faces import check_finish, parse_reply
from econzoo.envs.families.open_source import BASE_GAMES, library, play_meta_round

OBJECTIVES = ("payoff", "cooperative", "deceptive")
"""Names of texts in the table ``author`` of ``prompts.toml``; the first is the default."""


def objective(text: str) -> str:
    """Parse one of `OBJECTIVES`."""
    if text not in OBJECTIVES:
        raise ValueError(f"invalid value {text!r}: expected {', '.join(OBJECTIVES)}")
    return text


def objective_of(spec: str) -> str:
    """Return the objective of an author's spec, one of `OBJECTIVES`; empty for other players."""
    given = dict(parse_qsl(expand_preset(spec).partition("?")[2], keep_blank_values=True))
    author = given.get("reasoning", "").startswith("author")
    return given.get("objective", OBJECTIVES[0]) if author else ""


MAX_ATTEMPTS = 10

Attempt = tuple[Request, Completion]
"""Request for a program, and its completion."""


class Author(Reasoning):
    """Plans, writes and repairs a program in 2 to 1 + n calls; only in open-source games.

    The plan is based on the rules, the scores and the history of earlier meta-rounds with all programs and their moves.
    A program is tested in the sandbox (`problem_in`). The last attempt is submitted in any case.

    Calls have the purposes ``plan`` and ``attempt``. A failed attempt has its ``problem`` in the record; the submitted
    one is the turn's reply.

    Args:
        attempts: Maximum number n of programs per turn, from 1 to `MAX_ATTEMPTS`.
        aim: One of `OBJECTIVES`.
    """

    needs_seen = True

    def __init__(self, attempts: int = 5, aim: str = "payoff") -> None:
        self.attempts, self.objective = attempts, objective(aim)

    def refusal(self, diary: Diary) -> str:
        """Refuse games without programs."""
        if diary.game.name in BASE_GAMES:
            return ""
        return f"reasoning=author is not available in {diary.game.name}, only in {', '.join(BASE_GAMES)}"

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Request a plan, then programs until one passes."""
        request, reply = yield from self._both_stages(question)
        for _ in range(self.attempts - 1):
            problem = problem_in(reply.reply, question.diary)
            if not problem:
                break
            request, reply = yield from self._next_attempt(problem, question, request, reply)
        return reply

    def _both_stages(self, question: Question, problem: str = "") -> RequestGenerator[Attempt]:
        """Request a plan, and the program that implements it."""
        texts, diary = question.diary.texts, question.diary
        others = ", ".join(role for seat, role in enumerate(diary.roles) if seat != diary.seat)
        request = question.ask("author.plan", "plan", objective=texts[f"author.{self.objective}"], others=others)
        plan = yield request._replace(problem=problem)
        request = Request(continue_conversation(request, plan, texts["author.program"]), None, "attempt")
        return request, (yield request)

    def _next_attempt(
        self, problem: str, question: Question, request: Request, reply: Completion
    ) -> RequestGenerator[Attempt]:
        """Request a repaired program after an error."""
        text = question.diary.texts["author.again"].format(problem=problem[:1].upper() + problem[1:])
        request = Request(continue_conversation(request, reply, text), None, "attempt", problem=problem)
        return request, (yield request)


class AuthorFromScratch(Author):
    """Plans and writes; repeats both after an invalid program, without feedback: 2 to 2 n calls.

    As in the public code of Sistla and Kleiman-Weiner (2025).
    """

    def _next_attempt(
        self, problem: str, question: Question, request: Request, reply: Completion
    ) -> RequestGenerator[Attempt]:
        return self._both_stages(question, problem)


MAX_TRIAL_TURNS = 20
"""Maximum turns of a test match."""

SPARRING_PROGRAMS = {"matrix": ("tit_for_tat", "cooperate", "defect"), "coin_game": ("greedy", "cooperative")}
"""Test opponents by base game."""


def problem_in(reply: str, diary: Diary) -> str:
    """Return the failure of the program in a reply as ``KIND: MESSAGE``; empty if it passes."""
    seen, game = diary.require_seen(), diary.game
    action = check_finish(reply, diary.teller.prompts) or parse_reply(reply, game.actions, seen.legal)
    if isinstance(action, Invalid):
        return f"{action.code.replace('_', ' ')}: {action.text}"
    assert game.perspective is not None
    params = game.perspective.params_from_view(seen.view)
    params, seat = params._replace(turns=min(params.turns, MAX_TRIAL_TURNS)), diary.seat
    for other in opponents(diary):
        sources = (action.program, other) if seat == 0 else (other, action.program)
        # The seed follows from the program, so that a recorded turn passes the same test when it is recalled.
        result = play_meta_round(game, params, sources, crc32(action.program.encode()))[seat]
        if result.failed:
            return f"{result.failure}: {result.problem}"
    return ""


def opponents(diary: Diary) -> list[str]:
    """Return the opponent's last program, if any, then those of the library."""
    base = BASE_GAMES[diary.game.name]
    last = [event.action.program for event in diary.require_seen().events if event.seat != diary.seat][-1:]
    return [*last, *[library.program(base, name) for name in SPARRING_PROGRAMS[base]]]
