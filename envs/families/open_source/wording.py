"""What the texts of both program games say alike: programs in fences, and what becomes of turns without an answer."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.envs.core.parse import fenced
from econzoo.envs.core.prompts import number
from econzoo.envs.families.open_source.failures import Failure

NO_PROGRAM = "no program"


def shown_program(source: str) -> str:
    """A program as texts show it."""
    return fenced(source.strip("\n"), "python") if source else f"({NO_PROGRAM})"


def policy_words(policies: Sequence[int], moves: Sequence[str], forfeited: str) -> str:
    """What becomes of turns that a program does not answer.

    Args:
        policies: By `Failure` from 1 on: the number of a move, of none, or of any.
        moves: What a program may return.
        forfeited: What a turn without a move means.
    """
    words = [*[f"{name} is played for it" for name in moves], forfeited, "a move is drawn for it at random"]
    if len(set(policies)) == 1:
        return f"If it fails to answer in a turn, {words[policies[0]]}."
    told = [f"{failure.words}: {words[policies[failure - 1]]}" for failure in Failure if failure]
    return f"What follows if it fails to answer in a turn: {'; '.join(told)}."


def points(payoff: float) -> str:
    """A number of points in words."""
    return f"{number(payoff)} point" + ("" if payoff == 1 else "s")


def failed_words(failed: int, failure: str, problem: str) -> str:
    """How often and why a program did not answer, as a sentence behind a blank; empty if it always did."""
    if not failed:
        return ""
    turns = "1 turn" if failed == 1 else f"{failed} turns"
    return f" It gave no answer in {turns} ({failure}: {problem})."
