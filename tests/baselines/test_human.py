"""A person at the terminal, with everything that fingers can do."""

from __future__ import annotations

import io
from itertools import product

import econzoo
from econzoo.baselines import Player
from econzoo.baselines.human import HumanPlayer
from econzoo.baselines.terminal import Terminal
from econzoo.envs.core.record import Record, RecordFile, read_record_file
from people import told
from refusals import says
from toy_games import TOYS, register_temporarily


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


def answered(shown: str, typed: str) -> str:
    """The line after a line that was typed."""
    return shown.partition(f"> {typed}\n")[2].partition("\n")[0]


def actions(record: Record, seat: int) -> list[dict]:
    return [turn.action for turn in record.turns if turn.seat == seat]


# moves


def test_a_match_from_the_first_offer_to_the_end():
    record, shown = first("5000", "Half each?")
    assert record.status == "finished"
    assert record.payoffs == [5000.0, 5000.0]
    assert actions(record, 0) == [{"kind": "offer", "gain": 5000.0, "message": "Half each?"}]
    assert shown.count(record.rules[0]) == 1
    says(shown, "1.", "$5,000", told("payoff", ended=told("over"), payoff="5,000"))
    assert "{" not in shown  # JSON is for programs


def test_what_the_other_said_is_shown_before_the_question():
    record, shown = second("r", "6000", "", "a", other="boulware(0.2)", horizon=3)
    lines, said = shown.splitlines(), record.turns[0].action["message"]
    place = next(i for i, line in enumerate(lines) if f'"{said}"' in line)
    says(lines[place], "Alice", "$1,000")
    says(lines[place + 1], "$1,000")
    says(lines[place + 2], "1) accept", "2) reject")
    assert shown.count(record.rules[1]) == 1


def test_ways_to_accept():
    for typed in ("1", "accept", "a", "A", " Accept ", "acc", "ACCEPT"):
        record, _ = second(typed)
        assert actions(record, 1) == [{"kind": "accept"}], typed


def test_ways_to_reject():
    for typed in ("2", "reject", "r", "R", "rej"):
        record, _ = second(typed, horizon=1)
        assert actions(record, 1) == [{"kind": "reject"}], typed


def test_what_is_no_choice_is_asked_for_again():
    for typed in ["", "x", "3", "0", "-1", "12", "accept!", "1.0", "yes", "offer", "٢", "👍", "a" * 10_000]:
        record, shown = second(typed, "a")
        assert record.errors == [0, 0], typed
        assert actions(record, 1) == [{"kind": "accept"}], typed
        assert shown.count("1) accept") == 2, typed
        assert answered(shown, typed) == told("which_move", names=f"accept{told('or')}reject"), typed


def test_amounts_as_people_write_them():
    for typed, amount in [
        ("6000", 6000),
        ("6,000.50", 6000.5),
        ("$6000", 6000),
        ("$ 10,000", 10_000),
        (" 6e3 ", 6000),
        (".5", 0.5),
        ("0", 0),
    ]:
        record, _ = first(typed, "", "r")
        assert actions(record, 0)[0] == {"kind": "offer", "gain": amount}, (typed, amount)


def test_whoever_types_all_that_is_shown_is_not_refused():
    record, shown = first("1,234.56", "", "r", money=1234.567, other="spe", horizon=2)
    says(shown, "$1,234.56", 0, "1,234.56")
    assert shown.count("1,234.56) > ") == 1
    assert actions(record, 0)[0] == {"kind": "offer", "gain": 1234.56}


def test_what_is_no_amount_is_asked_for_again():
    beyond = ["-1", "10000.01", "1e300"]
    for typed in [
        *("", "half", "NaN", "inf", "1e999", "60%", "6.000,50", "60,00", "1_000", "٦٠٠٠", "💰", "\u202e6000"),
        *("9" * 10_000, *beyond),
    ]:
        record, shown = first(typed, "5000", "")
        answer = told("out_of_range", typed=typed, low=0, high="10,000")
        assert (answered(shown, typed) == answer) == (typed in beyond), typed
        says(answered(shown, typed), 0, "10,000")
        assert record.errors == [0, 0], typed
        assert actions(record, 0) == [{"kind": "offer", "gain": 5000.0}], typed


def test_words_may_be_anything_but_too_long():
    words = 'He said "no" {"kind": "accept"} [bold]🤝\u202e'
    record, shown = first("9000", "x" * 501, words, "a")
    assert told("too_long", length=501, longest=500) in shown
    assert actions(record, 0)[0]["message"] == words.replace("\u202e", "\ufffd")
    assert record.errors == [0, 0]


def test_how_long_words_may_be_is_an_option():
    for longest in (10, 1000):
        words = "x" * longest
        accept = 'mock(\'{"kind": "accept"}\')'
        record, shown = first("9000", words + "x", words, other=accept, max_message=longest)
        assert told("too_long", length=longest + 1, longest=longest) in shown
        assert actions(record, 0)[0]["message"] == words
        assert record.errors == [0, 0], longest


def test_words_are_not_asked_for_where_they_are_off():
    record, shown = first("5000", messages=False)
    assert shown.count(" > ") == 1
    assert record.payoffs == [5000.0, 5000.0]


def test_every_reply_is_the_json_of_its_move():
    record, _ = first("5000", "hi")
    assert record.turns[0].reply == '{"kind":"offer","gain":5000,"message":"hi"}'
    assert "Round 1" in record.turns[0].prompt


# leaving and asking for help


def test_help_shows_the_rules_again_and_asks_on():
    record, shown = first("help", "5000", "?", "")
    assert shown.count(record.rules[0]) == 3
    assert record.payoffs == [5000.0, 5000.0]


def test_leaving_keeps_what_was_played(tmp_path):
    for key, sure in product(("quit", "QUIT", EOFError, KeyboardInterrupt), ("y", "Yes", EOFError, KeyboardInterrupt)):
        record, shown = first("9000", "", key, sure)
        assert (record.status, record.forfeit, record.payoffs) == ("abandoned", 0, [0.0, 0.0]), (key, sure)
        assert [turn.seat for turn in record.turns] == [0, 1, 1], (key, sure)
        assert shown.splitlines()[-1] == told("payoff", ended=told("left"), payoff=0), (key, sure)
        RecordFile(tmp_path / "matches.jsonl").append(record)
        *_, kept = read_record_file(tmp_path / "matches.jsonl")
        assert (kept.status, len(kept.turns)) == ("abandoned", 3), (key, sure)


def test_pausing_keeps_the_position():
    for typed in (["pause"], ["PAUSE"], ["quit", "p"], [KeyboardInterrupt, "pause"]):
        record, shown = first("9000", "", *typed, other="boulware(0.2)")
        assert (record.status, record.forfeit) == ("paused", None), typed
        assert [turn.seat for turn in record.turns] == [0, 1, 1], typed
        assert shown.endswith(f"> {typed[-1]}\n"), typed


def test_history_before_the_first_move():
    assert answered(first("history", "5000", "")[1], "history") == told("no_history")


def test_leaving_by_mistake_can_be_taken_back():
    for unsure, key in product(("n", "", "no", "what?"), ("quit", EOFError, KeyboardInterrupt)):
        record, _ = first(key, unsure, "5000", key, unsure, "")
        assert (record.status, record.payoffs) == ("finished", [5000.0, 5000.0]), (unsure, key)


def test_leaving_at_once_leaves_an_empty_record():
    record, _ = first()
    assert (record.status, record.turns, record.payoffs) == ("abandoned", [], [0.0, 0.0])


def test_a_person_who_left_can_play_again():
    terminal = Typist("quit", "y", "5000", "")
    assert econzoo.play("bargaining", [terminal.human, "fair"]).status == "abandoned"
    record = econzoo.play("bargaining", [terminal.human, "fair"])
    assert record.status == "finished"
    assert terminal.shown.count(record.rules[0]) == 2


def test_a_match_that_the_other_forfeits_or_that_is_cut_ends_for_the_person_too():
    record, shown = first("5000", "", other="mock('junk')")
    assert record.status == "forfeited"
    assert shown.splitlines()[-1] == told("payoff", ended=told("over"), payoff=0)
    record, shown = first("9900", "", other="greedy", horizon=None, max_cycles=1)
    assert record.is_truncated
    assert shown.splitlines()[-1] == told("cut", payoff=0)


# other games, other terminals


def test_what_a_seat_may_not_know_is_not_shown():
    hidden = {"complete_information": False, "horizon": None}
    one, other = (first("9000", "", "r", delta=(0.9, d), **hidden)[1] for d in (0.31, 0.77))
    assert one == other


def test_a_person_can_play_every_kind_of_game():
    for game, typed, played in [
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
    ]:
        with register_temporarily(TOYS[game]):
            terminal = Typist(*typed)
            others = ["random"] * (TOYS[game].facts.seats - 1)
            record = econzoo.play(game, [terminal.human, *others], seed=1)
            assert record.errors[0] == 0, (game, typed, played)
            assert record.turns[0].action is not None, (game, typed, played)
            if played:
                assert actions(record, 0)[: len(played)] == played[: len(actions(record, 0))], (game, typed, played)


def test_two_people_share_a_terminal_and_see_whose_turn_it_is(monkeypatch, capsys):
    typed = iter(["7000", "", "r", "5000", "", "a"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    record = econzoo.play("bargaining", ["human", "human"])
    assert record.payoffs == [4500.0, 4500.0]
    shown = capsys.readouterr().out
    assert shown.index("[Alice]") < shown.index("[Bob]") < shown.rindex("[Alice]")


def test_input_from_a_pipe_is_enough(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("oops\n5000\n\n"))
    record = econzoo.play("bargaining", ["human", "fair"])
    assert (record.status, record.payoffs) == ("finished", [5000.0, 5000.0])
    assert "\x1b" not in capsys.readouterr().out
