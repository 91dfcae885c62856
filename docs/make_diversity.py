"""How varied opponents of bargaining and negotiation are: in what they do, and in what pays against them.

    python docs/make_diversity.py

Prints the tables of "How varied opponents are" in docs/results_by_game.md, in about a minute. The *distance* of two
strategies is the mean absolute difference between what they do when they meet the same 200 partners, who offer random
shares, whatever they are asked for, and go on whether or not they are accepted. An ask counts as its share of the
stake, an answer as 1 or 0; asks and answers count half each. Of a spec with drawn arguments there are `MEMBERS`.

The *loss* of a plan is the part of what the best response to an opponent earns that the plan does not, in percent. A
plan for a family is the best of the best responses to `MATCHED` of its strategies, by its mean against all of these. It
names its amounts one after the other, takes what pays as much as it hopes for, and at the end anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

import numpy as np

from econzoo.baselines import HELD_OUT_FAMILIES, members, player, pool
from econzoo.baselines.pools import FAMILIES, families
from econzoo.envs.core import game as find_game
from econzoo.envs.core import players_of
from econzoo.envs.core.contract import ZERO_UNIFORMS, Move
from econzoo.envs.core.vector import script_of
from econzoo.envs.families.offers.best_response import best_response

PARTNERS, MEMBERS, MATCHED = 200, 12, 12
HORIZONS = (3, 6, 12, None)
SHORT: dict[str, list[dict[str, Any]]] = {
    "bargaining": [{"horizon": 3, "delta": (0.9, 0.9)}, {"horizon": 4, "delta": (0.95, 0.8)}],
    "negotiation": [{"horizon": 3}, {"horizon": 4}],
}
GRID, WIDTH = 21, 20
LEAST = 0.02
"""The smallest share of the stake that a best response must earn for losses to be parts of it."""


def rules_of(game: str) -> Any:
    """The rules of a game, with the numbers of its kinds of moves."""
    return import_module(f"econzoo.envs.games.{game}.rules")


def shares(game: str, params: Any) -> tuple[float, Callable[[int, float], float], Callable[[int, float], float]]:
    """What there is to share, the share of it that a seat asks for by an amount, and the amount of a share."""
    if game == "bargaining":
        return params.money, lambda _, amount: amount / params.money, lambda _, share: share * params.money
    (low, high), stake = params.value, params.value[1] - params.value[0]
    return (
        stake,
        lambda seat, price: (high - price if seat else price - low) / stake,
        lambda seat, share: high - share * stake if seat else low + share * stake,
    )


def offers(number: int) -> Iterator[float]:
    """Shares that a partner offers: as before, or more or less by chance."""
    rng = Random(number)
    share = rng.uniform(0.0, 0.7)
    while True:
        yield share
        share = min(max(share + rng.choice((0.0, 0.0, rng.uniform(0.0, 0.2), rng.uniform(-0.15, 0.15))), 0.0), 1.0)


@cache
def does(game: str, spec: str) -> np.ndarray:
    """What a strategy does with all partners: asks, then answers, each half of the whole."""
    one, rules = player(spec, game), rules_of(game)
    script = script_of(one, game)
    assert script is not None
    asks, answers = [], []
    for number in range(PARTNERS):
        public = {"horizon": HORIZONS[number % len(HORIZONS)], "max_rounds": 12}
        params, seat = find_game(game).params(**public)[1], number // len(HORIZONS) % 2
        _, asked, amount = shares(game, params)
        state, past, given = rules.initial(params), list(script.start(params)), offers(number)
        while not state.over and state.round <= 12:
            own = rules.to_act(params, state) == seat
            if not own and not state.pending:
                state = rules.apply(params, state, (Move(rules.OFFER, (amount(1 - seat, 1.0 - next(given)),)),))
                continue
            if own:
                view = rules.observe(params, state, seat)
                script.note(view, past)
                move = script.move(view, script.numbers, past, ZERO_UNIFORMS)
                if not state.pending:
                    asks.append(min(max(asked(seat, move.values[0]), 0.0), 1.0))
                    state = rules.apply(params, state, (move,))
                    continue
                answers.append(float(move.kind == rules.ACCEPT))
            state = rules.apply(params, state, (Move(rules.REJECT, (0.0,)),))
    return np.concatenate([np.array(asks) / len(asks), np.array(answers) / len(answers)]) / 2.0


def known(game: str, specs: Sequence[str], first: int = 0) -> list[str]:
    """The strategies of specs that draw nothing in a match, with arguments drawn by seeds from a first one on."""
    found: list[str] = []
    for spec in specs:
        one = player(spec, game)
        if hasattr(one, "sample_player"):
            found += [one.sample_player(seed).spec for seed in range(first, first + MEMBERS)]
        elif one.deterministic and script_of(one, game) is not None:
            found.append(spec)
    return list(dict.fromkeys(found))


def by_family(game: str, table: str = FAMILIES) -> dict[str, list[str]]:
    """Those of every family that has some, and so not of `logit`, whose members draw."""
    found = {name: known(game, specs) for name, specs in families(game, table).items()}
    return {name: ones for name, ones in found.items() if ones}


def apart(game: str, ones: Sequence[str], others: Sequence[str]) -> np.ndarray:
    """The distances between two groups of strategies, NaN from a strategy to itself."""
    table = np.array([[np.abs(does(game, one) - does(game, other)).sum() for other in others] for one in ones])
    return np.where(np.array([[one == other for other in others] for one in ones]), np.nan, table)


def distances(game: str) -> dict[str, str]:
    """How far apart the strategies of each family and pool are, and how far from others, as cells of a table."""
    pools = {"training pool": pool(game, "training"), "validation pool": pool(game, "validation")}
    wide = members(game, ["wide"])
    kinds = {f"`{name}`": ones for name, ones in by_family(game).items()}
    groups = kinds | {"all families": list(dict.fromkeys(one for kind in kinds.values() for one in kind))}
    groups |= {name: known(game, specs) for name, specs in {**pools, "wide pool": wide}.items()}
    groups["wide pool, drawn again"] = known(game, [spec for spec in wide if "~" in spec], MEMBERS)
    cells = {}
    for name, ones in groups.items():
        to = {other: np.nanmean(apart(game, ones, kind)) for other, kind in kinds.items() if other != name}
        nearest, inside = min(to, key=to.__getitem__), apart(game, ones, ones)
        within = "" if len(ones) == 1 else f"{np.nanmean(inside):.2f}"
        beside = f"{to[nearest]:.2f} {nearest}" if name in kinds else ""
        cells[name] = f"{within} | {beside} | {np.nanmin(apart(game, ones, groups['wide pool']), axis=1).mean():.3f}"
    return cells


def reply(game: str, spec: str, params: Any, seat: int) -> tuple[float, list[float]]:
    """What the best response to a strategy earns, and the amounts that its plan names."""
    stake, _, amount = shares(game, params)
    opponent, made = players_of(game).make_opponent(spec), import_module(f"econzoo.envs.games.{game}.best_response")

    def haggling(*given: Any) -> Any:
        amounts = tuple(amount(seat, share / (GRID - 1)) for share in range(GRID))
        whole = made.build_offer_game(*given)
        most = whole.payoff_bound if game == "bargaining" else lambda round: stake if round <= params.horizon else 0.0
        return replace(whole, amounts=amounts, precision=1e-6 * params.money, payoff_bound=most)

    found = best_response(haggling, params, seat, opponent, memory=opponent.memory, grid=GRID, width=WIDTH)
    own = [move.values[0] for who, _, move in found.plan if who == seat and move.kind == rules_of(game).OFFER]
    return found.value, own


def earned(game: str, plan: tuple[float, list[float]], spec: str, params: Any, seat: int) -> float:
    """What a plan made for one strategy earns against another."""
    rules, opponent, (value, named) = rules_of(game), players_of(game).make_opponent(spec), plan
    state, history, last = rules.initial(params), (), shares(game, params)[2](seat, 0.5)
    own = iter(named)
    while not state.over:
        who = rules.to_act(params, state)
        if who != seat:
            move = opponent(params, state, who, history)
        elif not state.pending:
            last = next(own, last)
            move = Move(rules.OFFER, (last,))
        else:
            taken = rules.payoffs(params, rules.apply(params, state, (Move(rules.ACCEPT, (0.0,)),)))[seat]
            good = taken >= value - 1e-3 * params.money or (state.round == params.horizon and taken >= 0.0)
            move = Move(rules.ACCEPT if good else rules.REJECT, (0.0,))
        state, history = rules.apply(params, state, (move,)), (*history, (who, state.round, move))
    return float(rules.payoffs(params, state)[seat])


def chosen(game: str, kind: Sequence[str], params: Any, seat: int) -> tuple[float, list[float]]:
    """Of the best responses to the strategies of a kind, the one that earns most against all of them."""
    plans = [reply(game, spec, params, seat) for spec in kind]
    return max(plans, key=lambda plan: sum(earned(game, plan, spec, params, seat) for spec in kind))


def losses(game: str) -> None:
    """Prints the losses against those of each family whom no training meets, a row for each plan."""
    met, kinds = by_family(game, HELD_OUT_FAMILIES), by_family(game)
    kinds |= {
        "wide pool": known(game, members(game, ["wide"])),
        "all families": [one for k in kinds.values() for one in k],
    }
    kinds = {name: Random(0).sample(kind, min(len(kind), MATCHED)) for name, kind in kinds.items()}
    found: dict[tuple[str, str], list[float]] = {(one, other): [] for one in kinds for other in met}
    for public in SHORT[game]:
        params = find_game(game).params(**public)[1]
        least = LEAST * shares(game, params)[0]
        for seat in (0, 1):
            best = {spec: reply(game, spec, params, seat)[0] for kind in met.values() for spec in kind}
            for one, kind in kinds.items():
                plan = chosen(game, kind, params, seat)
                for other, opponents in met.items():
                    counted = [spec for spec in opponents if best[spec] > least]
                    found[one, other] += [1.0 - earned(game, plan, spec, params, seat) / best[spec] for spec in counted]
    print(f"\n| {game}, plan for | {' | '.join(f'`{name}`' for name in met)} | mean |\n|---|{'---|' * (len(met) + 1)}")
    for one in kinds:
        cells = [100 * np.mean(found[one, other]) for other in met]
        name = f"`{one}`" if one in met else one
        print(f"| {name} | {' | '.join(f'{cell:.0f}' for cell in [*cells, np.mean(cells)])} |")


def main() -> None:
    """Prints the tables."""
    first, second = map(distances, SHORT)
    heads = "within | nearest other family | nearest of the wide pool"
    print(f"| | bargaining: {heads} | negotiation: {heads} |\n|---|{'---|' * 6}")
    for name, cells in first.items():
        print(f"| {name} | {cells} | {second[name]} |")
    for game in SHORT:
        losses(game)


if __name__ == "__main__":
    main()
