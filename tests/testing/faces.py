"""The faces are codecs of one set of rules: the same seed and the same moves give the same game on all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from econzoo.envs.core.contract import Game, Invalid
from econzoo.envs.core.faces import parse_structured_observation
from econzoo.testing import playing
from econzoo.testing.playing import FACES, draw, freeze, has_ended, make_env, play, positions_of, random_policy
from econzoo.testing.playing import typed_events
from econzoo.testing.suite import check

GUIDE = "The rules"
REMEDY = "make legal(), bounds() and features() agree with what apply() takes"


def episode_summary(env: Any, seed: int) -> tuple[Any, ...]:
    """Return everything in an episode that does not depend on the face."""
    states = []
    choose = random_policy(seed, grid=101)

    def watching(env: Any, agent: str) -> Any:
        states.append((agent, env.game_state))
        return choose(env, agent)

    play(env, watching, seed)
    received = [env.options.objective.reward(env.payoffs, env.outcome(), i) for i in range(len(env.possible_agents))]
    return states, env.game_state, env.payoffs, env.outcome(), received, typed_events(env), env.chance_draws, env.errors


@check(GUIDE, REMEDY)
def all_faces_play_the_same_game(game: Game, setting: dict[str, Any], seeds: range) -> None:
    for seed in seeds:
        stories = {face: episode_summary(make_env(game, face=face, **setting), seed) for face in FACES}
        assert all(story == stories["numeric"] for story in stories.values()), f"seed {seed}"
        assert not any(stories["numeric"][-1]), "a legal move was refused by every face"


@check(GUIDE, REMEDY)
def every_seat_may_have_its_own_face(game: Game, seeds: range) -> None:
    seats = len(make_env(game).possible_agents)
    for shift in range(len(FACES)):
        mixed = tuple(FACES[(shift + seat) % len(FACES)] for seat in range(seats))
        env = make_env(game, face=mixed)
        assert [env.face(agent).name for agent in env.possible_agents] == list(mixed)
        for seed in seeds:
            assert episode_summary(env, seed) == episode_summary(make_env(game, face="numeric"), seed)


@check(GUIDE, REMEDY)
def a_seat_sees_the_same_whatever_face_the_others_have(game: Game, face: str, seeds: range) -> None:
    env, mixed = (
        make_env(game, face=face),
        make_env(game, face=(face, *["numeric"] * (len(make_env(game).possible_agents) - 1))),
    )
    for seed in seeds:
        one, two = play(env, random_policy(seed, 101), seed), play(mixed, random_policy(seed, 101), seed)
        assert [t for t in one if t.agent == "player_0"] == [t for t in two if t.agent == "player_0"]


@check(GUIDE, REMEDY)
def observations_lie_in_their_space(game: Game, face: str, seeds: range) -> None:
    for seed in seeds:
        env = make_env(game, face=face)
        env.reset(seed=seed)
        choose = random_policy(seed)
        while env.agents:
            for agent in env.agents:
                space, observation = env.observation_space(agent), env.observe(agent)
                assert space.contains(observation), f"{agent} sees {observation}"
                assert freeze(observation) == freeze(env.observe(agent)), "looking twice shows the same"
            action = None if has_ended(env) else choose(env, env.agent_selection)
            assert action is None or env.action_space(env.agent_selection).contains(action)
            env.step(action)


@check(GUIDE, REMEDY)
def features_stay_in_their_range_in_every_setting(game: Game, setting: dict[str, Any], seeds: range) -> None:
    env = make_env(game, **setting)
    for seed in seeds:
        for _ in positions_of(env, random_policy(seed), seed):
            some = env.agents[:: 1 + len(env.agents) // 10]
            assert all(env.observation_space(agent).contains(env.observe(agent)) for agent in some)


@check(GUIDE, REMEDY)
def the_action_mask_is_legality(game: Game, setting: dict[str, Any]) -> None:
    """An action has a 1 in the mask if and only if it decodes to a move, and that move is legal.

    For composite actions this holds for every combination of legal parts, unless its numbers are jointly invalid.
    """
    env = make_env(game, grid=5, **setting)
    for agent in positions_of(env, random_policy(1), 1):
        for other in env.agents:
            mask = env.observe(other)["action_mask"]
            assert mask.dtype == np.int8
            assert other in env.awaited_agents or mask.all(), "who is not asked may draw anything"
        if not has_ended(env):
            observation, *_, info = env.last()
            mask, legal, space = observation["action_mask"], env.legal(agent), env.action_space(agent)
            assert info["action_mask"].tobytes() == mask.tobytes()
            listed = isinstance(space, Discrete)
            numbers = range(space.n) if listed else [space.sample(mask) for _ in range(100)]
            decoded = [env.face(agent).decode(number, legal) for number in numbers]
            possible = [not isinstance(move, Invalid) for move in decoded]
            if listed:
                assert possible == [bool(x) for x in mask]
            else:  # a mask of parts cannot say which numbers go together
                refused = [move.code for move in decoded if isinstance(move, Invalid)]
                assert set(refused) <= {"refused"}
            for move in decoded:
                if not isinstance(move, Invalid):
                    playing.check_move(env.actions, legal, move)


@check(GUIDE, REMEDY, grid=(2, 3, 101, 10_001))
def numbers_say_every_move_of_the_grid(game: Game, grid: int) -> None:
    env = make_env(game, grid=grid)
    env.reset(seed=0)
    face, space = env.face(env.agent_selection), env.action_space(env.agent_selection)
    everything = make_env(game, face="structured").face(env.agent_selection).legal  # at some time or other
    listed = {*range(min(face.size, 150)), *range(0, face.size, 97), face.size - 1}
    for action in listed if isinstance(space, Discrete) else [space.sample() for _ in range(100)]:
        move = face.decode(action, everything)
        again, kind = face.encode(move, everything), env.actions.move(move).kind
        # A fine grid has several numbers for one whole amount, and parts of other kinds of move are not used.
        if game.actions.kinds[kind].is_integer or not isinstance(space, Discrete):
            assert env.actions.move(face.decode(again, everything)) == env.actions.move(move)
        else:
            assert again == action


@check(GUIDE, REMEDY)
def legal_actions_are_named_on_the_structured_face(game: Game) -> None:
    env = make_env(game, face="structured")
    for agent in positions_of(env, random_policy(2), 2):
        observation, *_, info = env.last()
        legal = () if has_ended(env) else env.legal(agent).kinds
        names = tuple(name for name, ok in zip(game.actions.names, legal, strict=False) if ok)
        assert observation["legal_actions"] == info["legal_actions"] == names


@check(GUIDE, REMEDY)
def what_is_seen_can_be_read_back_from_the_structured_face(game: Game, setting: dict[str, Any]) -> None:
    env = make_env(game, face="structured", **setting)
    for agent in positions_of(env, random_policy(3), 3):
        seen = env.information_state(agent)
        legal = seen.legal._replace(
            span=seen.legal.usual_bounds, grid=seen.legal.grid_bounds, refusal=None
        )  # what the observation tells
        assert parse_structured_observation(game, env.last()[0], seen.legal.messages) == seen._replace(legal=legal)


@check(GUIDE, REMEDY)
def structured_moves_may_be_typed_models(game: Game) -> None:
    rng = np.random.default_rng(0)
    plain, typed = make_env(game, face="structured"), make_env(game, face="structured")
    plain.reset(seed=1)
    typed.reset(seed=1)
    while plain.agents and not has_ended(plain):
        move = draw(rng, game, plain.legal(plain.agent_selection))
        plain.step(game.actions.to_plain(move))
        typed.step(move)
        assert (typed.game_state, typed_events(typed)) == (plain.game_state, typed_events(plain))
    assert typed.errors == plain.errors == [0] * len(plain.possible_agents)


@check(GUIDE, REMEDY)
def action_spaces_sample_moves_of_their_own_and_by_seed(game: Game, face: str) -> None:
    one, two = make_env(game, face=face), make_env(game, face=face)
    for agent in one.possible_agents:
        for env in (one, two):
            env.action_space(agent).seed(7)
        samples = [[freeze(env.action_space(agent).sample()) for _ in range(20)] for env in (one, two)]
        assert samples[0] == samples[1]
        assert len(set(samples[0])) > 1
        assert all(one.action_space(agent).contains(one.action_space(agent).sample()) for _ in range(20))
