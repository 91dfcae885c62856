"""The list of games, and the form of one: in the order to try them, by the names that people know, short."""

import re

import pytest

from econzoo.envs.core import all_games, game
from econzoo.people.server import CURRENT_SITE, Site
from econzoo.people.table import game_title
from econzoo.people.texts import load_texts


def headings(page) -> list[str]:
    return re.findall(r"<h3>(.*?)</h3>", page.text)


def test_a_visitor_finds_first_what_most_people_know(visit):
    page = visit().client.get("/")
    shown = headings(page)
    assert len(shown) == len(set(shown)) == len(all_games())
    assert shown[1:4] == ["Bargaining", "Beauty contest", "Public goods"]
    assert page.text.index("Start here") < page.text.index(">Bargaining<") < page.text.index("More games")
    assert "up to 12 rounds" in page.text


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_dilemma_is_called_one_only_where_the_payoffs_are_its(lang):
    dilemma = [[[3, 3], [0, 5]], [[5, 0], [1, 1]]]
    coordination = [[[3, 3], [0, 0]], [[0, 0], [1, 1]]]
    place = CURRENT_SITE.set(Site(texts=load_texts(lang)))
    try:
        by_name = {name: game_title("matrix", {"stage_game": name}) for name in ("prisoners-dilemma", "stag-hunt")}
        assert game_title("matrix", {"payoffs": dilemma}) == by_name["prisoners-dilemma"]
        others = {by_name["stag-hunt"], game_title("matrix", {"payoffs": coordination}), game_title("matrix")}
        assert by_name["prisoners-dilemma"] not in others
        assert len(others) == 3
    finally:
        CURRENT_SITE.reset(place)


def test_titles_are_names_of_their_own():
    titles = [one.title() for one in all_games()]
    assert len(set(titles)) == len(titles)
    assert game("multi_issue").title() == "Division of items"


def test_parameters_are_folded_until_one_is_changed(visit):
    client = visit().client
    assert '<details class="more">' in client.get("/?game=bargaining").text
    assert '<details class="more" open>' in client.get("/?game=bargaining&param.horizon=3").text
