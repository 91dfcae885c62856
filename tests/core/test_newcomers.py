"""Somebody new takes a seat in the middle of a game: what it sees, and that it starts afresh. A toy game: the relay.

Seat 0 whispers, nature shows a side, and a new runner comes to seat 1 every `stay` rounds. What a runner does brings
the side to light.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.contract import CHANCE, DONE, UNKNOWN, ActionSchema, Amount, Event, Fact, Flag, Game, GameFacts
from econzoo.envs.core.contract import GameOptions, Integer, Kind, Message, Move, Outcome, Parameter, Rules
from econzoo.envs.core.faces import event_from_plain, parse_structured_observation
from econzoo.envs.core.faces.structured_face import plain_event
from econzoo.evaluate.run import replay
from refusals import refuses
from toy_games import register_temporarily

WHISPER, RUN = 0, 1


class Params(NamedTuple):
    """How many rounds there are, and for how many of them a runner stays."""

    rounds: int
    stay: int


class State(NamedTuple):
    """A position of the relay."""

    round: int
    side: float
    whispered: bool
    last: float
    over: bool


class View(NamedTuple):
    """What a seat of the relay sees."""

    seat: int
    round: int
    side: float
    over: int


class Whisper(NamedTuple):
    """Say something."""

    message: Annotated[str, Message("words to the runner")] = ""


class Run(NamedTuple):
    """Run some miles."""

    miles: Annotated[float, Amount("miles")]
    message: Annotated[str, Message("words to the one who whispers")] = ""


class Light(NamedTuple):
    """Which side it was."""

    disclosed: float


def to_act(p: Params, s: State) -> int:
    if s.over:
        return DONE
    return CHANCE if s.side == UNKNOWN else int(s.whispered)


def apply(p: Params, s: State, moves: tuple[Move]) -> State:
    kind, (amount,) = moves[0]
    if kind == CHANCE:
        return s._replace(side=amount, last=UNKNOWN)
    if kind == WHISPER:
        return s._replace(whispered=True)
    last = s.round == p.rounds
    return State(s.round + (not last), UNKNOWN, False, s.side, last)


def entry_round(p: Params, s: State, seat: int) -> int:
    return 1 + (s.round - 1) // p.stay * p.stay if seat == 1 else 1


RULES: dict[str, Any] = {
    "FEATURES": ("seat",),
    "Params": Params,
    "View": View,
    "initial": lambda p: State(1, UNKNOWN, False, UNKNOWN, False),
    "to_act": to_act,
    "legal": lambda p, s, seat: (seat == 0 == to_act(p, s), seat == 1 == to_act(p, s)),
    "bounds": lambda p, s, seat: ((-1e9, 1e9),),
    "span": lambda p, s, seat: ((0.0, 10.0),),
    "apply": apply,
    "chance": lambda p, s: ((0.0, 0.5), (1.0, 0.5)),
    "payoffs": lambda p, s: (float(s.round), float(s.round)),
    "observe": lambda p, s, seat: View(seat, s.round, s.side if seat == 0 else UNKNOWN, int(s.over)),
    "features": lambda v: (float(v.seat),),
    "entry_round": entry_round,
    "facts": lambda p, before, moves, s: (Fact(1, Light(s.last)),) if s.side == UNKNOWN else (),
    "Result": Light,
}

COUNT = Integer(1, 100)


def relay(speaks: Callable[[Mapping[str, Any], int], bool] | None = lambda public, seat: seat == 0) -> Game:
    """The game of this file."""
    game = Game(
        name="relay",
        version=0,
        summary="",
        facts=GameFacts(2, True, False, True, (), "a test"),
        rules=Rules(**RULES),
        actions=ActionSchema(Kind("whisper", Whisper), Kind("run", Run)),
        parameters=(
            Parameter("rounds", 6, COUNT, "Rounds."),
            Parameter("stay", 2, COUNT, "Rounds of a runner."),
            Parameter("messages", True, Flag(), "Words."),
        ),
        default_action=lambda view: Run(0.0) if view.seat else Whisper(),
        package=__name__,
        options=GameOptions(speaks=speaks),
    )
    outcome = lambda p, s, definition="paper": Outcome((0.0, 0.0), 0.0, 0.0, False)  # noqa: E731
    game.__dict__["metrics"] = SimpleNamespace(outcome=outcome, DEFINITIONS=("paper",))
    return game


@pytest.fixture(autouse=True)
def _known():
    with register_temporarily(relay()):
        yield


def steps(env: Any, count: int) -> None:
    """So many moves: whispers with the number of the round, and runs of as many miles."""
    for _ in range(count):
        at = env.game_state.round
        env.step({"kind": "run", "miles": float(at)} if env.agent_selection == "player_1" else whisper(at))


def whisper(at: int) -> dict[str, Any]:
    return {"kind": "whisper", "message": f"round {at}"}


# joined


def test_a_newcomer_sees_the_rounds_since_it_came() -> None:
    for stay, seen in [
        (1, [[1], [1], [1], [1], [1], [1]]),  # a new one every round, who counts its own
        (2, [[1], [1, 2], [1], [1, 2], [1], [1, 2]]),
        (4, [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1], [1, 2]]),
        (6, [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]),  # nobody new
    ]:
        env = econzoo.make("relay", face="structured", stay=stay)
        env.reset(seed=0)
        told = []
        for _ in range(6):
            steps(env, 1)
            told.append(sorted({move["round"] for move in env.observe("player_1")["history"]}))
            steps(env, 1)
            whole_story = [move["round"] for move in env.observe("player_0")["history"]]
            assert whole_story == [r for r in range(1, len(told) + 1) for _ in "ab"], "who stays has seen all"
        assert told == seen, stay


def test_who_has_left_is_not_told_what_its_last_move_brought_to_light() -> None:
    """Once the next runner has come, nothing of the round before is in the seat's observation."""
    env = econzoo.make("relay", face="structured", stay=1)
    env.reset(seed=0)
    steps(env, 2)
    assert env.observe("player_1")["history"] == ()
    assert [move["kind"] for move in env.observe("player_0")["history"]] == ["whisper", "run"]


# info["newcomer"]


def test_the_first_info_of_a_newcomer_says_so() -> None:
    for stay, rounds in [(1, [2, 3, 4, 5, 6]), (2, [3, 5]), (3, [4]), (6, [])]:
        env = econzoo.make("relay", face="structured", stay=stay)
        env.reset(seed=0)
        told = []
        while env.agents and not env.terminations[env.agent_selection]:
            if env.infos[env.agent_selection].get("newcomer"):
                assert env.agent_selection == "player_1", stay
                told.append(env.game_state.round)
            steps(env, 1)
        assert told == rounds, stay


class Runner(Player):
    """Counts its own rounds, and writes down with what seed and in what round it came."""

    seats = (1,)

    def __init__(self, spoil: int = 0) -> None:
        super().__init__("runner")
        self.came: list[tuple[int, int]] = []
        self.counts: list[int] = []
        self.spoil = spoil

    def reset(self, seat: int, info: Any, seed: int) -> None:
        self.came.append((info.view.round, seed))
        self.count = 0

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        if observation["round"] == self.spoil and not observation["error"]:
            return {"kind": "run"}  # no miles: unusable
        self.count += 1
        self.counts.append(self.count)
        return {"kind": "run", "miles": float(self.count)}


def play(player: Player, **params: Any) -> Any:
    return econzoo.play("relay", ["random", player], seed=3, **params)


def test_a_match_resets_the_player_for_every_newcomer() -> None:
    for stay, came, counts in [
        (1, [1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1]),
        (2, [1, 3, 5], [1, 2, 1, 2, 1, 2]),
        (4, [1, 5], [1, 2, 3, 4, 1, 2]),
        (6, [1], [1, 2, 3, 4, 5, 6]),
    ]:
        runner = Runner()
        play(runner, stay=stay)
        assert [round for round, _ in runner.came] == came, stay
        assert runner.counts == counts, stay
        seeds = [seed for _, seed in runner.came]
        assert len(set(seeds)) == len(seeds), "everybody has a seed of its own"
        again = Runner()
        play(again, stay=stay)
        assert again.came == runner.came, stay


def test_a_newcomer_that_is_asked_again_stays_the_same() -> None:
    runner = Runner(spoil=3)
    record = play(runner, stay=2)
    assert [round for round, _ in runner.came] == [1, 3, 5]
    assert record.errors == [0, 1]


def test_a_match_with_newcomers_replays() -> None:
    for stay in (1, 2, 6):
        assert replay(play(Runner(), stay=stay)) == []


def test_a_player_does_not_take_a_seat_that_is_not_for_it() -> None:
    assert Runner().can_take_seat(1)
    assert not Runner().can_take_seat(0)
    with refuses(ValueError, "'runner'", 0, 1):
        econzoo.play("relay", [Runner(), "random"])


# facts


def test_a_move_brings_to_light_what_the_rules_say_and_others_do_not() -> None:
    env = econzoo.make("relay", face="structured")
    env.reset(seed=0, options={"chance": [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]})
    steps(env, 12)
    assert [e.fact.disclosed for e in env.events if e.seat == 1] == [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    assert {e.fact for e in env.events if e.seat == 0} == {None}
    history = env.observe("player_0")["history"]
    assert [move.get("disclosed", "nothing") for move in history[:4]] == ["nothing", 1.0, "nothing", 0.0]


def test_what_came_to_light_survives_the_way_through_plain_data() -> None:
    for fact in [None, Light(0.0), Light(1.0)]:
        game = econzoo.game("relay")
        event = Event(1, 4, Run(3.0, "puff"), fact)
        plain = plain_event(game, event)
        assert ("disclosed" in plain) == (fact is not None), fact
        assert event_from_plain(game, plain) == event, fact


# speaks


def test_who_may_speak() -> None:
    for speaks, messages, expected in [
        (lambda public, seat: seat == 0, True, (True, False)),
        (lambda public, seat: seat == 0, False, (True, False)),  # the game's own word counts
        (lambda public, seat: seat == 1 and public["messages"], False, (False, False)),
        (None, True, (True, True)),
        (None, False, (False, False)),
    ]:
        game = relay(speaks)
        assert tuple(game.message_mode({"messages": messages}, seat) for seat in (0, 1)) == expected, expected


def test_words_of_a_seat_that_may_not_speak_are_refused() -> None:
    env = econzoo.make("relay", face="structured")
    env.reset(seed=0)
    assert (env.legal("player_0").messages, env.legal("player_1").messages) == (True, False)
    steps(env, 1)
    env.step({"kind": "run", "miles": 1.0, "message": "puff"})
    assert env.infos["player_1"]["error_code"] == "message_not_allowed"
    assert env.agent_selection == "player_1"


# span


def test_the_grid_of_the_numeric_face_lies_on_the_usual_amounts() -> None:
    for step, miles in [(0, 0.0), (1, 5.0), (2, 10.0)]:
        env = econzoo.make("relay", grid=3)
        env.reset(seed=0)
        env.step(0)
        env.step(1 + step)
        assert env.events[-1].action.miles == miles, step


def test_all_limits_are_legal_beyond_the_usual_amounts() -> None:
    env = econzoo.make("relay", face="structured")
    env.reset(seed=0)
    steps(env, 1)
    seen = env.observe("player_1")
    assert (seen["bounds"], seen["span"]) == (((-1e9, 1e9),), ((0.0, 10.0),))
    assert parse_structured_observation(env.game, seen, False).legal.usual_bounds == ((0.0, 10.0),)
    env.step({"kind": "run", "miles": -5e8})
    assert env.events[-1].action.miles == -5e8


def test_random_play_keeps_to_the_usual_amounts() -> None:
    record = econzoo.play("relay", ["random", "random"], seed=5, rounds=40)
    miles = [turn.action["miles"] for turn in record.turns if turn.action["kind"] == "run"]
    assert len(miles) == 40
    assert 0.0 <= min(miles) < max(miles) <= 10.0
