"""Public parameters in views: what is refused, what is compiled, and how little a new one takes."""

from __future__ import annotations

import dis
import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core.contract.parameters import Flag, Real
from econzoo.envs.core.contract.public import PUBLIC, Public, fill_public_fields
from econzoo.testing import checks_of
from refusals import refuses, says
from toy_games import register_temporarily

TOYS = Path(__file__).resolve().parents[1] / "toy"


class Params(NamedTuple):
    """One public parameter told to all, a flag, one that is not told, and one that nobody declares."""

    money: Annotated[float, Real(0.0), "Dollars."] = 5.0
    loud: Annotated[bool, Flag(), "Whether it is loud."] = True
    secret: Annotated[float, Real(0.0), "Dollars."] = 7.0
    derived: float = 1.0


class View(NamedTuple):
    """With public fields between others."""

    seat: int
    money: Public[float]
    round: int
    loud: Public[int]
    over: int


@fill_public_fields
def observe(p: Params, s: int, seat: int) -> View:
    """Both ways of a condition."""
    if s < 0:
        return View(over=1, round=-s, seat=seat, **PUBLIC)
    return View(
        seat=seat,
        round=6 // s,
        over=0,
        **PUBLIC,
    )


def by_hand(p: Params, s: int, seat: int) -> View:
    """Both ways of a condition."""
    if s < 0:
        return View(seat, p.money, -s, int(p.loud), 1)
    return View(seat, p.money, 6 // s, int(p.loud), 0)


def told(function) -> list[tuple[str, str]]:
    return [(one.opname, one.argrepr) for one in dis.get_instructions(function)]


def test_the_function_is_the_one_that_is_written_by_hand():
    assert told(observe) == told(by_hand)
    assert [observe(Params(), s, 1) for s in (-2, 3)] == [View(1, 5.0, 2, 1, 1), View(1, 5.0, 2, 1, 0)]
    assert type(observe(Params(), 1, 0).loud) is int
    assert (observe.__doc__, observe.__module__, observe.__qualname__) == (by_hand.__doc__, __name__, "observe")


def test_an_error_in_it_is_told_with_its_line():
    try:
        observe(Params(), 0, 0)
    except ZeroDivisionError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.filename, last.line) == (__file__, "round=6 // s,")


class Hidden(NamedTuple):
    """Tells what `Params` does not declare."""

    seat: int
    derived: Public[float]


class Unknown(NamedTuple):
    """Tells what `Params` does not have."""

    seat: int
    wealth: Public[float]


class Unlike(NamedTuple):
    """Tells a parameter as something else."""

    seat: int
    money: Public[int]


def hidden(p: Params, s: int, seat: int) -> Hidden:
    return Hidden(seat=seat, **PUBLIC)


def unknown(p: Params, s: int, seat: int) -> Unknown:
    return Unknown(seat=seat, **PUBLIC)


def unlike(p: Params, s: int, seat: int) -> Unlike:
    return Unlike(seat=seat, **PUBLIC)


def test_a_field_that_params_does_not_declare_so_is_refused():
    for function, field in [(hidden, "derived"), (unknown, "wealth"), (unlike, "money")]:
        with refuses(TypeError, f"View.{field}", "Params"):
            fill_public_fields(function)


def forgetful(p: Params, s: int, seat: int) -> View:
    return View(seat=seat, over=0, **PUBLIC)


def twofold(p: Params, s: int, seat: int) -> View:
    return View(seat=seat, round=s, over=0, money=1.0, **PUBLIC)


def by_place(p: Params, s: int, seat: int) -> View:
    return View(seat, round=s, over=0, **PUBLIC)


def test_a_field_that_is_not_public_is_given_by_name():
    for function in [forgetful, twofold, by_place]:
        with refuses(TypeError, "View(..., **PUBLIC)", "seat", "round", "over"):
            fill_public_fields(function)


def test_a_function_inside_another_is_refused():
    def inside(p: Params, s: int, seat: int) -> View:
        return View(seat=seat, round=s, over=0, **PUBLIC)

    with pytest.raises(OSError):
        fill_public_fields(inside)


DECLARED = '    stake: Annotated[float, Real(0.0, 9.0), "Dollars that a round is worth."] = 2.5\n'
IN_VIEW = "    stake: Public[float]\n"
SENTENCE = " A round is worth ${stake}."


def with_stake(folder: Path) -> None:
    """Matching pennies with a parameter more, which three lines say."""
    for file in (TOYS / "pennies").glob("*.*"):
        text = file.read_text(encoding="utf-8").replace("toy.pennies", "staked").replace('"pennies"', '"staked"')
        if file.name == "rules.py":
            text = text.replace("import Integer\n", "import Integer, Real\n")
            text = text.replace('"Rounds."] = 3\n', '"Rounds."] = 3\n' + DECLARED)
            text = text.replace("    rounds: Public[int]\n", "    rounds: Public[int]\n" + IN_VIEW)
        if file.name == "prompts.toml":
            text = text.replace("the sides are {goal}.", "the sides are {goal}." + SENTENCE)
        (folder / "staked").mkdir(exist_ok=True)
        (folder / "staked" / file.name).write_text(text, encoding="utf-8")


def test_a_new_public_parameter_is_written_in_three_places(tmp_path, monkeypatch, capsys):
    with_stake(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    game = importlib.import_module("staked").GAME
    with register_temporarily():
        econzoo.register_game("staked", "staked:GAME")
        env = econzoo.make("staked", face="structured", stake=4.0)
        env.reset(seed=1)
        assert [env.observe(agent)["stake"] for agent in env.possible_agents] == [4.0, 4.0]
        reading = econzoo.make("staked", face="text", stake=4.0)
        reading.reset(seed=1)
        assert "$4." in reading.observe(reading.agents[0])["text"]
        with refuses(ValueError, "staked", "stake=10.0", 0, 9):
            econzoo.make("staked", stake=10.0)
        with pytest.raises(SystemExit, match="0"):
            main(["show", "staked", "--json"])
        shown = json.loads(capsys.readouterr().out)["parameters"]
        says(shown, "stake", 2.5)
        for check in checks_of(game, ["folder", "privacy"]):
            check()
    del sys.modules["staked"]
