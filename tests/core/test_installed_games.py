"""Games that installed packages name as entry points: found unimported, and a broken one breaks no other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import RandomPlayer, player, pool
from econzoo.baselines.factory import player_names
from econzoo.envs import register_installed_games, split_version
from econzoo.envs.core import GameLoadError, all_games, players_of, registry
from refusals import refuses, says
from toy_games import PENNIES, register_temporarily

GAME = "from dataclasses import replace\nfrom toy_games import PENNIES\nGAME = replace(PENNIES, name='trust')\n"
PLAYERS = """
from econzoo.baselines.random_and_mock import RandomPlayer
PLAYERS = {"careless": RandomPlayer}
POOLS = {"standard": ["careless"], "training": ["careless", "random"]}
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package of one module and its entry points, and registers what is installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def install(package: str, code: str, games: str, players: str = "") -> None:
        (tmp_path / f"{package}.py").write_text(code, encoding="utf-8")
        about = tmp_path / f"{package}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[econzoo.games]\n{games}\n[econzoo.players]\n{players}\n")

    with register_temporarily():
        yield install
    for name in set(sys.modules) - before:
        if name.startswith("with_"):
            del sys.modules[name]


def test_a_game_of_an_installed_package_is_known_everywhere_and_imported_when_it_is_asked_for(install: Install) -> None:
    install("with_trust", GAME + PLAYERS, "trust = with_trust:GAME", "trust = with_trust")
    register_installed_games()
    assert econzoo.games()[-1] == "trust"
    assert "econzoo/Trust-v0" in gymnasium.registry
    assert "econzoo/trust-v0" in pettingzoo.aec_registry
    assert "econzoo/trust-v0" in pettingzoo.parallel_registry
    assert "with_trust" not in sys.modules
    assert econzoo.game("trust").seats(econzoo.game("trust").params()[1]) == 2
    assert len(econzoo.play("trust", ["careless", "random"], seed=1).payoffs) == 2
    assert pool("trust", "standard") == ["careless"]
    assert pool("trust", "validation", ["random"]) == ["random"]
    assert gymnasium.make("econzoo/Trust-v0", opponent="careless").reset(seed=1)


def test_a_module_stands_for_the_game_in_it(install: Install) -> None:
    install("with_module", GAME, "trust = with_module")
    register_installed_games()
    assert econzoo.game("trust").name == "trust"
    assert players_of("trust") is None
    assert pool("trust", "standard") == ["random"]


def test_the_name_of_an_entry_point_has_the_version(install: Install) -> None:
    install("with_version", GAME.replace("name=", "version=3, name="), "trust_v3 = with_version:GAME")
    register_installed_games()
    assert "econzoo/Trust-v3" in gymnasium.registry
    assert econzoo.game("trust").version == 3


def test_names_with_versions() -> None:
    for name, found in [
        ("trust", ("trust", 0)),
        ("trust_v12", ("trust", 12)),
        ("trust_v", ("trust_v", 0)),
        ("very_vague", ("very_vague", 0)),
        ("a_v1_v2", ("a_v1", 2)),
    ]:
        assert split_version(name) == found, name


@pytest.mark.parametrize(
    ("games", "players", "named"),
    [
        ("bargaining = with_it:GAME", "", ("'bargaining'", "bargaining:GAME")),
        ("Trust = with_it:GAME", "", ("'Trust'",)),
        ("", "absent = with_it", ("'absent'",)),
    ],
)
def test_what_cannot_be_registered_is_left_out_with_a_warning(
    install: Install, games: str, players: str, named: tuple[str, ...]
) -> None:
    before = econzoo.games()
    install("with_it", "raise AssertionError('imported')", games, players)
    with pytest.warns(UserWarning, match="with_it") as warned:
        register_installed_games()
    assert len(warned) == 1
    says(warned[0].message, *named)
    assert econzoo.games() == before
    assert econzoo.game("bargaining").package == "econzoo.envs.games.bargaining"


def test_of_two_packages_with_one_game_one_is_left_out(install: Install) -> None:
    install("with_one", GAME, "trust = with_one:GAME")
    install("with_other", GAME, "trust = with_other:GAME")
    with pytest.warns(UserWarning, match="with_other.*with_one:GAME"):
        register_installed_games()
    assert econzoo.game("trust") is sys.modules["with_one"].GAME


def test_of_two_packages_with_players_of_one_game_one_is_left_out(install: Install) -> None:
    install("with_one", GAME + PLAYERS, "trust = with_one:GAME", "trust = with_one")
    install("with_other", PLAYERS, "", "trust = with_other")
    with pytest.warns(UserWarning, match="with_other.*with_one"):
        register_installed_games()
    assert players_of("trust") is sys.modules["with_one"]


def test_players_of_packages_sit_beside_those_of_a_game_here(
    install: Install, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "_ADDED_PLAYERS", {})
    install("with_players", PLAYERS.replace('"careless"', '"fair"', 1), "", "bargaining = with_players")
    install("with_more", PLAYERS, "", "bargaining = with_more")
    register_installed_games()
    assert not {"with_players", "with_more"} & set(sys.modules)
    monkeypatch.setattr(sys, "argv", ["econzoo", "play", "bargaining", "careless", "fair", "-p", "horizon=1"])
    with pytest.raises(SystemExit, match=r"^0$"):
        main()
    says(capsys.readouterr().out, "careless", "fair")
    assert player("fair", "bargaining").__module__.startswith("econzoo."), "a name that is taken stays with who has it"
    assert not isinstance(player("fair", "bargaining"), RandomPlayer)
    assert "careless" in player_names("bargaining")
    assert "careless" not in player_names("negotiation")


def test_what_is_no_import_path_is_told_when_it_is_asked_for(install: Install) -> None:
    install("with_path", GAME, "trust = with-path:GAME")
    register_installed_games()
    with refuses(GameLoadError, "'trust'", "with-path:GAME", "ModuleNotFoundError"):
        econzoo.game("trust")


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("import no_such_library", ("ModuleNotFoundError", "no_such_library")),
        ("GAME = 1 / 0", ("ZeroDivisionError",)),
        ("game = 1", ("AttributeError", "GAME")),
        ("GAME = 1", ()),
        (GAME.replace("trust", "trusted"), ("'trusted'", 0)),
        (GAME.replace("name=", "version=2, name="), (2,)),
    ],
)
def test_a_broken_game_is_told_in_one_line_and_the_others_are_listed(
    install: Install, code: str, named: tuple[Any, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    install("with_break", code, "trust = with_break:GAME")
    register_installed_games()
    named = ("'trust'", "with_break:GAME", *named)
    with refuses(GameLoadError, *named) as refused:
        econzoo.game("trust")
    assert "\n" not in str(refused.value)
    with pytest.warns(UserWarning, match="with_break:GAME") as warned:
        assert [game.name for game in all_games()] == [name for name in econzoo.games() if name != "trust"]
    says(warned[0].message, *named)
    with pytest.warns(UserWarning, match="with_break:GAME"), pytest.raises(SystemExit):
        main(["games"])
    assert "econzoo/Bargaining-v0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "named"), [("1 / 0", "ZeroDivisionError"), ("PLAYERS = ()", "PLAYERS"), ("", "PLAYERS")]
)
def test_broken_players_are_told_in_one_line_and_those_of_other_games_are_found(
    install: Install, code: str, named: str
) -> None:
    install("with_game", GAME, "trust = with_game:GAME")
    install("with_break", code, "", "trust = with_break")
    register_installed_games()
    with refuses(GameLoadError, "'trust'", "with_break", named) as refused:
        econzoo.play("trust", ["careless", "random"])
    assert "\n" not in str(refused.value)
    with pytest.warns(UserWarning, match=named):
        assert "tit-for-tat" in player_names()


def test_a_game_registered_in_code_brings_its_players(install: Install) -> None:
    install("with_players", PLAYERS, "")
    import with_players  # type: ignore[import-not-found]

    econzoo.register_game("pennies", PENNIES, players=with_players)
    assert pool("pennies", "standard") == ["careless"]
    assert econzoo.play("pennies", ["careless", "careless"], seed=1).players == ["careless", "careless"]


def test_a_game_that_is_not_what_it_is_registered_as_is_refused() -> None:
    before = econzoo.games()
    for name, given, *named in [
        ("bargaining", (PENNIES,), "econzoo.envs.games.bargaining:GAME"),
        ("penny", (PENNIES,), "toy.pennies:GAME", "'pennies'", 0),
        ("pennies", (PENNIES, 7), "'pennies'", 7, 0),
    ]:
        with register_temporarily(), refuses(ValueError, *named):
            econzoo.register_game(name, *given)
        assert econzoo.games() == before, name
