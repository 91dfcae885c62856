"""Servers of models that are real: matches of three games by the OpenAI protocol."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

import econzoo

pytestmark = pytest.mark.slow

pytest.importorskip("openai")

LLAMA_CPP = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.verbosity = sys.argv[1], 8192, -1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()  # until the test ends
"""


@pytest.fixture(scope="module")
def llama_cpp() -> Iterator[str]:
    """The address of llama.cpp's own server with SmolLM2."""
    pytest.importorskip("xllamacpp")
    from econzoo.baselines.models.smollm2 import smollm2_gguf

    command = [sys.executable, "-c", LLAMA_CPP, str(smollm2_gguf())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        yield f"{running.stdout.readline().strip()}/v1"
        running.kill()


GAMES = {
    "bargaining": ("fair", {"horizon": 2, "prompts": "short"}),
    "matrix": ("tit-for-tat", {"rounds": 1}),
    "negotiation": ("truthful", {"horizon": 2}),
}


@pytest.mark.parametrize("game", GAMES)
def test_llama_cpp_honours_the_schema_and_counts_tokens(llama_cpp: str, game: str) -> None:
    other, params = GAMES[game]
    record = econzoo.play(game, [f"openai:smollm2@{llama_cpp}?provider=llamacpp", other], seed=1, **params)
    own = [turn for turn in record.turns if turn.seat == 0]
    assert own
    for turn in own:
        assert turn.error is None
        assert min(turn.tokens) > 0
        assert not turn.unsupported
        assert turn.served["model"]
