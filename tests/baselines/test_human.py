"""A person at the terminal, with everything that fingers can do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import econzoo
from econzoo.baselines.human import HumanPlayer
from econzoo.baselines.player import Player
from econzoo.baselines.terminal import Terminal
from econzoo.envs.core.record.record import Record, RecordFile, read_records
from toy_games import TOYS, registered


class Typist:
    """Types lines one by one and keeps what is shown; an exception among the lines is a key such as Ctrl-C."""

    def __init__(self, *typed: str | type[BaseException]) -> None:
        self.typed, self.shown = list(typed), ""
        self.human = HumanPlayer("human", terminal=Terminal(self.ask, self.tell))

    def ask(self, prompt: str) -> str:
        typed = self.typed.pop(0) if self.typed else EOFError
        self.shown += f"{prompt}{typed}\n"
        if isinstance(typed, str):
            return typed
        raise typed

    def tell(self, text: str) -> None:
        self.shown += text + "\n"


def first(*typed: str | type[BaseException], other: str | Player = "fair", **given: object) -> tuple[Record, str]:
    terminal = Typist(*typed)
    record = econzoo.play("bargaining", [terminal.human, other], **given)
    return record, terminal.shown


def second(*typed: str | type[BaseException], other: str = "fair", **given: object) -> tuple[Record, str]:
    terminal = Typist(*typed)
    record = econzoo.play("bargaining", [other, terminal.human], **given)
    return record, terminal.shown


def actions(record: Record, seat: int) -> list[dict]:
    return [turn.action for turn in record.turns if turn.seat == seat]


# moves


def test_a_match_from_the_first_offer_to_the_end():
    record, shown = first("5000", "Half each?")
    assert record.status == "finished"
    assert record.payoffs == [5000.0, 5000.0]
    assert actions(record, 0) == [{"kind": "offer", "gain": 5000.0, "message": "Half each?"}]
    assert shown.count("You and Bob divide $10,000") == 1
    assert "Round 1. A dollar that you agree on in this round is worth $1 to you. It is your turn to propose" in shown
    assert "The game is over. You get $5,000" in shown
    assert "{" not in shown  # JSON is for programs


def test_what_the_other_said_is_shown_before_the_question():
    _, shown = second("r", "6000", "", "a", other="boulware(0.2)", horizon=3)
    lines = shown.splitlines()
    told = next(i for i, line in enumerate(lines) if "Alice proposes $1,000 for you" in line)
    assert 'says: "My first word' in lines[told]
    assert "Do you accept $1,000" in lines[told + 1]
    assert "1) accept   2) reject" in lines[told + 2]
    assert shown.count("You and Alice divide") == 1  # the rules are told once


@pytest.mark.parametrize("typed", ["1", "accept", "a", "A", " Accept ", "acc", "ACCEPT"])
def test_ways_to_accept(typed):
    record, _ = second(typed)
    assert actions(record, 1) == [{"kind": "accept"}]


@pytest.mark.parametrize("typed", ["2", "reject", "r", "R", "rej"])
def test_ways_to_reject(typed):
    record, _ = second(typed, horizon=1)
    assert actions(record, 1) == [{"kind": "reject"}]


@pytest.mark.parametrize(
    "typed", ["", "x", "3", "0", "-1", "12", "accept!", "1.0", "yes", "offer", "٢", "👍", "a" * 10_000]
)
def test_what_is_no_choice_is_asked_for_again(typed):
    record, shown = second(typed, "a")
    assert record.errors == [0, 0]
    assert actions(record, 1) == [{"kind": "accept"}]
    assert shown.count("Your move:") == 2
    assert "Please type accept or reject" in shown


@pytest.mark.parametrize(
    ("typed", "amount"),
    [
        ("6000", 6000),
        ("6,000.50", 6000.5),
        ("$6000", 6000),
        ("$ 10,000", 10_000),
        (" 6e3 ", 6000),
        (".5", 0.5),
        ("0", 0),
    ],
)
def test_amounts_as_people_write_them(typed, amount):
    record, _ = first(typed, "", "r")
    assert actions(record, 0)[0] == {"kind": "offer", "gain": amount}


def test_whoever_types_all_that_is_shown_is_not_refused():
    record, shown = first("1,234.56", "", "r", money=1234.567, other="spe", horizon=2)
    assert "divide $1,234.56 between" in shown
    assert "(from 0 to 1,234.56)" in shown
    assert "out of range" not in shown
    assert actions(record, 0)[0] == {"kind": "offer", "gain": 1234.56}


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "type a number from 0 to 10,000"),
        ("half", "type a number"),
        ("NaN", "type a number"),
        ("inf", "type a number"),
        ("1e999", "type a number"),
        ("60%", "type a number"),
        ("6.000,50", "type a number"),
        ("60,00", "type a number"),
        ("1_000", "type a number"),
        ("٦٠٠٠", "type a number"),
        ("💰", "type a number"),
        ("\u202e6000", "type a number"),
        ("9" * 10_000, "type a number"),
        ("-1", "-1 is out of range"),
        ("10000.01", "10000.01 is out of range"),
        ("1e300", "1e300 is out of range"),
    ],
)
def test_what_is_no_amount_is_asked_for_again(typed, answer):
    record, shown = first(typed, "5000", "")
    assert answer in shown
    assert record.errors == [0, 0]
    assert actions(record, 0) == [{"kind": "offer", "gain": 5000.0}]


def test_words_may_be_anything_but_too_long():
    words = 'He said "no" {"kind": "accept"} [bold]🤝\u202e'
    record, shown = first("9000", "x" * 501, words, "a")
    assert "501 characters long; at most 500 fit" in shown
    assert actions(record, 0)[0]["message"] == words.replace("\u202e", "\ufffd")
    assert record.errors == [0, 0]


@pytest.mark.parametrize("longest", [10, 1000])
def test_how_long_words_may_be_is_an_option(longest):
    words = "x" * longest
    accept = 'mock(\'{"kind": "accept"}\')'
    record, shown = first("9000", words + "x", words, other=accept, max_message=longest)
    assert f"That is {longest + 1} characters long; at most {longest} fit." in shown
    assert actions(record, 0)[0]["message"] == words
    assert record.errors == [0, 0]


def test_words_are_not_asked_for_where_they_are_off():
    record, shown = first("5000", messages=False)
    assert "message" not in shown.lower()
    assert record.payoffs == [5000.0, 5000.0]


def test_every_reply_is_the_json_of_its_move():
    record, _ = first("5000", "hi")
    assert record.turns[0].reply == '{"kind":"offer","gain":5000,"message":"hi"}'
    assert "Round 1" in record.turns[0].prompt


# leaving and asking for help


def test_help_shows_the_rules_again_and_asks_on():
    record, shown = first("help", "5000", "?", "")
    assert shown.count("You and Bob divide $10,000") == 3
    assert record.payoffs == [5000.0, 5000.0]


@pytest.mark.parametrize("key", ["quit", "QUIT", EOFError, KeyboardInterrupt])
@pytest.mark.parametrize("sure", ["y", "Yes", EOFError, KeyboardInterrupt])
def test_leaving_keeps_what_was_played(key, sure, tmp_path):
    record, shown = first("9000", "", key, sure)
    assert (record.status, record.forfeit, record.payoffs) == ("abandoned", 0, [0.0, 0.0])
    assert [turn.seat for turn in record.turns] == [0, 1, 1]
    assert "You have left the match" in shown
    RecordFile(tmp_path / "matches.jsonl").append(record)
    (kept,) = read_records(tmp_path / "matches.jsonl")
    assert (kept.status, len(kept.turns)) == ("abandoned", 3)


@pytest.mark.parametrize("typed", [["pause"], ["PAUSE"], ["quit", "p"], [KeyboardInterrupt, "pause"]])
def test_pausing_keeps_the_position(typed):
    record, shown = first("9000", "", *typed, other="boulware(0.2)")
    assert (record.status, record.forfeit) == ("paused", None)
    assert [turn.seat for turn in record.turns] == [0, 1, 1]
    assert "The match is over" not in shown


def test_history_before_the_first_move():
    assert "You have played nothing yet." in first("history", "5000", "")[1]


@pytest.mark.parametrize("unsure", ["n", "", "no", "what?"])
@pytest.mark.parametrize("key", ["quit", EOFError, KeyboardInterrupt])
def test_leaving_by_mistake_can_be_taken_back(key, unsure):
    record, _ = first(key, unsure, "5000", key, unsure, "")
    assert (record.status, record.payoffs) == ("finished", [5000.0, 5000.0])


def test_leaving_at_once_leaves_an_empty_record():
    record, _ = first()
    assert (record.status, record.turns, record.payoffs) == ("abandoned", [], [0.0, 0.0])


def test_a_person_who_left_can_play_again():
    terminal = Typist("quit", "y", "5000", "")
    assert econzoo.play("bargaining", [terminal.human, "fair"]).status == "abandoned"
    assert econzoo.play("bargaining", [terminal.human, "fair"]).status == "finished"
    assert terminal.shown.count("You and Bob divide $10,000") == 2


def test_a_match_that_the_other_forfeits_ends_for_the_person_too():
    record, shown = first("5000", "", other="mock('junk')")
    assert record.status == "forfeited"
    assert "The match is over. Your payoff: 0." in shown


def test_a_person_is_told_of_a_cut_and_of_no_payoff():
    record, shown = first("9900", "", other="greedy", horizon=None, max_cycles=1)
    assert record.cut
    assert shown.endswith("The match was cut, and nobody is paid. Your position would pay 0.\n")
    assert "Your payoff" not in shown


# other games, other terminals


def test_what_a_seat_may_not_know_is_not_shown():
    told = [first("9000", "", "r", delta=(0.9, d), complete_information=False, horizon=None)[1] for d in (0.31, 0.77)]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("game", "typed", "played"),
    [
        ("pennies", ["h", "tails"], None),
        ("coin", ["It is heads", "1", "nothing", "2"], None),
        ("lowest_bid", ["3", "11", "4.5"], [{"bid": 3.0}, {"bid": 4.5}]),  # one kind of move is not asked for
        # One question for each count; an offer that leaves nothing is refused, and asked for again.
        ("division", ["offer", *"123", "", "o", *"122", ""], [{"kind": "offer", "keep": [1, 2, 2]}]),
        # 8 a unit for 3 units is more than the purse of 20 holds; the market by its number or name.
        (
            "budget",
            ["order", "8", "3", "1", "", "order", "6", "3", "South", "Hi.", "stay"],
            [
                {"kind": "order", "price": 6.0, "quantity": 3, "market": "south", "message": "Hi."},
                {"kind": "stay"},
            ],
        ),
        # Player 0 cannot punish itself.
        (
            "punish",
            ["7", "p", "0", "1", "p", "2", "1", "0", "spare"],
            [{"kind": "contribute", "amount": 7.0}, {"kind": "punish", "whom": 2, "points": 1}],
        ),
        ("talk_then_bid", ["3", "1", "", "4"], None),
    ],
)
def test_a_person_can_play_every_kind_of_game(game, typed, played):
    with registered(TOYS[game]):
        terminal = Typist(*typed)
        others = ["random"] * (TOYS[game].facts.seats - 1)
        record = econzoo.play(game, [terminal.human, *others], seed=1)
        assert record.errors[0] == 0
        assert record.turns[0].action is not None
        if played:
            assert actions(record, 0)[: len(played)] == played[: len(actions(record, 0))]


def test_two_people_share_a_terminal_and_see_whose_turn_it_is(monkeypatch, capsys):
    typed = iter(["7000", "", "r", "5000", "", "a"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    record = econzoo.play("bargaining", ["human", "human"])
    assert record.payoffs == [4500.0, 4500.0]
    shown = capsys.readouterr().out
    assert shown.index("[Alice]") < shown.index("[Bob]") < shown.rindex("[Alice]")


def test_input_from_a_pipe_is_enough():
    code = "import econzoo; r = econzoo.play('bargaining', ['human', 'fair']); print(r.status, r.payoffs)"
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="oops\n5000\n\n",
        text=True,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "finished [5000.0, 5000.0]", done.stderr
    assert "\x1b" not in done.stdout
