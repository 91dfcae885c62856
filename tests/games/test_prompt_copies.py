"""``glee:DIR`` and ``alympics:DIR``: the wording of a user's own copy, here of small files of the same layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from refusals import refuses

BARGAINING = {
    "rules_prompt.txt": "Play, {{player_name}}, with {{rival_name}} for {{money_to_divide}}$.\n{{inflation_message}}\n"
    "{{max_rounds_message}}\n{{player_1_public_name}} begins.",
    "offer_format.txt": 'Offer {{money_to_divide}}${{add_message1}}:\n{"{{player_name_lower}}_gain": mine,\n'
    '"{{rival_name_lower}}_gain": for {{rival_name}}{{add_message2}}}',
}
NEGOTIATION = {
    "rules_prompt.json": {
        "seller": "Sell, {{player_name}}, {{self_final_value}}. {{complete_information_message}} "
        "{{next_rounds_info_seller}}",
        "buyer": "Buy, {{player_name}}, {{self_final_value}}. {{complete_information_message}} "
        "{{next_rounds_info_buyer}}",
    },
    "offer_format.json": {"seller": "S {{offer_type}} to {{rival_name}}", "buyer": "B to {{rival_name}}"},
    "offer_format_messages_unallowed.json": {"seller": "S {{offer_type}}", "buyer": "B"},
}
PERSUASION = {
    "rules_prompt.json": {
        "seller": "{{seller_intro}} {{p}} {{seller_p_message}} {{seller_cv_message}} {{total_rounds}} {{buyer_v1}} "
        "{{buyer_v2_cap}} {{myopic_know_statistics}} {{buyer_v2}}",
        "buyer": "{{_seller_name}} {{product_price}} {{buyer_v3}} {{buyer_p_message}} {{v}} {{c}} {{buyer_cv_message}} "
        "{{rounds_prior}} you learn.",
    },
    "format_prompt.json": {
        "seller_text": "Tell {{rival_name}}",
        "seller_binary": "Recommend to {{rival_name}}?",
        "buyer_binary": "Buy?",
        "buyer_text": "Buy, and tell {{rival_name}}?",
    },
}
FOLDERS = {"bargaining": BARGAINING, "negotiation": NEGOTIATION, "persuasion": PERSUASION}

RUN = 'game_setting = "Rules {of} the town.\\n{LOWER} is no field. Supply LOWER to UPPER."\n'
GAME = """
class Resident:
    def __init__(self):
        self.inquiry_prompt = "Well, {}! Day {}, water {}.\\n{}\\nBid and say why."

    def get_status(self, loud=False):
        if loud:
            print("x")
        return f"NAME:{self.name} CASH:{self.balance} HP:{self.hp} DRY:{self.no_drink}"

class Town:
    def __init__(self):
        PERSONA_A = "You are Alex of the town. " #more
        self.round_results_prompt = "Round {}: {}. Of {}, to {}. All: {}"
"""


@pytest.fixture
def glee(tmp_path: Path) -> Path:
    for game, files in FOLDERS.items():
        folder = tmp_path / "copy" / "games" / game / "prompts"
        folder.mkdir(parents=True)
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / name).write_text(text, encoding="utf-8")
    return tmp_path / "copy"


@pytest.fixture
def alympics(tmp_path: Path) -> Path:
    folder = tmp_path / "copy" / "src"
    folder.mkdir(parents=True)
    (folder / "run.py").write_text(RUN, encoding="utf-8")
    (folder / "waterAllocation.py").write_text(GAME, encoding="utf-8")
    return tmp_path / "copy"


def table(game: str, prompts: str, **params: Any) -> Any:
    env = econzoo.make(game, face="chat", prompts=prompts, **params).unwrapped
    env.reset(seed=1)
    return env


def rules(env: Any, seat: int) -> str:
    return env.face(env.possible_agents[seat]).rules(env.view(seat))


def test_bargaining(glee: Path) -> None:
    env = table("bargaining", f"glee:{glee}")
    told = rules(env, 1)
    assert told.startswith("Play, Bob, with Alice for 10,000$.\nThere is inflation")
    assert told.endswith("You have 12 rounds; after that, neither of you gets anything.\nAlice begins.")
    asked = env.last()[0]["text"]
    assert 'Offer 10,000$ and a message:\n{"alice_gain": mine,\n"bob_gain": for Bob,\n"message":' in asked
    silent = table("bargaining", f"glee:{glee}", messages=False).last()[0]["text"]
    assert silent.endswith('Offer 10,000$:\n{"alice_gain": mine,\n"bob_gain": for Bob}')


def test_negotiation(glee: Path) -> None:
    env = table("negotiation", f"glee:{glee}")
    assert rules(env, 0).startswith("Sell, Alice, 10,000. The product is worth $12,000 to Bob. If Bob rejects it")
    assert rules(env, 1).startswith("Buy, Bob, 12,000. The product is worth $10,000 to Alice. If you reject it")
    assert env.last()[0]["text"].endswith("S offer to Bob")
    env.step('{"product_price": 11000, "message": "x"}')
    env.step('{"decision": "RejectOffer"}')
    assert env.last()[0]["text"].endswith("B to Alice")


def test_every_placeholder_of_persuasion_is_filled(glee: Path) -> None:
    for params in ({}, {"message_type": "binary"}, {"buyer": "myopic", "buyer_messages": True}):
        env = table("persuasion", f"glee:{glee}", **params)
        told = [rules(env, 0), rules(env, 1), env.last()[0]["text"]]
        env.step('{"message": "x"}' if "message_type" not in params else '{"decision": "yes"}')
        told.append(env.last()[0]["text"])
        assert not [text for text in told if "{{" in text or "{" in text], params
        assert "12,500" in told[1], params
        assert told[3].endswith("Buy, and tell Alice?" if "buyer" in params else "Buy?")


def test_alympics(alympics: Path) -> None:
    env = table("water_allocation", f"alympics:{alympics}", persona=True, supply=(9, 9))
    assert rules(env, 1).startswith("You are Bob of the town. You are a high school teacher.")
    assert rules(env, 1).endswith("Rules {of} the town.\n{9} is no field. Supply 9 to 9.")
    plain = table("water_allocation", f"alympics:{alympics}")
    assert rules(plain, 1).startswith("You are Bob of the town. Rules")
    assert "Well, Alex! Day 1, water 9.\nNAME:Alex CASH:70 HP:8 DRY:1\nBid and say why." in env.last()[0]["text"]
    for bid in (5, 4, 3, 2, 1):
        env.step(f"I will bid ${bid}")
    told = env.last()[0]["text"]
    assert told.startswith(
        "Round 1: Alex bid 5, Bob bid 4, Cindy bid 3, David bid 2, Eric bid 1. Of 9, to Alex. All: NAME:Alex"
    )
    assert "NAME:Bob CASH:75 HP:7 DRY:2" in told


def test_a_record_needs_no_copy(glee: Path) -> None:
    replies = ['mock:{"alice_gain":6000,"bob_gain":4000,"message":"Hi"}', 'mock:{"decision":"accept"}']
    record = econzoo.play("bargaining", replies, seed=1, prompts=f"glee:{glee}")
    assert record.options["prompts"]["name"] == "glee:copy"
    assert str(glee) not in record.to_json()
    for file in glee.rglob("*.txt"):
        file.unlink()
    assert replay(Record.from_json(record.to_json())) == []


def test_a_file_of_glee_that_cannot_be_filled_is_refused_by_name(glee: Path) -> None:
    for file, content, told in [
        ("bargaining/prompts/rules_prompt.txt", "{{weather}}", ("rules_prompt.txt", "{{weather}}")),
        ("bargaining/prompts/offer_format.txt", "{{rival}}", ("offer_format.txt", "{{rival}}")),
        ("bargaining/prompts/rules_prompt.txt", b"\xff", ("prompts", "UTF-8")),
        ("negotiation/prompts/rules_prompt.json", '{"seller": "x"}', ("rules_prompt.json", "buyer")),
        ("negotiation/prompts/offer_format.json", "[", ("prompts", "glee")),
        ("persuasion/prompts/format_prompt.json", "{}", ("format_prompt.json", "seller_text")),
    ]:
        path = glee / "games" / file
        whole = path.read_bytes()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with refuses(ValueError, *told):
            econzoo.make(file.split("/", maxsplit=1)[0], prompts=f"glee:{glee}")
        path.write_bytes(whole)


def test_a_file_of_alympics_that_cannot_be_filled_is_refused_by_name(alympics: Path) -> None:
    for file, old, new, told in [
        ("run.py", "game_setting", "setting", ("run.py", "game_setting")),
        ("run.py", "LOWER", "lower", ("game_setting", "LOWER")),
        ("waterAllocation.py", "Day {}, ", "", ("inquiry_prompt", 4, "{}")),
        ("waterAllocation.py", "{self.hp}", "{self.mood}", ("get_status", "name", "balance", "hp", "no_drink")),
        ("waterAllocation.py", "class", "klass", ("waterAllocation.py",)),
        ("waterAllocation.py", "are Alex", "are one", ("PERSONA_A", "Alex")),
    ]:
        path = alympics / "src" / file
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole.replace(old, new), encoding="utf-8")
        with refuses(ValueError, *told):
            econzoo.make("water_allocation", prompts=f"alympics:{alympics}")
        path.write_text(whole, encoding="utf-8")
