"""Who learns what: values stay private to the end, words reach one ear, and offers are sealed until all are made."""

from __future__ import annotations

from itertools import product
from typing import Any

import econzoo
from econzoo.envs.games.double_auction import Listen, Offer, Say
from econzoo.testing.playing import FACES, encode, freeze

DRAWS = [90.0, 70.0, 20.0, 40.0, 0.0]


def played(face: str, *moves: Any, draws: list[float] = DRAWS, **market: Any) -> Any:
    """A market of two buyers and two sellers after these moves of the seats in turn."""
    env = econzoo.make("double_auction", face=face, **{"buyers": 2, "sellers": 2, **market})
    env.reset(seed=0, options={"chance": draws})
    for move in moves:
        env.step(encode(env, env.agent_selection, move))
    return env


def looks(env: Any, seat: int) -> Any:
    agent = f"player_{seat}"
    return freeze(env.observe(agent)), freeze(env.infos[agent])


def test_one_trader_hears_what_is_said_and_nobody_else() -> None:
    """Buyer 1 talks to Seller 1 (number 2) about another value, or to Seller 2, or listens."""
    for face in FACES:
        rest = (Listen(), Listen(), Listen())
        first = played(face, Say(2, 80.0), *rest)
        for other, hears in ((Say(2, 60.0), {2}), (Say(3, 80.0), {2, 3}), (Listen(), {2})):
            second = played(face, other, *rest)
            changed = {seat for seat in (1, 2, 3) if looks(first, seat) != looks(second, seat)}
            assert changed == hears, face


def test_words_reach_the_same_ear() -> None:
    for face in ("structured", "text", "chat"):
        rest = (Listen(), Listen(), Listen())
        envs = [played(face, Say(2, 80.0, words), *rest) for words in ("Please.", "No mercy.")]
        assert [looks(envs[0], seat) == looks(envs[1], seat) for seat in (1, 2, 3)] == [True, False, True], face


def test_offers_are_sealed_until_all_are_made() -> None:
    for face in FACES:
        low, high = (played(face, Offer(offer), Offer(70.0), Offer(20.0), talk=0) for offer in (30.0, 90.0))
        assert [looks(low, seat) == looks(high, seat) for seat in (1, 2, 3)] == [True] * 3, face
        for env in (low, high):
            env.step(encode(env, env.agent_selection, Offer(40.0)))
        assert [looks(low, seat) == looks(high, seat) for seat in (1, 2, 3)] == [False] * 3, face


def test_values_and_the_lot_stay_private_to_the_end() -> None:
    """Buyer 2 sees the same, whatever the others' values and the lot are."""
    for face, secret in product(FACES, (0, 2, 3, 4)):
        changed = [*DRAWS[:secret], 99.0, *DRAWS[secret + 1 :]]
        offers = [Offer(offer) for offer in (80.0, 60.0, 30.0, 50.0)]
        one, other = (played(face, *offers, draws=draws, talk=0) for draws in (DRAWS, changed))
        assert looks(one, 1) == looks(other, 1), (face, secret)
        assert one.chance_draws != other.chance_draws, (face, secret)
