"""Programs that run other programs: sides, budgets and chance."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

import econzoo.envs.families.open_source.program as program_module
from econzoo.envs.families.open_source import COIN_GAME, ENTRY, Failure, Limits, simulation
from econzoo.envs.families.open_source.failures import Answer
from econzoo.envs.families.open_source.sandbox import Sandbox, unavailable_reason
from programs.writing import TIT_FOR_TAT, body
from refusals import says

pytestmark = pytest.mark.skipif(unavailable_reason() is not None, reason=str(unavailable_reason()))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(simulations=6, depth=2)) as opened:
        yield opened


def asked(sandbox: Sandbox, source: str, other: str = TIT_FOR_TAT, calls: int = 1) -> Answer:
    """The last answer of a program that is called several times."""
    program = sandbox.load(source, 1, other)
    answers = [program.answer([], [], source, other) for _ in range(calls)]
    program.close()
    return answers[-1]


def test_the_other_sees_the_history_from_its_own_side(sandbox: Sandbox) -> None:
    """I played D, then C; the other C, then D."""
    other = body("return 'C' if (mine, theirs) == (['C', 'D'], ['D', 'C']) else 'D'")
    assert asked(sandbox, body("return simulate(other, [['D', 'C'], ['C', 'D']])"), other).value == "C"


def test_the_other_reads_the_caller_as_its_opponent(sandbox: Sandbox) -> None:
    source = body("return simulate(other, [])")
    other = body(f"return 'D' if theirs == [] and other == {source!r} and len(own) > 9 else 'C'")
    assert asked(sandbox, source, other).value == "D"


def test_it_can_be_told_of_another_opponent(sandbox: Sandbox) -> None:
    other = body("return 'D' if other == 'somebody' else 'C'")
    assert asked(sandbox, body("return simulate(other, [], against='somebody')"), other).value == "D"


def test_the_board_is_seen_from_the_other_seat(sandbox: Sandbox) -> None:
    head = f"def {ENTRY}(state, mine, theirs, own, other):\n"
    source, other = head + "    return simulate(other, [], state)", head + "    return MOVES['AB'.index(MY_ID)]"
    found = []
    for seat in (0, 1):
        program = sandbox.load(source, 0, other, COIN_GAME, seat)
        found.append(program.answer([[[1]]] * 4, [], [], source, other).value)
        program.close()
    assert found == ["DOWN", "UP"]


def test_the_budget_is_for_the_match(sandbox: Sandbox) -> None:
    """Two simulations a call, of six."""
    for calls, failure in [(3, Failure.NONE), (4, Failure.EXCEPTION)]:
        answer = asked(sandbox, body("simulate(other, [])", "simulate(other, [])"), calls=calls)
        assert answer.failure is failure, calls
        assert (answer.text == "") == (failure is Failure.NONE), calls


def test_simulations_inside_simulations_have_a_depth(sandbox: Sandbox) -> None:
    """The player may simulate itself, and that one itself; the third, two deep, is refused and plays D."""
    refused = "except RuntimeError as e: return 'CD'['2 deep at most' in str(e)]"
    chain = body("try: return simulate(own, [])", refused)
    program = sandbox.load(chain, 0, chain)
    assert program.answer([], [], chain, chain).value == "D"
    assert program.budget.used_simulations == 2
    program.close()


def test_inner_simulations_are_paid_by_the_caller(sandbox: Sandbox) -> None:
    source = body("for i in range(3):", "    try: simulate(own, [])", "    except RuntimeError: pass")
    program = sandbox.load(source, 0, source)
    assert program.answer([], [], source, source).value == "C"
    assert (program.budget.used_simulations, program.budget.remaining_simulations) == (6, 0)
    program.close()


def test_the_other_keeps_nothing(sandbox: Sandbox) -> None:
    other = "kept = []\n" + body("kept.append(1)", "return 'CD'[len(kept) - 1]")
    assert asked(sandbox, body("simulate(other, [])", "return simulate(other, [])"), other).value == "C"


def test_chance_is_new_in_each_simulation_and_the_same_in_each_match() -> None:
    other = body("return random.choice('CD')")
    source = body("return ''.join([simulate(other, []) for _ in range(30)])")
    with Sandbox() as sandbox:
        first, second = asked(sandbox, source, other).text, asked(sandbox, source, other).text
    assert first == second
    assert {"C", "D"} <= set(first.split("'")[1])


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (body("1 / 0"), "no move (exception): line 2: ZeroDivisionError"),
        (body("return 'x'"), "no move (wrong return value): returned 'x'"),
        ("", "no move (no program)"),
        ("def f(", "no move (syntax error)"),
        (body("10**10**8"), "no move (limit exceeded): line 2: used more"),
    ],
)
def test_a_failure_of_the_other_can_be_caught(sandbox: Sandbox, other: str, words: str) -> None:
    answer = asked(sandbox, body("return simulate(other, [])"), other)
    assert (answer.failure, words in answer.text) == (Failure.EXCEPTION, True)
    caught = body("try: return simulate(other, [])", "except RuntimeError: return 'D'")
    assert asked(sandbox, caught, other).value == "D"


def test_the_time_of_one_call_is_bounded_as_a_whole() -> None:
    slow = body("for i in range(10**9): pass")
    source = body("for i in range(50):", "    try: simulate(other, [])", "    except RuntimeError: pass")
    with Sandbox(Limits(seconds=0.2, wall_seconds=0.5)) as sandbox:
        program = sandbox.load(source, 0, slow)
        says(program.answer([], [], source, slow).text, "0.5 seconds")
        assert program.budget.used_simulations < 50
        program.close()


def test_what_this_process_does_for_a_program_is_charged_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the two seconds that a call may take, each tree takes 1.5 here."""
    clock, made = [0.0], []

    def slow_tree(source: str) -> dict[str, str]:
        clock[0] += 1.5
        made.append(source)
        return {}

    monkeypatch.setattr(simulation, "thread_time", lambda: clock[0])
    monkeypatch.setattr(program_module, "syntax_tree", slow_tree)
    for trees, value, asked_for in ((0, "C", 0), (1, "C", 2), (2, None, 2), (50, None, 2)):
        made.clear()
        source = body(f"for i in range({trees}): syntax_tree('x = 1')", "return 'C'")
        with Sandbox(Limits(seconds=2.0)) as sandbox:
            answer = asked(sandbox, source, calls=2)
        assert (answer.value, len(made)) == (value, asked_for), trees
        if value is None:
            says(answer.text, "2 seconds")


def test_so_it_is_over_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each turn takes a second of this process, of two that it may take: after ten turns nothing is left."""
    clock = [0.0]

    def slow_tree(source: str) -> dict[str, str]:
        clock[0] += 1.0
        return {}

    monkeypatch.setattr(simulation, "thread_time", lambda: clock[0])
    monkeypatch.setattr(program_module, "syntax_tree", slow_tree)
    source = body("syntax_tree('x = 1')")
    with Sandbox(Limits(seconds=2.0)) as sandbox:
        program = sandbox.load(source, 0, "")
        answers = [program.answer([], [], source, "") for _ in range(200)]
        program.close()
    assert [answer.value for answer in answers] == ["C"] * 10 + [None] * 190
    says(answers[-1].text, "10 seconds")
    assert clock[0] == 11.0, "it is not asked again"


def test_ctrl_c_while_the_host_works_for_a_program_is_none_of_its_errors(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends the run, whatever the program that is simulated and the one that simulates it would make of it."""
    for caught in ["except: return 'D'", "except ValueError: return 'D'"]:
        monkeypatch.setattr(program_module, "syntax_tree", lambda source: signal.raise_signal(signal.SIGINT))
        other = body("try: syntax_tree('x = 1')", caught)
        program = sandbox.load(body("try: return simulate(other, [])", caught), 0, other)
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            program.answer([], [], program.source, other)
        program.close()
        assert signal.getsignal(signal.SIGINT) is before, caught
        assert asked(sandbox, TIT_FOR_TAT).value == "C", caught
