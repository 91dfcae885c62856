"""Trainings learn as they did: the same curves within rounding, whatever their commands are called.

``tests/goldens/write.py digests`` tells whether they do so to the last bit.
"""

from __future__ import annotations

import csv
import json

import pytest

from goldens.curves import TRAININGS, kept_curve, train

pytestmark = [pytest.mark.models, pytest.mark.slow]


def cells(text: str) -> list[list[str | float]]:
    """A table in CSV, numbers as such."""
    return [[number(cell) for cell in line] for line in csv.reader(text.splitlines())]


def number(cell: str) -> str | float:
    """The number that a cell holds, or its text."""
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_has_the_curve_that_it_had(name: str) -> None:
    kept, trained = kept_curve(name).read_text(encoding="utf-8"), train(name)
    for before, now in zip(cells(kept), cells(trained.curve), strict=True):
        assert now == [pytest.approx(one, rel=1e-3, abs=1e-4) if isinstance(one, float) else one for one in before]
    assert json.loads(kept_curve(name).with_suffix(".json").read_text(encoding="utf-8")) == trained.settings
