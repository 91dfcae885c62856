"""How answers are written is declared: names in any language, numbers, keys beside the move, sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import econzoo
from econzoo.baselines.human import HumanPlayer
from econzoo.baselines.terminal import Terminal
from econzoo.envs.core.contract import Invalid
from econzoo.envs.games.bargaining import Accept, Offer, Reject
from refusals import refuses, says

GERMAN = Path(__file__).parent / "german.toml"


def table(**options: Any) -> Any:
    env = econzoo.make("bargaining", face="text", **{"prompts": GERMAN, **options}).unwrapped
    env.reset(seed=1)
    return env


def read(env: Any, reply: str) -> Any:
    agent = env.agent_selection
    return env.face(agent).decode(reply, env.legal(agent))


OFFER = '{"nachricht":"Hallo","art":"angebot","für_mich":6000,"grund":"fair genug"}'


def test_an_offer_in_german() -> None:
    for reply, move in [
        (OFFER, Offer(6000.0, "Hallo")),
        ('{"art":"angebot","für_mich":"6.000,50"}', Offer(6000.5)),
        ('{"art":"angebot","für_mich":"6.000 €"}', Offer(6000.0)),
        ('{"art":"angebot","für_mich":€6000}', Offer(6000.0)),
        ('{"art":"angebot","für_mich":1e3}', Offer(1000.0)),
        ('{"art":"angebot","für_mich":6.5}', Offer(6.5)),
        ('Gut:\n```json\n{"art":"angebot","für_mich":6000}\n```', Offer(6000.0)),
    ]:
        assert read(table(), reply) == move, reply


def test_what_is_wrong_is_told_in_the_same_words() -> None:
    for reply, code, *named in [
        ('{"kind":"offer","gain":6000}', "missing_key", "art", "angebot"),
        ('{"art":"offer","für_mich":6000}', "unknown_kind", "'offer'", "art", "angebot"),
        ('{"art":"annehmen"}', "illegal_now", "das geht jetzt nicht"),
        ('{"art":"angebot"}', "missing_key", "für_mich"),
        ('{"art":"angebot","für_mich":6000,"gain":1}', "unknown_key", "'gain'", "für_mich", "nachricht"),
        ('{"art":"angebot","für_mich":6000,"grund":1}', "wrong_type", "grund", 1),
        ('{"art":"angebot","für_mich":"20.000"}', "out_of_range", "für_mich"),
        ('{"art":"angebot","für_mich":6.000}', "bad_json"),
        ('{"art":"angebot","für_mich":"viel"}', "wrong_type", "für_mich", "'viel'"),
        ("Ich biete 6000.", "no_json", "JSON-Objekt"),
    ]:
        env = table()
        problem = read(env, reply)
        assert isinstance(problem, Invalid), reply
        assert problem.code == code, reply
        says(problem.text, *named)
        env.step(reply)
        assert problem.text in env.last()[0]["text"], reply


def test_each_of_several_names_is_read_and_the_first_is_asked_for() -> None:
    env = table()
    env.step(OFFER)
    assert '{"art":<eins von: annehmen, ablehnen>,"grund":<dein Grund' in env.last()[0]["text"]
    moves = [read(env, f'{{"art":"{word}"}}') for word in ("annehmen", "ja", "ablehnen", "nein")]
    assert [type(move) for move in moves] == [Accept, Accept, Reject, Reject]


def test_the_form_and_the_schema_ask_for_the_same_keys_in_the_same_order() -> None:
    env = table()
    form = env.last()[0]["text"].splitlines()[-1]
    keys = (
        '"art":"angebot"',
        '"nachricht":<Worte an die andere Seite, höchstens 500 Zeichen>',
        '"für_mich":<Euro, die du behältst, eine Zahl von 0 bis 10.000>',
        '"grund":<dein Grund, höchstens 2000 Zeichen>',
    )
    assert form == f"Antworte mit einem JSON-Objekt: {{{','.join(keys)}}}"
    schema = env.json_schema("player_0")
    assert list(schema["properties"]) == ["art", "nachricht", "für_mich", "grund"]
    assert schema["properties"]["art"] == {"const": "angebot"}
    assert schema["properties"]["für_mich"]["maximum"] == 10_000
    assert schema["required"] == list(schema["properties"])


def test_a_reason_stays_in_the_reply_and_is_no_part_of_the_move() -> None:
    record = econzoo.play("bargaining", [f"mock:{OFFER}", 'mock:{"art":"ja"}'], prompts=GERMAN)
    first = record.turns[0]
    assert json.loads(first.reply)["grund"] == "fair genug"
    assert first.action == {"kind": "offer", "gain": 6000.0, "message": "Hallo"}
    assert record.payoffs == [6000.0, 4000.0]


def test_a_person_is_asked_in_the_same_words() -> None:
    shown, typed = [], iter(["viel", "6.000,50", "Hallo", "fair genug"])

    def ask(prompt: str) -> str:
        shown.append(prompt)
        return next(typed)

    person = HumanPlayer("human", terminal=Terminal(ask, shown.append))
    record = econzoo.play("bargaining", [person, 'mock:{"art":"ja"}'], prompts=GERMAN)
    assert json.loads(record.turns[0].reply) == {
        "art": "angebot",
        "nachricht": "Hallo",
        "für_mich": 6000.5,
        "grund": "fair genug",
    }
    says(shown[-2], "Schluss", "6.000,50 €")
    says(shown[-1], "Gewinn", "6.000,50")
    says(shown, "Euro", "von 0 bis 10.000", "Bitte eine Zahl", "Dein Grund")
    assert not [line for line in shown if "Please" in line or "Your" in line]


def test_a_person_chooses_by_the_names_of_the_answers() -> None:
    shown, typed = [], iter(["accept", "ann", "", ""])

    def ask(prompt: str) -> str:
        shown.append(prompt)
        return next(typed)

    person = HumanPlayer("human", terminal=Terminal(ask, shown.append))
    record = econzoo.play("bargaining", [f"mock:{OFFER}", person], prompts=GERMAN)
    says(shown, "Dein Zug", "1) annehmen", "2) ablehnen", "annehmen oder ablehnen")
    assert record.turns[1].action == {"kind": "accept"}


def test_a_wrong_declaration_is_refused_when_the_environment_is_made() -> None:
    for answer, *named in [
        ({"kinds.bid": "x"}, "answer.kinds.bid", "kinds.offer"),
        ({"keys.price": "x"}, "answer.keys.price"),
        ({"colour": "x"}, "answer.colour", "kind", "order", "thousands"),
        ({"keys.gain": "{nobody}"}, "answer.keys.gain"),
        ({"keys.gain": "message"}, "'message'"),
        ({"kind": "gain"}, "'gain'"),
        ({"keys.gain": ""}, "''"),
        ({"others": "kept"}, "answer.others", "'kept'", "'ignored'"),
    ]:
        with refuses(ValueError, *named):
            econzoo.make("bargaining", prompts={f"answer.{name}": text for name, text in answer.items()})


WORDS = {"answer.thousands": ",", "answer.unit": "$", "answer.said.bid": "I will bid {number} | my bid is {number}"}


def test_a_sentence_is_an_answer_where_there_is_no_object() -> None:
    for reply, bid in [
        ("I will bid $1,250.50 today. Last time my bid is 3.", 1250.5),
        ("So MY BID\nis 40$.", 40.0),
        ("I will bid 40, yes: I will bid $40!", 40.0),
        ('I will bid 30. {"bid": 35}', 35.0),
        ("<think>I will bid 10</think>I will bid 20.", 20.0),
    ]:
        env = econzoo.make("water_allocation", face="text", prompts=WORDS).unwrapped
        env.reset(seed=1)
        assert read(env, reply).bid == bid, reply


def test_what_a_sentence_does_not_say_for_sure_is_no_answer() -> None:
    for reply, code in [
        ("I will bid 30 or I will bid 40.", "unclear"),
        ("I bid nothing.", "no_json"),
        ("I will bid 12a.", "no_json"),
        ("We will bid high.", "no_json"),
    ]:
        env = econzoo.make("water_allocation", face="text", prompts=WORDS).unwrapped
        env.reset(seed=1)
        assert read(env, reply).code == code, reply


def test_signs_in_numbers_are_changed_once_wherever_a_number_is_told() -> None:
    """A number that stays the same all game stands in rules, questions, events and endings alike."""
    told = {"brief.game": "{money}", "turn.propose": "{money}", "event.own_offer": "{money} {own}"}
    prompts = {"answer.thousands": ".", "answer.decimal": ",", **told}
    env = econzoo.make("bargaining", face="text", prompts=prompts, horizon=1).unwrapped
    env.reset(seed=1)
    first = env.last()[0]["text"]
    env.step('{"kind": "offer", "gain": 5000}')
    assert first.startswith("10.000 ")
    assert "\n10.000" in first
    assert "10.000 5.000" in env.observe(env.possible_agents[0])["text"]
