"""Policies that remember earlier decisions, as opponents: the search for a best response beside all plans there are."""

import pytest

import econzoo
from econzoo.baselines import COMPILED, Network, PolicyPlayer, metadata_of
from econzoo.baselines.learned_opponent import LearnedOpponent
from econzoo.envs.core.contract import Move
from econzoo.envs.core.faces import NumericFace
from econzoo.envs.games.bargaining import rules
from econzoo.evaluate.analyses import moves
from later import Later

torch = Later("torch")
pytestmark = pytest.mark.models

BARGAINING = econzoo.game("bargaining")
GRID = 21
MEMORIES = [("history", 0), ("history", 3), ("gru", 0), ("gru", 1)]


def opponent(memory, seed):
    """A policy that was never trained, with large weights, so that what it remembers matters."""
    from econzoo.baselines import network_of

    remembers = {"memory": memory, "history": 2 * (memory == "history")}
    how = {**remembers, "ordinal": False, "predicts_next": False, "fourier": 0}
    network = Network("made", metadata_of(BARGAINING, 11, COMPILED, [16], 0, {}, network=how))
    listed = NumericFace(BARGAINING, 11, seats=2).moves
    network.policy = network_of(network.metadata, listed, torch.Generator().manual_seed(seed)).eval()
    with torch.no_grad():
        for part in (network.policy.actor, network.policy.cell or ()):
            for weights in part.parameters() if part else ():
                weights.mul_(6.0)
    return LearnedOpponent(PolicyPlayer("ppo:made", network), BARGAINING)


def best_of_all_plans(params, seat, other, state=None, history=()):
    """The highest payoff over all plans with amounts of a grid, line by line of play."""
    state = rules.initial(params) if state is None else state
    if state.over:
        return rules.payoffs(params, state)[seat]
    actor = rules.to_act(params, state)
    if actor != seat:
        tried = [other(params, state, actor, history)]
    elif state.pending:
        tried = [Move(rules.ACCEPT, (0.0,)), Move(rules.REJECT, (0.0,))]
    else:
        tried = [Move(rules.OFFER, (params.money * place / (GRID - 1),)) for place in range(GRID)]
    return max(
        best_of_all_plans(
            params, seat, other, rules.apply(params, state, (move,)), (*history, (actor, state.round, move))
        )
        for move in tried
    )


@pytest.mark.parametrize(("memory", "seed"), MEMORIES)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.slow
def test_the_search_finds_the_best_of_all_plans_of_three_rounds(memory, seed, seat):
    other = opponent(memory, seed)
    params = BARGAINING.params(horizon=3, delta=(0.95, 0.9))[1]
    found = BARGAINING.solution.best_response(params, seat, other, memory=other.memory, grid=GRID, width=10 * GRID)
    best = best_of_all_plans(params, seat, other)
    assert best - 1e-9 <= found.value <= best + params.money / (GRID - 1), (
        "it may name amounts between those of the grid"
    )
    state = rules.initial(params)
    for _, _, move in found.plan:
        state = rules.apply(params, state, (move,))
    assert rules.payoffs(params, state)[seat] == pytest.approx(found.value), "its plan earns what it says"


@pytest.mark.parametrize(("memory", "seed"), MEMORIES)
@pytest.mark.parametrize("seat", [0, 1])
def test_it_remembers_as_at_the_table(memory, seed, seat):
    made = opponent(memory, seed)
    market = {"horizon": 8, "delta": (0.9, 0.95), "complete_information": False}
    players = [made.policy, "greedy(0.9)"] if seat == 0 else ["greedy(0.9)", made.policy]
    record = econzoo.play("bargaining", players, seed=0, **market)
    params, history = BARGAINING.params(**market)[1], ()
    state, compared = rules.initial(params), 0
    for actor, _, kind, amount in moves(BARGAINING, record):
        if actor == seat:
            asked = made(params, state, seat, history)
            assert asked[0] == kind
            assert kind != rules.OFFER or asked[1][0] == pytest.approx(amount)
            compared += 1
        move = Move(kind, (amount,))
        state, history = rules.apply(params, state, (move,)), (*history, (actor, state.round, move))
    assert compared >= 1


@pytest.mark.parametrize("memory", ["history", "gru"])
def test_what_it_remembers_changes_what_it_does(memory):
    """Else the tests above would say nothing of memory: the ask of round 1 is no part of the position of round 4."""
    params = BARGAINING.params(horizon=6)[1]

    def ask(seed, first):
        state, history = rules.initial(params), ()
        for amount in (first, None, 0.5, None, 0.9, None):
            move = Move(rules.REJECT, (0.0,)) if amount is None else Move(rules.OFFER, (amount * params.money,))
            actor, round = rules.to_act(params, state), state.round
            state, history = rules.apply(params, state, (move,)), (*history, (actor, round, move))
        return state, opponent(memory, seed)(params, state, 1, history)

    found = [(ask(seed, 0.2), ask(seed, 1.0)) for seed in range(24)]
    assert all(mild[0] == bold[0] for mild, bold in found), "the position is the same"
    assert any(mild[1] != bold[1] for mild, bold in found)
