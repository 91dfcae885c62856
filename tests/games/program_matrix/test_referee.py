"""The referee of the open-source game of two moves: what programs see, and what no program can do to a match.

Faults have the numbers that they have in docs/programs.md, "Differences from the published code". Those of 8 and
9 that concern single turns are in test_policies.py.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.contract import Move
from econzoo.envs.core.record import Record
from econzoo.envs.families.open_source import MATRIX, RandomStreams, play_meta_round
from econzoo.envs.families.open_source.library import names
from econzoo.envs.families.open_source.library import program as written
from econzoo.envs.families.open_source.match_referee import BaseMatch
from econzoo.envs.families.open_source.sandbox import Program
from econzoo.envs.games.program_matrix import GAME as PROGRAM_MATRIX
from econzoo.envs.games.program_matrix import rules
from games.program_matches import of_players, program, random_words, results, ruled, sandboxed, submitted, tape
from refusals import refuses

pytestmark = sandboxed

GAME = "program_matrix"
C, D = tape(MATRIX, "C"), tape(MATRIX, "D")


def moves(first: str, second: str, seed: int = 0, **params: Any) -> tuple[str, str]:
    one, other = ruled(GAME, [first, second], seed, **params).results
    assert (one.moves, one.against) == (other.against, other.moves)
    return one.moves, other.moves


# What programs see


def test_programs_are_told_their_own_history_first() -> None:
    told = "raise ValueError(''.join(my_history) + '/' + ''.join(opp_history))"
    tells = program(MATRIX, told)
    assert "ValueError: /" in ruled(GAME, [C, tells], turns=1).results[1].problem
    late = program(MATRIX, "if len(my_history) < 3:", "    return 'CDD'[len(my_history)]", told)
    asked = ruled(GAME, [tape(MATRIX, "DCC"), late], turns=4).results[1].problem
    assert asked.endswith("ValueError: CDD/DCC")


def test_both_are_asked_before_either_history_grows() -> None:
    even = program(MATRIX, "return 'C' if len(my_history) == len(opp_history) else 'D'")
    assert moves(even, even, turns=8) == ("C" * 8, "C" * 8)


def test_tit_for_tat_by_hand() -> None:
    assert moves(written("matrix", "tit_for_tat"), tape(MATRIX, "CDDCD"), turns=5) == ("CCDDC", "CDDCD")


def test_programs_read_the_sources_of_this_meta_round() -> None:
    """Each cooperates if both sources are those of the meta-round that is being played."""

    def of(number: int) -> str:
        wanted = f"'round {number}' in my_program_code and 'round {number}' in opponent_program_code"
        return program(MATRIX, f"return 'C' if {wanted} else 'D'  # this is for round {number}")

    env = submitted(GAME, [of(1), of(1)], [of(2), of(2)], [of(3), of(2)], turns=2)
    assert [result.moves for result in results(env)] == ["CC", "CC", "CC", "CC", "DD", "DD"]


def test_the_sources_are_told_to_the_letter() -> None:
    odd = program(
        MATRIX, "return 'C'  # \u05e9\u05dc\u05d5\u05dd, '''quotes''', \\\\ and \t tabs", before="\n\n# first"
    )
    copy = f"OTHER = {odd!r}\n\n" + program(MATRIX, "return 'C' if opponent_program_code == OTHER else 'D'")
    assert moves(copy, odd, turns=1) == ("C", "C")


def test_a_program_meets_itself() -> None:
    clique = written("matrix", "clique_bot")
    assert moves(clique, clique, turns=3) == ("CCC", "CCC")
    assert moves(clique, clique + "\n# a remark", turns=3) == ("DDD", "DDD")


def test_copies_of_a_program_draw_by_themselves() -> None:
    drawing = program(MATRIX, "return random.choice('CD')")
    one, other = moves(drawing, drawing, turns=40)
    assert one != other
    assert set(one) == set(other) == {"C", "D"}


# What no program can do


def test_fault_1_programs_do_not_reach_the_process() -> None:
    for line in [
        "return random._os.system('true')",
        "return re.enum.sys.modules['os'].getcwd()",
        "return getattr(math, '__builtins__')['open']('/etc/passwd').read()",
        "return ().__class__.__base__.__subclasses__()",
        "return open('/etc/passwd').read()",
        "return __import__('os').getcwd()",
    ]:
        escaping = program(MATRIX, "try:", f"    {line}", "except Exception as error:", "    return 'D'", "return 'C'")
        assert moves(escaping, C, turns=2)[1] == "CC", line
        first = ruled(GAME, [program(MATRIX, line), C], turns=2).results[0]
        assert (first.moves, first.failed) == ("--", 2), line
        assert first.failure in ("exception", "syntax error", "wrong return value"), line
        assert "root:" not in first.problem, line


def test_fault_2_a_program_without_end_ends_and_the_match_goes_on() -> None:
    for where in ("strategy", "load"):
        endless = program(MATRIX, "while True:", "    pass") if where == "strategy" else "while True:\n    pass\n" + C
        env = submitted(GAME, [endless, C], [C, endless], [C, C], turns=3, seconds=0.5)
        told = [(result.moves, result.failure) for result in results(env)]
        beaten = ("---", "limit exceeded")
        assert told == [beaten, ("CCC", ""), ("CCC", ""), beaten, ("CCC", ""), ("CCC", "")], where
        assert env.over, where


def test_fault_3_a_program_changes_its_own_copies_only() -> None:
    vandal = program(
        MATRIX,
        "opp_history.clear()",
        "my_history.extend(['C'] * 99)",
        "my_program_code = opponent_program_code = ''",
        "return 'D'",
    )
    honest = program(
        MATRIX,
        "fair = len(my_history) == len(opp_history) and my_program_code and opponent_program_code",
        "return 'C' if fair and set(my_history) <= {'C'} and set(opp_history) <= {'D'} else 'D'",
    )
    for first, second, wanted in ((vandal, honest, ("DDDD", "CCCC")), (honest, vandal, ("CCCC", "DDDD"))):
        assert moves(first, second, turns=4) == wanted


KEEPING = {
    "a list": program(
        MATRIX, "KEPT.append(1)", "return 'C' if len(KEPT) == len(my_history) + 1 else 'D'", before="KEPT = []\n"
    ),
    "an argument": f"def strategy_function({', '.join(MATRIX.parameters[:3])}, opponent_program_code):\n"
    "    keep()\n    return 'C' if COUNT['n'] == len(my_history) + 1 else 'D'\n\nCOUNT = {'n': 0}\n\n"
    "def keep():\n    COUNT['n'] += 1\n",
    "a module": program(
        MATRIX,
        "try:",
        "    known = len(math.kept)",
        "except Exception:",
        "    known = 0",
        "try:",
        "    math.kept = ['x'] * (len(my_history) + 1)",
        "except Exception:",
        "    return 'C'",
        "return 'C' if known == len(my_history) else 'D'",
    ),
}


def test_fault_4_nothing_outlives_a_meta_round() -> None:
    """Neither for the next meta-round, nor the next match, nor another opponent, nor the copy on the other side."""
    for how, keeps in KEEPING.items():
        rounds = [[keeps, keeps], [keeps, D], [C, keeps], [keeps, keeps]]
        for _match in range(2):
            env = submitted(GAME, *rounds, rounds=4, turns=3)
            told = [result.moves for result in results(env)]
            assert told == ["CCC", "CCC", "CCC", "DDD", "CCC", "CCC", "CCC", "CCC"], how


def test_fault_4_reseeding_changes_nothing_for_anybody_else() -> None:
    """Neither nature's slips nor the other program's draws; those would change with the source, which is left out."""
    reseeding = program(MATRIX, "random.seed(1)", "random.random()", "return 'C'")
    drawing = program(MATRIX, "return random.choice('CD')")
    params = PROGRAM_MATRIX.params(turns=30, noise=0.3)[1]
    state, rule = PROGRAM_MATRIX.rules.initial(params), partial(PROGRAM_MATRIX.referee.rule_sources, params)
    for seed in range(3):
        one, other = (rule(state, [own, drawing], seed, lambda seed, *_: seed) for own in (reseeding, C))
        assert one.moves == other.moves


def test_fault_5_a_program_is_called_for_its_turns_and_for_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no trial run: each call has both true sources, and there is one a turn."""
    asked: list[tuple[Any, ...]] = []
    answer = Program.answer
    monkeypatch.setattr(Program, "answer", lambda self, *given, **kw: asked.append(given) or answer(self, *given, **kw))
    env = submitted(GAME, rounds=1, turns=4)
    env.step({"program": C})
    assert not asked
    env.step({"program": D})
    assert [(len(own), len(other)) for own, other, *_ in asked] == [(t, t) for t in range(4) for _ in (0, 1)]
    assert [codes for _own, _other, *codes in asked] == [[C, D], [D, C]] * 4


def test_fault_5_a_program_that_cannot_even_start_is_taken_and_fails_in_play() -> None:
    env = submitted(GAME, ["1 / 0\n" + C, C], rounds=1, turns=2)
    assert env.errors == [0, 0]
    assert (results(env)[0].moves, results(env)[0].failure) == ("--", "exception")


class Author(Player):
    """Submits these programs in order."""

    def __init__(self, *sources: str, spec: str = "author") -> None:
        super().__init__(spec)
        self.face, self.left = "structured", list(sources)

    def act(self, observation: Any, info: Any) -> Any:
        return {"program": self.left.pop(0)}


def played(*players: Any, seed: int = 5, **params: Any) -> Record:
    return econzoo.play(GAME, list(players), seed=seed, **params)


def test_fault_6_mirrored_authors_keep_their_own_programs() -> None:
    """Two authors of the same name write different programs; each plays its own, and the record has both."""
    first, second = [D, tape(MATRIX, "CD")], [C, tape(MATRIX, "DC")]
    record = played(Author(*first), Author(*second), rounds=2, turns=4)
    assert record.players[0] == record.players[1]
    programs = [[turn.action["program"] for turn in record.turns if turn.seat == seat] for seat in (0, 1)]
    assert programs == [first, second]
    told = [[ruling["results"][seat]["moves"] for ruling in record.rulings or ()] for seat in (0, 1)]
    assert told == [["DDDD", "CDCD"], ["CCCC", "DCDC"]]


def line(record: Record) -> str:
    return json.dumps({**asdict(record), "seconds": 0, "turns": [{**asdict(t), "seconds": 0} for t in record.turns]})


DRAWING = program(MATRIX, "return random.choice('CD')")


@pytest.mark.slow
def test_fault_7_the_same_seed_gives_the_same_record() -> None:
    """Programs that draw, that simulate, that fail, and hands that tremble: all by the seed, bit for bit."""
    sources = [DRAWING, written("matrix", "fair_bot"), tape(MATRIX, "C!")]
    for one in sources:
        matches = [
            played(Author(*[one] * 2), Author(*[DRAWING] * 2), seed=seed, rounds=2, turns=12, noise=0.2)
            for seed in (5, 5, 6)
        ]
        assert line(matches[0]) == line(matches[1])
        assert matches[0].rulings != matches[2].rulings


def test_fault_7_meta_rounds_have_randomness_of_their_own() -> None:
    env = submitted(GAME, *[[DRAWING, DRAWING]] * 3, turns=40)
    told = [result.moves for result in results(env)]
    assert len(set(told)) == 6


def test_fault_9_the_entry_is_found_by_its_name() -> None:
    helper_first = "def other(mine, theirs, own, source):\n    return 'D'\n\n\n" + C
    assert moves(helper_first, helper_first, turns=2) == ("CC", "CC")
    nameless = ruled(GAME, ["def my_strategy(mine, theirs, own, source):\n    return 'D'\n", C], turns=2).results[0]
    assert (nameless.moves, nameless.failure) == ("--", "no program")


# Trembling hands


def test_noise_turns_moves_round_as_often_as_it_should() -> None:
    """10,000 moves with noise 1/10: 1000 +- 30 come out as the other one; four standard deviations are 120."""
    base = BaseMatch(
        PROGRAM_MATRIX.base, econzoo.game(GAME).params(noise=0.1)[1]._replace(turns=5000), RandomStreams(0)
    )
    while base.movers:
        base.play_turn([Move(rules.C, (0.0,)), Move(rules.D, (0.0,))])
    one, other = base.histories
    assert abs(one.count("D") + other.count("C") - 1000) < 120
    slips = [(x == "D", y == "C") for x, y in zip(one, other, strict=True)]
    assert abs(slips.count((True, True)) - 50) < 29, "each hand by itself: 5000 / 100, standard deviation 7"


def test_noise_is_drawn_by_the_seed() -> None:
    assert moves(C, C, turns=50, noise=0.3) == moves(C, C, turns=50, noise=0.3)
    assert moves(C, C, turns=50, noise=0.3) != moves(C, C, 1, turns=50, noise=0.3)
    assert moves(C, C, turns=50) == ("C" * 50, "C" * 50)


def test_slips_do_not_depend_on_what_programs_do() -> None:
    """The same turns slip whatever is played; and a turn without a move has nothing to turn round."""
    kinds = {"C": C, "D": D, "-": tape(MATRIX, "!")}
    slipped = {}
    for letter, source in kinds.items():
        came = moves(source, C, 3, turns=200, noise=0.25)
        slipped[letter] = [x != letter for x in came[0]], [x != "C" for x in came[1]]
    assert slipped["C"] == slipped["D"]
    assert slipped["-"] == ([False] * 200, slipped["C"][1])
    assert 20 < sum(slipped["C"][0]) < 80


def test_programs_see_moves_as_they_came_out() -> None:
    """What each chose is what it saw last, of the other and of itself; whether it slipped is known from the seed."""
    slips = [x == "D" for x in moves(C, C, 1, turns=60, noise=0.3)[1]]
    one, other = moves(C, written("matrix", "tit_for_tat"), 1, turns=60, noise=0.3)
    assert other == "".join("CD"[(seen == "D") ^ slip] for seen, slip in zip("C" + one, slips, strict=False))
    grim = program(MATRIX, "return 'D' if 'D' in my_history else 'C'")
    own = moves(C, grim, 1, turns=60, noise=0.3)[1]
    assert own == "".join("CD"[("D" in own[:turn]) ^ slip] for turn, slip in enumerate(slips))
    assert 5 < sum(slips) < 32


# The whole against the base game


def test_a_ruling_pays_what_the_base_game_pays_for_its_moves() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = [[[float(x) for x in pair] for pair in row] for row in rng.integers(-9, 10, (2, 2, 2))]
        sources = [tape(MATRIX, random_words(rng, MATRIX, 15)) for _ in (0, 1)]
        ruling = ruled(GAME, sources, seed, payoffs=table, turns=15, noise=0.2)
        env = econzoo.make_raw("matrix", face="structured", payoffs=table, rounds=15)
        env.reset(seed=0)
        for pair in of_players(ruling):
            for move in pair:
                env.step({"kind": "CD"[move.kind]})
        assert [result.payoff for result in ruling.results] == list(env.payoffs), seed


def test_a_contest_is_one_meta_round() -> None:
    game = econzoo.game(GAME)
    p = game.params(turns=5)[1]
    one, other = play_meta_round(game, p, [C, D], 0)
    assert (one.moves, other.moves, one.payoff, other.payoff) == ("CCCCC", "DDDDD", 0.0, 25.0)
    with refuses(ValueError, "matrix"):
        play_meta_round(econzoo.game("matrix"), None, [C, D], 0)


@pytest.mark.slow
def test_the_written_programs_always_answer() -> None:
    for name in names("matrix"):
        for other in ("defect", "tit_for_tat", name):
            for result in ruled(GAME, [written("matrix", name), written("matrix", other)], turns=6).results:
                assert (result.failed, result.problem) == (0, ""), name


def test_the_named_lengths_are_played_in_full() -> None:
    for market in ("dyadic", "tournament", "similarity", "noisy"):
        record = played("tit-for-tat", "win-stay-lose-shift", **econzoo.game(GAME).scenarios.SETTINGS[market])
        params = record.params
        assert [len(ruling["moves"]) for ruling in record.rulings or ()] == [2 * params["turns"]] * params["rounds"], (
            market
        )
        assert record.status == "finished", market


def test_what_a_ruling_says_is_what_the_rules_make_of_its_moves() -> None:
    game = econzoo.game(GAME)
    p = game.params(turns=4)[1]
    ruling = ruled(GAME, [tape(MATRIX, "C!DD"), C], turns=4)
    s = rules.apply(p, rules.initial(p), ruling.moves)
    assert [result.payoff for result in ruling.results] == list(s.last)
    assert [result.failed for result in ruling.results] == list(s.failed)
