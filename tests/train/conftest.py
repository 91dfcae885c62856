"""Tiny models that several tests of training start from, made once."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from lm_world import build_tiny, write_records

SEATINGS = [("random", "fair"), ("fair", "random")]


@pytest.fixture(autouse=True)
def _little_garbage() -> Iterator[None]:
    """Every training looks for garbage among all that there is; what the libraries made when imported is none."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A Llama with random weights that knows the words of bargaining."""
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "tiny", write_records(folder / "r.jsonl", SEATINGS, 4))


@pytest.fixture(scope="session")
def taught(tiny, tmp_path_factory):
    """The same after it has learned to answer in the right form, mostly."""
    from econzoo.train.lm.sft import SFTRecipe, train_sft

    folder = tmp_path_factory.mktemp("taught")
    many = write_records(folder / "many.jsonl", SEATINGS, 40)
    out, more = str(folder / "taught"), {"dtype": "float32", "checkpoint_every": 0, "micro_batch": 4}
    return str(
        train_sft(
            SFTRecipe(
                [many], model=f"hf:{tiny}", out=out, keep=1.0, steps=80, batch_size=4, lr=1e-2, decimals=0, **more
            )
        )
    )
