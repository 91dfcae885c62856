"""The author that evolves programs: what its grammar can say, and what it finds against plain programs."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import player
from econzoo.baselines.programs.evolve import evolve_program
from econzoo.baselines.programs.grammar import MAX_NODES, Grammar
from econzoo.baselines.programs.vocabulary import GRAMMARS
from econzoo.envs.core import game
from econzoo.envs.families.open_source import INTERFACES, library, play_meta_round, problem_of
from econzoo.evaluate.run import replay
from exhaustive import examples
from refusals import refuses

BASES = {"matrix": ("program_matrix", "tit_for_tat"), "coin_game": ("program_coin", "greedy")}


def test_a_grammar_writes_what_people_would():
    grammar, rng = GRAMMARS["matrix"](9), Random(0)
    plain = [grammar.source(tree) for tree in grammar.single_rules()]
    head = "def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):\n"
    assert plain[:2] == [head + '    return "C"\n', head + '    return "D"\n']
    assert plain[2].startswith("def last(history):\n")
    assert plain[2].endswith("    return last(opp_history)\n")
    assert len(plain) == 4
    assert grammar.source(grammar.sample_tree(rng)) != grammar.source(grammar.sample_tree(rng))


@examples(8)
@given(seed=st.integers(0, 2**32), turns=st.integers(1, 300), changes=st.integers(0, 6))
def test_every_tree_is_a_program_that_runs(seed, turns, changes):
    """Drawn, changed and crossed at random, it passes the check and answers in every turn."""
    for base, (name, other) in BASES.items():
        rng, grammar = Random(seed), GRAMMARS[base](turns)
        tree = grammar.sample_tree(rng)
        for _ in range(changes):
            tree = grammar.cross(rng, grammar.mutate(rng, tree), grammar.sample_tree(rng))
        assert tree.size() <= MAX_NODES, base
        source = grammar.source(tree)
        assert problem_of(source, INTERFACES[base].parameters, 20_000) is None, base
        params = game(name).params(turns=4)[1]
        for seat in (0, 1):
            sources = [source, library.program(base, other)]
            result = play_meta_round(game(name), params, sources if seat == 0 else sources[::-1], seed)[seat]
            assert (result.failed, result.problem) == (0, ""), base


def test_only_the_helpers_that_are_called_are_written():
    for base in BASES:
        grammar = GRAMMARS[base](10)
        for seed in range(60):
            source = grammar.source(grammar.sample_tree(Random(seed)))
            for name in re.findall(r"^def (\w+)", source, re.MULTILINE):
                assert name == "strategy_function" or len(re.findall(rf"\b{name}\(", source)) > 1, base


def by_length(source: str) -> float:
    return 0.0


def test_of_equal_programs_the_shortest_is_chosen():
    grammar = GRAMMARS["matrix"](5)
    for seed in range(5):
        best = grammar.source(evolve_program(grammar, by_length, 3, 8, Random(seed)))
        assert best == grammar.source(grammar.single_rules()[0])


def test_generations_never_lose_the_best_and_ask_once_for_each_program():
    asked: list[str] = []

    def fitness(source: str) -> float:
        asked.append(source)
        return float(source.count("opp_history"))

    grammar: Grammar = GRAMMARS["matrix"](5)
    best = grammar.source(evolve_program(grammar, fitness, 10, 10, Random(1)))
    assert len(asked) == len(set(asked)) <= 10 * 11
    assert best.count("opp_history") == max(source.count("opp_history") for source in asked) >= 4


def answers(opponent: str, seed: int = 1, author: str = "evolve(8, 12)", **given) -> econzoo.Record:
    return econzoo.play("program_matrix", [author, opponent], seed=seed, rounds=2, **given)


def last_result(record, seat: int = 0) -> dict:
    return record.rulings[-1]["results"][seat]


@pytest.mark.long
def test_best_answers_that_are_plain():
    for opponent, payoff, moves in [
        ("defect", 10.0, "D" * 10),  # nothing is better than 1 a turn
        ("cooperate", 50.0, "D" * 10),  # 5 a turn
        ("clique-bot", 10.0, "D" * 10),  # no other text is its copy
    ]:
        record = answers(opponent)
        assert (last_result(record)["payoff"], last_result(record)["moves"]) == (payoff, moves), (opponent, payoff)
        assert record.errors == record.defaults == [0, 0], (opponent, payoff, moves)


@pytest.mark.long
def test_against_tit_for_tat_it_cooperates_and_defects_last():
    """With 4 turns the best answer is C, C, C, D: 3 + 3 + 3 + 5; defecting earlier or always pays 12 or less."""
    record = answers("tit-for-tat", turns=4, author="evolve(15, 32)")
    assert (last_result(record)["moves"], last_result(record)["payoff"]) == ("CCCD", 14.0)


@pytest.mark.slow
def test_it_plays_either_seat_and_any_table():
    """In matching pennies seat 1 wins where the moves differ: against a program that always plays C it plays D."""
    record = econzoo.play(
        "program_matrix", ["cooperate", "evolve(3, 8)"], seed=2, rounds=2, turns=3, stage_game="matching-pennies"
    )
    result = last_result(record, 1)
    first, second = econzoo.game("program_matrix").params(stage_game="matching-pennies")[1].table[4:6]
    assert result["payoff"] == 3 * max(first, second)


@pytest.mark.long
def test_in_the_coin_game_it_beats_programs_drawn_at_random():
    """Against the greedy program, on boards that it has not seen, in points a turn."""
    record = econzoo.play("program_coin", ["evolve(6, 10)", "greedy"], seed=3, rounds=2)
    found = [turn.action["program"] for turn in record.turns if turn.seat == 0][-1]
    grammar, coin = GRAMMARS["coin_game"](9), game("program_coin")
    params, greedy = coin.params()[1], library.program("coin_game", "greedy")

    def mean(source: str) -> float:
        return sum(play_meta_round(coin, params, [source, greedy], seed)[0].payoff for seed in range(100, 112)) / 12

    drawn = [mean(grammar.source(grammar.sample_tree(Random(seed)))) for seed in range(12)]
    assert mean(found) > sum(drawn) / len(drawn)


@pytest.mark.long
def test_a_match_is_the_same_again_and_replays():
    records = [econzoo.play("program_matrix", ["evolve(2, 6)", "evolve(2, 6, 'all')"], seed=5) for _ in range(2)]
    assert records[0].payoffs == records[1].payoffs
    assert [turn.action for turn in records[0].turns] == [turn.action for turn in records[1].turns]
    assert replay(records[0]) == []


@pytest.mark.long
def test_seeds_differ():
    one, other = (econzoo.play("program_matrix", ["evolve(2, 8)", "defect"], seed=seed, rounds=1) for seed in range(2))
    assert one.turns[0].action != other.turns[0].action


def test_what_it_answers_to():
    author = player("evolve(0, 4)", "program_matrix")
    history = [{"seat": seat, "program": f"{seat}{number}"} for number in range(5) for seat in (0, 1)]
    for against, seat, expected in (("last", 0, ("14",)), ("last", 1, ("04",)), ("all", 0, ("12", "13", "14"))):
        author.seat, author.against = seat, against
        assert author.opponents({"history": history}) == expected
    assert author.opponents({"history": []}) == tuple(
        library.program("matrix", name) for name in ("cooperate", "defect", "tit_for_tat")
    )


def test_bounds():
    for spec, *named in [
        ("evolve(-1)", "generations=-1", "0 <= generations <= 100"),
        ("evolve(101)", "generations=101"),
        ("evolve(8, 3)", "population=3", "4 <= population <= 200"),
        ("evolve(8, 4.5)", "population=4.5"),
        ("evolve(against='first')", "against='first'", "'last'", "'all'"),
        ("evolve(size=3)", "evolve(generations=8, population=12, against='last')"),
    ]:
        for name in ("program_matrix", "program_coin"):
            with refuses(ValueError, spec, *named):
                player(spec, name)
