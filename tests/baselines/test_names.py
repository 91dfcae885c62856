"""Names of players: what is part of who a player is, what it is called in tables, and which names are refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import clean
from econzoo.envs.core.record import distinct_short_forms, identity, labels, split_name
from econzoo.envs.core.record.spec import MAX_LABEL_LENGTH
from econzoo.evaluate.run import new_design
from econzoo.evaluate.run.design import check_design, write_design
from refusals import refuses

MODEL = "openai:gpt-5@http://127.0.0.1:8000/v1"
ACCEPT = 'mock:{"kind":"accept"}'


def test_name_rest_and_identity_of_a_spec():
    for spec, name, rest, who in [
        ("spe", "", "spe", "spe"),
        ("boulware(e=0.2)", "", "boulware(e=0.2)", "boulware(e=0.2)"),
        ("tough=boulware(e=0.2)", "tough", "boulware(e=0.2)", "boulware(e=0.2)"),
        (f"fast={MODEL}", "fast", MODEL, "openai:gpt-5"),
        (f"{MODEL}?name=CPM", "CPM", MODEL, "openai:gpt-5"),
        (f"{MODEL}?temperature=0&name=CPM", "CPM", f"{MODEL}?temperature=0", "openai:gpt-5?temperature=0"),
        (f"CPM={MODEL}?name=CPM", "CPM", MODEL, "openai:gpt-5"),
        ("openai:gpt-5?price_per_million=3,15&temperature=0", "", None, "openai:gpt-5?temperature=0"),
        ("openai:gpt-5?requests_per_minute=9&concurrency=2&timeout=5", "", None, "openai:gpt-5"),
        ("hf:smollm2?device=cpu&temperature=0", "", None, "hf:smollm2?temperature=0"),
        ("hf:user@host/model", "", None, "hf:user@host/model"),
        ('mock:{"kind":"offer","message":"a=b"}', "", None, 'mock:{"kind":"offer","message":"a=b"}'),
        (
            f"wary=trust(0.7, reader='{MODEL}?timeout=9&temperature=0')",
            "wary",
            f"trust(0.7, reader='{MODEL}?timeout=9&temperature=0')",
            "trust(0.7, reader='openai:gpt-5?temperature=0')",
        ),
        ('grim(reader="hf:smollm2?batch_size=4")', "", None, 'grim(reader="hf:smollm2")'),
    ]:
        assert split_name(spec) == (name, spec if rest is None else rest), (spec, name, rest, who)
        assert identity(spec) == who, (spec, name, rest, who)


def test_labels_are_short_and_tell_the_players_of_a_table_apart():
    for specs, told in [
        (["spe", "boulware(0.2)", "hf:smollm2"], ["spe", "boulware(0.2)", "hf:smollm2"]),
        (
            ["openai:gpt-4o-mini?requests_per_minute=60", "openai:anthropic/claude-3-7-sonnet?requests_per_minute=60"],
            ["gpt-4o-mini", "claude-3-7-sonnet"],
        ),
        (
            [f"{MODEL}?temperature=0.7&objective=payoff", f"{MODEL}?temperature=0.7&objective=deceptive"],
            ["gpt-5?objective=payoff", "gpt-5?objective=deceptive"],
        ),
        (["openai:a/m", "openai:b/m"], ["a/m", "b/m"]),
        (
            ["hf:meta-llama/Llama-3.1-8B-Instruct", "hf:runs/of/the/first/step-500?temperature=1"],
            ["Llama-3.1-8B-Instruct", "step-500?temperature=1"],
        ),
        (
            ["ppo:runs/first/checkpoint-500", "ppo:runs/second/checkpoint-500"],
            ["first/checkpoint-500", "second/checkpoint-500"],
        ),
        (['mock:{"message":"1/2"}', "mock:*"], ['mock:{"message":"1/2"}', "mock:*"]),
        ([f"fast={MODEL}", "openai:gpt-5?temperature=0"], ["fast", "gpt-5?temperature=0"]),
        ([MODEL, f"fast={MODEL}?price_per_million=1,2"], ["fast", "fast"]),
        ([f"one={MODEL}", f"two={MODEL}"], ["two", "two"]),
        (["one=openai:a", "one=openai:b"], ["one (a)", "one (b)"]),
    ]:
        assert list(map(labels(specs).get, specs)) == told, (specs, told)


MODELS = st.sampled_from(["m", "gpt-5", "a/m", "b/m", "a/b/m", "/tmp/a/m", "m/", "m@http://h:1/v1", "x" * 70 + "/m"])
OPTIONS = st.lists(
    st.sampled_from(["temperature=0", "temperature=1", "objective=own", "timeout=9", "name=m"]), max_size=3
)
SPECS = st.one_of(
    st.builds(lambda kind, model, options: f"{kind}:{model}?{'&'.join(options)}".rstrip("?"),
              st.sampled_from(["openai", "hf", "ppo", "m=hf", "gpt-5=openai"]), MODELS, OPTIONS),
    st.builds(lambda text, end: f"mock:{text}{end}", st.sampled_from(["a" * 80, "a" * 61, '{"a": "/"}']), st.text()),
    st.text(alphabet="ab(.)…\0\n ", min_size=1),
)  # fmt: skip


@given(st.lists(SPECS, max_size=8))
def test_no_two_players_have_the_same_label(specs):
    """Whatever they are: every label is short, on one line, and belongs to one player."""
    found = labels(specs)
    players = {spec: identity(spec) for spec in specs}
    assert len({(player, found[spec]) for spec, player in players.items()}) == len(set(players.values()))
    assert len(set(found.values())) == len(set(players.values()))
    assert all(len(told) <= MAX_LABEL_LENGTH and told == clean(told).replace("\n", " ") for told in found.values())


@given(st.lists(st.text(alphabet="ab….\0 ", max_size=40), max_size=12), st.integers(16, 30))
def test_no_two_texts_are_the_same_when_they_are_short(texts, length):
    found = distinct_short_forms(texts, length)
    assert len(set(found.values())) == len(set(texts))
    assert all(len(told) <= length for told in found.values())


def test_texts_are_told_apart_by_what_differs():
    one, other = (f"mock:{'offer and ' * 9}{word}{' and wait' * 9}" for word in ("accept", "reject"))
    assert distinct_short_forms([one, other], 30) == {
        one: "mock:offer…and accept and wai…",
        other: "mock:offer…and reject and wai…",
    }
    assert distinct_short_forms([one, "spe"], 30) == {one: "mock:offer and … wait and wait", "spe": "spe"}


def test_names_that_are_not_allowed():
    for name in ["a/b", "..", "a\\b", "", "-x", "x" * 41, "a\nb", "a:b"]:
        with refuses(ValueError, f"{name=}", 40):
            split_name(f"hf:smollm2?name={name}")
    for spec in ("a=hf:smollm2?name=b", "hf:smollm2?name=a&name=b"):
        with refuses(ValueError, repr(spec), "name="):
            split_name(spec)


def test_two_players_have_two_names():
    for players, *told in [
        (["spe=fair", "fair"], "'spe'"),
        (["random=fair", "spe"], "'random'"),
        (["me=fair", "me=spe"], "'me=fair'", "'me=spe'"),
        (["me=fair", "fair"], "'me=fair'", "'fair'"),
        (["a=openai:m@http://h:1/v1", "b=openai:m@http://h:2/v1?timeout=9"], "'a=openai:m@http://h:1/v1'"),
    ]:
        with refuses(ValueError, *told):
            new_design("bargaining", players)


def test_a_named_player_meets_itself_under_its_name_among_the_opponents():
    """Pools have the bare spec: that is no other player, and no mistake of who named it."""
    assert new_design("bargaining", ["me=fair"], opponents=["fair", "spe"]).opponents == ("me=fair", "spe")


def test_a_named_player_is_a_player_like_any_other():
    one = econzoo.player("even=fair")
    assert one.spec == "even=fair"
    record = econzoo.play("bargaining", ["even=fair", one], horizon=3)
    assert record.players == ["even=fair", "even=fair"]
    assert record.labels == ["even", "even"]
    assert record.id == econzoo.play("bargaining", ["fair", "fair"], horizon=3).id
    assert '"labels"' not in record.to_json()


def test_a_plan_goes_on_at_another_price_and_address_and_with_a_name(tmp_path):
    write_design(new_design("bargaining", ["openai:gpt-5?requests_per_minute=60", "fair"]), tmp_path)
    check_design(new_design("bargaining", [f"fast={MODEL}?price_per_million=3,15", "fair"]), tmp_path)
    with refuses(ValueError, "players", "openai:gpt-5"):
        check_design(new_design("bargaining", [f"fast={MODEL}?temperature=0", "fair"]), tmp_path)
