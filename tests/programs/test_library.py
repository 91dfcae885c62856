"""The written programs: who cooperates with whom, and what each is written for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from econzoo.envs.families.open_source import COIN_GAME, INTERFACES, MATRIX, Limits, library, problem_of
from econzoo.envs.families.open_source.sandbox import Sandbox, unavailable_reason
from refusals import refuses

pytestmark = pytest.mark.skipif(unavailable_reason() is not None, reason=str(unavailable_reason()))
BOTH = [(base, name) for base in INTERFACES for name in library.names(base)]
ROUNDS = 10


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(seconds=5, wall_seconds=20)) as opened:
        yield opened


def duel(sandbox: Sandbox, first: str, second: str, seed: int = 0) -> tuple[str, str]:
    """The moves of two sources."""
    sources = (first, second)
    programs = [sandbox.load(sources[i], f"{seed} {i}", sources[1 - i], MATRIX, i) for i in (0, 1)]
    played: list[list[str]] = [[], []]
    for _ in range(ROUNDS):
        moves = [programs[i].answer(played[i], played[1 - i], sources[i], sources[1 - i]) for i in (0, 1)]
        assert [move.text for move in moves] == ["", ""]
        for i in (0, 1):
            played[i].append(str(moves[i].value))
    for program in programs:
        program.close()
    return "".join(played[0]), "".join(played[1])


def named(name: str) -> str:
    return library.program("matrix", name)


def test_a_program_cites_its_source_and_can_be_submitted() -> None:
    for base, name in BOTH:
        source = library.program(base, name)
        assert problem_of(source, INTERFACES[base].parameters, Limits().source) is None, (base, name)
        assert "Source: " in source.split('"""')[1], (base, name)


C, D = "C" * ROUNDS, "D" * ROUNDS
TABLE = [
    ("cooperate", "defect", C, D),
    ("tit_for_tat", "defect", "C" + D[1:], D),
    ("tit_for_tat", "late_defector", C, C[1:] + "D"),
    ("grim_trigger", "late_defector", C, C[1:] + "D"),
    ("win_stay_lose_shift", "defect", "CD" * 5, D),
    ("clique_bot", "clique_bot", C, C),
    ("clique_bot", "cooperate", D, C),
    ("clique_bot", "false_clique_bot", D, C),
    ("false_clique_bot", "false_clique_bot", D, D),
    ("syntactic", "syntactic", C, C),
    ("syntactic", "clique_bot", D, D),
    ("similarity", "similarity", C, C),
    ("similarity", "defect", D, D),
    ("exploiter", "cooperate", D, C),
    ("exploiter", "clique_bot", D, D),
    ("exploiter", "tit_for_tat", C, C),
    ("exploiter", "exploiter", C, C),
    ("false_friend", "cooperate", D, C),
    ("false_friend", "tit_for_tat", C, C),
    ("false_friend", "false_friend", C, C),
    ("fair_bot", "fair_bot", C, C),
    ("fair_bot", "cooperate", C, C),
    ("fair_bot", "tit_for_tat", C, C),
    ("prudent_bot", "prudent_bot", C, C),
    ("prudent_bot", "tit_for_tat", C, C),
]


def test_who_cooperates_with_whom(sandbox: Sandbox) -> None:
    for first, second, one, other in TABLE:
        assert duel(sandbox, named(first), named(second)) == (one, other), (first, second)


@pytest.mark.parametrize(("name", "epsilon", "naive"), [("fair_bot", 0.3, 1.0), ("prudent_bot", 0.4, 0.4)])
def test_those_who_simulate_cooperate_by_chance_alone_with_the_wrong_ones(
    sandbox: Sandbox, name: str, epsilon: float, naive: float
) -> None:
    """Against a defector with probability epsilon (PrudentBot in round 1 alone), with the naive as their rule says."""
    matches = 12
    defecting = [duel(sandbox, named(name), named("defect"), seed)[0] for seed in range(matches)]
    first = [moves[0] for moves in defecting] if name == "prudent_bot" else list("".join(defecting))
    trusting = "".join([duel(sandbox, named(name), named("cooperate"), seed)[0] for seed in range(matches)])
    assert abs(first.count("C") / len(first) - epsilon) < 4 * (0.25 / len(first)) ** 0.5
    assert abs(trusting.count("C") / len(trusting) - naive) < 4 * (0.25 / len(trusting)) ** 0.5


def test_clique_bot_is_brittle_and_the_others_are_not(sandbox: Sandbox) -> None:
    """A comment added, and other names: the text differs, the program does not."""
    for name, changed, moves in (
        ("clique_bot", "# mine\n", D),
        ("syntactic", "# mine\n", C),
        ("similarity", "# mine\n", C),
    ):
        assert duel(sandbox, named(name), changed + named(name)) == (moves, moves)
    renamed = named("syntactic").replace("known", "places").replace("mine", "ours")
    assert duel(sandbox, named("syntactic"), renamed) == (C, C)


# The coin game

STEPS = {"UP": (-1, 0), "DOWN": (1, 0), "LEFT": (0, -1), "RIGHT": (0, 1)}


def collected(sandbox: Sandbox, first: str, second: str, steps: int = 12) -> np.ndarray:
    """Coins by player (row) and owner (column) on a board of 3, with coins that come back anywhere."""
    sources = [library.program("coin_game", name) for name in (first, second)]
    programs = [sandbox.load(sources[i], i, sources[1 - i], COIN_GAME, i) for i in (0, 1)]
    rng, taken = np.random.default_rng(5), np.zeros((2, 2), int)
    places, played = rng.integers(3, size=(4, 2)), ([], [])  # type: ignore[var-annotated]
    for _ in range(steps):
        state = np.zeros((4, 3, 3))
        state[range(4), places[:, 0], places[:, 1]] = 1
        moves = [programs[i].answer(state, played[i], played[1 - i], sources[i], sources[1 - i]) for i in (0, 1)]
        assert [move.text for move in moves] == ["", ""]
        for i in (0, 1):
            played[i].append(str(moves[i].value))
            places[i] = (places[i] + STEPS[str(moves[i].value)]) % 3
        hits = [[bool((places[i] == places[2 + coin]).all()) for coin in (0, 1)] for i in (0, 1)]
        together = bool((places[2] == places[3]).all())  # who takes its own there cannot leave the other's
        taken += [[hits[i][coin] and (i == coin or not together) for coin in (0, 1)] for i in (0, 1)]
        for coin in (0, 1):
            if hits[0][coin] or hits[1][coin]:
                places[2 + coin] = rng.integers(3, size=2)
    for program in programs:
        program.close()
    return taken


@pytest.mark.slow
def test_who_takes_the_others_coins(sandbox: Sandbox) -> None:
    """Fair players take none of the other's; None: whatever it takes, it must take something."""
    for first, second, fair in [
        ("cooperative", "cooperative", (True, True)),
        ("clique_bot", "clique_bot", (True, True)),
        ("similarity", "similarity", (True, True)),
        ("tit_for_tat_collector", "tit_for_tat_collector", (True, True)),
        ("tit_for_tat_collector", "cooperative", (True, True)),
        ("greedy", "cooperative", (False, True)),
        ("greedy", "greedy", (False, False)),
        ("clique_bot", "greedy", (False, False)),
        ("similarity", "cooperative", (None, True)),
        ("late_taker", "cooperative", (False, True)),
        ("fair_bot", "cooperative", (True, True)),
        ("fair_bot", "fair_bot", (None, None)),
        ("tit_for_tat_collector", "greedy", (False, False)),
    ]:
        taken = collected(sandbox, first, second)
        assert (taken.sum(axis=1) > 0).all(), (first, second, fair)
        for i, is_fair in enumerate(fair):
            assert is_fair is None or bool(taken[i, 1 - i] == 0) is is_fair, (first, second, fair)


# Bad names


def test_an_unknown_name_is_refused() -> None:
    for base, name, *named in [
        ("chess", "cooperate", "'chess'", "matrix", "coin_game"),
        ("matrix", "tit_for_tats", "'tit_for_tats'", "matrix", "tit_for_tat"),
        ("matrix", "../coin_game/greedy", "'../coin_game/greedy'"),
    ]:
        with refuses(ValueError, *named):
            library.program(base, name)
