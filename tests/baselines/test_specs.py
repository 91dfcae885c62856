"""From spec strings to players: what is read, and how everything else is refused."""

from __future__ import annotations

import pytest

from econzoo.baselines.bargaining import PLAYERS, POOLS
from econzoo.baselines.factory import player

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


@pytest.mark.parametrize("spec", GOOD)
def test_a_spec_names_the_player_that_it_makes(spec):
    made = player(spec, "bargaining")
    assert made.spec == spec
    assert type(player(made.spec, "bargaining")) is type(made)
    assert player(made) is made


def test_what_is_left_out_is_the_default():
    assert vars(player("boulware")) == vars(player("boulware(0.2, 0.9, 0.2)")) | {"spec": "boulware"}
    assert vars(player("acceptor(threshold=0.4)")) == vars(player("acceptor")) | {"spec": "acceptor(threshold=0.4)"}


BAD = [  # spec, what the message must name
    ("", "spe, fair"),
    ("  ", "spe, fair"),
    ("unknown", "unknown player 'unknown'; allowed in bargaining: spe, fair"),
    ("Fair", "allowed in bargaining: spe, fair"),
    ("boulware(0)", "e=0 is not allowed; allowed: a number with 0 < e < 1"),
    ("boulware(1)", "0 < e < 1"),
    ("boulware(-0.5)", "0 < e < 1"),
    ("boulware(1e999)", "0 < e < 1"),
    ("boulware('0.2')", "0 < e < 1"),
    ("boulware(True)", "0 < e < 1"),
    ("boulware([0.2])", "0 < e < 1"),
    ("boulware(None)", "0 < e < 1"),
    (f"boulware({10**400})", "0 < e < 1"),
    ("boulware(0.2, 1.5)", "high=1.5 is not allowed; allowed: a number with 0 <= high <= 1"),
    ("boulware(0.2, 0.6, 0.7)", "low=0.7 is not allowed; allowed: a number with 0 <= low <= 0.6"),
    ("boulware(e=0.2, speed=1)", "allowed: boulware(e=0.2, high=0.9, low=0.2)"),
    ("boulware(0.2, 0.9, 0.2, 0.1)", "allowed: boulware(e=0.2, high=0.9, low=0.2)"),
    ("conceder(1)", "1 < e <= 1e+06"),
    ("conceder(1e300)", "1 < e <= 1e+06"),
    ("linear(-0.1)", "0 <= high <= 1"),
    ("tit-for-tat(2)", "0 <= high <= 1"),
    ("greedy(0.4)", "0.5 <= share <= 1"),
    ("acceptor(1.01)", "0 <= threshold <= 1"),
    ("deadline(0.4)", "0.5 <= late <= 1"),
    ("deadline(least=0.6)", "0 <= least <= 0.5"),
    ("deadline(rounds=1.5)", "a whole number with 0 <= rounds <= 99"),
    ("acceptor(threshold=-1)", "0 <= threshold <= 1"),
    ("quantal(-1)", "precision=-1 is not allowed; allowed: a number with 0 <= precision <= 1e+06"),
    ("quantal(precision=1e7)", "0 <= precision <= 1e+06"),
    ("quantal('high')", "0 <= precision <= 1e+06"),
    ("quantal(5, 6)", "allowed: quantal(precision=8)"),
    ("fair(0.5)", "allowed: fair without arguments"),
    ("spe()()", "plain numbers or texts"),
    ("boulware(0.2)(0.3)", "plain numbers or texts"),
    ("boulware(nan)", "plain numbers or texts"),
    ("boulware(inf)", "plain numbers or texts"),
    ("boulware(float('nan'))", "plain numbers or texts"),
    ("boulware(__import__('os'))", "plain numbers or texts"),
    ("boulware(__import__('os').system('true'))", "plain numbers or texts"),
    ("boulware(*[0.2])", "plain numbers or texts"),
    ("boulware(**{'e': 0.2})", "plain numbers or texts"),
    ("boulware({[]: 1})", "plain numbers or texts"),
    ("boulware(0.2) + f(1)", "plain numbers or texts"),
    ("boulware(0.2", "unknown player"),
    ("boulware 0.2", "unknown player"),
    ("boulware(\x00)", "plain numbers or texts"),
    ("💰", "unknown player"),
    ("boulware(💰)", "plain numbers or texts"),
    ("a" * 10_000, "unknown player"),
    ("boulware(" + "(" * 10_000 + ")" * 10_001, "plain numbers or texts"),
    ("boulware(" + "-" * 10_000 + "1)", "plain numbers or texts"),
    ("boulware(" + "1" * 10_000 + ")", "player 'boulware(111"),
    ("boulware(0x" + "f" * 10_000 + ")", "player 'boulware(0xf"),
    ("mock", "mock(TEXT, TEXT, ...)"),
    ("mock(1)", "mock(TEXT, TEXT, ...)"),
    ("mock('a', None)", "mock(TEXT, TEXT, ...)"),
    ("random(1)", "allowed: random without arguments"),
    ("human(' me')", "a printable name"),
    ("human(ask='x')", "allowed: human(name='')"),
    ("human(terminal='x')", "allowed: a Terminal"),
]


@pytest.mark.parametrize(("spec", "named"), BAD, ids=[spec[:40] for spec, _ in BAD])
def test_a_bad_spec_is_refused_with_what_is_allowed(spec, named):
    with pytest.raises(ValueError) as refused:
        player(spec, "bargaining")
    assert named in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("spec", [None, 3, 0.5, ["fair"], {"fair": 1}, b"fair"])
def test_what_is_no_text_is_refused(spec):
    with pytest.raises(ValueError, match="allowed in bargaining: spe, fair"):
        player(spec, "bargaining")


def test_the_pools_keep_training_and_validation_apart():
    assert not set(POOLS["training"]) & set(POOLS["validation"])
    trained = {spec.partition("(")[0] for spec in POOLS["training"]}
    assert {"tit-for-tat", "greedy"} <= {spec.partition("(")[0] for spec in POOLS["validation"]} - trained
