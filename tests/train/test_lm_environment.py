"""A seat as TRL's environment: tools from the game's own models, errors that change nothing, TRL's own loop."""

from __future__ import annotations

import inspect
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_world import SMALL, build_tiny, learning_curve, write_records

import econzoo
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import read_record_file
from econzoo.testing.texts import find_playable, strings
from econzoo.train.lm.environment import GAME_OVER, as_trl_environment
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.reward import PENALTY, outcome_of
from refusals import refuses
from toy_games import LOWEST_BID, PENNIES, SEVERAL_FIELDS, register_temporarily

FORFEIT_REWARD = -0.25
"""Of bargaining, in which no result is worth less than 0."""


def seat(**options):
    return as_trl_environment("bargaining", **{"opponents": ["fair"], "money": 100.0, **options})()


def public(environment):
    found = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    return {name for name, _ in found if not name.startswith("_")}


def test_the_public_methods_are_the_moves():
    assert public(seat()) == {"reset", "get_reward", "offer", "accept", "reject"}
    with register_temporarily(PENNIES, LOWEST_BID):
        assert public(as_trl_environment("pennies", opponents=["random"])()) == {
            "reset", "get_reward", "heads", "tails",
        }  # fmt: skip
        environment = as_trl_environment("lowest_bid", opponents=["random"])()
        (name,) = public(environment) - {"reset", "get_reward"}
        environment.reset(seed=0)
        assert isinstance(getattr(environment, name)(1.0), str)


@pytest.mark.parametrize(
    ("game", "tool", "types"),
    [
        ("division", "offer", {"keep": list[int], "message": str}),
        ("budget", "order", {"price": float, "quantity": int, "market": str, "message": str}),
        ("punish", "punish", {"whom": int, "points": int}),
        ("talk_then_bid", "say", {"claim": str, "message": str}),
    ],
)
def test_arguments_of_several_fields(game, tool, types):
    with register_temporarily(*SEVERAL_FIELDS.values()):
        method = getattr(as_trl_environment(game, opponents=["random"]), tool)
    assert method.__annotations__ == {**types, "return": str}


def test_moves_of_several_fields_through_the_tools():
    with register_temporarily(*SEVERAL_FIELDS.values()):
        environment = as_trl_environment("division", opponents=["random"])()
        environment.reset(seed=0)
        with refuses(ValueError, "offer"):
            environment.offer([1, 2, 3])
        with refuses(ValueError, '"keep"', 3, "[1]"):
            environment.offer([1])
        assert isinstance(environment.offer(keep=[1, 2, 2], message="The rest is yours."), str)
        buyer = as_trl_environment("budget", opponents=["random"], rounds=1)()
        buyer.reset(seed=0)
        with refuses(ValueError, '"market"', "north", "south"):
            buyer.order(5.0, 2, "east")
        buyer.order(5.0, 2, "south")
        assert buyer._record.turns[0].action == {"kind": "order", "price": 5.0, "quantity": 2, "market": "south"}


def test_a_choice_is_one_in_the_schema_of_its_tool():
    pytest.importorskip("transformers")
    from transformers.utils import get_json_schema

    with register_temporarily(*SEVERAL_FIELDS.values()):
        buyer, divider = (as_trl_environment(game, opponents=["random"])() for game in ("budget", "division"))
    fields = get_json_schema(buyer.order)["function"]["parameters"]["properties"]
    assert fields["market"] == {"type": "string", "enum": ["north", "south"], "description": "where to buy"}
    keep = get_json_schema(divider.offer)["function"]["parameters"]["properties"]["keep"]
    assert (keep["type"], keep["items"]) == ("array", {"type": "integer"})


def test_a_whole_match_through_the_tools():
    environment = seat(objective="0.5*self_gain+0.5*fairness")
    first = environment.reset(seed=3)
    assert "You are Alice" in first
    assert "Round 1" in first
    assert "JSON" not in first
    assert environment.get_reward() == FORFEIT_REWARD
    said = environment.offer(90.0, "All mine.")
    assert "rejected" in said
    assert environment.get_reward() == FORFEIT_REWARD
    environment.accept()
    assert environment.get_reward() == pytest.approx(0.5 * 0.45 + 0.5, rel=1e-4)
    assert environment._record.turns[0].action == {"kind": "offer", "gain": 90.0, "message": "All mine."}
    assert environment._record.players == ["learner", "fair"]


def test_illegal_calls_raise_and_change_nothing():
    environment = seat()
    environment.reset(seed=0)
    before = environment._table.env.events
    for call, arguments, *named in [
        ("accept", {}, "accept", "offer"),
        ("reject", {}, "reject", "offer"),
        ("offer", {"gain": 101.0}, "gain", 0, 100),
        ("offer", {"gain": float("nan")}, "gain"),
        ("offer", {"gain": "50"}, "gain"),
        ("offer", {"gain": True}, "gain"),
        ("offer", {"gain": None}, "gain"),
        ("offer", {}, '"gain"'),
        ("offer", {"gain": 1.0, "message": 5}, "message"),
        ("offer", {"gain": 1.0, "keep": 5}, "keep", "gain"),
    ]:
        with refuses(ValueError, *named):
            getattr(environment, call)(**arguments)
        assert environment._table.env.events == before
        assert environment._table.record.turns == []
    environment.offer(50.0)
    for call, arguments in (("accept", {}), ("offer", {"gain": 1.0})):
        with pytest.raises(ValueError, match=GAME_OVER[:20]):
            getattr(environment, call)(**arguments)
    assert environment.get_reward() == pytest.approx(0.5 - 10 * PENALTY, rel=1e-4)


def test_words_are_refused_where_they_are_off():
    environment = seat(messages=False)
    environment.reset(seed=0)
    with refuses(ValueError, "messages"):
        environment.offer(50.0, "please")
    environment.offer(50.0, "")


def test_nothing_survives_a_reset():
    environment = seat(opponents=["random"])
    firsts = []
    for _ in range(3):
        firsts.append(environment.reset(seed=11))
        assert environment.get_reward() == FORFEIT_REWARD
        firsts.append(environment.offer(99.0))
        environment.reset(seed=12)
        environment.offer(1.0)
    assert firsts[0::2] == [firsts[0]] * 3
    assert firsts[1::2] == [firsts[1]] * 3


@given(seed=st.integers(0, 2**32))
def test_the_match_is_that_of_play(seed):
    """The same ticket and moves give the record that the match runner gives: markets, opponents, payoffs."""
    environment = as_trl_environment("bargaining", objective="efficiency")()
    (ticket,) = make_specs("bargaining", [seed], [1], ["random"], ["train"])
    environment.reset(episode_spec=ticket.to_json(), prompt=[], seed=5, seat=0)
    while environment._record is None:
        if environment._legal().kinds[0]:
            environment.offer(0.5 * environment._table.env.params.money)
        else:
            environment.reject()
    wanted = econzoo.play("bargaining", ["random", half_or_nothing()], seed=seed, **ticket.params)
    assert [t.action for t in environment._record.turns] == [t.action for t in wanted.turns]
    assert environment._record.payoffs == wanted.payoffs
    goal = Objective("efficiency")(wanted.payoffs, outcome_of(wanted), 1)
    assert environment.get_reward() == pytest.approx(goal, rel=1e-4)


def half_or_nothing():
    from econzoo.baselines import Player

    class Half(Player):
        def act(self, observation, info):
            if "offer" in observation["legal_actions"]:
                return {"kind": "offer", "gain": observation["money"] / 2}
            return {"kind": "reject"}

    return Half("half")


def test_rows_without_a_ticket_take_turns():
    kind = as_trl_environment("bargaining", 1, ["fair", "greedy(1.0)"], settings=["ultimatum", "two-rounds"])
    seen = set()
    for seed in range(4):
        environment = kind()
        environment.reset(seed=seed)
        seen.add((environment._table.match.players[0], environment._table.match.params["horizon"]))
    assert seen == {("fair", 1), ("fair", 2), ("greedy(1.0)", 1), ("greedy(1.0)", 2)}


def test_wrong_arguments():
    for wrong, *named in (
        ({"game_name": "chess"}, "chess"),
        ({"opponents": ["self"]}, "self", "tools"),
        ({"opponents": ["nobody"]}, "nobody"),
        ({"opponents": []},),
        ({"objective": "wealth"}, "objective='wealth'"),
        ({"settings": ["moon"]}, "moon"),
        ({"seat": 2}, "seat=2"),
        ({"money": 0}, "money=0"),
    ):
        with refuses(ValueError, *named):
            as_trl_environment(**{"game_name": "bargaining", **wrong})


@pytest.mark.models
def test_tools_as_a_model_sees_them():
    pytest.importorskip("transformers")
    from transformers.utils import get_json_schema

    environment = seat()
    offer = get_json_schema(environment.offer)["function"]
    assert offer["description"].startswith("Propose how to divide the money")
    assert offer["parameters"]["properties"]["gain"] == {
        "type": "number",
        "description": "dollars that you keep if the offer is accepted; the other player gets the rest",
    }
    assert offer["parameters"]["properties"]["message"]["type"] == "string"
    assert offer["parameters"]["required"] == ["gain"]
    for tool in (environment.accept, environment.reject):
        described = get_json_schema(tool)["function"]
        assert described["description"]
        assert described["parameters"]["properties"] == {}


@pytest.mark.models
def test_rows_of_a_dataset():
    pytest.importorskip("datasets")
    from econzoo.train.lm.environment import make_dataset

    data = make_dataset("bargaining", range(4), [0, 1], ["fair"], ["train"])
    assert data.column_names == ["prompt", "seed", "seat", "episode_spec"]
    for row in data:
        environment = as_trl_environment("bargaining")()
        assert environment.reset(**row) == as_trl_environment("bargaining")().reset(**row)
        assert json.loads(row["episode_spec"])["seed"] == row["seed"]


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """A tiny model that has learned by heart to call ``offer``."""
    pytest.importorskip("trl")
    from econzoo.train.lm.sft import SFTRecipe, train_sft

    folder = tmp_path_factory.mktemp("tools")
    records = write_records(folder / "r.jsonl", [("fair", "fair")], 1)
    tiny = build_tiny(folder / "tiny", records)
    train_sft(
        SFTRecipe(
            [records],
            model=f"hf:{tiny}",
            out=str(folder / "m"),
            keep=1.0,
            seats=[0],
            mode="tools",
            steps=40,
            batch_size=2,
            lr=1e-2,
        )
    )
    return str(folder / "m"), records


@pytest.mark.long
@pytest.mark.models
def test_the_learned_tokens_are_the_calls(caller):
    from econzoo.baselines.models import load
    from econzoo.train.lm.sft_trainer import tool_tokens

    loaded = load(caller[0])
    (tokens,) = tool_tokens(loaded, next(read_record_file(caller[1])), 0, 1024)
    text = loaded.tokenizer.decode([token for token, own in zip(tokens.ids, tokens.own_mask, strict=True) if own])
    call = '<tool_call>{"name": "offer", "arguments": {"gain":50}}</tool_call>'
    assert text == f"{call}<|im_end|>Done.<|im_end|>"
    read = loaded.tokenizer.decode([token for token, own in zip(tokens.ids, tokens.own_mask, strict=True) if not own])
    assert "offer(gain: number, message: string): Propose how to divide the money" in read
    assert "<tool_response>Round 1: Bob accepted your proposal." in read
    assert "JSON" not in read


@pytest.mark.slow
@pytest.mark.models
def test_trl_plays_through_the_tools(caller, tmp_path):
    from econzoo.train.lm.grpo import GRPORecipe, train_grpo

    short = {"steps": 1, "groups": 2, "group_size": 4, "max_length": 128, "max_new_tokens": 24, "lr": 1e-3, "warmup": 0}
    known = {"seats": [0], "settings": ["default"], "param": ["money=100", "horizon=2", "messages=false"]}
    args = GRPORecipe(
        model=f"hf:{caller[0]}", out=tmp_path, mode="tools", opponents=["fair"], temperature=0.5, **short, **known
    )
    train_grpo(args)
    header, row = learning_curve(tmp_path)
    assert float(row[header.index("tool_calls")]) > 0.5
    assert float(row[header.index("reward")]) > 0
    record = econzoo.play("bargaining", [f"hf:{tmp_path}", "fair"], **SMALL)
    assert record.errors == [0, 0]


@pytest.mark.models
def test_a_model_without_the_markup_is_refused(tmp_path):
    pytest.importorskip("trl")
    from transformers import AutoTokenizer

    from econzoo.train.lm.environment import make_tool_ready

    records = write_records(tmp_path / "r.jsonl", [("fair", "fair")], 1)
    tokenizer = AutoTokenizer.from_pretrained(build_tiny(tmp_path / "tiny", records))
    assert make_tool_ready(tokenizer).response_template
    assert AutoTokenizer.from_pretrained(saved(tokenizer, tmp_path / "again")).response_template
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    tokenizer.get_vocab = dict
    with refuses(ValueError, "tools"):
        make_tool_ready(tokenizer)


def saved(tokenizer, folder):
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.models
@pytest.mark.parametrize("name", econzoo.games())
def test_no_tool_description_holds_a_legal_move(name):
    pytest.importorskip("transformers")
    from transformers.utils import get_json_schema

    env = econzoo.make_raw(name, face="text")
    env.reset(seed=0)
    environment, tried = as_trl_environment(name, opponents=["random"])(), set()
    for tool in public(environment) - {"reset", "get_reward"}:
        for words in strings(get_json_schema(getattr(environment, tool))):
            assert find_playable(env, env.agent_selection, words, tried) is None, words


def test_the_other_seats_need_opponents_that_are_not_the_policy():
    for opponents, wrong in (([], "opponents=[]"), (["fair", "self"], "self")):
        with refuses(ValueError, wrong):
            as_trl_environment("bargaining", opponents=opponents)
