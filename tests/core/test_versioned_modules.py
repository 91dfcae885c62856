"""The games of this package are those with a module ``NAME_vN``."""

from __future__ import annotations

from pathlib import Path

import econzoo
from econzoo.envs import GAMES, LISTED_FIRST, versioned_modules

ENVS = Path(econzoo.envs.__file__).parent


def test_every_versioned_module_is_a_game_and_has_a_folder() -> None:
    assert sorted(f"{name}_v{version}.py" for name, version in GAMES.items()) == sorted(
        file.name for file in ENVS.glob("*_v?.py")
    )
    assert set(GAMES) == {path.parent.name for path in ENVS.glob("games/*/rules.py")}


def test_lists_begin_with_the_first_games_and_go_on_by_name() -> None:
    assert list(GAMES) == [*LISTED_FIRST, *sorted(set(GAMES) - set(LISTED_FIRST))]


def test_the_latest_version_of_a_game_counts_and_other_modules_do_not(tmp_path: Path) -> None:
    for name in ("trust_v0", "trust_v1", "trust_v10", "matrix_v0", "dictator_v2", "trust", "v0", "trust_vx", "_v"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError('imported')")
    assert list(versioned_modules([str(tmp_path)]).items()) == [("matrix", 0), ("dictator", 2), ("trust", 10)]
