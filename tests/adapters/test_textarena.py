"""TextArena both ways: our games for its agents and wrappers, and its games as environments here.

TextArena is in no other extra: `.ci/adapters textarena` has these tests run.
"""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import econzoo
from adapters.acceptance import OPPONENT, Answerer, Played, accept, hear, move, nothing, rewards_of
from econzoo.baselines import LanguageModelPlayer
from econzoo.baselines.models import FunctionChat
from econzoo.evaluate.run import replay
from refusals import refuses

ta = pytest.importorskip("textarena", reason="needs the extra textarena")

from pettingzoo.test import api_test  # noqa: E402
from textarena import wrappers  # noqa: E402

from econzoo.evaluate.adapters import TextArenaEnv, TextArenaGame, play_text, register_games  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"
IDS = register_games()


# Our games


def through(env: Any, seed: int, *answers: Any) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
    """TextArena's own loop, with an agent for each answer."""
    env.reset(num_players=len(answers), seed=seed)
    done = False
    while not done:
        player, observation = env.get_observation()
        done, _ = env.step(answers[player](observation))
    return env.close()


def among_players(game, params, seed, seat, answer):
    """One agent of TextArena's against one of our players."""
    seats = ["agent", OPPONENT] if seat == 0 else [OPPONENT, "agent"]
    env = ta.make(f"econzoo/{game}-v0", seats=seats, **params)
    (reward,), (told,) = (tuple(of.values()) for of in through(env, seed, answer))
    assert replay(env.record) == []
    assert (reward, told["payoff"]) == (rewards_of(env.record)[seat], env.record.payoffs[seat])
    return Played(seed, env.record.payoffs, told["forfeit"])


def among_agents(game, params, seed, seat, answer):
    """Both seats are TextArena's."""
    answers = [move, move]
    answers[seat] = answer
    env = ta.make(f"econzoo/{game}-v0", **params)
    rewards, told = through(env, seed, *answers)
    assert [rewards[0], rewards[1]] == rewards_of(env.record)
    assert replay(env.record) == []
    return Played(seed, [told[0]["payoff"], told[1]["payoff"]], told[seat]["forfeit"])


def in_brackets(reply):
    """As ActionFormattingWrapper writes a reply."""
    return re.fullmatch(r"\[[^\[\]]*\]", reply) is not None


def test_payoffs_are_those_of_our_runner():
    before = random.getstate()
    accept(among_players)
    accept(among_agents, move, seeds=2)
    hear(among_players, known=lambda reply: not in_brackets(reply))
    assert random.getstate() == before


def number(text: str) -> str:
    return f'{{"number":{len(text) % 100}}}'


def test_a_game_of_several_pays_every_agent():
    env = ta.make("econzoo/guess_average-v0", seats=["agent", "random", "agent", "agent"], players=4)
    rewards, told = through(env, 5, number, number, number)
    record = env.record
    assert [told[i]["payoff"] for i in range(3)] == [record.payoffs[seat] for seat in (0, 2, 3)]
    assert [rewards[i] for i in range(3)] == [record.metrics["gains"][seat] for seat in (0, 2, 3)]
    assert record.players == ["textarena", "random", "textarena", "textarena"]
    assert env.state.role_mapping[1] == econzoo.make("guess_average", players=4).roles[2]


def test_agents_read_what_a_language_model_of_ours_reads():
    env = ta.make("econzoo/bargaining-v0-raw", horizon=3)
    env.reset(num_players=2, seed=1)
    _, messages = env.get_observation()
    record = econzoo.play("bargaining", ["mock:*", "mock:*"], seed=1, horizon=3)
    assert [text for _, text, _ in messages] == [record.rules[0], record.turns[0].prompt]
    env.step("Hm.")
    _, messages = env.get_observation()
    assert [(sender, kind) for sender, _, kind in messages] == [
        (0, ta.ObservationType.PLAYER_ACTION),
        (ta.GAME_ID, ta.ObservationType.GAME_ADMIN),
    ]
    assert messages[1][1].startswith("Your answer could not be used:")
    env.step(move(messages[1][1]))
    player, messages = env.get_observation()
    assert player == 1
    assert messages[0][1] == record.rules[1]
    assert "Hm." not in str(messages)  # what one says is told to the others by the game, as far as it is public


def test_turns_are_counted_for_who_made_the_move():
    env = TextArenaEnv("matrix", rounds=3)
    _, told = through(env, 1, lambda messages: move(messages[-1][1]), lambda messages: move(messages[-1][1]))
    assert [told[player]["turn_count"] for player in (0, 1)] == [3, 3]
    assert env.state.turn == 6


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: wrappers.ClipCharactersActionWrapper(env, max_num_characters=2000),
        lambda env: wrappers.ClipWordsActionWrapper(env, max_num_words=200),
        lambda env: wrappers.SimpleRenderWrapper(env, render_mode="board"),
        wrappers.ActionFormattingWrapper,
        lambda env: env,
    ],
)
def test_its_wrappers_change_no_payoff(wrap, monkeypatch, capsys):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    for seed in range(3):
        env = ta.make("econzoo/negotiation-v0", seats=["agent", "random"], horizon=3)
        through(wrap(env), seed, move)
        assert (
            env.record.payoffs == econzoo.play("negotiation", [Answerer(move), "random"], seed=seed, horizon=3).payoffs
        )
    capsys.readouterr()


@pytest.mark.parametrize("name", ["GameBoard", "GameMessages", "GameMessagesAndCurrentBoard", "LLM"])
def test_its_wrappers_of_observations_show_the_rules_and_the_question(name):
    wrap = getattr(wrappers, f"{name}ObservationWrapper")
    env = wrap(TextArenaEnv("bargaining", horizon=2))
    env.reset(num_players=2, seed=1)
    _, text = env.get_observation()
    assert "You are Alice." in text
    assert "Answer with one JSON object" in text


def test_players_may_end_a_match_before_an_agent_can_move():
    env = TextArenaEnv("persuasion", seats=[f"mock:{nothing('')}", "agent"])
    rewards, told = through(env, 1, lambda messages: "anything")
    assert env.record.status == told[0]["reason"] == "forfeited"
    assert (env.record.forfeit, told[0]["forfeit"], told[0]["turn_count"]) == (0, False, 0)
    assert rewards == {0: env.record.metrics["gains"][1]}


def test_objectives_are_those_of_every_trainer_and_a_cut_match_pays_nothing():
    for objective in ("fairness", "0.5*self_gain + 0.5*efficiency"):
        env = ta.make("econzoo/bargaining-v0", horizon=5, objective=objective)
        rewards, _ = through(env, 1, move, move)
        gains, metrics = env.record.metrics["gains"], env.record.metrics
        mixed = [0.5 * gain + 0.5 * metrics["efficiency"] for gain in gains]
        assert list(rewards.values()) == pytest.approx([metrics["fairness"]] * 2 if objective == "fairness" else mixed)
    env = ta.make("econzoo/matrix-v0", rounds=5, max_cycles=2)
    rewards, told = through(env, 1, move, move)
    assert (rewards, told[0]["reason"]) == ({0: 0.0, 1: 0.0}, "truncated")


def test_what_is_not_allowed_is_named():
    for given, named in [
        ({"seats": ["agent"]}, ("seats", "bargaining", 2)),
        ({"seats": ["fair", "fair"]}, ("seats", "'agent'")),
        ({"objective": "glory"}, ("glory",)),
        ({"speed": 3}, ("speed",)),
    ]:
        with refuses(ValueError, *named):
            through(TextArenaEnv("bargaining", **given), 1, move, move)
    with refuses(ValueError, "num_players=3", 2):
        TextArenaEnv("bargaining").reset(num_players=3)
    with refuses(ValueError, "seed=-1"):
        TextArenaEnv("bargaining").reset(num_players=2, seed=-1)


# Its games

THEIRS = {
    "KuhnPoker-v0": (2, ["[bet]", "[check]", "[call]", "[fold]"]),
    "SimpleNegotiation-v0-raw": (2, ["[Offer: 1 Wood -> 1 Ore]", "[accept]", "[deny]", "Well."]),
    "IteratedPrisonersDilemma-v0-raw": (2, ["[cooperate]", "[defect]"]),
    "TruthAndDeception-v0": (2, ["[Fact 1]", "[Fact 2]"]),
    "ThreePlayerIPD-v0": (3, ["[0 cooperate] [1 defect] [2 defect]", "[0 defect] [1 cooperate] [2 defect]"]),
}
"""Games of TextArena, how many play them, and what they say."""


def theirs(env_id: str, seed: int):
    """A match whose replies are drawn from what is said in the game, by the seed of each question."""
    seats, replies = THEIRS[env_id]
    chat = FunctionChat(lambda conversation, schema, drawn: replies[drawn % len(replies)])
    player = LanguageModelPlayer("mock:x", chat, constrained=False)
    return play_text(TextArenaGame(env_id, players=seats), [player] * seats, seed)


@pytest.mark.parametrize("env_id", THEIRS)
def test_matches_are_functions_of_their_seed_also_in_threads_and_leave_the_process_alone(env_id):
    random.seed(5)
    state, numbers = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    alone = [theirs(env_id, seed) for seed in range(4)]
    random.seed(6)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda i: theirs(env_id, i % 4), range(16))) == alone * 4
    random.seed(5)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == (state, numbers)  # noqa: NPY002
    assert len({str(match) for match in alone}) == 4
    assert len(alone[0].rewards) == len(alone[0].infos) == THEIRS[env_id][0]


@pytest.mark.parametrize("env_id", ["KuhnPoker-v0", "SimpleNegotiation-v0"])
def test_a_match_is_that_of_textarena_alone_and_is_played_again_by_its_replies(env_id):
    match, env, inner = (
        theirs(f"{env_id}-raw" if f"{env_id}-raw" in THEIRS else env_id, 7),
        TextArenaGame(env_id),
        ta.make(env_id),
    )
    state = random.getstate()
    env.reset(seed=7)
    inner.reset(num_players=2, seed=7)
    done = False
    for seat, _, reply in match.turns:
        player, text = inner.get_observation()
        assert env.agent_selection == f"player_{player}" == f"player_{seat}"
        assert env.observe(env.agent_selection) == {"text": text}
        env.step(reply)
        done, _ = inner.step(reply)
    rewards, infos = inner.close()
    assert done
    assert [float(rewards[i]) for i in (0, 1)] == match.rewards == [env.rewards[f"player_{i}"] for i in (0, 1)]
    assert [infos[i] for i in (0, 1)] == match.infos
    random.setstate(state)


@pytest.mark.filterwarnings("ignore")
def test_they_are_environments_of_pettingzoo():
    api_test(TextArenaGame("IteratedPrisonersDilemma-v0-raw"), num_cycles=60)


def test_models_read_each_message_once_and_answer_in_a_transcript_of_their_own():
    chats = [FunctionChat(lambda conversation, schema, seed: "[cooperate]") for _ in range(2)]
    players = [LanguageModelPlayer(f"mock:{i}", chat, constrained=False) for i, chat in enumerate(chats)]
    match = play_text(TextArenaGame("IteratedPrisonersDilemma-v0-raw", num_rounds=2), players, seed=1)
    conversation = chats[0].questions[-1].conversation
    assert [message["role"] for message in conversation[:4]] == ["system", "user", "assistant", "user"]
    assert conversation[0]["content"].startswith("You are player 0")
    assert sum("You are Player 0" in message["content"] for message in conversation) == 1
    assert match.players == ["mock:0", "mock:1"]
    assert match.rewards == [0.0, 0.0]  # a draw


def test_who_cannot_sit_there_is_named():
    env = TextArenaGame("KuhnPoker-v0")
    for players, named in [
        (["mock:a"], ("players", 2)),
        (["mock:a", "random"], ("'random'",)),
        (["human", "mock:a"], ("'human'",)),
        (["mock:a?reasoning=cot", "mock:a"], ("reasoning=cot",)),
        (["mock:a", "mock:a?memory=window(2)"], ("memory=window(2)",)),
    ]:
        with refuses(ValueError, *named):
            play_text(env, players)
    with refuses(ValueError, "KuhnPoker-v0"):
        TextArenaGame("KunPoker-v0")


def test_the_examples_of_the_page(capsys):
    section = PAGE.read_text(encoding="utf-8").split("\n## TextArena\n")[1].split("\n## ")[0]
    first, second = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    exec(first, {})
    assert "'payoff': " in capsys.readouterr().out
    exec(second, {})
    assert capsys.readouterr().out
