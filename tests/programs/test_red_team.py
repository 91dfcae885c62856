"""Escapes and bombs: each ends within its limit with the declared result, and the sandbox goes on.

A row of `ATTACKS` is (name, source, what comes of it): a `Failure`, or the move where the attack is harmless.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.envs.families.open_source import Failure, Limits, play_meta_round
from econzoo.envs.families.open_source.failures import MAX_TEXT_LENGTH, Answer
from econzoo.envs.families.open_source.program import Program
from econzoo.envs.families.open_source.sandbox import Sandbox, unavailable_reason
from programs.bombs import BOMBS
from programs.escapes import ESCAPES
from programs.writing import LIMIT, TIT_FOR_TAT, body
from refusals import says

pytestmark = pytest.mark.skipif(unavailable_reason() is not None, reason=str(unavailable_reason()))

SOON = Limits(seconds=0.1, wall_seconds=0.5)
"""For attacks that only a limit ends; nothing else may be in time by this clock."""

LATE = Limits(seconds=2.0, wall_seconds=600.0)
"""For all that ends by itself: within a small part of this, so that a busy machine changes no result."""

ATTACKS = [*ESCAPES, *BOMBS]
LONG = {
    *("simulates a bomb", "simulates bombs for ever", "simulates itself in a loop", "trees for ever"),
    *("nested loops", "swallows all", "a sum without end", "sorting with a slow key", "quadratic search"),
    *("greatest common divisor", "digits of a huge number", "shared lists compared", "shared lists as JSON"),
    *("backtracking again and again", "print swallowing all", "names that nobody knows"),
    *("loops in finally", "a maximum without end", "huge product", "while True when loaded", "set that grows"),
}
"""Attacks that hold the sandbox up for more than one limit, or just as another does; left to the mark `long`."""
QUICK = [attack for attack in ATTACKS if attack[0] not in LONG]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LATE) as opened:
        yield opened


def moves(sandbox: Sandbox, source: str, rounds: int = 40, limits: Limits = LATE) -> list[Answer]:
    """What a program answers in a match against tit for tat, up to its first failure and once more."""
    sandbox.limits = limits
    program = sandbox.load(source, 7, TIT_FOR_TAT)
    answers: list[Answer] = []
    mine: list[str] = []
    try:
        while len(answers) < rounds and (len(answers) < 2 or answers[-2].failure is Failure.NONE):
            answers.append(program.answer(mine, ["C"] * len(mine), source, TIT_FOR_TAT))
            mine.append(answers[-1].value or "-")
    finally:
        program.close()
    return answers


@pytest.mark.parametrize("attacks", [QUICK[at::8] for at in range(8)])
def test_an_attack_has_the_declared_result(sandbox: Sandbox, attacks: list[tuple[Any, ...]]) -> None:
    for attack in attacks:
        hold(sandbox, *attack)


@pytest.mark.long
@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack[0] in LONG], ids=lambda attack: attack[0])
def test_one_that_lasts_has_its_result_too(sandbox: Sandbox, attack: tuple[Any, ...]) -> None:
    hold(sandbox, *attack)


def hold(sandbox: Sandbox, name: str, source: str, expected: object) -> None:
    """Holds an attack to its result, and the sandbox to going on."""
    variables = dict(os.environ)
    answers = moves(sandbox, source, limits=SOON if expected is LIMIT else LATE)
    for answer in answers[-2:]:
        assert (answer.value if answer.failure is Failure.NONE else answer.failure) == expected, name
        check_text(answer)
    assert dict(os.environ) == variables, name
    assert not any(Path(folder, "written").exists() for folder in (".", "/")), name  # see "write a file"
    assert [answer.value for answer in moves(sandbox, TIT_FOR_TAT, rounds=3)] == ["C"] * 3, name


def check_text(answer: Answer) -> None:
    """A failure says why in one short line of printable characters, and nothing about this machine."""
    assert (answer.text == "") == (answer.failure is Failure.NONE)
    assert len(answer.text) <= MAX_TEXT_LENGTH
    assert answer.text.isprintable()
    for secret in (str(Path.cwd()), str(Path(__file__).parents[2]), "site-packages", "Traceback", "__econzoo"):
        assert secret not in answer.text


def test_a_bomb_writes_nothing_to_the_terminal(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
    with Sandbox(LATE) as opened:
        moves(opened, body("('x' * 10**5).join(['y'] * 10**6)"))
    assert capfd.readouterr() == ("", "")


ALWAYS_C = body("")


def test_a_program_is_not_charged_with_the_death_of_its_worker_unless_it_happens_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker of the first program is killed before its second turn, in so many attempts at the meta-round."""
    left, ask = [0], Program.answer

    def killed(program: Program, mine: list[str], *rest: Any, **more: Any) -> Answer:
        if left[0] and len(mine) == 1 and program.source == ALWAYS_C and program._session:
            left[0] -= 1
            os.kill(program._session.worker_pid, signal.SIGKILL)
        return ask(program, mine, *rest, **more)

    monkeypatch.setattr(Program, "answer", killed)
    game = econzoo.game("program_matrix")
    params = game.params(turns=4)[1]
    for deaths, failure, moves_of_first in ((0, "", "CCCC"), (1, "", "CCCC"), (2, "", "CCCC"), (99, "limit", "C---")):
        left[0] = deaths
        first, second = play_meta_round(game, params, [ALWAYS_C, TIT_FOR_TAT], 0)
        assert (first.failure[: len("limit")], first.problem != "") == (failure, failure != ""), deaths
        assert (first.moves, second.failure) == (moves_of_first, ""), deaths


def test_the_table_is_long_and_names_each_attack_once() -> None:
    names = [name for name, *_ in ATTACKS]
    assert len(names) == len(set(names)) >= 45


def test_a_finished_program_costs_nothing_more(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb in each round of a long match takes the time of one: no worker is asked again."""
    bomb = body("while True: pass")
    sandbox.limits = SOON
    program = sandbox.load(bomb, 0, TIT_FOR_TAT)
    answers = [program.answer([], [], bomb, TIT_FOR_TAT)]
    monkeypatch.setattr(program, "_run_code", lambda *_: pytest.fail("the worker was asked again"))
    answers += [program.answer([], [], bomb, TIT_FOR_TAT) for _ in range(10_000)]
    assert {(answer.value, answer.failure) for answer in answers} == {(None, LIMIT)}
    says(answers[0].text, "0.1 seconds")


def test_the_other_program_does_not_notice_a_bomb(sandbox: Sandbox) -> None:
    bomb = body("if len(mine) == 2: 10**10**8")
    sandbox.limits = LATE
    first, second = sandbox.load(bomb, 0, TIT_FOR_TAT), sandbox.load(TIT_FOR_TAT, 1, bomb)
    played: tuple[list[str], list[str]] = ([], [])
    for _ in range(5):
        a = first.answer(*played, bomb, TIT_FOR_TAT).value or "-"
        b = second.answer(*played[::-1], TIT_FOR_TAT, bomb).value or "-"
        played[0].append(a)
        played[1].append(b)
    first.close()
    second.close()
    assert played == (["C", "C", "-", "-", "-"], ["C", "C", "C", "-", "-"])  # tit for tat returns '-', which is no move
