"""Players that can take one seat only: who is seated with whom, and who is compared with whom."""

from __future__ import annotations

import io
from typing import ClassVar

import pytest

import econzoo.baselines.persuasion as persuasion
from econzoo.baselines import Player, seats_of
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.summary import ranking, sentences, summarize
from econzoo.evaluate.commands.play import story
from econzoo.evaluate.run import new_design, read_folder, read_records, run
from econzoo.evaluate.show import show
from econzoo.evaluate.show.page import full_bar
from econzoo.evaluate.suites import evaluation, evaluation_design
from refusals import refuses, says

pytestmark = pytest.mark.usefixtures("blank_figures")

MARKET = {"message_type": "binary", "rounds": 10, "prior": 0.5, "high_value": 2.0}


class Frank(Player):
    """A seller that recommends what is good and advises against the rest."""

    seats: ClassVar = (0,)

    def act(self, observation, info):
        return {"kind": "recommend" if observation["quality"] else "discourage"}


class Hype(Frank):
    """A seller that recommends everything."""

    def act(self, observation, info):
        return {"kind": "recommend"}


class Trusting(Player):
    """A buyer that buys what is recommended."""

    seats: ClassVar = (1,)

    def act(self, observation, info):
        return {"kind": "buy" if observation["said"] == 0 else "decline"}


class Refusing(Trusting):
    """A buyer that never buys."""

    def act(self, observation, info):
        return {"kind": "decline"}


SELLERS, BUYERS = ("frank", "hype"), ("trusting", "refusing")


@pytest.fixture(autouse=True)
def stubs(monkeypatch):
    players = {"frank": Frank, "hype": Hype, "trusting": Trusting, "refusing": Refusing}
    monkeypatch.setattr(persuasion, "PLAYERS", players, raising=False)
    monkeypatch.setitem(persuasion.POOLS, "standard", [*players, "random"])


@pytest.fixture
def folder(tmp_path):
    run(new_design("persuasion", [*SELLERS, *BUYERS], [MARKET], seeds=6), tmp_path, jobs=1)
    return tmp_path


def test_seats_of_a_spec_are_known_without_making_the_player():
    assert seats_of("frank", "persuasion") == (0,)
    assert seats_of("trusting(3)", "persuasion") == (1,)  # the class says it, whatever the arguments
    assert seats_of("random", "persuasion") is None
    assert seats_of("hf:/no/such/model", "persuasion") is None
    assert seats_of("nobody", "persuasion") is None


def test_everybody_sits_only_where_it_can():
    design = new_design("persuasion", [*SELLERS, *BUYERS])
    assert set(design.seatings()) == {(seller, buyer) for seller in SELLERS for buyer in BUYERS}
    with_random = new_design("persuasion", ["frank", "trusting", "random"])
    assert set(with_random.seatings()) == {
        ("frank", "trusting"),
        ("frank", "random"),
        ("random", "trusting"),
        ("random", "random"),
    }
    assert len(design) == len(list(design.matches())) == 4 * 10


def test_somebody_who_could_never_be_seated_is_named():
    for players, opponents, named in [
        (["frank"], [], ("'frank'", "Alice")),
        (["frank", "hype"], [], ("'frank' (takes Alice)", "'hype' (takes Alice)")),
        (["refusing"], ["trusting"], ("'refusing' (takes Bob)", "'trusting' (takes Bob)")),
        (["frank", "random"], ["hype", "trusting"], None),
        (["frank"], ["hype", "trusting"], ("'hype' (takes Alice)", "'frank'")),
    ]:
        if named is None:
            assert new_design("persuasion", players, opponents=opponents).seatings()
            continue
        with refuses(ValueError, *named):
            new_design("persuasion", players, opponents=opponents)


def test_the_standard_pool_of_a_checkpoint_is_those_it_can_sit_with():
    assert evaluation_design("persuasion", ["frank"]).opponents == (*BUYERS, "random")
    assert evaluation_design("persuasion", ["trusting"]).opponents == (*SELLERS, "random")
    assert evaluation_design("persuasion", ["random"]).opponents == (*SELLERS, *BUYERS, "random")
    seatings = evaluation_design("persuasion", ["random"]).seatings()
    assert ("random", "trusting") in seatings
    assert ("frank", "random") in seatings
    assert ("frank", "trusting") not in seatings


def test_sellers_are_compared_with_sellers_and_buyers_with_buyers(folder):
    summary = summarize(read_records(folder))
    assert [group.role for group in summary.groups] == ["Alice", "Bob"]
    sellers, buyers = summary.groups
    assert (set(sellers.players), set(buyers.players)) == (set(SELLERS), set(BUYERS))
    assert set(sellers.opponents) == set(BUYERS)
    # Half of the matches of a seller are against somebody who never buys: hype sells all of the others.
    assert sellers.players[0] == "hype"
    assert sellers.overall["hype"]["self_gain"].mean == 0.5
    assert sellers.pairs["hype", "trusting"]["self_gain"].mean == 1.0
    assert sellers.pairs["hype", "refusing"]["self_gain"].mean == 0.0
    goods = [sum(record.chance) for record in summary.records if record.players == ["frank", "trusting"]]
    assert sellers.pairs["frank", "trusting"]["self_gain"].mean == pytest.approx(sum(goods) / 60)
    # A buyer of good products gains (2 - 1) / 10 for each; of all products, what good ones exceed bad ones by.
    assert buyers.pairs["trusting", "frank"]["self_gain"].mean == pytest.approx(sum(goods) / 60)
    assert buyers.pairs["trusting", "hype"]["self_gain"].mean == pytest.approx((2 * sum(goods) - 60) / 60)
    assert buyers.overall["refusing"]["self_gain"].mean == 0.0


def test_means_are_over_the_opponents_that_all_in_the_same_seat_met(tmp_path):
    run(new_design("persuasion", [*SELLERS, "trusting"], [MARKET], seeds=3), tmp_path / "a", jobs=1)
    run(new_design("persuasion", ["hype", "refusing"], [MARKET], seeds=3), tmp_path / "b", jobs=1)
    sellers, buyers = summarize(read_records(tmp_path)).groups
    assert ("hype", "refusing") in sellers.pairs
    assert sellers.overall["hype"]["self_gain"].mean == 1.0  # frank did not meet the one who never buys
    assert set(buyers.pairs) == {("trusting", "frank"), ("trusting", "hype"), ("refusing", "hype")}
    assert buyers.overall["trusting"]["self_gain"].mean == buyers.pairs["trusting", "hype"]["self_gain"].mean


def test_players_of_every_seat_are_one_group(tmp_path):
    run(new_design("negotiation", ["random"], seeds=2), tmp_path, jobs=1)
    (group,) = summarize(read_records(tmp_path)).groups
    assert group.role == ""
    assert group.players == ["random"]


def shown(part):
    out = io.StringIO()
    show(part, out)
    return out.getvalue()


def test_terminal_and_report_name_seats_and_what_was_agreed(folder):
    summary = summarize(read_records(folder))
    told = " ".join(shown(ranking(summary)).split())
    says(told, "persuasion: 24 matches", "Alice (seller) (24 matches)", "Bob (buyer) (24 matches)")
    assert "sale rate" in [column.head for column in ranking(summary)[0].columns]
    said = " ".join(sentences(summary))
    says(said, "Alice (seller), hype", "0.500", "Bob (buyer)")
    rounds = [[turn.action["kind"] for turn in one.turns if turn.seat == 1] for one in summary.records]
    says(said, f"{100 * sum(kinds.count('buy') for kinds in rounds) / 10 / len(rounds):.0f}%")
    page = analyze(folder).to_html()
    for words in ("Alice (seller) <span", "Bob (buyer) <span", "as a fraction of the price"):
        assert words in page


def test_one_match_in_words(folder):
    records = {tuple(record.players): record for record in read_folder(folder)[0]}
    assert records["hype", "trusting"].ending == "sale"
    assert records["hype", "refusing"].ending == "no sale"
    from econzoo.envs.core import game

    told = story(game("persuasion"), records["hype", "trusting"])
    says(told, "Alice, seller (hype)", "Bob, buyer (trusting)")


def test_a_full_bar_is_a_round_number_that_all_gains_fit_in():
    for values, top in [([0.4, 0.7], 1.0), ([0.05, 0.031], 0.05), ([2.1], 5.0), ([-1.0], 1.0), ([0.06], 0.1)]:
        assert full_bar(values) == pytest.approx(top), values


def test_a_pool_that_can_sit_with_nobody_is_refused(monkeypatch):
    monkeypatch.setattr(evaluation, "pool", lambda game, among: list(SELLERS))
    assert evaluation_design("persuasion", ["trusting"]).opponents == SELLERS
    with refuses(ValueError, "'standard'", "frank", "frank, hype"):
        evaluation_design("persuasion", ["frank"])
