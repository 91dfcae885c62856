"""What can be earned against a pool: figures that were computed elsewhere before, and what the command says."""

import contextlib
import io
import json

import pytest

from econzoo.__main__ import main
from econzoo.envs.core import game
from econzoo.evaluate.run import Setting, validation_settings
from econzoo.evaluate.suites.ceiling import ceiling
from refusals import refuses, says

TWO = [Setting("short", {"horizon": 3, "delta": (0.9, 0.8)}), Setting("once", {"horizon": 1})]


def here(*arguments):
    """Standard output of a command in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main(list(arguments))
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(
    ("pool", "full_information", "bayes_adaptive"),
    [("validation", 0.4298, 0.4227), ("standard", 0.4885, 0.4730), ("training", 0.5169, 0.4927)],
)
def test_the_figures_of_bargaining_are_found_again(pool, full_information, bayes_adaptive):
    """Of a kernel of its own, over the 12 markets of the validation and both seats."""
    found = ceiling("bargaining", pool, validation_settings(game("bargaining")), scripts=False)
    assert (found.full_information, found.bayes_adaptive) == pytest.approx(
        (full_information, bayes_adaptive), abs=1.5e-4
    )
    known = {one: found.known_gain(one) for one in found.opponents}
    if pool == "validation":
        assert list(known.values()) == pytest.approx([0.390, 0.599, 0.324, 0.517, 0.222, 0.527], abs=6e-4)
    assert found.searched_opponents == ["tit-for-tat"] * ("tit-for-tat" in found.opponents)


def test_in_one_round_the_first_takes_what_each_leaves_and_the_second_what_it_is_offered():
    """In seat 0 acceptor(0.45) leaves 0.55 and greedy takes anything; in seat 1 they offer 0.45 and 0.1."""
    found = ceiling("bargaining", "validation", TWO[1:], scripts=False)
    assert found.known_gain("acceptor(0.45)") == pytest.approx((0.55 + 0.45) / 2)
    assert found.known_gain("greedy(0.9)") == pytest.approx((1.0 + 0.1) / 2, abs=1e-5)
    assert found.certainty(["greedy(0.9)"]) == "exact"


def test_no_script_earns_more_than_the_ceiling():
    found = ceiling("bargaining", "validation", TWO, jobs=1)
    assert found.scripts is not None
    assert all(best.gain <= found.known_gain(one) + 1e-9 for one, best in found.scripts.by_opponent.items())
    assert found.scripts.by_role[""].gain < found.bayes_adaptive <= found.full_information


def test_where_nobody_discounts_finding_out_costs_nothing():
    found = ceiling("negotiation", "standard", [Setting("long", {"horizon": 6})], scripts=False)
    assert found.bayes_adaptive == pytest.approx(found.full_information)
    assert set(found.opponents) - set(found.solved_opponents) == {"random"}, "it takes any price"
    says(found.note, "random")


def rows(*arguments):
    """The rows of the table that ``--json`` prints, by whom they are against."""
    found = json.loads(here("run", *arguments, "--json"))["ceiling"]
    return {row["opponent"]: row for row in found}


ROUND = ["-p", "rounds=1", "-p", "message_type=binary", "--jobs", "1"]


def test_sellers_and_buyers_have_ceilings_of_their_own():
    """In one round never buys nothing, and honest sells what is worth 1.25 in half of the rounds."""
    found = rows("persuasion", "--ceiling", "--opponents", "never", "--opponents", "honest", *ROUND)
    assert {who for who in found if who.startswith("all")} == {
        f"all, {what} as {role}"
        for what in ("full information", "Bayes-adaptive")
        for role in ("Alice (seller)", "Bob (buyer)")
    }, "sellers and buyers are not compared"
    assert (found["never"]["ceiling"], found["never"]["certainty"]) == (0.0, "exact")
    assert found["honest"]["ceiling"] == pytest.approx(0.125)
    buyer = found["all, Bayes-adaptive as Bob (buyer)"]
    assert buyer["certainty"] == "exact", "one partner each: there is nothing to find out"
    assert buyer["best_script_gain"] is not None


def test_who_is_bayes_adaptive_earns_no_more_than_who_is():
    found = rows("persuasion", "--ceiling", "--pool", "validation", *ROUND, "--no-scripts")
    for role in ("Alice (seller)", "Bob (buyer)"):
        unknown, known = found[f"all, Bayes-adaptive as {role}"], found[f"all, full information as {role}"]
        assert unknown["ceiling"] <= known["ceiling"] + 1e-9
    assert "upper bound" in {row["certainty"] for row in found.values()}


def test_of_a_game_without_a_solution_the_best_scripts_are_known():
    pool = ["--opponents", "cooperator", "--opponents", "free-rider", "-p", "rounds=2", "--jobs", "1"]
    found = rows("public_goods", "--ceiling", *pool)
    assert {row["ceiling"] for row in found.values()} == {None}
    assert found.keys() == {"cooperator", "free-rider", "all, Bayes-adaptive"}
    assert all(row["best_script_gain"] > 0 for row in found.values())


def test_the_command_says_what_its_reader_knows():
    told = " ".join(here("run", "bargaining", "--ceiling", "-p", "horizon=1", "--no-scripts").split())
    assert "all, Bayes-adaptive" in told


def test_a_player_is_told_its_share_of_the_ceiling(tmp_path, capsys):
    words = ("--opponents", "acceptor(0.4)", "-p", "horizon=1", "--seeds", "1", "--jobs", "1", "--ceiling")
    found = json.loads(here("run", "bargaining", "fair", *words, "--out", str(tmp_path), "--json"))["ceiling"]
    assert {"acceptor(0.4)", "all, Bayes-adaptive"} == found.keys()
    assert all(row["share"] == pytest.approx(row["gain"] / row["ceiling"]) for row in found.values())
    with pytest.raises(SystemExit):
        main(["run", "bargaining", "fair", "spe", *words, "--out", str(tmp_path / "two")])
    says(capsys.readouterr().err, "--ceiling", "one")


def test_one_who_errs_is_met_but_has_no_ceiling():
    found = ceiling("bargaining", "standard", TWO[:1], ["quantal(5)", "fair"], jobs=1)
    assert (found.known_gain("quantal(5)"), found.known_gain("fair")) == (None, pytest.approx(0.5))
    assert found.scripts.by_opponent["quantal(5)"].gain > 0.3
    says(found.note, "quantal(5)")


def test_an_unknown_pool_is_refused():
    with refuses(ValueError, "pool='friends'", "standard, training, validation, test"):
        ceiling("bargaining", "friends", TWO)


def test_a_game_of_one_seat_has_no_pool():
    with refuses(ValueError, "code_reading", 1):
        ceiling("code_reading", "standard", [Setting("default", {})])
