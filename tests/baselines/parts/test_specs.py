"""Parts in spec strings: what can be named, and what a wrong name is answered with."""

from __future__ import annotations

import econzoo
from econzoo.baselines import is_known_spec, player
from econzoo.baselines.parts import ChainOfThought, Direct, Full, KLevel, Refine, Retrieve, SoloPerformance, Summary
from econzoo.baselines.parts import Table, Window
from econzoo.baselines.parts.spec import MEMORIES, REASONING
from refusals import refuses


def test_without_parts_a_player_is_plain():
    made = player("hf:x?temperature=0")
    assert type(made.parts.memory) is Full
    assert type(made.parts.reasoning) is Direct
    assert (made.parts.persona, tuple(made.parts.tools)) == (None, ())


def test_parts_stand_among_the_options():
    for options, memory, reasoning in [
        ("memory=window(3)", Window, Direct),
        ("memory=retrieve", Retrieve, Direct),
        ("memory=table&reasoning=cot", Table, ChainOfThought),
        ("reasoning=k-level(2)&memory=summary", Summary, KLevel),
        ("reasoning=refine", Full, Refine),
        ("reasoning=solo(5)&temperature=0&max_new_tokens=9", Full, SoloPerformance),
    ]:
        made = player(f"hf:x?{options}")
        assert type(made.parts.memory) is memory, (options, memory, reasoning)
        assert type(made.parts.reasoning) is reasoning, (options, memory, reasoning)


def test_numbers_of_parts():
    assert player("hf:x?memory=window(3)").parts.memory.rounds == 3
    assert player("hf:x?reasoning=refine").parts.reasoning.passes == 2
    assert player("openai:m@http://127.0.0.1:1/v1?reasoning=k-level(3)").parts.reasoning.level == 3
    assert player("hf:x?tools=solver,calculator,solver&tool_calls=7").parts.tool_calls == 7
    assert [tool.name for tool in player("hf:x?tools=solver,calculator,solver").parts.tools] == ["solver", "calculator"]


def test_a_wrong_part_is_refused_in_one_line_with_what_is_allowed():
    for options, *named in [
        ("reasoning=magic", "'magic'", "direct, explain, cot, reflect, refine(1 to 10), predict, solo(2 to 10)"),
        ("reasoning=cot(2)", "'cot(2)'", "direct, explain, cot"),
        ("reasoning=k-level(0)", "k-level(1 to 5)"),
        ("reasoning=k-level(6)", "k-level(1 to 5)"),
        ("reasoning=k-level(-1)", "k-level(1 to 5)"),
        ("reasoning=k-level(2", "'k-level(2'", "k-level(1 to 5)"),
        ("reasoning=", "''", "direct"),
        ("memory=window", "'window'", "full, window(0 to 1000), summary, table, retrieve(0 to 1000)"),
        ("memory=window(99999999)", "'window(99999999)'", "window(0 to 1000)"),
        ("memory=elephant", "'elephant'", "full"),
        ("tools=hammer", "'hammer'", "calculator, solver"),
        ("tools=calculator,,solver", "''", "calculator, solver"),
        ("tool_calls=0", "'0'", 1, 20),
        ("tool_calls=many", "'many'", 1, 20),
        ("texts=none.toml", "'none.toml'"),
        ("persona=", "''", "Alex"),
        ("mood=good", "'mood'", "constrained, finish"),
    ]:
        with refuses(ValueError, f"'mock:*?{options}'", options.partition("=")[0], *named) as refused:
            player(f"mock:*?{options}")
        assert len(str(refused.value).splitlines()) == 1, options


def test_every_named_part_can_be_made():
    for table in (MEMORIES, REASONING):
        for name, part in table.items():
            for number in part.numbers or (None,):
                assert part.make(*([] if number is None else [number])) is not None, name


def test_own_texts_replace_those_of_the_parts(tmp_path):
    path = tmp_path / "texts.toml"
    path.write_text('[thought]\ncot = "Think aloud, please."\n[brief]\npersona = "Be {profession}."')
    spec = f"mock:*?reasoning=cot&persona=David&texts={path}"
    made = player(spec, "bargaining")
    record = econzoo.play("bargaining", [made, "random"], horizon=1)
    assert record.turns[0].calls[0]["prompt"].endswith("Think aloud, please.")
    assert made.transcript[0]["content"].endswith("\n\nBe a mathematician.")
    path.write_text('[thought]\ncoat = "x"')
    with refuses(ValueError, "'thought.coat'"):
        player(spec)


def test_mock_models_are_players_of_every_game():
    assert all(is_known_spec("mock:*", game) for game in econzoo.games())
    assert not is_known_spec("mock:", "bargaining")
    with refuses(ValueError, "'mock:'"):
        player("mock:")


def test_a_mock_model_gives_its_texts_in_turn_and_every_match_starts_afresh():
    spec = 'mock:hm|{"kind": "offer", "gain": 6000}?constrained=no'
    made = player(spec, "bargaining")
    for _ in range(2):
        record = econzoo.play("bargaining", [made, "acceptor(0.1)"])
        assert [turn.reply for turn in record.turns][:2] == ["hm", '{"kind": "offer", "gain": 6000}']
        assert record.players[0] == spec


def test_a_question_mark_in_a_canned_text_is_written_percent_coded():
    record = econzoo.play("bargaining", ["mock:Why%3F 50%25|*", "random"], horizon=1)
    assert record.turns[0].reply == "Why? 50%"
