"""Several people at one terminal: everybody plays in turn, and nobody sees what is another's."""

from __future__ import annotations

import re
from ast import literal_eval

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_terminal import RealTerminal

import econzoo
from econzoo.baselines import player
from econzoo.baselines import terminal as terminals
from econzoo.baselines.terminal import Terminal
from econzoo.evaluate.run import play_match, resume
from exhaustive import examples
from people import HANDING, HEADER, Fingers, Screens, lines, told
from refusals import refuses, says
from toy_games import TOYS, register_temporarily

GAMES = [*econzoo.games(), *TOYS]


@pytest.fixture(autouse=True)
def toys():
    with register_temporarily(*TOYS.values()):
        yield


def played(game, typed, seats, **params):
    """A match of people (names, or "" for none) and others (specs) and the screens that were seen."""
    screens = Screens(typed)
    players = [screens.human(who[1:]) if who.startswith("@") else who for who in seats]
    return play_match(game, players, **params), screens.screens


def test_sealed_bids_by_hand():
    typed = lines("", "3", "", "7", "", "5", "", "", "", "9", "", "8")
    record, screens = played("lowest_bid", typed, ["@", "@Bea", "@"])
    assert record.payoffs == [0.0, 2.0, 1.0]
    assert [len(HEADER.findall(screen)) for screen in screens].count(1) == 6  # five bids and one who is out
    first, ann, waiting, handing, bea = screens[:5]
    assert first == told("pass", who="Ann") + "\n"
    assert ann.endswith("(from 0 to 10) > 3\n")
    assert waiting == told("moved", who="Ann") + "\n"
    assert handing == told("pass", who="Bea (Ben)") + "\n"
    assert HEADER.findall(bea) == ["Bea (Ben)"]
    assert "3" not in bea.split("[Bea (Ben)]")[1].split("(from 0")[0]


def test_whoever_is_out_is_told_once_and_not_asked_again():
    typed = lines("", "1", "", "2", "", "3", "", "", "", "4", "", "5")
    _, screens = played("lowest_bid", typed, ["@", "@", "@"])
    _, out = [screen for screen in screens if "[Ann]" in screen]
    assert HEADER.findall(out) == ["Ann"]
    assert "player 3 bid 3" in out
    assert out.endswith(f"{told('eliminated', payoff=0)}\n{told('was_read')}\n")
    assert told("pass", who="Ann") in screens[screens.index(out) - 1]


def test_the_result_is_shown_once_and_to_all():
    _, screens = played("lowest_bid", lines("", "1", "", "2", "", "3", "", "", "", "4", "", "5"), ["@", "@Bea", "@"])
    assert screens[-1] == told("over_for_all") + "\n  Ann: 0\n  Bea (Ben): 1\n  Cy: 2\n"
    assert sum("Ann: 0" in screen for screen in screens) == 1


def test_who_comes_back_reads_what_is_new_and_can_read_everything():
    typed = lines("", "9000", "Mine!", "", "r", "5000", "Half.", "", "history", "a")
    record, screens = played("bargaining", typed, ["@", "@"], horizon=3)
    back = [screen for screen in screens if "[Alice]" in screen][1]
    new, everything = back.split(f"> history\n\n{told('history')}\n")
    assert '> offer  gain 9,000.00  "Mine!"' in everything
    assert new.count("Bob") > everything.count("Bob")
    assert record.rules[0] not in back


def test_one_person_sees_what_one_person_always_saw():
    record, screens = played("lowest_bid", lines("9", "9"), ["random", "@", "random"], seed=3)
    assert record.status == "finished"
    assert len(screens) == 1
    assert HANDING not in screens[0]


@examples(20)
@given(st.sampled_from(GAMES), st.integers(0, 2**32), st.lists(st.booleans(), min_size=9, max_size=9))
def test_no_screen_has_the_texts_of_two_people(name, seed, random):
    game = econzoo.game(name)
    count = game.seats(game.params()[1])
    seats = ["random" if drawn and seat else "@" for seat, drawn in zip(range(count), random, strict=False)]
    record, screens = played(name, Fingers(seed), seats, seed=seed)
    people = [seat for seat, who in enumerate(seats) if who == "@"]
    assert [record.errors[seat] for seat in people] == [0] * len(people)
    if len(people) > 1:
        assert all(len(set(HEADER.findall(screen))) <= 1 for screen in screens)
        handed = [screen for screen in screens if HANDING in screen]
        assert all(screen.count("\n") == 1 for screen in handed)  # nothing else is on it


def test_who_is_out_and_could_not_read_it_reads_it_later():
    for typed in (["pause"], ["", "pause"]):
        screens = Screens(lines("", "1", "", "2", "", "3", *typed))
        record = play_match("lowest_bid", [screens.human() for _ in range(3)])
        assert (record.status, len(record.turns)) == ("paused", 3), typed
        again = Screens(lines("", "", "", "4", "", "5"))
        assert resume(record, [again.human() for _ in range(3)]).status == "finished", typed
        assert again.shown.count(told("eliminated", payoff=0)) == 1, typed


def test_leaving_and_pausing_while_the_keyboard_is_passed():
    for word, status in (("quit", "abandoned"), ("pause", "paused")):
        typed = lines("", "3", word, "y") if word == "quit" else lines("", "3", word)
        record, screens = played("lowest_bid", typed, ["@", "@", "random"])
        assert (record.status, len(record.turns)) == (status, 1), (word, status)
        assert "(from 0" not in screens[-1], (word, status)


def test_help_is_for_who_is_there():
    typed = lines("", "9000", "", "help", "r", "5000", "", "", "a")
    _, screens = played("negotiation", typed, ["@", "@"], complete_information=False, horizon=3)
    handing = next(screen for screen in screens if told("pass", who="Bob") in screen)
    assert handing.endswith(told("pass", who="Bob") + "help\n")


def test_a_new_match_begins_without_handing_over():
    screens = Screens(lines("quit", "y", "5000", "", "quit", "y"))
    for seats in (["@", "fair"], ["fair", "@"], ["@", "fair"]):
        players = [screens.human() if who == "@" else who for who in seats]
        play_match("bargaining", players, horizon=1)
    assert HANDING not in screens.shown


# Names


def test_names_are_given_in_the_spec():
    for spec in ("human('Ann')", 'human(name="Ann")'):
        assert player(spec).name == "Ann", spec


def test_names_that_are_none():
    for name in ["' Ann'", "'x\\ny'", "3", f"'{'x' * 41}'"]:
        with refuses(ValueError, f"name={literal_eval(name)!r}", 40):
            player(f"human({name})")


# The terminal of the process


class Device:
    def __init__(self, is_terminal):
        self.is_terminal, self.written = is_terminal, ""

    def isatty(self):
        return self.is_terminal

    def fileno(self):
        return -1

    def write(self, text):
        self.written += text

    def flush(self):
        pass


def test_only_a_terminal_gets_codes_and_what_was_scrolled_away_goes_too(monkeypatch):
    for is_terminal in (True, False):
        out = Device(is_terminal)
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stdin", Device(False))
        terminals.wipe()
        assert out.written == ("\x1b[H\x1b[2J\x1b[3J" if is_terminal else ""), is_terminal


def test_the_arrow_keys_bring_nothing_back(monkeypatch):
    readline = pytest.importorskip("readline")
    readline.add_history("9000")
    monkeypatch.setattr("sys.stdout", Device(False))
    terminals.wipe()
    assert readline.get_current_history_length() == 0


@pytest.fixture
def real_terminal():
    terminal = RealTerminal("import econzoo; econzoo.play('bargaining', ['human', 'human'], horizon=1)")
    yield terminal
    terminal.end()


@pytest.mark.slow
def test_on_a_real_terminal_nothing_is_left_behind(real_terminal):
    def after(line):
        real_terminal.type(line)
        return real_terminal.asked().rpartition("\x1b[3J")[2]

    assert real_terminal.asked().endswith(told("pass", who="Alice"))
    after("")
    assert "9876" in after("9876")
    handing = after("Mine!")
    assert handing.endswith(told("pass", who="Bob"))
    assert "9876" not in handing
    assert "$124" in after("")
    real_terminal.type("a")
    end = real_terminal.rest().rpartition("\x1b[3J")[2]
    says(end, "Bob: 124")
    assert "Mine!" not in end


def test_a_long_text_waits_at_the_foot_of_each_screen():
    terminal = RealTerminal(
        "from econzoo.baselines.terminal import PROCESS_TERMINAL\n"
        "here = PROCESS_TERMINAL\n"
        "for part in range(2): here.tell('\\n'.join(f'row {row}' for row in range(30 * part, 30 * part + 30)))\n"
        "here.ask('Well? > '); here.tell('row 60'); here.ask('Well? > ')"
    )
    pages = []
    for _ in range(4):
        pages.append(re.findall(r"row \d+", terminal.asked()))
        terminal.type("")
    terminal.end()
    rows = [f"row {row}" for row in range(61)]
    assert pages == [rows[:21], rows[21:42], rows[42:60], rows[60:]]  # of 24 rows, three are for the question


def test_what_is_no_terminal():
    with refuses(ValueError, "ask=3", "function"):
        Terminal(3)
