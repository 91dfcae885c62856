"""The grammar of strategies of repeated 2x2 games: what every family does, and that a number is one for good."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import product
from random import Random
from typing import Any

import econzoo
from econzoo.baselines import HELD_OUT_FAMILIES, description, player
from econzoo.baselines.matrix import POOLS
from econzoo.baselines.matrix import productions as p
from econzoo.baselines.matrix.classic import HIDDEN, STANDARD, Payoffs
from econzoo.baselines.matrix.generated import FAMILIES, FIRST_HELD_OUT, RULES, Generated, minimise_automaton
from econzoo.baselines.matrix.generated import sample_numbers
from econzoo.baselines.matrix.grudges import punish
from econzoo.baselines.matrix.memory_one import after_last_round
from econzoo.baselines.pools import families
from refusals import refuses, says

GOLDEN = "3e69927bbd88722b"
SEQUENCE_7 = (0.0, 0.0, 3.0, 4.0)


def story(number: int, turns: int = 30) -> list[int]:
    """Moves of a partner: by chance, with a chance of D of its own."""
    rng = Random(number)
    chance = rng.random()
    return [int(rng.random() < chance) for _ in range(turns)]


def answers(one: Any, theirs: Sequence[int], luck: Sequence[float] = (), payoffs: Payoffs = STANDARD) -> list[int]:
    """What a strategy plays against a sequence, and in the round after it."""
    mine: list[int] = []
    for turn in range(len(theirs) + 1):
        u = luck[turn] if luck else 0.0
        mine.append(one.move(mine, theirs, turn, HIDDEN, u, one.numbers(payoffs)))
    return mine


def of(family: str, count: int = 150) -> list[tuple[tuple[float, ...], list[int], list[int]]]:
    """Strategies of a family: the numbers of their only rule, what each saw, and what it did."""
    ones = [(Generated("generated", family, number), story(number)) for number in range(count)]
    return [(one.arguments[p.HEAD :], theirs, answers(one, theirs)) for one, theirs in ones]


def test_a_number_is_the_same_strategy_for_good():
    numbers = [*range(200), *range(FIRST_HELD_OUT, FIRST_HELD_OUT + 100)]
    told = repr([sample_numbers(family, number) for family in FAMILIES for number in numbers])
    assert sha256(told.encode()).hexdigest()[:16] == GOLDEN
    assert sample_numbers("sequence", 7)[: p.HEAD + 1] == SEQUENCE_7


def test_no_number_to_train_with_is_a_strategy_that_is_kept_for_evaluations():
    for family in FAMILIES:
        trained, kept = ({sample_numbers(family, first + i) for i in range(3000)} for first in (0, FIRST_HELD_OUT))
        assert not trained & kept, family
        assert len(trained) > 1000, family
        unmet = {
            Generated("generated", *arguments(spec)).arguments for spec in families("matrix", HELD_OUT_FAMILIES)[family]
        }
        assert len(unmet) == 6, family
        assert unmet <= kept, family


def arguments(spec: str) -> tuple[str, int]:
    """The family and the number in ``generated('count', 17)``."""
    _, family, number = spec.split("'")
    return family, int(number.strip(", )"))


def test_no_drawn_strategy_plays_as_one_of_the_validation_or_the_test_does():
    stories = [story(number, 24) for number in range(8)]
    specs = {*POOLS["validation"], *POOLS["test"]} - {"contrite-tit-for-tat"}  # tit for tat where hands are steady
    held = [player(spec, "matrix") for spec in sorted(specs)]
    known = {repr([answers(one, each) for each in stories]): one.spec for one in held if one.deterministic}
    for family in (name for name in FAMILIES if name != "last-round"):
        for number in range(150):
            one = Generated("generated", family, number)
            assert repr([answers(one, each) for each in stories]) not in known or not one.deterministic, one.describe()


def test_other_families_and_numbers_are_refused():
    for spec, *named in [
        ("generated('mirror')", "'mirror'", "'automaton'", "'switch'"),
        ("generated('count', -1)", "number=-1", "0 <= number <= 999999"),
        ("generated('count', 0.5)", "an integer"),
    ]:
        with refuses(ValueError, *named):
            player(spec, "matrix")


def test_a_strategy_says_in_one_sentence_what_it_does():
    for family in FAMILIES:
        told = {description(f"generated('{family}', {number})", "matrix") for number in range(100)}
        assert len(told) > 70, family
        assert all(one.endswith(".") and one[0].isupper() and "{" not in one for one in told), family
    assert description("generated('sequence', 1)", "matrix") == "Plays CDCCCCCDD again and again."
    says(description("generated('trigger', 2)", "matrix"), "2 defections in a row", "with 6", "3 rounds of peace")


def test_after_the_last_round_it_cooperates_with_the_chances_of_a_memory_one_strategy():
    for number in range(150):
        one, theirs = Generated("generated", "last-round", number), story(number)
        luck, chances = (
            [Random(f"{number} {turn}").random() for turn in range(len(theirs) + 1)],
            one.arguments[p.HEAD + 1 :],
        )
        mine = answers(one, theirs, luck)
        assert mine == [after_last_round(mine, theirs, turn, HIDDEN, luck[turn], chances) for turn in range(len(luck))]
        assert any(0.0 < chance < 1.0 for chance in chances)


def test_an_automaton_goes_where_the_others_moves_lead_it_and_has_no_state_too_many():
    for x, theirs, mine in of("automaton"):
        rows = [tuple(map(int, x[at : at + 3])) for at in range(1, len(x), 3)]
        state = rows[0]
        for turn, move in enumerate(mine):
            assert state[0] == move
            state = rows[state[1 + theirs[turn]]] if turn < len(theirs) else state
        told = [row[0] for row in rows], [(row[1], row[2]) for row in rows]
        assert minimise_automaton(*told) == told
        assert 3 <= len(rows) <= 6


def test_the_smallest_automaton_plays_as_the_one_that_it_stands_for():
    rng = Random(0)
    for _ in range(60):
        states = range(rng.randint(1, 5))
        moves = [rng.randrange(2) for _ in states]
        after = [(rng.choice(states), rng.choice(states)) for _ in states]
        small = minimise_automaton(moves, after)
        assert len(small[0]) <= len(moves)
        for theirs in product((0, 1), repeat=6):
            assert walk(*small, theirs) == walk(moves, after, theirs)
        every = [*product((0, 1), repeat=5)]
        tables = [[walk(*small, theirs, start) for theirs in every] for start in range(len(small[0]))]
        assert all(one != other for i, one in enumerate(tables) for other in tables[:i]), "no two states do the same"


def walk(moves: list[int], after: list[tuple[int, int]], theirs: Sequence[int], state: int = 0) -> tuple[int, ...]:
    """What an automaton plays against a sequence."""
    played = [moves[state]]
    for move in theirs:
        state = after[state][move]
        played.append(moves[state])
    return tuple(played)


def test_a_count_defects_while_there_are_too_many_defections():
    for x, theirs, mine in of("count"):
        window, least, share, grace = int(x[p.WINDOW]), x[p.LEAST], x[p.SHARE], int(x[p.GRACE])
        for turn, move in enumerate(mine):
            bad = sum(theirs[max(0, turn - window) : turn]) if window else sum(theirs[:turn])
            over = bad >= least if window else bad > share * turn or (x[p.INCLUSIVE] == 1.0 and bad == share * turn)
            assert move == (x[p.OPENING] if turn < grace else over), (x, turn)


def test_a_trigger_that_needs_one_defection_and_forgives_nothing_is_that_of_the_grudges():
    compared = 0
    for x, theirs, mine in of("trigger", 600):
        if x[p.NEEDED] == 1 and x[p.AMENDS] == 0 and x[p.SUSPICION] == 0:
            given = (x[p.LENGTH], x[p.GROWTH], x[p.PEACE])
            assert mine == [punish([], theirs, turn, HIDDEN, 0.0, given) for turn in range(len(mine))]
            compared += 1
    assert compared > 20


def test_triggers_by_hand():
    for needed, in_row, length, growth, peace, amends, suspicion, theirs, expected in [
        (1, 0, 2, 0, 0, 0, 0, "DCCCDC", "CDDCCDD"),
        (2, 0, 2, 0, 0, 0, 0, "DCDCCC", "CCCDDCC"),
        (2, 1, 2, 0, 0, 0, 0, "DCDDCC", "CCCCDDC"),
        (1, 0, 1, 1, 0, 0, 0, "DCDCCC", "CDCDDCC"),
        (1, 0, 1, 0, 2, 0, 0, "DDDDCC", "CDCCDCC"),  # the second D of the other falls into the peace, the fourth counts
        (1, 0, p.FOREVER, 0, 0, 2, 0, "DCDCCC", "CDDDDCC"),
        (1, 0, 1, 0, 0, 0, 2, "DDDCCC", "DDCDCCC"),
    ]:
        x = (0.0, 0.0, p.HEAD, p.TRIGGER, needed, in_row, length, growth, peace, amends, suspicion)
        one = Generated("generated", "trigger")
        one.arguments = tuple(map(float, x))
        told = "".join("CD"[move] for move in answers(one, ["CD".index(letter) for letter in theirs]))
        assert told == expected, (x, theirs)


def test_a_sequence_looks_at_nobody():
    for x, _, mine in of("sequence"):
        moves = x[2:]
        assert mine == [moves[turn % len(moves)] for turn in range(len(mine))]
        assert set(moves) == {0.0, 1.0}


def test_those_who_learn_play_what_has_paid_more_on_average():
    for number in range(150):
        one, theirs = Generated("generated", "learning", number), story(number)
        chicken = Payoffs(3.0, 1.0, 5.0, 0.0)
        rounds, moves, rate, _, every = one.arguments
        for payoffs in (STANDARD, chicken):
            mine = answers(one, theirs, payoffs=payoffs)
            for turn, move in enumerate(mine):
                if turn < rounds:
                    assert move == int(moves) // 2**turn % 2
                    continue
                met = [*zip(mine[:turn], theirs, strict=False)]
                paid = [[payoffs[2 * own + other] for own, other in met if own == way] for way in (0, 1)]
                value = [faded(each, rate) if rate else sum(each) / len(each) for each in paid]
                if abs(value[0] - value[1]) > 1e-9:
                    best = int(value[1] > value[0])
                    assert move == (1 - best if every and (turn - rounds + 1) % every == 0 else best), (
                        one.arguments,
                        turn,
                    )
    one = Generated("generated", "learning")
    one.arguments = (2.0, 2.0, 0.0, 1.0, 0.0)
    assert answers(one, [0, 1, 1, 0], payoffs=Payoffs(1.0, 1.0, 1.0, 1.0)) == [0, 1, 1, 1, 1], "D at a tie"


def faded(payoffs: Sequence[float], rate: float) -> float:
    """A value that begins at the first payoff and moves by a part of the way to each later one."""
    value = payoffs[0]
    for payoff in payoffs[1:]:
        value = (1.0 - rate) * value + rate * payoff
    return value


def test_who_switches_follows_one_rule_and_then_the_other():
    hows: dict[float, set[bool]] = {}
    for number in range(200):
        one, theirs = Generated("generated", "switch", number), story(number)
        luck = [Random(f"{number} {turn}").random() for turn in range(len(theirs) + 1)]
        mine, (how, after, second) = answers(one, theirs, luck), one.arguments[: p.HEAD]
        for turn, move in enumerate(mine):
            bad = sum(theirs[:turn])
            now = {p.AT_ROUND: turn, p.AT_DEFECTIONS: bad, p.AT_COOPERATIONS: turn - bad}[int(how)] >= after
            at = int(second) if now else p.HEAD
            alone = (p.NEVER, 0.0, p.HEAD, *one.arguments[at:])
            assert move == p.generated_move(mine, theirs, turn, HIDDEN, luck[turn], alone)
            hows.setdefault(how, set()).add(now)
    assert hows == {how: {True, False} for how in (p.AT_ROUND, p.AT_DEFECTIONS, p.AT_COOPERATIONS)}


def test_they_say_whether_they_draw():
    for family in RULES:
        drawing = {Generated("generated", family, number).deterministic for number in range(100)}
        assert drawing == {family != "last-round"}, family
    assert {Generated("generated", "switch", number).deterministic for number in range(100)} == {True, False}


def test_they_play_where_hands_tremble_and_in_other_games():
    for family in FAMILIES:
        for game in ("prisoners-dilemma", "chicken", "battle-of-the-sexes"):
            pair = [f"generated('{family}', 1)", f"generated('{family}', 2)"]
            record = econzoo.play("matrix", pair, stage_game=game, rounds=20, noise=0.2, known=False, seed=2)
            assert record.status == "finished", (family, game)
            assert not any(record.errors + record.defaults), (family, game)
