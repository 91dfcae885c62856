"""Money is kept to a millionth of a dollar, so that whoever bids all that is shown can pay it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.families.survival import round_money
from exhaustive import examples
from games.facts import tells


def test_sums_of_cents_are_cents() -> None:
    for sum_of, dollars in [
        (0.1 * 8 + 0.0, 0.8),
        (0.1 + 0.2, 0.3),
        (100.0 - 0.04 + 100.0, 199.96),
        (1 / 3, 0.333333),
        (0.0000005, 0.000001),
        (2e9 + 0.1, 2e9 + 0.1),
    ]:
        assert round_money(sum_of) == dollars


@pytest.mark.parametrize("game", ["water_allocation", "survival_auction"])
@examples(8)
@given(cents=st.lists(st.integers(0, 9000), min_size=5, max_size=5))
def test_all_the_money_shown_can_be_bid(game: str, cents: list[int]) -> None:
    """Alone in town, bids of any cents for five days, then all that the text says there is: never void."""
    alone = {"players": 1, "salary": 33.3} if game == "survival_auction" else {"residents": [("A", 5, 33.3)]}
    alone |= {"supply": (5, 5)} if game == "water_allocation" else {}
    env = econzoo.make(game, face="text", days=6, start_health=10, **alone)
    env.reset(seed=1)
    for part in cents:
        env.step(f'{{"bid": {round(env.game_state.balance[0] * part / 9000, 2)}}}')
    shown = re.findall(r"(?:Money: A|Your money:|You have) \$([\d,.]*\d)", env.last()[0]["text"])
    assert shown
    env.step(f'{{"bid": {shown[-1].replace(",", "")}}}')
    assert env.game_state.dry == (0,)
    assert env.game_state.balance == (0.0,)


def test_a_void_bid_is_called_so() -> None:
    env = econzoo.make("water_allocation", face="chat")
    env.reset(seed=1)
    for bid in (500, 10, 10, 10, 10):
        env.step(f'{{"bid": {bid}}}')
    text = env.last()[0]["text"]
    tells(text, "1 10 $500 1 $70 7")
    assert "void" not in text
