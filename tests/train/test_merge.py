"""An adapter merged into its base: another folder, the same player."""

from __future__ import annotations

from pathlib import Path

import pytest
from lm_world import SMALL, build_tiny, changed, settings, weights, write_records

import econzoo
from econzoo.evaluate.formats import convert
from econzoo.train.lm.sft import SFTRecipe, train_sft
from refusals import refuses

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    place = tmp_path_factory.mktemp("merge")
    records = write_records(place / "r.jsonl", [("random", "fair")], 4)
    tiny = build_tiny(place / "tiny", records)
    given = {"model": f"hf:{tiny}", "keep": 1.0, "steps": 8, "batch_size": 2, "lora": 4, "lr": 1e-2, "warmup": 0}
    return tiny, train_sft(SFTRecipe([records], **given, out=str(place / "adapter"), dtype="float32"))


def replies(folder):
    """What a model says in some matches, without sampling."""
    spec = f"hf:{folder}?temperature=0&dtype=float32&max_new_tokens=24"
    records = [econzoo.play("bargaining", [spec, "random"], seed=seed, **SMALL) for seed in range(3)]
    return [turn.reply for record in records for turn in record.turns if turn.seat == 0]


@pytest.mark.slow
def test_the_whole_model_says_the_same(adapter, tmp_path):
    tiny, folder = adapter
    merged = Path(convert(folder, tmp_path / "whole").data["folder"])
    assert not (merged / "adapter_config.json").exists()
    assert replies(merged) == replies(folder)
    assert changed(weights(tiny), weights(merged))
    assert settings(merged)["training_exposure"] == settings(folder)["training_exposure"]
    assert f"hf:{merged}" in (merged / "README.md").read_text()


@pytest.mark.slow
def test_weights_can_be_kept_in_half_the_space(adapter, tmp_path):
    _, folder = adapter
    for kind in ("float32", "bfloat16"):
        convert(folder, tmp_path / kind, dtype=kind)
    sizes = [(tmp_path / kind / "model.safetensors").stat().st_size for kind in ("float32", "bfloat16")]
    assert sizes[1] < 0.6 * sizes[0]


def test_what_cannot_be_merged_is_refused(adapter, tmp_path):
    tiny, folder = adapter
    with refuses(ValueError, "adapter_config.json"):
        convert(tiny, tmp_path / "a", "lora")
    with refuses(ValueError, f"out={str(folder)!r}"):
        convert(folder, folder)
    with pytest.raises(ValueError, match="dtype='int4'"):
        convert(folder, tmp_path / "a", dtype="int4")
    assert not (tmp_path / "a").exists()
