"""What a command loads: a scripted match needs no language model, and most of the package is left out."""

from __future__ import annotations

import subprocess
import sys

import pytest

COUNT = """
import sys
from contextlib import suppress
from econzoo.__main__ import main
with suppress(SystemExit):
    main(sys.argv[1:])
print(*(name for name in sys.modules if name.startswith("econzoo")), file=sys.stderr)
"""

PLAY = ("play", "bargaining", "fair", "fair")
MODELS = "econzoo.baselines.models"


def loaded(*arguments: str) -> list[str]:
    """Modules of the package that a command has imported at its end."""
    done = subprocess.run([sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1].split()


def test_a_scripted_match_is_light() -> None:
    found = loaded(*PLAY)
    assert "econzoo.evaluate.run.table" in found
    assert len(found) < 105


@pytest.mark.parametrize("arguments", [PLAY, ("games",), ("replay", "--help"), ("play", "bargaining", "fair", "fiar")])
def test_models_are_loaded_with_players_that_use_them(arguments: tuple[str, ...]) -> None:
    assert [name for name in loaded(*arguments) if name.startswith(MODELS)] == []


def test_a_player_of_a_model_loads_models() -> None:
    assert MODELS in loaded("play", "bargaining", "fair", "mock:x")
