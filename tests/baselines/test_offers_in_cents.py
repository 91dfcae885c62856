"""Scripted players name whole cents in favour of who answers; solvers name what theory says; texts show cents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

import econzoo
from econzoo.baselines import filter_by_seat, pool
from econzoo.baselines.bargaining import PLAYERS as BARGAINING
from econzoo.baselines.negotiation import PLAYERS as NEGOTIATION
from econzoo.baselines.negotiation.base import NegotiationPlayer, price_for_gain
from econzoo.baselines.offers import Haggler
from econzoo.envs.core.faces import load_templates
from econzoo.envs.core.record import Record
from econzoo.envs.games.bargaining import solution as bargaining
from econzoo.envs.games.negotiation import solution as negotiation
from econzoo.envs.games.negotiation.rules import SELLER
from econzoo.evaluate.analyses import replay_texts
from econzoo.evaluate.commands.play import story
from econzoo.evaluate.run import PlayerCache, new_match, play_matches
from econzoo.people.texts.points import prompts_with_points
from exhaustive import long_unless

POOLS = ("standard", "training", "validation")


def played(game: str, pairs: list[tuple[str, ...]], markets: list[dict]) -> list[Record]:
    cast = PlayerCache(game)
    return list(play_matches([new_match(game, pair, 7, **market) for pair in pairs for market in markets], cast))


def specs(game: str) -> list[str]:
    return sorted({spec for name in POOLS for spec in pool(game, name)} - {"random"})


# Solvers


def bargaining_market(rng: Random) -> dict:
    return {
        "money": 10 ** rng.uniform(-2, 9),
        "delta": (rng.choice([1.0, rng.uniform(0.01, 1)]), rng.uniform(0.01, 1)),
        "horizon": rng.choice([1, 2, rng.randint(3, 60)]),
    }


def negotiation_market(rng: Random) -> dict:
    seller = rng.uniform(0, 2)
    return {
        "money": 10 ** rng.uniform(-2, 9),
        "seller_value": seller,
        "buyer_value": seller + rng.choice([1e-6, 1.0]) * rng.uniform(0, 2),
        "horizon": rng.choice([1, 2, rng.randint(3, 60)]),
        "outside_option": rng.random() < 0.5,
    }


def test_between_two_equilibrium_players_the_first_offer_is_accepted_and_pays_what_theory_says():
    rng = Random(1)
    for game, theory, drawn in (
        ("bargaining", bargaining, bargaining_market),
        ("negotiation", negotiation, negotiation_market),
    ):
        for record in played(game, [("spe", "spe")], [drawn(rng) for _ in range(150)]):
            assert [turn.action["kind"] for turn in record.turns] == ["offer", "accept"], record.params
            params = econzoo.game(game).params(**record.params)[1]
            if game == "bargaining":
                assert tuple(record.payoffs) == theory.spe_payoffs(params)
            else:
                assert record.turns[0].action["price"] == theory.spe_price(params, 1)
                assert tuple(record.payoffs) == theory.spe_payoffs(params)


def test_without_a_known_last_round_two_equilibrium_players_agree_at_once_on_rubinsteins_division():
    rng = Random(2)
    markets = [{**bargaining_market(rng), "horizon": None} for _ in range(100)]
    for record in played("bargaining", [("spe", "spe")], markets):
        params = econzoo.game("bargaining").params(**record.params)[1]
        assert len(record.turns) == 2
        assert tuple(record.payoffs) == bargaining.reference(params)["rubinstein"]


# Everybody else


@pytest.fixture
def named(monkeypatch) -> list[tuple[Haggler, float, float]]:
    """What strategies meant to name and what they named."""
    seen: list[tuple[Haggler, float, float]] = []
    original = Haggler.move

    def watched(self: Haggler, observation: dict[str, Any]) -> dict[str, Any]:
        move = original(self, observation)
        if move["kind"] == "offer":
            asked = self.ask(observation)
            is_gain = isinstance(self, NegotiationPlayer) and not self.exact
            meant = price_for_gain(self.view(observation), asked) if is_gain else asked
            seen.append((self, meant, move[next(key for key in move if key != "kind")]))
        return move

    monkeypatch.setattr(Haggler, "move", watched)
    return seen


def concession(player: Haggler, seat: int, meant: float, made: float) -> float:
    """What the one who answers gains by the rounding."""
    return made - meant if isinstance(player, NegotiationPlayer) and seat != SELLER else meant - made


def test_who_answers_loses_nothing_by_whole_cents_and_gains_less_than_one(named):
    for seat, game in product((0, 1), ("bargaining", "negotiation")):
        for spec in specs(game):
            named.clear()
            players = (spec, UNYIELDING[game]) if seat == 0 else (UNYIELDING[game], spec)
            for told in (True, False):
                played(game, [players], [{**MARKET[game], "complete_information": told}])
            own = [(player, meant, made) for player, meant, made in named if player.spec == spec]
            assert own, (seat, game)
            for player, meant, made in own:
                assert spec == "spe" or round(made, 2) == made, (seat, game)
                assert -1e-8 <= concession(player, seat, meant, made) < (1e-8 if player.exact else 0.01), (seat, game)


UNYIELDING = {"bargaining": "greedy(1)", "negotiation": "tough(1)"}
MARKET = {
    "bargaining": {"money": 10_000.0, "delta": (0.83, 0.97), "horizon": 7},
    "negotiation": {"money": 10_000.0, "seller_value": 0.87654321, "buyer_value": 1.23456789, "horizon": 7},
}


def test_of_small_stakes_a_cent_is_too_much(named):
    for game, money in product(("bargaining", "negotiation"), (100.0, 1.0, 0.01)):
        for spec in specs(game):
            played(game, [(spec, UNYIELDING[game])], [{**MARKET[game], "money": money}])
        assert named, (game, money)
        assert all(made == pytest.approx(meant, rel=1e-11) for _, meant, made in named), (game, money)


def test_solvers_name_what_theory_says():
    exact = {
        name: [p for p, kind in table.items() if kind.exact] for name, table in (("b", BARGAINING), ("n", NEGOTIATION))
    }
    assert exact == {"b": ["spe"], "n": ["spe"]}


# Texts

MONEY = re.compile(r"\$-?([\d,]+)(?:\.(\d+))?")
OF_MONEY = [
    name
    for name in econzoo.games()
    if any("${" in text for text in load_templates(econzoo.game(name).package).values())
]


def too_exact(text: str) -> list[str]:
    """Sums of a dollar or more with parts of cents."""
    return [found[0] for found in MONEY.finditer(text) if found[1] != "0" and len(found[2] or "00") != 2]


def test_sums_are_found():
    assert OF_MONEY
    assert too_exact("$1,000.043464 for you, $0.3333 for me, $12.50 for all") == ["$1,000.043464"]


def texts(record: Record) -> Iterator[str]:
    """All that players and spectators read of a match."""
    told = replay_texts(record)
    yield from (text for text in (*told.rules, *told.prompts, *told.endings) if text)
    yield story(econzoo.game(record.game), record)


@pytest.mark.parametrize("game", long_unless(lambda one: OF_MONEY.index(one) % 3 == 0, OF_MONEY, "slow"))
def test_nobody_reads_parts_of_cents(game):
    """Every scripted player meets every named market of the game in some match."""
    one = econzoo.game(game)
    for place, market in enumerate(one.scenarios.SETTINGS.values()):
        fit = [filter_by_seat(game, specs(game), seat) for seat in range(one.seats(one.params(**market)[1]))]
        players = tuple(able[(3 * place + seat) % len(able)] for seat, able in enumerate(fit))
        (record,) = played(game, [players], [market])
        assert [sum_ for text in texts(record) for sum_ in too_exact(text)] == [], (players, market)


def test_scripts_speak_in_the_unit_that_the_texts_of_the_match_have():
    """Else who counts in points would know a program by its dollars."""
    spoken = set[str]()
    for game, kinds in (("bargaining", BARGAINING), ("negotiation", NEGOTIATION)):
        own = prompts_with_points(game, {}, "points")
        for kind in kinds:
            plain, told = (
                [turn.action.get("message") or "" for turn in econzoo.play(game, [kind, kind], seed=1, **given).turns]
                for given in ({}, {"prompts": own})
            )
            spoken.update(plain)
            assert not any("$" in text for text in told), (game, kind)
            assert [("$" in text) for text in plain] == [("points" in text) for text in told], (game, kind)
    assert sum("$" in text for text in spoken) > 20
