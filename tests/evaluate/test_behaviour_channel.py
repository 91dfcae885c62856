"""What words are worth: nothing to players that do not read, something with the right sign to those that do."""

from __future__ import annotations

import json
import math

import pytest
from handmade import value

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import Player
from econzoo.envs.core.env.channel import CHANNELS
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.behaviour import channel_designs
from econzoo.evaluate.analyses.behaviour.channel import ARMS, channel, channel_effects, twin_key
from econzoo.evaluate.run import PlayerCache, Records, Setting, play_all, play_match, play_matches, replay
from econzoo.evaluate.show import Table
from econzoo.wrappers import MessageChannel, RecordMatch
from refusals import refuses, says

PLEA = "please take this, my children are hungry"


class Pleads(Player):
    """Asks for four fifths and pleads for it, where it may speak."""

    def reset(self, seat, info, seed):
        self.messages = info.messages

    def act(self, observation, info):
        if "offer" not in observation["legal_actions"]:
            return {"kind": "reject"}
        move = {"kind": "offer", "gain": 0.8 * observation["money"]}
        return {**move, "message": PLEA} if self.messages else move


class Yields(Pleads):
    """Pleads, and takes whatever it is offered."""

    def act(self, observation, info):
        return {"kind": "accept"} if "accept" in observation["legal_actions"] else super().act(observation, info)


class Listens(Player):
    """Accepts half, and less only from somebody who pleads in these words."""

    def act(self, observation, info):
        if "offer" in observation["legal_actions"]:
            return {"kind": "offer", "gain": 0.5 * observation["money"]}
        moved = observation["history"][-1].get("message") == PLEA
        return {"kind": "accept" if moved or observation["offered"] >= 0.5 * observation["money"] else "reject"}


def settings(arm):
    return {"on": {}, "off": {"messages": False}, "scrambled": {"channel": "scrambled"}}[arm]


def arms(game, players, seeds, **params):
    return {arm: [play_match(game, players, s, **params, **settings(arm)) for s in range(seeds)] for arm in ARMS}


# The option


def say(env, words="I will never accept less than six thousand dollars"):
    env.reset(seed=7)
    env.step({"kind": "offer", "gain": 6000.0, "message": words})
    return env.observe("player_1")["history"][0]


def test_the_option_does_what_the_wrapper_does():
    for change in ["off", "scrambled"]:
        option = econzoo.make("bargaining", face="structured", channel=change)
        wrapper = MessageChannel(econzoo.make("bargaining", face="structured"), change)
        assert say(option) == say(wrapper), change


def test_scrambled_words_are_the_same_words():
    heard = say(econzoo.make("bargaining", face="structured", channel="scrambled"))["message"]
    said = say(econzoo.make("bargaining", face="structured"))["message"]
    assert heard != said
    assert sorted(heard.split()) == sorted(said.split())


def test_an_open_channel_is_the_default():
    assert say(econzoo.make("bargaining", face="structured", channel="open")) == say(
        econzoo.make("bargaining", face="structured")
    )


def test_another_channel_is_refused():
    for given in ["loud", None, 1, ["off"]]:
        with refuses(ValueError, f"channel={given!r}", *CHANNELS):
            econzoo.make("bargaining", channel=given)


def test_a_match_over_a_bad_channel_is_recorded_and_replays():
    for game in ["bargaining", "negotiation", "persuasion"]:
        for change in ["off", "scrambled"]:
            record = play_match(game, ["random", "random"], 3, channel=change)
            assert record.options == {"channel": change}, (game, change)
            assert record.id != play_match(game, ["random", "random"], 3).id, (game, change)
            assert replay(record) == [], (game, change)
            record.options = {}
            wrong = {problem.field for problem in replay(record)} - {"id"}
            assert wrong == ({"action"} if any(turn.action != turn.reply for turn in record.turns) else set()), (
                game,
                channel,
            )


def test_the_record_has_what_was_said_and_what_was_heard():
    record = play_match("bargaining", [Pleads("pleads"), Listens("listens")], 0, horizon=1, channel="scrambled")
    assert record.turns[0].reply["message"] == PLEA
    assert sorted(record.turns[0].action["message"].split()) == sorted(PLEA.split())
    assert record.turns[0].action["message"] != PLEA


def test_any_loop_records_the_channel():
    env = RecordMatch(econzoo.make("bargaining", face="structured", channel="off"), ["a", "b"])
    env.reset(seed=1)
    env.step({"kind": "offer", "gain": 6000.0, "message": "hello"})
    env.step({"kind": "accept"})
    assert env.record.options == {"channel": "off"}
    assert replay(env.record) == []


def test_nature_does_the_same_whatever_becomes_of_the_words():
    played = [play_match("persuasion", ["random", "random"], 5, channel=channel) for channel in CHANNELS]
    assert played[0].chance == played[1].chance == played[2].chance


# The value


@pytest.mark.slow
def test_words_are_worth_exactly_nothing_to_players_that_do_not_read():
    """Without words they have other luck, if they draw at all: that is another setting."""
    for game, players in [
        ("bargaining", ["random", "boulware(0.2)"]),
        ("bargaining", ["spe", "boulware(0.2)"]),
        ("negotiation", ["random", "random"]),
        ("persuasion", ["random"] * 2),
    ]:
        known = [row for row in channel_effects(arms(game, players, 3)) if row.n]
        same = {"on - scrambled"} if "random" in players else {"on - off", "on - scrambled"}
        assert {row.contrast for row in known} == {"on - off", "on - scrambled"}, (game, players)
        assert {row.difference for row in known if row.contrast in same} == {0.0}, (game, players)
        assert all(math.isnan(row.low) for row in known if row.contrast in same), "nothing varies"


def test_a_plea_is_worth_what_it_wins():
    """An ultimatum of 0.8: accepted for the plea, refused without. Both gain from the words: 0.8 and 0.2."""
    found = channel_effects(arms("bargaining", [Pleads("pleads"), Listens("listens")], 8, horizon=1))
    for contrast in ("on - off", "on - scrambled"):
        gain = {r.player: r for r in found if r.contrast == contrast and r.metric == "self_gain" and not r.role}
        assert (gain["pleads"].difference, gain["listens"].difference) == pytest.approx((0.8, 0.2))
        assert (gain["pleads"].on, gain["pleads"].other, gain["pleads"].n) == (pytest.approx(0.8), 0.0, 8)
    assert value(found, contrast="on - off", player="pleads", role="", metric="agreed").difference == 1.0


def test_a_plea_costs_the_listener_who_could_have_waited():
    """In a second round the listener asks for half, and the other takes it: half of 0.9. The plea costs it 0.25."""
    found = channel_effects(arms("bargaining", [Yields("pleads"), Listens("listens")], 4, horizon=2, delta=(0.9, 0.9)))
    gains = {
        r.player: r.difference for r in found if r.contrast == "on - off" and r.metric == "self_gain" and not r.role
    }
    assert gains == pytest.approx({"pleads": 0.8 - 0.45, "listens": 0.2 - 0.45})


def test_both_seats_are_told_together_and_apart():
    one = arms("bargaining", [Pleads("pleads"), Listens("listens")], 3, horizon=1)
    other = arms("bargaining", [Listens("listens"), Pleads("pleads")], 3, horizon=1)
    found = channel_effects({arm: one[arm] + other[arm] for arm in ARMS})
    gain = {r.role: r for r in found if r.contrast == "on - off" and r.metric == "self_gain" and r.player == "pleads"}
    assert {role: (round(r.difference, 9), r.n) for role, r in gain.items()} == {
        "": (0.4, 6),
        "Alice": (0.8, 3),
        "Bob": (0.0, 3),
    }


def test_an_undefined_metric_is_left_empty():
    found = channel_effects(arms("persuasion", ["random", "random"], 3, prior=0.0, rounds=2))
    row = value(found, contrast="on - off", player="random", role="", metric="efficiency")
    assert math.isnan(row.difference)
    assert row.n == 0


def test_matches_without_a_twin_are_left_out():
    played = arms("bargaining", ["fair", "random"], 3)
    played["off"] = played["off"][:2]
    found = channel_effects(played)
    assert {row.n for row in found if row.contrast == "on - off" and row.metric == "payoff"} == {2}
    with refuses(ValueError, "twin"):
        channel_effects({**played, "off": []})


def test_twins_differ_in_the_channel_alone():
    names = {arm: twin_key(play_match("bargaining", ["fair", "fair"], 1, **settings(arm))) for arm in ARMS}
    assert len(set(names.values())) == 1
    assert twin_key(play_match("bargaining", ["fair", "fair"], 1, money=5.0)) != names["on"]
    assert twin_key(play_match("bargaining", ["fair", "fair"], 2)) != names["on"]


def test_plans_share_all_but_the_channel():
    designs = channel_designs("bargaining", ["random", "fair"], seeds=2)
    played = {arm: {twin_key(record) for record in play_all(design, jobs=1)} for arm, design in designs.items()}
    assert played["on"] == played["off"] == played["scrambled"]
    assert len(played["on"]) == 8


def test_a_market_without_words_is_refused():
    with refuses(ValueError, "persuasion"):
        channel_designs("persuasion", ["random"], [{"message_type": "binary"}])
    with refuses(ValueError, "channel"):
        channel_designs("bargaining", ["random"], channel="off")


@pytest.mark.slow
def test_the_command_plays_tells_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    command = ["run", "channel", "random", "fair", "--seeds", "2", "--out", str(tmp_path)]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code
    told = capsys.readouterr().out
    assert "on - scrambled" in told
    assert max(map(len, told.splitlines()[:-2])) <= 80
    assert analyze(tmp_path, "channel").facts == ["8 matches on", "8 matches off", "8 matches scrambled"]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    assert len(before) == 3
    with pytest.raises(SystemExit):
        main(command)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == before
    options = [json.loads(path.read_text().splitlines()[0])["options"] for path in sorted(before)]
    assert options == [{}, {}, {"channel": "scrambled"}]
    with pytest.raises(SystemExit):
        main(["analyze", str(tmp_path), "channel", "--format", "csv"])
    header, *rows = (tmp_path / "channel" / "channel.csv").read_text().splitlines()
    assert header.startswith("contrast,game,player,opponent,role,metric,on,other,difference,low,high,n")
    assert len(rows) > 40


def test_what_has_no_arms_is_refused_before_anything_is_written(tmp_path, capsys):
    for words, named in [
        ([], ("player",)),
        (["fair", "--opponents", "spe"], ("--opponents", "channel")),
        (["honest", "--game", "persuasion", "-p", "message_type=binary"], ("persuasion",)),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(["run", "channel", *words, "--out", str(tmp_path / "c")])
        assert ended.value.code == 1, words
        says(capsys.readouterr().err, *named)
        assert not (tmp_path / "c").exists(), words


@pytest.mark.slow
def test_the_table_has_the_word_of_the_game(capsys):
    for game, word in [("bargaining", "deals"), ("negotiation", "trades"), ("persuasion", "rate")]:
        page = channel(Records([record for own in arms(game, ["random", "random"], 2).values() for record in own]))
        heads = [[column.title for column in part.columns] for part in page.parts if isinstance(part, Table)]
        assert sum(word in " ".join(line).split() for line in heads) == 2, "a table for each contrast"
        page.show()
        assert word in capsys.readouterr().out, game


def test_a_file_is_no_place_for_the_arms(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as ended:
        main(["run", "channel", "fair", "--out", str(tmp_path / "file")])
    assert ended.value.code == 1
    says(capsys.readouterr().err, tmp_path / "file", "folder")


def test_settings_with_symbols_keep_them_beside_settings_with_words():
    settings = [Setting("words", {}), Setting("symbols", {"messages": 4, "horizon": 6})]
    plans = channel_designs("bargaining", ["random"], settings, 1)
    assert plans["off"].options["channel"] == "off"
    assert [one.params["messages"] for one in plans["off"].settings] == [False, 4]
    played = {arm: [*play_matches(plan.matches(), PlayerCache("bargaining"))] for arm, plan in plans.items()}
    assert {row.n for row in channel_effects(played) if row.contrast == "on - off" and not row.role} == {4}
