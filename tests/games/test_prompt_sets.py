"""The sets ``glee`` and ``alympics``: what players are told, in which order, and the answers that they give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import econzoo
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.run import replay
from games.facts import facts, tells
from refusals import refuses


def table(game: str, prompts: Any, **params: Any) -> Any:
    env = econzoo.make(game, face="chat", prompts=prompts, **params).unwrapped
    env.reset(seed=1)
    return env


def plain(env: Any, reply: str) -> dict[str, Any] | str:
    """The move that a reply means, or the code of what is wrong with it."""
    agent = env.agent_selection
    action = env.face(agent).decode(reply, env.legal(agent))
    return action.code if isinstance(action, Invalid) else env.game.actions.to_plain(action)


OFFER = {"kind": "offer", "gain": 6000.0, "message": "Hello, Bob!"}


def test_an_offer_in_bargaining() -> None:
    for reply, meant in [
        ('{"alice_gain": 6000, "bob_gain": 4000, "message": "Hello, Bob!"}', OFFER),
        ('{"alice_gain": 6,000, "bob_gain": 4,000.00, "message": "Hello, Bob!"}', OFFER),
        ('{"alice_gain": "$6,000", "bob_gain": $4000, "message": "Hello, Bob!"}', OFFER),
        ('I think so.\n```json\n{"bob_gain": 4000, "alice_gain": 6000, "message": "Hello, Bob!"}\n```', OFFER),
        ('{"alice_gain": 6000, "bob_gain": 4000, "message": "Hello, Bob!", "mood": "good"}', OFFER),
        ('{"alice_gain": 6000, "bob_gain": 5000, "message": "Hello, Bob!"}', "does_not_sum"),
        ('{"bob_gain": 4000}', "missing_key"),
        ('{"alice_gain": 60,00, "bob_gain": 4000}', "bad_json"),
        ('{"decision": "accept"}', "illegal_now"),
        ('{"kind": "offer", "gain": 6000}', "missing_key"),
    ]:
        assert plain(table("bargaining", "glee"), reply) == meant


def test_the_key_of_the_own_share_goes_by_the_seat() -> None:
    env = table("bargaining", "glee", horizon=2)
    env.step('{"alice_gain": 9000, "bob_gain": 1000, "message": ""}')
    env.step('{"decision": "reject"}')
    assert plain(env, '{"alice_gain": 3000, "bob_gain": 7000}') == {"kind": "offer", "gain": 7000.0}
    assert list(env.json_schema("player_1")["properties"]) == ["bob_gain", "alice_gain", "message"]


def test_losses_since_round_1_are_told_with_every_offer() -> None:
    env = table("bargaining", "glee", delta=(0.9, 0.8), messages=False)
    for round_number, told in ((1, None), (2, "10% less"), (3, "36% less"), (4, "27.1% less")):
        own, other = ("alice", "bob") if round_number % 2 else ("bob", "alice")
        env.step(json.dumps({f"{own}_gain": 5000, f"{other}_gain": 5000}))
        lines = env.last()[0]["text"].splitlines()
        start = lines.index(f"Round {round_number}")
        offer = next(i for i, line in enumerate(lines) if line.endswith("'s offer:"))
        assert (offer - start == 1) if told is None else (told in lines[start + 1] and offer - start == 2)
        env.step('{"decision": "reject"}')


def test_who_does_not_know_the_losses_of_the_other_is_told_the_own_only() -> None:
    env = table("bargaining", "glee", delta=(0.9, 0.8), complete_information=False)
    for reply in (
        '{"alice_gain": 1, "bob_gain": 9999}',
        '{"decision": "reject"}',
        '{"bob_gain": 1, "alice_gain": 9999}',
    ):
        env.step(reply)
    told = env.last()[0]["text"]
    assert "10% less" in told
    assert "20%" not in told


def test_a_long_horizon_is_not_told() -> None:
    for horizon, told in ((12, True), (20, True), (21, False), (None, False)):
        rules = {}
        for game in ("bargaining", "negotiation"):
            env = table(game, "glee", horizon=horizon)
            rules[game] = env.face("player_0").rules(env.view(0))
        assert ["rounds" in one for one in rules.values()] == [told, told], horizon


def test_decisions_in_negotiation() -> None:
    for seat, word, kind in [
        (1, "AcceptOffer", "accept"),
        (1, "RejectOffer", "reject"),
        (1, "BuyFromJhon", "opt_out"),
        (1, "SellToJhon", "opt_out"),
        (0, "DealWithJhon", "opt_out"),
        (0, "SellToJhon", "opt_out"),
    ]:
        env = table("negotiation", "glee")
        env.step('{"message": "Hi", "product_price": "$11,000"}')
        if seat == 0:
            env.step('{"decision": "RejectOffer"}')
            env.step('{"message": "Hi", "product_price": 10500}')
        leave = "SellToJhon" if seat == 0 else "BuyFromJhon"
        assert f"<one of: AcceptOffer, RejectOffer, {leave}>" in env.last()[0]["text"], (seat, word, kind)
        assert plain(env, json.dumps({"decision": word})) == {"kind": kind}, seat


def test_goals_are_told_in_negotiation() -> None:
    env = table("negotiation", "glee")
    seller, buyer = (env.face(agent).rules(env.view(seat)) for seat, agent in enumerate(env.possible_agents))
    assert "save" in buyer
    assert "save" not in seller


def test_yes_and_no_mean_what_the_seat_may_do() -> None:
    env = table("persuasion", "glee", message_type="binary")
    for kinds in (("recommend", "discourage"), ("buy", "decline")):
        assert [plain(env, json.dumps({"decision": word}))["kind"] for word in ("yes", "no")] == list(kinds)
        env.step('{"decision": "yes"}')
    assert plain(table("persuasion", "glee"), '{"message": "Buy it"}') == {"kind": "say", "message": "Buy it"}
    assert plain(table("persuasion", "glee"), "{}") == "missing_key"


def test_myopic_buyers_read_counts_where_the_market_gives_them() -> None:
    told = {}
    for statistics in ("counts", "shares"):
        env = table("persuasion", "glee", buyer="myopic", message_type="binary", prior=1.0, statistics=statistics)
        for reply in ("yes", "yes", "yes", "no", "yes"):
            env.step(json.dumps({"decision": reply}))
        told[statistics] = env.last()[0]["text"]
    tells(told["counts"], "1 high 1")
    assert "2nd" in told["counts"]
    assert "50%" in told["shares"]


BIDS = (
    ('{"bid": 40, "reason": "I need water."}', 40.0),
    ("I will bid $40 for today's water. My reason: by bidding $40 I keep $30.", 40.0),
    ("I need 8 units, and I will bid $5 per unit, so 8 x $5. I place a bid of $40.", 40.0),
    ("To be safe, my bid is 1,040$", 1040.0),
    ("My bid: I will bid 30, or I will bid 40.", "unclear"),
    ("Water is scarce today.", "no_json"),
)


def test_a_bid_and_its_reason_in_one_answer() -> None:
    for reply, bid in BIDS:
        found = plain(table("water_allocation", "alympics"), reply)
        assert found == (bid if isinstance(bid, str) else {"bid": bid}), reply


def test_a_day_is_told_at_once_bids_first_and_then_how_all_stand() -> None:
    env = table("water_allocation", "alympics", supply=(9, 9), days=3)
    for bid in (70, 10, 0, 0, 0):
        env.step(f"I will bid ${bid}.")
    lines = env.last()[0]["text"].splitlines()
    assert facts(lines[0]) == "1 Alex 70 Bob 10 Cindy 0 David 0 Eric 0"
    tells(lines[1], "Alex")
    assert [facts(line) for line in lines[2:4]] == ["Alex 0 10 1", "Bob 75 7 2"]
    assert facts(lines[7]).startswith("Alex 2 9")


def test_a_model_reads_its_own_reasons_again() -> None:
    from econzoo.baselines import LanguageModelPlayer
    from econzoo.baselines.models import FunctionChat

    model = FunctionChat(lambda conversation, schema, seed: "I will bid $5. I save for later.")
    players = [LanguageModelPlayer("mock:x", model), *["all-in"] * 4]
    econzoo.play("water_allocation", players, prompts="alympics", days=2)
    assert [m["content"] for m in model.questions[1].conversation if m["role"] == "assistant"] == [
        model.questions[0].reply
    ]


def test_a_model_in_the_place_of_others_answers_in_the_same_words() -> None:
    from econzoo.evaluate.analyses.alympics.match_indicators import predictions_of

    players = ["mock:I will bid $5.?reasoning=k-level(1)", *["all-in"] * 4]
    record = econzoo.play("water_allocation", players, prompts="alympics", days=1)
    assert record.turns[0].action == {"bid": 5.0}
    assert predictions_of(record, 0) == {1: dict.fromkeys(range(1, 5), 5.0)}


# -- records and reports


def played(prompts: Any) -> Record:
    replies = ['mock:{"alice_gain":6,000,"bob_gain":4,000,"message":"Hi"}', 'mock:{"decision":"accept"}']
    return econzoo.play("bargaining", replies, seed=1, prompts=prompts)


def test_a_record_names_the_set_and_holds_its_texts(tmp_path: Path) -> None:
    record = played("glee")
    kept = record.options["prompts"]
    assert (kept["set"], kept["name"], len(kept["hash"])) == ("glee", "glee", 12)
    assert record.payoffs == [6000.0, 4000.0]
    again = Record.from_json(record.to_json())
    assert replay(again) == []
    assert played(kept).options == record.options


def test_another_text_has_another_hash_and_a_wrong_hash_is_refused() -> None:
    kept = played("glee").options["prompts"]
    changed = {name: text for name, text in kept.items() if name != "hash"} | {"turn.answer": "Well?"}
    assert played(changed).options["prompts"]["hash"] != kept["hash"]
    with refuses(ValueError, "hash", kept["hash"]):
        econzoo.make("bargaining", prompts={**changed, "hash": kept["hash"]})


def test_a_report_names_the_set(tmp_path: Path) -> None:
    record = played("glee")
    file = tmp_path / "records.jsonl"
    file.write_text(record.to_json() + "\n", encoding="utf-8")
    assert f"glee ({record.options['prompts']['hash']})" in analyze(tmp_path).to_html()


def test_a_set_that_is_not_there_is_refused() -> None:
    for game, prompts, told in [
        ("water_allocation", "glee", ("prompts", "glee", "TOML", "alympics")),
        ("bargaining", {"set": "alympics"}, ("set", "alympics", "glee")),
        ("matrix", {"set": "glee"}, ("set", "glee", "none")),
        ("bargaining", "glee:nowhere", ("prompts", "glee:nowhere", "rules_prompt.txt")),
        ("water_allocation", "alympics:nowhere", ("prompts", "alympics:nowhere", "run.py")),
    ]:
        with refuses(ValueError, *told):
            econzoo.make(game, prompts=prompts)
