"""Texts for authors of programs, shared by all open-source games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract import Event, Game
from econzoo.envs.core.faces import break_markup, fence_code, format_number
from econzoo.envs.families.open_source.failures import Failure


class Texts:
    """The functions of a game's module ``text`` as methods; a game subclasses it there as `OwnTexts`.

    Fields of all texts: name, other, rounds, turns, seconds, policy, and those of `setting_fields`. Those of turn and
    ending: round, own_score, other_score. Those of an event: event_round, program, moves, against, points, failed, and
    those of `result_fields`.

    Attributes:
        forfeit_text: Consequence of a turn without a move.
        tools: Names of the texts about the functions that a program can use.
    """

    forfeit_text = "the turn is forfeited"
    tools: tuple[str, ...] = ("tools",)

    def __init__(self, game: Game) -> None:
        self.game = game

    def base_texts(self, view: Any) -> list[str]:
        """Names of the texts on the base game."""
        return ["base"]

    def setting_fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        """Fields on the base game."""
        return {}

    def result_fields(self, result: Any) -> dict[str, str]:
        """Fields on a meta-round of the base game."""
        return {}

    def brief(self, view: Any, messages: bool) -> list[str]:
        """Names of the texts of the rules brief, in order."""
        length = "meta_round" if view.rounds == 1 else "meta_rounds"
        return ["player", *self.base_texts(view), length, "signature", *self.tools, "failure", "goal"]

    def turn(self, view: Any) -> str:
        """Name of the text of the question."""
        return "submit_only" if view.rounds == 1 else "submit"

    def ending(self, view: Any) -> str:
        """Name of the text of the result."""
        return "over"

    def event(self, view: Any, happened: Event) -> str:
        """Name of the text on the play of a program."""
        return "own" if happened.seat == view.seat else "other"

    def constant_fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        """Fields that are constant over the match."""
        base: Any = self.game
        return {
            "name": names[view.seat],
            "other": names[1 - view.seat],
            "rounds": str(view.rounds),
            "seconds": "1 second" if view.seconds == 1 else f"{format_number(view.seconds)} seconds",
            "policy": describe_policy(view.policies, base.base.interface.moves, self.forfeit_text),
            **self.setting_fields(view, names),
        }

    def fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        """Fields that change between meta-rounds."""
        scores = {"own_score": format_number(view.own_score), "other_score": format_number(view.other_score)}
        return {"round": str(view.round), **scores}

    def event_fields(self, view: Any, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
        """Fields of one program and its play."""
        result = happened.fact
        return {
            "event_round": str(happened.round),
            "program": format_program(happened.action.program),
            "moves": result.moves,
            "against": result.against,
            "points": format_points(result.payoff),
            "failed": describe_failures(result.failed, result.failure, result.problem),
            **self.result_fields(result),
        }

    def fact(self, result: Any) -> str:
        """Describe the play of a program for spectators."""
        # The last three fields of every result are `PROBLEM_FIELDS`.
        return f"It {self.describe_play(result)} got {format_points(result.payoff)}." + describe_failures(*result[-3:])

    def describe_play(self, result: Any) -> str:
        """Describe the moves of a program, ending in "and"."""
        return f"played {result.moves} and"


def format_count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"


def format_points(payoff: float) -> str:
    return f"{format_number(payoff)} point" + ("" if payoff == 1 else "s")


def format_program(source: str) -> str:
    return fence_code(break_markup(source.strip("\n")), "python") if source else "(no program)"


def describe_policy(policies: Sequence[int], moves: Sequence[str], forfeit_text: str) -> str:
    """Describe the handling of turns without an answer (see `MetaRounds`)."""
    words = [*[f"{name} is played for it" for name in moves], forfeit_text, "a move is drawn for it at random"]
    if len(set(policies)) == 1:
        return f"If it fails to answer in a turn, {words[policies[0]]}."
    parts = [f"{failure.label}: {words[policies[failure - 1]]}" for failure in Failure if failure]
    return f"What follows if it fails to answer in a turn: {'; '.join(parts)}."


def describe_failures(failed: int, failure: str, problem: str) -> str:
    """Describe how often and why a program did not answer, with a leading space; empty if it always did."""
    return f" It gave no answer in {format_count(failed, 'turn')} ({failure}: {problem})." if failed else ""
