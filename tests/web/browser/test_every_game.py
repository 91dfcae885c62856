"""Every registered game, played to its end in a browser: fields are filled low, high and in the middle."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.evaluate.run import replay
from econzoo.people.table import format_payoff
from exhaustive import long_unless

STEPS = (0.0, 1.0, 0.5)
"""Where between its bounds a number is filled: low, high, middle."""

SHORT = {"horizon": "4", "rounds": "6", "days": "4", "length": "8", "max_rounds": "6", "steps": "8"}
"""Parameters by which a match is kept short, where a game has them."""

MOST_MOVES = 120


def shortened(game: str) -> dict[str, str]:
    declared = [one.name for one in econzoo.game(game).parameters]
    return {f"param_{name}": value for name, value in SHORT.items() if name in declared}


def program_of(game: str) -> str:
    source = econzoo.game(game).actions.source
    return next(iter(source[1].library()), "") if source else ""


FORMS = {"bargaining", "persuasion", "water_allocation", "matrix", "program_matrix", "code_reading", "double_auction"}
"""Games with one of each kind of form; the others are left to `long`."""


@pytest.mark.parametrize("game", long_unless(FORMS.__contains__, econzoo.games()))
def test_a_person_plays_to_the_end_card(new, game):
    table = new()
    table.start(game, **shortened(game))
    if "cannot be played here" in (problem := table.page.locator("main").inner_text()):
        pytest.skip(problem)
    program = program_of(game)
    for step in range(MOST_MOVES):
        table.settle()
        if table.over:
            break
        table.move(step // 3, STEPS[step % 3], f"word {step}", program)
        if table.page.locator("#problems").count():  # each number fits, but not all together
            table.move(step // 3, 0.0, f"word {step}", program)
        assert table.page.locator("#problems").count() == 0, table.page.locator("#problems").inner_text()
    record = table.record()
    assert replay(record) == []
    assert table.payoff == format_payoff(econzoo.game(game), record.payoffs[0])
