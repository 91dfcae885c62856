"""Tools: what a calculator says, what a solver sees, how calls are made, limited and recorded."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import LanguageModelPlayer, player
from econzoo.baselines.models import FunctionChat
from econzoo.baselines.parts import CALCULATOR, SOLVER, Parts, Tool
from econzoo.baselines.parts.tools import MAX_EXPRESSION_LENGTH, allow_tool_calls, calculate, call_in
from exhaustive import examples
from refusals import refuses, says
from toy_games import PENNIES, register_temporarily

OFFER = '{"kind": "offer", "gain": 6000}'


def call(tool, **arguments):
    return json.dumps({"tool": tool, "arguments": arguments})


def test_the_calculator():
    for expression, value in [
        ("6*7", "42"),
        ("0.9 ** 3 * 10000", "7290"),
        ("(1 + 2) / 4", "0.75"),
        ("-2 ** 2", "-4"),
        ("7 // 2 + 7 % 4", "6"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("round(2.567, 1)", "2.6"),
        ("sqrt(2) * sqrt(2)", "2"),
        ("log(exp(3))", "3"),
        ("abs(-5) + floor(2.9) + ceil(2.1)", "10"),
        ("1/0", "error: division by zero"),
        ("9**9**9**9", "error: the result is too large"),
        ("1e308 * 10", "error: the result is too large"),
        ("(-8) ** 0.5", "error: this is no arithmetic expression with a value"),
        ("sqrt(-1)", "error: this is no arithmetic expression with a value"),
        ("two plus two", "error: this is no arithmetic expression with a value"),
        ("money * 2", "error: only numbers, + - * / // % ** and parentheses are allowed"),
        ("__import__('os').system('true')", "error: only numbers, + - * / // % ** and parentheses are allowed"),
        ("open('x')", "error: only numbers, + - * / // % ** and parentheses are allowed"),
        ("eval(1)", "error: only these functions are allowed: abs, exp, floor"),
        ("[1] * 10**9", "error: only numbers"),
        ("'a' * 99", "error: only numbers"),
        ("True + 1", "error: only numbers"),
        ("lambda: 1", "error: only numbers"),
        ("", "error: give an expression"),
        (
            "1" * (MAX_EXPRESSION_LENGTH + 1),
            f"error: the expression has {MAX_EXPRESSION_LENGTH + 1} characters; allowed: {MAX_EXPRESSION_LENGTH}",
        ),
        ("(" * 150 + "1" + ")" * 149, "error: this is no arithmetic expression with a value"),
        ("10580 / 5.885208027562269e-305", "error: the result is too large"),
        ("\0", "error: this is no arithmetic expression with a value"),
    ]:
        assert calculate(expression).startswith(value), (expression, value)


NUMBERS = st.integers(0, 10**6).map(str) | st.floats(1e-6, 1e6).map(repr)
"""No quotient of these is beyond all floats, where Python goes on with infinity."""


@st.composite
def expressions(draw, depth=3):
    if depth == 0 or draw(st.booleans()):
        return draw(NUMBERS)
    operator = draw(st.sampled_from(["+", "-", "*", "/"]))
    return f"({draw(expressions(depth - 1))} {operator} {draw(expressions(depth - 1))})"


@given(expressions())
@examples(20)
def test_the_calculator_agrees_with_python(expression):
    found = calculate(expression)
    try:
        value = float(eval(expression))
    except ZeroDivisionError:
        assert found.startswith("error: ")
        return
    if len(expression) <= MAX_EXPRESSION_LENGTH:
        assert float(found) == pytest.approx(value, rel=1e-9, abs=1e-300)


@given(st.text(max_size=40))
@examples(30)
def test_the_calculator_answers_any_text(text):
    found = calculate(text)
    assert found.startswith("error: ") or math.isfinite(float(found))


def seated(answer, tools=(CALCULATOR,), constrained=True, **parts):
    return LanguageModelPlayer("m", FunctionChat(answer), constrained, Parts(tools=tools, **parts))


def test_a_call_is_answered_and_recorded_and_stays_out_of_the_transcript():
    replies = iter([call("calculator", expression="0.6*10000"), OFFER])
    model = seated(lambda *asked: next(replies))
    record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
    turn = record.turns[0]
    assert [one["purpose"] for one in turn.calls] == ["tool"]
    assert turn.calls[0]["reply"] == call("calculator", expression="0.6*10000")
    assert turn.reply == OFFER
    assert model.model.questions[1].conversation[-1]["content"] == "Result of calculator: 6000"
    assert [m["role"] for m in model.transcript] == ["system", "user", "assistant"]
    assert turn.tokens[1] == sum(len(one.reply.split()) for one in model.model.questions)


def test_a_model_that_only_calls_tools_is_stopped():
    """Four calls a turn unless said otherwise; then the schema allows moves only, and the reply is no move."""
    schemas = []

    def calling(conversation, schema, seed):
        schemas.append(schema)
        return call("calculator", expression="1")

    record = econzoo.play("bargaining", [seated(calling), "fair"])
    assert record.status == "forfeited"
    assert [len(turn.calls) for turn in record.turns] == [4, 0, 0]
    assert [json.dumps(schema).count('"tool"') > 0 for schema in schemas] == [True] * 4 + [False] * 3
    few = econzoo.play("bargaining", [seated(calling, tool_calls=1), "fair"])
    assert [len(turn.calls) for turn in few.turns] == [1, 0, 0]


def test_a_call_that_is_none_is_told_to_the_model():
    for reply, *named in [
        (call("oracle"), "'oracle'", "calculator"),
        ('{"tool": ["x"], "arguments": {}}', "['x']", "calculator"),
        (call("calculator", number=1), "calculator", "expression"),
        ('{"tool": "calculator", "arguments": 5}', "calculator", "expression"),
        ('{"tool": "calculator"}', "expression"),
        (call("calculator", expression=5), "expression"),
    ]:
        replies = iter([reply, OFFER])
        model = seated(lambda *asked, replies=replies: next(replies), constrained=False)
        record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
        says(model.model.questions[1].conversation[-1]["content"], "error", *named)
        assert record.errors == [0, 0], reply


def test_a_thinking_model_can_call_tools_too():
    replies = iter(["I must know. " + call("calculator", expression="2+2"), "It is four.", OFFER])
    from econzoo.baselines.parts import ChainOfThought

    model = seated(lambda *asked: next(replies), reasoning=ChainOfThought())
    record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
    assert [one["purpose"] for one in record.turns[0].calls] == ["tool", "thought"]
    assert model.model.questions[-1].conversation[-2]["content"] == "It is four."


def test_the_schema_allows_calls_beside_moves():
    move = {"type": "object", "properties": {"bid": {"type": "number"}}}
    assert allow_tool_calls(move, ()) == move
    assert allow_tool_calls(None, (CALCULATOR,)) is None
    assert allow_tool_calls(move, (CALCULATOR,))["anyOf"] == [move, CALCULATOR.schema]
    assert len(allow_tool_calls({"anyOf": [move, move]}, (CALCULATOR, SOLVER))["anyOf"]) == 4


def test_what_is_no_call():
    for text in ("no call", OFFER, "", '{"a": 1} {"tool": "x"}', "[1]", '{"tool"'):
        assert call_in(text) is None, text


# The solver

KNOWN = [
    ("bargaining", {"horizon": 1}, 0, "ask for yourself: $10,000.00"),
    ("bargaining", {"horizon": 2, "delta": (0.9, 0.9)}, 0, "ask for yourself: $1,000.00"),
    ("bargaining", {"horizon": 2, "delta": (0.9, 0.9)}, 1, "smallest offer worth accepting: $9,000.00"),
    ("bargaining", {"horizon": None, "delta": (0.9, 0.8)}, 0, "ask for yourself: $7,142.85"),
    ("bargaining", {"horizon": None, "delta": (1.0, 1.0)}, 0, "every split is an equilibrium"),
    ("bargaining", {"complete_information": False}, 0, "not known to you: what waiting costs the other"),
    ("negotiation", {"horizon": 1}, 0, "price of the subgame-perfect equilibrium: $12,000.00"),
    ("negotiation", {"horizon": 2}, 0, "price of the subgame-perfect equilibrium: $10,000.00"),
    (
        "negotiation",
        {"horizon": 1, "complete_information": False},
        0,
        "lowest price that is no loss to you: $10,000.00",
    ),
    ("negotiation", {"seller_value": 1.5, "buyer_value": 0.5}, 0, "no price is good for both"),
    ("persuasion", {"prior": 0.5, "high_value": 2.0}, 0, "on the prior alone a buyer: buys"),
    ("persuasion", {"prior": 1 / 3, "high_value": 2.0}, 0, "low with chance 50.0%"),
    ("persuasion", {"prior": 1 / 3, "high_value": 2.0}, 1, "if high quality is at least 50.0% likely"),
    ("persuasion", {"seller_knows_value": False}, 0, "not known to you: what the products are worth to the buyer"),
    ("persuasion", {"buyer_knows_prior": False}, 1, "not known to you: the probability of high quality"),
]


def test_the_solver_says_what_theory_says():
    for game, params, seat, advice in KNOWN:
        model = seated(lambda conversation, schema, seed: call("solver"), (SOLVER,))
        econzoo.play(game, [model, "mock:*"] if seat == 0 else ["mock:*", model], **params)
        results = [one.conversation[-1]["content"] for one in model.model.questions]
        assert advice in next(text for text in results if "solver" in text), (game, params, seat)


def test_the_solver_sees_the_view_and_nothing_else(monkeypatch):
    game, shown = econzoo.game("bargaining"), []
    monkeypatch.setattr(game.solution, "advise", lambda *given: shown.append(given) or "advice")
    replies = iter([call("solver"), OFFER])
    econzoo.play("bargaining", [seated(lambda *asked: next(replies), (SOLVER,)), "acceptor(0.1)"])
    [(view,)] = shown
    assert view == game.rules.observe(game.params()[1], game.rules.initial(game.params()[1]), 0)


def test_advice_is_the_same_whatever_the_seat_may_not_know():
    """Two games that differ in what the other alone knows give the same advice."""
    for seat in (0, 1):
        told = []
        for patience in (0.5, 0.95):
            delta = (0.8, patience) if seat == 0 else (patience, 0.8)
            env = econzoo.make("bargaining", delta=delta, complete_information=False)
            env.reset(seed=1)
            told.append(econzoo.game("bargaining").solution.advise(env.view(seat)))
        assert told[0] == told[1], seat


def test_a_game_without_a_solver_refuses_it_in_one_line():
    with (
        register_temporarily(PENNIES),
        refuses(ValueError, "pennies", "solver"),
    ):
        econzoo.play("pennies", ["mock:*?tools=solver", "random"])


def test_an_own_tool_is_a_function():
    dice = Tool("dice", "a fair die.", {}, lambda diary: f"four, {diary.roles[diary.seat]}")
    replies = iter([call("dice"), OFFER])
    model = seated(lambda *asked: next(replies), (dice,))
    econzoo.play("bargaining", [model, "acceptor(0.1)"])
    assert "- dice(): a fair die." in model.transcript[0]["content"]
    says(model.model.questions[1].conversation[-1]["content"], "dice", "four, Alice")


def test_tools_are_named_in_the_system_message_with_how_often():
    made = player("mock:*?tools=calculator,solver&tool_calls=2", "bargaining")
    econzoo.play("bargaining", [made, "random"], horizon=1)
    told = made.transcript[0]["content"]
    says(told, 2)
    assert "- calculator(expression): " in told
    assert "- solver(): " in told
