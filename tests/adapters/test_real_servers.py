"""Servers of models that are real: matches of two or three games by the OpenAI protocol."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

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


@pytest.fixture(scope="module")
def transformers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The model and address of `transformers serve` with SmolLM2."""
    pytest.importorskip("fastapi")
    from econzoo.baselines.models.smollm2 import smollm2_path

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = ["from transformers.cli.transformers import main; main()", "serve", str(smollm2_path())]
    command = [sys.executable, "-c", *serve, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    log: Path = tmp_path_factory.mktemp("serve") / "log"
    # Threads that spin while they wait take minutes for seconds on a busy machine.
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as told, subprocess.Popen(command, stdout=told, stderr=told, env=environment) as running:
        until = time.monotonic() + 40
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < until
            time.sleep(0.2)
        yield f"{smollm2_path()}@http://127.0.0.1:{port}/v1"
        running.kill()


@pytest.mark.parametrize(
    ("game", "option"),
    [("bargaining", "constrained=no"), ("matrix", "constrained=no"), ("bargaining", "constrained=yes")],
)
def test_transformers_serve_answers_and_counts_tokens_but_ignores_the_schema(
    transformers: str, game: str, option: str
) -> None:
    other, params = GAMES[game]
    record = econzoo.play(game, [f"openai:{transformers}?max_tokens=16&{option}", other], seed=1, **params)
    own = [turn for turn in record.turns if turn.seat == 0]
    assert own
    for turn in own:
        assert turn.reply
        assert turn.tokens[0] > 0
        assert 0 < turn.tokens[1] <= 16
        assert turn.served["finish"] in {"stop", "length"}
        assert turn.error  # SmolLM2 does not produce the form by itself
