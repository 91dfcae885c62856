"""Training in games of five seats that move at once and can be out before the others."""

from __future__ import annotations

import numpy as np
import pytest
from lm_world import TOWNS, RandomChat

import econzoo
from econzoo.baselines import LanguageModelPlayer, Player, make_single_agent, params_of, pool
from econzoo.envs.core.record import Record
from econzoo.train.lm.environment import GAME_OVER, as_trl_environment
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.sft_trainer import tool_chat
from econzoo.train.lm.transcripts import transcript
from econzoo.train.rl.recipe import PPORecipe
from econzoo.wrappers import SingleAgentEnv
from exhaustive import long_unless
from refusals import refuses, says

AMOUNT = {"water_allocation": "bid", "guess_average": "number", "survival_auction": "bid"}


@pytest.fixture(params=TOWNS)
def game(request):
    return request.param


class Thrifty(Player):
    """Always names the same small amount, and remembers what it is told."""

    def __init__(self, key: str, amount: float) -> None:
        super().__init__("thrifty")
        self.key, self.amount = key, amount
        self.told: list[str] = []

    def fork(self) -> Thrifty:
        return self

    def act(self, observation, info):
        return {self.key: self.amount}

    def on_elimination(self, observation, info) -> None:
        self.told.append(f"out on day {observation['round']}, paid {info['payoff']}")

    def finish(self, observation, info) -> None:
        self.told.append("finished")


# -- one learner among five ----------------------------------------------------------------------------------


def test_a_learner_that_dies_first_has_reached_its_end():
    """Ten units a day are enough for Alex (8), who bids most: David, who never bids, dies on day 4 of 1 + 2 + 3 + 4."""
    others = {0: Thrifty("bid", 1.0), **{seat: Thrifty("bid", 0.0) for seat in (1, 2, 4)}}
    env = SingleAgentEnv("water_allocation", others, seat=3, supply=(10, 10), reward="days", face="structured")
    env.reset(seed=0)
    steps = [env.step({"bid": 0.0}) for _ in range(4)]
    assert [step[1] for step in steps] == [0.0, 0.0, 0.0, 3 / 20]
    assert [step[2] for step in steps] == [False, False, False, True]
    assert steps[-1][4]["payoff"] == 3.0
    assert steps[-1][4]["payoffs"] == (4.0, 3.0, 3.0, 3.0, 3.0)
    assert all(not player.told for player in others.values())  # their match was not played to its end
    with pytest.raises(RuntimeError, match="reset"):
        env.step({"bid": 0.0})


def test_others_that_die_first_are_told_so_once():
    others = {seat: Thrifty("bid", 0.0) for seat in (1, 2, 3, 4)}
    env = SingleAgentEnv("water_allocation", others, seat=0, supply=(10, 10), days=6, reward="days", face="structured")
    env.reset(seed=0)
    rewards = [env.step({"bid": 1.0})[1] for _ in range(6)]
    assert rewards == [0.0] * 5 + [1.0]
    assert all(player.told == ["out on day 5, paid 3.0", "finished"] for player in others.values())


def test_the_learner_takes_all_five_seats(game):
    env = make_single_agent(game, pool(game, "training"), "both", "train")
    seats, met = set(), set()
    for seed in range(40):
        env.reset(seed=seed)
        seats.add(env.unwrapped.seat)
        met |= {player.spec for player in env.unwrapped._players.values()}
        assert len(env.unwrapped._players) == 4
    assert seats == set(range(5))
    assert met == set(pool(game, "training"))


@pytest.mark.parametrize(("step", "bid"), [(0, 0.0), (50, 35.0), (100, 70.0)])
def test_the_grid_of_bids_goes_from_nothing_to_all_one_has(step, bid):
    """Alex has earned 70 dollars on day 1."""
    env = make_single_agent("water_allocation", "all-in", 0)
    env.reset(seed=0)
    env.step(step)
    assert env.unwrapped._env.events[0].action.bid == bid


# -- seats that depend on the market -------------------------------------------------------------------------


def test_named_markets_of_other_sizes(tmp_path):
    args = PPORecipe("guess_average", out=tmp_path, settings="duel")
    assert (args.seat_count, args.learner_seats) == (2, (0, 1))
    env = make_single_agent("guess_average", "nash", "both", "duel", flat=True)
    assert env.reset(seed=0)[0].shape == (11,)  # five of the match, three of each seat
    assert env.observation_space.shape == (11,)
    assert params_of("survival_auction", "three").players == 3


def test_sizes_that_do_not_fit_are_refused(tmp_path):
    for settings, *named in (
        ({"eval_settings": "duel"}, "eval_settings='duel'", 2, 5),
        ({"seats": "5"}, "seats=5", 0, 4, "both"),
        ({"settings": "duel", "seats": "2"}, "seats=2", 0, 1, "both"),
    ):
        with refuses(ValueError, *named):
            PPORecipe("guess_average", out=tmp_path, **settings)


@pytest.mark.models
@pytest.mark.parametrize("game", long_unless(lambda game: game == "guess_average", TOWNS))
def test_a_policy_plays_in_every_seat_of_its_own_size_only(game, tmp_path):
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo

    train_ppo(
        PPORecipe(game, out=tmp_path, timesteps=64, n_envs=2, n_steps=32, batch_size=32, epochs=1, net=[8],
                algorithm="sb3", opponents=["random"], eval_every=0, eval_episodes=2, checkpoint_every=0,
                progress=False)
    )  # fmt: skip
    for seat in range(5):
        players = ["random"] * 5
        players[seat] = f"ppo:{tmp_path}"
        assert econzoo.play(game, players, seed=seat, **TOWNS[game]).errors == [0] * 5
    alone = {"water_allocation": {"residents": [("Ann", 8, 70), ("Ben", 9, 80)]}}
    with refuses(ValueError, 5, 2):
        econzoo.play(game, [f"ppo:{tmp_path}"] * 2, **alone.get(game, {"players": 2}))


# -- language models -----------------------------------------------------------------------------------------


def replies(record, seat):
    return [turn for turn in record.turns if turn.seat == seat]


@pytest.mark.parametrize("seed", range(2))
def test_a_transcript_is_what_a_language_model_had_until_it_was_out(game, seed):
    players = [LanguageModelPlayer(f"m{i}", RandomChat(game)) for i in range(2)] + ["random"] * 3
    record = econzoo.play(game, players, seed=seed, **TOWNS[game])
    again = Record.from_json(record.to_json())
    for seat in (0, 1):
        chat = [{"role": "system", "content": record.rules[seat]}]
        for turn in replies(record, seat):
            chat += [{"role": "user", "content": turn.prompt}, {"role": "assistant", "content": turn.reply}]
        assert transcript(again, seat) == chat


def test_tool_calls_end_with_the_news_of_the_elimination(game):
    """Some seat is out before the last day, and reads nothing of later days; lm_environment tells the same."""
    record = econzoo.play(game, ["random"] * 5, seed=1, **TOWNS[game])
    days = [len(replies(record, seat)) for seat in range(5)]
    seat = days.index(min(days))
    assert days[seat] < max(days)
    last = tool_chat(record, seat)[-2]["content"]
    assert ("died" if "bid" in AMOUNT[game] else "out") in last
    assert f"{days[seat]} " in last
    assert not any(f"{word} {days[seat] + 1}" in last for word in ("Day", "Round"))


def test_a_seat_with_tools_is_played_to_its_elimination():
    seat = as_trl_environment("water_allocation", 3, ["all-in"], supply=(20, 20), reward="days", start_health=2)()
    seat.reset(seed=0)
    first = seat.bid(0.0)
    assert "Day 2 of 20" in first
    last = seat.bid(0.0)
    says(last, 2)
    assert "Day 3" not in last
    assert seat.get_reward() == pytest.approx(1 / 20, rel=1e-4)
    with refuses(ValueError, GAME_OVER):
        seat.bid(0.0)


def test_rounded_amounts_can_still_be_paid():
    """All that one has is never rounded up: 47.5678 dollars would not pay a bid of 47.57."""
    residents = [("Ann", 8, 47.5678), ("Ben", 8, 47.5612)]
    record = econzoo.play("water_allocation", ["all-in"] * 2, residents=residents, supply=(8, 8), days=1)
    record.turns[0].action, record.turns[1].action = {"bid": 47.5678}, {"bid": 47.5612}
    said = [transcript(record, seat, decimals=2)[-1]["content"] for seat in (0, 1)]
    assert said == ['{"bid":47.5678}', '{"bid":47.56}']


def test_tickets_seat_four_others_in_turn(game):
    drawn = make_specs(game, range(10), range(5), ["random", *pool(game, "validation")[:2]])
    assert [ticket.seat for ticket in drawn] == [0, 1, 2, 3, 4] * 2
    assert all(len(set(ticket.opponents)) == 3 and len(ticket.opponents) == 4 for ticket in drawn)
    assert drawn[0].opponents != drawn[5].opponents
    assert drawn[2].match("me").players[2] == "me"


@pytest.mark.long
@pytest.mark.models
def test_ppo_on_compiled_games_learns_to_live_in_the_dry_town(tmp_path):
    """Against everybody of the validation pool but who plans; the policy plays at a table."""
    from econzoo.__main__ import main
    from econzoo.train.rl.curve import read_curve

    given = ["train", "ppo", "water_allocation", "--algorithm", "compiled", "--timesteps", "20000", "--no-progress"]
    with pytest.raises(SystemExit) as ended:
        main([*given, "--out", str(tmp_path)])
    assert ended.value.code == 0
    points = read_curve(tmp_path / "learning_curve.csv")
    assert {point.opponent for point in points} == {*pool("water_allocation", "validation"), "all"} - {"mpc"}
    first, *_, last = [point.reward for point in points if point.opponent == "all"]
    assert first < 0.7 < 0.85 < last
    record = econzoo.play("water_allocation", [f"ppo:{tmp_path}", "mpc", "need-based", "all-in", "random"], seed=0)
    assert record.errors == [0] * 5


@pytest.mark.long
@pytest.mark.models
@pytest.mark.parametrize("game", long_unless(lambda game: game == "water_allocation", TOWNS))
def test_sft_and_a_step_of_grpo(game, tmp_path):
    """A tiny Llama learns from records of scripted players, then from its own matches; both checkpoints play."""
    pytest.importorskip("trl")
    from lm_world import build_tiny, changed, learning_curve, weights, write_records

    from econzoo.train.lm.grpo import GRPORecipe
    from econzoo.train.lm.grpo import train_grpo as grpo
    from econzoo.train.lm.sft import SFTRecipe
    from econzoo.train.lm.sft import train_sft as sft

    records = write_records(tmp_path / "r.jsonl", [pool(game, "standard")[:5]], 2, game)
    tiny = build_tiny(tmp_path / "tiny", records, context=4096)
    taught = sft(
        SFTRecipe(
            [records], model=f"hf:{tiny}", out=str(tmp_path / "s"), steps=2, batch_size=2, lr=1e-2, max_length=4096
        )
    )
    assert changed(weights(tiny), weights(taught))
    args = GRPORecipe(
        game, model=f"hf:{taught}", out=str(tmp_path / "g"), opponents=["random", "self"], seats=[0, 3], lr=1e-2,
        warmup=0, param=[f"{name}={value}" for name, value in TOWNS[game].items()], steps=1, groups=2, group_size=2,
        max_new_tokens=16, max_length=4096, constrained=True, temperature=1.5,
    )  # fmt: skip
    header, row = learning_curve(grpo(args))
    assert float(row[header.index("forfeits")]) == 0
    record = econzoo.play(game, [f"hf:{tmp_path / 'g'}?max_new_tokens=16", *["random"] * 4], **TOWNS[game])
    assert record.errors == [0] * 5
    assert np.isfinite(record.payoffs).all()
