"""The policy in training sampled by a vLLM server, through TRL's client, which also updates the server's weights.

Any compatible server works: ``/v1/completions`` that takes token ids and, with ``return_token_ids``, returns token ids
and log-probabilities, and vLLM's end points for weights. The server's arithmetic differs, or its weights are a step
old. So its sampling log-probabilities go to TRL, whose importance sampling corrects the loss.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from econzoo.baselines import ModelError
from econzoo.envs.core import MissingLibraryError
from econzoo.train.lm.rollout import Policy, SampledRow

__all__ = ["VllmPolicy", "client_of", "require_server", "synchronise"]


@dataclass
class VllmPolicy(Policy):
    """The policy as sampled by a server.

    The server enforces schemas of replies. Tokens with probability 1 were forced, and are masked; log-probabilities of
    the others are relative to the allowed tokens. `client` is TRL's ``VLLMClient``, known once the trainer is made.
    """

    is_served: ClassVar[bool] = True
    client: Any = None

    def reply(self, prompts: Sequence[Sequence[int]], schemas: Sequence[Any], role: int = 0) -> list[SampledRow]:
        """Sample a reply to every prompt, each in a request of its own, as seeds and schemas differ.

        The server has one set of weights, hence one role.
        """
        rows = [self._row(prompt) for prompt in prompts]
        with ThreadPoolExecutor(self.batch_size) as threads:
            list(threads.map(self._sample, rows, schemas))
        return rows

    def _sample(self, row: SampledRow, schema: Any) -> None:
        held = {"structured_outputs": {"json": schema}} if self.constrained else {}
        begin = time.perf_counter()
        try:
            # The seed below 2**63, as in `Row.start`.
            output = self.client.generate(
                [list(row.prompt)],
                temperature=self.temperature,
                max_tokens=row.limit,
                generation_kwargs={"seed": row.seed % 2**63, "stop_token_ids": sorted(self.loaded.stop_tokens), **held},
            )
            (row.tokens,), (found,), (ids,) = output["completion_ids"], output["logprobs"], output["logprob_token_ids"]
            row.scores = [
                dict(zip(*one, strict=True))[token] for token, *one in zip(row.tokens, ids, found, strict=True)
            ]
        except Exception as error:  # TRL's client raises plain exceptions, and others where a field is missing
            cause = f"{error}" if str(error).startswith("Request failed") else f"{type(error).__name__}: {error}"
            expected = "expected a server that takes and returns token ids, with log-probabilities, such as vLLM"
            raise ModelError(
                f"no reply from the server at {self.client.base_url} ({cause[:300]}): {expected}"
            ) from error
        row.seconds = time.perf_counter() - begin
        row.own_mask = [int(not self.constrained or score != 0.0) for score in row.scores]
        row.is_cut = row.tokens[-1] not in self.loaded.stop_tokens


def require_server() -> None:
    """Check that TRL's client for vLLM servers is available."""
    from trl.generation import vllm_client

    if not vllm_client.is_vllm_available():
        raise MissingLibraryError("--server needs vLLM on this machine too, for TRL's client: pip install vllm")


def client_of(trainer: Any) -> Any:
    """Return TRL's client of a trainer's server; a process that sends no weights gets a client to sample with."""
    from trl.generation.vllm_client import VLLMClient

    generation = trainer.vllm_generation
    if generation.mode != "server":
        raise ValueError(f"invalid vllm_mode={generation.mode!r}: expected 'server', or no vLLM, with these rollouts")
    if not hasattr(generation, "vllm_client"):
        generation.vllm_client = VLLMClient(
            generation.server_base_url,
            generation.server_host,
            generation.server_port,
            connection_timeout=generation.server_timeout,
        )
    return generation.vllm_client


def synchronise(trainer: Any) -> None:
    """Send the present weights to the server, unless it has them; all processes take part.

    TRL does this ahead of each generation.
    """
    if trainer._last_loaded_step != trainer.state.global_step:
        trainer.vllm_generation.sync_weights()
        trainer._last_loaded_step = trainer.state.global_step
