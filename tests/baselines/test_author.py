"""Language models as authors: a plan, then programs that are tried until one runs; with canned replies."""

from __future__ import annotations

import json
from urllib.parse import quote

import econzoo
from econzoo.baselines import LanguageModelPlayer, player
from econzoo.baselines.models import FunctionChat
from econzoo.baselines.parts import Author, Parts
from econzoo.baselines.parts.spec import own_texts
from econzoo.envs.core.record import Record
from econzoo.envs.families.open_source import BASE_GAMES
from econzoo.evaluate.run import replay
from econzoo.evaluate.run.resuming import restore_table
from refusals import refuses, says


def fenced(*lines: str, head: str = "def strategy_function(a, b, c, d):") -> str:
    return "\n".join(["```python", head, *[f"    {line}" for line in lines], "```"])


TEXTS = own_texts()

GOOD = fenced("return 'C'")
PROSE = "I shall cooperate."
UNCLOSED = fenced("return ('C'")
OUT_OF_RANGE = fenced("return b[3]")
LOWER = fenced("return 'c'")
ENDLESS = fenced("while True:", "    pass")


def mock(*replies: str, options: str = "reasoning=author(5)") -> str:
    return f"mock:{'|'.join(map(quote, replies))}?{options}"


def first_turn(*replies: str, options: str = "reasoning=author(5)", game: str = "program_matrix", **given):
    opponent = "tit-for-tat" if game == "program_matrix" else "greedy"
    record = econzoo.play(game, [mock(*replies, options=options), opponent], rounds=1, **given)
    return record, record.turns[0]


def test_a_plan_and_a_program_are_two_calls():
    record, turn = first_turn("Be kind.", GOOD)
    assert [(call["purpose"], call["reply"]) for call in turn.calls] == [("plan", "Be kind.")]
    assert turn.reply == GOOD
    assert record.rulings[0]["results"][0]["moves"] == "C" * 10


def test_what_was_wrong_is_recorded_and_told_before_the_next_attempt():
    for reply, problem, *named in [
        (PROSE, "no program", "strategy_function"),
        ("", "empty"),
        ("<think>" + GOOD, "thinking"),
        (UNCLOSED, "syntax error", "line 2", "'('"),
        (fenced("return 'C'", head="def play(a, b, c, d):"), "no program", "strategy_function(my_history"),
        (fenced("import os", "return 'C'"), "syntax error", "line 2", "'os'", "re, math, random, json"),
        (OUT_OF_RANGE, "exception", "line 2", "IndexError: list index out of range"),
        (LOWER, "wrong return value", "'c'", "'C'", "'D'"),
        (ENDLESS, "limit exceeded"),
    ]:
        _, turn = first_turn("Be kind.", reply, GOOD, seconds=0.5)
        assert [call["purpose"] for call in turn.calls] == ["plan", "attempt"], (reply, problem)
        assert turn.calls[1]["problem"].startswith(f"{problem}: "), (reply, problem)
        says(turn.calls[1]["problem"], *named)
        assert "problem" not in turn.calls[0], (reply, problem)
        assert turn.reply == GOOD, (reply, problem)


def asked(aim: str = "payoff", attempts: int = 5, replies: tuple[str, ...] = ("Be kind.", PROSE, LOWER, GOOD)):
    """What a model is asked in the first turn."""
    left = list(replies)
    model = FunctionChat(lambda conversation, schema, seed: left.pop(0) if len(left) > 1 else left[0])
    seated = LanguageModelPlayer("m", model, parts=Parts(reasoning=Author(attempts, aim)))
    econzoo.play("program_matrix", [seated, "tit-for-tat"], rounds=1)
    return model.questions


def test_the_model_reads_its_plan_and_every_error_and_writes_freely():
    plan, first, second, third = asked()
    assert plan.conversation[0]["role"] == "system"
    assert TEXTS["author.payoff"] in plan.conversation[-1]["content"]
    assert first.conversation[-2]["content"] == "Be kind."
    assert first.conversation[-1]["content"] == TEXTS["author.program"]
    says(second.conversation[-1]["content"], "No program", "strategy_function")
    says(third.conversation[-1]["content"], "Wrong return value", "'c'")
    assert [len(one.conversation) for one in (plan, first, second, third)] == [2, 4, 6, 8]
    assert all(one.schema is None for one in (plan, first, second, third))


def test_the_last_attempt_is_handed_in_as_it_is_and_fails_for_its_own_reason():
    for attempts in (1, 2, 4):
        record, turn = first_turn(
            "Be kind.", LOWER, LOWER, LOWER, LOWER, LOWER, options=f"reasoning=author({attempts})"
        )
        assert [call["purpose"] for call in turn.calls] == ["plan"] + ["attempt"] * (attempts - 1), attempts
        result = record.rulings[0]["results"][0]
        assert (result["failed"], result["failure"]) == (10, "wrong return value"), attempts


def test_a_program_that_never_was_is_a_recorded_failure():
    record, _ = first_turn(PROSE, options="reasoning=author(2)")
    assert record.rulings[0]["results"][0]["failure"] == "no program"
    assert record.status == "finished"


def test_objectives():
    aims = ("payoff", "cooperative", "deceptive")
    for aim in aims:
        _, turn = first_turn("Plan.", GOOD, options=f"reasoning=author&objective={aim}")
        assert [one for one in aims if TEXTS[f"author.{one}"] in turn.calls[0]["prompt"]] == [aim]


def test_the_plan_sees_the_earlier_meta_rounds():
    record = econzoo.play("program_matrix", [mock("Plan.", GOOD), "clique-bot"], rounds=2)
    later = next(turn for turn in record.turns if turn.seat == 0 and turn.round == 2)
    told = later.calls[0]["prompt"]
    assert "opponent_program_code == my_program_code" in told
    says(told, "CCCCCCCCCC", "DDDDDDDDDD", "2 of 2", 0, "50 for Bob")


def test_a_program_that_fails_only_against_the_last_opponent_is_found_out():
    """It chokes on sources that compare: the library programs of the trial do not, the opponent's last one does."""
    touchy = fenced("if ' == my_program_code' in d:", "    return 1 / 0", "return 'C'")
    assert first_turn("Plan.", touchy)[1].reply == touchy
    record = econzoo.play("program_matrix", [mock("Plan.", touchy, "Plan.", touchy, GOOD), "clique-bot"], rounds=2)
    later = next(turn for turn in record.turns if turn.seat == 0 and turn.round == 2)
    assert later.calls[1]["problem"] == "exception: line 3: ZeroDivisionError: division by zero"
    assert later.reply == GOOD


def test_the_trial_has_no_source_that_is_not_a_program():
    """A program that behaves in front of empty or dummy sources only is caught."""
    wary = fenced("if 'def strategy_function' not in d:", "    return 'C'", "return 'oops'")
    assert first_turn("Plan.", wary, GOOD)[1].calls[1]["problem"].startswith("wrong return value")


def test_the_coin_game_has_authors_too():
    head = "def strategy_function(state, a, b, c, d):"
    right, wrong = fenced("return 'UP'", head=head), fenced("return 'STAY'", head=head)
    record, turn = first_turn("Plan.", GOOD, wrong, right, game="program_coin")
    assert [call.get("problem", "")[:18] for call in turn.calls] == ["", "no program: line 1", "wrong return value"]
    assert record.rulings[0]["results"][0]["moves"] == "U" * 10


def test_records_keep_problems_replay_and_are_taken_up_again_without_the_model():
    whole = econzoo.play("program_matrix", [mock("Plan.", LOWER, GOOD), "fair-bot"], rounds=2, seed=4)
    again = Record.from_json(whole.to_json())
    assert again == whole
    assert replay(again) == []
    paused = Record.from_json(whole.to_json())
    paused.turns, paused.rulings = paused.turns[:2], paused.rulings[:1]
    paused.status, paused.payoffs = "paused", [result["payoff"] for result in paused.rulings[0]["results"]]
    table = restore_table(paused)
    assert table.players[0].model.questions == []
    while not table.is_over:
        table.answer(table.player.act(table.observation, table.info))
    assert table.close().payoffs == whole.payoffs


def test_a_problem_that_is_no_text_is_no_record():
    record, _ = first_turn("Plan.", LOWER, GOOD)
    given = json.loads(record.to_json())
    given["turns"][0]["calls"][1]["problem"] = 5
    with refuses(ValueError, "turn 1", "call 2", "problem"):
        Record.from_json(json.dumps(given))


def test_games_without_programs_have_no_authors():
    for name in [name for name in econzoo.games() if name not in BASE_GAMES]:
        seats = econzoo.game(name).seats(econzoo.game(name).params()[1])
        with refuses(ValueError, name, "reasoning=author", "program_matrix", "program_coin") as refused:
            econzoo.play(name, [mock("*")] + ["random"] * (seats - 1))
        assert len(str(refused.value).splitlines()) == 1, name


def test_wrong_options():
    for options, *named in [
        ("reasoning=author(0)", "'author(0)'", "author(1 to 10)"),
        ("reasoning=author(11)", "'author(11)'", "author(1 to 10)"),
        ("reasoning=author&objective=evil", "objective", "'evil'", "payoff, cooperative, deceptive"),
        ("objective=payoff", "objective", "reasoning=author"),
        ("objective=payoff&reasoning=cot", "objective", "reasoning=author"),
    ]:
        with refuses(ValueError, f"'mock:x?{options}'", *named):
            player(mock("x", options=options))


def test_a_plain_model_writes_programs_freely_unless_it_is_told_to_be_held():
    """The rules ask for a code block, so there is no schema, unless the spec wants one."""
    for constrained, held in ((None, False), (True, True), (False, False)):
        model = FunctionChat(lambda conversation, schema, seed: GOOD)
        econzoo.play("program_matrix", [LanguageModelPlayer("m", model, constrained), "defect"], rounds=1)
        assert [one.schema is not None for one in model.questions] == [held]
    record = econzoo.play("program_matrix", ["mock:*", "mock:*"], rounds=1)
    assert record.errors == [0, 0], "a mock model that is held to the schema writes a program of the library"


def test_a_model_that_is_held_to_json_fails_for_the_reason_that_its_program_has():
    reply = json.dumps({"program": "def strategy_function(a, b, c, d)\n    return 'C'"})
    model = FunctionChat(lambda conversation, schema, seed: reply)
    record = econzoo.play("program_matrix", [LanguageModelPlayer("m", model, True), "defect"], rounds=1)
    assert record.rulings[0]["results"][0]["failure"] == "syntax error"
