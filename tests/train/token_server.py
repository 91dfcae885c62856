"""A server on 127.0.0.1 with the end points of ``vllm serve`` that TRL's client asks, in front of a model of tests.

It takes token ids and gives token ids with log-probabilities, and it takes weights. Only what moves tensors between
GPUs, which NCCL does, is not here: `without_nccl` lets them go from hand to hand in this process.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from econzoo.baselines.models import LoadedModel, Reader, generate
from econzoo.train.lm.rollout import SampledRow


class TokenServer:
    """Samples with the random numbers that the project's own loop would have for the seed of a request.

    Args:
        loaded: What it serves; a copy nobody else trains.
        without: Fields of an answer that it does not give.
        frozen: Whether it takes weights and does not use them, so that it stays behind the learner.
    """

    def __init__(self, loaded: LoadedModel, without: tuple[str, ...] = (), frozen: bool = False) -> None:
        self.loaded, self.without, self.frozen = loaded, without, frozen
        self.asked: list[tuple[str, Any]] = []
        self.weights: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self, None)

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer._answer(self, json.loads(raw or "{}"))

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> TokenServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def paths(self, *wanted: str) -> list[str]:
        """Which of these end points were asked, in order."""
        return [path for path, _ in self.asked if path in wanted]

    def _answer(self, handler: BaseHTTPRequestHandler, request: Any) -> None:
        path = handler.path.partition("?")[0]
        with self._lock:
            self.asked.append((path, request))
            try:
                status, body = 200, self._body(path, request)
            except Exception as error:
                status, body = 400, {"error": {"message": repr(error)}}
        raw = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    def _body(self, path: str, request: Any) -> Any:
        if path == "/v1/models":
            return {"data": [{"id": "tiny"}]}
        if path == "/server_info":
            modes = {"weight_transfer_config": {"backend": "nccl"}, "model_config": {"logprobs_mode": PROCESSED}}
            return {"vllm_config": modes}
        if path == "/v1/completions":
            return {"choices": [self._choice(prompt, request) for prompt in request["prompt"]]}
        if path == "/update_weights":
            self._take(request["update_info"])
        return {}

    def _take(self, told: dict[str, list[Any]]) -> None:
        own = dict(self.loaded.model.named_parameters())
        for name, dtype, shape in zip(told["names"], told["dtype_names"], told["shapes"], strict=True):
            sent, weights = self.weights.get(timeout=10)
            assert (sent, f"torch.{dtype}", tuple(shape)) == (name, str(weights.dtype), tuple(weights.shape))
            if not self.frozen:
                own[name].data.copy_(weights)

    def _choice(self, prompt: list[int], request: Any) -> dict[str, Any]:
        schema = (request.get("structured_outputs") or {}).get("json")
        guides = [schema and self.loaded.grammars.guide(schema) for _ in range(2)]
        row, heat = SampledRow(prompt, request["seed"], request["max_tokens"], guides[0]), request["temperature"]
        generate(Reader(self.loaded.model), [row], temperature=heat, stops=request["stop_token_ids"])
        if schema and not row.closed_by_grammar:
            row.tokens.append(self.loaded.tokenizer.eos_token_id)  # as a server does at the end of a grammar
        tokens = row.tokens[: request["max_tokens"]]
        scores = scores_of(self.loaded.model, prompt, tokens, heat, guides[1])
        named = [f"token_id:{token}" for token in tokens]
        logprobs = {
            "tokens": named,
            "token_logprobs": scores,
            "top_logprobs": [{name: score} for name, score in zip(named, scores, strict=True)],
        }
        choice = {"prompt_token_ids": prompt, "token_ids": tokens, "logprobs": logprobs, "finish_reason": "stop"}
        return {name: None if name in self.without else value for name, value in choice.items()}


PROCESSED = "processed_logprobs"


def scores_of(model: Any, prompt: list[int], tokens: list[int], heat: float, guide: Any = None) -> list[float]:
    """Log-probabilities of tokens behind a prompt, among those that a grammar allows."""
    import torch

    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *tokens]])).logits[0, len(prompt) - 1 : -1].float()
    for place, token in enumerate(tokens):
        if guide is None:
            break
        if guide.is_complete:
            logits[place] = torch.where(torch.arange(logits.shape[1]) == token, 0.0, -torch.inf)
            continue
        logits[place].masked_fill_(~torch.from_numpy(guide.allowed_mask()), -torch.inf)
        guide.take_token(token)
    return torch.log_softmax(logits / heat, -1).gather(1, torch.tensor(tokens)[:, None])[:, 0].tolist()


@contextmanager
def without_nccl(server: TokenServer) -> Iterator[None]:
    """TRL's client of vLLM on a machine without vLLM: all its own code runs, but for two calls.

    Joining the group of GPUs is left out, and the broadcast puts tensors where the server looks for them.
    """
    from trl.generation import vllm_client, vllm_generation

    class Engine:
        @staticmethod
        def trainer_send_weights(iterator: Iterator[Any], trainer_args: Any) -> None:
            for name, weights in iterator:
                server.weights.put((name, weights.detach().clone()))

    with pytest.MonkeyPatch.context() as patch:
        for module in (vllm_client, vllm_generation):
            patch.setattr(module, "is_vllm_available", lambda *given, **named: True)
        patch.setattr(vllm_client.VLLMClient, "init_communicator", lambda self, device: None)
        patch.setattr(vllm_client, "NCCLWeightTransferEngine", Engine, raising=False)
        patch.setattr(vllm_client, "NCCLTrainerSendWeightsArgs", lambda **named: None, raising=False)
        yield
