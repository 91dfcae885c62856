"""What a page shows where a decision is made: the question first, payoffs in a table, what is left to the other."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from econzoo.envs.core import all_games

GAMES = [one.name for one in all_games() if one.facts.seats <= 2]


def order(page: str, *marks: str) -> list[int]:
    return [page.index(mark) for mark in marks]


@pytest.mark.parametrize("game", GAMES)
def test_the_move_comes_before_rules_and_history(visit, game):
    page = visit().start(game).raw
    places = order(page, 'id="turn"', 'class="moves"', 'class="card rules"')
    assert places == sorted(places)


def test_rules_are_folded_after_the_first_move(visit):
    visitor = visit()
    assert '<details class="card rules" open>' in visitor.start("matrix", param_rounds="2").raw
    visitor.move("C")
    assert '<details class="card rules">' in visitor.text


def test_payoffs_of_two_moves_are_a_table_with_the_own_ones_first(visit):
    """Battle of the sexes, as the column seat sees it: the diagonal pays 1, 2 and 2, 1."""
    page = visit().start("matrix", seat="1", param_stage_game="battle-of-the-sexes").raw
    cells = re.findall(r"<td><b>(-?\d)</b>, (-?\d)</td>", page)
    assert cells == [("1", "2"), ("0", "0"), ("0", "0"), ("2", "1")]


def test_contributions_stand_beside_the_points_for_each(visit):
    visitor = visit()
    visitor.start("public_goods", param_rounds="1", player_1="random", player_2="random", player_3="random")
    visitor.move(0, 0.5)
    gave = dict(re.findall(r"Round 1: (\w+) contributed (\d+)", visitor.text))
    asked = dict(re.findall(r">Points for (\w+) \(contributed (\d+)\)</label>", visitor.text))
    assert asked == {name: tokens for name, tokens in gave.items() if name != "Ann"}
    assert 'data-costs="0.0 1.0 2.0 4.0 6.0' in visitor.text


def test_no_two_boxes_for_words_have_the_same_label(visit):
    page = visit().start("multi_issue").raw
    labels = re.findall(r'<label for="input[^"]*">(Message[^<]*)</label>', page)
    assert len(labels) == len(set(labels)) == 2


def test_a_number_without_a_choice_is_not_asked_for(visit):
    """One buyer and one seller: who hears a value is no question."""
    visitor = visit()
    assert "trader who hears" not in visitor.start("double_auction").raw
    visitor.move("say", 0.4)
    assert visitor.status == 200


def test_players_are_chosen_by_name(visit):
    """The first buyer tells one of two sellers a value, who are seats 2 and 3."""
    visitor = visit()
    market = {"param_buyers": "2", "param_sellers": "2"}
    page = visitor.start("double_auction", **market, **{f"player_{seat}": "random" for seat in range(4)})
    assert re.findall(r'type="radio" name="move.whom" value="([^"]*)"', page.raw) == ["Seller 1", "Seller 2"]
    assert "The trader who hears it" in page.raw
    visitor.move("say", claim="0.4", whom="Buyer 2")
    assert visitor.status == 422
    visitor.move("say", claim="0.4", whom="Seller 2")
    assert visitor.status == 200
    assert "tell Seller 2: a unit is worth $0.40" in visitor.text


def test_what_an_amount_leaves_is_reckoned_from_the_greatest(visit):
    page = visit().start("bargaining", param_money="100").raw
    assert re.search(r'data-rest="You keep \{own\}, and Bob gets \{rest\}\." data-total="100\.?0?"', page)


def test_an_offer_can_be_accepted_above_the_form_of_another_one(visit):
    visitor = visit()
    visitor.start("multi_issue", player_1="greedy")
    visitor.move("offer", part=1)  # to keep everything
    assert [form.buttons for form in visitor.page.move_forms] == [["accept", "leave"], ["offer"], ["talk"]]


def test_buttons_say_what_they_do_and_a_message_without_words_says_nothing(visit):
    visitor = visit()
    page = visitor.start("negotiation", seat="1", player_0="random").raw
    assert ">Trade with somebody else</button>" in page
    page = visitor.start("persuasion", player_1="random", terms_person_seconds="60", terms_policy="default").raw
    assert "“Say nothing” is played for you" in page
    visitor.move("say", words="")
    assert "<b>say nothing</b>" in visitor.text
    visitor.move("say", words="It is good.")
    assert "<b>say</b>" in visitor.text


@pytest.mark.slow
def test_a_program_that_is_read_stands_in_one_piece(visit):
    """From its first line, which is not indented, to its last."""
    pytest.importorskip("axelrod", reason="the strategies need the extra axelrod")
    page = visit().start("code_reading").raw
    (program,) = re.findall(r'<pre class="drawn"><bdi>(.*?)</bdi></pre>', page, re.DOTALL)
    assert re.match(r"(from|import|class|@|[A-Z])", program)
    assert "class " in program.partition(" def ")[0]
