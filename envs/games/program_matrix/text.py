"""Which texts an author of programs reads, and what stands in their fields.

Fields of all texts, besides those of `econzoo.envs.families.open_source.texts`: the eight cells (own move first) and
noise.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.prompts import number
from econzoo.envs.families.open_source.interfaces import MATRIX
from econzoo.envs.families.open_source.texts import ending, event, event_fields, fields, match_fields, turn
from econzoo.envs.families.open_source.wording import failed_words, points
from econzoo.envs.games.matrix.text import CELLS
from econzoo.envs.games.program_matrix import Program

__all__ = ["brief", "constant_fields", "fact", "ending", "event", "event_fields", "example", "fields", "turn"]

FORFEITED = (
    "the turn is forfeited: you get the least that a turn can pay, the other the mean of what its move could bring; the"
    " histories show it as D"
)

EXAMPLE = """def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    return random.choice(["C", "D"])"""


def brief(view: Any, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    noise = ["noise"] if view.noise > 0 else []
    length = "meta_round" if view.rounds == 1 else "meta_rounds"
    return ["player", "table", *noise, length, "signature", "tools", "failure", "goal"]


def constant_fields(view: Any, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {
        **match_fields(view, names, MATRIX.moves, FORFEITED),
        **{cell: number(getattr(view, cell)) for cell in CELLS},
        "noise": number(100 * view.noise),
    }


def fact(result: Any) -> str:
    """What a program did, for spectators."""
    told = f"It played {result.moves} and got {points(result.payoff)}."
    return told + failed_words(result.failed, result.failure, result.problem)


def example(view: Any, kind: str, messages: bool) -> Any:
    """A legal action, to show the form of an answer."""
    return Program(EXAMPLE)
