"""The planner of repeated 2x2 games: its posterior by hand, and its plans against brute force."""

from itertools import product

import numpy as np

import econzoo
from econzoo.baselines import player
from econzoo.baselines.matrix import planner, planning
from econzoo.baselines.matrix.classic import HIDDEN, STANDARD
from econzoo.baselines.matrix.generated import Generated
from econzoo.evaluate import replay
from refusals import refuses

PAYOFFS = np.array([3.0, 0.0, 5.0, 1.0])


def rows_of(*players):
    kinds = np.array([planning.STRATEGIES.index(one.move) for one in players])
    numbers = [one.numbers(STANDARD) for one in players]
    rows = np.zeros((len(players), max(map(len, numbers))))
    for row, own in zip(rows, numbers, strict=True):
        row[: len(own)] = own
    return kinds, rows


def total(one, moves):
    """Points of a sequence of moves against a deterministic strategy."""
    mine, theirs, points = [], [], 0.0
    for turn, move in enumerate(moves):
        reply = one.move(theirs, mine, turn, len(moves), 0.5, one.numbers(STANDARD))
        mine.append(move)
        theirs.append(reply)
        points += PAYOFFS[2 * move + reply]
    return points


def value(players, rounds, noise=0.0, samples=1, depth=2):
    """Values of the first moves against opponents that are equally likely."""
    kinds, rows = (np.repeat(part, samples, axis=0) for part in rows_of(*players))
    machines = np.array([n for n in range(0, len(kinds), samples) if planning.is_machine(kinds[n], rows[n])], np.int64)
    return planner.compiled_kernels()[1](
        *(kinds, rows, np.zeros(rounds, np.int64), np.zeros(rounds, np.int64), 0, rounds, rounds, noise, 1.0, PAYOFFS),
        *(np.random.default_rng(0).random((len(kinds), rounds, 3)), planner.plan_table(True), machines, depth, 0.0),
    )


def test_it_earns_what_the_best_sequence_does_against_an_automaton_that_it_knows():
    for family, number in product(("automaton", "sequence"), range(6)):
        one = Generated("generated", family, number)
        best = [max(total(one, (first, *rest)) for rest in product((0, 1), repeat=7)) for first in (0, 1)]
        assert np.allclose(value([one], 8), best), (family, number)


def test_dynamic_programming_is_backward_induction_with_noise():
    """Against tit for tat whose moves are flipped with probability 0.1, by recursion over the last outcome."""
    chances, after, moves = np.zeros(12), np.zeros((12, 2, 2), np.int64), np.zeros((5, 12), np.int64)
    tit_for_tat = np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    size = planning.fill_machine(planning.MEMORY_ONE, tit_for_tat, chances, after)
    assert size == 4
    planning.best_respond(size, chances, after, PAYOFFS, 0.9, 0.1, moves)

    def worth(last, left):
        """The better choice and its value after this seat's last realised move."""
        if left == 0:
            return 0, 0.0
        nice = 0.9 if last == 0 else 0.1
        values = [
            sum(
                (0.9 if made == choice else 0.1)
                * (nice * PAYOFFS[2 * made] + (1 - nice) * PAYOFFS[2 * made + 1] + 0.9 * worth(made, left - 1)[1])
                for made in (0, 1)
            )
            for choice in (0, 1)
        ]
        return int(values[1] > values[0]), max(values)

    for left, last, reply in product(range(5), (0, 1), (0, 1)):
        assert moves[left, 2 * reply + last] == worth(last, left + 1)[0], (left, last)


def test_it_defects_at_once_only_where_cooperators_are_likelier_than_grudgers():
    """It cooperates to the last round but one, or learns by a defection, which a grudger never forgives."""
    cooperator, grudger = (player(spec, "matrix") for spec in ("cooperator", "grudger"))
    for share, rounds in ((1 / 3, 8), (1 / 2, 8), (2 / 3, 8), (3 / 4, 12)):
        # Points if it defects for the first time after so many rounds, and then plays on by the answer.
        learns = [3 * after + 5 + (share * 5 + (1 - share)) * (rounds - after - 1) for after in (0, 1)]
        expected = max(3 * (rounds - 1) + 5, learns[1]), learns[0]
        people = [cooperator] * round(12 * share) + [grudger] * round(12 * (1 - share))
        assert np.allclose(value(people, rounds), expected), (share, rounds)


def test_the_posterior_is_bayes_rule():
    """Odds of tit for tat to a cooperator, and of a coin, after own CDC and replies CCD, with noise."""
    specs = ("tit-for-tat", "cooperator", "mixed(0.5)")
    kinds, rows = rows_of(*(player(spec, "matrix") for spec in specs))
    for noise in (0.0, 0.05):
        fits, moves = np.log([0.25, 0.25, 0.5]), (np.array([0, 1, 0]), np.array([0, 0, 1]))
        draws = np.array([False, False, True])
        for first, turn in ((0, 2), (2, 3)):  # as they come
            planner.compiled_kernels()[0](kinds, rows, draws, 0.02, *moves, first, turn, HIDDEN, noise, fits)
        right = 0.99 * (1 - noise) + 0.01 * noise
        expected = np.array([0.25 * right**3, 0.25 * right**2 * (1 - right), 0.5 * 0.5**3])
        found = np.exp(fits - fits.max())
        assert np.allclose(found / found.sum(), expected / expected.sum(), rtol=0.02), noise


def test_noisy_replies_are_best_replies_or_kind():
    """A best replier to those who cooperate defects in a dilemma; a reciprocator cooperates."""
    for kindness, move in ((0.0, 1), (2.0, 0)):
        numbers = (*STANDARD, kindness, 50.0, 0.5, 1.0)
        assert planning.noisy_reply([0], [0], 1, HIDDEN, 0.5, numbers) == move
    assert planning.noisy_reply([0], [0], 1, HIDDEN, 0.5, (*STANDARD, 2.0, 0.0, 0.5, 1.0)) == 1  # u < 1/2 cooperates


def test_it_has_learned_the_best_response_in_two_thirds_of_a_match():
    """Backward induction: defection always, or in the last round alone if defections are answered in kind."""
    for spec, best in (("cooperator", "DDDD"), ("tit-for-tat", "CCCD"), ("defector", "DDDD")):
        record = econzoo.play("matrix", ["plan", spec], seed=0, rounds=12, messages=False)
        moves = "".join(turn.action["kind"] for turn in record.turns if turn.seat == 0)
        assert moves[8:] == best, (spec, moves)


def test_matches_replay_and_do_not_depend_on_the_seed():
    market = {"rounds": 12, "stage_game": "chicken", "messages": False}
    first, second = (econzoo.play("matrix", ["plan(0.005)", "gradual"], seed=seed, **market) for seed in (0, 1))
    assert [turn.action for turn in first.turns] == [turn.action for turn in second.turns]
    assert replay(first) == []
    with refuses(ValueError, "seconds"):
        player("plan(0)", "matrix")
