"""The policy in training as a vLLM server samples it, asked by TRL's own client, which also hands it the weights.

Any server with the same form will do: ``/v1/completions`` that takes token ids and, asked by ``return_token_ids``,
gives token ids and log-probabilities, and vLLM's end points for weights. The server computes in another arithmetic, or
has weights of an earlier step. So the log-probabilities with which it sampled go to TRL, whose importance sampling
corrects the loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from econzoo.baselines.models.chat import ModelError
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.train.lm.rollout import Policy, SampledRow

__all__ = ["VllmPolicy", "client_of", "require_server", "synchronise"]


@dataclass
class VllmPolicy(Policy):
    """The policy as a server samples it.

    Replies that shall obey a schema are held to it by the server. Tokens that it gave the probability 1 were forced,
    and are masked out; of all others the log-probability is that among the allowed tokens.

    Attributes:
        client: TRL's ``VLLMClient``.
    """

    is_served: ClassVar[bool] = True
    client: Any = None

    def reply(self, prompts: Sequence[Sequence[int]], schemas: Sequence[Any], role: int = 0) -> list[SampledRow]:
        """Samples a reply to every prompt; each has a request of its own, as seeds and schemas differ.

        The server has one set of weights, so that there is one role.

        Raises:
            ModelError: The server does not answer, or without token ids or log-probabilities.
        """
        rows = [self._row(prompt) for prompt in prompts]
        with ThreadPoolExecutor(self.batch_size) as threads:
            list(threads.map(self._sample, rows, schemas))
        return rows

    def _sample(self, row: SampledRow, schema: Any) -> None:
        held = {"structured_outputs": {"json": schema}} if self.constrained else {}
        try:
            made = self.client.generate(
                [list(row.prompt)],
                temperature=self.temperature,
                max_tokens=row.limit,
                generation_kwargs={"seed": row.seed % 2**63, "stop_token_ids": sorted(self.loaded.stop_tokens), **held},
            )
            (row.tokens,), (found,), (ids,) = made["completion_ids"], made["logprobs"], made["logprob_token_ids"]
            row.scores = [
                dict(zip(*one, strict=True))[token] for token, *one in zip(row.tokens, ids, found, strict=True)
            ]
        except Exception as error:  # TRL's client raises plain exceptions, and any where a field of the answer lacks
            told = f"{error}" if str(error).startswith("Request failed") else f"{type(error).__name__}: {error}"
            wanted = "wanted: a server that takes token ids and gives token ids with log-probabilities, such as vLLM"
            raise ModelError(f"the server at {self.client.base_url} gave no reply ({told[:300]}); {wanted}") from error
        row.own_mask = [int(not self.constrained or score != 0.0) for score in row.scores]
        row.is_cut = row.tokens[-1] not in self.loaded.stop_tokens


def require_server() -> None:
    """Refuses at once where TRL's client for vLLM servers cannot be used.

    Raises:
        MissingLibraryError: vLLM is not installed.
    """
    from trl.generation import vllm_client

    if not vllm_client.is_vllm_available():
        raise MissingLibraryError("--server needs vLLM here too, for TRL's client; install it with: pip install vllm")


def client_of(trainer: Any) -> Any:
    """TRL's client of a trainer's server. A process that hands over no weights has one to ask with.

    Args:
        trainer: TRL's, with ``use_vllm``.

    Raises:
        ValueError: It samples in its own processes.
    """
    from trl.generation.vllm_client import VLLMClient

    made = trainer.vllm_generation
    if made.mode != "server":
        raise ValueError(f"vllm_mode={made.mode!r} is not allowed with these rollouts; allowed: 'server', or no vLLM")
    if not hasattr(made, "vllm_client"):
        made.vllm_client = VLLMClient(
            made.server_base_url, made.server_host, made.server_port, connection_timeout=made.server_timeout
        )
    return made.vllm_client


def synchronise(trainer: Any) -> None:
    """Hands the server the weights as they are now, unless it has them; all processes take part.

    TRL does it before each generation.

    Args:
        trainer: TRL's, with ``use_vllm``.
    """
    if trainer._last_loaded_step != trainer.state.global_step:
        trainer.vllm_generation.sync_weights()
        trainer._last_loaded_step = trainer.state.global_step
