"""Constrained decoding to a JSON schema with llguidance.

Three additions to the library: JSON is compact (no free whitespace, in which small models get lost, and no numeric
escapes, which could encode half a character); numbers are bounded, which excludes 1e999; and the grammar completes a
reply at its token limit, so that it is valid at every length.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from econzoo.baselines import ModelError
from econzoo.baselines.models.chat import Schema
from econzoo.baselines.models.kind_probabilities import Vocabulary
from econzoo.envs.core import explain_missing_library

MAX_NUMBER = 1e15
"""Bound of numbers without one in the schema: integers up to here are exact as floats."""

_COMPACT: Any = {"whitespace_flexible": False, "coerce_one_of": True, "json_allowed_escapes": '"\\nt'}
_CLOSING_STEPS = 100_000  # far above any schema's shortest ending; guards against an endless loop


class Grammars:
    """Creates guides for one tokenizer; each schema is compiled once."""

    def __init__(self, tokenizer: Any, width: int, stops: Iterable[int]) -> None:
        """Prepare the tokenizer's vocabulary.

        Args:
            width: Number of logits of the model, often slightly above the vocabulary size.
        """
        with explain_missing_library("constrained decoding"):
            import llguidance.hf
        self.width = width
        try:
            self.tokens = llguidance.hf.from_tokenizer(tokenizer, max(width, len(tokenizer)), eos_token=list(stops))
        except ValueError as error:
            raise ModelError(f"tokenizer without constrained decoding ({error}); use constrained=False") from error
        self._compiled: dict[str, Any] = {}
        self._closing_order: NDArray[np.int64] | None = None
        self._vocabulary: Vocabulary | None = None

    def guide(self, schema: Schema) -> Guide:
        """Create a guide for one reply under the schema."""
        key = json.dumps(schema)
        if key not in self._compiled:
            self._compiled[key] = self._compile(schema)
        # A copy, since tokens change a matcher, and compiling anew would take longer.
        return Guide(self, self._compiled[key].deep_copy())

    def _compile(self, schema: Schema) -> Any:
        from llguidance import LLMatcher

        grammar = LLMatcher.grammar_from_json_schema(json.dumps(add_number_bounds(schema)), overrides=_COMPACT)
        matcher = LLMatcher(self.tokens, grammar, log_level=0)
        if matcher.is_error():
            raise ModelError(f"unsupported JSON schema: {matcher.get_error()[:300]}")
        return matcher

    @property
    def vocabulary(self) -> Vocabulary:
        """The spellings of all tokens."""
        if self._vocabulary is None:
            self._vocabulary = Vocabulary(self.tokens.decode_bytes([token]) for token in range(self.width))
        return self._vocabulary

    @property
    def closing_order(self) -> NDArray[np.int64]:
        """All tokens, ordered by how quickly they complete a JSON text."""
        if self._closing_order is None:
            spelled = self.vocabulary.spellings
            self._closing_order = np.array(sorted(range(self.width), key=lambda t: _closing_rank(spelled[t])))
        return self._closing_order


class Guide:
    """Grammar state of one reply."""

    def __init__(self, grammars: Grammars, matcher: Any) -> None:
        self._grammars = grammars
        self._matcher = matcher

    @property
    def vocabulary(self) -> Vocabulary:
        return self._grammars.vocabulary

    def copy(self) -> Guide:
        return Guide(self._grammars, self._matcher.deep_copy())

    @property
    def is_complete(self) -> bool:
        return self._matcher.is_stopped()

    def allowed_mask(self) -> NDArray[np.bool_]:
        """Return for every logit whether its token may come next."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        mask = np.zeros(self._grammars.width, dtype=np.bool_)
        known = np.unpackbits(bits, bitorder="little")[: len(mask)]
        mask[: len(known)] = known
        return mask

    def take_token(self, token: int) -> None:
        if not self._matcher.consume_token(token):
            raise ModelError(f"constrained decoding failed: {self._matcher.get_error()[:300]}")

    def take_forced(self) -> list[int]:
        """Take and return the tokens that the grammar forces, without a model call."""
        tokens = list(self._matcher.compute_ff_tokens())
        for token in tokens:
            self.take_token(token)
        return tokens

    def close(self) -> list[int]:
        """Take and return tokens that quickly complete the JSON: strings end, numbers become valid, braces close."""
        added: list[int] = []
        order = self._grammars.closing_order
        while not (self.is_complete or self._matcher.is_accepting()):
            added.append(int(order[np.argmax(self.allowed_mask()[order])]))
            self.take_token(added[-1])
            if len(added) > _CLOSING_STEPS:
                raise ModelError("this JSON schema cannot be completed")
        return added

    def text(self, tokens: Sequence[int]) -> str:
        """Decode tokens to the exact text."""
        return self._grammars.tokens.decode_bytes(list(tokens)).decode("utf-8", errors="replace")


class FreeText(Guide):
    """No grammar: every token may come next."""

    def __init__(self, grammars: Grammars) -> None:
        super().__init__(grammars, None)

    def copy(self) -> Guide:
        return self

    def allowed_mask(self) -> NDArray[np.bool_]:
        return np.ones(self._grammars.width, dtype=np.bool_)

    def take_token(self, token: int) -> None:
        pass

    def take_forced(self) -> list[int]:
        return []


def add_number_bounds(schema: Any) -> Any:
    """Add finite bounds to all unbounded numbers of a schema."""
    if isinstance(schema, (list, tuple)):
        return [add_number_bounds(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    bounded = {
        # Values of these keywords are data, not schemas.
        key: value if key in ("const", "enum", "default") else add_number_bounds(value)
        for key, value in schema.items()
    }
    kinds = bounded.get("type")
    if any(kind in ("number", "integer") for kind in (kinds if isinstance(kinds, list) else [kinds])):
        if not {"minimum", "exclusiveMinimum"} & bounded.keys():
            bounded["minimum"] = -MAX_NUMBER
        if not {"maximum", "exclusiveMaximum"} & bounded.keys():
            bounded["maximum"] = MAX_NUMBER
    return bounded


def _closing_rank(spelled: bytes) -> tuple[int, int]:
    """Return a sort key: closing quotes precede braces, which would be text inside a string."""
    if spelled and not spelled.strip(b'"}]'):
        return (0 if spelled.startswith(b'"') else 1, -len(spelled))
    if spelled and not spelled.strip(b'",:{}[]'):
        return (2, -len(spelled))
    if len(spelled) == 1 and spelled.isdigit():
        return (3, -spelled[0])  # from 9 down: reaches any minimum quickly, without endless zeros
    return (4, len(spelled))
