"""From spec strings to players: what is read, and how everything else is refused."""

from __future__ import annotations

from econzoo.baselines import player
from econzoo.baselines.bargaining import PLAYERS, POOLS
from refusals import refuses

GOOD = [
    *POOLS["standard"],
    *POOLS["training"],
    *POOLS["validation"],
    *PLAYERS,
    "human",
    "mock('a', 'b')",
    "boulware(e=0.2)",
    "boulware(0.2, 1, 0)",
    "conceder( 2 , low = 0.1 )",
    "linear(0.5, 0.5)",
    "conceder(1000000)",
    "boulware(1e-300)",
    "mock('🤝 ) ( } {')",
]


def test_a_spec_names_the_player_that_it_makes():
    for spec in GOOD:
        made = player(spec, "bargaining")
        assert made.spec == spec, spec
        assert type(player(made.spec, "bargaining")) is type(made), spec
        assert player(made) is made, spec


def test_what_is_left_out_is_the_default():
    assert vars(player("boulware")) == vars(player("boulware(0.2, 0.9, 0.2)")) | {"spec": "boulware"}
    assert vars(player("acceptor(threshold=0.4)")) == vars(player("acceptor")) | {"spec": "acceptor(threshold=0.4)"}


NAMES = ("bargaining", "spe", "fair")
BAD = [  # spec, what the message must name
    ("", *NAMES),
    ("  ", *NAMES),
    ("unknown", *NAMES),
    ("Fair", "'fair'"),
    ("boulware(0)", "e=0", "0 < e < 1"),
    ("boulware(1)", "0 < e < 1"),
    ("boulware(-0.5)", "0 < e < 1"),
    ("boulware(1e999)", "0 < e < 1"),
    ("boulware('0.2')", "0 < e < 1"),
    ("boulware(True)", "0 < e < 1"),
    ("boulware([0.2])", "0 < e < 1"),
    ("boulware(None)", "0 < e < 1"),
    (f"boulware({10**400})", "0 < e < 1"),
    ("boulware(0.2, 1.5)", "high=1.5", "0 <= high <= 1"),
    ("boulware(0.2, 0.6, 0.7)", "low=0.7", "0 <= low <= 0.6"),
    ("boulware(e=0.2, speed=1)", "boulware(e=0.2, high=0.9, low=0.2)"),
    ("boulware(0.2, 0.9, 0.2, 0.1)", "boulware(e=0.2, high=0.9, low=0.2)"),
    ("conceder(1)", "1 < e <= 1e+06"),
    ("conceder(1e300)", "1 < e <= 1e+06"),
    ("linear(-0.1)", "0 <= high <= 1"),
    ("tit-for-tat(2)", "0 <= high <= 1"),
    ("greedy(0.4)", "0.5 <= share <= 1"),
    ("acceptor(1.01)", "0 <= threshold <= 1"),
    ("deadline(0.4)", "0.5 <= late <= 1"),
    ("deadline(least=0.6)", "0 <= least <= 0.5"),
    ("deadline(rounds=1.5)", "rounds=1.5", "0 <= rounds <= 99"),
    ("acceptor(threshold=-1)", "0 <= threshold <= 1"),
    ("quantal(-1)", "precision=-1", "0 <= precision <= 1e+06"),
    ("quantal(precision=1e7)", "0 <= precision <= 1e+06"),
    ("quantal('high')", "0 <= precision <= 1e+06"),
    ("quantal(5, 6)", "quantal(precision=8)"),
    ("fair(0.5)", "fair"),
    ("spe()()",),
    ("boulware(0.2)(0.3)",),
    ("boulware(nan)",),
    ("boulware(inf)",),
    ("boulware(float('nan'))",),
    ("boulware(__import__('os'))",),
    ("boulware(__import__('os').system('true'))",),
    ("boulware(*[0.2])",),
    ("boulware(**{'e': 0.2})",),
    ("boulware({[]: 1})",),
    ("boulware(0.2) + f(1)",),
    ("boulware(0.2", "boulware(NAME=VALUE"),
    ("boulware 0.2", "'boulware'"),
    ("boulware(\x00)",),
    ("💰", *NAMES),
    ("boulware(💰)",),
    ("a" * 10_000, *NAMES),
    ("boulware(" + "(" * 10_000 + ")" * 10_001,),
    ("boulware(" + "-" * 10_000 + "1)",),
    ("boulware(" + "1" * 10_000 + ")",),
    ("boulware(0x" + "f" * 10_000 + ")", "0 < e < 1"),
    ("mock", "mock(TEXT, TEXT, ...)"),
    ("mock(1)", "mock(TEXT, TEXT, ...)"),
    ("mock('a', None)", "mock(TEXT, TEXT, ...)"),
    ("random(1)", "random"),
    ("human(' me')", "name=' me'", 40),
    ("human(ask='x')", "human(name='')"),
    ("human(terminal='x')", "terminal='x'", "Terminal"),
]


def test_a_bad_spec_is_refused_with_what_is_allowed():
    for spec, *named in BAD:
        with refuses(ValueError, *named) as refused:
            player(spec, "bargaining")
        assert repr(spec)[:50] in str(refused.value)
        assert len(str(refused.value)) < 620, spec


def test_what_is_no_text_is_refused():
    for spec in (None, 3, 0.5, ["fair"], {"fair": 1}, b"fair"):
        with refuses(ValueError, repr(spec), "bargaining", "spe", "fair"):
            player(spec, "bargaining")


def test_the_pools_keep_training_and_validation_apart():
    assert not set(POOLS["training"]) & set(POOLS["validation"])
    trained = {spec.partition("(")[0] for spec in POOLS["training"]}
    assert {"tit-for-tat", "greedy"} <= {spec.partition("(")[0] for spec in POOLS["validation"]} - trained


def test_an_error_of_a_constructor_is_told_and_not_taken_for_wrong_arguments(monkeypatch):
    def broken(spec, share=0.5):
        raise TypeError("of its own")

    monkeypatch.setitem(PLAYERS, "broken", broken)
    for spec, named in [("broken(0.1)", "of its own"), ("broken(1, 2)", "broken(share=0.5)")]:
        with refuses(ValueError, spec, named):
            player(spec, "bargaining")
