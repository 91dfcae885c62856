"""A new collection: what may be typed, and what is told before it starts."""

from __future__ import annotations

import re

import pytest
from operating import PAID, SMALL, Operator
from visitor import find_problems, phrase

from econzoo.people.manage.forecast import forecast, sample_evenly
from econzoo.people.manage.order import Order
from refusals import says

pytestmark = pytest.mark.slow

DEFAULT = {"default": {}}


def matches(text: str) -> int:
    return int(re.search(r'data-testid="matches">([\d,]+)', text)[1].replace(",", ""))


def told_beforehand(lang: str) -> str:
    """What pages say of the small collection."""
    settings, seeds = phrase("manage.settings_of", lang, count=2), phrase("manage.seeds_of", lang, count=2)
    return f"{phrase('manage.forecast', lang)} {phrase('manage.matches', lang)} 16 {settings}, {seeds}"


def test_matches_time_and_settings_are_told_before_the_start(operator):
    text = operator.count(**SMALL)
    assert matches(text) == 4 * 2 * 2
    assert told_beforehand("en") in operator.told
    time = phrase("manage.about", what=phrase("manage.seconds", count="NUMBER")).replace("NUMBER", r"\d+")
    assert re.search(f"{phrase('manage.time')} {time}", operator.told)
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


def test_the_grid_is_every_combination(operator):
    for given, count in (
        ({"players": "spe\nfair"}, 4),
        ({"players": "spe\nfair", "opponents": "linear"}, 4),
        ({"players": "", "lineups": "spe | fair\nfair | linear"}, 2),
        ({"players": "spe", "setting.ultimatum": "on", "setting.two-rounds": "on"}, 2),
        ({"players": "spe", "setting.ultimatum": "on", "param.money": "10; 100; 1000"}, 3),
        ({"players": "spe", "param.messages=true": "on", "param.messages=false": "on", "param.horizon": "2;4"}, 4),
        ({"players": "spe", "param.delta": "0.9,0.8; 0.5,0.5"}, 2),
    ):
        assert matches(operator.count(game="bargaining", seeds="1", **given)) == count, given


def test_a_value_like_the_games_own_is_one_of_several(operator):
    """In a setting with another value of its own, too."""
    operator.count(game="bargaining", players="spe", seeds="1", **{"setting.ultimatum": "on", "param.horizon": "12; 1"})
    assert operator.status == 200
    assert matches(operator.text) == 2


def test_what_is_not_allowed_is_told_and_starts_nothing(operator):
    for given, *told in (
        ({"players": "nobody"}, "nobody", "spe", "fair"),
        ({"players": "hf:smollm2"}, "hf:smollm2", PAID),
        ({"players": "spe\nppo:/tmp/policy.zip"}, "ppo:/tmp/policy.zip", PAID),
        ({"players": "program:/tmp/evil.py"}, "program:/tmp/evil.py", PAID),
        ({"opponents": "openai:gpt@http://elsewhere.example"}, "openai:gpt@http://elsewhere.example", PAID),
        ({"lineups": "spe | hf:smollm2"}, "hf:smollm2", PAID),
        ({"lineups": "spe | fair | spe"}, 2, "spe, fair, spe"),
        ({"players": "human"}, "human"),
        ({"players": "--out=/tmp/elsewhere"}, "--out=/tmp/elsewhere"),
        ({"param.horizon": "3; -1"}, "Horizon", -1, 1, 10000),
        ({"seeds": "0"}, phrase("manage.seeds"), 0, 1, "1e9"),
        ({"seeds": "1e9"}, phrase("manage.seeds"), "1e9", 1),
        ({"seeds": "100000000"}, 100000000, "1,000,000"),
        ({"seeds": "90000"}, "360,000"),
        ({"max_cost": "5"}, phrase("manage.no_prices")),
        ({"max_cost": "-5"}, phrase("manage.max_cost"), -5, 0, "1e9"),
        ({"max_cost": "2,50"}, phrase("manage.max_cost"), "2,50", 0, "1e9"),
        ({"max_tokens": "some"}, phrase("manage.max_tokens"), "some", 1),
        ({"param.money": ";".join(map(str, range(1, 5002)))}, phrase("manage.too_many_settings", most=5000)),
    ):
        text = operator.count(**SMALL | {"param.horizon": "12"} | given)
        assert operator.status == 422, given
        says(find_problems(text), *told)
        assert not (operator.folder / "collections").exists(), given


def test_tokens_and_money_of_models_are_told(operator):
    operator.count(game="bargaining", players=f"{PAID}\nfair", seeds="5", max_cost="2.50")
    tokens = phrase("manage.tokens_estimate", read="NUMBER", written="NUMBER").replace("NUMBER", r"[\d,]+")
    assert re.search(f"{phrase('manage.tokens')} {tokens}", operator.told)
    cost = phrase("manage.money_estimate", cost="NUMBER").replace("NUMBER", r"\$\d+\.\d+")
    assert re.search(f"{phrase('manage.money')} {cost}", operator.told)
    assert phrase("manage.first_few") in operator.told


def test_a_game_that_is_not_there_is_not_found(operator):
    assert operator.client.get("/manage/new?game=chess").status_code == 404
    assert operator.client.get("/manage/new").text.count('<li><a href="/manage/new?game=') > 10


@pytest.mark.usefixtures("in_process")
def test_the_page_in_german(tmp_path):
    operator = Operator(tmp_path, texts="de")
    operator.count(**SMALL)
    assert told_beforehand("de") in operator.told


# The forecast


def order(*players: str, seeds: int = 10, game: str = "bargaining") -> Order:
    return Order("", game, players, (), (), DEFAULT, seeds)


def test_where_the_seed_changes_nothing_more_repetitions_take_no_longer():
    few, many = forecast(order("spe", "fair", seeds=2)), forecast(order("spe", "fair", seeds=2000))
    assert (few.matches, many.matches) == (8, 8000)
    assert many.seconds < 2 * few.seconds


def test_a_forecast_counts_what_models_read_by_their_prices():
    found = forecast(order(PAID, seeds=4))
    assert (found.matches, found.model_matches, found.seconds) == (4, 4, None)
    assert found.cost == pytest.approx((3 * found.prompt_tokens + 15 * found.completion_tokens) / 1e6, rel=1e-3)


def test_matches_are_tried_from_all_over():
    assert sorted(sample_evenly(range(100), 4)) == [12, 37, 62, 87]
    assert sorted(sample_evenly(range(3), 24)) == [0, 1, 2]


def test_an_order_survives_its_file():
    given = Order("A", "bargaining", ("spe",), ("fair",), (("spe", "fair"),), {"x": {"delta": [0.9, 0.8]}}, 3, 1.5, 7)
    assert Order.from_json(given.to_json()) == given
    with pytest.raises(ValueError):
        Order.from_json("{}")
