"""A new collection: what may be typed, and what is told before it starts."""

from __future__ import annotations

import re

import pytest
from operating import PAID, SMALL, Operator

from econzoo.people.manage.forecast import forecast, spread
from econzoo.people.manage.order import Order

DEFAULT = {"default": {}}


def matches(text: str) -> int:
    return int(re.search(r'data-testid="matches">([\d,]+)', text)[1].replace(",", ""))


def test_matches_time_and_settings_are_told_before_the_start(operator):
    text = operator.count(**SMALL)
    assert matches(text) == 4 * 2 * 2
    assert "2 settings, 2 repetitions" in operator.told
    assert re.search(r"Time about \d+ seconds", operator.told)
    assert not (operator.folder / "collections").exists()


def test_only_what_was_looked_at_is_started(operator):
    seen = re.search(r'name="seen" value="(\w+)"', operator.count(**SMALL))[1]
    text = operator.post("/manage/new", **SMALL | {"seeds": "3"}, do="start", seen=seen)
    assert matches(text) == 4 * 2 * 3
    assert not (operator.folder / "collections").exists()


def test_what_was_typed_stays(operator):
    text = operator.count(**SMALL, title="First", opponents="linear")
    assert 'value="First"' in text
    assert ">spe\nfair</textarea>" in text
    assert ">linear</textarea>" in text
    assert 'value="1; 3"' in text


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"players": "spe\nfair"}, 4),
        ({"players": "spe\nfair", "opponents": "linear"}, 4),
        ({"players": "", "lineups": "spe | fair\nfair | linear"}, 2),
        ({"players": "spe", "market.ultimatum": "on", "market.two-rounds": "on"}, 2),
        ({"players": "spe", "market.ultimatum": "on", "param.money": "10; 100; 1000"}, 3),
        ({"players": "spe", "param.messages=true": "on", "param.messages=false": "on", "param.horizon": "2;4"}, 4),
        ({"players": "spe", "param.delta": "0.9,0.8; 0.5,0.5"}, 2),
    ],
)
def test_the_grid_is_every_combination(operator, given, count):
    assert matches(operator.count(game="bargaining", seeds="1", **given)) == count


def test_a_value_like_the_games_own_is_one_of_several(operator):
    """In a setting with another value of its own, too."""
    operator.count(game="bargaining", players="spe", seeds="1", **{"market.ultimatum": "on", "param.horizon": "12; 1"})
    assert operator.status == 200
    assert matches(operator.text) == 2


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"players": "nobody"}, "unknown player"),
        ({"players": "hf:smollm2"}, "is not offered here"),
        ({"players": "spe\nppo:/tmp/policy.zip"}, "is not offered here"),
        ({"players": "program:/tmp/evil.py"}, "is not offered here"),
        ({"opponents": "openai:gpt@http://elsewhere.example"}, "is not offered here"),
        ({"lineups": "spe | hf:smollm2"}, "is not offered here"),
        ({"lineups": "spe | fair | spe"}, "2 seats; got the line-up"),
        ({"players": "human"}, "human"),
        ({"players": "--out=/tmp/elsewhere"}, "--out=/tmp/elsewhere"),
        ({"param.horizon": "3; -1"}, "Horizon: &#39;-1&#39; is not allowed"),
        ({"seeds": "0"}, "Repetitions: &#39;0&#39; is not allowed"),
        ({"seeds": "1e9"}, "a whole number from 1 to 1e9, or nothing"),
        ({"seeds": "100000000"}, "allowed"),
        ({"seeds": "90000"}, "These are 360,000 matches"),
        ({"max_cost": "5"}, "needs a player with a price"),
        ({"max_cost": "-5"}, "a number above 0 and at most 1e9"),
        ({"max_cost": "2,50"}, "a number above 0 and at most 1e9"),
        ({"max_tokens": "some"}, "a whole number from 1 to"),
        ({"param.money": ";".join(map(str, range(1, 5002)))}, "too many settings"),
    ],
)
def test_what_is_not_allowed_is_told_and_starts_nothing(operator, given, told):
    text = operator.count(**SMALL | {"param.horizon": "12"} | given)
    assert operator.status == 422
    assert told in text
    assert not (operator.folder / "collections").exists()


def test_tokens_and_money_of_models_are_told(operator):
    operator.count(game="bargaining", players=f"{PAID}\nfair", seeds="5", max_cost="2.50")
    assert re.search(r"Tokens about [\d,]+ read, and at least [\d,]+ written", operator.told)
    assert re.search(r"Cost at least about \$\d+\.\d+", operator.told)
    assert "asks you" in operator.told


def test_a_game_that_is_not_there_is_not_found(operator):
    assert operator.client.get("/manage/new?game=chess").status_code == 404
    assert operator.client.get("/manage/new").text.count('<li><a href="/manage/new?game=') > 10


def test_the_page_in_german(tmp_path):
    operator = Operator(tmp_path, texts="de")
    operator.count(**SMALL)
    assert "Was vorher bekannt ist Partien 16 2 Bedingungen, 2 Wiederholungen" in operator.told


# The forecast


def order(*players: str, seeds: int = 10, game: str = "bargaining") -> Order:
    return Order("", game, players, (), (), DEFAULT, seeds)


def test_where_the_seed_changes_nothing_more_repetitions_take_no_longer():
    few, many = forecast(order("spe", "fair", seeds=2)), forecast(order("spe", "fair", seeds=2000))
    assert (few.matches, many.matches) == (8, 8000)
    assert many.seconds < 2 * few.seconds


def test_a_forecast_counts_what_models_read_by_their_prices():
    found = forecast(order(PAID, seeds=4))
    assert (found.matches, found.asked, found.seconds) == (4, 4, None)
    assert found.cost == pytest.approx((3 * found.tokens_read + 15 * found.tokens_written) / 1e6, rel=1e-3)


def test_matches_are_tried_from_all_over():
    assert sorted(spread(range(100), 4)) == [12, 37, 62, 87]
    assert sorted(spread(range(3), 24)) == [0, 1, 2]


def test_an_order_survives_its_file():
    given = Order("A", "bargaining", ("spe",), ("fair",), (("spe", "fair"),), {"x": {"delta": [0.9, 0.8]}}, 3, 1.5, 7)
    assert Order.from_json(given.to_json()) == given
    with pytest.raises(ValueError, match="not the order of a collection"):
        Order.from_json("{}")
