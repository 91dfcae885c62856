"""What `econzoo new-game` writes: whole files, clean ones, and none over another."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import pool
from econzoo.envs.new_game.command import FAMILIES, HERE, LONGEST, NATURE, PACKAGE, files_of, write
from econzoo.testing import check_game, checks_of
from refusals import says
from toy_games import register_temporarily

ROOT = Path(__file__).resolve().parents[2]
SHORT, LONG = "aha", "a_game_with_a_very_long_name_x"
assert len(LONG) == LONGEST

WRITTEN = [
    (name, 2 if family == "offers" else seats, family, layout, nature)
    for (name, seats), family, layout, nature in product(((SHORT, 2), (LONG, 10)), FAMILIES, (PACKAGE, HERE), NATURE)
]


def test_every_file_can_be_read_and_no_word_is_left_open():
    for one in WRITTEN:
        files = files_of(*one)
        for path, text in files.items():
            assert "{{" not in text, path
            assert "NAME" not in str(path)
            if path.suffix == ".py":
                ast.parse(text)
            if path.suffix == ".toml":
                tomllib.loads(text)


def test_a_game_in_this_repository_has_its_files_in_five_places():
    places = {str(path.parent) for path in files_of("trust", 2, "offers", HERE)}
    assert places == {"envs", "envs/games/trust", "baselines/trust", "tests/games/trust", "docs/games"}


def test_a_package_names_its_game_and_its_players():
    files = {str(path): text for path, text in files_of("trust", 2, "offers", PACKAGE).items()}
    points = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]
    assert points == {
        "econzoo.games": {"trust": "econzoo_trust.game:GAME"},
        "econzoo.players": {"trust": "econzoo_trust.players"},
    }
    assert {"src/econzoo_trust/game/rules.py", "src/econzoo_trust/players/__init__.py"} <= set(files)


def test_what_is_written_is_clean(tmp_path):
    pytest.importorskip("ruff")
    for number, one in enumerate(WRITTEN):
        write(files_of(*one), tmp_path / str(number))
    config = ["--no-cache", "--config", str(ROOT / "pyproject.toml")]
    sources = [str(path) for part in ("src", "envs", "baselines") for path in tmp_path.glob(f"*/{part}")]
    assert len(sources) == len(WRITTEN) * 3 / 2
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "-q", *config, *sources], check=True)
    subprocess.run([*ruff, "format", "-q", "--check", *config, str(tmp_path)], check=True)
    projects = [str(project.parent) for project in tmp_path.glob("*/pyproject.toml")]
    subprocess.run([*ruff, "check", "-q", "--no-cache", *projects], check=True)  # by the settings that are written


@pytest.fixture(params=product(FAMILIES, NATURE), ids="-".join)
def written(request, tmp_path, monkeypatch):
    """A game of each family and with each nature, registered from the package that is written."""
    family, nature = request.param
    name = f"written_{family}_{nature}"
    write(files_of(name, 2, family, PACKAGE, nature), tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    with register_temporarily():
        econzoo.register_game(name, f"econzoo_{name}.game:GAME", players=f"econzoo_{name}.players")
        yield econzoo.game(name)


def test_it_plays_at_once_with_its_own_players_and_pools(written):
    assert sum(econzoo.play(written.name, ["share", "share"]).payoffs) > 0
    pools = [pool(written.name, name) for name in ("standard", "training", "validation")]
    assert all("share" in one[0] for one in pools)
    assert not set(pools[2]) & {*pools[0], *pools[1]}


def test_it_has_all_that_belongs_into_its_folder(written):
    for check in checks_of(written, ["folder"]):
        check()


def test_it_has_its_chance_and_its_secret_where_they_are_asked_for(written):
    nature = written.name.rpartition("_")[2]
    assert (written.facts.chance, written.facts.perfect_information) == (nature != "none", nature != "hidden")
    for check in checks_of(written, ["privacy"]):
        if "secret" in check.name:
            check()


@pytest.mark.long
def test_it_passes_the_tests_of_every_game(written):
    assert check_game(written, thorough=True).passed > 100


def test_what_cannot_be_written_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for line, *named in [
        ("Trust", "name='Trust'", 30),
        ("trust-game", "name='trust-game'"),
        ("class", "name='class'"),
        ("a_game_with_a_very_long_name_indeed", 30),
        ("bargaining", "name='bargaining'"),
        ("trust --family auction", "family='auction'", "simultaneous", "alternating", "offers"),
        ("trust --nature chaos", "nature='chaos'", "none", "open", "hidden"),
        ("trust --family offers --seats 3", "seats=3", 2),
        ("trust --here", "--here", "envs/games"),
        ("trust --here --out x", "--out", "--here"),
    ]:
        with pytest.raises(SystemExit) as end:
            main(["new-game", *line.split()])
        assert end.value.code == 1, line
        error = capsys.readouterr().err
        says(error, "econzoo", *named)
        assert error.count("\n") == 1, line
        assert not list(tmp_path.iterdir()), line


def test_nothing_is_written_over(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trust").mkdir()
    (tmp_path / "trust" / "README.md").write_text("My own.")
    with pytest.raises(SystemExit):
        main(["new-game", "trust"])
    says(capsys.readouterr().err, "README.md")
    assert [path.name for path in (tmp_path / "trust").iterdir()] == ["README.md"]
