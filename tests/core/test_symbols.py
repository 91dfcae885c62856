"""Messages of an alphabet: what is sent as a number is a word in the record and a number to who hears it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.contract import NO_SYMBOL
from econzoo.envs.core.vector import BatchNumbers, GameBatch, LearnerBatch
from econzoo.evaluate.run import play_match, replay
from refusals import refuses

pytestmark = pytest.mark.usefixtures("interpreted")

K = 3
GAMES: dict[str, dict[str, Any]] = {
    "persuasion": {"prior": 1.0, "rounds": 3},
    "matrix": {"stage_game": "stag-hunt", "rounds": 3},
    "bargaining": {"horizon": 3},
    "double_auction": {"buyers": 2, "sellers": 2, "talk": 2},
    "public_goods": {"rounds": 2},
}
"""Games in turn and at once, with words for all and for one."""


def numeric(game, **given):
    env = econzoo.make(game, messages=K, grid=5, **{**GAMES.get(game, {}), **given})
    env.reset(seed=1)
    return env


def acts(env, choose):
    """Plays a match; gives (agent, observation, action) of every move."""
    out = []
    for agent in env.agent_iter():
        observation, _, ended, cut, _ = env.last()
        action = None if ended or cut else choose(observation)
        out += [(agent, observation, action)] * (action is not None)
        env.step(action)
    return out


# The parameter


def test_an_alphabet_has_2_to_26_symbols():
    for wrong in [1, 0, 27, 2.0, "four", None, [4]]:
        with refuses(ValueError, f"messages={wrong!r}", "True or False", "2 to 26"):
            econzoo.make("matrix", messages=wrong)
    for right in [True, False, np.int64(2), 26]:
        assert econzoo.make("matrix", messages=right).public_params["messages"] == right, right


def test_true_and_false_are_what_they_were():
    free, silent = (econzoo.make("matrix", messages=given) for given in (True, False))
    assert free.action_space("player_0") == silent.action_space("player_0")
    assert free.observation_space("player_0") == silent.observation_space("player_0")
    assert econzoo.make("matrix", messages=4).action_space("player_0").n == 4 * free.action_space("player_0").n


# One game


def test_a_symbol_is_a_move_for_the_sender_a_word_in_the_record_and_a_number_for_the_hearer():
    """Stag hunt: actions 0 to 2 are C with A, B, C; 3 to 5 are D with them. Both hear it when the round is over."""
    env = numeric("matrix")
    quiet = len(env.game.feature_names(env.params))
    assert env.observe("player_0")["observation"][quiet:].tolist() == [0, 0, 0], "nothing was said yet"
    env.step(1)
    assert env.observe("player_1")["observation"][quiet:].tolist() == [0, 0, 0], "both choose at once"
    env.step(5)
    assert [event.action.message for event in env.events] == ["B", "C"]
    assert env.observe("player_0")["observation"][quiet:].tolist() == [0, 0, 1]
    assert env.observe("player_1")["observation"][quiet:].tolist() == [0, 1, 0]


def test_who_may_not_speak_has_the_first_symbol_only_and_nobody_hears_it():
    """In persuasion the buyer is silent unless ``buyer_messages``."""
    for speaks in (False, True):
        env = numeric("persuasion", buyer_messages=speaks)
        env.step(2)
        buys = np.flatnonzero(env.observe("player_1")["action_mask"])
        assert len(buys) == (2 * K if speaks else 2), speaks
        env.step(int(buys[-1]))
        assert env.observe("player_0")["observation"][-K:].any() == speaks
    with refuses(ValueError, "first one"):
        env = numeric("persuasion", on_error="raise")
        env.step(2)
        env.step(6)


def test_words_that_are_no_symbol_are_an_error_that_names_the_alphabet():
    env = econzoo.make("persuasion", face="structured", messages=K)
    for words in ["hello", "D", "a", "AB", " "]:
        env.reset(seed=1)
        env.step({"kind": "say", "message": words})
        wrong = env.infos["player_0"].get("error", "")
        assert "A, B, C" in wrong, words
    env.reset(seed=1)
    env.step({"kind": "say", "message": "B"})
    assert env.observe("player_1")["history"][-1]["message"] == "B"


def test_a_text_player_reads_the_alphabet_and_what_was_said():
    env = econzoo.make("persuasion", face=("numeric", "text"), messages=K, buyer_messages=True)
    env.reset(seed=1)
    env.step(3)
    text = env.observe("player_1")["text"]
    assert '"B"' in text or "B" in text.split()
    assert "one of: A, B, C" in text
    message = env.json_schema("player_1")["anyOf"][0]["properties"]["message"]
    assert message["enum"] == ["A", "B", "C"]


class Counts(Player):
    """Sends the next symbol in every round."""

    face = "structured"

    def act(self, observation, info):
        kind = observation["legal_actions"][0]
        return {"kind": kind, "message": "ABC"[observation["round"] % K]} if self.speaks else {"kind": kind}

    def reset(self, seat, info, seed):
        self.speaks = info.messages == K


def test_records_have_symbols_as_words_and_replay():
    for channel in ["open", "off", "scrambled"]:
        record = play_match("persuasion", [Counts("counts"), Counts("counts")], 3, messages=K, channel=channel)
        assert replay(record) == [], channel
        said = [turn.reply["message"] for turn in record.turns if turn.seat == 0]
        heard = [turn.action.get("message", "") for turn in record.turns if turn.seat == 0]
        assert said == ["BCA"[i % K] for i in range(20)], channel
        assert (heard == said) == (channel == "open"), channel
        assert set(heard) == ({""} if channel == "off" else set("ABC")), channel


def test_a_lost_symbol_is_heard_by_nobody():
    env = numeric("matrix", channel="off")
    env.step(1)
    env.step(5)
    assert not env.observe("player_0")["observation"][-K:].any()


# Many games


def both(game):
    """A match at the table, and the same moves in a compiled game: (heard here, heard there, mask, mask) of all."""
    env, batch = numeric(game), GameBatch(game, 1, {**GAMES[game], "messages": K}, seed=1, autoreset=False)
    numbers, rng, out = BatchNumbers(batch, 5), np.random.default_rng(0), []
    while not env.over:
        kinds = np.zeros((1, batch.seats if batch.turns.has_joint_moves else 1), np.int64)
        values, said = np.zeros((*kinds.shape, batch.actions.width)), np.full(kinds.shape, NO_SYMBOL)
        for agent in env.awaited_agents:
            seat, here = int(agent[7:]), env.observe(agent)
            there, column = np.array([seat]), seat if batch.turns.has_joint_moves else 0
            out.append((here["observation"], batch.observe(there)[0], here["action_mask"], numbers.masks(there)[0]))
            action = np.array([rng.choice(np.flatnonzero(here["action_mask"]))])
            kinds[:, column], values[:, column] = numbers.decode(action, seat)
            said[:, column] = numbers.symbols_of(action)
            env.step(int(action[0]))
        alone = () if batch.turns.has_joint_moves else (slice(None), 0)
        batch.step(kinds[alone], values[alone], None, said[alone])
    return out, K * (batch.seats - 1)


def test_compiled_games_hear_what_the_table_hears():
    for game in GAMES:
        seen, count = both(game)
        spoken = [here[-count:] for here, *_ in seen]
        assert any(one.any() for one in spoken), game
        for here, there, mask, compiled in seen:
            assert np.array_equal(here[-count:], there[-count:]), game
            assert np.array_equal(mask, compiled), game


def test_what_is_said_in_private_is_heard_by_one():
    """Buyer 0 speaks to seat 2 or 3 with a symbol in the first round of talk; the other three hear nothing of it."""
    batch = GameBatch("double_auction", 1, {**GAMES["double_auction"], "messages": K}, seed=1)
    kinds, values, said = np.array([[0, 1, 1, 1]]), np.zeros((1, 4, 2)), np.full((1, 4), NO_SYMBOL)
    values[0, 0], said[0, 0] = (3.0, 50.0), 2
    batch.step(kinds, values, None, said)
    heard = [batch.observe(np.array([seat]))[0, -3 * K :].sum() for seat in range(4)]
    assert heard == [0, 0, 0, 1]


def test_a_game_that_starts_again_has_heard_nothing_and_an_unusable_move_says_nothing():
    batch = LearnerBatch("persuasion", 4, params={"messages": K, "rounds": 1, "prior": 1.0})
    batch.reset(seed=1)
    seen, *_ = batch.step(np.array([2, 3, 4, 0]))  # recommending is not possible in words
    assert seen[:, -K:].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert batch.batch.errors[:, 0].tolist() == [0, 0, 0, 1]
    buy, loud = 5, 6
    seen, _, done, _, infos = batch.step(np.array([buy, loud, buy, buy]))
    assert done.all()
    assert not seen[:, -K:].any()
    assert infos["errors"][:, 1].tolist() == [0, 1, 0, 0], "the buyer sends no symbols"


def test_policies_in_the_other_seats_speak_and_scripts_do_not():
    def repeats(seen: np.ndarray, legal: np.ndarray, rng: Any) -> np.ndarray:
        return np.full(len(seen), 1)  # C, and the symbol B

    for opponent, heard in [(repeats, [0, 1, 0]), ("cooperator", [0, 0, 0])]:
        games = LearnerBatch("matrix", 2, seat=0, opponent=opponent, params={"messages": K, "rounds": 5})
        games.reset(seed=1)
        assert games.step(np.array([0, 5]))[0][:, -K:].tolist() == [heard] * 2


def test_one_batch_has_one_alphabet():
    with refuses(ValueError, "messages=[2, 3]", "one number"):
        LearnerBatch("matrix", 2, seat=0, opponent="cooperator", params=[{"messages": 2}, {"messages": 3}])
