"""The sandbox: what a program finds, what it is told, and what nobody else notices of it."""

from __future__ import annotations

import os
import pickle
import sys
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import econzoo.envs.families.open_source.program as program_module
import econzoo.envs.families.open_source.sandbox as module
from econzoo.envs.families.open_source import COIN_GAME, ENTRY, INTERFACES, Failure, Limits
from econzoo.envs.families.open_source.failures import Answer, one_line
from econzoo.envs.families.open_source.limits import RANGES
from econzoo.envs.families.open_source.sandbox import Program, Sandbox, shared_sandbox, unavailable_reason
from programs.writing import TIT_FOR_TAT, body, having
from refusals import refuses, says

pytestmark = pytest.mark.skipif(unavailable_reason() is not None, reason=str(unavailable_reason()))

MOVE = f"def {ENTRY}(state, mine, theirs, own, other):"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(seconds=1.5)) as opened:
        yield opened


def asked(program: Program, mine: str = "", theirs: str = "") -> Answer:
    return program.answer(list(mine), list(theirs), program.source, TIT_FOR_TAT)


def moves(sandbox: Sandbox, source: str, seed: int | str = 0, rounds: int = 12) -> str:
    """What a program plays against a cooperator."""
    program, played = sandbox.load(source, seed, TIT_FOR_TAT), ""
    for turn in range(rounds):
        played += asked(program, played, "C" * turn).value or "-"
    program.close()
    return played


def reported(sandbox: Sandbox, expression: str, seed: int = 0) -> str:
    """What an expression is worth in a program, as text."""
    program = sandbox.load(body(f"return repr({expression})"), seed, TIT_FOR_TAT)
    text = asked(program).text
    program.close()
    return text


# What a program finds


def test_it_is_told_its_own_history_first(sandbox: Sandbox) -> None:
    for mine, theirs, move in [("", "", "C"), ("C", "D", "D"), ("CD", "DC", "C"), ("C" * 500, "C" * 499 + "D", "D")]:
        program = sandbox.load(TIT_FOR_TAT, 0, TIT_FOR_TAT)
        assert asked(program, mine, theirs) == Answer(move, Failure.NONE, ""), move
        program.close()


def test_it_reads_both_sources(sandbox: Sandbox) -> None:
    program = sandbox.load(body("return 'D' if (own, other) == ('me', 'you') else 'C'"), 0, "you")
    assert [program.answer([], [], *codes).value for codes in (("me", "you"), ("you", "me"))] == ["D", "C"]
    program.close()


def test_names_are_there_without_an_import(sandbox: Sandbox) -> None:
    for name in ["re", "math", "random", "json", "simulate", "syntax_tree", "sorted", "print"]:
        assert moves(sandbox, body(f"{name}"), rounds=1) == "C", name


def test_the_clock_stands_still_and_nobody_waits(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program cannot import a clock; should it get at one all the same, it shows the same time for ever."""
    monkeypatch.setattr(program_module, "problem_of", lambda *_: None)
    now = body("import time", "before = time.time()", "time.sleep(3600)", "return str(time.time() - before)")
    program = sandbox.load(now, 0, TIT_FOR_TAT)
    assert asked(program).text.startswith("returned '0.0'")
    program.close()


def test_the_interpreter_itself_lets_nobody_out(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of imports is the first wall; this is the second."""
    monkeypatch.setattr(program_module, "problem_of", lambda *_: None)
    for line in ("open('/etc/passwd')", "os.listdir('/')", "os.environ['HOME']", "os.system('true')", "sys.modules"):
        program = sandbox.load(body("import os, sys", line), 0, TIT_FOR_TAT)
        assert asked(program).failure is Failure.EXCEPTION, line
        program.close()


def test_the_board_is_a_list_and_the_helpers_know_its_size(sandbox: Sandbox) -> None:
    """Player A in the corner of a board of 4 goes up and comes out at the bottom, where its coin lies."""
    state = np.zeros((4, 4, 4), np.float32)
    state[0, 0, 1] = state[1, 2, 2] = state[2, 3, 1] = state[3, 0, 2] = 1
    line = "for move, cell in get_adjacent_positions(find_my_position(state, MY_ID)).items():"
    source = (
        f"{MOVE}\n    {line}\n        if cell in find_coin_positions(state, MY_ID)[:1]: return move\n    return 'STAY'"
    )
    for seat, expected in ((0, "UP"), (1, None)):
        program = sandbox.load(source, 0, source, COIN_GAME, seat)
        answer = program.answer(state, [], [], source, source)
        assert answer.value == expected
        program.close()
    says(answer.text, "'STAY'", "'UP'", "'DOWN'", "'LEFT'", "'RIGHT'")


def test_what_is_not_on_the_board_has_no_place(sandbox: Sandbox) -> None:
    for missing in [0, 1, 2, 3]:
        state = np.zeros((4, 3, 3))
        for layer in {0, 1, 2, 3} - {missing}:
            state[layer, layer % 3, 0] = 1
        found = (
            "find_my_position(state, MY_ID), find_opponent_position(state, MY_ID), *find_coin_positions(state, MY_ID)"
        )
        source = f"{MOVE}\n    return MOVES[[{found}].index(None)]"
        program = sandbox.load(source, 0, source, COIN_GAME)
        assert program.answer(state, [], [], source, source).value == COIN_GAME.moves[missing], missing
        program.close()


# What is wrong is told


def test_a_failure_is_an_answer(sandbox: Sandbox) -> None:
    for source, failure, *named in [
        (body("x = 1", "return x / 0"), Failure.EXCEPTION, "line 3", "ZeroDivisionError: division by zero"),
        (having("def f(x):\n    raise KeyError", "f(1)"), Failure.EXCEPTION, "line 2", "KeyError"),
        (having("1 / 0"), Failure.EXCEPTION, "line 1", "ZeroDivisionError: division by zero"),
        (body("raise ValueError"), Failure.EXCEPTION, "line 2", "ValueError"),
        (body("raise MemoryError('no')"), Failure.EXCEPTION, "line 2", "MemoryError: no"),
        (body("raise RecursionError"), Failure.EXCEPTION, "line 2", "RecursionError"),
        (body("raise TimeoutError('time limit')"), Failure.EXCEPTION, "line 2", "TimeoutError: time limit"),
        (body("raise RuntimeError('suspension limit')"), Failure.EXCEPTION, "line 2", "RuntimeError: suspension limit"),
        (body("raise ValueError('two\\nlines')"), Failure.EXCEPTION, "line 2", "ValueError: two lines"),
        (body("return 'E'"), Failure.WRONG_RETURN, "'E'", "'C'", "'D'"),
        (body("return 1.5"), Failure.WRONG_RETURN, 1.5, "'C'", "'D'"),
        (body("return {}"), Failure.WRONG_RETURN, "dict", "'C'", "'D'"),
        (body("x = ["), Failure.SYNTAX_ERROR, "line 2", "'['"),
        (body("yield 'C'"), Failure.SYNTAX_ERROR, "line 2", "yield"),
        (body("x = 'x' * 10**9"), Failure.LIMIT, "line 2", "32 MiB"),
        (body("print('x' * 2001)"), Failure.LIMIT, 2000),
        ("", Failure.NO_PROGRAM),
    ]:
        program = sandbox.load(source, 0, TIT_FOR_TAT)
        answer = asked(program)
        assert (answer.value, answer.failure) == (None, failure), source
        says(answer.text, *named)
        program.close()


def test_every_failure_has_words() -> None:
    assert len({failure.label for failure in Failure}) == len(Failure) == 6


def test_long_and_odd_words_become_one_line() -> None:
    assert one_line("a\n b\t\x1b[0m\u202ec") == "a b \ufffd[0m\ufffdc"
    assert one_line("x" * 200) == "x" * 200
    assert one_line("x" * 201) == "x" * 197 + "..."


def test_an_exception_is_forgiven_and_a_limit_is_not(sandbox: Sandbox) -> None:
    source = body("if len(mine) == 1: 1 / 0", "if len(mine) == 3: 10**10**8")
    assert moves(sandbox, source, rounds=6) == "C-C---"


def test_what_may_be_returned_can_be_narrowed(sandbox: Sandbox) -> None:
    program = sandbox.load(body(), 0, TIT_FOR_TAT)
    says(program.answer([], [], "", "", allowed=("D",)).text, "'C'", "'D'")
    program.close()


def test_a_wrong_number_of_arguments_is_our_fault(sandbox: Sandbox) -> None:
    program = sandbox.load(TIT_FOR_TAT, 0, TIT_FOR_TAT)
    with refuses(ValueError, 4, 3):
        program.answer([], [], "")
    program.close()


def test_a_closed_program_says_so(sandbox: Sandbox) -> None:
    program = sandbox.load(TIT_FOR_TAT, 0, TIT_FOR_TAT)
    program.close()
    program.close()
    with pytest.raises(RuntimeError, match="closed"):
        asked(program)


def test_an_opponent_that_is_no_text_at_all_can_be_told(sandbox: Sandbox) -> None:
    program = sandbox.load(TIT_FOR_TAT, 0, "\ud800")
    assert program.answer([], [], TIT_FOR_TAT, "\ud800").value == "C"
    program.close()


# Nothing is left behind

COUNTER = having("calls = []", "calls.append(1)", "return 'CD'[len(calls) % 2]")


def test_what_a_program_keeps_ends_with_the_match(sandbox: Sandbox) -> None:
    assert [moves(sandbox, COUNTER, rounds=5) for _ in range(3)] == ["DCDCD"] * 3


def test_two_copies_share_nothing(sandbox: Sandbox) -> None:
    first, second = (sandbox.load(COUNTER, 0, COUNTER) for _ in range(2))
    assert [asked(p).value for p in (first, first, second, first, second)] == ["D", "C", "D", "D", "C"]
    first.close()
    second.close()


def test_arguments_are_copies(sandbox: Sandbox) -> None:
    """The first program empties all that it is given; the board and the lists stay, for it and for the other."""
    spoil = "for layer in state:\n        for row in layer:\n            row[:] = [0] * len(row)\n    mine.append('x')"
    count = "seen = sum([sum(row) for layer in state for row in layer])"
    first = f"{MOVE}\n    {count}\n    {spoil}\n    return MOVES[int(seen - 4)]"
    state, history = np.ones((4, 1, 1)), ["UP"]
    programs = [sandbox.load(first, seat, first, COIN_GAME, seat) for seat in (0, 1)]
    for _ in range(2):
        assert [p.answer(state, history, history, first, first).value for p in programs] == ["UP", "UP"]
    assert (state.sum(), history) == (4, ["UP"])
    for program in programs:
        program.close()


# Chance

COIN = body("return random.choice('CD')")


def test_random_numbers_depend_on_the_seed_alone(sandbox: Sandbox) -> None:
    with Sandbox() as other:
        assert moves(sandbox, COIN, 3, 40) == moves(sandbox, COIN, 3, 40) == moves(other, COIN, 3, 40)
    assert len({moves(sandbox, COIN, seed, 40) for seed in (0, 1, "0 1", "1 0")}) == 4


def test_reseeding_is_a_programs_own_business(sandbox: Sandbox) -> None:
    alone = moves(sandbox, COIN, 3, 1)
    first, second = sandbox.load(body("random.seed(1)"), 3, COIN), sandbox.load(COIN, 3, COIN)
    asked(first)
    assert asked(second).value == alone
    first.close()
    second.close()


def test_the_host_keeps_its_own_generators(sandbox: Sandbox) -> None:
    import random

    before = random.getstate()  # econzoo: the shared generator is looked at, not used
    moves(sandbox, body("random.seed(5)", "random.random()"))
    assert random.getstate() == before


def test_hashes_and_the_order_of_sets_are_always_the_same(sandbox: Sandbox) -> None:
    with Sandbox() as other:
        for told in ("hash('a text')", "hash((1, 'b'))", "str({'a', 'b', 'c', 1, (2,)})", "random.Random().random()"):
            assert reported(sandbox, told) == reported(other, told) == reported(sandbox, told), told


# Workers


def test_a_sandbox_starts_again_after_it_was_closed() -> None:
    sandbox = Sandbox()
    assert [moves(sandbox, TIT_FOR_TAT, rounds=2), sandbox.close(), moves(sandbox, TIT_FOR_TAT, rounds=2)][::2] == [
        "CC"
    ] * 2
    sandbox.close()


def test_threads_that_come_while_workers_start_wait_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        ready = False

        def __init__(self, **given: object) -> None:
            made.append(self)

        def __enter__(self) -> None:
            time.sleep(0.05)
            self.ready = True

        def __exit__(self, *error: object) -> None: ...

    made: list[Slow] = []
    monkeypatch.setattr("pydantic_monty.Monty", Slow)
    with Sandbox() as fresh, ThreadPoolExecutor(4) as threads:
        assert [*threads.map(lambda _: fresh.start().ready, range(4))] == [True] * 4
    assert len(made) == 1


def test_a_sandbox_is_pickled_by_its_limits() -> None:
    copy = pickle.loads(pickle.dumps(Sandbox(Limits(seconds=0.1))))
    assert copy.limits == Limits(seconds=0.1)


def test_the_same_limits_share_a_sandbox() -> None:
    assert shared_sandbox(Limits()) is shared_sandbox(Limits())
    assert shared_sandbox(Limits()) is not shared_sandbox(Limits(seconds=0.3))


def test_workers_for_limits_that_nobody_uses_end() -> None:
    """With the last program that runs in them, not before."""
    program = shared_sandbox(Limits(output=7)).load(TIT_FOR_TAT, 0, TIT_FOR_TAT)
    left = weakref.ref(shared_sandbox(Limits(output=7)))
    for output in range(module.MOST_SHARED):
        shared_sandbox(Limits(output=output))
    assert asked(program).value == "C"
    program.close()
    assert left() is not None
    del program
    assert left() is None


@pytest.mark.skipif(sys.platform == "win32", reason="no fork on Windows")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_is_told_to_spawn_instead(sandbox: Sandbox) -> None:
    """It must not wait for ever; the parent goes on."""
    program = sandbox.load(TIT_FOR_TAT, 0, TIT_FOR_TAT)
    child = os.fork()
    if not child:
        os._exit(0 if "spawn" in _refusal(Sandbox()) and "another process" in _refusal(program) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked(program).value == "C"
    program.close()


def _refusal(what: Sandbox | Program) -> str:
    try:
        asked(what if isinstance(what, Program) else what.load(TIT_FOR_TAT, 0, TIT_FOR_TAT))
    except RuntimeError as error:
        return str(error)
    return ""


def test_many_programs_at_once(sandbox: Sandbox) -> None:
    programs = [sandbox.load(COUNTER, i, COUNTER) for i in range(20)]
    assert [asked(program).value for program in programs] == ["D"] * 20
    for program in programs:
        program.close()


# Limits


def test_a_limit_out_of_its_range_is_refused() -> None:
    for name, (low, high) in RANGES.items():
        for value in (low - 1, high + 1, True, "many", None, float("nan")):
            with refuses(ValueError, name):
                Sandbox(Limits()._replace(**{name: value}))


def test_limits_that_count_things_are_whole() -> None:
    assert type(Limits(memory=2**25 * 1.0).validate().memory) is int  # type: ignore[arg-type]
    with refuses(ValueError, "recursion", 20.5):
        Limits(recursion=20.5).validate()  # type: ignore[arg-type]


def test_a_limit_is_where_it_says() -> None:
    for limits, passes, fails in [
        (Limits(seconds=0.5), "x = 1", "while True: pass"),
        (Limits(memory=2**21), "x = 'x' * 10**6", "x = 'x' * 3 * 10**6"),
        (Limits(recursion=50), "f(40)", "f(60)"),
        (Limits(output=10), "print('x' * 9)", "print('x' * 10)"),
        (Limits(source=130), "x = 1", "x = 1" + " " * 60),
    ]:
        head = "def f(n): return n and f(n - 1)"
        with Sandbox(limits) as sandbox:
            for line, failure in ((passes, Failure.NONE), (fails, Failure.LIMIT)):
                program = sandbox.load(having(head, line), 0, TIT_FOR_TAT)
                assert asked(program).failure is failure, limits
                program.close()


# Where it is missing


def test_a_missing_sandbox_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    unavailable_reason.cache_clear()
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    says(unavailable_reason(), "pip install 'econzoo[sandbox]'")
    unavailable_reason.cache_clear()


def test_a_sandbox_that_does_not_start_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    unavailable_reason.cache_clear()
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    says(unavailable_reason(), "/nowhere/monty")
    unavailable_reason.cache_clear()


def test_the_interfaces_are_those_of_the_base_games() -> None:
    assert [len(i.parameters) for i in INTERFACES.values()] == [4, 5]
    assert COIN_GAME.seat_constants(1) == {"MY_ID": "B", "OPPONENT_ID": "A"}
