"""An episode of the single-agent view is the match that `econzoo.play` plays with the same players and match seed."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.baselines import player as make_player
from econzoo.wrappers import SingleAgentEnv, seat_info

Log = list[tuple[Any, ...]]


class Watched(Player):
    """Plays as another player does, and writes down all that it is told and answers."""

    def __init__(self, spec: str, game: str, log: Log) -> None:
        super().__init__(spec)
        self.inner, self.log = make_player(spec, game), log

    def reset(self, seat: int, info: Any, seed: int) -> None:
        self.seat, self.inner = seat, copy.copy(self.inner)
        self.log.append((seat, "reset", info.view, seed))
        self.inner.reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        answer = self.inner.act(observation, info)
        self.log.append((self.seat, "act", observation, info, answer))
        return answer

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        self.log.append((self.seat, "eliminated", observation, info))

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        self.log.append((self.seat, "finish", observation, info))

    def can_take_seat(self, seat: int) -> bool:
        return self.inner.can_take_seat(seat)


class Repeats(Player):
    """Gives the answers of a learner again."""

    def __init__(self, answers: list[Any]) -> None:
        super().__init__("learner")
        self.answers, self.seen = iter(answers), []

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        self.seen.append(observation)
        return next(self.answers)


def episode(env: SingleAgentEnv, learner: Player, seed: int) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """The learner's observations and answers, and the last info."""
    observation, info = env.reset(seed=seed)
    learner.reset(env.seat, seat_info(env._env, env.seat), seed)
    seen, answers, over = [], [], not observation["legal_actions"]
    while not over:
        seen.append(observation)
        answers.append(learner.act(observation, info))
        observation, _, terminated, truncated, info = env.step(answers[-1])
        over = terminated or truncated
    return seen, answers, info if answers else env.step(None)[4]


def both(game: str, opponents: str, seat: int, seed: int, learner: str, **settings: Any) -> tuple[Log, Log, bool]:
    """What the others were told in an episode and in the match, and whether the match went on for them alone."""
    trained, matched = [], []
    env = SingleAgentEnv(game, Watched(opponents, game, trained), seat=seat, face="structured", **settings)
    seen, answers, info = episode(env, make_player(learner, game), seed)
    repeats = Repeats(answers)
    players: list[Player] = [Watched(opponents, game, matched) for _ in info["payoffs"]]
    players[seat] = repeats
    options = {name: settings[name] for name in ("max_cycles", "max_retries") if name in settings}
    record = econzoo.play(game, players, seed=info["match_seed"], **info["params"], **options)
    assert repeats.seen == seen
    ended = trained[-1][1] == "finish"
    if ended:
        assert (tuple(record.payoffs), record.forfeit) == (info["payoffs"], info["forfeited"])
    return trained, matched, ended


DROUGHT = {"supply": (8, 24), "start_health": 3, "objective": "efficiency"}

CASES: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "bargaining": ("bargaining", "random", 0, {"horizon": 6}),
    "bargaining, second": ("bargaining", "random", 1, {"max_retries": 1}),
    "negotiation": ("negotiation", "random", 1, {"max_cycles": 3}),
    "persuasion, buyer": ("persuasion", "random", 1, {"rounds": 8}),
    "persuasion, myopic buyers": ("persuasion", "random", 0, {"rounds": 6, "buyer": "myopic"}),
    "persuasion, a myopic learner": ("persuasion", "random", 1, {"rounds": 6, "buyer": "myopic"}),
    "water": ("water_allocation", "mixed(0.5, 1)", 2, DROUGHT),
    "auction": ("survival_auction", "random", 0, {"start_health": 3, "objective": "fairness"}),
    "guesses": ("guess_average", "monorand(40, 5)", 4, {"health": 3, "objective": "fairness"}),
    "dilemma": ("matrix", "generous-tit-for-tat", 0, {"noise": 0.3, "rounds": 12}),
    "coins": ("coin_game", "mixed(0.5)", 1, {"rounds": 10}),
}


@pytest.mark.parametrize("case", CASES)
def test_everybody_is_told_the_same_in_training_and_in_the_match(case: str) -> None:
    game, opponents, seat, settings = CASES[case]
    calls = set()
    for seed in range(5):
        trained, matched, ended = both(game, opponents, seat, seed, "random", **settings)
        assert ended
        assert trained == matched
        calls |= {call for _, call, *_ in trained}
    assert ("eliminated" in calls) == ("objective" in settings), "seats leave early in games of survival only"
    assert calls >= {"reset", "act", "finish"}


def test_a_program_plays_in_training_as_in_the_match() -> None:
    settings = {"rounds": 2, "turns": 4, "noise": 0.2}
    trained, matched, ended = both("program_matrix", "tit-for-tat", 1, 3, "fair-bot", **settings)
    assert ended
    assert trained == matched


def test_every_buyer_who_comes_has_a_seed_of_its_own() -> None:
    trained, *_ = both("persuasion", "random", 0, 1, "random", rounds=6, buyer="myopic")
    seeds = [told[3] for told in trained if told[1] == "reset"]
    assert len(seeds) == len(set(seeds)) == 6


def test_a_learner_that_is_paid_at_its_death_leaves_the_match_there() -> None:
    drought = {**DROUGHT, "objective": "self_gain"}
    ends = [both("water_allocation", "mixed(0.5, 1)", 2, seed, "bid(0)", **drought) for seed in range(4)]
    for trained, matched, _ in ends:
        assert trained == matched[: len(trained)]
    assert any(len(trained) < len(matched) for trained, matched, _ in ends)


def test_the_match_seed_is_told_and_follows_from_the_seed_of_the_episode() -> None:
    def told(opponents: str) -> list[int]:
        env = SingleAgentEnv("bargaining", opponents, seat="both", face="structured")
        return [episode(env, make_player("random", "bargaining"), seed)[2]["match_seed"] for seed in (1, 2, 1)]

    first, second, again = told("random")
    assert first == again != second
    assert told("fair") == [first, second, again], "whoever the opponents are"
