"""The order in which kinds of move stand: in questions, schemas, feedback and records."""

from __future__ import annotations

import econzoo
from econzoo.baselines import LanguageModelPlayer
from econzoo.baselines.models import FunctionChat
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.testing.texts import kinds_in

ASKED = {
    "declared": "accept, reject",
    "reversed": "reject, accept",
    ("reject", "offer", "accept"): "reject, accept",
    ("accept", "offer", "reject"): "accept, reject",
}


def test_question_schema_and_feedback_name_kinds_in_order() -> None:
    for order, asked in ASKED.items():
        env = econzoo.make("bargaining", face="text", kind_order=order)
        env.reset(seed=0)
        env.step('{"kind": "offer", "gain": 100}')
        assert env.last()[0]["text"].endswith(f'{{"kind":<one of: {asked}>}}'), order
        assert kinds_in(env.unwrapped.json_schema("player_1")) == asked.split(", "), order
        env.step('{"kind": "sell"}')
        assert env.last()[4]["error"].endswith('allowed now: "{}"'.format(asked.replace(", ", '", "'))), order


def test_a_shuffled_order_follows_from_the_seed() -> None:
    """The same seed has the same order; over many, either of two kinds stands first about half of the time."""
    env = econzoo.make("bargaining", face="chat", kind_order="shuffled")

    def first(seed: int) -> str:
        env.reset(seed=seed)
        env.step('{"kind": "offer", "gain": 100}')
        return kinds_in(env.unwrapped.json_schema("player_1"))[0]

    drawn = [first(seed) for seed in range(60)]
    assert drawn == [first(seed) for seed in range(60)]
    assert 20 <= drawn.count("accept") <= 40


def test_records_name_the_order_and_replay() -> None:
    for order in ["reversed", "shuffled", ["D", "C"]]:
        record = econzoo.play("matrix", ["mock:*", "tit-for-tat"], seed=1, rounds=3, kind_order=order)
        again = Record.from_json(record.to_json())
        assert again.options == {"kind_order": order}, order
        assert list(replay(again)) == [], order
        again.options = {}
        assert list(replay(again)), "the prompts were in another order"


def test_an_order_that_is_given_is_recorded() -> None:
    for given in ({}, {"kind_order": "declared"}, {"kind_order": "reversed"}):
        assert econzoo.play("matrix", ["cooperator", "cooperator"], **given).options == given


def test_whoever_imagines_the_other_seat_reads_its_kinds_in_the_same_order() -> None:
    """A model that reasons about the other player asks it in the order of its own match."""
    model = FunctionChat(lambda conversation, schema, seed: '{"kind": "C"}')
    player = LanguageModelPlayer("model", model, parts=econzoo.player("mock:x?reasoning=k-level(1)").parts)
    econzoo.play("matrix", [player, "tit-for-tat"], rounds=2, kind_order="reversed", messages=False)
    orders = [kinds_in(asked.schema) for asked in model.questions if asked.schema and "anyOf" in asked.schema]
    assert orders
    assert all(order == ["D", "C"] for order in orders)
